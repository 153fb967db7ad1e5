//! Impulse-based multibody dynamics: bodies, joints, motors and springs, and the methods that hold
//! them together.
//!
//! Start with [`World`].

mod arena;
mod awake;
mod body;
pub mod bounds;
pub mod clock;
mod collider;
mod connector;
mod constraint;
mod contact;
mod control;
mod edit;
mod edit_elements;
mod elements;
mod engine;
mod error;
mod event;
mod flow;
mod force;
pub mod formula;
pub mod impact;
mod interrupt;
mod item;
mod jacobian;
mod joint;
mod lagrange;
mod lanes;
pub mod math;
mod measure;
mod model;
pub mod plugin;
mod procedure;
mod quarantine;
mod query;
mod readout;
mod replace;
mod report;
mod response;
mod run_memory;
mod saving;
mod saving_elements;
mod sensor;
mod settings;
pub mod simd;
mod snapshot;
mod solver;
mod state;
mod step;
mod system;
mod table;
mod verdict;
pub mod words;
mod world;

pub use body::{Body, BodyId, BodyKind, CollisionGroups};
pub use collider::{BodySurface, Collider, ColliderId};
pub use connector::{
    Connector, Constraint, ConstraintId, ConstraintKind, Corner, CoupledJoint, Curve, CurveId,
    Lock, PathEnd, Transmission, Wrap, variables,
};
pub use contact::{
    Cone, ContactInfo, ContactMode, ContactReport, ContactSettings, ContactTime, ImpactLaw,
    Iteration, Material, PairMaterial, Precision, Rule,
};
pub use control::RunControl;
pub use edit::JointFrame;
pub use error::ModelError;
pub use force::{
    Control, Controller, ControllerId, ControllerKind, Cylinder, Field, FieldId, FieldKind,
    Interpolation, Motor, MotorId, Muscle, Pid, Schedule, Spring, SpringId, SpringMode, Target,
    Winding,
};
pub use interrupt::Interrupt;
pub use item::ItemId;
pub use jacobian::VelocityRows;
pub use joint::{
    Breaking, Coordinate, Friction, Joint, JointId, JointKind, Limit, Passive, PositionPart,
    RotationPart,
};
pub use kreisel_geometry::{MassError, MassProperties, Shape};
pub use lagrange::{
    ConstraintForce, ContactOrder, Integrator, Lagrange, Measured, MultiplierInfo,
    MultiplierSolver, OnSingular, Probe, ProbeRow, RowKind, Stabiliser,
};
pub use math::{Mat3, Quat, Vec3};
pub use procedure::{DistanceProcedure, ProcedureId};
pub use query::{Closest, CollidingPair, NextCollision, Query, ShapeHit, SurfaceId};
pub use readout::{JointReading, Readout};
pub use report::{
    Analysis, Energy, Event, Ledger, Reaction, Redundant, StageTimes, Status, StepReport,
    Unexplained, Worst,
};
pub use response::Response;
pub use run_memory::RunMemory;
pub use saving::ExactState;
pub use sensor::{Quality, Sensor, SensorId, SensorKind};
pub use settings::{Method, Order, Rotation, Settings, Stepping, Substeps, Tolerance};
pub use snapshot::Snapshot;
pub use table::{
    Bodies, Colliders, Constraints, Controllers, Curves, Fields, ItemKind, Items, ItemsMut, Joints,
    Motors, Procedures, Sensors, Springs,
};
pub use verdict::UNEXPLAINED_SHARE;
pub use world::World;
