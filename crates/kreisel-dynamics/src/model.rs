//! What exists in a world. Every edit checks its input, changes nothing when it refuses, and bumps
//! the revision, so that the joint graph is analysed again before the next step.

mod check;

pub(crate) use check::{at_least, check_mass};
use check::{at_most, finite};

use crate::arena::Arena;
use crate::body::{Body, BodyId};
use crate::bounds;
use crate::collider::ColliderRecord;
use crate::connector::ConstraintRecord;
use crate::elements::{ControllerRecord, CurveRecord, FieldRecord};
use crate::error::ModelError;
use crate::force::{Motor, MotorId, Spring, SpringId};
use crate::item::ItemId;
use crate::joint::{GuideRecord, Joint, JointId, LocalFrame, PositionPart};
use crate::math::{Quat, Vec3};
use crate::procedure::{Assembly, ProcedureRecord};
use crate::sensor::SensorRecord;
use crate::settings::{Method, Settings};
use crate::state::{BodyState, State};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A body with all that follows from its description.
#[derive(Clone, Debug)]
pub(crate) struct BodyRecord {
    pub desc: Body,
    pub name: Arc<str>,
    /// Centre of mass in the body's frame.
    pub center: Vec3,
    /// Rotation from the principal frame to the body's frame.
    pub principal: Quat,
    /// Principal moments; zero for mass points.
    pub moments: Vec3,
    /// Method of the chain this body belongs to, if it differs from the world's.
    pub method: Option<Method>,
}

/// A joint with its frames.
#[derive(Clone, Debug)]
pub(crate) struct JointRecord {
    pub desc: Joint,
    pub name: Arc<str>,
    pub frames: [LocalFrame; 2],
    /// What a rail or polygon lies on.
    pub guide: Option<Box<GuideRecord>>,
    /// Length of a distance part, m.
    pub length: f64,
    /// Cosine and sine of the kept angle of an angle part.
    pub angle: (f64, f64),
    /// Number in the order of creation.
    pub age: u64,
}

impl JointRecord {
    /// The parts with their constants.
    pub fn parts(&self) -> crate::constraint::Parts {
        let (position, rotation) = self.desc.kind.parts();
        crate::constraint::Parts { position, rotation, length: self.length, angle: self.angle }
    }
}

/// A spring with its anchors.
#[derive(Clone, Debug)]
pub(crate) struct SpringRecord {
    pub desc: Spring,
    pub name: Arc<str>,
    /// Anchors from the centres of mass, in principal frames.
    pub anchors: [Vec3; 2],
    pub length: f64,
}

/// A motor.
#[derive(Clone, Debug)]
pub(crate) struct MotorRecord {
    pub desc: Motor,
    pub name: Arc<str>,
}

/// Everything that exists, without its state.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub bodies: Arena<BodyRecord>,
    pub joints: Arena<JointRecord>,
    pub springs: Arena<SpringRecord>,
    pub motors: Arena<MotorRecord>,
    pub curves: Arena<CurveRecord>,
    pub constraints: Arena<ConstraintRecord>,
    pub controllers: Arena<ControllerRecord>,
    pub fields: Arena<FieldRecord>,
    pub procedures: Arena<ProcedureRecord>,
    pub sensors: Arena<SensorRecord>,
    pub colliders: Arena<ColliderRecord>,
    /// Bodies that are frozen until a constraint is met.
    pub assemblies: Vec<Assembly>,
    pub gravity: Vec3,
    pub settings: Settings,
    pub names: BTreeMap<Arc<str>, ItemId>,
    pub revision: u64,
}

/// The rotation with length 1. One that has it to rounding is left alone, so that a body that is
/// written down and read again is the same to the bit.
fn unit(rotation: Quat) -> Quat {
    let off = (rotation.length_squared() - 1.0).abs();
    if off <= 4.0 * f64::EPSILON { rotation } else { rotation.normalize() }
}

/// Names the principal axes so that the first two moments are the closest pair: the free flow then
/// treats the body as a symmetric top about its third axis, plus a small rest (none for a body that
/// is one).
pub(crate) fn flow_frame((moments, principal): (Vec3, Quat)) -> (Vec3, Quat) {
    let i = moments.max(Vec3::ZERO);
    let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { f64::INFINITY };
    let gap = |a: f64, b: f64| if a == b { 0.0 } else { (inverse(a) - inverse(b)).abs() };
    let (xy, yz, zx) = (gap(i.x, i.y), gap(i.y, i.z), gap(i.z, i.x));
    if xy <= yz && xy <= zx {
        (i, principal)
    } else if yz <= zx {
        // axes y, z, x
        (Vec3::new(i.y, i.z, i.x), principal * Quat::from_xyzw(0.5, 0.5, 0.5, 0.5))
    } else {
        // axes z, x, y
        (Vec3::new(i.z, i.x, i.y), principal * Quat::from_xyzw(-0.5, -0.5, -0.5, 0.5))
    }
}

impl Model {
    pub fn new() -> Self {
        let mut model = Self {
            bodies: Arena::default(),
            joints: Arena::default(),
            springs: Arena::default(),
            motors: Arena::default(),
            curves: Arena::default(),
            constraints: Arena::default(),
            controllers: Arena::default(),
            fields: Arena::default(),
            procedures: Arena::default(),
            sensors: Arena::default(),
            colliders: Arena::default(),
            assemblies: Vec::new(),
            gravity: Vec3::new(0.0, 0.0, -9.81),
            settings: Settings::default(),
            names: BTreeMap::new(),
            revision: 0,
        };
        let world = BodyRecord {
            desc: Body::fixed().named("world"),
            name: "world".into(),
            center: Vec3::ZERO,
            principal: Quat::IDENTITY,
            moments: Vec3::ZERO,
            method: None,
        };
        model.bodies.insert(world);
        model.names.insert("world".into(), ItemId::Body(BodyId::WORLD));
        model
    }

    pub fn body(&self, id: BodyId) -> Option<&BodyRecord> {
        self.bodies.get(id.index, id.generation)
    }

    pub fn joint(&self, id: JointId) -> Option<&JointRecord> {
        self.joints.get(id.index, id.generation)
    }

    pub fn spring(&self, id: SpringId) -> Option<&SpringRecord> {
        self.springs.get(id.index, id.generation)
    }

    pub fn motor(&self, id: MotorId) -> Option<&MotorRecord> {
        self.motors.get(id.index, id.generation)
    }

    /// The name to use: the given one if it is free, or the first free "kind N".
    pub fn name(&self, given: &str, kind: &str, number: usize) -> Result<Arc<str>, ModelError> {
        if !given.is_empty() {
            return if self.names.contains_key(given) {
                Err(ModelError::DuplicateName(given.to_owned()))
            } else {
                Ok(given.into())
            };
        }
        let free = (number..)
            .map(|n| format!("{kind} {n}"))
            .find(|n| !self.names.contains_key(n.as_str()));
        Ok(free.unwrap_or_default().into())
    }

    pub fn add_body(&mut self, desc: Body, state: &mut State) -> Result<BodyId, ModelError> {
        let name = self.name(&desc.name, "body", self.bodies.len())?;
        self.check_body(&name, &desc)?;
        let (moments, principal) = flow_frame(desc.mass.principal());
        let record = BodyRecord {
            name: name.clone(),
            center: desc.mass.center,
            principal,
            moments,
            method: None,
            desc: Body { rotation: unit(desc.rotation), ..desc },
        };
        let body_state = Self::first_state(&record.desc, record.center, principal);
        let id = BodyId::new(self.bodies.insert(record));
        state.set_slot(id.index, body_state);
        self.names.insert(name, ItemId::Body(id));
        self.revision += 1;
        Ok(id)
    }

    /// The state of a body as it is described.
    pub fn first_state(desc: &Body, center: Vec3, principal: Quat) -> BodyState {
        BodyState {
            position: desc.position + desc.rotation * center,
            rotation: (desc.rotation * principal).normalize(),
            velocity: desc.velocity,
            angular_velocity: desc.angular_velocity,
        }
    }

    /// Names and bodies of the joints, springs and constraints that hold on to a body.
    pub(crate) fn links(&self, id: BodyId) -> impl Iterator<Item = (&Arc<str>, Vec<BodyId>)> {
        let joints =
            self.joints.iter().map(|(_, _, j)| (&j.name, j.desc.all_bodies().collect::<Vec<_>>()));
        let springs = self.springs.iter().map(|(_, _, s)| (&s.name, s.desc.bodies.to_vec()));
        let constraints = self.constraints.iter().map(|(_, _, c)| (&c.name, c.bodies.clone()));
        joints.chain(springs).chain(constraints).filter(move |(_, bodies)| bodies.contains(&id))
    }

    pub fn add_joint(&mut self, desc: Joint, state: &State) -> Result<JointId, ModelError> {
        let name = self.name(&desc.name, "joint", self.joints.len() + 1)?;
        self.check_mode(&name)?;
        self.check_bodies(&name, &desc)?;
        let record = self.place_joint(desc, name.clone(), state)?;
        if record.guide.is_some() {
            Self::check_energy(&self.settings, &name)?;
        }
        let id = JointId::new(self.joints.insert(record));
        self.names.insert(name, ItemId::Joint(id));
        self.revision += 1;
        Ok(id)
    }

    pub fn place_joint(
        &self,
        desc: Joint,
        name: Arc<str>,
        state: &State,
    ) -> Result<JointRecord, ModelError> {
        bounds::POSITION.check_vector(&name, "anchor", desc.anchors[0])?;
        bounds::POSITION.check_vector(&name, "anchor", desc.anchors[1])?;
        finite(&name, "axis", desc.axis)?;
        finite(&name, "axis2", desc.axis2.unwrap_or_default())?;
        for limit in &desc.limits {
            self.check_coordinate(&name, &desc, limit.coordinate)?;
            at_most(&name, "lower limit", limit.min, f64::MAX, "below infinity")?;
            at_least(
                &name,
                "upper limit",
                limit.max,
                limit.min.max(f64::MIN),
                "at least the lower limit",
            )?;
            at_least(&name, "restitution", limit.restitution, 0.0, "from 0 to 1")?;
            at_most(&name, "restitution", limit.restitution, 1.0, "from 0 to 1")?;
        }
        for friction in &desc.friction {
            self.check_coordinate(&name, &desc, friction.coordinate)?;
            at_least(&name, "friction", friction.effort, 0.0, "zero or more")?;
        }
        self.check_passive(&name, &desc)?;
        if let Some(b) = desc.breaking {
            at_least(&name, "breaking force", b.force, 0.0, "zero or more")?;
            at_least(&name, "breaking torque", b.torque, 0.0, "zero or more")?;
        }
        let axes = desc.world_axes(&name)?;
        let frames = [0, 1].map(|k| {
            let s = state.slot(desc.bodies[k].index);
            LocalFrame::from_world(desc.anchors[k], axes[k], s.position, s.rotation)
        });
        for m in &desc.more {
            bounds::POSITION.check_vector(&name, "anchor", m.1)?;
        }
        let guide = GuideRecord::new(&desc, &name, |body, at| {
            let s = state.slot(body.index);
            s.rotation.conjugate() * (at - s.position)
        })?
        .map(Box::new);
        let length = desc.length.unwrap_or_else(|| desc.anchors[0].distance(desc.anchors[1]));
        bounds::POSITION.check(&name, "length", length)?;
        if desc.kind.parts().0 == PositionPart::Distance {
            // Below this the direction of the distance is noise; a ball joint is meant.
            at_least(
                &name,
                "length",
                length,
                1e-9,
                "positive (use a ball joint for coinciding anchors)",
            )?;
        }
        let cos = axes[0].x_axis.dot(axes[1].y_axis);
        let angle = (cos, (1.0 - cos * cos).max(0.0).sqrt());
        Ok(JointRecord { desc, name, frames, guide, length, angle, age: self.revision })
    }

    pub fn add_spring(&mut self, desc: Spring, state: &State) -> Result<SpringId, ModelError> {
        let name = self.name(&desc.name, "spring", self.springs.len() + 1)?;
        let record = self.place_spring(desc, name.clone(), state)?;
        let id = SpringId::new(self.springs.insert(record));
        self.names.insert(name, ItemId::Spring(id));
        self.revision += 1;
        Ok(id)
    }

    pub fn place_spring(
        &self,
        desc: Spring,
        name: Arc<str>,
        state: &State,
    ) -> Result<SpringRecord, ModelError> {
        self.check_mode(&name)?;
        self.check_pair(&name, desc.bodies)?;
        bounds::POSITION.check_vector(&name, "anchor", desc.anchors[0])?;
        bounds::POSITION.check_vector(&name, "anchor", desc.anchors[1])?;
        bounds::STRENGTH.check(&name, "stiffness", desc.stiffness)?;
        bounds::STRENGTH.check(&name, "damping", desc.damping)?;
        at_least(&name, "stiffness", desc.stiffness, 0.0, "zero or more")?;
        at_least(&name, "damping", desc.damping, 0.0, "zero or more")?;
        let length = desc.length.unwrap_or_else(|| desc.anchors[0].distance(desc.anchors[1]));
        bounds::POSITION.check(&name, "length", length)?;
        at_least(&name, "length", length, 0.0, "zero or more")?;
        let anchors = [0, 1].map(|k| {
            let s = state.slot(desc.bodies[k].index);
            s.rotation.conjugate() * (desc.anchors[k] - s.position)
        });
        Ok(SpringRecord { desc, name, anchors, length })
    }

    pub fn add_motor(&mut self, desc: Motor) -> Result<MotorId, ModelError> {
        let name = self.name(&desc.name, "motor", self.motors.len() + 1)?;
        let joint =
            self.joint(desc.joint).ok_or_else(|| ModelError::UnknownJoint(name.to_string()))?;
        self.check_coordinate(&joint.name, &joint.desc, desc.coordinate)?;
        Self::check_motor(&name, &desc)?;
        let id = MotorId::new(self.motors.insert(MotorRecord { desc, name: name.clone() }));
        self.names.insert(name, ItemId::Motor(id));
        self.revision += 1;
        Ok(id)
    }

    pub fn remove_joint(&mut self, id: JointId) -> Result<Joint, ModelError> {
        let record = self
            .joints
            .remove(id.index, id.generation)
            .ok_or_else(|| ModelError::UnknownJoint("remove".into()))?;
        self.names.remove(&record.name);
        let orphans: Vec<MotorId> = self
            .motors
            .iter()
            .filter(|(_, _, m)| m.desc.joint == id)
            .map(|(i, g, _)| MotorId::new((i, g)))
            .collect();
        for motor in orphans {
            self.remove_motor(motor)?;
        }
        self.remove_sensors(|s| s.joint == Some(id));
        // what couples it to other joints has lost its meaning
        let couples = |c: &ConstraintRecord| c.desc.kind.joints().contains(&id);
        let coupled: Vec<(u32, u32)> = self
            .constraints
            .iter()
            .filter(|(_, _, c)| couples(c))
            .map(|(i, g, _)| (i, g))
            .collect();
        for (i, g) in coupled {
            if let Some(constraint) = self.constraints.remove(i, g) {
                self.names.remove(&constraint.name);
            }
        }
        self.revision += 1;
        Ok(record.desc)
    }

    pub fn remove_spring(&mut self, id: SpringId) -> Result<Spring, ModelError> {
        let record = self
            .springs
            .remove(id.index, id.generation)
            .ok_or_else(|| ModelError::UnknownForce("remove".into()))?;
        self.names.remove(&record.name);
        self.revision += 1;
        Ok(record.desc)
    }

    pub fn remove_motor(&mut self, id: MotorId) -> Result<Motor, ModelError> {
        let record = self
            .motors
            .remove(id.index, id.generation)
            .ok_or_else(|| ModelError::UnknownForce("remove".into()))?;
        self.names.remove(&record.name);
        self.remove_sensors(|s| s.motor == Some(id));
        self.revision += 1;
        Ok(record.desc)
    }

    /// Removes a body with everything attached to it.
    pub fn remove_body(&mut self, id: BodyId) -> Result<Body, ModelError> {
        if id == BodyId::WORLD {
            return Err(ModelError::TheWorld("removed"));
        }
        let record = self
            .bodies
            .remove(id.index, id.generation)
            .ok_or_else(|| ModelError::UnknownBody("remove".into()))?;
        self.names.remove(&record.name);
        let joints: Vec<JointId> = self
            .joints
            .iter()
            .filter(|(_, _, j)| j.desc.all_bodies().any(|b| b == id))
            .map(|(i, g, _)| JointId::new((i, g)))
            .collect();
        for joint in joints {
            self.remove_joint(joint)?;
        }
        let springs: Vec<SpringId> = self
            .springs
            .iter()
            .filter(|(_, _, s)| s.desc.bodies.contains(&id))
            .map(|(i, g, _)| SpringId::new((i, g)))
            .collect();
        for spring in springs {
            self.remove_spring(spring)?;
        }
        self.remove_colliders_of(id);
        self.remove_elements_of(id);
        self.revision += 1;
        Ok(record.desc)
    }
}
