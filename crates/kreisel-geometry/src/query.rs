//! Queries: how far apart, where, when.
//!
//! | question | answer |
//! |---|---|
//! | how far are two shapes apart, or how deep do they overlap? | [`distance`] |
//! | how far are two meshes apart? | [`mesh_distance()`] |
//! | which point of a shape is closest to a point? | [`closest_point`] |
//! | where does a ray hit? | [`cast_ray`] |
//! | how deep do two shapes overlap, whatever they are? | [`penetration()`] |
//! | which of many shapes does a ray hit, is closest to a point, overlaps, are closest to each other? | [`ShapeSet`] |

mod front;
mod hulls_first;
mod leaves;
mod mesh_convex;
mod mesh_distance;
mod near;
mod penetration;
mod ray;
mod ray_mesh;
mod set;
mod shapes;

pub use front::{MeshFront, mesh_distance_coherent};
pub(crate) use leaves::{Leaf, Placed, leaves};
pub(crate) use mesh_convex::mesh_point;
pub use mesh_distance::{MeshDistance, MeshQuery, Work, mesh_distance};
pub(crate) use near::near_triangle_pairs;
pub use penetration::{Penetration, penetration};
pub use ray::{Ray, RayHit, cast_ray};
pub(crate) use ray_mesh::contains;
pub use set::{SetError, ShapeSet};
pub(crate) use shapes::on_circle;
pub use shapes::{Place, PointProximity, Proximity, closest_point, distance, overlaps};
