//! Edge–face overlap, edge–face and face–face distance for plane polygons.
//!
//! Reference: Lennerz 2000, sections 3.4.4 and 3.4.5 (Algorithms 8 to 11), L-20 to L-22, in the
//! corrected form: with s = n₀ − n·a and t = n·v the edge a + λv meets the plane at λ = s/t.
//!
//! The distance of two faces is 0 if an edge of one crosses the other, else the least of edge–edge
//! and vertex–face distances (eq. 3.1). What is left out because something else covers it:
//! vertex–edge inside vertex–face (edge–edge has it), edges inside the plane (edge–edge and
//! vertex–face), the far end of every edge, and every second edge for vertex–face, since two
//! neighbouring edges share a vertex. O(n m) for n and m corners.

use super::{Closest, Polygon, edge_edge};
use glam::DVec3;

/// A common point of an edge and a polygon, if they meet.
pub fn edge_face_overlap(edge: [DVec3; 2], face: &Polygon) -> Option<DVec3> {
    let [a, b] = edge;
    let (s, t) = (-face.height(a), face.normal().dot(b - a));
    if t != 0.0 {
        let x = a + (b - a) * (s / t);
        return (in_range(s, t) && face.contains(x)).then_some(x);
    }
    if s != 0.0 {
        return None;
    }
    let touching = face.edges().map(|side| edge_edge(edge, side)).find(|c| c.squared == 0.0);
    touching.map(|c| c.a).or_else(|| face.contains(a).then_some(a))
}

/// Distance of an edge and a polygon.
pub fn edge_face(edge: [DVec3; 2], face: &Polygon) -> Closest {
    if let Some(x) = edge_face_overlap(edge, face) {
        return Closest::common(x);
    }
    let mut best = Closest::FAR;
    for end in edge {
        best = best.min(face.point_distance(end));
    }
    face.edges().fold(best, |best, side| best.min(edge_edge(edge, side)))
}

/// Distance of two polygons.
pub fn face_face(first: &Polygon, second: &Polygon) -> Closest {
    let mut best = Closest::FAR;
    for (i, edge) in first.edges().enumerate() {
        best = best.min(against_plane(edge, second, i % 2 == 0));
        if best.squared == 0.0 {
            return best;
        }
        best = second.edges().fold(best, |best, side| best.min(edge_edge(edge, side)));
    }
    for (i, edge) in second.edges().enumerate() {
        best = best.min(against_plane(edge, first, i % 2 == 0).swapped());
        if best.squared == 0.0 {
            return best;
        }
    }
    best
}

/// The crossing of an edge with the inside of a face, or the distance of its nearer end from that
/// inside.
fn against_plane(edge: [DVec3; 2], face: &Polygon, with_end: bool) -> Closest {
    let [a, b] = edge;
    let (s, t) = (-face.height(a), face.normal().dot(b - a));
    if t != 0.0 && in_range(s, t) {
        let x = a + (b - a) * (s / t);
        return if face.contains(x) { Closest::common(x) } else { Closest::FAR };
    }
    if !with_end {
        return Closest::FAR;
    }
    let (p, h) = if s * t > 0.0 { (b, s - t) } else { (a, s) };
    let foot = p + face.normal() * h;
    if face.contains(foot) { Closest { squared: h * h, a: p, b: foot } } else { Closest::FAR }
}

fn in_range(s: f64, t: f64) -> bool {
    (0.0 <= s && s <= t) || (t <= s && s <= 0.0)
}
