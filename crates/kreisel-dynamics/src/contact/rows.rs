//! Rows of contact points for four manifolds side by side.
//!
//! In scaled velocities y = (√m v, √I Rᵀω) a point's normal row is one vector per body, used both for the rate J M^−½ y and
//! for the impulse M^−½ Jᵀ λ: no inverse inertia is left in a sweep. The points of a manifold share the normal, so the
//! linear part of the rate is one number that grows by (1/m₁ + 1/m₂) λ with every impulse.
//!
//! Bodies that impulses do not move all write to one cell, with rows of zero: the first of their part of the island.

use super::manifold::POINTS;
use crate::lanes::{F4, LANES, dot};
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

/// One contact point in four lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    /// Angular parts for both bodies; the second's carries the minus sign.
    pub a: [F4; 3],
    pub b: [F4; 3],
    /// What is added to the rate in a solve: the motion of kinematic bodies, and gap/h or a rebound, m/s.
    pub bias: F4,
    /// 1/(J M⁻¹ Jᵀ), 0 where there is no point; and its inverse.
    pub inverse: F4,
    pub response: F4,
    /// Impulse, and the one of the sweep before.
    pub impulse: F4,
    pub last: F4,
    /// Smallest impulse; the position solve knows that it is zero.
    pub low: F4,
    /// The motion of kinematic bodies alone.
    pub carried: F4,
}

impl Row {
    /// Forgets the step before: all that is not computed for every lane when the rows are filled.
    #[inline(always)]
    pub fn begin(&mut self) {
        (self.bias, self.carried, self.low) = (F4::ZERO, F4::ZERO, F4::ZERO);
        (self.impulse, self.last) = (F4::ZERO, F4::ZERO);
    }
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
    /// Cell of bodies that impulses do not move.
    pub still: u32,
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
            still: 0,
        }
    }
}

/// Velocities of the bodies of a group: linear and angular, of the first and of the second ones.
#[derive(Clone, Copy)]
pub(crate) struct Motion {
    pub va: [F4; 3],
    pub wa: [F4; 3],
    pub vb: [F4; 3],
    pub wb: [F4; 3],
}

/// Four cells, turned to lanes.
#[inline(always)]
fn gather(cells: &[Cell], index: &[u32; LANES], from: u32) -> ([F4; 3], [F4; 3]) {
    let at = |l: usize| &cells[(index[l] - from) as usize];
    let c = [at(0), at(1), at(2), at(3)];
    (
        F4::transpose3(&c[0].linear, &c[1].linear, &c[2].linear, &c[3].linear),
        F4::transpose3(&c[0].angular, &c[1].angular, &c[2].angular, &c[3].angular),
    )
}

#[inline(always)]
fn scatter(cells: &mut [Cell], index: &[u32; LANES], from: u32, linear: [F4; 3], angular: [F4; 3]) {
    let (v, w) = (F4::transpose4(linear), F4::transpose4(angular));
    for l in 0..LANES {
        let c = &mut cells[(index[l] - from) as usize];
        c.linear = v[l];
        c.angular = w[l];
    }
}

impl Motion {
    #[inline(always)]
    pub fn of(cells: &[Cell], bodies: &[[u32; LANES]; 2]) -> Self {
        Self::within(cells, bodies, 0)
    }

    /// The same, from cells that begin at number `from` of the island.
    #[inline(always)]
    pub fn within(cells: &[Cell], bodies: &[[u32; LANES]; 2], from: u32) -> Self {
        let (va, wa) = gather(cells, &bodies[0], from);
        let (vb, wb) = gather(cells, &bodies[1], from);
        Self { va, wa, vb, wb }
    }

    #[inline(always)]
    pub fn put(self, cells: &mut [Cell], bodies: &[[u32; LANES]; 2]) {
        self.put_within(cells, bodies, 0);
    }

    #[inline(always)]
    pub fn put_within(self, cells: &mut [Cell], bodies: &[[u32; LANES]; 2], from: u32) {
        scatter(cells, &bodies[0], from, self.va, self.wa);
        scatter(cells, &bodies[1], from, self.vb, self.wb);
    }

    /// Adds an impulse along `n` to the linear parts; `mass` are the inverse roots of the masses.
    #[inline(always)]
    pub fn push(&mut self, n: [F4; 3], impulse: F4, mass: [F4; 2]) {
        let (pa, pb) = (impulse * mass[0], impulse * mass[1]);
        for k in 0..3 {
            self.va[k] += n[k] * pa;
            self.vb[k] = self.vb[k] - n[k] * pb;
        }
    }

    /// Adds angular impulses along rows `a` and `b`.
    #[inline(always)]
    pub fn turn(&mut self, a: [F4; 3], b: [F4; 3], impulse: F4) {
        for k in 0..3 {
            self.wa[k] += a[k] * impulse;
            self.wb[k] += b[k] * impulse;
        }
    }

    /// Relative velocity along `n` of the centres of mass.
    #[inline(always)]
    pub fn along(&self, n: [F4; 3], mass: [F4; 2]) -> F4 {
        dot(n, self.va) * mass[0] - dot(n, self.vb) * mass[1]
    }
}

impl Group {
    /// Normal rates of all points, without bias.
    #[inline(always)]
    pub fn rates(&self, v: &Motion) -> [F4; POINTS] {
        let along = v.along(self.normal, self.inverse_root_mass);
        let mut out = [F4::ZERO; POINTS];
        for (rate, row) in out.iter_mut().zip(&self.points) {
            *rate = along + dot(row.a, v.wa) + dot(row.b, v.wb);
        }
        out
    }

    /// Adds the impulses of all points to the velocities.
    #[inline(always)]
    pub fn push(&self, v: &mut Motion) {
        let mut sum = F4::ZERO;
        for row in &self.points[..self.count as usize] {
            sum += row.impulse;
            v.turn(row.a, row.b, row.impulse);
        }
        v.push(self.normal, sum, self.inverse_root_mass);
    }

    /// Adds an impulse of point `k`, lane `l`, to the velocities.
    pub fn apply(&self, l: usize, k: usize, impulse: f64, cells: &mut [Cell]) {
        self.apply_to(l, k, impulse, [true; 2], cells);
    }

    /// 1 over the effective mass of point `k`, lane `l`, when only the bodies of some sides answer.
    pub fn response(&self, l: usize, k: usize, sides: [bool; 2]) -> f64 {
        let row = &self.points[k];
        let mut sum = 0.0;
        for (side, rows) in [&row.a, &row.b].into_iter().enumerate().filter(|(side, _)| sides[*side]) {
            let m = self.inverse_root_mass[side].0[l];
            sum += m * m + rows.iter().map(|r| r.0[l] * r.0[l]).sum::<f64>();
        }
        sum
    }

    /// The same for the bodies of some sides only.
    pub fn apply_to(&self, l: usize, k: usize, impulse: f64, sides: [bool; 2], cells: &mut [Cell]) {
        for side in 0..2 {
            let cell = self.bodies[side][l] as usize;
            if cell == 0 || !sides[side] {
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
