//! Axis-aligned boxes as bounding volumes.
//!
//! Reference: Lennerz 2000, section 3.7.6 (L-50, L-51), with R where Rᵀ is printed.

use super::{Aabb, Volume};
use crate::Pose;
use glam::{DMat3, DVec3};

impl Volume for Aabb {
    type Motion = (DMat3, DVec3);

    fn fit(triangles: &[[DVec3; 3]]) -> Self {
        let empty = Self { lo: DVec3::INFINITY, hi: DVec3::NEG_INFINITY };
        triangles.iter().flatten().fold(empty, |b, &p| Self { lo: b.lo.min(p), hi: b.hi.max(p) })
    }

    fn motion(pose: &Pose) -> Self::Motion {
        (pose.matrix(), pose.position)
    }

    fn moved(&self, (r, t): &Self::Motion) -> Self {
        let (center, half) = (0.5 * (self.lo + self.hi), 0.5 * (self.hi - self.lo));
        let reach = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
        let center = *r * center + *t;
        Self { lo: center - reach, hi: center + reach }
    }

    fn distance(&self, other: &Self) -> f64 {
        (other.lo - self.hi).max(self.lo - other.hi).max(DVec3::ZERO).length()
    }

    fn center(&self) -> DVec3 {
        0.5 * (self.lo + self.hi)
    }

    fn reach(&self, d: DVec3) -> f64 {
        (self.lo * d).max(self.hi * d).element_sum()
    }

    fn measure(&self) -> f64 {
        (self.hi - self.lo).element_product()
    }
}
