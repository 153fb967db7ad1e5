//! A clock that somebody else reads. Until one is given, time stands still: nothing is measured,
//! and no time budget is ever spent.

use std::ops::{Add, Sub};
use std::sync::OnceLock;
use std::time::Duration;

static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

/// Gives the clock: the time since any fixed instant. The first one given stays.
pub fn give(clock: fn() -> Duration) {
    let _ = CLOCK.set(clock);
}

/// An instant of the given clock, with the verbs of [`std::time::Instant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    /// The present instant.
    pub fn now() -> Self {
        Self(CLOCK.get().map(|clock| clock()).unwrap_or_default())
    }

    /// Time since this instant.
    pub fn elapsed(&self) -> Duration {
        Self::now() - *self
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, more: Duration) -> Self {
        Self(self.0.saturating_add(more))
    }
}

impl Sub for Instant {
    type Output = Duration;
    fn sub(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    static MILLIS: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn a_given_clock_counts_and_one_that_goes_back_counts_nothing() {
        assert_eq!(Instant::now(), Instant::now());
        give(|| Duration::from_millis(MILLIS.load(Ordering::Relaxed)));
        MILLIS.store(250, Ordering::Relaxed);
        let start = Instant::now();
        MILLIS.store(1750, Ordering::Relaxed);
        assert_eq!(start.elapsed(), Duration::from_millis(1500));
        assert!(
            Instant::now() >= start + Duration::from_secs(1)
                && Instant::now() < start + Duration::from_secs(2)
        );
        MILLIS.store(0, Ordering::Relaxed);
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}
