//! Threads that stay awake through a step.
//!
//! A step alternates between work that is shared and work that is not, every few ten microseconds.
//! Idle threads of a pool fall asleep in between, and to wake one takes longer than the work that
//! it could do. Those that watch give way to other programs: beside a busy neighbour a thread that
//! spins has used up its time when its share comes.

use std::sync::atomic::{AtomicBool, Ordering};

/// Says that the work is done, also when it panics.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Does the work on a thread of the pool while the others watch for their share of it. Must be
/// called on a thread of the pool.
pub(crate) fn awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let (done, own) = (AtomicBool::new(false), rayon::current_thread_index());
    let watch = || {
        // the thread that works must not watch itself
        while rayon::current_thread_index() != own && !done.load(Ordering::Acquire) {
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::yield_now();
            }
        }
    };
    rayon::scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| watch());
        }
        let _done = Done(&done);
        work()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_done_and_its_panic_comes_through() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let sum =
            |n: u64| (0..n).map(|i| rayon::join(|| i, || i * i)).map(|(a, b)| a + b).sum::<u64>();
        assert_eq!(pool.install(|| awake(|| sum(1000))), (0..1000).map(|i| i + i * i).sum::<u64>());
        let panic = std::panic::AssertUnwindSafe(|| {
            pool.install(|| awake(|| assert_eq!(sum(3), 0, "on purpose")))
        });
        let panic = std::panic::catch_unwind(panic);
        assert!(panic.is_err());
        assert_eq!(pool.install(|| awake(|| sum(2))), 2);
    }
}
