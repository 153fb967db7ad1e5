//! No relative rotation: C = (z₁·y₂, x₁·z₂, y₁·x₂), three rows (translation joint, Bender 3.2.3.2).
//!
//! Near the condition C is the rotation vector from frame 1 to frame 2 (in the axes of the frame).
//! The printed quaternion difference is not constant under a common motion of the bodies; frames
//! fixed to both bodies are.

use super::{Pair, Row, dot_row, turn_row};
use crate::math::{Quat, Vec3, rotation_vector};

#[inline(always)]
pub(crate) fn residual(p: &Pair) -> [f64; 3] {
    let [a, b] = &p.axes;
    [a.z_axis.dot(b.y_axis), a.x_axis.dot(b.z_axis), a.y_axis.dot(b.x_axis)]
}

#[inline(always)]
pub(crate) fn rows(p: &Pair) -> [Row; 3] {
    let [a, b] = &p.axes;
    [
        dot_row(a.z_axis, b.y_axis, 1.0),
        dot_row(a.x_axis, b.z_axis, 1.0),
        dot_row(a.y_axis, b.x_axis, 1.0),
    ]
}

/// Rotation vector from frame 1 to frame 2, in the axes of frame 1.
fn relative(p: &Pair) -> Vec3 {
    let m = p.axes[0].transpose() * p.axes[1];
    rotation_vector(Quat::from_mat3(&m).normalize())
}

/// Angle of the relative rotation.
pub(crate) fn error(p: &Pair) -> f64 {
    let c = residual(p);
    let small = (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt();
    // Near the condition the products are exact and the detour over a quaternion is not.
    if small < 1e-3
        && p.axes[0].x_axis.dot(p.axes[1].x_axis) > 0.0
        && p.axes[0].y_axis.dot(p.axes[1].y_axis) > 0.0
    {
        small
    } else {
        relative(p).length()
    }
}

/// The whole rotation vector.
pub(crate) fn residual_far(p: &Pair) -> [f64; 3] {
    relative(p).to_array()
}

/// Rows for [`residual_far`]: the relative turning about the axes of frame 1.
pub(crate) fn rows_far(p: &Pair) -> [Row; 3] {
    let a = &p.axes[0];
    [turn_row(a.x_axis), turn_row(a.y_axis), turn_row(a.z_axis)]
}
