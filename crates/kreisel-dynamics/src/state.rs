//! The state of a world: plain data. A clone is a snapshot, its bytes are hashed.

use crate::math::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// Pose and velocity of one body, of its centre of mass and principal frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BodyState {
    pub position: Vec3,
    pub rotation: Quat,
    pub velocity: Vec3,
    /// World coordinates.
    pub angular_velocity: Vec3,
}

impl Default for BodyState {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }
}

impl BodyState {
    pub fn is_finite(&self) -> bool {
        self.position.is_finite()
            && self.rotation.is_finite()
            && self.velocity.is_finite()
            && self.angular_velocity.is_finite()
    }

    fn numbers(&self) -> [f64; 13] {
        let (p, q, v, w) = (self.position, self.rotation, self.velocity, self.angular_velocity);
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
    }
}

/// Poses and velocities of all bodies, by slot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub time: f64,
    /// What the time has lost to rounding so far (Kahan): ten steps of 0.1 s end at 1 s.
    #[serde(default)]
    pub time_lost: f64,
    pub bodies: Vec<BodyState>,
    /// Counts changes made from outside a step, so that cached factors of the present poses are
    /// dropped.
    pub edits: u64,
}

impl State {
    pub fn slot(&self, index: u32) -> &BodyState {
        &self.bodies[index as usize]
    }

    /// Becomes a copy of another state without taking new memory.
    pub fn copy_from(&mut self, other: &Self) {
        let Self { time, time_lost, bodies, edits } = other;
        self.bodies.clone_from(bodies);
        (self.time, self.time_lost, self.edits) = (*time, *time_lost, *edits);
    }

    /// Moves the time on.
    pub fn advance_time(&mut self, h: f64) {
        let h = h - self.time_lost;
        let time = self.time + h;
        self.time_lost = (time - self.time) - h;
        self.time = time;
    }

    pub fn set_slot(&mut self, index: u32, state: BodyState) {
        if self.bodies.len() <= index as usize {
            self.bodies.resize(index as usize + 1, BodyState::default());
        }
        self.bodies[index as usize] = state;
        self.edits += 1;
    }

    /// Feeds time and bodies to a hash; −0 and 0 count as the same number.
    pub fn hash_into(&self, hasher: &mut blake3::Hasher) {
        // One long piece is hashed several times as fast as many short ones.
        let mut bytes = Vec::with_capacity(8 + 13 * 8 * self.bodies.len());
        bytes.extend((self.time + 0.0).to_le_bytes());
        for body in &self.bodies {
            for x in body.numbers() {
                bytes.extend((x + 0.0).to_le_bytes());
            }
        }
        hasher.update(&bytes);
    }
}
