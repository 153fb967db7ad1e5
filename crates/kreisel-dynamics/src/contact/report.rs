//! What contacts tell: figures of the step, contact forces, events.

use super::Contacts;
use crate::body::BodyId;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::{Event, StepReport};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Figures of contact in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactReport {
    /// Contact regions that are watched.
    pub manifolds: u32,
    /// Points that push.
    pub points: u32,
    /// Groups of bodies that were solved together.
    pub islands: u32,
    /// Sweeps of the position solve, of the island that needed most.
    pub sweeps: u32,
    /// Sweeps of the velocity solve, of the island that needed most.
    pub velocity_sweeps: u32,
    /// What the position solve has left, m.
    pub residual: f64,
    /// Deepest overlap at the end of the step, m.
    pub penetration: f64,
    /// Impacts: points that met faster than resting contacts do.
    pub impacts: u32,
    /// Mode "event": micro-collisions.
    pub micro: u32,
    /// Mode "event": bodies whose time stood still for a part of the step, because the limit of events was reached.
    pub stalled: u32,
    /// Times that the step was made again or cut because of contacts.
    pub repeats: u32,
}

/// A contact region as it stands after the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactInfo {
    /// The bodies.
    pub bodies: [BodyId; 2],
    /// Centre of pressure, world coordinates, m.
    pub point: Vec3,
    /// Unit normal from the second to the first body.
    pub normal: Vec3,
    /// Smallest gap, m; negative for an overlap.
    pub gap: f64,
    /// Force on the first body, mean over the last step, N: normal part and friction.
    pub force: Vec3,
    /// Whether one of the bodies is a sensor.
    pub sensor: bool,
}

impl Contacts {
    pub(crate) fn id(&self, collider: u32) -> BodyId {
        BodyId { index: self.colliders[collider as usize].slot, generation: self.generations[collider as usize] }
    }

    /// All regions.
    pub fn infos(&self) -> impl Iterator<Item = ContactInfo> + '_ {
        let h = self.memory.last_h;
        self.events.iter().cloned().chain(self.memory.manifolds.iter().map(move |m| {
            let at = self.places.get(self.colliders[m.pair[0] as usize].slot as usize);
            let force = if h > 0.0 { (m.normal * m.pushed() + m.dragged) / h } else { Vec3::ZERO };
            let load = m.pushed();
            let mean = |k: usize| {
                let p = &m.points[k];
                if load > 0.0 { (p.kick + p.hold) / load } else { 1.0 / f64::from(m.count.max(1)) }
            };
            let local: Vec3 = (0..m.count as usize).map(|k| m.points[k].a * mean(k)).sum();
            ContactInfo {
                bodies: m.pair.map(|c| self.id(c)),
                point: at.map_or(Vec3::ZERO, |p| p.x + p.r * local),
                normal: m.normal,
                gap: m.gap(),
                force,
                sensor: m.sensor,
            }
        }))
    }

    /// Compares the pairs that touch with those of the last step.
    pub(super) fn note_events(&mut self, touch: f64) {
        self.touched.clear();
        for m in &self.memory.manifolds {
            let was = self.memory.touching.binary_search_by(|t| t.0.cmp(&m.pair)).is_ok();
            // a pair that touches parts only when it is clearly apart
            let gap = m.gap();
            let now = if m.sensor { gap <= 0.0 } else { m.pushed() > 0.0 || gap <= if was { touch } else { 0.0 } };
            if now && self.touched.last().is_none_or(|t| t.0 != m.pair) {
                self.touched.push((m.pair, m.sensor));
            }
        }
    }

    /// Adds events to the report and remembers who touches.
    pub fn tell(&mut self, model: &Model, report: &mut StepReport) {
        report.contact = self.report;
        let name = |c: u32| -> Arc<str> { model.body(self.id(c)).map_or_else(|| "".into(), |b| b.name.clone()) };
        let (old, new) = (&self.memory.touching, &self.touched);
        for &(pair, sensor) in old.iter().filter(|t| new.binary_search_by(|n| n.0.cmp(&t.0)).is_err()) {
            let bodies = pair.map(|c| self.id(c));
            report.events.push(Event::ContactEnd { bodies, names: pair.map(name), sensor });
        }
        for &(pair, sensor) in new.iter().filter(|t| old.binary_search_by(|o| o.0.cmp(&t.0)).is_err()) {
            let Some(k) = self.memory.manifolds.iter().position(|m| m.pair == pair) else { continue };
            let m = &self.memory.manifolds[k];
            let place = &self.places[self.colliders[pair[0] as usize].slot as usize];
            let middle: Vec3 = m.points().iter().map(|p| p.a).sum::<Vec3>() / f64::from(m.count.max(1));
            report.events.push(Event::ContactBegin {
                bodies: pair.map(|c| self.id(c)),
                names: pair.map(name),
                point: place.x + place.r * middle,
                normal: m.normal,
                speed: m.points().iter().fold(0.0, |s: f64, p| s.max(-p.approach)),
                impulse: m.pushed(),
                sensor,
            });
        }
        std::mem::swap(&mut self.memory.touching, &mut self.touched);
    }
}
