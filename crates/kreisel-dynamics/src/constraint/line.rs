//! The second anchor stays on a line of body 1: two plane conditions across it (Bender 3.2.3.1).

use super::{Pair, Row, plane};

#[inline(always)]
pub(crate) fn residual(p: &Pair) -> [f64; 2] {
    [p.axes[0].y_axis.dot(p.d), p.axes[0].z_axis.dot(p.d)]
}

#[inline(always)]
pub(crate) fn rows(p: &Pair) -> [Row; 2] {
    [plane::row(p, p.axes[0].y_axis), plane::row(p, p.axes[0].z_axis)]
}
