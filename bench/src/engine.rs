//! One interface for all engines.

use crate::scene::Scene;
use glam::{DQuat, DVec3};

/// Pose and motion of one body as an engine gives them out.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Centre of mass, m.
    pub position: DVec3,
    /// From the body's axes to the world's.
    pub rotation: DQuat,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity, world coordinates, rad/s.
    pub spin: DVec3,
}

/// What an engine says about its own work since the start; sums over all steps.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Work {
    /// Substeps.
    pub substeps: u64,
    /// Of these, energy-momentum steps.
    pub energy_substeps: u64,
    /// Substeps rejected and repeated smaller.
    pub rejected: u64,
    /// Rounds of joint correction.
    pub rounds: u64,
    /// Steps that did not end with every joint within tolerance.
    pub failed: u64,
    /// Sweeps over contacts.
    pub sweeps: u64,
    /// Steps made again because of contacts, and steps cut in halves.
    pub repeats: u64,
    pub cuts: u64,
}

/// A scene loaded into an engine.
pub trait Engine {
    /// Advances by the scene's step.
    fn step(&mut self);

    /// Writes the bodies in the scene's order; the old content of `out` is dropped.
    fn sample(&self, out: &mut Vec<Pose>);

    /// The engine's own account, if it gives one.
    fn work(&self) -> Option<Work> {
        None
    }
}

/// An engine with its settings, ready to load scenes.
pub struct Setup {
    /// Name in tables.
    pub name: String,
    /// Whether this is Kreisel.
    pub ours: bool,
    /// Loads a scene.
    pub load: Box<dyn Fn(&Scene) -> Box<dyn Engine>>,
}
