//! The hold at the end of a step: impacts (in cut steps), then resting contacts and friction.

use super::Contacts;
use super::accelerate::{self, Goal, Solved};
use super::cells::{Cell, Motion};
use super::impact::{self, Bodies, Candidate, Law};
use super::island::Island;
use super::loads::{self, Loads};
use super::parts::{self, Part, Piece, Share, in_phases, over};
use super::rows::{AllRows, Group, IDLE, Rows, SomeRows, Width};
use super::stage::{Stage, Taken, rest_speed};
use super::step::NEAR;
use super::{Cone, ContactTime, Friction, velocity};
use crate::lanes::{F4, LANES, S8, dot, set_three};
use crate::settings::Settings;
use crate::simd::kernel;
use crate::system::System;

/// Times the velocity sweeps of the settings where laws take part: a law of slope G makes a body of
/// mass m as heavy as m + G, and the sweeps take some √(1 + G/m) times as many.
const LAWFUL_TIMES: u32 = 60;

impl Contacts {
    /// The hold at the end of a step of `h`.
    pub(super) fn hold(
        &mut self,
        systems: &mut [System],
        h: f64,
        gravity: f64,
        settings: &Settings,
    ) -> Taken {
        self.load(systems, None);
        self.open_chains();
        let rest = rest_speed(gravity, settings.contact.touch);
        for k in 0..self.islands.chains.len() {
            let s = &mut systems[self.chains[k].system as usize];
            self.chains[k].impulses.clear();
            let system = self.chains[k].system as usize;
            self.chains[k].open_hold(s, &self.deferred[system]);
        }
        let exact = settings.contact.time == ContactTime::Exact;
        let mut carried = 0.0;
        if exact {
            for i in 0..self.islands.list.len() {
                carried += self.collide(i, systems, rest, settings);
            }
        }
        self.aim(rest, settings.contact.tolerance, exact);
        let mut sweeps = self.hold_loose(settings);
        if !exact {
            self.temper(systems, rest, settings);
        }
        for i in 0..self.islands.list.len() {
            if !self.islands.list[i].is_loose(&settings.contact) {
                sweeps = sweeps.max(self.solve_velocities(i, systems, h, settings));
            }
        }
        self.report.velocity_sweeps = self.report.velocity_sweeps.max(sweeps);
        for k in 0..self.islands.chains.len() {
            let chain = &mut self.chains[k];
            let s = &mut systems[chain.system as usize];
            chain.close(s);
            for (t, z) in s.total.iter_mut().zip(&chain.impulses) {
                *t += z;
            }
        }
        for (s, deferred) in systems.iter_mut().zip(&mut self.deferred) {
            for (t, z) in s.total.iter_mut().zip(&*deferred) {
                *t += z;
            }
            deferred.clear();
        }
        if self.draws_any && !exact {
            self.calm_heaps(systems, &settings.contact);
        }
        let friction = self.friction_work(systems, Stage::Hold);
        carried += self.carried_work(Stage::Hold);
        let mut all = self.store(systems) + carried;
        for chain in &self.chains[..self.islands.chains.len()] {
            let s = &mut systems[chain.system as usize];
            if s.lawful {
                all += s.book_answers(&chain.impulses, chain.corrected);
            }
        }
        let (AllRows { fours, eights }, threads) = (&mut self.rows, self.threads);
        let (n, m) = (fours.groups.len(), eights.groups.len());
        parts::each(fours.some(0..n), threads, &|rows| remember(rows, rest));
        parts::each(eights.some(0..m), threads, &|rows| remember(rows, rest));
        self.forget_strikes(systems);
        loads::give(&mut self.memory.manifolds, &self.seats, &self.rows, true, self.threads);
        Taken { friction, all, carried }
    }

    /// What contacts have borne against a limit that a chain has struck is no guess for the next
    /// step.
    fn forget_strikes(&mut self, systems: &[System]) {
        for island in &self.islands.list {
            let struck = |&c: &u32| systems[c as usize].has_struck();
            if self.islands.chains[island.chains.clone()].iter().any(struck) {
                for loads in &mut self.rows.fours.loads[island.fours.clone()] {
                    loads.forget();
                }
            }
        }
    }

    /// Impacts of island `i` (cut steps only). Returns the work of kinematic bodies through
    /// friction, J.
    fn collide(&mut self, i: usize, systems: &mut [System], rest: f64, settings: &Settings) -> f64 {
        let island = self.islands.list[i].clone();
        let near = NEAR * settings.contact.tolerance;
        let mut points = std::mem::take(&mut self.candidates);
        points.clear();
        for (k, g) in self.rows.fours.groups[island.fours.clone()].iter().enumerate() {
            for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                let m = &self.memory.manifolds[g.manifold[l] as usize];
                let [a, b] = m.pair.map(|c| self.class[c as usize] as usize);
                let restitution = self.table[a * self.classes + b].restitution;
                for hold in &mut self.rows.fours.loads[island.fours.start + k].hold {
                    hold.0[l] = 0.0;
                }
                for point in m.points().filter(|&k| m.gap.0[k] <= near) {
                    points.push(Candidate::new(k, l, point, restitution));
                }
            }
        }
        let reference = &self.reference[island.cells.clone()];
        let chains = &mut self.chains[island.chains.clone()];
        let mut bodies = Bodies {
            groups: &mut self.rows.fours.groups[island.fours.clone()],
            frictions: &mut self.rows.fours.frictions[island.fours.clone()],
            cells: &mut self.cells[island.cells.clone()],
        };
        let law =
            Law { law: settings.contact.law, rest, tolerance: 1e-3 * settings.tolerance.velocity };
        impact::resolve(&mut bodies, &mut points, law, |cells| {
            for c in chains.iter_mut() {
                c.project(&mut systems[c.system as usize], cells, reference);
            }
        });
        let actual = &self.actual[island.cells.clone()];
        let mut carried = 0.0;
        for p in points.iter() {
            let (l, k) = (usize::from(p.lane), usize::from(p.point));
            let at = island.fours.start + p.group as usize;
            let (g, f) = (&mut self.rows.fours.groups[at], &mut self.rows.fours.frictions[at]);
            let (m, loads) = (
                &mut self.memory.manifolds[g.manifold[l] as usize],
                &mut self.rows.fours.loads[at],
            );
            loads.hold[k].0[l] = p.impulse;
            if p.hit {
                loads.approach[k].0[l] = (g.rate(l, k, actual) + f.carried(k, l)).min(-rest);
                self.report.impacts += 1;
            }
            m.struck += f.impulse(l);
            carried -= f.carried_work(l);
            (f.grip.impulse[0].0[l], f.grip.impulse[1].0[l], f.grip.spin.0[l]) = (0.0, 0.0, 0.0);
        }
        self.candidates = points;
        carried
    }

    /// Targets and first impulses of the velocity solve.
    fn aim(&mut self, rest: f64, tolerance: f64, exact: bool) {
        let how = Aim { rest, tolerance, exact, rebound: 1.0 };
        for i in 0..self.islands.list.len() {
            let impacts = self.aim_island(i, how);
            self.islands.list[i].impacts = impacts;
            self.report.impacts += impacts;

            // chains that have part in a rebound
            let island = &self.islands.list[i];
            if impacts > 0 && !island.chains.is_empty() && self.is_elastic(island) {
                let chains = &self.islands.chains[island.chains.clone()];
                self.rebounding.extend_from_slice(chains);
            }
        }
    }

    pub(super) fn aim_island(&mut self, i: usize, how: Aim) -> u32 {
        if self.islands.list[i].is_single() {
            self.aim_rows::<S8>(i, how)
        } else {
            self.aim_rows::<F4>(i, how)
        }
    }

    fn aim_rows<N: Width>(&mut self, i: usize, how: Aim) -> u32 {
        let island = &self.islands.list[i];
        let cells = island.cells.clone();
        let (actual, roots) = (&self.actual[cells.clone()], &self.roots[cells.clone()]);
        let (groups, frictions, loads) = N::of_mut(&mut self.rows).some(island.groups::<N>());
        let share = Share {
            cells: &mut self.cells[cells.clone()],
            last: &mut self.last[cells],
            groups,
            frictions,
            loads,
        };
        let work = |part: &Part, share: Share<'_, N, Cell>| {
            aim(share, part.cells.start as u32, actual, roots, how)
        };
        let parts = &self.islands.parts[island.parts.clone()];
        in_phases(parts, share, self.threads, &work, &|a, b| a + b).unwrap_or(0)
    }

    /// All islands that nothing but contacts holds together, side by side; returns the number of
    /// sweeps.
    fn hold_loose(&mut self, settings: &Settings) -> u32 {
        let Rows { groups, frictions, .. } = &mut self.rows.fours;
        let share = Share::rubbing(&mut self.cells, &mut self.last, groups, frictions);
        let (parts, threads) = (&self.islands.parts, self.threads);
        let solve = |island: &Island, share: Share<'_>| {
            let small = island.is_loose(&settings.contact) && !island.is_single();
            if small {
                velocities(
                    &parts[island.parts.clone()],
                    share,
                    goal(settings, 1),
                    settings,
                    threads,
                    |_, _| (),
                )
                .sweeps
            } else {
                0
            }
        };
        let mut sweeps =
            over(&self.islands.list, share, [0, 0], threads, &solve, &u32::max).unwrap_or(0);
        for i in 0..self.islands.list.len() {
            if self.islands.list[i].is_single() {
                sweeps = sweeps.max(self.hold_single(i, settings));
            }
        }
        sweeps
    }

    fn hold_single(&mut self, i: usize, settings: &Settings) -> u32 {
        let printed = settings.contact.cone == Cone::Printed;
        let sweep = |part: &Part, share: Share<'_, S8>, theta: f64| {
            velocity::sweep(part, share, theta, printed)
        };
        self.solve_single(i, goal(settings, 1), true, &sweep).sweeps
    }

    /// Sweeps over loose island `i`; returns their number.
    pub(super) fn hold_island(&mut self, i: usize, settings: &Settings) -> u32 {
        let island = &self.islands.list[i];
        if island.is_single() {
            return self.hold_single(i, settings);
        }
        let (cells, groups) = (island.cells.clone(), island.fours.clone());
        let (groups, frictions, _) = self.rows.fours.some(groups);
        let share = Share::rubbing(
            &mut self.cells[cells.clone()],
            &mut self.last[cells],
            groups,
            frictions,
        );
        velocities(
            &self.islands.parts[island.parts.clone()],
            share,
            goal(settings, 1),
            settings,
            self.threads,
            |_, _| (),
        )
        .sweeps
    }

    fn solve_velocities(
        &mut self,
        i: usize,
        systems: &mut [System],
        h: f64,
        settings: &Settings,
    ) -> u32 {
        let island = self.islands.list[i].clone();
        let reference = &self.reference[island.cells.clone()];
        let chains = &mut self.chains[island.chains.clone()];
        let (groups, frictions, _) = self.rows.fours.some(island.fours);
        let (cells, last) = (&mut self.cells[island.cells.clone()], &mut self.last[island.cells]);
        let share = Share::rubbing(cells, last, groups, frictions);
        // chains need more rounds: their joints answer only once per sweep; laws make them heavy,
        // up to without bound
        let lawful = chains.iter().any(|c| systems[c.system as usize].lawful);
        let times = match chains.is_empty() {
            true => 1,
            false if lawful => LAWFUL_TIMES,
            false => 5,
        };
        let goal = goal(settings, times);
        let parts = &self.islands.parts[island.parts];
        let solved = velocities(parts, share, goal, settings, self.threads, |cells, theta| {
            for c in chains.iter_mut() {
                c.answer(&mut systems[c.system as usize], cells, reference, theta);
            }
        });
        // what is left would move bodies through each other in the next step
        self.spent |= lawful && !solved.converged && solved.left * h > settings.contact.tolerance;
        solved.sweeps
    }
}

/// Sweeps over an island towards a goal; `block` brings jointed bodies back onto their joints.
fn velocities(
    parts: &[Part],
    share: Share<'_>,
    goal: Goal<'static>,
    settings: &Settings,
    threads: bool,
    block: impl FnMut(&mut [Cell], Option<f64>),
) -> Solved {
    let printed = settings.contact.cone == Cone::Printed;
    let sweep =
        |part: &Part, share: Share<'_>, theta: f64| velocity::sweep(part, share, theta, printed);
    accelerate::solve(parts, share, goal, threads, &sweep, block)
}

/// What the velocity solve aims at, with at most so many `times` the sweeps that the settings say.
fn goal(settings: &Settings, times: u32) -> Goal<'static> {
    Goal {
        tolerance: settings.tolerance.velocity * 1e-3,
        most: settings.contact.velocity_sweeps * times,
        // few and fixed: the position solve tells whether the tolerance is met
        capped: false,
        budget: None,
        // friction minimises nothing: it starts anew as soon as changes grow; the printed cone
        // counts the changes of plain sweeps
        worse: if settings.contact.cone == Cone::Printed { 0.0 } else { 1.0 },
    }
}

/// What decides how points are held.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    pub rest: f64,
    pub tolerance: f64,
    pub exact: bool,
    /// 1 with rebounds, 0 without.
    pub rebound: f64,
}

/// Returns the number of impacts.
#[inline(always)]
fn aim_body<N: Width>(
    share: Share<'_, N, Cell>,
    from: u32,
    actual: &[Cell],
    roots: &[f64],
    how: Aim,
) -> u32 {
    let mut impacts = F4::ZERO;
    let Share { groups, frictions, loads, cells, .. } = share;
    for ((g, f), l) in groups.iter_mut().zip(frictions).zip(loads) {
        for q in 0..N::FOURS {
            let (mut rows, mut of_four) = (g.exact_four(q, roots), l.four(q));
            let mut v = Motion::within(cells, &rows.bodies, from);
            impacts += aim_four(&mut rows, f, q, &mut of_four, &mut v, actual, how);
            v.put_within(cells, &rows.bodies, from);
            g.set_start(q, &rows);
            l.set_four(q, &of_four);
        }
    }
    impacts.sum() as u32
}

/// Targets and first impulses of four lanes, which join the velocities `v`; returns the impacts.
#[inline(always)]
fn aim_four<N: Width>(
    g: &mut Group,
    f: &mut Friction<N>,
    q: usize,
    loads: &mut Loads,
    v: &mut Motion,
    actual: &[Cell],
    how: Aim,
) -> F4 {
    let (one, tolerance, rest) = (F4::splat(1.0), F4::splat(how.tolerance), F4::splat(-how.rest));
    let (rebound, restitution) = (F4::splat(how.rebound), f.restitution.four(q));
    let speed = Motion::of(actual, &g.bodies);
    let (rates, carried) = (g.rates(&speed), f.carried_four(q));
    let (mut impacts, mut paid) = (F4::ZERO, F4::ZERO);
    for k in 0..g.count as usize {
        let (kick, row) = (loads.kick[k], &mut g.points[k]);
        row.bias = carried[k];
        let near = loads.gap[k].where_larger(tolerance, F4::ZERO, one);
        let held =
            row.response.where_larger(F4::ZERO, kick.where_larger(F4::ZERO, one, near), F4::ZERO);
        if !how.exact {
            // a point that the position solve did not know of meets with the speed it has
            loads.approach[k] =
                kick.where_larger(F4::ZERO, loads.approach[k], rates[k] + carried[k]);
            loads.hold[k] = F4::ZERO;
        }
        let met = rest.where_larger(loads.approach[k], held, F4::ZERO);
        if !how.exact {
            row.bias += restitution * rebound * loads.approach[k] * met;
            impacts += met;
        }
        row.inverse = row.inverse * held;
        // a resting contact carries in this half what it carried in the other; an impact is done
        // with
        row.impulse = loads.guess[k].min(kick) * (held - met);
        paid += (kick + row.impulse.abs()) * held;
    }
    f.paid.set_four(q, paid);
    let grip = f.grip.four(q);
    let [x, y, z, twist] = loads.drag;
    let before = [dot(grip.tangent[0], [x, y, z]), dot(grip.tangent[1], [x, y, z])];
    f.set_before(q, before, twist);
    // the hold begins with what the start of the step has applied
    f.grip.set_start(q, [before[0] + before[0], before[1] + before[1]], twist + twist);
    g.push(v);
    for k in 0..g.count as usize {
        g.points[k].impulse += loads.kick[k];
    }
    grip.rub(g.inverse_root_mass, v, before);
    v.turn(grip.spin_a, grip.spin_b, twist);
    f.set_bias(q, N::SINGLE.then_some((g.inverse_root_mass, &speed)));
    if N::SINGLE {
        f.set_starts(q, g);
        for k in 0..g.count as usize {
            g.points[k].bias += rates[k];
        }
    }
    impacts
}

/// Notes the impulses, as the first guess of the next step.
#[inline(always)]
fn remember_body<N: Width>((groups, frictions, loads): SomeRows<'_, N>, rest: f64) {
    for ((g, f), l) in groups.iter().zip(frictions).zip(loads) {
        for q in 0..N::FOURS {
            remember_four(g, f, q, l, rest);
        }
    }
}

#[inline(always)]
fn remember_four<N: Width>(g: &Group<N>, f: &Friction<N>, q: usize, to: &mut Loads<N>, rest: f64) {
    let (half, rest) = (F4::splat(0.5), F4::splat(-rest));
    let mut loads = to.four(q);
    let mut share = half;
    for k in 0..g.count as usize {
        let (kick, row) = (loads.kick[k], &g.points[k]);
        let more = row.inverse.four(q).where_larger(F4::ZERO, row.impulse.four(q) - kick, F4::ZERO);
        loads.hold[k] += more;
        let sum = kick + loads.hold[k];
        // an impulse of impact is no guess for the next step
        let approach = loads.approach[k];
        loads.guess[k] = rest.where_larger(approach, F4::ZERO, half * sum);
        share = rest.where_larger(approach, sum.where_larger(F4::ZERO, F4::ZERO, share), share);
    }
    let (held, spun) = f.held_four(q);
    let [x, y, z] = f.grip.four(q).world(held);
    for (to, more) in loads.drag.iter_mut().zip([x, y, z, spun]) {
        *to += more;
    }
    let [x, y, z, _] = loads.drag;
    set_three(&mut to.dragged, q, [x, y, z]);
    for x in &mut loads.drag {
        *x = *x * share;
    }
    to.set_four(q, &loads);
}

kernel! { fn remember<N: Width>(rows: SomeRows<'_, N>, rest: f64) = remember_body }
kernel! { fn aim<N: Width>(share: Share<'_, N, Cell>, from: u32, actual: &[Cell], roots: &[f64], how: Aim) -> u32 = aim_body }
