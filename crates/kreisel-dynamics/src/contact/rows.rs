//! Rows of contact points for four manifolds side by side.
//!
//! In scaled velocities y = (√m v, √I Rᵀω) a point's normal row is one vector per body, used both for the rate J M^−½ y and
//! for the impulse M^−½ Jᵀ λ: no inverse inertia is left in a sweep. The points of a manifold share the normal, so the
//! linear part of the rate is one number that grows by (1/m₁ + 1/m₂) λ with every impulse.
//!
//! Bodies that impulses do not move all write to cell 0, with rows of zero.

use super::manifold::{Manifold, POINTS};
use crate::lanes::{F4, LANES};
use crate::math::Vec3;

/// No manifold in this lane.
pub(crate) const IDLE: u32 = u32::MAX;

/// Scaled velocity of one body: one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Cell {
    pub linear: F4,
    pub angular: F4,
}

/// What a row needs to know of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyView {
    /// Cell of its velocity; 0 when impulses do not move it.
    pub cell: u32,
    pub x: Vec3,
    pub r: crate::math::Mat3,
    pub inverse_root_mass: f64,
    pub inverse_root_inertia: Vec3,
    /// Velocities of a kinematic body, zero for all others.
    pub velocity: Vec3,
    pub spin: Vec3,
}

impl BodyView {
    /// I^−½ Rᵀ v.
    #[inline]
    pub fn scaled(&self, v: Vec3) -> Vec3 {
        self.inverse_root_inertia * (self.r.transpose() * v)
    }

    /// Velocity that a kinematic body gives to the point at `arm`.
    #[inline]
    pub fn carried(&self, arm: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(arm)
    }
}

/// One contact point in four lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    /// Angular parts for both bodies; the second's carries the minus sign.
    pub a: [F4; 3],
    pub b: [F4; 3],
    /// What is added to the rate in a solve: the motion of kinematic bodies, and gap/h or a rebound, m/s.
    pub bias: F4,
    /// The motion of kinematic bodies alone.
    pub carried: F4,
    /// 1/(J M⁻¹ Jᵀ), 0 where there is no point; and its inverse.
    pub inverse: F4,
    pub response: F4,
    /// Impulse, and the one of the sweep before.
    pub impulse: F4,
    pub last: F4,
    /// Smallest impulse.
    pub low: F4,
}

/// Normal rows of four manifolds whose moving bodies are all different.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub manifold: [u32; LANES],
    pub bodies: [[u32; LANES]; 2],
    pub normal: [F4; 3],
    pub inverse_root_mass: [F4; 2],
    /// 1/m₁ + 1/m₂.
    pub linear: F4,
    pub points: [Row; POINTS],
    pub count: u32,
}

impl Default for Group {
    fn default() -> Self {
        Self {
            manifold: [IDLE; LANES],
            bodies: [[0; LANES]; 2],
            normal: [F4::ZERO; 3],
            inverse_root_mass: [F4::ZERO; 2],
            linear: F4::ZERO,
            points: [Row::default(); POINTS],
            count: 0,
        }
    }
}

fn set(v: &mut [F4; 3], l: usize, x: Vec3) {
    v[0].0[l] = x.x;
    v[1].0[l] = x.y;
    v[2].0[l] = x.z;
}

impl Group {
    /// Puts a manifold into lane `l`; impulses and biases are left to the solves.
    pub fn fill(&mut self, l: usize, number: u32, m: &Manifold, a: &BodyView, b: &BodyView) {
        self.manifold[l] = number;
        self.bodies[0][l] = a.cell;
        self.bodies[1][l] = b.cell;
        set(&mut self.normal, l, m.normal);
        self.inverse_root_mass[0].0[l] = a.inverse_root_mass;
        self.inverse_root_mass[1].0[l] = b.inverse_root_mass;
        let linear = a.inverse_root_mass * a.inverse_root_mass + b.inverse_root_mass * b.inverse_root_mass;
        self.linear.0[l] = linear;
        self.count = self.count.max(m.count);
        for (row, p) in self.points.iter_mut().zip(m.points()) {
            let (ra, rb) = (a.r * p.a, b.r * p.b);
            let (pa, pb) = (a.scaled(ra.cross(m.normal)), -b.scaled(rb.cross(m.normal)));
            set(&mut row.a, l, pa);
            set(&mut row.b, l, pb);
            let k = linear + pa.length_squared() + pb.length_squared();
            row.response.0[l] = k;
            row.inverse.0[l] = if k > 0.0 { 1.0 / k } else { 0.0 };
            row.carried.0[l] = m.normal.dot(a.carried(ra) - b.carried(rb));
            row.bias.0[l] = row.carried.0[l];
            row.impulse.0[l] = 0.0;
            row.last.0[l] = 0.0;
            row.low.0[l] = 0.0;
        }
    }

    /// Adds an impulse of point `k`, lane `l`, to the velocities.
    pub fn apply(&self, l: usize, k: usize, impulse: f64, cells: &mut [Cell]) {
        for side in 0..2 {
            let cell = self.bodies[side][l] as usize;
            if cell == 0 {
                continue;
            }
            let sign = if side == 0 { impulse } else { -impulse };
            let rows = if side == 0 { &self.points[k].a } else { &self.points[k].b };
            let c = &mut cells[cell];
            for i in 0..3 {
                c.linear.0[i] += self.normal[i].0[l] * self.inverse_root_mass[side].0[l] * sign;
                c.angular.0[i] += rows[i].0[l] * impulse;
            }
        }
    }

    /// Normal rate of point `k`, lane `l`, without the bias.
    pub fn rate(&self, l: usize, k: usize, cells: &[Cell]) -> f64 {
        let (a, b) = (&cells[self.bodies[0][l] as usize], &cells[self.bodies[1][l] as usize]);
        let row = &self.points[k];
        let mut sum = 0.0;
        for i in 0..3 {
            let linear =
                a.linear.0[i] * self.inverse_root_mass[0].0[l] - b.linear.0[i] * self.inverse_root_mass[1].0[l];
            sum += self.normal[i].0[l] * linear;
            sum += row.a[i].0[l] * a.angular.0[i] + row.b[i].0[l] * b.angular.0[i];
        }
        sum
    }
}
