//! Warnings about servos and constant springs that are too stiff for the step that holds them, or
//! that an explicit integrator makes.
//!
//! A force f = −k x − d v that is held for a step h on a coordinate of inverse inertia a is stable
//! while h d a < 2 and h k a < 2 d: the sampled oscillator's own conditions. Half of the first is
//! where it begins to be wrong.

use super::names::Built;
use crate::read::Reader;
use crate::scene::Timing;
use kreisel_dynamics::{
    BodyId, BodyKind, Control, Coordinate, Joint, Method, SpringMode, Target, Vec3, World,
};

/// Of h d a: from here on a held damper overshoots.
const LARGEST_DAMPING: f64 = 1.0;

/// Of h √(k a): an explicit step of second order is 4 % off in phase.
const LARGEST_PHASE: f64 = 0.5;

/// Of h² k a beyond what damping makes up for: energy grows by this share in a step.
const LARGEST_GROWTH: f64 = 0.01;

/// Looks over servos and springs.
pub(super) fn look(reader: &mut Reader, built: &Built, timing: &Timing) {
    servos(reader, built, timing.step);
    springs(reader, built, timing.step);
}

fn servos(reader: &mut Reader, built: &Built, step: f64) {
    let multipliers = built.world.settings().method == Method::Lagrange;
    for id in built.world.motors() {
        let Some(motor) = built.world.motor(id) else { continue };
        let Control::Servo { target, pid, .. } = &motor.control else { continue };
        if pid.window.is_none() && !multipliers {
            continue;
        }
        let (Some(joint), Some(name)) =
            (built.world.joint(motor.joint), built.world.motor_name(id))
        else {
            continue;
        };
        let a = inverse_inertia(&built.world, joint, motor.coordinate);
        let (stiffness, damping) = match target {
            Target::Position => (pid.gain, pid.gain * pid.derivative_time),
            Target::Velocity => (0.0, pid.gain),
        };
        let continuous = pid.window.is_none();
        let why = if continuous {
            unfollowed(stiffness, damping, a, step)
        } else {
            unstable(stiffness, damping, a, step)
        };
        let (Some(why), Some(place)) = (why, built.spans.get(&*name)) else { continue };
        let help = if continuous {
            "the multiplier method's integrator is explicit; take another method, or a smaller step"
        } else {
            "a servo with a window holds its effort for a step; leave the window out, or take a smaller step"
        };
        let message = format!("the servo \"{name}\" is too stiff for a step of {step} s: {why}");
        reader.warning_at(place, message, "sampled too slowly").help(help);
    }
}

fn springs(reader: &mut Reader, built: &Built, step: f64) {
    for id in built.world.springs() {
        let Some(spring) = built.world.spring(id) else { continue };
        let a: f64 = spring.bodies.iter().map(|&b| inverse_mass(&built.world, b)).sum();
        let Some(place) = built.spans.get(&spring.name) else { continue };
        if spring.mode == SpringMode::Constant {
            let Some(why) = unstable(spring.stiffness, spring.damping, a, step) else { continue };
            let message = format!(
                "the spring \"{}\" holds its force for a step of {step} s and is too stiff for that: {why}",
                spring.name
            );
            reader
                .warning_at(place, message, "sampled too slowly")
                .help("take mode = \"continuous\", or a smaller step");
        } else if spring.isotropic && step * spring.damping * a > 2.0 {
            let time = 1.0 / (spring.damping * a);
            let message = format!(
                "the damping of \"{}\" stops a motion within {time:.2e} s, the step is {step} s",
                spring.name
            );
            reader
                .warning_at(place, message, "not resolved by this step")
                .help("the motion stays bounded; how fast it comes to rest is not resolved unless the step is smaller");
        }
    }
}

/// Why an explicit integrator does not follow a force.
fn unfollowed(stiffness: f64, damping: f64, a: f64, step: f64) -> Option<String> {
    let (phase, decay) = (step * (stiffness * a).sqrt(), step * damping * a);
    if phase > LARGEST_PHASE {
        Some(format!("it vibrates by {phase:.2} rad in a step"))
    } else if decay > LARGEST_DAMPING {
        Some(format!("its damping stops a motion {decay:.1} times over in a step"))
    } else {
        None
    }
}

/// Why a held force is beyond its stability.
fn unstable(stiffness: f64, damping: f64, a: f64, step: f64) -> Option<String> {
    let (z, p) = (step * damping * a, step * step * stiffness * a);
    if z > LARGEST_DAMPING {
        Some(format!("its damping alone would reverse the motion {z:.1} times over in a step"))
    } else if p - 2.0 * z > LARGEST_GROWTH {
        Some(format!(
            "it adds {:.1} % of the energy in every step, which its damping does not take out",
            100.0 * (p - 2.0 * z)
        ))
    } else {
        None
    }
}

fn inverse_mass(world: &World, body: BodyId) -> f64 {
    world.body(body).filter(|b| b.kind == BodyKind::Dynamic).map_or(0.0, |b| 1.0 / b.mass.mass)
}

/// Inverse inertia of a coordinate, of the joint's own two bodies: what else hangs on them makes it
/// smaller.
fn inverse_inertia(world: &World, joint: &Joint, coordinate: Coordinate) -> f64 {
    let turning = matches!(coordinate, Coordinate::Angle | Coordinate::Swing);
    let axis = joint.axis.try_normalize().unwrap_or(Vec3::Z);
    let one = |k: usize| {
        let Some(body) = world.body(joint.bodies[k]).filter(|b| b.kind == BodyKind::Dynamic) else {
            return 0.0;
        };
        if !turning {
            return 1.0 / body.mass.mass;
        }
        let inertia =
            body.mass.transformed(body.position, body.rotation).inertia_about(joint.anchors[k]);
        1.0 / axis.dot(inertia * axis)
    };
    one(0) + one(1)
}
