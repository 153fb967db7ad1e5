//! What programs that own a session do with it: they keep their own past, and add items by the text
//! of a scene.

use super::history::{Document, Start};
use super::{Session, alive};
use kreisel_dynamics::{Interrupt, StepReport};
use kreisel_scene::{Scene, SceneError, Simulation, extend};
use std::sync::Arc;

/// A session at one time: the model with its state, and what goes along with it.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    document: Document,
    report: StepReport,
    residual: f64,
    steps: u64,
}

impl Session {
    /// The same, without stored states and undo: going back is the owner's business, by
    /// [checkpoints](Self::checkpoint).
    pub fn without_past(mut self) -> Self {
        self.past = false;
        self.history.clear(&self.document);
        self
    }

    /// Another session that stands where this one stands, with its own flag to give up steps.
    pub fn fork(&self) -> Self {
        let mut other =
            Self::new(self.document.scene.as_ref().clone()).with_files(&self.files).without_past();
        other.budget = self.budget;
        other.restore(&self.checkpoint());
        other
    }

    /// The session as it stands.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            document: self.document.clone(),
            report: self.report.clone(),
            residual: self.residual,
            steps: self.steps,
        }
    }

    /// Goes back to a checkpoint of this session or of one that it was forked from, with all that
    /// existed then; hands let go.
    pub fn restore(&mut self, checkpoint: &Checkpoint) {
        self.document = checkpoint.document.clone();
        self.report = checkpoint.report.clone();
        (self.residual, self.steps) = (checkpoint.residual, checkpoint.steps);
        self.let_go();
        self.alive = alive(&self.document.sim.world);
        self.changed();
    }

    /// The flag that gives up the step which is being made.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// The running simulation, for changes that are no edits: forces of the coming step, the step
    /// size, the values of motors.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.document.sim
    }

    /// Adds the items of a scene's text to what exists, as they would stand in the scene itself, at
    /// the present poses of bodies.
    pub fn extend(&mut self, name: &str, text: &str) -> Result<(), SceneError> {
        let old = self.as_scene();
        let new = extend(&old, name, text, &self.files)?;
        self.follow(&old, new);
        Ok(())
    }

    /// Goes on as a scene that has more items than the present one.
    pub(super) fn follow(&mut self, old: &Scene, new: Scene) {
        let before = self.document.clone();
        let d = &mut self.document;
        d.sim.follow(old, &new);
        d.scene = Arc::new(new);
        // what is added before the first step belongs to the start
        if self.steps == 0 {
            d.start = Start::new(Arc::clone(&d.scene));
        }
        super::edit::settle(self, "", before);
        self.alive = alive(&self.document.sim.world);
    }
}
