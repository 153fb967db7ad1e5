//! The live simulator: a world that runs, served to browsers that show it, grab it and change it.
//!
//! | part | what it does |
//! |---|---|
//! | [`session`] | a scene that runs and is changed by commands; no clock, no network, the same bits every time |
//! | [`runner`] | the thread that steps it, keeps the pace and writes frames |
//! | [`journal`] | commands with their steps: a session that can be repeated |
//! | [`protocol`] | messages and frames |
//! | [`net`] | HTTP and websockets, guarded |

pub mod folder;
mod frames;
pub mod journal;
pub mod net;
pub mod protocol;
pub mod runner;
pub mod session;
