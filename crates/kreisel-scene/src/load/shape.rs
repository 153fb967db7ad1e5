//! Shapes: one solid, or several parts of one rigid body.

use super::rotation;
use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::{Fields, Reader};
use kreisel_dynamics::{Quat, Vec3};
use kreisel_geometry::shape::Part;
use kreisel_geometry::{Pose, Shape};

/// What a body is made of.
pub(super) enum Solid {
    /// A mass point.
    Point,
    /// A body with extent.
    Shape(Shape),
}

/// Reads `shape` or `display`.
pub(super) fn read(reader: &mut Reader, node: &Node) -> Option<Solid> {
    match &node.value {
        Value::Text(word) if word == "point" => Some(Solid::Point),
        Value::Array(items) => {
            let parts: Option<Vec<Part>> = items.iter().map(|n| part(reader, n)).collect();
            let shape = Shape::Compound(parts?);
            checked(reader, node, shape).map(Solid::Shape)
        }
        Value::Table(_) => {
            let Part { pose, shape } = part(reader, node)?;
            let placed = if pose == Pose::IDENTITY { shape } else { Shape::Compound(vec![Part { pose, shape }]) };
            Some(Solid::Shape(placed))
        }
        _ => {
            let message = format!("expected a shape, found {}", node.kind());
            let help = "write { box = [1, 0.1, 0.1] }, { sphere = 0.5 }, … or \"point\" for a mass point";
            reader.error(Code::WrongType, &node.span, message, "not a shape").help(help);
            None
        }
    }
}

fn checked(reader: &mut Reader, node: &Node, shape: Shape) -> Option<Shape> {
    match shape.check() {
        Ok(()) => Some(shape),
        Err(e) => {
            reader.error(Code::WrongValue, &node.span, e.to_string(), "no such body exists");
            None
        }
    }
}

/// One solid with its place in the body's frame.
fn part(reader: &mut Reader, node: &Node) -> Option<Part> {
    let table = reader.table(node, "a shape such as { box = [1, 0.1, 0.1] }")?;
    let fields = reader.fields(table, &node.span, &grammar::SHAPE);
    let solids = ["box", "sphere", "cylinder", "capsule", "cone", "ellipsoid", "half_space"];
    let given: Vec<&str> = solids.into_iter().filter(|k| fields.has(k)).collect();
    let [kind] = given[..] else {
        let message = if given.is_empty() { "a shape needs a solid" } else { "a shape is one solid only" };
        let help = "one of box, sphere, cylinder, capsule, cone, ellipsoid, half_space; several parts are written [{ … }, { … }]";
        reader.error(Code::MissingKey, &node.span, message, "here").help(help);
        return None;
    };
    let shape = match kind {
        "box" => Shape::Box { size: reader.vec3(fields.get("box")?, Unit::Plain)? },
        "sphere" => Shape::Sphere { radius: reader.plain(fields.get("sphere")?)? },
        "ellipsoid" => Shape::Ellipsoid { radii: reader.vec3(fields.get("ellipsoid")?, Unit::Plain)? },
        "half_space" => {
            let n = fields.get("half_space")?;
            let Some(normal) = reader.vec3(n, Unit::Plain)?.try_normalize() else {
                reader.error(Code::WrongValue, &n.span, "the normal of a half-space has length zero", "no direction");
                return None;
            };
            Shape::HalfSpace { normal, offset: 0.0 }
        }
        "cylinder" => {
            let (radius, height) = round(reader, fields.get("cylinder")?)?;
            Shape::Cylinder { radius, height }
        }
        "capsule" => {
            let (radius, height) = round(reader, fields.get("capsule")?)?;
            Shape::Capsule { radius, height }
        }
        _ => {
            let (radius, height) = round(reader, fields.get("cone")?)?;
            Shape::Cone { radius, height }
        }
    };
    let shape = checked(reader, node, shape)?;
    Some(Part { pose: pose(reader, &fields)?, shape })
}

/// Radius and height.
fn round(reader: &mut Reader, node: &Node) -> Option<(f64, f64)> {
    let table = reader.table(node, "{ radius = …, height = … }")?;
    let fields = reader.fields(table, &node.span, &grammar::ROUND);
    let radius = reader.required(&fields, "radius").and_then(|n| reader.plain(n));
    let height = reader.required(&fields, "height").and_then(|n| reader.plain(n));
    Some((radius?, height?))
}

/// Where a part lies; `axis` turns its z axis to x or y.
fn pose(reader: &mut Reader, fields: &Fields<'_>) -> Option<Pose> {
    let half = 0.5_f64.sqrt();
    let axes = [
        ("x", Quat::from_xyzw(0.0, half, 0.0, half)),
        ("y", Quat::from_xyzw(-half, 0.0, 0.0, half)),
        ("z", Quat::IDENTITY),
    ];
    let mut pose = Pose::IDENTITY;
    if let Some(n) = fields.get("axis") {
        pose.rotation = reader.choice(n, "axis", &axes)?;
    }
    if let Some(n) = fields.get("rotation") {
        pose.rotation = rotation::read(reader, n)? * pose.rotation;
    }
    if let Some(n) = fields.get("position") {
        pose.position = reader.vec3(n, Unit::Plain)?;
    }
    debug_assert!((pose.rotation * Vec3::Z).is_normalized());
    Some(pose)
}
