//! Bodies as the user describes them: rigid bodies and mass points, static, dynamic or kinematic.
//!
//! Reference: Bender 2007, section 3.1.1 (B-01 to B-03). A mass point is a body without rotation: its inertia is
//! zero, and every formula of the engine holds for it unchanged because the inverse inertia is zero too.

use crate::arena::id;
use crate::math::{Quat, Vec3};
use kreisel_geometry::MassProperties;
use serde::{Deserialize, Serialize};

id! {
    /// Names a body of a [`World`](crate::World).
    BodyId
}

impl BodyId {
    /// The world itself: a static body at the origin that always exists.
    pub const WORLD: Self = Self { index: 0, generation: 0 };
}

/// What moves a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// Never moves.
    Static,
    /// Moved by forces and impulses.
    Dynamic,
    /// Moved by the user: it keeps the velocity it is given and feels no force.
    Kinematic,
}

/// A body, ready to be added with [`World::add_body`](crate::World::add_body).
///
/// Position and rotation are those of the body's own frame; its centre of mass and principal axes follow from
/// [`MassProperties`] and need not coincide with that frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Unique name; empty means "body N".
    pub name: String,
    /// What moves it.
    pub kind: BodyKind,
    /// Mass, centre of mass and inertia in the body's frame.
    pub mass: MassProperties,
    /// Origin of the body's frame in the world, in m.
    pub position: Vec3,
    /// Rotation from the body's frame to the world.
    pub rotation: Quat,
    /// Velocity of the centre of mass, in m/s.
    pub velocity: Vec3,
    /// Angular velocity in world coordinates, in rad/s.
    pub angular_velocity: Vec3,
}

impl Body {
    /// A dynamic body at the origin with the given mass properties.
    pub fn dynamic(mass: MassProperties) -> Self {
        Self {
            name: String::new(),
            kind: BodyKind::Dynamic,
            mass,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }

    /// A solid box with full edge lengths `size` (m) and `mass` (kg).
    pub fn cuboid(mass: f64, size: Vec3) -> Self {
        Self::dynamic(MassProperties::cuboid(mass, size))
    }

    /// A solid sphere.
    pub fn sphere(mass: f64, radius: f64) -> Self {
        Self::dynamic(MassProperties::sphere(mass, radius))
    }

    /// A mass point.
    pub fn point(mass: f64) -> Self {
        Self::dynamic(MassProperties::point(mass))
    }

    /// A body that never moves.
    pub fn fixed() -> Self {
        Self { kind: BodyKind::Static, ..Self::point(1.0) }
    }

    /// A body that keeps the velocity it is given.
    pub fn kinematic() -> Self {
        Self { kind: BodyKind::Kinematic, ..Self::point(1.0) }
    }

    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the position of the body's frame.
    pub fn at(mut self, position: Vec3) -> Self {
        self.position = position;
        self
    }

    /// Sets the rotation of the body's frame.
    pub fn rotated(mut self, rotation: Quat) -> Self {
        self.rotation = rotation;
        self
    }

    /// Sets the velocity of the centre of mass.
    pub fn moving(mut self, velocity: Vec3) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the angular velocity (world coordinates).
    pub fn spinning(mut self, angular_velocity: Vec3) -> Self {
        self.angular_velocity = angular_velocity;
        self
    }
}
