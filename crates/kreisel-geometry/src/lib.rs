//! Geometry of the Kreisel multibody simulator: mass properties of bodies.
//!
//! Everything is `f64` and in SI units.

pub mod mass;

pub use mass::{MassError, MassProperties};
