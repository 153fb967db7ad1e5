//! Free rotation of a body over a substep (Bender 3.1.2.2, appendix B; B-05 to B-11).
//!
//! All flows are torque-free: torques act as kicks at both ends of a substep. The world angular
//! momentum L is therefore constant and kept exactly; a flow only has to say where the body points
//! afterwards. With W = Jₗ⁻¹ Rᵀ L in the body frame the equation is q' = ½ q (0, W) (the *right*
//! product; the printed left product mixes frames and costs two orders).

pub(crate) mod matrix;
pub(crate) mod runge_kutta;
pub(crate) mod taylor;

use crate::math::{Quat, Vec3};
use crate::settings::Rotation;

/// Turns `q` by the free flow over `h`. `momentum` is the angular momentum in the body frame at the
/// start, `inverse` the inverse principal moments. [`Rotation::Splitting`] is done four bodies at a
/// time elsewhere and not here.
pub(crate) fn rotate(kind: Rotation, q: Quat, momentum: Vec3, inverse: Vec3, h: f64) -> Quat {
    let w = momentum * inverse;
    let moments = Vec3::select(inverse.cmpgt(Vec3::ZERO), inverse.recip(), Vec3::ZERO);
    let free = Free { moments, inverse };
    match kind {
        Rotation::Splitting | Rotation::Rk4 => runge_kutta::rk4(&free, q, w, h),
        Rotation::Matrix => matrix::rk4(&free, q, w, h),
        Rotation::Euler => runge_kutta::euler(q, w, h),
        Rotation::Taylor(order) => taylor::taylor(&free, q, w, h, usize::from(order)),
        Rotation::CashKarp(tolerance) => runge_kutta::cash_karp(&free, q, w, h, tolerance),
    }
    .normalize()
}

/// A torque-free body in its principal frame.
pub(crate) struct Free {
    pub moments: Vec3,
    pub inverse: Vec3,
}

impl Free {
    /// Euler's equation: W' = Jₗ⁻¹ (Jₗ W × W).
    pub fn rate(&self, w: Vec3) -> Vec3 {
        self.inverse * (self.moments * w).cross(w)
    }
}

/// ½ q (0, w).
pub(crate) fn turn(q: Quat, w: Vec3) -> Quat {
    q * Quat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 0.0)
}
