//! The hold at the end of a step: impacts (in cut steps), then resting contacts and friction.

use super::Contacts;
use super::impact::{self, Bodies, Candidate, Law};
use super::rows::IDLE;
use super::stage::{Taken, rest_speed};
use super::step::NEAR;
use super::velocity;
use crate::contact::ContactTime;
use crate::lanes::LANES;
use crate::settings::Settings;
use crate::system::System;

impl Contacts {
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
