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
//! | `<general>` | gain u + b₀ + b₁ l + b₂ l' | one of these |

use super::make::{Make, numbers};
use super::mjcf_drive::{KINDS, Law};
use super::mjcf_model::Model;
use super::xml::{ignored, left_out, left_out_because, place, tag};
use crate::problem::Code;
use crate::read::Reader;
use crate::robot::Drive;
use roxmltree::Node;

/// Attributes that are read, or that have no effect at a constant control.
const KNOWN: [&str; 28] = [
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
    moments: Vec<(usize, f64)>,
}

/// The joint or tendon that an actuator names.
fn target(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>) -> Option<Target> {
    let key = ["joint", "jointinparent", "tendon"].into_iter().find(|k| node.has_attribute(*k));
    let Some((key, name)) = key.and_then(|k| Some((k, node.attribute(k)?))) else {
        left_out_because(
            reader,
            node,
            "only joints and fixed tendons are driven, not sites and bodies",
        );
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
            let there = node.document().descendants().any(|n| n.has_tag_name("spatial"));
            if there {
                left_out_because(reader, node, "its tendon is not read");
            } else {
                let near = crate::problem::nearest(name, model.tendons.keys().map(String::as_str));
                unknown(reader, "tendon", near.map(str::to_owned));
            }
            return None;
        };
        (&tendon.rail, tendon.terms.clone())
    } else {
        let Some(driven) = model.joints.get(name) else {
            let near = crate::problem::nearest(name, model.joints.keys().map(String::as_str));
            unknown(reader, "joint", near.map(str::to_owned));
            return None;
        };
        (driven, vec![(driven.link, 1.0)])
    };
    let Some(coordinate) = driven.coordinate else {
        left_out_because(reader, node, "a ball has no coordinate here");
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
        left_out(reader, node);
        return None;
    }
    let target = target(reader, node, model)?;
    let law = Law::new(reader, node, model);
    let gear = law.number(reader, node, "gear", 1.0);
    if gear == 0.0 {
        left_out_because(reader, node, "its gear is 0");
        return None;
    }
    if !law.known {
        left_out_because(reader, node, "its gain or bias has no counterpart here");
        return None;
    }
    model.unread(reader, node, "main", &KNOWN, "it has no counterpart here");
    if law.delayed {
        ignored(
            reader,
            node,
            "dyntype",
            "actuators have no activation here: the control acts at once",
        );
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

    // Force = gain u + load − stiffness l − damping l'. A positive rate of a position servo is its
    // damping ratio, of the inertia that the actuator feels.
    let (gain, [load, slope, rate]) = (law.gain, law.bias);
    let stiffness = -slope;
    let damping = if rate > 0.0 && gain == stiffness {
        let felt = model.felt(&target.moments) / (gear * gear);
        if !felt.is_finite() {
            ignored(reader, node, "dampratio", "of tendons between sites only kv is read");
        }
        if felt.is_finite() { 2.0 * rate * (gain * felt).sqrt() } else { 0.0 }
    } else {
        -rate
    };
    if stiffness < 0.0 || damping < 0.0 {
        left_out_because(reader, node, "its gain is negative");
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
            ignored(reader, node, "forcerange", "the larger of its bounds holds both ways");
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
    model.items.motor.push(make.done());
    Some(Drive { motor: name, scale, offset, range })
}
