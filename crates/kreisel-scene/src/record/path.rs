//! From a path such as `link *.position` to quantities.

use super::quantity::{ENERGIES, LEDGER, Quantity, REPORT};
use crate::problem::{alternatives, nearest};
use kreisel_dynamics::{BodyId, ConstraintId, Coordinate, Joint, JointId, MotorId, World};

/// Why a path names nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct PathError {
    /// What is wrong.
    pub message: String,
    /// What helps.
    pub help: Option<String>,
}

/// A quantity's name and how to make it for an item.
type Entry<I> = (&'static str, fn(I) -> Quantity);

const BODY: [Entry<BodyId>; 6] = [
    ("position", Quantity::Position),
    ("rotation", Quantity::Rotation),
    ("velocity", Quantity::Velocity),
    ("angular_velocity", Quantity::AngularVelocity),
    ("center", Quantity::Center),
    ("contact_force", Quantity::ContactForce),
];

const JOINT: [Entry<JointId>; 14] = [
    ("angle", |j| Quantity::Coordinate(j, Coordinate::Angle)),
    ("position", |j| Quantity::Coordinate(j, Coordinate::Position)),
    ("length", |j| Quantity::Coordinate(j, Coordinate::Length)),
    ("swing", |j| Quantity::Coordinate(j, Coordinate::Swing)),
    ("angle_rate", |j| Quantity::Rate(j, Coordinate::Angle)),
    ("position_rate", |j| Quantity::Rate(j, Coordinate::Position)),
    ("length_rate", |j| Quantity::Rate(j, Coordinate::Length)),
    ("swing_rate", |j| Quantity::Rate(j, Coordinate::Swing)),
    ("angle_effort", |j| Quantity::PassiveEffort(j, Coordinate::Angle)),
    ("position_effort", |j| Quantity::PassiveEffort(j, Coordinate::Position)),
    ("length_effort", |j| Quantity::PassiveEffort(j, Coordinate::Length)),
    ("error", Quantity::Error),
    ("force", Quantity::Force),
    ("torque", Quantity::Torque),
];

const MOTOR: [Entry<MotorId>; 3] =
    [("effort", Quantity::Effort), ("rate", Quantity::MotorRate), ("power", Quantity::MotorPower)];

/// What a sensor gives out.
const SENSOR: &str = "value";

const CONSTRAINT: [Entry<ConstraintId>; 2] =
    [("error", Quantity::ConstraintError), ("force", Quantity::ConstraintForce)];

/// Names of the quantities of bodies, joints and motors, without those that follow from others.
pub(super) fn quantities() -> impl Iterator<Item = &'static str> {
    let mut seen = std::collections::BTreeSet::new();
    let all = BODY
        .iter()
        .map(|q| q.0)
        .chain(JOINT.iter().map(|q| q.0))
        .chain(MOTOR.iter().map(|q| q.0))
        .chain([SENSOR]);
    // The centre of mass follows from the pose.
    all.filter(move |q| *q != "center" && seen.insert(*q))
}

/// A quantity with the name and unit of its columns, where the unit is not the quantity's own.
pub(super) type Found = (String, Option<&'static str>, Quantity);

/// All quantities that a path names; at least one.
pub(super) fn resolve(world: &World, path: &str) -> Result<Vec<Found>, PathError> {
    if let Some(found) = group(path)? {
        return Ok(found);
    }
    let Some((name, what)) = path.rsplit_once('.') else {
        return Err(PathError {
            message: format!("\"{path}\" names nothing that can be recorded"),
            help: Some(
                "write energy, ledger, report, or NAME.QUANTITY such as \"arm.position\"".into(),
            ),
        });
    };
    let mut found = Vec::new();
    let mut named = false;
    for id in world.bodies() {
        let Some(body) = world.body_name(id).filter(|n| matches(name, n)) else { continue };
        named = true;
        found.extend(pick(&BODY, what, id, &body));
    }
    for id in world.joints() {
        let Some(joint) = world.joint_name(id).filter(|n| matches(name, n)) else { continue };
        named = true;
        let efforts = what.strip_suffix("_effort");
        let has =
            |c: &&Coordinate| efforts.or(what.strip_suffix("_rate")).unwrap_or(what) == c.name();
        let coordinate =
            [Coordinate::Angle, Coordinate::Position, Coordinate::Length, Coordinate::Swing];
        let wanted = coordinate.iter().find(has);
        let has = |j: &Joint, c: Coordinate| match efforts {
            Some(_) => j.passive.iter().any(|p| p.coordinate == c),
            None => j.kind.has(c),
        };
        if wanted.is_none_or(|c| world.joint(id).is_some_and(|j| has(j, *c))) {
            found.extend(pick(&JOINT, what, id, &joint));
        }
    }
    for id in world.motors() {
        let Some(motor) = world.motor(id).map(|m| &m.name).filter(|n| matches(name, n)) else {
            continue;
        };
        named = true;
        found.extend(pick(&MOTOR, what, id, motor));
    }
    for id in world.constraints() {
        let Some(constraint) = world.constraint_name(id).filter(|n| matches(name, n)) else {
            continue;
        };
        named = true;
        found.extend(pick(&CONSTRAINT, what, id, &constraint));
    }
    for id in world.sensors() {
        let Some(sensor) = world.sensor_name(id).filter(|n| matches(name, n)) else { continue };
        named = true;
        if what == SENSOR {
            let all = world.sensor_channels(id).unwrap_or_default().into_iter().enumerate();
            found.extend(all.map(|(k, (c, unit))| {
                (format!("{sensor}.value{c}"), Some(unit), Quantity::Sensor(id, k))
            }));
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    // a component of a quantity is a column of it, not a property that happens to have its name:
    // the centre of a body in recordings is its place in the world
    let is_quantity =
        |found: Vec<Found>| found.iter().all(|f| !matches!(f.2, Quantity::Property(_)));
    if matches!(what, "x" | "y" | "z" | "w") && resolve(world, name).is_ok_and(is_quantity) {
        let message = format!("\"{path}\" is a column of \"{name}\"");
        return Err(PathError { message, help: Some(format!("record \"{name}\"")) });
    }
    match super::property::resolve(world, path) {
        Some(property) => property.map(|p| vec![p]),
        None => Err(refusal(world, name, what, named)),
    }
}

fn pick<I: Copy>(table: &[Entry<I>], what: &str, id: I, name: &str) -> Option<Found> {
    let &(_, make) = table.iter().find(|q| q.0 == what)?;
    Some((format!("{name}.{what}"), None, make(id)))
}

fn refusal(world: &World, name: &str, what: &str, named: bool) -> PathError {
    if named {
        let all = BODY.iter().map(|q| q.0).chain(JOINT.iter().map(|q| q.0));
        let all = all.chain(MOTOR.iter().map(|q| q.0)).chain([SENSOR]);
        let help = match nearest(what, all) {
            Some(near) if near != what => Some(format!("did you mean \"{name}.{near}\"?")),
            _ => None,
        };
        return PathError { message: format!("\"{name}\" has no {what}"), help };
    }
    let bodies: Vec<_> = world.bodies().filter_map(|b| world.body_name(b)).collect();
    let joints: Vec<_> = world.joints().filter_map(|j| world.joint_name(j)).collect();
    let help = nearest(name, bodies.iter().chain(&joints).map(|n| &**n));
    PathError {
        message: format!("there is no body, joint or motor \"{name}\""),
        help: help.map(|near| format!("did you mean \"{near}.{what}\"?")),
    }
}

/// Paths that belong to the whole world.
fn group(path: &str) -> Result<Option<Vec<Found>>, PathError> {
    let (head, rest) = path.split_once('.').map_or((path, None), |(h, r)| (h, Some(r)));
    let all: Vec<Found> = match head {
        "energy" => {
            ENERGIES.map(|(n, read)| (format!("energy.{n}"), None, Quantity::Energy(read))).into()
        }
        "ledger" => {
            LEDGER.map(|(n, read)| (format!("ledger.{n}"), None, Quantity::Ledger(read))).into()
        }
        "report" => REPORT
            .map(|(n, unit, read)| (format!("report.{n}"), Some(unit), Quantity::Report(read)))
            .into(),
        _ => return Ok(None),
    };
    let Some(rest) = rest else { return Ok(Some(all)) };
    let names: Vec<String> = all.iter().map(|f| f.0[head.len() + 1..].to_owned()).collect();
    let one: Vec<Found> = all.into_iter().filter(|f| f.0 == path).collect();
    if !one.is_empty() {
        return Ok(Some(one));
    }
    let words = || names.iter().map(String::as_str);
    let help = match nearest(rest, words()) {
        Some(near) => format!("did you mean \"{head}.{near}\"?"),
        None => format!("{head} has {}", alternatives(words())),
    };
    Err(PathError { message: format!("{head} has no {rest}"), help: Some(help) })
}

/// Whether a name fits a pattern, in which `*` stands for any text.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_text() {
        let fit = [
            ("*", "arm"),
            ("link *", "link 3"),
            ("*a*c", "abcac"),
            ("arm", "arm"),
            ("a*", "a"),
            ("n/*/*", "n/1/2"),
        ];
        for (pattern, name) in fit {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("link *", "lin"), ("arm", "arms"), ("a*b", "a"), ("*x*", "abc"), ("a*c", "abd")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
