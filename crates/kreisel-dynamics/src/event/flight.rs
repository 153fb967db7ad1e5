//! The flight of a body between two collisions, exact to rounding.
//!
//! Reference: Lennerz 2000, section 2.5 (L-09) and 4.2 (L-64). The centre of mass follows a
//! parabola. The rotation is free: in closed form for bodies with two equal moments (a steady
//! precession about the angular momentum and a steady spin about the axis), else by Taylor series
//! of order 16 in steps so short that their error is rounding.

use crate::contact::{Collider, Place};
use crate::flow;
use crate::math::{Mat3, Quat, Vec3, rotation};
use crate::settings::Rotation;
use crate::state::BodyState;
use kreisel_geometry::Pose;
use kreisel_geometry::impact::Motion;

/// Largest turn in one Taylor step, rad: 0.4¹⁷/17! is below 1e-21.
const TURN: f64 = 0.4;
/// Moments that differ by less than this fraction are equal.
const EQUAL: f64 = 1e-12;

/// A free motion that starts at a time of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    /// When it starts, from the start of the step, s.
    pub from: f64,
    pub start: BodyState,
    pub acceleration: Vec3,
    /// Principal moments; zero for bodies that do not turn or keep their spin.
    pub moments: Vec3,
    pub inverse: Vec3,
    /// 1/m, 0 for bodies that impulses do not move.
    pub inverse_mass: f64,
    /// The body does not move until the end of the step: its time stands still.
    pub stalled: bool,
}

impl Flight {
    /// Pose and velocity at a time of the step.
    pub fn at(&self, time: f64) -> BodyState {
        let t = time - self.from;
        if t == 0.0 || self.stalled {
            return self.start;
        }
        let s = &self.start;
        let position = s.position + s.velocity * t + self.acceleration * (0.5 * t * t);
        let velocity = s.velocity + self.acceleration * t;
        let (rotation, angular_velocity) = self.turned(t);
        BodyState { position, rotation, velocity, angular_velocity }
    }

    fn turned(&self, t: f64) -> (Quat, Vec3) {
        let s = &self.start;
        let w = s.angular_velocity;
        let q = s.rotation;
        if w == Vec3::ZERO {
            return (q, w);
        }
        let i = self.moments;
        if self.inverse == Vec3::ZERO || i.x == i.y && i.y == i.z {
            return ((rotation(w * t) * q).normalize(), w);
        }
        let local = i * (q.conjugate() * w);
        let world = q * local;
        let end = if (i.x - i.y).abs() <= EQUAL * i.x {
            // ω = L/I₁ + (1/I₃ − 1/I₁) L₃ e₃
            let spin = Vec3::Z * (local.z * (self.inverse.z - self.inverse.x) * t);
            (rotation(world * (self.inverse.x * t)) * q * rotation(spin)).normalize()
        } else {
            let steps = (w.length() * t.abs() / TURN).ceil().clamp(1.0, 1e6);
            let h = t / steps;
            let mut q = q;
            for _ in 0..steps as u32 {
                q = flow::rotate(Rotation::Taylor(16), q, q.conjugate() * world, self.inverse, h);
            }
            q
        };
        (end, end * (self.inverse * (end.conjugate() * world)))
    }

    /// Inverse inertia in world axes for a rotation.
    pub fn inverse_inertia(&self, q: Quat) -> Mat3 {
        let r = Mat3::from_quat(q);
        r * Mat3::from_diagonal(self.inverse) * r.transpose()
    }

    /// Bounds of |ω| (L-64: the rotational energy is constant) and of |dω/dt|.
    pub fn spin_bounds(&self) -> (f64, f64) {
        let w = self.start.angular_velocity;
        let i = self.moments;
        if self.stalled {
            return (0.0, 0.0);
        }
        if self.inverse == Vec3::ZERO || i.x == i.y && i.y == i.z || i.min_element() <= 0.0 {
            return (w.length(), 0.0);
        }
        let local = self.start.rotation.conjugate() * w;
        let bound = ((i * local).dot(local) / i.min_element()).sqrt() * (1.0 + 1e-12);
        // ω̇₁ = (I₂ − I₃)/I₁ ω₂ ω₃ and so on; ω₂²ω₃² + ω₃²ω₁² + ω₁²ω₂² ≤ ω⁴/3
        let c = Vec3::new(i.y - i.z, i.z - i.x, i.x - i.y).abs() * self.inverse;
        (bound, c.max_element() * bound * bound / 3f64.sqrt() * (1.0 + 1e-12))
    }
}

/// The pose of a body as contact counts it.
pub(super) fn place(s: &BodyState) -> Place {
    Place { x: s.position, q: s.rotation, r: Mat3::from_quat(s.rotation) }
}

/// A shape on its flight, with the clock at zero at `now`.
pub(super) struct Flying<'a> {
    pub flight: &'a Flight,
    pub collider: &'a Collider,
    pub now: f64,
}

impl Motion for Flying<'_> {
    fn pose(&self, t: f64) -> Pose {
        self.collider.pose(&place(&self.flight.at(self.now + t)))
    }
    fn center(&self) -> Vec3 {
        self.collider.turn.conjugate() * -self.collider.offset
    }
    fn velocity(&self, t: f64) -> (Vec3, Vec3) {
        if self.flight.stalled {
            return (Vec3::ZERO, Vec3::ZERO);
        }
        let s = self.flight.at(self.now + t);
        (s.velocity, s.angular_velocity)
    }
    fn acceleration(&self) -> Vec3 {
        if self.flight.stalled { Vec3::ZERO } else { self.flight.acceleration }
    }
    fn spin(&self) -> f64 {
        self.flight.spin_bounds().0
    }
    fn spin_rate(&self) -> f64 {
        self.flight.spin_bounds().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flight(moments: Vec3) -> Flight {
        let start = BodyState {
            position: Vec3::new(1.0, 2.0, 3.0),
            rotation: rotation(Vec3::new(0.3, -0.4, 1.0)),
            velocity: Vec3::new(1.0, 0.0, 2.0),
            angular_velocity: Vec3::new(20.0, -7.0, 11.0),
        };
        let acceleration = Vec3::Z * -9.81;
        Flight {
            from: 0.0,
            start,
            acceleration,
            moments,
            inverse: moments.recip(),
            inverse_mass: 1.0,
            stalled: false,
        }
    }

    #[test]
    fn momentum_and_energy_of_rotation_are_kept_to_rounding() {
        for moments in [Vec3::new(2.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 2.9), Vec3::splat(1.5)] {
            let f = flight(moments);
            let measure = |s: BodyState| {
                let w = s.rotation.conjugate() * s.angular_velocity;
                (s.rotation * (moments * w), (moments * w).dot(w))
            };
            let (l, e) = measure(f.start);
            for t in [1e-4, 0.01, 0.7, 3.0] {
                let (l1, e1) = measure(f.at(t));
                assert!(
                    (l1 - l).length() < 1e-12 * l.length() && (e1 - e).abs() < 1e-12 * e,
                    "{moments} {t}"
                );
                // in two pieces: the same
                let half = Flight { start: f.at(0.5 * t), from: 0.5 * t, ..f }.at(t);
                let whole = f.at(t);
                assert!(
                    (half.rotation * whole.rotation.conjugate()).xyz().length() < 1e-12,
                    "{moments} {t}"
                );
                assert!((half.position - whole.position).length() < 1e-14 * 40.0);
            }
        }
    }

    #[test]
    fn the_closed_form_of_the_symmetric_top_is_the_limit_of_the_series() {
        let exact = flight(Vec3::new(2.0, 2.0, 3.0));
        let near = flight(Vec3::new(2.0, 2.0 + 1e-9, 3.0));
        let turn = |f: Flight| f.at(0.5).rotation;
        assert!((turn(exact) * turn(near).conjugate()).xyz().length() < 1e-7);
    }
}
