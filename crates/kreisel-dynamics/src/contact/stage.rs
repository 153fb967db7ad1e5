//! The two solves of a step: the kick at its start and the hold at its end.

use super::Contacts;
use super::impact::{self, Bodies, Candidate, Law};
use super::position::{self, Solved};
use super::rows::{Cell, IDLE};
use super::step::NEAR;
use super::velocity;
use crate::contact::ContactTime;
use crate::lanes::{F4, LANES};
use crate::settings::Settings;
use crate::step::Budget;
use crate::system::System;

/// Share of an overlap that one step takes out: all at once would throw stacks apart.
const SHARE: f64 = 0.2;

/// Sweeps times groups of four manifolds that an island may use beyond the limit of sweeps: about a millisecond.
const WORK: usize = 20_000;

/// Least approach speed that counts as an impact where nothing falls, m/s.
const SLOWEST: f64 = 1e-3;

/// Energies that contacts took in a stage, J.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    pub friction: f64,
    pub all: f64,
}

/// Approach speed below which a contact is at rest: that of a fall through the touch distance (B-75).
pub(super) fn rest_speed(gravity: f64, touch: f64) -> f64 {
    (2.0 * gravity * touch).sqrt().max(SLOWEST)
}

impl Contacts {
    /// Puts the systems' velocities into the cells.
    fn load(&mut self, systems: &[System]) {
        for (k, &slot) in self.islands.slots.iter().enumerate() {
            self.actual[k] = Cell::default();
            if slot != u32::MAX {
                let (s, i) = self.homes[slot as usize];
                let (y, l) = (&systems[s as usize].groups[i as usize / LANES].y, i as usize % LANES);
                self.actual[k] = Cell {
                    linear: F4([y[0].0[l], y[1].0[l], y[2].0[l], 0.0]),
                    angular: F4([y[3].0[l], y[4].0[l], y[5].0[l], 0.0]),
                };
            }
        }
    }

    /// Adds what the solve has changed to the systems' velocities.
    fn store(&mut self, systems: &mut [System]) {
        for (k, &slot) in self.islands.slots.iter().enumerate() {
            if slot == u32::MAX {
                continue;
            }
            let (s, i) = self.homes[slot as usize];
            let (y, l) = (&mut systems[s as usize].groups[i as usize / LANES].y, i as usize % LANES);
            let (c, r, a) = (&self.cells[k], &self.reference[k], &mut self.actual[k]);
            a.linear = a.linear + (c.linear - r.linear);
            a.angular = a.angular + (c.angular - r.angular);
            for j in 0..3 {
                y[j].0[l] = a.linear.0[j];
                y[3 + j].0[l] = a.angular.0[j];
            }
        }
    }

    fn kinetic(&self) -> f64 {
        let mut sum = F4::ZERO;
        for c in &self.actual {
            sum += c.linear * c.linear + c.angular * c.angular;
        }
        0.5 * ((sum.0[0] + sum.0[1]) + (sum.0[2] + sum.0[3]))
    }

    /// Prepares the chains of the present islands.
    fn open_chains(&mut self) {
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
        self.load(systems);
        self.open_chains();
        // preview velocities: what carries a body through the step, the forces' half step included
        for (k, &slot) in self.islands.slots.iter().enumerate() {
            let mut c = self.actual[k];
            if slot != u32::MAX && self.chain_of[slot as usize] == u32::MAX {
                let (s, i) = self.homes[slot as usize];
                let (g, l) = (&systems[s as usize].groups[i as usize / LANES], i as usize % LANES);
                let torque = crate::system::mat3(&g.r, l).transpose() * crate::system::vec3(&g.torque, l);
                for j in 0..3 {
                    c.linear.0[j] += 0.5 * h * g.acc[j].0[l] * g.sm.0[l];
                    c.angular.0[j] += 0.5 * h * g.isi[j].0[l] * torque[j];
                }
            }
            self.reference[k] = c;
        }
        for k in 0..self.islands.chains.len() {
            let s = &mut systems[self.chains[k].system as usize];
            self.chains[k].impulses.clear();
            self.chains[k].predict(s, now, h, settings, budget);
            self.chains[k].open(s);
        }
        for island in &self.islands.list {
            for k in island.chains.clone() {
                for &(cell, body) in &self.chains[k].members {
                    self.reference[island.cells.start + cell as usize] = self.chains[k].preview[body as usize];
                }
            }
        }
        self.cells.clone_from(&self.reference);
        if again {
            self.solution.clear();
            let solved = |(k, &slot): (usize, &u32)| match self.solved.get(slot as usize) {
                Some(Some(cell)) => *cell,
                _ => self.reference[k],
            };
            self.solution.extend(self.islands.slots.iter().enumerate().map(solved));
        }
        let scale = match (again, self.memory.last_h > 0.0) {
            (true, _) => None,
            (false, true) => Some(h / self.memory.last_h),
            (false, false) => Some(0.0),
        };
        self.warm_start(h, scale, &settings.contact);
        let tolerance = settings.contact.tolerance / h;
        for i in 0..self.islands.list.len() {
            let solved = self.solve_positions(i, systems, tolerance, settings.contact.max_sweeps);
            self.report.sweeps = self.report.sweeps.max(solved.sweeps);
            self.report.residual = self.report.residual.max(solved.residual * h);
        }
        for k in 0..self.islands.chains.len() {
            let s = &mut systems[self.chains[k].system as usize];
            self.chains[k].close(s);
            let deferred = &mut self.deferred[self.chains[k].system as usize];
            deferred.clone_from(&self.chains[k].impulses);
        }
        let friction = self.friction_work_of_kick();
        let before = self.kinetic();
        self.store(systems);
        let after = self.kinetic();
        for g in &self.groups {
            for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                let m = &mut self.memory.manifolds[g.manifold[l] as usize];
                for (p, row) in m.points_mut().iter_mut().zip(&g.points) {
                    p.kick = row.impulse.0[l];
                }
            }
        }
        Taken { friction, all: before - after }
    }

    /// Biases, first impulses, and the speeds with which points are going to meet.
    ///
    /// `scale` turns the impulses of the last step into first guesses; `None` goes on from the kick that is made again.
    fn warm_start(&mut self, h: f64, scale: Option<f64>, settings: &super::ContactSettings) {
        // cut steps meet where they are cut: what is apart takes no part
        let exact = settings.time == ContactTime::Exact;
        let far = if exact { NEAR * settings.tolerance } else { f64::INFINITY };
        for island in &self.islands.list {
            let cells = &mut self.cells[island.cells.clone()];
            let (actual, reference) = (&self.actual[island.cells.clone()], &self.reference[island.cells.clone()]);
            let range = island.groups.clone();
            for (g, f) in self.groups[range.clone()].iter_mut().zip(&mut self.frictions[range]) {
                for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                    let m = &mut self.memory.manifolds[g.manifold[l] as usize];
                    let mut load = 0.0;
                    let foretold = m.foretold;
                    for k in 0..m.count as usize {
                        let p = &mut m.points[k];
                        let carried = g.points[k].carried.0[l];
                        if foretold && scale.is_none() && !m.settled {
                            let solution = &self.solution[island.cells.clone()];
                            p.gap -= h * (g.rate(l, k, solution) + carried);
                        }
                        let (now, mean) = (g.rate(l, k, actual) + carried, g.rate(l, k, reference) + carried);
                        p.approach = meeting_speed(p.gap, now, mean, h);
                        let gap =
                            if p.gap > 0.0 || foretold { p.gap } else { (SHARE * p.gap).max(-settings.push_speed * h) };
                        let row = &mut g.points[k];
                        row.bias.0[l] = carried + gap / h;
                        row.low.0[l] = 0.0;
                        row.inverse.0[l] = if p.gap > far { 0.0 } else { one_over(row.response.0[l]) };
                        let guess = scale.map_or(p.kick, |s| p.guess * s);
                        let guess = if row.inverse.0[l] > 0.0 { guess } else { 0.0 };
                        (row.impulse.0[l], row.last.0[l]) = (guess, guess);
                        load += guess;
                        if guess != 0.0 {
                            g.apply(l, k, guess, cells);
                        }
                    }
                    m.settled = true;
                    let scale = scale.unwrap_or(1.0);
                    // friction of the last step, as far as the cone allows
                    let mut p = f.tangential(l, m.friction * scale);
                    let size = (p[0] * p[0] + p[1] * p[1]).sqrt();
                    let most = f.sticking.0[l] * load;
                    if size > most {
                        p = p.map(|x| x * most / size);
                    }
                    let most = f.spin_lever.0[l] * load;
                    let twist = (m.twist * scale).clamp(-most, most);
                    for k in 0..2 {
                        f.before[k].0[l] = p[k];
                        f.impulse[k].0[l] = 0.0;
                    }
                    f.spin_before.0[l] = twist;
                    f.apply(g, l, p, twist, cells);
                    m.friction = f.tangential_vector(l, p);
                    m.twist = twist;
                }
            }
        }
    }

    fn solve_positions(&mut self, i: usize, systems: &mut [System], tolerance: f64, most: u32) -> Solved {
        let island = self.islands.list[i].clone();
        let cells = &mut self.cells[island.cells.clone()];
        let reference = &self.reference[island.cells.clone()];
        let chains = &mut self.chains[island.chains.clone()];
        let mut block = |cells: &mut [Cell]| {
            for c in chains.iter_mut() {
                c.project(&mut systems[c.system as usize], cells, reference);
            }
        };
        block(cells);
        // small islands may sweep more: their sweeps are cheap, and heavy on light needs many
        let most = most.max((WORK / island.groups.len().max(1)) as u32);
        position::solve(&mut self.groups[island.groups], cells, &mut self.extrapolation, tolerance, most, block)
    }

    /// Energy that the friction of the kick takes: impulse times the mean of the velocities before and after.
    fn friction_work_of_kick(&self) -> f64 {
        let mut taken = 0.0;
        for island in &self.islands.list {
            let range = island.cells.clone();
            let (actual, cells, reference) =
                (&self.actual[range.clone()], &self.cells[range.clone()], &self.reference[range]);
            for (g, f) in self.groups[island.groups.clone()].iter().zip(&self.frictions[island.groups.clone()]) {
                for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                    let p = [f.before[0].0[l], f.before[1].0[l]];
                    let s = f.spin_before.0[l];
                    if p == [0.0; 2] && s == 0.0 {
                        continue;
                    }
                    let (u, w) = f.rates(g, l, actual);
                    let (u1, w1) = f.rates(g, l, cells);
                    let (u0, w0) = f.rates(g, l, reference);
                    for k in 0..2 {
                        taken -= p[k] * (u[k] + 0.5 * (u1[k] - u0[k]));
                    }
                    taken -= s * (w + 0.5 * (w1 - w0));
                }
            }
        }
        taken
    }

    /// The hold at the end of a step.
    pub(super) fn hold(&mut self, systems: &mut [System], gravity: f64, settings: &Settings) -> Taken {
        self.load(systems);
        self.open_chains();
        self.reference.clone_from(&self.actual);
        self.cells.clone_from(&self.actual);
        let rest = rest_speed(gravity, settings.contact.touch);
        for k in 0..self.islands.chains.len() {
            let s = &mut systems[self.chains[k].system as usize];
            self.chains[k].impulses.clear();
            self.chains[k].open(s);
        }
        let exact = settings.contact.time == ContactTime::Exact;
        if exact {
            for i in 0..self.islands.list.len() {
                self.collide(i, systems, rest, settings);
            }
        }
        self.aim(rest, settings.contact.tolerance, exact);
        for i in 0..self.islands.list.len() {
            let sweeps = self.solve_velocities(i, systems, settings);
            self.report.velocity_sweeps = self.report.velocity_sweeps.max(sweeps);
        }
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
        let friction = self.friction_work_of_hold();
        let before = self.kinetic();
        self.store(systems);
        let all = before - self.kinetic();
        self.remember(rest);
        Taken { friction, all }
    }

    /// Targets and first impulses of the velocity solve.
    /// Impacts of island `i` (cut steps only).
    fn collide(&mut self, i: usize, systems: &mut [System], rest: f64, settings: &Settings) {
        let island = self.islands.list[i].clone();
        let near = NEAR * settings.contact.tolerance;
        let mut points = std::mem::take(&mut self.candidates);
        points.clear();
        for (k, g) in self.groups[island.groups.clone()].iter().enumerate() {
            for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                let m = &self.memory.manifolds[g.manifold[l] as usize];
                let [a, b] = m.pair.map(|c| self.class[c as usize] as usize);
                let restitution = self.table[a * self.classes + b].restitution;
                for (point, _) in m.points().iter().enumerate().filter(|(_, p)| p.gap <= near) {
                    points.push(Candidate::new(k, l, point, restitution));
                }
            }
        }
        let reference = &self.reference[island.cells.clone()];
        let chains = &mut self.chains[island.chains.clone()];
        let mut bodies = Bodies {
            groups: &mut self.groups[island.groups.clone()],
            frictions: &mut self.frictions[island.groups.clone()],
            cells: &mut self.cells[island.cells.clone()],
        };
        let law = Law { law: settings.contact.law, rest, tolerance: 1e-3 * settings.tolerance.velocity };
        impact::resolve(&mut bodies, &mut points, law, |cells| {
            for c in chains.iter_mut() {
                c.project(&mut systems[c.system as usize], cells, reference);
            }
        });
        let actual = &self.actual[island.cells.clone()];
        for p in points.iter() {
            let (l, k) = (usize::from(p.lane), usize::from(p.point));
            let at = island.groups.start + p.group as usize;
            let (g, f) = (&mut self.groups[at], &mut self.frictions[at]);
            let m = &mut self.memory.manifolds[g.manifold[l] as usize];
            // the rows' own memory of the sweep before is free here and keeps the impulse of the impact
            g.points[k].last.0[l] = p.impulse;
            if p.hit {
                m.points[k].approach = (g.rate(l, k, actual) + g.points[k].carried.0[l]).min(-rest);
                self.report.impacts += 1;
            }
            m.struck += f.impulse(l);
            (f.impulse[0].0[l], f.impulse[1].0[l], f.spin.0[l]) = (0.0, 0.0, 0.0);
        }
        self.candidates = points;
    }

    fn aim(&mut self, rest: f64, tolerance: f64, exact: bool) {
        for island in &self.islands.list {
            let cells = &mut self.cells[island.cells.clone()];
            let actual = &self.actual[island.cells.clone()];
            let range = island.groups.clone();
            for (g, f) in self.groups[range.clone()].iter_mut().zip(&mut self.frictions[range]) {
                for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                    let m = &mut self.memory.manifolds[g.manifold[l] as usize];
                    let [a, b] = m.pair.map(|c| self.class[c as usize] as usize);
                    let restitution = self.table[a * self.classes + b].restitution;
                    for k in 0..m.count as usize {
                        let rate = g.rate(l, k, actual);
                        let p = &mut m.points[k];
                        let row = &mut g.points[k];
                        // a point that the position solve did not know of meets with the speed it has
                        if p.kick == 0.0 && !exact {
                            p.approach = rate + row.carried.0[l];
                        }
                        row.bias.0[l] = row.carried.0[l];
                        let active = p.kick > 0.0 || p.gap <= tolerance;
                        if !active {
                            row.inverse.0[l] = 0.0;
                            p.hold = 0.0;
                            continue;
                        }
                        if p.approach < -rest {
                            row.bias.0[l] += if exact { 0.0 } else { restitution * p.approach };
                            self.report.impacts += u32::from(!exact);
                        }
                        row.low.0[l] = -p.kick;
                        // a resting contact carries in this half what it carried in the other; an impact is done with
                        let guess = if p.approach < -rest { 0.0 } else { p.guess.min(p.kick) };
                        row.impulse.0[l] = guess;
                        if guess != 0.0 {
                            g.apply(l, k, guess, cells);
                        }
                    }
                    let before = f.tangential(l, m.friction);
                    for k in 0..2 {
                        f.before[k].0[l] = before[k];
                        f.impulse[k].0[l] = before[k];
                    }
                    f.spin_before.0[l] = m.twist;
                    f.spin.0[l] = m.twist;
                    f.apply(g, l, before, m.twist, cells);
                }
            }
        }
    }

    fn solve_velocities(&mut self, i: usize, systems: &mut [System], settings: &Settings) -> u32 {
        let island = self.islands.list[i].clone();
        let cells = &mut self.cells[island.cells.clone()];
        let reference = &self.reference[island.cells.clone()];
        let chains = &mut self.chains[island.chains.clone()];
        let (groups, frictions) = (&mut self.groups[island.groups.clone()], &mut self.frictions[island.groups.clone()]);
        // chains need more rounds: their joints answer only once per sweep
        let most = settings.contact.velocity_sweeps * if chains.is_empty() { 1 } else { 5 };
        let mut sweeps = 0;
        while sweeps < most {
            for c in chains.iter_mut() {
                c.project(&mut systems[c.system as usize], cells, reference);
            }
            let worst = velocity::sweep(groups, frictions, cells);
            sweeps += 1;
            if worst <= settings.tolerance.velocity * 1e-3 {
                break;
            }
        }
        for c in chains.iter_mut() {
            c.project(&mut systems[c.system as usize], cells, reference);
        }
        sweeps
    }

    fn friction_work_of_hold(&self) -> f64 {
        let mut taken = 0.0;
        for island in &self.islands.list {
            let range = island.cells.clone();
            let (actual, cells) = (&self.actual[range.clone()], &self.cells[range]);
            for (g, f) in self.groups[island.groups.clone()].iter().zip(&self.frictions[island.groups.clone()]) {
                for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                    let (u0, w0) = f.rates(g, l, actual);
                    let (u1, w1) = f.rates(g, l, cells);
                    for k in 0..2 {
                        taken -= 0.5 * f.impulse[k].0[l] * (u0[k] + u1[k]);
                    }
                    taken -= 0.5 * f.spin.0[l] * (w0 + w1);
                }
            }
        }
        taken
    }

    /// Puts the impulses back into the manifolds, as the first guess of the next step.
    fn remember(&mut self, rest: f64) {
        for (g, f) in self.groups.iter().zip(&self.frictions) {
            for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                let drag = f.impulse(l);
                let m = &mut self.memory.manifolds[g.manifold[l] as usize];
                let mut impact = false;
                for (p, row) in m.points_mut().iter_mut().zip(&g.points) {
                    p.hold = if row.inverse.0[l] > 0.0 { row.impulse.0[l] } else { 0.0 } + row.last.0[l];
                    let met = p.approach < -rest;
                    impact |= met && p.kick + p.hold > 0.0;
                    // an impulse of impact is no guess for the next step
                    p.guess = if met { 0.0 } else { 0.5 * (p.kick + p.hold) };
                }
                m.dragged = m.friction + drag + m.struck;
                let sum = m.friction + drag;
                m.struck = crate::math::Vec3::ZERO;
                let share = if impact { 0.0 } else { 0.5 };
                m.friction = sum * share;
                m.twist = (m.twist + f.spin.0[l]) * share;
            }
        }
    }
}

fn one_over(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

/// Normal velocity at the moment when the gap closes, if it does within the step; zero otherwise.
fn meeting_speed(gap: f64, now: f64, mean: f64, h: f64) -> f64 {
    if gap + h * mean >= 0.0 {
        return 0.0;
    }
    let time = if gap > 0.0 { (gap / -mean).min(h) } else { 0.0 };
    let rate = 2.0 * (mean - now) / h;
    (now + rate * time).min(0.0)
}
