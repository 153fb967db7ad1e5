//! Continuous springs in the energy-momentum step: the discrete gradient of their energy.
//!
//! For a spring of energy V = D/2 (|d| − l)² between anchors d apart, the force s (d₀ + d₁)/2 with
//!
//! s = 2 (V₁ − V₀)/(|d₁|² − |d₀|²) = D (|d₁| + |d₀| − 2l)/(|d₁| + |d₀|)
//!
//! does exactly the work V₀ − V₁ at mean arms; the second form needs no limit for small changes. Damping acts on the mean
//! rate (d₁ − d₀)/h. Both are iterated with the joints; the substep is short enough for that (`spring_h`).

use crate::math::Vec3;
use crate::system::{System, SystemSpring};

/// The impulse of a spring over a substep on its first body, at the mean arms.
pub(super) struct SpringImpulse {
    pub impulse: Vec3,
    pub arms: [Vec3; 2],
    /// Energy taken by damping, J.
    pub loss: f64,
}

impl System {
    /// Impulse of a spring for the poses at both ends of the substep.
    pub(super) fn spring_impulse(&self, s: &SystemSpring, h: f64) -> SpringImpulse {
        let ends = |k: usize| {
            let (now, then) = (self.pose(s.bodies[k]), self.pose_then(s.bodies[k]));
            let arms = [now.r * s.anchors[k], then.r * s.anchors[k]];
            ([now.x + arms[0], then.x + arms[1]], (arms[0] + arms[1]) * 0.5)
        };
        let ((a, arm1), (b, arm2)) = (ends(0), ends(1));
        let d = [b[0] - a[0], b[1] - a[1]];
        let mean = (d[0] + d[1]) * 0.5;
        let lengths = d[0].length() + d[1].length();
        let pull = if lengths > 0.0 { mean * (s.stiffness * (lengths - 2.0 * s.length) / lengths) } else { Vec3::ZERO };
        let rate = (d[1] - d[0]) / h;
        let unit = mean.normalize_or_zero();
        let drag = if s.isotropic { rate } else { unit * rate.dot(unit) } * s.damping;
        SpringImpulse { impulse: (pull + drag) * h, arms: [arm1, arm2], loss: drag.dot(rate) * h }
    }

    /// Energy that damping takes over the substep at hand.
    pub(super) fn spring_loss(&self, h: f64) -> f64 {
        self.springs.iter().filter(|s| s.continuous).map(|s| self.spring_impulse(s, h).loss).sum()
    }
}
