//! Velocities of bodies, one beside the other, and turned to lanes for a group of manifolds.

use super::rows::Width;
use crate::lanes::{F4, LANES, S8, dot};
use crate::simd::kernel;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::simd::register;

/// Scaled velocity of one body: one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Cell {
    pub linear: F4,
    pub angular: F4,
}

/// Scaled velocity of one body in single precision: linear and angular, each with a zero. Half a
/// cache line.
pub(crate) type SingleCell = S8;

/// Velocities of the bodies of a group: linear and angular, of the first and of the second ones.
#[derive(Clone, Copy)]
pub(crate) struct Motion<N = F4> {
    pub va: [N; 3],
    pub wa: [N; 3],
    pub vb: [N; 3],
    pub wb: [N; 3],
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

kernel! { pub(super) fn extrapolate(cells: &mut [Cell], last: &mut [Cell], theta: f64) = extrapolate_body }
kernel! { pub(super) fn extrapolate_single(cells: &mut [SingleCell], last: &mut [SingleCell], theta: f64) = extrapolate_single_body }

/// Four cells of an island whose numbers begin at `from`.
#[inline(always)]
fn four<'a>(cells: &'a [Cell], index: &[u32; LANES], from: u32) -> [&'a Cell; LANES] {
    [0, 1, 2, 3].map(|l| &cells[(index[l] - from) as usize])
}

/// Cells turned to lanes.
#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
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
#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
#[inline(never)]
fn scatter_body(cells: &mut [Cell], bodies: &[[u32; LANES]; 2], from: u32, v: &Motion) {
    for (index, linear, angular) in [(&bodies[0], v.va, v.wa), (&bodies[1], v.vb, v.wb)] {
        let (linear, angular) = (F4::transpose4(linear), F4::transpose4(angular));
        for l in 0..LANES {
            cells[(index[l] - from) as usize] = Cell { linear: linear[l], angular: angular[l] };
        }
    }
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
#[inline(never)]
fn gather_wide(cells: &[Cell], bodies: &[[u32; LANES]; 2], from: u32, to: &mut Motion) {
    let [a, b, c, d] = four(cells, &bodies[0], from);
    register::transpose3([&a.linear, &b.linear, &c.linear, &d.linear], &mut to.va);
    register::transpose3([&a.angular, &b.angular, &c.angular, &d.angular], &mut to.wa);
    let [a, b, c, d] = four(cells, &bodies[1], from);
    register::transpose3([&a.linear, &b.linear, &c.linear, &d.linear], &mut to.vb);
    register::transpose3([&a.angular, &b.angular, &c.angular, &d.angular], &mut to.wb);
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
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

#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
#[inline(never)]
fn gather_single_body(
    cells: &[SingleCell],
    bodies: &[[u32; 8]; 2],
    from: u32,
    to: &mut Motion<S8>,
) {
    for (index, linear, angular) in
        [(&bodies[0], &mut to.va, &mut to.wa), (&bodies[1], &mut to.vb, &mut to.wb)]
    {
        for (l, c) in eight(cells, index, from).into_iter().enumerate() {
            for k in 0..3 {
                (linear[k].0[l], angular[k].0[l]) = (c.0[k], c.0[4 + k]);
            }
        }
    }
}

#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
#[inline(never)]
fn scatter_single_body(
    cells: &mut [SingleCell],
    bodies: &[[u32; 8]; 2],
    from: u32,
    v: &Motion<S8>,
) {
    for (index, linear, angular) in [(&bodies[0], &v.va, &v.wa), (&bodies[1], &v.vb, &v.wb)] {
        for l in 0..8 {
            let [x, y, z] = [0, 1, 2].map(|k| linear[k].0[l]);
            let [u, v, w] = [0, 1, 2].map(|k| angular[k].0[l]);
            cells[(index[l] - from) as usize] = S8([x, y, z, 0.0, u, v, w, 0.0]);
        }
    }
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
#[inline(never)]
fn gather_single_wide(
    cells: &[SingleCell],
    bodies: &[[u32; 8]; 2],
    from: u32,
    to: &mut Motion<S8>,
) {
    register::columns(eight(cells, &bodies[0], from), &mut to.va, &mut to.wa);
    register::columns(eight(cells, &bodies[1], from), &mut to.vb, &mut to.wb);
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
#[inline(never)]
fn scatter_single_wide(
    cells: &mut [SingleCell],
    bodies: &[[u32; 8]; 2],
    from: u32,
    v: &Motion<S8>,
) {
    for (index, linear, angular) in [(&bodies[0], &v.va, &v.wa), (&bodies[1], &v.vb, &v.wb)] {
        let rows = register::rows(linear, angular);
        for l in 0..8 {
            cells[(index[l] - from) as usize] = rows[l];
        }
    }
}

// By hand and never inlined: where the compiler sees how lanes come from cells, it keeps velocities
// as they lie in the cells and turns them anew for every row, and by itself it turns them number by
// number through memory.
kernel! {
    pub(super) fn gather(cells: &[Cell], bodies: &[[u32; LANES]; 2], from: u32, to: &mut Motion) = gather_body, by gather_wide
}
kernel! {
    pub(super) fn scatter(cells: &mut [Cell], bodies: &[[u32; LANES]; 2], from: u32, v: &Motion) = scatter_body, by scatter_wide
}
kernel! {
    pub(super) fn gather_single(cells: &[SingleCell], bodies: &[[u32; 8]; 2], from: u32, to: &mut Motion<S8>) = gather_single_body, by gather_single_wide
}
kernel! {
    pub(super) fn scatter_single(cells: &mut [SingleCell], bodies: &[[u32; 8]; 2], from: u32, v: &Motion<S8>) = scatter_single_body, by scatter_single_wide
}

impl<N: Width> Motion<N> {
    #[inline(always)]
    pub fn of(cells: &[N::Cell], bodies: &[N::Index; 2]) -> Self {
        Self::within(cells, bodies, 0)
    }

    /// The same, from cells that begin at number `from` of the island.
    #[inline(always)]
    pub fn within(cells: &[N::Cell], bodies: &[N::Index; 2], from: u32) -> Self {
        let mut out =
            Self { va: [N::ZERO; 3], wa: [N::ZERO; 3], vb: [N::ZERO; 3], wb: [N::ZERO; 3] };
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
