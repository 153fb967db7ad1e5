//! Distance of two triangles, and of a point and a triangle: the fast path of the general face–face
//! distance.
//!
//! Reference: Lennerz 2000, eq. 3.1 specialised to three corners: nine edge pairs and six
//! vertex–face candidates; 0 if an edge pierces the other triangle. Vertex–face uses the dual basis
//! (u, w) of the sides, so "inside" costs two dot products. A triangle whose doubled area is below
//! 1e-12 of its longest edge squared has no inside: its edges cover it.
//!
//! Piercing puts the crossing point on the edge (k in [0, 1]) and tests it with the dual basis.
//! Coplanar triangles never pierce (t = 0): their contact is found by edge–edge, and one inside the
//! other by vertex–face.

use super::{Closest, edge_edge, point_edge};
use glam::DVec3;

/// The plane of a triangle: unit normal and the dual basis of its sides from the first corner.
struct Plane {
    origin: DVec3,
    normal: DVec3,
    u: DVec3,
    w: DVec3,
}

impl Plane {
    /// `None` if the triangle has no usable area.
    fn of([a, b, c]: [DVec3; 3]) -> Option<Self> {
        let (e, f) = (b - a, c - a);
        let n = e.cross(f);
        let area2 = n.length_squared();
        let longest = e.length_squared().max(f.length_squared()).max((c - b).length_squared());
        if area2 <= 1e-24 * longest * longest {
            return None;
        }
        Some(Self {
            origin: a,
            normal: n / area2.sqrt(),
            u: f.cross(n) / area2,
            w: n.cross(e) / area2,
        })
    }

    fn contains(&self, p: DVec3) -> bool {
        let r = p - self.origin;
        let (s, t) = (self.u.dot(r), self.w.dot(r));
        s >= 0.0 && t >= 0.0 && s + t <= 1.0
    }

    /// The point and its foot, if the foot is inside.
    fn foot(&self, p: DVec3) -> Closest {
        let h = self.normal.dot(p - self.origin);
        if self.contains(p) {
            Closest { squared: h * h, a: p, b: p - self.normal * h }
        } else {
            Closest::FAR
        }
    }

    fn pierced_by(&self, a: DVec3, b: DVec3) -> Option<DVec3> {
        let (ha, hb) = (self.normal.dot(a - self.origin), self.normal.dot(b - self.origin));
        if ha * hb > 0.0 || ha == hb {
            return None;
        }
        let x = a + (b - a) * (ha / (ha - hb)).clamp(0.0, 1.0);
        self.contains(x).then_some(x)
    }
}

fn edges([a, b, c]: [DVec3; 3]) -> [[DVec3; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Distance of a point and a triangle.
pub fn point_triangle(p: DVec3, triangle: [DVec3; 3]) -> Closest {
    let inside = Plane::of(triangle).map_or(Closest::FAR, |plane| plane.foot(p));
    if inside.squared < f64::INFINITY {
        return inside;
    }
    edges(triangle).into_iter().fold(inside, |best, edge| best.min(point_edge(p, edge)))
}

/// A common point of two triangles of which one edge pierces the other. Touching in one plane does
/// not count.
pub fn triangles_cross(first: [DVec3; 3], second: [DVec3; 3]) -> Option<DVec3> {
    let pierce = |edges_of: [DVec3; 3], face: [DVec3; 3]| {
        let plane = Plane::of(face)?;
        edges(edges_of).into_iter().find_map(|[a, b]| plane.pierced_by(a, b))
    };
    pierce(first, second).or_else(|| pierce(second, first))
}

/// Distance of two triangles.
pub fn triangle_triangle(first: [DVec3; 3], second: [DVec3; 3]) -> Closest {
    if let Some(x) = triangles_cross(first, second) {
        return Closest::common(x);
    }
    let mut best = Closest::FAR;
    for e in edges(first) {
        for f in edges(second) {
            best = best.min(edge_edge(e, f));
        }
    }
    if let Some(plane) = Plane::of(second) {
        best = first.iter().fold(best, |best, &p| best.min(plane.foot(p)));
    }
    if let Some(plane) = Plane::of(first) {
        best = second.iter().fold(best, |best, &p| best.min(plane.foot(p).swapped()));
    }
    best
}
