//! The free coordinates of joints: value and row, for limits, friction, motors and measurement.
//!
//! | coordinate | value | row |
//! |---|---|---|
//! | angle | twist of frame 2 about x, swing-twist decomposition | t = (x₁ + x₂)/(1 + x₁·x₂), a = (−t, t) |
//! | position | x₁·d | as a plane |
//! | length | \|d\| | n = d/\|d\| |
//! | swing | angle between x₁ and x₂ | t = x₁ × x₂/\|x₁ × x₂\|, a = (−t, t) |
//! | offset | d·e, e an axis of the world | n = e |

use super::{Pair, Row, plane};
use crate::joint::Coordinate;
use crate::math::{Quat, Vec3, fun};

/// What a bounded row measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// A free coordinate of its joint.
    Of(Coordinate),
    /// The way from the first anchor to the second along an axis of the world: x, y, z.
    Offset(u8),
}

impl From<Coordinate> for Measure {
    fn from(c: Coordinate) -> Self {
        Self::Of(c)
    }
}

impl Measure {
    /// Its value; angles in −π..=π.
    pub fn value(self, p: &Pair) -> f64 {
        match self {
            Self::Of(c) => value(p, c),
            Self::Offset(k) => p.d[usize::from(k)],
        }
    }

    /// Row of its rate.
    pub fn row(self, p: &Pair) -> Row {
        match self {
            Self::Of(c) => row(p, c),
            Self::Offset(k) => {
                let n = Vec3::AXES[usize::from(k)];
                Row { n, a: [n.cross(p.arm[0]), p.arm[1].cross(n)] }
            }
        }
    }

    /// Whether it is an angle.
    pub fn turns(self) -> bool {
        matches!(self, Self::Of(Coordinate::Angle | Coordinate::Swing))
    }
}

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
