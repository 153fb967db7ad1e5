//! Controllers: made from a selection, inspected and set while the world runs.

use super::elements::connector;
use super::inspect::List;
use super::make::name;
use super::set::Value;
use super::{Document, Outcome, refuse, vector};
use crate::protocol::PropertyValue as V;
use kreisel_dynamics::{BodyId, Connector, Controller, ControllerId, ControllerKind, World};
use kreisel_scene::grammar;

/// Most controllers in a live world.
const MOST: usize = 10_000;
/// How fast a new spring swings, rad/s: once a second.
const SWING: f64 = std::f64::consts::TAU;
/// How fast a new trajectory or PID control follows, rad/s.
const FOLLOW: f64 = 5.0;

/// The word of scene files.
pub(super) const fn word(kind: &ControllerKind) -> &'static str {
    match kind {
        ControllerKind::Vector(_) => "vector",
        ControllerKind::Spring { .. } => "spring",
        ControllerKind::Trajectory { .. } => "trajectory",
        ControllerKind::Pid { .. } => "pid",
    }
}

pub(super) fn add(d: &mut Document, given: &str, kind: &str, bodies: &[String; 2], points: [[f64; 3]; 2]) -> Outcome {
    let world = &mut d.sim.world;
    if world.controllers().count() >= MOST {
        return refuse(format!("a live world has at most {MOST} of them"));
    }
    let moved = world.body_named(&bodies[0]).filter(|id| *id != BodyId::WORLD);
    let Some(body) = moved.and_then(|id| world.body(id)) else {
        return refuse("a controller needs a body to act on: select it first");
    };
    let mass = body.mass.mass;
    let first = connector(world, &bodies[0], vector("the point", points[0])?)?;
    let second = connector(world, &bodies[1], vector("the point", points[1])?)?;
    let (kind, connectors) = match kind {
        // As much as carries the body.
        "vector" => (ControllerKind::Vector(world.gravity() * -mass), vec![first]),
        "spring" => {
            let (stiffness, damping) = (mass * SWING * SWING, 0.2 * mass * SWING);
            (ControllerKind::Spring { stiffness, damping, length: None }, vec![first, second])
        }
        // The target comes first, the follower second; damped critically with beta = sqrt 2.
        "trajectory" => {
            let (alpha, beta) = (FOLLOW * FOLLOW, std::f64::consts::SQRT_2);
            (ControllerKind::Trajectory { alpha, beta }, vec![second, first])
        }
        "pid" => {
            let (position, velocity) = (mass * FOLLOW * FOLLOW, 2.0 * mass * FOLLOW);
            (ControllerKind::Pid { position, velocity, integral: 0.0 }, vec![first, second])
        }
        _ => return refuse(format!("a controller is vector, spring, trajectory or pid, not {kind}")),
    };
    // Who makes one by hand wants to see it act.
    world.add_controller(Controller::new(kind, connectors).named(name(given)?).active())?;
    Ok(())
}

pub(super) fn properties(world: &World, id: ControllerId) -> List {
    let mut l = List::new(&grammar::CONTROLLER);
    let Some(c) = world.controller(id) else { return l };
    l.text("name", &world.controller_name(id).unwrap_or_default());
    l.fixed("type", "", V::Text(word(&c.kind).into()));
    l.toggle("active", c.active);
    match c.kind {
        ControllerKind::Vector(f) => l.vector("force", "N", Some(f)),
        ControllerKind::Spring { stiffness, damping, length } => {
            l.number("stiffness", "N/m", Some(0.0), stiffness);
            l.number("damping", "N s/m", Some(0.0), damping);
            l.bounded("length", "m", Some(0.0), None, true, length);
        }
        ControllerKind::Trajectory { alpha, beta } => {
            l.number("alpha", "1/s²", Some(0.0), alpha);
            l.number("beta", "", Some(0.0), beta);
        }
        ControllerKind::Pid { position, velocity, integral } => {
            l.number("position", "N/m", None, position);
            l.number("velocity", "N s/m", None, velocity);
            l.number("integral", "N/(m s)", None, integral);
        }
    }
    let finite = |t: f64| Some(t).filter(|t| t.is_finite());
    l.bounded("from", "s", None, None, true, finite(c.from));
    l.bounded("until", "s", None, None, true, finite(c.until));
    connectors(&mut l, world, &c.connectors);
    l
}

pub(super) fn set(w: &mut World, id: ControllerId, v: &Value<'_>) -> Outcome {
    if v.key == "active" {
        return Ok(w.set_controller_active(id, v.toggle()?)?);
    }
    let Some(mut c) = w.controller(id).cloned() else { return refuse("that controller is gone") };
    match (v.key, &mut c.kind) {
        ("from", _) => c.from = v.optional()?.unwrap_or(f64::NEG_INFINITY),
        ("until", _) => c.until = v.optional()?.unwrap_or(f64::INFINITY),
        ("force", ControllerKind::Vector(f)) => *f = v.vector()?,
        ("stiffness", ControllerKind::Spring { stiffness, .. }) => *stiffness = v.number()?,
        ("damping", ControllerKind::Spring { damping, .. }) => *damping = v.number()?,
        ("length", ControllerKind::Spring { length, .. }) => *length = v.optional()?,
        ("alpha", ControllerKind::Trajectory { alpha, .. }) => *alpha = v.number()?,
        ("beta", ControllerKind::Trajectory { beta, .. }) => *beta = v.number()?,
        ("position", ControllerKind::Pid { position, .. }) => *position = v.number()?,
        ("velocity", ControllerKind::Pid { velocity, .. }) => *velocity = v.number()?,
        ("integral", ControllerKind::Pid { integral, .. }) => *integral = v.number()?,
        _ => {
            if !set_connector(&mut c.connectors, v)? {
                return v.unknown("controller");
            }
        }
    }
    Ok(w.set_controller(id, c)?)
}

/// Names of the parts of a connector's key.
const AXES: [&str; 3] = ["x", "y", "z"];

/// The connectors that are no points of bodies: a goal, a place on a curve, formulas (Wagner,
/// 6.6.1).
pub(super) fn connectors(l: &mut List, world: &World, list: &[Connector]) {
    l.group = "Links";
    for (k, c) in list.iter().enumerate() {
        let key = |what: &str| format!("link {}.{what}", k + 1);
        match c {
            Connector::Body { body, .. } => {
                l.fixed(&key("body"), "", V::Text(world.body_name(*body).unwrap_or_default().to_string()));
            }
            Connector::Fixed { position, .. } => l.vector(&key("goal"), "m", Some(*position)),
            Connector::Curve { curve, parameter } => {
                l.fixed(&key("curve"), "", V::Text(world.curve_name(*curve).unwrap_or_default().to_string()));
                l.bounded(&key("parameter"), "", Some(0.0), Some(1.0), false, Some(*parameter));
            }
            Connector::Nearest { curve } => {
                l.fixed(&key("curve"), "", V::Text(world.curve_name(*curve).unwrap_or_default().to_string()));
            }
            Connector::Function(f) => {
                for (axis, formula) in AXES.into_iter().zip(f) {
                    l.text(&key(axis), formula.text());
                }
            }
        }
    }
}

/// Sets a part of a connector; false when the key is no part of one.
pub(super) fn set_connector(list: &mut [Connector], v: &Value<'_>) -> Outcome<bool> {
    let Some((number, what)) = v.key.strip_prefix("link ").and_then(|k| k.split_once('.')) else { return Ok(false) };
    let place = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    match (place.and_then(|k| list.get_mut(k)), what) {
        (Some(Connector::Fixed { position, .. }), "goal") => *position = v.vector()?,
        (Some(Connector::Curve { parameter, .. }), "parameter") => *parameter = v.within(0.0, 1.0)?,
        (Some(Connector::Function(f)), axis) => {
            let Some(k) = AXES.iter().position(|a| *a == axis) else { return Ok(false) };
            f[k] = v.formula()?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}
