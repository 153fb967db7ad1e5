//! Set values over time (B-33): a stored motion sequence.

use crate::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// How a schedule goes from one point to the next.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Interpolation {
        /// Keeps each value until the next point.
        Hold = "hold",
        /// Straight lines.
        Linear = "linear",
        /// Cubic with zero slope at every point.
        Smooth = "smooth",
    }
}

/// A value over time, given by points (time in s, value) in rising order of time; constant outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Points (s, value).
    pub points: Vec<(f64, f64)>,
    /// What happens between them.
    pub interpolation: Interpolation,
}

impl Schedule {
    /// The same value at all times.
    pub fn constant(value: f64) -> Self {
        Self { points: vec![(0.0, value)], interpolation: Interpolation::Hold }
    }

    /// Straight lines through points.
    pub fn linear(points: Vec<(f64, f64)>) -> Self {
        Self { points, interpolation: Interpolation::Linear }
    }

    /// Whether it goes from value to value at once.
    pub(crate) fn jumps(&self) -> bool {
        self.interpolation == Interpolation::Hold && self.points.len() > 1
    }

    /// The value at time `t`.
    pub fn at(&self, t: f64) -> f64 {
        let next = self.points.partition_point(|p| p.0 <= t);
        if next == 0 {
            return self.points.first().map_or(0.0, |p| p.1);
        }
        let (t0, y0) = self.points[next - 1];
        let Some(&(t1, y1)) = self.points.get(next) else { return y0 };
        let s = (t - t0) / (t1 - t0);
        match self.interpolation {
            Interpolation::Hold => y0,
            Interpolation::Linear => y0 + s * (y1 - y0),
            Interpolation::Smooth => y0 + s * s * (3.0 - 2.0 * s) * (y1 - y0),
        }
    }
}

impl Schedule {
    /// How fast it changes at time `t`; jumps have no slope.
    pub(crate) fn slope(&self, t: f64) -> f64 {
        let next = self.points.partition_point(|p| p.0 <= t);
        let Some(last) = next.checked_sub(1).map(|k| self.points[k]) else { return 0.0 };
        let Some(&(t1, y1)) = self.points.get(next) else { return 0.0 };
        let (mean, s) = ((y1 - last.1) / (t1 - last.0), (t - last.0) / (t1 - last.0));
        match self.interpolation {
            Interpolation::Hold => 0.0,
            Interpolation::Linear => mean,
            Interpolation::Smooth => 6.0 * s * (1.0 - s) * mean,
        }
    }

    /// The mean value from `t0` to `t1`, exact for every interpolation.
    pub fn mean(&self, t0: f64, t1: f64) -> f64 {
        if !(t1 > t0) {
            return self.at(t0);
        }
        let mut sum = 0.0;
        let mut a = t0;
        while a < t1 {
            let next = self.points.partition_point(|p| p.0 <= a);
            let b = self.points.get(next).map_or(t1, |p| p.0.min(t1));
            // Simpson's rule is exact for cubics; the end is read from the left of a jump
            let end =
                if self.interpolation == Interpolation::Hold { self.at(a) } else { self.at(b) };
            sum += (b - a) * (self.at(a) + 4.0 * self.at(0.5 * (a + b)) + end) / 6.0;
            a = b;
        }
        sum / (t1 - t0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_constant_outside_its_points_and_interpolates_inside() {
        let s = Schedule::linear(vec![(1.0, 2.0), (3.0, 6.0)]);
        assert_eq!(
            [s.at(0.0), s.at(1.0), s.at(2.0), s.at(3.0), s.at(9.0)],
            [2.0, 2.0, 4.0, 6.0, 6.0]
        );
        // areas of the trapezium, the steps and the (symmetric) smooth rise
        assert!((s.mean(0.0, 4.0) - (2.0 + 8.0 + 6.0) / 4.0).abs() < 1e-15);
        assert!(
            (Schedule { interpolation: Interpolation::Hold, ..s.clone() }.mean(0.0, 4.0)
                - (6.0 + 6.0) / 4.0)
                .abs()
                < 1e-15
        );
        assert!(
            (Schedule { interpolation: Interpolation::Smooth, ..s.clone() }.mean(1.0, 3.0) - 4.0)
                .abs()
                < 1e-15
        );
        let hold = Schedule { interpolation: Interpolation::Hold, ..s.clone() };
        assert_eq!([hold.at(2.9), hold.at(3.0)], [2.0, 6.0]);
        let smooth = Schedule { interpolation: Interpolation::Smooth, ..s };
        assert_eq!([smooth.at(1.5), smooth.at(2.0)], [2.0 + 4.0 * 0.15625, 4.0]);
        for (s, t) in [(&smooth, 1.5), (&smooth, 2.7)] {
            let difference = (s.at(t + 1e-6) - s.at(t - 1e-6)) / 2e-6;
            assert!((s.slope(t) - difference).abs() < 1e-8, "{} and {difference}", s.slope(t));
        }
        assert_eq!([hold.slope(2.0), smooth.slope(0.5), smooth.slope(3.5)], [0.0; 3]);
    }
}
