//! The live simulator: a session served to browsers that show it, grab it and change it.
//!
//! | part | what it does |
//! |---|---|
//! | [`runner`] | the thread that steps a session, keeps the pace and writes frames |
//! | [`net`] | HTTP and websockets, guarded |
//! | [`force_channel`] | a packet a step for devices that are felt |
//! | [`page`] | one page that holds viewer, engine and scene |
//! | [`folder`] | scenes beside the one that is shown |

mod assets;
pub mod folder;
pub mod force_channel;
pub mod net;
pub mod page;
pub mod runner;
