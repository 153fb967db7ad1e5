//! `[[key]]`.

use super::names::Built;
use super::rotation;
use crate::expr::Unit;
use crate::read::{Fields, Reader, optional};
use crate::scene::{KeyPart, KeyTo};
use kreisel_dynamics::{Quat, Vec3};
use kreisel_geometry::Pose;

/// Reads a part of a keyframe.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let name = reader.required(fields, "name").and_then(|n| reader.text(n));
    let to = if let Some(n) = fields.get("motor") {
        let short = reader.text(n)?;
        let motor = format!("{}{short}", built.prefix);
        if built.world.motor_named(&motor).is_none() {
            built.unknown(reader, n, &short, "motor", built.spans.keys().map(String::as_str));
            return None;
        }
        let value = reader.required(fields, "value").and_then(|n| reader.plain(n))?;
        KeyTo::Motor { motor, value }
    } else {
        let body = reader.required(fields, "body").and_then(|n| built.body(reader, n))?;
        let mut vector =
            |key: &'static str| optional(fields.get(key), |n| reader.vec3(n, Unit::Plain));
        let position = vector("position")?;
        let (velocity, spin) = (vector("velocity")?, vector("angular_velocity")?);
        let turn = optional(fields.get("rotation"), |n| rotation::read(reader, n))?;
        let (x, q) = (built.world.position(body)?, built.world.rotation(body)?);
        // places and directions are those of the instance
        let pose = &built.pose;
        let turned =
            |r: Quat| if *pose == Pose::IDENTITY { r } else { (pose.rotation * r).normalize() };
        KeyTo::Body {
            body,
            position: position.map_or(x, |p| pose.point(p)),
            rotation: turn.map_or(q, turned),
            velocity: pose.direction(velocity.unwrap_or(Vec3::ZERO)),
            angular_velocity: pose.direction(spin.unwrap_or(Vec3::ZERO)),
        }
    };
    built.keys.push(KeyPart { key: name?, to });
    Some(())
}
