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
        Body, BodyId, BodyKind, Collider, ColliderId, Constraint, ConstraintId, ConstraintKind,
        ContactInfo, ContactMode, ContactSettings, ContactTime, Control, Controller, ControllerId,
        ControllerKind, Coordinate, Event, Field, FieldKind, Friction, Joint, JointId, JointKind,
        Limit, MassProperties, Mat3, Material, Method, ModelError, Motor, MotorId, Order, Pid,
        Quat, Query, Schedule, Settings, Shape, Spring, SpringId, Status, StepReport, Stepping,
        Tolerance, Vec3, World,
    };
    pub use kreisel_geometry::Pose;
    pub use kreisel_scene::{Scene, Simulation};
}

/// The example programs run as tests of the documentation, too.
#[cfg(doctest)]
#[doc = concat!("```\n", include_str!("../examples/mass_point.rs"), "```")]
#[doc = concat!("```\n", include_str!("../examples/contact.rs"), "```")]
#[doc = concat!("```\n", include_str!("../examples/robot_arm.rs"), "```")]
#[doc = concat!("```\n", include_str!("../examples/four_bar.rs"), "```")]
#[doc = concat!("```\n", include_str!("../examples/callback.rs"), "```")]
#[doc = concat!("```\n", include_str!("../examples/query.rs"), "```")]
pub struct Examples;
