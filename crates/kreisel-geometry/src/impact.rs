//! When two moving shapes meet for the first time: never late.
//!
//! Reference: Lennerz 2000, chapter 4 (L-62 to L-65), corrected (docs/sources.md). The time of
//! impact is approached from below: the returned time is never after the first contact, whatever
//! the speeds and however thin the shapes.

mod gap;
mod heap;
mod motion;
mod search;
mod view;

pub use heap::{CollisionHeap, PairKey};
pub use motion::{Ballistic, Motion, free_time, motion_bounds};
pub use search::{Impact, ImpactError, ImpactQuery, Outcome, time_of_impact};
