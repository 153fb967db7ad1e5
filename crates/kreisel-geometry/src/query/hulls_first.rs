//! A mesh distance from the convex hulls alone, where they suffice ([`crate::tree`] says which
//! meshes have one).
//!
//! The hulls' distance is a lower bound. The triangles at the hulls' closest points give an upper
//! bound. Where both agree to 1e-12 the distance is found without a look at the trees.

use crate::Pose;
use crate::convex::{ConvexCache, hull_separation};
use crate::elementary::{Closest, triangle_triangle};
use crate::tree::MeshTree;

/// Lower and upper bound count as equal when they differ by less than this part: GJK ends at the
/// same.
const RELATIVE: f64 = 2e-12;

/// What the hulls tell of a distance.
pub(super) struct FromHulls {
    /// The two triangles at the closest points of the hulls, and their closest points in the second
    /// mesh's frame.
    pub(super) pair: [u32; 2],
    pub(super) closest: Closest,
    /// Lower bound of the distance.
    pub(super) lower: f64,
    /// Support points that were computed.
    pub(super) steps: u32,
}

impl FromHulls {
    /// True if no other triangles are closer.
    pub(super) fn is_certain(&self) -> bool {
        let upper = self.closest.distance();
        upper - self.lower <= RELATIVE * upper
    }
}

/// The bounds; `None` without hulls, or if they overlap.
pub(super) fn by_hulls(
    first: &MeshTree,
    second: &MeshTree,
    relative: &Pose,
    cache: &mut ConvexCache,
) -> Option<FromHulls> {
    let (a, b) = (first.outer.as_ref()?, second.outer.as_ref()?);
    let found = hull_separation(&a.hull, &b.hull, relative, cache)?;
    let pair = [
        a.triangle_near(first, found.vertices[0], relative.inverse_point(found.a))?,
        b.triangle_near(second, found.vertices[1], found.b)?,
    ];
    let moved = first.triangle(pair[0]).map(|p| relative.point(p));
    let closest = triangle_triangle(moved, second.triangle(pair[1]));
    Some(FromHulls { pair, closest, lower: found.lower, steps: found.steps })
}
