//! A step of a world with contacts.

use super::Contacts;
use super::report::ContactReport;
use crate::model::Model;
use crate::state::State;
use crate::step::Budget;
use crate::system::System;

/// Energies that contacts took during a step, J.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    pub friction: f64,
    pub impacts: f64,
}

impl Contacts {
    /// Advances all systems by `h`, with contacts. `drift` advances the systems as they are. `fresh` says that nobody has
    /// changed the state since the last step.
    pub fn step(
        &mut self,
        systems: &mut [System],
        model: &Model,
        state: &State,
        h: f64,
        fresh: bool,
        budget: &Budget,
        drift: &mut dyn FnMut(&mut [System], f64, f64),
    ) -> Losses {
        self.report = ContactReport::default();
        self.read(systems, state, 0.0);
        if !fresh || self.memory.valid_h < h * (1.0 - 1e-9) {
            self.detect(h, model.gravity);
        }
        if !self.ready {
            self.set_up(systems);
        }
        let kick = self.kick(systems, state.time, h, &model.settings, budget);
        drift(systems, state.time, h);
        self.read(systems, state, h);
        self.detect(h, model.gravity);
        self.set_up(systems);
        let hold = self.hold(systems, model.gravity.length(), &model.settings);
        self.memory.last_h = h;
        self.sum_up();
        self.note_events(model.settings.contact.touch);
        let friction = kick.friction + hold.friction;
        // what friction did not take was taken by impacts; a gain is an error and stays in the residual
        Losses { friction, impacts: (kick.all + hold.all - friction).max(0.0) }
    }

    fn sum_up(&mut self) {
        let r = &mut self.report;
        r.manifolds = self.memory.manifolds.len() as u32;
        r.islands = self.islands.list.len() as u32;
        for m in self.memory.manifolds.iter().filter(|m| !m.sensor) {
            r.penetration = r.penetration.max(-m.gap());
            r.points += m.points().iter().filter(|p| p.kick + p.hold > 0.0).count() as u32;
        }
    }
}
