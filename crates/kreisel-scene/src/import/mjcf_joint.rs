//! Joints of MJCF.
//!
//! A body of MJCF may have several joints, one after the other. Here a joint lies between two
//! bodies: light links stand between the joints (`LIGHT` in `mjcf_body`), so that every joint has a
//! coordinate with limits, friction, spring, damper, rotor and actuators of its own.

use super::make::{Make, numbers};
use super::mjcf_body::{Carrier, LinkTo};
use super::mjcf_inertia::{Kind, TreeJoint};
use super::mjcf_model::{Driven, Model, Timed};
use super::xml::{ignored, lost_attribute, place, tag};
use crate::node::Value;
use crate::problem::Code;
use crate::read::Reader;
use crate::robot::Freedom;
use kreisel_dynamics::Vec3;
use kreisel_geometry::Pose;
use roxmltree::Node;

/// Attributes that are read, or that do not change the motion.
const KNOWN: [&str; 19] = [
    "margin",
    "springdamper",
    "type",
    "pos",
    "axis",
    "range",
    "limited",
    "damping",
    "stiffness",
    "frictionloss",
    "springref",
    "ref",
    "armature",
    "group",
    "user",
    "actuatorfrcrange",
    "actuatorfrclimited",
    "solreflimit",
    "solimplimit",
];

/// Makes the joints that carry a body.
pub(super) fn joints(
    reader: &mut Reader,
    body: Node<'_, '_>,
    list: &[(Node<'_, '_>, Pose, String)],
    model: &mut Model<'_>,
    own: usize,
) {
    // What the joints are.
    let kinds: Vec<String> = list
        .iter()
        .map(|(n, _, class)| match n.tag_name().name() {
            "freejoint" => "free".to_owned(),
            _ => model.attribute(*n, class, "type").unwrap_or_else(|| "hinge".to_owned()),
        })
        .collect();
    if kinds.iter().any(|k| k == "free") {
        return free(reader, body, list, model, (&kinds, own));
    }
    let (pose, parent) = (model.carriers[own].pose, model.carriers[own].parent);
    // MuJoCo lets a body meet a parent that stands still, and no other parent.
    let grounded = parent.is_some_and(|p| model.carriers[p].fixed);

    // One after the other, with light links between them.
    let rub = |(node, _, class): &(Node<'_, '_>, Pose, String)| {
        model.number(reader, *node, class, "frictionloss").is_some_and(|f| f > 0.0)
    };
    let rubs = list.iter().any(rub);
    let mut above = parent;
    for (k, ((node, frame, class), kind)) in list.iter().zip(&kinds).enumerate() {
        let given =
            node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("joint"));
        let name = model.items.claim(&given, "joint");
        let below = if k + 1 == list.len() { own } else { link(model, own, above, &given) };
        let joint = One {
            name: &name,
            kind,
            bodies: (above, below),
            pose: super::mjcf_geom::after(&pose, frame),
        };
        let anchor = model.vector(reader, *node, class, "pos").unwrap_or_default();
        if below != own {
            let anchor = pose.inverse_point(joint.pose.point(anchor));
            model.carriers[below].link_to = Some(LinkTo { whole: own, anchor, rubs });
        }
        if !one(reader, *node, model, class, &joint, grounded) {
            return;
        }
        above = Some(below);
    }

    // The body still does not meet its parent.
    if let Some(parent) = parent.filter(|_| list.len() > 1 && !grounded) {
        let names = [parent, own].map(|c| model.carriers[c].name.clone());
        model.apart(&tag(body), [&names[0], &names[1]]);
    }
    model.carriers[own].parent = if list.len() > 1 { above_of(model, own) } else { parent };
}

/// The light link that carries a body, if there is one.
fn above_of(model: &Model<'_>, own: usize) -> Option<usize> {
    (0..model.carriers.len())
        .rev()
        .find(|k| model.carriers[*k].link_to.is_some_and(|l| l.whole == own))
}

/// Adds a light link.
fn link(model: &mut Model<'_>, own: usize, above: Option<usize>, joint: &str) -> usize {
    let whole = &model.carriers[own];
    let (span, pose, title) = (whole.span.clone(), whole.pose, format!("{} {joint}", whole.name));
    let name = model.items.claim(&title, "link");
    model.carriers.push(Carrier::new(name, span, pose, false, above));
    model.carriers.len() - 1
}

/// A joint between two rigid bodies.
struct One<'n> {
    name: &'n str,
    kind: &'n str,
    bodies: (Option<usize>, usize),
    /// Pose of the frame that its attributes are written in.
    pose: Pose,
}

/// Makes a joint; false if there is no such kind.
fn one(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    class: &str,
    joint: &One<'_>,
    grounded: bool,
) -> bool {
    // Its place.
    let anchor = model.vector(reader, node, class, "pos").unwrap_or_default();
    let axis = model.vector(reader, node, class, "axis").unwrap_or(Vec3::Z);
    let (anchor, axis) =
        (joint.pose.point(anchor), joint.pose.direction(axis).normalize_or(Vec3::Z));
    let (word, coordinate) = match joint.kind {
        "hinge" => ("hinge", "angle"),
        "slide" => ("slider", "position"),
        "ball" => ("ball", "swing"),
        other => {
            let message = format!("there is no joint of type \"{other}\" in MJCF");
            reader.error(Code::WrongValue, &place(node, "type"), message, "unknown type");
            return false;
        }
    };
    let span = place(node, "name");
    let mut make = Make::new(&span);
    let (above, below) = joint.bodies;
    let first = above.map_or("world", |c| &model.carriers[c].name);
    make.text("name", joint.name).names("bodies", [first, &model.carriers[below].name]);
    make.text("type", word).vector("at", anchor);
    if word != "ball" {
        make.vector("axis", axis);
    }
    if grounded && first != "world" {
        make.put("collide", Value::Bool(true));
    }

    // Limits, friction and so on, and its coordinates.
    let mut tables = TABLES.map(|_| Make::new(&span));
    let (reference, armature) =
        extras(reader, node, model, class, (joint.name, coordinate), &mut tables);
    for (key, table) in TABLES.into_iter().zip(tables) {
        if !table.is_empty() {
            make.put(key, table.done().value);
        }
    }
    model.items.joint.push(make.done());
    let (own, parent) = (model.carriers[below].pose, above.map(|c| model.carriers[c].pose));
    let (at, along) = (own.inverse_point(anchor), own.rotation.conjugate() * axis);
    let (freedom, kind) = match joint.kind {
        "hinge" => (Freedom::Hinge { anchor: at, axis: along, reference }, Kind::Hinge),
        "slide" => (Freedom::Slide { axis: along, reference }, Kind::Slide),
        _ => (Freedom::Ball { anchor: at }, Kind::Ball),
    };
    let tree = TreeJoint { carrier: below, kind, anchor, axis, armature };
    model.link(above, parent.map_or(own, |p| own.seen_from(&p)), Some(joint.name), freedom, tree);
    true
}

/// A free joint leaves the body free, so no joint is made; its other attributes are not read.
fn free(
    reader: &mut Reader,
    body: Node<'_, '_>,
    list: &[(Node<'_, '_>, Pose, String)],
    model: &mut Model<'_>,
    (kinds, own): (&[String], usize),
) {
    if kinds.len() > 1 {
        let message = "a body with a free joint has no other joints";
        reader.error(Code::Unsupported, &tag(body), message, "this body");
    }
    for (node, _, class) in list.iter().filter(|(n, ..)| n.has_tag_name("joint")) {
        for name in ["damping", "stiffness", "frictionloss", "armature"] {
            if model.number(reader, *node, class, name).is_some_and(|x| x != 0.0) {
                lost_attribute(reader, *node, name, "a free body has no joint here");
            }
        }
    }
    let pose = model.carriers[own].pose;
    let tree = TreeJoint {
        carrier: own,
        kind: Kind::Free,
        anchor: pose.position,
        axis: Vec3::Z,
        armature: 0.0,
    };
    model.link(None, pose, None, Freedom::Free, tree);
}

/// Keys of a joint that are tables by coordinate.
const TABLES: [&str; 6] = ["limits", "friction", "stiffness", "damping", "rest", "armature"];

/// Limits, friction, damping, stiffness and armature; gives the coordinate in the pose of the file,
/// which is 0 here, and the armature.
fn extras(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    class: &str,
    (joint, coordinate): (&str, &'static str),
    [bounds, rub, springs, dampers, rests, rotors]: &mut [Make; 6],
) -> (f64, f64) {
    let span = tag(node);
    let unit = |x: f64| if coordinate == "position" { x } else { model.compiler.angle(x) };
    let reference = unit(model.number(reader, node, class, "ref").unwrap_or(0.0));
    let range = model.range(reader, node, class, ["range", "limited"]).map(|r| r.map(unit));
    let rest = unit(model.number(reader, node, class, "springref").unwrap_or(0.0));
    let efforts = ["actuatorfrcrange", "actuatorfrclimited"];
    let effort = model.range(reader, node, class, efforts).map(|r| r[0].abs().max(r[1].abs()));
    model.unread(reader, node, class, &KNOWN, "it has no counterpart here");
    let mut value = |name: &str| model.number(reader, node, class, name).filter(|x| *x > 0.0);
    let [friction, damping, stiffness, armature] =
        ["frictionloss", "damping", "stiffness", "armature"].map(&mut value);
    for name in ["solreflimit", "solimplimit", "margin"] {
        if range.is_some() && model.attribute(node, class, name).is_some() {
            ignored(reader, node, name, "limits are rigid here");
        }
    }
    if let Some(own) = node.attribute("name") {
        let driven = Driven {
            name: joint.to_owned(),
            coordinate: Some(coordinate).filter(|c| *c != "swing"),
            reference,
            range,
            effort,
            rubs: friction.is_some(),
            link: model.robot.links.len(),
        };
        model.joints.insert(own.to_owned(), driven);
    }

    // A ball has limits only.
    if let Some([low, high]) = range {
        bounds.put(
            coordinate,
            numbers(&span, &[("min", low - reference), ("max", high - reference)]),
        );
    }
    if coordinate == "swing" {
        if friction.or(damping).or(stiffness).or(armature).is_some() {
            let message = "damping, stiffness, armature and friction of a ball are not read";
            reader.count_loss(&span, message.to_owned());
        }
        return (reference, armature.unwrap_or(0.0));
    }

    // Time constant and damping ratio are those of the inertia that the joint feels, which is known
    // later.
    let timing = model.numbers(reader, node, class, "springdamper").unwrap_or_default();
    let timed = match timing[..] {
        [time, ratio] if time > 0.0 && ratio > 0.0 => Some((time, ratio)),
        _ => None,
    };
    if let Some(timing) = timed {
        let (joint, link) = (model.items.joint.len(), model.robot.links.len());
        model.timed.push(Timed { joint, link, coordinate, timing });
    }
    let (stiffness, damping) = if timed.is_some() { (None, None) } else { (stiffness, damping) };
    let rest = stiffness.or(timed.map(|t| t.0)).map(|_| rest - reference).filter(|r| *r != 0.0);
    for (table, value) in [
        (rub, friction),
        (springs, stiffness),
        (dampers, damping),
        (rests, rest),
        (rotors, armature),
    ] {
        if let Some(value) = value {
            table.number(coordinate, value);
        }
    }
    (reference, armature.unwrap_or(0.0))
}
