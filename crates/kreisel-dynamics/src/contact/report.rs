//! What contacts tell: figures of the step, contact forces, events.

use super::Contacts;
use crate::body::BodyId;
use crate::collider::ColliderId;
use crate::math::Vec3;
use crate::model::Model;
use crate::report::{Event, Status, StepReport};
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
    /// Islands that were solved layer by layer after their sweeps (shock propagation).
    pub shocks: u32,
    /// Bodies that sleep.
    pub asleep: u32,
    /// Impacts: points that met faster than resting contacts do.
    pub impacts: u32,
    /// Mode "event": micro-collisions.
    pub micro: u32,
    /// Mode "event": bodies whose time stood still for a part of the step, because the limit of
    /// events was reached.
    pub stalled: u32,
    /// Times that the step was made again or cut because of contacts.
    pub repeats: u32,
    /// Pairs that overlapped too deeply for contact at the start of the step and were drawn apart.
    pub drawn: u32,
    /// How often a step was cut in halves because making it again left bodies too deep in each
    /// other.
    pub cuts: u32,
}

/// A contact region as it stands after the last step.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactInfo {
    /// The bodies.
    pub bodies: [BodyId; 2],
    /// Which of their colliders touch; `None` is a body's own shape.
    pub colliders: [Option<ColliderId>; 2],
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

/// Friction above which a body that slides tip-down can jam, so that impulses feed it energy.
const JAMMING: f64 = 1.0;

impl Contacts {
    /// Whether a pair with so much friction that it may jam pushes.
    pub(crate) fn may_jam(&self) -> bool {
        let rough = self.table.iter().any(|s| s.sliding > JAMMING);
        rough
            && self
                .memory
                .manifolds
                .iter()
                .any(|m| m.pushed() > 0.0 && self.surface(m.pair).sliding > JAMMING)
    }

    pub(crate) fn id(&self, collider: u32) -> BodyId {
        BodyId {
            index: self.colliders[collider as usize].slot,
            generation: self.generations[collider as usize],
        }
    }

    /// Which surface of its body a collider is; `None` is the body's own shape.
    pub(crate) fn surface_of(&self, collider: u32) -> Option<ColliderId> {
        self.colliders[collider as usize].own
    }

    /// All regions.
    pub fn infos(&self) -> impl Iterator<Item = ContactInfo> + '_ {
        let h = self.memory.last_h;
        self.events.iter().cloned().chain(self.memory.manifolds.iter().map(move |m| {
            let at = self.places.get(self.colliders[m.pair[0] as usize].slot as usize);
            let force = if h > 0.0 { (m.normal * m.pushed() + m.dragged) / h } else { Vec3::ZERO };
            let shares = m.shares();
            let local: Vec3 = m.points().map(|k| m.anchors(k)[0] * shares.0[k]).sum();
            ContactInfo {
                bodies: m.pair.map(|c| self.id(c)),
                colliders: m.pair.map(|c| self.surface_of(c)),
                point: at.map_or(Vec3::ZERO, |p| p.x + p.r * local),
                normal: m.normal,
                gap: m.gap(),
                force,
                sensor: m.sensor,
            }
        }))
    }

    /// Figures of the step, and the pairs that touch.
    pub(super) fn sum_up(&mut self, touch: f64) {
        self.report.manifolds = self.memory.manifolds.len() as u32;
        self.report.islands = self.islands.list.len() as u32;
        self.touched.clear();
        // both lists are sorted by pair
        let mut old = self.memory.touching.iter().peekable();
        for m in &self.memory.manifolds {
            while old.next_if(|t| t.0 < m.pair).is_some() {}
            let was = old.peek().is_some_and(|t| t.0 == m.pair);
            // a pair that touches parts only when it is clearly apart
            let gap = m.gap();
            let now = if m.sensor {
                gap <= 0.0
            } else {
                self.report.penetration = self.report.penetration.max(-gap);
                self.report.points +=
                    m.points().filter(|&k| m.kick.0[k] + m.hold.0[k] > 0.0).count() as u32;
                m.pushed() > 0.0 || gap <= if was { touch } else { 0.0 }
            };
            if now && self.touched.last().is_none_or(|t| t.0 != m.pair) {
                self.touched.push((m.pair, m.sensor));
            }
        }
    }

    /// Adds events to the report and remembers who touches.
    pub fn tell(&mut self, model: &Model, report: &mut StepReport) {
        report.contact = self.report;
        if self.spent && report.status == Status::Converged {
            report.status = Status::BudgetSpent;
        }
        report.times.detection = self.detection;
        let name = |c: u32| -> Arc<str> {
            model.body(self.id(c)).map_or_else(|| "".into(), |b| b.name.clone())
        };
        let (old, new) = (&self.memory.touching, &self.touched);
        for (pair, sensor) in only(old, new) {
            let bodies = pair.map(|c| self.id(c));
            let colliders = pair.map(|c| self.surface_of(c));
            let names = pair.map(name);
            report.events.push(Event::ContactEnd { bodies, colliders, names, sensor });
        }
        for (pair, sensor) in only(new, old) {
            let first = self.memory.manifolds.partition_point(|m| m.pair < pair);
            let Some(m) = self.memory.manifolds.get(first).filter(|m| m.pair == pair) else {
                continue;
            };
            let place = &self.places[self.colliders[pair[0] as usize].slot as usize];
            let middle: Vec3 =
                m.points().map(|k| m.anchors(k)[0]).sum::<Vec3>() / f64::from(m.count.max(1));
            report.events.push(Event::ContactBegin {
                bodies: pair.map(|c| self.id(c)),
                colliders: pair.map(|c| self.surface_of(c)),
                names: pair.map(name),
                point: place.x + place.r * middle,
                normal: m.normal,
                speed: m.points().fold(0.0, |s: f64, k| s.max(-m.approach.0[k])),
                impulse: m.pushed(),
                sensor,
            });
        }
        std::mem::swap(&mut self.memory.touching, &mut self.touched);
    }
}

/// Entries of one sorted list that the other does not have.
fn only<'a>(
    list: &'a [([u32; 2], bool)],
    other: &'a [([u32; 2], bool)],
) -> impl Iterator<Item = ([u32; 2], bool)> + 'a {
    let mut rest = other.iter().peekable();
    list.iter().copied().filter(move |t| {
        while rest.next_if(|o| o.0 < t.0).is_some() {}
        rest.peek().is_none_or(|o| o.0 != t.0)
    })
}
