//! Springs with linear damping between two points (Bender 3.2.7; B-35, B-36).
//!
//! With anchors a on body 1 and b on body 2, d = b − a, stiffness D, rest length l and damping μ:
//!
//! F₁ = D (|d| − l) d̂ + μ (u_b − u_a),   F₂ = −F₁
//!
//! The sign of the printed damping term pumps energy in; this is the right one. Damping acts along
//! the spring unless `isotropic` is set: only the axial form keeps the angular momentum.

use crate::body::BodyId;
use crate::math::Vec3;
use crate::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// When a spring's force is evaluated.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum SpringMode {
        /// At both ends of every substep: the force is continuous and the step keeps its order.
        Continuous = "continuous",
        /// Once at the start of a step, then constant (first order, as in the thesis).
        Constant = "constant",
    }
}

/// A spring and damper, ready to be added with [`World::add_spring`](crate::World::add_spring).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// Unique name; empty means "spring N".
    pub name: String,
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// The anchor on each body, in world coordinates when the spring is added, m.
    pub anchors: [Vec3; 2],
    /// Stiffness D, N/m.
    pub stiffness: f64,
    /// Damping μ, N s/m.
    pub damping: f64,
    /// Rest length l in m; `None` takes the distance of the anchors.
    pub length: Option<f64>,
    /// When the force is evaluated.
    pub mode: SpringMode,
    /// Damp the whole relative velocity, not only its part along the spring.
    pub isotropic: bool,
}

impl Spring {
    /// An undamped spring at its rest length.
    pub fn new(
        first: BodyId,
        second: BodyId,
        anchor1: Vec3,
        anchor2: Vec3,
        stiffness: f64,
    ) -> Self {
        Self {
            name: String::new(),
            bodies: [first, second],
            anchors: [anchor1, anchor2],
            stiffness,
            damping: 0.0,
            length: None,
            mode: SpringMode::Continuous,
            isotropic: false,
        }
    }

    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the damping.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Sets the rest length.
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }

    /// Sets when the force is evaluated.
    pub fn mode(mut self, mode: SpringMode) -> Self {
        self.mode = mode;
        self
    }
}
