//! The position solve: impulses that keep the previewed gaps from closing (B-84; Bender 2007, section 5.3.1).
//!
//! A sweep is one Gauss-Seidel pass over the manifolds; impulses and velocities are extrapolated between sweeps
//! (Nesterov), with a restart when the sweep and the extrapolation disagree. Friction does not take part: inside this
//! loop it would turn the push that takes out a penetration into sideways motion.
//!
//! | symbol | here |
//! |---|---|
//! | gap + h u_n ≥ 0, λ ≥ 0 | `Row::bias` = gap/h, `Row::impulse` |
//! | θ = (t − 1)/t⁺, t⁺ = (1 + √(1 + 4t²))/2 | the extrapolation |
//! | residual | largest \|Δλ\|/inverse · h of a sweep, m |

use super::parts::{Part, Share, over};
use super::rows::{Cell, Group, Motion};
use crate::lanes::{F4, dot};
use crate::simd::kernel;

/// One sweep over cells from number `from` of the island on; returns the largest change of a rate, m/s.
#[inline(always)]
fn sweep_body(groups: &mut [Group], cells: &mut [Cell], from: u32, theta: f64) -> f64 {
    let theta = F4::splat(theta);
    let mut worst = F4::ZERO;
    for g in groups {
        let mut v = Motion::within(cells, &g.bodies, from);
        let mut along = v.along(g.normal, g.inverse_root_mass);
        let mut sum = F4::ZERO;
        for row in &mut g.points[..g.count as usize] {
            let rate = along + dot(row.a, v.wa) + dot(row.b, v.wb) + row.bias;
            let start = row.impulse + theta * (row.impulse - row.last);
            let next = (start - rate * row.inverse).max(F4::ZERO);
            let change = next - start;
            row.last = row.impulse;
            row.impulse = next;
            along += g.linear * change;
            sum += change;
            v.turn(row.a, row.b, change);
            worst = worst.max((change * row.response).abs());
        }
        v.push(g.normal, sum, g.inverse_root_mass);
        v.put_within(cells, &g.bodies, from);
    }
    worst.largest()
}

/// v ← v + θ(v − last), last ← v, and the extrapolated velocities into `start`.
#[inline(always)]
fn extrapolate_body(cells: &mut [Cell], last: &mut [Cell], start: &mut [Cell], theta: f64) {
    let theta = F4::splat(theta);
    for ((c, p), s) in cells.iter_mut().zip(last).zip(start) {
        let now = *c;
        c.linear = now.linear + theta * (now.linear - p.linear);
        c.angular = now.angular + theta * (now.angular - p.angular);
        *p = now;
        *s = *c;
    }
}

/// (x − y)·(y − x₋): negative when the sweep goes against the extrapolation.
#[inline(always)]
fn agreement_body(cells: &[Cell], start: &[Cell], last: &[Cell]) -> f64 {
    let mut sum = F4::ZERO;
    for ((c, s), p) in cells.iter().zip(start).zip(last) {
        sum += (c.linear - s.linear) * (s.linear - p.linear) + (c.angular - s.angular) * (s.angular - p.angular);
    }
    sum.sum()
}

kernel! { fn sweep(groups: &mut [Group], cells: &mut [Cell], from: u32, theta: f64) -> f64 = sweep_body }
kernel! { fn extrapolate(cells: &mut [Cell], last: &mut [Cell], start: &mut [Cell], theta: f64) = extrapolate_body }
kernel! { fn agreement(cells: &[Cell], start: &[Cell], last: &[Cell]) -> f64 = agreement_body }

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solved {
    pub sweeps: u32,
    /// Largest change of the last sweep, in m/s.
    pub residual: f64,
    pub converged: bool,
    /// Whether layers had to help.
    pub shocked: bool,
}

impl Solved {
    /// Both together.
    pub fn with(self, other: Self) -> Self {
        Self {
            sweeps: self.sweeps.max(other.sweeps),
            residual: self.residual.max(other.residual),
            converged: self.converged && other.converged,
            shocked: self.shocked || other.shocked,
        }
    }
}

/// Sweeps over the parts of an island until no rate changes by more than `tolerance`. `block` brings jointed bodies back onto
/// their joints.
pub(crate) fn solve(
    parts: &[Part],
    mut share: Share<'_>,
    tolerance: f64,
    most: u32,
    threads: bool,
    mut block: impl FnMut(&mut [Cell]),
) -> Solved {
    share.last.copy_from_slice(share.cells);
    share.ahead.copy_from_slice(share.cells);
    let whole = &parts[..parts.partition_point(|p| p.phase == 0)];
    let mut t: f64 = 1.0;
    let mut out = Solved::default();
    while out.sweeps < most {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        let theta = (t - 1.0) / next;
        out.residual = 0.0;
        for phase in parts.chunk_by(|a, b| a.phase == b.phase) {
            let work = |p: &Part, s: Share<'_>| {
                if p.phase == 0 {
                    extrapolate(s.cells, s.last, s.ahead, theta);
                }
                sweep(s.groups, s.cells, p.cells.start as u32, theta)
            };
            let worst = over(phase, share.again(), [0, 0], threads, &work, &f64::max);
            out.residual = out.residual.max(worst.unwrap_or(0.0));
        }
        block(share.cells);
        out.sweeps += 1;
        if out.residual <= tolerance {
            out.converged = true;
            break;
        }
        let work = |_: &Part, s: Share<'_>| agreement(s.cells, s.ahead, s.last);
        let together = over(whole, share.again(), [0, 0], threads, &work, &|a, b| a + b);
        t = if together.is_some_and(|x| x < 0.0) { 1.0 } else { next };
    }
    out
}
