//! Geoms of MJCF: shapes, and the mass of bodies that have no `<inertial>`.

use super::make::{Make, numbers};
use super::mjcf_contact::Bits;
use super::mjcf_mesh::fitted;
use super::mjcf_model::Model;
use super::urdf_shape::hex;
use super::xml::{ignored, lost, lost_because, place, tag};
use crate::node::Node as Item;
use crate::problem::Code;
use crate::read::Reader;
use crate::source::Span;
use kreisel_dynamics::{MassProperties, Quat, Vec3};
use kreisel_geometry::{Pose, Shape};
use roxmltree::Node;

/// Density of geoms that give none, kg/m³, as in MuJoCo.
const USUAL_DENSITY: f64 = 1000.0;

/// Sliding friction, and lever arms (m) against spinning and rolling, of geoms that give none, as
/// in MuJoCo.
const USUAL_FRICTION: [f64; 3] = [1.0, 0.005, 0.0001];

/// Attributes that are read, or that say only how a geom looks or is called.
const KNOWN: [&str; 27] = [
    "type",
    "hfield",
    "size",
    "fromto",
    "pos",
    "quat",
    "axisangle",
    "euler",
    "xyaxes",
    "zaxis",
    "mesh",
    "mass",
    "density",
    "rgba",
    "material",
    "group",
    "contype",
    "conaffinity",
    "friction",
    "condim",
    "fitscale",
    "user",
    "solref",
    "solimp",
    "margin",
    "gap",
    "priority",
];

/// A geom in the frame of the body that carries it.
pub(super) struct Geom {
    /// The shape that collides.
    pub solid: Item,
    /// The shape that is seen, if it is another one.
    pub look: Option<Item>,
    pub span: Span,
    pub color: Option<String>,
    pub group: f64,
    /// Bits of what it is and what it meets: two geoms meet if one's `contype` has a bit of the
    /// other's `conaffinity`.
    pub bits: Bits,
    /// Its name in the model.
    pub name: Option<String>,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// Frictionless against others of its kind.
    pub smooth: bool,
    /// Resistance to spinning and to rolling as lever arms, m.
    pub arms: [f64; 2],
    /// What gives the mass: a solid, or the name of a mesh.
    weight: Weight,
    pub pose: Pose,
    mass: Option<f64>,
    density: f64,
}

enum Weight {
    Solid(Shape),
    Mesh(String),
    None,
}

impl Geom {
    /// Its shape if it is a primitive.
    pub fn solid_shape(&self) -> Option<&Shape> {
        if let Weight::Solid(shape) = &self.weight { Some(shape) } else { None }
    }
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

/// One pose after another; the identity changes nothing, not even by rounding.
pub(super) fn after(outer: &Pose, inner: &Pose) -> Pose {
    if *inner == Pose::IDENTITY {
        *outer
    } else if *outer == Pose::IDENTITY {
        *inner
    } else {
        outer.then(inner)
    }
}

/// Reads a geom of a frame that lies at `frame` in the body.
pub(super) fn geom(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    class: &str,
    frame: &Pose,
) -> Option<Geom> {
    // What it is, where, and how large.
    let mesh = model.attribute(node, class, "mesh");
    let kind = model
        .attribute(node, class, "type")
        .unwrap_or_else(|| if mesh.is_some() { "mesh" } else { "sphere" }.to_owned());
    let mut pose = model.pose(reader, node, class);
    let mut size = model.numbers(reader, node, class, "size").unwrap_or_default();
    if let Some(ends) = model.numbers(reader, node, class, "fromto")
        && ends.len() == 6
    {
        let (a, b) = (Vec3::new(ends[0], ends[1], ends[2]), Vec3::new(ends[3], ends[4], ends[5]));
        pose = Pose::new((a + b) * 0.5, to_z((b - a).normalize_or(Vec3::Z)));
        let half = a.distance(b) * 0.5;
        let radius = size.first().copied().unwrap_or(0.0);
        size = match kind.as_str() {
            "box" | "ellipsoid" => vec![radius, radius, half],
            _ => vec![radius, half],
        };
    }
    // A primitive that names a mesh is fitted to it.
    if let Some(mesh) =
        mesh.as_deref().filter(|_| !matches!(kind.as_str(), "mesh" | "sdf" | "plane" | "hfield"))
    {
        let reference = model.meshes.find(reader, node, mesh)?.frame;
        let solid = model.meshes.solid(reader, mesh)?;
        let (found, local) = fitted(&solid, &kind, model.compiler.fit_box);
        let scale = model.number(reader, node, class, "fitscale").unwrap_or(1.0);
        size = found.into_iter().map(|x| x * scale).collect();
        pose = after(&pose, &after(&reference, &local));
    }
    let mut pose = after(frame, &pose);

    // The shape.
    let span = tag(node);
    let at = |k: usize| size.get(k).copied().unwrap_or(0.0);
    let mut make = Make::new(&span);
    let mut look = None;
    let round = |key: &str, make: &mut Make| {
        make.put(key, numbers(&span, &[("radius", at(0)), ("height", 2.0 * at(1))]));
    };
    let weight = match kind.as_str() {
        "sphere" => {
            make.number("sphere", at(0));
            Weight::Solid(Shape::Sphere { radius: at(0) })
        }
        "capsule" => {
            round("capsule", &mut make);
            Weight::Solid(Shape::Capsule { radius: at(0), height: 2.0 * at(1) })
        }
        "cylinder" => {
            round("cylinder", &mut make);
            Weight::Solid(Shape::Cylinder { radius: at(0), height: 2.0 * at(1) })
        }
        "box" => {
            let edges = 2.0 * Vec3::new(at(0), at(1), at(2));
            make.vector("box", edges);
            Weight::Solid(Shape::Box { size: edges })
        }
        "ellipsoid" => {
            let radii = Vec3::new(at(0), at(1), at(2));
            make.vector("ellipsoid", radii);
            Weight::Solid(Shape::Ellipsoid { radii })
        }
        "plane" => {
            make.put("half_space", Make::new(&span).done().value);
            Weight::None
        }
        "mesh" => {
            let name = mesh.unwrap_or_default();
            let found = model.meshes.find(reader, node, &name)?;
            pose = after(&pose, &found.frame);
            found.hull(&mut make);
            let mut seen = Make::new(&span);
            found.look(&mut seen);
            seen.pose(&pose);
            look = Some(seen.done());
            Weight::Mesh(name)
        }
        "hfield" => {
            let name = model.attribute(node, class, "hfield").unwrap_or_default();
            let Some(terrain) = model.terrains.get(&name) else {
                lost_because(reader, node, "its terrain is not read");
                return None;
            };
            let (value, corner) = terrain.shape(&span);
            make.put("height_field", value);
            pose = after(&pose, &corner);
            Weight::None
        }
        _ => {
            lost(reader, node);
            return None;
        }
    };
    make.pose(&pose);

    // Contact and looks.
    let bits = |reader: &mut Reader, model: &Model<'_>, name: &str| {
        let text = model.attribute(node, class, name)?;
        let bits = text.trim().parse::<i64>().ok();
        if bits.is_none() {
            let message = format!("{name} = \"{text}\" is not a whole number");
            reader.error(Code::WrongValue, &place(node, name), message, "not a number");
        }
        bits.map(|b| u128::from(b as u32))
    };
    let bits = (
        bits(reader, model, "contype").unwrap_or(1),
        bits(reader, model, "conaffinity").unwrap_or(1),
    );
    let own = model.numbers(reader, node, class, "rgba").and_then(|c| hex(&c));
    let material = model.attribute(node, class, "material");
    let color = own.or_else(|| model.colors.get(material.as_deref()?).cloned());
    let condim = model.number(reader, node, class, "condim").unwrap_or(3.0);
    model.unread(reader, node, class, &KNOWN, "it has no counterpart here");
    if bits != (0, 0) {
        softness(reader, node, model, class);
    }
    let friction = model.numbers(reader, node, class, "friction").unwrap_or_default();
    let coefficient = |k: usize| friction.get(k).copied().unwrap_or(USUAL_FRICTION[k]);
    let spinning = if condim >= 4.0 { coefficient(1) } else { 0.0 };
    let rolling = if condim >= 6.0 { coefficient(2) } else { 0.0 };
    Some(Geom {
        name: node.attribute("name").map(str::to_owned),
        solid: make.done(),
        look,
        color,
        group: model.number(reader, node, class, "group").unwrap_or(0.0),
        bits,
        friction: coefficient(0),
        smooth: condim == 1.0,
        arms: [spinning, rolling],
        weight,
        pose,
        mass: model.number(reader, node, class, "mass"),
        density: model.number(reader, node, class, "density").unwrap_or(USUAL_DENSITY),
        span,
    })
}

/// Names what contact in MuJoCo knows and contact here does not.
fn softness(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>, class: &str) {
    let given = |name: &str| model.attribute(node, class, name).is_some();
    for name in ["solref", "solimp", "margin", "gap"] {
        if given(name) {
            ignored(reader, node, name, "contact is rigid here");
        }
    }
    if given("priority") {
        ignored(reader, node, "priority", "of two coefficients of friction the larger one counts");
    }
}

/// Mass properties of geoms in the frame of their body; none if nothing gives mass.
pub(super) fn mass(
    reader: &mut Reader,
    geoms: &[Geom],
    model: &mut Model<'_>,
) -> Option<MassProperties> {
    let [low, high] = model.compiler.inertia_groups;
    let mut sum: Option<MassProperties> = None;
    for geom in geoms.iter().filter(|g| g.group >= low && g.group <= high) {
        if geom.mass == Some(0.0) || geom.mass.is_none() && geom.density == 0.0 {
            continue;
        }
        // at a density of 1
        let whole = match &geom.weight {
            Weight::Solid(shape) => shape.mass_properties(1.0).ok(),
            Weight::Mesh(name) => model.meshes.solid(reader, name).map(|s| s.mass),
            Weight::None => None,
        };
        let one = whole.map(|w| {
            let density = geom.mass.map_or(geom.density, |mass| mass / w.mass);
            MassProperties { mass: w.mass * density, inertia: w.inertia * density, ..w }
        });
        let Some(one) = one else { continue };
        let placed = one.transformed(geom.pose.position, geom.pose.rotation);
        sum = Some(sum.map_or(placed, |s| s.combined(placed)));
    }
    sum
}
