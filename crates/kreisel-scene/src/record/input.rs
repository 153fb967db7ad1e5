//! Inputs: what is done to a world from outside between two steps, written down so that a run can
//! be repeated.

use kreisel_dynamics::{ModelError, Vec3, World, bounds};
use serde::{Deserialize, Serialize};

/// Something done to a world before a step. Bodies, joints and motors are named: their numbers mean
/// nothing in another run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// A force at a point in world coordinates for the next step.
    Force {
        /// The body.
        body: String,
        /// Force, N.
        force: Vec3,
        /// Where it acts, m.
        point: Vec3,
    },
    /// A torque for the next step, N m.
    Torque {
        /// The body.
        body: String,
        /// Torque in world coordinates, N m.
        torque: Vec3,
    },
    /// An impulse at a point in world coordinates.
    Impulse {
        /// The body.
        body: String,
        /// Impulse, N s.
        impulse: Vec3,
        /// Where it acts, m.
        point: Vec3,
    },
    /// Another velocity.
    Velocity {
        /// The body.
        body: String,
        /// Velocity of the centre of mass, m/s.
        velocity: Vec3,
        /// Angular velocity in world coordinates, rad/s.
        angular_velocity: Vec3,
    },
    /// A joint switched on or off.
    Joint {
        /// The joint.
        joint: String,
        /// Whether it holds.
        active: bool,
    },
    /// Another gravity, m/s².
    Gravity(Vec3),
    /// Another size of the steps from now on, s: that of a last step which ends a run at its time.
    Step(f64),
}

/// Why an input cannot be given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InputError {
    /// There is no such thing.
    #[error("there is no {0} \"{1}\" to act on")]
    Unknown(&'static str, String),
    /// The world refuses it.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Input {
    /// Does it to a world; the size of steps is for whoever makes them.
    pub fn apply(&self, world: &mut World) -> Result<(), InputError> {
        let body = |world: &World, name: &str| {
            world.body_named(name).ok_or_else(|| InputError::Unknown("body", name.to_owned()))
        };
        match self {
            Self::Force { body: b, force, point } => {
                world.apply_force(body(world, b)?, *force, *point)?
            }
            Self::Torque { body: b, torque } => world.apply_torque(body(world, b)?, *torque)?,
            Self::Impulse { body: b, impulse, point } => {
                world.apply_impulse(body(world, b)?, *impulse, *point)?
            }
            Self::Velocity { body: b, velocity, angular_velocity } => {
                world.set_velocity(body(world, b)?, *velocity, *angular_velocity)?;
            }
            Self::Joint { joint, active } => {
                let id = world
                    .joint_named(joint)
                    .ok_or_else(|| InputError::Unknown("joint", joint.clone()))?;
                world.set_joint_active(id, *active)?;
            }
            Self::Gravity(gravity) => world.set_gravity(*gravity)?,
            // It is about the run, not the world.
            Self::Step(step) => bounds::STEP.check("input", "step", *step)?,
        }
        Ok(())
    }
}
