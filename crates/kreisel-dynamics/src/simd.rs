//! The one place with `unsafe`: choosing, at run time, the AVX2 build of a hot kernel.
//!
//! A kernel is an `#[inline(always)]` function over plain arrays. The macro makes two copies of it, one for the
//! baseline and one with `#[target_feature(enable = "avx2")]`, and calls the second when the processor has AVX2.
//! Neither copy uses fused multiply-add, so that both give the same bits (`tests/simd.rs` compares them).

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

/// Variable of the environment that keeps kernels to the baseline: for machines and tools that only claim to know AVX2.
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

/// Switches AVX2 kernels off (for comparisons) or back to what the processor has. Results do not change.
pub fn force_baseline(baseline: bool) {
    LEVEL.store(u8::from(baseline), Ordering::Relaxed);
}

/// Defines `fn name(args)` that runs `body` compiled for the best instruction set of the machine.
macro_rules! kernel {
    ($(#[$doc:meta])* $vis:vis fn $name:ident $(<const $c:ident: usize>)? ($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path) => {
        $(#[$doc])*
        #[inline]
        $vis fn $name $(<const $c: usize>)? ($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide $(<const $c: usize>)? ($($arg: $ty),*) $(-> $ret)? {
                    $body($($arg),*)
                }
                if $crate::simd::avx2() {
                    // SAFETY: `avx2()` is true only when the processor has the feature that `wide` is built for.
                    #[allow(unsafe_code)]
                    return unsafe { wide $(::<$c>)? ($($arg),*) };
                }
            }
            $body($($arg),*)
        }
    };
}
pub(crate) use kernel;
