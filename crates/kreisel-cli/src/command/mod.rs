//! One file per command.

pub mod analyse;
pub mod check;
pub mod clearance;
pub mod compare;
pub mod convert;
pub mod diff;
pub mod distance;
pub mod doctor;
pub mod export;
pub mod export_page;
pub mod info;
pub mod man;
pub mod merge;
pub mod new;
pub mod placed;
pub mod play;
pub mod plot;
pub mod reference;
pub mod render;
pub mod replay;
mod replay_journal;
pub mod run;
pub mod sweep;
pub mod validate;
pub mod view;
