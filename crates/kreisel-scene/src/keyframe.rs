//! Keyframes: named states of a scene's bodies with what its motors are told, set and saved.
//!
//! A keyframe holds poses and velocities, not coordinates: loops stay closed. Turns of hinges are
//! counted anew from the nearest.

use crate::scene::{KeyPart, KeyTo, Scene};
use kreisel_dynamics::{BodyKind, ModelError, World};

impl Scene {
    /// Names of all keyframes, those of a model of another program too.
    pub fn key_names(&self) -> Vec<String> {
        let own = self.robot.iter().flat_map(|r| &r.keys).map(|k| k.name.clone());
        let mut out: Vec<String> = Vec::new();
        for name in own.chain(self.keys.iter().map(|k| k.key.clone())) {
            if !out.contains(&name) {
                out.push(name);
            }
        }
        out
    }

    /// Puts the scene's world into a keyframe; false if there is none of this name.
    pub fn set_key(&mut self, name: &str) -> Result<bool, ModelError> {
        if let Some(robot) = self.robot.clone()
            && robot.keys.iter().any(|k| k.name == name)
        {
            return robot.set_key(&mut self.world, name);
        }
        let parts: Vec<&KeyPart> = self.keys.iter().filter(|k| k.key == name).collect();
        let found = !parts.is_empty();
        for part in parts {
            match &part.to {
                KeyTo::Body { body, position, rotation, velocity, angular_velocity } => {
                    // one that was removed since stands nowhere
                    if self.world.body(*body).is_some() {
                        self.world.set_pose(*body, *position, *rotation)?;
                        self.world.set_velocity(*body, *velocity, *angular_velocity)?;
                    }
                }
                KeyTo::Motor { motor, value } => {
                    if let Some(id) = self.world.motor_named(motor) {
                        self.world.set_motor_value(id, *value)?;
                    }
                }
            }
        }
        Ok(found)
    }

    /// Remembers how a world of this scene stands as the keyframe `name`, in the place of one that
    /// had this name.
    pub fn note_key(&mut self, name: &str, world: &World) {
        self.keys.retain(|k| k.key != name);
        self.keys.extend(of_world(name, world));
    }

    /// A keyframe of a world as a piece of a scene, to be included or added.
    pub fn key_text(name: &str, world: &World) -> String {
        crate::save::key_text(&of_world(name, world), world)
    }
}

/// The parts of a keyframe.
pub(crate) fn of_world(name: &str, world: &World) -> Vec<KeyPart> {
    let mut out = Vec::new();
    for body in world.bodies() {
        let moves = world.body(body).is_some_and(|b| b.kind != BodyKind::Static);
        let now = (world.position(body), world.rotation(body));
        let (true, (Some(position), Some(rotation))) = (moves, now) else { continue };
        let velocity = world.velocity(body).unwrap_or_default();
        let angular_velocity = world.angular_velocity(body).unwrap_or_default();
        let to = KeyTo::Body { body, position, rotation, velocity, angular_velocity };
        out.push(KeyPart { key: name.to_owned(), to });
    }
    for id in world.motors() {
        let (Some(motor), Some(title)) = (world.motor(id), world.motor_name(id)) else { continue };
        let value = motor.control.schedule().at(world.time());
        let to = KeyTo::Motor { motor: title.to_string(), value };
        out.push(KeyPart { key: name.to_owned(), to });
    }
    out
}
