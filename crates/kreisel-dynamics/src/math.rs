//! The small mathematics of rigid bodies under our names, and pinned elementary functions.
//!
//! Reference: Bender 2007, appendices A and C (B-12), with the corrections to the printed
//! matrix-to-quaternion and axis-angle algorithms (glam's conversions take the right branches;
//! [`rotation_vector`] goes the short way round).

pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3};

/// Elementary functions with the same bits on every platform (the C library's differ; these are
/// compiled in).
pub mod fun {
    pub use libm::{acos, asin, atan2, cos, exp, log, pow, sin};

    /// Sine and cosine at once.
    pub fn sin_cos(x: f64) -> (f64, f64) {
        libm::sincos(x)
    }

    /// Cube root.
    pub fn cbrt(x: f64) -> f64 {
        libm::cbrt(x)
    }
}

/// Cross product matrix r*: r* x = r × x.
pub fn skew(r: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, r.z, -r.y), Vec3::new(-r.z, 0.0, r.x), Vec3::new(r.y, -r.x, 0.0))
}

/// Rotation by the rotation vector `theta` (axis times angle, rad).
pub fn rotation(theta: Vec3) -> Quat {
    let angle = theta.length();
    let (s, c) = fun::sin_cos(0.5 * angle);
    let k = if angle > 0.0 { s / angle } else { 0.5 };
    Quat::from_xyzw(theta.x * k, theta.y * k, theta.z * k, c)
}

/// Rotation vector of `q`, the short way round: its length is in 0..=π.
pub fn rotation_vector(q: Quat) -> Vec3 {
    let (v, w) = if q.w < 0.0 { (-q.xyz(), -q.w) } else { (q.xyz(), q.w) };
    let s = v.length();
    if s > 0.0 { v * (2.0 * fun::atan2(s, w) / s) } else { Vec3::ZERO }
}

/// A right-handed orthonormal basis whose first vector is `x` (a unit vector).
pub fn basis(x: Vec3) -> Mat3 {
    let a = x.abs();
    let w = if a.x <= a.y && a.x <= a.z {
        Vec3::X
    } else if a.y <= a.z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    let y = w.cross(x).normalize();
    Mat3::from_cols(x, y, x.cross(y))
}

/// A right-handed orthonormal basis with first vector `x` (unit) and second vector as near to `y`
/// as can be. `None` when the two are parallel.
pub fn basis_xy(x: Vec3, y: Vec3) -> Option<Mat3> {
    let y = (y - x * x.dot(y)).try_normalize()?;
    Some(Mat3::from_cols(x, y, x.cross(y)))
}
