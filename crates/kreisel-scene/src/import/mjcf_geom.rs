//! Geoms of MJCF: shapes, and the mass of bodies that have no `<inertial>`.

use super::make::{Make, numbers};
use super::mjcf::Model;
use super::urdf_shape::hex;
use super::xml::{ignored, left_out, place, tag};
use crate::node::Node as Item;
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::{MassProperties, Quat, Vec3};
use kreisel_geometry::{Pose, Shape};
use roxmltree::Node;

/// Density of geoms that give none, kg/m³, as in MuJoCo.
const USUAL_DENSITY: f64 = 1000.0;

/// A geom in its body's frame.
pub(super) struct Geom {
    pub item: Item,
    pub color: Option<String>,
    /// The solid, if it is known before files are read.
    solid: Option<Shape>,
    pose: Pose,
    mass: Option<f64>,
    density: f64,
}

/// The rotation that turns z to a unit vector.
pub(super) fn to_z(z: Vec3) -> Quat {
    let cross = Vec3::Z.cross(z);
    let w = 1.0 + z.z;
    // Straight down: half a turn about x.
    if w < 1e-12 {
        Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)
    } else {
        Quat::from_xyzw(cross.x, cross.y, cross.z, w).normalize()
    }
}

/// Reads a geom.
pub(super) fn geom(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>, class: &str) -> Option<Geom> {
    let kind = model.attribute(node, class, "type").unwrap_or_else(|| {
        let mesh = model.attribute(node, class, "mesh").is_some();
        if mesh { "mesh" } else { "sphere" }.to_owned()
    });
    let mut pose = model.pose(reader, node, class);
    let mut size = model.numbers(reader, node, class, "size").unwrap_or_default();
    if let Some(ends) = model.numbers(reader, node, class, "fromto")
        && ends.len() == 6
    {
        let (a, b) = (Vec3::new(ends[0], ends[1], ends[2]), Vec3::new(ends[3], ends[4], ends[5]));
        pose = Pose::new((a + b) * 0.5, to_z((b - a).normalize_or(Vec3::Z)));
        size.truncate(1);
        size.push(a.distance(b) * 0.5);
    }
    let span = tag(node);
    let at = |k: usize| size.get(k).copied().unwrap_or(0.0);
    let mut make = Make::new(&span);
    let round = |key: &str, make: &mut Make| {
        make.put(key, numbers(&span, &[("radius", at(0)), ("height", 2.0 * at(1))]));
    };
    let solid = match kind.as_str() {
        "sphere" => {
            make.number("sphere", at(0));
            Some(Shape::Sphere { radius: at(0) })
        }
        "capsule" => {
            round("capsule", &mut make);
            Some(Shape::Capsule { radius: at(0), height: 2.0 * at(1) })
        }
        "cylinder" => {
            round("cylinder", &mut make);
            Some(Shape::Cylinder { radius: at(0), height: 2.0 * at(1) })
        }
        "box" => {
            let edges = 2.0 * Vec3::new(at(0), at(1), at(2));
            make.vector("box", edges);
            Some(Shape::Box { size: edges })
        }
        "ellipsoid" => {
            let radii = Vec3::new(at(0), at(1), at(2));
            make.vector("ellipsoid", radii);
            Some(Shape::Ellipsoid { radii })
        }
        "plane" => {
            make.put("half_space", Make::new(&span).done().value);
            None
        }
        "mesh" => {
            let name = model.attribute(node, class, "mesh").unwrap_or_default();
            let Some((file, scale, _)) = model.meshes.get(&name) else {
                reader.error(
                    Code::UnknownName,
                    &place(node, "mesh"),
                    format!("there is no mesh \"{name}\""),
                    "unknown",
                );
                return None;
            };
            if !reader.folder.as_ref().is_some_and(|f| f.join(file).is_file()) {
                let message = format!("the mesh \"{file}\" is not there: the geom is left out");
                reader.warn(Code::File, &span, message, "left out");
                return None;
            }
            make.text("mesh", file);
            if let Some(scale) = scale {
                make.vector("scale", *scale);
            }
            None
        }
        _ => {
            left_out(reader, node);
            return None;
        }
    };
    make.pose(&pose);
    if node.has_attribute("friction") {
        ignored(reader, node, "friction", "contact properties of models are not taken over");
    }
    let own = model.numbers(reader, node, class, "rgba").and_then(|c| hex(&c));
    let material = model.attribute(node, class, "material");
    let color = own.or_else(|| model.colors.get(material.as_deref()?).cloned());
    Some(Geom {
        item: make.done(),
        color,
        solid,
        pose,
        mass: model.number(reader, node, class, "mass"),
        density: model.number(reader, node, class, "density").unwrap_or(USUAL_DENSITY),
    })
}

/// Mass properties from geoms, each with its own mass or density.
pub(super) fn mass(reader: &mut Reader, node: Node<'_, '_>, geoms: &[Geom], fixed: bool, make: &mut Make) {
    if fixed {
        return;
    }
    if geoms.is_empty() {
        let message = "a body that moves has neither <inertial> nor <geom>";
        let help = "it is given 1 g and 1e-6 kg m²";
        reader.warn(Code::Physics, &tag(node), message, "without mass").help(help);
        make.number("mass", 1e-3).vector("center", Vec3::ZERO).vector("inertia", Vec3::splat(1e-6));
        return;
    }
    let mut sum: Option<MassProperties> = None;
    for geom in geoms {
        let one = geom.solid.as_ref().and_then(|s| {
            let density = match geom.mass {
                Some(mass) => mass / s.volume().ok()?,
                None => geom.density,
            };
            s.mass_properties(density).ok()
        });
        let Some(one) = one else {
            // A mesh: its volume is known only later. One mass or one density for all has to do.
            match geoms.iter().map(|g| g.mass).sum::<Option<f64>>() {
                Some(mass) => make.number("mass", mass),
                None => make.number("density", geom.density),
            };
            return;
        };
        let placed = one.transformed(geom.pose.position, geom.pose.rotation);
        sum = Some(sum.map_or(placed, |s| s.combined(placed)));
    }
    if let Some(m) = sum {
        make.number("mass", m.mass).vector("center", m.center).matrix("inertia", m.inertia);
    }
}
