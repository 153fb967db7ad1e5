//! Pieces of the energy-momentum step's matrix: geometric stiffness of the joints' impulses,
//! impulses that stay as they are in space while their rows turn, and the inverse root of a body's
//! 3 × 3 response.

use crate::constraint::{Pair, Row};
use crate::joint::{PositionPart, RotationPart};
use crate::math::{Mat3, Vec3};
use crate::system::Node;

/// (p·q) (E − p̂ p̂ᵀ): how the torque p × q of a force q at an arm p pushes back when the arm
/// turns.
///
/// The exact derivative (p·q) E − p qᵀ has the same null vector p and differs only by an axial
/// torque that the transverse turn causes, so that the iteration loses nothing but a round; its
/// symmetric part would be indefinite.
fn twist(p: Vec3, q: Vec3) -> Mat3 {
    let (s, size) = (p.dot(q), p.length_squared());
    if size == 0.0 {
        return Mat3::ZERO;
    }
    let u = p * (s / size);
    Mat3::from_cols(
        Vec3::new(s - p.x * u.x, -p.y * u.x, -p.z * u.x),
        Vec3::new(-p.x * u.y, s - p.y * u.y, -p.z * u.y),
        Vec3::new(-p.x * u.z, -p.y * u.z, s - p.z * u.z),
    )
}

/// Geometric stiffness of a joint's impulses on each body.
///
/// Every residual depends on the rotation of one body as a product p·q of a vector p of that body
/// and a vector q that does not turn with it, so that K = Σ λ twist(p, q). Lines and planes turn
/// their forces with body 1, which `carry` undoes: what is left is a force at a point that follows
/// the body. Rows of rotation parts are left out: along the motions that they allow their second
/// derivatives cancel between the two bodies.
#[inline(always)]
pub(super) fn bilinear(node: &Node, p: &Pair, lambda: &[f64]) -> [Mat3; 2] {
    let [r, s] = p.arm;
    match node.parts.position {
        // chains with guides take symmetric steps
        PositionPart::Free | PositionPart::Rail | PositionPart::Polygon => [Mat3::ZERO; 2],
        PositionPart::Point => {
            let f = Vec3::new(lambda[0], lambda[1], lambda[2]);
            [twist(r, -f), twist(s, f)]
        }
        PositionPart::Distance => distance(p.arm, p.d, lambda[0] / node.parts.length),
        PositionPart::Plane => {
            let u = p.axes[0].x_axis * lambda[0];
            [twist(p.d + r, -u), twist(s, u)]
        }
        PositionPart::Line => {
            let u = p.axes[0].y_axis * lambda[0] + p.axes[0].z_axis * lambda[1];
            [twist(p.d + r, -u), twist(s, u)]
        }
    }
}

/// Geometric stiffness of a force along the line d between two points, f times as large as d.
#[inline(always)]
pub(super) fn distance([r, s]: [Vec3; 2], d: Vec3, f: f64) -> [Mat3; 2] {
    [twist(r, (d + r) * -f), twist(s, (d - s) * f)]
}

/// Keeps the force of a line and the torque of a rotation part as they are in space when their rows
/// have turned with the bodies: a change of direction within the span of the rows is a change of λ,
/// and no error of the matrix.
#[inline(always)]
pub(super) fn carry(node: &Node, old: &[Row], new: &[Row], lambda: &mut [f64]) {
    let n = node.parts.position.rows();
    if node.parts.position == PositionPart::Line {
        carry_two([old[0].n, old[1].n], [new[0].n, new[1].n], &mut lambda[..2]);
    }
    match node.parts.rotation {
        RotationPart::Axis => {
            let (old, new) = (&old[n..n + 2], &new[n..n + 2]);
            carry_two(
                [old[0].a[1], old[1].a[1]],
                [new[0].a[1], new[1].a[1]],
                &mut lambda[n..n + 2],
            );
        }
        RotationPart::Fixed => {
            let t = old[n].a[1] * lambda[n]
                + old[n + 1].a[1] * lambda[n + 1]
                + old[n + 2].a[1] * lambda[n + 2];
            let m = Mat3::from_cols(new[n].a[1], new[n + 1].a[1], new[n + 2].a[1]);
            if m.determinant().abs() > 0.1 {
                lambda[n..n + 3].copy_from_slice(&(m.inverse() * t).to_array());
            }
        }
        RotationPart::Free | RotationPart::Angle => {}
    }
}

/// The factors of two new vectors that give the same sum as those of the old ones, as nearly as can
/// be.
#[inline(always)]
fn carry_two(old: [Vec3; 2], [a, b]: [Vec3; 2], lambda: &mut [f64]) {
    let t = old[0] * lambda[0] + old[1] * lambda[1];
    // means of orthogonal vectors are not quite orthogonal
    let (aa, ab, bb) = (a.dot(a), a.dot(b), b.dot(b));
    let det = aa * bb - ab * ab;
    if det > 0.1 * aa * bb {
        let (ta, tb) = (t.dot(a), t.dot(b));
        (lambda[0], lambda[1]) = ((bb * ta - ab * tb) / det, (aa * tb - ab * ta) / det);
    }
}

/// L⁻¹ for the Cholesky factor L of diag(d) + k; axes without inertia do not turn. `None` when not
/// positive definite.
pub(super) fn inverse_root(d: Vec3, k: &Mat3) -> Option<Mat3> {
    let mut l = [[0.0; 3]; 3];
    let mut inv = [[0.0; 3]; 3];
    for i in 0..3 {
        if d[i] <= 0.0 {
            continue;
        }
        for j in 0..i {
            if d[j] > 0.0 {
                let mut s = k.col(j)[i];
                for m in 0..j {
                    s -= l[i][m] * l[j][m];
                }
                l[i][j] = s * inv[j][j];
            }
        }
        let mut s = d[i] + k.col(i)[i];
        for m in 0..i {
            s -= l[i][m] * l[i][m];
        }
        // a sliver of the inertia left would send the body spinning
        if !(s > 1e-3 * d[i]) {
            return None;
        }
        l[i][i] = s.sqrt();
        inv[i][i] = 1.0 / l[i][i];
    }
    for i in 0..3 {
        for j in 0..i {
            let mut s = 0.0;
            for m in j..i {
                s -= l[i][m] * inv[m][j];
            }
            inv[i][j] = s * inv[i][i];
        }
    }
    Some(Mat3::from_cols(
        Vec3::new(inv[0][0], inv[1][0], inv[2][0]),
        Vec3::new(inv[0][1], inv[1][1], inv[2][1]),
        Vec3::new(inv[0][2], inv[1][2], inv[2][2]),
    ))
}
