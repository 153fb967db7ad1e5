//! Keyframes as TOML, those of a model of another program too.

use super::Part;
use super::text::{number, rotation, vector, words};
use crate::scene::{KeyPart, KeyTo};
use std::fmt::Write as _;

impl Part<'_> {
    /// All keyframes.
    pub(super) fn keys(&self, out: &mut String) {
        for part in &self.scene.keys {
            self.key_part(out, part);
        }
        let Some(robot) = &self.scene.robot else { return };
        for key in &robot.keys {
            let mut there = self.scene.world.clone();
            if robot.set_key(&mut there, &key.name).is_ok() {
                for part in crate::keyframe::of_world(&key.name, &there) {
                    self.key_part(out, &part);
                }
            }
        }
    }

    fn key_part(&self, out: &mut String, part: &KeyPart) {
        let _ = writeln!(out, "\n[[key]]\nname = {}", words(&part.key));
        let _ = match &part.to {
            KeyTo::Motor { motor, value } => {
                writeln!(out, "motor = {}\nvalue = {}", self.named(motor), number(*value))
            }
            KeyTo::Body { body, position, rotation: q, velocity, angular_velocity } => writeln!(
                out,
                "body = {}\nposition = {}\nrotation = {}\nvelocity = {}\nangular_velocity = {}",
                self.body_name(*body),
                vector(*position),
                rotation(*q),
                vector(*velocity),
                vector(*angular_velocity)
            ),
        };
    }
}

/// A keyframe as a piece of a scene.
pub(crate) fn text(parts: &[KeyPart], world: &kreisel_dynamics::World) -> String {
    let mut out = String::new();
    for part in parts {
        let _ = writeln!(out, "\n[[key]]\nname = {}", words(&part.key));
        let _ = match &part.to {
            KeyTo::Motor { motor, value } => {
                writeln!(out, "motor = {}\nvalue = {}", words(motor), number(*value))
            }
            KeyTo::Body { body, position, rotation: q, velocity, angular_velocity } => writeln!(
                out,
                "body = {}\nposition = {}\nrotation = {}\nvelocity = {}\nangular_velocity = {}",
                words(&world.body_name(*body).unwrap_or_default()),
                vector(*position),
                rotation(*q),
                vector(*velocity),
                vector(*angular_velocity)
            ),
        };
    }
    out
}
