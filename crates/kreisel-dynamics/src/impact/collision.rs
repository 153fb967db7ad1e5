//! What an impact needs to know, and what is refused.

use super::restitution::Hypothesis;
use crate::math::{Mat3, Vec3};

/// One partner of a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionBody {
    /// 1/m in 1/kg; 0 for a body that cannot be moved.
    pub inverse_mass: f64,
    /// Inverse inertia in world axes and the present orientation, in 1/(kg m²); zero for a body
    /// that cannot be turned.
    pub inverse_inertia: Mat3,
    /// From the centre of mass to the body's own contact point, world axes, in m.
    pub arm: Vec3,
}

impl CollisionBody {
    /// A static partner.
    pub const FIXED: Self =
        Self { inverse_mass: 0.0, inverse_inertia: Mat3::ZERO, arm: Vec3::ZERO };

    /// What an impulse at the contact point does to velocity and angular velocity (L-85).
    pub fn velocity_change(&self, impulse: Vec3) -> (Vec3, Vec3) {
        (impulse * self.inverse_mass, self.inverse_inertia * self.arm.cross(impulse))
    }
}

/// The variable over which the sliding phase is integrated. All give the same impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parametrisation {
    /// Impulse divided by the slip speed: regular where the slip vanishes, in a few Taylor steps.
    #[default]
    Regular,
    /// The normal impulse p_z throughout, with located events (L-82).
    Impulse,
    /// Normal velocity u_z, then the work W_z: the ends are known in advance (L-83). This is what
    /// the thesis runs.
    VelocityWork,
}

/// Two bodies at the moment of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// The partners; impulses are counted as exerted by the second on the first.
    pub bodies: [CollisionBody; 2],
    /// Normal of the contact, from the second body to the first. Any length but zero.
    pub normal: Vec3,
    /// Velocity of the first body's contact point minus that of the second's, world axes, in m/s.
    pub velocity: Vec3,
    /// Coefficient of friction that holds a contact without slip; at least the dynamic one, may be
    /// infinite.
    pub static_friction: f64,
    /// Coefficient of friction of a sliding contact; may be infinite.
    pub dynamic_friction: f64,
    /// Coefficient of restitution; 0 is plastic, 1 elastic. More than 1 adds energy
    /// (micro-collisions use it).
    pub restitution: f64,
    /// What the coefficient of restitution means.
    pub hypothesis: Hypothesis,
    /// How the path is integrated.
    pub parametrisation: Parametrisation,
}

impl Collision {
    /// A plastic collision without friction.
    pub fn new(bodies: [CollisionBody; 2], normal: Vec3, velocity: Vec3) -> Self {
        Self {
            bodies,
            normal,
            velocity,
            static_friction: 0.0,
            dynamic_friction: 0.0,
            restitution: 0.0,
            hypothesis: Hypothesis::default(),
            parametrisation: Parametrisation::default(),
        }
    }

    /// Sets both coefficients of friction.
    pub fn friction(mut self, coefficient: f64) -> Self {
        (self.static_friction, self.dynamic_friction) = (coefficient, coefficient);
        self
    }

    /// Sets the coefficient of restitution.
    pub fn restitution(mut self, coefficient: f64) -> Self {
        self.restitution = coefficient;
        self
    }

    /// Sets the meaning of the coefficient of restitution.
    pub fn hypothesis(mut self, hypothesis: Hypothesis) -> Self {
        self.hypothesis = hypothesis;
        self
    }

    /// Sets how the path is integrated.
    pub fn parametrisation(mut self, parametrisation: Parametrisation) -> Self {
        self.parametrisation = parametrisation;
        self
    }

    pub(super) fn check(&self) -> Result<(), CollisionError> {
        for (k, body) in self.bodies.iter().enumerate() {
            let names = [
                [
                    "inverse mass of the first body",
                    "inverse inertia of the first body",
                    "arm of the first body",
                ],
                [
                    "inverse mass of the second body",
                    "inverse inertia of the second body",
                    "arm of the second body",
                ],
            ][k];
            finite(names[0], body.inverse_mass.is_finite())?;
            finite(names[1], body.inverse_inertia.is_finite())?;
            finite(names[2], body.arm.is_finite())?;
            not_negative(names[0], body.inverse_mass)?;
        }
        finite("normal", self.normal.is_finite())?;
        finite("relative velocity", self.velocity.is_finite())?;
        finite("restitution", self.restitution.is_finite())?;
        finite("static friction", !self.static_friction.is_nan())?;
        finite("dynamic friction", !self.dynamic_friction.is_nan())?;
        not_negative("restitution", self.restitution)?;
        not_negative("dynamic friction", self.dynamic_friction)?;
        if self.static_friction < self.dynamic_friction {
            return Err(CollisionError::Range {
                field: "static friction",
                must: "at least the dynamic one",
                value: self.static_friction,
            });
        }
        if self.bodies.iter().all(|b| b.inverse_mass == 0.0 && b.inverse_inertia == Mat3::ZERO) {
            return Err(CollisionError::NothingMoves);
        }
        Ok(())
    }
}

fn finite(field: &'static str, ok: bool) -> Result<(), CollisionError> {
    if ok { Ok(()) } else { Err(CollisionError::NotFinite(field)) }
}

fn not_negative(field: &'static str, value: f64) -> Result<(), CollisionError> {
    if value >= 0.0 {
        Ok(())
    } else {
        Err(CollisionError::Range { field, must: "0 or more", value })
    }
}

/// Why an impact cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CollisionError {
    /// A number is NaN, or infinite where it must not be.
    #[error("the {0} of a collision is not a finite number")]
    NotFinite(&'static str),
    /// A number is outside its range.
    #[error("the {field} of a collision must be {must}, it is {value}")]
    Range {
        /// Which one.
        field: &'static str,
        /// The rule that is broken.
        must: &'static str,
        /// The value given.
        value: f64,
    },
    /// The normal has no direction.
    #[error("the normal of a collision has length zero, it needs a direction")]
    ZeroNormal,
    /// Both partners are static.
    #[error("neither body of the collision can move")]
    NothingMoves,
    /// The collision matrix is not positive definite.
    #[error(
        "the collision matrix is not positive definite: an inverse inertia is not symmetric and positive, or a body can \
         turn but has infinite mass"
    )]
    Singular,
    /// The path did not end.
    #[error("the impact did not end within {0} steps")]
    NoEnd(u32),
}
