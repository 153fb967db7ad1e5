//! Two boxes by separating axes.
//!
//! Reference: Gottschalk, Lin, Manocha 1996 ("OBBTree"): two boxes are apart if and only if they
//! are apart along one of 15 axes, the three normals of each and the nine cross products of their
//! edges. These are the face normals of the difference A − B, so the axis of least overlap is also
//! the shortest way out.
//!
//! With M = Rₐᵀ R_b, t the centre of B seen from A, and half extents a, b, the separations are
//!
//! | axis | separation |
//! |---|---|
//! | i of A | \|tᵢ\| − aᵢ − Σⱼ bⱼ \|Mᵢⱼ\| |
//! | j of B | \|t·M eⱼ\| − bⱼ − Σᵢ aᵢ \|Mᵢⱼ\| |
//! | eᵢ × M eⱼ | (\|tₖ Mₗⱼ − tₗ Mₖⱼ\| − aₖ\|Mₗⱼ\| − aₗ\|Mₖⱼ\| − b_p\|M_iq\| − b_q\|M_ip\|) / √(Mₖⱼ² + Mₗⱼ²) |
//!
//! Apart, the largest separation is a lower bound of the distance, which the closest corner of the
//! region must confirm; if it does not (corner against corner or edge), the general way is taken.

use super::faces::{self, Side};
use super::feature::BoxFeature;
use super::{Contact, ContactCache, ContactId, Query};
use crate::Pose;
use glam::{DMat3, DVec3};

/// Squared sine of the angle below which two edges count as parallel; their cross product is no
/// axis then.
const PARALLEL: f64 = 1e-12;
/// Separations that differ by less than this part of the size are equal; faces go before edges,
/// earlier axes before later.
const TIE: f64 = 1e-9;

/// Two boxes seen from the first.
struct Boxes {
    a: DVec3,
    b: DVec3,
    /// Columns: the axes of B.
    m: DMat3,
    /// |M|
    n: DMat3,
    t: DVec3,
}

impl Query {
    /// The region of two boxes with half extents `a` and `b`; false if the general way must be
    /// taken.
    pub(super) fn box_pair(
        &self,
        [a, b]: [DVec3; 2],
        [pose_a, pose_b]: [&Pose; 2],
        id: ContactId,
        cache: &mut ContactCache,
        found: &mut Vec<Contact>,
    ) -> bool {
        let apart = pose_b.position - pose_a.position;
        let reach = a.length() + b.length();
        let far = reach + self.tolerance;
        if self.tolerance >= 0.0 && apart.length_squared() > far * far {
            return true;
        }
        let (ra, rb) = (pose_a.matrix(), pose_b.matrix());
        let back = ra.transpose();
        let m = back * rb;
        let pair = Boxes {
            a,
            b,
            m,
            n: DMat3::from_cols(m.x_axis.abs(), m.y_axis.abs(), m.z_axis.abs()),
            t: back * apart,
        };
        if cache.axis != 0 && pair.separation(cache.axis - 1).is_some_and(|s| s > self.tolerance) {
            return true;
        }
        let tie = TIE * reach;
        let (mut best, mut axis) = (f64::NEG_INFINITY, 0);
        for k in 0..15 {
            let Some(s) = pair.separation(k) else { continue };
            if s > self.tolerance {
                cache.axis = k + 1;
                return true;
            }
            if s > best + tie {
                (best, axis) = (s, k);
            }
        }
        cache.axis = 0;
        let local = pair.direction(axis);
        let normal = ra * local;
        let first = Side {
            feature: BoxFeature::new(-local),
            half: a,
            rotation: ra,
            center: pose_a.position,
        };
        let toward = m.transpose() * local;
        let second = Side {
            feature: BoxFeature::new(toward),
            half: b,
            rotation: rb,
            center: pose_b.position,
        };
        let from = found.len();
        let closest = faces::intersect(&first, &second, normal, self.tolerance, id, found);
        let confirmed = closest <= best.max(0.0) + tie;
        if !confirmed {
            found.truncate(from);
        }
        confirmed
    }
}

impl Boxes {
    /// Separation along axis `k`; none if the axis does not exist.
    #[inline]
    fn separation(&self, k: u8) -> Option<f64> {
        let k = usize::from(k);
        if k < 3 {
            let spread = self.n.x_axis[k] * self.b.x
                + self.n.y_axis[k] * self.b.y
                + self.n.z_axis[k] * self.b.z;
            return Some(self.t[k].abs() - self.a[k] - spread);
        }
        if k < 6 {
            let j = k - 3;
            return Some(self.t.dot(self.m.col(j)).abs() - self.b[j] - self.n.col(j).dot(self.a));
        }
        let (i, j) = ((k - 6) / 3, (k - 6) % 3);
        let ([k, l], [p, q]) = (OTHERS[i], OTHERS[j]);
        let (e, f) = (self.m.col(j), self.n.col(j));
        let squared = e[k] * e[k] + e[l] * e[l];
        if squared < PARALLEL {
            return None;
        }
        let spread = self.a[k] * f[l]
            + self.a[l] * f[k]
            + self.b[p] * self.n.col(q)[i]
            + self.b[q] * self.n.col(p)[i];
        Some(((self.t[k] * e[l] - self.t[l] * e[k]).abs() - spread) / squared.sqrt())
    }

    /// The axis as a unit vector of A's frame that runs from B to A.
    fn direction(&self, k: u8) -> DVec3 {
        let k = usize::from(k);
        let axis = match k {
            0..3 => DVec3::AXES[k],
            3..6 => self.m.col(k - 3),
            _ => DVec3::AXES[(k - 6) / 3].cross(self.m.col((k - 6) % 3)).normalize(),
        };
        if axis.dot(self.t) > 0.0 { -axis } else { axis }
    }
}

/// The other two axes.
const OTHERS: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];
