//! Bodies of MJCF. A body without joints moves with its parent: both are one rigid body here, as
//! they are one to MuJoCo's contacts.

use super::make::Make;
use super::mjcf_contact;
use super::mjcf_geom::{self, Geom, after};
use super::mjcf_joint;
use super::mjcf_model::Model;
use super::xml::{child, elements, lost, lost_because, place, required, tag};
use crate::node::{Node as Item, Value};
use crate::problem::Code;
use crate::read::Reader;
use crate::source::Span;
use kreisel_dynamics::{MassProperties, Mat3, Vec3};
use kreisel_geometry::{MassError, Pose};
use roxmltree::Node;

/// Deepest nesting of bodies.
const MAX_DEPTH: usize = 200;

/// Mass of a link between two joints of one body, as a share of that body's: accelerations differ
/// by as much, and a solve loses as many digits. With 1e-8 a humanoid of 56 hinges is not stable.
const LIGHT: f64 = 1e-7;

/// The same where joints of the body have dry friction: with 1e-7 a gripper on six joints gained 4
/// J of 2 in a step, with 1e-6 it hit limits that were far away.
const LIGHT_WITH_FRICTION: f64 = 1e-5;

/// Attributes of bodies that are read or do not change the motion.
const KNOWN: [&str; 12] = [
    "childclass",
    "pos",
    "quat",
    "axisangle",
    "euler",
    "xyaxes",
    "zaxis",
    "gravcomp",
    "user",
    "sleep",
    "mocap",
    "id",
];

/// A rigid body: a body of the model with those that have no joints of their own.
pub(super) struct Carrier {
    pub name: String,
    pub span: Span,
    pub pose: Pose,
    /// Whether it stands still.
    pub fixed: bool,
    /// A geom of the world itself.
    pub of_world: bool,
    pub geoms: Vec<Geom>,
    /// Bodies of the model that brought geoms which collide.
    pub members: usize,
    pub mass: Option<MassProperties>,
    /// The rigid body that carries it.
    pub parent: Option<usize>,
    /// What it is a light link to.
    pub link_to: Option<LinkTo>,
}

/// A light link between two of several joints of a body.
#[derive(Clone, Copy)]
pub(super) struct LinkTo {
    /// The body.
    pub whole: usize,
    /// Anchor of the joint that carries the link, in the frame of the body.
    pub anchor: Vec3,
    /// Whether joints of the body have dry friction.
    pub rubs: bool,
}

impl Carrier {
    pub fn new(name: String, span: Span, pose: Pose, fixed: bool, parent: Option<usize>) -> Self {
        Self {
            name,
            span,
            pose,
            fixed,
            of_world: false,
            geoms: Vec::new(),
            members: 0,
            mass: None,
            parent,
            link_to: None,
        }
    }
}

/// A body of the model: the rigid body that it belongs to, and its pose in the world.
pub(super) struct Part {
    pub carrier: usize,
    pub pose: Pose,
}

/// Where the elements of a body are read.
struct Place {
    /// The rigid body that they belong to; none in the world.
    carrier: Option<usize>,
    pose: Pose,
}

/// What stands in a body, `<frame>` opened: element, pose of its frame in the body, class.
type Content<'a, 'i> = Vec<(Node<'a, 'i>, Pose, String)>;

/// Reads the world's geoms and bodies.
pub(super) fn world(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) {
    let class = node.attribute("childclass").unwrap_or("main");
    let place = Place { carrier: None, pose: Pose::IDENTITY };
    let mut content = Vec::new();
    open(reader, node, model, (&Pose::IDENTITY, class), &mut content, 0);
    for (inner, frame, class) in &content {
        match inner.tag_name().name() {
            "body" => body(reader, *inner, model, &place, (frame, class), 0),
            "geom" => world_geom(reader, *inner, model, frame, class),
            "site" => model.site(*inner, None, frame),
            _ => {}
        }
    }
}

/// Lists what stands in a body, with frames opened, and names what is not read.
fn open<'a, 'i>(
    reader: &mut Reader,
    node: Node<'a, 'i>,
    model: &Model<'_>,
    (frame, class): (&Pose, &str),
    out: &mut Content<'a, 'i>,
    depth: usize,
) {
    for inner in elements(node) {
        match inner.tag_name().name() {
            "frame" if depth < MAX_DEPTH => {
                let class = inner.attribute("childclass").unwrap_or(class);
                let pose = after(frame, &model.pose(reader, inner, class));
                open(reader, inner, model, (&pose, class), out, depth + 1);
            }
            "body" | "geom" | "joint" | "freejoint" => out.push((inner, *frame, class.to_owned())),
            "inertial" => {}
            // They are seen, see, or are seen through.
            "site" => {
                let pose = after(frame, &model.pose(reader, inner, class));
                out.push((inner, pose, class.to_owned()));
            }
            "camera" | "light" => {}
            "attach" | "composite" | "flexcomp" => {
                lost_because(reader, inner, "what it would make is missing");
            }
            _ => lost(reader, inner),
        }
    }
}

/// A geom of the world: a body of its own that stands still.
fn world_geom(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    frame: &Pose,
    class: &str,
) {
    let Some(geom) = mjcf_geom::geom(reader, node, model, class, frame) else { return };
    let given = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("geom"));
    let name = model.items.claim(&given, "geom");
    model.carriers.push(Carrier {
        name,
        span: tag(node),
        pose: Pose::IDENTITY,
        fixed: true,
        of_world: true,
        geoms: vec![geom],
        members: 1,
        mass: None,
        parent: None,
        link_to: None,
    });
}

fn body(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    parent: &Place,
    (frame, class): (&Pose, &str),
    depth: usize,
) {
    if depth > MAX_DEPTH {
        reader.error(
            Code::TooLarge,
            &tag(node),
            format!("bodies are nested deeper than {MAX_DEPTH}"),
            "too deep",
        );
        return;
    }
    // Its pose, and what stands in it.
    let class = node.attribute("childclass").unwrap_or(class);
    let pose = after(&after(&parent.pose, frame), &model.pose(reader, node, class));
    let mut content = Vec::new();
    open(reader, node, model, (&Pose::IDENTITY, class), &mut content, 0);
    model.unread(reader, node, class, &KNOWN, "it has no counterpart here");
    let joints: Vec<(Node<'_, '_>, Pose, String)> = content
        .iter()
        .filter(|(n, ..)| matches!(n.tag_name().name(), "joint" | "freejoint"))
        .cloned()
        .collect();
    let given = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("body"));

    // The rigid body that it belongs to: that of its parent if it moves and has no joint, or one of
    // its own.
    let still = |c: Option<usize>, model: &Model<'_>| c.is_none_or(|c| model.carriers[c].fixed);
    let own = match parent.carrier {
        Some(carrier) if joints.is_empty() && !still(parent.carrier, model) => carrier,
        _ => {
            let fixed = joints.is_empty();
            let name = model.items.claim(&given, "body");
            let span = place(node, "name");
            model.carriers.push(Carrier::new(name, span, pose, fixed, parent.carrier));
            model.carriers.len() - 1
        }
    };
    model.parts.insert(given, Part { carrier: own, pose });
    let base = model.carriers[own].pose;
    let local = if base == pose { Pose::IDENTITY } else { pose.seen_from(&base) };

    // Sites, shapes and masses.
    for (inner, frame, _) in content.iter().filter(|(n, ..)| n.has_tag_name("site")) {
        model.site(*inner, Some(own), &after(&pose, frame));
    }
    let mut geoms = Vec::new();
    for (inner, frame, class) in content.iter().filter(|(n, ..)| n.has_tag_name("geom")) {
        geoms.extend(mjcf_geom::geom(reader, *inner, model, class, &after(&local, frame)));
    }
    let fixed = model.carriers[own].fixed;
    let inertial =
        child(node, "inertial").filter(|_| model.compiler.inertia_from_geom != Some(true));
    let mass = match inertial {
        _ if fixed => None,
        Some(inertial) => self::inertial(reader, inertial, model, class).map(|m| {
            if local == Pose::IDENTITY { m } else { m.transformed(local.position, local.rotation) }
        }),
        None if model.compiler.inertia_from_geom == Some(false) => None,
        None => mjcf_geom::mass(reader, &geoms, model),
    };
    let mass = mass.map(|m| bounded(m, model));
    if let Some(mass) = mass {
        lifted(reader, node, model, own, &mass);
    }
    let carrier = &mut model.carriers[own];
    carrier.members += usize::from(geoms.iter().any(|g| g.bits != (0, 0)));
    carrier.geoms.extend(geoms);
    carrier.mass = match (carrier.mass, mass) {
        (Some(a), Some(b)) => Some(a.combined(b)),
        (a, b) => a.or(b),
    };

    // Its joints, and the bodies inside it.
    if !joints.is_empty() {
        mjcf_joint::joints(reader, node, &joints, model, own);
    }
    let here = Place { carrier: Some(own), pose };
    for (inner, frame, class) in content.iter().filter(|(n, ..)| n.has_tag_name("body")) {
        body(reader, *inner, model, &here, (frame, class), depth + 1);
    }
}

/// `<inertial>`: mass, centre and inertia in the frame of the body.
fn inertial(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &Model<'_>,
    class: &str,
) -> Option<MassProperties> {
    let pose = model.pose(reader, node, class);
    let Some(mass) = model.number(reader, node, class, "mass") else {
        required(reader, node, "mass");
        return None;
    };
    let local = if let Some(d) = model.vector(reader, node, class, "diaginertia") {
        Mat3::from_diagonal(d)
    } else {
        match model.numbers(reader, node, class, "fullinertia").as_deref() {
            Some(&[xx, yy, zz, xy, xz, yz]) => {
                Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
            }
            _ => Mat3::ZERO,
        }
    };
    let r = Mat3::from_quat(pose.rotation);
    let inertia = if r == Mat3::IDENTITY { local } else { r * local * r.transpose() };
    Some(MassProperties { mass, center: pose.position, inertia })
}

/// What `boundmass`, `boundinertia` and `balanceinertia` of the compiler make of a mass.
fn bounded(mut m: MassProperties, model: &Model<'_>) -> MassProperties {
    m.mass = m.mass.max(model.compiler.least_mass);
    let (mut moments, turn) = m.principal();
    let axes = Mat3::from_quat(turn);
    let mut changed = false;
    if moments.min_element() < model.compiler.least_inertia {
        moments = moments.max(Vec3::splat(model.compiler.least_inertia));
        changed = true;
    }
    if model.compiler.balance && matches!(m.check(), Err(MassError::Triangle(..))) {
        moments = Vec3::splat(moments.element_sum() / 3.0);
        changed = true;
    }
    if changed {
        m.inertia = axes * Mat3::from_diagonal(moments) * axes.transpose();
    }
    m
}

/// `gravcomp`: a share of the weight that is lifted, as a force at the centre of mass.
fn lifted(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    carrier: usize,
    mass: &MassProperties,
) {
    let share = super::xml::number(reader, node, "gravcomp").unwrap_or(0.0);
    if share == 0.0 || model.gravity == Vec3::ZERO {
        return;
    }
    let mut force = Make::new(&place(node, "gravcomp"));
    force
        .text("body", &model.carriers[carrier].name)
        .vector("force", -share * mass.mass * model.gravity);
    force.vector("at", mass.center);
    model.items.force.push(force.done());
}

/// Masses of bodies that have none, of the whole model, and of light links.
fn weights(reader: &mut Reader, model: &mut Model<'_>) {
    for k in 0..model.carriers.len() {
        let carrier = &model.carriers[k];
        if carrier.fixed || carrier.mass.is_some() || carrier.link_to.is_some() {
            continue;
        }
        let message = "a body that moves has neither <inertial> nor a <geom> with mass";
        let help = "it is given 1 g and 1e-6 kg m²";
        reader.warn(Code::Physics, &carrier.span, message, "without mass").help(help);
        model.carriers[k].mass = Some(MassProperties {
            mass: 1e-3,
            center: Vec3::ZERO,
            inertia: Mat3::from_diagonal(Vec3::splat(1e-6)),
        });
    }

    // The whole model is scaled before light links are made of it.
    if let Some(wanted) = model.compiler.total_mass {
        let sum: f64 = model.carriers.iter().filter_map(|c| c.mass.map(|m| m.mass)).sum();
        let scale = wanted / sum;
        for m in model.carriers.iter_mut().filter_map(|c| c.mass.as_mut()).filter(|_| sum > 0.0) {
            (m.mass, m.inertia) = (m.mass * scale, m.inertia * scale);
        }
    }
    for k in 0..model.carriers.len() {
        let Some(LinkTo { whole, anchor, rubs }) = model.carriers[k].link_to else { continue };
        let Some(whole) = model.carriers[whole].mass else { continue };
        let share = if rubs { LIGHT_WITH_FRICTION } else { LIGHT };
        let moments = whole.inertia.x_axis.x + whole.inertia.y_axis.y + whole.inertia.z_axis.z;
        model.carriers[k].mass = Some(MassProperties {
            mass: share * whole.mass,
            center: anchor,
            inertia: Mat3::from_diagonal(Vec3::splat(share * moments / 3.0)),
        });
    }
}

/// Makes the bodies, now that all that they carry and meet is known.
pub(super) fn finish(reader: &mut Reader, model: &mut Model<'_>, scene: &mut Make) {
    weights(reader, model);
    mjcf_contact::pairs(reader, model);
    let groups = mjcf_contact::groups(reader, model);
    let carriers = std::mem::take(&mut model.carriers);
    for (carrier, groups) in carriers.iter().zip(&groups) {
        let mut make = Make::new(&carrier.span);
        make.text("name", &carrier.name).pose(&carrier.pose);
        match carrier.mass {
            _ if carrier.fixed => {
                make.text("kind", "static");
            }
            Some(m) => {
                make.number("mass", m.mass).vector("center", m.center).matrix("inertia", m.inertia);
            }
            None => {}
        }
        if let Some(color) = carrier.geoms.iter().find_map(|g| g.color.clone()) {
            make.text("color", &color);
        }
        shapes(carrier, groups, &mut make);
        groups.put(&mut make);
        model.items.body.push(make.done());
    }
    mjcf_contact::rule(&carriers, scene);
    model.carriers = carriers;
    fluid(model);
}

/// Drag of the fluid on every body that moves; light links are none of the model's bodies.
fn fluid(model: &mut Model<'_>) {
    let (density, viscosity, wind) = model.fluid;
    if density == 0.0 && viscosity == 0.0 {
        return;
    }
    for carrier in model.carriers.iter().filter(|c| !c.fixed && c.link_to.is_none()) {
        let mut connector = Make::new(&carrier.span);
        connector.text("body", &carrier.name);
        let name = model.items.claim(&format!("{} drag", carrier.name), "controller");
        let mut make = Make::new(&carrier.span);
        make.text("name", &name).text("type", "drag");
        make.put("connectors", Value::Array(vec![connector.done()]));
        make.number("density", density).number("viscosity", viscosity);
        if wind != Vec3::ZERO {
            make.vector("wind", wind);
        }
        model.items.controller.push(make.done());
    }
}

/// The shape that collides, and the one that is seen where it is another.
fn shapes(carrier: &Carrier, groups: &mjcf_contact::Groups, make: &mut Make) {
    let meets: Vec<bool> = carrier.geoms.iter().map(|g| groups.meets(g.bits)).collect();
    let solid: Vec<Item> = carrier
        .geoms
        .iter()
        .zip(&meets)
        .filter(|(_, m)| **m)
        .map(|(g, _)| g.solid.clone())
        .collect();
    // Geoms for the eye only stand for those of the groups that MuJoCo does not show (3 and above).
    let all = meets.iter().all(|m| *m);
    let seen: Vec<Item> = carrier
        .geoms
        .iter()
        .zip(&meets)
        .filter(|(g, m)| all || !**m || g.group < 3.0)
        .map(|(g, _)| g.look.clone().unwrap_or_else(|| g.solid.clone()))
        .collect();
    let differs = !all || carrier.geoms.iter().any(|g| g.look.is_some());
    if let Some(shape) = super::urdf_shape::together(solid) {
        make.put("shape", shape);
    }
    if differs && let Some(display) = super::urdf_shape::together(seen) {
        make.put("display", display);
    }
}
