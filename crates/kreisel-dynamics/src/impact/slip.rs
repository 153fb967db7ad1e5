//! The Coulomb equation of a sliding contact.
//!
//! Reference: Lennerz 2000, sections 5.1.3 and 5.4.2 (L-78, eq. 5.20). du/dp_z = K ξ(θ) with ξ =
//! (−μ cos θ, −μ sin θ, 1), where θ is the direction of the slip. We count the length σ of the
//! impulse instead of p_z, dp_z = cos φ dσ with μ = tan φ, so that the right-hand side stays finite
//! for infinite friction: a = K (−sin φ cos θ, −sin φ sin θ, cos φ).
//!
//! With the slip s (cos θ, sin θ): ds/dσ = g(θ) and s dθ/dσ = h(θ), g and h being the parts of a
//! along and across the slip.

use crate::math::{Mat3, Vec3};

/// |h| below this counts as a direction that does not turn; K has entries up to 1, so this is rounding.
const STEADY: f64 = 1e-15;

/// Friction acting on a sliding contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slip {
    pub k: Mat3,
    /// Sine and cosine of the friction angle.
    pub sin: f64,
    pub cos: f64,
}

impl Slip {
    pub fn new(k: Mat3, friction: f64) -> Self {
        let (sin, cos) = if friction > 1e150 {
            (1.0, 0.0)
        } else {
            let root = (1.0 + friction * friction).sqrt();
            (friction / root, 1.0 / root)
        };
        Self { k, sin, cos }
    }

    /// a = du/dσ for a slip in direction (c, w).
    pub fn rate(&self, c: f64, w: f64) -> Vec3 {
        self.k * Vec3::new(-self.sin * c, -self.sin * w, self.cos)
    }

    /// Whether a slip in direction (c, w) keeps its direction.
    pub fn is_steady(&self, c: f64, w: f64) -> bool {
        let a = self.rate(c, w);
        (a.y * c - a.x * w).abs() <= STEADY
    }
}
