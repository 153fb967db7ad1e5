//! Where joints stand and how they move: their vectors, coordinates and rates for a state of the
//! world.

use super::Engine;
use crate::body::BodyId;
use crate::connector::STAND_IN;
use crate::constraint::{Pair, Pose, Row, coordinate};
use crate::joint::{Coordinate, RotationPart};
use crate::math::{Mat3, Vec3};
use crate::model::{JointRecord, Model};
use crate::state::{BodyState, State};
use crate::system::rows::follow;

impl Engine {
    /// Coordinate and rate that motor `i` drives.
    pub fn motor_coordinate(&self, model: &Model, state: &State, i: u32) -> Option<(f64, f64)> {
        let (_, _, motor) = model.motors.iter().find(|m| m.0 == i)?;
        let joint = model.joint(motor.desc.joint)?;
        joint.desc.active.then(|| {
            let value =
                self.coordinate(joint, motor.desc.joint.index, motor.desc.coordinate, state);
            (value, coordinate_rate(joint, motor.desc.coordinate, state))
        })
    }

    /// Value of a joint's coordinate, angles counted.
    pub fn coordinate(&self, joint: &JointRecord, slot: u32, c: Coordinate, state: &State) -> f64 {
        counted(joint, slot, c, state, &self.angles)
    }

    /// Counts the turns of joints after a step of `h` seconds (0: after an edit), whose start is
    /// `kept`.
    ///
    /// Where something turns by more than half a radian in a step, the mean of the rates at both
    /// ends tells how often it went round; otherwise the nearest angle is the one.
    pub fn track_angles(&mut self, model: &Model, state: &State, h: f64) {
        let spin = |bodies: &[BodyState]| {
            bodies.iter().fold(0.0_f64, |m, b| m.max(b.angular_velocity.length_squared()))
        };
        let turn = h * spin(&state.bodies).max(spin(&self.kept)).sqrt();
        let fast = turn > 0.5 && self.kept.len() == state.bodies.len();
        let start =
            State { bodies: if fast { self.kept.clone() } else { Vec::new() }, ..State::default() };
        for (i, _, joint) in model.joints.iter() {
            let counted = joint.desc.kind.parts().1 == RotationPart::Axis
                || joint.desc.limits.iter().any(|l| l.coordinate == Coordinate::Angle)
                || joint.desc.passive.iter().any(|p| p.coordinate == Coordinate::Angle);
            if counted {
                let value = coordinate::value(&pair(joint, state), Coordinate::Angle);
                let rate = |s: &State| coordinate_rate(joint, Coordinate::Angle, s);
                let turned = if fast { 0.5 * h * (rate(&start) + rate(state)) } else { 0.0 };
                let angle = &mut self.angles[i as usize];
                *angle = follow(value, *angle + turned, Coordinate::Angle);
            }
        }
    }
}

/// Where a body is in the world's state.
pub(crate) fn pose(body: BodyId, state: &State) -> Pose {
    let s = state.slot(body.index);
    Pose { x: s.position, r: Mat3::from_quat(s.rotation) }
}

/// The vectors of a joint for the world's state.
pub(crate) fn pair(joint: &JointRecord, state: &State) -> Pair {
    let [a, b] = joint.desc.bodies.map(|id| pose(id, state));
    Pair::new(&joint.frames, a, b)
}

/// Value of a joint's coordinate; angles in −π..=π.
pub(crate) fn coordinate_value(joint: &JointRecord, c: Coordinate, state: &State) -> f64 {
    match &joint.guide {
        Some(g) => g.guide.coordinate(&g.stand(|b| pose(b, state)), None),
        None => coordinate::value(&pair(joint, state), c),
    }
}

/// Value of a joint's coordinate; an angle goes on from the one that was counted last.
pub(crate) fn counted(
    joint: &JointRecord,
    slot: u32,
    c: Coordinate,
    state: &State,
    angles: &[f64],
) -> f64 {
    follow(coordinate_value(joint, c, state), angles.get(slot as usize).copied().unwrap_or(0.0), c)
}

/// The vectors of a joint for a stand-in, one side of which may be a target that the state does not
/// hold.
pub(crate) fn pair_of(joint: &JointRecord, state: &State) -> Pair {
    if joint.desc.bodies.iter().all(|b| b.index < STAND_IN) {
        return pair(joint, state);
    }
    let pose = |k: usize| {
        let b = joint.desc.bodies[k];
        let s = if b.index < STAND_IN { *state.slot(b.index) } else { BodyState::default() };
        Pose { x: s.position, r: Mat3::from_quat(s.rotation) }
    };
    // a target is where the other side's anchor is: the arm of the side that moves is what counts
    let mut pair = Pair::new(&joint.frames, pose(0), pose(1));
    pair.d = Vec3::ZERO;
    pair
}

/// Rate of a joint's coordinate.
pub(crate) fn coordinate_rate(joint: &JointRecord, c: Coordinate, state: &State) -> f64 {
    if let Some(g) = &joint.guide {
        let places = g.stand(|b| pose(b, state));
        let (e, weights) = (g.guide.along(&places, None), g.guide.foot(&places).weights);
        let velocity = |k: usize| {
            let s = state.slot(g.carrier(k).0.index);
            s.velocity + s.angular_velocity.cross(places[k] - s.position)
        };
        let carried: Vec3 = (1..g.guide.places()).map(|k| velocity(k) * weights[k - 1]).sum();
        return e.dot(velocity(0) - carried);
    }
    let [a, b] = joint.desc.bodies.map(|id| state.slot(id.index));
    rate(&coordinate::row(&pair(joint, state), c), a, b)
}

/// Rate of a coordinate from its row.
pub(crate) fn rate(row: &Row, a: &BodyState, b: &BodyState) -> f64 {
    row.n.dot(b.velocity - a.velocity)
        + row.a[0].dot(a.angular_velocity)
        + row.a[1].dot(b.angular_velocity)
}
