//! Playback: a run as one self-contained page, and a small server for it.

mod frames;
mod page;
mod server;
mod solids;

pub use frames::Frames;
pub use page::page;
pub use server::serve;
