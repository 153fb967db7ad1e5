//! What a motor is told over a step: its schedule, behind a lag of first order if it has one.
//!
//! With the time constant τ the command goes as c' = (u − c)/τ. It begins at the value that is
//! asked for in the first step.

use super::{Motor, PidMemory, Schedule};

/// The command of a motor from a time on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command<'a> {
    set: &'a Schedule,
    lag: f64,
    /// Its value at the time `began`.
    from: f64,
    began: f64,
}

impl<'a> Command<'a> {
    /// For a step that begins at `began`, after what the motor remembers.
    pub fn new(motor: &'a Motor, memory: Option<&PidMemory>, began: f64) -> Self {
        let set = motor.control.schedule();
        let from = memory.and_then(|m| m.command).unwrap_or_else(|| set.at(began));
        Self { set, lag: motor.lag, from, began }
    }

    /// The value at time `t`.
    pub fn at(&self, t: f64) -> f64 {
        if self.lag == 0.0 {
            return self.set.at(t);
        }
        let asked = self.asked(t);
        asked + (self.from - asked) * crate::math::fun::exp(-(t - self.began) / self.lag)
    }

    /// How fast it changes.
    pub fn slope(&self, t: f64) -> f64 {
        if self.lag == 0.0 { self.set.slope(t) } else { (self.asked(t) - self.at(t)) / self.lag }
    }

    /// The mean from `t0` to `t1`.
    pub fn mean(&self, t0: f64, t1: f64) -> f64 {
        if self.lag == 0.0 || !(t1 > t0) {
            return self.set.mean(t0, t1);
        }
        // c' = (u − c)/τ: the mean of c is that of u less the change of c
        let asked = self.asked(t1);
        asked - self.lag * (self.at(t1) - self.at(t0)) / (t1 - t0)
    }

    /// Whether it goes from value to value at once.
    pub fn jumps(&self) -> bool {
        self.lag == 0.0 && self.set.jumps()
    }

    fn asked(&self, t: f64) -> f64 {
        self.set.mean(self.began, t)
    }
}
