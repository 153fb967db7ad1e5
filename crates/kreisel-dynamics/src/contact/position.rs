//! The position solve: impulses that keep the previewed gaps from closing (B-84; Bender 2007,
//! section 5.3.1).
//!
//! A sweep is one Gauss-Seidel pass over the manifolds. Friction does not take part: inside this
//! loop it would turn the push that takes out a penetration into sideways motion.
//!
//! | symbol | here |
//! |---|---|
//! | gap + h u_n ≥ 0, λ ≥ 0 | `Row::bias` = gap/h, `Row::impulse` |
//! | residual | largest \|Δλ\|/inverse · h of a sweep, m |

use super::accelerate::Goal;
use super::cells::Motion;
use super::parts::{Part, Share};
use super::rows::{Group, Width};
use super::{ContactSettings, Iteration};
use crate::lanes::dot;
use crate::simd::kernel;
use crate::step::Budget;

/// When the extrapolation starts anew: impulses that come or go make changes grow a little, which
/// is no harm. With twice the best change piles take a fifth fewer sweeps than with the sign of the
/// work of a sweep along the extrapolation, and that takes a pass over all velocities; at five
/// times a heavy body on a light one drifts.
const WORSE: f64 = 2.0;

/// One sweep over cells from number `from` of the island on; returns the largest change of a rate,
/// m/s.
#[inline(always)]
fn sweep_body<N: Width>(
    groups: &mut [Group<N>],
    cells: &mut [N::Cell],
    from: u32,
    theta: f64,
) -> f64 {
    let theta = N::splat(theta);
    let mut worst = N::ZERO;
    for g in groups {
        let mut v = Motion::<N>::within(cells, &g.bodies, from);
        let mut along = v.along(g.normal, g.inverse_root_mass);
        let mut sum = N::ZERO;
        for row in &mut g.points[..g.count as usize] {
            let rate = along + dot(row.a, v.wa) + dot(row.b, v.wb) + row.bias;
            let start = row.impulse + theta * (row.impulse - row.last);
            let next = (start - rate * row.inverse).max(N::ZERO);
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

kernel! { fn sweep_part<N: Width>(groups: &mut [Group<N>], cells: &mut [N::Cell], from: u32, theta: f64) -> f64 = sweep_body }

/// What the position solve aims at: a largest change of a rate, m/s, after so many sweeps at the
/// `most` unless the settings say how many.
pub(crate) fn goal<'a>(
    tolerance: f64,
    most: u32,
    settings: &ContactSettings,
    budget: &'a Budget,
) -> Goal<'a> {
    let worse = if settings.iteration == Iteration::Plain { 0.0 } else { WORSE };
    let (most, capped) = match (settings.shock, settings.max_sweeps) {
        (0, Some(own)) => (own, true),
        (0, None) => (most, false),
        (shock, _) => (shock, false),
    };
    Goal { tolerance, most, capped, budget: Some(budget), worse }
}

/// One sweep over a part of an island, with impulses extrapolated by `theta`; returns the largest
/// change of a rate, m/s.
pub(crate) fn sweep<N: Width>(part: &Part, share: Share<'_, N>, theta: f64) -> f64 {
    sweep_part(share.groups, share.cells, part.cells.start as u32, theta)
}
