//! What solves read from manifolds and leave to them, turned to lanes: numbers by point. They are
//! taken when the rows are filled and given back after each solve, manifold by manifold.

use super::manifold::{Manifold, POINTS};
use super::rows::{AllRows, IDLE, Width};
use crate::lanes::{F4, LANES, Lanes};
use crate::math::Vec3;
use crate::simd::kernel;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::simd::register;
use rayon::prelude::*;

/// Gaps, impulses and speeds of several manifolds by point, and their friction: x, y, z and twist.
/// See [`Manifold`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loads<N = F4> {
    pub gap: [N; POINTS],
    pub guess: [N; POINTS],
    pub kick: [N; POINTS],
    pub hold: [N; POINTS],
    pub approach: [N; POINTS],
    pub drag: [N; 4],
    /// Friction impulse of the whole step.
    pub dragged: [N; 3],
}

#[cfg_attr(all(target_arch = "wasm32", target_feature = "simd128"), allow(dead_code))]
#[inline(never)]
fn take_body(m: [&Manifold; LANES], to: &mut Loads) {
    to.gap = F4::transpose(m.map(|m| &m.gap));
    to.guess = F4::transpose(m.map(|m| &m.guess));
    to.kick = F4::transpose(m.map(|m| &m.kick));
    to.hold = F4::transpose(m.map(|m| &m.hold));
    to.approach = F4::transpose(m.map(|m| &m.approach));
    to.drag = F4::transpose(m.map(|m| &m.drag));
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
#[inline(never)]
fn take_wide([a, b, c, d]: [&Manifold; LANES], to: &mut Loads) {
    to.gap = register::transpose([&a.gap, &b.gap, &c.gap, &d.gap]);
    to.guess = register::transpose([&a.guess, &b.guess, &c.guess, &d.guess]);
    to.kick = register::transpose([&a.kick, &b.kick, &c.kick, &d.kick]);
    to.hold = register::transpose([&a.hold, &b.hold, &c.hold, &d.hold]);
    to.approach = register::transpose([&a.approach, &b.approach, &c.approach, &d.approach]);
    to.drag = register::transpose([&a.drag, &b.drag, &c.drag, &d.drag]);
}

kernel! { fn take(m: [&Manifold; LANES], to: &mut Loads) = take_body, by take_wide }

impl Loads {
    /// Lets the next step start from nothing.
    pub fn forget(&mut self) {
        (self.guess, self.drag) = (Default::default(), Default::default());
    }

    /// Those of four manifolds.
    #[inline(always)]
    pub fn of(manifolds: [&Manifold; LANES]) -> Self {
        let mut out = Self::default();
        take(manifolds, &mut out);
        out
    }
}

#[inline(always)]
fn four<N: Lanes>(x: &[N; POINTS], q: usize) -> [F4; POINTS] {
    [x[0].four(q), x[1].four(q), x[2].four(q), x[3].four(q)]
}

#[inline(always)]
fn set_four<N: Lanes>(to: &mut [N; POINTS], q: usize, x: &[F4; POINTS]) {
    for k in 0..POINTS {
        to[k].set_four(q, x[k]);
    }
}

impl<N: Width> Loads<N> {
    /// Four lanes in double precision.
    #[inline(always)]
    pub fn four(&self, q: usize) -> Loads {
        Loads {
            gap: four(&self.gap, q),
            guess: four(&self.guess, q),
            kick: four(&self.kick, q),
            hold: four(&self.hold, q),
            approach: four(&self.approach, q),
            drag: four(&self.drag, q),
            dragged: [F4::ZERO; 3],
        }
    }

    /// Sets four lanes.
    #[inline(always)]
    pub fn set_four(&mut self, q: usize, from: &Loads) {
        set_four(&mut self.gap, q, &from.gap);
        set_four(&mut self.guess, q, &from.guess);
        set_four(&mut self.kick, q, &from.kick);
        set_four(&mut self.hold, q, &from.hold);
        set_four(&mut self.approach, q, &from.approach);
        set_four(&mut self.drag, q, &from.drag);
    }

    /// Gives a manifold its lane.
    #[inline(always)]
    fn give(&self, l: usize, m: &mut Manifold, ended: bool) {
        for k in 0..POINTS {
            m.guess.0[k] = self.guess[k].lane(l);
            m.kick.0[k] = self.kick[k].lane(l);
            m.hold.0[k] = self.hold[k].lane(l);
            m.approach.0[k] = self.approach[k].lane(l);
            m.drag.0[k] = self.drag[k].lane(l);
        }
        if ended {
            let [x, y, z] = &self.dragged;
            m.dragged = Vec3::new(x.lane(l), y.lane(l), z.lane(l)) + m.struck;
            m.struck = Vec3::ZERO;
        }
    }
}

/// Seats tell where the loads of a manifold lie: number of the group times lanes plus lane; the
/// highest bit tells single precision.
const SINGLE: u32 = 1 << 31;

/// The seat of lane `l` of group `g`.
pub(crate) fn seat<N: Width>(g: usize, l: usize) -> u32 {
    (g * LANES * N::FOURS + l) as u32 | if N::SINGLE { SINGLE } else { 0 }
}

/// Manifolds of one handful of work.
const HANDFUL: usize = 256;

/// Gives all manifolds their loads; after a step has `ended`, the friction of the whole step, too.
pub(crate) fn give(
    manifolds: &mut [Manifold],
    seats: &[u32],
    rows: &AllRows,
    ended: bool,
    threads: bool,
) {
    let some = |(manifolds, seats): (&mut [Manifold], &[u32])| {
        for (m, &seat) in manifolds.iter_mut().zip(seats).filter(|(_, s)| **s != IDLE) {
            let at = (seat & !SINGLE) as usize;
            if seat & SINGLE != 0 {
                rows.eights.loads[at / 8].give(at % 8, m, ended);
            } else {
                rows.fours.loads[at / LANES].give(at % LANES, m, ended);
            }
        }
    };
    if threads {
        manifolds.par_chunks_mut(HANDFUL).zip(seats.par_chunks(HANDFUL)).for_each(some);
    } else {
        some((manifolds, seats));
    }
}
