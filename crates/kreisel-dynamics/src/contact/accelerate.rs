//! Sweeps over an island until they converge, extrapolated between sweeps (Nesterov), with a
//! restart when a sweep makes things worse. Both solves go this way.
//!
//! | symbol | here |
//! |---|---|
//! | θ = (t − 1)/t⁺, t⁺ = (1 + √(1 + 4t²))/2 | the extrapolation of velocities here, of impulses in the sweeps |

use super::parts::{Part, Share, in_phases};
use super::rows::Width;
use crate::step::Budget;

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solved {
    pub sweeps: u32,
    /// Largest change of the last sweep, in m/s.
    pub residual: f64,
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
/// onto their joints.
pub(crate) fn solve<N: Width>(
    parts: &[Part],
    mut share: Share<'_, N>,
    goal: Goal<'_>,
    threads: bool,
    sweep: &(impl Fn(&Part, Share<'_, N>, f64) -> f64 + Sync),
    mut block: impl FnMut(&mut [N::Cell]),
) -> Solved {
    share.last.copy_from_slice(share.cells);
    block(share.cells);
    let (mut t, mut before) = (1.0_f64, f64::INFINITY);
    let mut out = Solved::default();
    while out.sweeps < goal.most {
        let next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        let theta = (t - 1.0) / next;
        let work = |p: &Part, s: Share<'_, N>| {
            if p.phase == 0 && out.sweeps > 0 {
                N::extrapolate(s.cells, s.last, theta);
            }
            sweep(p, s, theta)
        };
        out.residual = in_phases(parts, share.again(), threads, &work, &f64::max).unwrap_or(0.0);
        block(share.cells);
        out.sweeps += 1;
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
