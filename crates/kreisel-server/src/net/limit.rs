//! A bound on how often and how much a client may speak: a bucket that fills steadily and empties
//! with every message.

use std::time::Instant;

/// Messages per second in the long run; a dragging hand sends 60.
const RATE: f64 = 150.0;
/// Messages at once.
const BURST: f64 = 300.0;
/// Bytes per second in the long run, of a guest: a dragging hand sends 10 000.
const BYTES: f64 = 64e3;
/// Bytes at once: a scene that is merged, a few times.
const BYTES_AT_ONCE: f64 = 1e6;
/// Clients that come per second in the long run.
const JOINS: f64 = 2.0;

/// A bucket.
pub(crate) struct Bucket {
    level: f64,
    rate: f64,
    most: f64,
    last: Instant,
}

impl Bucket {
    /// Of messages.
    pub fn new() -> Self {
        Self::of(RATE, BURST)
    }

    /// Of bytes.
    pub fn of_bytes() -> Self {
        Self::of(BYTES, BYTES_AT_ONCE)
    }

    /// Of clients that join: all that there is room for may come at once, and once again.
    pub fn of_joins(most: usize) -> Self {
        Self::of(JOINS, 2.0 * most as f64)
    }

    fn of(rate: f64, most: f64) -> Self {
        Self { level: most, rate, most, last: Instant::now() }
    }

    /// Whether one more is allowed now.
    pub fn take(&mut self) -> bool {
        self.take_some(1)
    }

    /// Whether so many more are allowed now.
    pub fn take_some(&mut self, count: usize) -> bool {
        let now = Instant::now();
        self.level = (self.level + self.rate * (now - self.last).as_secs_f64()).min(self.most);
        self.last = now;
        if self.level < count as f64 {
            return false;
        }
        self.level -= count as f64;
        true
    }
}
