//! What solves read from four manifolds and write back: numbers by point and lane.

use super::manifold::{Manifold, POINTS};
use super::rows::IDLE;
use crate::lanes::{F4, LANES};
use crate::simd::kernel;
#[cfg(target_arch = "x86_64")]
use crate::simd::register;
use std::sync::LazyLock;

/// Gaps, impulses and speeds of four manifolds by point, and their friction: x, y, z and twist. See [`Manifold`].
#[derive(Clone, Copy, Default)]
pub(crate) struct Loads {
    pub gap: [F4; POINTS],
    pub guess: [F4; POINTS],
    pub kick: [F4; POINTS],
    pub hold: [F4; POINTS],
    pub approach: [F4; POINTS],
    pub drag: [F4; 4],
}

/// What idle lanes read.
static NOTHING: LazyLock<Manifold> = LazyLock::new(Manifold::default);

fn four<'a>(manifolds: &'a [Manifold], index: &[u32; LANES]) -> [&'a Manifold; LANES] {
    index.map(|m| if m == IDLE { &*NOTHING } else { &manifolds[m as usize] })
}

#[inline(never)]
fn take_body(manifolds: &[Manifold], index: &[u32; LANES], to: &mut Loads) {
    let m = four(manifolds, index);
    to.gap = F4::transpose(m.map(|m| &m.gap));
    to.guess = F4::transpose(m.map(|m| &m.guess));
    to.kick = F4::transpose(m.map(|m| &m.kick));
    to.hold = F4::transpose(m.map(|m| &m.hold));
    to.approach = F4::transpose(m.map(|m| &m.approach));
    to.drag = F4::transpose(m.map(|m| &m.drag));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
fn take_wide(manifolds: &[Manifold], index: &[u32; LANES], to: &mut Loads) {
    let [a, b, c, d] = four(manifolds, index);
    to.gap = register::transpose([&a.gap, &b.gap, &c.gap, &d.gap]);
    to.guess = register::transpose([&a.guess, &b.guess, &c.guess, &d.guess]);
    to.kick = register::transpose([&a.kick, &b.kick, &c.kick, &d.kick]);
    to.hold = register::transpose([&a.hold, &b.hold, &c.hold, &d.hold]);
    to.approach = register::transpose([&a.approach, &b.approach, &c.approach, &d.approach]);
    to.drag = register::transpose([&a.drag, &b.drag, &c.drag, &d.drag]);
}

fn each(x: &[F4; 4]) -> [&F4; 4] {
    let [a, b, c, d] = x;
    [a, b, c, d]
}

#[inline(never)]
fn give_body(manifolds: &mut [Manifold], index: &[u32; LANES], from: &Loads) {
    let (guess, kick) = (F4::transpose(each(&from.guess)), F4::transpose(each(&from.kick)));
    let (hold, approach) = (F4::transpose(each(&from.hold)), F4::transpose(each(&from.approach)));
    give(manifolds, index, [guess, kick, hold, approach, F4::transpose(each(&from.drag))]);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
fn give_wide(manifolds: &mut [Manifold], index: &[u32; LANES], from: &Loads) {
    let (guess, kick) = (register::transpose(each(&from.guess)), register::transpose(each(&from.kick)));
    let (hold, approach) = (register::transpose(each(&from.hold)), register::transpose(each(&from.approach)));
    give(manifolds, index, [guess, kick, hold, approach, register::transpose(each(&from.drag))]);
}

#[inline(always)]
fn give(manifolds: &mut [Manifold], index: &[u32; LANES], [guess, kick, hold, approach, drag]: [[F4; LANES]; 5]) {
    for l in (0..LANES).filter(|&l| index[l] != IDLE) {
        let m = &mut manifolds[index[l] as usize];
        (m.guess, m.kick, m.hold, m.approach, m.drag) = (guess[l], kick[l], hold[l], approach[l], drag[l]);
    }
}

kernel! { fn take(manifolds: &[Manifold], index: &[u32; LANES], to: &mut Loads) = take_body, by take_wide }
kernel! { fn put(manifolds: &mut [Manifold], index: &[u32; LANES], from: &Loads) = give_body, by give_wide }

impl Loads {
    #[inline(always)]
    pub fn of(manifolds: &[Manifold], index: &[u32; LANES]) -> Self {
        let mut out = Self::default();
        take(manifolds, index, &mut out);
        out
    }

    /// Writes all but the gaps back.
    #[inline(always)]
    pub fn put(&self, manifolds: &mut [Manifold], index: &[u32; LANES]) {
        put(manifolds, index, self);
    }
}
