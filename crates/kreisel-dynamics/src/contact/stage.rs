//! The kick at the start of a step, and what it shares with the hold: velocities in and out of the
//! cells.

use super::accelerate::{self, Solved};
use super::cells::{Cell, Motion};
use super::friction::Friction;
use super::island::Island;
use super::loads::{self, Loads};
use super::parts::{self, Piece, Share, over};
use super::rows::{AllRows, Group, Width};
use super::{Contacts, Iteration, position};
use crate::lanes::{F4, LANES, S8};
use crate::settings::Settings;
use crate::simd::kernel;
use crate::step::Budget;
use crate::system::System;

/// Sweeps of the position solve in a large island, where the settings do not say how many.
pub(super) const SWEEPS: u32 = 40;

/// Sweeps times groups of four manifolds that a smaller island may use: about a millisecond.
const WORK: usize = 10_000;

/// Least approach speed that counts as an impact where nothing falls, m/s.
const SLOWEST: f64 = 1e-3;

/// Energy that friction took, J.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rubbed {
    /// In islands where contacts act alone.
    pub plain: f64,
    /// In islands where laws act, or limits strike, at the same instant: velocities between the two
    /// are not those of the motion, so that this is an estimate.
    pub shared: f64,
}

impl std::ops::Add for Rubbed {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { plain: self.plain + other.plain, shared: self.shared + other.shared }
    }
}

impl Rubbed {
    /// What friction and impacts took of all that contacts took, J. A gain is an error and stays in
    /// the residual.
    pub fn split(self, all: f64) -> (f64, f64) {
        let friction = self.plain + self.shared.max(0.0).min((all - self.plain).max(0.0));
        (friction, (all - friction).max(0.0))
    }
}

/// What a kick or a hold took, J.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub friction: Rubbed,
    pub all: f64,
    /// Work of kinematic bodies, J: it is part of what `all` took.
    pub carried: f64,
}

/// The two solves of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Kick,
    Hold,
}

/// Approach speed below which a contact is at rest: that of a fall through the touch distance
/// (B-75).
pub(super) fn rest_speed(gravity: f64, touch: f64) -> f64 {
    (2.0 * gravity * touch).sqrt().max(SLOWEST)
}

impl Contacts {
    /// Puts the systems' velocities into the cells, those before a solve and those in it. For a
    /// kick these are preview velocities: what carries a loose body through the step of `ahead`,
    /// the forces' half step included.
    pub(super) fn load(&mut self, systems: &[System], ahead: Option<f64>) {
        for (k, &slot) in self.islands.slots.iter().enumerate() {
            let mut c = Cell::default();
            self.actual[k] = c;
            if slot != u32::MAX {
                let (s, i) = self.homes[slot as usize];
                let (g, l) = (&systems[s as usize].groups[i as usize / LANES], i as usize % LANES);
                let y = &g.y;
                c.linear = F4([y[0].0[l], y[1].0[l], y[2].0[l], 0.0]);
                c.angular = F4([y[3].0[l], y[4].0[l], y[5].0[l], 0.0]);
                self.actual[k] = c;
                if let Some(h) = ahead.filter(|_| self.chain_of[slot as usize] == u32::MAX) {
                    let torque = crate::system::mat3(&g.r, l).transpose()
                        * crate::system::vec3(&g.torque, l);
                    for j in 0..3 {
                        c.linear.0[j] += 0.5 * h * g.acc[j].0[l] * g.sm.0[l];
                        c.angular.0[j] += 0.5 * h * g.isi[j].0[l] * torque[j];
                    }
                }
            }
            (self.reference[k], self.cells[k]) = (c, c);
        }
    }

    /// Adds what the solve has changed to the systems' velocities; returns the kinetic energy that
    /// it took, J.
    pub(super) fn store(&mut self, systems: &mut [System]) -> f64 {
        let square = |c: &Cell| c.linear * c.linear + c.angular * c.angular;
        let (mut before, mut after) = (F4::ZERO, F4::ZERO);
        for (k, &slot) in
            self.islands.slots.iter().enumerate().filter(|(_, slot)| **slot != u32::MAX)
        {
            let (s, i) = self.homes[slot as usize];
            let (y, l) =
                (&mut systems[s as usize].groups[i as usize / LANES].y, i as usize % LANES);
            let (c, r, a) = (&self.cells[k], &self.reference[k], &mut self.actual[k]);
            before += square(a);
            a.linear += c.linear - r.linear;
            a.angular += c.angular - r.angular;
            after += square(a);
            for j in 0..3 {
                y[j].0[l] = a.linear.0[j];
                y[3 + j].0[l] = a.angular.0[j];
            }
        }
        0.5 * before.sum() - 0.5 * after.sum()
    }

    /// Numbers of the systems that touch something.
    pub(crate) fn touching_chains(&self) -> impl Iterator<Item = u32> {
        self.islands.chains.iter().copied()
    }

    /// Numbers of the systems in whose islands something has rebounded in this step; some may stand
    /// there twice.
    pub(crate) fn rebounding_chains(&self) -> impl Iterator<Item = u32> {
        self.rebounding.iter().copied()
    }

    /// Prepares the chains of the present islands.
    pub(super) fn open_chains(&mut self) {
        let n = self.islands.chains.len();
        if self.chains.len() < n {
            self.chains.resize(n, super::Chain::default());
        }
        for k in 0..n {
            self.chains[k].system = self.islands.chains[k];
            self.chains[k].members.clear();
        }
        for island in &self.islands.list {
            for k in island.chains.clone() {
                for cell in island.cells.clone() {
                    let slot = self.islands.slots[cell];
                    if slot != u32::MAX && self.homes[slot as usize].0 == self.chains[k].system {
                        let body = self.homes[slot as usize].1;
                        self.chains[k].members.push(((cell - island.cells.start) as u32, body));
                    }
                }
            }
        }
    }

    /// Where chains that touch something would go without contacts, for the kick that follows.
    /// Returns when one of them first strikes a limit, s after the start.
    pub(super) fn predict(
        &mut self,
        systems: &mut [System],
        now: f64,
        h: f64,
        settings: &Settings,
        budget: &Budget,
    ) -> Option<f64> {
        self.open_chains();
        let chains = &mut self.chains[..self.islands.chains.len()];
        for chain in &mut *chains {
            let s = &mut systems[chain.system as usize];
            s.shares_contact = s.lawful;
            chain.predict(s, now, h, settings, budget);
        }
        chains.iter().filter_map(|c| c.strike).min_by(f64::total_cmp)
    }

    /// The kick at the start of a step, after [`Self::predict`].
    pub(super) fn kick(
        &mut self,
        systems: &mut [System],
        h: f64,
        again: bool,
        settings: &Settings,
        budget: &Budget,
    ) -> Taken {
        self.load(systems, Some(h));
        for k in 0..self.islands.chains.len() {
            let s = &mut systems[self.chains[k].system as usize];
            self.chains[k].impulses.clear();
            self.chains[k].open(s, Some(h));
        }
        for island in &self.islands.list {
            for k in island.chains.clone() {
                for &(cell, body) in &self.chains[k].members {
                    let (at, preview) =
                        (island.cells.start + cell as usize, self.chains[k].preview[body as usize]);
                    (self.reference[at], self.cells[at]) = (preview, preview);
                }
            }
        }
        if again {
            self.solution.clear();
            let solved = |(k, &slot): (usize, &u32)| match self.solved.get(slot as usize) {
                Some(Some(cell)) => *cell,
                _ => self.reference[k],
            };
            self.solution.extend(self.islands.slots.iter().enumerate().map(solved));
        }
        let known = self.memory.last_h > 0.0 && !self.memory.struck;
        let guesses = known && settings.contact.iteration == Iteration::Extrapolated;
        let scale = match (again, guesses) {
            (true, _) => None,
            (false, true) => Some(h / self.memory.last_h),
            (false, false) => Some(0.0),
        };
        self.warm_start(h, scale, &settings.contact);
        let tolerance = settings.contact.tolerance / h;
        let mut worst = self.solve_loose(tolerance, &settings.contact, budget);
        for i in 0..self.islands.list.len() {
            if !self.islands.list[i].is_loose(&settings.contact) {
                let solved = self.solve_positions(i, systems, tolerance, &settings.contact, budget);
                self.report.shocks += u32::from(solved.shocked);
                worst = worst.with(solved);
            }
        }
        self.spent |= worst.spent;
        self.report.sweeps = self.report.sweeps.max(worst.sweeps);
        self.report.residual = self.report.residual.max(worst.residual * h);
        for island in &self.islands.list {
            for k in island.chains.clone() {
                let s = &mut systems[self.chains[k].system as usize];
                self.chains[k].leave_laws(s, &mut self.cells[island.cells.clone()]);
            }
        }
        for k in 0..self.islands.chains.len() {
            let s = &mut systems[self.chains[k].system as usize];
            self.chains[k].close(s);
            let deferred = &mut self.deferred[self.chains[k].system as usize];
            deferred.clone_from(&self.chains[k].impulses);
        }
        let friction = self.friction_work(systems, Stage::Kick);
        let carried = self.carried_work(Stage::Kick);
        let all = self.store(systems) + carried;
        let AllRows { fours, eights } = &mut self.rows;
        keep_kick(&fours.groups, &mut fours.loads);
        keep_kick(&eights.groups, &mut eights.loads);
        loads::give(&mut self.memory.manifolds, &self.seats, &self.rows, false, self.threads);
        Taken { friction, all, carried }
    }

    /// All islands that nothing but contacts holds together: small ones side by side, then the
    /// large ones.
    fn solve_loose(
        &mut self,
        tolerance: f64,
        settings: &super::ContactSettings,
        budget: &Budget,
    ) -> Solved {
        let share = Share::normals(&mut self.cells, &mut self.last, &mut self.rows.fours.groups);
        let (parts, threads) = (&self.islands.parts, self.threads);
        let solve = |island: &Island, share: Share<'_>| {
            if !island.is_loose(settings) || island.is_single() {
                return Solved { converged: true, ..Solved::default() };
            }
            let goal = position::goal(tolerance, most_sweeps(island), settings, budget);
            accelerate::solve(
                &parts[island.parts.clone()],
                share,
                goal,
                threads,
                &position::sweep,
                |_, _| (),
            )
        };
        let mut worst = over(&self.islands.list, share, [0, 0], threads, &solve, &Solved::with)
            .unwrap_or_default();
        for i in 0..self.islands.list.len() {
            let island = &self.islands.list[i];
            if island.is_single() {
                let goal = position::goal(tolerance, most_sweeps(island), settings, budget);
                worst = worst.with(self.solve_single(i, goal, false, &position::sweep));
            }
        }
        worst
    }

    fn solve_positions(
        &mut self,
        i: usize,
        systems: &mut [System],
        tolerance: f64,
        settings: &super::ContactSettings,
        budget: &Budget,
    ) -> Solved {
        let island = self.islands.list[i].clone();
        let cells = island.cells.clone();
        let reference = &self.reference[cells.clone()];
        let chains = &mut self.chains[island.chains.clone()];
        let mut block = |cells: &mut [Cell], theta: Option<f64>| {
            for c in chains.iter_mut() {
                c.answer(&mut systems[c.system as usize], cells, reference, theta);
            }
        };
        let groups = &mut self.rows.fours.groups[island.fours.clone()];
        let mut share =
            Share::normals(&mut self.cells[cells.clone()], &mut self.last[cells], groups);
        let goal = position::goal(tolerance, most_sweeps(&island), settings, budget);
        let parts = &self.islands.parts[island.parts];
        let mut solved = accelerate::solve(
            parts,
            share.again(),
            goal,
            self.threads,
            &position::sweep,
            &mut block,
        );
        if settings.shock > 0 && !solved.converged {
            solved.residual = self.layers.solve(share.groups, share.cells, tolerance);
            solved.shocked = true;
            block(share.cells, None);
        }
        solved
    }

    /// Energy that friction takes: impulse times the mean of the velocities before and after, those
    /// of the state in the middle.
    pub(super) fn friction_work(&mut self, systems: &[System], stage: Stage) -> Rubbed {
        let half = F4::splat(0.5);
        self.middle.resize(self.cells.len(), Cell::default());
        let state = self.actual.iter().zip(&self.reference).zip(&self.cells);
        for (m, ((a, r), c)) in self.middle.iter_mut().zip(state) {
            m.linear = a.linear + half * (c.linear - r.linear);
            m.angular = a.angular + half * (c.angular - r.angular);
        }
        let mut taken = Rubbed::default();
        for island in &self.islands.list {
            let of_island = if island.is_single() {
                self.friction_of::<S8>(island, stage)
            } else {
                self.friction_of::<F4>(island, stage)
            };
            let shares = |&c: &u32| systems[c as usize].lawful || systems[c as usize].has_struck();
            let shared = self.islands.chains[island.chains.clone()].iter().any(shares);
            *(if shared { &mut taken.shared } else { &mut taken.plain }) += of_island;
        }
        taken
    }

    /// Work that kinematic bodies do through the impulses of a stage, J: these times the velocities
    /// that the bodies give to the points. What contacts take of the bodies' energy, and this work,
    /// is what friction and impacts take.
    pub(super) fn carried_work(&self, stage: Stage) -> f64 {
        let of_island = |island: &Island| {
            if island.is_single() {
                self.carried_by::<S8>(island, stage)
            } else {
                self.carried_by::<F4>(island, stage)
            }
        };
        self.islands.list.iter().map(of_island).sum()
    }

    fn carried_by<N: Width>(&self, island: &Island, stage: Stage) -> f64 {
        let rows = N::of(&self.rows);
        let groups = island.groups::<N>();
        let loads = &rows.loads[groups.clone()];
        let all = rows.groups[groups.clone()].iter().zip(&rows.frictions[groups]).zip(loads);
        all.filter(|((_, f), _)| f.carries).map(|((g, f), l)| carried_work(g, f, l, stage)).sum()
    }

    fn friction_of<N: Width>(&self, island: &Island, stage: Stage) -> f64 {
        let (middle, groups) = (&self.middle[island.cells.clone()], island.groups::<N>());
        let work = |g: &[Group<N>], f: &[Friction<N>]| friction_work(g, f, middle, stage);
        let rows = N::of(&self.rows);
        parts::sum(&rows.groups[groups.clone()], &rows.frictions[groups], self.threads, &work)
    }
}

/// Most sweeps of an island where the settings do not say. Small islands may sweep more: their
/// sweeps are cheap, and heavy on light needs many.
fn most_sweeps(island: &Island) -> u32 {
    SWEEPS.max((WORK / (island.fours.len() + 2 * island.eights.len()).max(1)) as u32)
}

#[inline(always)]
fn friction_work_body<N: Width>(
    groups: &[Group<N>],
    frictions: &[Friction<N>],
    middle: &[Cell],
    stage: Stage,
) -> f64 {
    let mut taken = F4::ZERO;
    for (g, f) in groups.iter().zip(frictions) {
        for q in 0..N::FOURS {
            let (mass, grip) = (g.masses_of_four(q), f.grip.four(q));
            let v = Motion::of(middle, &g.bodies_of_four(q));
            let (impulse, spin) = match stage {
                Stage::Kick => f.before_four(q),
                Stage::Hold => f.held_four(q),
            };
            let (u, (drift, drift_spin)) = (grip.slip(mass, &v), f.drift_four(q));
            let rubbed = impulse[0] * (u[0] + drift[0]) + impulse[1] * (u[1] + drift[1]);
            taken = taken - (rubbed + spin * (grip.twisting(&v) + drift_spin));
        }
    }
    taken.sum()
}

/// Work of kinematic bodies through one group: a kick pushes and rubs, a hold also resists rolling.
fn carried_work<N: Width>(g: &Group<N>, f: &Friction<N>, loads: &Loads<N>, stage: Stage) -> f64 {
    let mut work = F4::ZERO;
    for q in 0..N::FOURS {
        let (l, rates) = (loads.four(q), f.carried_four(q));
        for k in 0..g.count as usize {
            let impulse = g.points[k].impulse.four(q);
            let pushed = match stage {
                Stage::Kick => impulse,
                // points that are not held keep what the kick gave
                Stage::Hold => {
                    l.hold[k]
                        + g.points[k].inverse.four(q).where_larger(
                            F4::ZERO,
                            impulse - l.kick[k],
                            F4::ZERO,
                        )
                }
            };
            work = work - pushed * rates[k];
        }
        let (drift, drift_spin) = f.drift_four(q);
        let (impulse, spin) = match stage {
            Stage::Kick => f.before_four(q),
            Stage::Hold => f.held_four(q),
        };
        work = work - (impulse[0] * drift[0] + impulse[1] * drift[1] + spin * drift_spin);
        if f.rolls && stage == Stage::Hold {
            for k in 0..2 {
                work = work - f.roll[k].four(q) * f.drift_roll[k].four(q);
            }
        }
    }
    work.sum()
}

/// Notes the impulses of the kick.
pub(super) fn keep_kick<N: Width>(groups: &[Group<N>], loads: &mut [Loads<N>]) {
    for (g, l) in groups.iter().zip(loads) {
        for (kick, row) in l.kick.iter_mut().zip(&g.points[..g.count as usize]) {
            *kick = row.impulse;
        }
    }
}

kernel! {
    fn friction_work<N: Width>(
        groups: &[Group<N>],
        frictions: &[Friction<N>],
        middle: &[Cell],
        stage: Stage,
    ) -> f64 = friction_work_body
}
