//! What in a world an analysis cannot represent: refused, or named in the answer.

use crate::error::AnalysisError;
use kreisel_dynamics::{
    ConstraintKind, Control, Controller, ControllerKind, SpringMode, Target, World,
};

/// What is done with dry friction of joints and contacts, which no linear law describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DryFriction {
    /// It is refused.
    #[default]
    Refuse,
    /// It is left out.
    Without,
    /// It sticks: what it acts on does not move.
    Stuck,
}

/// Refuses sampled controllers, whose law is one of the step, not of the state, and what has a
/// state of its own.
pub(crate) fn refuse_sampled(world: &World) -> Result<(), AnalysisError> {
    refuse_lagging(world)?;
    for id in world.motors() {
        let Some(motor) = world.motor(id) else { continue };
        let Control::Servo { target, pid, .. } = &motor.control else { continue };
        let name = world.motor_name(id).map_or_else(String::new, |n| n.to_string());
        if pid.window.is_some() {
            let why = "its effort is sampled once a step and depends on the step size";
            return Err(AnalysisError::refused(
                name,
                why,
                "leave out its window: then it acts continuously",
            ));
        }
        if *target == Target::Velocity && pid.derivative_time > 0.0 {
            let why = "the derivative part of a servo of a rate is sampled";
            return Err(AnalysisError::refused(name, why, "give the joint an armature instead"));
        }
    }
    Ok(())
}

/// Refuses electric motors, muscles, and motors and thrusters that lag: current, activation,
/// command and thrust are states of their own.
fn refuse_lagging(world: &World) -> Result<(), AnalysisError> {
    for id in world.motors() {
        let own = world.motor(id).and_then(|m| match m.control {
            Control::Electric { .. } => Some("its current"),
            Control::Muscle { .. } => Some("its activation"),
            _ => Some("its command").filter(|_| m.lag > 0.0),
        });
        if let Some(own) = own {
            let name = world.motor_name(id).map_or_else(String::new, |n| n.to_string());
            let why = format!("{own} is a state of its own, which analyses do not have");
            return Err(AnalysisError::refused(
                name,
                why,
                "put an effort with a damper in its place",
            ));
        }
    }
    for id in world.controllers() {
        let lags = |c: &&Controller| matches!(c.kind, ControllerKind::Thruster { lag, .. } if lag > 0.0 && c.active);
        if world.controller(id).filter(lags).is_some() {
            let name = world.controller_name(id).map_or_else(String::new, |n| n.to_string());
            let why = "its thrust lags behind, which is a state of its own";
            return Err(AnalysisError::refused(name, why, "set its lag to 0"));
        }
    }
    Ok(())
}

/// What is taken otherwise than a step takes it, in words.
pub(crate) fn notes(world: &World) -> Vec<String> {
    let mut out = Vec::new();
    for id in world.springs() {
        if let (Some(spring), Some(name)) = (world.spring(id), world.spring_name(id))
            && spring.mode == SpringMode::Constant
        {
            out.push(format!(
                "{name}: its force is constant during a step; here it follows the motion"
            ));
        }
    }
    let procedures = world.procedures().count();
    if procedures > 0 {
        out.push(format!("{procedures} event rules act between steps and are not looked at"));
    }
    out
}

/// Refuses laws with a kink here (motors at the bound of their effort, equal speeds), and
/// controllers with an integral of their own.
pub(crate) fn refuse_saturated(world: &World) -> Result<(), AnalysisError> {
    for id in world.motors() {
        let (Some(motor), Some(name)) = (world.motor(id), world.motor_name(id)) else { continue };
        let Control::Servo { target, set, pid } = &motor.control else { continue };
        let value = world.coordinate(motor.joint, motor.coordinate).unwrap_or(0.0);
        let rate = world.coordinate_rate(motor.joint, motor.coordinate).unwrap_or(0.0);
        let (e, slope) = match target {
            Target::Position => (value - set.at(world.time()), rate),
            Target::Velocity => (rate - set.at(world.time()), 0.0),
        };
        let effort = pid.gain * (e + pid.derivative_time * slope);
        if effort.abs() >= motor.max_effort {
            let why = "it pushes with its largest effort, where its law has a kink";
            return Err(AnalysisError::refused(&*name, why, "give it more effort"));
        }
    }
    for id in world.constraints() {
        let Some(c) = world.constraint(id) else { continue };
        if matches!(c.kind, ConstraintKind::EqualVelocityNorm) && c.active {
            let name = world.constraint_name(id).map_or_else(String::new, |n| n.to_string());
            let why = "it compares speeds, which have no derivative at rest";
            return Err(AnalysisError::refused(name, why, "compare velocities instead"));
        }
    }
    refuse_integrals(world)
}

/// Refuses controllers with an integral of their own.
pub(crate) fn refuse_integrals(world: &World) -> Result<(), AnalysisError> {
    for id in world.controllers() {
        let Some(c) = world.controller(id) else { continue };
        if let ControllerKind::Pid { integral, .. } = c.kind
            && integral != 0.0
            && c.active
        {
            let name = world.controller_name(id).map_or_else(String::new, |n| n.to_string());
            let why = "its integral is a state of its own, which this analysis does not have";
            return Err(AnalysisError::refused(name, why, "set its integral gain to 0"));
        }
    }
    Ok(())
}
