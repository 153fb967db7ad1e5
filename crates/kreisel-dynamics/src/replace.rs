//! Descriptions put in the place of others while the world runs: other bodies, anchors, axes or
//! another kind. The item keeps its id and its name, and all that refers to it stays; what it
//! cannot be is refused as for a new one.

use crate::error::ModelError;
use crate::force::{Motor, MotorId, PidMemory, Spring, SpringId};
use crate::joint::{Joint, JointId};
use crate::model::Model;
use crate::world::World;

impl World {
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
