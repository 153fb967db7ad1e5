//! The smallest rectangle round points that are projected along a normal.
//!
//! Reference: Freeman, Shapira 1975: one side of it contains an edge of the convex hull. The hull
//! is Andrew's monotone chain, O(m log m); each of its h edges is tried against its corners, O(h²).

use glam::{DMat3, DVec2, DVec3};

/// Axes of the box with the given unit normal as third axis whose other two have the least
/// rectangle across.
pub(super) fn smallest_rectangle(points: &[DVec3], normal: DVec3) -> DMat3 {
    let u = normal.any_orthonormal_vector();
    let v = normal.cross(u);
    let flat: Vec<DVec2> = points.iter().map(|p| DVec2::new(p.dot(u), p.dot(v))).collect();
    let hull = convex_polygon(flat);
    let mut best = (f64::INFINITY, DVec2::X);
    for (i, a) in hull.iter().enumerate() {
        let Some(side) = (hull[(i + 1) % hull.len()] - a).try_normalize() else { continue };
        let extent = |d: DVec2| {
            let along = hull.iter().map(|p| p.dot(d));
            along.clone().fold(f64::MIN, f64::max) - along.fold(f64::MAX, f64::min)
        };
        let area = extent(side) * extent(side.perp());
        if area < best.0 {
            best = (area, side);
        }
    }
    let x = u * best.1.x + v * best.1.y;
    let x = (x - normal * normal.dot(x)).normalize();
    DMat3::from_cols(x, normal.cross(x), normal)
}

/// The corners of the convex hull, counter-clockwise.
fn convex_polygon(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut hull: Vec<DVec2> = Vec::new();
    let chain = |points: &mut dyn Iterator<Item = DVec2>, hull: &mut Vec<DVec2>| {
        let start = hull.len();
        for p in points {
            while let [.., a, b] = hull[start..] {
                if (b - a).perp_dot(p - b) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        // the last point begins the other chain
        hull.pop();
    };
    chain(&mut points.iter().copied(), &mut hull);
    chain(&mut points.iter().rev().copied(), &mut hull);
    hull
}
