//! What happens when the slip has vanished.
//!
//! Reference: Lennerz 2000, section 5.4.2 (L-79, L-80; theorem 5.7, whose printed equations have
//! lost signs). Write K in blocks: K_tt (2 × 2, tangential), k (the tangential part of the last
//! column), K₃₃. Holding the slip at zero needs a friction impulse −K_tt⁻¹ k per normal impulse.
//!
//! **Stable** iff |K_tt⁻¹ k| ≤ μ. This is (5.15): K⁻¹₁₃ / K⁻¹₃₃ and K⁻¹₂₃ / K⁻¹₃₃ are the
//! components of −K_tt⁻¹ k.
//!
//! **Unstable** otherwise: the slip starts again in a direction r with K_tt (−μ r) + k = λ r, λ >
//! 0, that is r(λ) = (μ K_tt + λ)⁻¹ k with
//! |r| = 1. |r(λ)| falls strictly from |K_tt⁻¹ k|/μ > 1 at λ = 0 to at most 1 at λ = |k|: there is exactly one such direction,
//! which proves the theorem and finds the ray without the quartic in tan(β/2), which loses β = π.

use crate::math::{Mat3, Vec3};

/// Newton on a convex function with a bracket: far more than it ever takes.
const ROUNDS: usize = 100;

/// The tangential block of K and its coupling with the normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tangent {
    xx: f64,
    xy: f64,
    yy: f64,
    k: [f64; 2],
}

impl Tangent {
    pub fn new(k: &Mat3) -> Self {
        Self { xx: k.x_axis.x, xy: k.x_axis.y, yy: k.y_axis.y, k: [k.z_axis.x, k.z_axis.y] }
    }

    /// Solves (scale K_tt + shift) r = v.
    fn solve(&self, scale: f64, shift: f64, v: [f64; 2]) -> [f64; 2] {
        let (a, b, c) = (scale * self.xx + shift, scale * self.xy, scale * self.yy + shift);
        let det = a * c - b * b;
        [(c * v[0] - b * v[1]) / det, (a * v[1] - b * v[0]) / det]
    }

    /// Whether a contact without slip stays without slip (5.15).
    pub fn is_stable(&self, friction: f64) -> bool {
        let r = self.solve(1.0, 0.0, self.k);
        r[0] * r[0] + r[1] * r[1] <= friction * friction
    }

    /// The direction (cos β, sin β) in which an unstable contact starts to slip.
    pub fn diverging_ray(&self, friction: f64) -> Vec3 {
        let length = |v: [f64; 2]| (v[0] * v[0] + v[1] * v[1]).sqrt();
        let (mut low, mut high) = (0.0, length(self.k));
        let mut shift = high;
        for _ in 0..ROUNDS {
            let r = self.solve(friction, shift, self.k);
            let size = length(r);
            if size > 1.0 {
                low = shift;
            } else {
                high = shift;
            }
            // Newton for 1/|r| − 1 = 0, which is concave and rises: d|r|/dλ = −r·(μ K_tt + λ)⁻¹ r
            // / |r|
            let q = self.solve(friction, shift, r);
            let next = shift + (size - 1.0) * size * size / (r[0] * q[0] + r[1] * q[1]);
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            if (size - 1.0).abs() < 1e-15 || next == shift || high - low <= f64::EPSILON * high {
                break;
            }
            shift = next;
        }
        let r = self.solve(friction, shift, self.k);
        Vec3::new(r[0], r[1], 0.0).normalize_or_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::slip::Slip;
    use crate::math::{fun, skew};
    use proptest::prelude::*;

    /// The collision matrix of a rod of 1 kg and moments (i, j, l) with a random arm.
    fn matrix(arm: Vec3, inverse: Vec3) -> Mat3 {
        let r = skew(arm);
        Mat3::IDENTITY - r * Mat3::from_diagonal(inverse) * r
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]
        /// Theorem 5.7, checked as the reference runs for Lennerz 2000 did: by the signs of h on a
        /// fine circle. Stable: no diverging ray; unstable: exactly one.
        #[test]
        fn there_is_one_diverging_ray_exactly_if_sticking_is_unstable(
            arm in prop::array::uniform3(-1.0..1.0f64), inverse in prop::array::uniform3(0.2..20.0f64), mu in 0.01..1.5f64
        ) {
            let k = matrix(Vec3::from_array(arm), Vec3::from_array(inverse));
            let k = k * (1.0 / k.x_axis.x.max(k.y_axis.y).max(k.z_axis.z));
            let tangent = Tangent::new(&k);
            // (5.15) literally
            let i = k.inverse();
            let (lhs, rhs) = (i.z_axis.x.powi(2) + i.z_axis.y.powi(2), (mu * i.z_axis.z).powi(2));
            prop_assume!((lhs - rhs).abs() > 1e-6 * rhs);
            prop_assert_eq!(tangent.is_stable(mu), lhs <= rhs);
            let slip = Slip::new(k, mu);
            let at = |n: usize| {
                let (w, c) = fun::sin_cos(n as f64 * std::f64::consts::TAU / 20_000.0);
                let a = slip.rate(c, w);
                (a.y * c - a.x * w, a.x * c + a.y * w, c, w)
            };
            let rays: Vec<_> = (0..20_000).filter(|&n| at(n).0 * at(n + 1).0 <= 0.0 && at(n).1 > 0.0).collect();
            if lhs <= rhs {
                prop_assert!(rays.is_empty());
            } else {
                prop_assert_eq!(rays.len(), 1);
                let ray = tangent.diverging_ray(mu);
                let (_, _, c, w) = at(rays[0]);
                prop_assert!((ray - Vec3::new(c, w, 0.0)).length() < 4e-4);
                let a = slip.rate(ray.x, ray.y);
                prop_assert!((a.y * ray.x - a.x * ray.y).abs() < 1e-13 && a.x * ray.x + a.y * ray.y > 0.0);
            }
        }
    }

    #[test]
    fn a_planar_contact_may_leave_backwards() {
        // β = π, which the substitution t = tan(β/2) loses: K₁₂ = K₂₃ = 0, K₁₃ < 0
        let k = Mat3::from_cols(
            Vec3::new(0.8, 0.0, -0.5),
            Vec3::new(0.0, 1.0, 0.0),
            Vec3::new(-0.5, 0.0, 0.6),
        );
        let tangent = Tangent::new(&k);
        assert!(!tangent.is_stable(0.2));
        assert_eq!(tangent.diverging_ray(0.2), -Vec3::X);
        // and without friction the slip goes where the normal impulse drives it
        assert_eq!(tangent.diverging_ray(0.0), -Vec3::X);
    }
}
