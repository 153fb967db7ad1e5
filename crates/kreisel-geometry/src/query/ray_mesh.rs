//! Rays against meshes, and whether a point is inside a closed mesh.
//!
//! The ray is clipped by the slabs of each box and followed to the nearest triangle (Möller,
//! Trumbore 1997). A point is inside if a ray from it crosses the surface an odd number of times; a
//! ray that passes within 1e-9 of a triangle's edge or runs along a face decides nothing and
//! another direction is tried. Expected O(log n) for each ray.

use crate::TriMesh;
use crate::tree::{MeshTree, OrientedBox};
use glam::DVec3;

/// A crossing of a ray and a triangle.
pub(super) struct Crossing {
    pub(super) distance: f64,
    pub(super) triangle: u32,
    /// How far inside the triangle, as the least barycentric coordinate.
    margin: f64,
    /// Sine of the angle between ray and face.
    steepness: f64,
}

/// The nearest crossing within `reach`.
pub(super) fn cast(
    tree: &MeshTree,
    origin: DVec3,
    direction: DVec3,
    reach: f64,
) -> Option<Crossing> {
    let mut best: Option<Crossing> = None;
    visit(tree, origin, direction, reach, &mut |crossing| {
        if best
            .as_ref()
            .is_none_or(|b| (crossing.distance, crossing.triangle) < (b.distance, b.triangle))
        {
            best = Some(crossing);
        }
        best.as_ref().map_or(reach, |b| b.distance)
    });
    best
}

/// True if the point (in the mesh's frame) is inside the closed mesh.
pub(crate) fn contains(mesh: &TriMesh, point: DVec3) -> bool {
    let directions = [
        DVec3::new(0.571_215, 0.691_147, 0.441_969),
        DVec3::new(-0.261_497, 0.915_965, 0.311_029),
        DVec3::new(0.374_165, -0.112_233, 0.920_318),
        DVec3::new(-0.611_033, -0.411_213, -0.668_156),
        DVec3::new(0.124_713, 0.281_828, -0.954_234),
    ];
    let mut odd = false;
    for d in directions {
        let (mut count, mut clean) = (0_u32, true);
        visit(mesh.tree(), point, d.normalize(), f64::INFINITY, &mut |c| {
            count += u32::from(c.margin >= 0.0);
            clean &= c.margin.abs() > 1e-9 && c.steepness > 1e-9;
            f64::INFINITY
        });
        odd = count % 2 == 1;
        if clean {
            break;
        }
    }
    odd
}

/// Calls `hit` for every crossing nearer than what it returned last. Near misses have a negative
/// margin.
fn visit(
    tree: &MeshTree,
    origin: DVec3,
    direction: DVec3,
    reach: f64,
    hit: &mut dyn FnMut(Crossing) -> f64,
) {
    let mut limit = reach;
    let mut stack: Vec<(f64, u32)> = vec![(0.0, 0)];
    while let Some((enter, number)) = stack.pop() {
        if enter > limit {
            continue;
        }
        let block = &tree.blocks[number as usize];
        let from = stack.len();
        for lane in 0..block.count as usize {
            let Some(enter) = enters(&block.lane(lane), origin, direction).filter(|&t| t <= limit)
            else {
                continue;
            };
            if !block.is_leaf() {
                stack.push((enter, block.child[lane]));
                continue;
            }
            let triangle = block.child[lane];
            if let Some(crossing) = crossing(tree.triangle(triangle), origin, direction, triangle)
                && crossing.distance <= limit
            {
                limit = hit(crossing);
            }
        }
        stack[from..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    }
}

/// Where the ray enters a box that is a little enlarged against rounding.
fn enters(volume: &OrientedBox, origin: DVec3, direction: DVec3) -> Option<f64> {
    let rows = volume.axes.transpose();
    let (o, d) = (rows * (origin - volume.center), rows * direction);
    let slack = 1e-12 * (o.abs().max_element() + volume.half.max_element());
    let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
    for k in 0..3 {
        let h = volume.half[k] + slack;
        if d[k].abs() < 1e-300 {
            if o[k].abs() > h {
                return None;
            }
            continue;
        }
        let (s, t) = ((-h - o[k]) / d[k], (h - o[k]) / d[k]);
        enter = enter.max(s.min(t));
        leave = leave.min(s.max(t));
    }
    (enter <= leave).then_some(enter)
}

fn crossing(
    [a, b, c]: [DVec3; 3],
    origin: DVec3,
    direction: DVec3,
    triangle: u32,
) -> Option<Crossing> {
    let (e, f) = (b - a, c - a);
    let n = e.cross(f);
    let det = -n.dot(direction);
    let steepness = det.abs() / n.length().max(1e-300);
    if det == 0.0 {
        return None;
    }
    let r = origin - a;
    let q = r.cross(direction);
    let (u, v, distance) = (f.dot(q) / det, -e.dot(q) / det, n.dot(r) / det);
    let margin = u.min(v).min(1.0 - u - v);
    (margin >= -1e-9 && distance >= 0.0).then_some(Crossing {
        distance,
        triangle,
        margin,
        steepness,
    })
}
