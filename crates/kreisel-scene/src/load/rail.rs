//! `[[rail]]` and `[[polygon]]`: a point on a segment or a line, or in a plane outline (S-05,
//! S-06).

use super::names::Built;
use super::places::{self, Place};
use super::points;
use crate::expr::Unit;
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use kreisel_dynamics::{BodyId, Coordinate, Friction, Joint, JointKind, Limit};

/// Reads a rail.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let frame = built.frame(reader, fields)?;
    let point =
        reader.required(fields, "point").and_then(|n| places::one(reader, n, &frame, built));
    let along = optional(fields.get("along"), |n| reader.vec3(n, Unit::Plain));
    let ends = optional(fields.get("ends"), |n| reader.flag(n));
    let restitution = optional(fields.get("restitution"), |n| reader.fraction(n));
    let friction = optional(fields.get("friction"), |n| reader.plain(n));
    let on = match (fields.has("on"), fields.has("along")) {
        (true, false) => Some(segment(reader, fields, built)?),
        (false, true) => None,
        (both, _) => {
            let message = "a rail has `on` (two places) or `along` (a direction)";
            let label = if both { "both are here" } else { "neither is here" };
            reader.error(Code::MissingKey, fields.span, message, label);
            return None;
        }
    };
    let (point, along, friction) = (point?, along?, friction?);
    let mut joint = match on {
        Some(on) => on_segment(point, on),
        None => {
            let axis = frame.direction(along.unwrap_or_default());
            Joint::new(JointKind::Line, BodyId::WORLD, point.body).at(point.at).axis(axis)
        }
    };
    if let (Some([a, b]), true) = (on, ends?.unwrap_or(true)) {
        let restitution = restitution?.unwrap_or(0.0);
        joint = joint.limit(Limit {
            restitution,
            ..Limit::new(Coordinate::Position, 0.0, a.at.distance(b.at))
        });
    }
    if let Some(effort) = friction {
        joint = joint.friction(Friction { coordinate: Coordinate::Position, effort });
    }
    let name = match optional(fields.get("name"), |n| reader.text(n))? {
        Some(name) => built.claim_name(reader, &name, fields.place("name"))?,
        None => built.numbered("rail"),
    };
    points::add(reader, fields, built, name, joint)
}

/// The two ends of a rail.
fn segment(reader: &mut Reader, fields: &Fields<'_>, built: &Built) -> Option<[Place; 2]> {
    let ends = places::list(reader, fields, "on", 2, built)?;
    if let &[a, b] = ends.as_slice() {
        return Some([a, b]);
    }
    let message = format!("a rail lies between two places, here are {}", ends.len());
    reader.error(Code::WrongValue, fields.place("on"), message, "too many");
    None
}

/// The joint that holds a point on a segment: a line of one body, or a rail between two.
fn on_segment(point: Place, [a, b]: [Place; 2]) -> Joint {
    if a.body == b.body {
        return Joint::new(JointKind::Line, a.body, point.body)
            .between(a.at, point.at)
            .axis(b.at - a.at);
    }
    Joint::rail([(a.body, a.at), (b.body, b.at)], (point.body, point.at))
}

/// Reads a polygon.
pub(super) fn polygon(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let frame = built.frame(reader, fields)?;
    let point =
        reader.required(fields, "point").and_then(|n| places::one(reader, n, &frame, built));
    let corners = places::list(reader, fields, "corners", 3, built);
    let edges = optional(fields.get("edges"), |n| reader.flag(n));
    let restitution = optional(fields.get("restitution"), |n| reader.fraction(n));
    let (point, corners) = (point?, corners?);
    let list: Vec<_> = corners.iter().map(|c| (c.body, c.at)).collect();
    let mut joint = Joint::polygon(&list, (point.body, point.at));
    if edges?.unwrap_or(true) {
        joint = joint.with_ends(restitution?.unwrap_or(0.0));
    }
    let name = match optional(fields.get("name"), |n| reader.text(n))? {
        Some(name) => built.claim_name(reader, &name, fields.place("name"))?,
        None => built.numbered("polygon"),
    };
    points::add(reader, fields, built, name, joint)
}
