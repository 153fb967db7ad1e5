//! A running world that is edited by commands: no clock, no network; it compiles to WASM.
//!
//! | part | what it does |
//! |---|---|
//! | [`session`] | a scene that runs and is changed by commands; the same bits every time |
//! | [`journal`] | commands with their steps: a session that can be repeated |
//! | [`protocol`] | messages and frames |
//! | [`frames`] | a frame of a session, as bytes |

pub mod frames;
pub mod journal;
pub mod protocol;
pub mod session;
