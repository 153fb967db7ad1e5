//! New bodies, joints, springs and motors.

use super::apply::quaternion;
use super::{Document, Outcome, limits, refuse, vector};
use crate::protocol::{ControlSpec, MotorSpec, ScheduleSpec, ShapeSpec, SolidSpec};
use kreisel_dynamics::words::Words;
use kreisel_dynamics::{
    Body, BodyId, BodyKind, Control, Coordinate, Interpolation, Joint, JointKind, Limit,
    MassProperties, Motor, Pid, Schedule, Spring, Target, Vec3,
};
use kreisel_geometry::Shape;
use kreisel_scene::items::Appearance;

/// Longest name, in bytes.
const LONGEST_NAME: usize = 256;

pub(super) fn name(text: &str) -> Outcome<String> {
    if text.len() > LONGEST_NAME || text.chars().any(char::is_control) {
        return refuse(format!(
            "a name has at most {LONGEST_NAME} bytes and no control characters"
        ));
    }
    Ok(text.trim().to_owned())
}

pub(super) fn body(d: &mut Document, given: &str, spec: &ShapeSpec) -> Outcome {
    limits::bodies(&d.sim.world, 1)?;
    let shape = match &spec.solid {
        SolidSpec::Box(size) => Some(Shape::Box { size: Vec3::from_array(*size) }),
        SolidSpec::Sphere(radius) => Some(Shape::Sphere { radius: *radius }),
        SolidSpec::Cylinder([radius, height]) => {
            Some(Shape::Cylinder { radius: *radius, height: *height })
        }
        SolidSpec::Capsule([radius, height]) => {
            Some(Shape::Capsule { radius: *radius, height: *height })
        }
        SolidSpec::Cone([radius, height]) => Some(Shape::Cone { radius: *radius, height: *height }),
        SolidSpec::Ellipsoid(radii) => Some(Shape::Ellipsoid { radii: Vec3::from_array(*radii) }),
        SolidSpec::Disc([radius, height, rim]) => {
            Some(Shape::Disc { radius: *radius, height: *height, rim: *rim })
        }
        SolidSpec::Torus([radius, tube]) => Some(Shape::Torus { radius: *radius, tube: *tube }),
        SolidSpec::Point => None,
    };
    if !(spec.density > 0.0 && spec.density.is_finite()) {
        return refuse("the density (of a point: the mass) must be positive");
    }
    let mass = match &shape {
        Some(shape) => match shape.check().and_then(|()| shape.mass_properties(spec.density)) {
            Ok(mass) => mass,
            Err(e) => return refuse(e.to_string()),
        },
        None => MassProperties::point(spec.density),
    };
    let mut body = Body::dynamic(mass)
        .named(name(given)?)
        .at(vector("the position", spec.position)?)
        .rotated(quaternion(spec.rotation)?);
    let Some(kind) = BodyKind::of_word(&spec.kind) else {
        return refuse(format!("a body is dynamic, static or kinematic, not {}", spec.kind));
    };
    body.kind = kind;
    body.shape.clone_from(&shape);
    let id = d.sim.world.add_body(body)?;
    d.looks_mut().insert(
        id,
        Appearance {
            solid: shape.clone(),
            shown: shape,
            color: spec.color,
            ..Appearance::default()
        },
    );
    Ok(())
}

fn pair(d: &Document, bodies: &[String; 2]) -> Outcome<[BodyId; 2]> {
    let find = |n: &String| match d.sim.world.body_named(n) {
        Some(id) => Ok(id),
        None => refuse(format!("there is no body \"{n}\"")),
    };
    Ok([find(&bodies[0])?, find(&bodies[1])?])
}

pub(super) fn joint(
    d: &mut Document,
    given: &str,
    word: &str,
    bodies: &[String; 2],
    anchors: [[f64; 3]; 2],
    axis: [f64; 3],
    axis2: Option<[f64; 3]>,
) -> Outcome {
    limits::others(d.sim.world.joints().count())?;
    let [a, b] = pair(d, bodies)?;
    let anchors = [vector("the anchor", anchors[0])?, vector("the anchor", anchors[1])?];
    let distance = anchors[0].distance(anchors[1]);
    let kind = match word {
        "rope" | "free" => JointKind::FREE,
        _ => match JointKind::NAMED.into_iter().find(|k| k.name() == word) {
            Some(kind) => kind,
            None => return refuse(format!("there is no joint of type \"{word}\"")),
        },
    };
    let mut joint = Joint::new(kind, a, b)
        .named(name(given)?)
        .between(anchors[0], anchors[1])
        .axis(vector("the axis", axis)?);
    joint.axis2 = axis2.map(|v| vector("the second axis", v)).transpose()?;
    if word == "rope" {
        joint.limits.push(Limit::new(Coordinate::Length, 0.0, distance));
    }
    d.sim.world.add_joint(joint)?;
    Ok(())
}

pub(super) fn spring(
    d: &mut Document,
    given: &str,
    bodies: &[String; 2],
    anchors: [[f64; 3]; 2],
    stiffness: f64,
    damping: f64,
) -> Outcome {
    limits::others(d.sim.world.springs().count())?;
    let [a, b] = pair(d, bodies)?;
    let anchors = [vector("the anchor", anchors[0])?, vector("the anchor", anchors[1])?];
    let spring =
        Spring::new(a, b, anchors[0], anchors[1], stiffness).damping(damping).named(name(given)?);
    d.sim.world.add_spring(spring)?;
    Ok(())
}

pub(super) fn motor(d: &mut Document, given: &str, spec: &MotorSpec) -> Outcome {
    let world = &mut d.sim.world;
    limits::others(world.motors().count())?;
    let Some(joint) = world.joint_named(&spec.joint) else {
        return refuse(format!("there is no joint \"{}\"", spec.joint));
    };
    let kind = world.joint_kind(joint).unwrap_or(JointKind::Fixed);
    let coordinate = match &spec.coordinate {
        Some(word) => coordinate(word)?,
        None => match Coordinate::ALL.into_iter().find(|c| kind.has(*c)) {
            Some(c) => c,
            None => return refuse(format!("a {} joint has nothing to drive", kind.name())),
        },
    };
    let control = match &spec.control {
        ControlSpec::Effort(s) => Control::Effort(schedule(s)?),
        ControlSpec::Velocity(s) => Control::Velocity(schedule(s)?),
        ControlSpec::Servo(s, gain, derivative) => Control::Servo {
            target: Target::Position,
            set: schedule(s)?,
            pid: Pid::pd(*gain, *derivative),
        },
    };
    let mut motor = Motor::new(joint, coordinate, control).named(name(given)?);
    motor.max_effort = spec.max_effort.unwrap_or(f64::INFINITY);
    world.add_motor(motor)?;
    Ok(())
}

fn coordinate(word: &str) -> Outcome<Coordinate> {
    match Coordinate::of_word(word) {
        Some(c) => Ok(c),
        None => refuse(format!("a coordinate is angle, position, length or swing, not {word}")),
    }
}

/// Most points of a curve.
const MOST_POINTS: usize = 10_000;

pub(super) fn schedule(spec: &ScheduleSpec) -> Outcome<Schedule> {
    let Some(interpolation) = Interpolation::of_word(&spec.interpolation) else {
        return refuse("a curve holds, is linear or smooth");
    };
    if spec.points.is_empty() || spec.points.len() > MOST_POINTS {
        return refuse(format!("a curve has from one to {MOST_POINTS} points"));
    }
    Ok(Schedule { points: spec.points.clone(), interpolation })
}
