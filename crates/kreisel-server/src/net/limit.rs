//! A bound on how often a client may speak: a bucket that fills steadily and empties by one per
//! message.

use std::time::Instant;

/// Messages per second in the long run; a dragging hand sends 60.
const RATE: f64 = 150.0;
/// Messages at once.
const BURST: f64 = 300.0;

/// A bucket.
pub(super) struct Bucket {
    level: f64,
    last: Instant,
}

impl Bucket {
    pub fn new() -> Self {
        Self { level: BURST, last: Instant::now() }
    }

    /// Whether one more message is allowed now.
    pub fn take(&mut self) -> bool {
        let now = Instant::now();
        self.level = (self.level + RATE * (now - self.last).as_secs_f64()).min(BURST);
        self.last = now;
        if self.level < 1.0 {
            return false;
        }
        self.level -= 1.0;
        true
    }
}
