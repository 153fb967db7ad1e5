//! Where compression ends and where restitution ends.
//!
//! Reference: Lennerz 2000, section 5.1.2 (L-81; Stronge, eq. 5.1); Bender 2007, section 5.2
//! (Newton, Poisson). Compression ends when u_z = 0. Then
//!
//! | hypothesis | the impact ends when | energy |
//! |---|---|---|
//! | Stronge | W_z = (1 − e²) W_z(mc) | never grows for e ≤ 1 |
//! | Poisson | p_z = (1 + e) p_z(mc) | may grow where friction turns the slip |
//! | Newton | u_z = −e u_z(start) | may grow where friction turns the slip |
//!
//! The three agree where normal and tangential motion are not coupled (spheres, central impacts).

use super::path::Point;

/// What the coefficient of restitution means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hypothesis {
    /// Work: e² of the work of compression is given back. Consistent with energy; the thesis's
    /// choice.
    #[default]
    Stronge,
    /// Impulse: restitution has e times the normal impulse of compression.
    Poisson,
    /// Velocity: the normal velocity is reversed, times e.
    Newton,
}

/// The two stages of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Until the normal velocity is zero.
    Compression,
    /// From then on.
    Restitution,
}

/// What ends a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// u_z reaches this.
    Speed(f64),
    /// W_z reaches this.
    Work(f64),
    /// p_z reaches this.
    Impulse(f64),
}

impl Goal {
    pub const COMPRESSION: Self = Self::Speed(0.0);

    /// The end of restitution, seen from maximum compression.
    pub fn restitution(hypothesis: Hypothesis, e: f64, start: f64, at: &Point) -> Self {
        match hypothesis {
            Hypothesis::Stronge => Self::Work((1.0 - e * e) * at.work),
            Hypothesis::Poisson => Self::Impulse((1.0 + e) * at.normal),
            Hypothesis::Newton => Self::Speed(-e * start),
        }
    }

    /// How far beyond the goal a point is; negative before it.
    pub fn excess(&self, at: &Point) -> f64 {
        match self {
            Self::Speed(v) => at.u.z - v,
            Self::Work(w) => at.work - w,
            Self::Impulse(p) => at.normal - p,
        }
    }

    /// Puts a point that has reached the goal exactly onto it.
    pub fn settle(&self, at: &mut Point) {
        match *self {
            Self::Speed(v) => at.u.z = v,
            Self::Work(w) => at.work = w,
            Self::Impulse(p) => at.normal = p,
        }
    }
}
