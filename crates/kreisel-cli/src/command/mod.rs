//! One file per command.

pub mod check;
pub mod clearance;
pub mod distance;
pub mod info;
pub mod new;
mod placed;
pub mod play;
pub mod plot;
pub mod reference;
pub mod render;
pub mod run;
