//! Bodies as the user describes them: rigid bodies and mass points, static, dynamic or kinematic.
//!
//! Reference: Bender 2007, section 3.1.1 (B-01 to B-03). A mass point is a body without rotation:
//! its inertia is zero, and every formula of the engine holds for it unchanged because the inverse
//! inertia is zero too.

use crate::arena::id;
use crate::contact::Material;
use crate::math::{Quat, Vec3};
use crate::words::words;
use kreisel_geometry::{MassProperties, Shape, ShapeError};
use serde::{Deserialize, Serialize};

id! {
    /// Names a body of a [`World`](crate::World).
    BodyId
}

impl BodyId {
    /// The world itself: a static body at the origin that always exists.
    pub const WORLD: Self = Self { index: 0, generation: 0 };
}

words! {
    /// What moves a body.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum BodyKind {
        /// Never moves.
        Static = "static",
        /// Moved by forces and impulses.
        Dynamic = "dynamic",
        /// Moved by the user: it keeps the velocity it is given and feels no force.
        Kinematic = "kinematic",
    }
}

/// Which bodies a body meets: two meet if each one's `with` has a bit of the other's `member`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollisionGroups {
    /// The groups that the body belongs to, as bits.
    pub member: u32,
    /// The groups that it collides with, as bits.
    pub with: u32,
}

impl Default for CollisionGroups {
    fn default() -> Self {
        Self { member: 1, with: u32::MAX }
    }
}

/// A body, ready to be added with [`World::add_body`](crate::World::add_body).
///
/// Position and rotation are those of the body's own frame; its centre of mass and principal axes
/// follow from [`MassProperties`] and need not coincide with that frame.
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
    /// What touches other bodies, in the body's frame; `None` passes through everything.
    pub shape: Option<Shape>,
    /// Restitution and friction of the shape.
    pub material: Material,
    /// Which bodies it meets.
    pub groups: CollisionGroups,
    /// Whether the shape only reports what touches it.
    pub sensor: bool,
    /// Solid only against bodies that come against this direction (of the body's frame): a platform
    /// to be entered from below has its upward normal here.
    pub one_way: Option<Vec3>,
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
            shape: None,
            material: Material::default(),
            groups: CollisionGroups::default(),
            sensor: false,
            one_way: None,
        }
    }

    /// A dynamic body that has both the mass of a shape with the given density (kg/m³) and its
    /// surface.
    pub fn solid(shape: Shape, density: f64) -> Result<Self, ShapeError> {
        shape.check()?;
        Ok(Self { shape: Some(shape.clone()), ..Self::dynamic(shape.mass_properties(density)?) })
    }

    /// A solid box with full edge lengths `size` (m) and `mass` (kg). It touches other bodies; see
    /// [`Self::ghost`].
    pub fn cuboid(mass: f64, size: Vec3) -> Self {
        Self::dynamic(MassProperties::cuboid(mass, size)).shape(Shape::Box { size })
    }

    /// A solid sphere. It touches other bodies; see [`Self::ghost`].
    pub fn sphere(mass: f64, radius: f64) -> Self {
        Self::dynamic(MassProperties::sphere(mass, radius)).shape(Shape::Sphere { radius })
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

    /// Sets what touches other bodies, in the body's frame.
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = Some(shape);
        self
    }

    /// Takes the shape away: the body passes through everything.
    pub fn ghost(mut self) -> Self {
        self.shape = None;
        self
    }

    /// Sets restitution and friction.
    pub fn material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// Sets which bodies it meets: its own groups and those it collides with, as bits.
    pub fn groups(mut self, member: u32, with: u32) -> Self {
        self.groups = CollisionGroups { member, with };
        self
    }

    /// Makes the shape a sensor: it only reports what touches it.
    pub fn sensor(mut self) -> Self {
        self.sensor = true;
        self
    }

    /// Makes the shape solid only against bodies that come against this direction of the body's
    /// frame.
    pub fn one_way(mut self, up: Vec3) -> Self {
        self.one_way = Some(up);
        self
    }

    /// Sets the angular velocity (world coordinates).
    pub fn spinning(mut self, angular_velocity: Vec3) -> Self {
        self.angular_velocity = angular_velocity;
        self
    }
}
