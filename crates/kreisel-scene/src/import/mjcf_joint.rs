//! Joints and actuators of MJCF.
//!
//! A body of MJCF may have several joints, one after the other. These combinations are one joint here:
//!
//! | joints of the body | here |
//! |---|---|
//! | hinge, hinge with one anchor | universal (limits of the two angles are left out) |
//! | hinge, hinge, hinge with one anchor | ball (likewise) |
//! | slide and hinge along one axis | cylindrical |
//! | slide, slide | in a plane, without turning |
//! | slide, slide, hinge across both | in a plane |
//! | slide, slide, slide | translation |
//!
//! Others are an error that names the body.

use super::make::{Make, numbers};
use super::mjcf::{Model, limits};
use super::xml::{ignored, left_out, place, tag};
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::Vec3;
use kreisel_geometry::Pose;
use roxmltree::Node;

/// Cosine from which on two axes count as parallel (and sine from which on as orthogonal): a thousandth of a radian.
const PARALLEL: f64 = 1.0 - 5e-7;

struct Dof {
    slide: bool,
    anchor: Vec3,
    axis: Vec3,
}

/// Makes the joint of a body with its parent.
pub(super) fn joints(
    reader: &mut Reader,
    body: Node<'_, '_>,
    list: &[Node<'_, '_>],
    model: &mut Model<'_>,
    class: &str,
    bodies: [&str; 2],
    pose: &Pose,
) {
    let kind = |model: &Model<'_>, n: Node<'_, '_>| match n.tag_name().name() {
        "freejoint" => "free".to_owned(),
        _ => model.attribute(n, class, "type").unwrap_or_else(|| "hinge".to_owned()),
    };
    let kinds: Vec<String> = list.iter().map(|n| kind(model, *n)).collect();
    if kinds.iter().any(|k| k == "free") {
        return;
    }
    let mut dofs = Vec::new();
    for (node, kind) in list.iter().zip(&kinds) {
        let anchor = model.vector(reader, *node, class, "pos").unwrap_or_default();
        let axis = model.vector(reader, *node, class, "axis").unwrap_or(Vec3::Z);
        dofs.push(Dof {
            slide: kind == "slide",
            anchor: pose.point(anchor),
            axis: pose.direction(axis).normalize_or(Vec3::Z),
        });
    }
    let parallel = |a: Vec3, b: Vec3| a.dot(b).abs() > PARALLEL;
    let one_point = dofs.windows(2).all(|w| w[0].anchor.distance(w[1].anchor) < 1e-9);
    let (slides, turns): (Vec<&Dof>, Vec<&Dof>) = dofs.iter().partition(|d| d.slide);
    let words: Vec<&str> = kinds.iter().map(String::as_str).collect();
    let span = list.first().map_or_else(|| tag(body), |n| place(*n, "name"));
    let mut make = Make::new(&span);
    let first = list.first();
    let given = first.and_then(|n| n.attribute("name")).map(str::to_owned).unwrap_or_else(|| model.fresh("joint"));
    let name = model.items.claim(&given, "joint");
    for node in list {
        if let Some(own) = node.attribute("name") {
            model.items.joints.insert(own.to_owned(), name.clone());
        }
    }
    make.text("name", &name).names("bodies", bodies);
    let coordinate = match (words.as_slice(), slides.as_slice(), turns.as_slice()) {
        ([], ..) => {
            make.text("type", "fixed").vector("at", pose.position);
            ""
        }
        (["ball"], ..) => {
            make.text("type", "ball").vector("at", dofs[0].anchor);
            "swing"
        }
        (["hinge"], ..) => {
            make.text("type", "hinge").vector("at", dofs[0].anchor).vector("axis", dofs[0].axis);
            "angle"
        }
        (["slide"], ..) => {
            make.text("type", "slider").vector("at", dofs[0].anchor).vector("axis", dofs[0].axis);
            "position"
        }
        (_, [], [a, b]) if one_point && !parallel(a.axis, b.axis) => {
            make.text("type", "universal").vector("at", a.anchor).vector("axis", a.axis).vector("axis2", b.axis);
            ""
        }
        (_, [], [a, _, _]) if one_point => {
            make.text("type", "ball").vector("at", a.anchor);
            ""
        }
        (_, [s], [t]) if parallel(s.axis, t.axis) => {
            make.text("type", "cylindrical").vector("at", t.anchor).vector("axis", t.axis);
            ""
        }
        (_, [s, u], []) if !parallel(s.axis, u.axis) => {
            make.text("type", "combined").names("parts", ["plane", "fixed"]);
            make.vector("at", s.anchor).vector("axis", s.axis.cross(u.axis));
            ""
        }
        (_, [s, u], [t]) if parallel(s.axis.cross(u.axis).normalize_or_zero(), t.axis) => {
            make.text("type", "combined").names("parts", ["plane", "axis"]);
            make.vector("at", t.anchor).vector("axis", t.axis);
            ""
        }
        (_, [_, _, _], []) => {
            make.text("type", "translation").vector("at", pose.position);
            ""
        }
        _ => {
            let message = format!("a body with the joints {} has no counterpart here", words.join(", "));
            let help = "put bodies between the joints";
            reader.error(Code::Unsupported, &tag(body), message, "this body").help(help);
            return;
        }
    };
    for node in list {
        extras(reader, *node, model, class, &name, coordinate, &mut make);
    }
    model.items.joint.push(make.done());
}

/// Limits, friction, damping and stiffness.
fn extras(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    class: &str,
    joint: &str,
    coordinate: &str,
    make: &mut Make,
) {
    let span = tag(node);
    let turning = coordinate == "angle" || coordinate == "swing";
    let range = model.numbers(reader, node, class, "range").filter(|r| r.len() == 2);
    let limited = match model.attribute(node, class, "limited").as_deref() {
        Some("false") => false,
        Some("true") => true,
        _ => range.is_some(),
    };
    if let Some(r) = range.filter(|_| limited) {
        if coordinate.is_empty() {
            ignored(reader, node, "range", "the joint is one of several of its body");
        } else {
            let [low, high] = [r[0], r[1]].map(|x| if turning { model.angle(x) } else { x });
            make.put("limits", limits(&span, coordinate, low, high));
        }
    }
    let mut value = |name: &str| model.number(reader, node, class, name).filter(|x| *x > 0.0);
    let (friction, damping, stiffness) = (value("frictionloss"), value("damping"), value("stiffness"));
    let armature = value("armature");
    if armature.is_some() {
        ignored(reader, node, "armature", "rotors have no inertia here");
    }
    if coordinate.is_empty() || coordinate == "swing" {
        if friction.or(damping).or(stiffness).is_some() {
            let message = "damping, stiffness and friction of this joint are not read: it has more than one coordinate";
            reader.warn(Code::Unsupported, &span, message, "left out");
        }
        return;
    }
    if let Some(effort) = friction {
        make.put("friction", numbers(&span, &[(coordinate, effort)]));
    }
    if damping.is_some() || stiffness.is_some() {
        let rest = model.number(reader, node, class, "springref").unwrap_or(0.0);
        let rest = if turning { model.angle(rest) } else { rest };
        model.items.damper(&span, joint, coordinate, damping.unwrap_or(0.0), stiffness.unwrap_or(0.0), rest);
    }
}

/// An actuator, with what it does at control 0.
pub(super) fn actuator(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) {
    let class = "main";
    let kind = node.tag_name().name();
    let Some(joint) = node.attribute("joint").filter(|_| matches!(kind, "motor" | "position" | "velocity")) else {
        left_out(reader, node);
        return;
    };
    let Some(target) = model.items.joints.get(joint).cloned() else {
        reader.error(
            Code::UnknownName,
            &place(node, "joint"),
            format!("there is no joint \"{joint}\""),
            "unknown joint",
        );
        return;
    };
    let given = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("motor"));
    let name = model.items.claim(&given, "motor");
    let gear = model.number(reader, node, class, "gear").unwrap_or(1.0);
    let span = tag(node);
    let mut make = Make::new(&span);
    make.text("name", &name).text("joint", &target);
    let gain = |model: &Model<'_>, reader: &mut Reader, key: &str, usual: f64| {
        model.number(reader, node, class, key).unwrap_or(usual)
    };
    match kind {
        "motor" => {
            make.number("effort", 0.0);
            if let Some(range) = model.numbers(reader, node, class, "ctrlrange")
                && let [low, high] = range[..]
            {
                make.number("max_effort", (gear * low.abs().max(high.abs())).abs());
            }
        }
        "position" => {
            let (kp, kv) = (gain(model, reader, "kp", 1.0), gain(model, reader, "kv", 0.0));
            let time = if kp > 0.0 { kv / kp } else { 0.0 };
            make.put("servo", numbers(&span, &[("position", 0.0), ("gain", kp * gear), ("derivative_time", time)]));
        }
        _ => {
            let kv = gain(model, reader, "kv", 1.0);
            make.put("servo", numbers(&span, &[("velocity", 0.0), ("gain", kv * gear)]));
        }
    }
    if let Some(range) = model.numbers(reader, node, class, "forcerange")
        && let [low, high] = range[..]
        && kind != "motor"
    {
        make.number("max_effort", low.abs().max(high.abs()));
    }
    model.items.motor.push(make.done());
}
