//! `[[motor]]`.

use super::names::Built;
use super::schedule;
use crate::expr::Unit;
use crate::grammar;
use crate::node::Node;
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use kreisel_dynamics::{Control, Coordinate, JointKind, Motor, Pid, Target};

pub(super) const COORDINATES: &[(&str, Coordinate)] = &[
    ("angle", Coordinate::Angle),
    ("position", Coordinate::Position),
    ("length", Coordinate::Length),
    ("swing", Coordinate::Swing),
];

/// Reads a motor and adds it to the world.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let name = built.claim(reader, fields, "motor")?;
    let joint = reader.required(fields, "joint").and_then(|n| built.joint(reader, n))?;
    let coordinate = match fields.get("coordinate") {
        Some(n) => reader.choice(n, "coordinate", COORDINATES)?,
        None => natural(built.world.joint(joint)?.kind),
    };
    let control = control(reader, fields, coordinate)?;
    let max_effort = optional(fields.get("max_effort"), |n| reader.number_or_infinite(n, Unit::Plain))?;
    let mut motor = Motor::new(joint, coordinate, control).named(name.clone());
    motor.max_effort = max_effort.unwrap_or(f64::INFINITY);
    match built.world.add_motor(motor) {
        Ok(_) => {
            built.built(reader, &name, Some(&name), fields.span);
            Some(())
        }
        Err(e) => {
            reader.model_error(fields, &e);
            None
        }
    }
}

/// The coordinate that a motor drives when it does not say: the turn, or else the slide.
pub(super) fn natural(kind: JointKind) -> Coordinate {
    let order = [Coordinate::Angle, Coordinate::Position, Coordinate::Length, Coordinate::Swing];
    order.into_iter().find(|c| kind.has(*c)).unwrap_or(Coordinate::Angle)
}

/// Units of a coordinate and of its rate.
fn units(coordinate: Coordinate) -> (Unit, Unit) {
    match coordinate {
        Coordinate::Angle | Coordinate::Swing => (Unit::Angle, Unit::Rate),
        Coordinate::Position | Coordinate::Length => (Unit::Plain, Unit::Plain),
    }
}

fn control(reader: &mut Reader, fields: &Fields<'_>, coordinate: Coordinate) -> Option<Control> {
    let (_, rate) = units(coordinate);
    match (fields.get("effort"), fields.get("velocity"), fields.get("servo")) {
        (Some(n), None, None) => Some(Control::Effort(schedule::read(reader, n, Unit::Plain)?)),
        (None, Some(n), None) => Some(Control::Velocity(schedule::read(reader, n, rate)?)),
        (None, None, Some(n)) => servo(reader, n, coordinate),
        _ => {
            let message = "a motor has exactly one of `effort`, `velocity` and `servo`";
            reader.error(Code::MissingKey, fields.span, message, "this motor");
            None
        }
    }
}

fn servo(reader: &mut Reader, node: &Node, coordinate: Coordinate) -> Option<Control> {
    let table = reader.table(node, "a table such as { position = \"30 deg\", gain = 50 }")?;
    let fields = reader.fields(table, &node.span, &grammar::SERVO);
    let (position, rate) = units(coordinate);
    let (target, set) = match (fields.get("position"), fields.get("velocity")) {
        (Some(n), None) => (Target::Position, schedule::read(reader, n, position)?),
        (None, Some(n)) => (Target::Velocity, schedule::read(reader, n, rate)?),
        _ => {
            let message = "a servo has exactly one of `position` and `velocity`";
            reader.error(Code::MissingKey, &node.span, message, "this servo");
            return None;
        }
    };
    let gain = reader.required(&fields, "gain").and_then(|n| reader.plain(n))?;
    let integral_time = optional(fields.get("integral_time"), |n| reader.number_or_infinite(n, Unit::Plain))?;
    let derivative_time = optional(fields.get("derivative_time"), |n| reader.plain(n))?;
    let window = optional(fields.get("window"), |n| reader.count(n, "the window", 1_000_000))?;
    let pid = Pid {
        gain,
        integral_time: integral_time.unwrap_or(f64::INFINITY),
        derivative_time: derivative_time.unwrap_or(0.0),
        window: window.map(|n| n as usize),
    };
    Some(Control::Servo { target, set, pid })
}
