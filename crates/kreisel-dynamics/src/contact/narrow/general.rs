//! Any pair of shapes, through the geometry crate. Points with the same normal make one manifold.

use super::super::collider::{Collider, Place};
use super::super::manifold::{Manifold, POINTS, choose_four};
use crate::math::Vec3;
use kreisel_geometry::contact::{Backend, Contact, contacts};

/// Normals that differ by less than about 1.2 degrees belong together.
const SAME: f64 = 0.9998;

/// Regions of one pair that are kept: a body in a bowl of triangles touches a few of them at a time.
const REGIONS: usize = 16;

pub(super) fn collide(
    pair: [u32; 2],
    a: &Collider,
    b: &Collider,
    places: [&Place; 2],
    margin: f64,
    out: &mut Vec<Manifold>,
) {
    let mut found = contacts(&a.shape, &a.pose(places[0]), &b.shape, &b.pose(places[1]), margin, Backend::Elements);
    // the deepest first, so that regions which must be dropped are the farthest ones
    found.sort_by(|p, q| p.distance.total_cmp(&q.distance).then(p.id.cmp(&q.id)));
    let mut taken = vec![false; found.len()];
    for part in 0..REGIONS {
        let Some(first) = taken.iter().position(|t| !t) else { return };
        let n = found[first].normal;
        let mut group: Vec<Contact> = Vec::new();
        for (c, taken) in found.iter().zip(&mut taken) {
            if !*taken && c.normal.dot(n) > SAME {
                *taken = true;
                group.push(*c);
            }
        }
        out.push(region(pair, part as u32, n, &group, places));
    }
}

fn region(pair: [u32; 2], part: u32, n: Vec3, group: &[Contact], places: [&Place; 2]) -> Manifold {
    let mut m = Manifold::new(pair, part, n, places[0], places[1]);
    let mut add = |c: &Contact| {
        let parts = c.id.parts[0].wrapping_mul(31).wrapping_add(c.id.parts[1]).wrapping_mul(0x0100_0193);
        let triangles = c.id.triangles[0].wrapping_mul(7919) ^ c.id.triangles[1];
        m.push([c.id.features[0] ^ parts, c.id.features[1] ^ triangles], c.a, c.b, c.distance, places);
    };
    if group.len() <= POINTS {
        group.iter().for_each(add);
    } else {
        let points: Vec<(Vec3, f64)> = group.iter().map(|c| (c.a, c.distance)).collect();
        let mut chosen = choose_four(&points, n);
        chosen.sort_unstable();
        let mut last = usize::MAX;
        for k in chosen {
            if k != last {
                add(&group[k]);
            }
            last = k;
        }
    }
    // round shapes roll: their points wander
    m.recyclable = m.count >= 3;
    m
}
