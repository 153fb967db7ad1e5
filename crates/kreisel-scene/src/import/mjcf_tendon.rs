//! Fixed tendons of MJCF: a length that is a sum of coordinates, L = Σ c q.
//!
//! A tendon that acts on something is a light body that slides along a rail while a coupling makes
//! its way Σ c (q − q₀): spring, damper, friction, limits and actuators of the tendon are those of
//! the rail. Its mass is a small share ([`LIGHT`]) of what moves along with it, besides `armature`.
//!
//! Tendons that nothing uses do nothing; spatial ones are named and left out.

use super::make::{Make, numbers};
use super::mjcf_model::{Driven, Model};
use super::xml::{elements, ignored, left_out, left_out_because, place, required, tag};
use crate::node::{Node as Item, Value};
use crate::problem::Code;
use crate::read::Reader;
use crate::robot;
use kreisel_dynamics::Vec3;
use roxmltree::Node;

/// Mass of what slides as a share of the inertia that the tendon moves.
const LIGHT: f64 = 1e-7;

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
    /// Numbers of links with their factors.
    pub terms: Vec<(usize, f64)>,
}

/// Reads an element of `<tendon>`; `used` says whether an actuator or an equality names it.
pub(super) fn read(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>, used: &[&str]) {
    let name = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("tendon"));
    let class = "main";
    let number = |reader: &mut Reader, model: &Model<'_>, key| model.number(reader, node, class, key);
    let mut value = |key| number(reader, model, key).filter(|x| *x > 0.0);
    let [stiffness, damping, friction, armature] = ["stiffness", "damping", "frictionloss", "armature"].map(&mut value);
    let range = model.range(reader, node, class, ["range", "limited"]);
    let acts = stiffness.or(damping).or(friction).or(armature).is_some() || range.is_some();
    if !acts && !used.contains(&name.as_str()) {
        return;
    }
    match node.tag_name().name() {
        "fixed" => {}
        "spatial" => return left_out_because(reader, node, "tendons along sites have no counterpart here"),
        _ => return left_out(reader, node),
    }
    model.unread(reader, node, class, &KNOWN, "it has no counterpart here");

    // Its joints, its length in the pose of the file, and the inertia that it moves.
    let (mut length, mut sides) = (0.0, Vec::new());
    for part in elements(node).filter(|n| n.has_tag_name("joint")) {
        let (Some(joint), Some(factor)) = (required(reader, part, "joint"), super::xml::number(reader, part, "coef"))
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
            return left_out_because(reader, node, "a ball has no coordinate here");
        };
        length += factor * found.reference;
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
    let mass = LIGHT * felt + armature.unwrap_or(0.0);
    let body = model.items.claim(&format!("{name} tendon"), "body");
    let mut make = Make::new(&span);
    make.text("name", &body).number("mass", mass).vector("center", Vec3::ZERO);
    make.vector("inertia", Vec3::splat(mass));
    model.items.body.push(make.done());
    let rail = model.items.claim(&format!("{name} rail"), "joint");
    let mut make = Make::new(&span);
    make.text("name", &rail).text("type", "slider").names("bodies", ["world", &body]);
    make.vector("at", Vec3::ZERO).vector("axis", axis);
    let rest = springs(reader, node, model, length).filter(|_| stiffness.is_some());
    for (key, value) in [("stiffness", stiffness), ("damping", damping), ("rest", rest), ("friction", friction)] {
        if let Some(value) = value {
            make.put(key, numbers(&span, &[("position", value)]));
        }
    }
    if let Some([low, high]) = range {
        let mut bounds = Make::new(&span);
        bounds.put("position", numbers(&span, &[("min", low - length), ("max", high - length)]));
        make.put("limits", bounds.done().value);
    }
    model.items.joint.push(make.done());

    // What couples it to the joints.
    let mut make = Make::new(&span);
    let title = model.items.claim(&format!("{name} coupling"), "constraint");
    let item = |value: Value| Item { span: span.clone(), value };
    let text = |t: &str| item(Value::Text(t.replace('{', "{{").replace('}', "}}")));
    let all = sides.iter().map(|s| (s.0.as_str(), s.1, s.2)).chain([(rail.as_str(), "position", -1.0)]);
    let (mut joints, mut words, mut factors) = (Vec::new(), Vec::new(), Vec::new());
    for (joint, word, factor) in all {
        joints.push(text(joint));
        words.push(text(word));
        factors.push(item(Value::Number(factor)));
    }
    make.text("name", &title).text("type", "coupling").put("joints", Value::Array(joints));
    make.put("coordinates", Value::Array(words)).put("factors", Value::Array(factors)).number("value", 0.0);
    model.items.constraint.push(make.done());
    model.robot.tendons.push(robot::Tendon { body, axis, terms: terms.clone() });

    // What actuators see.
    let efforts = ["actuatorfrcrange", "actuatorfrclimited"];
    let effort = model.range(reader, node, class, efforts).map(|r| r[0].abs().max(r[1].abs()));
    let rail = Driven { name: rail, coordinate: Some("position"), reference: length, range, effort, link: usize::MAX };
    model.tendons.insert(name, Tendon { rail, terms });
}

/// Where the spring of a tendon rests, from its length in the pose of the file.
fn springs(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>, length: f64) -> Option<f64> {
    let given = model.numbers(reader, node, "main", "springlength")?;
    match given[..] {
        [rest] | [rest, _] if rest < 0.0 => None,
        [rest] => Some(rest - length).filter(|r| *r != 0.0),
        [low, high] => {
            if low != high {
                ignored(reader, node, "springlength", "springs rest at one length, the mean of both");
            }
            Some(0.5 * (low + high) - length).filter(|r| *r != 0.0)
        }
        _ => None,
    }
}
