//! The poses, energies and joint errors of a run, thinned to what a page can hold.

use kreisel_dynamics::{BodyId, StepReport, World};

/// Frames per second of simulated time at normal speed.
const RATE: f64 = 60.0;

/// Most numbers in a page (7 per body and frame); above, frames are left out.
const MAX_NUMBERS: f64 = 4e6;

/// Frames of a run.
pub struct Frames {
    bodies: Vec<BodyId>,
    stride: u64,
    /// Position and rotation (x, y, z, w) of each body, frame after frame.
    pub poses: Vec<f32>,
    /// Time of each frame, s.
    pub times: Vec<f64>,
    /// Kinetic, potential and spring energy of each frame, J.
    pub energies: Vec<[f64; 3]>,
    /// Largest joint error since the frame before (the larger of m and rad).
    pub errors: Vec<f64>,
    worst: f64,
}

impl Frames {
    /// Frames of a world's bodies in a run of `steps` steps of size `step`.
    pub fn new(world: &World, step: f64, steps: u64) -> Self {
        let bodies: Vec<BodyId> = world.bodies().collect();
        let smooth = (1.0 / (RATE * step)).round().max(1.0);
        let room = (steps as f64 * 7.0 * bodies.len() as f64 / MAX_NUMBERS).ceil();
        Self {
            bodies,
            stride: smooth.max(room) as u64,
            poses: Vec::new(),
            times: Vec::new(),
            energies: Vec::new(),
            errors: Vec::new(),
            worst: 0.0,
        }
    }

    /// Takes a step's state if its turn has come.
    pub fn take(&mut self, step: u64, world: &World, report: &StepReport) {
        let error = report.worst.as_ref().map_or(0.0, |w| w.position.max(w.angle));
        self.worst = self.worst.max(error);
        if !step.is_multiple_of(self.stride) {
            return;
        }
        for &id in &self.bodies {
            let position = world.position(id).unwrap_or_default();
            let rotation = world.rotation(id).unwrap_or_default();
            self.poses.extend(position.to_array().map(|x| x as f32));
            self.poses.extend(rotation.to_array().map(|x| x as f32));
        }
        let e = world.energy();
        self.times.push(world.time());
        self.energies.push([e.kinetic, e.potential, e.spring]);
        self.errors.push(std::mem::take(&mut self.worst));
    }
}
