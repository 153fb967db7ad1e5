//! `[[force]]`.

use super::names::Built;
use crate::expr::Unit;
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use crate::scene::Force;

/// Reads an outer force.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let body = reader.required(fields, "body").and_then(|n| built.body(reader, n));
    let force = optional(fields.get("force"), |n| reader.vec3(n, Unit::Plain));
    let torque = optional(fields.get("torque"), |n| reader.vec3(n, Unit::Plain));
    let at = optional(fields.get("at"), |n| reader.vec3(n, Unit::Plain));
    let from = optional(fields.get("from"), |n| reader.plain(n));
    let until = optional(fields.get("until"), |n| reader.number_or_infinite(n, Unit::Plain));
    let (body, force, torque) = (body?, force?, torque?);
    if force.is_none() && torque.is_none() {
        reader.error(Code::MissingKey, fields.span, "[[force]] needs `force` or `torque`", "neither is here");
        return None;
    }
    built.forces.push(Force {
        body,
        force: built.pose.direction(force.unwrap_or_default()),
        torque: built.pose.direction(torque.unwrap_or_default()),
        at: at?,
        from: from?.unwrap_or(0.0),
        until: until?.unwrap_or(f64::INFINITY),
    });
    Some(())
}
