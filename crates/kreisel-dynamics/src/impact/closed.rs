//! Closed forms where the velocity changes along a straight line.
//!
//! Reference: Lennerz 2000, sections 5.5.1 and 5.5.2 (L-84; lemma 5.15; corrected:
//! docs/sources.md). Three motions are straight: stable sticking, slipping along the diverging ray,
//! and slipping in any direction that friction does not turn (spheres, planar contacts). With
//! du/dσ = d and dp_z/dσ = ρ: u is linear and W_z quadratic in σ,
//!
//! W(σ) = W(0) + ρ (u_z σ + ½ d_z σ²).
//!
//! The tangential components are linear in u_z, not square roots as (5.28) prints.

use super::path::Point;
use super::restitution::Goal;
use crate::math::Vec3;

/// A straight path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// du/dσ.
    pub slope: Vec3,
    /// dp_z/dσ.
    pub rate: f64,
}

impl Line {
    pub fn at(&self, from: &Point, sigma: f64) -> Point {
        Point {
            u: from.u + self.slope * sigma,
            work: from.work + self.rate * sigma * (from.u.z + 0.5 * self.slope.z * sigma),
            normal: from.normal + self.rate * sigma,
        }
    }

    /// The way to the goal, if the line leads there.
    pub fn way_to(&self, from: &Point, goal: &Goal) -> Option<f64> {
        let way = match goal {
            Goal::Speed(v) => (v - from.u.z) / self.slope.z,
            Goal::Impulse(p) => (p - from.normal) / self.rate,
            Goal::Work(w) => {
                // the larger root of ½ d_z σ² + u_z σ = ΔW/ρ without cancellation; u_z ≥ 0 in
                // restitution
                let missing = (w - from.work) / self.rate;
                let root = (from.u.z * from.u.z + 2.0 * self.slope.z * missing).sqrt();
                2.0 * missing / (from.u.z + root)
            }
        };
        (way >= 0.0 && way.is_finite()).then_some(way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_their_goals_are() {
        let from = Point { u: Vec3::new(0.3, -0.1, 0.2), work: -0.4, normal: 1.0 };
        let line = Line { slope: Vec3::new(0.5, 0.25, 0.7), rate: 0.8 };
        for goal in [Goal::Speed(0.9), Goal::Work(-0.1), Goal::Impulse(1.7)] {
            let end = line.at(&from, line.way_to(&from, &goal).unwrap());
            assert!(goal.excess(&end).abs() < 1e-15, "{goal:?} {end:?}");
        }
        assert_eq!(line.way_to(&from, &Goal::Speed(0.1)), None);
    }

    #[test]
    fn the_work_is_the_integral_of_the_normal_velocity() {
        // midpoint rule with 1000 intervals: exact for a linear integrand up to rounding
        let from = Point { u: Vec3::new(0.0, 0.0, -1.0), work: 0.25, normal: 0.0 };
        let line = Line { slope: Vec3::new(0.0, 0.0, 1.6), rate: 1.0 };
        let sum: f64 = (0..1000).map(|i| line.at(&from, (i as f64 + 0.5) * 1e-3).u.z * 1e-3).sum();
        assert!((line.at(&from, 1.0).work - 0.25 - sum).abs() < 1e-12);
    }
}
