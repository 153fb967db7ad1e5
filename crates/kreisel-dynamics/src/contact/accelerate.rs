//! Sweeps over an island until they converge, extrapolated between sweeps (Nesterov), with a
//! restart when a sweep makes things worse. Both solves go this way.
//!
//! | symbol | here |
//! |---|---|
//! | θ = (t − 1)/t⁺, t⁺ = (1 + √(1 + 4t²))/2 | the extrapolation of velocities here, of impulses in the sweeps |

use super::parts::{Part, Share, in_phases};
use super::rows::Width;
use crate::step::Budget;

/// Changes of sweeps are taken to fall at least by this factor from one to the next.
const SLOWEST: f64 = 1.0 - 1e-4;

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solved {
    pub sweeps: u32,
    /// Largest change of the last sweep, in m/s.
    pub residual: f64,
    /// What all further sweeps would change, were they to go on as the last two, m/s.
    pub left: f64,
    pub converged: bool,
    /// Whether layers had to help.
    pub shocked: bool,
    /// Whether a limit that the user has set ended it before it had converged.
    pub spent: bool,
}

impl Solved {
    /// The worse of two solves in every respect.
    pub fn with(self, other: Self) -> Self {
        Self {
            sweeps: self.sweeps.max(other.sweeps),
            residual: self.residual.max(other.residual),
            left: self.left.max(other.left),
            converged: self.converged && other.converged,
            shocked: self.shocked || other.shocked,
            spent: self.spent || other.spent,
        }
    }
}

/// When sweeps end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal<'a> {
    /// Largest change of a rate, m/s.
    pub tolerance: f64,
    pub most: u32,
    /// Whether the number of sweeps is a limit that the user has set.
    pub capped: bool,
    /// What is asked after every sweep whether time is up.
    pub budget: Option<&'a Budget>,
    /// A sweep whose largest change is so many times that of the best one since the extrapolation
    /// began starts it anew; 0 for no extrapolation.
    pub worse: f64,
}

/// Sweeps over the parts of an island until no rate changes by more than the tolerance. `sweep`
/// goes over a part with impulses that are extrapolated by θ; `block` brings jointed bodies back
/// onto their joints, or extrapolates what those have answered by the θ that it is given.
pub(crate) fn solve<N: Width>(
    parts: &[Part],
    mut share: Share<'_, N>,
    goal: Goal<'_>,
    threads: bool,
    sweep: &(impl Fn(&Part, Share<'_, N>, f64) -> f64 + Sync),
    mut block: impl FnMut(&mut [N::Cell], Option<f64>),
) -> Solved {
    share.last.copy_from_slice(share.cells);
    block(share.cells, None);
    let (mut t, mut before, mut last) = (1.0_f64, f64::INFINITY, f64::INFINITY);
    let mut out = Solved::default();
    while out.sweeps < goal.most {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        let theta = (t - 1.0) / next;
        if out.sweeps > 0 {
            block(share.cells, Some(theta));
        }
        let work = |p: &Part, s: Share<'_, N>| {
            if p.phase == 0 && out.sweeps > 0 {
                N::extrapolate(s.cells, s.last, theta);
            }
            sweep(p, s, theta)
        };
        out.residual = in_phases(parts, share.again(), threads, &work, &f64::max).unwrap_or(0.0);
        block(share.cells, None);
        out.sweeps += 1;
        let rate = (out.residual / last).min(SLOWEST);
        (out.left, last) = (out.residual / (1.0 - rate), out.residual);
        if out.residual <= goal.tolerance {
            out.converged = true;
            break;
        }
        if goal.budget.is_some_and(Budget::spent) {
            out.spent = true;
            break;
        }
        // nothing is better than the first one, infinitely: 0 times that is no number
        let worse = goal.worse == 0.0 || out.residual > goal.worse * before;
        t = if worse { 1.0 } else { next };
        before = if worse { out.residual } else { before.min(out.residual) };
    }
    out.spent |= goal.capped && !out.converged;
    out
}
