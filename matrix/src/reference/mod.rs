//! An integrator of its own for mechanisms in minimal coordinates: what the engine is judged by. It
//! shares no code with it.
//!
//! Trees of links with rows along scalar coordinates: forces, conditions, dry friction, stops,
//! contacts. Within a smooth piece the motion is integrated by Dormand and Prince's method to
//! 1e-11; where a row changes its state (friction sticks, a stop is hit, a schedule has a corner)
//! the time is located, impulses are solved, and the states of all rows are found anew by trying
//! their combinations.

pub mod dense;
pub mod integrate;
pub mod jet;
pub mod mode;
pub mod row;
pub mod system;
#[cfg(test)]
mod tests;
pub mod tree;

pub use integrate::{Deviation, Trajectory, integrate, integrate_off};
pub use row::{Anchor, Coordinate, Law, Row, Schedule, Time};
pub use system::System;
pub use tree::{Link, Mass, Motion, Vector};
