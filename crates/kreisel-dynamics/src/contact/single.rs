//! Large islands in single precision, eight manifolds at a time.
//!
//! Rows are computed in double precision and kept in single: half of what sweeps read, and twice
//! the lanes. Sweeps look for a *change* of the velocities, d = v − v₀: the rates of v₀ are taken
//! in double precision and belong to the biases. So what single precision rounds is 6e-8 of the
//! change and of the places of contact, not of velocities and gaps: below 1e-8 m of a gap where
//! gravity or an impact of metres a second acts. The impulses that come out are applied in double
//! precision, with the bodies' own masses, so that momentum is kept and velocities and impulses
//! belong together.

use super::accelerate::{self, Goal, Solved};
use super::cells::{Cell, Motion};
use super::parts::{Part, Share, in_phases};
use super::rows::exact;
use super::{ContactSettings, ContactTime, Contacts, Precision};
use crate::lanes::{F4, Lanes, S8, three};
use crate::simd::kernel;

/// Manifolds from which on an island is large. Smaller ones are fast anyway.
const LARGE: usize = 256;

/// Tolerance from which on single precision is enough, m.
const TOLERANCE: f64 = 1e-6;

/// Ratio of masses up to which it is enough: a load on a light body is rounded in proportion to
/// what presses.
const RATIO: f64 = 100.0;

/// Inverse roots of masses and moments of inertia up to which their squares, times sizes and
/// speeds, stay within its range.
const RANGE: f64 = 1e9;

impl Contacts {
    /// Whether single precision is enough for island `i`.
    pub(super) fn may_be_single(&self, i: usize, settings: &ContactSettings) -> bool {
        let island = &self.islands.list[i];
        let manifolds: usize =
            self.islands.parts[island.parts.clone()].iter().map(|p| p.manifolds.len()).sum();
        if settings.precision == Precision::Double
            || manifolds < LARGE
            || settings.tolerance < TOLERANCE
            || settings.time != ContactTime::Fast
            || !island.is_loose(settings)
        {
            return false;
        }
        let (mut least, mut most, mut largest) = (f64::INFINITY, 0.0_f64, 0.0_f64);
        for &slot in
            self.islands.slots[island.cells.clone()].iter().filter(|&&slot| slot != u32::MAX)
        {
            let [root, inertia @ ..] = self.views[slot as usize].roots();
            (least, most) = (least.min(root), most.max(root));
            largest = inertia.into_iter().fold(largest.max(root).max(root.recip()), f64::max);
        }
        most * most <= RATIO * least * least && largest <= RANGE
    }

    /// Sweeps over island `i`, with friction or without, for a change of the `reference`
    /// velocities; what has changed already is in the cells.
    pub(super) fn solve_single(
        &mut self,
        i: usize,
        goal: Goal<'_>,
        rubs: bool,
        sweep: &(impl Fn(&Part, Share<'_, S8>, f64) -> f64 + Sync),
    ) -> Solved {
        let (island, threads) = (&self.islands.list[i], self.threads);
        let (cells, groups, parts) = (
            island.cells.clone(),
            island.eights.clone(),
            &self.islands.parts[island.parts.clone()],
        );
        let roots = &self.roots[cells.clone()];
        let most = self.changes.len().max(cells.end);
        self.changes.resize(most, S8::ZERO);
        self.last_changes.resize(most, S8::ZERO);
        let changes = &mut self.changes[cells.clone()];
        for (d, (c, r)) in changes
            .iter_mut()
            .zip(self.cells[cells.clone()].iter().zip(&self.reference[cells.clone()]))
        {
            *d = S8::of([c.linear - r.linear, c.angular - r.angular]);
        }
        let rows = &mut self.rows.eights;
        let frictions = if rubs { &mut rows.frictions[groups.clone()] } else { &mut [] };
        let last = &mut self.last_changes[cells.clone()];
        let share = Share::rubbing(changes, last, &mut rows.groups[groups.clone()], frictions);
        let solved = accelerate::solve(parts, share, goal, threads, sweep, |_, _| ());
        let (groups, frictions) = (&mut rows.groups[groups.clone()], &mut rows.frictions[groups]);
        let share = Share::rubbing(
            &mut self.cells[cells.clone()],
            &mut self.last[cells],
            groups,
            frictions,
        );
        let work = |p: &Part, s: Share<'_, S8, Cell>| push(s, p.cells.start as u32, roots, rubs);
        in_phases(parts, share, threads, &work, &|(), ()| ());
        solved
    }
}

/// Applies what the impulses of eight manifolds have become since the start.
#[inline(always)]
fn push_body(share: Share<'_, S8, Cell>, from: u32, roots: &[f64], rubs: bool) {
    let Share { groups, frictions, cells, .. } = share;
    for (g, f) in groups.iter().zip(frictions) {
        for q in 0..2 {
            let bodies = g.bodies_of_four(q);
            let mass = exact(roots, &bodies);
            let mut v = Motion::within(cells, &bodies, from);
            let mut sum = F4::ZERO;
            for (k, row) in g.points[..g.count as usize].iter().enumerate() {
                let change = row.impulse.four(q) - f.start_four(k, q);
                sum += change;
                v.turn(three(&row.a, q), three(&row.b, q), change);
            }
            v.push(three(&g.normal, q), sum, mass);
            if rubs {
                // the hold began with what the start of the step had applied, twice
                let grip = f.grip.four(q);
                let ((held, spin), (before, spin_before)) = (f.held_four(q), f.before_four(q));
                grip.rub(mass, &mut v, [held[0] - before[0], held[1] - before[1]]);
                v.turn(grip.spin_a, grip.spin_b, spin - spin_before);
                if f.rolls {
                    f.roll_four(q, &mut v);
                }
            }
            v.put_within(cells, &bodies, from);
        }
    }
}

kernel! { fn push(share: Share<'_, S8, Cell>, from: u32, roots: &[f64], rubs: bool) = push_body }
