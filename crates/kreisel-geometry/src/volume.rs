//! Bounding volumes: sphere, axis-aligned box, oriented box, fixed-directions hull.
//!
//! Reference: Lennerz 2000, sections 3.5 and 3.7 (L-28 to L-51). A volume contains its triangles,
//! so the distance of two volumes is a lower bound of the distance of their contents. Spheres and
//! oriented boxes move with the body; axis-aligned boxes and fixed-directions hulls are fitted
//! again, always from what was stored when the tree was built, and grow thereby.
//!
//! | volume | update | distance | bound |
//! |---|---|---|---|
//! | [`Ball`] | move the centre | centres less radii | exact |
//! | [`Aabb`] | box of the moved corners | norm of the gaps | exact |
//! | [`OrientedBox`] | move centre and axes | edge classification (Meyer) | exact |
//! | [`SmallestBox`] | the same | the same | exact; fitted by least volume |
//! | [`HullBox`] | the same | the same | exact; fitted by the covariance of the hull |
//! | [`Kdop`] | linear programming dual | widest slab, norm of the axis gaps | the tighter the more directions |
//! | [`Fdh14`] | linear programming dual | widest slab, norm of the axis gaps | up to 19 % and more below |

mod aabb;
mod ball;
mod fdh;
mod fdh_update;
mod hull_box;
mod kdop;
mod obb;
mod obb_distance;
mod rectangle;
mod smallest;

pub use crate::broad::Aabb;
pub use crate::tree::OrientedBox;
pub use ball::Ball;
pub use fdh::{Fdh14, FdhMotion};
pub use fdh_update::{FdhBrute, FdhClimb, FdhPrimal};
pub use hull_box::HullBox;
pub use kdop::Kdop;
pub use obb::SmallestBox;
pub use obb_distance::box_distance;
pub use smallest::{MOST_EDGES, smallest_box};

use crate::Pose;
use glam::DVec3;

/// A convex set that encloses triangles.
pub trait Volume: Clone {
    /// What is computed once for each query from the relative pose.
    type Motion;
    /// A small volume round the triangles (at least one).
    fn fit(triangles: &[[DVec3; 3]]) -> Self;
    /// Prepares the update of volumes from body 1 to body 2.
    fn motion(pose: &Pose) -> Self::Motion;
    /// The volume of the moved contents.
    fn moved(&self, motion: &Self::Motion) -> Self;
    /// A lower bound of the distance of the contents, in m.
    fn distance(&self, other: &Self) -> f64;
    /// Some point in the middle.
    fn center(&self) -> DVec3;
    /// Volume in m³, the measure of quality (L-29).
    fn measure(&self) -> f64;
    /// At least the largest d·x over the volume, for unit directions d.
    fn reach(&self, d: DVec3) -> f64;
}

/// A lower bound of the distance of two volumes of different kinds (L-116): the separations along
/// the axes of an orthonormal frame, as a norm, and along the line of the centres.
///
/// The frame is the world's. For two balls, or a ball and a box in the frame, one of both is the
/// exact distance.
pub fn mixed_distance<V: Volume, W: Volume>(v: &V, w: &W) -> f64 {
    let gap = |d: DVec3| (-v.reach(-d) - w.reach(d)).max(0.0);
    let along = |d: DVec3| gap(d).max(gap(-d));
    let axes = DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z)).length();
    let line = (v.center() - w.center()).try_normalize().map_or(0.0, gap);
    axes.max(line)
}
