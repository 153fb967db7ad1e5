//! What a program needs to write a world down and to read it back: names, exact states, and
//! descriptions as they would have been given at the start.
//!
//! A body is described by the pose it is added with, a joint by points and axes at the poses of
//! that moment. A world that has run is written as its descriptions *and* its present state: the
//! joints' frames then come out to the bit.

use crate::body::BodyId;
use crate::bounds;
use crate::error::ModelError;
use crate::force::{Spring, SpringId};
use crate::joint::{Coordinate, Joint, JointId, PositionPart};
use crate::math::{Quat, Vec3};
use crate::model::Model;
use crate::settings::Method;
use crate::state::{BodyState, State};
use crate::world::World;
use std::f64::consts::TAU;

/// State of a body's centre of mass and principal axes: what the engine integrates, to the bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactState {
    /// Centre of mass, m.
    pub center: Vec3,
    /// Rotation from the principal axes to the world.
    pub principal: Quat,
    /// Velocity of the centre of mass, m/s.
    pub velocity: Vec3,
    /// Angular velocity in world coordinates, rad/s.
    pub angular_velocity: Vec3,
}

impl World {
    /// Sets the time, s; schedules and reports go on from there.
    pub fn set_time(&mut self, time: f64) -> Result<(), ModelError> {
        bounds::TIME.check("world", "time", time)?;
        self.state.time = time;
        Ok(())
    }

    /// The state of a body, to the bit.
    pub fn exact_state(&self, id: BodyId) -> Option<ExactState> {
        self.model.body(id)?;
        let s = self.state.slot(id.index);
        Some(ExactState {
            center: s.position,
            principal: s.rotation,
            velocity: s.velocity,
            angular_velocity: s.angular_velocity,
        })
    }

    /// The state that the body had when it was added.
    pub fn described_state(&self, id: BodyId) -> Option<ExactState> {
        self.model.body(id)?;
        let s = described(&self.model, id);
        Some(ExactState {
            center: s.position,
            principal: s.rotation,
            velocity: s.velocity,
            angular_velocity: s.angular_velocity,
        })
    }

    /// Sets the state of a body to the bit.
    pub fn set_exact_state(&mut self, id: BodyId, state: ExactState) -> Result<(), ModelError> {
        let record =
            self.model.body(id).ok_or_else(|| ModelError::UnknownBody("set_exact_state".into()))?;
        let name = record.name.to_string();
        if id == BodyId::WORLD {
            return Err(ModelError::TheWorld("moved"));
        }
        let new = BodyState {
            position: state.center,
            rotation: state.principal,
            velocity: state.velocity,
            angular_velocity: state.angular_velocity,
        };
        if !new.is_finite() {
            return Err(ModelError::NotFinite { item: name, field: "state" });
        }
        bounds::POSITION.check_vector(&name, "position", state.center)?;
        bounds::SPEED.check_vector(&name, "velocity", state.velocity)?;
        bounds::SPIN.check_vector(&name, "angular velocity", state.angular_velocity)?;
        let length = state.principal.length();
        if (length - 1.0).abs() > 1e-6 {
            let must = "a quaternion of length 1";
            return Err(ModelError::OutOfRange {
                item: name,
                field: "rotation",
                must,
                value: length,
            });
        }
        Model::check_rest(&name, record.desc.kind, state.velocity, state.angular_velocity)?;
        self.state.set_slot(id.index, new);
        Ok(())
    }

    /// The method that was asked for the chain of a body, if it differs from the world's.
    pub fn method_of(&self, id: BodyId) -> Option<Method> {
        self.model.body(id)?.method
    }

    /// Adds whole turns to the counted angle of a joint.
    pub fn add_turns(&mut self, id: JointId, turns: i32) -> Result<(), ModelError> {
        if self.model.joint(id).is_none() {
            return Err(ModelError::UnknownJoint("add_turns".into()));
        }
        self.engine.prepare(&self.model, &self.state);
        self.engine.angles[id.index as usize] += TAU * f64::from(turns);
        Ok(())
    }

    /// Whole turns in the counted angle of a joint: what a joint added anew in the present poses
    /// would not show.
    pub fn turns(&self, id: JointId) -> i32 {
        match self.coordinate(id, Coordinate::Angle) {
            Some(angle) => (angle / TAU).round() as i32,
            None => 0,
        }
    }

    /// The joint as one would describe it with all bodies at the poses they were added with: as it
    /// was described, if it was added then, or with points and axes moved back to those poses.
    pub fn joint_from_start(&self, id: JointId) -> Option<Joint> {
        let mut then = State::default();
        for b in self.model.joint(id)?.desc.all_bodies() {
            then.set_slot(b.index, described(&self.model, b));
        }
        self.joint_at(id, &then)
    }

    /// The joint as one would describe it now.
    pub fn joint_now(&self, id: JointId) -> Option<Joint> {
        self.joint_at(id, &self.state)
    }

    /// The joint as one would describe it with its bodies in the given state.
    fn joint_at(&self, id: JointId, then: &State) -> Option<Joint> {
        let record = self.model.joint(id)?;
        let states = record.desc.bodies.map(|b| *then.slot(b.index));
        let again = self.model.place_joint(record.desc.clone(), record.name.clone(), then);
        if again.is_ok_and(|a| a.frames == record.frames && a.guide == record.guide) {
            return Some(record.desc.clone());
        }
        let mut joint = record.desc.clone();
        let frames = [0, 1].map(|k| &record.frames[k]);
        joint.anchors = [0, 1].map(|k| states[k].position + states[k].rotation * frames[k].origin);
        if let Some(g) = &record.guide {
            // the point comes first there, then the supports, of which the first is the joint's
            // first body
            for (to, (body, place)) in joint.more.iter_mut().zip(&g.places[2..]) {
                let s = then.slot(body.index);
                to.1 = s.position + s.rotation * *place;
            }
        }
        joint.axis = states[0].rotation * frames[0].axes.x_axis;
        let angle = joint.kind.parts().1 == crate::joint::RotationPart::Angle;
        let second = if angle { frames[1].axes.y_axis } else { frames[1].axes.x_axis };
        joint.axis2 = Some(states[1].rotation * second);
        if joint.kind.parts().0 == PositionPart::Distance {
            joint.length = Some(record.length);
        }
        Some(joint)
    }

    /// The spring as one would describe it with all bodies at the poses they were added with.
    pub fn spring_from_start(&self, id: SpringId) -> Option<Spring> {
        let bodies = self.model.spring(id)?.desc.bodies;
        self.spring_at(id, bodies.map(|b| described(&self.model, b)))
    }

    /// The spring as one would describe it now.
    pub fn spring_now(&self, id: SpringId) -> Option<Spring> {
        let bodies = self.model.spring(id)?.desc.bodies;
        self.spring_at(id, bodies.map(|b| *self.state.slot(b.index)))
    }

    fn spring_at(&self, id: SpringId, states: [BodyState; 2]) -> Option<Spring> {
        let record = self.model.spring(id)?;
        let local = [0, 1].map(|k| {
            states[k].rotation.conjugate() * (record.desc.anchors[k] - states[k].position)
        });
        let mut spring = record.desc.clone();
        if local != record.anchors {
            spring.anchors =
                [0, 1].map(|k| states[k].position + states[k].rotation * record.anchors[k]);
        }
        // The rest length was measured when the spring was added: written out, it is the same
        // whatever moved since.
        spring.length = Some(record.length);
        Some(spring)
    }
}

/// The state that a body had when it was added.
fn described(model: &Model, id: BodyId) -> BodyState {
    match model.body(id) {
        Some(r) => Model::first_state(&r.desc, r.center, r.principal),
        None => BodyState::default(),
    }
}
