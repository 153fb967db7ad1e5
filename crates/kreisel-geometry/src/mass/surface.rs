//! Mass properties of the solid inside a closed, outward-oriented triangle surface, by a surface
//! integral.
//!
//! Reference: Lennerz 2000, section 2.5.3 (which delegates to Mirtich 1996). Each triangle (a, b,
//! c) and the origin span a tetrahedron of signed volume D/6, D = det(a, b, c); the monomials of
//! degree ≤ 2 integrate exactly:
//!
//! | integral | sum over the triangles |
//! |---|---|
//! | V = ∫ dV | D / 6 |
//! | ∫ x dV | D (a + b + c) / 24 |
//! | ∫ x xᵀ dV | D (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 120, s = a + b + c |
//!
//! Linear in the number of triangles. The origin is moved to the middle of the bounding box first:
//! far from the origin the signed volumes would cancel and lose (distance/size)³ of the digits. The
//! sums assume that the surface is closed; whoever calls checks this (`TriMesh::check_closed`),
//! since an open one gives numbers without meaning.

use super::MassProperties;
use glam::{DMat3, DVec3};

/// Volume and its first and second moments about `origin`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VolumeMoments {
    origin: DVec3,
    volume: f64,
    first: DVec3,
    second: DMat3,
}

impl VolumeMoments {
    /// Sums the tetrahedra that `origin` spans with each triangle.
    pub(crate) fn of(origin: DVec3, triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let mut m = Self { origin, volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };
        for [a, b, c] in triangles {
            let (a, b, c) = (a - origin, b - origin, c - origin);
            let det = a.dot(b.cross(c));
            let s = a + b + c;
            m.volume += det;
            m.first += det * s;
            m.second += (outer(a) + outer(b) + outer(c) + outer(s)) * det;
        }
        m.volume /= 6.0;
        m.first /= 24.0;
        m.second *= 1.0 / 120.0;
        m
    }

    /// Signed volume: negative if the surface is turned inside out.
    pub(crate) fn volume(&self) -> f64 {
        self.volume
    }

    /// Mass properties for a uniform density. The volume must be positive.
    pub(crate) fn mass_properties(&self, density: f64) -> MassProperties {
        let c = self.first / self.volume;
        let central = self.second - outer(c) * self.volume;
        let trace = central.x_axis.x + central.y_axis.y + central.z_axis.z;
        MassProperties {
            mass: density * self.volume,
            center: self.origin + c,
            inertia: (DMat3::from_diagonal(DVec3::splat(trace)) - central) * density,
        }
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}
