//! Files that are part of the program: the viewer, and the engine for pages (`build.rs` finds
//! them).

include!(concat!(env!("OUT_DIR"), "/assets.rs"));
