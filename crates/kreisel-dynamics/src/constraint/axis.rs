//! Both bodies share the direction of the axis: C = (x₁·z₂, −x₁·y₂), two rows (direction joint,
//! Bender 3.2.3.2).
//!
//! Near the condition C holds the two components of the rotation that tilts x₁ to x₂. The products
//! vanish also for antiparallel axes; `residual_far` leads out of there.

use super::{Pair, Row, dot_row, turn_row};
use crate::math::fun;

#[inline(always)]
pub(crate) fn residual(p: &Pair) -> [f64; 2] {
    let x = p.axes[0].x_axis;
    [x.dot(p.axes[1].z_axis), -x.dot(p.axes[1].y_axis)]
}

#[inline(always)]
pub(crate) fn rows(p: &Pair) -> [Row; 2] {
    let x = p.axes[0].x_axis;
    [dot_row(x, p.axes[1].z_axis, 1.0), dot_row(x, p.axes[1].y_axis, -1.0)]
}

/// Angle between the axes.
pub(crate) fn error(p: &Pair) -> f64 {
    let (a, b) = (p.axes[0].x_axis, p.axes[1].x_axis);
    fun::atan2(a.cross(b).length(), a.dot(b))
}

/// The tilt with its full angle φ instead of sin φ; any direction when the axes are antiparallel.
pub(crate) fn residual_far(p: &Pair) -> [f64; 2] {
    let [y, z] = residual(p);
    let sine = (y * y + z * z).sqrt();
    let angle = error(p);
    if sine > 1e-9 {
        [y * angle / sine, z * angle / sine]
    } else if angle > 1.0 {
        [angle, 0.0]
    } else {
        [y, z]
    }
}

/// Rows for [`residual_far`]: the relative turning about y₂ and z₂. The rows of the products shrink
/// with the cosine of the tilt, vanish at 90° and push the wrong way beyond.
pub(crate) fn rows_far(p: &Pair) -> [Row; 2] {
    [turn_row(p.axes[1].y_axis), turn_row(p.axes[1].z_axis)]
}
