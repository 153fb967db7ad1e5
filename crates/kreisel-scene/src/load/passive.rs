//! Springs, dampers and rotors of joints: one number, or one for each coordinate.

use super::joint::coordinates;
use crate::expr::Unit;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::{Coordinate, Joint, JointKind};

/// The keys.
pub(super) const KEYS: [&str; 5] = ["stiffness", "damping", "rest", "armature", "gear"];

/// Values of one key by coordinate.
pub(super) type Values = Vec<(Coordinate, f64)>;

/// Reads one key.
pub(super) fn values(reader: &mut Reader, node: &Node, key: &str, kind: JointKind) -> Option<Values> {
    let number = |reader: &mut Reader, n: &Node, unit| reader.number(n, if key == "rest" { unit } else { Unit::Plain });
    if let Value::Table(table) = &node.value {
        let list = coordinates(reader, table, node);
        return list.into_iter().map(|(c, unit, n)| Some((c, number(reader, n, unit)?))).collect();
    }

    // a plain number belongs to the one coordinate that there is
    let coordinate = match (kind.has(Coordinate::Angle), kind.has(Coordinate::Position)) {
        (true, false) => Coordinate::Angle,
        (false, true) => Coordinate::Position,
        (several, _) => {
            let what = if several { "several coordinates" } else { "no angle and no position" };
            let message = format!("a joint with {what} takes `{key}` by coordinate");
            let help = format!("write {key} = {{ angle = … }}, with angle, position or length as far as they are free");
            reader.error(Code::WrongValue, &node.span, message, "of which coordinate?").help(help);
            return None;
        }
    };
    let unit = if coordinate == Coordinate::Angle { Unit::Angle } else { Unit::Plain };
    Some(vec![(coordinate, number(reader, node, unit)?)])
}

/// Gives a joint the values of one key.
pub(super) fn put(joint: &mut Joint, key: &str, values: Values) {
    for (coordinate, value) in values {
        let p = joint.passive_mut(coordinate);
        match key {
            "stiffness" => p.stiffness = value,
            "damping" => p.damping = value,
            "rest" => p.rest = value,
            "armature" => p.armature = value,
            _ => p.gear = value,
        }
    }
}
