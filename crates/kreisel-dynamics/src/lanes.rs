//! Four numbers at a time.
//!
//! Plain arrays and plain operators: the compiler turns them into two SSE2 or one AVX2 instruction,
//! depending on the function they are inlined into (see [`crate::simd`]). Closures are avoided
//! here: they would not be inlined there. No fused multiply-add is used, so that every lane rounds
//! exactly as scalar code does and all builds give the same bits. For pages, whose compiler does
//! not find the instructions, they are written by hand ([`crate::simd`]).

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// Number of lanes.
pub(crate) const LANES: usize = 4;

/// Four numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[repr(align(32))]
pub(crate) struct F4(pub [f64; LANES]);

/// Eight numbers of single precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub(crate) struct S8(pub [f32; 8]);

/// What kernels do with several numbers at a time.
pub(crate) trait Lanes:
    Copy
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + Send
    + Sync
    + std::fmt::Debug
{
    const ZERO: Self;
    /// How many times four numbers.
    const FOURS: usize;
    fn splat(x: f64) -> Self;
    fn max(self, o: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn where_larger(self, than: Self, yes: Self, no: Self) -> Self;
    fn inverse(self) -> Self;
    fn largest(self) -> f64;
    /// Four of the numbers, in double precision.
    fn four(&self, q: usize) -> F4;
    /// Sets four of the numbers.
    fn set_four(&mut self, q: usize, x: F4);
    /// One number.
    fn lane(&self, l: usize) -> f64;
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::simd::wasm as by;

/// The first expression where lanes are written by hand, the second elsewhere.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
macro_rules! by_hand {
    ($hand:expr, $plain:expr) => {
        $hand
    };
}
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
macro_rules! by_hand {
    ($hand:expr, $plain:expr) => {
        $plain
    };
}

macro_rules! operator {
    ($trait:ident, $verb:ident, $sign:tt, $name:ident, $number:ident, $($i:literal)*) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $verb(self, o: Self) -> Self {
                by_hand!(Self(by::$number::$verb(self.0, o.0)), Self([$(self.0[$i] $sign o.0[$i]),*]))
            }
        }
    };
}

macro_rules! lanes {
    ($name:ident, $number:ident, $n:literal, $($i:literal)*) => {
        impl $name {
            pub const ZERO: Self = Self([0.0; $n]);

            #[inline(always)]
            pub fn splat(x: f64) -> Self {
                by_hand!(Self(by::$number::splat(x as $number)), Self([x as $number; $n]))
            }

            /// The larger number of each lane (the second where one is not a number).
            #[inline(always)]
            pub fn max(self, o: Self) -> Self {
                let (a, b) = (self.0, o.0);
                by_hand!(
                    Self(by::$number::max(a, b)),
                    Self([$(if a[$i] > b[$i] { a[$i] } else { b[$i] }),*])
                )
            }

            /// Sizes.
            #[inline(always)]
            pub fn abs(self) -> Self {
                by_hand!(Self(by::$number::abs(self.0)), Self([$(self.0[$i].abs()),*]))
            }

            /// Square roots.
            #[inline(always)]
            pub fn sqrt(self) -> Self {
                by_hand!(Self(by::$number::sqrt(self.0)), Self([$(self.0[$i].sqrt()),*]))
            }

            /// Per lane `yes` where the first number is larger, `no` elsewhere.
            #[inline(always)]
            pub fn where_larger(self, than: Self, yes: Self, no: Self) -> Self {
                let (a, b, y, n) = (self.0, than.0, yes.0, no.0);
                by_hand!(
                    Self(by::$number::where_larger(a, b, y, n)),
                    Self([$(if a[$i] > b[$i] { y[$i] } else { n[$i] }),*])
                )
            }

            /// 1/x, and 0 where there is nothing to divide by.
            #[inline(always)]
            pub fn inverse(self) -> Self {
                self.where_larger(Self::ZERO, Self::splat(1.0) / self, Self::ZERO)
            }
        }

        impl Lanes for $name {
            const ZERO: Self = Self::ZERO;
            const FOURS: usize = $n / LANES;

            #[inline(always)]
            fn splat(x: f64) -> Self {
                Self::splat(x)
            }

            #[inline(always)]
            fn max(self, o: Self) -> Self {
                self.max(o)
            }

            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }

            #[inline(always)]
            fn where_larger(self, than: Self, yes: Self, no: Self) -> Self {
                self.where_larger(than, yes, no)
            }

            #[inline(always)]
            fn inverse(self) -> Self {
                self.inverse()
            }

            #[inline(always)]
            fn largest(self) -> f64 {
                self.largest()
            }

            #[inline(always)]
            fn four(&self, q: usize) -> F4 {
                F4([0, 1, 2, 3].map(|l| f64::from(self.0[LANES * q + l])))
            }

            #[inline(always)]
            fn set_four(&mut self, q: usize, x: F4) {
                for l in 0..LANES {
                    self.0[LANES * q + l] = x.0[l] as $number;
                }
            }

            #[inline(always)]
            fn lane(&self, l: usize) -> f64 {
                f64::from(self.0[l])
            }
        }

        operator!(Add, add, +, $name, $number, $($i)*);
        operator!(Sub, sub, -, $name, $number, $($i)*);
        operator!(Mul, mul, *, $name, $number, $($i)*);
        operator!(Div, div, /, $name, $number, $($i)*);

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self::ZERO - self
            }
        }

        impl AddAssign for $name {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
    };
}

lanes!(F4, f64, 4, 0 1 2 3);
lanes!(S8, f32, 8, 0 1 2 3 4 5 6 7);

impl S8 {
    /// Two times four numbers, rounded.
    #[inline(always)]
    pub fn of(x: [F4; 2]) -> Self {
        let [a, b] = [x[0].0, x[1].0];
        Self([
            a[0] as f32,
            a[1] as f32,
            a[2] as f32,
            a[3] as f32,
            b[0] as f32,
            b[1] as f32,
            b[2] as f32,
            b[3] as f32,
        ])
    }

    /// The largest lane.
    #[inline(always)]
    pub fn largest(self) -> f64 {
        let a = self.0;
        let four = [0, 1, 2, 3].map(|i| if a[i] > a[i + 4] { a[i] } else { a[i + 4] });
        let (x, y) = (four[0].max(four[1]), four[2].max(four[3]));
        f64::from(x.max(y))
    }
}

impl F4 {
    /// The smaller number of each lane (the second where one is not a number).
    #[inline(always)]
    pub fn min(self, o: Self) -> Self {
        self.where_larger(o, o, self)
    }

    /// The largest lane.
    #[inline(always)]
    pub fn largest(self) -> f64 {
        let a = self.0;
        let (x, y) = (if a[0] > a[1] { a[0] } else { a[1] }, if a[2] > a[3] { a[2] } else { a[3] });
        if x > y { x } else { y }
    }

    /// Four numbers of a list from `at` on.
    #[inline(always)]
    pub fn of(values: &[f64], at: usize) -> Self {
        let v = &values[at..at + LANES];
        if cfg!(target_arch = "wasm32") {
            // one by one they would stay apart
            let mut four = Self::ZERO;
            four.0.copy_from_slice(v);
            return four;
        }
        Self([v[0], v[1], v[2], v[3]])
    }

    /// Sum of the lanes.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        (self.0[0] + self.0[1]) + (self.0[2] + self.0[3])
    }

    /// Columns of four rows.
    #[inline(always)]
    pub fn transpose([a, b, c, d]: [&Self; 4]) -> [Self; 4] {
        [
            Self([a.0[0], b.0[0], c.0[0], d.0[0]]),
            Self([a.0[1], b.0[1], c.0[1], d.0[1]]),
            Self([a.0[2], b.0[2], c.0[2], d.0[2]]),
            Self([a.0[3], b.0[3], c.0[3], d.0[3]]),
        ]
    }

    /// First three columns of four rows.
    #[inline(always)]
    pub fn transpose3(a: &Self, b: &Self, c: &Self, d: &Self) -> [Self; 3] {
        [
            Self([a.0[0], b.0[0], c.0[0], d.0[0]]),
            Self([a.0[1], b.0[1], c.0[1], d.0[1]]),
            Self([a.0[2], b.0[2], c.0[2], d.0[2]]),
        ]
    }

    /// Four rows from three columns; the fourth entry is zero.
    #[inline(always)]
    pub fn transpose4(v: [Self; 3]) -> [Self; 4] {
        [
            Self([v[0].0[0], v[1].0[0], v[2].0[0], 0.0]),
            Self([v[0].0[1], v[1].0[1], v[2].0[1], 0.0]),
            Self([v[0].0[2], v[1].0[2], v[2].0[2], 0.0]),
            Self([v[0].0[3], v[1].0[3], v[2].0[3], 0.0]),
        ]
    }
}

/// Product of two triples, entry by entry.
#[inline(always)]
pub(crate) fn times(a: [F4; 3], b: [F4; 3]) -> [F4; 3] {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// a + k b.
#[inline(always)]
pub(crate) fn add_scaled(a: [F4; 3], k: F4, b: [F4; 3]) -> [F4; 3] {
    [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]]
}

/// Four lanes of a triple.
#[inline(always)]
pub(crate) fn three<N: Lanes>(x: &[N; 3], q: usize) -> [F4; 3] {
    [x[0].four(q), x[1].four(q), x[2].four(q)]
}

/// Sets four lanes of a triple.
#[inline(always)]
pub(crate) fn set_three<N: Lanes>(to: &mut [N; 3], q: usize, x: [F4; 3]) {
    for i in 0..3 {
        to[i].set_four(q, x[i]);
    }
}

/// Dot product of two triples.
#[inline(always)]
pub(crate) fn dot<N: Lanes>(a: [N; 3], b: [N; 3]) -> N {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Product of the matrix with columns r[0..3], r[3..6], r[6..9] and a vector.
#[inline(always)]
pub(crate) fn mat_vec(r: &[F4; 9], v: [F4; 3]) -> [F4; 3] {
    [
        r[0] * v[0] + r[3] * v[1] + r[6] * v[2],
        r[1] * v[0] + r[4] * v[1] + r[7] * v[2],
        r[2] * v[0] + r[5] * v[1] + r[8] * v[2],
    ]
}

/// Product of the transposed matrix and a vector.
#[inline(always)]
pub(crate) fn mat_t_vec(r: &[F4; 9], v: [F4; 3]) -> [F4; 3] {
    [
        r[0] * v[0] + r[1] * v[1] + r[2] * v[2],
        r[3] * v[0] + r[4] * v[1] + r[5] * v[2],
        r[6] * v[0] + r[7] * v[1] + r[8] * v[2],
    ]
}

/// Hamilton product of quaternions (x, y, z, w).
#[inline(always)]
pub(crate) fn quat_mul(a: [F4; 4], b: [F4; 4]) -> [F4; 4] {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// Rotation matrix (columns) of a unit quaternion.
#[inline(always)]
pub(crate) fn quat_matrix(q: [F4; 4]) -> [F4; 9] {
    let [x, y, z, w] = q;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let one = F4::splat(1.0);
    [
        one - (yy + zz),
        xy + wz,
        xz - wy,
        xy - wz,
        one - (xx + zz),
        yz + wx,
        xz + wy,
        yz - wx,
        one - (xx + yy),
    ]
}

/// Cosine of √u and sine of √u divided by √u, both entire functions of u, so that no root is
/// needed.
///
/// Horner form of the power series, exact to rounding for u ≤ 1; larger arguments go through the
/// pinned library functions, lane by lane, so that a lane's result never depends on its neighbours.
#[inline(always)]
pub(crate) fn cos_sinc(u: F4) -> (F4, F4) {
    // 1/(2k)! and 1/(2k+1)! with alternating sign
    const C: [f64; 10] = [
        1.0,
        -0.5,
        1.0 / 24.0,
        -1.0 / 720.0,
        1.0 / 40320.0,
        -1.0 / 3_628_800.0,
        1.0 / 479_001_600.0,
        -1.0 / 87_178_291_200.0,
        1.0 / 20_922_789_888_000.0,
        -1.0 / 6_402_373_705_728_000.0,
    ];
    const S: [f64; 10] = [
        1.0,
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 1_307_674_368_000.0,
        1.0 / 355_687_428_096_000.0,
        -1.0 / 121_645_100_408_832_000.0,
    ];
    let (mut c, mut s) = (F4::splat(C[9]), F4::splat(S[9]));
    for k in (0..9).rev() {
        c = c * u + F4::splat(C[k]);
        s = s * u + F4::splat(S[k]);
    }
    if u.0[0] > 1.0 || u.0[1] > 1.0 || u.0[2] > 1.0 || u.0[3] > 1.0 {
        for k in 0..LANES {
            if u.0[k] > 1.0 {
                let x = u.0[k].sqrt();
                let (sin, cos) = libm::sincos(x);
                c.0[k] = cos;
                s.0[k] = sin / x;
            }
        }
    }
    (c, s)
}

/// Quaternion of a rotation vector.
#[inline(always)]
pub(crate) fn quat_exp(theta: [F4; 3]) -> [F4; 4] {
    let h = F4::splat(0.5);
    let half = [theta[0] * h, theta[1] * h, theta[2] * h];
    let (c, s) = cos_sinc(dot(half, half));
    [half[0] * s, half[1] * s, half[2] * s, c]
}

/// Brings a nearly normalised quaternion to length 1: one Newton step for 1/√n.
#[inline(always)]
pub(crate) fn quat_normalize(q: [F4; 4]) -> [F4; 4] {
    let n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    let k = F4::splat(1.5) - F4::splat(0.5) * n;
    [q[0] * k, q[1] * k, q[2] * k, q[3] * k]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_and_library_agree_on_both_sides_of_the_switch() {
        for x in [0.0, 1e-9, 0.3, 0.999, 1.0, 1.001, 2.0, 5.0] {
            let (c, s) = cos_sinc(F4([x * x, 0.0, 0.5, 4.0]));
            let expected = if x > 0.0 { x.sin() / x } else { 1.0 };
            assert!((c.0[0] - x.cos()).abs() < 3e-16, "cos {x}");
            assert!((s.0[0] - expected).abs() < 3e-16, "sinc {x}");
        }
    }

    #[test]
    fn a_lane_does_not_depend_on_its_neighbours() {
        let (a, _) = cos_sinc(F4([0.25, 0.0, 0.0, 0.0]));
        let (b, _) = cos_sinc(F4([0.25, 9.0, 100.0, 1.5]));
        assert_eq!(a.0[0].to_bits(), b.0[0].to_bits());
    }
}
