//! Meshes that overlap: the points of each that are inside the other.
//!
//! A point of one solid at depth s inside another cannot leave it by a shorter way than s, so
//! contacts made of such points, with the way to the closest surface as normal, never claim more
//! overlap than there is. The points are the vertices of triangles that cross the other surface,
//! and points of the edges that pierce it: for each stretch of an edge inside, its middle and its
//! ends. A surface without inside (terrain, a sheet) counts as solid on the side that the other
//! mesh's middle is not on.
//!
//! O(k log n) for k points; there are at most [`MOST`].

use super::merge::noise;
use super::{Contact, ContactId};
use crate::query::{Proximity, mesh_point};
use crate::{Pose, TriMesh};
use glam::DVec3;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// Points of each mesh that are measured; of more, evenly spread ones are taken.
const MOST: usize = 512;
/// The ends of a stretch of an edge are taken this part of its length inwards: at the very end the
/// depth is zero.
const END: f64 = 0.02;

/// What of one mesh is in reach of being inside the other.
#[derive(Default)]
pub(super) struct Probes {
    vertices: BTreeSet<u32>,
    /// Edges by their vertices in ascending order, with the places where they pierce the other
    /// mesh, from 0 to 1.
    edges: BTreeMap<[u32; 2], SmallVec<[f64; 4]>>,
}

impl Probes {
    /// The corners of a triangle.
    pub(super) fn corners(&mut self, mesh: &TriMesh, triangle: u32) {
        self.vertices.extend(mesh.triangles()[triangle as usize]);
    }

    /// The corners of a triangle, and its edges where they pierce a triangle of the other mesh;
    /// both in the world.
    pub(super) fn crossing(
        &mut self,
        mesh: &TriMesh,
        triangle: u32,
        corners: [DVec3; 3],
        other: [DVec3; 3],
    ) {
        self.corners(mesh, triangle);
        let names = mesh.triangles()[triangle as usize];
        for k in 0..3 {
            let (mut i, mut j) = (k, (k + 1) % 3);
            if names[i] > names[j] {
                (i, j) = (j, i);
            }
            if let Some(t) = pierces(corners[i], corners[j], other) {
                self.edges.entry([names[i], names[j]]).or_default().push(t);
            }
        }
    }

    /// Points of the edges inside the other mesh, as names and places in the world.
    fn points(&self, mesh: &TriMesh, pose: &Pose) -> Vec<(u32, DVec3)> {
        let at = |v: u32| pose.point(mesh.vertices()[v as usize]);
        let mut points: Vec<(u32, DVec3)> = self.vertices.iter().map(|&v| (v, at(v))).collect();
        for (&[i, j], pierced) in &self.edges {
            let (from, to) = (at(i), at(j));
            let mut stops: SmallVec<[f64; 8]> = pierced.iter().copied().chain([0.0, 1.0]).collect();
            stops.sort_unstable_by(f64::total_cmp);
            for (n, pair) in stops.windows(2).enumerate() {
                let (s, t) = (pair[0], pair[1]);
                // what neighbouring triangles find twice has no length; ends of the edge are
                // vertices already
                if t - s <= 1e-9 {
                    continue;
                }
                let name = (i.wrapping_mul(0x9E37_79B1) ^ j).wrapping_add(n as u32) | 0x8000_0000;
                let ends = [
                    (s > 0.0, s + END * (t - s)),
                    (true, 0.5 * (s + t)),
                    (t < 1.0, t - END * (t - s)),
                ];
                points
                    .extend(ends.iter().filter(|e| e.0).map(|e| (name, from + (to - from) * e.1)));
            }
        }
        let stride = points.len().div_ceil(MOST).max(1);
        points.into_iter().step_by(stride).collect()
    }
}

/// Where the edge from `p` to `q` goes through a triangle, from 0 to 1.
fn pierces(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> Option<f64> {
    let n = (b - a).cross(c - a);
    let (s, t) = (n.dot(p - a), n.dot(q - a));
    if s * t > 0.0 || s == t {
        return None;
    }
    let at = s / (s - t);
    let x = p + (q - p) * at;
    let inside =
        [(a, b), (b, c), (c, a)].iter().all(|(u, v)| n.dot((*v - *u).cross(x - *u)) >= 0.0);
    inside.then_some(at)
}

/// Adds the contacts of the probes of both meshes.
pub(super) fn contacts(
    meshes: [&TriMesh; 2],
    poses: [&Pose; 2],
    probes: &[Probes; 2],
    id: ContactId,
    points: &mut Vec<Contact>,
) {
    for side in [0, 1] {
        let (mesh, other) = (meshes[side], meshes[1 - side]);
        let (lo, hi) = mesh.bounds();
        let middle = poses[side].point(0.5 * (lo + hi));
        for (name, x) in probes[side].points(mesh, poses[side]) {
            let surface = mesh_point(other, poses[1 - side], x);
            let Some((out, depth)) = depth(other, poses[1 - side], middle, x, &surface) else {
                continue;
            };
            let mut features = [u32::MAX; 2];
            features[side] = name;
            let mut triangles = [u32::MAX; 2];
            triangles[1 - side] = surface.places[0].triangle.unwrap_or(u32::MAX);
            let id = ContactId { triangles, features, ..id };
            let (a, b, normal) = if side == 0 { (x, surface.a, out) } else { (surface.a, x, -out) };
            points.push(Contact { id, a, b, normal, distance: -depth });
        }
    }
}

/// The way out of `other` for a point, and how long it is; `None` if it is not inside.
fn depth(
    other: &TriMesh,
    pose: &Pose,
    middle: DVec3,
    x: DVec3,
    surface: &Proximity,
) -> Option<(DVec3, f64)> {
    let depth = surface.distance.abs();
    if depth <= noise(x) {
        return None;
    }
    let out = (surface.a - x) / depth;
    if other.is_closed() {
        return (surface.distance < 0.0).then_some((out, depth));
    }
    // a sheet: its far side seen from the middle of the mesh
    let [a, b, c] = other.triangle(surface.places[0].triangle? as usize).map(|v| pose.point(v));
    let n = (b - a).cross(c - a).normalize_or_zero();
    let beyond = n.dot(middle - surface.a) * n.dot(x - surface.a) < 0.0;
    // beside its rim nothing is behind a sheet
    (beyond && out.dot(n).abs() > 0.5).then_some((out, depth))
}
