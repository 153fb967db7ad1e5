//! Geometry of URDF links.

use super::make::Make;
use super::xml::{child, left_out, number, place, required, tag, vector};
use crate::node::{Node as Item, Value};
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::{Quat, Vec3, math};
use kreisel_geometry::Pose;
use roxmltree::Node;
use std::collections::BTreeMap;

/// `<origin xyz rpy>`: roll, pitch and yaw about the fixed axes x, y, z.
pub(super) fn origin(reader: &mut Reader, node: Node<'_, '_>) -> Pose {
    let Some(origin) = child(node, "origin") else { return Pose::IDENTITY };
    let xyz = vector(reader, origin, "xyz").unwrap_or_default();
    let rpy = vector(reader, origin, "rpy").unwrap_or_default();
    let turn = |axis: Vec3, angle: f64| math::rotation(axis * angle);
    let rotation = if rpy == Vec3::ZERO {
        Quat::IDENTITY
    } else {
        (turn(Vec3::Z, rpy.z) * turn(Vec3::Y, rpy.y) * turn(Vec3::X, rpy.x)).normalize()
    };
    Pose::new(xyz, rotation)
}

/// The shape of a `<visual>` or `<collision>`, placed in a frame in which the link lies at `link`.
pub(super) fn shape(reader: &mut Reader, node: Node<'_, '_>, link: &Pose) -> Option<Item> {
    let geometry = child(node, "geometry")?;
    let solid = geometry.children().find(Node::is_element)?;
    let span = tag(solid);
    let mut make = Make::new(&span);
    match solid.tag_name().name() {
        "box" => {
            make.vector("box", vector(reader, solid, "size")?);
        }
        "sphere" => {
            make.number("sphere", number(reader, solid, "radius")?);
        }
        kind @ ("cylinder" | "capsule") => {
            let (radius, height) =
                (number(reader, solid, "radius")?, number(reader, solid, "length")?);
            make.put(kind, super::make::numbers(&span, &[("radius", radius), ("height", height)]));
        }
        "mesh" => {
            let name = required(reader, solid, "filename")?;
            let file = mesh_file(reader, solid, name)?;
            make.text("mesh", &file);
            if let Some(scale) = vector(reader, solid, "scale") {
                make.vector("scale", scale);
            }
        }
        _ => {
            left_out(reader, solid);
            return None;
        }
    }
    if let Some(empty) = without_extent(reader, solid) {
        let part = node.tag_name().name();
        let message = format!(
            "the {} of a <{part}> has no extent ({empty}): the part is left out",
            solid.tag_name().name()
        );
        reader.count_warning(Code::WrongValue, "no extent", &span, message, "left out", None);
        return None;
    }
    let own = origin(reader, node);
    let pose = if *link == Pose::IDENTITY { own } else { link.then(&own) };
    make.pose(&pose);
    Some(make.done())
}

/// The attribute of a primitive that is 0 or less.
fn without_extent(reader: &mut Reader, solid: Node<'_, '_>) -> Option<&'static str> {
    let keys: &[&'static str] = match solid.tag_name().name() {
        "box" => &["size"],
        "sphere" => &["radius"],
        "cylinder" => &["radius", "length"],
        "capsule" => &["radius"],
        _ => &[],
    };
    let flat = |key: &str, reader: &mut Reader| {
        super::xml::numbers(reader, solid, key).is_some_and(|list| list.iter().any(|x| *x <= 0.0))
    };
    keys.iter().copied().find(|key| flat(key, reader))
}

/// The path of a mesh, beside the robot's file. One that cannot be read is left out with a warning:
/// the robot moves without it.
pub(super) fn mesh_file(reader: &mut Reader, node: Node<'_, '_>, name: &str) -> Option<String> {
    let ending = name.rsplit_once('.').map_or("", |(_, e)| e);
    let readable = kreisel_geometry::mesh::read::Format::from_extension(ending).is_some();
    let found = match name.split_once("://") {
        Some(("package" | "model", rest)) => packaged(reader, rest),
        Some(("file", rest)) => beside(reader, rest),
        _ => beside(reader, name),
    };
    let mut help = "meshes are looked for from the folder of the robot's file, package://NAME/ in the folder of `--package NAME=DIR`, from there and the folders above: .obj, .stl, .gltf, .glb, .dae, .ply";
    let why = match &found {
        _ if !readable => "is of a kind that is not read",
        None => "is not there",
        Some(path) if !reader.may_read(path) => {
            help = "allow it with `--allow-outside`";
            "lies outside the scene's folder"
        }
        Some(path) if !is_understood(reader, node, path) => "is COLLADA that is not understood",
        Some(path) => return Some(path.clone()),
    };
    let message = format!("the mesh \"{name}\" {why}: the part is left out");
    reader.count_warning(
        Code::File,
        why,
        &place(node, "filename"),
        message,
        "left out",
        Some(help),
    );
    None
}

/// Whether a COLLADA file holds a mesh: many hold skins, strips or nothing, and are only shown.
fn is_understood(reader: &mut Reader, node: Node<'_, '_>, path: &str) -> bool {
    let format = kreisel_geometry::mesh::read::Format::Collada;
    let found = path
        .to_ascii_lowercase()
        .ends_with(".dae")
        .then(|| reader.file(path, &place(node, "filename")));
    found.is_none_or(|f| {
        f.is_none_or(|f| kreisel_geometry::mesh::read::read(&f.bytes, format).is_ok())
    })
}

/// A file of the robot's folder.
fn beside(reader: &Reader, path: &str) -> Option<String> {
    reader.is_file(path).then(|| path.to_owned())
}

/// The file NAME/PATH of a package: PATH in the folder that was given for NAME or in the robot's,
/// or either in one of the folders above it, the nearest first.
pub(super) fn packaged(reader: &Reader, rest: &str) -> Option<String> {
    /// Folders that are looked into, upwards.
    const LEVELS: usize = 10;
    let inner = rest.split_once('/').map_or(rest, |(_, inner)| inner);
    let shelf = &reader.files.shelf;
    let given =
        reader.files.packages.iter().filter(|(name, _)| rest.split('/').next() == Some(name));
    if let Some(path) = given.map(|(_, folder)| folder.join(inner)).find(|path| shelf.is_file(path))
    {
        return path.to_str().map(str::to_owned);
    }
    let folder = shelf.canonical(reader.folder.as_ref()?).ok()?;
    for (level, above) in folder.ancestors().take(LEVELS).enumerate() {
        for path in [inner, rest] {
            if shelf.is_file(&above.join(path)) {
                return Some(format!("{}{path}", "../".repeat(level)));
            }
        }
    }
    None
}

/// Colours of the robot's materials by name, as "#rrggbb".
pub(super) fn materials(reader: &mut Reader, robot: Node<'_, '_>) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for material in robot.descendants().filter(|n| n.has_tag_name("material")) {
        if let (Some(name), Some(color)) = (material.attribute("name"), child(material, "color"))
            && let Some(rgba) = super::xml::numbers(reader, color, "rgba")
            && let Some(hex) = hex(&rgba)
        {
            out.insert(name.to_owned(), hex);
        }
    }
    out
}

/// "#rrggbb" of numbers from 0 to 1.
pub(super) fn hex(rgba: &[f64]) -> Option<String> {
    let &[r, g, b, ..] = rgba else { return None };
    let [r, g, b] = [r, g, b].map(|x| (x.clamp(0.0, 1.0) * 255.0).round() as u8);
    Some(format!("#{r:02x}{g:02x}{b:02x}"))
}

/// One shape as it is, several as an array.
pub(super) fn together(mut shapes: Vec<Item>) -> Option<Value> {
    match shapes.len() {
        0 => None,
        1 => shapes.pop().map(|n| n.value),
        _ => Some(Value::Array(shapes)),
    }
}
