//! The anchors coincide: C = d, three rows (ball joint, Bender 3.2.3.1, eq. 3.12 to 3.16).

use super::{Pair, Row};
use crate::math::Vec3;

#[inline(always)]
pub(crate) fn residual(p: &Pair) -> [f64; 3] {
    p.d.to_array()
}

#[inline(always)]
pub(crate) fn rows(p: &Pair) -> [Row; 3] {
    let [r, s] = p.arm;
    // e × r written out: −(r × e)
    let left = [Vec3::new(0.0, -r.z, r.y), Vec3::new(r.z, 0.0, -r.x), Vec3::new(-r.y, r.x, 0.0)];
    let right = [Vec3::new(0.0, s.z, -s.y), Vec3::new(-s.z, 0.0, s.x), Vec3::new(s.y, -s.x, 0.0)];
    [
        Row { n: Vec3::X, a: [left[0], right[0]] },
        Row { n: Vec3::Y, a: [left[1], right[1]] },
        Row { n: Vec3::Z, a: [left[2], right[2]] },
    ]
}
