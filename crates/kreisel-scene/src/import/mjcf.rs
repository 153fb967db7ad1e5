//! MJCF: bodies, joints, geoms, actuators and equalities of a model.
//!
//! | MJCF | here |
//! |---|---|
//! | `<include>` | the elements of the other file; see `include` |
//! | `<body>` without joints | part of the body that carries it, or of the world's bodies that stand still |
//! | hinge, slide, ball, free; several on one body | hinge, slider, ball, nothing; see `mjcf_joint` |
//! | damping, stiffness, springref, armature, frictionloss, range | the joint's own, limits |
//! | `contype`, `conaffinity`, `<exclude>`, sliding friction | groups, friction; see `mjcf_contact` |
//! | `<motor>`, `<position>`, `<velocity>`, `<general>` | what control 0 gives; see `mjcf_actuator` |
//! | `<connect>`, `<weld>`, `<joint>` of `<equality>` | ball and fixed joint, coupling |
//! | `<sensor>` | sensors; see `mjcf_sensor` |
//! | `gravcomp` | a force against the weight |
//! | `<default>`, `class`, `childclass`; degrees unless `<compiler angle="radian">` | taken into account |
//!
//! What MuJoCo would read and Kreisel does not is named in a warning, once for each kind with the
//! number of places.

use super::make::Make;
use super::mjcf_model::Model;
use super::xml::{elements, left_out_because, place, tag};
use super::{
    mjcf_actuator, mjcf_body, mjcf_contact, mjcf_key, mjcf_mesh, mjcf_sensor, mjcf_tendon,
};
use crate::node::Table;
use crate::problem::Code;
use crate::read::Reader;
use roxmltree::Node;

/// Step of MuJoCo where the model gives none, s.
const USUAL_STEP: f64 = 0.002;

/// The tree of a model.
pub(super) fn tree<'a>(reader: &mut Reader, root: Node<'a, '_>) -> Option<Table> {
    let before = reader.errors();
    let mut model = Model::new(reader, root);
    let mut scene = Make::new(&tag(root));
    scene.text("title", root.attribute("model").unwrap_or("a model"));
    world(reader, root, &mut model, &mut scene);

    // Kind after kind: sections may stand in any order and several times.
    let sections = |name: &'static str| elements(root).filter(move |n| n.has_tag_name(name));
    sections("asset").for_each(|n| mjcf_mesh::assets(reader, n, &mut model));
    sections("worldbody").for_each(|n| mjcf_body::world(reader, n, &mut model));
    sections("contact").flat_map(elements).for_each(|n| mjcf_contact::read(reader, n, &mut model));
    mjcf_body::finish(reader, &mut model, &mut scene);
    model.time_springs();
    let used: Vec<&str> = ["actuator", "equality"]
        .into_iter()
        .flat_map(sections)
        .flat_map(elements)
        .flat_map(|n| {
            ["tendon", "tendon1", "tendon2"].into_iter().filter_map(move |key| n.attribute(key))
        })
        .collect();
    sections("tendon")
        .flat_map(elements)
        .for_each(|n| mjcf_tendon::read(reader, n, &mut model, &used));
    sections("actuator")
        .flat_map(elements)
        .for_each(|n| mjcf_actuator::read(reader, n, &mut model));
    sections("equality").flat_map(elements).for_each(|n| equality(reader, n, &mut model));
    sections("sensor").flat_map(elements).for_each(|n| mjcf_sensor::read(reader, n, &mut model));
    sections("keyframe").flat_map(elements).for_each(|n| mjcf_key::read(reader, n, &mut model));
    for node in elements(root) {
        match node.tag_name().name() {
            "asset" | "worldbody" | "contact" | "actuator" | "equality" | "compiler"
            | "default" | "option" | "tendon" | "keyframe" | "sensor" => {}
            // They say how a model is shown, and how much memory it takes.
            "size" | "visual" | "statistic" | "custom" => {}
            _ => super::xml::lost(reader, node),
        }
    }
    std::mem::take(&mut model.items).into_scene(&mut scene);
    reader.robot = Some(std::mem::take(&mut model.robot));
    (reader.errors() == before).then(|| scene.table())
}

/// `<option>`: step, gravity, and what is switched off.
fn world(reader: &mut Reader, root: Node<'_, '_>, model: &mut Model<'_>, scene: &mut Make) {
    let all: Vec<Node<'_, '_>> = elements(root).filter(|n| n.has_tag_name("option")).collect();
    let with = |name: &str| all.iter().rev().copied().find(|n| n.has_attribute(name));
    let span = all.last().map_or_else(|| tag(root), |n| tag(*n));
    let mut world = Make::new(&span);
    let step = with("timestep").and_then(|o| super::xml::number(reader, o, "timestep"));
    world.number("step", step.unwrap_or(USUAL_STEP));
    let mut given = with("gravity").and_then(|o| super::xml::vector(reader, o, "gravity"));
    for node in &all {
        if node.attribute("impratio").is_some_and(|v| v != "1") {
            super::xml::ignored(reader, *node, "impratio", "contact is rigid here");
        }
        let mut one = |name| super::xml::number(reader, *node, name);
        let (density, viscosity) = (one("density"), one("viscosity"));
        let wind = super::xml::vector(reader, *node, "wind");
        let (d, v, w) = &mut model.fluid;
        (*d, *v) = (density.unwrap_or(*d), viscosity.unwrap_or(*v));
        *w = wind.unwrap_or(*w);
        for flag in elements(*node)
            .filter(|n| n.has_tag_name("flag"))
            .flat_map(|n| n.attributes().map(move |a| (n, a)))
        {
            match (flag.1.name(), flag.1.value()) {
                ("contact" | "constraint", "disable") => {
                    world.text("contacts", "off");
                }
                ("gravity", "disable") => given = Some(kreisel_dynamics::Vec3::ZERO),
                (
                    "equality" | "frictionloss" | "limit" | "passive" | "spring" | "damper"
                    | "actuation" | "clampctrl" | "filterparent" | "refsafe",
                    "disable",
                )
                | ("override" | "fwdinv" | "invdiscrete", "enable") => {
                    super::xml::lost_attribute(
                        reader,
                        flag.0,
                        flag.1.name(),
                        "only contact and gravity can be switched off",
                    );
                }
                _ => {}
            }
        }
    }
    if let Some(gravity) = given {
        world.vector("gravity", gravity);
        model.gravity = gravity;
    }
    scene.put("world", world.done().value);
}

fn equality(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) {
    let kind = match node.tag_name().name() {
        "connect" => "ball",
        "weld" => "fixed",
        "joint" => return coupled(reader, node, model, ["joint1", "joint2"]),
        "tendon" => return coupled(reader, node, model, ["tendon1", "tendon2"]),
        _ => return super::xml::lost(reader, node),
    };
    for name in ["solref", "solimp"] {
        if model.attribute(node, "main", name).is_some() {
            super::xml::ignored(reader, node, name, "joints are rigid here");
        }
    }
    if node.attribute("relpose").is_some_and(|r| r.trim() != "0 1 0 0 0 0 0") {
        super::xml::lost_attribute(
            reader,
            node,
            "relpose",
            "bodies are held in the pose of the file",
        );
    }
    let Some((bodies, places)) = ends(reader, node, model) else { return };
    let [a, b] = &bodies;
    if a == b {
        return left_out_because(reader, node, "both are one rigid body");
    }
    let given =
        node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("equality"));
    let name = model.items.claim(&given, "joint");
    let mut make = Make::new(&tag(node));
    make.text("name", &name).text("type", kind).names("bodies", [a, b]);
    let item = |p: kreisel_dynamics::Vec3| crate::node::Node {
        span: tag(node),
        value: super::make::vector(p, &tag(node)),
    };
    make.put("at", crate::node::Value::Array(places.map(item).into()));
    // In MuJoCo bodies that an equality holds together may still collide.
    make.put("collide", crate::node::Value::Bool(true));
    if node.attribute("active") == Some("false") {
        make.put("active", crate::node::Value::Bool(false));
    }
    model.items.joint.push(make.done());
}

/// The bodies that an equality joins, and where: at two sites, or at an anchor in the frame of the
/// first body.
fn ends(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &Model<'_>,
) -> Option<([String; 2], [kreisel_dynamics::Vec3; 2])> {
    if let (Some(first), Some(second)) = (node.attribute("site1"), node.attribute("site2")) {
        let mut find = |key: &str, name: &str| {
            let found = model.sites.get(name);
            if found.is_none() {
                let near = crate::problem::nearest(name, model.sites.keys().map(String::as_str));
                let help = near.map(|n| format!("did you mean \"{n}\"?"));
                let message = format!("there is no site \"{name}\"");
                reader
                    .error(Code::UnknownName, &place(node, key), message, "unknown site")
                    .help_if(help);
            }
            let (carrier, pose) = found?;
            Some((carrier.map_or("world", |c| &model.carriers[c].name).to_owned(), *pose))
        };
        let (first, second) = (find("site1", first), find("site2", second));
        let ((a, p), (b, q)) = (first?, second?);
        // A weld turns the frames of the sites onto each other.
        if node.has_tag_name("weld") && p.rotation.dot(q.rotation).abs() < 1.0 - 1e-12 {
            super::xml::lost_because(reader, node, "its sites are turned against each other");
            return None;
        }
        return Some(([a, b], [p.position, q.position]));
    }
    let Some(first) = node.attribute("body1") else {
        super::xml::required(reader, node, "body1");
        return None;
    };
    let find = |reader: &mut Reader, attribute: &str, name: &str| {
        if name == "world" {
            return Some(("world".to_owned(), kreisel_geometry::Pose::IDENTITY));
        }
        let found = model.parts.get(name).map(|p| (model.carriers[p.carrier].name.clone(), p.pose));
        if found.is_none() {
            let message = format!("there is no body \"{name}\"");
            reader.error(Code::UnknownName, &place(node, attribute), message, "unknown body");
        }
        found
    };
    let ends = (
        find(reader, "body1", first),
        find(reader, "body2", node.attribute("body2").unwrap_or("world")),
    );
    let (Some((a, pose)), Some((b, _))) = ends else { return None };
    let anchor = pose.point(model.vector(reader, node, "main", "anchor").unwrap_or_default());
    Some(([a, b], [anchor; 2]))
}

/// `<joint>` and `<tendon>` of `<equality>`: the first one's coordinate or length, less its value
/// in the pose of the file, is a polynomial of the second one's, likewise; of 0 if there is no
/// second. Coordinates here are 0 in that pose.
fn coupled(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    [key1, key2]: [&str; 2],
) {
    for name in ["solref", "solimp"] {
        if model.attribute(node, "main", name).is_some() {
            super::xml::ignored(reader, node, name, "couplings are rigid here");
        }
    }
    let Some(first) = super::xml::required(reader, node, key1) else { return };
    let Some((first, word)) = driven(reader, node, model, key1, first) else { return };
    let second = match node.attribute(key2) {
        Some(name) => match driven(reader, node, model, key2, name) {
            Some(found) => Some(found),
            None => return,
        },
        None => None,
    };
    let given = model.numbers(reader, node, "main", "polycoef").unwrap_or_default();
    let at = |k: usize| given.get(k).copied().unwrap_or(if k == 1 { 1.0 } else { 0.0 });
    let constant = [at(0)];
    let all = [0, 1, 2, 3, 4].map(at);
    let (other, factors) = match &second {
        Some(other) => (other.clone(), &all[..]),
        // the joint is held at a value: its own coordinate with no factor stands for the other
        None => ((first.clone(), word), &constant[..]),
    };
    let name = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("coupling"));
    let mut make =
        model.items.coupling(&tag(node), &name, [&other.0, &first], [other.1, word], factors);
    if node.attribute("active") == Some("false") {
        make.put("active", crate::node::Value::Bool(false));
    }
    model.items.constraint.push(make.done());
}

/// The joint and coordinate here of a joint that an equality names.
fn driven(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &Model<'_>,
    attribute: &str,
    name: &str,
) -> Option<(String, &'static str)> {
    if let Some(tendon) = model.tendons.get(name).filter(|_| attribute.starts_with("tendon")) {
        // coordinates are 0 in the pose of the file, but the length between two sites is not
        if tendon.rail.coordinate == Some("length") {
            super::xml::lost_because(reader, node, "its tendon is that between two sites");
            return None;
        }
        return Some((tendon.rail.name.clone(), tendon.rail.coordinate?));
    }
    if attribute.starts_with("tendon") {
        super::xml::lost_because(reader, node, "its tendon is not read");
        return None;
    }
    let Some(found) = model.joints.get(name) else {
        let near = crate::problem::nearest(name, model.joints.keys().map(String::as_str));
        let help = near.map(|n| format!("did you mean \"{n}\"?"));
        let message = format!("there is no joint \"{name}\"");
        reader
            .error(Code::UnknownName, &place(node, attribute), message, "unknown joint")
            .help_if(help);
        return None;
    };
    if found.coordinate.is_none() {
        super::xml::lost_because(reader, node, "a ball has no coordinate here");
    }
    Some((found.name.clone(), found.coordinate?))
}
