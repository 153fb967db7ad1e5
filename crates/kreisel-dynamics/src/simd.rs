//! The one place with `unsafe`: choosing, at run time, the AVX2 build of a hot kernel.
//!
//! A kernel is an `#[inline(always)]` function over plain arrays. The macro makes two copies of it,
//! one for the baseline and one with `#[target_feature(enable = "avx2")]`, and calls the second
//! when the processor has AVX2. Neither copy uses fused multiply-add, so that both give the same
//! bits (`tests/simd.rs` compares them). A page has no choice at run time: there the module is
//! built for its 128-bit registers, which [`wasm`] uses by hand.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

/// Variable of the environment that keeps kernels to the baseline: for machines and tools that only
/// claim to know AVX2.
const PORTABLE: &str = "KREISEL_PORTABLE";

/// 0 unknown, 1 baseline, 2 AVX2.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// Whether AVX2 kernels are used.
#[inline]
pub fn avx2() -> bool {
    match LEVEL.load(Ordering::Relaxed) {
        0 => detect(),
        level => level == 2,
    }
}

#[cold]
fn detect() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    let has = has && std::env::var_os(PORTABLE).is_none();
    LEVEL.store(1 + u8::from(has), Ordering::Relaxed);
    has
}

/// Switches AVX2 kernels off (for comparisons) or back to what the processor has. Results do not
/// change.
pub fn force_baseline(baseline: bool) {
    LEVEL.store(u8::from(baseline), Ordering::Relaxed);
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod wasm;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use wasm as register;

/// Four numbers in one register, for the few places where the compiler does not find the
/// instructions by itself.
#[cfg(target_arch = "x86_64")]
pub(crate) mod register {
    use crate::lanes::{F4, S8};
    use std::arch::x86_64::{
        __m256, __m256d, _mm256_load_pd, _mm256_load_ps, _mm256_permute2f128_pd,
        _mm256_permute2f128_ps, _mm256_setzero_pd, _mm256_setzero_ps, _mm256_shuffle_ps,
        _mm256_store_pd, _mm256_store_ps, _mm256_unpackhi_pd, _mm256_unpackhi_ps,
        _mm256_unpacklo_pd, _mm256_unpacklo_ps,
    };

    #[target_feature(enable = "avx2")]
    fn load(x: &F4) -> __m256d {
        // SAFETY: `F4` is four numbers, aligned to 32 bytes.
        unsafe { _mm256_load_pd(x.0.as_ptr()) }
    }

    #[target_feature(enable = "avx2")]
    fn store(x: __m256d, to: &mut F4) {
        // SAFETY: as above.
        unsafe { _mm256_store_pd(to.0.as_mut_ptr(), x) }
    }

    /// Columns of four rows: as [`F4::transpose`].
    #[target_feature(enable = "avx2")]
    pub fn transpose(rows: [&F4; 4]) -> [F4; 4] {
        let [a, b, c, d] = [load(rows[0]), load(rows[1]), load(rows[2]), load(rows[3])];
        let mut columns = [F4::ZERO; 4];
        let (low, high) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
        store(_mm256_permute2f128_pd::<0x20>(low, high), &mut columns[0]);
        store(_mm256_permute2f128_pd::<0x31>(low, high), &mut columns[2]);
        let (low, high) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
        store(_mm256_permute2f128_pd::<0x20>(low, high), &mut columns[1]);
        store(_mm256_permute2f128_pd::<0x31>(low, high), &mut columns[3]);
        columns
    }

    /// First three columns of four rows: as [`F4::transpose3`].
    #[target_feature(enable = "avx2")]
    pub fn transpose3(rows: [&F4; 4], columns: &mut [F4; 3]) {
        let [a, b, c, d] = [load(rows[0]), load(rows[1]), load(rows[2]), load(rows[3])];
        let (low, high) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
        store(_mm256_permute2f128_pd::<0x20>(low, high), &mut columns[0]);
        store(_mm256_permute2f128_pd::<0x31>(low, high), &mut columns[2]);
        let (low, high) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
        store(_mm256_permute2f128_pd::<0x20>(low, high), &mut columns[1]);
    }

    /// Four rows from three columns, the fourth entry of each zero: as [`F4::transpose4`].
    #[target_feature(enable = "avx2")]
    pub fn transpose4(columns: &[F4; 3]) -> [F4; 4] {
        let [x, y, z] = [load(&columns[0]), load(&columns[1]), load(&columns[2])];
        let mut rows = [F4::ZERO; 4];
        let (low, high) = (_mm256_unpacklo_pd(x, y), _mm256_unpacklo_pd(z, _mm256_setzero_pd()));
        store(_mm256_permute2f128_pd::<0x20>(low, high), &mut rows[0]);
        store(_mm256_permute2f128_pd::<0x31>(low, high), &mut rows[2]);
        let (low, high) = (_mm256_unpackhi_pd(x, y), _mm256_unpackhi_pd(z, _mm256_setzero_pd()));
        store(_mm256_permute2f128_pd::<0x20>(low, high), &mut rows[1]);
        store(_mm256_permute2f128_pd::<0x31>(low, high), &mut rows[3]);
        rows
    }

    #[target_feature(enable = "avx2")]
    fn load8(x: &S8) -> __m256 {
        // SAFETY: `S8` is eight numbers, aligned to 32 bytes.
        unsafe { _mm256_load_ps(x.0.as_ptr()) }
    }

    #[target_feature(enable = "avx2")]
    fn store8(x: __m256, to: &mut S8) {
        // SAFETY: as above.
        unsafe { _mm256_store_ps(to.0.as_mut_ptr(), x) }
    }

    /// Columns 0 to 2 and 4 to 6 of eight rows.
    #[target_feature(enable = "avx2")]
    pub fn columns(rows: [&S8; 8], first: &mut [S8; 3], second: &mut [S8; 3]) {
        let [a, b, c, d, e, f, g, h] = rows;
        let (a, b, c, d, e, f, g, h) =
            (load8(a), load8(b), load8(c), load8(d), load8(e), load8(f), load8(g), load8(h));
        // of rows a to d, then of e to h: columns 0 and 4, 1 and 5, 2 and 6
        let (low, high) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let (x, y) = (_mm256_shuffle_ps::<0x44>(low, high), _mm256_shuffle_ps::<0xee>(low, high));
        let z = _mm256_shuffle_ps::<0x44>(_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        let (low, high) = (_mm256_unpacklo_ps(e, f), _mm256_unpacklo_ps(g, h));
        let (u, v) = (_mm256_shuffle_ps::<0x44>(low, high), _mm256_shuffle_ps::<0xee>(low, high));
        let w = _mm256_shuffle_ps::<0x44>(_mm256_unpackhi_ps(e, f), _mm256_unpackhi_ps(g, h));
        for (k, (p, q)) in [(x, u), (y, v), (z, w)].into_iter().enumerate() {
            store8(_mm256_permute2f128_ps::<0x20>(p, q), &mut first[k]);
            store8(_mm256_permute2f128_ps::<0x31>(p, q), &mut second[k]);
        }
    }

    /// Eight rows from columns 0 to 2 and 4 to 6; the others are zero.
    #[target_feature(enable = "avx2")]
    pub fn rows(first: &[S8; 3], second: &[S8; 3]) -> [S8; 8] {
        let zero = _mm256_setzero_ps();
        let mut rows = [S8::ZERO; 8];
        let mut halves = [[zero; 4]; 2];
        for (half, [x, y, z]) in halves.iter_mut().zip([first, second]) {
            let (x, y, z) = (load8(x), load8(y), load8(z));
            let (low, high) = (_mm256_unpacklo_ps(x, y), _mm256_unpacklo_ps(z, zero));
            (half[0], half[1]) =
                (_mm256_shuffle_ps::<0x44>(low, high), _mm256_shuffle_ps::<0xee>(low, high));
            let (low, high) = (_mm256_unpackhi_ps(x, y), _mm256_unpackhi_ps(z, zero));
            (half[2], half[3]) =
                (_mm256_shuffle_ps::<0x44>(low, high), _mm256_shuffle_ps::<0xee>(low, high));
        }
        for l in 0..4 {
            store8(_mm256_permute2f128_ps::<0x20>(halves[0][l], halves[1][l]), &mut rows[l]);
            store8(_mm256_permute2f128_ps::<0x31>(halves[0][l], halves[1][l]), &mut rows[l + 4]);
        }
        rows
    }
}

/// Defines `fn name(args)` that runs `body` compiled for the best instruction set of the machine. A
/// body `by` hand takes its place where there is AVX2.
macro_rules! kernel {
    ($(#[$doc:meta])* $vis:vis fn $name:ident ($($arg:ident: $ty:ty),* $(,)?) = $body:path, by $wide:path) => {
        $(#[$doc])*
        #[inline(always)]
        $vis fn $name ($($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            if $crate::simd::avx2() {
                // SAFETY: `avx2()` is true only when the processor has the feature that `wide` is
                // built for.
                #[allow(unsafe_code)]
                return unsafe { $wide($($arg),*) };
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $wide($($arg),*);
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            $body($($arg),*)
        }
    };
    ($(#[$doc:meta])* $vis:vis fn $name:ident <$n:ident: $bound:path> ($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path) => {
        $(#[$doc])*
        #[inline]
        $vis fn $name<$n: $bound>($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                #[inline(never)]
                fn wide<$n: $bound>($($arg: $ty),*) $(-> $ret)? {
                    $body($($arg),*)
                }
                if $crate::simd::avx2() {
                    // SAFETY: `avx2()` is true only when the processor has the feature that `wide`
                    // is built for.
                    #[allow(unsafe_code)]
                    return unsafe { wide($($arg),*) };
                }
            }
            $body($($arg),*)
        }
    };
    ($(#[$doc:meta])* $vis:vis fn $name:ident $(<const $c:ident: usize>)? ($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path) => {
        $(#[$doc])*
        #[inline]
        $vis fn $name $(<const $c: usize>)? ($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                #[inline(never)]
                fn wide $(<const $c: usize>)? ($($arg: $ty),*) $(-> $ret)? {
                    $body($($arg),*)
                }
                if $crate::simd::avx2() {
                    // SAFETY: `avx2()` is true only when the processor has the feature that `wide`
                    // is built for.
                    #[allow(unsafe_code)]
                    return unsafe { wide $(::<$c>)? ($($arg),*) };
                }
            }
            $body($($arg),*)
        }
    };
}
pub(crate) use kernel;
