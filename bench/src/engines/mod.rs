//! The engines and the settings they are measured with.

#[cfg(feature = "box3d")]
pub mod box3d;
pub mod kreisel;
pub mod rapier;
