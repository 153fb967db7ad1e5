//! Changing what exists while the world runs: names, properties, places. Every edit is checked as a
//! whole and either happens or is refused; frames of joints and springs stay where they are on
//! their bodies.

use crate::body::{Body, BodyId, BodyKind};
use crate::bounds;
use crate::error::ModelError;
use crate::force::{Spring, SpringId};
use crate::item::ItemId;
use crate::joint::{Joint, JointId, LocalFrame};
use crate::math::{Mat3, Vec3};
use crate::model::{at_least, check_mass, flow_frame};
use crate::state::BodyState;
use crate::world::World;
use kreisel_geometry::MassProperties;
use std::sync::Arc;

/// A frame of a joint as it stands in the world now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFrame {
    /// The anchor, m.
    pub point: Vec3,
    /// The frame's axes as columns; the first is the joint's axis.
    pub axes: Mat3,
}

impl World {
    /// The two frames of a joint, where they stand now: one fixed to each body.
    pub fn joint_frames(&self, id: JointId) -> Option<[JointFrame; 2]> {
        let record = self.model.joint(id)?;
        Some([0, 1].map(|k| self.frame_now(record.desc.bodies[k], &record.frames[k])))
    }

    /// The bodies of a joint with the places where it holds on to them now: the two anchors, then
    /// the other end of a rail or the other corners of a polygon.
    pub fn joint_places(&self, id: JointId) -> Option<Vec<(BodyId, Vec3)>> {
        let record = self.model.joint(id)?;
        let frames = self.joint_frames(id)?;
        let mut out: Vec<_> = record.desc.bodies.into_iter().zip(frames.map(|f| f.point)).collect();
        for &(body, place) in record.guide.iter().flat_map(|g| &g.places[2..]) {
            let s = self.state.slot(body.index);
            out.push((body, s.position + s.rotation * place));
        }
        Some(out)
    }

    fn frame_now(&self, body: BodyId, frame: &LocalFrame) -> JointFrame {
        let s = self.state.slot(body.index);
        let r = Mat3::from_quat(s.rotation);
        JointFrame { point: s.position + r * frame.origin, axes: r * frame.axes }
    }

    /// Length that a distance part keeps, m.
    pub fn joint_length(&self, id: JointId) -> Option<f64> {
        self.model.joint(id).map(|r| r.length)
    }

    /// The anchors of a spring, where they are now, m.
    pub fn spring_anchors(&self, id: SpringId) -> Option<[Vec3; 2]> {
        let record = self.model.spring(id)?;
        Some([0, 1].map(|k| {
            let s = self.state.slot(record.desc.bodies[k].index);
            s.position + s.rotation * record.anchors[k]
        }))
    }

    /// Rest length of a spring, m.
    pub fn spring_length(&self, id: SpringId) -> Option<f64> {
        self.model.spring(id).map(|r| r.length)
    }

    /// Whether an item has this name; names are unique over all kinds, and "world" is one.
    pub fn has_name(&self, name: &str) -> bool {
        self.model.names.contains_key(name)
    }

    /// Gives anything that has a name another one.
    pub fn rename(&mut self, old: &str, new: &str) -> Result<(), ModelError> {
        let Some(&named) = self.model.names.get(old) else {
            return Err(ModelError::UnknownBody(old.to_owned()));
        };
        if named == ItemId::Body(BodyId::WORLD) {
            return Err(ModelError::TheWorld("renamed"));
        }
        if old == new {
            return Ok(());
        }
        if new.is_empty() || self.model.names.contains_key(new) {
            return Err(ModelError::DuplicateName(new.to_owned()));
        }
        let name: Arc<str> = new.into();
        macro_rules! names {
            ($arena:ident, $id:expr) => {{
                let Some(r) = self.model.$arena.get_mut($id.index, $id.generation) else {
                    return Ok(());
                };
                (&mut r.name, &mut r.desc.name)
            }};
        }
        let (slot, desc) = match named {
            ItemId::Body(id) => names!(bodies, id),
            ItemId::Joint(id) => names!(joints, id),
            ItemId::Spring(id) => names!(springs, id),
            ItemId::Motor(id) => names!(motors, id),
            ItemId::Curve(id) => names!(curves, id),
            ItemId::Constraint(id) => names!(constraints, id),
            ItemId::Controller(id) => names!(controllers, id),
            ItemId::Field(id) => names!(fields, id),
            ItemId::Procedure(id) => names!(procedures, id),
            ItemId::Sensor(id) => names!(sensors, id),
            ItemId::Collider(id) => names!(colliders, id),
        };
        *slot = name.clone();
        *desc = new.to_owned();
        self.model.names.remove(old);
        self.model.names.insert(name, named);
        // Systems keep the names of their joints for reports.
        self.model.revision += 1;
        Ok(())
    }

    /// Replaces a joint's limits, friction, breaking load, length, and whether it is active, joins
    /// velocities only and lets its bodies collide. Bodies, kind, anchors and axes stay.
    pub fn set_joint(&mut self, id: JointId, joint: Joint) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownJoint("set_joint".into());
        let record = self.model.joint(id).ok_or_else(unknown)?;
        let desc = Joint {
            limits: joint.limits,
            friction: joint.friction,
            passive: joint.passive,
            breaking: joint.breaking,
            length: joint.length,
            velocity_only: joint.velocity_only,
            active: joint.active,
            collide: joint.collide,
            ..record.desc.clone()
        };
        let length = desc.length.unwrap_or(record.length);
        // The checks of a new joint; its frames are put back to the old ones.
        let checked = self.model.place_joint(desc, record.name.clone(), &self.state)?;
        let record = self.model.joints.get_mut(id.index, id.generation).ok_or_else(unknown)?;
        record.desc = checked.desc;
        record.length = length;
        self.model.revision += 1;
        Ok(())
    }

    /// Replaces a spring's stiffness, damping, rest length and mode. Bodies and anchors stay.
    pub fn set_spring(&mut self, id: SpringId, spring: Spring) -> Result<(), ModelError> {
        let unknown = || ModelError::UnknownForce("set_spring".into());
        let record = self.model.spring(id).ok_or_else(unknown)?;
        let numbers = [
            ("stiffness", spring.stiffness, bounds::STRENGTH),
            ("damping", spring.damping, bounds::STRENGTH),
            ("length", spring.length.unwrap_or(0.0), bounds::POSITION),
        ];
        for (field, value, bound) in numbers {
            bound.check(&record.name, field, value)?;
            at_least(&record.name, field, value, 0.0, "zero or more")?;
        }
        let length = spring.length.unwrap_or(record.length);
        let record = self.model.springs.get_mut(id.index, id.generation).ok_or_else(unknown)?;
        record.desc.stiffness = spring.stiffness;
        record.desc.damping = spring.damping;
        record.desc.length = spring.length;
        record.desc.mode = spring.mode;
        record.desc.isotropic = spring.isotropic;
        record.length = length;
        self.model.revision += 1;
        Ok(())
    }

    /// Gives a body other mass properties and another kind. Its frame stays where it is, with all
    /// that is fixed to it; the velocity at the frame's origin stays, too.
    pub fn set_body(
        &mut self,
        id: BodyId,
        mass: MassProperties,
        kind: BodyKind,
    ) -> Result<(), ModelError> {
        if id == BodyId::WORLD {
            return Err(ModelError::TheWorld("changed"));
        }
        let record =
            self.model.body(id).ok_or_else(|| ModelError::UnknownBody("set_body".into()))?;
        let (position, rotation) =
            (self.position(id).unwrap_or_default(), self.rotation(id).unwrap_or_default());
        let old = *self.state.slot(id.index);
        let moves = kind != BodyKind::Static;
        let spin = if moves { old.angular_velocity } else { Vec3::ZERO };
        let center = position + rotation * mass.center;
        let velocity =
            if moves { old.velocity + spin.cross(center - old.position) } else { Vec3::ZERO };
        let desc = Body { mass, kind, ..record.desc.clone() };
        check_mass(&record.name, &mass, kind)?;
        self.model.check_kind(id, kind)?;
        if kind != BodyKind::Dynamic {
            self.check_partners(id)?;
        }
        // Where everything that is fixed to the body stands in the world: that stays.
        let (mut frames, mut anchors, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, _, j) in self.model.joints.iter() {
            for (k, &(_, place)) in
                j.guide.iter().flat_map(|g| g.places.iter().enumerate().filter(|(_, p)| p.0 == id))
            {
                places.push((slot, k, old.position + old.rotation * place));
            }
            for k in (0..2).filter(|&k| j.desc.bodies[k] == id) {
                frames.push((slot, k, self.frame_now(id, &j.frames[k])));
            }
        }
        for (slot, _, s) in self.model.springs.iter() {
            for k in (0..2).filter(|&k| s.desc.bodies[k] == id) {
                anchors.push((slot, k, old.position + old.rotation * s.anchors[k]));
            }
        }
        let (moments, principal) = flow_frame(mass.principal());
        let new = BodyState {
            position: center,
            rotation: (rotation * principal).normalize(),
            velocity,
            angular_velocity: spin,
        };
        if let Some(r) = self.model.bodies.get_mut(id.index, id.generation) {
            r.desc = desc;
            (r.center, r.principal, r.moments) = (mass.center, principal, moments);
        }
        for (slot, k, frame) in frames {
            if let Some(j) = self.model.joints.slot_mut(slot) {
                j.frames[k] =
                    LocalFrame::from_world(frame.point, frame.axes, new.position, new.rotation);
            }
        }
        for (slot, k, place) in places {
            if let Some(g) = self.model.joints.slot_mut(slot).and_then(|j| j.guide.as_mut()) {
                g.places[k].1 = new.rotation.conjugate() * (place - new.position);
            }
        }
        for (slot, k, anchor) in anchors {
            if let Some(s) = self.model.springs.slot_mut(slot) {
                s.anchors[k] = new.rotation.conjugate() * (anchor - new.position);
            }
        }
        self.state.set_slot(id.index, new);
        self.model.revision += 1;
        Ok(())
    }

    /// A body that stops being dynamic must not leave a joint, spring or constraint without
    /// anything that moves.
    fn check_partners(&self, id: BodyId) -> Result<(), ModelError> {
        for (item, bodies) in self.model.links(id) {
            let moves =
                |b: &BodyId| self.model.body(*b).is_some_and(|b| b.desc.kind == BodyKind::Dynamic);
            if !bodies.iter().any(|b| *b != id && moves(b)) {
                let name = |b| self.body_name(b).map(|n| n.to_string()).unwrap_or_default();
                return Err(ModelError::NothingMoves {
                    item: item.to_string(),
                    a: name(bodies[0]),
                    b: bodies.get(1).map_or_else(|| "the others".into(), |b| name(*b)),
                });
            }
        }
        Ok(())
    }
}
