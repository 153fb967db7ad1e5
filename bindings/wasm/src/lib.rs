//! The engine in a page: a session that is stepped and edited from JavaScript, by the same commands
//! and with the same frames as behind the server.
//!
//! | part | what it does |
//! |---|---|
//! | [`Files`] | what was dropped on the page or fetched by it |
//! | [`Engine`] | a scene that runs: messages in, messages and frames out |
//!
//! JavaScript frees both when nobody holds them any more.

mod clock;
mod engine;
mod files;
mod page;
mod world;

pub use clock::{lacks, last_panic, start};
pub use engine::Engine;
pub use files::Files;
pub use world::{kinds, nearest};
