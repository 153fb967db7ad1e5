//! One file per command.

pub mod check;
pub mod compare;
pub mod convert;
pub mod diff;
pub mod export;
pub mod info;
pub mod new;
pub mod play;
pub mod plot;
pub mod reference;
pub mod render;
pub mod repeat;
pub mod replay;
pub mod run;
pub mod validate;
pub mod view;
