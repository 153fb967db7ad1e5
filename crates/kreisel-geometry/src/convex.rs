//! Convex shapes as support mappings: GJK for the distance, EPA for the penetration depth.
//!
//! Reference: Bender 2007, sections 2.2.3.2 and 4.4.6 (B-64 to B-67); Gilbert, Johnson, Keerthi
//! 1988; van den Bergen 2003. Round shapes are exact: a sphere is a point with a margin, a capsule
//! a segment with a margin, cylinder, cone and ellipsoid have their true support points. Margins
//! never enter the iteration, so shallow contacts of spheres and capsules need no EPA at all.

mod epa;
mod gjk;
mod hierarchy;
mod polytope;
mod simplex;
mod support;
mod walk;

pub use gjk::{ConvexCache, ConvexDistance, convex_distance, convex_near};
pub(crate) use gjk::{convex_apart, hull_separation};
pub use hierarchy::Hierarchy;
pub use support::{Convex, Core};
pub use walk::{Feature, FeatureCache, FeatureDistance, polyhedron_distance};
