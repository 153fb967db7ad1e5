//! Force fields that act on every dynamic body (Wagner 6.2.4.3; W-59 to W-61). The world's gravity
//! is a field of its own.

use crate::arena::id;
use crate::bounds;
use crate::error::ModelError;
use crate::math::Vec3;
use serde::{Deserialize, Serialize};

id! {
    /// Names a field of a [`World`](crate::World).
    FieldId
}

/// Nearer to the centre of a radial field than this (m) a body feels nothing: the direction is
/// noise.
pub(crate) const CENTER: f64 = 1e-9;

/// What a field does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// Further gravity, m/s².
    Gravity(Vec3),
    /// F = −c m v and the torque −c I ω: speeds decay as e^(−ct).
    Friction(f64),
    /// F = k (r − q)/|r − q|²: k > 0 repels from q, k < 0 attracts; independent of the mass.
    Radial {
        /// q, m.
        center: Vec3,
        /// k, N m.
        strength: f64,
    },
}

/// A field, ready to be added with [`World::add_field`](crate::World::add_field).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Unique name; empty means "field N".
    pub name: String,
    /// What it does.
    pub kind: FieldKind,
    /// A switched-off field does nothing.
    pub active: bool,
}

impl Field {
    /// An active field.
    pub fn new(kind: FieldKind) -> Self {
        Self { name: String::new(), kind, active: true }
    }

    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Checks the numbers of the field of this name.
    pub(crate) fn check(&self, name: &str) -> Result<(), ModelError> {
        match self.kind {
            FieldKind::Gravity(g) => bounds::GRAVITY.check_vector(name, "strength", g),
            FieldKind::Friction(c) => bounds::STRENGTH.check(name, "strength", c),
            FieldKind::Radial { center, strength } => {
                bounds::POSITION.check_vector(name, "strength", center)?;
                bounds::STRENGTH.check(name, "strength", strength)
            }
        }
    }

    /// Force and torque on a body with mass, inertia tensor applied to ω, position and velocity.
    pub(crate) fn effort(&self, mass: f64, spin: Vec3, x: Vec3, v: Vec3) -> (Vec3, Vec3) {
        match self.kind {
            FieldKind::Gravity(g) => (g * mass, Vec3::ZERO),
            FieldKind::Friction(c) => (v * (-c * mass), spin * -c),
            FieldKind::Radial { center, strength } => {
                let d = x - center;
                let r2 = d.length_squared();
                (if r2 > CENTER * CENTER { d * (strength / r2) } else { Vec3::ZERO }, Vec3::ZERO)
            }
        }
    }
}
