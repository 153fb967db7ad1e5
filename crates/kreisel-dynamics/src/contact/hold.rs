//! The hold at the end of a step: impacts (in cut steps), then resting contacts and friction.

use super::Contacts;
use super::accelerate::{self, Goal};
use super::impact::{self, Bodies, Candidate, Law};
use super::island::Island;
use super::manifold::{Manifold, POINTS};
use super::parts::{Part, Share, over};
use super::rows::{Cell, Group, IDLE, Motion};
use super::stage::{Stage, Taken, rest_speed};
use super::step::NEAR;
use super::{Cone, ContactTime, Friction, Surface, velocity};
use crate::lanes::{F4, LANES, dot};
use crate::settings::Settings;
use crate::simd::kernel;
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
        let mut sweeps = self.hold_loose(settings);
        for i in 0..self.islands.list.len() {
            if !self.islands.list[i].is_loose(&settings.contact) {
                sweeps = sweeps.max(self.solve_velocities(i, systems, settings));
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
        let friction = self.friction_work(Stage::Hold);
        let before = self.kinetic();
        self.store(systems);
        let all = before - self.kinetic();
        self.remember(rest);
        Taken { friction, all }
    }

    /// Impacts of island `i` (cut steps only).
    fn collide(&mut self, i: usize, systems: &mut [System], rest: f64, settings: &Settings) {
        let island = self.islands.list[i].clone();
        let near = NEAR * settings.contact.tolerance;
        let mut points = std::mem::take(&mut self.candidates);
        points.clear();
        for (k, g) in self.groups[island.groups.clone()].iter().enumerate() {
            for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                let m = &mut self.memory.manifolds[g.manifold[l] as usize];
                let [a, b] = m.pair.map(|c| self.class[c as usize] as usize);
                let restitution = self.table[a * self.classes + b].restitution;
                m.points_mut().iter_mut().for_each(|p| p.hold = 0.0);
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
            m.points[k].hold = p.impulse;
            if p.hit {
                m.points[k].approach = (g.rate(l, k, actual) + f.carried(k, l)).min(-rest);
                self.report.impacts += 1;
            }
            m.struck += f.impulse(l);
            (f.impulse[0].0[l], f.impulse[1].0[l], f.spin.0[l]) = (0.0, 0.0, 0.0);
        }
        self.candidates = points;
    }

    /// Targets and first impulses of the velocity solve.
    fn aim(&mut self, rest: f64, tolerance: f64, exact: bool) {
        let how = Aim { rest, tolerance, exact };
        for island in &self.islands.list {
            let (cells, groups) = (island.cells.clone(), island.groups.clone());
            let from = Surfaces { class: &self.class, classes: self.classes, table: &self.table };
            let actual = &self.actual[cells.clone()];
            let rows = (&mut self.groups[groups.clone()], &mut self.frictions[groups]);
            self.report.impacts +=
                aim(rows.0, rows.1, &mut self.memory.manifolds, &mut self.cells[cells], actual, from, how);
        }
    }

    /// All islands that nothing but contacts holds together, side by side; returns the number of sweeps.
    fn hold_loose(&mut self, settings: &Settings) -> u32 {
        let share = Share {
            cells: &mut self.cells,
            last: &mut self.last,
            ahead: &mut self.ahead,
            groups: &mut self.groups,
            frictions: &mut self.frictions,
        };
        let (parts, threads) = (&self.islands.parts, self.threads);
        let solve = |island: &Island, share: Share<'_>| {
            let loose = island.is_loose(&settings.contact);
            if loose { velocities(&parts[island.parts.clone()], share, 1, settings, threads, |_| ()) } else { 0 }
        };
        over(&self.islands.list, share, [0, 0], threads, &solve, &u32::max).unwrap_or(0)
    }

    fn solve_velocities(&mut self, i: usize, systems: &mut [System], settings: &Settings) -> u32 {
        let island = self.islands.list[i].clone();
        let reference = &self.reference[island.cells.clone()];
        let chains = &mut self.chains[island.chains.clone()];
        let share = Share {
            cells: &mut self.cells[island.cells.clone()],
            last: &mut self.last[island.cells.clone()],
            ahead: &mut self.ahead[island.cells],
            groups: &mut self.groups[island.groups.clone()],
            frictions: &mut self.frictions[island.groups],
        };
        // chains need more rounds: their joints answer only once per sweep
        let times = if chains.is_empty() { 1 } else { 5 };
        velocities(&self.islands.parts[island.parts], share, times, settings, self.threads, |cells| {
            for c in chains.iter_mut() {
                c.project(&mut systems[c.system as usize], cells, reference);
            }
        })
    }

    /// Puts the impulses back into the manifolds, as the first guess of the next step.
    fn remember(&mut self, rest: f64) {
        for (g, f) in self.groups.iter().zip(&self.frictions) {
            for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
                let drag = f.impulse(l);
                let m = &mut self.memory.manifolds[g.manifold[l] as usize];
                let mut impact = false;
                for (p, row) in m.points_mut().iter_mut().zip(&g.points) {
                    if row.inverse.0[l] > 0.0 {
                        p.hold += row.impulse.0[l] - p.kick;
                    }
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

/// Sweeps over an island, at most so many `times` what the settings say; `block` brings jointed bodies back onto their joints.
fn velocities(
    parts: &[Part],
    share: Share<'_>,
    times: u32,
    settings: &Settings,
    threads: bool,
    block: impl FnMut(&mut [Cell]),
) -> u32 {
    let printed = settings.contact.cone == Cone::Printed;
    let goal = Goal {
        tolerance: settings.tolerance.velocity * 1e-3,
        most: settings.contact.velocity_sweeps * times,
        // the printed cone counts the changes of the sweeps
        ahead: !printed,
    };
    let sweep = |part: &Part, share: Share<'_>, theta: f64| velocity::sweep(part, share, theta, printed);
    accelerate::solve(parts, share, goal, threads, &sweep, block).sweeps
}

/// What decides how points are held.
#[derive(Clone, Copy)]
struct Aim {
    rest: f64,
    tolerance: f64,
    exact: bool,
}

/// Coefficients by the classes of two colliders.
#[derive(Clone, Copy)]
struct Surfaces<'a> {
    class: &'a [u32],
    classes: usize,
    table: &'a [Surface],
}

/// Returns the number of impacts.
#[inline(always)]
fn aim_body(
    groups: &mut [Group],
    frictions: &mut [Friction],
    manifolds: &mut [Manifold],
    cells: &mut [Cell],
    actual: &[Cell],
    from: Surfaces<'_>,
    how: Aim,
) -> u32 {
    let mut impacts = 0;
    for (g, f) in groups.iter_mut().zip(frictions) {
        let rates = g.rates(&Motion::of(actual, &g.bodies));
        let (mut drag, mut twist, mut kick) = ([F4::ZERO; 3], F4::ZERO, [F4::ZERO; POINTS]);
        f.paid = F4::ZERO;
        for l in (0..LANES).filter(|&l| g.manifold[l] != IDLE) {
            let m = &mut manifolds[g.manifold[l] as usize];
            let [a, b] = m.pair.map(|c| from.class[c as usize] as usize);
            let restitution = from.table[a * from.classes + b].restitution;
            for k in 0..m.count as usize {
                let (p, row) = (&mut m.points[k], &mut g.points[k]);
                let carried = f.carried(k, l);
                // a point that the position solve did not know of meets with the speed it has
                if p.kick == 0.0 && !how.exact {
                    p.approach = rates[k].0[l] + carried;
                }
                row.bias.0[l] = carried;
                row.impulse.0[l] = 0.0;
                if !how.exact {
                    p.hold = 0.0;
                }
                if !(p.kick > 0.0 || p.gap <= how.tolerance) {
                    row.inverse.0[l] = 0.0;
                    continue;
                }
                let met = p.approach < -how.rest;
                if met && !how.exact {
                    row.bias.0[l] += restitution * p.approach;
                    impacts += 1;
                }
                kick[k].0[l] = p.kick;
                // a resting contact carries in this half what it carried in the other; an impact is done with
                row.impulse.0[l] = if met { 0.0 } else { p.guess.min(p.kick) };
                f.paid.0[l] += p.kick + row.impulse.0[l].abs();
            }
            for i in 0..3 {
                drag[i].0[l] = m.friction[i];
            }
            twist.0[l] = m.twist;
        }
        f.before = [dot(f.tangent[0], drag), dot(f.tangent[1], drag)];
        (f.impulse, f.last) = (f.before, f.before);
        (f.spin_before, f.spin, f.spin_last) = (twist, twist, twist);
        let mut v = Motion::of(cells, &g.bodies);
        g.push(&mut v);
        for k in 0..g.count as usize {
            let row = &mut g.points[k];
            row.impulse += kick[k];
            row.last = row.impulse;
        }
        f.rub(g, &mut v, f.before);
        v.turn(f.spin_a, f.spin_b, twist);
        v.put(cells, &g.bodies);
    }
    impacts
}

kernel! {
    fn aim(
        groups: &mut [Group],
        frictions: &mut [Friction],
        manifolds: &mut [Manifold],
        cells: &mut [Cell],
        actual: &[Cell],
        from: Surfaces<'_>,
        how: Aim,
    ) -> u32 = aim_body
}
