//! Kreisel: multibody dynamics with joints that hold the tolerance they are given, closed loops
//! included.
//!
//! Build a [`World`] in code:
//!
//! ```
//! use kreisel::prelude::*;
//!
//! let mut world = World::new();
//! let arm = world.add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(0.5, 0.0, 0.0)))?;
//! world.add_joint(Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Y))?;
//! for _ in 0..100 {
//!     let report = world.step(0.01);
//!     assert!(report.worst.is_none_or(|w| w.position <= 1e-6));
//! }
//! # Ok::<(), kreisel::ModelError>(())
//! ```
//!
//! or load one from a scene file with [`load`] and run it as a [`Simulation`].

pub use kreisel_analysis as analysis;
pub use kreisel_dynamics::*;
pub use kreisel_geometry as geometry;
pub use kreisel_scene as scene;
pub use kreisel_scene::{Scene, SceneError, Simulation, load, parse};

/// What most programs need.
pub mod prelude {
    pub use kreisel_dynamics::{
        Body, BodyId, BodyKind, ContactSettings, Control, Coordinate, Event, Joint, JointId,
        JointKind, Limit, MassProperties, Material, Method, ModelError, Motor, Order, Quat,
        Schedule, Settings, Shape, Spring, Status, StepReport, Stepping, Vec3, World,
    };
    pub use kreisel_scene::{Scene, Simulation};
}

/// The example programs run as tests of the documentation, too.
#[cfg(doctest)]
#[doc = concat!("```\n", include_str!("../examples/mass_point.rs"), "```")]
pub struct MassPointExample;
