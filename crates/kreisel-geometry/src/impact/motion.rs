//! Motions of rigid bodies, and how far a part can get along a direction.
//!
//! Reference: Lennerz 2000, section 4.2 (eq. 4.1, L-63, L-64) and 4.4.1 (L-69).
//!
//! For a part whose points r (from the centre of rotation) lie in a set with radius ρ, and a
//! direction −n in which a gap d is used up, two bounds of the way after the time s hold; the later
//! of both times is valid:
//!
//! | order | way along −n |
//! |---|---|
//! | first | s (−n·v + \|n × ω\|ₘₐₓ ρ) + ½ s² \|a\| |
//! | second | s max(−n·(v + ω × r)) + ½ s² (\|a\| + ω²ₘₐₓ ρ + \|ω̇\| ρ) |
//!
//! The second is exact to first order in the direction of the true motion, so the search converges
//! quadratically; the thesis' bound |v| + ω ρ does not look at directions. Accelerations enter as
//! bounds: gravity cancels only if both bodies fall (the thesis lets it cancel always), a static
//! partner has a = 0.

use crate::Pose;
use glam::{DQuat, DVec3};

/// A rigid motion over an interval that starts at t = 0.
pub trait Motion {
    /// Where the body's frame is at time `t`.
    fn pose(&self, t: f64) -> Pose;
    /// The centre of rotation, in the body's frame.
    fn center(&self) -> DVec3;
    /// Velocity of that centre and angular velocity at time `t`, in world axes.
    fn velocity(&self, t: f64) -> (DVec3, DVec3);
    /// Acceleration of the centre, if it is the same at all times (gravity), else a zero vector;
    /// world axes.
    fn acceleration(&self) -> DVec3;
    /// Bound of what the acceleration deviates from [`Self::acceleration`], in m/s².
    fn acceleration_slack(&self) -> f64 {
        0.0
    }
    /// Bound of |ω| over the interval.
    fn spin(&self) -> f64;
    /// Bound of |dω/dt| over the interval.
    fn spin_rate(&self) -> f64;
}

/// Flight under constant acceleration with constant angular velocity. Without velocities it is a
/// body at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ballistic {
    /// Pose at t = 0.
    pub start: Pose,
    /// Centre of mass in the body's frame.
    pub center: DVec3,
    /// Velocity of the centre of mass at t = 0, in m/s.
    pub velocity: DVec3,
    /// Angular velocity in world axes, in rad/s.
    pub spin: DVec3,
    /// Acceleration of the centre of mass, in m/s²: gravity, or zero for a static body.
    pub acceleration: DVec3,
}

impl Ballistic {
    /// A body that does not move.
    pub fn at_rest(start: Pose) -> Self {
        let zero = DVec3::ZERO;
        Self { start, center: zero, velocity: zero, spin: zero, acceleration: zero }
    }

    /// True if all numbers are finite and the start is a rigid motion.
    pub fn is_valid(&self) -> bool {
        let vectors = [self.center, self.velocity, self.spin, self.acceleration];
        self.start.is_valid() && vectors.iter().all(|v| v.is_finite() && v.length() < 1e60)
    }
}

impl Motion for Ballistic {
    fn pose(&self, t: f64) -> Pose {
        let rotation = (turn(self.spin * t) * self.start.rotation).normalize();
        let center =
            self.start.point(self.center) + self.velocity * t + self.acceleration * (0.5 * t * t);
        Pose { position: center - rotation * self.center, rotation }
    }
    fn center(&self) -> DVec3 {
        self.center
    }
    fn velocity(&self, t: f64) -> (DVec3, DVec3) {
        (self.velocity + self.acceleration * t, self.spin)
    }
    fn acceleration(&self) -> DVec3 {
        self.acceleration
    }
    fn spin(&self) -> f64 {
        self.spin.length()
    }
    fn spin_rate(&self) -> f64 {
        0.0
    }
}

/// The rotation by the vector `angle` (axis times angle), with pinned functions.
fn turn(angle: DVec3) -> DQuat {
    let half = 0.5 * angle.length();
    if half == 0.0 {
        return DQuat::IDENTITY;
    }
    let (sin, cos) = libm::sincos(half);
    let v = angle * (0.5 * sin / half);
    DQuat::from_xyzw(v.x, v.y, v.z, cos)
}

/// The time for which a gap lasts when it is used up at the rate `speed` that grows by `rate`: the
/// positive root of speed s + ½ rate s² = gap. Infinite if the gap is never used up.
///
/// ```
/// use kreisel_geometry::impact::free_time;
/// // Lennerz 4.2: two free bodies, gap 1 m, relative speed 2 m/s, ω r = 1.5 m/s
/// assert!((free_time(1.0, 3.5, 0.0) - 0.285714).abs() < 1e-6);
/// // at rest 1 m above a static floor: the fall takes √(2/g), not for ever
/// assert!((free_time(1.0, 0.0, 9.81) - 0.451524).abs() < 1e-6);
/// ```
pub fn free_time(gap: f64, speed: f64, rate: f64) -> f64 {
    if gap <= 0.0 {
        return 0.0;
    }
    let denominator = speed + (speed * speed + 2.0 * rate * gap).sqrt();
    if denominator > 0.0 { 2.0 * gap / denominator } else { f64::INFINITY }
}

/// The axis-aligned box that a ball of the given radius round the centre of mass sweeps in the
/// interval [0, t]: smallest and largest corner (Lennerz 4.4.1 for any direction of gravity).
pub fn motion_bounds(motion: &Ballistic, radius: f64, t: f64) -> (DVec3, DVec3) {
    let start = motion.start.point(motion.center);
    let end = start + motion.velocity * t + motion.acceleration * (0.5 * t * t);
    let (mut lo, mut hi) = (start.min(end), start.max(end));
    for k in 0..3 {
        // the top of the parabola, where the velocity changes its sign
        let (v, a) = (motion.velocity[k], motion.acceleration[k]);
        let top = -v / a;
        if a != 0.0 && top > 0.0 && top < t {
            let x = start[k] - 0.5 * v * v / a;
            lo[k] = lo[k].min(x);
            hi[k] = hi[k].max(x);
        }
    }
    (lo - DVec3::splat(radius), hi + DVec3::splat(radius))
}
