//! One file per command.

pub mod check;
pub mod info;
pub mod new;
pub mod play;
pub mod plot;
pub mod reference;
pub mod render;
pub mod replay;
pub mod run;
pub mod view;
