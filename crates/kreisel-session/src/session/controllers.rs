//! Controllers: made from a selection while the world runs.

use super::elements::connector;
use super::make::name;
use super::{Document, Outcome, refuse, vector};
use kreisel_dynamics::{BodyId, Controller, ControllerKind, Vec3};

/// Most controllers in a live world.
const MOST: usize = 10_000;
/// How fast a new spring swings, rad/s: once a second.
const SWING: f64 = std::f64::consts::TAU;
/// How fast a new trajectory or PID control follows, rad/s.
const FOLLOW: f64 = 5.0;

pub(super) fn add(
    d: &mut Document,
    given: &str,
    kind: &str,
    bodies: &[String; 2],
    points: [[f64; 3]; 2],
) -> Outcome {
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
        // As much as carries the body, along its axis that points up most.
        "thruster" => {
            let down =
                world.rotation(moved.unwrap_or(BodyId::WORLD)).unwrap_or_default().conjugate()
                    * world.gravity();
            let direction = (-down).try_normalize().unwrap_or(Vec3::Z);
            let thrust = world.gravity().length() * mass;
            let torque = Vec3::ZERO;
            (ControllerKind::Thruster { thrust, direction, lag: 0.1, torque }, vec![first])
        }
        // That of air.
        "drag" => {
            let (density, viscosity, wind) = (1.2, 1.8e-5, Vec3::ZERO);
            (ControllerKind::Drag { density, viscosity, wind }, vec![first])
        }
        _ => {
            return refuse(format!(
                "a controller is vector, spring, trajectory, pid, thruster or drag, not {kind}"
            ));
        }
    };
    // Who makes one by hand wants to see it act; a constant force waits for its value (W-55).
    let active = !matches!(kind, ControllerKind::Vector(_));
    world.add_controller(Controller {
        active,
        ..Controller::new(kind, connectors).named(name(given)?)
    })?;
    Ok(())
}
