//! SDF (Gazebo): worlds and models of links and joints.
//!
//! | SDF | here |
//! |---|---|
//! | `<world>`: gravity, `max_step_size` | read |
//! | `<model>`, nested ones too, `<include>` of `model://NAME` | bodies `link`, of several models `model::link` |
//! | `<pose relative_to>`, `<frame attached_to>`, `placement_frame` | followed |
//! | `<static>`; `<link>` | bodies that stand still; mass (1 kg and 1 kg m² where there is none), shapes, friction (`<ode><mu>`), gravity off as a force |
//! | revolute, continuous, prismatic, fixed, ball, universal, screw | joints with limits, damping, friction, springs; a screw is a cylindrical joint with its lead |
//! | `<mimic>` | coupling |
//! | `<self_collide>` | links of a model meet each other only where it says so |
//! | gearbox, revolute2, polylines, heightmaps | refused by name |
//! | plugins, sensors, lights, what is seen only | nothing moves by them; plugins and sensors are named |

use super::make::{Items, Make, numbers};
use super::sdf_shape::{color, inertial, list, number, pose, shape, text, vector};
use super::xml::{child, elements, left_out, lost, place, required, tag};
use crate::node::{Table, Value};
use crate::problem::{Code, nearest};
use crate::read::Reader;
use crate::source::{Source, Span};
use kreisel_dynamics::Vec3;
use kreisel_geometry::Pose;
use roxmltree::Node;
use std::collections::BTreeMap;

/// Deepest nesting of models.
const MAX_DEPTH: usize = 20;

/// Groups of bodies besides that of everything else.
const GROUPS: usize = 31;

/// What is known while a file is read.
struct World {
    items: Items,
    gravity: Vec3,
    /// Models so far that keep their links apart.
    models: usize,
    /// Whether links are named after their models.
    prefixed: bool,
    /// Places of included files are those of their `<include>`.
    span: Option<Span>,
    depth: usize,
}

/// A frame of a model: the one that its pose is relative to.
struct Frame {
    of: String,
    pose: Pose,
    span: Span,
}

/// Links by name as seen from a model: body and pose in the world.
type Links = BTreeMap<String, (String, Pose)>;

/// The tree of a file.
pub(super) fn tree(reader: &mut Reader, root: Node<'_, '_>) -> Option<Table> {
    let before = reader.errors();
    let mut scene = Make::new(&tag(root));
    let mut world = World {
        items: Items::default(),
        gravity: Vec3::new(0.0, 0.0, -9.8),
        models: 0,
        prefixed: false,
        span: None,
        depth: 0,
    };
    let own = child(root, "world");
    let holder = own.unwrap_or(root);
    scene.text("title", holder.attribute("name").unwrap_or("a world"));
    let mut settings = Make::new(&tag(holder));
    world.gravity = vector(reader, holder, "gravity").unwrap_or(world.gravity);
    settings.vector("gravity", world.gravity);
    let step = child(holder, "physics").and_then(|p| number(reader, p, "max_step_size"));
    settings.number("step", step.unwrap_or(0.001));
    scene.put("world", settings.done().value);

    // models, and the joints between them
    let is_model = |n: &Node<'_, '_>| matches!(n.tag_name().name(), "model" | "include");
    let count = holder.descendants().filter(|n| is_model(n) || n.has_tag_name("model")).count();
    world.prefixed = count > 1;
    inside(reader, holder, &mut world, "", Pose::IDENTITY, false);
    world.items.into_scene(&mut scene);
    (reader.errors() == before).then(|| scene.table())
}

impl World {
    fn at(&self, node: Node<'_, '_>) -> Span {
        self.span.clone().unwrap_or_else(|| tag(node))
    }
}

/// Reads what stands in a world or model, and gives its links.
fn inside(
    reader: &mut Reader,
    holder: Node<'_, '_>,
    world: &mut World,
    prefix: &str,
    base: Pose,
    still: bool,
) -> Links {
    let is_world = !holder.has_tag_name("model");
    let mut links = Links::new();
    let mut frames: BTreeMap<String, Frame> = BTreeMap::new();

    // frames first: everything may be relative to everything
    for node in elements(holder) {
        let kind = node.tag_name().name();
        if !matches!(kind, "link" | "frame" | "joint" | "model") {
            continue;
        }
        let Some(name) = required(reader, node, "name") else { continue };
        let to = child(node, "pose").and_then(|p| p.attribute("relative_to"));
        let usual = match kind {
            "joint" => text(node, "child"),
            "frame" => node.attribute("attached_to"),
            _ => None,
        };
        let of = to.filter(|t| !t.is_empty()).or(usual).unwrap_or("__model__").to_owned();
        let frame = Frame { of, pose: pose(reader, node), span: tag(node) };
        if frames.insert(name.to_owned(), frame).is_some() {
            let message = format!("the name \"{name}\" is given twice in one model");
            reader.error(Code::DuplicateName, &place(node, "name"), message, "second use");
        }
    }

    // links, and models inside
    let own_group = (!is_world
        && text(holder, "self_collide") != Some("true")
        && text(holder, "self_collide") != Some("1")
        && world.models < GROUPS)
        .then(|| {
            world.models += 1;
            world.models
        });
    for node in elements(holder) {
        match node.tag_name().name() {
            "link" => {
                let Some(name) = node.attribute("name") else { continue };
                let Some(at) = resolve(reader, &frames, &links, name, 0) else { continue };
                let at = base.then(&at);
                let full = format!("{prefix}{name}");
                let body = link(reader, node, world, &full, (&at, still, own_group));
                links.insert(name.to_owned(), (body, at));
            }
            "model" => {
                let Some(name) = node.attribute("name") else { continue };
                let Some(at) = resolve(reader, &frames, &links, name, 0) else { continue };
                model(reader, node, world, (name, prefix), base.then(&at), (still, &mut links));
            }
            "include" => include(reader, node, world, prefix, base, (still, &mut links)),
            "joint"
            | "frame"
            | "static"
            | "pose"
            | "self_collide"
            | "gravity"
            | "physics"
            | "light"
            | "scene"
            | "gui"
            | "audio"
            | "atmosphere"
            | "magnetic_field"
            | "spherical_coordinates"
            | "allow_auto_disable"
            | "enable_wind"
            | "world" => {}
            "plugin" => left_out(reader, node),
            "wind" if text(node, "linear_velocity").is_none_or(|v| v == "0 0 0") => {}
            _ => lost(reader, node),
        }
    }

    // joints
    for node in elements(holder).filter(|n| n.has_tag_name("joint")) {
        joint(reader, node, world, prefix, (&base, &frames, &links));
    }
    links
}

/// The pose of a frame in its model.
fn resolve(
    reader: &mut Reader,
    frames: &BTreeMap<String, Frame>,
    links: &Links,
    name: &str,
    depth: usize,
) -> Option<Pose> {
    if matches!(name, "__model__" | "world") {
        return Some(Pose::IDENTITY);
    }
    let Some(frame) = frames.get(name) else {
        let near = nearest(name, frames.keys().chain(links.keys()).map(String::as_str));
        let help = near.map(|n| format!("did you mean \"{n}\"?"));
        let message = format!("there is no frame \"{name}\"");
        reader.error(Code::UnknownName, &(0..0), message, "unknown frame").help_if(help);
        return None;
    };
    if depth > frames.len() {
        let message = format!("the frame \"{name}\" is relative to itself");
        reader.error(Code::Cycle, &frame.span, message, "in a circle");
        return None;
    }
    let of = resolve(reader, frames, links, &frame.of, depth + 1)?;
    Some(if of == Pose::IDENTITY { frame.pose } else { of.then(&frame.pose) })
}

/// A model inside of another, or of the world.
fn model(
    reader: &mut Reader,
    node: Node<'_, '_>,
    world: &mut World,
    (name, prefix): (&str, &str),
    at: Pose,
    (still, links): (bool, &mut Links),
) {
    if world.depth >= MAX_DEPTH {
        reader.error(Code::TooLarge, &tag(node), "models are nested too deep", "here");
        return;
    }
    world.depth += 1;
    let inner = if world.prefixed { format!("{prefix}{name}::") } else { prefix.to_owned() };
    let still = still || matches!(text(node, "static"), Some("true" | "1"));
    let found = inside(reader, node, world, &inner, at, still);
    links.extend(found.into_iter().map(|(own, link)| (format!("{name}::{own}"), link)));
    world.depth -= 1;
}

/// `<include>`: a model of another file.
fn include(
    reader: &mut Reader,
    node: Node<'_, '_>,
    world: &mut World,
    prefix: &str,
    base: Pose,
    (still, links): (bool, &mut Links),
) {
    let span = tag(node);
    let Some(uri) = text(node, "uri") else {
        reader.error(Code::MissingKey, &span, "<include> needs <uri>", "missing here");
        return;
    };
    let path = uri.split_once("://").map_or(uri, |(_, rest)| rest).trim_end_matches('/');
    let file = [format!("{path}/model.sdf"), path.to_owned()]
        .into_iter()
        .find_map(|p| super::urdf_shape::packaged(reader, &p));
    let Some(file) = file else {
        let help = "models are looked for in the folder of `--package NAME=DIR`, in the file's folder and those above it";
        let message = format!("the model \"{uri}\" is not there");
        reader.error(Code::File, &span, message, "not found").help(help);
        return;
    };
    let Some(found) = reader.file(&file, &span) else { return };
    let Some(content) = reader.utf8(&file, found.bytes, &span) else { return };
    let source = Source::new(found.name, content);
    let folder = reader.folder.clone();
    let outer = reader.enter(&source, folder.as_ref());
    let outer_span = world.span.replace(world.span.clone().unwrap_or(span));
    if let Some(document) = super::document(reader, &source.text) {
        let root = document.root_element();
        if let Some(inner) = child(root, "model") {
            let name = text(node, "name").or(inner.attribute("name")).unwrap_or("model");
            // the pose of the include takes the place of the model's own
            let own = if child(node, "pose").is_some() { node } else { inner };
            let mut at = pose(reader, own);
            if let Some(frame) = text(node, "placement_frame") {
                // that frame, not the model's own, is put there
                let links: Vec<Node<'_, '_>> = elements(inner).collect();
                let found = links.iter().find(|n| n.attribute("name") == Some(frame));
                let local = found.map_or(Pose::IDENTITY, |n| pose(reader, *n));
                at = at.then(&local.inverse());
            }
            let still = still || matches!(text(node, "static"), Some("true" | "1"));
            model(reader, inner, world, (name, prefix), base.then(&at), (still, links));
        } else {
            reader.error(Code::MissingKey, &tag(root), "the file has no <model>", "here");
        }
    }
    world.span = outer_span;
    reader.leave(outer);
}

/// A body; gives its name.
fn link(
    reader: &mut Reader,
    node: Node<'_, '_>,
    world: &mut World,
    name: &str,
    (at, still, group): (&Pose, bool, Option<usize>),
) -> String {
    let span = world.at(node);
    let name = world.items.claim(name, "link");
    let mut make = Make::new(&span);
    make.text("name", &name).pose(at);
    let (mut solid, mut shown, mut shade, mut friction) = (Vec::new(), Vec::new(), None, None);
    for part in elements(node) {
        match part.tag_name().name() {
            "collision" => {
                solid.extend(shape(reader, part, &span));
                let mu = ["surface", "friction", "ode"]
                    .into_iter()
                    .try_fold(part, child)
                    .and_then(|ode| number(reader, ode, "mu"));
                friction = friction.or(mu.map(|m| m.clamp(0.0, 1e3)));
            }
            "visual" => {
                shown.extend(shape(reader, part, &span));
                shade = shade.or_else(|| color(reader, part));
            }
            "sensor" => left_out(reader, part),
            _ => {}
        }
    }
    let mass = inertial(reader, node);
    if still || matches!(text(node, "kinematic"), Some("true" | "1")) {
        make.text("kind", "static");
    } else {
        make.number("mass", mass.mass)
            .vector("center", mass.center)
            .matrix("inertia", mass.inertia);
    }
    for (key, list) in [("shape", solid), ("display", shown)] {
        if let Some(value) = super::urdf_shape::together(list) {
            make.put(key, value);
        }
    }
    if let Some(shade) = shade {
        make.text("color", &shade);
    }
    if let Some(friction) = friction {
        make.number("friction", friction);
    }
    if let Some(own) = group {
        let others: Vec<usize> = (0..=GROUPS).filter(|k| *k != own).collect();
        let mut groups = Make::new(&span);
        groups.counts("member", &[own]).counts("with", &others);
        make.put("groups", groups.done().value);
    }
    world.items.body.push(make.done());

    // a link that gravity leaves alone
    if !still && matches!(text(node, "gravity"), Some("false" | "0")) && world.gravity != Vec3::ZERO
    {
        let mut force = Make::new(&span);
        force.text("body", &name).vector("force", world.gravity * -mass.mass);
        force.vector("at", mass.center);
        world.items.force.push(force.done());
    }
    name
}

/// A joint.
fn joint(
    reader: &mut Reader,
    node: Node<'_, '_>,
    world: &mut World,
    prefix: &str,
    (base, frames, links): (&Pose, &BTreeMap<String, Frame>, &Links),
) {
    let span = world.at(node);
    let (Some(name), Some(kind)) = (node.attribute("name"), required(reader, node, "type")) else {
        return;
    };
    let (word, coordinate) = match kind {
        "revolute" | "continuous" => ("hinge", "angle"),
        "prismatic" => ("slider", "position"),
        "fixed" => ("fixed", ""),
        "ball" => ("ball", ""),
        "universal" => ("universal", ""),
        "screw" => ("cylindrical", "angle"),
        _ => return super::xml::lost_because(reader, node, "there is no such joint here"),
    };
    let mut end = |key: &str| {
        let name = text(node, key).unwrap_or("world");
        if name == "world" {
            return Some("world".to_owned());
        }
        // a frame stands for the link that it is attached to
        let mut link = name;
        for _ in 0..frames.len() {
            match frames.get(link) {
                Some(f) if !links.contains_key(link) && f.of != "__model__" => link = &f.of,
                _ => break,
            }
        }
        let found = links.get(link).map(|l| l.0.clone());
        if found.is_none() {
            let near = nearest(name, links.keys().map(String::as_str));
            let help = near.map(|n| format!("did you mean \"{n}\"?"));
            let message = format!("there is no link \"{name}\"");
            let at = child(node, key).unwrap_or(node);
            reader.error(Code::UnknownName, &tag(at), message, "unknown link").help_if(help);
        }
        found
    };
    let (Some(parent), Some(below)) = (end("parent"), end("child")) else { return };
    let frame = match text(node, "child")
        .and_then(|c| links.get(c))
        .filter(|_| child(node, "pose").is_none_or(|p| p.attribute("relative_to").is_none()))
    {
        // in the frame of the child, which may be that of another model
        Some((_, at)) => at.then(&pose(reader, node)),
        None => match resolve(reader, frames, links, name, 0) {
            Some(at) => base.then(&at),
            None => return,
        },
    };
    let mut axis = |key: &str| {
        let given = child(node, key);
        let local = given.and_then(|a| vector(reader, a, "xyz")).unwrap_or(Vec3::Z);
        let turned = given
            .and_then(|a| child(a, "xyz"))
            .and_then(|x| x.attribute("expressed_in"))
            .filter(|f| !f.is_empty());
        let in_model = given.and_then(|a| text(a, "use_parent_model_frame"));
        match turned {
            Some(of) => match links.get(of) {
                Some((_, at)) => at.direction(local),
                None => resolve(reader, frames, links, of, 0)
                    .map_or(local, |at| base.then(&at).direction(local)),
            },
            None if matches!(in_model, Some("true" | "1")) => base.direction(local),
            None => frame.direction(local),
        }
    };

    // what it is
    let full = world.items.claim(&format!("{prefix}{name}"), "joint");
    let mut make = Make::new(&span);
    make.text("name", &full).text("type", word).names("bodies", [&parent, &below]);
    make.vector("at", frame.position);
    if !matches!(word, "fixed" | "ball") {
        make.vector("axis", axis("axis"));
    }
    if word == "universal" {
        make.vector("axis2", axis("axis2"));
    }
    if let Some(given) = child(node, "axis").filter(|_| !coordinate.is_empty()) {
        extras(reader, given, &mut make, coordinate, kind != "continuous");
    }
    world.items.joint.push(make.done());
    world.items.joints.insert(format!("{prefix}{name}"), full.clone());
    if kind == "screw" {
        let lead = number(reader, node, "screw_thread_pitch");
        let title = world.items.claim(&format!("{full} thread"), "constraint");
        let mut make = Make::new(&span);
        make.text("name", &title).text("type", "screw").number("lead", lead.unwrap_or(1.0));
        let of = crate::node::Node { span: span.clone(), value: Value::Text(full.clone()) };
        make.put("joints", Value::Array(vec![of]));
        world.items.constraint.push(make.done());
    }
    if let Some(mimic) = child(node, "axis").and_then(|a| child(a, "mimic")) {
        let other = mimic.attribute("joint").unwrap_or_default();
        let Some(other) = world.items.joints.get(&format!("{prefix}{other}")).cloned() else {
            return super::xml::lost_because(reader, mimic, "its joint does not stand before it");
        };
        let mut value = |key: &str| number(reader, mimic, key).unwrap_or(0.0);
        let (factor, offset, reference) =
            (value("multiplier"), value("offset"), value("reference"));
        let title = format!("{full} mimic");
        let words = [coordinate; 2];
        let c = [offset - factor * reference, factor];
        let coupling = world.items.coupling(&span, &title, [&other, &full], words, &c);
        world.items.constraint.push(coupling.done());
    }
}

/// Limits, damping, friction and spring of an axis.
fn extras(
    reader: &mut Reader,
    axis: Node<'_, '_>,
    make: &mut Make,
    coordinate: &str,
    limited: bool,
) {
    let span = make.span();
    if let Some(limit) = child(axis, "limit").filter(|_| limited) {
        let mut bound = |key: &str, none: f64| number(reader, limit, key).unwrap_or(none);
        let (low, high) = (bound("lower", -1e16), bound("upper", 1e16));
        // 1e16 is SDF's word for no limit
        let given: Vec<(&str, f64)> =
            [("min", low), ("max", high)].into_iter().filter(|(_, x)| x.abs() < 1e15).collect();
        if !given.is_empty() {
            let mut limits = Make::new(&span);
            limits.put(coordinate, numbers(&span, &given));
            make.put("limits", limits.done().value);
        }
    }
    let Some(dynamics) = child(axis, "dynamics") else { return };
    let keys = [
        ("damping", "damping"),
        ("friction", "friction"),
        ("stiffness", "spring_stiffness"),
        ("rest", "spring_reference"),
    ];
    let stiff = number(reader, dynamics, "spring_stiffness").is_some_and(|k| k > 0.0);
    for (key, given) in keys {
        let value = list(reader, dynamics, given).and_then(|l| l.first().copied()).unwrap_or(0.0);
        if value > 0.0 || key == "rest" && stiff && value != 0.0 {
            make.put(key, numbers(&span, &[(coordinate, value)]));
        }
    }
}
