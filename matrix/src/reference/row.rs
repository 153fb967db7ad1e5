//! What acts on a tree: forces, conditions, dry friction and stops, each along one scalar
//! coordinate.

use super::jet::{self, Jet, Jet3};
use super::tree::{Pose, Vector};

/// A point of a link, or of the world, by its place at the start.
#[derive(Clone, Copy, Debug)]
pub struct Anchor {
    /// The link; the world unless there is one.
    pub link: Option<usize>,
    /// Its place at the start, m.
    pub point: Vector,
}

impl Anchor {
    fn place(&self, poses: &[Pose]) -> Jet3 {
        self.link.map_or(jet::constant(self.point), |l| poses[l].point(self.point))
    }
}

/// A scalar function of the configuration.
#[derive(Clone, Copy, Debug)]
pub enum Coordinate {
    /// The coordinate of a link.
    Link(usize),
    /// Distance of two points, m.
    Distance(Anchor, Anchor),
    /// A length minus the distance of two points, m: what a rope has left.
    Slack(f64, Anchor, Anchor),
    /// Way from the first to the second point along a direction of the world, minus an offset, m.
    Along(Vector, Anchor, Anchor, f64),
    /// Way of the lowest point of a ball along x while it rolls: its centre, radius, and the links
    /// (by bits) whose turns it takes part in.
    Roll(Anchor, f64, u32),
    /// A coordinate's way above a lower bound.
    Above(usize, f64),
}

impl Coordinate {
    /// Its value with derivatives.
    pub fn jet(&self, q: &[Jet], poses: &[Pose]) -> Jet {
        let distance = |a: &Anchor, b: &Anchor| {
            let d = jet::sub(b.place(poses), a.place(poses));
            jet::dot(d, d).sqrt()
        };
        match self {
            Self::Link(k) => q[*k],
            Self::Roll(center, radius, turns) => (0..q.len())
                .filter(|k| turns >> k & 1 == 1)
                .fold(center.place(poses)[0], |sum, k| sum + q[k] * *radius),
            Self::Above(k, bound) => q[*k] - Jet::constant(*bound),
            Self::Distance(a, b) => distance(a, b),
            Self::Slack(length, a, b) => Jet::constant(*length) - distance(a, b),
            Self::Along(n, a, b, offset) => {
                let d = jet::sub(b.place(poses), a.place(poses));
                jet::dot(jet::constant(*n), d) - Jet::constant(*offset)
            }
        }
    }
}

/// A value over time: straight lines between points, constant outside.
#[derive(Clone, Debug)]
pub struct Schedule(pub Vec<(f64, f64)>);

impl Schedule {
    /// The same value at all times.
    pub fn constant(value: f64) -> Self {
        Self(vec![(0.0, value)])
    }

    /// Value and slope at a time.
    pub fn at(&self, time: Time) -> (f64, f64) {
        let next = self.0.partition_point(|p| p.0 <= time.within);
        let Some(before) = next.checked_sub(1) else { return (self.0[0].1, 0.0) };
        let (a, Some(b)) = (self.0[before], self.0.get(next)) else {
            return (self.0[before].1, 0.0);
        };
        let slope = (b.1 - a.1) / (b.0 - a.0);
        (a.1 + slope * (time.t - a.0), slope)
    }
}

/// A time, and a time within the same smooth piece: at a corner it says which side is meant.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// s.
    pub t: f64,
    /// s.
    pub within: f64,
}

/// A force as a function of time, coordinate and rate.
pub type Effort = Box<dyn Fn(Time, f64, f64) -> f64 + Send + Sync>;

/// What a row does along its coordinate.
pub enum Law {
    /// A smooth force.
    Force(Effort),
    /// The rate is that of the schedule, whatever it takes.
    Hold(Schedule),
    /// The rate is drawn to that of the schedule with at most this effort: dry friction, and motors
    /// with a bound.
    Bounded(Schedule, f64),
    /// The coordinate stays above zero; this share of the speed comes back.
    Stop(f64),
    /// Coulomb friction with a coefficient, by the force of another row, which is a stop.
    Rub(usize, f64),
    /// A force of this gain on the integral over time of what the coordinate lacks to a value.
    Wound(f64, f64),
}

/// A coordinate with what acts along it.
pub struct Row {
    /// The coordinate.
    pub coordinate: Coordinate,
    /// What acts.
    pub law: Law,
}
