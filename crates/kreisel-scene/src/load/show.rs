//! `[[show]]`: geometry without mass and contact.

use super::color;
use super::names::Built;
use super::shape;
use crate::problem::Code;
use crate::property::Solid;
use crate::read::{Fields, Reader, optional};
use crate::scene::Show;
use kreisel_dynamics::BodyId;
use kreisel_geometry::{Pose, Shape, shape::Part};

/// Reads what is shown.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let body = match fields.get("body") {
        Some(n) => built.body(reader, n),
        None => Some(BodyId::WORLD),
    };
    let solid = reader
        .required(fields, "shape")
        .and_then(|n| shape::read(reader, n, built.meshes.get_mut()));
    let color = optional(fields.get("color"), |n| color::read(reader, n));
    let (body, solid, color) = (body?, solid?, color?);
    let Solid::Shape { shape, .. } = solid else {
        let message = "a point has nothing to show: take a small sphere";
        reader.error(Code::WrongValue, fields.place("shape"), message, "no extent");
        return None;
    };
    let still = body == BodyId::WORLD && built.pose != Pose::IDENTITY;
    let shape = if still { Shape::Compound(vec![Part { pose: built.pose, shape }]) } else { shape };
    built.shows.push(Show { body, shape, color });
    Some(())
}
