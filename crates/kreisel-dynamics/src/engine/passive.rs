//! Springs, dampers and rotors of joints: their energies, their efforts, and where their laws
//! start.

use super::Engine;
use super::coordinates::{coordinate_rate, counted};
use crate::constraint::coordinate::Measure;
use crate::joint::{Coordinate, Passive};
use crate::model::{JointRecord, Model};
use crate::report::Energy;
use crate::settings::Method;
use crate::state::State;
use crate::step::law::Law;
use crate::system::{BoundKind, NONE};

impl Engine {
    /// Before a step: laws start from the counted coordinates of their joints.
    pub(super) fn place_laws(&mut self, model: &Model, state: &State) {
        for s in self.systems.iter_mut().filter(|s| s.lawful) {
            let (nodes, joints) = (&s.nodes, &s.joints);
            for b in s.bounds.iter_mut().filter(|b| matches!(b.kind, BoundKind::Law(_))) {
                let Some(joint) = joints.get(nodes[b.node as usize].joint as usize) else {
                    continue;
                };
                let Some(record) = model.joint(joint.id) else { continue };
                let Measure::Of(coordinate) = b.measure else { continue };
                b.start = counted(record, joint.id.index, coordinate, state, &self.angles);
            }
        }
    }

    /// Effort of a joint's spring, damper and rotor on a coordinate, mean over the last step, N or
    /// N m.
    pub(crate) fn passive_effort(
        &self,
        model: &Model,
        state: &State,
        id: crate::JointId,
        c: Coordinate,
    ) -> Option<f64> {
        let joint = model.joint(id)?;
        let of = joint
            .desc
            .passive
            .iter()
            .find(|p| p.coordinate == c && p.acts() && joint.desc.active)?;
        if model.settings.method == Method::Lagrange {
            let value = self.coordinate(joint, id.index, c, state);
            return Some(of.effort(value, coordinate_rate(joint, c, state)));
        }
        let h = Some(self.last_h).filter(|h| *h > 0.0)?;
        self.systems.iter().find_map(|s| {
            let is = |b: &&crate::system::Bound| {
                let of_joint = s
                    .joints
                    .get(s.nodes[b.node as usize].joint as usize)
                    .is_some_and(|j| j.id == id);
                of_joint
                    && b.measure == Measure::Of(c)
                    && matches!(&b.kind, BoundKind::Law(l) if l.has_passive())
            };
            let b = s.bounds.iter().find(is)?;
            let row = s.nodes[b.node as usize].row0 as usize + usize::from(b.row);
            let servo = match &b.kind {
                BoundKind::Law(Law { account, .. }) if *account != NONE => {
                    s.total[*account as usize]
                }
                _ => 0.0,
            };
            Some((s.total[row] - servo) / h)
        })
    }
}

impl Passive {
    /// Effort of spring and damper at a coordinate and its rate, N or N m.
    pub(crate) fn effort(&self, value: f64, rate: f64) -> f64 {
        -self.stiffness * (value - self.rest) - self.damping * rate
    }
}

/// Springs, dampers and rotors that act, with their joints.
pub(crate) fn passives(model: &Model) -> impl Iterator<Item = (u32, &JointRecord, &Passive)> {
    let active = model.joints.iter().filter(|(_, _, j)| j.desc.active);
    active.flat_map(|(i, _, j)| j.desc.passive.iter().filter(|p| p.acts()).map(move |p| (i, j, p)))
}

/// Adds what the springs and rotors of joints store.
pub(super) fn add_stored(model: &Model, state: &State, angles: &[f64], energy: &mut Energy) {
    for (slot, joint, p) in passives(model) {
        let e = counted(joint, slot, p.coordinate, state, angles) - p.rest;
        let rate = coordinate_rate(joint, p.coordinate, state);
        energy.spring += 0.5 * p.stiffness * e * e;
        energy.kinetic += 0.5 * p.inertia() * rate * rate;
    }
}
