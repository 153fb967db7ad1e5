//! Coordinates, inputs and outputs by the paths that scenes and recordings have for them.

use crate::error::AnalysisError;
use crate::linearise::{Input, Output};
use kreisel_dynamics::words::Words as _;
use kreisel_dynamics::{Coordinate, JointId, World};

/// A coordinate of a joint: `crank.angle`.
pub fn coordinate(world: &World, path: &str) -> Result<(JointId, Coordinate), AnalysisError> {
    let unknown =
        || AnalysisError::Unknown(format!("coordinate \"{path}\"; write it as JOINT.angle"));
    let (joint, word) = path.rsplit_once('.').ok_or_else(unknown)?;
    let id = world.joint_named(joint).ok_or_else(unknown)?;
    world.coordinates().find(|(j, c)| *j == id && c.word() == word).ok_or_else(unknown)
}

/// An input: the name of a motor, or `BODY.x` for a force at its centre of mass.
pub fn input(world: &World, path: &str) -> Result<Input, AnalysisError> {
    if let Some(id) = world.motor_named(path) {
        return Ok(Input::Motor(id));
    }
    let force = path.rsplit_once('.').and_then(|(body, word)| {
        let id = world.body_named(body)?;
        Some(Input::Force(id, world.body(id)?.mass.center, axis(word)?))
    });
    let unknown = || {
        AnalysisError::Unknown(format!("input \"{path}\"; name a motor, or BODY.x, BODY.y, BODY.z"))
    };
    force.ok_or_else(unknown)
}

/// An output: `JOINT.angle`, `JOINT.angle_rate`, or `BODY.x` and `BODY.vx` of its centre of mass.
pub fn output(world: &World, path: &str) -> Result<Output, AnalysisError> {
    let body = path.rsplit_once('.').and_then(|(body, word)| {
        let id = world.body_named(body)?;
        let center = world.body(id)?.mass.center;
        match (axis(word), word.strip_prefix('v').and_then(axis)) {
            (Some(k), _) => Some(Output::Point(id, center, k)),
            (_, Some(k)) => Some(Output::Speed(id, center, k)),
            _ => None,
        }
    });
    match (body, path.strip_suffix("_rate")) {
        (Some(found), _) => Ok(found),
        (None, Some(rate)) => coordinate(world, rate).map(|(j, c)| Output::Rate(j, c)),
        (None, None) => coordinate(world, path).map(|(j, c)| Output::Coordinate(j, c)),
    }
}

/// The path of a coordinate.
pub fn path_of(world: &World, joint: JointId, c: Coordinate) -> String {
    format!("{}.{}", world.joint_name(joint).map_or_else(String::new, |n| n.to_string()), c.word())
}

fn axis(word: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|a| *a == word)
}
