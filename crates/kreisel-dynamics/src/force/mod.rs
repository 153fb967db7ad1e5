//! Forces: springs and motors. Gravity is a field of the world; forces of the user are set before
//! each step.

mod command;
mod controller;
mod cylinder;
mod field;
mod motor;
mod muscle;
mod pid;
mod schedule;
mod spring;
mod winding;

pub(crate) use command::Command;
pub use controller::{Controller, ControllerId, ControllerKind};
pub use cylinder::Cylinder;
pub use field::{Field, FieldId, FieldKind};
pub use motor::{Control, Motor};
pub use muscle::Muscle;
pub(crate) use pid::PidMemory;
pub use pid::{Pid, Target};
pub use schedule::{Interpolation, Schedule};
pub use spring::{Spring, SpringMode};
pub use winding::Winding;

use crate::arena::id;

id! {
    /// Names a spring of a [`World`](crate::World).
    SpringId
}
id! {
    /// Names a motor of a [`World`](crate::World).
    MotorId
}
