//! Whether the pace is kept: late packets are counted, and what was not kept is told.

use super::wire::{GIVEN_UP, LATE};
use kreisel_session::runner::Punctuality;
use std::time::{Duration, Instant};

/// Least time between two messages about it.
const BETWEEN: Duration = Duration::from_secs(5);

/// What was kept since the last message.
pub(super) struct Tally {
    begin: Instant,
    packets: u64,
    late: u64,
    /// s.
    worst: f64,
    /// Time that was given up, s.
    given_up: f64,
}

impl Default for Tally {
    fn default() -> Self {
        Self { begin: Instant::now(), packets: 0, late: 0, worst: 0.0, given_up: 0.0 }
    }
}

impl Tally {
    /// Counts a step of so many seconds; gives the flags of its packets.
    pub fn step(&mut self, kept: Punctuality, step: f64) -> u32 {
        self.packets += 1;
        self.worst = self.worst.max(kept.late);
        self.given_up += kept.given_up;
        let late = kept.late > step;
        self.late += u64::from(late);
        (u32::from(late) * LATE) | (u32::from(kept.given_up > 0.0) * GIVEN_UP)
    }

    /// What was not kept, in words, now and then.
    pub fn news(&mut self, step: f64) -> Option<String> {
        let bad = self.late > 0 || self.given_up > 0.0;
        if !bad || self.begin.elapsed() < BETWEEN {
            return None;
        }
        let was = std::mem::take(self);
        let (rate, seconds) = (1.0 / step, was.begin.elapsed().as_secs_f64());
        let mut words = format!(
            "the force channel does not keep {rate:.0} packets a second: in {seconds:.0} s {} of {} \
             came more than a step late, the worst by {:.1} ms",
            was.late,
            was.packets,
            was.worst * 1e3
        );
        if was.given_up > 0.0 {
            words += &format!("; {:.2} s of the clock were given up", was.given_up);
        }
        Some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_late_by_more_than_a_step_is_marked_and_told() {
        let mut tally = Tally::default();
        let kept = |late, given_up| Punctuality { late, given_up };
        assert_eq!(tally.step(kept(9e-4, 0.0), 1e-3), 0);
        assert_eq!(tally.step(kept(1.1e-3, 0.0), 1e-3), LATE);
        assert_eq!(tally.step(kept(0.0, 0.1), 1e-3), GIVEN_UP);
        assert!(tally.news(1e-3).is_none(), "not at once");
        tally.begin -= Duration::from_secs(6);
        let words = tally.news(1e-3).expect("it is told");
        let all = ["1000 packets a second", "1 of 3", "by 1.1 ms", "0.10 s of the clock"];
        assert!(all.iter().all(|w| words.contains(w)), "{words}");
        tally.begin -= Duration::from_secs(6);
        assert!(tally.news(1e-3).is_none(), "told once");
    }
}
