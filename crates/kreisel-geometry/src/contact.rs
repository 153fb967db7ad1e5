//! The contact region: all points where two shapes touch, with normals and stable names.
//!
//! Reference: Bender 2007, sections 4.5.1.3 and 4.5.2.1 (B-68, B-69). The response of stacked and
//! sliding bodies needs every corner of the region in which they are closer than a tolerance, not
//! one witness. For two convex shapes the region is plane:
//!
//! 1. the closest points give the normal n (GJK, EPA);
//! 2. each shape gives the face, edge or vertex that it turns towards the other (`feature`);
//! 3. both are projected along n and intersected (`region`), corners farther apart than the
//!    tolerance are dropped.
//!
//! Two back ends do step 3: pairs of elements (vertex in face, edge across edge), and polygon
//! clipping. They agree; the first names its corners by the features they come from, so that a
//! solver finds its impulses again in the next step.
//!
//! Meshes contribute one such region for each facet (`facet`) or triangle near the partner; points
//! that several of them share are reported once. A closed mesh that is convex counts as its hull,
//! unless its partner is a concave solid.

mod boxes;
mod direct;
mod faces;
mod facet;
mod feature;
mod inside;
mod merge;
mod mesh;
mod region;
mod ring;

pub use region::Backend;

use crate::convex::{Convex, ConvexCache, ConvexDistance, convex_distance};
use crate::query::{Leaf, leaves};
use crate::{Pose, Shape};
use feature::Feature;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The name of a contact point: the same corner of the same features has the same name in the next
/// step.
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

/// All contact points of two shapes that are at most `tolerance` apart, sorted by their names. The
/// shapes must have passed [`Shape::check`].
///
/// ```
/// use glam::DVec3;
/// use kreisel_geometry::{Pose, Shape, contact::{Backend, contacts}};
/// let cube = Shape::Box { size: DVec3::ONE };
/// let ground = Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 };
/// let standing = Pose::at(DVec3::Z * 0.5);
/// assert_eq!(contacts(&cube, &standing, &ground, &Pose::IDENTITY, 1e-6, Backend::Elements).len(), 4);
/// ```
pub fn contacts(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    tolerance: f64,
    backend: Backend,
) -> Vec<Contact> {
    let query = Query { tolerance, backend, direct: false, guess: None };
    let mut found = Vec::new();
    query.compounds(a, pose_a, b, pose_b, &mut found);
    found.sort_by_key(|c| c.id);
    found
}

/// Appends the contact points of two shapes to `found`, sorted by their names: the same as
/// [`contacts`] with [`Backend::Elements`], made for inner loops.
///
/// Boxes are compared by separating axes, spheres in closed form; pairs that stay apart are told
/// from the axis in `cache`. Simple shapes need no memory beyond the room that `found` has, unless
/// they are round or polyhedral and overlap. What `cache` holds never changes the answer, not by a
/// bit; it may be saved with the state or forgotten.
///
/// ```
/// use glam::DVec3;
/// use kreisel_geometry::{Pose, Shape, contact::{ContactCache, contacts_into}};
/// let cube = Shape::Box { size: DVec3::ONE };
/// let (mut cache, mut found) = (ContactCache::default(), Vec::new());
/// contacts_into(&cube, &Pose::at(DVec3::Z), &cube, &Pose::IDENTITY, 1e-6, &mut cache, &mut found);
/// assert_eq!(found.len(), 4);
/// ```
pub fn contacts_into(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    tolerance: f64,
    cache: &mut ContactCache,
    found: &mut Vec<Contact>,
) {
    contacts_near(a, pose_a, b, pose_b, tolerance, None, cache, found);
}

/// The same for shapes whose normal, from the second to the first, was about `guess` a moment ago:
/// convex shapes that touch are not searched from the beginning then. The answer depends on the
/// guess, but for pairs that have one it is as exact as contact needs: depths to 1e-8 of the size.
pub fn contacts_near(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    tolerance: f64,
    guess: Option<DVec3>,
    cache: &mut ContactCache,
    found: &mut Vec<Contact>,
) {
    let query = Query { tolerance, backend: Backend::Elements, direct: true, guess };
    cache.gap = f64::NEG_INFINITY;
    let from = found.len();
    match (Leaf::of(a), Leaf::of(b)) {
        (Some(p), Some(q)) => query.leaf_pair((&p, pose_a), (&q, pose_b), [0; 2], cache, found),
        _ => Query { guess: None, ..query }.compounds(a, pose_a, b, pose_b, found),
    }
    if !found[from..].is_sorted_by_key(|c| c.id) {
        found[from..].sort_unstable_by_key(|c| c.id);
    }
}

/// What a pair of shapes remembers from one call of [`contacts_into`] to the next: how it was told
/// apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactCache {
    /// Two boxes: the number of the separating axis, from 1; 0 is none.
    axis: u8,
    /// Other convex pairs: a direction of the world along which they were apart; zero is none.
    direction: DVec3,
    /// How far at least, m; meaningful after a call that found nothing.
    gap: f64,
}

impl ContactCache {
    /// A lower bound of the distance at the last call, m, if that told two convex shapes apart by a
    /// direction; none otherwise. While the shapes have moved by less than it exceeds a tolerance,
    /// there is no contact to find.
    pub fn least_distance(&self) -> Option<f64> {
        (self.gap > 0.0 && self.direction != DVec3::ZERO).then_some(self.gap)
    }
}

/// A leaf and where it is.
type At<'a> = (&'a Leaf<'a>, &'a Pose);

/// What all steps need to know.
#[derive(Clone, Copy)]
struct Query {
    tolerance: f64,
    backend: Backend,
    /// Takes the short ways for pairs that have one.
    direct: bool,
    /// About the normal of two convex shapes.
    guess: Option<DVec3>,
}

impl Query {
    /// Every part of one shape against every part of the other.
    fn compounds(
        &self,
        a: &Shape,
        pose_a: &Pose,
        b: &Shape,
        pose_b: &Pose,
        found: &mut Vec<Contact>,
    ) {
        let second = leaves(b, pose_b);
        for p in leaves(a, pose_a) {
            for q in &second {
                if p.least_distance(q) <= self.tolerance {
                    let cache = &mut ContactCache::default();
                    self.leaf_pair(
                        (&p.leaf, &p.pose),
                        (&q.leaf, &q.pose),
                        [p.part, q.part],
                        cache,
                        found,
                    );
                }
            }
        }
    }

    fn leaf_pair(
        &self,
        (p, at_p): At,
        (q, at_q): At,
        parts: [u32; 2],
        cache: &mut ContactCache,
        found: &mut Vec<Contact>,
    ) {
        // a convex mesh is its hull, unless the other is a concave solid: overlap with that is
        // measured between surfaces
        let concave =
            |leaf: &Leaf| matches!(leaf, Leaf::Mesh(m) if m.is_closed() && m.as_convex().is_none());
        let (p, q) =
            (&if concave(q) { *p } else { p.solid() }, &if concave(p) { *q } else { q.solid() });
        match (p, q) {
            (Leaf::Convex(a), Leaf::Convex(b)) => {
                let id = ContactId { parts, triangles: [u32::MAX; 2], features: [0; 2] };
                if !(self.direct && self.direct_pair(a, at_p, b, at_q, id, cache, found)) {
                    self.convex_pair(a, at_p, b, at_q, id, found);
                }
            }
            (Leaf::HalfSpace { .. }, Leaf::HalfSpace { .. }) => {}
            (_, Leaf::HalfSpace { normal, offset }) => {
                let n = at_q.direction(*normal);
                self.on_plane(p, at_p, n, offset + n.dot(at_q.position), parts, found);
            }
            (Leaf::HalfSpace { normal, offset }, _) => {
                let n = at_p.direction(*normal);
                let from = found.len();
                self.on_plane(
                    q,
                    at_q,
                    n,
                    offset + n.dot(at_p.position),
                    [parts[1], parts[0]],
                    found,
                );
                found[from..].iter_mut().for_each(swap);
            }
            (Leaf::Ring(ring), _) => self.of_ring(ring, at_p, q, at_q, parts, found),
            (_, Leaf::Ring(ring)) => {
                let from = found.len();
                self.of_ring(ring, at_q, p, at_p, [parts[1], parts[0]], found);
                found[from..].iter_mut().for_each(swap);
            }
            (Leaf::Mesh(a), Leaf::Convex(b)) => self.mesh_convex(a, at_p, b, at_q, parts, found),
            (Leaf::Convex(a), Leaf::Mesh(b)) => {
                let from = found.len();
                self.mesh_convex(b, at_q, a, at_p, [parts[1], parts[0]], found);
                found[from..].iter_mut().for_each(swap);
            }
            (Leaf::Mesh(a), Leaf::Mesh(b)) => self.mesh_mesh(a, at_p, b, at_q, parts, found),
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
        self.around(&c, a, pose_a, b, pose_b, id, found);
    }

    /// The region about the closest points of two convex sets.
    fn around(
        &self,
        c: &ConvexDistance,
        a: &Convex,
        pose_a: &Pose,
        b: &Convex,
        pose_b: &Pose,
        id: ContactId,
        found: &mut Vec<Contact>,
    ) {
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
    fn on_plane(
        &self,
        leaf: &Leaf,
        pose: &Pose,
        n: DVec3,
        level: f64,
        parts: [u32; 2],
        found: &mut Vec<Contact>,
    ) {
        let mut add = |a: DVec3, feature: u32| {
            let distance = n.dot(a) - level;
            if distance <= self.tolerance {
                let id = ContactId { parts, triangles: [u32::MAX; 2], features: [feature, 0] };
                found.push(Contact { id, a, b: a - n * distance, normal: n, distance });
            }
        };
        match leaf {
            Leaf::Convex(convex) => {
                let feature = Feature::of(convex, pose, -n);
                feature.points.iter().for_each(|v| add(v.position, v.name));
            }
            Leaf::Mesh(mesh) => {
                let mut used = vec![false; mesh.vertices().len()];
                mesh.triangles().iter().flatten().for_each(|&v| used[v as usize] = true);
                for (v, &x) in mesh.vertices().iter().enumerate() {
                    if used[v] {
                        add(pose.point(x), v as u32);
                    }
                }
            }
            Leaf::Ring(ring) => ring::lowest(ring, pose, n).for_each(|(a, name)| add(a, name)),
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
