//! Contact regions of two meshes: each pair of triangles that are near contributes, shared points
//! count once.
//!
//! Two triangles that just touch get the face normal along which they overlap less;
//! how deep meshes overlap is measured at the points of each that are inside the other (`inside`),
//! not from triangles, which may reach far beyond the place where they cross.
//!
//! Points are merged by position: neighbouring triangles find the same corner, and the first in the
//! order of the triangles keeps its name (`merge`). Two convex meshes do not come here: they are
//! their hulls.

use super::feature::Feature;
use super::inside::{self, Probes};
use super::merge::{merge, noise};
use super::{Contact, ContactId, Query, region};
use crate::convex::{Convex, Core};
use crate::elementary::triangle_triangle;
use crate::query::{MeshQuery, mesh_distance, near_triangle_pairs};
use crate::{Pose, TriMesh};
use glam::DVec3;

/// Regions of crossing triangles that are deeper, in m, are no touch.
const TOUCHING: f64 = 1e-7;
/// Part of the smaller mesh by which triangles may be farther apart than the closest ones.
const NEARBY: f64 = 0.1;

impl Query {
    pub(super) fn mesh_mesh(
        &self,
        a: &TriMesh,
        pose_a: &Pose,
        b: &TriMesh,
        pose_b: &Pose,
        parts: [u32; 2],
        found: &mut Vec<Contact>,
    ) {
        let mut points = Vec::new();
        let mut probes = [Probes::default(), Probes::default()];
        let closed = [a.is_closed(), b.is_closed()];
        let middles = [(a, pose_a), (b, pose_b)].map(|(mesh, pose)| {
            let (lo, hi) = mesh.bounds();
            pose.point(0.5 * (lo + hi))
        });
        let limit = self.candidate_distance(a, pose_a, b, pose_b);
        for [t, u] in near_triangle_pairs(a.tree(), pose_a, b.tree(), pose_b, limit) {
            let p = a.triangle(t as usize).map(|x| pose_a.point(x));
            let q = b.triangle(u as usize).map(|x| pose_b.point(x));
            let id = ContactId { parts, triangles: [t, u], features: [0; 2] };
            let c = triangle_triangle(p, q);
            if c.distance() > limit {
                continue;
            }

            // surfaces that touch have a region in the plane of a face; how deep they overlap is
            // seen from their points inside
            if c.distance() <= noise(c.a) {
                let solid = closed[0] || closed[1];
                self.crossing_pair(
                    p,
                    q,
                    id,
                    if solid { TOUCHING } else { f64::INFINITY },
                    &mut points,
                );
                if solid {
                    probes[0].crossing(a, t, p, q);
                    probes[1].crossing(b, u, q, p);
                }
                continue;
            }

            // seen from behind its face, a point is either inside the solid or on the far side of a
            // thin wall; behind a sheet is where the middle of the other mesh is not
            let normal = (c.a - c.b) / c.distance();
            let far = |n: DVec3, middle: DVec3, x: DVec3, foot: DVec3| {
                n.dot(middle - foot) * n.dot(x - foot) < 0.0
            };
            let behind = [
                if closed[1] {
                    normal.dot(face_normal(q)) < -0.5
                } else {
                    closed[0] && far(face_normal(q), middles[0], c.a, c.b)
                },
                if closed[0] {
                    normal.dot(face_normal(p)) > 0.5
                } else {
                    closed[1] && far(face_normal(p), middles[1], c.b, c.a)
                },
            ];
            if behind[0] || behind[1] {
                if behind[0] {
                    probes[0].corners(a, t);
                }
                if behind[1] {
                    probes[1].corners(b, u);
                }
                continue;
            }

            let from = points.len();
            self.triangle_region(p, q, normal, id, &mut points);
            if points.len() == from {
                points.push(Contact {
                    id,
                    a: c.a,
                    b: c.b,
                    normal,
                    distance: (c.a - c.b).dot(normal),
                });
            }
        }
        let id = ContactId { parts, triangles: [u32::MAX; 2], features: [0; 2] };
        inside::contacts([a, b], [pose_a, pose_b], &probes, id, &mut points);
        merge(&points, found);
    }

    /// How far apart triangles are looked for. A tolerance of the order of the meshes (fast bodies)
    /// would bring in every pair of triangles; those not much farther than the closest ones tell as
    /// much about what comes first.
    fn candidate_distance(&self, a: &TriMesh, pose_a: &Pose, b: &TriMesh, pose_b: &Pose) -> f64 {
        let size = |mesh: &TriMesh| mesh.tree().root().half.length();
        let share = NEARBY * size(a).min(size(b));
        if self.tolerance <= share {
            return self.tolerance;
        }
        let closest = mesh_distance(a.tree(), pose_a, b.tree(), pose_b, &MeshQuery::default());
        closest.map_or(self.tolerance, |d| (d.distance + share).min(self.tolerance))
    }

    /// The shallower of the regions along both face normals, as far as it is not deeper than
    /// `most`.
    fn crossing_pair(
        &self,
        p: [DVec3; 3],
        q: [DVec3; 3],
        id: ContactId,
        most: f64,
        points: &mut Vec<Contact>,
    ) {
        let mut best: Option<(f64, Vec<Contact>)> = None;
        for normal in [face_normal(q), -face_normal(p)] {
            let mut region = Vec::new();
            self.triangle_region(p, q, normal, id, &mut region);
            let depth = region.iter().map(|c| -c.distance).fold(0.0, f64::max);
            if !region.is_empty() && best.as_ref().is_none_or(|(least, _)| depth < *least) {
                best = Some((depth, region));
            }
        }
        points.extend(
            best.into_iter().flat_map(|(_, region)| region).filter(|c| -c.distance <= most),
        );
    }

    fn triangle_region(
        &self,
        p: [DVec3; 3],
        q: [DVec3; 3],
        n: DVec3,
        id: ContactId,
        points: &mut Vec<Contact>,
    ) {
        let [first, second] = [(p, -n), (q, n)]
            .map(|(t, d)| Feature::of(&Convex::sharp(Core::Triangle(t)), &Pose::IDENTITY, d));
        region::intersect(self, &first, &second, n, id, points);
    }
}

fn face_normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or(DVec3::Z)
}
