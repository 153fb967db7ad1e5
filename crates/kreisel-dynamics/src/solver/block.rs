//! Inversion of one small symmetric block with pivoting and dropping.
//!
//! The sweep operator on a symmetric matrix: sweeping on pivots in any order leaves the negative
//! inverse of the swept part. The next pivot is the row whose pivot is largest *relative to its own
//! original diagonal*; when that ratio falls below a limit ([`DROP`]), the remaining rows are
//! implied by the others (a redundant loop, a doubled hinge) and are dropped: their multipliers are
//! zero. Choosing by ratio keeps the same row dropped from step to step.

/// Rows of the largest block: six of a joint, and its limits, friction and motors.
pub(crate) const MAX_ROWS: usize = 8;

/// A pivot below this fraction of the row's own diagonal counts as zero. Measured: 1e-9 drops real
/// rows at mass ratio 1e6 in singular poses, 1e-13 keeps noise of the fixed elimination order.
pub(crate) const DROP: f64 = 1e-11;

/// The same where there are no loops: there only rows of one joint can say the same (a motor
/// against a limit), exactly but for rounding, while real pivots of long chains between heavy and
/// light bodies are as small as 1e-13.
pub(crate) const DROP_IN_TREES: f64 = 1e-14;

/// Inverts the symmetric `f × f` block `d` (row-major, lower triangle read) into `out`. Rows
/// outside `mask` get zeros, as do dropped ones, whose pivots are below `drop` times the diagonal
/// before elimination, `original`. Returns the number of dropped rows.
pub(crate) fn invert(
    d: &[f64],
    f: usize,
    original: &[f64],
    drop: f64,
    mask: u8,
    out: &mut [f64],
) -> u32 {
    let mut s = [[0.0; MAX_ROWS]; MAX_ROWS];
    for i in 0..f {
        for j in 0..=i {
            s[i][j] = d[i * f + j];
            s[j][i] = d[i * f + j];
        }
    }
    let mut left = u32::from(mask) & ((1 << f) - 1);
    let mut swept = 0u32;
    while left != 0 {
        // the row with the largest pivot relative to its diagonal
        let (mut best, mut pivot) = (0.0, f);
        for k in 0..f {
            if left & (1 << k) != 0 {
                let ratio = s[k][k].abs() / original[k].abs().max(f64::MIN_POSITIVE);
                if ratio > best {
                    (best, pivot) = (ratio, k);
                }
            }
        }
        // also ends here when pivots are not numbers
        if pivot == f || best < drop {
            break;
        }
        let p = pivot;
        left &= !(1 << p);
        swept |= 1 << p;
        let inverse = 1.0 / s[p][p];
        for i in 0..f {
            if i != p {
                let factor = s[i][p] * inverse;
                for j in 0..f {
                    if j != p {
                        s[i][j] -= factor * s[p][j];
                    }
                }
            }
        }
        for i in 0..f {
            if i != p {
                s[i][p] *= inverse;
                s[p][i] *= inverse;
            }
        }
        s[p][p] = -inverse;
    }
    for i in 0..f {
        for j in 0..f {
            let both = swept & (1 << i) != 0 && swept & (1 << j) != 0;
            out[i * f + j] = if both { -0.5 * (s[i][j] + s[j][i]) } else { 0.0 };
        }
    }
    left.count_ones()
}

/// The common case of three rows without pivoting; `None` when a pivot is so small that order
/// matters.
#[inline(always)]
pub(crate) fn invert3(d: &[f64], original: &[f64], out: &mut [f64]) -> bool {
    // Below this ratio rounding may decide about dropping: leave it to the pivoted form.
    const SAFE: f64 = 1e-4;
    let (d, original, out) = (&d[..9], &original[..3], &mut out[..9]);
    let p0 = d[0];
    let i0 = 1.0 / p0;
    let (l10, l20) = (d[3] * i0, d[6] * i0);
    let p1 = d[4] - l10 * d[3];
    let i1 = 1.0 / p1;
    let t21 = d[7] - l20 * d[3];
    let l21 = t21 * i1;
    let p2 = d[8] - l20 * d[6] - l21 * t21;
    let i2 = 1.0 / p2;
    if !(p0 > SAFE * original[0] && p1 > SAFE * original[1] && p2 > SAFE * original[2]) {
        return false;
    }
    // inverse = L⁻ᵀ D⁻¹ L⁻¹ with L⁻¹ = [1; −l10, 1; l10 l21 − l20, −l21, 1]
    let m20 = l10 * l21 - l20;
    let (a22, a21, a20) = (i2, -l21 * i2, m20 * i2);
    let a11 = i1 - l21 * a21;
    let a10 = -l10 * i1 - l21 * a20;
    let a00 = i0 + l10 * l10 * i1 + m20 * a20;
    out.copy_from_slice(&[a00, a10, a20, a10, a11, a21, a20, a21, a22]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 9] = [4.0, 1.0, 0.5, 1.0, 3.0, -0.7, 0.5, -0.7, 2.0];

    fn product_error(a: &[f64], b: &[f64], f: usize) -> f64 {
        let mut worst = 0.0_f64;
        for i in 0..f {
            for j in 0..f {
                let sum: f64 = (0..f).map(|k| a[i * f + k] * b[k * f + j]).sum();
                worst = worst.max((sum - f64::from(i == j)).abs());
            }
        }
        worst
    }

    #[test]
    fn both_forms_invert() {
        let (mut x, mut y) = ([0.0; 9], [0.0; 9]);
        assert!(invert3(&A, &[4.0, 3.0, 2.0], &mut x));
        assert_eq!(invert(&A, 3, &[4.0, 3.0, 2.0], DROP, 0xff, &mut y), 0);
        assert!(product_error(&A, &x, 3) < 1e-15 && product_error(&A, &y, 3) < 1e-15);
    }

    #[test]
    fn a_repeated_row_is_dropped_and_the_rest_inverted() {
        // third row = first row: rank 2
        let a = [4.0, 1.0, 4.0, 1.0, 3.0, 1.0, 4.0, 1.0, 4.0];
        let mut x = [0.0; 9];
        assert!(!invert3(&a, &[4.0, 3.0, 4.0], &mut x));
        assert_eq!(invert(&a, 3, &[4.0, 3.0, 4.0], DROP, 0xff, &mut x), 1);
        let solved = [x[0] * 5.0 + x[1] * 2.0, x[3] * 5.0 + x[4] * 2.0];
        assert!((4.0 * solved[0] + solved[1] - 5.0).abs() < 1e-14);
        assert!(x[6..9].iter().all(|&v| v == 0.0) && x[2] == 0.0 && x[5] == 0.0);
    }

    #[test]
    fn masked_rows_are_left_out_and_not_counted_as_dropped() {
        let mut x = [0.0; 9];
        assert_eq!(invert(&A, 3, &[4.0, 3.0, 2.0], DROP, 0b101, &mut x), 0);
        let small = [A[0], A[2], A[6], A[8]];
        assert!(product_error(&small, &[x[0], x[2], x[6], x[8]], 2) < 1e-15);
    }

    #[test]
    fn negative_definite_blocks_invert_too() {
        let a = A.map(|v| -v);
        let mut x = [0.0; 9];
        assert_eq!(invert(&a, 3, &[1.0, 1.0, 1.0], DROP, 0xff, &mut x), 0);
        assert!(product_error(&a, &x, 3) < 1e-15);
    }
}
