//! `[[point]]`, `[[rod]]`, `[[thread]]`: worlds of mass points in few words (Schmitt and Thüring
//! 2000; S-01 to S-04, S-15).

use super::color;
use super::names::Built;
use super::places::{self, Place};
use crate::expr::Unit;
use crate::items::Appearance;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use crate::source::Span;
use kreisel_dynamics::{Body, BodyKind, Breaking, Joint, MassProperties, Material, Vec3};
use kreisel_geometry::{Pose, Shape};
use std::sync::Arc;

/// Reads one point or several.
pub(super) fn point(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let frame = built.frame(reader, fields)?;
    let mass = optional(fields.get("mass"), |n| reader.positive(n, "the mass"));
    let velocity = optional(fields.get("velocity"), |n| reader.vec3(n, Unit::Plain));
    let fixed = optional(fields.get("fixed"), |n| reader.flag(n));
    let radius = optional(fields.get("radius"), |n| reader.positive(n, "the radius"));
    let restitution = optional(fields.get("restitution"), |n| reader.plain(n));
    let friction = optional(fields.get("friction"), |n| reader.plain(n));
    let color = optional(fields.get("color"), |n| color::read(reader, n));
    let places = positions(reader, fields, &frame);
    let names = names(reader, fields, places.as_ref().map_or(1, Vec::len));
    let (radius, color) = (radius?, color?);
    let shape = radius.map(|r| Shape::Sphere { radius: r });
    let body = Body {
        kind: if fixed?.unwrap_or(false) { BodyKind::Static } else { BodyKind::Dynamic },
        mass: MassProperties::point(mass?.unwrap_or(1.0)),
        velocity: frame.direction(velocity?.unwrap_or_default()),
        shape: shape.clone(),
        material: Material {
            restitution: restitution?.unwrap_or(0.0),
            friction: friction?.unwrap_or(0.0),
            ..Material::default()
        },
        ..Body::point(1.0)
    };
    let (places, names) = (places?, names?);
    for (k, place) in places.into_iter().enumerate() {
        let name = match names.get(k) {
            Some((name, span)) => built.claim_name(reader, name, span)?,
            None => built.numbered("point"),
        };
        match built.world.add_body(Body { name: name.clone(), position: place, ..body.clone() }) {
            Ok(id) => {
                let actual = built.world.body_name(id);
                built.built(reader, &name, actual.as_deref(), fields.place("name"));
                let look = Appearance {
                    solid: shape.clone(),
                    shown: shape.clone(),
                    color,
                    ..Appearance::default()
                };
                Arc::make_mut(&mut built.run.looks).insert(id, look);
            }
            Err(e) => {
                reader.model_error(fields, &e);
                return None;
            }
        }
    }
    Some(())
}

/// Where the points are.
fn positions(reader: &mut Reader, fields: &Fields<'_>, frame: &Pose) -> Option<Vec<Vec3>> {
    let Some(node) = fields.get("positions") else {
        let place = optional(fields.get("position"), |n| reader.vec3(n, Unit::Plain))?;
        return Some(vec![frame.point(place.unwrap_or_default())]);
    };
    if fields.has("position") {
        let message = "[[point]] takes `position` or `positions`, not both";
        let first = reader.place(fields.place("position"));
        reader.error(Code::WrongValue, &node.span, message, "second one").also(&first, "first one");
        return None;
    }
    let Value::Array(items) = &node.value else {
        reader.wrong_type(node, "an array of places [[x, y, z], …]");
        return None;
    };
    let read: Vec<Option<Vec3>> = items.iter().map(|n| reader.vec3(n, Unit::Plain)).collect();
    let read: Vec<Vec3> = read.into_iter().collect::<Option<_>>()?;
    Some(read.into_iter().map(|p| frame.point(p)).collect())
}

/// The names that are given: none, one each, or one word that is numbered.
fn names<'n>(
    reader: &mut Reader,
    fields: &Fields<'n>,
    count: usize,
) -> Option<Vec<(String, &'n Span)>> {
    let Some(node) = fields.get("name") else { return Some(Vec::new()) };
    let Value::Array(items) = &node.value else {
        let name = reader.text(node)?;
        if !fields.has("positions") {
            return Some(vec![(name, &node.span)]);
        }
        return Some((1..=count).map(|k| (format!("{name}{k}"), &node.span)).collect());
    };
    if items.len() != count {
        let message = format!("{} names for {count} points", items.len());
        reader.error(Code::WrongValue, &node.span, message, "not one name each");
        return None;
    }
    let read = items.iter().map(|n: &'n Node| Some((reader.text(n)?, &n.span))).collect::<Vec<_>>();
    read.into_iter().collect()
}

/// Reads rods.
pub(super) fn rod(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let braced = optional(fields.get("braced"), |n| reader.flag(n));
    ties(reader, fields, built, "rod", braced?.unwrap_or(false), |a, b, length| {
        let joint = Joint::distance(a.body, b.body, a.at, b.at);
        Joint { length, ..joint }
    })
}

/// Reads threads.
pub(super) fn thread(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let restitution = optional(fields.get("restitution"), |n| reader.fraction(n))?.unwrap_or(0.0);
    ties(reader, fields, built, "thread", false, |a, b, length| {
        let length = length.unwrap_or_else(|| a.at.distance(b.at));
        let mut joint = Joint::rope(a.body, b.body, a.at, b.at, length);
        for limit in &mut joint.limits {
            limit.restitution = restitution;
        }
        joint
    })
}

/// Ties a list of places together, each to the next or any to any.
fn ties(
    reader: &mut Reader,
    fields: &Fields<'_>,
    built: &mut Built,
    kind: &'static str,
    braced: bool,
    make: impl Fn(Place, Place, Option<f64>) -> Joint,
) -> Option<()> {
    let places = places::list(reader, fields, "points", 2, built);
    let length = optional(fields.get("length"), |n| reader.positive(n, "the length"));
    let closed = optional(fields.get("closed"), |n| reader.flag(n));
    let breaking = optional(fields.get("breaking"), |n| reader.positive(n, "the load"));
    let name = optional(fields.get("name"), |n| reader.text(n));
    let (places, length, closed, breaking, name) = (places?, length?, closed?, breaking?, name?);
    let n = places.len();
    let count = if braced { n.saturating_mul(n - 1) / 2 } else { n };
    if !reader.spend(count, fields.place("points")) {
        return None;
    }
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    if braced {
        // two fixed points keep their distance by themselves
        let moves: Vec<bool> = places.iter().map(|p| p.moves(built)).collect();
        pairs.extend(
            (0..n).flat_map(|j| (0..j).map(move |i| [i, j])).filter(|&[i, j]| moves[i] || moves[j]),
        );
    } else {
        pairs.extend((1..n).map(|j| [j - 1, j]));
        if closed.unwrap_or(false) && n > 2 {
            pairs.push([n - 1, 0]);
        }
    }
    let several = pairs.len() > 1;
    for (k, [i, j]) in pairs.into_iter().enumerate() {
        let mut joint = make(places[i], places[j], length);
        joint.breaking = breaking.map(|force| Breaking { force, torque: f64::INFINITY });
        let name = match &name {
            Some(name) if several => {
                built.claim_name(reader, &format!("{name}{}", k + 1), fields.place("name"))?
            }
            Some(name) => built.claim_name(reader, name, fields.place("name"))?,
            None => built.numbered(kind),
        };
        add(reader, fields, built, name, joint)?;
    }
    Some(())
}

/// Adds a joint under a name that has been claimed.
pub(super) fn add(
    reader: &mut Reader,
    fields: &Fields<'_>,
    built: &mut Built,
    name: String,
    joint: Joint,
) -> Option<()> {
    match built.world.add_joint(Joint { name: name.clone(), ..joint }) {
        Ok(id) => {
            let actual = built.world.joint_name(id);
            built.built(reader, &name, actual.as_deref(), fields.place("name"));
            Some(())
        }
        Err(e) => {
            reader.model_error(fields, &e);
            None
        }
    }
}
