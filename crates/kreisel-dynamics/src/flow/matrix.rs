//! Orientation by the rotation-matrix equation (Bender 3.1.2.2, C.3; B-06): R' = R W*, classical
//! Runge-Kutta with the Euler equation for W, then the orthonormalisation of appendix C.3. Kept for
//! comparison: nine numbers where a quaternion has four.

use super::Free;
use crate::math::{Mat3, Quat, Vec3, skew};

/// Columns are brought nearer to an orthonormal triple until their products are below this.
const ORTHONORMAL: f64 = 1e-15;

pub(crate) fn rk4(free: &Free, q: Quat, w: Vec3, h: f64) -> Quat {
    let turn = |r: Mat3, w: Vec3| r * skew(w);
    let r = Mat3::from_quat(q);
    let (w1, r1) = (free.rate(w), turn(r, w));
    let wa = w + w1 * (0.5 * h);
    let (w2, r2) = (free.rate(wa), turn(r + r1 * (0.5 * h), wa));
    let wb = w + w2 * (0.5 * h);
    let (w3, r3) = (free.rate(wb), turn(r + r2 * (0.5 * h), wb));
    let r4 = turn(r + r3 * h, w + w3 * h);
    let end = r + (r1 + (r2 + r3) * 2.0 + r4) * (h / 6.0);
    Quat::from_mat3(&orthonormalize(end))
}

/// Appendix C.3: each column moves half way to the cross product of the other two.
fn orthonormalize(m: Mat3) -> Mat3 {
    let (mut a, mut b, mut c) = (m.x_axis, m.y_axis, m.z_axis);
    for _ in 0..20 {
        let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
        (a, b, c) = ((a + bc) * 0.5, (b + ca) * 0.5, (c + ab) * 0.5);
        if a.dot(b).abs().max(b.dot(c).abs()).max(c.dot(a).abs()) < ORTHONORMAL {
            break;
        }
    }
    Mat3::from_cols(a.normalize(), b.normalize(), c.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    #[test]
    fn a_disturbed_rotation_is_made_orthonormal_without_turning_far() {
        let r = Mat3::from_quat(rotation(Vec3::new(0.3, -1.1, 0.7)));
        let m = orthonormalize(r + Mat3::from_cols(Vec3::X, Vec3::Z, Vec3::Y) * 1e-3);
        let product = m.transpose() * m;
        assert!((product - Mat3::IDENTITY).abs_diff_eq(Mat3::ZERO, 1e-14));
        assert!(m.abs_diff_eq(r, 2e-3));
    }

    #[test]
    fn matrix_and_quaternion_turn_alike() {
        // local error of both is O(h⁵): the difference falls by 32 when the step is halved
        let moments = Vec3::new(1.0, 2.0, 3.5);
        let free = Free { moments, inverse: moments.recip() };
        let (q, w) = (rotation(Vec3::new(0.1, 0.2, 0.3)), Vec3::new(2.0, 3.0, 1.0));
        let difference = |h: f64| {
            let a = rk4(&free, q, w, h);
            let b = super::super::runge_kutta::rk4(&free, q, w, h).normalize();
            (a * b.conjugate()).xyz().length()
        };
        let ratio = difference(0.1) / difference(0.05);
        assert!((28.0..40.0).contains(&ratio), "{ratio}");
    }
}
