//! Taylor series of chosen order for (W, q) (Bender B.1.2, B-09).
//!
//! W⁽ⁿ⁺¹⁾ = −Jₗ⁻¹ Σ C(n,k) W⁽ᵏ⁾ × Jₗ W⁽ⁿ⁻ᵏ⁾,   q⁽ⁿ⁺¹⁾ = ½ Σ C(n,k) q⁽ⁿ⁻ᵏ⁾ (0, W⁽ᵏ⁾)
//!
//! The printed series rotates vectors in a frozen frame and loses its order; the right-product
//! recursion does not. Local error O(hⁿ⁺¹).

use super::{Free, turn};
use crate::math::{Quat, Vec3};

/// Highest order offered: beyond it rounding dominates at any sensible step.
pub(crate) const MAX_ORDER: usize = 16;

pub(crate) fn taylor(free: &Free, q: Quat, w: Vec3, h: f64, order: usize) -> Quat {
    let order = order.min(MAX_ORDER);
    // Scaled derivatives w[n] = W⁽ⁿ⁾/n!, q[n] = q⁽ⁿ⁾/n!: the binomials disappear.
    let mut ws = [Vec3::ZERO; MAX_ORDER + 1];
    let mut qs = [Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); MAX_ORDER + 1];
    (ws[0], qs[0]) = (w, q);
    let (mut sum, mut power) = (q, 1.0);
    for n in 0..order {
        let mut torque = Vec3::ZERO;
        let mut rate = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        for k in 0..=n {
            torque += ws[k].cross(free.moments * ws[n - k]);
            rate += turn(qs[n - k], ws[k]);
        }
        let scale = 1.0 / (n + 1) as f64;
        ws[n + 1] = free.inverse * torque * -scale;
        qs[n + 1] = rate * scale;
        power *= h;
        sum += qs[n + 1] * power;
    }
    sum
}
