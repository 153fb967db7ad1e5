//! The path of a collision, for plots and for looking inside.

use super::response::Regime;
use super::restitution::Stage;
use crate::math::{Mat3, Vec3};

/// A point of the path; vectors are in the collision frame (z is the normal).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracePoint {
    /// Impulse so far, on the first body, N s.
    pub impulse: Vec3,
    /// Relative velocity, m/s.
    pub velocity: Vec3,
    /// Work of the normal impulse so far, J.
    pub normal_work: f64,
    /// Compression or restitution.
    pub stage: Stage,
    /// Sliding or sticking, on the way to this point.
    pub regime: Regime,
}

/// The whole path, from the first touch to the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Axes x, y, z of the collision frame in the world.
    pub axes: Mat3,
    /// The points, first to last.
    pub points: Vec<TracePoint>,
}

impl Trace {
    /// The phases in order: stage and regime, each with the index of its last point.
    pub fn phases(&self) -> Vec<(Stage, Regime, usize)> {
        let mut phases: Vec<(Stage, Regime, usize)> = Vec::new();
        for (i, p) in self.points.iter().enumerate().skip(1) {
            match phases.last_mut() {
                Some(last) if last.0 == p.stage && last.1 == p.regime => last.2 = i,
                _ => phases.push((p.stage, p.regime, i)),
            }
        }
        phases
    }
}
