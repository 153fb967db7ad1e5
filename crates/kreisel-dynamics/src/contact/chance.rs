//! Chance that follows from a pair alone, so that it is the same in every run: choices where
//! nothing else decides.

use crate::math::Vec3;

/// Next number of a sequence that looks random (splitmix64, Steele et al. 2014).
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = *seed;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn seed([a, b]: [u32; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// A number from 0 to 1, without 1.
fn unit(x: u64) -> f64 {
    (x >> 11) as f64 / (1u64 << 53) as f64
}

/// A number from 0 to 1 of a pair.
pub(super) fn number(pair: [u32; 2]) -> f64 {
    unit(next(&mut seed(pair)))
}

/// A unit vector of a pair; those of many pairs are spread evenly over the sphere.
pub(super) fn direction(pair: [u32; 2]) -> Vec3 {
    let mut seed = seed(pair);
    // points of a cube that lie in the ball; half of them do
    for _ in 0..64 {
        let v = Vec3::from_array([(); 3].map(|()| 2.0 * unit(next(&mut seed)) - 1.0));
        let square = v.length_squared();
        if square > 1e-4 && square <= 1.0 {
            return v / square.sqrt();
        }
    }
    Vec3::Z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evenly spread directions have mean 0 and second moments 1/3; both to within four standard
    /// errors of 10,000 draws.
    #[test]
    fn directions_of_pairs_are_spread_over_the_sphere() {
        let n = 10_000_u32;
        let (mut mean, mut square) = (Vec3::ZERO, Vec3::ZERO);
        for i in 0..n {
            let v = direction([i / 100, 100 + i % 100]);
            assert!((v.length() - 1.0).abs() < 1e-15);
            mean += v / f64::from(n);
            square += v * v / f64::from(n);
        }
        assert!(mean.abs().max_element() < 4.0 * (1.0 / 3.0 / f64::from(n)).sqrt(), "{mean}");
        // the variance of the square of a coordinate is 1/5 − 1/9
        let error = (square - Vec3::splat(1.0 / 3.0)).abs().max_element();
        assert!(error < 4.0 * ((0.2 - 1.0 / 9.0) / f64::from(n)).sqrt(), "{square}");
    }
}
