//! What a joint can have besides its parts: limits, dry friction, springs, dampers and rotors, a
//! load at which it breaks.

use super::Coordinate;
use serde::{Deserialize, Serialize};

/// Bounds on a coordinate, hit with restitution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// The coordinate.
    pub coordinate: Coordinate,
    /// Lower bound (rad or m); may be −∞.
    pub min: f64,
    /// Upper bound (rad or m); may be +∞.
    pub max: f64,
    /// Coefficient of restitution, 0..=1.
    pub restitution: f64,
}

impl Limit {
    /// Bounds hit without rebound.
    pub fn new(coordinate: Coordinate, min: f64, max: f64) -> Self {
        Self { coordinate, min, max, restitution: 0.0 }
    }

    /// Sets the coefficient of restitution.
    pub fn bouncing(mut self, restitution: f64) -> Self {
        self.restitution = restitution;
        self
    }
}

/// Dry friction on a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    /// The coordinate.
    pub coordinate: Coordinate,
    /// Largest friction force (N) or torque (N m), sticking and sliding alike.
    pub effort: f64,
}

/// The load at which a joint breaks: a reaction in N or N m, averaged over a step, whatever the
/// step size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breaking {
    /// Largest reaction force, N; may be +∞.
    pub force: f64,
    /// Largest reaction torque about the anchor, N m; may be +∞.
    pub torque: f64,
}

/// Spring, damper and rotor on a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Passive {
    /// The coordinate.
    pub coordinate: Coordinate,
    /// Stiffness, N m/rad or N/m.
    pub stiffness: f64,
    /// Damping, N m s/rad or N s/m.
    pub damping: f64,
    /// Where the spring rests, rad or m.
    pub rest: f64,
    /// Inertia of the rotor about its own axis (kg m²), or mass of what moves along (kg).
    pub armature: f64,
    /// How far the rotor turns for a unit of the coordinate; the joint feels `gear`² times its
    /// inertia.
    pub gear: f64,
}

impl Passive {
    /// Nothing yet on a coordinate.
    pub fn new(coordinate: Coordinate) -> Self {
        Self { coordinate, stiffness: 0.0, damping: 0.0, rest: 0.0, armature: 0.0, gear: 1.0 }
    }

    /// Inertia that the joint feels, kg m² or kg.
    pub fn inertia(&self) -> f64 {
        self.gear * self.gear * self.armature
    }

    /// Whether it does anything.
    pub fn acts(&self) -> bool {
        self.stiffness > 0.0 || self.damping > 0.0 || self.inertia() > 0.0
    }
}
