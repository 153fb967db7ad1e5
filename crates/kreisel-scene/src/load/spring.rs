//! `[[spring]]`.

use super::joint::anchors;
use super::names::Built;
use crate::read::{Fields, Reader, optional};
use kreisel_dynamics::{Spring, SpringMode};

/// Reads a spring and adds it to the world.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let name = built.claim(reader, fields, "spring");
    let bodies = built.pair(reader, fields);
    let frame = built.frame(reader, fields)?;
    let anchors = reader.required(fields, "at").and_then(|_| anchors(reader, fields, &frame));
    let stiffness = reader.required(fields, "stiffness").and_then(|n| reader.plain(n));
    let damping = optional(fields.get("damping"), |n| reader.plain(n));
    let length = optional(fields.get("length"), |n| reader.plain(n));
    let modes = [("continuous", SpringMode::Continuous), ("constant", SpringMode::Constant)];
    let mode = optional(fields.get("mode"), |n| reader.choice(n, "mode of a spring", &modes));
    let isotropic = optional(fields.get("isotropic"), |n| reader.flag(n));
    let (name, bodies) = (name?, bodies?);
    let spring = Spring {
        name: name.clone(),
        bodies,
        anchors: anchors?,
        stiffness: stiffness?,
        damping: damping?.unwrap_or(0.0),
        length: length?,
        mode: mode?.unwrap_or(SpringMode::Continuous),
        isotropic: isotropic?.unwrap_or(false),
    };
    match built.world.add_spring(spring) {
        Ok(_) => {
            built.built(reader, &name, Some(&name), fields.span);
            Some(())
        }
        Err(e) => {
            reader.model_error(fields, &e);
            None
        }
    }
}
