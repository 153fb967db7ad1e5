//! Rows of contact points for four manifolds side by side.
//!
//! In scaled velocities y = (√m v, √I Rᵀω) a point's normal row is one vector per body, used both for the rate J M^−½ y and
//! for the impulse M^−½ Jᵀ λ: no inverse inertia is left in a sweep. The points of a manifold share the normal, so the
//! linear part of the rate is one number that grows by (1/m₁ + 1/m₂) λ with every impulse.
//!
//! Bodies that impulses do not move all write to one cell, with rows of zero: the first of their part of the island.

use super::manifold::POINTS;
use crate::lanes::{F4, LANES, dot};
use crate::simd::kernel;
#[cfg(target_arch = "x86_64")]
use crate::simd::register;

/// No manifold in this lane.
pub(crate) const IDLE: u32 = u32::MAX;

/// Scaled velocity of one body: one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Cell {
    pub linear: F4,
    pub angular: F4,
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
    /// Impulse, and the one of the sweep before. In the velocity solve it is the sum of both solves.
    pub impulse: F4,
    pub last: F4,
}

impl Row {
    /// Forgets the step before: all that is not computed for every lane when the rows are filled.
    #[inline(always)]
    pub fn begin(&mut self) {
        (self.bias, self.impulse, self.last) = (F4::ZERO, F4::ZERO, F4::ZERO);
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

/// Four cells of an island whose numbers begin at `from`.
#[inline(always)]
fn four<'a>(cells: &'a [Cell], index: &[u32; LANES], from: u32) -> [&'a Cell; LANES] {
    [0, 1, 2, 3].map(|l| &cells[(index[l] - from) as usize])
}

/// Cells turned to lanes.
#[inline(never)]
fn gather_body(cells: &[Cell], bodies: &[[u32; LANES]; 2], from: u32, to: &mut Motion) {
    let [a, b, c, d] = four(cells, &bodies[0], from);
    to.va = F4::transpose3(&a.linear, &b.linear, &c.linear, &d.linear);
    to.wa = F4::transpose3(&a.angular, &b.angular, &c.angular, &d.angular);
    let [a, b, c, d] = four(cells, &bodies[1], from);
    to.vb = F4::transpose3(&a.linear, &b.linear, &c.linear, &d.linear);
    to.wb = F4::transpose3(&a.angular, &b.angular, &c.angular, &d.angular);
}

/// Lanes turned to cells.
#[inline(never)]
fn scatter_body(cells: &mut [Cell], bodies: &[[u32; LANES]; 2], from: u32, v: &Motion) {
    for (index, linear, angular) in [(&bodies[0], v.va, v.wa), (&bodies[1], v.vb, v.wb)] {
        let (linear, angular) = (F4::transpose4(linear), F4::transpose4(angular));
        for l in 0..LANES {
            cells[(index[l] - from) as usize] = Cell { linear: linear[l], angular: angular[l] };
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
fn gather_wide(cells: &[Cell], bodies: &[[u32; LANES]; 2], from: u32, to: &mut Motion) {
    let [a, b, c, d] = four(cells, &bodies[0], from);
    register::transpose3([&a.linear, &b.linear, &c.linear, &d.linear], &mut to.va);
    register::transpose3([&a.angular, &b.angular, &c.angular, &d.angular], &mut to.wa);
    let [a, b, c, d] = four(cells, &bodies[1], from);
    register::transpose3([&a.linear, &b.linear, &c.linear, &d.linear], &mut to.vb);
    register::transpose3([&a.angular, &b.angular, &c.angular, &d.angular], &mut to.wb);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
fn scatter_wide(cells: &mut [Cell], bodies: &[[u32; LANES]; 2], from: u32, v: &Motion) {
    for (index, linear, angular) in [(&bodies[0], &v.va, &v.wa), (&bodies[1], &v.vb, &v.wb)] {
        let (linear, angular) = (register::transpose4(linear), register::transpose4(angular));
        for l in 0..LANES {
            cells[(index[l] - from) as usize] = Cell { linear: linear[l], angular: angular[l] };
        }
    }
}

// By hand and never inlined: where the compiler sees how lanes come from cells, it keeps velocities as they lie in the cells and turns
// them anew for every row, and by itself it turns them number by number through memory.
kernel! {
    fn gather(cells: &[Cell], bodies: &[[u32; LANES]; 2], from: u32, to: &mut Motion) = gather_body, by gather_wide
}
kernel! {
    fn scatter(cells: &mut [Cell], bodies: &[[u32; LANES]; 2], from: u32, v: &Motion) = scatter_body, by scatter_wide
}

impl Motion {
    #[inline(always)]
    pub fn of(cells: &[Cell], bodies: &[[u32; LANES]; 2]) -> Self {
        Self::within(cells, bodies, 0)
    }

    /// The same, from cells that begin at number `from` of the island.
    #[inline(always)]
    pub fn within(cells: &[Cell], bodies: &[[u32; LANES]; 2], from: u32) -> Self {
        let mut out = Self { va: [F4::ZERO; 3], wa: [F4::ZERO; 3], vb: [F4::ZERO; 3], wb: [F4::ZERO; 3] };
        gather(cells, bodies, from, &mut out);
        out
    }

    #[inline(always)]
    pub fn put(self, cells: &mut [Cell], bodies: &[[u32; LANES]; 2]) {
        self.put_within(cells, bodies, 0);
    }

    #[inline(always)]
    pub fn put_within(self, cells: &mut [Cell], bodies: &[[u32; LANES]; 2], from: u32) {
        scatter(cells, bodies, from, &self);
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
