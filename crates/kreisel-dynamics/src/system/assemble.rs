//! The matrix A = B Bᵀ of a system of any joints (Bender 3.3.2, the seven cases): for every body
//! that two joints share, the product of their rows on it; rows against bodies that are kept as
//! nodes stand as they are.

use super::{NONE, System};
use crate::simd::kernel;

/// One entry of A: a product of two scaled rows.
#[inline(always)]
pub(super) fn dot6(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (&a[..6], &b[..6]);
    (a[0] * b[0] + a[3] * b[3]) + (a[1] * b[1] + a[4] * b[4]) + (a[2] * b[2] + a[5] * b[5])
}

/// Product of three entries of two rows.
#[inline(always)]
pub(super) fn dot3(a: &[f64], i: usize, b: &[f64], j: usize) -> f64 {
    a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2]
}

#[inline(always)]
fn assemble_body(s: &mut System) {
    let System { factor, nodes, b, products, couplings, .. } = s;
    factor.values.fill(0.0);
    for (k, node) in nodes.iter().enumerate() {
        let f = usize::from(node.rows);
        let d = &mut factor.values[factor.diag[k] as usize..][..f * f];
        let original = &mut factor.original[node.row0 as usize..][..f];
        if node.is_body() {
            for i in 0..6 {
                d[i * 6 + i] = -1.0;
                original[i] = 1.0;
            }
            continue;
        }
        for (side, kept) in node.side.into_iter().zip(node.kept) {
            // a body that is kept as a node takes its part of the diagonal with it
            if side == NONE || kept {
                continue;
            }
            let rows = &b[side as usize..][..6 * f];
            if node.ball {
                let (rows, d) = (&rows[..18], &mut d[..9]);
                let m = rows[0] * rows[0];
                d[0] += m + dot3(rows, 3, rows, 3);
                d[3] += dot3(rows, 9, rows, 3);
                d[4] += m + dot3(rows, 9, rows, 9);
                d[6] += dot3(rows, 15, rows, 3);
                d[7] += dot3(rows, 15, rows, 9);
                d[8] += m + dot3(rows, 15, rows, 15);
            } else {
                for i in 0..f {
                    for j in 0..=i {
                        d[i * f + j] += dot6(&rows[6 * i..], &rows[6 * j..]);
                    }
                }
            }
        }
        for i in 0..f {
            original[i] = d[i * f + i];
        }
        if node.kept != [false; 2] {
            // a joint between kept bodies has no diagonal of its own: measure its pivots by the
            // whole response
            for i in 0..f {
                if original[i] == 0.0 {
                    for side in node.side.into_iter().filter(|&s| s != NONE) {
                        let row = &b[side as usize + 6 * i..][..6];
                        original[i] += dot6(row, row);
                    }
                }
            }
        }
    }
    for c in couplings.iter() {
        let f = usize::from(c.rows);
        let rows = &b[c.side as usize..][..6 * f];
        let block = &mut factor.values[c.target as usize..][..6 * f];
        if c.transposed {
            for i in 0..f {
                for j in 0..6 {
                    block[j * f + i] = rows[6 * i + j];
                }
            }
        } else {
            block.copy_from_slice(rows);
        }
    }
    for p in products.iter() {
        let (f, g) = (usize::from(p.left_rows), usize::from(p.right_rows));
        let block = &mut factor.values[p.target as usize..][..f * g];
        if p.balls {
            let (left, right) = (&b[p.left as usize..][..18], &b[p.right as usize..][..18]);
            let block = &mut block[..9];
            let m = left[0] * right[0];
            for i in 0..3 {
                for j in 0..3 {
                    block[i * 3 + j] += dot3(left, 6 * i + 3, right, 6 * j + 3);
                }
                block[i * 4] += m;
            }
        } else {
            let (left, right) = (&b[p.left as usize..][..6 * f], &b[p.right as usize..][..6 * g]);
            for i in 0..f {
                for j in 0..g {
                    block[i * g + j] += dot6(&left[6 * i..], &right[6 * j..]);
                }
            }
        }
    }
}

kernel! { pub(super) fn assemble_kernel(s: &mut System) = assemble_body }
