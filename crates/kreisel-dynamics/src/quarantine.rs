//! The last guard against NaN and infinity: every state that a step returns is finite.
//!
//! Chains check themselves (`step::advance`), and most faults end there. What gets past them
//! (contacts, multipliers, forces beyond the range of numbers) is caught here: bodies that are not
//! finite stand where the step began, without velocity, and everything that was derived or
//! remembered is forgotten, because it may be poisoned too.

use crate::connector::ConstraintKind;
use crate::engine::{Engine, energy};
use crate::force::ControllerKind;
use crate::math::Vec3;
use crate::model::Model;
use crate::plugin::Plugin;
use crate::report::{Event, Ledger, Status, StepReport};
use crate::state::{BodyState, State};
use crate::world::Inputs;

impl Engine {
    /// One step, after which every number of the state is finite.
    pub fn step(
        &mut self,
        model: &Model,
        state: &mut State,
        inputs: &mut Inputs,
        h: f64,
    ) -> StepReport {
        let mut kept = std::mem::take(&mut self.kept);
        kept.clone_from(&state.bodies);
        self.kept = kept;
        let mut angles = std::mem::take(&mut self.kept_angles);
        angles.clone_from(&self.angles);
        if !self.is_fresh(state) {
            self.watch.changed();
        }
        let time = (state.time, state.time_lost);
        let mut report = self.step_as_it_comes(model, state, inputs, h);
        let kept = std::mem::take(&mut self.kept);
        let failed = self.plugin_failures(model);
        if self.interrupt.is_set() || !failed.is_empty() {
            (state.time, state.time_lost) = time;
            self.give_up(model, state, &kept, &angles, &mut report);
            if !failed.is_empty() {
                report.status = Status::Refused;
                report.events = failed;
            }
        } else if !state.bodies.iter().all(BodyState::is_finite) {
            self.quarantine(model, state, &kept, &mut report);
        }
        self.judge(model, state, &kept, h, &mut report);
        (self.kept, self.kept_angles) = (kept, angles);
        report
    }

    /// Laws that are written outside and could not answer in this step.
    fn plugin_failures(&self, model: &Model) -> Vec<Event> {
        let controllers = model.controllers.iter().filter_map(|(_, _, c)| match &c.desc.kind {
            ControllerKind::Plugin(plugin) => Some((c.name.clone(), plugin.take_failure()?)),
            _ => None,
        });
        // rows are asked for by the multiplier method and by the border of the factor, which has
        // copies of its own
        let bordered = self.systems.iter().flat_map(|s| &s.border.items).map(|i| &i.record);
        let records = model.constraints.iter().map(|c| c.2).chain(bordered);
        let constraints = records.filter_map(|c| match &c.desc.kind {
            ConstraintKind::Plugin(plugin) => Some((c.name.clone(), plugin.take_failure()?)),
            _ => None,
        });
        let law = Some(&model.settings.contact.plugin).filter(|p| p.law().is_some());
        let contact = law.and_then(Plugin::take_failure).map(|m| ("contact".into(), m));
        let all = controllers.chain(constraints).chain(contact);
        all.map(|(name, message)| Event::PluginFailed { name, message }).collect()
    }

    /// The step is given up: the world stands where it began.
    fn give_up(
        &mut self,
        model: &Model,
        state: &mut State,
        kept: &[BodyState],
        angles: &[f64],
        report: &mut StepReport,
    ) {
        let time = state.time;
        state.bodies.clone_from_slice(kept);
        self.forget();
        self.prepare(model, state);
        // counted turns belong to the poses of the start
        for (angle, &old) in self.angles.iter_mut().zip(angles) {
            *angle = old;
        }
        self.restored(state);
        *report = StepReport { time, status: Status::Interrupted, ..StepReport::default() };
        report.ledger.energy = energy(model, state, &self.angles);
    }

    fn quarantine(
        &mut self,
        model: &Model,
        state: &mut State,
        kept: &[BodyState],
        report: &mut StepReport,
    ) {
        for (slot, _, record) in model.bodies.iter() {
            let body = &mut state.bodies[slot as usize];
            if !body.is_finite() {
                *body = BodyState {
                    velocity: Vec3::ZERO,
                    angular_velocity: Vec3::ZERO,
                    ..kept[slot as usize]
                };
                report.events.push(Event::Quarantined { body: record.name.clone() });
            }
        }
        self.forget();
        self.prepare(model, state);
        self.restored(state);
        report.status = Status::Quarantined;
        report.worst = None;
        report.ledger = Ledger { energy: energy(model, state, &self.angles), ..Ledger::default() };
    }
}
