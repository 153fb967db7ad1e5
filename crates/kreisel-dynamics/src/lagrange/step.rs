//! The step of a world under the multiplier method, and its report.

use super::element::{Hold, Owner};
use super::evaluate::Evaluator;
use super::integrate::Flow;
use super::points::Place;
use super::settings::{Lagrange, OnSingular};
use crate::clock::Instant;
use crate::connector::{ConstraintKind, PathEnd, Placement};
use crate::constraint::Parts;
use crate::engine::{Engine, energy, pair};
use crate::force::{Command, Control, Target};
use crate::item::ItemId;
use crate::joint::RotationPart;
use crate::math::Vec3;
use crate::model::{JointRecord, Model};
use crate::report::{Event, Ledger, Reaction, Status, StepReport, Worst};
use crate::state::State;
use crate::step::Budget;
use crate::world::Inputs;

impl Engine {
    /// One step of `h` seconds.
    pub(crate) fn lagrange_step(
        &mut self,
        model: &Model,
        state: &mut State,
        inputs: &mut Inputs,
        h: f64,
        start: Instant,
    ) -> StepReport {
        self.lagrange.prepare(model);
        self.lagrange.failed.clear();
        self.lagrange.multipliers.factorizations = 0;
        self.lagrange.multipliers.last_contact.clone_from(&self.lagrange.memory.contact);
        self.lagrange.multipliers.fed.clone_from(&self.lagrange.memory.contact);
        if self.edits != state.edits {
            // poses or velocities were changed from outside: a break in the motion
            self.lagrange.memory.hint = 0.0;
        }
        let mut report = StepReport { time: state.time, ..StepReport::default() };
        let budget = Budget::new(&model.settings, start, &self.interrupt);
        let mut before = energy(model, state, &self.angles);
        before.kinetic -= inputs.impulse_work;
        self.servos(model, state, h);
        self.lagrange_meet(model, state, h);
        let mut machine = std::mem::take(&mut self.lagrange);
        let t = state.time;
        let settings = &model.settings.lagrange;
        let mut work = Evaluator {
            machine: &mut machine,
            model,
            settings,
            inputs,
            angles: &self.angles,
            h,
            longest: f64::INFINITY,
            relax: h,
            evaluations: 0,
            budget,
        };
        let mut y = vec![0.0; work.length()];
        let counted = work.counted();
        work.machine.bodies.load(state, &mut y);
        for k in 0..work.machine.pids.len() {
            let at = counted - 3 * (work.machine.pids.len() - k);
            if let Some(i) = work.machine.memory.integrals.get(&work.machine.pids[k]) {
                y[at..at + 3].copy_from_slice(i);
            }
        }
        let first = y.clone();
        // one look at the start: contradictions are reported, and met as the user wishes, before
        // anything moves
        let mut rates = vec![0.0; y.len()];
        work.rates(t, &y, &mut rates);
        if let Some(s) = work.machine.multipliers.singular.clone() {
            let list: Vec<_> = s.elements.iter().map(|&e| &work.machine.elements[e]).collect();
            let constraints = list.iter().map(|e| e.name.clone()).collect();
            let abort = settings.on_singular == OnSingular::Abort;
            let youngest = list.iter().max_by_key(|e| e.age).filter(|_| abort);
            report.events.push(Event::Overdetermined {
                constraints,
                switched_off: youngest.map(|e| e.name.clone()),
                acceleration: s.contradiction,
            });
            report.status = Status::NotConverged;
            if abort {
                self.lagrange = machine;
                return report;
            }
        }
        // a push knows nothing of constraints: what it gave against them goes, as in an impact
        let mut struck =
            if work.inputs.impulse_work != 0.0 { work.project_velocities(t, &mut y) } else { 0.0 };
        let met = work.met(t, &y);
        struck += work.stay_met(t, &met, &mut y);
        let driven = work.drive(t, &mut y);
        let pushed = y.clone();
        work.relax = work.relaxation();
        work.rates(t, &y, &mut rates);
        let efforts = work.machine.efforts.clone();
        work.longest = work.longest_substep(t, &y);
        work.machine.substeps = (h / work.longest).round().max(1.0);
        let mut done = work.run(t, h, &mut y);
        let damped = Lagrange { on_singular: OnSingular::Damped, ..settings.clone() };
        if !work.plausible(t, h, &efforts, &first, &y) {
            // targets out of reach make the multipliers grow without bound; damping bounds them
            work.settings = &damped;
            y.clone_from(&pushed);
            work.machine.struck.clear();
            done = work.run(t, h, &mut y);
            let constraints = work.machine.elements.iter().map(|e| e.name.clone()).collect();
            report.events.push(Event::Damped { constraints });
            report.status = Status::NotConverged;
            if !work.plausible(t, h, &efforts, &first, &y) {
                y.clone_from(&first);
                for y in y[..13 * work.machine.bodies.moving.len()].chunks_exact_mut(13) {
                    y[7..].fill(0.0);
                }
                report.status = Status::Quarantined;
                let body = work.machine.bodies.moving.first().map(|b| b.slot);
                let name = model
                    .bodies
                    .iter()
                    .find(|b| Some(b.0) == body)
                    .map_or_else(|| "".into(), |b| b.2.name.clone());
                report.events.push(Event::Quarantined { body: name });
            }
        }
        // joints and constraints that were met stay met, whatever the stabiliser; what their
        // displacements gain or lose of potential energy stays unexplained
        let corrected = if report.status == Status::Converged {
            work.hold_met(t + h, &met, &mut y)
        } else {
            0.0
        };
        report.factorizations = work.machine.multipliers.factorizations;
        report.rounds = work.evaluations;
        let sums = &y[counted..];
        let ledger = Ledger {
            user: inputs.impulse_work + sums[0],
            motors: driven + sums[1],
            damping: sums[2],
            friction: sums[3],
            correction: corrected - sums[4],
            impacts: done.impacts + struck,
            kinematic: sums[5] + done.carried,
            ..Ledger::default()
        };
        for k in 0..machine.pids.len() {
            let at = counted - 3 * (machine.pids.len() - k);
            machine.memory.integrals.insert(machine.pids[k], [y[at], y[at + 1], y[at + 2]]);
        }
        machine.keep_thrusts(model, t, h);
        machine.bodies.store(t + h, &y, state);
        // rows of the end, for whoever reads forces
        machine.evaluate_rows(model, &self.angles, t + h);
        for name in &machine.failed {
            report.events.push(Event::NoValue { constraint: name.clone() });
        }
        report.substeps = done.work.steps;
        report.rejected = done.work.rejected;
        if done.work.missed > 0 || done.spent {
            // the shortest steps were not as accurate as wanted, at a singular place of the motion,
            // or time was up
            if report.status == Status::Converged {
                report.status = Status::BudgetSpent;
            }
        }
        report.dropped = machine.multipliers.dropped as u32;
        for hit in &done.hits {
            if let Owner::Joint(joint) = hit.owner
                && let Some(record) = model.joint(joint)
            {
                let (name, time, speed) = (record.name.clone(), hit.time, hit.speed);
                report.events.push(Event::LimitHit { joint, name, time, speed });
            }
        }
        if self.contacts.is_active(model) {
            machine.tell_contacts(&mut self.contacts, &done.hits, h);
            let met = done.hits.iter().filter(|hit| matches!(hit.owner, Owner::Contact(_))).count();
            self.contacts.settle(state, h, model, met as u32);
            self.contacts.tell(model, &mut report);
        }
        machine.memory.contact.clone_from(&machine.multipliers.last_contact);
        self.lagrange = machine;
        self.follow_paths(model, state);
        self.track_angles(model, state, h);
        self.sum_up_servos(model, state, h);
        inputs.efforts.clear();
        inputs.impulse_work = 0.0;
        self.last_h = h;
        self.edits = state.edits;
        report.time = state.time;
        self.finish(model, state, ledger, before.total(), &mut report);
        report.times.total = start.elapsed();
        report
    }

    /// Sampled servos get their efforts for this step, continuous ones what they start from.
    fn servos(&mut self, model: &Model, state: &State, h: f64) {
        self.lagrange.servos.clear();
        (self.lagrange.began, self.lagrange.span, self.lagrange.holds) = (state.time, h, false);
        self.lagrange.commands.clone_from(&self.controllers);
        for (i, _, motor) in model.motors.iter() {
            let Some((value, rate)) = self.motor_coordinate(model, state, i) else { continue };
            if matches!(motor.desc.control, Control::Electric { .. } | Control::Muscle { .. }) {
                self.lagrange.servos.push((i, rate, self.controllers[i as usize].integral));
            }
            let Control::Servo { target, pid, .. } = &motor.desc.control else { continue };
            let memory = self.controllers.get(i as usize);
            let set = Command::new(&motor.desc, memory, state.time);
            let actual = if *target == Target::Position { value } else { rate };
            let error = set.at(state.time) - actual;
            // the derivative part of a velocity servo is an inertia, which no force can be
            let is_inertia = *target == Target::Velocity && pid.derivative_time > 0.0;
            if pid.window.is_none() && !is_inertia {
                self.lagrange.servos.push((i, -error, self.controllers[i as usize].integral));
                continue;
            }
            let targets = [set.at(state.time), set.at(state.time + h)];
            self.sample(i, *target, pid, targets, value, actual, h, motor.desc.max_effort);
            let effort = self.controllers[i as usize].output(pid, error, h, motor.desc.max_effort);
            self.lagrange.motor_efforts[i as usize] = effort;
        }
    }

    /// After a step: errors of continuous servos are summed up unless the effort was at its bound
    /// (anti-windup).
    fn sum_up_servos(&mut self, model: &Model, state: &State, h: f64) {
        for (i, first, _) in std::mem::take(&mut self.lagrange.servos) {
            let Some((_, _, motor)) = model.motors.iter().find(|m| m.0 == i) else { continue };
            let Some((value, rate)) = self.motor_coordinate(model, state, i) else { continue };
            let began = state.time - h;
            let set = Command::new(&motor.desc, self.controllers.get(i as usize), began);
            let u = set.mean(began, state.time);
            if let Control::Muscle { muscle, .. } = &motor.desc.control {
                let active = &mut self.controllers[i as usize].integral;
                *active = muscle.activation(u, *active, h);
            }
            let set_now = set.at(state.time);
            if let Control::Electric { winding, .. } = &motor.desc.control {
                let most = motor.desc.max_effort / winding.constant.abs();
                let current = &mut self.controllers[i as usize].integral;
                *current = winding.current(u, 0.5 * (first + rate), *current, h).clamp(-most, most);
            }
            let Control::Servo { target, pid, .. } = &motor.desc.control else { continue };
            let free = self.lagrange.motor_efforts[i as usize].abs() < motor.desc.max_effort;
            if pid.integral_time.is_finite() && free {
                let actual = if *target == Target::Position { value } else { rate };
                self.controllers[i as usize].sum_up([first, actual - set_now], h);
            }
        }
        self.keep_commands(model, state.time - h, h);
    }

    /// Remembers where constraints are on their curves, and turns those round that have arrived.
    pub(crate) fn follow_paths(&mut self, model: &Model, state: &State) {
        for (slot, _, record) in model.constraints.iter().filter(|(_, _, c)| c.desc.active) {
            let Placement::Points(list) = &record.placed else { continue };
            let memory = self.lagrange.memory.paths.get(&slot).copied().unwrap_or_default();
            let place = Place {
                curves: &model.curves,
                frames: &self.lagrange.bodies.frames,
                t: state.time,
            };
            let points = place.points(record, list, memory);
            let on_curve = |p: &&crate::connector::PlacedPoint| {
                matches!(p, crate::connector::PlacedPoint::Nearest { .. })
            };
            let Some(k) = list.iter().position(|p| on_curve(&p)) else { continue };
            let u = points[k].u;
            let mut memory = crate::lagrange::points::PathMemory { u: Some(u), ..memory };
            if let ConstraintKind::PointToPath { speed, end: PathEnd::Reverse } = record.desc.kind {
                let ahead = speed * memory.direction > 0.0;
                if (ahead && u >= 1.0) || (!ahead && u <= 0.0) {
                    memory.direction = -memory.direction;
                }
            }
            self.lagrange.memory.paths.insert(slot, memory);
        }
    }

    /// A joint's errors, or how far a coordinate is beyond its limits where that is more.
    pub(crate) fn beyond_limits(
        &self,
        joint: &JointRecord,
        slot: u32,
        state: &State,
        gap: f64,
        tilt: f64,
    ) -> (f64, f64) {
        joint.desc.limits.iter().fold((gap, tilt), |(gap, tilt), limit| {
            let value = self.coordinate(joint, slot, limit.coordinate, state);
            let beyond = (limit.min - value).max(value - limit.max);
            if limit.coordinate.unit() == "rad" {
                (gap, tilt.max(beyond))
            } else {
                (gap.max(beyond), tilt)
            }
        })
    }

    /// Energies, the worst joint, broken joints and constraints.
    fn finish(
        &mut self,
        model: &Model,
        state: &State,
        mut ledger: Ledger,
        before: f64,
        report: &mut StepReport,
    ) {
        ledger.energy = energy(model, state, &self.angles);
        ledger.change = ledger.energy.total() - before;
        ledger.residual = ledger.change - ledger.motors - ledger.user - ledger.kinematic
            + ledger.damping
            + ledger.friction
            + ledger.impacts
            + ledger.correction;
        report.ledger = ledger;
        let tolerance = model.settings.tolerance;
        let mut worst_ratio = -1.0;
        for (i, g, joint) in
            model.joints.iter().filter(|(_, _, j)| j.desc.active && !j.desc.velocity_only)
        {
            let (position, angle) = match &joint.guide {
                Some(g) => {
                    (g.guide.foot(&g.stand(|b| crate::engine::pose(b, state))).offset.length(), 0.0)
                }
                None => joint.parts().error(&pair(joint, state)),
            };
            let (position, angle) = self.beyond_limits(joint, i, state, position, angle);
            let ratio = (position / tolerance.position).max(angle / tolerance.angle);
            if ratio > worst_ratio {
                worst_ratio = ratio;
                let item = ItemId::Joint(crate::JointId { index: i, generation: g });
                report.worst = Some(Worst { item, name: joint.name.clone(), position, angle });
            }
            if let Some(b) = joint.desc.breaking {
                let joint_id = crate::JointId { index: i, generation: g };
                let r = self.lagrange_reaction(model, joint_id).unwrap_or_default();
                let (force, torque) = (r.force.length(), r.torque.length());
                if force > b.force || torque > b.torque {
                    report.events.push(Event::Broken {
                        joint: joint_id,
                        name: joint.name.clone(),
                        force,
                        torque,
                    });
                }
            }
        }
        for (e, source) in self.lagrange.elements.iter().zip(&self.lagrange.sources) {
            let Owner::Constraint(id) = e.owner else { continue };
            if e.hold != Hold::Position {
                continue;
            }
            let (position, angle) = self.lagrange.constraint_gap(e, source);
            let ratio = (position / tolerance.position).max(angle / tolerance.angle);
            if ratio > worst_ratio {
                worst_ratio = ratio;
                let item = ItemId::Constraint(id);
                report.worst = Some(Worst { item, name: e.name.clone(), position, angle });
            }
        }
        for (i, g, c) in model
            .constraints
            .iter()
            .filter(|(_, _, c)| c.desc.active && c.desc.breaking.is_finite())
        {
            let id = crate::ConstraintId { index: i, generation: g };
            let force = self.lagrange.load(Owner::Constraint(id));
            if force > c.desc.breaking {
                report.events.push(Event::ConstraintBroken {
                    constraint: id,
                    name: c.name.clone(),
                    force,
                });
            }
        }
    }

    /// Reaction of a joint at the last evaluation.
    pub(crate) fn lagrange_reaction(
        &self,
        model: &Model,
        joint: crate::JointId,
    ) -> Option<Reaction> {
        let record = model.joint(joint)?;
        let slot = record.desc.bodies[1].index;
        let m = &self.lagrange;
        let mut out = Reaction::default();
        if let Some(g) = &record.guide
            && m.bodies.index.get(slot as usize) == Some(&super::bodies::UNMOVED)
        {
            // the point does not move: what its supports feel, reversed
            let mut carriers: Vec<u32> =
                (1..g.guide.places()).map(|k| g.carrier(k).0.index).collect();
            carriers.sort_unstable();
            carriers.dedup();
            let moving = carriers.iter().filter_map(|&s| m.bodies.index.get(s as usize).copied());
            out.force = -moving
                .filter_map(|b| m.force_on(Owner::Joint(joint), b))
                .map(|f| f.0)
                .sum::<Vec3>();
            return Some(out);
        }
        let second = m.bodies.index.get(slot as usize).copied()?;
        // a second body that does not move has no rows: the first one's reaction, reversed
        let (slot, body, sign) = if second == super::bodies::UNMOVED {
            let slot = record.desc.bodies[0].index;
            (slot, m.bodies.index.get(slot as usize).copied()?, -1.0)
        } else {
            (slot, second, 1.0)
        };
        let (force, torque) = m.force_on(Owner::Joint(joint), body)?;
        let anchor = {
            let f = &m.bodies.frames[record.desc.bodies[1].index as usize];
            f.x + f.r * record.frames[1].origin
        };
        let arm = anchor - m.bodies.frames[slot as usize].x;
        out.force = force * sign;
        out.torque = (torque - arm.cross(force)) * sign;
        Some(out)
    }
}

impl super::machine::Machine {
    /// Gap (m) and misalignment (rad) of a constraint at the evaluated rows; what a formula
    /// measures counts as a gap.
    fn constraint_gap(
        &self,
        e: &super::element::Element,
        source: &super::machine::Source,
    ) -> (f64, f64) {
        self.split(e, source, &self.rows.c)
    }

    /// Size of an element's rows of places and of its rows of angles, among `values` of all rows.
    pub(super) fn split(
        &self,
        e: &super::element::Element,
        source: &super::machine::Source,
        values: &[f64],
    ) -> (f64, f64) {
        let rows = &values[e.row0..e.row0 + e.rows];
        let norm = |rows: &[f64]| rows.iter().map(|c| c * c).sum::<f64>().sqrt();
        match source {
            super::machine::Source::Pair { parts, mask, .. } => {
                let position = Parts { rotation: RotationPart::Free, ..*parts }.rows_len();
                let first = (mask & ((1 << position) - 1)).count_ones() as usize;
                (norm(&rows[..first]), norm(&rows[first..]))
            }
            _ => (norm(rows), 0.0),
        }
    }

    /// Effort of a motor at the last evaluation.
    pub(crate) fn motor_effort(&self, slot: u32) -> Option<f64> {
        let own = |s: &super::machine::Source| s.role() == Some(super::machine::Role::Drive(slot));
        let drive = self.elements.iter().zip(&self.sources).find(|(_, s)| own(s));
        match drive {
            Some((e, _)) => self.multipliers.lambda.get(e.row0).copied(),
            None => self.motor_efforts.get(slot as usize).copied(),
        }
    }

    /// Force and torque about the centre of mass of an owner's elements on a moving body.
    pub(crate) fn force_on(&self, owner: Owner, body: u32) -> Option<(Vec3, Vec3)> {
        if self.multipliers.lambda.len() != self.rows.c.len() {
            return None;
        }
        let inertia = self.bodies.moving.get(body as usize)?;
        let f = &self.bodies.frames[inertia.slot as usize];
        let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        for e in self.elements.iter().filter(|e| e.owner == owner) {
            let Some(k) = e.bodies.iter().position(|&b| b == body) else { continue };
            let block = e.block(self.rows.forces(e), k);
            for i in 0..e.rows {
                let lambda = self.multipliers.lambda[e.row0 + i];
                let row = &block[6 * i..6 * i + 6];
                for j in 0..3 {
                    force[j] += row[j] / inertia.ism * lambda;
                }
                let local = Vec3::from_slice(&row[3..]);
                let unscaled =
                    Vec3::select(inertia.isi.cmpgt(Vec3::ZERO), local / inertia.isi, Vec3::ZERO);
                torque += f.r * unscaled * lambda;
            }
        }
        Some((force, torque))
    }
}

impl crate::world::World {
    /// Switches off contradictory constraints one by one until the step can be made (W-73).
    pub(crate) fn settle_contradictions(&mut self, h: f64, report: &mut StepReport) {
        let mut events = Vec::new();
        while let Some(name) = report.events.iter().find_map(|e| match e {
            Event::Overdetermined { switched_off: Some(name), .. } => Some(name.clone()),
            _ => None,
        }) {
            let off = match self.model.names.get(&name) {
                Some(ItemId::Joint(id)) => self.set_joint_active(*id, false),
                Some(ItemId::Constraint(id)) => self.set_constraint_active(*id, false),
                _ => return,
            };
            events.append(&mut report.events);
            if off.is_err() {
                break;
            }
            *report = self.engine.step(&self.model, &mut self.state, &mut self.inputs, h);
        }
        if !events.is_empty() {
            events.append(&mut report.events);
            report.events = events;
            report.status = Status::NotConverged;
        }
    }
}
