//! The kinds of items, each with its table.

mod contact;
mod force;
mod lagrange;
mod motor;
mod spring;
mod world;

pub(crate) use contact::{CONTACT, MATERIAL_PAIR};
pub(crate) use force::FORCE;
pub(crate) use lagrange::LAGRANGE;
pub(crate) use motor::{MOTOR, SCHEDULE, SERVO, natural};
pub(crate) use spring::SPRING;
pub(crate) use world::{GROUND, INTEGRATOR, SUBSTEPS, TOLERANCE, WORLD};
pub use world::{Ground, WorldItem};
