//! Places that rods, threads, rails and polygons join: points, places on bodies, and fixed places.

use super::names::Built;
use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use crate::record::matches;
use kreisel_dynamics::{BodyId, BodyKind, Vec3};
use kreisel_geometry::Pose;

/// A point of a body, in world coordinates as the body stands now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub body: BodyId,
    pub at: Vec3,
}

impl Place {
    /// Whether it answers to forces.
    pub fn moves(self, built: &Built) -> bool {
        built.world.body(self.body).is_some_and(|b| b.kind == BodyKind::Dynamic)
    }
}

/// The places that a key lists; a name with `*` stands for all bodies that fit, in the order in
/// which they were made.
pub(super) fn list(
    reader: &mut Reader,
    fields: &Fields<'_>,
    key: &'static str,
    least: usize,
    built: &Built,
) -> Option<Vec<Place>> {
    let frame = built.frame(reader, fields)?;
    let node = reader.required(fields, key)?;
    let Value::Array(items) = &node.value else {
        reader.wrong_type(node, "an array of places such as [\"a\", \"b\", [0, 0, 0]]");
        return None;
    };
    let mut out = Vec::new();
    for item in items {
        match &item.value {
            Value::Text(text) if text.contains('*') => matching(reader, item, built, &mut out)?,
            _ => out.push(one(reader, item, &frame, built)?),
        }
    }
    if out.len() < least {
        let message = format!("`{key}` needs {least} places or more, here are {}", out.len());
        reader.error(Code::WrongValue, &node.span, message, "too few");
        return None;
    }
    Some(out)
}

/// One place.
pub(super) fn one(reader: &mut Reader, node: &Node, frame: &Pose, built: &Built) -> Option<Place> {
    match &node.value {
        Value::Text(_) => {
            let body = built.body(reader, node)?;
            let at =
                if body == BodyId::WORLD { frame.position } else { built.world.position(body)? };
            Some(Place { body, at })
        }
        Value::Table(table) => {
            let fields = reader.fields(table, &node.span, &grammar::PLACE);
            let body = reader.required(&fields, "body").and_then(|n| built.body(reader, n))?;
            let point =
                optional(fields.get("point"), |n| reader.vec3(n, Unit::Plain))?.unwrap_or_default();
            if body == BodyId::WORLD {
                return Some(Place { body, at: frame.point(point) });
            }
            let pose = Pose::new(built.world.position(body)?, built.world.rotation(body)?);
            Some(Place { body, at: pose.point(point) })
        }
        Value::Array(_) => {
            Some(Place { body: BodyId::WORLD, at: frame.point(reader.vec3(node, Unit::Plain)?) })
        }
        _ => {
            reader.wrong_type(
                node,
                "a name, a place [x, y, z], or { body = \"name\", point = [x, y, z] }",
            );
            None
        }
    }
}

/// All bodies whose names fit a pattern.
fn matching(reader: &mut Reader, node: &Node, built: &Built, out: &mut Vec<Place>) -> Option<()> {
    let pattern = format!("{}{}", built.prefix, reader.text(node)?);
    let before = out.len();
    for body in built.world.bodies() {
        let Some(name) = built.world.body_name(body) else { continue };
        if body != BodyId::WORLD && matches(&pattern, &name) {
            out.push(Place { body, at: built.world.position(body)? });
        }
    }
    if out.len() == before {
        let message = format!("no point or body fits \"{pattern}\"");
        reader.error(Code::UnknownName, &node.span, message, "fits nothing");
        return None;
    }
    Some(())
}
