//! The motion of all bodies, frame by frame.

use crate::record::Recording;
use crate::scene::Scene;
use kreisel_dynamics::{BodyId, Quat, Vec3, World};

/// Poses of the bodies over time.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    /// Time of each frame, s.
    pub times: Vec<f64>,
    /// Positions of each body, frame by frame, m.
    pub positions: Vec<Vec<Vec3>>,
    /// Rotations of each body, frame by frame.
    pub rotations: Vec<Vec<Quat>>,
    bodies: Vec<BodyId>,
}

/// Why a recording tells no motion of a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the recording does not say where \"{0}\" is")]
pub struct MotionError(pub String);

impl Motion {
    /// The scene's bodies at its start.
    pub fn new(scene: &Scene) -> Self {
        let bodies: Vec<BodyId> = scene.world.bodies().collect();
        let count = bodies.len();
        let mut out = Self {
            times: Vec::new(),
            positions: vec![Vec::new(); count],
            rotations: vec![Vec::new(); count],
            bodies,
        };
        out.push(&scene.world);
        out
    }

    /// Adds a frame.
    pub fn push(&mut self, world: &World) {
        self.times.push(world.time());
        for (k, id) in self.bodies.iter().enumerate() {
            // A body that was removed stays where it was.
            let position =
                world.position(*id).or(self.positions[k].last().copied()).unwrap_or_default();
            let rotation =
                world.rotation(*id).or(self.rotations[k].last().copied()).unwrap_or_default();
            self.positions[k].push(position);
            self.rotations[k].push(rotation);
        }
    }

    /// The motion that a recording of the scene holds, at most `rate` frames per second.
    pub fn of_recording(
        scene: &Scene,
        recording: &Recording,
        rate: f64,
    ) -> Result<Self, MotionError> {
        let column = |name: &str| {
            recording.columns().iter().position(|c| c.name == name).map(|k| &recording.values[k])
        };
        let times = column("time").ok_or_else(|| MotionError("time".into()))?;
        let mut frames: Vec<usize> = Vec::new();
        for (row, time) in times.iter().enumerate() {
            let due = frames.last().is_none_or(|f| *time - times[*f] >= (1.0 - 1e-6) / rate);
            if due && time.is_finite() {
                frames.push(row);
            }
        }
        let mut out = Self { times: frames.iter().map(|f| times[*f]).collect(), ..Self::default() };
        for id in scene.world.bodies() {
            let name = scene.world.body_name(id).unwrap_or_default();
            let part = |what: &str| {
                column(&format!("{name}.{what}")).ok_or_else(|| MotionError(name.to_string()))
            };
            let (x, y, z) = (part("position.x")?, part("position.y")?, part("position.z")?);
            let q = [
                part("rotation.x")?,
                part("rotation.y")?,
                part("rotation.z")?,
                part("rotation.w")?,
            ];
            // What no longer exists is not a number: it stays where it was last.
            let (mut place, mut turn) = (Vec3::ZERO, Quat::IDENTITY);
            let (mut positions, mut rotations) = (Vec::new(), Vec::new());
            for &f in &frames {
                let (p, r) = (Vec3::new(x[f], y[f], z[f]), Quat::from_array(q.map(|c| c[f])));
                place = if p.is_finite() { p } else { place };
                turn = if r.is_finite() && r.length_squared() > 0.5 { r.normalize() } else { turn };
                positions.push(place);
                rotations.push(turn);
            }
            out.positions.push(positions);
            out.rotations.push(rotations);
            out.bodies.push(id);
        }
        Ok(out)
    }
}
