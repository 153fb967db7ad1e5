//! Mass, centre of mass and inertia tensor, and the principal frame.
//!
//! Reference: Bender 2007, appendix D.1 (eq. D.1 to D.6): the tensors of sphere, cylinder and box,
//! the sum over point masses and the diagonalisation that every body undergoes once, when it is
//! made.
//!
//! | symbol | field | unit |
//! |---|---|---|
//! | m | `mass` | kg |
//! | c | `center`, centre of mass in the body's frame | m |
//! | J | `inertia`, about the centre of mass, axes of the body's frame | kg m² |
//!
//! Closed forms are in `solids`, closed surfaces in `surface`.

mod solids;
pub(crate) mod surface;

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Mass, centre of mass and inertia tensor of a body, in the body's own frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassProperties {
    /// Mass in kg.
    pub mass: f64,
    /// Centre of mass in the body's frame, in m.
    pub center: DVec3,
    /// Inertia tensor about the centre of mass along the axes of the body's frame, in kg m².
    pub inertia: DMat3,
}

/// Why mass properties cannot belong to a real body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MassError {
    /// A number is NaN or infinite.
    #[error("{0} is not a finite number")]
    NotFinite(&'static str),
    /// The mass is zero or negative.
    #[error("the mass must be positive, it is {0} kg")]
    Mass(f64),
    /// A principal moment is negative.
    #[error("the principal moment of inertia {0} kg m² is negative")]
    Moment(f64),
    /// The principal moments break the triangle inequality, which holds for every mass
    /// distribution.
    #[error(
        "the principal moments of inertia {0}, {1}, {2} kg m² break the triangle inequality (no moment can exceed the sum of the other two)"
    )]
    Triangle(f64, f64, f64),
}

impl MassProperties {
    /// A mass point: no extent, no rotation.
    pub fn point(mass: f64) -> Self {
        Self { mass, center: DVec3::ZERO, inertia: DMat3::ZERO }
    }

    /// Given principal moments about a centre of mass at the origin.
    pub fn principal_moments(mass: f64, moments: DVec3) -> Self {
        Self { mass, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }

    /// A solid box with the full edge lengths `size`.
    pub fn cuboid(mass: f64, size: DVec3) -> Self {
        let s = size * size;
        Self::principal_moments(mass, mass / 12.0 * DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y))
    }

    /// A solid sphere.
    pub fn sphere(mass: f64, radius: f64) -> Self {
        Self::principal_moments(mass, DVec3::splat(0.4 * mass * radius * radius))
    }

    /// The same body seen from a frame in which its own frame lies at `position`, turned by
    /// `rotation`.
    pub fn transformed(self, position: DVec3, rotation: DQuat) -> Self {
        let r = DMat3::from_quat(rotation);
        Self {
            mass: self.mass,
            center: position + r * self.center,
            inertia: r * self.inertia * r.transpose(),
        }
    }

    /// Inertia tensor about `point` (in the body's frame) instead of the centre of mass (Steiner).
    pub fn inertia_about(self, point: DVec3) -> DMat3 {
        self.inertia + steiner(self.mass, self.center - point)
    }

    /// Two bodies welded together, both given in the same frame.
    pub fn combined(self, other: Self) -> Self {
        let mass = self.mass + other.mass;
        let center = (self.center * self.mass + other.center * other.mass) / mass;
        Self { mass, center, inertia: self.inertia_about(center) + other.inertia_about(center) }
    }

    /// Checks that a real body can have these properties.
    pub fn check(&self) -> Result<(), MassError> {
        if !self.mass.is_finite() {
            return Err(MassError::NotFinite("the mass"));
        }
        if !self.center.is_finite() {
            return Err(MassError::NotFinite("the centre of mass"));
        }
        if !self.inertia.is_finite() {
            return Err(MassError::NotFinite("the inertia tensor"));
        }
        if self.mass <= 0.0 {
            return Err(MassError::Mass(self.mass));
        }
        let (m, _) = self.principal();
        // A tensor read from a file carries rounding: one part in a million is let through.
        let slack = 1e-6 * m.max_element();
        if let Some(bad) = m.to_array().into_iter().find(|&x| x < -slack) {
            return Err(MassError::Moment(bad));
        }
        if m.x > m.y + m.z + slack || m.y > m.x + m.z + slack || m.z > m.x + m.y + slack {
            return Err(MassError::Triangle(m.x, m.y, m.z));
        }
        Ok(())
    }

    /// Principal moments and the rotation from the principal frame to the body's frame.
    ///
    /// A tensor that is diagonal already gives no rotation at all, so that a box keeps its own
    /// axes.
    pub fn principal(&self) -> (DVec3, DQuat) {
        let (moments, axes) = principal_axes(self.inertia);
        let q = if axes == DMat3::IDENTITY {
            DQuat::IDENTITY
        } else {
            DQuat::from_mat3(&axes).normalize()
        };
        (moments, q)
    }
}

/// Eigenvalues and eigenvectors (as columns of a rotation) of a symmetric matrix, by cyclic Jacobi
/// rotations: unconditionally convergent, and exact (no rotation) when the matrix is diagonal
/// already.
pub(crate) fn principal_axes(symmetric: DMat3) -> (DVec3, DMat3) {
    let mut a = (symmetric + symmetric.transpose()) * 0.5;
    let mut v = DMat3::IDENTITY;
    for _sweep in 0..32 {
        let off = a.y_axis.x.abs() + a.z_axis.x.abs() + a.z_axis.y.abs();
        let diag = a.x_axis.x.abs() + a.y_axis.y.abs() + a.z_axis.z.abs();
        if off <= 1e-16 * diag {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let apq = a.col(q)[p];
            if apq == 0.0 {
                continue;
            }
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * apq);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let mut g = DMat3::IDENTITY;
            g.col_mut(p)[p] = c;
            g.col_mut(q)[q] = c;
            g.col_mut(q)[p] = s;
            g.col_mut(p)[q] = -s;
            a = g.transpose() * a * g;
            v *= g;
        }
    }
    (DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), v)
}

/// What a mass at the distance `d` adds to an inertia tensor: m (d² E − d dᵀ).
fn steiner(mass: f64, d: DVec3) -> DMat3 {
    let dd = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - dd) * mass
}
