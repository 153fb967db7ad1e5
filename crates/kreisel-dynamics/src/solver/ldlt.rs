//! Block LDLᵀ of the joint matrix in a fixed order (Bender 3.3.2 with the sparse structure made
//! explicit).
//!
//! A has one block of f ≤ 8 rows per node. Right-looking: column k inverts its diagonal block,
//! forms W = B D⁻¹ for every block B below, and subtracts W Bᵀ from the blocks of its neighbours,
//! whose addresses were listed once by the symbolic analysis. Linear on chains and trees; fill only
//! where loops are.
//!
//! A body with many joints would make a clique of them all; it is kept as a node of its own
//! instead, with the 6 × 6 block −E, coupled to each of its joints by the joint's rows (scaled by
//! M^−½): the KKT form for that body only.

use super::block::{self, MAX_ROWS};
use super::order::Elimination;
use super::panel::{self, Panels};
use crate::lanes::F4;
use crate::simd::kernel;

/// A block below the diagonal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below {
    /// Its node (row), as a position in the elimination order.
    pub node: u32,
    /// Where it starts in the values.
    pub start: u32,
}

/// The factorisation: structure (once per topology) and numbers (once per substep).
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    /// Rows of each node.
    pub size: Vec<u8>,
    /// First row of each node.
    pub row0: Vec<u32>,
    /// Start of each node's diagonal block in the values.
    pub diag: Vec<u32>,
    /// Range of each column's blocks in `below`.
    column: Vec<(u32, u32)>,
    pub below: Vec<Below>,
    /// Start of each column's pair targets.
    targets_of: Vec<u32>,
    targets: Vec<u32>,
    /// Common size of all blocks, or 0.
    uniform: usize,
    /// A, then L.
    pub values: Vec<f64>,
    /// Inverse diagonal blocks, at the same places as `diag` (sizes f²), packed.
    pub(super) inverse: Vec<f64>,
    inverse_of: Vec<u32>,
    /// Diagonal of A, by row.
    pub original: Vec<f64>,
    /// A pivot below this share of it counts as zero.
    pub drop: f64,
    /// Active rows of each node.
    pub mask: Vec<u8>,
    /// Whether some node is switched off as a whole.
    pub masked: bool,
    /// Scratch: the W blocks of one column, and its blocks of A as lanes.
    work: Vec<f64>,
    columns: Vec<[F4; 3]>,
    /// Rows dropped in the last factorisation.
    pub dropped: u32,
    /// Columns of equal structure, where loops have made enough of them.
    pub(super) panels: Option<Box<Panels>>,
}

impl Factor {
    /// Lays out the factor for nodes given in elimination order. `sizes` and `elimination.below`
    /// use the numbers that nodes had before ordering.
    pub fn new(elimination: &Elimination, sizes: &[u8]) -> Self {
        let n = elimination.order.len();
        let mut position = vec![0u32; n];
        for (k, &v) in elimination.order.iter().enumerate() {
            position[v as usize] = k as u32;
        }
        let size: Vec<u8> = elimination.order.iter().map(|&v| sizes[v as usize]).collect();
        let mut f = Self {
            uniform: uniform(&size),
            drop: block::DROP,
            mask: vec![0xff; n],
            ..Self::default()
        };
        let (mut row, mut start, mut inv) = (0u32, 0u32, 0u32);
        for k in 0..n {
            let fk = u32::from(size[k]);
            f.row0.push(row);
            f.diag.push(start);
            f.inverse_of.push(inv);
            row += fk;
            start += fk * fk;
            inv += fk * fk;
            let first = f.below.len() as u32;
            let mut nodes: Vec<u32> =
                elimination.below[k].iter().map(|&v| position[v as usize]).collect();
            nodes.sort_unstable();
            for node in nodes {
                f.below.push(Below { node, start });
                start += fk * u32::from(size[node as usize]);
            }
            f.column.push((first, f.below.len() as u32));
        }
        f.size = size;
        // one more: lanes reach over the end of the last row
        f.values = vec![0.0; start as usize + 1];
        f.inverse = vec![0.0; inv as usize];
        f.original = vec![0.0; row as usize];
        let mut widest = 0;
        for k in 0..n {
            f.targets_of.push(f.targets.len() as u32);
            let blocks = f.column(k).to_vec();
            widest = widest.max(blocks.len());
            for a in 0..blocks.len() {
                for b in 0..=a {
                    let (i, j) = (blocks[a].node, blocks[b].node);
                    let target =
                        if i == j { f.diag[i as usize] } else { f.find(i, j).unwrap_or(u32::MAX) };
                    debug_assert_ne!(target, u32::MAX, "fill is part of the structure");
                    f.targets.push(target);
                }
            }
        }
        f.work = vec![0.0; widest * MAX_ROWS * MAX_ROWS];
        f.columns = vec![[F4::ZERO; 3]; widest];
        if elimination.postordered {
            f.panels = Some(Box::new(Panels::new(&f)));
        }
        f
    }

    pub(super) fn column(&self, k: usize) -> &[Below] {
        let (a, b) = self.column[k];
        &self.below[a as usize..b as usize]
    }

    /// Start of the block with row node `i` and column node `j`, i > j.
    pub fn find(&self, i: u32, j: u32) -> Option<u32> {
        let column = self.column(j as usize);
        column.binary_search_by_key(&i, |b| b.node).ok().map(|k| column[k].start)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.original.len()
    }

    /// Factorises the values in place.
    pub fn factorize(&mut self) {
        if let Some(mut panels) = self.panels.take() {
            self.factorize_panels(&mut panels);
            self.panels = Some(panels);
            return;
        }
        match self.uniform {
            1 => factorize_kernel::<1>(self),
            3 => factorize3_kernel(self),
            5 => factorize_kernel::<5>(self),
            6 => factorize_kernel::<6>(self),
            _ => factorize_kernel::<0>(self),
        }
    }

    /// Solves A z = z for the first `nodes` nodes; the others are left out as if they did not
    /// exist.
    pub fn solve(&self, z: &mut [f64], nodes: usize) {
        if let Some(panels) = &self.panels {
            // no class comes after another: it is always all nodes
            debug_assert_eq!(nodes, self.size.len());
            return panel::solve(self, panels, &mut z[..self.original.len()]);
        }
        match self.uniform {
            1 => solve_kernel::<1>(self, z, nodes),
            3 => solve3_kernel(self, z, nodes),
            5 => solve_kernel::<5>(self, z, nodes),
            6 => solve_kernel::<6>(self, z, nodes),
            _ => solve_kernel::<0>(self, z, nodes),
        }
    }

    /// The inverse diagonal block of node `k` as left by [`Factor::factorize`]; for a node without
    /// neighbours this is the inverse of its own block.
    pub fn inverse_block(&self, k: usize) -> &[f64] {
        let f = usize::from(self.size[k]);
        &self.inverse[self.inverse_of[k] as usize..][..f * f]
    }
}

fn uniform(size: &[u8]) -> usize {
    match size.first() {
        Some(&f) if size.iter().all(|&g| g == f) => usize::from(f),
        _ => 0,
    }
}

kernel! {
    fn factorize_kernel<const F: usize>(f: &mut Factor) = factorize_body::<F>
}
kernel! {
    fn solve_kernel<const F: usize>(f: &Factor, z: &mut [f64], nodes: usize) = solve_body::<F>
}

kernel! {
    fn factorize3_kernel(f: &mut Factor) = factorize3_body
}
kernel! {
    fn solve3_kernel(f: &Factor, z: &mut [f64], nodes: usize) = solve3_body
}

/// A block of three rows.
type Block3 = [f64; 9];

#[inline(always)]
fn block3(values: &[f64], start: u32) -> Block3 {
    let v = &values[start as usize..start as usize + 9];
    [v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]]
}

/// Rows of a block as lanes; the fourth is zero.
#[inline(always)]
fn row_lanes(b: &Block3) -> [F4; 3] {
    [F4([b[0], b[1], b[2], 0.0]), F4([b[3], b[4], b[5], 0.0]), F4([b[6], b[7], b[8], 0.0])]
}

/// Columns of a block as lanes; the fourth is zero.
#[inline(always)]
fn column_lanes(b: &Block3) -> [F4; 3] {
    [F4([b[0], b[3], b[6], 0.0]), F4([b[1], b[4], b[7], 0.0]), F4([b[2], b[5], b[8], 0.0])]
}

/// Row of a product: Σ aₗ bₗ.
#[inline(always)]
fn combine(a: &[f64], b: &[F4; 3]) -> F4 {
    F4::splat(a[0]) * b[0] + F4::splat(a[1]) * b[1] + F4::splat(a[2]) * b[2]
}

/// Three rows everywhere: the case of ball joints. Rows of blocks are handled as four lanes, the
/// last of which adds nothing to what follows the row.
#[inline(always)]
fn factorize3_body(f: &mut Factor) {
    f.dropped = 0;
    for k in 0..f.size.len() {
        let d = block3(&f.values, f.diag[k]);
        let o = &f.original[3 * k..3 * k + 3];
        let mut inv = [0.0; 9];
        if f.mask[k] & 7 != 7 || !block::invert3(&d, o, &mut inv) {
            f.dropped += block::invert(&d, 3, o, f.drop, f.mask[k], &mut inv);
        }
        f.inverse[9 * k..9 * k + 9].copy_from_slice(&inv);
        let inv = row_lanes(&inv);
        let (first, end) = (f.column[k].0 as usize, f.column[k].1 as usize);
        for (b, lanes) in f.below[first..end].iter().zip(&mut f.columns) {
            *lanes = column_lanes(&block3(&f.values, b.start));
        }
        let mut next = f.targets_of[k] as usize;
        for a in first..end {
            let start = f.below[a].start as usize;
            let mut w = [[0.0; 4]; 3];
            for i in 0..3 {
                w[i] = combine(&f.values[start + 3 * i..start + 3 * i + 3], &inv).0;
            }
            for b in 0..=a - first {
                let t = f.targets[next] as usize;
                next += 1;
                let (target, b) = (&mut f.values[t..t + 10], &f.columns[b]);
                // all loads before the stores: a load across the end of a fresh store waits until
                // that has left the core
                let old = [F4::of(target, 0), F4::of(target, 3), F4::of(target, 6)];
                for i in 0..3 {
                    let new = old[i] - combine(&w[i], b);
                    target[3 * i..3 * i + 4].copy_from_slice(&new.0);
                }
            }
            // this column's blocks of A are in `columns` by now
            for i in 0..3 {
                f.values[start + 3 * i..start + 3 * i + 3].copy_from_slice(&w[i][..3]);
            }
        }
    }
}

#[inline(always)]
fn solve3_body(f: &Factor, z: &mut [f64], nodes: usize) {
    for k in 0..nodes {
        let x = [z[3 * k], z[3 * k + 1], z[3 * k + 2]];
        for b in f.column(k) {
            let (l, r) = (block3(&f.values, b.start), 3 * b.node as usize);
            let zb = &mut z[r..r + 3];
            for i in 0..3 {
                zb[i] -= l[3 * i] * x[0] + l[3 * i + 1] * x[1] + l[3 * i + 2] * x[2];
            }
        }
    }
    z[3 * nodes..].fill(0.0);
    for k in (0..nodes).rev() {
        let v = block3(&f.inverse, 9 * k as u32);
        // the inverse is symmetric: its rows are its columns
        let mut x = combine(&z[3 * k..3 * k + 3], &row_lanes(&v));
        for b in f.column(k) {
            let (l, r) = (&f.values[b.start as usize..b.start as usize + 10], 3 * b.node as usize);
            // the fourth lane carries what follows a row, and is left behind
            x = x - combine(&z[r..r + 3], &[F4::of(l, 0), F4::of(l, 3), F4::of(l, 6)]);
        }
        z[3 * k..3 * k + 3].copy_from_slice(&x.0[..3]);
    }
}

/// F = 0 stands for mixed sizes.
#[inline(always)]
fn factorize_body<const F: usize>(f: &mut Factor) {
    let Factor {
        size,
        diag,
        column,
        below,
        targets_of,
        targets,
        values,
        inverse,
        inverse_of,
        original,
        drop,
        mask,
        work,
        row0,
        dropped,
        ..
    } = f;
    *dropped = 0;
    for k in 0..size.len() {
        let fk = if F > 0 { F } else { usize::from(size[k]) };
        let inv = &mut inverse[inverse_of[k] as usize..][..fk * fk];
        {
            let d = &values[diag[k] as usize..][..fk * fk];
            let o = &original[row0[k] as usize..][..fk];
            let easy = F == 0 && fk == 3 && mask[k] & 7 == 7 && block::invert3(d, o, inv);
            if !easy {
                *dropped += block::invert(d, fk, o, *drop, mask[k], inv);
            }
        }
        let inv = &inverse[inverse_of[k] as usize..][..fk * fk];
        let (first, end) = (column[k].0 as usize, column[k].1 as usize);
        let blocks = &below[first..end];
        let targets = &targets[targets_of[k] as usize..];
        let mut next = 0;
        for a in 0..blocks.len() {
            let fa = if F > 0 { F } else { usize::from(size[blocks[a].node as usize]) };
            let w = a * MAX_ROWS * MAX_ROWS;
            // W = B D⁻¹
            {
                let b = &values[blocks[a].start as usize..][..fa * fk];
                let w = &mut work[w..][..fa * fk];
                for i in 0..fa {
                    for j in 0..fk {
                        let mut sum = 0.0;
                        for l in 0..fk {
                            sum += b[i * fk + l] * inv[l * fk + j];
                        }
                        w[i * fk + j] = sum;
                    }
                }
            }
            let w = &work[w..][..fa * fk];
            for b in 0..=a {
                let fb = if F > 0 { F } else { usize::from(size[blocks[b].node as usize]) };
                let (s, t) = (blocks[b].start as usize, targets[next] as usize);
                next += 1;
                // the target lies in a later column, behind all blocks of this one
                let (head, tail) = values.split_at_mut(t);
                let (bb, target) = (&head[s..][..fb * fk], &mut tail[..fa * fb]);
                for i in 0..fa {
                    for j in 0..fb {
                        let mut sum = 0.0;
                        for l in 0..fk {
                            sum += w[i * fk + l] * bb[j * fk + l];
                        }
                        target[i * fb + j] -= sum;
                    }
                }
            }
        }
        for a in 0..blocks.len() {
            let fa = if F > 0 { F } else { usize::from(size[blocks[a].node as usize]) };
            let w = &work[a * MAX_ROWS * MAX_ROWS..][..fa * fk];
            values[blocks[a].start as usize..][..fa * fk].copy_from_slice(w);
        }
    }
}

#[inline(always)]
fn solve_body<const F: usize>(f: &Factor, z: &mut [f64], nodes: usize) {
    for k in 0..nodes {
        let fk = if F > 0 { F } else { usize::from(f.size[k]) };
        let mut x = [0.0; MAX_ROWS];
        let r = f.row0[k] as usize;
        x[..fk].copy_from_slice(&z[r..][..fk]);
        for b in f.column(k) {
            let fb = if F > 0 { F } else { usize::from(f.size[b.node as usize]) };
            let l = &f.values[b.start as usize..][..fb * fk];
            let zb = &mut z[f.row0[b.node as usize] as usize..][..fb];
            for i in 0..fb {
                let mut sum = 0.0;
                for j in 0..fk {
                    sum += l[i * fk + j] * x[j];
                }
                zb[i] -= sum;
            }
        }
    }
    if nodes < f.size.len() {
        z[f.row0[nodes] as usize..].fill(0.0);
    }
    for k in (0..nodes).rev() {
        let fk = if F > 0 { F } else { usize::from(f.size[k]) };
        let r = f.row0[k] as usize;
        let inv = &f.inverse[f.inverse_of[k] as usize..][..fk * fk];
        let mut x = [0.0; MAX_ROWS];
        {
            let zk = &z[r..][..fk];
            for i in 0..fk {
                for j in 0..fk {
                    x[i] += inv[i * fk + j] * zk[j];
                }
            }
        }
        for b in f.column(k) {
            let fb = if F > 0 { F } else { usize::from(f.size[b.node as usize]) };
            let l = &f.values[b.start as usize..][..fb * fk];
            let zb = &z[f.row0[b.node as usize] as usize..][..fb];
            for i in 0..fb {
                for j in 0..fk {
                    x[j] -= l[i * fk + j] * zb[i];
                }
            }
        }
        z[r..][..fk].copy_from_slice(&x[..fk]);
    }
}
