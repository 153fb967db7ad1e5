//! Poses, geometry and masses of SDF, whose numbers stand between the tags.

use super::make::{Make, numbers};
use super::urdf_shape::mesh_file;
use super::xml::{child, left_out, lost, tag};
use crate::node::{Node as Item, Value};
use crate::problem::Code;
use crate::read::Reader;
use crate::source::Span;
use kreisel_dynamics::{MassProperties, Mat3, Quat, Vec3, math};
use kreisel_geometry::Pose;
use roxmltree::Node;

/// The text of a child element.
pub(super) fn text<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name).and_then(|n| n.text()).map(str::trim)
}

/// The numbers in a child element.
pub(super) fn list(reader: &mut Reader, node: Node<'_, '_>, name: &str) -> Option<Vec<f64>> {
    let inner = child(node, name)?;
    let mut out = Vec::new();
    for word in inner.text().unwrap_or_default().split_whitespace() {
        match word.parse::<f64>() {
            // SDF writes "inf" for what has no bound
            Ok(x) if !x.is_nan() => out.push(x),
            _ => {
                let message = format!("`{word}` in <{name}> is not a number");
                reader.error(Code::WrongValue, &tag(inner), message, "not a number");
                return None;
            }
        }
    }
    Some(out)
}

/// One number.
pub(super) fn number(reader: &mut Reader, node: Node<'_, '_>, name: &str) -> Option<f64> {
    list(reader, node, name)?.first().copied()
}

/// Three numbers.
pub(super) fn vector(reader: &mut Reader, node: Node<'_, '_>, name: &str) -> Option<Vec3> {
    let found = list(reader, node, name)?;
    if let [x, y, z] = found[..] {
        return Some(Vec3::new(x, y, z));
    }
    let at = child(node, name).unwrap_or(node);
    let message = format!("<{name}> takes three numbers, here are {}", found.len());
    reader.error(Code::WrongValue, &tag(at), message, "wrong number of values");
    None
}

/// `<pose>`: x, y, z, roll, pitch, yaw; or a quaternion x, y, z, w.
pub(super) fn pose(reader: &mut Reader, node: Node<'_, '_>) -> Pose {
    let Some(given) = child(node, "pose") else { return Pose::IDENTITY };
    let found = list(reader, node, "pose").unwrap_or_default();
    let unit = |x: f64| {
        if given.attribute("degrees") == Some("true") { x.to_radians() } else { x }
    };
    match found[..] {
        [] => Pose::IDENTITY,
        [x, y, z, i, j, k, w] => {
            Pose::new(Vec3::new(x, y, z), Quat::from_xyzw(i, j, k, w).normalize())
        }
        [x, y, z, roll, pitch, yaw] => {
            let turn = |axis: Vec3, angle: f64| math::rotation(axis * unit(angle));
            let q = turn(Vec3::Z, yaw) * turn(Vec3::Y, pitch) * turn(Vec3::X, roll);
            Pose::new(Vec3::new(x, y, z), q.normalize())
        }
        _ => {
            let message = format!("<pose> takes six numbers, here are {}", found.len());
            reader.error(Code::WrongValue, &tag(given), message, "wrong number of values");
            Pose::IDENTITY
        }
    }
}

/// Mass, centre and inertia of a link; what is not given is 1 kg and 1 kg m², as SDF says.
pub(super) fn inertial(reader: &mut Reader, link: Node<'_, '_>) -> MassProperties {
    let (mut mass, mut center) = (1.0, Pose::IDENTITY);
    let mut j = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
    if let Some(node) = child(link, "inertial") {
        center = pose(reader, node);
        mass = number(reader, node, "mass").unwrap_or(1.0);
        if let Some(inertia) = child(node, "inertia") {
            for (x, key) in j.iter_mut().zip(["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]) {
                *x = number(reader, inertia, key).unwrap_or(*x);
            }
        }
    }
    let [xx, xy, xz, yy, yz, zz] = j;
    let local =
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    let r = Mat3::from_quat(center.rotation);
    MassProperties { mass, center: center.position, inertia: r * local * r.transpose() }
}

/// The shape of a `<visual>` or `<collision>` in the frame of its link.
pub(super) fn shape(reader: &mut Reader, node: Node<'_, '_>, span: &Span) -> Option<Item> {
    let solid = child(node, "geometry")?.children().find(Node::is_element)?;
    let own = pose(reader, node);
    let mut make = Make::new(span);
    let mut turn = Quat::IDENTITY;
    match solid.tag_name().name() {
        "empty" => return None,
        "box" => {
            make.vector("box", vector(reader, solid, "size")?);
        }
        "sphere" => {
            make.number("sphere", number(reader, solid, "radius")?);
        }
        kind @ ("cylinder" | "capsule") => {
            let (radius, height) =
                (number(reader, solid, "radius")?, number(reader, solid, "length")?);
            make.put(kind, numbers(span, &[("radius", radius), ("height", height)]));
        }
        "ellipsoid" => {
            make.vector("ellipsoid", vector(reader, solid, "radii")?);
        }
        "plane" => {
            make.put("half_space", Value::Table(Make::new(span).table()));
            let normal = vector(reader, solid, "normal").unwrap_or(Vec3::Z);
            turn = super::mjcf_geom::to_z(normal.normalize_or(Vec3::Z));
        }
        "mesh" => {
            let name = text(solid, "uri")?;
            let at = child(solid, "uri").unwrap_or(solid);
            make.text("mesh", &mesh_file(reader, at, name)?);
            if let Some(scale) = vector(reader, solid, "scale") {
                make.vector("scale", scale);
            }
        }
        _ if node.has_tag_name("visual") => {
            left_out(reader, solid);
            return None;
        }
        _ => {
            lost(reader, solid);
            return None;
        }
    }
    make.pose(&Pose::new(own.position, own.rotation * turn));
    Some(make.done())
}

/// Colour of a visual as "#rrggbb".
pub(super) fn color(reader: &mut Reader, visual: Node<'_, '_>) -> Option<String> {
    let material = child(visual, "material")?;
    super::urdf_shape::hex(&list(reader, material, "diffuse")?)
}
