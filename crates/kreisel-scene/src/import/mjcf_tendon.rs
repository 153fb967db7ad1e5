//! Tendons of MJCF: lengths that are sums of coordinates, L = Σ c q.
//!
//! A tendon that acts on something is a light body that slides along a rail while a coupling makes
//! its way Σ c (q − q₀): spring, damper, friction, limits and actuators of the tendon are those of
//! the rail. Its mass is a small share ([`LIGHT`]) of what moves along with it, besides `armature`.
//!
//! Tendons through sites are in `mjcf_spatial`. Those that nothing uses are left out.

use super::make::{Make, numbers};
use super::mjcf_model::{Driven, Model};
use super::xml::{
    elements, left_out_because, lost, lost_attribute, lost_because, place, required, tag,
};
use crate::node::{Node as Item, Value};
use crate::problem::Code;
use crate::read::Reader;
use crate::robot;
use kreisel_dynamics::Vec3;
use roxmltree::Node;

/// Mass of what slides as a share of the inertia that the tendon moves.
pub(super) const LIGHT: f64 = 1e-7;

/// The same where the tendon or its joints have dry friction, as for links (`mjcf_body`).
const LIGHT_WITH_FRICTION: f64 = 1e-5;

/// Attributes that are read, or that say only how a tendon looks.
const KNOWN: [&str; 19] = [
    "limited",
    "range",
    "frictionloss",
    "springlength",
    "stiffness",
    "damping",
    "armature",
    "group",
    "material",
    "rgba",
    "width",
    "user",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "actuatorfrcrange",
    "actuatorfrclimited",
    "margin",
];

/// A tendon as actuators and equalities see it.
pub(super) struct Tendon {
    /// Its rail.
    pub rail: Driven,
    /// How far it moves for each rate of the model in the pose of the file.
    pub dense: Vec<f64>,
}

/// Reads an element of `<tendon>`; `used` says whether an actuator or an equality names it.
pub(super) fn read(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>, used: &[&str]) {
    let name = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("tendon"));
    let class = "main";
    let number =
        |reader: &mut Reader, model: &Model<'_>, key| model.number(reader, node, class, key);
    let mut value = |key| number(reader, model, key).filter(|x| *x > 0.0);
    let [stiffness, damping, friction, armature] =
        ["stiffness", "damping", "frictionloss", "armature"].map(&mut value);
    let range = model.range(reader, node, class, ["range", "limited"]);
    let acts = stiffness.or(damping).or(friction).or(armature).is_some() || range.is_some();
    if !acts && !used.contains(&name.as_str()) {
        return;
    }
    match node.tag_name().name() {
        "fixed" => model.unread(reader, node, class, &KNOWN, "it has no counterpart here"),
        "spatial" => {
            model.unread(reader, node, class, &KNOWN, "it has no counterpart here");
            return super::mjcf_spatial::read(reader, node, model, name);
        }
        _ => return lost(reader, node),
    }

    // Its joints, its length in the pose of the file, and the inertia that it moves.
    let (mut length, mut sides, mut rubs) = (0.0, Vec::new(), friction.is_some());
    for part in elements(node).filter(|n| n.has_tag_name("joint")) {
        let (Some(joint), Some(factor)) =
            (required(reader, part, "joint"), super::xml::number(reader, part, "coef"))
        else {
            required(reader, part, "coef");
            return;
        };
        let Some(found) = model.joints.get(joint) else {
            let message = format!("there is no joint \"{joint}\"");
            reader.error(Code::UnknownName, &place(part, "joint"), message, "unknown joint");
            return;
        };
        let Some(word) = found.coordinate else {
            return lost_because(reader, node, "a ball has no coordinate here");
        };
        length += factor * found.reference;
        rubs |= found.rubs;
        sides.push((found.name.clone(), word, factor, found.link));
    }
    let terms: Vec<(usize, f64)> = sides.iter().map(|s| (s.3, s.2)).collect();
    let felt = model.felt(&terms);
    if !felt.is_finite() {
        return left_out_because(reader, node, "it moves with no joint");
    }

    // The body, on a rail across the pull of gravity.
    let span = tag(node);
    let axis = model.gravity.try_normalize().map_or(Vec3::X, |g| g.any_orthonormal_vector());
    let share = if rubs { LIGHT_WITH_FRICTION } else { LIGHT };
    let mass = share * felt + armature.unwrap_or(0.0);
    let body = model.items.claim(&format!("{name} tendon"), "body");
    let mut make = Make::new(&span);
    make.text("name", &body).number("mass", mass).vector("center", Vec3::ZERO);
    make.vector("inertia", Vec3::splat(mass));
    model.items.body.push(make.done());
    let rail = model.items.claim(&format!("{name} rail"), "joint");
    let mut make = Make::new(&span);
    make.text("name", &rail).text("type", "slider").names("bodies", ["world", &body]);
    make.vector("at", Vec3::ZERO).vector("axis", axis);
    passive(reader, node, model, &mut make, ("position", length, length));
    model.items.joint.push(make.done());

    // What couples it to the joints.
    let mut make = Make::new(&span);
    let title = model.items.claim(&format!("{name} coupling"), "constraint");
    let item = |value: Value| Item { span: span.clone(), value };
    let text = |t: &str| item(Value::Text(t.replace('{', "{{").replace('}', "}}")));
    let all =
        sides.iter().map(|s| (s.0.as_str(), s.1, s.2)).chain([(rail.as_str(), "position", -1.0)]);
    let (mut joints, mut words, mut factors) = (Vec::new(), Vec::new(), Vec::new());
    for (joint, word, factor) in all {
        joints.push(text(joint));
        words.push(text(word));
        factors.push(item(Value::Number(factor)));
    }
    make.text("name", &title).text("type", "coupling").put("joints", Value::Array(joints));
    make.put("coordinates", Value::Array(words))
        .put("factors", Value::Array(factors))
        .number("value", 0.0);
    model.items.constraint.push(make.done());
    model.robot.tendons.push(robot::Tendon { body, axis, terms: terms.clone() });

    // What actuators see.
    let efforts = ["actuatorfrcrange", "actuatorfrclimited"];
    let effort = model.range(reader, node, class, efforts).map(|r| r[0].abs().max(r[1].abs()));
    let rail = Driven {
        name: rail,
        coordinate: Some("position"),
        reference: length,
        range,
        effort,
        rubs,
        link: usize::MAX,
    };
    let dense = model.dense_of_terms(&terms);
    model.tendons.insert(name, Tendon { rail, dense });
}

/// Writes spring, damper, friction and limits of a tendon: those of a coordinate that is 0 at the
/// length `zero`; `length` is that of the pose of the file.
pub(super) fn passive(
    reader: &mut Reader,
    node: Node<'_, '_>,
    model: &Model<'_>,
    make: &mut Make,
    (coordinate, zero, length): (&'static str, f64, f64),
) {
    let span = tag(node);
    let mut value = |key| model.number(reader, node, "main", key).filter(|x| *x > 0.0);
    let [stiffness, damping, friction] = ["stiffness", "damping", "frictionloss"].map(&mut value);
    let rest = springs(reader, node, model, length) - zero;
    let rest = stiffness.map(|_| rest).filter(|r| *r != 0.0);
    for (key, value) in
        [("stiffness", stiffness), ("damping", damping), ("rest", rest), ("friction", friction)]
    {
        if let Some(value) = value {
            make.put(key, numbers(&span, &[(coordinate, value)]));
        }
    }
    if let Some([low, high]) = model.range(reader, node, "main", ["range", "limited"]) {
        // Rigid limits that are passed at the start throw what hangs on the tendon.
        let outside = length < low || length > high;
        if outside {
            let message = format!(
                "the tendon is {length:.4} m long in the pose of the file, beyond its range"
            );
            let help = "it is given this length as its limit";
            reader
                .warn(Code::Physics, &place(node, "range"), message, "passed at the start")
                .help(help);
        }
        let (low, high) = (low.min(length), high.max(length));
        let mut bounds = Make::new(&span);
        bounds.put(coordinate, numbers(&span, &[("min", low - zero), ("max", high - zero)]));
        make.put("limits", bounds.done().value);
    }
}

/// The length at which the spring of a tendon rests.
fn springs(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>, length: f64) -> f64 {
    let given = model.numbers(reader, node, "main", "springlength").unwrap_or_default();
    match given[..] {
        [rest] | [rest, _] if rest < 0.0 => length,
        [rest] => rest,
        [low, high] => {
            if low != high {
                lost_attribute(
                    reader,
                    node,
                    "springlength",
                    "springs rest at one length, the mean of both",
                );
            }
            0.5 * (low + high)
        }
        _ => length,
    }
}
