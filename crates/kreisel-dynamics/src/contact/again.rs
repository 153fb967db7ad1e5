//! Making a step again after bodies have met in it.
//!
//! Loose bodies: the overlaps of the end are taken out there, by changes Δλ of the kick's impulses
//! under which no previewed gap closes, gap + h JΔv ≥ 0 and λ + Δλ ≥ 0, in the rows of the end. The
//! changes of momentum join the kick, and the bodies drift anew. Most contacts are content already,
//! so that this costs a few sweeps.
//!
//! Where joints or sleepers take part, the contacts of the end join those of the start, and the
//! kick is made anew.

use super::accelerate;
use super::cells::{Cell, Motion};
use super::loads::{self, Loads};
use super::manifold::{Brief, Manifold, POINTS};
use super::parts::Share;
use super::prime::SHARE;
use super::rows::{AllRows, Group, IDLE, SomeRows, Width};
use super::stage::{SWEEPS, Stage, keep_kick};
use super::{ContactSettings, Contacts, NOWHERE, position};
use crate::lanes::{F4, LANES};
use crate::math::Vec3;
use crate::step::Budget;
use crate::system::{System, mat3, vec3};

/// A new overlap from which on a fast step is made again, whatever the settings say, as a share of
/// the smaller body.
pub(super) const DEEP_SHARE: f64 = 0.02;

/// Where more than so many jointed chains touch something, repeats are dear: all of them are
/// predicted and projected anew.
const MANY_CHAINS: usize = 16;

/// Then a new overlap with a jointed body counts from a share of how far the bodies have moved
/// against each other, at most so many times what the settings say, and at most a share of the
/// smaller body. 200 ragdolls that fall at 20 m/s took 8 repeats a step, 165 ms, for 2 mm; with
/// these one, 31 ms, for 36 mm (rapier: 138 mm).
const JOINTED_WAY: f64 = 0.15;
const JOINTED_OVERLAP: f64 = 10.0;
const JOINTED_SHARE: f64 = 0.3;

impl Contacts {
    /// Keeps the velocities after the kick.
    pub(super) fn keep_kicked(&mut self, systems: &[System]) {
        self.kicked.clear();
        self.kicked.extend(systems.iter().flat_map(|s| s.groups.iter().map(|g| g.y)));
    }

    /// Adds to the kick what takes out the new overlaps of the end, and puts the systems after that
    /// kick. Returns the energy that it takes; `None` when bodies meet that joints hold or that
    /// sleep.
    pub(super) fn push_apart(
        &mut self,
        systems: &mut [System],
        h: f64,
        settings: &ContactSettings,
        budget: &Budget,
    ) -> Option<[f64; 2]> {
        let mut met = std::mem::take(&mut self.met);
        met.clear();
        met.extend(self.briefs.iter().map(|m| self.is_new(m, 1.0)));
        let loose = |c: u32| {
            let slot = self.colliders[c as usize].slot;
            self.chain_of[slot as usize] == u32::MAX && !self.is_asleep(slot)
        };
        let of_loose =
            self.briefs.iter().zip(&met).all(|(m, met)| !met || m.pair.iter().all(|&c| loose(c)));
        let taken = of_loose.then(|| self.push_loose(&met, systems, h, settings, budget)).flatten();
        self.met = met;
        taken
    }

    fn push_loose(
        &mut self,
        met: &[bool],
        systems: &mut [System],
        h: f64,
        settings: &ContactSettings,
        budget: &Budget,
    ) -> Option<[f64; 2]> {
        self.set_up(systems, settings);
        let AllRows { fours, eights } = &self.rows;
        let concerned = |i: &usize| {
            let island = &self.islands.list[*i];
            let meets = |(_, m): (usize, usize)| met[m];
            fours.groups[island.fours.clone()].iter().any(|g| g.lanes().any(meets))
                || eights.groups[island.eights.clone()].iter().any(|g| g.lanes().any(meets))
        };
        let islands: Vec<usize> = (0..self.islands.list.len()).filter(concerned).collect();
        if islands.iter().any(|&i| !self.islands.list[i].is_loose(settings)) {
            return None;
        }
        self.load(systems, None);
        self.cells.fill(Cell::default());
        self.reference.fill(Cell::default());
        for i in islands {
            let (colliders, homes) = (&self.colliders, &self.homes);
            let pull = |c: u32| match homes[colliders[c as usize].slot as usize] {
                NOWHERE => Vec3::ZERO,
                (s, i) => {
                    vec3(&systems[s as usize].groups[i as usize / LANES].acc, i as usize % LANES)
                }
            };
            let island = self.islands.list[i].clone();
            let (cells, manifolds) = (island.cells.clone(), &self.memory.manifolds);
            let how = Ask { h, met, gaps: &self.gaps, pull: &pull };
            let goal = position::goal(settings.tolerance / h, SWEEPS, settings, budget);
            let solved = if island.is_single() {
                let range = island.eights.clone();
                ask(self.rows.eights.some(range.clone()), manifolds, &self.actual[cells], how);
                let solved = self.solve_single(i, goal, false, &position::sweep);
                let (groups, _, loads) = self.rows.eights.some(range);
                keep_kick(groups, loads);
                solved
            } else {
                let (groups, frictions, loads) = self.rows.fours.some(island.fours.clone());
                ask((groups, frictions, loads), manifolds, &self.actual[cells.clone()], how);
                let share =
                    Share::normals(&mut self.cells[cells.clone()], &mut self.last[cells], groups);
                let parts = &self.islands.parts[island.parts];
                let solved = accelerate::solve(
                    parts,
                    share,
                    goal,
                    self.threads,
                    &position::sweep,
                    |_, _| (),
                );
                keep_kick(groups, loads);
                solved
            };
            self.spent |= solved.spent;
            self.report.sweeps = self.report.sweeps.max(solved.sweeps);
        }
        loads::give(&mut self.memory.manifolds, &self.seats, &self.rows, false, self.threads);
        let carried = self.carried_work(Stage::Kick);
        Some([self.kick_again(systems) + carried, carried])
    }

    /// Goes back to the start of the step, after its kick and with the cells' changes of momentum.
    /// Returns the energy that these take, J.
    fn kick_again(&mut self, systems: &mut [System]) -> f64 {
        // angular momenta of the world: the bodies have turned since
        for (c, &slot) in
            self.cells.iter_mut().zip(&self.islands.slots).filter(|(_, slot)| **slot != u32::MAX)
        {
            let (s, i) = self.homes[slot as usize];
            let (g, l) = (&systems[s as usize].groups[i as usize / LANES], i as usize % LANES);
            let local = vec3(&g.si, l) * Vec3::new(c.angular.0[0], c.angular.0[1], c.angular.0[2]);
            let world = mat3(&g.r, l) * local;
            c.angular = F4([world.x, world.y, world.z, 0.0]);
        }
        self.go_back(systems);
        let kicked = systems.iter_mut().flat_map(|s| &mut s.groups).zip(&self.kicked);
        kicked.for_each(|(g, y)| g.y = *y);
        let mut taken = 0.0;
        for (c, &slot) in
            self.cells.iter().zip(&self.islands.slots).filter(|(_, slot)| **slot != u32::MAX)
        {
            let (s, i) = self.homes[slot as usize];
            let (g, l) = (&mut systems[s as usize].groups[i as usize / LANES], i as usize % LANES);
            let turned = mat3(&g.r, l).transpose()
                * Vec3::new(c.angular.0[0], c.angular.0[1], c.angular.0[2]);
            let spun = vec3(&g.isi, l) * turned;
            for (k, change) in
                c.linear.0[..3].iter().copied().chain([spun.x, spun.y, spun.z]).enumerate()
            {
                let y = &mut g.y[k].0[l];
                taken -= change * (*y + 0.5 * change);
                *y += change;
            }
        }
        taken
    }

    /// Notes the smallest gap of each pair, sorted by pair.
    pub(super) fn gaps_now(&mut self, systems: &[System]) {
        self.mark_drawn(systems);
        self.gaps.clear();
        for m in &self.briefs {
            match self.gaps.last_mut() {
                Some(last) if last.0 == m.pair => last.1 = last.1.min(m.gap),
                _ => self.gaps.push((m.pair, m.gap)),
            }
        }
    }

    /// Whether the step has made a new overlap, `times` as deep as a step is made again for.
    pub(super) fn meets(&self, times: f64) -> bool {
        self.briefs.iter().any(|m| self.is_new(m, times))
    }

    /// Whether so many chains touch something that repeats are dear.
    pub(super) fn has_many_chains(&self) -> bool {
        self.islands.chains.len() > MANY_CHAINS
    }

    /// Whether joints hold a body of a pair.
    fn is_jointed(&self, pair: [u32; 2]) -> bool {
        pair.iter().any(|&c| self.chain_of[self.colliders[c as usize].slot as usize] != u32::MAX)
    }

    fn is_new(&self, m: &Brief, times: f64) -> bool {
        if m.sensor || m.gap >= 0.0 {
            return false;
        }
        let deep = self.deep(m.pair);
        if m.gap >= -times * deep {
            return false;
        }
        let before = self.gap_before(m.pair);
        if m.gap >= before.unwrap_or(f64::INFINITY) - 0.5 * deep {
            return false;
        }
        if self.has_many_chains() && self.is_jointed(m.pair) {
            let way = (JOINTED_WAY * self.way(m.pair)).min(JOINTED_OVERLAP * self.overlap);
            if m.gap >= -times * way.min(JOINTED_SHARE * self.size(m.pair)) {
                return false;
            }
        }
        // deeper than the bodies have moved is no meeting: to take it out at once would throw them
        self.is_explained(m, before.unwrap_or(0.0), deep)
    }

    /// Smallest gap of a pair at the start of the step.
    fn gap_before(&self, pair: [u32; 2]) -> Option<f64> {
        gap_of(&self.gaps, pair)
    }

    /// Keeps the velocities that led to the end, by body: cells are given anew with the islands of
    /// the end.
    pub(super) fn keep_solved(&mut self) {
        self.solved.clear();
        self.solved.resize(self.homes.len(), None);
        for (k, &slot) in self.islands.slots.iter().enumerate() {
            if slot != u32::MAX {
                self.solved[slot as usize] = Some(self.cells[k]);
            }
        }
    }

    /// The contacts of overlaps that the step has made join those of the start, with gaps that
    /// foretell the end. The contacts of the start are those of the `first` try, or as the last one
    /// foretold them.
    pub(super) fn foretell(&mut self, first: bool) {
        // the contacts of the start, with those of the end in place of pairs that overlap
        let mut merged = std::mem::take(&mut self.start);
        merged.clear();
        let (start, end) = (if first { &self.begin } else { &self.old }, &self.memory.manifolds);
        let (mut i, mut j) = (0, 0);
        while i < start.len() || j < end.len() {
            let pair = match (start.get(i), end.get(j)) {
                (Some(s), Some(e)) => s.pair.min(e.pair),
                (Some(s), None) => s.pair,
                (None, Some(e)) => e.pair,
                (None, None) => break,
            };
            let (from, to) = ((i, j), merged.len());
            while start.get(i).is_some_and(|m| m.pair == pair) {
                i += 1;
            }
            while end.get(j).is_some_and(|m| m.pair == pair) {
                j += 1;
            }
            let (at_start, at_end) = (&start[from.0..i], &end[from.1..j]);
            if at_end.iter().any(|m| self.is_new(&Brief::of(m), 1.0)) {
                let floor = (SHARE * self.gap_before(pair).unwrap_or(0.0)).min(0.0);
                merged.extend_from_slice(at_end);
                for m in &mut merged[to..] {
                    (m.foretold, m.settled, m.floor) = (true, false, floor);
                }
            } else {
                merged.extend_from_slice(at_start);
            }
        }
        self.start = std::mem::replace(&mut self.memory.manifolds, merged);
        (self.ready, self.surveyed, self.found_for) = (false, false, 0.0);
    }
}

/// What changes of impulses have to bring about.
#[derive(Clone, Copy)]
struct Ask<'a> {
    h: f64,
    /// Manifolds with new overlaps.
    met: &'a [bool],
    /// Smallest gaps of the start, by pair.
    gaps: &'a [([u32; 2], f64)],
    /// Acceleration of a collider's body.
    pull: &'a dyn Fn(u32) -> Vec3,
}

/// Rows for changes of the kick: they begin with its impulses, and with the gaps of the end.
fn ask<N: Width>(
    (groups, frictions, loads): SomeRows<'_, N>,
    manifolds: &[Manifold],
    actual: &[Cell],
    how: Ask<'_>,
) {
    for ((g, f), l) in groups.iter_mut().zip(frictions).zip(loads) {
        for q in 0..N::FOURS {
            let (mut rows, mut of_four) = (g.four(q), l.four(q));
            ask_four(&mut rows, &f.carried_four(q), &mut of_four, manifolds, actual, how);
            g.set_start(q, &rows);
            f.set_starts(q, &rows);
            l.set_four(q, &of_four);
        }
    }
}

fn ask_four(
    g: &mut Group,
    carried: &[F4; POINTS],
    loads: &mut Loads,
    manifolds: &[Manifold],
    actual: &[Cell],
    how: Ask<'_>,
) {
    let rates = g.rates(&Motion::of(actual, &g.bodies));
    for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
        let m = &manifolds[g.manifold[l] as usize];
        let met = how.met[g.manifold[l] as usize];
        let floor = if met {
            (1.0 - SHARE) * gap_of(how.gaps, m.pair).unwrap_or(0.0).min(0.0)
        } else {
            0.0
        };
        for k in m.points() {
            let (gap, kick, row) = (m.gap.0[k], m.kick.0[k], &mut g.points[k]);
            // what overlapped before stays as it is
            row.bias.0[l] = if met { gap - floor } else { gap.max(0.0) } / how.h;
            row.impulse.0[l] = kick;
            if kick == 0.0 {
                loads.approach[k].0[l] =
                    met_with(gap, rates[k].0[l] + carried[k].0[l], how.h, || {
                        let [a, b] = m.pair.map(how.pull);
                        m.normal.dot(a - b)
                    });
            }
        }
    }
}

/// Normal velocity with which points met that overlap by `gap` and approach with `rate` at the end
/// of a step: what they have been pulled together since does not count.
fn met_with(gap: f64, rate: f64, h: f64, pull: impl Fn() -> f64) -> f64 {
    if rate >= 0.0 {
        return 0.0;
    }
    let since = (gap.min(0.0) / rate).min(h);
    let before = if since > 0.0 { rate - pull() * since } else { rate };
    before.min(0.0)
}

/// Gap of a pair in a list sorted by pair.
fn gap_of(gaps: &[([u32; 2], f64)], pair: [u32; 2]) -> Option<f64> {
    gaps.binary_search_by(|w| w.0.cmp(&pair)).ok().map(|k| gaps[k].1)
}
