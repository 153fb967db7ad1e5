//! Lanes of WebAssembly: two numbers of double precision or four of single precision in a register.
//!
//! The compiler finds few of these instructions by itself: it keeps four numbers apart where they
//! come from memory one by one. Every operation rounds as the scalar one does, so that a page
//! computes the same bits as a machine; `max` and `where_larger` choose as the scalar code does,
//! numbers that are none included.

use crate::lanes::{F4, S8};
use std::arch::wasm32::{
    f32x4_abs, f32x4_add, f32x4_div, f32x4_gt, f32x4_mul, f32x4_pmax, f32x4_splat, f32x4_sqrt,
    f32x4_sub, f64x2_abs, f64x2_add, f64x2_div, f64x2_gt, f64x2_mul, f64x2_pmax, f64x2_splat,
    f64x2_sqrt, f64x2_sub, i32x4_shuffle, i64x2_shuffle, v128, v128_bitselect, v128_load,
    v128_store,
};

/// The two registers of four or eight numbers.
macro_rules! registers {
    ($load:ident, $store:ident, $number:ty, $n:literal) => {
        #[inline(always)]
        fn $load(x: &[$number; $n]) -> [v128; 2] {
            // SAFETY: 32 bytes are 32 bytes; loads need no alignment here.
            unsafe { [v128_load(x.as_ptr().cast()), v128_load(x.as_ptr().add($n / 2).cast())] }
        }

        #[inline(always)]
        fn $store([low, high]: [v128; 2]) -> [$number; $n] {
            let mut out = [0.0; $n];
            // SAFETY: as above.
            unsafe {
                v128_store(out.as_mut_ptr().cast(), low);
                v128_store(out.as_mut_ptr().add($n / 2).cast(), high);
            }
            out
        }
    };
}
registers!(load4, store4, f64, 4);
registers!(load8, store8, f32, 8);

/// Operations on four or eight numbers.
macro_rules! operations {
    ($module:ident, $number:ty, $n:literal, $load:ident, $store:ident,
     $add:ident $sub:ident $mul:ident $div:ident $pmax:ident $abs:ident $sqrt:ident $gt:ident $splat:ident) => {
        pub mod $module {
            use super::*;

            type Array = [$number; $n];

            operations!(@two add, $add, Array, $load, $store);
            operations!(@two sub, $sub, Array, $load, $store);
            operations!(@two mul, $mul, Array, $load, $store);
            operations!(@two div, $div, Array, $load, $store);

            #[inline(always)]
            pub fn splat(x: $number) -> Array {
                $store([$splat(x), $splat(x)])
            }

            /// `a` where it is larger than `b`, else `b`.
            #[inline(always)]
            pub fn max(a: Array, b: Array) -> Array {
                let (a, b) = ($load(&a), $load(&b));
                $store([$pmax(b[0], a[0]), $pmax(b[1], a[1])])
            }

            #[inline(always)]
            pub fn abs(a: Array) -> Array {
                let a = $load(&a);
                $store([$abs(a[0]), $abs(a[1])])
            }

            #[inline(always)]
            pub fn sqrt(a: Array) -> Array {
                let a = $load(&a);
                $store([$sqrt(a[0]), $sqrt(a[1])])
            }

            /// `y` where `a` is larger than `b`, else `n`.
            #[inline(always)]
            pub fn where_larger(a: Array, b: Array, y: Array, n: Array) -> Array {
                let (a, b, y, n) = ($load(&a), $load(&b), $load(&y), $load(&n));
                $store([
                    v128_bitselect(y[0], n[0], $gt(a[0], b[0])),
                    v128_bitselect(y[1], n[1], $gt(a[1], b[1])),
                ])
            }
        }
    };
    (@two $name:ident, $instruction:ident, $array:ty, $load:ident, $store:ident) => {
        #[inline(always)]
        pub fn $name(a: $array, b: $array) -> $array {
            let (a, b) = ($load(&a), $load(&b));
            $store([$instruction(a[0], b[0]), $instruction(a[1], b[1])])
        }
    };
}
operations!(f64, f64, 4, load4, store4,
    f64x2_add f64x2_sub f64x2_mul f64x2_div f64x2_pmax f64x2_abs f64x2_sqrt f64x2_gt f64x2_splat);
operations!(f32, f32, 8, load8, store8,
    f32x4_add f32x4_sub f32x4_mul f32x4_div f32x4_pmax f32x4_abs f32x4_sqrt f32x4_gt f32x4_splat);

#[inline(always)]
fn low2(a: v128, b: v128) -> v128 {
    i64x2_shuffle::<0, 2>(a, b)
}

#[inline(always)]
fn high2(a: v128, b: v128) -> v128 {
    i64x2_shuffle::<1, 3>(a, b)
}

/// Columns of four rows: as [`F4::transpose`].
#[inline(always)]
pub fn transpose([a, b, c, d]: [&F4; 4]) -> [F4; 4] {
    let (a, b, c, d) = (load4(&a.0), load4(&b.0), load4(&c.0), load4(&d.0));
    [
        F4(store4([low2(a[0], b[0]), low2(c[0], d[0])])),
        F4(store4([high2(a[0], b[0]), high2(c[0], d[0])])),
        F4(store4([low2(a[1], b[1]), low2(c[1], d[1])])),
        F4(store4([high2(a[1], b[1]), high2(c[1], d[1])])),
    ]
}

/// First three columns of four rows: as [`F4::transpose3`].
#[inline(always)]
pub fn transpose3([a, b, c, d]: [&F4; 4], columns: &mut [F4; 3]) {
    let (a, b, c, d) = (load4(&a.0), load4(&b.0), load4(&c.0), load4(&d.0));
    columns[0] = F4(store4([low2(a[0], b[0]), low2(c[0], d[0])]));
    columns[1] = F4(store4([high2(a[0], b[0]), high2(c[0], d[0])]));
    columns[2] = F4(store4([low2(a[1], b[1]), low2(c[1], d[1])]));
}

/// Four rows from three columns, the fourth entry of each zero: as [`F4::transpose4`].
#[inline(always)]
pub fn transpose4([x, y, z]: &[F4; 3]) -> [F4; 4] {
    let (x, y, z, zero) = (load4(&x.0), load4(&y.0), load4(&z.0), f64x2_splat(0.0));
    [
        F4(store4([low2(x[0], y[0]), low2(z[0], zero)])),
        F4(store4([high2(x[0], y[0]), high2(z[0], zero)])),
        F4(store4([low2(x[1], y[1]), low2(z[1], zero)])),
        F4(store4([high2(x[1], y[1]), high2(z[1], zero)])),
    ]
}

/// First three columns of four rows of four.
#[inline(always)]
fn columns4(a: v128, b: v128, c: v128, d: v128) -> [v128; 3] {
    let (ab, cd) = (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<0, 4, 1, 5>(c, d));
    let (ab2, cd2) = (i32x4_shuffle::<2, 6, 3, 7>(a, b), i32x4_shuffle::<2, 6, 3, 7>(c, d));
    [low2(ab, cd), high2(ab, cd), low2(ab2, cd2)]
}

/// Four rows from three columns of four, the fourth entry of each zero.
#[inline(always)]
fn rows4(x: v128, y: v128, z: v128) -> [v128; 4] {
    let zero = f32x4_splat(0.0);
    let (xy, z0) = (i32x4_shuffle::<0, 4, 1, 5>(x, y), i32x4_shuffle::<0, 4, 1, 5>(z, zero));
    let (xy2, z2) = (i32x4_shuffle::<2, 6, 3, 7>(x, y), i32x4_shuffle::<2, 6, 3, 7>(z, zero));
    [low2(xy, z0), high2(xy, z0), low2(xy2, z2), high2(xy2, z2)]
}

/// Columns 0 to 2 and 4 to 6 of eight rows.
#[inline(always)]
pub fn columns(rows: [&S8; 8], first: &mut [S8; 3], second: &mut [S8; 3]) {
    let [a, b, c, d, e, f, g, h] = rows;
    let (a, b, c, d) = (load8(&a.0), load8(&b.0), load8(&c.0), load8(&d.0));
    let (e, f, g, h) = (load8(&e.0), load8(&f.0), load8(&g.0), load8(&h.0));
    for (half, to) in [first, second].into_iter().enumerate() {
        let low = columns4(a[half], b[half], c[half], d[half]);
        let high = columns4(e[half], f[half], g[half], h[half]);
        for k in 0..3 {
            to[k] = S8(store8([low[k], high[k]]));
        }
    }
}

/// Eight rows from columns 0 to 2 and 4 to 6; the others are zero.
#[inline(always)]
pub fn rows(first: &[S8; 3], second: &[S8; 3]) -> [S8; 8] {
    let [x, y, z] = [load8(&first[0].0), load8(&first[1].0), load8(&first[2].0)];
    let [u, v, w] = [load8(&second[0].0), load8(&second[1].0), load8(&second[2].0)];
    let mut rows = [S8::ZERO; 8];
    for half in 0..2 {
        let (left, right) = (rows4(x[half], y[half], z[half]), rows4(u[half], v[half], w[half]));
        for l in 0..4 {
            rows[4 * half + l] = S8(store8([left[l], right[l]]));
        }
    }
    rows
}
