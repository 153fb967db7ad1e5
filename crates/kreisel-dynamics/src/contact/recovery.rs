//! Recovery from overlaps that no regular step makes: a scene that begins with bodies inside each
//! other, a body that was put into another one, a fault of detection.
//!
//! Velocities know nothing of such overlaps: their contacts stop approaching, and that is all. The
//! *poses* are drawn apart before the step, along the normals, a share of the depth at a time, so
//! that no kinetic energy comes of it. Both bodies of a pair move in inverse proportion to their
//! masses: the centre of mass stays where it is, and gravity does no work unless the ground lifts a
//! body. No body moves further in a step than the share of its deepest overlap, nor faster than the
//! push speed, however many others it overlaps.
//!
//! Bodies that joints or springs hold are not drawn: their contacts push as those of shallow
//! overlaps do (`prime`).

use super::again::DEEP_SHARE;
use super::impact::energy;
use super::manifold::Brief;
use super::prime::SHARE;
use super::{Contacts, NOWHERE, chance};
use crate::lanes::{F4, LANES};
use crate::math::Vec3;
use crate::model::Model;
use crate::state::State;
use crate::system::{System, set3, vec3};

/// Centres that are closer than this part of the smaller body do not tell a direction.
const COINCIDENT: f64 = 0.01;

/// What is drawn at a body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Draw {
    /// Sum of the ways that its pairs ask for, and the largest way it may go, m.
    asked: f64,
    most: f64,
    shift: Vec3,
}

impl Contacts {
    /// Overlap from which on a fast step is made again, m: what the settings say, but less for
    /// small bodies.
    pub(super) fn deep(&self, pair: [u32; 2]) -> f64 {
        self.overlap.min(DEEP_SHARE * self.size(pair))
    }

    /// Smallest extent of the smaller body of a pair, m.
    pub(super) fn size(&self, pair: [u32; 2]) -> f64 {
        pair.iter().map(|&c| self.colliders[c as usize].size).fold(f64::INFINITY, f64::min)
    }

    /// Inverse mass of a body that may be drawn, 1/kg; 0 for all others.
    fn lightness(&self, c: u32, systems: &[System]) -> f64 {
        let c = &self.colliders[c as usize];
        let (s, i) = self.homes[c.slot as usize];
        if !c.moves || (s, i) == NOWHERE || self.is_asleep(c.slot) {
            return 0.0;
        }
        let system = &systems[s as usize];
        if system.is_tied() || !system.springs.is_empty() {
            return 0.0;
        }
        system.groups[i as usize / LANES].ism.0[i as usize % LANES].powi(2)
    }

    /// Inverse masses of a pair that is drawn apart, if it is.
    fn drawn(&self, m: &Brief, systems: &[System]) -> Option<[f64; 2]> {
        if m.sensor || m.gap >= -self.shallow || m.gap >= -self.deep(m.pair) {
            return None;
        }
        let lightness = m.pair.map(|c| self.lightness(c, systems));
        (lightness[0] + lightness[1] > 0.0).then_some(lightness)
    }

    /// Draws bodies apart that overlap deeply, and looks anew where they touch. Returns the work
    /// that this does against gravity, J.
    pub(super) fn draw_apart(
        &mut self,
        systems: &mut [System],
        model: &Model,
        state: &State,
        h: f64,
    ) -> f64 {
        if !self.surveyed {
            self.survey();
        }
        // regular motion ends here
        if self.briefs.iter().all(|m| m.gap >= -self.shallow || self.drawn(m, systems).is_none()) {
            return 0.0;
        }
        let fastest = model.settings.contact.push_speed * h;
        let mut draws = std::mem::take(&mut self.draws);
        draws.clear();
        draws.resize(self.homes.len(), Draw::default());
        // what every body is asked for, and the furthest it may go
        for m in &self.briefs {
            let Some(lightness) = self.drawn(m, systems) else { continue };
            self.report.drawn += 1;
            for (c, own) in m.pair.into_iter().zip(lightness) {
                let d = &mut draws[self.colliders[c as usize].slot as usize];
                d.asked += SHARE * -m.gap * own / (lightness[0] + lightness[1]);
                d.most = d.most.max((SHARE * -m.gap).min(fastest));
            }
        }
        // a pair gives both its bodies the smaller of their shares, so that momenta balance
        for (m, at) in self.briefs.iter().zip(&self.memory.manifolds) {
            let Some(lightness) = self.drawn(m, systems) else { continue };
            let slots = m.pair.map(|c| self.colliders[c as usize].slot as usize);
            let part = slots.into_iter().zip(lightness).filter(|s| s.1 > 0.0);
            let part = part.fold(1.0_f64, |p, (s, _)| p.min(draws[s].most / draws[s].asked));
            let way = self.apart(m.pair, at.normal)
                * (part * SHARE * -m.gap / (lightness[0] + lightness[1]));
            draws[slots[0]].shift += way * lightness[0];
            draws[slots[1]].shift -= way * lightness[1];
        }
        let mut work = 0.0;
        for (slot, d) in draws.iter().enumerate().filter(|(_, d)| d.shift != Vec3::ZERO) {
            let (s, i) = self.homes[slot];
            let system = &mut systems[s as usize];
            let (g, l) = (&mut system.groups[i as usize / LANES], i as usize % LANES);
            work -= g.sm.0[l] * g.sm.0[l] * system.gravity.dot(d.shift);
            let x = vec3(&g.x, l) + d.shift;
            set3(&mut g.x, l, x);
        }
        self.draws = draws;
        self.read(systems, state, 0.0);
        self.detect(h, model.gravity);
        work
    }

    /// Direction in which the first body of a pair leaves the second: along the normal, unless they
    /// lie in one place.
    fn apart(&self, pair: [u32; 2], normal: Vec3) -> Vec3 {
        let [a, b] = pair.map(|c| &self.colliders[c as usize]);
        let size = a.size.min(b.size);
        let [p, q] = [a, b].map(|c| c.middle(&self.places[c.slot as usize]));
        let coincident =
            a.half.is_finite() && b.half.is_finite() && (p - q).length() < COINCIDENT * size;
        if coincident { chance::direction(pair) } else { normal }
    }

    /// Tells the contacts of such pairs that velocities have nothing to push.
    pub(super) fn mark_drawn(&mut self, systems: &[System]) {
        self.draws_any =
            self.briefs.iter().any(|m| m.gap < -self.shallow && self.drawn(m, systems).is_some());
        if self.draws_any {
            for k in 0..self.briefs.len() {
                self.memory.manifolds[k].drawn = self.drawn(&self.briefs[k], systems).is_some();
            }
        }
    }

    /// Takes from islands the energy that they have gained in a step with bodies inside each other:
    /// sweeps end before such heaps have converged. Velocities go towards the mean velocity, or
    /// towards rest where something that does not move is touched, until the island has what it
    /// began the step with and what gravity gave. Neither opens or closes a contact that was held.
    pub(super) fn calm_heaps(&mut self, systems: &[System], settings: &super::ContactSettings) {
        let mut grounded = vec![false; self.homes.len()];
        for m in self.briefs.iter().filter(|m| !m.sensor && m.gap <= settings.touch) {
            let [a, b] = m.pair.map(|c| self.active[c as usize]);
            if a != b {
                grounded[self.colliders[m.pair[usize::from(b)] as usize].slot as usize] = true;
            }
        }
        for i in 0..self.islands.list.len() {
            let island = &self.islands.list[i];
            if !island.is_loose(settings) {
                continue;
            }
            let (range, allowed) = (island.cells.clone(), self.kinetic_allowed(island, systems));
            if !(energy(&self.cells[range.clone()]) > allowed * (1.0 + 1e-12)) {
                continue;
            }
            // cells hold √m v: the mean velocity is Σ√m (√m v) / Σm
            let slots = &self.islands.slots[range.clone()];
            let rests = slots.iter().any(|&s| s != u32::MAX && grounded[s as usize]);
            let (mut momentum, mut mass) = (F4::ZERO, 0.0);
            for (c, &root) in self.cells[range.clone()]
                .iter()
                .zip(&self.roots[range.clone()])
                .filter(|c| *c.1 > 0.0)
            {
                momentum += c.linear * F4::splat(root.recip());
                mass += root.powi(-2);
            }
            let mean =
                if rests || mass == 0.0 { F4::ZERO } else { momentum * F4::splat(mass.recip()) };
            let common = 0.5 * mass * (mean * mean).sum();
            let (left, gained) = (allowed - common, energy(&self.cells[range.clone()]) - common);
            let part = F4::splat(if left > 0.0 && gained > 0.0 {
                (left / gained).sqrt().min(1.0)
            } else {
                0.0
            });
            let roots = &self.roots[range.clone()];
            for (c, &root) in self.cells[range].iter_mut().zip(roots).filter(|c| *c.1 > 0.0) {
                let own = mean * F4::splat(root.recip());
                c.linear = own + part * (c.linear - own);
                c.angular = part * c.angular;
            }
        }
    }

    /// Whether a gap that was `before` at the start of the step may be what it is now: it changes
    /// by no more than the bodies have moved.
    pub(super) fn is_explained(&self, m: &Brief, before: f64, slack: f64) -> bool {
        before - m.gap <= self.way(m.pair) + slack
    }

    /// How far surfaces of a pair have moved against each other at most in the part of the step at
    /// hand, m.
    pub(super) fn way(&self, pair: [u32; 2]) -> f64 {
        let [a, b] = pair.map(|c| self.moved(c));
        (a.0 - b.0).length() + a.1 + b.1
    }

    /// How a collider has moved since the start of the part of the step at hand: way of the centre
    /// of mass, and how far turning has carried its surface, m.
    fn moved(&self, c: u32) -> (Vec3, f64) {
        let c = &self.colliders[c as usize];
        let (slot, place) = (c.slot as usize, &self.places[c.slot as usize]);
        let (way, turn) = match self.homes[slot] {
            NOWHERE => {
                (self.speeds[slot][0] * self.passed, self.speeds[slot][1].length() * self.passed)
            }
            (s, i) => {
                let (x, q) = self.checkpoints[s as usize].pose(i as usize);
                (place.x - x, 2.0 * (q.conjugate() * place.q).xyz().length())
            }
        };
        (way, if turn == 0.0 { 0.0 } else { turn * c.lever() })
    }
}
