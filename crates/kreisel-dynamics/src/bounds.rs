//! What numbers a world takes. A number beyond these is a typing error or an attack: its square,
//! its energy or its step would leave what double precision can tell apart. The library, the scene
//! loader and live sessions all ask here.

use crate::error::ModelError;
use crate::math::Vec3;

/// A range of numbers, ends included, with the words that a refusal says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The smallest number.
    pub low: f64,
    /// The largest number.
    pub high: f64,
    /// "must be …".
    pub must: &'static str,
}

/// Coordinates of a place, m. At the bound neighbouring numbers are 0.1 mm apart.
pub const POSITION: Bound = Bound::size(1e12, "at most 1e12 m from the origin along each axis");
/// Components of a velocity, m/s: that of light, beyond which these laws of motion say nothing.
pub const SPEED: Bound = Bound::size(3e8, "at most 3e8 m/s along each axis");
/// Components of an angular velocity, rad/s: ten million turns a minute.
pub const SPIN: Bound = Bound::size(1e6, "at most 1e6 rad/s about each axis");
/// Components of gravity, m/s².
pub const GRAVITY: Bound = Bound::size(1e12, "at most 1e12 m/s² along each axis");
/// Time on the world's clock, s.
pub const TIME: Bound = Bound::size(1e12, "at most 1e12 s from zero");
/// Time from one report to the next, s, in scenes, journals, recordings and live sessions.
pub const STEP: Bound = Bound { low: 1e-12, high: 1e6, must: "from 1e-12 s to 1e6 s" };
/// The same in a live session: finer steps show nothing, coarser ones are no motion.
pub const LIVE_STEP: Bound = Bound { low: 1e-6, high: 1.0, must: "from 1e-6 s to 1 s" };
/// Exactness of joints and contacts, m, rad, m/s, rad/s: not below what rounding leaves of a metre.
pub const TOLERANCE: Bound = Bound { low: 1e-18, high: 1e6, must: "from 1e-18 to 1e6" };
/// Bounds of errors that choose substeps.
pub const ERROR: Bound = Bound { low: 1e-16, high: 1e6, must: "from 1e-16 to 1e6" };
/// Mass of a body that moves, kg.
pub const MASS: Bound = Bound { low: 1e-60, high: 1e60, must: "from 1e-60 kg to 1e60 kg" };
/// Entries of an inertia tensor, kg m².
pub const INERTIA: Bound = Bound::size(1e60, "at most 1e60 kg m²");
/// Stiffness (N/m) and damping (N s/m) of springs, strength of fields.
pub const STRENGTH: Bound = Bound::size(1e30, "at most 1e30");

impl Bound {
    /// Numbers of at most this size, of either sign.
    const fn size(high: f64, must: &'static str) -> Self {
        Self { low: -high, high, must }
    }

    /// Whether a number is within.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Refuses a number that is not within, with the names of the item and of its field.
    pub fn check(&self, item: &str, field: &'static str, value: f64) -> Result<(), ModelError> {
        if value.is_nan() || value.is_infinite() {
            return Err(ModelError::NotFinite { item: item.to_owned(), field });
        }
        if self.holds(value) {
            return Ok(());
        }
        Err(ModelError::OutOfRange { item: item.to_owned(), field, must: self.must, value })
    }

    /// The same for the components of a vector.
    pub fn check_vector(&self, item: &str, field: &'static str, v: Vec3) -> Result<(), ModelError> {
        v.to_array().into_iter().try_for_each(|x| self.check(item, field, x))
    }
}
