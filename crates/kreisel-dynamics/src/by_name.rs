//! Items of any kind by their names: listed, and removed.

use crate::error::ModelError;
use crate::world::World;
use std::sync::Arc;

impl World {
    /// The words of the kinds of items, in the order in which names are looked up.
    pub const KINDS: [&'static str; 11] = [
        "body",
        "joint",
        "spring",
        "motor",
        "constraint",
        "controller",
        "field",
        "curve",
        "procedure",
        "sensor",
        "collider",
    ];

    /// Names of all items of a kind, in the order in which they were made; empty for a word that is
    /// none of [`World::KINDS`].
    pub fn names_of(&self, kind: &str) -> Vec<Arc<str>> {
        match kind {
            "body" => self.bodies().filter_map(|i| self.body_name(i)).collect(),
            "joint" => self.joints().filter_map(|i| self.joint_name(i)).collect(),
            "spring" => self.springs().filter_map(|i| self.spring_name(i)).collect(),
            "motor" => self.motors().filter_map(|i| self.motor_name(i)).collect(),
            "constraint" => self.constraints().filter_map(|i| self.constraint_name(i)).collect(),
            "controller" => self.controllers().filter_map(|i| self.controller_name(i)).collect(),
            "field" => self.fields().filter_map(|i| self.field_name(i)).collect(),
            "curve" => self.curves().filter_map(|i| self.curve_name(i)).collect(),
            "procedure" => self.procedures().filter_map(|i| self.procedure_name(i)).collect(),
            "sensor" => self.sensors().filter_map(|i| self.sensor_name(i)).collect(),
            "collider" => self.colliders().filter_map(|i| self.collider_name(i)).collect(),
            _ => Vec::new(),
        }
    }

    /// Removes the item of a name with everything that hangs on it; false if there is none.
    pub fn remove_named(&mut self, name: &str) -> Result<bool, ModelError> {
        if let Some(id) = self.body_named(name) {
            self.remove_body(id)?;
        } else if let Some(id) = self.joint_named(name) {
            self.remove_joint(id)?;
        } else if let Some(id) = self.spring_named(name) {
            self.remove_spring(id)?;
        } else if let Some(id) = self.motor_named(name) {
            self.remove_motor(id)?;
        } else if let Some(id) = self.constraint_named(name) {
            self.remove_constraint(id)?;
        } else if let Some(id) = self.controller_named(name) {
            self.remove_controller(id)?;
        } else if let Some(id) = self.field_named(name) {
            self.remove_field(id)?;
        } else if let Some(id) = self.curve_named(name) {
            self.remove_curve(id)?;
        } else if let Some(id) = self.procedure_named(name) {
            self.remove_procedure(id)?;
        } else if let Some(id) = self.sensor_named(name) {
            self.remove_sensor(id)?;
        } else if let Some(id) = self.collider_named(name) {
            self.remove_collider(id)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
