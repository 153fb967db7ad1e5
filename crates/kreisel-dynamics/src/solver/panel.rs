//! The factor of large nets of distances, in dense panels (supernodes: Ng and Peyton 1993, Davis
//! 2006, chapter 4).
//!
//! Where loops fill the factor, neighbouring columns have the same rows below them. They are kept
//! side by side as one dense panel, so that what they take off later columns is one product of
//! dense matrices: four rows by eight columns stay in registers over the whole width of the panel,
//! where one by one every number would be loaded and stored. A net of 100 × 100 points takes 0.6 of
//! the time. Blocks of three rows are products enough by themselves: there panels are slower.
//!
//! | symbol | here |
//! |---|---|
//! | p, s | columns of a panel, and rows below it |
//! | B, W = B/d | a column before and after it is divided by its pivot d; L is made of the W |
//! | run | columns of a later panel that a panel takes its product off |
//!
//! Redundant rows are dropped as in [`super::ldlt`]: only sums are made in another order. All nodes
//! have one row.

use super::ldlt::Factor;
use crate::lanes::{F4, LANES};
use crate::simd::kernel;
use std::ops::Range;

/// Most columns of a panel: within it they are handled one after the other, beyond it by products.
const WIDEST: usize = 16;

/// Zeros that may be stored for the sake of wider panels, as a share of the panel.
const ZEROS: f64 = 0.2;

/// Rows and columns of a product that stay in registers: a page's are half as long.
const ROWS: usize = if cfg!(target_arch = "wasm32") { 2 } else { 4 };
const COLUMNS: usize = 2 * LANES;

/// Panels pay from this many multiplications on, when most of them are in columns with this many
/// rows below.
const WORTH: u64 = 1_000_000;
const DEEP: usize = 16;

/// Columns of equal structure.
#[derive(Clone, Debug)]
struct Panel {
    columns: Range<usize>,
    /// Numbers in a stored row: columns, rounded up to whole lanes.
    stride: usize,
    /// Where it starts in the values; its own rows first, then those below.
    start: usize,
    /// Rows of A below, in [`Panels::rows`].
    below: Range<usize>,
    runs: Range<usize>,
}

/// Columns of a later panel that lie side by side there.
#[derive(Clone, Debug)]
struct Run {
    /// First row below the panel that is one of these columns, and their number.
    first: usize,
    width: usize,
    /// Start of the target's row for each row below from `first` on, in [`Panels::targets`].
    targets: usize,
}

/// The factor.
#[derive(Clone, Debug, Default)]
pub(super) struct Panels {
    list: Vec<Panel>,
    rows: Vec<u32>,
    /// Numbers of A: where they are and where they go.
    copies: Vec<(u32, u32)>,
    runs: Vec<Run>,
    targets: Vec<u32>,
    values: Vec<f64>,
    /// Scratch: B of one panel, a row per column; its padded length.
    b: Vec<f64>,
    b_stride: usize,
}

/// Whether a factor is worth panels: the rows of all nodes, and the number of nodes below each.
pub(crate) fn pays(sizes: &[u8], below: impl Iterator<Item = usize>) -> bool {
    let (mut all, mut deep) = (0, 0);
    for n in below {
        let work = (n * n) as u64;
        all += work;
        deep += if n >= DEEP { work } else { 0 };
    }
    all > WORTH && 10 * deep > 8 * all && sizes.iter().all(|&n| n == 1)
}

impl Panels {
    /// Lays panels over a factor of single rows in postorder.
    pub fn new(f: &Factor) -> Self {
        let n = f.size.len();
        let below = |k: usize| f.column(k).len();
        let mut panels = Self::default();
        let mut panel_of = vec![0usize; n];
        let (mut k, mut start) = (0, 0);
        while k < n {
            let first = k;
            let (mut zeros, mut all) = (0, below(k));
            while k + 1 < n
                && k + 1 - first < WIDEST
                && f.column(k).first().is_some_and(|b| b.node as usize == k + 1)
            {
                // rows that columns so far do not have
                let extra = (below(k + 1) + 1 - below(k)) * (k + 1 - first);
                let (more, total) = (zeros + extra, all + below(k + 1) + extra);
                if more as f64 > ZEROS * total as f64 {
                    break;
                }
                (zeros, all) = (more, total);
                k += 1;
            }
            let columns = first..k + 1;
            panel_of[columns.clone()].fill(panels.list.len());
            let rows = panels.rows.len();
            panels.rows.extend(f.column(k).iter().map(|b| b.node));
            let stride = columns.len().next_multiple_of(LANES);
            let panel =
                Panel { stride, start, below: rows..panels.rows.len(), runs: 0..0, columns };
            start += stride * (panel.columns.len() + panel.below.len());
            panels.list.push(panel);
            k += 1;
        }
        // lanes reach over the end of the last row
        panels.values = vec![0.0; start + COLUMNS];
        panels.lay_copies(f);
        panels.lay_runs(&panel_of);
        let longest = panels.list.iter().map(|p| p.below.len()).max().unwrap_or(0);
        panels.b_stride = (longest + COLUMNS).next_multiple_of(LANES);
        panels.b = vec![0.0; WIDEST * panels.b_stride];
        panels
    }

    /// Where a number of a panel is stored.
    fn place(&self, panel: &Panel, row: usize, column: usize) -> u32 {
        let stored = if row < panel.columns.end {
            row - panel.columns.start
        } else {
            let at = self.rows[panel.below.clone()].binary_search(&(row as u32));
            panel.columns.len()
                + at.unwrap_or_else(|_| unreachable!("fill is part of the structure"))
        };
        (panel.start + stored * panel.stride + column - panel.columns.start) as u32
    }

    /// Where the numbers of A go.
    fn lay_copies(&mut self, f: &Factor) {
        let mut copies = Vec::new();
        for panel in &self.list {
            for k in panel.columns.clone() {
                copies.push((f.diag[k], self.place(panel, k, k)));
                copies.extend(
                    f.column(k).iter().map(|b| (b.start, self.place(panel, b.node as usize, k))),
                );
            }
        }
        self.copies = copies;
    }

    /// What every panel takes off which columns.
    fn lay_runs(&mut self, panel_of: &[usize]) {
        for i in 0..self.list.len() {
            let below = self.list[i].below.clone();
            let first_run = self.runs.len();
            let mut at = below.start;
            while at < below.end {
                let column = self.rows[at] as usize;
                let target = &self.list[panel_of[column]];
                let mut end = at + 1;
                while end < below.end
                    && self.rows[end] == self.rows[end - 1] + 1
                    && (self.rows[end] as usize) < target.columns.end
                {
                    end += 1;
                }
                let targets = self.targets.len();
                for r in at..below.end {
                    self.targets.push(self.place(target, self.rows[r] as usize, column));
                }
                self.runs.push(Run { first: at - below.start, width: end - at, targets });
                at = end;
            }
            self.list[i].runs = first_run..self.runs.len();
        }
    }
}

impl Factor {
    /// Factorises in panels.
    pub(super) fn factorize_panels(&mut self, panels: &mut Panels) {
        self.dropped = 0;
        panels.values.fill(0.0);
        for &(from, to) in &panels.copies {
            panels.values[to as usize] = self.values[from as usize];
        }
        factorize_kernel(self, panels);
    }
}

kernel! { fn factorize_kernel(f: &mut Factor, panels: &mut Panels) = factorize_body }
kernel! { pub(super) fn solve(f: &Factor, panels: &Panels, z: &mut [f64]) = solve_body }

#[inline(always)]
fn factorize_body(f: &mut Factor, panels: &mut Panels) {
    let Panels { list, runs, targets, values, b, b_stride, .. } = panels;
    for panel in list.iter() {
        let end = panel.start + panel.stride * (panel.columns.len() + panel.below.len());
        let (head, tail) = values.split_at_mut(end);
        let own = &mut head[panel.start..];
        for k in panel.columns.clone() {
            eliminate(f, k, panel, own, b, *b_stride);
        }
        for run in &runs[panel.runs.clone()] {
            let targets = &targets[run.targets..][..panel.below.len() - run.first];
            take_off(panel, run, own, b, *b_stride, targets, tail, end);
        }
    }
}

/// Divides a column by its pivot and takes its part off the rest of its panel. Its numbers B below
/// the panel stay in `b`.
#[inline(always)]
fn eliminate(
    f: &mut Factor,
    k: usize,
    panel: &Panel,
    own: &mut [f64],
    b: &mut [f64],
    b_stride: usize,
) {
    let (p, stride, c) = (panel.columns.len(), panel.stride, k - panel.columns.start);
    let d = own[c * stride + c];
    // a masked row, and one that the others imply, carry nothing
    let there = f.mask[k] & 1 != 0;
    let kept = there && d.abs() >= f.drop * f.original[k].abs() && d != 0.0;
    f.dropped += u32::from(there && !kept);
    let inverse = if kept { 1.0 / d } else { 0.0 };
    f.inverse[k] = inverse;
    // B of the panel's own rows
    let mut beside = [0.0; WIDEST];
    for r in c + 1..p {
        beside[r] = own[r * stride + c];
    }
    // whole lanes: columns before this one have nothing beside them
    let from = (c + 1) / LANES * LANES;
    for r in c + 1..p + panel.below.len() {
        let row = &mut own[r * stride..][..stride];
        let w = row[c] * inverse;
        if r >= p {
            b[c * b_stride + r - p] = row[c];
        }
        row[c] = w;
        let w = F4::splat(w);
        let mut j = from;
        while j < stride {
            let x = F4::of(row, j) - w * F4::of(&beside, j);
            row[j..j + LANES].copy_from_slice(&x.0);
            j += LANES;
        }
    }
}

/// Takes W Bᵀ of a panel off the columns of a run.
#[inline(always)]
fn take_off(
    panel: &Panel,
    run: &Run,
    own: &[f64],
    b: &[f64],
    b_stride: usize,
    targets: &[u32],
    tail: &mut [f64],
    base: usize,
) {
    let (p, stride) = (panel.columns.len(), panel.stride);
    let w = &own[(p + run.first) * stride..];
    let n = targets.len();
    let mut i = 0;
    while i < n {
        // past the end the last row is taken again, and not stored
        let at: [usize; ROWS] = std::array::from_fn(|k| (i + k).min(n - 1) * stride);
        let mut rows: [&[f64]; ROWS] = [&[]; ROWS];
        for k in 0..ROWS {
            rows[k] = &w[at[k]..][..p];
        }
        let mut c = 0;
        // what lies above the diagonal is never read
        while c < run.width && c < i + ROWS {
            let mut sum = [[F4::ZERO; 2]; ROWS];
            for (k, column) in b.chunks_exact(b_stride).take(p).enumerate() {
                let column = &column[run.first + c..][..COLUMNS];
                let (low, high) = (F4::of(column, 0), F4::of(column, LANES));
                for r in 0..ROWS {
                    let w = F4::splat(rows[r][k]);
                    sum[r][0] += w * low;
                    sum[r][1] += w * high;
                }
            }
            let width = run.width - c;
            // written out with constant places, so that the sums stay in registers
            for r in 0..ROWS {
                if i + r >= n {
                    break;
                }
                let t = targets[i + r] as usize + c - base;
                if width >= COLUMNS {
                    let target = &mut tail[t..t + COLUMNS];
                    let (low, high) =
                        (F4::of(target, 0) - sum[r][0], F4::of(target, LANES) - sum[r][1]);
                    target[..LANES].copy_from_slice(&low.0);
                    target[LANES..].copy_from_slice(&high.0);
                    continue;
                }
                let mut left = &mut tail[t..t + width];
                let mut last = sum[r][0];
                if width >= LANES {
                    let (four, more) = left.split_at_mut(LANES);
                    four.copy_from_slice(&(F4::of(four, 0) - last).0);
                    (left, last) = (more, sum[r][1]);
                }
                if let Some(x) = left.get_mut(0) {
                    *x -= last.0[0];
                }
                if let Some(x) = left.get_mut(1) {
                    *x -= last.0[1];
                }
                if let Some(x) = left.get_mut(2) {
                    *x -= last.0[2];
                }
            }
            c += COLUMNS;
        }
        i += ROWS;
    }
}

/// Solves A z = z.
#[inline(always)]
fn solve_body(f: &Factor, panels: &Panels, z: &mut [f64]) {
    for panel in &panels.list {
        let (p, stride) = (panel.columns.len(), panel.stride);
        let own = &panels.values[panel.start..];
        let mut x = [0.0; WIDEST];
        for r in 0..p {
            let row = &own[r * stride..][..stride];
            let mut sum = z[panel.columns.start + r];
            for j in 0..r {
                sum -= row[j] * x[j];
            }
            x[r] = sum;
        }
        z[panel.columns.clone()].copy_from_slice(&x[..p]);
        for (a, &r) in panels.rows[panel.below.clone()].iter().enumerate() {
            let row = &own[(p + a) * stride..][..stride];
            let mut sum = F4::ZERO;
            for j in 0..stride / LANES {
                sum += F4::of(row, LANES * j) * F4::of(&x, LANES * j);
            }
            z[r as usize] -= sum.sum();
        }
    }
    for panel in panels.list.iter().rev() {
        let (p, stride) = (panel.columns.len(), panel.stride);
        let own = &panels.values[panel.start..];
        let mut sum = [F4::ZERO; WIDEST / LANES];
        for (a, &r) in panels.rows[panel.below.clone()].iter().enumerate() {
            let (row, zr) = (&own[(p + a) * stride..][..stride], F4::splat(z[r as usize]));
            for j in 0..stride / LANES {
                sum[j] += F4::of(row, LANES * j) * zr;
            }
        }
        for c in (0..p).rev() {
            let k = panel.columns.start + c;
            let mut x = f.inverse[k] * z[k] - sum[c / LANES].0[c % LANES];
            for r in c + 1..p {
                x -= own[r * stride + c] * z[panel.columns.start + r];
            }
            z[k] = x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::eliminate as order;
    use super::*;

    /// A net of k × k nodes, each tied to its eight neighbours, in postorder, with the values of a
    /// positive definite matrix.
    fn net(k: u32) -> Factor {
        let near =
            |a: u32, b: u32| a != b && (a / k).abs_diff(b / k) <= 1 && (a % k).abs_diff(b % k) <= 1;
        let adjacent = (0..k * k).map(|a| (0..k * k).filter(|&b| near(a, b)).collect()).collect();
        let elimination = order(adjacent, &vec![0; (k * k) as usize]).postorder();
        let mut f = Factor::new(&elimination, &vec![1; (k * k) as usize]);
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for node in 0..f.size.len() {
            (f.values[f.diag[node] as usize], f.original[node]) = (30.0, 30.0);
            for b in f.column(node).to_vec() {
                f.values[b.start as usize] = random();
            }
        }
        f
    }

    #[test]
    fn panels_solve_as_single_rows_do() {
        let mut f = net(25);
        let mut panels = Panels::new(&f);
        assert!(panels.list.iter().any(|p| p.columns.len() == WIDEST), "columns are merged");
        let masked = f.size.len() / 2;
        f.mask[masked] = 0;
        // a row without a pivot of its own is dropped
        let empty = f.size.len() / 3;
        f.values[f.diag[empty] as usize] = 0.0;
        let mut plain = f.clone();
        plain.panels = None;
        plain.factorize();
        f.factorize_panels(&mut panels);
        let mut x: Vec<f64> = (0..f.rows()).map(|i| (i as f64 * 0.7).sin()).collect();
        let mut y = x.clone();
        plain.solve(&mut x, plain.size.len());
        solve(&f, &panels, &mut y);
        assert_eq!(plain.dropped, f.dropped);
        for (x, y) in x.iter().zip(&y) {
            assert!((x - y).abs() < 1e-12 * (1.0 + x.abs()), "{x} {y}");
        }
        assert!(y.iter().any(|y| y.abs() > 1e-3));
    }
}
