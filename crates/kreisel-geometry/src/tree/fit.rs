//! A tight oriented box round a set of triangles.
//!
//! Reference: Lennerz 2000, section 3.5.4 (area-weighted covariance, corrected formula G-21). The covariance alone is
//! poor for curved patches and ambiguous for round ones, so candidates compete and the least surface area wins: the
//! eigenvectors of the covariance, eight frames turned about the mean normal, and for small sets every triangle's
//! own edges with its normal. O(n) for each candidate.

use super::OrientedBox;
use glam::{DMat3, DVec3};

/// Sets up to this size try the frames of their own triangles.
const SMALL: usize = 8;

/// A small box that contains the given triangles.
pub(crate) fn fit(triangles: &[[DVec3; 3]]) -> OrientedBox {
    let mut best = Candidate::new(DMat3::IDENTITY, triangles);
    let mut consider = |axes: DMat3| {
        let candidate = Candidate::new(axes, triangles);
        if candidate.area < best.area {
            best = candidate;
        }
    };
    if triangles.len() > 1 {
        consider(crate::mass::principal_axes(covariance(triangles)).1);
        let normal: DVec3 = triangles.iter().map(|[a, b, c]| (b - a).cross(c - a)).sum();
        if let Some(n) = normal.try_normalize() {
            let u = n.any_orthonormal_vector();
            let v = n.cross(u);
            for k in 0..8 {
                // an eighth of a right angle each
                let (sin, cos) = libm::sincos(std::f64::consts::FRAC_PI_2 * f64::from(k) / 8.0);
                let w = u * cos + v * sin;
                consider(DMat3::from_cols(w, n.cross(w), n));
            }
        }
    }
    if triangles.len() <= SMALL {
        for &[a, b, c] in triangles {
            let n = (b - a).cross(c - a);
            for edge in [b - a, c - b, a - c] {
                // the normal of a needle is rounding noise and not orthogonal to its edges
                let Some(u) = edge.try_normalize() else { continue };
                let v = n.cross(u).try_normalize().unwrap_or(u.any_orthonormal_vector());
                let v = (v - u * u.dot(v)).normalize();
                consider(DMat3::from_cols(u, v, u.cross(v)));
            }
        }
    }
    best.volume
}

struct Candidate {
    volume: OrientedBox,
    area: f64,
}

impl Candidate {
    fn new(axes: DMat3, triangles: &[[DVec3; 3]]) -> Self {
        let (mut lo, mut hi) = (DVec3::MAX, DVec3::MIN);
        let rows = axes.transpose();
        for &p in triangles.iter().flatten() {
            let x = rows * p;
            lo = lo.min(x);
            hi = hi.max(x);
        }
        let half = (hi - lo) * 0.5;
        // the sum of the products of two extents grows with the area; flat boxes are still ordered by it
        let area = half.x * half.y + half.y * half.z + half.z * half.x;
        Self { volume: OrientedBox { center: axes * ((lo + hi) * 0.5), axes, half }, area }
    }
}

/// Second moments of the surface about its centre of area, not normalised.
fn covariance(triangles: &[[DVec3; 3]]) -> DMat3 {
    let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length();
    let total: f64 = triangles.iter().map(|&t| area(t)).sum();
    let weight = |t: [DVec3; 3]| if total > 0.0 { area(t) / total } else { 1.0 / triangles.len() as f64 };
    let mean: DVec3 = triangles.iter().map(|&t| (t[0] + t[1] + t[2]) * (weight(t) / 3.0)).sum();
    let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let mut sum = DMat3::ZERO;
    for &t in triangles {
        let [a, b, c] = t.map(|p| p - mean);
        sum += (outer(a + b + c) + outer(a) + outer(b) + outer(c)) * weight(t);
    }
    sum
}
