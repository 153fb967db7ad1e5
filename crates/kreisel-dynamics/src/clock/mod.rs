//! The clock that steps are measured and budgeted with: the system's, or in a page the one that the
//! page gives. WASM has no clock of its own; there `std::time::Instant` panics.

#[cfg(any(test, all(target_arch = "wasm32", target_os = "unknown")))]
mod given;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use given::{Instant, give};
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub use std::time::Instant;
