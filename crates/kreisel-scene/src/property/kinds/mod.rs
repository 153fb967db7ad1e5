//! The kinds of items, each with its table.

mod contact;
mod coordinates;
mod field;
mod force;
mod joint;
mod lagrange;
mod motor;
mod passive;
mod procedure;
mod spring;
mod world;

pub(crate) use contact::{CONTACT, MATERIAL_PAIR};
pub(crate) use coordinates::{FRICTION, LIMIT, LIMITS};
pub(crate) use field::FIELD;
pub(crate) use force::FORCE;
pub use joint::JointItem;
pub(crate) use joint::{BREAKING, JOINT};
pub(crate) use lagrange::LAGRANGE;
pub(crate) use motor::{MOTOR, SCHEDULE, SERVO, natural};
pub(crate) use passive::{ARMATURE, DAMPING, GEAR, REST, STIFFNESS};
pub(crate) use procedure::PROCEDURE;
pub(crate) use spring::SPRING;
pub(crate) use world::{GROUND, INTEGRATOR, SUBSTEPS, TOLERANCE, WORLD};
pub use world::{Ground, WorldItem};
