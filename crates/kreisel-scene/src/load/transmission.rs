//! `[[constraint]]` of machine elements: gears, racks, screws, belts, differentials, cams, cables.

use super::element::array;
use super::formula;
use super::names::Built;
use crate::node::{Node, Value};
use crate::property::kinds::natural;
use crate::read::{Fields, Reader, optional};
use kreisel_dynamics::{ConstraintKind, Coordinate, JointId, Transmission};

/// Words of transmissions in `type`, in the order of [`transmission`].
pub(super) const WORDS: [&str; 7] = ["gear", "rack", "screw", "belt", "differential", "cam", "constant-velocity"];

/// The joints of a transmission: all of `joints`, which must be `count` where that is given.
fn joints(reader: &mut Reader, fields: &Fields<'_>, built: &Built, count: Option<usize>) -> Option<Vec<JointId>> {
    let node = reader.required(fields, "joints")?;
    let names = match count {
        Some(n) => reader.array(node, n, &format!("{n} names of joints"))?,
        None => array(reader, node, "an array of names of joints")?,
    };
    names.iter().map(|n| built.joint(reader, n)).collect()
}

/// A list of numbers, or one.
fn numbers(reader: &mut Reader, node: &Node) -> Option<Vec<f64>> {
    match &node.value {
        Value::Array(list) => list.iter().map(|n| reader.plain(n)).collect(),
        _ => reader.plain(node).map(|x| vec![x]),
    }
}

/// The ratio of a gear, or of its numbers of teeth.
fn ratio(reader: &mut Reader, fields: &Fields<'_>) -> Option<f64> {
    let Some(node) = fields.get("teeth") else {
        let node = reader.required(fields, "ratio")?;
        return reader.plain(node);
    };
    let [first, second] = reader.array(node, 2, "two numbers of teeth")? else { return None };
    let [first, second] = [reader.positive(first, "a number of teeth")?, reader.positive(second, "a number of teeth")?];
    let internal = optional(fields.get("internal"), |n| reader.flag(n))?.unwrap_or(false);
    Some(if internal { first / second } else { -first / second })
}

/// Reads a transmission by the number of its word.
pub(super) fn transmission(
    reader: &mut Reader,
    fields: &Fields<'_>,
    built: &Built,
    word: usize,
) -> Option<ConstraintKind> {
    let number = |reader: &mut Reader, key| {
        let node = reader.required(fields, key)?;
        reader.plain(node)
    };
    let of = match word {
        0 => {
            let [a, b] = joints(reader, fields, built, Some(2))?[..] else { return None };
            let carrier = optional(fields.get("carrier"), |n| built.joint(reader, n))?;
            Transmission::Gear { joints: [a, b], ratio: ratio(reader, fields)?, carrier }
        }
        1 => {
            let [a, b] = joints(reader, fields, built, Some(2))?[..] else { return None };
            Transmission::Rack { joints: [a, b], radius: number(reader, "radius")? }
        }
        2 => {
            let list = joints(reader, fields, built, None)?;
            let joints = if let [a] = list[..] {
                [a, a]
            } else {
                joints(reader, fields, built, Some(2))?[..].try_into().ok()?
            };
            Transmission::Screw { joints, lead: number(reader, "lead")? }
        }
        3 => {
            let joints = joints(reader, fields, built, None)?;
            let node = reader.required(fields, "radii")?;
            let radii = reader.array(node, joints.len(), "one radius per joint")?;
            let radii = radii.iter().map(|n| reader.plain(n)).collect::<Option<_>>()?;
            Transmission::Belt { joints, radii }
        }
        4 => {
            let [a, b, case] = joints(reader, fields, built, Some(3))?[..] else { return None };
            let share = optional(fields.get("share"), |n| reader.plain(n))?.unwrap_or(0.5);
            Transmission::Differential { joints: [a, b, case], share }
        }
        5 => {
            let [a, b] = joints(reader, fields, built, Some(2))?[..] else { return None };
            let usual = |j| built.world.joint(j).map_or(Coordinate::Angle, |j| natural(j.kind));
            let mut coordinates = [usual(a), usual(b)];
            if let Some(node) = fields.get("coordinates") {
                let words = reader.array(node, 2, "the coordinates of cam and follower")?;
                coordinates = [reader.word(&words[0], "coordinate")?, reader.word(&words[1], "coordinate")?];
            }
            let node = reader.required(fields, "profile")?;
            let profile = formula::read(reader, node, &["q".to_owned()])?;
            Transmission::Cam { joints: [a, b], coordinates, profile }
        }
        _ => {
            let [joint] = joints(reader, fields, built, Some(1))?[..] else { return None };
            Transmission::ConstantVelocity { joint }
        }
    };
    let phase = optional(fields.get("phase"), |n| numbers(reader, n))?.unwrap_or_default();
    Some(ConstraintKind::Transmission { of, phase })
}

/// Reads a cable: its length, and the drum that gives more of it.
pub(super) fn cable(reader: &mut Reader, fields: &Fields<'_>, built: &Built) -> Option<ConstraintKind> {
    let length = optional(fields.get("length"), |n| reader.positive(n, "the length"))?;
    let drum = match fields.get("drum") {
        Some(node) => {
            let joint = built.joint(reader, node)?;
            let node = reader.required(fields, "radius")?;
            Some((joint, reader.plain(node)?))
        }
        None => None,
    };
    Some(ConstraintKind::Cable { length, drum })
}
