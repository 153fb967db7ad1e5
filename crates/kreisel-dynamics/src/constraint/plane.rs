//! The second anchor stays in a plane of body 1: C = u·d with the normal u fixed to body 1 (Bender
//! 3.2.3.1).
//!
//! The plane is taken as it lies at each instant: measuring against the plane of the start of the
//! step leaves an error of second order that the loop does not see. The arm on body 1 reaches to
//! the foot point, r₁ + d.

use super::{Pair, Row};
use crate::math::Vec3;

#[inline(always)]
pub(crate) fn residual(p: &Pair) -> f64 {
    p.axes[0].x_axis.dot(p.d)
}

/// The row of C = u·d for a vector u fixed to body 1.
#[inline(always)]
pub(crate) fn row(p: &Pair, u: Vec3) -> Row {
    Row { n: u, a: [u.cross(p.d + p.arm[0]), p.arm[1].cross(u)] }
}
