//! The lanes' work on paths of ball joints (see [`super::path`] for the layout): assembly and
//! factor in one pass, solution, rates and residuals.

use super::NONE;
use super::ball_kernels::{entry, refresh_slot};
use super::balls::Slot;
use super::group::Group;
use super::path::{Column, Four, Path};
use crate::lanes::{F4, LANES};
use crate::simd::kernel;
use crate::solver::block;

/// A pivot below this share of its row's diagonal is left to the general factor.
const SAFE: f64 = 1e-4;

/// Product of a block (by rows) and a triple.
#[inline(always)]
fn times(m: &[F4; 9], v: [F4; 3]) -> [F4; 3] {
    [
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    ]
}

/// Product of the transposed block and a triple.
#[inline(always)]
fn times_transposed(m: &[F4; 9], v: [F4; 3]) -> [F4; 3] {
    [
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    ]
}

/// Product of a symmetric block (lower triangle) and a triple.
#[inline(always)]
fn times_symmetric(m: &[F4; 6], v: [F4; 3]) -> [F4; 3] {
    [
        m[0] * v[0] + m[1] * v[1] + m[3] * v[2],
        m[1] * v[0] + m[2] * v[1] + m[4] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
    ]
}

#[inline(always)]
fn minus(a: [F4; 3], b: [F4; 3]) -> [F4; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Product of a block and a symmetric one.
#[inline(always)]
fn block_times_symmetric(b: &[F4; 9], m: &[F4; 6]) -> [F4; 9] {
    let mut out = [F4::ZERO; 9];
    for i in 0..3 {
        let row = times_symmetric(m, [b[3 * i], b[3 * i + 1], b[3 * i + 2]]);
        (out[3 * i], out[3 * i + 1], out[3 * i + 2]) = (row[0], row[1], row[2]);
    }
    out
}

/// Lower triangle of A Bᵀ, which is symmetric.
#[inline(always)]
fn symmetric_product(a: &[F4; 9], b: &[F4; 9]) -> [F4; 6] {
    [
        entry(a, 0, b, 0),
        entry(a, 1, b, 0),
        entry(a, 1, b, 1),
        entry(a, 2, b, 0),
        entry(a, 2, b, 1),
        entry(a, 2, b, 2),
    ]
}

/// A Bᵀ.
#[inline(always)]
fn product(a: &[F4; 9], b: &[F4; 9]) -> [F4; 9] {
    let mut out = [F4::ZERO; 9];
    for i in 0..3 {
        for j in 0..3 {
            out[3 * i + j] = entry(a, i, b, j);
        }
    }
    out
}

/// What a slot's bodies add to the diagonal blocks of its joints.
#[inline(always)]
fn diagonal(s: &Slot) -> [F4; 6] {
    let m = s.m * s.m;
    let mut d = symmetric_product(&s.g, &s.g);
    d[0] += m;
    d[2] += m;
    d[5] += m;
    d
}

/// Inverse by cofactors, and whether no pivot was small beside the diagonal before elimination.
#[inline(always)]
fn invert(d: &[F4; 6], original: [F4; 3]) -> ([F4; 6], bool) {
    let [a, b, c, d3, e, f] = *d;
    let (c0, c1, c2) = (c * f - e * e, e * d3 - b * f, b * e - c * d3);
    let minor = a * c - b * b;
    let det = a * c0 + b * c1 + d3 * c2;
    let safe = F4::splat(SAFE);
    let (low0, low1, low2) =
        (safe * original[0], safe * original[1] * a, safe * original[2] * minor);
    let mut fine = true;
    for l in 0..LANES {
        fine &= (a.0[l] > low0.0[l]) & (minor.0[l] > low1.0[l]) & (det.0[l] > low2.0[l]);
    }
    let k = F4([1.0 / det.0[0], 1.0 / det.0[1], 1.0 / det.0[2], 1.0 / det.0[3]]);
    ([c0 * k, c1 * k, (a * f - d3 * d3) * k, c2 * k, (b * d3 - a * e) * k, minor * k], fine)
}

/// The last two groups: what belongs to the next lane's separator.
#[derive(Clone, Copy, Default)]
struct Tail {
    diagonal: [F4; 6],
    next: [F4; 9],
    separator: [F4; 9],
}

#[inline(always)]
fn factorize_body(path: &mut Path, slots: &mut [Slot], groups: &[Group]) -> bool {
    let q = path.columns.len();
    let slots = &mut slots[..2 * q];
    let mut before = [F4::ZERO; 6];
    let mut taken = [F4::ZERO; 6];
    let mut s = [F4::ZERO; 9];
    let (mut separators, mut original) = ([F4::ZERO; 6], [F4::ZERO; 3]);
    let mut tails = [Tail::default(); 2];
    let mut fine = true;
    for g in 0..q {
        let [front, back] = &mut slots[2 * g..2 * g + 2] else { return false };
        refresh_slot(front, &groups[g].r);
        refresh_slot(back, &groups[g].r);
        let mut d = diagonal(front);
        let mut behind = diagonal(back);
        let mut n = product(&back.g, &front.g);
        let m = back.m * front.m;
        n[0] += m;
        n[4] += m;
        n[8] += m;
        if g + 2 >= q {
            let tail = &mut tails[g + 2 - q];
            (tail.diagonal, tail.next, tail.separator) = (behind, n, s);
            for l in 0..LANES {
                if g == path.last(l) {
                    behind.iter_mut().chain(&mut n).for_each(|v| v.0[l] = 0.0);
                }
            }
        }
        let pad = path.joints[g].pad;
        for i in [0, 2, 5] {
            d[i] += pad;
        }
        if g == 0 {
            (separators, original) = (d, [d[0], d[2], d[5]]);
            s = [n[0], n[3], n[6], n[1], n[4], n[7], n[2], n[5], n[8]];
        } else {
            for i in 0..6 {
                d[i] += before[i];
            }
            let whole = [d[0], d[2], d[5]];
            for i in 0..6 {
                d[i] = d[i] - taken[i];
            }
            let (inverse, good) = invert(&d, whole);
            fine &= good;
            let next = block_times_symmetric(&n, &inverse);
            let separator = block_times_symmetric(&s, &inverse);
            taken = symmetric_product(&next, &n);
            let off = symmetric_product(&separator, &s);
            for i in 0..6 {
                separators[i] = separators[i] - off[i];
            }
            s = product(&separator, &n);
            for v in &mut s {
                *v = F4::ZERO - *v;
            }
            path.columns[g] = Column { inverse, next, separator };
        }
        before = behind;
    }
    fine && factorize_separators(path, &separators, original, &tails)
}

/// A Bᵀ of two blocks by rows.
#[inline(always)]
fn product3(a: &[f64; 9], b: &[f64; 9]) -> [f64; 9] {
    let mut out = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            out[3 * i + j] =
                a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
        }
    }
    out
}

#[inline(always)]
fn full(d: &[F4; 6], l: usize) -> [f64; 9] {
    let v = [d[0].0[l], d[1].0[l], d[2].0[l], d[3].0[l], d[4].0[l], d[5].0[l]];
    [v[0], v[1], v[3], v[1], v[2], v[4], v[3], v[4], v[5]]
}

#[inline(always)]
fn lane9(m: &[F4; 9], l: usize) -> [f64; 9] {
    std::array::from_fn(|i| m[i].0[l])
}

/// Four separators in a row, after all other joints.
fn factorize_separators(
    path: &mut Path,
    d: &[F4; 6],
    original: [F4; 3],
    tails: &[Tail; 2],
) -> bool {
    let q = path.columns.len();
    let mut from_before = [0.0; 9];
    let mut whole_before = [0.0; 3];
    for l in 0..LANES {
        let mut own = full(d, l);
        for (v, t) in own.iter_mut().zip(&from_before) {
            *v += t;
        }
        let whole: [f64; 3] = std::array::from_fn(|i| original[i].0[l] + whole_before[i]);
        if !block::invert3(&own, &whole, &mut path.inverse[l]) {
            return false;
        }
        if l + 1 == LANES {
            break;
        }
        let last = path.last(l);
        let tail = &tails[last + 2 - q];
        let (n, s) = (lane9(&tail.next, l), lane9(&tail.separator, l));
        let with = product3(&n, &full(&path.columns[last].inverse, l));
        // block of the next separator with this one
        let across = product3(&with, &s).map(|v| -v);
        let next = product3(&across, &path.inverse[l]);
        let behind = full(&tail.diagonal, l);
        let (a, b) = (product3(&with, &n), product3(&next, &across));
        from_before = std::array::from_fn(|i| behind[i] - a[i] - b[i]);
        whole_before = [behind[0], behind[4], behind[8]];
        (path.tails[l], path.next[l]) = (with, next);
    }
    true
}

#[inline(always)]
fn gather(z: &[f64], row: &[u32; LANES]) -> [F4; 3] {
    let at = |l: usize| -> &[f64] { &z[row[l] as usize..row[l] as usize + 3] };
    let (a, b, c, d) = (at(0), at(1), at(2), at(3));
    [F4([a[0], b[0], c[0], d[0]]), F4([a[1], b[1], c[1], d[1]]), F4([a[2], b[2], c[2], d[2]])]
}

#[inline(always)]
fn scatter(z: &mut [f64], four: &Four, x: [F4; 3]) {
    for l in 0..LANES {
        if four.active[l] {
            let v = &mut z[four.row[l] as usize..four.row[l] as usize + 3];
            (v[0], v[1], v[2]) = (x[0].0[l], x[1].0[l], x[2].0[l]);
        }
    }
}

fn times3(m: &[f64; 9], v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2])
}

fn times3_transposed(m: &[f64; 9], v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|j| m[j] * v[0] + m[3 + j] * v[1] + m[6 + j] * v[2])
}

/// The separators' part of the solution: from their right-hand sides to their values, and what the
/// last columns of the lanes still have to take off.
fn solve_separators(path: &Path, right: [F4; 3]) -> ([F4; 3], [[F4; 3]; 2]) {
    let q = path.columns.len();
    let lane = |v: &[F4; 3], l: usize| -> [f64; 3] { std::array::from_fn(|i| v[i].0[l]) };
    let mut z: [[f64; 3]; LANES] = std::array::from_fn(|l| lane(&right, l));
    for l in 0..LANES - 1 {
        let (a, b) =
            (times3(&path.tails[l], lane(&path.z[path.last(l)], l)), times3(&path.next[l], z[l]));
        for i in 0..3 {
            z[l + 1][i] -= a[i] + b[i];
        }
    }
    let (mut x, mut off) = ([F4::ZERO; 3], [[F4::ZERO; 3]; 2]);
    let mut behind = [0.0; 3];
    for l in (0..LANES).rev() {
        let mut own = times3(&path.inverse[l], z[l]);
        if l + 1 < LANES {
            let a = times3_transposed(&path.next[l], behind);
            let tail = times3_transposed(&path.tails[l], behind);
            for i in 0..3 {
                own[i] -= a[i];
                off[path.last(l) + 2 - q][i].0[l] = tail[i];
            }
        }
        for i in 0..3 {
            x[i].0[l] = own[i];
        }
        behind = own;
    }
    (x, off)
}

#[inline(always)]
fn solve_body(path: &mut Path, z: &mut [f64]) {
    let q = path.columns.len();
    let mut right = gather(z, &path.joints[0].row);
    let mut own = gather(z, &path.joints[1].row);
    for g in 1..q {
        let c = &path.columns[g];
        path.z[g] = own;
        right = minus(right, times(&c.separator, own));
        if g + 1 < q {
            own = minus(gather(z, &path.joints[g + 1].row), times(&c.next, own));
        }
    }
    let (separators, off) = solve_separators(path, right);
    let mut behind = [F4::ZERO; 3];
    for g in (1..q).rev() {
        let c = &path.columns[g];
        let mut x = minus(
            times_symmetric(&c.inverse, path.z[g]),
            times_transposed(&c.separator, separators),
        );
        x = minus(x, times_transposed(&c.next, behind));
        if g + 2 >= q {
            x = minus(x, off[g + 2 - q]);
        }
        scatter(z, &path.joints[g], x);
        behind = x;
    }
    scatter(z, &path.joints[0], separators);
}

#[inline(always)]
fn rate(s: &Slot, y: &[F4; 6]) -> [F4; 3] {
    let turn = times(&s.g, [y[3], y[4], y[5]]);
    [s.m * y[0] + turn[0], s.m * y[1] + turn[1], s.m * y[2] + turn[2]]
}

#[inline(always)]
fn rates_body(path: &Path, slots: &[Slot], groups: &[Group], out: &mut [f64]) {
    let q = path.columns.len();
    let slots = &slots[..2 * q];
    let mut before = [F4::ZERO; 3];
    for g in 0..q {
        let y = &groups[g].y;
        let own = rate(&slots[2 * g], y);
        let four = &path.joints[g];
        let sum = [own[0] + before[0], own[1] + before[1], own[2] + before[2]];
        for l in 0..LANES {
            if four.active[l] {
                let o = &mut out[four.row[l] as usize..four.row[l] as usize + 3];
                o[0] += sum[0].0[l];
                o[1] += sum[1].0[l];
                o[2] += sum[2].0[l];
            }
        }
        before = rate(&slots[2 * g + 1], y);
        if g + 2 >= q {
            for l in (0..LANES - 1).filter(|&l| path.last(l) == g) {
                let row = path.joints[0].row[l + 1] as usize;
                for i in 0..3 {
                    out[row + i] += before[i].0[l];
                }
            }
        }
    }
}

/// Largest squared gap with its node, and largest squared gap relative to a joint's length.
#[inline(always)]
fn residual_body(
    path: &Path,
    slots: &[Slot],
    residual: &mut [f64],
    held: [f64; 3],
) -> (f64, u32, f64) {
    let q = path.columns.len();
    let slots = &slots[..2 * q];
    let mut before: [F4; 3] = std::array::from_fn(|i| F4([held[i], 0.0, 0.0, 0.0]));
    for l in 0..LANES - 1 {
        let end = &slots[2 * path.last(l) + 1].end;
        for i in 0..3 {
            before[i].0[l + 1] = end[i].0[l];
        }
    }
    let (mut worst, mut node, mut relative) = (0.0, NONE, F4::ZERO);
    for g in 0..q {
        let four = &path.joints[g];
        let d = minus(slots[2 * g].end, before);
        let d = [d[0] * four.sign, d[1] * four.sign, d[2] * four.sign];
        let gap = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        let r = gap * four.inverse_length2;
        for l in 0..LANES {
            // written so that NaN counts as the worst error
            relative.0[l] = if r.0[l] <= relative.0[l] { relative.0[l] } else { r.0[l] };
        }
        let small =
            (gap.0[0] <= worst) & (gap.0[1] <= worst) & (gap.0[2] <= worst) & (gap.0[3] <= worst);
        if !small {
            for l in 0..LANES {
                if !(gap.0[l] <= worst) && four.active[l] {
                    (worst, node) = (gap.0[l], four.row[l] / 3);
                }
            }
        }
        scatter(residual, four, d);
        before = slots[2 * g + 1].end;
    }
    let mut most = 0.0;
    for l in 0..LANES {
        if !(relative.0[l] <= most) {
            most = relative.0[l];
        }
    }
    (worst, node, most)
}

kernel! { pub(super) fn factorize_kernel(path: &mut Path, slots: &mut [Slot], groups: &[Group]) -> bool = factorize_body }
kernel! { pub(super) fn solve_kernel(path: &mut Path, z: &mut [f64]) = solve_body }
kernel! { pub(super) fn rates_kernel(path: &Path, slots: &[Slot], groups: &[Group], out: &mut [f64]) = rates_body }
kernel! { pub(super) fn residual_kernel(path: &Path, slots: &[Slot], residual: &mut [f64], held: [f64; 3]) -> (f64, u32, f64) = residual_body }
