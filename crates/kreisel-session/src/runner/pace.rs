//! The pace: when a step is due, and how fast the world goes.

use super::costly::until;
use super::{BACKLOG, Host, Punctuality, Runner, WINDOW};
use kreisel_dynamics::clock::Instant;
use std::time::Duration;

/// How long before a step the clock is looked at instead of slept by, where steps are felt: what a
/// sleeping thread may wake late.
const AWAKE: Duration = Duration::from_micros(120);

impl<H: Host> Runner<H> {
    /// Whether a step is to be made now.
    pub(super) fn is_due(&mut self) -> bool {
        if self.ended {
            return false;
        }
        if self.pending > 0 {
            return true;
        }
        if !self.running {
            return false;
        }
        // Who opens a world sees it from its first step on; a browser takes its time to come.
        if self.start.waiting {
            if !self.host.is_awaited() {
                return false;
            }
            self.start.waiting = false;
            self.restart_clock();
        }
        let Some(speed) = self.speed else { return true };
        let wall = self.anchor.0.elapsed().as_secs_f64();
        let lag = wall * speed - (self.now() - self.anchor.1);
        if lag > BACKLOG * speed.max(1e-3) + self.session.simulation().step_size() {
            // Too slow for the clock: go on from here instead of racing after it.
            self.given_up += lag / speed.max(1e-6);
            self.restart_clock();
            return true;
        }
        lag >= self.session.simulation().step_size()
    }

    /// How well the step that was just made kept the clock.
    pub(super) fn kept(&mut self) -> Punctuality {
        let given_up = std::mem::take(&mut self.given_up);
        let Some(speed) = self.speed.filter(|_| self.running) else {
            return Punctuality { late: 0.0, given_up };
        };
        let due = (self.now() - self.anchor.1) / speed.max(1e-6);
        Punctuality { late: (self.anchor.0.elapsed().as_secs_f64() - due).max(0.0), given_up }
    }

    pub(super) fn restart_clock(&mut self) {
        self.anchor = (Instant::now(), self.now());
    }

    /// How long nothing is to be done.
    pub(super) fn wait(&self) -> Duration {
        let frame = if self.dirty { until(self.next_frame) } else { Duration::from_millis(200) };
        if !self.running || self.ended || self.start.waiting {
            return frame.max(Duration::from_micros(200));
        }
        let speed = self.speed.unwrap_or(1.0).max(1e-6);
        let due = (self.now() - self.anchor.1 + self.session.simulation().step_size()) / speed;
        let rest = due - self.anchor.0.elapsed().as_secs_f64();
        if self.host.is_punctual() {
            let asleep = Duration::from_secs_f64(rest.clamp(0.0, 0.2)).saturating_sub(AWAKE);
            return frame.min(asleep);
        }
        let rest = rest.clamp(0.0002, 0.2);
        frame.min(Duration::from_secs_f64(rest)).max(Duration::from_micros(200))
    }

    pub(super) fn measure(&mut self) {
        let wall = self.measured.0.elapsed().as_secs_f64();
        if !self.running {
            self.factor = 0.0;
        } else if wall >= WINDOW {
            self.factor = (self.now() - self.measured.1) / wall;
            self.measured = (Instant::now(), self.now(), self.session.steps());
        }
    }
}
