//! Point–edge and edge–edge distance.
//!
//! Reference: Lennerz 2000, section 3.4.1 (Algorithm 4, after Lumelsky) and 3.4.2 (Algorithm 5),
//! L-16 and L-17. With e₁(s) = a₁ + s v₁, e₂(t) = a₂ + t v₂ and r = a₁ − a₂ the squared distance is
//! a convex quadratic in (s, t); if the unconstrained optimum leaves the unit square, one clamp of
//! each parameter in turn reaches the constrained one (Lemma 3.4).
//!
//! The determinant a e − b² loses its digits when the angle φ between the edges is small (rounding
//! of 1e-16 against φ²), and Lumelsky's rule for parallel edges, s = 0, then picks an arbitrary
//! end: an error of φ times the length. Below φ = 1e-4 the four ends are tried, and the inner
//! optimum with the cross product, which keeps φ to 1e-16.

use super::Closest;
use glam::DVec3;

/// Distance of the point `p` from the edge between the two ends.
pub fn point_edge(p: DVec3, [from, to]: [DVec3; 2]) -> Closest {
    let v = to - from;
    let along = (p - from).dot(v);
    let length2 = v.length_squared();
    if along <= 0.0 {
        Closest::between(p, from)
    } else if along >= length2 {
        Closest::between(p, to)
    } else {
        Closest::between(p, from + v * (along / length2))
    }
}

/// Distance of two edges, each given by its ends.
pub fn edge_edge(first: [DVec3; 2], second: [DVec3; 2]) -> Closest {
    let (v1, v2, r) = (first[1] - first[0], second[1] - second[0], first[0] - second[0]);
    let (a, e, b) = (v1.length_squared(), v2.length_squared(), v1.dot(v2));
    let (c, f) = (v1.dot(r), v2.dot(r));
    if a == 0.0 {
        return point_edge(first[0], second);
    }
    if e == 0.0 {
        return point_edge(second[0], first).swapped();
    }
    let det = a * e - b * b;
    if det <= 1e-8 * a * e {
        return nearly_parallel(first, second);
    }
    let s = ((b * f - c * e) / det).clamp(0.0, 1.0);
    let t = ((b * s + f) / e).clamp(0.0, 1.0);
    let s = ((b * t - c) / a).clamp(0.0, 1.0);
    Closest::between(first[0] + v1 * s, second[0] + v2 * t)
}

/// The four ends against the other edge, and the feet of the common perpendicular if they lie
/// within the edges.
fn nearly_parallel(first: [DVec3; 2], second: [DVec3; 2]) -> Closest {
    let mut best = Closest::FAR;
    for i in 0..2 {
        best = best.min(point_edge(first[i], second));
        best = best.min(point_edge(second[i], first).swapped());
    }
    let (v1, v2, r) = (first[1] - first[0], second[1] - second[0], second[0] - first[0]);
    let n = v1.cross(v2);
    let n2 = n.length_squared();
    if n2 > 1e-28 * v1.length_squared() * v2.length_squared() {
        let (s, t) = (r.cross(v2).dot(n) / n2, r.cross(v1).dot(n) / n2);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            best = best.min(Closest::between(first[0] + v1 * s, second[0] + v2 * t));
        }
    }
    best
}
