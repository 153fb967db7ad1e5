//! The step of a whole world: forces, then every independent chain by itself, then the report.

use crate::body::{BodyId, BodyKind};
use crate::connector::{STAND_IN, StandIn, aim, bordering, joint_of, stand_ins};
use crate::constraint::{Pair, Pose, Row, coordinate};
use crate::contact::{Args, ContactMode, Contacts, Losses};
use crate::force::{Control, PidMemory, Target};
use crate::joint::{Coordinate, RotationPart};
use crate::math::{Mat3, Vec3, rotation};
use crate::model::{JointRecord, Model};
use crate::report::{Energy, Event, Ledger, Status, StepReport, WorstJoint};
use crate::state::{BodyState, State};
use crate::step::Budget;
use crate::system::rows::follow;
use crate::system::{Actuator, BoundKind, Profile, System, build};
use crate::world::{Inputs, kinetic};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Everything that is derived from model and state, and the memories that outlive a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Engine {
    /// Revision of the model that the systems were built for.
    built: Option<u64>,
    pub systems: Vec<System>,
    /// System and node of each joint, by slot.
    pub nodes: Vec<Option<(u32, u32)>>,
    /// Counted angles of joints with an axis, by slot.
    pub angles: Vec<f64>,
    /// Controllers, by slot of their motor.
    pub controllers: Vec<PidMemory>,
    /// Generations of the joints and motors that angles and controllers belong to, by slot.
    generations: [Vec<u32>; 2],
    /// Scratch: slots and coordinates of the motors that do work in this step.
    motor_starts: Vec<(u32, f64)>,
    /// Efforts of motors in the last step, by slot.
    pub efforts: Vec<f64>,
    /// Duration of the last step, s.
    pub last_h: f64,
    /// Edits of the state that the cached factors know of.
    pub edits: u64,
    /// The multiplier method's own view of the world.
    pub lagrange: crate::lagrange::Machine,
    /// Joints that stand in for constraints between connectors.
    stand_ins: Vec<StandIn>,
    pool: Option<Arc<rayon::ThreadPool>>,
    /// Collisions and contacts.
    pub contacts: Contacts,
    /// Scratch: the state before the step.
    pub(crate) kept: Vec<BodyState>,
}

impl Engine {
    /// Builds the systems anew when the model has changed. Memories of joints that stay are kept.
    pub fn prepare(&mut self, model: &Model, state: &State) {
        if self.built == Some(model.revision) {
            return;
        }
        let old = std::mem::take(&mut self.systems);
        let old_nodes = std::mem::take(&mut self.nodes);
        let border = if model.settings.method == crate::Method::Lagrange {
            self.stand_ins.clear();
            Vec::new()
        } else {
            self.stand_ins = stand_ins(model);
            bordering(model)
        };
        self.systems = build::build(model, &self.stand_ins, &border);
        self.nodes = vec![None; model.joints.slots()];
        for (s, system) in self.systems.iter_mut().enumerate() {
            for k in 0..system.nodes.len() {
                let node = &system.nodes[k];
                let Some(joint) = system.joints.get(node.joint as usize) else { continue };
                let slot = joint.id.index as usize;
                if self.nodes.get(slot) == Some(&None) {
                    self.nodes[slot] = Some((s as u32, k as u32));
                    keep_memory(system, k, slot, &old, &old_nodes);
                }
            }
        }
        for system in &mut self.systems {
            keep_border(system, &old);
        }
        self.angles.resize(model.joints.slots(), 0.0);
        self.controllers.resize(model.motors.slots(), PidMemory::default());
        self.forget_removed(model);
        self.efforts.resize(model.motors.slots(), 0.0);
        self.built = Some(model.revision);
        self.contacts.prepare(model, &self.systems);
        self.track_angles(model, state);
        let threads = model.settings.threads;
        if self.pool.as_ref().map_or(1, |p| p.current_num_threads()) != threads {
            self.pool = (threads != 1)
                .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok().map(Arc::new))
                .flatten();
        }
    }

    /// Joints and motors in slots that were used before start without the past of their predecessors.
    fn forget_removed(&mut self, model: &Model) {
        let [joints, motors] = &mut self.generations;
        joints.resize(model.joints.slots(), 0);
        motors.resize(model.motors.slots(), 0);
        for (i, g, _) in model.joints.iter().filter(|&(i, g, _)| joints[i as usize] != g).collect::<Vec<_>>() {
            (joints[i as usize], self.angles[i as usize]) = (g, 0.0);
        }
        for (i, g, _) in model.motors.iter().filter(|&(i, g, _)| motors[i as usize] != g).collect::<Vec<_>>() {
            motors[i as usize] = g;
            self.controllers[i as usize] = PidMemory::default();
        }
    }

    /// Drops all that was derived from model and state, and all memories.
    pub(crate) fn forget(&mut self) {
        self.built = None;
        self.systems.clear();
        self.nodes.clear();
        self.contacts = Contacts::default();
        self.lagrange = crate::lagrange::Machine::default();
        self.controllers.fill(PidMemory::default());
        self.efforts.fill(0.0);
        self.angles.fill(0.0);
    }

    /// Whether the state was changed from outside since the last step.
    pub fn is_fresh(&self, state: &State) -> bool {
        self.edits == state.edits
    }

    /// The state was replaced by a snapshot that the memories belong to.
    pub fn restored(&mut self, state: &State) {
        self.edits = state.edits;
    }

    /// A step whose result may not be finite.
    pub(crate) fn step_as_it_comes(
        &mut self,
        model: &Model,
        state: &mut State,
        inputs: &mut Inputs,
        h: f64,
    ) -> StepReport {
        let start = Instant::now();
        if !(h > 0.0 && h.is_finite()) {
            return StepReport { time: state.time, status: Status::Refused, ..StepReport::default() };
        }
        self.prepare(model, state);
        if model.settings.method != crate::Method::Lagrange || model.settings.contact.mode == ContactMode::Event {
            self.outer_forces(model, state, inputs, h);
        }
        if model.settings.contact.mode == ContactMode::Event {
            self.last_h = h;
            let mut report = crate::event::step(&mut self.contacts, model, state, inputs, h);
            self.edits = state.edits;
            report.times.total = start.elapsed();
            return report;
        }
        self.contacts.events.clear();
        if model.settings.method == crate::Method::Lagrange {
            return self.lagrange_step(model, state, inputs, h, start);
        }
        let fresh = self.edits == state.edits;
        let mut before = Energy::default();
        for system in &mut self.systems {
            system.factored &= fresh;
            system.settled &= fresh;
            system.gravity = model.gravity;
            system.import(state);
            system.clear_forces();
            system.add_springs(false);
            add_energy(system, &mut before);
        }
        self.aim(model, state, h);
        let constant_damping = self.constant_damping(h);
        let mut ledger = Ledger { user: inputs.impulse_work, ..Ledger::default() };
        // impulses since the last step belong to this one
        before.kinetic -= inputs.impulse_work;
        let mut motor_starts = std::mem::take(&mut self.motor_starts);
        self.motors(model, state, h, &mut motor_starts);
        self.user_forces(inputs);
        for system in &mut self.systems {
            system.keep_constant_forces();
        }
        let forces = start.elapsed();

        let budget = Budget::new(&model.settings, start);
        let settings = &model.settings;
        let pool = &self.pool;
        let mut drift = |systems: &mut [System], now: f64, h: f64| match pool {
            Some(pool) if systems.len() > 1 => {
                pool.install(|| systems.par_iter_mut().for_each(|s| s.advance(now, h, settings, &budget)));
            }
            _ => systems.iter_mut().for_each(|s| s.advance(now, h, settings, &budget)),
        };
        let mut losses = Losses::default();
        if self.contacts.is_active(model) {
            let mut args = Args { systems: &mut self.systems, model, state, budget: &budget, drift: &mut drift };
            let contacts = &mut self.contacts;
            contacts.threads = pool.is_some();
            losses = match pool {
                Some(pool) => pool.install(|| contacts.step(&mut args, h, fresh)),
                None => contacts.step(&mut args, h, fresh),
            };
            contacts.threads = false;
        } else {
            drift(&mut self.systems, state.time, h);
        }
        ledger.friction += losses.friction;
        ledger.impacts += losses.impacts;

        self.book_user(inputs, state, h, &mut ledger);
        self.export(model, state, h);
        self.track_angles(model, state);
        for &(i, start) in &motor_starts {
            let moved = self.motor_coordinate(model, state, i).map_or(0.0, |q| q.0 - start);
            ledger.motors += self.efforts[i as usize] * moved;
        }
        if !self.stand_ins.is_empty() || self.systems.iter().any(|s| !s.border.is_empty()) {
            self.lagrange.stand(model, state);
            self.follow_paths(model, state);
        }
        self.motor_starts = motor_starts;
        inputs.efforts.clear();
        inputs.impulse_work = 0.0;
        self.last_h = h;
        self.edits = state.edits;
        let mut report = self.report(model, state, ledger, before, constant_damping);
        if self.contacts.is_active(model) {
            self.contacts.tell(model, &mut report);
        }
        self.break_joints(model, h, &mut report);
        self.break_constraints(model, h, &mut report);
        report.times.forces = forces;
        report.times.total = start.elapsed();
        report
    }

    /// Adds controllers and fields to the user's forces.
    fn outer_forces(&mut self, model: &Model, state: &State, inputs: &mut Inputs, h: f64) {
        if model.controllers.iter().next().is_none() && model.fields.iter().next().is_none() {
            return;
        }
        let outer = self.lagrange.outer_forces(model, state, h);
        inputs.efforts.resize(state.bodies.len(), (Vec3::ZERO, Vec3::ZERO));
        for (sum, e) in inputs.efforts.iter_mut().zip(outer) {
            *sum = (sum.0 + e.0, sum.1 + e.1);
        }
    }

    /// Targets of constraints that move.
    fn aim(&mut self, model: &Model, state: &State, h: f64) {
        if self.systems.iter().flat_map(|s| &s.others).any(|o| o.slot >= STAND_IN) {
            self.lagrange.stand(model, state);
            aim(&self.lagrange, model, state, h, &mut self.systems);
        }
        for item in self.systems.iter_mut().flat_map(|s| &mut s.border.items) {
            item.path = self.lagrange.memory.paths.get(&item.id.index).copied().unwrap_or_default();
        }
    }

    /// Force of a constraint whose rows border a factor, mean over the last step.
    pub fn border_force(&self, model: &Model, id: crate::ConstraintId) -> Option<crate::ConstraintForce> {
        let h = Some(self.last_h).filter(|h| *h > 0.0)?;
        let (multipliers, bodies) = self.systems.iter().find_map(|s| s.border_force(id, h))?;
        let name = |slot: u32| model.bodies.iter().find(|b| b.0 == slot).map(|(i, g, _)| BodyId::new((i, g)));
        let bodies = bodies.into_iter().filter_map(|(slot, f, t)| Some((name(slot)?, f, t))).collect();
        Some(crate::ConstraintForce { multipliers, bodies })
    }

    /// Force and torque of a constraint's stand-in on its second side, mean over the last step.
    pub fn stand_in_reaction(&self, id: crate::ConstraintId) -> Option<(crate::Reaction, &StandIn)> {
        let stand_in = self.stand_ins.iter().find(|s| s.id == joint_of(id)).filter(|_| self.last_h > 0.0)?;
        let mut systems = self.systems.iter();
        let system = systems.find(|s| s.joints.iter().any(|j| j.id == stand_in.id))?;
        Some((system.reaction(stand_in.id, self.last_h), stand_in))
    }

    /// Switches off constraints whose load is too high.
    fn break_constraints(&self, model: &Model, h: f64, report: &mut StepReport) {
        for (i, g, c) in model.constraints.iter().filter(|(_, _, c)| c.desc.active && c.desc.breaking.is_finite()) {
            let constraint = crate::ConstraintId { index: i, generation: g };
            let id = joint_of(constraint);
            if let Some((multipliers, _)) = self.systems.iter().find_map(|s| s.border_force(constraint, h)) {
                let force = multipliers.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                if force > c.desc.breaking {
                    report.events.push(Event::ConstraintBroken { constraint, name: c.name.clone(), force });
                }
                continue;
            }
            let Some(s) = self.systems.iter().find(|s| s.joints.iter().any(|j| j.id == id)) else { continue };
            let force = s.reaction(id, h).force.length();
            if force > c.desc.breaking {
                report.events.push(Event::ConstraintBroken { constraint, name: c.name.clone(), force });
            }
        }
    }

    /// Loss of springs with step-constant force: power at the start times the step.
    fn constant_damping(&self, h: f64) -> f64 {
        let power = |s: &System| -> f64 {
            s.springs.iter().filter(|p| !p.continuous && p.damping > 0.0).map(|p| s.spring_force(p).loss).sum()
        };
        h * self.systems.iter().map(power).sum::<f64>()
    }

    /// Efforts of motors; `starts` gets the coordinates of those that do work.
    fn motors(&mut self, model: &Model, state: &State, h: f64, starts: &mut Vec<(u32, f64)>) {
        starts.clear();
        for (i, _, motor) in model.motors.iter() {
            let slot = i as usize;
            self.efforts[slot] = 0.0;
            let max = motor.desc.max_effort;
            if let Control::Velocity(schedule) = &motor.desc.control {
                let ends = [schedule.at(state.time), schedule.at(state.time + h)];
                let course = Profile::new(state.time, h, ends, schedule.mean(state.time, state.time + h));
                for bound in self.systems.iter_mut().flat_map(|s| &mut s.bounds) {
                    if let BoundKind::Drive { motor, profile, effort, .. } = &mut bound.kind
                        && *motor == i
                    {
                        (*profile, *effort) = (course, max);
                    }
                }
                continue;
            }
            let Some((value, rate)) = self.motor_coordinate(model, state, i) else { continue };
            let effort = match &motor.desc.control {
                Control::Effort(schedule) => schedule.at(state.time + 0.5 * h).clamp(-max, max),
                Control::Servo { target, set, pid } => {
                    let actual = if *target == Target::Position { value } else { rate };
                    self.controllers[slot].output(pid, set.at(state.time) - actual, h, max)
                }
                Control::Velocity(_) => continue,
            };
            self.efforts[slot] = effort;
            starts.push((i, value));
            if let Some((s, node)) = self.nodes[motor.desc.joint.index as usize] {
                let coordinate = motor.desc.coordinate;
                self.systems[s as usize].actuators.push(Actuator { node, coordinate, effort });
            }
        }
    }

    /// Coordinate and rate that motor `i` drives.
    pub fn motor_coordinate(&self, model: &Model, state: &State, i: u32) -> Option<(f64, f64)> {
        let (_, _, motor) = model.motors.iter().find(|m| m.0 == i)?;
        let joint = model.joint(motor.desc.joint)?;
        joint.desc.active.then(|| {
            let value = self.coordinate(joint, motor.desc.joint.index, motor.desc.coordinate, state);
            (value, coordinate_rate(joint, motor.desc.coordinate, state))
        })
    }

    /// Value of a joint's coordinate, angles counted.
    pub fn coordinate(&self, joint: &JointRecord, slot: u32, c: Coordinate, state: &State) -> f64 {
        let value = coordinate_value(joint, c, state);
        follow(value, self.angles.get(slot as usize).copied().unwrap_or(0.0), c)
    }

    fn user_forces(&mut self, inputs: &Inputs) {
        if inputs.efforts.is_empty() {
            return;
        }
        for system in &mut self.systems {
            for i in 0..system.slots.len() {
                let slot = system.slots[i] as usize;
                if let Some(&(f, t)) = inputs.efforts.get(slot).filter(|e| **e != (Vec3::ZERO, Vec3::ZERO)) {
                    system.add_effort(i, f, t);
                }
            }
        }
    }

    /// Work of the user's forces: force times way, torque times mean angular velocity.
    fn book_user(&self, inputs: &Inputs, state: &State, h: f64, ledger: &mut Ledger) {
        if inputs.efforts.is_empty() {
            return;
        }
        for system in &self.systems {
            for (i, &slot) in system.slots.iter().enumerate() {
                if let Some(&(f, t)) = inputs.efforts.get(slot as usize) {
                    let (a, b) = (state.slot(slot), system.body_state(i));
                    ledger.user +=
                        f.dot(b.position - a.position) + 0.5 * h * t.dot(a.angular_velocity + b.angular_velocity);
                }
            }
        }
    }

    /// Writes the state back and moves kinematic bodies on.
    fn export(&mut self, model: &Model, state: &mut State, h: f64) {
        for system in &self.systems {
            for (i, &slot) in system.slots.iter().enumerate() {
                // sleepers keep their poses bit by bit
                if !self.contacts.has_slept(slot) {
                    state.bodies[slot as usize] = system.body_state(i);
                }
            }
        }
        for (slot, _, body) in model.bodies.iter() {
            if body.desc.kind == BodyKind::Kinematic {
                let s = &mut state.bodies[slot as usize];
                s.position += s.velocity * h;
                s.rotation = (rotation(s.angular_velocity * h) * s.rotation).normalize();
            }
        }
        state.advance_time(h);
    }

    pub fn track_angles(&mut self, model: &Model, state: &State) {
        for (i, _, joint) in model.joints.iter() {
            let counted = joint.desc.kind.parts().1 == RotationPart::Axis
                || joint.desc.limits.iter().any(|l| l.coordinate == Coordinate::Angle);
            if counted {
                let value = coordinate::value(&pair(joint, state), Coordinate::Angle);
                let angle = &mut self.angles[i as usize];
                *angle = follow(value, *angle, Coordinate::Angle);
            }
        }
    }

    fn report(&self, model: &Model, state: &State, mut ledger: Ledger, before: Energy, damping: f64) -> StepReport {
        let mut report = StepReport { time: state.time, ..StepReport::default() };
        let mut worst_ratio = -1.0;
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
            ledger.kinematic += stats.kinematic;
            for hit in &stats.hits {
                let (joint, name) = (hit.joint, hit.name.clone());
                report.events.push(Event::LimitHit { joint, name, time: hit.time, speed: hit.speed });
            }
            add_energy(system, &mut ledger.energy);
            if let Some((ratio, node, position, angle)) = system.worst_joint()
                && ratio > worst_ratio
            {
                worst_ratio = ratio;
                let joint = &system.joints[system.nodes[node].joint as usize];
                report.worst = Some(WorstJoint { joint: joint.id, name: joint.name.clone(), position, angle });
            }
            if let Some((ratio, item, position, angle)) = system.worst_border()
                && ratio > worst_ratio
            {
                worst_ratio = ratio;
                let item = &system.border.items[item];
                let (joint, name) = (joint_of(item.id), item.record.name.clone());
                report.worst = Some(WorstJoint { joint, name, position, angle });
            }
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
        // the promise counts, not the way there
        if report.status == Status::BudgetSpent && worst_ratio <= 1.0 {
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
    fn break_joints(&self, model: &Model, h: f64, report: &mut StepReport) {
        for (i, g, joint) in model.joints.iter() {
            let Some(breaking) = joint.desc.breaking.filter(|_| joint.desc.active) else { continue };
            let Some((s, _)) = self.nodes[i as usize] else { continue };
            let reaction = self.systems[s as usize].reaction(crate::JointId { index: i, generation: g }, h);
            let (force, torque) = (reaction.force.length(), reaction.torque.length());
            if force > breaking.force || torque > breaking.torque {
                let joint_id = crate::JointId { index: i, generation: g };
                report.events.push(Event::Broken { joint: joint_id, name: joint.name.clone(), force, torque });
            }
        }
    }
}

/// Where a body is in the world's state.
pub(crate) fn pose(body: BodyId, state: &State) -> Pose {
    let s = state.slot(body.index);
    Pose { x: s.position, r: Mat3::from_quat(s.rotation) }
}

/// The vectors of a joint for the world's state.
pub(crate) fn pair(joint: &JointRecord, state: &State) -> Pair {
    let [a, b] = joint.desc.bodies.map(|id| pose(id, state));
    Pair::new(&joint.frames, a, b)
}

/// Value of a joint's coordinate; angles in −π..=π.
pub(crate) fn coordinate_value(joint: &JointRecord, c: Coordinate, state: &State) -> f64 {
    match &joint.guide {
        Some(g) => g.guide.coordinate(&g.stand(|b| pose(b, state)), None),
        None => coordinate::value(&pair(joint, state), c),
    }
}

/// The same for a stand-in, one side of which may be a target that the state does not hold.
pub(crate) fn pair_of(joint: &JointRecord, state: &State) -> Pair {
    if joint.desc.bodies.iter().all(|b| b.index < STAND_IN) {
        return pair(joint, state);
    }
    let pose = |k: usize| {
        let b = joint.desc.bodies[k];
        let s = if b.index < STAND_IN { *state.slot(b.index) } else { BodyState::default() };
        Pose { x: s.position, r: Mat3::from_quat(s.rotation) }
    };
    // a target is where the other side's anchor is: the arm of the side that moves is what counts
    let mut pair = Pair::new(&joint.frames, pose(0), pose(1));
    pair.d = Vec3::ZERO;
    pair
}

/// Rate of a joint's coordinate.
pub(crate) fn coordinate_rate(joint: &JointRecord, c: Coordinate, state: &State) -> f64 {
    if let Some(g) = &joint.guide {
        let places = g.stand(|b| pose(b, state));
        let (e, weights) = (g.guide.along(&places, None), g.guide.foot(&places).weights);
        let velocity = |k: usize| {
            let s = state.slot(g.carrier(k).0.index);
            s.velocity + s.angular_velocity.cross(places[k] - s.position)
        };
        let carried: Vec3 = (1..g.guide.places()).map(|k| velocity(k) * weights[k - 1]).sum();
        return e.dot(velocity(0) - carried);
    }
    let [a, b] = joint.desc.bodies.map(|id| state.slot(id.index));
    rate(&coordinate::row(&pair(joint, state), c), a, b)
}

/// Rate of a coordinate from its row.
pub(crate) fn rate(row: &Row, a: &BodyState, b: &BodyState) -> f64 {
    row.n.dot(b.velocity - a.velocity) + row.a[0].dot(a.angular_velocity) + row.a[1].dot(b.angular_velocity)
}

fn add_energy(system: &System, energy: &mut Energy) {
    for i in 0..system.slots.len() {
        let (g, l) = (&system.groups[i / 4], i % 4);
        let mass = g.sm.0[l] * g.sm.0[l];
        energy.potential -= mass * system.gravity.dot(crate::system::vec3(&g.x, l));
    }
    energy.kinetic += system.kinetic();
    energy.spring += system.spring_energy();
}

/// Energies straight from the state, for worlds that have not been stepped.
pub(crate) fn energy(model: &Model, state: &State) -> Energy {
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
    e
}

/// Carries warm start and bound states of a joint over from the systems before an edit.
fn keep_memory(system: &mut System, k: usize, slot: usize, old: &[System], old_nodes: &[Option<(u32, u32)>]) {
    let Some(&Some((s, n))) = old_nodes.get(slot) else { return };
    let (from, was) = (&old[s as usize], &old[s as usize].nodes[n as usize]);
    let node = &system.nodes[k];
    let same = from.joints[was.joint as usize].id == system.joints[node.joint as usize].id;
    if !same || was.rows != node.rows || was.hard != node.hard {
        return;
    }
    let (to_row, from_row) = (node.row0 as usize, was.row0 as usize);
    for i in 0..usize::from(node.rows) {
        system.memory.mu[to_row + i] = from.memory.mu[from_row + i];
    }
    for (i, b) in (node.bounds.0..node.bounds.1).zip(was.bounds.0..was.bounds.1) {
        let b = &from.bounds[b as usize];
        let to = &mut system.bounds[i as usize];
        (to.state, to.start, to.end) = (b.state, b.start, b.end);
    }
    let (m, f) = (&mut system.memory, &from.memory);
    (m.last_h, m.next_h, m.next_energy_h) = (f.last_h, f.next_h, f.next_energy_h);
    (m.energy_mode, m.taut) = (f.energy_mode, f.taut);
}

/// Carries the impulses and states of constraints around the factor over from the systems before an edit.
fn keep_border(system: &mut System, old: &[System]) {
    for k in 0..system.border.items.len() {
        let item = &system.border.items[k];
        let found = old.iter().find_map(|s| Some((s, s.border.items.iter().find(|i| i.id == item.id)?)));
        let Some((from, was)) = found.filter(|(_, was)| was.rows == item.rows && was.record.desc == item.record.desc)
        else {
            continue;
        };
        let (to_row, from_row) = (system.factor.rows() + item.row0, from.factor.rows() + was.row0);
        let (row0, rows) = (item.row0, item.rows);
        system.memory.half.resize(system.border.rows.len(), 0.0);
        for i in 0..rows {
            system.memory.mu[to_row + i] = from.memory.mu[from_row + i];
            system.memory.half[row0 + i] = from.memory.half.get(was.row0 + i).copied().unwrap_or(0.0);
            system.border.rows[row0 + i].state = from.border.rows[was.row0 + i].state;
        }
        if system.nodes.is_empty() {
            (system.memory.last_h, system.memory.next_h) = (from.memory.last_h, from.memory.next_h);
        }
    }
}
