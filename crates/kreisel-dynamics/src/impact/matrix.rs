//! Collision frame and collision matrix.
//!
//! Reference: Lennerz 2000, sections 5.2 and 5.3 (L-76, L-77). The frame's z-axis is the normal,
//! from the second body to the first (the thesis is of two minds about its sign): u_z < 0 means
//! approach, and the impulse on the first body has p_z > 0.
//!
//! K = (1/m₁ + 1/m₂) E − (r₁* I₁⁻¹ r₁* + r₂* I₂⁻¹ r₂*)   (5.9)
//!
//! Everything is then scaled: velocities by |u|, K by its largest diagonal entry, so that the path
//! is computed with numbers of order one whatever the units.

use super::collision::{Collision, CollisionError};
use crate::math::{Mat3, Vec3, basis, skew};

/// Pivots of K smaller than this, relative to its largest entry, count as zero: the inverse would
/// be noise.
const SINGULAR: f64 = 1e-14;

/// The collision in its own frame and scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled {
    /// Axes x, y, z of the collision frame, in the world.
    pub axes: Mat3,
    /// K divided by `stiffness`.
    pub k: Mat3,
    /// Inverse of the scaled K.
    pub inverse: Mat3,
    /// u divided by `speed`.
    pub start: Vec3,
    pub speed: f64,
    pub stiffness: f64,
}

impl Scaled {
    /// `None` if the bodies do not approach each other.
    pub fn new(collision: &Collision) -> Result<Option<Self>, CollisionError> {
        collision.check()?;
        let normal = collision.normal.try_normalize().ok_or(CollisionError::ZeroNormal)?;
        let b = basis(normal);
        let axes = Mat3::from_cols(b.y_axis, b.z_axis, normal);
        let k = axes.transpose() * matrix(collision) * axes;
        let stiffness = k.x_axis.x.max(k.y_axis.y).max(k.z_axis.z);
        if !(stiffness > 0.0 && stiffness.is_finite()) {
            return Err(CollisionError::Singular);
        }
        let k = symmetric(k * (1.0 / stiffness));
        if !is_positive(&k) {
            return Err(CollisionError::Singular);
        }
        let u = axes.transpose() * collision.velocity;
        let speed = u.length();
        if !speed.is_finite() {
            return Err(CollisionError::NotFinite("relative velocity"));
        }
        // the speed of numbers too small to be squared is 0: nothing happens
        if u.z >= 0.0 || speed == 0.0 {
            return Ok(None);
        }
        Ok(Some(Self {
            axes,
            k,
            inverse: symmetric(k.inverse()),
            start: u / speed,
            speed,
            stiffness,
        }))
    }

    /// The impulse that changes u by `change`, all scaled (5.30).
    pub fn impulse(&self, change: Vec3) -> Vec3 {
        self.inverse * change
    }
}

/// K in world axes.
fn matrix(collision: &Collision) -> Mat3 {
    let mut k = Mat3::ZERO;
    for body in &collision.bodies {
        let r = skew(body.arm);
        k += Mat3::from_diagonal(Vec3::splat(body.inverse_mass)) - r * body.inverse_inertia * r;
    }
    k
}

fn symmetric(m: Mat3) -> Mat3 {
    (m + m.transpose()) * 0.5
}

/// Whether the Cholesky pivots of a scaled symmetric matrix are positive.
fn is_positive(k: &Mat3) -> bool {
    let (a, b, c) = (k.x_axis, k.y_axis, k.z_axis);
    if !(a.x > SINGULAR) {
        return false;
    }
    let (l, m) = (a.y / a.x, a.z / a.x);
    let second = b.y - l * a.y;
    if !(second > SINGULAR) {
        return false;
    }
    let mixed = b.z - l * a.z;
    c.z - m * a.z - mixed * mixed / second > SINGULAR
}
