//! A flag that gives up a step from outside: a signal handler, another thread, a client that left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A shared flag that every long loop of a step asks. Clones share it; worlds that are cloned share
/// it too.
///
/// While it is set, a step is given up within a fraction of a second: the world stands where the
/// step began, the report says [`Status::Interrupted`](crate::Status::Interrupted), and what only
/// the step itself remembers (impulses for the warm start, windows of controllers) is forgotten. It
/// stays set until [`clear`](Self::clear).
///
/// ```
/// let mut world = kreisel_dynamics::World::new();
/// let interrupt = kreisel_dynamics::Interrupt::default();
/// world.set_interrupt(interrupt.clone());
/// interrupt.set();
/// assert_eq!(world.step(0.01).status, kreisel_dynamics::Status::Interrupted);
/// assert_eq!(world.time(), 0.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// An interrupt that shares a flag which already exists, such as a signal handler's.
    pub fn from_flag(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// Asks the running step, and every later one, to give up.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets steps run again.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether steps are to give up.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
