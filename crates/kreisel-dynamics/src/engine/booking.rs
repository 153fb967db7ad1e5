//! What a step reports: energies, work and losses, worst joints, loads, and what broke.

use super::Engine;
use crate::body::{BodyId, BodyKind};
use crate::connector::{StandIn, joint_of};
use crate::model::Model;
use crate::report::{Energy, Event, Ledger, Status, StepReport, WorstJoint};
use crate::state::State;
use crate::system::System;
use crate::world::{Inputs, kinetic};

impl Engine {
    /// Force of a constraint whose rows border a factor, mean over the last step.
    pub fn border_force(
        &self,
        model: &Model,
        id: crate::ConstraintId,
    ) -> Option<crate::ConstraintForce> {
        let h = Some(self.last_h).filter(|h| *h > 0.0)?;
        let (multipliers, bodies) = self.systems.iter().find_map(|s| s.border_force(id, h))?;
        let name = |slot: u32| {
            model.bodies.iter().find(|b| b.0 == slot).map(|(i, g, _)| BodyId::new((i, g)))
        };
        let bodies =
            bodies.into_iter().filter_map(|(slot, f, t)| Some((name(slot)?, f, t))).collect();
        Some(crate::ConstraintForce { multipliers, bodies })
    }

    /// Force and torque of a constraint's stand-in on its second side, mean over the last step.
    pub fn stand_in_reaction(
        &self,
        id: crate::ConstraintId,
    ) -> Option<(crate::Reaction, &StandIn)> {
        let stand_in =
            self.stand_ins.iter().find(|s| s.id == joint_of(id)).filter(|_| self.last_h > 0.0)?;
        let mut systems = self.systems.iter();
        let system = systems.find(|s| s.joints.iter().any(|j| j.id == stand_in.id))?;
        Some((system.reaction(stand_in.id, self.last_h), stand_in))
    }

    /// Loss of springs with step-constant force: power at the start times the step.
    pub(super) fn constant_damping(&self, h: f64) -> f64 {
        let power = |s: &System| -> f64 {
            s.springs
                .iter()
                .filter(|p| !p.continuous && p.damping > 0.0)
                .map(|p| s.spring_force(p).loss)
                .sum()
        };
        h * self.systems.iter().map(power).sum::<f64>()
    }

    /// Work of the user's forces: force times way, torque times mean angular velocity.
    pub(super) fn book_user(&self, inputs: &Inputs, state: &State, h: f64, ledger: &mut Ledger) {
        if inputs.efforts.is_empty() {
            return;
        }
        for system in &self.systems {
            for (i, &slot) in system.slots.iter().enumerate() {
                if let Some(&(f, t)) = inputs.efforts.get(slot as usize) {
                    let (a, b) = (state.slot(slot), system.body_state(i));
                    ledger.user += f.dot(b.position - a.position)
                        + 0.5 * h * t.dot(a.angular_velocity + b.angular_velocity);
                }
            }
        }
    }

    pub(super) fn report(
        &self,
        model: &Model,
        state: &State,
        mut ledger: Ledger,
        before: Energy,
        damping: f64,
    ) -> StepReport {
        let mut report = StepReport { time: state.time, ..StepReport::default() };
        let mut worst_ratio = -1.0;
        let mut cut_short = false;
        ledger.damping = damping;
        for system in &self.systems {
            let stats = &system.stats;
            report.substeps = report.substeps.max(stats.substeps);
            report.rejected += stats.rejected;
            report.energy_substeps += stats.energy_substeps;
            report.rounds += stats.rounds;
            report.corrections += stats.corrections;
            report.velocity_rounds += stats.velocity_rounds;
            report.factorizations += stats.factorizations;
            report.dropped += system.factor.dropped;
            report.velocity_error = report.velocity_error.max(stats.velocity_error);
            report.local_error = report.local_error.max(stats.local_error);
            let times = stats.substeps.max(1);
            report.times.factor += stats.factor_time * times;
            report.times.correction += stats.correction_time * times;
            report.times.velocity += stats.velocity_time * times;
            ledger.damping += stats.damping;
            ledger.friction += stats.friction;
            ledger.impacts += stats.impacts;
            ledger.correction += stats.correction;
            ledger.motors += stats.drives;
            ledger.user += stats.controllers;
            ledger.kinematic += stats.kinematic;
            for hit in &stats.hits {
                let (joint, name) = (hit.joint, hit.name.clone());
                report.events.push(Event::LimitHit {
                    joint,
                    name,
                    time: hit.time,
                    speed: hit.speed,
                });
            }
            add_energy(system, &mut ledger.energy);
            if let Some((ratio, node, position, angle)) = system.worst_joint()
                && ratio > worst_ratio
            {
                worst_ratio = ratio;
                let joint = &system.joints[system.nodes[node].joint as usize];
                report.worst =
                    Some(WorstJoint { joint: joint.id, name: joint.name.clone(), position, angle });
            }
            if let Some((ratio, item, position, angle)) = system.worst_border()
                && ratio > worst_ratio
            {
                worst_ratio = ratio;
                let item = &system.border.items[item];
                let (joint, name) = (joint_of(item.id), item.record.name.clone());
                report.worst = Some(WorstJoint { joint, name, position, angle });
            }
            cut_short |= stats.cut_short;
            report.dropped += system.border_dropped() as u32;
            for constraint in &stats.failed {
                report.events.push(Event::NoValue { constraint: constraint.clone() });
            }
            if stats.quarantined {
                report.status = Status::Quarantined;
                let first = model.bodies.iter().find(|b| system.slots.first() == Some(&b.0));
                let body = first.map_or_else(|| "".into(), |b| b.2.name.clone());
                report.events.push(Event::Quarantined { body });
            } else if stats.budget && report.status == Status::Converged {
                report.status = Status::BudgetSpent;
            }
        }
        super::passive::add_stored(model, state, &self.angles, &mut ledger.energy);
        // bodies that were brought to rest are within tolerance, and wrong
        if let Some(stuck) = self.systems.iter().find(|s| s.stats.stood_still) {
            report.status = match report.status {
                Status::Converged | Status::BudgetSpent => Status::NotConverged,
                other => other,
            };
            if report.worst.is_none() {
                report.worst = stuck.joints.first().map(|joint| WorstJoint {
                    joint: joint.id,
                    name: joint.name.clone(),
                    position: 0.0,
                    angle: 0.0,
                });
            }
        }
        // the promise counts, not the way there
        if report.status == Status::BudgetSpent && worst_ratio <= 1.0 && !cut_short {
            report.status = Status::Converged;
        }
        if worst_ratio > 1.0 && report.status == Status::Converged {
            report.status = Status::NotConverged;
        }
        ledger.change = ledger.energy.total() - before.total();
        ledger.residual = ledger.change - ledger.motors - ledger.user - ledger.kinematic
            + ledger.damping
            + ledger.friction
            + ledger.impacts
            + ledger.correction;
        report.ledger = ledger;
        report
    }

    /// Switches off joints whose load is too high; the model's owner learns of it from the report.
    pub(super) fn break_joints(&self, model: &Model, h: f64, report: &mut StepReport) {
        for (i, g, joint) in model.joints.iter() {
            let Some(breaking) = joint.desc.breaking.filter(|_| joint.desc.active) else {
                continue;
            };
            let Some((s, _)) = self.nodes[i as usize] else { continue };
            let reaction =
                self.systems[s as usize].reaction(crate::JointId { index: i, generation: g }, h);
            let (force, torque) = (reaction.force.length(), reaction.torque.length());
            if force > breaking.force || torque > breaking.torque {
                let joint_id = crate::JointId { index: i, generation: g };
                report.events.push(Event::Broken {
                    joint: joint_id,
                    name: joint.name.clone(),
                    force,
                    torque,
                });
            }
        }
    }

    /// Switches off constraints whose load is too high.
    pub(super) fn break_constraints(&self, model: &Model, h: f64, report: &mut StepReport) {
        for (i, g, c) in model
            .constraints
            .iter()
            .filter(|(_, _, c)| c.desc.active && c.desc.breaking.is_finite())
        {
            let constraint = crate::ConstraintId { index: i, generation: g };
            let id = joint_of(constraint);
            if let Some((multipliers, _)) =
                self.systems.iter().find_map(|s| s.border_force(constraint, h))
            {
                let force = multipliers.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                if force > c.desc.breaking {
                    report.events.push(Event::ConstraintBroken {
                        constraint,
                        name: c.name.clone(),
                        force,
                    });
                }
                continue;
            }
            let Some(s) = self.systems.iter().find(|s| s.joints.iter().any(|j| j.id == id)) else {
                continue;
            };
            let force = s.reaction(id, h).force.length();
            if force > c.desc.breaking {
                report.events.push(Event::ConstraintBroken {
                    constraint,
                    name: c.name.clone(),
                    force,
                });
            }
        }
    }
}

pub(crate) fn add_energy(system: &System, energy: &mut Energy) {
    for i in 0..system.slots.len() {
        let (g, l) = (&system.groups[i / 4], i % 4);
        let mass = g.sm.0[l] * g.sm.0[l];
        energy.potential -= mass * system.gravity.dot(crate::system::vec3(&g.x, l));
    }
    energy.kinetic += system.kinetic();
    energy.spring += system.spring_energy();
}

/// Energies straight from the state, for worlds that have not been stepped.
pub(crate) fn energy(model: &Model, state: &State, angles: &[f64]) -> Energy {
    let mut e = Energy::default();
    for (slot, _, b) in model.bodies.iter().filter(|(_, _, b)| b.desc.kind == BodyKind::Dynamic) {
        let s = state.slot(slot);
        e.kinetic += kinetic(b.desc.mass.mass, b.moments, s);
        e.potential -= b.desc.mass.mass * model.gravity.dot(s.position);
    }
    for (_, _, spring) in model.springs.iter() {
        let end = |k: usize| {
            let s = state.slot(spring.desc.bodies[k].index);
            s.position + s.rotation * spring.anchors[k]
        };
        let stretch = end(0).distance(end(1)) - spring.length;
        e.spring += 0.5 * spring.desc.stiffness * stretch * stretch;
    }
    super::passive::add_stored(model, state, angles, &mut e);
    e
}
