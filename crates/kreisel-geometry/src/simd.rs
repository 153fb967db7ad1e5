//! Four `f64` at a time, with AVX2 where the processor has it.
//!
//! `dispatch` runs a `Kernel` compiled for AVX2 when the machine has it and for the baseline
//! otherwise; the choice is made at run time, by the crate `pulp`, without `unsafe` here. Both
//! versions execute the same IEEE operations in the same order (no fused multiply-add), so they
//! give the same bits.
//!
//! Everything in a kernel must be `#[inline(always)]`: a function that is not inlined is compiled
//! for the baseline. This holds for closures, too, which cannot carry the attribute: kernels have
//! none on their hot paths.

use std::ops::{Add, Mul, Sub};
use std::sync::atomic::{AtomicBool, Ordering};

/// Set while vector instructions are not wanted.
static BASELINE: AtomicBool = AtomicBool::new(false);

/// Whether the AVX2 build of the kernels is used.
pub fn avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return !BASELINE.load(Ordering::Relaxed) && pulp::x86::V3::try_new().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Switches the AVX2 kernels off (for comparisons), or back to what the processor has. Results do
/// not change.
pub fn force_baseline(baseline: bool) {
    BASELINE.store(baseline, Ordering::Relaxed);
}

/// The operations of one instruction set on four lanes.
pub(crate) trait Lanes: Copy {
    /// Four numbers.
    type F: Copy;
    fn load(self, x: [f64; 4]) -> Self::F;
    fn store(self, x: Self::F) -> [f64; 4];
    fn splat(self, x: f64) -> Self::F;
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    fn div(self, a: Self::F, b: Self::F) -> Self::F;
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    fn abs(self, a: Self::F) -> Self::F;
    fn sqrt(self, a: Self::F) -> Self::F;
    /// Lane by lane: a < b ? x : y.
    fn select_lt(self, a: Self::F, b: Self::F, x: Self::F, y: Self::F) -> Self::F;
}

/// Plain arrays, which the compiler turns into what the target's baseline has.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

macro_rules! lanewise {
    ($a:ident, $b:ident, $e:expr) => {{
        let f = $e;
        [f($a[0], $b[0]), f($a[1], $b[1]), f($a[2], $b[2]), f($a[3], $b[3])]
    }};
}

impl Lanes for Portable {
    type F = [f64; 4];
    #[inline(always)]
    fn load(self, x: [f64; 4]) -> [f64; 4] {
        x
    }
    #[inline(always)]
    fn store(self, x: [f64; 4]) -> [f64; 4] {
        x
    }
    #[inline(always)]
    fn splat(self, x: f64) -> [f64; 4] {
        [x; 4]
    }
    #[inline(always)]
    fn add(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        lanewise!(a, b, |x: f64, y: f64| x + y)
    }
    #[inline(always)]
    fn sub(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        lanewise!(a, b, |x: f64, y: f64| x - y)
    }
    #[inline(always)]
    fn mul(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        lanewise!(a, b, |x: f64, y: f64| x * y)
    }
    #[inline(always)]
    fn div(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        lanewise!(a, b, |x: f64, y: f64| x / y)
    }
    // as the instructions minpd and maxpd do it: the second operand if the comparison fails
    #[inline(always)]
    fn min(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        lanewise!(a, b, |x: f64, y: f64| if x < y { x } else { y })
    }
    #[inline(always)]
    fn max(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        lanewise!(a, b, |x: f64, y: f64| if x > y { x } else { y })
    }
    #[inline(always)]
    fn abs(self, a: [f64; 4]) -> [f64; 4] {
        a.map(f64::abs)
    }
    #[inline(always)]
    fn sqrt(self, a: [f64; 4]) -> [f64; 4] {
        [a[0].sqrt(), a[1].sqrt(), a[2].sqrt(), a[3].sqrt()]
    }
    #[inline(always)]
    fn select_lt(self, a: [f64; 4], b: [f64; 4], x: [f64; 4], y: [f64; 4]) -> [f64; 4] {
        let pick = |i: usize| if a[i] < b[i] { x[i] } else { y[i] };
        [pick(0), pick(1), pick(2), pick(3)]
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Lanes;
    use pulp::x86::V3;
    use pulp::{Simd, f64x4};

    impl Lanes for V3 {
        type F = f64x4;
        #[inline(always)]
        fn load(self, x: [f64; 4]) -> f64x4 {
            f64x4(x[0], x[1], x[2], x[3])
        }
        #[inline(always)]
        fn store(self, x: f64x4) -> [f64; 4] {
            [x.0, x.1, x.2, x.3]
        }
        #[inline(always)]
        fn splat(self, x: f64) -> f64x4 {
            self.splat_f64x4(x)
        }
        #[inline(always)]
        fn add(self, a: f64x4, b: f64x4) -> f64x4 {
            self.add_f64s(a, b)
        }
        #[inline(always)]
        fn sub(self, a: f64x4, b: f64x4) -> f64x4 {
            self.sub_f64s(a, b)
        }
        #[inline(always)]
        fn mul(self, a: f64x4, b: f64x4) -> f64x4 {
            self.mul_f64s(a, b)
        }
        #[inline(always)]
        fn div(self, a: f64x4, b: f64x4) -> f64x4 {
            self.div_f64s(a, b)
        }
        #[inline(always)]
        fn min(self, a: f64x4, b: f64x4) -> f64x4 {
            self.min_f64s(a, b)
        }
        #[inline(always)]
        fn max(self, a: f64x4, b: f64x4) -> f64x4 {
            self.max_f64s(a, b)
        }
        #[inline(always)]
        fn abs(self, a: f64x4) -> f64x4 {
            self.abs_f64x4(a)
        }
        #[inline(always)]
        fn sqrt(self, a: f64x4) -> f64x4 {
            self.sqrt_f64s(a)
        }
        #[inline(always)]
        fn select_lt(self, a: f64x4, b: f64x4, x: f64x4, y: f64x4) -> f64x4 {
            self.select_f64x4(self.cmp_lt_f64x4(a, b), x, y)
        }
    }
}

/// Something that is computed with four lanes of any instruction set.
pub(crate) trait Kernel {
    type Output;
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Runs a kernel with the best instruction set of this machine.
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new().filter(|_| !BASELINE.load(Ordering::Relaxed)) {
        struct Call<K>(K, pulp::x86::V3);
        impl<K: Kernel> pulp::NullaryFnOnce for Call<K> {
            type Output = K::Output;
            #[inline(always)]
            fn call(self) -> K::Output {
                self.0.run(self.1)
            }
        }
        return v3.vectorize(Call(kernel, v3));
    }
    kernel.run(Portable)
}

/// Four numbers with operators.
#[derive(Clone, Copy)]
pub(crate) struct F4<L: Lanes>(L, L::F);

impl<L: Lanes> F4<L> {
    #[inline(always)]
    pub(crate) fn load(l: L, x: [f64; 4]) -> Self {
        Self(l, l.load(x))
    }
    #[inline(always)]
    pub(crate) fn splat(l: L, x: f64) -> Self {
        Self(l, l.splat(x))
    }
    #[inline(always)]
    pub(crate) fn store(self) -> [f64; 4] {
        self.0.store(self.1)
    }
    #[inline(always)]
    pub(crate) fn min(self, other: Self) -> Self {
        Self(self.0, self.0.min(self.1, other.1))
    }
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        Self(self.0, self.0.max(self.1, other.1))
    }
    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        Self(self.0, self.0.abs(self.1))
    }
    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        Self(self.0, self.0.sqrt(self.1))
    }
    #[inline(always)]
    pub(crate) fn div(self, other: Self) -> Self {
        Self(self.0, self.0.div(self.1, other.1))
    }
    /// Lane by lane: self < other ? x : y.
    #[inline(always)]
    pub(crate) fn select_lt(self, other: Self, x: Self, y: Self) -> Self {
        Self(self.0, self.0.select_lt(self.1, other.1, x.1, y.1))
    }
    #[inline(always)]
    pub(crate) fn zero(self) -> Self {
        Self::splat(self.0, 0.0)
    }
    #[inline(always)]
    pub(crate) fn one(self) -> Self {
        Self::splat(self.0, 1.0)
    }
    #[inline(always)]
    pub(crate) fn clamp01(self) -> Self {
        self.max(self.zero()).min(self.one())
    }
}

impl<L: Lanes> Add for F4<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0, self.0.add(self.1, other.1))
    }
}

impl<L: Lanes> Sub for F4<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0, self.0.sub(self.1, other.1))
    }
}

impl<L: Lanes> Mul for F4<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0, self.0.mul(self.1, other.1))
    }
}

/// Four vectors.
#[derive(Clone, Copy)]
pub(crate) struct V4<L: Lanes> {
    pub(crate) x: F4<L>,
    pub(crate) y: F4<L>,
    pub(crate) z: F4<L>,
}

impl<L: Lanes> V4<L> {
    #[inline(always)]
    pub(crate) fn load(l: L, v: &[[f64; 4]; 3]) -> Self {
        Self { x: F4::load(l, v[0]), y: F4::load(l, v[1]), z: F4::load(l, v[2]) }
    }
    #[inline(always)]
    pub(crate) fn splat(l: L, v: [f64; 3]) -> Self {
        Self { x: F4::splat(l, v[0]), y: F4::splat(l, v[1]), z: F4::splat(l, v[2]) }
    }
    /// Lane `i` of a block of vectors, four times.
    #[inline(always)]
    pub(crate) fn lane(l: L, v: &[[f64; 4]; 3], i: usize) -> Self {
        Self::splat(l, [v[0][i], v[1][i], v[2][i]])
    }
    /// Three blocks of vectors.
    #[inline(always)]
    pub(crate) fn load3(l: L, v: &[[[f64; 4]; 3]; 3]) -> [Self; 3] {
        [Self::load(l, &v[0]), Self::load(l, &v[1]), Self::load(l, &v[2])]
    }
    /// Lane `i` of three blocks of vectors, four times.
    #[inline(always)]
    pub(crate) fn lane3(l: L, v: &[[[f64; 4]; 3]; 3], i: usize) -> [Self; 3] {
        [Self::lane(l, &v[0], i), Self::lane(l, &v[1], i), Self::lane(l, &v[2], i)]
    }
    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> F4<L> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
    #[inline(always)]
    pub(crate) fn scaled(self, s: F4<L>) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s }
    }
    #[inline(always)]
    pub(crate) fn store(self) -> [[f64; 4]; 3] {
        [self.x.store(), self.y.store(), self.z.store()]
    }
}

impl<L: Lanes> Add for V4<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<L: Lanes> Sub for V4<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

/// A rigid motion for four vectors: the columns of the rotation and the translation.
#[derive(Clone, Copy)]
pub(crate) struct Motion4<L: Lanes> {
    columns: [V4<L>; 3],
    translation: V4<L>,
}

impl<L: Lanes> Motion4<L> {
    #[inline(always)]
    pub(crate) fn new(l: L, pose: &crate::Pose) -> Self {
        let m = pose.matrix();
        let (x, y, z) = (m.x_axis.to_array(), m.y_axis.to_array(), m.z_axis.to_array());
        Self {
            columns: [V4::splat(l, x), V4::splat(l, y), V4::splat(l, z)],
            translation: V4::splat(l, pose.position.to_array()),
        }
    }
    #[inline(always)]
    pub(crate) fn direction(&self, v: V4<L>) -> V4<L> {
        let [a, b, c] = self.columns;
        a.scaled(v.x) + b.scaled(v.y) + c.scaled(v.z)
    }
    #[inline(always)]
    pub(crate) fn point(&self, v: V4<L>) -> V4<L> {
        self.direction(v) + self.translation
    }
    #[inline(always)]
    pub(crate) fn directions(&self, l: L, v: &[[[f64; 4]; 3]; 3]) -> [[[f64; 4]; 3]; 3] {
        let [a, b, c] = V4::load3(l, v);
        [self.direction(a).store(), self.direction(b).store(), self.direction(c).store()]
    }
    #[inline(always)]
    pub(crate) fn points(&self, l: L, v: &[[[f64; 4]; 3]; 3]) -> [[[f64; 4]; 3]; 3] {
        let [a, b, c] = V4::load3(l, v);
        [self.point(a).store(), self.point(b).store(), self.point(c).store()]
    }
}
