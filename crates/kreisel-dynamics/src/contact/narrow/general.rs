//! Any pair of shapes, through the geometry crate. Points with the same normal make one manifold.

use super::super::collider::{Collider, Place};
use super::super::manifold::{Manifold, POINTS, choose_four};
use crate::math::Vec3;
use kreisel_geometry::contact::{Contact, ContactCache, contacts_near};

/// Normals that differ by less than about 1.2 degrees belong together.
const SAME: f64 = 0.9998;

/// Regions of one pair that are kept: a body in a bowl of triangles touches a few of them at a
/// time.
const REGIONS: usize = 16;

/// Room for the points of one pair, used again for the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    found: Vec<Contact>,
    group: Vec<Contact>,
    points: Vec<(Vec3, f64)>,
}

/// `guess` is about the normal, where the pair has touched before.
pub(super) fn collide(
    pair: [u32; 2],
    a: &Collider,
    b: &Collider,
    places: [&Place; 2],
    margin: f64,
    guess: Option<Vec3>,
    cache: &mut ContactCache,
    room: &mut Room,
    out: &mut Vec<Manifold>,
) {
    let Room { found, group, points } = room;
    found.clear();
    contacts_near(
        &a.shape,
        &a.pose(places[0]),
        &b.shape,
        &b.pose(places[1]),
        margin,
        guess,
        cache,
        found,
    );
    // the deepest first, so that regions which must be dropped are the farthest ones
    found.sort_unstable_by(|p, q| p.distance.total_cmp(&q.distance).then(p.id.cmp(&q.id)));
    for part in 0..REGIONS {
        let Some(first) = found.first() else { return };
        let n = first.normal;
        group.clear();
        found.retain(|c| {
            let same = c.normal.dot(n) > SAME;
            if same {
                group.push(*c);
            }
            !same
        });
        out.push(region(pair, part as u32, n, group, points, places));
    }
}

fn region(
    pair: [u32; 2],
    part: u32,
    n: Vec3,
    group: &[Contact],
    points: &mut Vec<(Vec3, f64)>,
    places: [&Place; 2],
) -> Manifold {
    let mut m = Manifold::new(pair, part, n, places[0], places[1]);
    let mut add = |c: &Contact| {
        let parts =
            c.id.parts[0].wrapping_mul(31).wrapping_add(c.id.parts[1]).wrapping_mul(0x0100_0193);
        let triangles = c.id.triangles[0].wrapping_mul(7919) ^ c.id.triangles[1];
        m.push(
            [c.id.features[0] ^ parts, c.id.features[1] ^ triangles],
            c.a,
            c.b,
            c.distance,
            places,
        );
    };
    if group.len() <= POINTS {
        group.iter().for_each(add);
    } else {
        points.clear();
        points.extend(group.iter().map(|c| (c.a, c.distance)));
        let mut chosen = choose_four(points, n);
        chosen.sort_unstable();
        let mut last = usize::MAX;
        for k in chosen {
            if k != last {
                add(&group[k]);
            }
            last = k;
        }
    }
    m.wanders = true;
    m
}
