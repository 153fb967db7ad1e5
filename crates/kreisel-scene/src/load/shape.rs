//! Shapes: one solid, or several parts of one rigid body.

use super::mesh::{self, Meshes};
use super::{height_field, rotation, solid};
use crate::expr::Unit;
use crate::files::Files;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::{Code, Severity};
use crate::property::{Fault, Solid, Value as Plain};
use crate::read::{Fields, Reader};
use crate::source::Source;
use kreisel_dynamics::{Quat, Vec3};
use kreisel_geometry::shape::Part;
use kreisel_geometry::{Pose, Shape};

/// Reads `shape` or `display`.
pub(super) fn read(reader: &mut Reader, node: &Node, meshes: &mut Meshes) -> Option<Solid> {
    match &node.value {
        Value::Text(word) if word == "point" => Some(Solid::Point),
        Value::Array(items) => {
            let parts: Option<Vec<Part>> = items.iter().map(|n| part(reader, n, meshes)).collect();
            let shape = Shape::Compound(parts?);
            let shape = checked(reader, node, shape)?;
            Some(Solid::Shape { whole: mesh::whole(&shape, meshes), shape })
        }
        Value::Table(_) => {
            let Part { pose, shape } = part(reader, node, meshes)?;
            let placed = if pose == Pose::IDENTITY {
                shape
            } else {
                Shape::Compound(vec![Part { pose, shape }])
            };
            Some(Solid::Shape { whole: mesh::whole(&placed, meshes), shape: placed })
        }
        _ => {
            let message = format!("expected a shape, found {}", node.kind());
            let help =
                "write { box = [1, 0.1, 0.1] }, { sphere = 0.5 }, … or \"point\" for a mass point";
            reader.error(Code::WrongType, &node.span, message, "not a shape").help(help);
            None
        }
    }
}

/// The solid that a value describes as a scene would; its meshes are written out.
pub(crate) fn shape_of(value: &Plain) -> Result<Solid, Fault> {
    let text = format!("shape = {}", value.toml());
    let wrong = || Fault::new(format!("{} is no shape", value.kind()));
    let tree = toml::de::DeTable::parse(&text).map_err(|_| wrong())?;
    let table = crate::node::Table::from_toml(tree.get_ref());
    let node = table.get("shape").ok_or_else(wrong)?;
    let mut reader = Reader::new(Source::new("shape", text.as_str()), Files::default());
    read(&mut reader, node, &mut Meshes::default()).filter(|_| reader.errors() == 0).ok_or_else(
        || {
            let problem = reader.problems.into_iter().find(|p| p.severity == Severity::Error);
            problem.map_or_else(wrong, |p| Fault { help: p.help, ..Fault::new(p.message) })
        },
    )
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
pub(super) fn part(reader: &mut Reader, node: &Node, meshes: &mut Meshes) -> Option<Part> {
    let table = reader.table(node, "a shape such as { box = [1, 0.1, 0.1] }")?;
    let fields = reader.fields(table, &node.span, &grammar::SHAPE);
    let given: Vec<&str> = SOLIDS.into_iter().filter(|k| fields.has(k)).collect();
    let [kind] = given[..] else {
        let message =
            if given.is_empty() { "a shape needs a solid" } else { "a shape is one solid only" };
        let help =
            format!("one of {}; several parts are written [{{ … }}, {{ … }}]", SOLIDS.join(", "));
        reader.error(Code::MissingKey, &node.span, message, "here").help(help);
        return None;
    };
    let scale = scale(reader, &fields, kind)?;
    if let Some(node) = fields.get("parts").filter(|_| kind != "hull") {
        let help = "write { hull = \"file.obj\", parts = 8 }";
        let message = format!("only the hull of a mesh has convex `parts`, this is a {kind}");
        reader.error(Code::WrongValue, &node.span, message, "not here").help(help);
        return None;
    }
    let shape = match kind {
        "box" => Shape::Box { size: reader.vec3(fields.get("box")?, Unit::Plain)? },
        "sphere" => Shape::Sphere { radius: reader.plain(fields.get("sphere")?)? },
        "ellipsoid" => {
            Shape::Ellipsoid { radii: reader.vec3(fields.get("ellipsoid")?, Unit::Plain)? }
        }
        "cylinder" => {
            let (radius, height) = round(reader, fields.get("cylinder")?)?;
            Shape::Cylinder { radius, height }
        }
        "capsule" => {
            let (radius, height) = round(reader, fields.get("capsule")?)?;
            Shape::Capsule { radius, height }
        }
        "cone" => {
            let (radius, height) = round(reader, fields.get("cone")?)?;
            Shape::Cone { radius, height }
        }
        "disc" => disc(reader, fields.get("disc")?)?,
        "torus" => torus(reader, fields.get("torus")?)?,
        "hull" if fields.has("parts") => {
            mesh::parts(reader, fields.get("hull")?, fields.get("parts")?, scale, meshes)?
        }
        "hull" => mesh::hull(reader, fields.get("hull")?, scale, meshes)?,
        "mesh" => mesh::mesh(reader, fields.get("mesh")?, scale, meshes)?,
        "half_space" => half_space(reader, fields.get("half_space")?)?,
        "extrude" => solid::extrude(reader, fields.get("extrude")?)?,
        "revolve" => solid::revolve(reader, fields.get("revolve")?)?,
        "union" | "difference" | "intersection" => {
            solid::combined(reader, kind, fields.get(kind)?, meshes)?
        }
        _ => height_field::read(reader, fields.get("height_field")?)?,
    };
    let shape = checked(reader, node, shape)?;
    Some(Part { pose: pose(reader, &fields)?, shape })
}

/// The keys that say what solid a shape is.
const SOLIDS: [&str; 17] = [
    "box",
    "sphere",
    "cylinder",
    "capsule",
    "cone",
    "ellipsoid",
    "disc",
    "torus",
    "hull",
    "mesh",
    "extrude",
    "revolve",
    "union",
    "difference",
    "intersection",
    "half_space",
    "height_field",
];

/// `scale` of a mesh or hull: one number, or one per axis.
fn scale(reader: &mut Reader, fields: &Fields<'_>, kind: &str) -> Option<Vec3> {
    let Some(node) = fields.get("scale") else { return Some(Vec3::ONE) };
    if kind != "mesh" && kind != "hull" {
        let message = format!("only a mesh or a hull takes `scale`, this is a {kind}");
        reader.error(Code::WrongValue, &node.span, message, "not here");
        return None;
    }
    let scale = match &node.value {
        Value::Array(_) => reader.vec3(node, Unit::Plain)?,
        _ => Vec3::splat(reader.plain(node)?),
    };
    if scale.to_array().contains(&0.0) {
        reader.error(Code::WrongValue, &node.span, "a scale of 0 leaves nothing", "must not be 0");
        return None;
    }
    Some(scale)
}

/// All points below a plane.
fn half_space(reader: &mut Reader, node: &Node) -> Option<Shape> {
    if let Value::Array(_) = &node.value {
        let normal = normal(reader, node)?;
        return Some(Shape::HalfSpace { normal, offset: 0.0 });
    }
    let table = reader.table(node, "{ normal = [x, y, z], offset = m }")?;
    let fields = reader.fields(table, &node.span, &grammar::HALF_SPACE);
    let normal = match fields.get("normal") {
        Some(n) => normal(reader, n)?,
        None => Vec3::Z,
    };
    let offset = match fields.get("offset") {
        Some(n) => reader.plain(n)?,
        None => 0.0,
    };
    Some(Shape::HalfSpace { normal, offset })
}

/// A direction of length 1.
fn normal(reader: &mut Reader, node: &Node) -> Option<Vec3> {
    let given = reader.vec3(node, Unit::Plain)?;
    // One of length 1 to rounding is left alone, so that what was written is read to the bit.
    if (given.length_squared() - 1.0).abs() <= 4.0 * f64::EPSILON {
        return Some(given);
    }
    let unit = given.try_normalize();
    if unit.is_none() {
        reader.error(Code::WrongValue, &node.span, "the normal has length zero", "no direction");
    }
    unit
}

/// Radius and height.
fn round(reader: &mut Reader, node: &Node) -> Option<(f64, f64)> {
    let table = reader.table(node, "{ radius = …, height = … }")?;
    let fields = reader.fields(table, &node.span, &grammar::ROUND);
    let radius = reader.required(&fields, "radius").and_then(|n| reader.plain(n));
    let height = reader.required(&fields, "height").and_then(|n| reader.plain(n));
    Some((radius?, height?))
}

/// A cylinder with a rounded rim; without `rim` it is all rim.
fn disc(reader: &mut Reader, node: &Node) -> Option<Shape> {
    let table = reader.table(node, "{ radius = …, height = …, rim = … }")?;
    let fields = reader.fields(table, &node.span, &grammar::DISC);
    let radius = reader.required(&fields, "radius").and_then(|n| reader.plain(n));
    let height = reader.required(&fields, "height").and_then(|n| reader.plain(n));
    let (radius, height) = (radius?, height?);
    let rim = match fields.get("rim") {
        Some(n) => reader.plain(n)?,
        None => 0.5 * height,
    };
    Some(Shape::Disc { radius, height, rim })
}

/// Circle and tube.
fn torus(reader: &mut Reader, node: &Node) -> Option<Shape> {
    let table = reader.table(node, "{ radius = …, tube = … }")?;
    let fields = reader.fields(table, &node.span, &grammar::TORUS);
    let radius = reader.required(&fields, "radius").and_then(|n| reader.plain(n));
    let tube = reader.required(&fields, "tube").and_then(|n| reader.plain(n));
    Some(Shape::Torus { radius: radius?, tube: tube? })
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
