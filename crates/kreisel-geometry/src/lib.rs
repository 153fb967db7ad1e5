//! Geometry of the Kreisel multibody simulator: shapes and their mass, exact distances, contacts,
//! times of impact.
//!
//! Everything is `f64` and in SI units. The same input gives the same bits on every machine: no
//! function of the platform's mathematics library is called, no result depends on the order of a
//! hash table, and vector instructions compute what scalar ones would.
//!
//! | to | use |
//! |---|---|
//! | describe a body, get its mass and inertia | [`Shape`], [`MassProperties`] |
//! | read, check, generate meshes | [`mesh`], [`TriMesh`], [`ConvexHull`] |
//! | ask how far apart two shapes are, cast rays | [`query`] |
//! | get all contact points | [`contact`] |
//! | know when moving shapes meet | [`impact`] |
//! | find the pairs that can meet at all | [`broad`] |
//! | work on convex sets, bounding volumes, trees, triangles directly | [`convex`], [`volume`], [`dtree`], [`tree`], [`elementary`] |
//!
//! ```
//! use kreisel_geometry::{MassProperties, Shape};
//! let steel = Shape::Cylinder { radius: 0.1, height: 0.5 };
//! let mass: MassProperties = steel.mass_properties(7850.0).unwrap();
//! assert!((mass.mass - 123.307).abs() < 1e-3);
//! ```

pub mod broad;
pub mod contact;
pub mod convex;
pub mod dtree;
pub mod elementary;
#[doc(hidden)]
pub mod fuzzing;
pub mod hull;
pub mod impact;
pub mod mass;
pub mod mesh;
pub mod pose;
pub mod query;
mod ring;
pub mod shape;
pub mod simd;
pub mod tree;
pub mod volume;

/// How refusals begin where a build has been made without a part of the program (its features).
pub const LACKS: &str = "this build of the engine lacks";

pub use hull::{ConvexHull, HullError};
pub use mass::{MassError, MassProperties};
pub use mesh::{MeshDefect, TriMesh};
pub use pose::Pose;
pub use shape::{HeightField, Part, Shape, ShapeError};
