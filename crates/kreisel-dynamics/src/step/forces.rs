//! Forces of a system: constant ones for the whole step; continuous springs and the efforts of
//! motors, whose axes turn with the bodies, at both ends of each substep (B-30, B-31, B-35, B-36).
//!
//! With continuous springs the substep is kick-drift-kick: half a kick with the forces at t₀, half
//! with those at t₀ + h. Damping depends on the velocities that the second half and the velocity
//! correction produce; a few fixed-point rounds around both settle it, so that damped mechanisms
//! keep the second order.

use super::Stats;
use crate::constraint::guide::MAX_PLACES;
use crate::constraint::{Pair, coordinate};
use crate::lanes::{F4, LANES};
use crate::math::Vec3;
use crate::system::{Actuator, System, SystemSpring, set3, vec3};

/// Rounds for velocity-dependent forces in the second half kick.
const DAMPING_ROUNDS: usize = 4;

/// An effort that acts on nothing.
const NOBODY: (usize, Vec3, Vec3) = (usize::MAX, Vec3::ZERO, Vec3::ZERO);

/// Force on the first anchor's body and the power that damping takes.
pub(crate) struct SpringForce {
    pub force: Vec3,
    pub arms: [Vec3; 2],
    pub loss: f64,
}

impl System {
    pub(crate) fn has_continuous(&self) -> bool {
        self.springs.iter().any(SystemSpring::is_force) || !self.actuators.is_empty()
    }

    /// Bodies, forces and torques of a motor in the present poses.
    pub(crate) fn actuator_efforts(&self, a: &Actuator) -> [(usize, Vec3, Vec3); MAX_PLACES] {
        let node = &self.nodes[a.node as usize];
        if let Some(g) = self.guides.get(node.guide as usize) {
            let places = g.places(|b| self.pose(b));
            return g.shares(&places, |b| self.pose(b), g.guide.along(&places, None) * a.effort);
        }
        let pair = Pair::new(&node.frames, self.pose(node.bodies[0]), self.pose(node.bodies[1]));
        let row = coordinate::row(&pair, a.coordinate);
        [
            (node.bodies[0] as usize, row.n * -a.effort, row.a[0] * a.effort),
            (node.bodies[1] as usize, row.n * a.effort, row.a[1] * a.effort),
            NOBODY,
            NOBODY,
        ]
    }

    /// Arm, anchor and its velocity for one end of a spring.
    fn spring_end(&self, s: &SystemSpring, k: usize) -> (Vec3, Vec3, Vec3) {
        let body = s.bodies[k];
        let pose = self.pose(body);
        let arm = pose.r * s.anchors[k];
        let b = body as usize;
        let (v, w) = if b < self.slots.len() {
            let (g, l) = (&self.groups[b / LANES], b % LANES);
            let local = Vec3::new(g.y[3].0[l], g.y[4].0[l], g.y[5].0[l]) * vec3(&g.isi, l);
            (Vec3::new(g.y[0].0[l], g.y[1].0[l], g.y[2].0[l]) * g.ism.0[l], pose.r * local)
        } else {
            let o = &self.others[b - self.slots.len()];
            (o.velocity, o.angular_velocity)
        };
        (arm, pose.x + arm, v + w.cross(arm))
    }

    pub(crate) fn spring_force(&self, s: &SystemSpring) -> SpringForce {
        let (arm1, a, ua) = self.spring_end(s, 0);
        let (arm2, b, ub) = self.spring_end(s, 1);
        let d = b - a;
        let length = d.length();
        let unit = d.normalize_or_zero();
        let rate = ub - ua;
        let damped = if s.isotropic { rate } else { unit * rate.dot(unit) };
        let drag = damped * s.damping;
        let force = unit * (s.stiffness * (length - s.length)) + drag;
        SpringForce { force, arms: [arm1, arm2], loss: drag.dot(rate) }
    }

    /// Energy stored in springs.
    pub(crate) fn spring_energy(&self) -> f64 {
        self.springs
            .iter()
            .map(|s| {
                let stretch =
                    (self.spring_end(s, 1).1 - self.spring_end(s, 0).1).length() - s.length;
                0.5 * s.stiffness * stretch * stretch
            })
            .sum()
    }

    /// Adds force and torque to a moving body's lanes.
    pub(crate) fn add_effort(&mut self, body: usize, force: Vec3, torque: Vec3) {
        if body < self.slots.len() {
            let (g, l) = (&mut self.groups[body / LANES], body % LANES);
            let ism = g.ism.0[l];
            let (a, t) = (vec3(&g.acc, l) + force * (ism * ism), vec3(&g.torque, l) + torque);
            set3(&mut g.acc, l, a);
            set3(&mut g.torque, l, t);
        }
    }

    /// Puts gravity and nothing else into all lanes.
    pub(crate) fn clear_forces(&mut self) {
        self.actuators.clear();
        for i in 0..self.groups.len() {
            for l in 0..LANES {
                let there = i * LANES + l < self.slots.len();
                let gravity = if there { self.gravity } else { Vec3::ZERO };
                set3(&mut self.groups[i].acc, l, gravity);
            }
            self.groups[i].torque = [F4::ZERO; 3];
        }
    }

    /// Adds springs of one mode; returns the power that damping takes.
    pub(crate) fn add_springs(&mut self, continuous: bool) -> f64 {
        let mut loss = 0.0;
        for i in 0..self.springs.len() {
            if self.springs[i].continuous != continuous || self.springs[i].law {
                continue;
            }
            let f = self.spring_force(&self.springs[i]);
            let [a, b] = self.springs[i].bodies;
            self.add_effort(a as usize, f.force, f.arms[0].cross(f.force));
            self.add_effort(b as usize, -f.force, -f.arms[1].cross(f.force));
            loss += f.loss;
        }
        loss
    }

    /// Remembers the forces that stay constant during the step.
    pub(crate) fn keep_constant_forces(&mut self) {
        self.constant.clear();
        if self.has_continuous() {
            self.constant.extend(self.groups.iter().map(|g| (g.acc, g.torque)));
        }
    }

    fn constant_and_springs(&mut self) -> f64 {
        for (g, c) in self.groups.iter_mut().zip(&self.constant) {
            (g.acc, g.torque) = *c;
        }
        for i in 0..self.actuators.len() {
            for (body, force, torque) in self.actuator_efforts(&self.actuators[i]) {
                self.add_effort(body, force, torque);
            }
        }
        self.add_springs(true)
    }

    /// Forces at the start of a substep whose first half kick lasts `half`.
    pub(super) fn forces_now(&mut self, stats: &mut Stats, half: f64) {
        if self.has_continuous() {
            stats.damping += half * self.constant_and_springs();
        }
    }

    /// Second half kick with the forces at the end of the substep; returns the power that damping
    /// takes there.
    pub(super) fn end_kick(&mut self, half: f64) -> f64 {
        self.kick_start.clear();
        self.kick_start.extend(self.groups.iter().map(|g| g.y));
        let rounds = if self.is_damped() { DAMPING_ROUNDS } else { 1 };
        let mut loss = 0.0;
        for _ in 0..rounds {
            loss = self.kick_again(half);
        }
        loss
    }

    /// The second half kick again, with forces for the velocities at hand.
    pub(super) fn kick_again(&mut self, half: f64) -> f64 {
        let loss = self.constant_and_springs();
        for (g, y) in self.groups.iter_mut().zip(&self.kick_start) {
            g.y = *y;
            g.kick(half);
        }
        loss
    }

    /// Whether forces depend on velocities.
    pub(super) fn is_damped(&self) -> bool {
        self.springs.iter().any(|s| s.is_force() && s.damping > 0.0)
    }
}
