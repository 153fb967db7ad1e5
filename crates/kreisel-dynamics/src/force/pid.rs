//! PID control of a servo (Bender 3.2.5, eq. 3.34; B-32).
//!
//! sg_k = K_r ( e_k + h/T_N Σ_{i in window} e_i + T_V/h (e_k − e_{k−1}) )
//!
//! K_r scales all three parts. The sum covers a limited window of the past, excludes the current
//! value, and stands still while the output is clipped (anti-windup), so that a motor against an
//! obstacle does not store up effort.
//!
//! This is the controller with a `window`. Without one a servo acts continuously: f = −K_r (e +
//! 1/T_N ∫e dt + T_V ė) with the error e = c − r, taken implicitly by the impulse methods
//! (`step/law.rs`) and along with all other forces by the integrator of the multiplier method. A
//! velocity servo with a derivative part, which is an inertia, is sampled there.

use crate::words::words;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

words! {
    /// What a servo steers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Target {
        /// The coordinate itself (rad or m).
        Position = "position",
        /// Its rate (rad/s or m/s).
        Velocity = "velocity",
    }
}

/// Gains of a PID controller.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pid {
    /// K_r: effort per unit of error.
    pub gain: f64,
    /// T_N in s; `f64::INFINITY` switches the integral part off.
    pub integral_time: f64,
    /// T_V in s; 0 switches the derivative part off.
    pub derivative_time: f64,
    /// `None`: the servo acts continuously, with an integral over all of its past. `Some`: the
    /// discrete controller of the thesis, sampled once a step, whose integral covers this many past
    /// steps.
    pub window: Option<usize>,
}

impl Pid {
    /// Proportional and derivative control.
    pub fn pd(gain: f64, derivative_time: f64) -> Self {
        Self { gain, integral_time: f64::INFINITY, derivative_time, window: None }
    }
}

impl Pid {
    /// Effort of a continuous servo for the error from the target, its rate, and its integral; that
    /// of a velocity servo is in rates.
    pub(crate) fn effort(&self, e: f64, rate: f64, integral: f64) -> f64 {
        let sum = if self.integral_time.is_finite() { integral / self.integral_time } else { 0.0 };
        -self.gain * (e + sum + self.derivative_time * rate)
    }
}

/// The past of one controller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PidMemory {
    /// Errors times step size of the window, oldest first.
    past: VecDeque<f64>,
    last: Option<f64>,
    /// What a continuous servo has summed up.
    pub integral: f64,
    /// Where the command of a motor that lags has come to.
    #[serde(default)]
    pub command: Option<f64>,
}

impl PidMemory {
    /// The error of the last step.
    pub fn last(&self) -> Option<f64> {
        self.last
    }

    /// Adds up errors from the target over a step that began with `errors[0]` and ended with
    /// `errors[1]`.
    pub fn sum_up(&mut self, errors: [f64; 2], h: f64) {
        self.integral += 0.5 * h * (errors[0] + errors[1]);
    }

    /// Whether all it remembers are numbers.
    pub fn is_finite(&self) -> bool {
        self.past
            .iter()
            .chain(&self.last)
            .chain([&self.integral])
            .chain(&self.command)
            .all(|x| x.is_finite())
    }

    /// Controller output for the error `e`, limited to ±`max`.
    pub fn output(&mut self, pid: &Pid, e: f64, h: f64, max: f64) -> f64 {
        // a continuous servo counts errors from its target: −∫e
        let integral = if pid.window.is_some() { self.past.iter().sum() } else { -self.integral };
        let slope = (e - self.last.unwrap_or(e)) / h;
        let raw = pid.gain * (e + integral / pid.integral_time + pid.derivative_time * slope);
        self.last = Some(e);
        let clipped = raw.clamp(-max, max);
        if pid.window.is_none() && pid.integral_time.is_finite() && raw == clipped {
            self.integral -= e * h;
        }
        let window = pid.window.unwrap_or(0);
        if window > 0 && raw == clipped {
            while self.past.len() >= window {
                self.past.pop_front();
            }
            self.past.push_back(e * h);
        }
        clipped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_discrete_formula_of_the_thesis_is_met() {
        // K_r (e + h/T_N sum of past + T_V/h difference) with K_r 2, T_N 0.5, T_V 0.1, h 0.1,
        // errors 1, 2, 3
        let pid = Pid { gain: 2.0, integral_time: 0.5, derivative_time: 0.1, window: Some(2) };
        let mut m = PidMemory::default();
        let out: Vec<f64> =
            [1.0, 2.0, 3.0, 4.0].iter().map(|&e| m.output(&pid, e, 0.1, 1e9)).collect();
        let sums = [0.0, 1.0, 3.0, 5.0]; // a window of two values, the current one excluded
        let slopes = [0.0, 1.0, 1.0, 1.0];
        for k in 0..4 {
            let e = (k + 1) as f64;
            let expected = 2.0 * (e + 0.1 / 0.5 * sums[k] + 0.1 / 0.1 * slopes[k]);
            assert!(
                (out[k] - expected).abs() < 1e-14,
                "step {k}: {} instead of {expected}",
                out[k]
            );
        }
    }

    #[test]
    fn a_clipped_controller_does_not_wind_up() {
        let pid = Pid { gain: 1.0, integral_time: 0.01, derivative_time: 0.0, window: Some(1000) };
        let mut m = PidMemory::default();
        for _ in 0..1000 {
            assert_eq!(m.output(&pid, 5.0, 0.01, 1.0), 1.0);
        }
        assert!(m.output(&pid, -0.5, 0.01, 1.0) < 0.0);
    }
}
