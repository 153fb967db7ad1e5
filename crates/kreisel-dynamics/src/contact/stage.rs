//! The kick at the start of a step, and what it shares with the hold: velocities in and out of the cells.

use super::accelerate::{self, Solved};
use super::friction::{Friction, clamp, onto_disk};
use super::island::Island;
use super::loads::{self, Loads};
use super::manifold::Manifold;
use super::parts::{self, Part, Piece, Share, in_phases, over};
use super::rows::{AllRows, Cell, Group, IDLE, Motion, Width};
use super::step::NEAR;
use super::{ContactTime, Contacts, Iteration, position};
use crate::lanes::{F4, LANES, S8, dot};
use crate::settings::Settings;
use crate::simd::kernel;
use crate::step::Budget;
use crate::system::System;

/// Share of an overlap that one step takes out: all at once would throw stacks apart.
pub(super) const SHARE: f64 = 0.2;

/// Of what is deeper than this, m, so much more: where bodies are wedged, overlaps that leave slowly add up (13 mm instead of 6 in the funnel of E-13).
const DEEP: f64 = 1e-3;
const MORE: f64 = 0.3;

/// Sweeps times groups of four manifolds that an island may use beyond the limit of sweeps: about a millisecond.
const WORK: usize = 10_000;

/// Least approach speed that counts as an impact where nothing falls, m/s.
const SLOWEST: f64 = 1e-3;

/// Energies that contacts took in a stage, J.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    pub friction: f64,
    pub all: f64,
}

/// The two solves of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Kick,
    Hold,
}

/// Approach speed below which a contact is at rest: that of a fall through the touch distance (B-75).
pub(super) fn rest_speed(gravity: f64, touch: f64) -> f64 {
    (2.0 * gravity * touch).sqrt().max(SLOWEST)
}

impl Contacts {
    /// Puts the systems' velocities into the cells, those before a solve and those in it. For a kick these are preview velocities: what carries
    /// a loose body through the step of `ahead`, the forces' half step included.
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
                    let torque = crate::system::mat3(&g.r, l).transpose() * crate::system::vec3(&g.torque, l);
                    for j in 0..3 {
                        c.linear.0[j] += 0.5 * h * g.acc[j].0[l] * g.sm.0[l];
                        c.angular.0[j] += 0.5 * h * g.isi[j].0[l] * torque[j];
                    }
                }
            }
            (self.reference[k], self.cells[k]) = (c, c);
        }
    }

    /// Adds what the solve has changed to the systems' velocities; returns the kinetic energy that it took, J.
    pub(super) fn store(&mut self, systems: &mut [System]) -> f64 {
        let square = |c: &Cell| c.linear * c.linear + c.angular * c.angular;
        let (mut before, mut after) = (F4::ZERO, F4::ZERO);
        for (k, &slot) in self.islands.slots.iter().enumerate().filter(|(_, slot)| **slot != u32::MAX) {
            let (s, i) = self.homes[slot as usize];
            let (y, l) = (&mut systems[s as usize].groups[i as usize / LANES].y, i as usize % LANES);
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

    /// The kick at the start of a step.
    pub(super) fn kick(
        &mut self,
        systems: &mut [System],
        now: f64,
        h: f64,
        again: bool,
        settings: &Settings,
        budget: &Budget,
    ) -> Taken {
        self.load(systems, Some(h));
        self.open_chains();
        for k in 0..self.islands.chains.len() {
            let s = &mut systems[self.chains[k].system as usize];
            self.chains[k].impulses.clear();
            self.chains[k].predict(s, now, h, settings, budget);
            self.chains[k].open(s);
        }
        for island in &self.islands.list {
            for k in island.chains.clone() {
                for &(cell, body) in &self.chains[k].members {
                    let (at, preview) = (island.cells.start + cell as usize, self.chains[k].preview[body as usize]);
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
        let guesses = self.memory.last_h > 0.0 && settings.contact.iteration == Iteration::Extrapolated;
        let scale = match (again, guesses) {
            (true, _) => None,
            (false, true) => Some(h / self.memory.last_h),
            (false, false) => Some(0.0),
        };
        self.warm_start(h, scale, &settings.contact);
        let tolerance = settings.contact.tolerance / h;
        let mut worst = self.solve_loose(tolerance, &settings.contact);
        for i in 0..self.islands.list.len() {
            if !self.islands.list[i].is_loose(&settings.contact) {
                let solved = self.solve_positions(i, systems, tolerance, &settings.contact);
                self.report.shocks += u32::from(solved.shocked);
                worst = worst.with(solved);
            }
        }
        self.report.sweeps = self.report.sweeps.max(worst.sweeps);
        self.report.residual = self.report.residual.max(worst.residual * h);
        for k in 0..self.islands.chains.len() {
            let s = &mut systems[self.chains[k].system as usize];
            self.chains[k].close(s);
            let deferred = &mut self.deferred[self.chains[k].system as usize];
            deferred.clone_from(&self.chains[k].impulses);
        }
        let friction = self.friction_work(Stage::Kick);
        let all = self.store(systems);
        let AllRows { fours, eights } = &mut self.rows;
        keep_kick(&fours.groups, &mut fours.loads);
        keep_kick(&eights.groups, &mut eights.loads);
        loads::give(&mut self.memory.manifolds, &self.seats, &self.rows, false, self.threads);
        Taken { friction, all }
    }

    /// Biases, first impulses, and the speeds with which points are going to meet.
    ///
    /// `scale` turns the impulses of the last step into first guesses; `None` goes on from the kick that is made again.
    fn warm_start(&mut self, h: f64, scale: Option<f64>, settings: &super::ContactSettings) {
        // cut steps meet where they are cut: what is apart takes no part
        let exact = settings.time == ContactTime::Exact;
        let far = if exact { NEAR * settings.tolerance } else { f64::INFINITY };
        let how = Prime { h, scale, far, push_speed: settings.push_speed };
        for i in 0..self.islands.list.len() {
            if self.islands.list[i].is_single() {
                self.prime_island::<S8>(i, how);
            } else {
                self.prime_island::<F4>(i, how);
            }
        }
    }

    fn prime_island<N: Width>(&mut self, i: usize, how: Prime) {
        let island = &self.islands.list[i];
        let cells = island.cells.clone();
        let again = how.scale.is_none();
        let before = Before {
            actual: &self.actual[cells.clone()],
            reference: &self.reference[cells.clone()],
            roots: &self.roots[cells.clone()],
            solution: if again { &self.solution[cells.clone()] } else { &[] },
        };
        let (groups, frictions, loads) = N::of_mut(&mut self.rows).some(island.groups::<N>());
        let manifolds = &mut self.memory.manifolds;
        if again {
            settle(groups, frictions, loads, manifolds, before.solution, how.h);
        }
        let share =
            Share { cells: &mut self.cells[cells.clone()], last: &mut self.last[cells], groups, frictions, loads };
        let work =
            |part: &Part, share: Share<'_, N, Cell>| prime(share, part.cells.start as u32, manifolds, before, how);
        in_phases(&self.islands.parts[island.parts.clone()], share, self.threads, &work, &|(), ()| ());
    }

    /// All islands that nothing but contacts holds together: small ones side by side, then the large ones.
    fn solve_loose(&mut self, tolerance: f64, settings: &super::ContactSettings) -> Solved {
        let share = Share::normals(&mut self.cells, &mut self.last, &mut self.rows.fours.groups);
        let (parts, threads) = (&self.islands.parts, self.threads);
        let solve = |island: &Island, share: Share<'_>| {
            if !island.is_loose(settings) || island.is_single() {
                return Solved { converged: true, ..Solved::default() };
            }
            let goal = position::goal(tolerance, most_sweeps(island, settings), settings.iteration);
            accelerate::solve(&parts[island.parts.clone()], share, goal, threads, &position::sweep, |_| ())
        };
        let mut worst = over(&self.islands.list, share, [0, 0], threads, &solve, &Solved::with).unwrap_or_default();
        for i in 0..self.islands.list.len() {
            let island = &self.islands.list[i];
            if island.is_single() {
                let goal = position::goal(tolerance, most_sweeps(island, settings), settings.iteration);
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
    ) -> Solved {
        let island = self.islands.list[i].clone();
        let cells = island.cells.clone();
        let reference = &self.reference[cells.clone()];
        let chains = &mut self.chains[island.chains.clone()];
        let mut block = |cells: &mut [Cell]| {
            for c in chains.iter_mut() {
                c.project(&mut systems[c.system as usize], cells, reference);
            }
        };
        let groups = &mut self.rows.fours.groups[island.fours.clone()];
        let mut share = Share::normals(&mut self.cells[cells.clone()], &mut self.last[cells], groups);
        let goal = position::goal(tolerance, most_sweeps(&island, settings), settings.iteration);
        let parts = &self.islands.parts[island.parts];
        let mut solved = accelerate::solve(parts, share.again(), goal, self.threads, &position::sweep, &mut block);
        if settings.shock > 0 && !solved.converged {
            solved.residual = self.layers.solve(share.groups, share.cells, tolerance);
            solved.shocked = true;
            block(share.cells);
        }
        solved
    }

    /// Energy that friction takes: impulse times the mean of the velocities before and after, those of the state in the middle.
    pub(super) fn friction_work(&mut self, stage: Stage) -> f64 {
        let half = F4::splat(0.5);
        self.middle.resize(self.cells.len(), Cell::default());
        let state = self.actual.iter().zip(&self.reference).zip(&self.cells);
        for (m, ((a, r), c)) in self.middle.iter_mut().zip(state) {
            m.linear = a.linear + half * (c.linear - r.linear);
            m.angular = a.angular + half * (c.angular - r.angular);
        }
        let mut taken = 0.0;
        for island in &self.islands.list {
            taken += if island.is_single() {
                self.friction_of::<S8>(island, stage)
            } else {
                self.friction_of::<F4>(island, stage)
            };
        }
        taken
    }

    fn friction_of<N: Width>(&self, island: &Island, stage: Stage) -> f64 {
        let (middle, groups) = (&self.middle[island.cells.clone()], island.groups::<N>());
        let work = |g: &[Group<N>], f: &[Friction<N>]| friction_work(g, f, middle, stage);
        let rows = N::of(&self.rows);
        parts::sum(&rows.groups[groups.clone()], &rows.frictions[groups], self.threads, &work)
    }
}

/// Most sweeps of an island. Small islands may sweep more: their sweeps are cheap, and heavy on light needs many.
fn most_sweeps(island: &Island, settings: &super::ContactSettings) -> u32 {
    match settings.shock {
        0 => settings.max_sweeps.max((WORK / (island.fours.len() + 2 * island.eights.len()).max(1)) as u32),
        shock => shock,
    }
}

/// How first impulses come about.
#[derive(Clone, Copy)]
struct Prime {
    h: f64,
    scale: Option<f64>,
    /// Gaps above this take no part, m.
    far: f64,
    push_speed: f64,
}

/// Velocities of an island before the solve.
#[derive(Clone, Copy)]
struct Before<'a> {
    actual: &'a [Cell],
    reference: &'a [Cell],
    /// Inverse roots of the masses.
    roots: &'a [f64],
    /// Those that led to foretold gaps, when a step is made again.
    solution: &'a [Cell],
}

#[inline(always)]
fn prime_body<N: Width>(share: Share<'_, N, Cell>, from: u32, manifolds: &[Manifold], before: Before<'_>, how: Prime) {
    let Share { groups, frictions, loads, cells, .. } = share;
    for ((g, f), l) in groups.iter_mut().zip(frictions).zip(loads) {
        for q in 0..N::FOURS {
            let (mut rows, mut of_four) = (g.exact_four(q, before.roots), l.four(q));
            let foretold = if how.scale.is_none() { foretold(&rows, manifolds) } else { F4::ZERO };
            let mut v = Motion::within(cells, &rows.bodies, from);
            prime_four(&mut rows, f, q, &mut of_four, foretold, &mut v, before, how);
            v.put_within(cells, &rows.bodies, from);
            g.set_start(q, &rows);
            l.set_four(q, &of_four);
        }
    }
}

/// First impulses of four lanes, which join the velocities `v`.
#[inline(always)]
fn prime_four<N: Width>(
    g: &mut Group,
    f: &mut Friction<N>,
    q: usize,
    loads: &mut Loads,
    foretold: F4,
    v: &mut Motion,
    before: Before<'_>,
    how: Prime,
) {
    let (again, scale) = (how.scale.is_none(), F4::splat(how.scale.unwrap_or(1.0)));
    let (h, far, most) = (F4::splat(how.h), F4::splat(how.far), F4::splat(-how.push_speed * how.h));
    let carried = f.carried_four(q);
    let now = g.rates(&Motion::of(before.actual, &g.bodies));
    let mean = g.rates(&Motion::of(before.reference, &g.bodies));
    let mut load = F4::ZERO;
    for k in 0..g.count as usize {
        let (gap, row) = (loads.gap[k], &mut g.points[k]);
        loads.approach[k] = meeting_speed(gap, now[k] + carried[k], mean[k] + carried[k], h);
        let beyond = (gap + F4::splat(DEEP)).min(F4::ZERO);
        let share = (F4::splat(SHARE) * gap + F4::splat(MORE) * beyond).max(most);
        let close = gap.where_larger(F4::ZERO, gap, foretold.where_larger(F4::ZERO, gap, share));
        row.bias = carried[k] + close / h;
        row.inverse = gap.where_larger(far, F4::ZERO, row.response.inverse());
        let guess = if again { loads.kick[k] } else { loads.guess[k] * scale };
        row.impulse = row.inverse.where_larger(F4::ZERO, guess, F4::ZERO);
        load += row.impulse;
    }
    g.push(v);
    // friction of the last step, as far as the cone allows
    let grip = f.grip.four(q);
    let [x, y, z, twist] = loads.drag;
    let most = grip.sticking * load;
    let [t, u] = grip.tangent;
    let rubbed = onto_disk([dot(t, [x, y, z]) * scale, dot(u, [x, y, z]) * scale], most, most);
    let spun = clamp(twist * scale, grip.spin_lever * load);
    f.set_before(q, rubbed, spun);
    grip.rub(g.inverse_root_mass, v, rubbed);
    v.turn(grip.spin_a, grip.spin_b, spun);
    let [x, y, z] = grip.world(rubbed);
    loads.drag = [x, y, z, spun];
    if N::SINGLE {
        f.set_starts(q, g);
        for k in 0..g.count as usize {
            g.points[k].bias += mean[k];
        }
    }
}

/// Foretold gaps count from the start of the step: what the solved velocities have closed is taken back.
fn settle<N: Width>(
    groups: &[Group<N>],
    frictions: &[Friction<N>],
    loads: &mut [Loads<N>],
    manifolds: &mut [Manifold],
    solution: &[Cell],
    h: f64,
) {
    for ((g, f), to) in groups.iter().zip(frictions).zip(loads) {
        for q in 0..N::FOURS {
            let (g, carried, mut of_four) = (g.four(q), f.carried_four(q), to.four(q));
            let solved = g.rates(&Motion::of(solution, &g.bodies));
            for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                let m = &mut manifolds[g.manifold[l] as usize];
                if m.foretold && !m.settled {
                    for k in m.points() {
                        // nothing overlapped there at the start
                        m.gap.0[k] = (m.gap.0[k] - h * (solved[k].0[l] + carried[k].0[l])).max(m.floor);
                        of_four.gap[k].0[l] = m.gap.0[k];
                    }
                }
                m.settled = true;
            }
            to.set_four(q, &of_four);
        }
    }
}

/// 1 in the lanes of foretold manifolds.
fn foretold(g: &Group, manifolds: &[Manifold]) -> F4 {
    F4(g.manifold.map(|m| if m != IDLE && manifolds[m as usize].foretold { 1.0 } else { 0.0 }))
}

#[inline(always)]
fn friction_work_body<N: Width>(groups: &[Group<N>], frictions: &[Friction<N>], middle: &[Cell], stage: Stage) -> f64 {
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

/// Notes the impulses of the kick.
pub(super) fn keep_kick<N: Width>(groups: &[Group<N>], loads: &mut [Loads<N>]) {
    for (g, l) in groups.iter().zip(loads) {
        for (kick, row) in l.kick.iter_mut().zip(&g.points[..g.count as usize]) {
            *kick = row.impulse;
        }
    }
}

kernel! {
    fn prime<N: Width>(
        share: Share<'_, N, Cell>,
        from: u32,
        manifolds: &[Manifold],
        before: Before<'_>,
        how: Prime,
    ) = prime_body
}
kernel! {
    fn friction_work<N: Width>(
        groups: &[Group<N>],
        frictions: &[Friction<N>],
        middle: &[Cell],
        stage: Stage,
    ) -> f64 = friction_work_body
}

/// Normal velocity at the moment when the gap closes, if it does within the step; zero otherwise.
#[inline(always)]
fn meeting_speed(gap: F4, now: F4, mean: F4, h: F4) -> F4 {
    let time = gap.where_larger(F4::ZERO, (gap / -mean).min(h), F4::ZERO);
    let rate = F4::splat(2.0) * (mean - now) / h;
    let speed = (now + rate * time).min(F4::ZERO);
    F4::ZERO.where_larger(gap + h * mean, speed, F4::ZERO)
}
