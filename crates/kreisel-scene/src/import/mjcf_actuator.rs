//! Actuators of MJCF, with what they do at control 0, as MuJoCo does when nothing controls it.
//!
//! With the gear g the actuator sees the length l = g q of a joint's coordinate q and gives g times
//! its force:
//!
//! | actuator | force at the control u (0, or the nearest that `ctrlrange` allows) | here |
//! |---|---|---|
//! | `<motor>` | u | effort g u |
//! | `<position>` | kp (u − l) − kv l' | servo to u / g with gain g² kp |
//! | `<velocity>` | kv (u − l') | servo to the rate u / g with gain g² kv |
//! | `<general>`, `<cylinder>` | gain u + b₀ + b₁ l + b₂ l' | one of these |
//! | `<damper>` | −kv u l' | brake g² kv u |
//! | `<muscle>` | see `mjcf_muscle` | muscle with the arm g |
//! | at a site | see `mjcf_thrust` | thruster |
//!
//! Activation of first order (`filter`, `filterexact`, `timeconst`) is a lag of the motor.

use super::make::{Make, numbers};
use super::mjcf_drive::{Form, KINDS, Law};
use super::mjcf_model::Model;
use super::xml::{left_out_because, lost, lost_attribute, lost_because, place, tag};
use crate::node::Value;
use crate::problem::Code;
use crate::read::Reader;
use crate::robot::Drive;
use roxmltree::Node;

/// Attributes that are read, or that have no effect at a constant control.
const KNOWN: [&str; 45] = [
    "site",
    "refsite",
    "lengthrange",
    "area",
    "diameter",
    "bias",
    "force",
    "scale",
    "lmin",
    "lmax",
    "vmax",
    "fpmax",
    "fvmax",
    "range",
    "tausmooth",
    "body",
    "damping",
    "joint",
    "jointinparent",
    "tendon",
    "dampratio",
    "timeconst",
    "gear",
    "kp",
    "kv",
    "ctrlrange",
    "ctrllimited",
    "forcerange",
    "forcelimited",
    "inheritrange",
    "group",
    "user",
    "gaintype",
    "biastype",
    "gainprm",
    "biasprm",
    "dyntype",
    "dynprm",
    "actrange",
    "actlimited",
    "actearly",
    "actdim",
    "delay",
    "nsample",
    "interp",
];

/// Reads an actuator; what is not read keeps its place among the controls.
pub(super) fn read(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) {
    let drive = motor(reader, node, model);
    model.robot.drives.push(drive);
}

/// What an actuator drives.
struct Target {
    joint: String,
    coordinate: &'static str,
    /// Its value in the pose of the file.
    reference: f64,
    range: Option<[f64; 2]>,
    effort: Option<f64>,
    /// Links that it moves with, and how far for a unit of theirs, through a gear of 1.
    moments: Vec<f64>,
}

/// The joint or tendon that an actuator names.
fn target(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>) -> Option<Target> {
    let key = ["joint", "jointinparent", "tendon"].into_iter().find(|k| node.has_attribute(*k));
    let Some((key, name)) = key.and_then(|k| Some((k, node.attribute(k)?))) else {
        lost_because(reader, node, "joints, tendons and sites are driven, not bodies and cranks");
        return None;
    };
    let unknown = |reader: &mut Reader, kind: &str, near: Option<String>| {
        let help = near.map(|n| format!("did you mean \"{n}\"?"));
        let message = format!("there is no {kind} \"{name}\"");
        reader
            .error(Code::UnknownName, &place(node, key), message, format!("unknown {kind}"))
            .help_if(help);
    };
    let (driven, moments) = if key == "tendon" {
        let Some(tendon) = model.tendons.get(name) else {
            let is_it = |n: &Node<'_, '_>| {
                matches!(n.tag_name().name(), "spatial" | "fixed")
                    && n.attribute("name") == Some(name)
            };
            if node.document().descendants().any(|n| is_it(&n)) {
                lost_because(reader, node, "its tendon is not read");
            } else {
                let near = crate::problem::nearest(name, model.tendons.keys().map(String::as_str));
                unknown(reader, "tendon", near.map(str::to_owned));
            }
            return None;
        };
        (&tendon.rail, tendon.dense.clone())
    } else {
        let Some(driven) = model.joints.get(name) else {
            let near = crate::problem::nearest(name, model.joints.keys().map(String::as_str));
            unknown(reader, "joint", near.map(str::to_owned));
            return None;
        };
        (driven, model.dense_of_terms(&[(driven.link, 1.0)]))
    };
    let Some(coordinate) = driven.coordinate else {
        lost_because(reader, node, "a ball has no coordinate here");
        return None;
    };
    Some(Target {
        joint: driven.name.clone(),
        coordinate,
        reference: driven.reference,
        range: driven.range,
        effort: driven.effort,
        moments,
    })
}

/// Makes the motor of an actuator.
fn motor(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) -> Option<Drive> {
    let kind = node.tag_name().name();
    if !KINDS.contains(&kind) {
        lost(reader, node);
        return None;
    }
    let law = Law::new(reader, node, model);
    if law.form == Form::Unknown {
        lost_because(reader, node, "its gain, bias or activation has no counterpart here");
        return None;
    }
    model.unread(reader, node, "main", &KNOWN, "it has no counterpart here");
    if node.has_attribute("site") && law.form == Form::Linear {
        return super::mjcf_thrust::thruster(reader, node, model, &law);
    }
    let target = target(reader, node, model)?;
    let gear = law.number(reader, node, "gear", 1.0);
    if gear == 0.0 {
        left_out_because(reader, node, "its gear is 0");
        return None;
    }
    // The control: 0, or the nearest that its range allows.
    let inherit = law.number(reader, node, "inheritrange", 0.0);
    let range = match target.range.filter(|_| inherit > 0.0 && kind == "position") {
        Some([low, high]) => Some([
            0.5 * ((low + high) - inherit * (high - low)),
            0.5 * ((low + high) + inherit * (high - low)),
        ]),
        None => law.range(reader, node, model, ["ctrlrange", "ctrllimited"]),
    };
    let control = range.map_or(0.0, |[low, high]| 0.0_f64.max(low).min(high));
    match law.form {
        Form::Muscle => return muscle(reader, node, model, (&law, &target, gear), range),
        Form::Damper => return brake(reader, node, model, (&law, &target, gear), range),
        Form::Linear | Form::Unknown => {}
    }

    // Force = gain u + load − stiffness l − damping l'. A positive rate of a position servo is its
    // damping ratio, of the inertia that the actuator feels.
    let (gain, [load, slope, rate]) = (law.gain, law.bias);
    let stiffness = -slope;
    let damping = if rate > 0.0 && gain == stiffness {
        let felt = model.felt_dense(&target.moments) / (gear * gear);
        if !felt.is_finite() {
            lost_attribute(reader, node, "dampratio", "nothing moves with its tendon");
        }
        if felt.is_finite() { 2.0 * rate * (gain * felt).sqrt() } else { 0.0 }
    } else {
        -rate
    };
    if stiffness < 0.0 || damping < 0.0 {
        lost_because(reader, node, "its gain is negative");
        return None;
    }

    // The motor: its value is linear in the control.
    let given = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("motor"));
    let name = model.items.claim(&given, "motor");
    let span = tag(node);
    let mut make = Make::new(&span);
    make.text("name", &name).text("joint", &target.joint).text("coordinate", target.coordinate);
    let (scale, offset) = if stiffness > 0.0 {
        (gain / (stiffness * gear), load / (stiffness * gear) - target.reference)
    } else if damping > 0.0 {
        (gain / (damping * gear), load / (damping * gear))
    } else {
        (gain * gear, load * gear)
    };
    let value = scale * control + offset;
    if stiffness > 0.0 {
        let servo = [
            ("position", value),
            ("gain", stiffness * gear * gear),
            ("derivative_time", damping / stiffness),
        ];
        make.put("servo", numbers(&span, &servo));
    } else if damping > 0.0 {
        make.put("servo", numbers(&span, &[("velocity", value), ("gain", damping * gear * gear)]));
    } else {
        make.number("effort", value);
    }

    // Its largest effort, as far as one number says it.
    let force = law.range(reader, node, model, ["forcerange", "forcelimited"]);
    let strength = force.map(|[low, high]| {
        if (low + high).abs() > 1e-9 * (high - low).abs() {
            super::xml::ignored(
                reader,
                node,
                "forcerange",
                "the larger of its bounds holds both ways",
            );
        }
        low.abs().max(high.abs()) * gear.abs()
    });
    let strength = strength.or(range
        .filter(|_| kind == "motor")
        .map(|[low, high]| low.abs().max(high.abs()) * gear.abs()));
    let largest = match (strength, target.effort) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    if let Some(largest) = largest.filter(|l| *l > 0.0) {
        make.number("max_effort", largest);
    }
    if law.lag > 0.0 {
        make.number("lag", law.lag);
    }
    model.items.motor.push(make.done());
    Some(Drive { motor: name, scale, offset, range })
}

/// A motor that is none of force, rate and position: its name, and its item so far.
fn begin(node: Node<'_, '_>, model: &mut Model<'_>, target: &Target) -> (String, Make) {
    let given = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("motor"));
    let name = model.items.claim(&given, "motor");
    let mut make = Make::new(&tag(node));
    make.text("name", &name).text("joint", &target.joint).text("coordinate", target.coordinate);
    (name, make)
}

/// A muscle: its control is its excitation.
fn muscle(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    (law, target, gear): (&Law, &Target, f64),
    range: Option<[f64; 2]>,
) -> Option<Drive> {
    // how long it can be, from the limits of what it pulls at
    let lengths = target.range.map(|[low, high]| {
        let [a, b] = [low * gear, high * gear];
        [a.min(b), a.max(b)]
    });
    let answer = model.answer(&target.moments) * gear.abs();
    let f = super::mjcf_muscle::fibre(reader, node, law, lengths, answer)?;
    let (name, mut make) = begin(node, model, target);
    let span = tag(node);
    // coordinates are 0 in the pose of the file
    let mut own = Make::new(&span);
    own.number("excitation", range.map_or(0.0, |[low, high]| 0.0_f64.max(low).min(high)))
        .number("force", f.force)
        .number("optimal", f.optimal)
        .number("slack", f.slack - gear * target.reference)
        .number("arm", gear)
        .number("shortest", f.shortest)
        .number("longest", f.longest)
        .number("fastest", f.fastest)
        .number("passive", f.passive)
        .number("eccentric", f.eccentric);
    let item = |x: f64| crate::node::Node { span: span.clone(), value: Value::Number(x) };
    own.put("times", Value::Array(f.times.map(item).into()));
    make.put("muscle", own.done().value);
    model.items.motor.push(make.done());
    Some(Drive { motor: name, scale: 1.0, offset: 0.0, range })
}

/// A brake: its control is its damping in terms of `kv`.
fn brake(
    _: &mut Reader,
    node: Node<'_, '_>,
    model: &mut Model<'_>,
    (law, target, gear): (&Law, &Target, f64),
    range: Option<[f64; 2]>,
) -> Option<Drive> {
    let (name, mut make) = begin(node, model, target);
    let scale = law.gain * gear * gear;
    make.number("brake", scale * range.map_or(0.0, |[low, high]| 0.0_f64.max(low).min(high)));
    model.items.motor.push(make.done());
    Some(Drive { motor: name, scale, offset: 0.0, range: Some(range.unwrap_or([0.0, f64::MAX])) })
}
