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

use super::rows::{Cell, Group};
use crate::lanes::{F4, LANES, dot};
use crate::simd::kernel;

/// Velocities of the four bodies of one side.
#[inline(always)]
fn gather(cells: &[Cell], index: &[u32; LANES]) -> ([F4; 3], [F4; 3]) {
    let c =
        [&cells[index[0] as usize], &cells[index[1] as usize], &cells[index[2] as usize], &cells[index[3] as usize]];
    (
        F4::transpose3(&c[0].linear, &c[1].linear, &c[2].linear, &c[3].linear),
        F4::transpose3(&c[0].angular, &c[1].angular, &c[2].angular, &c[3].angular),
    )
}

#[inline(always)]
fn scatter(cells: &mut [Cell], index: &[u32; LANES], linear: [F4; 3], angular: [F4; 3]) {
    let (v, w) = (F4::transpose4(linear), F4::transpose4(angular));
    for l in 0..LANES {
        let c = &mut cells[index[l] as usize];
        c.linear = v[l];
        c.angular = w[l];
    }
}

/// One sweep; returns the largest change of a rate, m/s.
#[inline(always)]
fn sweep_body(groups: &mut [Group], cells: &mut [Cell], theta: f64) -> f64 {
    let theta = F4::splat(theta);
    let mut worst = F4::ZERO;
    for g in groups {
        let (mut va, mut wa) = gather(cells, &g.bodies[0]);
        let (mut vb, mut wb) = gather(cells, &g.bodies[1]);
        let n = g.normal;
        let [ma, mb] = g.inverse_root_mass;
        let mut along = dot(n, va) * ma - dot(n, vb) * mb;
        let mut sum = F4::ZERO;
        for row in &mut g.points[..g.count as usize] {
            let rate = along + dot(row.a, wa) + dot(row.b, wb) + row.bias;
            let start = row.impulse + theta * (row.impulse - row.last);
            let next = (start - rate * row.inverse).max(row.low);
            let change = next - start;
            row.last = row.impulse;
            row.impulse = next;
            along += g.linear * change;
            sum += change;
            for k in 0..3 {
                wa[k] += row.a[k] * change;
                wb[k] += row.b[k] * change;
            }
            worst = worst.max((change * row.response).abs());
        }
        let (pa, pb) = (sum * ma, sum * mb);
        for k in 0..3 {
            va[k] += n[k] * pa;
            vb[k] = vb[k] - n[k] * pb;
        }
        scatter(cells, &g.bodies[0], va, wa);
        scatter(cells, &g.bodies[1], vb, wb);
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
    (sum.0[0] + sum.0[1]) + (sum.0[2] + sum.0[3])
}

kernel! { pub(crate) fn sweep(groups: &mut [Group], cells: &mut [Cell], theta: f64) -> f64 = sweep_body }
kernel! { fn extrapolate(cells: &mut [Cell], last: &mut [Cell], start: &mut [Cell], theta: f64) = extrapolate_body }
kernel! { fn agreement(cells: &[Cell], start: &[Cell], last: &[Cell]) -> f64 = agreement_body }

/// Scratch of the extrapolation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extrapolation {
    last: Vec<Cell>,
    start: Vec<Cell>,
}

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solved {
    pub sweeps: u32,
    /// Largest change of the last sweep, in m/s.
    pub residual: f64,
    pub converged: bool,
}

/// Sweeps until no rate changes by more than `tolerance`. `block` brings jointed bodies back onto their joints.
pub(crate) fn solve(
    groups: &mut [Group],
    cells: &mut [Cell],
    scratch: &mut Extrapolation,
    tolerance: f64,
    most: u32,
    mut block: impl FnMut(&mut [Cell]),
) -> Solved {
    scratch.last.clear();
    scratch.last.extend_from_slice(cells);
    scratch.start.clear();
    scratch.start.extend_from_slice(cells);
    let mut t: f64 = 1.0;
    let mut out = Solved::default();
    while out.sweeps < most {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        let theta = (t - 1.0) / next;
        extrapolate(cells, &mut scratch.last, &mut scratch.start, theta);
        out.residual = sweep(groups, cells, theta);
        block(cells);
        out.sweeps += 1;
        if out.residual <= tolerance {
            out.converged = true;
            break;
        }
        let against = agreement(cells, &scratch.start, &scratch.last) < 0.0;
        t = if against { 1.0 } else { next };
    }
    out
}
