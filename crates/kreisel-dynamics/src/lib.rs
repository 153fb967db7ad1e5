//! Impulse-based multibody dynamics: bodies, joints, motors and springs, and the methods that hold them together.
//!
//! Start with [`World`].

mod arena;
mod body;
mod constraint;
mod contact;
mod edit;
mod engine;
mod error;
mod flow;
mod force;
pub mod impact;
mod joint;
mod lanes;
pub mod math;
mod measure;
mod model;
mod report;
mod settings;
pub mod simd;
mod snapshot;
mod solver;
mod state;
mod step;
mod system;
mod world;

pub use body::{Body, BodyId, BodyKind, CollisionGroups};
pub use contact::{ContactInfo, ContactReport, ContactSettings, ContactTime, ImpactLaw, Material, PairMaterial, Rule};
pub use edit::JointFrame;
pub use error::ModelError;
pub use force::{Control, Interpolation, Motor, MotorId, Pid, Schedule, Spring, SpringId, SpringMode, Target};
pub use joint::{Breaking, Coordinate, Friction, Joint, JointId, JointKind, Limit, PositionPart, RotationPart};
pub use kreisel_geometry::{MassError, MassProperties, Shape};
pub use math::{Mat3, Quat, Vec3};
pub use report::{Analysis, Energy, Event, Ledger, Reaction, Redundant, StageTimes, Status, StepReport, WorstJoint};
pub use settings::{Method, Order, Rotation, Settings, Stepping, Substeps, Tolerance};
pub use snapshot::Snapshot;
pub use world::World;
