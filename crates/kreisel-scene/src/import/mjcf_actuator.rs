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
use super::mjcf_model::Model;
use super::xml::{ignored, left_out, left_out_because, place, tag};
use crate::problem::Code;
use crate::read::Reader;
use roxmltree::Node;

/// Attributes that are read, or that have no effect at a constant control.
const KNOWN: [&str; 25] = [
    "joint",
    "jointinparent",
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

/// Reads an actuator.
pub(super) fn read(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) {
    let class = "main";
    let kind = node.tag_name().name();
    if !matches!(kind, "motor" | "position" | "velocity" | "general") {
        return left_out(reader, node);
    }
    let Some(joint) = node.attribute("joint").or(node.attribute("jointinparent")) else {
        return left_out_because(reader, node, "only joints are driven, not tendons, sites and bodies");
    };
    let Some(driven) = model.joints.get(joint) else {
        let near = crate::problem::nearest(joint, model.joints.keys().map(String::as_str));
        let help = near.map(|n| format!("did you mean \"{n}\"?"));
        let message = format!("there is no joint \"{joint}\"");
        reader.error(Code::UnknownName, &place(node, "joint"), message, "unknown joint").help_if(help);
        return;
    };
    let Some(coordinate) = driven.coordinate else {
        return left_out_because(reader, node, "its joint is one of several of its body");
    };
    let (target, reference, limits, most) = (driven.name.clone(), driven.reference, driven.range, driven.effort);
    let number = |reader: &mut Reader, model: &Model<'_>, key: &str, usual: f64| {
        model.number(reader, node, class, key).unwrap_or(usual)
    };
    let gear = number(reader, model, "gear", 1.0);
    if gear == 0.0 {
        return left_out_because(reader, node, "its gear is 0");
    }
    model.unread(reader, node, class, &KNOWN, "it has no counterpart here");
    if model.attribute(node, class, "dyntype").is_some_and(|t| t != "none") {
        ignored(reader, node, "dyntype", "actuators have no activation here");
    }

    // The control: 0, or the nearest that its range allows.
    let inherit = number(reader, model, "inheritrange", 0.0);
    let range = match limits.filter(|_| inherit > 0.0 && kind == "position") {
        Some([low, high]) => {
            Some([0.5 * ((low + high) - inherit * (high - low)), 0.5 * ((low + high) + inherit * (high - low))])
        }
        None => model.range(reader, node, class, ["ctrlrange", "ctrllimited"]),
    };
    let control = range.map_or(0.0, |[low, high]| 0.0_f64.max(low).min(high));

    // Force = load − stiffness l − damping l'.
    let (load, stiffness, damping) = match kind {
        "motor" => (control, 0.0, 0.0),
        "position" => {
            let (kp, kv) = (number(reader, model, "kp", 1.0), number(reader, model, "kv", 0.0));
            (kp * control, kp, kv)
        }
        "velocity" => {
            let kv = number(reader, model, "kv", 1.0);
            (kv * control, 0.0, kv)
        }
        _ => {
            let list = |reader: &mut Reader, key| model.numbers(reader, node, class, key).unwrap_or_default();
            let (gain, bias) = (list(reader, "gainprm"), list(reader, "biasprm"));
            let at = |list: &[f64], k: usize, usual: f64| list.get(k).copied().unwrap_or(usual);
            match model.attribute(node, class, "biastype").as_deref() {
                None | Some("none") => (at(&gain, 0, 1.0) * control, 0.0, 0.0),
                Some("affine") => {
                    (at(&gain, 0, 1.0) * control + at(&bias, 0, 0.0), -at(&bias, 1, 0.0), -at(&bias, 2, 0.0))
                }
                _ => return left_out_because(reader, node, "its bias has no counterpart here"),
            }
        }
    };
    if stiffness < 0.0 || damping < 0.0 {
        return left_out_because(reader, node, "its gain is negative");
    }

    // The motor.
    let given = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("motor"));
    let name = model.items.claim(&given, "motor");
    let span = tag(node);
    let mut make = Make::new(&span);
    make.text("name", &name).text("joint", &target).text("coordinate", coordinate);
    if stiffness > 0.0 {
        let position = load / (stiffness * gear) - reference;
        let gain = stiffness * gear * gear;
        make.put(
            "servo",
            numbers(&span, &[("position", position), ("gain", gain), ("derivative_time", damping / stiffness)]),
        );
    } else if damping > 0.0 {
        make.put("servo", numbers(&span, &[("velocity", load / (damping * gear)), ("gain", damping * gear * gear)]));
    } else {
        make.number("effort", load * gear);
    }

    // Its largest effort, as far as one number says it.
    let force = model.range(reader, node, class, ["forcerange", "forcelimited"]);
    let range = force.or(range.filter(|_| kind == "motor")).map(|[low, high]| {
        if (low + high).abs() > 1e-9 * (high - low).abs() && kind != "motor" {
            ignored(reader, node, "forcerange", "the larger of its bounds holds both ways");
        }
        low.abs().max(high.abs()) * gear.abs()
    });
    let largest = match (range, most) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    if let Some(largest) = largest.filter(|l| *l > 0.0) {
        make.number("max_effort", largest);
    }
    model.items.motor.push(make.done());
}
