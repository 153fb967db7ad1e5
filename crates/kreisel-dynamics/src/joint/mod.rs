//! Joints as the user describes them: what is connected, where, and what stays free.
//!
//! A joint is a *position part* (T0 to T3, or a distance) and a *rotation part* (R0 to R3) between
//! two frames, one fixed to each body (Bender 3.2.3, 3.2.4; Wagner's connectors are the same
//! frames). All named joints are such pairs, so that one code path carries them all:
//!
//! | joint | position part | rotation part | free |
//! |---|---|---|---|
//! | ball | point (3) | free | 3 rotations |
//! | line | line (2) | free | 1 translation, 3 rotations |
//! | plane | plane (1) | free | 2 translations, 3 rotations |
//! | distance | distance (1) | free | 5 |
//! | translation | free | fixed (3) | 3 translations |
//! | direction | free | axis (2) | 3 translations, 1 rotation |
//! | double rotation | free | angle (1) | 3 translations, 2 rotations |
//! | hinge | point (3) | axis (2) | 1 rotation |
//! | cylindrical | line (2) | axis (2) | 1 translation, 1 rotation |
//! | slider | line (2) | fixed (3) | 1 translation |
//! | universal | point (3) | angle (1) | 2 rotations |
//! | fixed | point (3) | fixed (3) | none |
//! | rail | on the line through two points of other bodies (2) | free | 1 translation, 3 rotations |
//! | polygon | in the plane of points of other bodies (1) | free | 2 translations, 3 rotations |
//!
//! Frame 1 is fixed to the first body, frame 2 to the second. The x axis of frame 1 is the joint's
//! axis: the hinge axis, the line, the normal of the plane. Coordinates, rates and efforts count
//! the *second body against the first*, so that with `["world", "arm"]` a positive angle turns the
//! arm positively about the axis.

mod coordinate;
mod extras;
mod guide;
mod kind;
mod place;

pub use coordinate::Coordinate;
pub use extras::{Breaking, Friction, Limit, Passive};
pub(crate) use guide::GuideRecord;
pub use kind::{JointKind, PositionPart, RotationPart};
pub(crate) use place::LocalFrame;

use crate::arena::id;
use crate::body::BodyId;
use crate::math::Vec3;
use serde::{Deserialize, Serialize};

id! {
    /// Names a joint of a [`World`](crate::World).
    JointId
}

impl JointId {
    /// Names no joint: what a description has before its joint is known.
    pub const NONE: Self = Self { index: u32::MAX, generation: u32::MAX };
}

/// A joint, ready to be added with [`World::add_joint`](crate::World::add_joint).
///
/// Anchors and axes are given in world coordinates, for the poses that the bodies have when the
/// joint is added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Unique name; empty means "joint N".
    pub name: String,
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// What the joint takes away.
    pub kind: JointKind,
    /// The anchor on each body, world coordinates, m. They may lie apart: the joint then pulls the
    /// bodies together.
    pub anchors: [Vec3; 2],
    /// Further bodies and their places, world coordinates: the other end of a rail, the other
    /// corners of a polygon.
    #[serde(default)]
    pub more: Vec<(BodyId, Vec3)>,
    /// The joint's axis (on the first body).
    pub axis: Vec3,
    /// The axis on the second body, if it differs (universal and double rotation joints need it).
    pub axis2: Option<Vec3>,
    /// Length of a distance joint in m; `None` takes the distance of the anchors.
    pub length: Option<f64>,
    /// Bounds on coordinates.
    pub limits: Vec<Limit>,
    /// Dry friction on coordinates.
    pub friction: Vec<Friction>,
    /// Springs, dampers and rotors on coordinates, at most one entry for each.
    #[serde(default)]
    pub passive: Vec<Passive>,
    /// Load at which the joint breaks.
    pub breaking: Option<Breaking>,
    /// Whether only velocities are joined (B-34): the joint then lets positions drift.
    pub velocity_only: bool,
    /// A switched-off joint does nothing.
    pub active: bool,
    /// Whether the two bodies collide with each other.
    pub collide: bool,
}

impl Joint {
    /// A joint of any kind between two bodies, anchored at the origin with axis z.
    pub fn new(kind: JointKind, first: BodyId, second: BodyId) -> Self {
        Self {
            name: String::new(),
            bodies: [first, second],
            kind,
            anchors: [Vec3::ZERO; 2],
            more: Vec::new(),
            axis: Vec3::Z,
            axis2: None,
            length: None,
            limits: Vec::new(),
            friction: Vec::new(),
            passive: Vec::new(),
            breaking: None,
            velocity_only: false,
            active: true,
            collide: false,
        }
    }

    /// Ball joint: the anchors coincide.
    pub fn ball(first: BodyId, second: BodyId) -> Self {
        Self::new(JointKind::Ball, first, second)
    }

    /// Hinge: the bodies turn about a common axis.
    pub fn hinge(first: BodyId, second: BodyId) -> Self {
        Self::new(JointKind::Hinge, first, second)
    }

    /// Slider: the second body slides along the axis without turning.
    pub fn slider(first: BodyId, second: BodyId) -> Self {
        Self::new(JointKind::Slider, first, second)
    }

    /// Cylindrical joint: slides along and turns about the axis.
    pub fn cylindrical(first: BodyId, second: BodyId) -> Self {
        Self::new(JointKind::Cylindrical, first, second)
    }

    /// Universal joint with one axis on each body.
    pub fn universal(first: BodyId, second: BodyId, axis1: Vec3, axis2: Vec3) -> Self {
        Self { axis: axis1, axis2: Some(axis2), ..Self::new(JointKind::Universal, first, second) }
    }

    /// Fixed joint: no relative motion.
    pub fn fixed(first: BodyId, second: BodyId) -> Self {
        Self::new(JointKind::Fixed, first, second)
    }

    /// Distance joint between two anchors.
    pub fn distance(first: BodyId, second: BodyId, anchor1: Vec3, anchor2: Vec3) -> Self {
        Self { anchors: [anchor1, anchor2], ..Self::new(JointKind::Distance, first, second) }
    }

    /// A rope: a distance that may shrink but not exceed its length.
    pub fn rope(first: BodyId, second: BodyId, anchor1: Vec3, anchor2: Vec3, length: f64) -> Self {
        Self {
            anchors: [anchor1, anchor2],
            limits: vec![Limit::new(Coordinate::Length, 0.0, length)],
            ..Self::new(JointKind::FREE, first, second)
        }
    }

    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Puts both anchors at one point of the world.
    pub fn at(mut self, point: Vec3) -> Self {
        self.anchors = [point; 2];
        self
    }

    /// Puts the anchors at two points of the world, one per body.
    pub fn between(mut self, first: Vec3, second: Vec3) -> Self {
        self.anchors = [first, second];
        self
    }

    /// Sets the axis.
    pub fn axis(mut self, axis: Vec3) -> Self {
        self.axis = axis;
        self
    }

    /// Adds a limit.
    pub fn limit(mut self, limit: Limit) -> Self {
        self.limits.push(limit);
        self
    }

    /// Adds dry friction.
    pub fn friction(mut self, friction: Friction) -> Self {
        self.friction.push(friction);
        self
    }

    /// What is on a coordinate besides limits and friction, to be read and changed.
    pub fn passive_mut(&mut self, coordinate: Coordinate) -> &mut Passive {
        let found = self.passive.iter().position(|p| p.coordinate == coordinate);
        let i = found.unwrap_or_else(|| {
            self.passive.push(Passive::new(coordinate));
            self.passive.len() - 1
        });
        &mut self.passive[i]
    }

    /// Adds a spring (N m/rad or N/m) that rests at a value of the coordinate.
    pub fn spring(mut self, coordinate: Coordinate, stiffness: f64, rest: f64) -> Self {
        let p = self.passive_mut(coordinate);
        (p.stiffness, p.rest) = (stiffness, rest);
        self
    }

    /// Adds linear damping, N m s/rad or N s/m.
    pub fn damping(mut self, coordinate: Coordinate, damping: f64) -> Self {
        self.passive_mut(coordinate).damping = damping;
        self
    }

    /// Adds the inertia of a rotor (kg m² or kg) behind a gear of the given ratio.
    pub fn armature(mut self, coordinate: Coordinate, inertia: f64, gear: f64) -> Self {
        let p = self.passive_mut(coordinate);
        (p.armature, p.gear) = (inertia, gear);
        self
    }

    /// Makes the joint break at a load.
    pub fn breaking(mut self, breaking: Breaking) -> Self {
        self.breaking = Some(breaking);
        self
    }

    /// Joins velocities only.
    pub fn velocity_only(mut self) -> Self {
        self.velocity_only = true;
        self
    }
}
