//! A controller with a rate of its own: it is called every so many seconds, and what it sets holds
//! until it is called again (zero-order hold).
//!
//! The interval need not be a multiple of the step: the controller is called before the first step
//! that begins at its time or later, at most once a step, as `on_time` of scripts with `every` and
//! callbacks of Python with `every` are.

use crate::simulation::Simulation;
use kreisel_dynamics::{StepReport, World};

/// A share of a step by which a time counts as reached, whatever rounding did to it.
const ROUNDING: f64 = 1e-9;

/// When something is due that happens every so many seconds from time 0 on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    period: f64,
    /// Number of the next time; none before the first call.
    next: Option<u64>,
}

impl Rate {
    /// Every so many seconds; 0 or less is every step.
    pub const fn every(period: f64) -> Self {
        Self { period, next: None }
    }

    /// Whether it is due before a step of `h` from `time` on; it is then due a period later.
    pub fn is_due(&mut self, time: f64, h: f64) -> bool {
        if !(self.period > 0.0) {
            return true;
        }
        let now = (time + ROUNDING * h) / self.period;
        let next = self.next.unwrap_or_else(|| ((time - ROUNDING * h) / self.period).ceil() as u64);
        let due = next as f64 <= now;
        self.next = Some(if due { now as u64 + 1 } else { next });
        due
    }
}

/// A controller and its rate.
///
/// ```
/// use kreisel_scene::{Sampled, Simulation};
/// # let text = r#"
/// # [[body]]
/// # name = "arm"
/// # mass = 1.0
/// # shape = { box = [1.0, 0.1, 0.1] }
/// # [[joint]]
/// # name = "axle"
/// # type = "hinge"
/// # bodies = ["world", "arm"]
/// # axis = [0, 0, 1]
/// # [[motor]]
/// # name = "drive"
/// # joint = "axle"
/// # effort = 0
/// # "#;
/// let scene = kreisel_scene::parse("arm.toml", text)?;
/// let mut run = Simulation::new(&scene);
/// let mut brake = Sampled::every(0.02, |world, _time| {
///     let axle = world.joint_named("axle").unwrap();
///     let rate = world.coordinate_rate(axle, kreisel_dynamics::Coordinate::Angle).unwrap();
///     let drive = world.motor_named("drive").unwrap();
///     world.set_motor_value(drive, -0.5 * rate).unwrap();
/// });
/// for _ in 0..100 {
///     brake.step(&mut run);
/// }
/// # Ok::<(), kreisel_scene::SceneError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampled<C> {
    rate: Rate,
    control: C,
}

impl<C: FnMut(&mut World, f64)> Sampled<C> {
    /// A controller that is called with the world and its time every `period` seconds.
    pub const fn every(period: f64, control: C) -> Self {
        Self { rate: Rate::every(period), control }
    }

    /// Calls the controller if it is due, and makes a step of the run.
    pub fn step(&mut self, run: &mut Simulation) -> StepReport {
        let time = run.world.time();
        if self.rate.is_due(time, run.step_size()) {
            (self.control)(&mut run.world, time);
        }
        run.step()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 ms in steps of 4 ms: before the steps from 0, 12, 20, 32, 40 ms.
    #[test]
    fn it_is_due_at_the_first_step_from_its_time_on() {
        let mut rate = Rate::every(0.010);
        let due: Vec<usize> = (0..11).filter(|k| rate.is_due(0.004 * *k as f64, 0.004)).collect();
        assert_eq!(due, [0, 3, 5, 8, 10]);
        let mut late = Rate::every(1.0);
        assert!(!late.is_due(0.5, 0.1), "a run that begins later has nothing to make up for");
        assert!((0..5).all(|k| Rate::every(0.0).is_due(f64::from(k), 1.0)));
    }
}
