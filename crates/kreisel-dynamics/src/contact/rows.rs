//! Rows of contact points for several manifolds side by side.
//!
//! In scaled velocities y = (√m v, √I Rᵀω) a point's normal row is one vector per body, used both for the rate J M^−½ y and
//! for the impulse M^−½ Jᵀ λ: no inverse inertia is left in a sweep. The points of a manifold share the normal, so the
//! linear part of the rate is one number that grows by (1/m₁ + 1/m₂) λ with every impulse.
//!
//! Bodies that impulses do not move all write to one cell, with rows of zero: the first of their part of the island.

use super::friction::Friction;
use super::loads::Loads;
use super::manifold::POINTS;
use crate::lanes::{F4, LANES, Lanes, S8, dot, set_three, three};
use crate::simd::kernel;
#[cfg(target_arch = "x86_64")]
use crate::simd::register;
use std::ops::Range;

/// No manifold in this lane.
pub(crate) const IDLE: u32 = u32::MAX;

/// Scaled velocity of one body: one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Cell {
    pub linear: F4,
    pub angular: F4,
}

/// Scaled velocity of one body in single precision: linear and angular, each with a zero. Half a cache line.
pub(crate) type SingleCell = S8;

/// One contact point in several lanes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row<N = F4> {
    /// Angular parts for both bodies; the second's carries the minus sign.
    pub a: [N; 3],
    pub b: [N; 3],
    /// What is added to the rate in a solve: the motion of kinematic bodies, and gap/h or a rebound, m/s.
    pub bias: N,
    /// 1/(J M⁻¹ Jᵀ), 0 where there is no point; and its inverse.
    pub inverse: N,
    pub response: N,
    /// Impulse, and the one of the sweep before. In the velocity solve it is the sum of both solves.
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

/// Velocities of the bodies of a group: linear and angular, of the first and of the second ones.
#[derive(Clone, Copy)]
pub(crate) struct Motion<N = F4> {
    pub va: [N; 3],
    pub wa: [N; 3],
    pub vb: [N; 3],
    pub wb: [N; 3],
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
        (&mut self.groups[range.clone()], &mut self.frictions[range.clone()], &mut self.loads[range])
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
/// In double precision sweeps act on velocities, in single precision on their changes in the solve (`single`).
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
        gather(cells, bodies, from, to);
    }

    #[inline(always)]
    fn scatter(cells: &mut [Cell], bodies: &[Self::Index; 2], from: u32, v: &Motion) {
        scatter(cells, bodies, from, v);
    }

    fn extrapolate(cells: &mut [Cell], last: &mut [Cell], theta: f64) {
        extrapolate(cells, last, theta);
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
        gather_single(cells, bodies, from, to);
    }

    #[inline(always)]
    fn scatter(cells: &mut [SingleCell], bodies: &[Self::Index; 2], from: u32, v: &Motion<Self>) {
        scatter_single(cells, bodies, from, v);
    }

    fn extrapolate(cells: &mut [SingleCell], last: &mut [SingleCell], theta: f64) {
        extrapolate_single(cells, last, theta);
    }

    fn of(rows: &AllRows) -> &Rows<Self> {
        &rows.eights
    }

    fn of_mut(rows: &mut AllRows) -> &mut Rows<Self> {
        &mut rows.eights
    }
}

#[inline(always)]
fn extrapolate_body(cells: &mut [Cell], last: &mut [Cell], theta: f64) {
    let theta = F4::splat(theta);
    for (c, p) in cells.iter_mut().zip(last) {
        let now = *c;
        c.linear = now.linear + theta * (now.linear - p.linear);
        c.angular = now.angular + theta * (now.angular - p.angular);
        *p = now;
    }
}

#[inline(always)]
fn extrapolate_single_body(cells: &mut [SingleCell], last: &mut [SingleCell], theta: f64) {
    let theta = S8::splat(theta);
    for (c, p) in cells.iter_mut().zip(last) {
        let now = *c;
        *c = now + theta * (now - *p);
        *p = now;
    }
}

kernel! { fn extrapolate(cells: &mut [Cell], last: &mut [Cell], theta: f64) = extrapolate_body }
kernel! { fn extrapolate_single(cells: &mut [SingleCell], last: &mut [SingleCell], theta: f64) = extrapolate_single_body }

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

fn eight<'a>(cells: &'a [SingleCell], index: &[u32; 8], from: u32) -> [&'a SingleCell; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|l| &cells[(index[l] - from) as usize])
}

#[inline(never)]
fn gather_single_body(cells: &[SingleCell], bodies: &[[u32; 8]; 2], from: u32, to: &mut Motion<S8>) {
    for (index, linear, angular) in [(&bodies[0], &mut to.va, &mut to.wa), (&bodies[1], &mut to.vb, &mut to.wb)] {
        for (l, c) in eight(cells, index, from).into_iter().enumerate() {
            for k in 0..3 {
                (linear[k].0[l], angular[k].0[l]) = (c.0[k], c.0[4 + k]);
            }
        }
    }
}

#[inline(never)]
fn scatter_single_body(cells: &mut [SingleCell], bodies: &[[u32; 8]; 2], from: u32, v: &Motion<S8>) {
    for (index, linear, angular) in [(&bodies[0], &v.va, &v.wa), (&bodies[1], &v.vb, &v.wb)] {
        for l in 0..8 {
            let [x, y, z] = [0, 1, 2].map(|k| linear[k].0[l]);
            let [u, v, w] = [0, 1, 2].map(|k| angular[k].0[l]);
            cells[(index[l] - from) as usize] = S8([x, y, z, 0.0, u, v, w, 0.0]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
fn gather_single_wide(cells: &[SingleCell], bodies: &[[u32; 8]; 2], from: u32, to: &mut Motion<S8>) {
    register::columns(eight(cells, &bodies[0], from), &mut to.va, &mut to.wa);
    register::columns(eight(cells, &bodies[1], from), &mut to.vb, &mut to.wb);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
fn scatter_single_wide(cells: &mut [SingleCell], bodies: &[[u32; 8]; 2], from: u32, v: &Motion<S8>) {
    for (index, linear, angular) in [(&bodies[0], &v.va, &v.wa), (&bodies[1], &v.vb, &v.wb)] {
        let rows = register::rows(linear, angular);
        for l in 0..8 {
            cells[(index[l] - from) as usize] = rows[l];
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
kernel! {
    fn gather_single(cells: &[SingleCell], bodies: &[[u32; 8]; 2], from: u32, to: &mut Motion<S8>) = gather_single_body, by gather_single_wide
}
kernel! {
    fn scatter_single(cells: &mut [SingleCell], bodies: &[[u32; 8]; 2], from: u32, v: &Motion<S8>) = scatter_single_body, by scatter_single_wide
}

impl<N: Width> Motion<N> {
    #[inline(always)]
    pub fn of(cells: &[N::Cell], bodies: &[N::Index; 2]) -> Self {
        Self::within(cells, bodies, 0)
    }

    /// The same, from cells that begin at number `from` of the island.
    #[inline(always)]
    pub fn within(cells: &[N::Cell], bodies: &[N::Index; 2], from: u32) -> Self {
        let mut out = Self { va: [N::ZERO; 3], wa: [N::ZERO; 3], vb: [N::ZERO; 3], wb: [N::ZERO; 3] };
        N::gather(cells, bodies, from, &mut out);
        out
    }

    #[inline(always)]
    pub fn put_within(self, cells: &mut [N::Cell], bodies: &[N::Index; 2], from: u32) {
        N::scatter(cells, bodies, from, &self);
    }

    /// Adds an impulse along `n` to the linear parts; `mass` are the inverse roots of the masses.
    #[inline(always)]
    pub fn push(&mut self, n: [N; 3], impulse: N, mass: [N; 2]) {
        let (pa, pb) = (impulse * mass[0], impulse * mass[1]);
        for k in 0..3 {
            self.va[k] += n[k] * pa;
            self.vb[k] = self.vb[k] - n[k] * pb;
        }
    }

    /// Adds angular impulses along rows `a` and `b`.
    #[inline(always)]
    pub fn turn(&mut self, a: [N; 3], b: [N; 3], impulse: N) {
        for k in 0..3 {
            self.wa[k] += a[k] * impulse;
            self.wb[k] += b[k] * impulse;
        }
    }

    /// Relative velocity along `n` of the centres of mass.
    #[inline(always)]
    pub fn along(&self, n: [N; 3], mass: [N; 2]) -> N {
        dot(n, self.va) * mass[0] - dot(n, self.vb) * mass[1]
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
        F4([roots[index[0] as usize], roots[index[1] as usize], roots[index[2] as usize], roots[index[3] as usize]])
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

    /// Four of the manifolds in double precision, without what a solve begins with. Rows without points hold anything.
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
            self.bodies[side].as_mut()[LANES * q..LANES * (q + 1)].copy_from_slice(&from.bodies[side]);
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

    /// The same with masses in double precision from the island's list, so that impulses act on both bodies alike.
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
        let dot = |x: &[F4; 3], y: &F4| x[0].0[l] * y.0[0] + x[1].0[l] * y.0[1] + x[2].0[l] * y.0[2];
        let (n, m, row) = (&self.normal, &self.inverse_root_mass, &self.points[k]);
        let linear = dot(n, &a.linear) * m[0].0[l] - dot(n, &b.linear) * m[1].0[l];
        linear + (dot(&row.a, &a.angular) + dot(&row.b, &b.angular))
    }
}
