//! Contact regions of meshes: each triangle near the partner contributes, shared points count once.
//!
//! A triangle and a convex set touch like two convex sets; a normal that points into a closed mesh (the set is deeper than the
//! triangle) is replaced by the triangle's own, unless the set is far deeper along that than it is in the mesh (a rail that grazes the
//! rim of an end face, and reaches far behind it). Two triangles that cross or just touch get the
//! face normal along which they overlap less.
//!
//! Points are merged by position: neighbouring triangles find the same corner, and the first in the order of the
//! triangles keeps its name. Quadratic in the points of one pair of meshes, linear in the triangles near.

use super::feature::Feature;
use super::{Contact, ContactId, Query, region};
use crate::convex::{Convex, ConvexCache, Core, convex_distance};
use crate::elementary::triangle_triangle;
use crate::query::{contains, near_triangle_pairs, near_triangles};
use crate::{Pose, TriMesh};
use glam::DVec3;
use smallvec::SmallVec;

impl Query {
    pub(super) fn mesh_convex(
        &self,
        mesh: &TriMesh,
        mesh_pose: &Pose,
        convex: &Convex,
        convex_pose: &Pose,
        parts: [u32; 2],
        found: &mut Vec<Contact>,
    ) {
        let closed = mesh.is_closed();
        let mut points = Vec::new();
        // where the points of triangles with replaced normals stand
        let mut replaced: SmallVec<[std::ops::Range<usize>; 8]> = SmallVec::new();
        for t in near_triangles(mesh.tree(), mesh_pose, convex, convex_pose, self.tolerance) {
            let corners = mesh.triangle(t as usize).map(|p| mesh_pose.point(p));
            let triangle = Convex::sharp(Core::Triangle(corners));
            let c = convex_distance(&triangle, &Pose::IDENTITY, convex, convex_pose, &mut ConvexCache::default());
            if c.distance > self.tolerance {
                continue;
            }
            let outward = face_normal(corners);
            // n runs from the set to the mesh: against the outward normal of a solid, unless the set is inside or
            // beyond a thin wall
            let behind = closed && c.distance > noise(c.a) && c.normal.dot(outward) > 0.5;
            if behind && !contains(mesh, mesh_pose.inverse_point(c.b)) {
                continue;
            }
            let inside_out = closed && c.normal.dot(outward) > if c.distance <= noise(c.a) { -0.5 } else { 0.5 };
            let normal = if inside_out { -outward } else { c.normal };
            let id = ContactId { parts, triangles: [t, u32::MAX], features: [0; 2] };
            let first = Feature::of(&triangle, &Pose::IDENTITY, -normal);
            let second = Feature::of(convex, convex_pose, normal);
            let from = points.len();
            region::intersect(self, &first, &second, normal, id, &mut points);
            if points.len() == from && !inside_out {
                let features = [first.name(), second.name()];
                points.push(Contact { id: ContactId { features, ..id }, a: c.a, b: c.b, normal, distance: c.distance });
            }
            if inside_out && points.len() > from {
                replaced.push(from..points.len());
            }
        }
        drop_far_sides(&mut points, &replaced, self.tolerance);
        merge(points, found);
    }

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
        for [t, u] in near_triangle_pairs(a.tree(), pose_a, b.tree(), pose_b, self.tolerance) {
            let p = a.triangle(t as usize).map(|x| pose_a.point(x));
            let q = b.triangle(u as usize).map(|x| pose_b.point(x));
            let id = ContactId { parts, triangles: [t, u], features: [0; 2] };
            let c = triangle_triangle(p, q);
            if c.distance() > self.tolerance {
                continue;
            }
            if c.distance() <= noise(c.a) {
                self.crossing_pair(p, q, id, &mut points);
                continue;
            }
            let mut normal = (c.a - c.b) / c.distance();
            // seen from behind its face, a point is either inside the solid or on the far side of a thin wall
            let behind =
                (b.is_closed() && normal.dot(face_normal(q)) < -0.5, a.is_closed() && normal.dot(face_normal(p)) > 0.5);
            if behind.0 || behind.1 {
                let inside = (behind.0 && contains(b, pose_b.inverse_point(c.a)))
                    || (behind.1 && contains(a, pose_a.inverse_point(c.b)));
                if !inside {
                    continue;
                }
                normal = -normal;
            }
            let from = points.len();
            self.triangle_region(p, q, normal, id, &mut points);
            if points.len() == from {
                points.push(Contact { id, a: c.a, b: c.b, normal, distance: (c.a - c.b).dot(normal) });
            }
        }
        merge(points, found);
    }

    /// The shallower of the regions along both face normals.
    fn crossing_pair(&self, p: [DVec3; 3], q: [DVec3; 3], id: ContactId, points: &mut Vec<Contact>) {
        let mut best: Option<(f64, Vec<Contact>)> = None;
        for normal in [face_normal(q), -face_normal(p)] {
            let mut region = Vec::new();
            self.triangle_region(p, q, normal, id, &mut region);
            let depth = region.iter().map(|c| -c.distance).fold(0.0, f64::max);
            if !region.is_empty() && best.as_ref().is_none_or(|(least, _)| depth < *least) {
                best = Some((depth, region));
            }
        }
        points.extend(best.into_iter().flat_map(|(_, region)| region));
    }

    fn triangle_region(&self, p: [DVec3; 3], q: [DVec3; 3], n: DVec3, id: ContactId, points: &mut Vec<Contact>) {
        let [first, second] =
            [(p, -n), (q, n)].map(|(t, d)| Feature::of(&Convex::sharp(Core::Triangle(t)), &Pose::IDENTITY, d));
        region::intersect(self, &first, &second, n, id, points);
    }
}

/// Of triangles whose normals were replaced, drops those along which the partner is far deeper than along the others.
fn drop_far_sides(points: &mut Vec<Contact>, replaced: &[std::ops::Range<usize>], tolerance: f64) {
    /// How much deeper a region may be than the pair is: regions of faces at an angle differ by small factors.
    const FAR: f64 = 4.0;
    if replaced.is_empty() {
        return;
    }
    let depth = |list: &[Contact]| list.iter().map(|c| -c.distance).fold(0.0, f64::max);
    let direct = points.iter().enumerate().filter(|(k, _)| !replaced.iter().any(|r| r.contains(k)));
    let deepest = direct.map(|(_, c)| -c.distance).fold(f64::NEG_INFINITY, f64::max);
    let shallowest = replaced.iter().map(|r| depth(&points[r.clone()])).fold(f64::INFINITY, f64::min);
    let most = FAR * if deepest > 0.0 { deepest } else { shallowest }.max(tolerance);
    let far: SmallVec<[std::ops::Range<usize>; 8]> =
        replaced.iter().filter(|r| depth(&points[(*r).clone()]) > most).cloned().collect();
    let mut k = 0;
    points.retain(|_| {
        k += 1;
        !far.iter().any(|r| r.contains(&(k - 1)))
    });
}

fn face_normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or(DVec3::Z)
}

/// Distances of this size have lost their direction to rounding.
fn noise(position: DVec3) -> f64 {
    1e-9 * (1.0 + position.length())
}

/// Drops points that coincide with an earlier one and have about the same normal.
fn merge(points: Vec<Contact>, found: &mut Vec<Contact>) {
    let from = found.len();
    for c in points {
        let size = noise(c.a);
        let same =
            |k: &Contact| k.a.distance(c.a) <= size && k.b.distance(c.b) <= size && k.normal.dot(c.normal) > 0.99;
        if !found[from..].iter().any(same) {
            found.push(c);
        }
    }
}
