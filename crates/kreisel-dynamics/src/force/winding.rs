//! The winding of a direct-current motor: L di/dt = U − R i − K q̇, effort K i.
//!
//! Over a time h with the rate w and the voltage U, which are means, the current goes exponentially
//! from i₀ to (U − K w)/R. With x = h R/L and φ = (1 − e^−x)/x
//!
//! ```text
//! mean current  (1 − φ) (U − K w)/R + φ i₀        end  (U − K w)/R + (i₀ − (U − K w)/R) e^−x
//! ```
//!
//! The mean effort is that of a damper (1 − φ) K²/R about a rate that turns with it, which is how
//! the impulse methods take it implicitly (`step/law.rs`): at any step, and for L = 0 (φ = 0) too.
//! The exchange of start and end together with h → −h leaves both formulas as they are: the step
//! stays symmetric.

use serde::{Deserialize, Serialize};

/// The winding of a motor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Winding {
    /// Effort by current K, N m/A or N/A; also the voltage by rate, V s/rad or V s/m.
    pub constant: f64,
    /// R, Ω.
    pub resistance: f64,
    /// L, H; may be 0.
    pub inductance: f64,
}

impl Winding {
    /// φ and 1 − φ over a time `h`.
    fn lag(&self, h: f64) -> [f64; 2] {
        if self.inductance == 0.0 {
            return [0.0, 1.0];
        }
        let x = h * self.resistance / self.inductance;
        // below this the series is exact to rounding: 1 − φ = x/2 − x²/6 + x³/24
        const SMALL: f64 = 1e-4;
        if x < SMALL {
            let late = x * (0.5 - x * (1.0 / 6.0 - x / 24.0));
            return [1.0 - late, late];
        }
        let lag = -libm::expm1(-x) / x;
        [lag, 1.0 - lag]
    }

    /// Mean effort over `h` as a damper: its damping, and the effort at the rate 0.
    pub(crate) fn damper(&self, voltage: f64, current: f64, h: f64) -> [f64; 2] {
        let [lag, late] = self.lag(h);
        let k = self.constant;
        [late * k * k / self.resistance, k * (late * voltage / self.resistance + lag * current)]
    }

    /// Current after `h` at the mean rate `w`.
    pub(crate) fn current(&self, voltage: f64, w: f64, current: f64, h: f64) -> f64 {
        let settled = (voltage - self.constant * w) / self.resistance;
        if self.inductance == 0.0 {
            return settled;
        }
        settled
            + (current - settled) * crate::math::fun::exp(-h * self.resistance / self.inductance)
    }
}
