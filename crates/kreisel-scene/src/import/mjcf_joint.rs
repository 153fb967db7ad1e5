//! Joints of MJCF.
//!
//! A body of MJCF may have several joints, one after the other. These combinations are one joint
//! here:
//!
//! | joints of the body | here |
//! |---|---|
//! | hinge, hinge with one anchor | universal (limits of the two angles are left out) |
//! | hinge, hinge, hinge with one anchor | ball (likewise) |
//! | slide and hinge along one axis | cylindrical |
//! | slide, slide | in a plane, without turning |
//! | slide, slide, hinge across both | in a plane |
//! | slide, slide, slide | translation |
//! | slide, slide, slide, hinge, hinge, hinge with one anchor | none: the body is free |
//!
//! Others are an error that names the body.

use super::make::{Make, numbers};
use super::mjcf_model::{Driven, Model};
use super::xml::{ignored, place, tag};
use crate::node::Value;
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::Vec3;
use kreisel_geometry::Pose;
use roxmltree::Node;

/// Cosine from which on two axes count as parallel (and sine from which on as orthogonal): a
/// thousandth of a radian.
const PARALLEL: f64 = 1.0 - 5e-7;

/// Attributes that are read, or that do not change the motion.
const KNOWN: [&str; 17] = [
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

struct Dof {
    slide: bool,
    anchor: Vec3,
    axis: Vec3,
}

/// Makes the joint of a body with its parent; `ground` says that the parent stands still.
pub(super) fn joints(
    reader: &mut Reader,
    body: Node<'_, '_>,
    list: &[(Node<'_, '_>, Pose, String)],
    model: &mut Model<'_>,
    bodies: [&str; 2],
    pose: &Pose,
    ground: bool,
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
        return free(reader, body, list, model, &kinds);
    }
    let mut dofs = Vec::new();
    for ((node, frame, class), kind) in list.iter().zip(&kinds) {
        let anchor = model.vector(reader, *node, class, "pos").unwrap_or_default();
        let axis = model.vector(reader, *node, class, "axis").unwrap_or(Vec3::Z);
        let frame = super::mjcf_geom::after(pose, frame);
        dofs.push(Dof {
            slide: kind == "slide",
            anchor: frame.point(anchor),
            axis: frame.direction(axis).normalize_or(Vec3::Z),
        });
    }

    // The one joint that they are together.
    let parallel = |a: Vec3, b: Vec3| a.dot(b).abs() > PARALLEL;
    let independent = |[a, b, c]: [Vec3; 3]| a.cross(b).dot(c).abs() > 1e-3;
    let one_point = dofs.windows(2).all(|w| w[0].anchor.distance(w[1].anchor) < 1e-9);
    let (slides, turns): (Vec<&Dof>, Vec<&Dof>) = dofs.iter().partition(|d| d.slide);
    let words: Vec<&str> = kinds.iter().map(String::as_str).collect();
    let span = list.first().map_or_else(|| tag(body), |(n, ..)| place(*n, "name"));
    let mut make = Make::new(&span);
    let given = list.first().and_then(|(n, ..)| n.attribute("name")).map(str::to_owned);
    let given = given.unwrap_or_else(|| model.fresh("joint"));
    let name = model.items.claim(&given, "joint");
    make.text("name", &name).names("bodies", bodies);
    // MuJoCo lets a body meet a parent that stands still, and no other parent.
    if ground && bodies[0] != "world" {
        make.put("collide", Value::Bool(true));
    }
    let coordinates: Vec<Option<&'static str>> = match (words.as_slice(), slides.as_slice(), turns.as_slice()) {
        (["ball"], ..) => {
            make.text("type", "ball").vector("at", dofs[0].anchor);
            vec![Some("swing")]
        }
        (["hinge"], ..) => {
            make.text("type", "hinge").vector("at", dofs[0].anchor).vector("axis", dofs[0].axis);
            vec![Some("angle")]
        }
        (["slide"], ..) => {
            make.text("type", "slider").vector("at", dofs[0].anchor).vector("axis", dofs[0].axis);
            vec![Some("position")]
        }
        (_, [], [a, b]) if one_point && !parallel(a.axis, b.axis) => {
            make.text("type", "universal").vector("at", a.anchor).vector("axis", a.axis).vector("axis2", b.axis);
            vec![None; 2]
        }
        (_, [], [a, b, c]) if one_point && independent([a.axis, b.axis, c.axis]) => {
            make.text("type", "ball").vector("at", a.anchor);
            vec![None; 3]
        }
        (_, [s], [t]) if s.axis.dot(t.axis) > PARALLEL => {
            make.text("type", "cylindrical").vector("at", t.anchor).vector("axis", t.axis);
            dofs.iter().map(|d| Some(if d.slide { "position" } else { "angle" })).collect()
        }
        (_, [s], [t]) if parallel(s.axis, t.axis) => {
            make.text("type", "cylindrical").vector("at", t.anchor).vector("axis", t.axis);
            vec![None; 2]
        }
        (_, [s, u], []) if !parallel(s.axis, u.axis) => {
            make.text("type", "combined").names("parts", ["plane", "fixed"]);
            make.vector("at", s.anchor).vector("axis", s.axis.cross(u.axis));
            vec![None; 2]
        }
        (_, [s, u], [t]) if parallel(s.axis.cross(u.axis).normalize_or_zero(), t.axis) => {
            make.text("type", "combined").names("parts", ["plane", "axis"]);
            make.vector("at", t.anchor).vector("axis", t.axis);
            vec![None; 3]
        }
        (_, [s, u, v], []) if independent([s.axis, u.axis, v.axis]) => {
            make.text("type", "translation").vector("at", pose.position);
            vec![None; 3]
        }
        (_, [s, u, v], [a, b, c])
            if one_point && independent([s.axis, u.axis, v.axis]) && independent([a.axis, b.axis, c.axis]) =>
        {
            vec![None; 6]
        }
        _ => {
            let message = format!("a body with the joints {} has no counterpart here", words.join(", "));
            let help = "put bodies between the joints";
            reader.error(Code::Unsupported, &tag(body), message, "this body").help(help);
            return;
        }
    };

    // Limits, friction and so on of each.
    let mut tables = TABLES.map(|_| Make::new(&span));
    for ((node, _, class), coordinate) in list.iter().zip(coordinates) {
        extras(reader, *node, model, class, (&name, coordinate), &mut tables);
    }
    // All of them together leave the body free.
    if kinds.len() == 6 {
        return;
    }
    for (key, table) in TABLES.into_iter().zip(tables) {
        if !table.is_empty() {
            make.put(key, table.done().value);
        }
    }
    model.items.joint.push(make.done());
}

/// A free joint leaves the body free, so no joint is made; its other attributes are not read.
fn free(
    reader: &mut Reader,
    body: Node<'_, '_>,
    list: &[(Node<'_, '_>, Pose, String)],
    model: &Model<'_>,
    kinds: &[String],
) {
    if kinds.len() > 1 {
        let message = "a body with a free joint has no other joints";
        reader.error(Code::Unsupported, &tag(body), message, "this body");
    }
    for (node, _, class) in list.iter().filter(|(n, ..)| n.has_tag_name("joint")) {
        for name in ["damping", "stiffness", "frictionloss", "armature"] {
            if model.number(reader, *node, class, name).is_some_and(|x| x != 0.0) {
                ignored(reader, *node, name, "a free body has no joint here");
            }
        }
    }
}

/// Keys of a joint that are tables by coordinate.
const TABLES: [&str; 6] = ["limits", "friction", "stiffness", "damping", "rest", "armature"];

/// Limits, friction, damping, stiffness and armature.
fn extras(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    class: &str,
    (joint, coordinate): (&str, Option<&'static str>),
    [bounds, rub, springs, dampers, rests, rotors]: &mut [Make; 6],
) {
    // The coordinate is 0 here where MuJoCo counts `ref`.
    let span = tag(node);
    let turning = model.attribute(node, class, "type").is_none_or(|t| t != "slide");
    let unit = |x: f64| if turning { model.compiler.angle(x) } else { x };
    let reference = unit(model.number(reader, node, class, "ref").unwrap_or(0.0));
    let range = model.range(reader, node, class, ["range", "limited"]).map(|r| r.map(unit));
    let rest = unit(model.number(reader, node, class, "springref").unwrap_or(0.0));
    let efforts = ["actuatorfrcrange", "actuatorfrclimited"];
    let effort = model.range(reader, node, class, efforts).map(|r| r[0].abs().max(r[1].abs()));
    if let Some(own) = node.attribute("name") {
        let coordinate = coordinate.filter(|c| *c != "swing");
        let driven = Driven { name: joint.to_owned(), coordinate, reference, range, effort };
        model.joints.insert(own.to_owned(), driven);
    }

    // What is not read.
    model.unread(reader, node, class, &KNOWN, "it has no counterpart here");
    let mut value = |name: &str| model.number(reader, node, class, name).filter(|x| *x > 0.0);
    let [friction, damping, stiffness, armature] = ["frictionloss", "damping", "stiffness", "armature"].map(&mut value);
    let any = friction.or(damping).or(stiffness).or(armature).is_some();
    for name in ["solreflimit", "solimplimit"] {
        if range.is_some() && model.attribute(node, class, name).is_some() {
            ignored(reader, node, name, "limits are rigid here");
        }
    }
    let Some(coordinate) = coordinate else {
        if range.is_some() {
            ignored(reader, node, "range", "the joint is one of several of its body");
        }
        if any {
            several(reader, &span);
        }
        return;
    };

    // What is.
    if let Some([low, high]) = range {
        bounds.put(coordinate, numbers(&span, &[("min", low - reference), ("max", high - reference)]));
    }
    if coordinate == "swing" {
        if any {
            several(reader, &span);
        }
        return;
    }
    let rest = stiffness.map(|_| rest - reference).filter(|r| *r != 0.0);
    for (table, value) in [(rub, friction), (springs, stiffness), (dampers, damping), (rests, rest), (rotors, armature)]
    {
        if let Some(value) = value {
            table.number(coordinate, value);
        }
    }
}

fn several(reader: &mut Reader, span: &crate::source::Span) {
    let message =
        "damping, stiffness, armature and friction of this joint are not read: it has more than one coordinate";
    reader.count_warning(Code::Unsupported, message, span, message.to_owned(), "left out", None);
}
