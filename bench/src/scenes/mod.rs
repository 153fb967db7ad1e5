//! The scenes, made in code: nothing is read from files, so that every engine starts from the very
//! same numbers.

mod chain;
mod heaps;
mod net;
mod stacks;
mod tree;

pub use chain::{Masses, Start, chain, mixed_chain};
pub use heaps::{Kind, heap, ragdolls, terrain};
pub use net::net;
pub use stacks::{funnel, pile, pyramid, wall};
pub use tree::{star, tree};
