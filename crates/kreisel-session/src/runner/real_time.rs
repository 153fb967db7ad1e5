//! Real-time mode (Wagner 6.5.3.1, appendix B; W-117 to W-119): the step size and the steps per
//! frame follow the machine, so that the world keeps up with the clock as finely as it can.
//!
//! [`RunControl`] decides from measured times; here its decisions are slowed down. A step size is
//! part of the motion: every change goes into the journal, and changes that are too small to be
//! worth one are not made.

use kreisel_dynamics::RunControl;
use std::time::Duration;

/// Frames per second that the mode keeps: below it motion looks jerky.
const FRAMES: f64 = 30.0;
/// Finer steps than a millisecond show no difference.
const MOST_RATE: f64 = 1000.0;
/// Share of the time that steps and frames may take: the rest is for the network and for what other
/// programs do.
const SHARE: f64 = 0.8;
/// A new rate is taken when it differs by this factor, or by half of that for a while.
const WORTH: f64 = 1.25;
/// Frames between two changes: the means of the measurements have then settled.
const PATIENCE: u32 = 15;

/// The choice of rate and steps per frame.
pub(super) struct RealTime {
    control: RunControl,
    steps: u32,
    frames: u32,
    spent: f64,
}

impl RealTime {
    /// For a world of the given step size.
    pub fn new(step: f64) -> Self {
        let mut control = RunControl::new(1.0 / step);
        (control.real_time, control.frame_rate) = (true, FRAMES);
        Self { control, steps: 0, frames: 0, spent: 0.0 }
    }

    /// A step took so many seconds.
    pub fn stepped(&mut self, seconds: f64) {
        self.steps += 1;
        self.spent += seconds;
    }

    /// Whether the time of a frame has been stepped; the step in force may not be the chosen one
    /// yet.
    pub fn is_frame_due(&self, step: f64) -> bool {
        let chosen = f64::from(self.control.oversampling) / self.control.rate;
        self.steps > 0 && f64::from(self.steps) * step >= chosen * (1.0 - 1e-9)
    }

    /// A frame took so many seconds. Returns the step size to go on with, if `step` is not it.
    pub fn framed(&mut self, seconds: f64, step: f64) -> Option<f64> {
        if self.steps == 0 {
            return None;
        }
        let per_step = self.spent / f64::from(self.steps) / SHARE;
        (self.steps, self.spent) = (0, 0.0);
        self.control
            .measured(Duration::from_secs_f64(per_step), Duration::from_secs_f64(seconds / SHARE));
        if self.control.rate > MOST_RATE {
            // as fine as is worth it: then fewer steps make a frame
            self.control.rate = MOST_RATE;
            self.control.oversampling = self.control.oversampling.min((MOST_RATE / FRAMES) as u32);
        }
        self.frames += 1;
        let wanted = 1.0 / self.control.rate;
        let off = (wanted / step).max(step / wanted);
        if self.frames < PATIENCE || off < WORTH {
            return None;
        }
        self.frames = 0;
        Some(wanted)
    }

    /// Steps per second of the world and steps per frame, to be shown.
    pub fn chosen(&self) -> (f64, u32) {
        (self.control.rate, self.control.oversampling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds frames of `steps` steps each; returns the step size in force at the end and how often
    /// it changed.
    fn feed(
        mode: &mut RealTime,
        mut step: f64,
        per_step: f64,
        per_frame: f64,
        frames: u32,
    ) -> (f64, u32) {
        let mut changes = 0;
        for _ in 0..frames {
            let mut guard = 0;
            while !mode.is_frame_due(step) {
                mode.stepped(per_step);
                guard += 1;
                assert!(guard < 100_000);
            }
            if let Some(new) = mode.framed(per_frame, step) {
                (step, changes) = (new, changes + 1);
            }
        }
        (step, changes)
    }

    /// AT-36 with the fifth that is left to others: T_S = 4 ms and T_D = 8 ms count as 5 ms and 10
    /// ms, which make n_O = 4 and R_S = 133.3.
    #[test]
    fn the_choice_is_that_computed_by_hand() {
        let mut mode = RealTime::new(1.0 / 30.0);
        let (step, changes) = feed(&mut mode, 1.0 / 30.0, 0.004, 0.008, 100);
        assert_eq!((mode.chosen().1, changes), (4, 1));
        assert!((1.0 / step - 133.333).abs() < 0.1, "{}", 1.0 / step);
    }

    #[test]
    fn a_slower_machine_gets_coarser_steps_and_a_hopeless_one_gives_up_at_ten() {
        let mut mode = RealTime::new(0.001);
        let (fine, _) = feed(&mut mode, 0.001, 0.0001, 0.001, 100);
        assert_eq!(fine, 1.0 / MOST_RATE);
        assert!(mode.chosen().1 <= 33);
        // the load rises twentyfold: the world keeps up with R_S (T_S + T_D/n_O) ≤ 1
        let (coarse, _) = feed(&mut mode, fine, 0.002, 0.001, 100);
        let (rate, frame) = mode.chosen();
        assert!(coarse > 2.0 * fine && rate * (0.002 + 0.001 / f64::from(frame)) < 1.0, "{rate}");
        let (least, _) = feed(&mut mode, coarse, 0.5, 0.001, 100);
        assert_eq!((1.0 / least).round(), 10.0);
    }

    /// Until a new step is in force, frames come as often as with it.
    #[test]
    fn frames_do_not_wait_for_the_new_step() {
        let mut mode = RealTime::new(1.0 / 60.0);
        feed(&mut mode, 1.0 / 60.0, 0.0001, 0.001, 1);
        assert_eq!(mode.chosen(), (1000.0, 33));
        let mut steps = 0;
        while !mode.is_frame_due(1.0 / 60.0) {
            mode.stepped(0.0001);
            steps += 1;
        }
        assert_eq!(steps, 2, "33 ms are two steps of 1/60 s");
    }

    #[test]
    fn noise_changes_nothing() {
        let mut mode = RealTime::new(1.0 / 30.0);
        let (step, _) = feed(&mut mode, 1.0 / 30.0, 0.004, 0.008, 100);
        let mut changes = 0;
        for k in 0..200 {
            let noise = if k % 2 == 0 { 1.15 } else { 0.87 };
            changes += feed(&mut mode, step, 0.004 * noise, 0.008 / noise, 1).1;
        }
        assert_eq!(changes, 0);
    }
}
