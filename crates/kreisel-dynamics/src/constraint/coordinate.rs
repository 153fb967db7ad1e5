//! The free coordinates of joints: value and row, for limits, friction, motors and measurement.
//!
//! | coordinate | value | row |
//! |---|---|---|
//! | angle | twist of frame 2 about x, swing-twist decomposition | t = (x₁ + x₂)/(1 + x₁·x₂), a = (−t, t) |
//! | position | x₁·d | as a plane |
//! | length | \|d\| | n = d/\|d\| |
//! | swing | angle between x₁ and x₂ | t = x₁ × x₂/\|x₁ × x₂\|, a = (−t, t) |

use super::{Pair, Row, plane};
use crate::joint::Coordinate;
use crate::math::{Quat, Vec3, fun};

/// Value of the coordinate; angles in −π..=π.
pub(crate) fn value(p: &Pair, coordinate: Coordinate) -> f64 {
    match coordinate {
        Coordinate::Position => p.axes[0].x_axis.dot(p.d),
        Coordinate::Length => p.d.length(),
        Coordinate::Swing => {
            let (a, b) = (p.axes[0].x_axis, p.axes[1].x_axis);
            fun::atan2(a.cross(b).length(), a.dot(b))
        }
        Coordinate::Angle => {
            let q = Quat::from_mat3(&(p.axes[0].transpose() * p.axes[1]));
            let angle = 2.0 * fun::atan2(q.x, q.w);
            wrap(angle)
        }
    }
}

/// An angle brought to −π..=π.
pub(crate) fn wrap(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}

/// Row of the coordinate's rate. Where the direction is undefined (zero length, zero swing) the row
/// is zero.
pub(crate) fn row(p: &Pair, coordinate: Coordinate) -> Row {
    let turn = |t: Vec3| Row { n: Vec3::ZERO, a: [-t, t] };
    let (x1, x2) = (p.axes[0].x_axis, p.axes[1].x_axis);
    match coordinate {
        Coordinate::Position => plane::row(p, x1),
        Coordinate::Length => {
            let u = p.d.normalize_or_zero();
            Row { n: u, a: [u.cross(p.arm[0]), p.arm[1].cross(u)] }
        }
        Coordinate::Swing => turn(x1.cross(x2).normalize_or_zero()),
        Coordinate::Angle => {
            let cos = x1.dot(x2);
            // Beyond a swing of 179.9° the twist has no meaning any more.
            if cos < -1.0 + 1e-6 { turn(x1) } else { turn((x1 + x2) / (1.0 + cos)) }
        }
    }
}
