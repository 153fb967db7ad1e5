//! The step of a whole world: forces, then every independent chain by itself, then the report.

mod booking;
mod coordinates;
mod inherit;
mod passive;

pub(crate) use booking::{add_energy, energy};
pub(crate) use coordinates::{coordinate_rate, counted, pair, pair_of, pose, rate};
use inherit::{keep_border, keep_memory};
pub(crate) use passive::passives;

use crate::awake::awake;
use crate::body::BodyKind;
use crate::clock::Instant;
use crate::connector::{STAND_IN, StandIn, aim, as_rows, bordering, control, remember, stand_ins};
use crate::constraint::coupling::CoupledSide;
use crate::contact::{Args, ContactMode, Contacts, Losses};
use crate::force::{Command, Control, Pid, PidMemory, Target};
use crate::math::{Vec3, rotation};
use crate::model::Model;
use crate::report::{Energy, Event, Ledger, Status, StepReport};
use crate::state::{BodyState, State};
use crate::step::Budget;
use crate::system::{Actuator, BoundKind, Profile, System, build};
use crate::verdict::{Sample, proportional};
use crate::world::Inputs;
use rayon::prelude::*;
use std::sync::Arc;

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
    /// What the verdict on energy remembers.
    pub watch: crate::verdict::Watch,
    /// What holds its force over a step, in a sentence, and the revision that it belongs to.
    pub held_note: Option<(u64, Option<Arc<str>>)>,
    /// Scratch: servos' parts in the step.
    pub(crate) samples: Vec<Sample>,
    /// Gives up a running step.
    pub interrupt: crate::Interrupt,
    /// Scratch: the state before the step.
    pub(crate) kept: Vec<BodyState>,
    pub(crate) kept_angles: Vec<f64>,
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
            self.lagrange.as_rows.clear();
            Vec::new()
        } else {
            self.stand_ins = stand_ins(model);
            self.lagrange.as_rows = as_rows(model);
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
        self.track_angles(model, state, 0.0);
        let threads = model.settings.threads;
        if self.pool.as_ref().map_or(1, |p| p.current_num_threads()) != threads {
            self.pool = (threads != 1)
                .then(|| {
                    rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok().map(Arc::new)
                })
                .flatten();
        }
    }

    /// Joints and motors in slots that were used before start without the past of their
    /// predecessors.
    fn forget_removed(&mut self, model: &Model) {
        let [joints, motors] = &mut self.generations;
        joints.resize(model.joints.slots(), 0);
        motors.resize(model.motors.slots(), 0);
        for (i, g, _) in
            model.joints.iter().filter(|&(i, g, _)| joints[i as usize] != g).collect::<Vec<_>>()
        {
            (joints[i as usize], self.angles[i as usize]) = (g, 0.0);
        }
        for (i, g, _) in
            model.motors.iter().filter(|&(i, g, _)| motors[i as usize] != g).collect::<Vec<_>>()
        {
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
            return StepReport {
                time: state.time,
                status: Status::Refused,
                ..StepReport::default()
            };
        }
        self.prepare(model, state);
        self.samples.clear();
        let by_impulses = model.settings.method != crate::Method::Lagrange;
        let outer = if by_impulses || model.settings.contact.mode == ContactMode::Event {
            self.outer_forces(model, state, inputs, h)
        } else {
            None
        };
        let began = outer.as_ref().map(|_| state.bodies.clone());
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
        passive::add_stored(model, state, &self.angles, &mut before);
        self.place_laws(model, state);
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

        let budget = Budget::new(&model.settings, start, &self.interrupt);
        let settings = &model.settings;
        let pool = &self.pool;
        let mut drift = |systems: &mut [System], now: f64, h: f64| match pool {
            Some(pool) if systems.len() > 1 => {
                pool.install(|| {
                    systems.par_iter_mut().for_each(|s| s.advance(now, h, settings, &budget))
                });
            }
            _ => systems.iter_mut().for_each(|s| s.advance(now, h, settings, &budget)),
        };
        let mut losses = Losses::default();
        if self.contacts.is_active(model) {
            let mut args = Args {
                systems: &mut self.systems,
                model,
                state,
                budget: &budget,
                drift: &mut drift,
            };
            let contacts = &mut self.contacts;
            contacts.threads = pool.is_some();
            losses = match pool {
                Some(pool) => pool.install(|| awake(|| contacts.step(&mut args, h, fresh))),
                None => contacts.step(&mut args, h, fresh),
            };
            contacts.threads = false;
        } else {
            drift(&mut self.systems, state.time, h);
        }
        ledger.friction += losses.friction;
        ledger.impacts += losses.impacts;
        ledger.correction -= losses.lifted;
        ledger.kinematic += losses.carried;

        self.keep_laws();
        self.keep_commands(model, state.time, h);
        self.book_user(inputs, state, h, &mut ledger);
        self.export(model, state, h);
        self.track_angles(model, state, h);
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
        if let (Some(outer), Some(began)) = (outer, began) {
            let jumped = report.contact.impacts > 0
                || report.events.iter().any(|e| matches!(e, Event::LimitHit { .. }));
            if jumped {
                self.lagrange.forget_others();
            } else {
                self.lagrange.note_others(&began, state, &outer, h);
            }
        }
        report.times.forces = forces;
        report.times.total = start.elapsed();
        report
    }

    /// Adds controllers and fields to the user's forces; returns what was added, by slot, if there
    /// are any.
    fn outer_forces(
        &mut self,
        model: &Model,
        state: &State,
        inputs: &mut Inputs,
        h: f64,
    ) -> Option<Vec<(Vec3, Vec3)>> {
        if model.controllers.iter().next().is_none() && model.fields.iter().next().is_none() {
            return None;
        }
        let smooth = self.edits == state.edits && inputs.impulse_work == 0.0;
        let outer = self.lagrange.outer_forces(model, state, h, smooth);
        inputs.efforts.resize(state.bodies.len(), (Vec3::ZERO, Vec3::ZERO));
        for (sum, e) in inputs.efforts.iter_mut().zip(&outer) {
            *sum = (sum.0 + e.0, sum.1 + e.1);
        }
        Some(outer)
    }

    /// Targets of constraints and controllers that move, and the gains of controllers.
    fn aim(&mut self, model: &Model, state: &State, h: f64) {
        if self.systems.iter().flat_map(|s| &s.others).any(|o| o.slot >= STAND_IN) {
            self.lagrange.stand(model, state);
            aim(&self.lagrange, model, state, h, &mut self.systems);
        }
        if !self.lagrange.as_rows.is_empty() {
            control(&self.lagrange, model, state, h, &mut self.systems);
        }
        for item in self.systems.iter_mut().flat_map(|s| &mut s.border.items) {
            item.path = self.lagrange.memory.paths.get(&item.id.index).copied().unwrap_or_default();
            let angle = |s: &CoupledSide| self.angles.get(s.joint as usize).copied().unwrap_or(0.0);
            item.angles = item.record.sides().map(angle).collect();
        }
    }

    /// Efforts of motors; `starts` gets the coordinates of those that do work.
    fn motors(&mut self, model: &Model, state: &State, h: f64, starts: &mut Vec<(u32, f64)>) {
        starts.clear();
        for (i, _, motor) in model.motors.iter() {
            let slot = i as usize;
            self.efforts[slot] = 0.0;
            let max = motor.desc.max_effort;
            let command = Command::new(&motor.desc, self.controllers.get(slot), state.time);
            if motor.desc.control.holds_rate() {
                let mean = command.mean(state.time, state.time + h);
                let ends = [command.at(state.time), command.at(state.time + h)];
                let of = |told: f64| motor.desc.control.rate_of(told);
                let course = Profile::new(state.time, h, ends.map(of), of(mean));
                let max = max.min(motor.desc.control.strength_of(mean));
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
            let is_law = match &motor.desc.control {
                Control::Servo { pid, .. } => pid.window.is_none(),
                Control::Electric { .. } | Control::Muscle { .. } | Control::Damper(_) => true,
                _ => false,
            };
            let sum = self.controllers[slot].integral;
            let start = (state.time, h, sum, rate);
            if is_law && aim_law(&mut self.systems, i, &command, start) {
                continue;
            }
            let effort = match &motor.desc.control {
                Control::Effort(_) => command.at(state.time + 0.5 * h).clamp(-max, max),
                Control::Servo { target, pid, .. } => {
                    let actual = if *target == Target::Position { value } else { rate };
                    let targets = [command.at(state.time), command.at(state.time + h)];
                    self.sample(i, *target, pid, targets, value, actual, h, max);
                    self.controllers[slot].output(pid, targets[0] - actual, h, max)
                }
                // where its joint has no row for it the current of the step's start holds, by which
                // it is as good as a servo that is sampled
                Control::Electric { winding, .. } => {
                    let u = command.mean(state.time, state.time + h);
                    let memory = &mut self.controllers[slot];
                    let [damping, push] = winding.damper(u, memory.integral, h);
                    memory.integral = winding.current(u, rate, memory.integral, h);
                    (push - damping * rate).clamp(-max, max)
                }
                Control::Muscle { muscle, .. } => {
                    let u = command.mean(state.time, state.time + h);
                    let memory = &mut self.controllers[slot];
                    let active = muscle.activation(u, memory.integral, 0.5 * h);
                    memory.integral = muscle.activation(u, memory.integral, h);
                    muscle.effort(value, rate, active).clamp(-max, max)
                }
                Control::Damper(_) => (-command.at(state.time) * rate).clamp(-max, max),
                Control::Velocity(_) | Control::Hydraulic { .. } => continue,
            };
            self.efforts[slot] = effort;
            starts.push((i, value));
            if let Some((s, node)) = self.nodes[motor.desc.joint.index as usize] {
                let coordinate = motor.desc.coordinate;
                self.systems[s as usize].actuators.push(Actuator { node, coordinate, effort });
            }
        }
    }

    /// After a step of `h` from `began`: where commands that lag have come to.
    pub(crate) fn keep_commands(&mut self, model: &Model, began: f64, h: f64) {
        for (i, _, motor) in model.motors.iter().filter(|(_, _, m)| m.desc.lag > 0.0) {
            let slot = i as usize;
            let command = Command::new(&motor.desc, self.controllers.get(slot), began);
            let then = command.at(began + h);
            if let Some(memory) = self.controllers.get_mut(slot) {
                memory.command = Some(then);
            }
        }
    }

    /// Remembers what continuous servos have summed up.
    fn keep_laws(&mut self) {
        for b in self.systems.iter().flat_map(|s| &s.bounds) {
            if let BoundKind::Law(law) = &b.kind
                && let Some(memory) = self.controllers.get_mut(law.motor as usize)
            {
                memory.integral = law.integral;
            }
        }
        if !self.lagrange.as_rows.is_empty() {
            remember(&mut self.lagrange, &mut self.systems);
        }
    }

    /// Notes a servo's part in the step, for the verdict.
    pub(crate) fn sample(
        &mut self,
        motor: u32,
        target: Target,
        pid: &Pid,
        set: [f64; 2],
        start: f64,
        actual: f64,
        h: f64,
        max: f64,
    ) {
        let last = self.controllers[motor as usize].last();
        let effort = proportional(pid, set[0] - actual, last, h, max);
        self.samples.push(Sample { motor, start, set, effort, gain: pid.gain, max, target });
    }

    fn user_forces(&mut self, inputs: &Inputs) {
        if inputs.efforts.is_empty() {
            return;
        }
        for system in &mut self.systems {
            for i in 0..system.slots.len() {
                let slot = system.slots[i] as usize;
                if let Some(&(f, t)) =
                    inputs.efforts.get(slot).filter(|e| **e != (Vec3::ZERO, Vec3::ZERO))
                {
                    system.add_effort(i, f, t);
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
}

/// Gives a continuous motor its command, what it has summed up, and its rate for a step from a
/// time on; false where its joint has no row for it.
fn aim_law(
    systems: &mut [System],
    motor: u32,
    command: &Command<'_>,
    (now, h, sum, rate): (f64, f64, f64, f64),
) -> bool {
    for b in systems.iter_mut().flat_map(|s| &mut s.bounds) {
        if let BoundKind::Law(law) = &mut b.kind
            && law.motor == motor
        {
            law.aim(command, now, h);
            (law.integral, law.pace) = (sum, rate);
            return true;
        }
    }
    false
}
