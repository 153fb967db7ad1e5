//! A mesh against a convex set: each facet of the mesh near the set contributes its region, shared
//! points count once.
//!
//! Seen from a facet, the set is above its plane, below it, or crosses it. Its farthest point
//! against the normal tells how far, and where the foot of that point is well inside the facet the
//! normal is the facet's own: with the foot a way d inside the rim and a depth e ≤ d no other
//! direction is shallower, since e cos θ + d sin θ ≥ e. Edges at which the surface goes on, flat
//! or bent inwards, are no rim. This needs one support point, and most facets need no more.
//!
//! Elsewhere GJK and EPA find the normal. One that belongs to an edge or corner beyond which the
//! surface goes on is not real ([`Facets::is_real`]): if the set is apart, the neighbour is closer;
//! if not, the facet's own normal counts, unless others are shallower. So nothing catches at edges
//! inside a surface.
//!
//! A normal that points into a closed mesh (the set is deeper than the facet) is replaced by the
//! facet's own, unless the set is far deeper along that than it is in the mesh (a rail that grazes
//! the rim of an end face, and reaches far behind it). A set that overlaps a mesh and has found no
//! region keeps the deepest point of EPA.

use super::feature::Feature;
use super::merge::{merge, noise};
use super::{Contact, ContactId, Query, region};
use crate::convex::{Convex, ConvexCache, ConvexDistance, Core, convex_distance};
use crate::mesh::{Facet, Facets};
use crate::query::contains;
use crate::{Pose, TriMesh};
use glam::DVec3;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ops::Range;

/// Room for candidates and points, used again by the next call on the same thread.
#[derive(Default)]
struct Room {
    near: Vec<u32>,
    points: Vec<Contact>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// What all facets of a pair need to know.
struct Pair<'a> {
    query: &'a Query,
    mesh: &'a TriMesh,
    facets: &'a Facets,
    mesh_pose: &'a Pose,
    convex: &'a Convex<'a>,
    convex_pose: &'a Pose,
    /// The set seen from the mesh, and a point inside it there.
    local: Pose,
    middle: DVec3,
    closed: bool,
    parts: [u32; 2],
}

/// What the facets of a pair have found.
struct Found<'a> {
    points: &'a mut Vec<Contact>,
    /// Where the points of facets with replaced normals stand.
    replaced: Ranges,
    /// The same for own normals in place of those that are not real.
    doubtful: Ranges,
    /// The deepest answer of EPA that no region came of.
    left: Option<Contact>,
}

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
        let local = convex_pose.seen_from(mesh_pose);
        let support = |d: DVec3| local.point(convex.support(local.inverse_direction(d)));
        let [left, right] = [-DVec3::X, DVec3::X].map(support);
        let lo = DVec3::new(left.x, support(-DVec3::Y).y, support(-DVec3::Z).z) - self.tolerance;
        let hi = DVec3::new(right.x, support(DVec3::Y).y, support(DVec3::Z).z) + self.tolerance;
        let (facets, closed, middle) = (mesh.facets(), mesh.is_closed(), 0.5 * (left + right));
        let pair = Pair {
            query: self,
            mesh,
            facets,
            mesh_pose,
            convex,
            convex_pose,
            local,
            middle,
            closed,
            parts,
        };
        ROOM.with_borrow_mut(|Room { near, points }| {
            points.clear();
            facets.within(lo, hi, near);
            let mut result =
                Found { points, replaced: Ranges::new(), doubtful: Ranges::new(), left: None };
            for &number in near.iter() {
                pair.facet(facets.facet(number), &mut result);
            }
            let Found { replaced, doubtful, left, points } = result;
            let mut dropped = far_sides(points, &replaced, self.tolerance);
            dropped.extend(too_deep(points, &doubtful));
            if !dropped.is_empty() {
                let mut k = 0;
                points.retain(|_| {
                    k += 1;
                    !dropped.iter().any(|r| r.contains(&(k - 1)))
                });
            }
            if !points.iter().any(|c| c.distance <= 0.0) {
                points.extend(left);
            }
            merge(points, found);
        });
    }
}

impl Pair<'_> {
    /// Adds the region of one facet.
    fn facet(&self, facet: &Facet, to: &mut Found<'_>) {
        // a sheet is solid from the side that the middle of the set is on
        let height = facet.normal.dot(self.middle) - facet.offset;
        let side = if self.closed || height >= 0.0 { 1.0 } else { -1.0 };
        let (up, offset, height) = (facet.normal * side, facet.offset * side, height * side);
        let lowest = self.local.point(self.convex.support(self.local.inverse_direction(-up)));
        let gap = up.dot(lowest) - offset;
        if gap > self.query.tolerance {
            return;
        }
        if height < 0.0 {
            let highest = self.local.point(self.convex.support(self.local.inverse_direction(up)));
            if offset - up.dot(highest) > self.query.tolerance {
                return;
            }
        }

        // the foot is well inside: the facet's own normal
        let depth = (-gap).max(0.0);
        let inside = self.facets.inside(facet, up, lowest - up * gap);
        let own = -self.mesh_pose.direction(up);
        if height >= depth && inside >= depth {
            let from = to.points.len();
            self.region(facet, own, to);
            if to.points.len() == from && depth > 0.0 {
                self.leave(facet, to);
            }
            return;
        }
        self.searched(facet, own, to);
    }

    /// The polygon of a facet as a convex set.
    fn polygon(&self, facet: &Facet) -> Convex<'_> {
        Convex::sharp(Core::Polygon(self.facets.corners(facet), facet.normal))
    }

    fn distance(&self, facet: &Facet) -> ConvexDistance {
        let cache = &mut ConvexCache::default();
        convex_distance(&self.polygon(facet), self.mesh_pose, self.convex, self.convex_pose, cache)
    }

    fn id(&self, facet: &Facet) -> ContactId {
        ContactId { parts: self.parts, triangles: [facet.triangle, u32::MAX], features: [0; 2] }
    }

    /// Adds the region along a normal from the set to the mesh; returns the names of its features.
    fn region(&self, facet: &Facet, normal: DVec3, to: &mut Found<'_>) -> [u32; 2] {
        let first = Feature::of(&self.polygon(facet), self.mesh_pose, -normal);
        let second = Feature::of(self.convex, self.convex_pose, normal);
        region::intersect(self.query, &first, &second, normal, self.id(facet), to.points);
        [first.name(), second.name()]
    }

    /// Keeps what EPA says for the case that no facet has a region.
    fn leave(&self, facet: &Facet, to: &mut Found<'_>) {
        if to.points.iter().any(|c| c.distance <= 0.0) {
            return;
        }
        let c = self.distance(facet);
        if c.distance < to.left.map_or(0.0, |l| l.distance) {
            to.left = Some(contact(&c, self.id(facet), c.normal));
        }
    }

    /// Adds the region of a facet whose rim is near.
    fn searched(&self, facet: &Facet, own: DVec3, to: &mut Found<'_>) {
        let c = self.distance(facet);
        if c.distance > self.query.tolerance {
            return;
        }
        let outward = self.mesh_pose.direction(facet.normal);
        // the normal runs from the set to the mesh: against the outward normal of a solid, unless
        // the set is inside or beyond a thin wall
        let apart = c.distance > noise(c.a);
        let behind = self.closed && apart && c.normal.dot(outward) > 0.5;
        if behind && !contains(self.mesh, self.mesh_pose.inverse_point(c.b)) {
            return;
        }
        let inside_out = self.closed && c.normal.dot(outward) > if apart { 0.5 } else { -0.5 };
        let real =
            inside_out || self.facets.is_real(facet, self.mesh_pose.inverse_direction(-c.normal));
        if !real && apart {
            return;
        }
        let normal = match (inside_out, real) {
            (true, _) => -outward,
            (_, true) => c.normal,
            _ => own,
        };
        let from = to.points.len();
        let features = self.region(facet, normal, to);
        let empty = to.points.len() == from;
        if inside_out && !empty {
            to.replaced.push(from..to.points.len());
        } else if !real && !empty {
            to.doubtful.push(from..to.points.len());
        } else if empty && real && !inside_out {
            to.points.push(contact(&c, ContactId { features, ..self.id(facet) }, normal));
        } else if empty && !inside_out {
            self.leave(facet, to);
        }
    }
}

fn contact(c: &ConvexDistance, id: ContactId, normal: DVec3) -> Contact {
    Contact { id, a: c.a, b: c.b, normal, distance: c.distance }
}

/// Where the points of some facets stand.
type Ranges = SmallVec<[Range<usize>; 8]>;

/// Regions along own normals of facets at whose rim the set overlaps that are deeper than all
/// others: the set is not deeper in the mesh than along the normals that are certain.
fn too_deep(points: &[Contact], doubtful: &[Range<usize>]) -> Ranges {
    let is_doubtful = |k: usize| doubtful.iter().any(|r| r.contains(&k));
    let certain = points.iter().enumerate().filter(|(k, _)| !is_doubtful(*k));
    let deepest = certain.map(|(_, c)| -c.distance).fold(0.0, f64::max);
    let deeper = |r: &Range<usize>| points[r.clone()].iter().any(|c| -c.distance > deepest);
    doubtful.iter().filter(|r| deepest > 0.0 && deeper(r)).cloned().collect()
}

/// Of facets whose normals were replaced, those along which the partner is far deeper than along
/// the others.
fn far_sides(points: &[Contact], replaced: &[Range<usize>], tolerance: f64) -> Ranges {
    /// How much deeper a region may be than the pair is: regions of faces at an angle differ by
    /// small factors.
    const FAR: f64 = 4.0;
    let depth = |list: &[Contact]| list.iter().map(|c| -c.distance).fold(0.0, f64::max);
    let direct = points.iter().enumerate().filter(|(k, _)| !replaced.iter().any(|r| r.contains(k)));
    let deepest = direct.map(|(_, c)| -c.distance).fold(f64::NEG_INFINITY, f64::max);
    let shallowest =
        replaced.iter().map(|r| depth(&points[r.clone()])).fold(f64::INFINITY, f64::min);
    let most = FAR * if deepest > 0.0 { deepest } else { shallowest }.max(tolerance);
    replaced.iter().filter(|r| depth(&points[(*r).clone()]) > most).cloned().collect()
}
