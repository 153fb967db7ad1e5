//! The kinds of items, each with its table.

mod contact;
mod coordinates;
mod force;
mod joint;
mod lagrange;
mod motor;
mod spring;
mod world;

pub(crate) use contact::{CONTACT, MATERIAL_PAIR};
pub(crate) use coordinates::{FRICTION, LIMIT, LIMITS};
pub(crate) use force::FORCE;
pub use joint::JointItem;
pub(crate) use joint::{BREAKING, JOINT};
pub(crate) use lagrange::LAGRANGE;
pub(crate) use motor::{MOTOR, SCHEDULE, SERVO, natural};
pub(crate) use spring::SPRING;
pub(crate) use world::{GROUND, INTEGRATOR, SUBSTEPS, TOLERANCE, WORLD};
pub use world::{Ground, WorldItem};
