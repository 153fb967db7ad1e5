//! Geometry of URDF links.

use super::make::Make;
use super::xml::{child, left_out, number, place, required, tag, vector};
use crate::node::{Node as Item, Value};
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::{Mat3, Quat, Vec3, math};
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

/// Mass, pose of the centre of mass and inertia along the link's axes.
pub(super) fn inertial(reader: &mut Reader, link: Node<'_, '_>) -> Option<(f64, Vec3, Mat3)> {
    let node = child(link, "inertial")?;
    let pose = origin(reader, node);
    let mass = child(node, "mass").and_then(|m| number(reader, m, "value"))?;
    let mut j = [0.0; 6];
    if let Some(inertia) = child(node, "inertia") {
        for (x, key) in j.iter_mut().zip(["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]) {
            *x = number(reader, inertia, key).unwrap_or(0.0);
        }
    }
    let [xx, xy, xz, yy, yz, zz] = j;
    let local = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    let r = Mat3::from_quat(pose.rotation);
    Some((mass, pose.position, r * local * r.transpose()))
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
            let (radius, height) = (number(reader, solid, "radius")?, number(reader, solid, "length")?);
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
    let own = origin(reader, node);
    let pose = if *link == Pose::IDENTITY { own } else { link.then(&own) };
    make.pose(&pose);
    Some(make.done())
}

/// The path of a mesh, beside the robot's file. One that cannot be read is left out with a warning: the robot moves
/// without it.
fn mesh_file(reader: &mut Reader, node: Node<'_, '_>, name: &str) -> Option<String> {
    let path = match name.split_once("://") {
        Some(("package" | "model", rest)) => rest.split_once('/').map_or(rest, |(_, r)| r),
        Some(("file", rest)) => rest,
        _ => name,
    };
    let ending = path.rsplit_once('.').map_or("", |(_, e)| e);
    let readable = kreisel_geometry::mesh::read::Format::from_extension(ending).is_some();
    let there = reader.folder.as_ref().is_some_and(|f| f.join(path).is_file());
    if readable && there {
        return Some(path.to_owned());
    }
    let message = if readable {
        format!("the mesh \"{name}\" is not there: the part is left out")
    } else {
        format!("the mesh \"{name}\" is of a kind that is not read: the part is left out")
    };
    let help = "meshes are looked for from the folder of the robot's file (package://NAME/ stands for it): .obj, .stl, .gltf, .glb";
    reader.warn(Code::File, &place(node, "filename"), message, "left out").help(help);
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
