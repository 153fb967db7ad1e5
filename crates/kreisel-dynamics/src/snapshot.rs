//! Snapshots: plain state, with the memories that make the future the same.

use crate::contact::ContactMemory;
use crate::error::ModelError;
use crate::force::PidMemory;
use crate::state::State;
use crate::system::Memory;
use crate::world::{Inputs, World};
use serde::{Deserialize, Serialize};

/// The state of a world at one time. A world that is restored from it goes on with the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    revision: u64,
    pub(crate) state: State,
    memories: Vec<(Memory, bool)>,
    pub(crate) controllers: Vec<PidMemory>,
    pub(crate) angles: Vec<f64>,
    pub(crate) inputs: Inputs,
    pub(crate) contacts: ContactMemory,
    #[serde(default)]
    pub(crate) lagrange: crate::lagrange::LagrangeMemory,
    #[serde(default)]
    watch: crate::verdict::Watch,
    #[serde(default)]
    pub(crate) sensors: Vec<crate::sensor::SensorMemory>,
}

impl Snapshot {
    /// The same snapshot as one of another state of the model.
    pub(crate) fn of_revision(&self, revision: u64) -> Self {
        Self { revision, ..self.clone() }
    }

    /// Why a world does not take it.
    pub(crate) fn foreign(&self, world: &World) -> ModelError {
        ModelError::ForeignSnapshot {
            snapshot: self.state.bodies.len(),
            world: world.state.bodies.len(),
            revision: self.revision,
        }
    }

    /// Whether its numbers can come from a world: finite, times not negative, rotations of length
    /// one.
    fn is_sound(&self) -> bool {
        // Steps keep rotations normalised to rounding; this only tells them from noise.
        const UNIT: f64 = 1e-6;
        let state = &self.state;
        let bodies = state
            .bodies
            .iter()
            .all(|b| b.is_finite() && (b.rotation.length_squared() - 1.0).abs() < UNIT);
        let memory = |m: &Memory| {
            [m.last_h, m.next_h, m.next_energy_h, m.taut].into_iter().all(|t| t >= 0.0)
                && m.mu.iter().chain(m.bounds.iter().map(|b| &b.1)).all(|x| x.is_finite())
        };
        let inputs = self.inputs.efforts.iter().all(|(f, t)| f.is_finite() && t.is_finite());
        bodies
            && state.time.is_finite()
            && state.time_lost.is_finite()
            && self.memories.iter().all(|(m, _)| memory(m))
            && self.controllers.iter().all(PidMemory::is_finite)
            && self.angles.iter().all(|x| x.is_finite())
            && inputs
            && self.inputs.impulse_work.is_finite()
            && self.lagrange.is_finite()
    }
}

impl World {
    /// Takes a snapshot.
    pub fn snapshot(&mut self) -> Snapshot {
        self.engine.prepare(&self.model, &self.state);
        // poses changed from outside are measured anew before the next step, here and after
        // restoring
        let fresh = self.engine.is_fresh(&self.state);
        for system in &mut self.engine.systems {
            system.remember_bounds();
        }
        Snapshot {
            revision: self.model.revision,
            state: self.state.clone(),
            memories: self
                .engine
                .systems
                .iter()
                .map(|s| (s.memory.clone(), s.settled && fresh))
                .collect(),
            controllers: self.engine.controllers.clone(),
            angles: self.engine.angles.clone(),
            inputs: self.inputs.clone(),
            contacts: self.engine.contacts.memory(fresh),
            lagrange: self.engine.lagrange.memory.clone(),
            watch: self.engine.watch.clone(),
            sensors: self.sensors.clone(),
        }
    }

    /// Goes back to a snapshot of this world. The model must be the one it was taken from; a
    /// snapshot whose numbers cannot come from a world (a damaged file) is refused like a foreign
    /// one.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), ModelError> {
        self.engine.prepare(&self.model, &self.state);
        let fits = snapshot.revision == self.model.revision
            && snapshot.memories.len() == self.engine.systems.len()
            && snapshot.state.bodies.len() == self.state.bodies.len()
            && snapshot.angles.len() == self.engine.angles.len()
            && snapshot.controllers.len() == self.engine.controllers.len()
            && snapshot
                .memories
                .iter()
                .zip(&self.engine.systems)
                .all(|((m, _), s)| m.mu.len() == s.memory.mu.len());
        let fits = fits && self.engine.contacts.fits(&snapshot.contacts);
        if !fits || !snapshot.is_sound() {
            return Err(snapshot.foreign(self));
        }
        self.state = snapshot.state.clone();
        self.inputs = snapshot.inputs.clone();
        self.sensors.clone_from(&snapshot.sensors);
        self.engine.controllers.clone_from(&snapshot.controllers);
        self.engine.angles.clone_from(&snapshot.angles);
        self.engine.lagrange.prepare(&self.model);
        self.engine.lagrange.memory = snapshot.lagrange.clone();
        for (system, (memory, settled)) in self.engine.systems.iter_mut().zip(&snapshot.memories) {
            system.memory = memory.clone();
            system.settled = *settled;
            system.factored = false;
            system.recall_bounds();
        }
        self.engine.watch = snapshot.watch.clone();
        self.engine.contacts.restore(&snapshot.contacts);
        self.engine.restored(&self.state);
        Ok(())
    }

    /// Hash of the present state: equal states have equal hashes, on every machine and any number
    /// of threads.
    pub fn state_hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        self.state.hash_into(&mut hasher);
        *hasher.finalize().as_bytes()
    }
}
