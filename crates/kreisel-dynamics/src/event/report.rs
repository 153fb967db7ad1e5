//! What an event-driven step tells: figures, ledger, contact forces, events.

use super::{Touch, energy};
use crate::contact::{ContactInfo, ContactReport, Contacts};
use crate::model::Model;
use crate::report::{Energy, Event, Ledger, Status, StepReport};
use crate::state::State;
use crate::world::Inputs;
use kreisel_geometry::Pose;
use kreisel_geometry::impact::PairKey;
use kreisel_geometry::query::distance;
use std::sync::Arc;

/// How the step went.
pub(super) struct Done {
    pub stalled: u32,
    /// Slots of bodies whose numbers ceased to be finite.
    pub quarantined: Vec<u32>,
    pub before: Energy,
    /// Work of the user's forces, J.
    pub work: f64,
    pub h: f64,
}

/// Counts and losses.
pub(super) struct Figures {
    pub status: Status,
    pub impacts: u32,
    pub micro: u32,
    pub lost: [f64; 2],
    pub carried: f64,
    pub penetration: f64,
}

/// Makes the report and remembers who touches.
pub(super) fn tell(
    contacts: &mut Contacts,
    model: &Model,
    state: &State,
    inputs: &mut Inputs,
    touches: &[(PairKey, Touch)],
    figures: Figures,
    done: Done,
) -> StepReport {
    let mut report = StepReport {
        time: state.time,
        status: figures.status.clone(),
        substeps: 1,
        ..StepReport::default()
    };
    let touching = touching(contacts, state, touches);
    contacts.events.clear();
    for (pair, t) in touches {
        contacts.events.push(ContactInfo {
            bodies: pair.bodies().map(|i| contacts.id(i)),
            colliders: pair.bodies().map(|i| contacts.surface_of(i)),
            point: t.point,
            normal: t.normal,
            gap: t.gap,
            force: t.impulse / done.h,
            sensor: false,
        });
    }
    report.contact = ContactReport {
        manifolds: touches.len() as u32,
        points: touches.len() as u32,
        impacts: figures.impacts,
        micro: figures.micro,
        stalled: done.stalled,
        penetration: figures.penetration,
        ..ContactReport::default()
    };
    contacts.report = report.contact;
    events(contacts, model, touches, &touching, &mut report);
    for slot in &done.quarantined {
        let body = model
            .bodies
            .iter()
            .find(|b| b.0 == *slot)
            .map_or_else(|| "".into(), |b| b.2.name.clone());
        report.events.push(Event::Quarantined { body });
    }
    contacts.memory =
        crate::contact::ContactMemory { touching, last_h: done.h, ..Default::default() };
    report.ledger = ledger(model, state, inputs, &figures, &done);
    inputs.efforts.clear();
    inputs.impulse_work = 0.0;
    report
}

/// Pairs in touch: those that collided, and sensors with what lies in them.
fn touching(
    contacts: &Contacts,
    state: &State,
    touches: &[(PairKey, Touch)],
) -> Vec<([u32; 2], bool)> {
    let mut list: Vec<([u32; 2], bool)> =
        touches.iter().map(|(p, _)| (p.bodies(), false)).collect();
    let c = &contacts.colliders;
    let pose = |i: usize| -> Pose { c[i].pose(&super::flight::place(state.slot(c[i].slot))) };
    for i in 0..c.len() {
        for j in i + 1..c.len() {
            let sensor = (c[i].sensor || c[j].sensor) && crate::contact::allowed(&c[i], &c[j]);
            if sensor
                && distance(&c[i].shape, &pose(i), &c[j].shape, &pose(j))
                    .is_some_and(|d| d.distance <= 0.0)
            {
                list.push(([i as u32, j as u32], true));
            }
        }
    }
    list.sort_unstable();
    list
}

fn events(
    contacts: &Contacts,
    model: &Model,
    touches: &[(PairKey, Touch)],
    now: &[([u32; 2], bool)],
    report: &mut StepReport,
) {
    let name = |c: u32| -> Arc<str> {
        model.body(contacts.id(c)).map_or_else(|| "".into(), |b| b.name.clone())
    };
    let old = &contacts.memory.touching;
    for &(pair, sensor) in old.iter().filter(|t| now.binary_search_by(|n| n.0.cmp(&t.0)).is_err()) {
        let (bodies, names) = (pair.map(|c| contacts.id(c)), pair.map(name));
        let colliders = pair.map(|c| contacts.surface_of(c));
        report.events.push(Event::ContactEnd { bodies, colliders, names, sensor });
    }
    for &(pair, sensor) in now.iter().filter(|t| old.binary_search_by(|o| o.0.cmp(&t.0)).is_err()) {
        let touch = touches.iter().find(|t| t.0.bodies() == pair).map(|t| t.1).unwrap_or_default();
        report.events.push(Event::ContactBegin {
            bodies: pair.map(|c| contacts.id(c)),
            colliders: pair.map(|c| contacts.surface_of(c)),
            names: pair.map(name),
            point: touch.point,
            normal: touch.normal,
            speed: touch.speed,
            impulse: touch.first,
            sensor,
        });
    }
}

/// Energy now, before, and where the difference went.
fn ledger(model: &Model, state: &State, inputs: &Inputs, figures: &Figures, done: &Done) -> Ledger {
    let mut ledger =
        Ledger { energy: energy(model, state), user: inputs.impulse_work, ..Ledger::default() };
    let mut before = done.before;
    before.kinetic -= inputs.impulse_work;
    ledger.impacts = figures.lost[0];
    ledger.friction = figures.lost[1];
    ledger.change = ledger.energy.total() - before.total();
    ledger.user += done.work;
    ledger.kinematic = figures.carried;
    ledger.residual =
        ledger.change - ledger.user - ledger.kinematic + ledger.friction + ledger.impacts;
    ledger
}
