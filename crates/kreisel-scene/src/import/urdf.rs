//! URDF: links and joints of a tree, and the loops that it cannot say.
//!
//! | URDF | here |
//! |---|---|
//! | link `world`, or a first link without `<inertial>` | the world, or a body that stands still |
//! | link without mass on a fixed joint, or on one to a link without mass that moves | part of the body it is fixed to |
//! | link without mass on another joint | the mass of its shape, or 1 g, with a warning |
//! | moments of inertia that no body has | the nearest that one has, with a warning |
//! | revolute, continuous | hinge; limits, friction, damping |
//! | prismatic | slider |
//! | fixed, floating, planar | fixed, nothing, a plane with its normal as axis |
//! | `<mimic>` | a coupling of the two coordinates |
//! | `<transmission>` | a motor with effort 0 and the joint's largest effort, for scripts to drive |
//! | `<ros2_control>`: joints with a command interface | a motor for each: `effort` gives 0, `velocity` and `position` hold where it is, with the joint's largest effort |
//! | `<loop_joint type="ball">`, written like `<joint>` | a joint that closes a loop |
//!
//! The file `NAME.loops.xml` beside `NAME.urdf`, a `<robot>` of `<loop_joint>`, is read with it:
//! the robot's own file stays as other programs wrote it. Loops can also be added by a scene that
//! includes the robot: `include = ["robot.urdf"]` and `[[joint]]`.

use super::make::{Items, Make, numbers};
use super::urdf_inertia::{inertial, weightless};
use super::urdf_shape::{materials, origin, shape, together};
use super::xml::{
    child, elements, ignored, left_out, left_out_because, number, place, required, tag, vector,
};
use crate::node::{Node as Item, Table};
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::{MassProperties, Vec3};
use kreisel_geometry::Pose;
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Mass in kg and moments in kg m² of a link that moves but has neither inertia nor shape.
const SMALL: (f64, f64) = (1e-3, 1e-6);

/// A link with what is known of it.
struct Link<'a, 'i> {
    node: Node<'a, 'i>,
    /// Pose in the world, all joints at zero.
    pose: Pose,
    /// The link whose body it belongs to.
    carrier: &'a str,
}

/// The tree of a robot.
pub(super) fn tree(reader: &mut Reader, robot: Node<'_, '_>) -> Option<Table> {
    let before = reader.errors();
    let mut scene = Make::new(&tag(robot));
    scene.text("title", robot.attribute("name").unwrap_or("a robot"));
    let (mut links, mut joints, mut loops, mut drives) =
        (BTreeMap::new(), Vec::new(), Vec::new(), Vec::new());
    let mut controls: Vec<Node<'_, '_>> = Vec::new();
    for node in elements(robot) {
        match node.tag_name().name() {
            "link" => {
                let Some(name) = required(reader, node, "name") else { continue };
                if links.insert(name, node).is_some() {
                    let message = format!("the name \"{name}\" is given to two links");
                    reader.error(Code::DuplicateName, &place(node, "name"), message, "second use");
                }
            }
            "joint" => joints.push(node),
            "loop_joint" => loops.push(node),
            "transmission" => drives.push(node),
            "ros2_control" => controls.extend(elements(node).filter(|n| n.has_tag_name("joint"))),
            "material" => {}
            _ => left_out(reader, node),
        }
    }
    let ends: Vec<_> = joints.iter().map(|j| ends(reader, *j, &links)).collect();
    let pairs: Vec<(Node<'_, '_>, &str, &str)> =
        joints.iter().zip(ends).filter_map(|(j, e)| e.map(|(a, b)| (*j, a, b))).collect();
    let placed = place_links(reader, &links, &pairs);
    let mut items = Items::default();
    bodies(reader, robot, &placed, &pairs, &mut items);
    for (node, parent, child) in &pairs {
        joint(reader, *node, &placed, [parent, child], &mut items);
    }
    for node in loops {
        if let Some((a, b)) = self::ends(reader, node, &links) {
            loop_joint(reader, node, &placed, [a, b], &mut items);
        }
    }
    let by_name: BTreeMap<&str, Node<'_, '_>> =
        joints.iter().filter_map(|j| Some((j.attribute("name")?, *j))).collect();
    for (node, _, _) in &pairs {
        mimic(reader, *node, &by_name, &mut items);
    }
    for node in drives {
        transmission(reader, node, &by_name, &mut items);
    }
    let mut driven: BTreeSet<String> = BTreeSet::new();
    for node in controls {
        control(reader, node, &by_name, &mut driven, &mut items);
    }
    beside(reader, &links, &placed, &mut items);
    items.into_scene(&mut scene);
    (reader.errors() == before).then(|| scene.table())
}

/// The links of a joint.
fn ends<'a>(
    reader: &mut Reader,
    joint: Node<'a, '_>,
    links: &BTreeMap<&'a str, Node<'a, '_>>,
) -> Option<(&'a str, &'a str)> {
    let mut end = |name: &str| {
        let Some(node) = child(joint, name) else {
            let message = format!("<{}> needs <{name} link=…>", joint.tag_name().name());
            reader.error(Code::MissingKey, &tag(joint), message, "missing here");
            return None;
        };
        let link = required(reader, node, "link")?;
        if !links.contains_key(link) {
            let near = crate::problem::nearest(link, links.keys().copied());
            let help = near.map(|n| format!("did you mean \"{n}\"?"));
            let message = format!("there is no link \"{link}\"");
            reader
                .error(Code::UnknownName, &place(node, "link"), message, "unknown link")
                .help_if(help);
            return None;
        }
        Some(link)
    };
    let (a, b) = (end("parent"), end("child"));
    Some((a?, b?))
}

/// Poses of all links with joints at zero, and the bodies they belong to.
fn place_links<'a, 'i>(
    reader: &mut Reader,
    links: &BTreeMap<&'a str, Node<'a, 'i>>,
    joints: &[(Node<'a, 'i>, &'a str, &'a str)],
) -> BTreeMap<&'a str, Link<'a, 'i>> {
    let mut children: BTreeMap<&str, Vec<(Node<'a, 'i>, &'a str)>> = BTreeMap::new();
    let mut held = BTreeSet::new();
    for (node, parent, child) in joints {
        if !held.insert(*child) {
            let message = format!("the link \"{child}\" is the child of two joints");
            let help = "a robot is a tree; close the loop with <loop_joint type=\"ball\">, written like <joint>";
            reader.error(Code::Model, &tag(*node), message, "second one").help(help);
            continue;
        }
        children.entry(parent).or_default().push((*node, child));
    }
    let mut out: BTreeMap<&str, Link<'a, 'i>> = BTreeMap::new();
    let roots: Vec<&str> = links.keys().copied().filter(|n| !held.contains(n)).collect();
    let mut queue: Vec<(&str, Pose, &str)> =
        roots.iter().rev().map(|n| (*n, Pose::IDENTITY, *n)).collect();
    while let Some((name, pose, carrier)) = queue.pop() {
        out.insert(name, Link { node: links[name], pose, carrier });
        for (joint, child) in children.get(name).into_iter().flatten() {
            let local = origin(reader, *joint);
            let fixed = joint.attribute("type") == Some("fixed");
            // A link without mass that moves takes its mass from those that are fixed to it.
            let takes = held.contains(carrier) && weightless(links[carrier]);
            let carrier =
                if fixed && (takes || weightless(links[child])) { carrier } else { child };
            queue.push((child, pose.then(&local), carrier));
        }
    }
    if out.len() < links.len() {
        let lost = links.iter().find(|(n, _)| !out.contains_key(*n));
        if let Some((name, node)) = lost {
            let message = format!("the link \"{name}\" hangs on itself through its joints");
            reader.error(Code::Model, &tag(*node), message, "in a cycle");
        }
    }
    out
}

/// One body per carrier, with the shapes of all links that belong to it.
fn bodies<'a>(
    reader: &mut Reader,
    robot: Node<'_, '_>,
    links: &BTreeMap<&'a str, Link<'a, '_>>,
    joints: &[(Node<'_, '_>, &'a str, &'a str)],
    items: &mut Items,
) {
    let colors = materials(reader, robot);
    let held: BTreeSet<&str> = joints.iter().map(|(_, _, child)| *child).collect();
    let mut parts: BTreeMap<&str, Vec<&Link<'a, '_>>> = BTreeMap::new();
    for link in links.values() {
        parts.entry(link.carrier).or_default().push(link);
    }
    for (name, link) in links.iter().filter(|(n, l)| **n == l.carrier && **n != "world") {
        let mut body = Make::new(&place(link.node, "name"));
        let _ = items.claim(name, "link");
        body.text("name", name).pose(&link.pose);
        let (mut solid, mut shown, mut color) = (Vec::new(), Vec::new(), None);
        let mut mass: Option<MassProperties> = None;
        for part in parts.get(name).into_iter().flatten() {
            let own = std::ptr::eq(*part, link);
            let local = if own { Pose::IDENTITY } else { part.pose.seen_from(&link.pose) };
            gather(reader, part.node, &local, &colors, (&mut solid, &mut shown, &mut color));
            if let Some(m) = inertial(reader, part.node) {
                let m = if own { m } else { m.transformed(local.position, local.rotation) };
                mass = Some(mass.map_or(m, |sum| sum.combined(m)));
            }
        }
        let root = !held.contains(name);
        match mass {
            Some(m) => {
                body.number("mass", m.mass).vector("center", m.center).matrix("inertia", m.inertia);
            }
            None if root => {
                body.text("kind", "static");
            }
            None => {
                let has = !solid.is_empty() || !shown.is_empty();
                let help = if has {
                    "its mass is that of its shape at 1000 kg/m³"
                } else {
                    "it is given 1 g and 1e-6 kg m²"
                };
                let message = format!("the link \"{name}\" moves but has no mass");
                reader.warn(Code::Physics, &tag(link.node), message, "without mass").help(help);
                if !has {
                    body.number("mass", SMALL.0)
                        .vector("center", Vec3::ZERO)
                        .vector("inertia", Vec3::splat(SMALL.1));
                } else if solid.is_empty() {
                    solid.clone_from(&shown);
                }
            }
        }
        if let Some(shape) = together(solid) {
            body.put("shape", shape);
        }
        if let Some(display) = together(shown) {
            body.put("display", display);
        }
        if let Some(color) = color {
            body.text("color", &color);
        }
        items.body.push(body.done());
    }
}

/// Shapes and colour of a link.
fn gather(
    reader: &mut Reader,
    link: Node<'_, '_>,
    local: &Pose,
    colors: &BTreeMap<String, String>,
    (solid, shown, color): (&mut Vec<Item>, &mut Vec<Item>, &mut Option<String>),
) {
    for node in elements(link) {
        match node.tag_name().name() {
            "collision" => solid.extend(shape(reader, node, local)),
            "visual" => {
                shown.extend(shape(reader, node, local));
                let name = child(node, "material").and_then(|m| m.attribute("name"));
                *color = color.take().or_else(|| colors.get(name?).cloned());
            }
            "inertial" => {}
            _ => left_out(reader, node),
        }
    }
}

fn body_name<'a>(links: &BTreeMap<&'a str, Link<'a, '_>>, link: &str) -> &'a str {
    links.get(link).map_or("world", |l| l.carrier)
}

/// The axis of a joint in the world.
fn axis(reader: &mut Reader, node: Node<'_, '_>, pose: &Pose) -> Vec3 {
    let local = child(node, "axis").and_then(|a| vector(reader, a, "xyz")).unwrap_or(Vec3::X);
    pose.direction(local)
}

fn joint(
    reader: &mut Reader,
    node: Node<'_, '_>,
    links: &BTreeMap<&str, Link<'_, '_>>,
    [parent, child_name]: [&str; 2],
    items: &mut Items,
) {
    let bodies = [body_name(links, parent), body_name(links, child_name)];
    let Some(link) = links.get(child_name).filter(|_| bodies[0] != bodies[1]) else { return };
    let Some(name) = required(reader, node, "name") else { return };
    let Some(kind) = required(reader, node, "type") else { return };
    let (word, coordinate) = match kind {
        "revolute" | "continuous" => ("hinge", "angle"),
        "prismatic" => ("slider", "position"),
        "fixed" => ("fixed", ""),
        "planar" => ("combined", ""),
        "floating" => return,
        other => {
            let message = format!("there is no joint of type \"{other}\" in URDF");
            reader.error(Code::WrongValue, &place(node, "type"), message, "unknown type");
            return;
        }
    };
    let span = place(node, "name");
    let mut make = Make::new(&span);
    let given = name;
    let name = &items.claim(given, "joint");
    items.joints.insert(given.to_owned(), name.clone());
    make.text("name", name).text("type", word).names("bodies", bodies);
    if kind == "planar" {
        make.names("parts", ["plane", "axis"]);
    }
    make.vector("at", link.pose.position);
    // A fixed joint has no axis; files often give it one of length 0.
    if kind != "fixed" {
        make.vector("axis", axis(reader, node, &link.pose));
    }
    for extra in elements(node) {
        match extra.tag_name().name() {
            "limit" if !coordinate.is_empty() => {
                if kind != "continuous" {
                    let low = number(reader, extra, "lower").unwrap_or(0.0);
                    let high = number(reader, extra, "upper").unwrap_or(0.0);
                    let mut limits = Make::new(&tag(extra));
                    limits.put(coordinate, numbers(&tag(extra), &[("min", low), ("max", high)]));
                    make.put("limits", limits.done().value);
                }
                if extra.has_attribute("velocity") {
                    ignored(reader, extra, "velocity", "speeds of joints are not limited");
                }
            }
            "dynamics" if !coordinate.is_empty() => {
                if let Some(friction) = number(reader, extra, "friction").filter(|f| *f > 0.0) {
                    make.put("friction", numbers(&tag(extra), &[(coordinate, friction)]));
                }
                if let Some(damping) = number(reader, extra, "damping").filter(|d| *d > 0.0) {
                    make.put("damping", numbers(&tag(extra), &[(coordinate, damping)]));
                }
            }
            "origin" | "parent" | "child" | "axis" | "limit" | "dynamics" => {}
            // once all joints are known
            "mimic" if !coordinate.is_empty() => {}
            _ => left_out(reader, extra),
        }
    }
    items.joint.push(make.done());
}

/// A joint that closes a loop: its `origin` lies in the parent link, its type is one of ours.
fn loop_joint(
    reader: &mut Reader,
    node: Node<'_, '_>,
    links: &BTreeMap<&str, Link<'_, '_>>,
    [parent, child_name]: [&str; 2],
    items: &mut Items,
) {
    let (Some(name), Some(kind)) = (required(reader, node, "name"), required(reader, node, "type"))
    else {
        return;
    };
    let Some(link) = links.get(parent) else { return };
    let pose = link.pose.then(&origin(reader, node));
    let mut make = Make::new(&place(node, "type"));
    let name = items.claim(name, "joint");
    make.text("name", &name).text("type", kind);
    make.names("bodies", [body_name(links, parent), body_name(links, child_name)]);
    make.vector("at", pose.position).vector("axis", axis(reader, node, &pose));
    items.joint.push(make.done());
}

/// `<mimic joint multiplier offset>`: the coordinate is multiplier times that of another, plus
/// offset.
fn mimic(
    reader: &mut Reader,
    node: Node<'_, '_>,
    joints: &BTreeMap<&str, Node<'_, '_>>,
    items: &mut Items,
) {
    let word = |joint: Node<'_, '_>| match joint.attribute("type") {
        Some("revolute" | "continuous") => Some("angle"),
        Some("prismatic") => Some("position"),
        _ => None,
    };
    let (Some(mimic), Some(own), Some(name)) =
        (child(node, "mimic"), word(node), node.attribute("name"))
    else {
        return;
    };
    let Some(other) = required(reader, mimic, "joint") else { return };
    let Some(target) = joints.get(other).copied() else {
        let near = crate::problem::nearest(other, joints.keys().copied());
        let help = near.map(|n| format!("did you mean \"{n}\"?"));
        let message = format!("there is no joint \"{other}\"");
        reader
            .error(Code::UnknownName, &place(mimic, "joint"), message, "unknown joint")
            .help_if(help);
        return;
    };
    let factor = number(reader, mimic, "multiplier").unwrap_or(1.0);
    let offset = number(reader, mimic, "offset").unwrap_or(0.0);
    // One of a fixed joint, or of joints that are one body, moves nothing.
    let names = (items.joints.get(other).cloned(), items.joints.get(name).cloned());
    let (Some(first), Some(second), Some(word)) = (names.0, names.1, word(target)) else {
        return left_out(reader, mimic);
    };
    let title = format!("{name} mimic");
    let make =
        items.coupling(&tag(mimic), &title, [&first, &second], [word, own], &[offset, factor]);
    items.constraint.push(make.done());
}

/// A motor that does nothing until a script drives it.
fn transmission(
    reader: &mut Reader,
    node: Node<'_, '_>,
    joints: &BTreeMap<&str, Node<'_, '_>>,
    items: &mut Items,
) {
    let Some(joint) = child(node, "joint").and_then(|j| j.attribute("name")) else {
        left_out(reader, node);
        return;
    };
    // Files of parts of a robot often have those of the whole; nothing moves by them.
    let Some(target) = joints.get(joint) else {
        return left_out_because(reader, node, "there is no such joint");
    };
    if !matches!(target.attribute("type"), Some("revolute" | "continuous" | "prismatic")) {
        left_out(reader, node);
        return;
    }
    let own = child(node, "actuator").and_then(|a| a.attribute("name"));
    let mut motor = Make::new(&tag(node));
    let name = items.claim(own.or(node.attribute("name")).unwrap_or(joint), "motor");
    let target_name = items.joints.get(joint).cloned().unwrap_or_else(|| joint.to_owned());
    motor.text("name", &name).text("joint", &target_name).number("effort", 0.0);
    if let Some(effort) = child(*target, "limit").and_then(|l| number(reader, l, "effort")) {
        motor.number("max_effort", effort);
    }
    items.motor.push(motor.done());
}

/// A motor for the command interface of a joint of `<ros2_control>`, unless a `<transmission>` has
/// made one: the hardware gives efforts, or holds rates or positions until a controller says
/// otherwise.
fn control(
    reader: &mut Reader,
    node: Node<'_, '_>,
    joints: &BTreeMap<&str, Node<'_, '_>>,
    driven: &mut BTreeSet<String>,
    items: &mut Items,
) {
    let Some(joint) = required(reader, node, "name") else { return };
    let words: Vec<&str> = elements(node)
        .filter(|n| n.has_tag_name("command_interface"))
        .filter_map(|n| n.attribute("name"))
        .collect();
    let word = ["effort", "velocity", "position"].into_iter().find(|w| words.contains(w));
    let (Some(word), Some(target)) = (word, joints.get(joint)) else { return };
    let moves = matches!(target.attribute("type"), Some("revolute" | "continuous" | "prismatic"));
    let Some(own) = items.joints.get(joint).cloned().filter(|_| moves) else { return };
    let has_one = items.motor.iter().any(|m| {
        let crate::node::Value::Table(table) = &m.value else { return false };
        table.get("joint").is_some_and(|n| n.value == crate::node::Value::Text(own.clone()))
    });
    if has_one || !driven.insert(joint.to_owned()) {
        return;
    }
    let mut motor = Make::new(&tag(node));
    let name = items.claim(&format!("{joint} motor"), "motor");
    let key = if word == "effort" { "effort" } else { "velocity" };
    motor.text("name", &name).text("joint", &own).number(key, 0.0);
    if let Some(effort) = child(*target, "limit").and_then(|l| number(reader, l, "effort")) {
        motor.number("max_effort", effort);
    }
    items.motor.push(motor.done());
}

/// Loops of the file `NAME.loops.xml` beside the robot's.
fn beside(
    reader: &mut Reader,
    links: &BTreeMap<&str, Node<'_, '_>>,
    placed: &BTreeMap<&str, Link<'_, '_>>,
    items: &mut Items,
) {
    let main = reader.source.main().name.clone();
    let stem = std::path::Path::new(&*main).file_stem().and_then(|s| s.to_str());
    let Some(name) = stem.map(|s| format!("{s}.loops.xml")).filter(|n| reader.is_file(n)) else {
        return;
    };
    let Some(found) = reader.file(&name, &(0..0)) else { return };
    let Some(text) = reader.utf8(&name, found.bytes, &(0..0)) else { return };
    let source = crate::source::Source::new(found.name, text);
    let folder = reader.folder.clone();
    let outer = reader.enter(&source, folder.as_ref());
    if let Some(document) = super::document(reader, &source.text) {
        for node in elements(document.root_element()) {
            if !node.has_tag_name("loop_joint") {
                left_out(reader, node);
            } else if let Some((a, b)) = ends(reader, node, links) {
                loop_joint(reader, node, placed, [a, b], items);
            }
        }
    }
    reader.leave(outer);
}
