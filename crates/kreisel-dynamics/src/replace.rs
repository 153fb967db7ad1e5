//! Descriptions put in the place of others while the world runs: other bodies, anchors, axes or
//! another kind. The item keeps its id and its name, and all that refers to it stays; what it
//! cannot be is refused as for a new one.

use crate::body::{Body, BodyId};
use crate::connector::{Constraint, ConstraintId};
use crate::error::ModelError;
use crate::force::{Controller, ControllerId, Motor, MotorId, PidMemory, Spring, SpringId};
use crate::joint::{Joint, JointId, PositionPart};
use crate::math::Vec3;
use crate::model::Model;
use crate::world::World;

impl World {
    /// A body as one would describe it now: where it is, and as it moves.
    pub fn body_now(&self, id: BodyId) -> Option<Body> {
        Some(Body {
            position: self.position(id)?,
            rotation: self.rotation(id)?,
            velocity: self.velocity(id)?,
            angular_velocity: self.angular_velocity(id)?,
            ..self.body(id)?.clone()
        })
    }

    /// Makes a body what a description of it as it is now says; it keeps its name. Only what
    /// differs is touched, so that what has moved keeps its state to the bit.
    pub fn replace_body(&mut self, id: BodyId, new: Body) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownBody("replace_body".into());
        if id == BodyId::WORLD {
            return Err(ModelError::TheWorld("changed"));
        }
        let old = self.body_now(id).ok_or_else(unknown)?;
        let name = self.body_name(id).ok_or_else(unknown)?;
        // what a run has made of the rest is no matter of this edit
        let changed = |new: Vec3, old: Vec3| if new == old { Vec3::ZERO } else { new };
        let asked = Body {
            position: changed(new.position, old.position),
            velocity: changed(new.velocity, old.velocity),
            angular_velocity: changed(new.angular_velocity, old.angular_velocity),
            ..new.clone()
        };
        self.model.check_body(&name, &asked)?;

        // the surface first: mass and kind are checked together with it
        let surface =
            |b: &Body| (b.shape.clone(), b.material.clone(), b.groups, b.sensor, b.one_way);
        if surface(&old) != surface(&new) {
            self.put_surface(id, &new);
        }
        if (new.mass, new.kind) != (old.mass, old.kind)
            && let Err(refused) = self.set_body(id, new.mass, new.kind)
        {
            self.put_surface(id, &old);
            return Err(refused);
        }

        // these have been checked above
        if (new.position, new.rotation) != (old.position, old.rotation) {
            self.set_pose(id, new.position, new.rotation)?;
        }
        if (new.velocity, new.angular_velocity) != (old.velocity, old.angular_velocity) {
            self.set_velocity(id, new.velocity, new.angular_velocity)?;
        }
        Ok(())
    }

    /// Gives a body the surface of another one, unchecked.
    fn put_surface(&mut self, id: BodyId, like: &Body) {
        if let Some(record) = self.model.bodies.get_mut(id.index, id.generation) {
            let desc = &mut record.desc;
            (desc.shape, desc.material) = (like.shape.clone(), like.material.clone());
            (desc.groups, desc.sensor, desc.one_way) = (like.groups, like.sensor, like.one_way);
        }
        self.model.revision += 1;
    }

    /// Makes a joint what a description of it as it is now says: it is placed anew only where its
    /// kind, bodies, anchors or axes differ, so that what has moved keeps its frames to the bit.
    pub(crate) fn put_joint(&mut self, id: JointId, joint: Joint) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownJoint("set".into());
        let old = self.joint_now(id).ok_or_else(unknown)?;
        let distance = joint.kind.parts().0 == PositionPart::Distance;
        let place = |j: &Joint| (j.kind, j.bodies, j.anchors, j.more.clone(), j.axis, j.axis2);
        let measured = distance && joint.length.is_none() && old.length.is_some();
        if place(&joint) == place(&old) && !measured {
            self.set_joint(id, joint)
        } else {
            self.replace_joint(id, joint)
        }
    }

    /// Makes a spring what a description of it as it is now says.
    pub(crate) fn put_spring(&mut self, id: SpringId, spring: Spring) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownForce("set".into());
        let old = self.spring_now(id).ok_or_else(unknown)?;
        let stays =
            (spring.bodies, spring.anchors) == (old.bodies, old.anchors) && spring.length.is_some();
        if stays { self.set_spring(id, spring) } else { self.replace_spring(id, spring) }
    }

    /// Makes a constraint what a description of it says: one that is only switched keeps its points
    /// and its sense, one that is to be assembled begins with it.
    pub(crate) fn put_constraint(
        &mut self,
        id: ConstraintId,
        new: Constraint,
    ) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownElement("set".into());
        let old = self.constraint_from_start(id).ok_or_else(unknown)?;
        let (active, begins) = (new.active, new.assemble && !old.assemble);
        if (Constraint { active, ..old }) == new {
            return self.set_constraint_active(id, active);
        }
        self.set_constraint(id, new)?;
        if active && begins {
            self.set_constraint_active(id, false)?;
            self.set_constraint_active(id, true)?;
        }
        Ok(())
    }

    /// Makes a controller what a description of it says: points that move keep their start where it
    /// is only switched.
    pub(crate) fn put_controller(
        &mut self,
        id: ControllerId,
        new: Controller,
    ) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownElement("set".into());
        let old = self.controller_from_start(id).ok_or_else(unknown)?;
        let active = new.active;
        if (Controller { active, ..old }) == new {
            self.set_controller_active(id, active)
        } else {
            self.set_controller(id, new)
        }
    }

    /// Puts a joint in the place of another, with anchors and axes for the bodies' present poses.
    /// Its angle counts from zero again.
    pub fn replace_joint(&mut self, id: JointId, joint: Joint) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownJoint("replace_joint".into());
        let name = self.model.joint(id).ok_or_else(unknown)?.name.clone();
        let joint = Joint { name: name.to_string(), ..joint };

        // the checks of a new joint
        self.model.check_mode(&name)?;
        self.model.check_bodies(&name, &joint)?;
        let placed = self.model.place_joint(joint, name.clone(), &self.state)?;
        if placed.guide.is_some() {
            Model::check_energy(&self.model.settings, &name)?;
        }

        // what drives or couples it needs its coordinates
        for (_, _, motor) in self.model.motors.iter().filter(|(_, _, m)| m.desc.joint == id) {
            self.model.check_coordinate(&name, &placed.desc, motor.desc.coordinate)?;
        }
        for (_, _, constraint) in self.model.constraints.iter() {
            for coordinate in constraint.coordinates_of(id) {
                self.model.check_coordinate(&name, &placed.desc, coordinate)?;
            }
        }

        let slot = self.model.joints.get_mut(id.index, id.generation).ok_or_else(unknown)?;
        let old = std::mem::replace(slot, placed);
        // machine elements mesh only where their joints hang together
        if let Err(error) = self.model.check_transmissions(id) {
            *self.model.joints.get_mut(id.index, id.generation).ok_or_else(unknown)? = old;
            return Err(error);
        }
        if let Some(angle) = self.engine.angles.get_mut(id.index as usize) {
            *angle = 0.0;
        }
        self.model.revision += 1;
        Ok(())
    }

    /// Puts a spring in the place of another, with anchors for the bodies' present poses.
    pub fn replace_spring(&mut self, id: SpringId, spring: Spring) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownForce("replace_spring".into());
        let name = self.model.spring(id).ok_or_else(unknown)?.name.clone();
        let placed = self.model.place_spring(
            Spring { name: name.to_string(), ..spring },
            name,
            &self.state,
        )?;
        *self.model.springs.get_mut(id.index, id.generation).ok_or_else(unknown)? = placed;
        self.model.revision += 1;
        Ok(())
    }

    /// Changes what a motor does, its largest effort, and the joint and coordinate that it drives.
    pub fn set_motor(&mut self, id: MotorId, motor: Motor) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownForce("set_motor".into());
        let record = self.model.motor(id).ok_or_else(unknown)?;
        let name = record.name.clone();
        let moved = (record.desc.joint, record.desc.coordinate) != (motor.joint, motor.coordinate);
        let joint = self
            .model
            .joint(motor.joint)
            .ok_or_else(|| ModelError::UnknownJoint(name.to_string()))?;
        self.model.check_coordinate(&joint.name, &joint.desc, motor.coordinate)?;
        Model::check_motor(&name, &motor)?;

        // a controller does not know the past of another coordinate
        if let Some(memory) = self.engine.controllers.get_mut(id.index as usize).filter(|_| moved) {
            *memory = PidMemory::default();
        }
        let record = self.model.motors.get_mut(id.index, id.generation).ok_or_else(unknown)?;
        record.desc = Motor { name: record.desc.name.clone(), ..motor };
        self.model.revision += 1;
        Ok(())
    }
}
