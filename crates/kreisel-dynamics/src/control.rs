//! Control of a running world: simulation rate, oversampling, real time, single steps, runs, undo
//! (Wagner 6.5.3 and appendix B; W-117 to W-124).
//!
//! With R_S steps per second of model time, one frame every n_O steps, and measured wall times T_S
//! of a step and T_D of a frame:
//!
//! frames per second R_F = 1/(n_O T_S + T_D); real time when R_S = 1/(T_S + T_D/n_O).

use crate::clock::Instant;
use crate::report::StepReport;
use crate::world::World;
use std::time::Duration;

/// Lowest rate that the real-time mode chooses, 1/s: below it real time is given up.
const LEAST_RATE: f64 = 10.0;

/// Share of a new measurement in the running means of the real-time mode.
const SHARE: f64 = 0.2;

/// Runs a world at a rate, with undo to the start.
///
/// ```
/// use kreisel_dynamics::{Body, RunControl, World};
///
/// let mut world = World::new();
/// let body = world.add_body(Body::point(1.0))?;
/// let mut control = RunControl::new(30.0);
/// control.start(&world);
/// control.next(&mut world);
/// control.run_for(&mut world, 0.5);
/// assert!((world.time() - (1.0 / 30.0 + 0.5)).abs() < 1e-12);
/// control.undo(&mut world);
/// assert_eq!(world.time(), 0.0);
/// # Ok::<(), kreisel_dynamics::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RunControl {
    /// Steps per second of model time, R_S.
    pub rate: f64,
    /// Steps per frame, n_O.
    pub oversampling: u32,
    /// Wanted frames per second of the real-time mode.
    pub frame_rate: f64,
    /// Whether rate and oversampling follow the machine.
    pub real_time: bool,
    step_time: Option<f64>,
    frame_time: Option<f64>,
    /// Worlds as they were at each start, newest last.
    starts: Vec<World>,
}

impl RunControl {
    /// A control with `rate` steps per second and a frame at every step.
    pub fn new(rate: f64) -> Self {
        let rate = if rate > 0.0 && rate.is_finite() { rate } else { 30.0 };
        Self {
            rate,
            oversampling: 1,
            frame_rate: 30.0,
            real_time: false,
            step_time: None,
            frame_time: None,
            starts: Vec::new(),
        }
    }

    /// Remembers the world for [`RunControl::undo`].
    pub fn start(&mut self, world: &World) {
        self.starts.push(world.clone());
    }

    /// Puts the world back to the last start, edits included; false when there is none left.
    pub fn undo(&mut self, world: &mut World) -> bool {
        match self.starts.pop() {
            Some(before) => {
                *world = before;
                true
            }
            None => false,
        }
    }

    /// One step of 1/rate.
    pub fn next(&mut self, world: &mut World) -> StepReport {
        world.step(1.0 / self.rate)
    }

    /// Steps of 1/rate over `seconds` of model time; the last one ends exactly there.
    pub fn run_for(&mut self, world: &mut World, seconds: f64) -> Vec<StepReport> {
        let h = 1.0 / self.rate;
        let mut reports = Vec::new();
        if !(seconds > 0.0 && seconds.is_finite()) {
            return reports;
        }
        // a rest of less than a millionth of a step is rounding
        let whole = (seconds / h + 1e-6).floor();
        for _ in 0..whole as u64 {
            reports.push(world.step(h));
        }
        let rest = seconds - whole * h;
        if rest > 1e-6 * h {
            reports.push(world.step(rest));
        }
        reports
    }

    /// The steps of one frame, then `draw`; both are measured, and in real-time mode decide about
    /// the next frame.
    pub fn frame(&mut self, world: &mut World, draw: impl FnOnce(&World)) -> Vec<StepReport> {
        let begin = Instant::now();
        let reports: Vec<StepReport> = (0..self.oversampling).map(|_| self.next(world)).collect();
        let steps = begin.elapsed() / self.oversampling.max(1);
        let begin = Instant::now();
        draw(world);
        self.measured(steps, begin.elapsed());
        reports
    }

    /// Tells the real-time mode how long a step and a frame took; it then chooses rate and
    /// oversampling.
    pub fn measured(&mut self, step: Duration, frame: Duration) {
        let mean = |old: Option<f64>, new: f64| old.map_or(new, |o| o + SHARE * (new - o));
        let ts = mean(self.step_time, step.as_secs_f64());
        let td = mean(self.frame_time, frame.as_secs_f64());
        (self.step_time, self.frame_time) = (Some(ts), Some(td));
        if self.real_time {
            (self.oversampling, self.rate) = choose(ts, td, self.frame_rate);
        }
    }
}

/// Largest oversampling that keeps the frame rate, and the rate that then runs in real time (the
/// thesis says smallest, against its own reasoning).
fn choose(step: f64, frame: f64, frame_rate: f64) -> (u32, f64) {
    let steps = ((1.0 / frame_rate - frame) / step.max(1e-9) + 1e-9).floor().clamp(1.0, 1e6);
    (steps as u32, (1.0 / (step + frame / steps).max(1e-9)).max(LEAST_RATE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_makes_its_steps_and_then_draws() {
        let mut world = World::new();
        let mut control = RunControl { oversampling: 4, ..RunControl::new(40.0) };
        let mut drawn = 0.0;
        let reports = control.frame(&mut world, |w| drawn = w.time());
        assert_eq!((reports.len(), drawn), (4, 0.1));
        // without real-time mode nothing is chosen
        assert_eq!((control.oversampling, control.rate), (4, 40.0));
    }

    /// AT-36: T_S = 5 ms, T_D = 10 ms, 30 frames per second: n_O = 4, R_S = 133.3.
    #[test]
    fn the_real_time_mode_chooses_as_computed_by_hand() {
        let mut control = RunControl { real_time: true, ..RunControl::new(30.0) };
        control.measured(Duration::from_millis(5), Duration::from_millis(10));
        assert_eq!(control.oversampling, 4);
        assert!((control.rate - 133.333).abs() < 1e-2, "{}", control.rate);
        // a machine that is too slow gives real time up
        control = RunControl { real_time: true, ..RunControl::new(30.0) };
        control.measured(Duration::from_millis(400), Duration::from_millis(10));
        assert_eq!((control.oversampling, control.rate), (1, 10.0));
    }
}
