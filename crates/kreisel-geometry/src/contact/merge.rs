//! Points of many triangles made few: what several triangles share counts once, and a pair of
//! meshes has a bounded number.

use super::Contact;
use glam::DVec3;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A pair with more points is thinned out.
const MANY: usize = 256;
/// Normals are told apart by steps of one over this when points are thinned out.
const NORMALS: f64 = 4.0;
/// Points that are kept for each normal beside the deepest: the farthest in as many directions.
const AROUND: usize = 8;

/// Distances of this size have lost their direction to rounding.
pub(super) fn noise(position: DVec3) -> f64 {
    1e-9 * (1.0 + position.length())
}

/// Up to so many points are compared each with each.
const FEW: usize = 48;

fn is_same(k: &Contact, c: &Contact, size: f64) -> bool {
    k.a.distance(c.a) <= size && k.b.distance(c.b) <= size && k.normal.dot(c.normal) > 0.99
}

/// Adds the points without those that coincide with an earlier one and have about the same normal.
/// A grid of cells finds the earlier ones where there are many: O(n log n).
pub(super) fn merge(points: &[Contact], found: &mut Vec<Contact>) {
    let from = found.len();
    if points.len() <= FEW {
        for c in points {
            let size = noise(c.a);
            if !found[from..].iter().any(|k| is_same(k, c, size)) {
                found.push(*c);
            }
        }
        return;
    }
    let reach = points.iter().map(|c| c.a.length()).fold(0.0, f64::max);
    let cell = 4.0 * noise(DVec3::X * reach);
    let mut cells: BTreeMap<[i64; 3], SmallVec<[u32; 4]>> = BTreeMap::new();
    for c in points {
        let size = noise(c.a);
        let place = |x: DVec3| (x / cell).floor().to_array().map(|k| k as i64);
        let (lo, hi) = (place(c.a - size), place(c.a + size));
        let same = |k: &Contact| is_same(k, c, size);
        // mostly one cell: points are far apart against the cells
        let known = (lo[0]..=hi[0]).any(|x| {
            (lo[1]..=hi[1]).any(|y| {
                (lo[2]..=hi[2]).any(|z| {
                    cells
                        .get(&[x, y, z])
                        .is_some_and(|list| list.iter().any(|&k| same(&found[k as usize])))
                })
            })
        });
        if !known {
            cells.entry(place(c.a)).or_default().push(found.len() as u32);
            found.push(*c);
        }
    }
    thin_out(found, from);
}

/// Keeps, of points with similar normals, the deepest and the farthest ones all round.
fn thin_out(found: &mut Vec<Contact>, from: usize) {
    if found.len() - from <= MANY {
        return;
    }
    let mut groups: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
    for (k, c) in found.iter().enumerate().skip(from) {
        groups
            .entry((c.normal * NORMALS).round().to_array().map(|x| x as i64))
            .or_default()
            .push(k as u32);
    }
    let mut kept = vec![false; found.len()];
    kept[..from].fill(true);
    for group in groups.values() {
        let first = &found[group[0] as usize];
        let u = first.normal.any_orthonormal_vector();
        let w = first.normal.cross(u);
        let mut keep = |value: &dyn Fn(&Contact) -> f64| {
            let best = group.iter().fold(group[0], |best, &k| {
                if value(&found[k as usize]) > value(&found[best as usize]) { k } else { best }
            });
            kept[best as usize] = true;
        };
        keep(&|c| -c.distance);
        for k in 0..AROUND {
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * k as f64 / AROUND as f64);
            keep(&|c| c.a.dot(u * cos + w * sin));
        }
    }
    let mut k = 0;
    found.retain(|_| {
        k += 1;
        kept[k - 1]
    });
}
