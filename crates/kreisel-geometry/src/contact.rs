//! The contact region: all points where two shapes touch, with normals and stable names.
//!
//! Reference: Bender 2007, sections 4.5.1.3 and 4.5.2.1 (B-68, B-69). The response of stacked and sliding bodies needs every corner
//! of the region in which they are closer than a tolerance, not one witness. For two convex shapes the region is plane:
//!
//! 1. the closest points give the normal n (GJK, EPA);
//! 2. each shape gives the face, edge or vertex that it turns towards the other (`feature`);
//! 3. both are projected along n and intersected (`region`), corners farther apart than the tolerance are dropped.
//!
//! Two back ends do step 3: pairs of elements (vertex in face, edge across edge), and polygon clipping. They agree; the
//! first names its corners by the features they come from, so that a solver finds its impulses again in the next step.
//!
//! Meshes contribute one such region for each triangle near the partner; points that several triangles share are
//! reported once.

mod feature;
mod mesh;
mod region;

pub use region::Backend;

use crate::convex::{Convex, ConvexCache, convex_distance};
use crate::query::{Leaf, Placed, leaves};
use crate::{Pose, Shape};
use feature::Feature;
use glam::DVec3;

/// The name of a contact point: the same corner of the same features has the same name in the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactId {
    /// Parts of compounds.
    pub parts: [u32; 2],
    /// Triangles of meshes; `u32::MAX` for other shapes.
    pub triangles: [u32; 2],
    /// Vertices, edges or faces of the parts.
    pub features: [u32; 2],
}

/// A pair of opposite points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Its name.
    pub id: ContactId,
    /// Point of the first shape, in the world.
    pub a: DVec3,
    /// Point of the second shape, in the world.
    pub b: DVec3,
    /// Unit normal from the second shape to the first.
    pub normal: DVec3,
    /// Signed distance (a − b)·normal in m; negative when they overlap.
    pub distance: f64,
}

/// All contact points of two shapes that are at most `tolerance` apart, sorted by their names. The shapes must have passed
/// [`Shape::check`].
///
/// ```
/// use glam::DVec3;
/// use kreisel_geometry::{Pose, Shape, contact::{Backend, contacts}};
/// let cube = Shape::Box { size: DVec3::ONE };
/// let ground = Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 };
/// let standing = Pose::at(DVec3::Z * 0.5);
/// assert_eq!(contacts(&cube, &standing, &ground, &Pose::IDENTITY, 1e-6, Backend::Elements).len(), 4);
/// ```
pub fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, tolerance: f64, backend: Backend) -> Vec<Contact> {
    let query = Query { tolerance, backend };
    let mut found = Vec::new();
    let second = leaves(b, pose_b);
    for p in leaves(a, pose_a) {
        for q in &second {
            if p.least_distance(q) <= tolerance {
                query.leaf_pair(&p, q, &mut found);
            }
        }
    }
    found.sort_by_key(|c| c.id);
    found
}

/// What all steps need to know.
#[derive(Clone, Copy)]
struct Query {
    tolerance: f64,
    backend: Backend,
}

impl Query {
    fn leaf_pair(&self, p: &Placed, q: &Placed, found: &mut Vec<Contact>) {
        let parts = [p.part, q.part];
        match (&p.leaf, &q.leaf) {
            (Leaf::Convex(a), Leaf::Convex(b)) => {
                let id = ContactId { parts, triangles: [u32::MAX; 2], features: [0; 2] };
                self.convex_pair(a, &p.pose, b, &q.pose, id, found);
            }
            (Leaf::HalfSpace { .. }, Leaf::HalfSpace { .. }) => {}
            (_, Leaf::HalfSpace { normal, offset }) => {
                let n = q.pose.direction(*normal);
                self.on_plane(p, n, offset + n.dot(q.pose.position), parts, found);
            }
            (Leaf::HalfSpace { normal, offset }, _) => {
                let n = p.pose.direction(*normal);
                let from = found.len();
                self.on_plane(q, n, offset + n.dot(p.pose.position), [parts[1], parts[0]], found);
                found[from..].iter_mut().for_each(swap);
            }
            (Leaf::Mesh(a), Leaf::Convex(b)) => self.mesh_convex(a, &p.pose, b, &q.pose, parts, found),
            (Leaf::Convex(a), Leaf::Mesh(b)) => {
                let mut reversed = Vec::new();
                self.mesh_convex(b, &q.pose, a, &p.pose, [parts[1], parts[0]], &mut reversed);
                reversed.iter_mut().for_each(swap);
                found.append(&mut reversed);
            }
            (Leaf::Mesh(a), Leaf::Mesh(b)) => self.mesh_mesh(a, &p.pose, b, &q.pose, parts, found),
        }
    }

    /// The region of two convex sets.
    fn convex_pair(
        &self,
        a: &Convex,
        pose_a: &Pose,
        b: &Convex,
        pose_b: &Pose,
        id: ContactId,
        found: &mut Vec<Contact>,
    ) {
        let c = convex_distance(a, pose_a, b, pose_b, &mut ConvexCache::default());
        if c.distance > self.tolerance {
            return;
        }
        let first = Feature::of(a, pose_a, -c.normal);
        let second = Feature::of(b, pose_b, c.normal);
        let from = found.len();
        region::intersect(self, &first, &second, c.normal, id, found);
        if found.len() == from {
            // features that do not face each other along n: the closest points alone
            let features = [first.name(), second.name()];
            found.push(Contact {
                id: ContactId { features, ..id },
                a: c.a,
                b: c.b,
                normal: c.normal,
                distance: c.distance,
            });
        }
    }

    /// A leaf on the plane n·x = level.
    fn on_plane(&self, p: &Placed, n: DVec3, level: f64, parts: [u32; 2], found: &mut Vec<Contact>) {
        let mut add = |a: DVec3, feature: u32| {
            let distance = n.dot(a) - level;
            if distance <= self.tolerance {
                let id = ContactId { parts, triangles: [u32::MAX; 2], features: [feature, 0] };
                found.push(Contact { id, a, b: a - n * distance, normal: n, distance });
            }
        };
        match &p.leaf {
            Leaf::Convex(convex) => {
                let feature = Feature::of(convex, &p.pose, -n);
                feature.points.iter().for_each(|v| add(v.position, v.name));
            }
            Leaf::Mesh(mesh) => {
                let mut used = vec![false; mesh.vertices().len()];
                mesh.triangles().iter().flatten().for_each(|&v| used[v as usize] = true);
                for (v, &x) in mesh.vertices().iter().enumerate() {
                    if used[v] {
                        add(p.pose.point(x), v as u32);
                    }
                }
            }
            Leaf::HalfSpace { .. } => {}
        }
    }
}

fn swap(c: &mut Contact) {
    std::mem::swap(&mut c.a, &mut c.b);
    c.normal = -c.normal;
    c.id.parts.swap(0, 1);
    c.id.triangles.swap(0, 1);
    c.id.features.swap(0, 1);
}
