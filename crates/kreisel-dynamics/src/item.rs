//! An item of any kind, by its id: what reports and lookups by name speak of.

use crate::body::BodyId;
use crate::collider::ColliderId;
use crate::connector::{ConstraintId, CurveId};
use crate::force::{ControllerId, FieldId, MotorId, SpringId};
use crate::joint::JointId;
use crate::procedure::ProcedureId;
use crate::sensor::SensorId;
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An item of any kind.
///
/// ```
/// use kreisel_dynamics::{Body, ItemId, World};
/// let mut world = World::new();
/// let ball = world.add_body(Body::sphere(1.0, 0.1).named("ball"))?;
/// assert_eq!(world.item_named("ball"), Some(ItemId::Body(ball)));
/// assert_eq!(world.item_name(ItemId::Body(ball)).as_deref(), Some("ball"));
/// # Ok::<(), kreisel_dynamics::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ItemId {
    /// A body.
    Body(BodyId),
    /// A joint.
    Joint(JointId),
    /// A spring.
    Spring(SpringId),
    /// A motor.
    Motor(MotorId),
    /// A curve.
    Curve(CurveId),
    /// A constraint between connectors.
    Constraint(ConstraintId),
    /// A controller.
    Controller(ControllerId),
    /// A force field.
    Field(FieldId),
    /// A distance procedure.
    Procedure(ProcedureId),
    /// A sensor.
    Sensor(SensorId),
    /// A collider.
    Collider(ColliderId),
}

impl World {
    /// The item of this name, whatever it is.
    pub fn item_named(&self, name: &str) -> Option<ItemId> {
        self.model.names.get(name).copied()
    }

    /// The name of an item of any kind.
    pub fn item_name(&self, item: ItemId) -> Option<Arc<str>> {
        match item {
            ItemId::Body(id) => self.body_name(id),
            ItemId::Joint(id) => self.joint_name(id),
            ItemId::Spring(id) => self.spring_name(id),
            ItemId::Motor(id) => self.motor_name(id),
            ItemId::Curve(id) => self.curve_name(id),
            ItemId::Constraint(id) => self.constraint_name(id),
            ItemId::Controller(id) => self.controller_name(id),
            ItemId::Field(id) => self.field_name(id),
            ItemId::Procedure(id) => self.procedure_name(id),
            ItemId::Sensor(id) => self.sensor_name(id),
            ItemId::Collider(id) => self.collider_name(id),
        }
    }
}
