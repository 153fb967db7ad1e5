//! The angle between an axis on each body is kept: C = (cos α₀ − x₁·y₂)/sin α₀, one row (double
//! rotation joint, Bender 3.2.3.2; divided by sin α₀ so that the tolerance is in radians also for
//! axes that are not orthogonal).

use super::{Pair, Row, dot_row};
use crate::math::fun;

#[inline(always)]
pub(crate) fn residual(p: &Pair, (cos, sin): (f64, f64)) -> f64 {
    (cos - p.axes[0].x_axis.dot(p.axes[1].y_axis)) / sin
}

#[inline(always)]
pub(crate) fn row(p: &Pair, (_, sin): (f64, f64)) -> Row {
    dot_row(p.axes[0].x_axis, p.axes[1].y_axis, -1.0 / sin)
}

/// |α − α₀|.
pub(crate) fn error(p: &Pair, (cos, sin): (f64, f64)) -> f64 {
    let (a, b) = (p.axes[0].x_axis, p.axes[1].y_axis);
    (fun::atan2(a.cross(b).length(), a.dot(b)) - fun::atan2(sin, cos)).abs()
}
