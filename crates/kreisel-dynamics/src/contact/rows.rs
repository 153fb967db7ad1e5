//! Rows of contact points for several manifolds side by side.
//!
//! In scaled velocities y = (√m v, √I Rᵀω) a point's normal row is one vector per body, used both
//! for the rate J M^−½ y and for the impulse M^−½ Jᵀ λ: no inverse inertia is left in a sweep. The
//! points of a manifold share the normal, so the linear part of the rate is one number that grows
//! by (1/m₁ + 1/m₂) λ with every impulse.
//!
//! Bodies that impulses do not move all write to one cell, with rows of zero: the first of their
//! part of the island.

use super::cells::{self, Cell, Motion, SingleCell};
use super::friction::Friction;
use super::loads::Loads;
use super::manifold::POINTS;
use crate::lanes::{F4, LANES, Lanes, S8, dot, set_three, three};
use std::ops::Range;

/// No manifold in this lane.
pub(crate) const IDLE: u32 = u32::MAX;

/// One contact point in several lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row<N = F4> {
    /// Angular parts for both bodies; the second's carries the minus sign.
    pub a: [N; 3],
    pub b: [N; 3],
    /// What is added to the rate in a solve: the motion of kinematic bodies, and gap/h or a
    /// rebound, m/s.
    pub bias: N,
    /// 1/(J M⁻¹ Jᵀ), 0 where there is no point; and its inverse.
    pub inverse: N,
    pub response: N,
    /// Impulse, and the one of the sweep before. In the velocity solve it is the sum of both
    /// solves.
    pub impulse: N,
    pub last: N,
}

impl<N: Lanes> Row<N> {
    /// Four lanes, without what a solve begins with.
    #[inline(always)]
    fn four(&self, q: usize) -> Row {
        Row {
            a: three(&self.a, q),
            b: three(&self.b, q),
            bias: F4::ZERO,
            inverse: self.inverse.four(q),
            response: self.response.four(q),
            impulse: F4::ZERO,
            last: F4::ZERO,
        }
    }

    /// Sets four lanes.
    #[inline(always)]
    pub fn set_four(&mut self, q: usize, from: &Row) {
        set_three(&mut self.a, q, from.a);
        set_three(&mut self.b, q, from.b);
        self.response.set_four(q, from.response);
        self.set_start(q, from);
    }

    /// Sets what a solve begins with in four lanes.
    #[inline(always)]
    pub fn set_start(&mut self, q: usize, from: &Row) {
        self.bias.set_four(q, from.bias);
        self.inverse.set_four(q, from.inverse);
        self.impulse.set_four(q, from.impulse);
        self.last.set_four(q, from.impulse);
    }
}

impl Row {
    /// Forgets the step before: all that is not computed for every lane when the rows are filled.
    #[inline(always)]
    pub fn begin(&mut self) {
        (self.bias, self.impulse, self.last) = (F4::ZERO, F4::ZERO, F4::ZERO);
    }
}

/// Normal rows of several manifolds whose moving bodies are all different.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<N: Width = F4> {
    pub manifold: N::Index,
    pub bodies: [N::Index; 2],
    pub normal: [N; 3],
    pub inverse_root_mass: [N; 2],
    /// 1/m₁ + 1/m₂.
    pub linear: N,
    pub points: [Row<N>; POINTS],
    pub count: u32,
    /// Cell of bodies that impulses do not move.
    pub still: u32,
}

impl<N: Width> Default for Group<N> {
    fn default() -> Self {
        Self {
            manifold: N::all(IDLE),
            bodies: [N::all(0); 2],
            normal: [N::ZERO; 3],
            inverse_root_mass: [N::ZERO; 2],
            linear: N::ZERO,
            points: [Row::default(); POINTS],
            count: 0,
            still: 0,
        }
    }
}

/// Rows of all islands of one width.
#[derive(Clone, Debug)]
pub(crate) struct Rows<N: Width> {
    pub groups: Vec<Group<N>>,
    pub frictions: Vec<Friction<N>>,
    pub loads: Vec<Loads<N>>,
}

/// Groups, with what belongs to each.
pub(crate) type SomeRows<'a, N> = (&'a mut [Group<N>], &'a mut [Friction<N>], &'a mut [Loads<N>]);

impl<N: Width> Rows<N> {
    pub fn resize(&mut self, groups: usize) {
        self.groups.resize(groups, Group::default());
        self.frictions.resize(groups, Friction::default());
        self.loads.resize(groups, Loads::default());
    }

    /// Some of them.
    pub fn some(&mut self, range: Range<usize>) -> SomeRows<'_, N> {
        (
            &mut self.groups[range.clone()],
            &mut self.frictions[range.clone()],
            &mut self.loads[range],
        )
    }
}

impl<N: Width> Default for Rows<N> {
    fn default() -> Self {
        Self { groups: Vec::new(), frictions: Vec::new(), loads: Vec::new() }
    }
}

/// Rows of both widths.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllRows {
    pub fours: Rows<F4>,
    pub eights: Rows<S8>,
}

/// How many manifolds lie side by side, and in which precision: four in double, eight in single.
///
/// In double precision sweeps act on velocities, in single precision on their changes in the solve
/// (`single`).
pub(crate) trait Width: Lanes {
    const SINGLE: bool;
    type Cell: Copy + Default + Send;
    type Index: Copy + Send + Sync + std::fmt::Debug + AsRef<[u32]> + AsMut<[u32]>;

    /// The same number in all lanes.
    fn all(index: u32) -> Self::Index;

    /// Cells, which begin at number `from` of the island, turned to lanes.
    fn gather(cells: &[Self::Cell], bodies: &[Self::Index; 2], from: u32, to: &mut Motion<Self>);

    /// Lanes turned to cells.
    fn scatter(cells: &mut [Self::Cell], bodies: &[Self::Index; 2], from: u32, v: &Motion<Self>);

    /// v ← v + θ(v − last), last ← v.
    fn extrapolate(cells: &mut [Self::Cell], last: &mut [Self::Cell], theta: f64);

    /// The rows of this width.
    fn of(rows: &AllRows) -> &Rows<Self>;
    fn of_mut(rows: &mut AllRows) -> &mut Rows<Self>;
}

impl Width for F4 {
    const SINGLE: bool = false;
    type Cell = Cell;
    type Index = [u32; LANES];

    fn all(index: u32) -> Self::Index {
        [index; LANES]
    }

    #[inline(always)]
    fn gather(cells: &[Cell], bodies: &[Self::Index; 2], from: u32, to: &mut Motion) {
        cells::gather(cells, bodies, from, to);
    }

    #[inline(always)]
    fn scatter(cells: &mut [Cell], bodies: &[Self::Index; 2], from: u32, v: &Motion) {
        cells::scatter(cells, bodies, from, v);
    }

    fn extrapolate(cells: &mut [Cell], last: &mut [Cell], theta: f64) {
        cells::extrapolate(cells, last, theta);
    }

    fn of(rows: &AllRows) -> &Rows<Self> {
        &rows.fours
    }

    fn of_mut(rows: &mut AllRows) -> &mut Rows<Self> {
        &mut rows.fours
    }
}

impl Width for S8 {
    const SINGLE: bool = true;
    type Cell = SingleCell;
    type Index = [u32; 8];

    fn all(index: u32) -> Self::Index {
        [index; 8]
    }

    #[inline(always)]
    fn gather(cells: &[SingleCell], bodies: &[Self::Index; 2], from: u32, to: &mut Motion<Self>) {
        cells::gather_single(cells, bodies, from, to);
    }

    #[inline(always)]
    fn scatter(cells: &mut [SingleCell], bodies: &[Self::Index; 2], from: u32, v: &Motion<Self>) {
        cells::scatter_single(cells, bodies, from, v);
    }

    fn extrapolate(cells: &mut [SingleCell], last: &mut [SingleCell], theta: f64) {
        cells::extrapolate_single(cells, last, theta);
    }

    fn of(rows: &AllRows) -> &Rows<Self> {
        &rows.eights
    }

    fn of_mut(rows: &mut AllRows) -> &mut Rows<Self> {
        &mut rows.eights
    }
}

/// Four of the numbers of a group.
#[inline(always)]
fn quarter(index: &impl AsRef<[u32]>, q: usize) -> [u32; LANES] {
    let index = &index.as_ref()[LANES * q..];
    [index[0], index[1], index[2], index[3]]
}

/// Inverse roots of the masses of four pairs of bodies, from those of all cells.
#[inline(always)]
pub(crate) fn exact(roots: &[f64], bodies: &[[u32; LANES]; 2]) -> [F4; 2] {
    let of = |index: &[u32; LANES]| {
        F4([
            roots[index[0] as usize],
            roots[index[1] as usize],
            roots[index[2] as usize],
            roots[index[3] as usize],
        ])
    };
    [of(&bodies[0]), of(&bodies[1])]
}

impl<N: Width> Group<N> {
    /// Bodies of four of the manifolds.
    #[inline(always)]
    pub fn bodies_of_four(&self, q: usize) -> [[u32; LANES]; 2] {
        [quarter(&self.bodies[0], q), quarter(&self.bodies[1], q)]
    }

    /// Inverse roots of the masses of these bodies.
    #[inline(always)]
    pub fn masses_of_four(&self, q: usize) -> [F4; 2] {
        [self.inverse_root_mass[0].four(q), self.inverse_root_mass[1].four(q)]
    }

    /// Four of the manifolds in double precision, without what a solve begins with. Rows without
    /// points hold anything.
    #[inline(always)]
    pub fn four(&self, q: usize) -> Group {
        let [a, b, c, d] = &self.points;
        Group {
            manifold: quarter(&self.manifold, q),
            bodies: self.bodies_of_four(q),
            normal: three(&self.normal, q),
            inverse_root_mass: self.masses_of_four(q),
            linear: self.linear.four(q),
            points: [a.four(q), b.four(q), c.four(q), d.four(q)],
            count: self.count,
            still: self.still,
        }
    }

    /// Sets four of the manifolds.
    #[inline(always)]
    pub fn set_four(&mut self, q: usize, from: &Group) {
        for side in 0..2 {
            self.bodies[side].as_mut()[LANES * q..LANES * (q + 1)]
                .copy_from_slice(&from.bodies[side]);
            self.inverse_root_mass[side].set_four(q, from.inverse_root_mass[side]);
        }
        set_three(&mut self.normal, q, from.normal);
        self.linear.set_four(q, from.linear);
        for k in 0..self.count as usize {
            self.points[k].set_four(q, &from.points[k]);
        }
    }

    /// Sets what a solve begins with in four of the manifolds.
    #[inline(always)]
    pub fn set_start(&mut self, q: usize, from: &Group) {
        for k in 0..self.count as usize {
            self.points[k].set_start(q, &from.points[k]);
        }
    }

    /// The same with masses in double precision from the island's list, so that impulses act on
    /// both bodies alike.
    #[inline(always)]
    pub fn exact_four(&self, q: usize, roots: &[f64]) -> Group {
        let mut four = self.four(q);
        if N::SINGLE {
            four.inverse_root_mass = exact(roots, &four.bodies);
        }
        four
    }

    /// Lanes with their manifolds.
    pub fn lanes(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let lanes = self.manifold.as_ref().iter().enumerate();
        lanes.filter(|(_, m)| **m != IDLE).map(|(l, &m)| (l, m as usize))
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
        for (side, rows) in
            [&row.a, &row.b].into_iter().enumerate().filter(|(side, _)| sides[*side])
        {
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
        let dot =
            |x: &[F4; 3], y: &F4| x[0].0[l] * y.0[0] + x[1].0[l] * y.0[1] + x[2].0[l] * y.0[2];
        let (n, m, row) = (&self.normal, &self.inverse_root_mass, &self.points[k]);
        let linear = dot(n, &a.linear) * m[0].0[l] - dot(n, &b.linear) * m[1].0[l];
        linear + (dot(&row.a, &a.angular) + dot(&row.b, &b.angular))
    }
}
