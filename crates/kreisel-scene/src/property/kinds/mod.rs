//! The kinds of items, each with its table.

mod connector;
mod constraint;
mod contact;
mod controller;
mod coordinates;
mod curve;
mod field;
mod force;
mod joint;
mod lagrange;
mod motor;
mod passive;
mod procedure;
mod sensor;
mod spring;
mod world;

pub(crate) use connector::CONNECTOR;
pub(crate) use constraint::CONSTRAINT;
pub(crate) use contact::{CONTACT, MATERIAL_PAIR};
pub(crate) use controller::CONTROLLER;
pub(crate) use coordinates::{FRICTION, LIMIT, LIMITS};
pub(crate) use curve::CURVE;
pub(crate) use field::FIELD;
pub(crate) use force::FORCE;
pub use joint::JointItem;
pub(crate) use joint::{BREAKING, JOINT};
pub(crate) use lagrange::LAGRANGE;
pub(crate) use motor::{ELECTRIC, MOTOR, SCHEDULE, SERVO};
pub(crate) use passive::{ARMATURE, DAMPING, GEAR, REST, STIFFNESS};
pub(crate) use procedure::PROCEDURE;
pub(crate) use sensor::SENSOR;
pub(crate) use spring::SPRING;
pub(crate) use world::{GROUND, INTEGRATOR, SUBSTEPS, TOLERANCE, WORLD};
pub use world::{Ground, WorldItem};
