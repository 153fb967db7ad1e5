//! A muscle after Hill: a fibre that pulls, by its activation, its length and its speed.
//!
//! With the normalised length L = (ℓ − slack)/optimal and speed V = ℓ'/(optimal · fastest) it pulls
//!
//! ```text
//! F = force · (a · FL(L) · FV(V) + FP(L)),   effort = −arm · F   on the coordinate q, ℓ = arm · q
//! ```
//!
//! | part | form |
//! |---|---|
//! | FL, active length | parabolas from 0 at `shortest` over 1 at L = 1 to 0 at `longest` |
//! | FV, speed | (1 + V)² when it shortens, up to `eccentric` when it is stretched |
//! | FP, passive | a parabola from L = 1, then a line; `passive`/2 half-way to `longest` |
//!
//! The activation a follows the excitation u by a' = (u − a)/τ, where τ = τ₁ (½ + 3a/2) while it
//! rises and τ₂/(½ + 3a/2) while it falls (Millard et al. 2013, eq. 1; the curves are those of
//! MuJoCo's manual, "Muscles"). Over a step it is integrated by Runge-Kutta's rule of fourth order:
//! it does not depend on the motion.
//!
//! The impulse methods take F at the length in the middle of a substep, linear in the speed about
//! that of the substep before: of second order, stable where FV is steep.

use serde::{Deserialize, Serialize};

/// Steps of the activation per shortest time constant.
const STEPS_PER_TIME: f64 = 8.0;

/// Most such steps in one call.
const MOST_STEPS: f64 = 1000.0;

/// Share of force/(optimal · fastest) that damps at least, so that there is a row to solve; its
/// effort at the speed that is linearised about is 0.
const LEAST_DAMPING: f64 = 1e-6;

/// The constants of a muscle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Muscle {
    /// Largest isometric force, N.
    pub force: f64,
    /// Length of the fibre at which it pulls best, m.
    pub optimal: f64,
    /// Length that does not belong to the fibre (its tendon), m.
    pub slack: f64,
    /// Length by coordinate: 1 on a length, a lever arm (m) on an angle.
    pub arm: f64,
    /// Normalised lengths between which it pulls actively.
    pub shortest: f64,
    /// See `shortest`.
    pub longest: f64,
    /// Largest speed of shortening, optimal lengths per second.
    pub fastest: f64,
    /// Passive force at the normalised length `longest`, in terms of `force`.
    pub passive: f64,
    /// Force while it is stretched fast, in terms of `force`.
    pub eccentric: f64,
    /// Time constants of activation and deactivation, s; 0 acts at once.
    pub times: [f64; 2],
}

impl Muscle {
    /// A muscle of a largest force and an optimal length with the usual curves.
    pub const fn new(force: f64, optimal: f64) -> Self {
        Self {
            force,
            optimal,
            slack: 0.0,
            arm: 1.0,
            shortest: 0.5,
            longest: 1.6,
            fastest: 1.5,
            passive: 1.3,
            eccentric: 1.2,
            times: [0.01, 0.04],
        }
    }

    /// Active force by normalised length.
    fn by_length(&self, l: f64) -> f64 {
        let (low, high) = (self.shortest, self.longest);
        let (a, b) = (0.5 * (low + 1.0), 0.5 * (1.0 + high));
        let square = |x: f64| 0.5 * x * x;
        if l <= low || l >= high {
            0.0
        } else if l <= a {
            square((l - low) / (a - low))
        } else if l <= 1.0 {
            1.0 - square((1.0 - l) / (1.0 - a))
        } else if l <= b {
            1.0 - square((l - 1.0) / (b - 1.0))
        } else {
            square((high - l) / (high - b))
        }
    }

    /// Share by normalised speed, and its slope.
    fn by_speed(&self, v: f64) -> [f64; 2] {
        let y = self.eccentric - 1.0;
        if v <= -1.0 {
            [0.0, 0.0]
        } else if v <= 0.0 {
            [(v + 1.0) * (v + 1.0), 2.0 * (v + 1.0)]
        } else if v <= y {
            [self.eccentric - (y - v) * (y - v) / y, 2.0 * (y - v) / y]
        } else {
            [self.eccentric, 0.0]
        }
    }

    /// Passive force by normalised length.
    fn passively(&self, l: f64) -> f64 {
        let half = 0.5 * (self.longest - 1.0);
        let x = (l - 1.0) / half;
        if x <= 0.0 {
            0.0
        } else if x <= 1.0 {
            0.5 * self.passive * x * x
        } else {
            self.passive * (x - 0.5)
        }
    }

    /// Effort on the coordinate `q` at its rate with the activation `a`, and how it falls with the
    /// rate.
    fn effort_and_slope(&self, q: f64, rate: f64, a: f64) -> [f64; 2] {
        let l = (self.arm * q - self.slack) / self.optimal;
        let unit = self.optimal * self.fastest;
        let [share, slope] = self.by_speed(self.arm * rate / unit);
        let active = self.force * a * self.by_length(l);
        [
            -self.arm * (active * share + self.force * self.passively(l)),
            self.arm * self.arm * active * slope / unit,
        ]
    }

    /// Effort on the coordinate.
    pub fn effort(&self, q: f64, rate: f64, a: f64) -> f64 {
        self.effort_and_slope(q, rate, a)[0]
    }

    /// The effort as that of a damper about the rate `pace`: its damping, and the effort at the
    /// rate 0.
    pub(crate) fn damper(&self, q: f64, pace: f64, a: f64) -> [f64; 2] {
        let [effort, slope] = self.effort_and_slope(q, pace, a);
        let unit = self.arm * self.arm * self.force / (self.optimal * self.fastest);
        let damping = slope.max(LEAST_DAMPING * unit);
        [damping, effort + damping * pace]
    }

    /// The largest damping that it can have.
    pub(crate) fn most_damping(&self) -> f64 {
        2.0 * self.arm * self.arm * self.force / (self.optimal * self.fastest)
    }

    /// Activation after `h` of the excitation `u`.
    pub fn activation(&self, u: f64, a: f64, h: f64) -> f64 {
        let u = u.clamp(0.0, 1.0);
        let [rise, fall] = self.times;
        if rise.max(fall) == 0.0 {
            return u;
        }
        let slope = |a: f64| {
            let lever = 0.5 + 1.5 * a.clamp(0.0, 1.0);
            let time = if u > a { rise * lever } else { fall / lever };
            (u - a) / time.max(f64::MIN_POSITIVE)
        };
        let shortest = 0.5 * rise.min(0.5 * fall).max(f64::MIN_POSITIVE);
        let steps = (STEPS_PER_TIME * h / shortest).ceil().clamp(1.0, MOST_STEPS);
        let d = h / steps;
        let mut a = a;
        for _ in 0..steps as usize {
            let k1 = slope(a);
            let k2 = slope(a + 0.5 * d * k1);
            let k3 = slope(a + 0.5 * d * k2);
            let k4 = slope(a + d * k3);
            let next = a + d * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
            // where a step is too long for its time constant it arrives
            a = if next.is_finite() && (next - u) * (a - u) >= 0.0 { next } else { u };
        }
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curves_have_their_marks() {
        let m = Muscle::new(1.0, 1.0);
        let length = [0.5, 0.75, 1.0, 1.3, 1.6].map(|l| m.by_length(l));
        assert_eq!([length[0], length[2], length[4]], [0.0, 1.0, 0.0]);
        assert!((length[1] - 0.5).abs() < 1e-12 && (length[3] - 0.5).abs() < 1e-12);
        let speed = [-1.0, -0.5, 0.0, 0.2, 9.0].map(|v| m.by_speed(v)[0]);
        for (found, expected) in speed.into_iter().zip([0.0, 0.25, 1.0, 1.2, 1.2]) {
            assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
        }
        assert!((m.passively(1.3) - 0.65).abs() < 1e-12 && m.passively(0.9) == 0.0);
        // slopes against differences
        for v in [-0.7, -0.1, 0.05, 0.15] {
            let slope = (m.by_speed(v + 1e-6)[0] - m.by_speed(v - 1e-6)[0]) / 2e-6;
            assert!((slope - m.by_speed(v)[1]).abs() < 1e-8);
        }
    }

    /// With a constant lever (τ fixed) the activation is 1 − e^(−t/τ); with the lever the inverse
    /// function is known: t = −τ₁ [ (½ + 3u/2) ln(1 − a/u) + 3a/2 ] for a rise from 0.
    #[test]
    fn activation_rises_as_its_closed_form_says() {
        let m = Muscle::new(1.0, 1.0);
        let u = 0.8;
        let a = m.activation(u, 0.0, 0.015);
        let t = -m.times[0] * ((0.5 + 1.5 * u) * (1.0 - a / u).ln() + 1.5 * a);
        assert!((t - 0.015).abs() < 1e-6, "{t}");
        assert_eq!(Muscle { times: [0.0; 2], ..m }.activation(u, 0.0, 1e-3), u);
    }
}
