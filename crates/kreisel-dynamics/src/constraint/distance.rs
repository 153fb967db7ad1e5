//! The anchors keep their distance D: C = (d·d − D²)/(2D), one row (Bender 3.2.3.1, footnote;
//! Schmitt's rods).
//!
//! Near the condition C is |d| − D; the quadratic form makes the discrete gradient exact and needs
//! no root.

use super::{Pair, Row};

#[inline(always)]
pub(crate) fn residual(p: &Pair, length: f64) -> f64 {
    (p.d.length_squared() - length * length) / (2.0 * length)
}

#[inline(always)]
pub(crate) fn row(p: &Pair, length: f64) -> Row {
    let u = p.d / length;
    Row { n: u, a: [u.cross(p.arm[0]), p.arm[1].cross(u)] }
}
