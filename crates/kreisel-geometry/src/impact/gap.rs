//! The gap between two parts and how long it lasts.
//!
//! A gap is a distance d and a unit normal n such that n·(x − y) ≥ d for all points x of the first
//! and y of the second part: the parts are separated by a slab of thickness d. For boxes it is the
//! longer of the two gap vectors in the boxes' frames (see `tree::bound`), whose direction
//! separates the box from the other one's enclosing box in that frame.

use super::motion::{Motion, free_time};
use crate::Pose;
use crate::tree::OrientedBox;
use glam::DVec3;

/// A slab between two parts.
#[derive(Clone, Copy)]
pub(super) struct Gap {
    pub(super) distance: f64,
    pub(super) normal: DVec3,
}

/// The gap of two boxes in the world.
pub(super) fn box_gap(a: &OrientedBox, b: &OrientedBox) -> Gap {
    let c = a.center - b.center;
    let m = b.axes.transpose() * a.axes;
    let abs = glam::DMat3::from_cols(m.x_axis.abs(), m.y_axis.abs(), m.z_axis.abs());
    let in_b = b.axes.transpose() * c;
    let in_a = a.axes.transpose() * c;
    let gap = |x: DVec3, reach: DVec3| {
        let outside = (x.abs() - reach).max(DVec3::ZERO);
        DVec3::new(outside.x.copysign(x.x), outside.y.copysign(x.y), outside.z.copysign(x.z))
    };
    let first = gap(in_b, b.half + abs * a.half);
    let second = gap(in_a, a.half + abs.transpose() * b.half);
    let (p, q) = (first.length_squared(), second.length_squared());
    let vector = if p >= q { b.axes * first } else { a.axes * second };
    let distance = p.max(q).sqrt();
    Gap { distance, normal: if distance > 0.0 { vector / distance } else { DVec3::ZERO } }
}

/// A body at one moment: its pose and velocities, and the bounds that hold from then on.
pub(super) struct Moment {
    pub(super) pose: Pose,
    pub(super) center: DVec3,
    velocity: DVec3,
    spin: DVec3,
    acceleration: DVec3,
    acceleration_slack: f64,
    spin_bound: f64,
    spin_rate: f64,
}

impl Moment {
    pub(super) fn new(motion: &dyn Motion, t: f64) -> Self {
        let pose = motion.pose(t);
        let (velocity, spin) = motion.velocity(t);
        Self {
            center: pose.point(motion.center()),
            pose,
            velocity,
            spin,
            acceleration: motion.acceleration(),
            acceleration_slack: motion.acceleration_slack(),
            spin_bound: motion.spin(),
            spin_rate: motion.spin_rate(),
        }
    }

    /// Velocity of the body's point that is at `p` in the world.
    pub(super) fn velocity_at(&self, p: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(p - self.center)
    }
}

/// The points of a part as far as their motion is concerned.
pub(super) trait Extent {
    /// max over the points x of d·x, in the world.
    fn reach(&self, d: DVec3) -> f64;
    /// A bound of the distance of the points from `center`.
    fn radius(&self, center: DVec3) -> f64;
}

impl Extent for OrientedBox {
    fn reach(&self, d: DVec3) -> f64 {
        self.center.dot(d) + (self.axes.transpose() * d).abs().dot(self.half)
    }
    fn radius(&self, center: DVec3) -> f64 {
        ((self.axes.transpose() * (self.center - center)).abs() + self.half).length()
    }
}

/// How long the gap lasts, as a valid lower bound.
pub(super) fn lasts(
    gap: &Gap,
    a: &Moment,
    in_a: &impl Extent,
    b: &Moment,
    in_b: &impl Extent,
) -> f64 {
    if gap.distance <= 0.0 {
        return 0.0;
    }
    let n = gap.normal;
    // gravity that acts on both cancels
    let pull =
        (a.acceleration - b.acceleration).length() + a.acceleration_slack + b.acceleration_slack;
    let along = -n.dot(a.velocity - b.velocity);
    let one = turning(a, in_a, n, -1.0);
    let two = turning(b, in_b, n, 1.0);
    let first = free_time(gap.distance, along + one.first + two.first, pull);
    let second = free_time(gap.distance, along + one.now + two.now, pull + one.second + two.second);
    first.max(second)
}

/// What the rotation of a body adds: bounds of the speed at all times, of the speed now, and of its
/// growth.
struct Turning {
    first: f64,
    now: f64,
    second: f64,
}

/// For the body whose points come closer along `sign` · n.
fn turning(body: &Moment, extent: &impl Extent, n: DVec3, sign: f64) -> Turning {
    if body.spin_bound == 0.0 {
        return Turning { first: 0.0, now: 0.0, second: 0.0 };
    }
    let rho = extent.radius(body.center);
    // n·(ω × r) = r·(n × ω)
    let lever = n.cross(body.spin) * sign;
    let now = extent.reach(lever) - body.center.dot(lever);
    let steady = body.spin_rate == 0.0;
    let first = if steady { lever.length() * rho } else { body.spin_bound * rho };
    Turning { first, now, second: (body.spin_bound * body.spin_bound + body.spin_rate) * rho }
}
