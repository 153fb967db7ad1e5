//! Hierarchical spatial hashing.
//!
//! Reference: Lennerz 2000, section 4.4.5 (L-73), the coarsest grid first: a box of size s belongs
//! to the grid with cells of the power of two ρ with s ≤ ρ < 2 s, where it touches at most 8 cells
//! (α = ½, β = 1). Two boxes are candidates if they share a cell of the coarser of their grids. The
//! thesis has hash tables; sorted lists of cells give the same answers in an order that is the same
//! on every machine.
//!
//! O(n g log n) for g different sizes (in powers of two). Unbounded boxes, and those more than 2⁴⁰
//! times larger than the smallest, are compared with all others.

use super::{Aabb, BroadPhase, tidy};
use glam::DVec3;

/// Cells of many sizes.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashGrid;

/// A cell of a grid: the exponent of its size and its coordinates.
type Cell = (i32, [i64; 3]);

impl BroadPhase for HashGrid {
    fn pairs(&mut self, boxes: &[Aabb]) -> Vec<[u32; 2]> {
        let levels: Vec<Option<i32>> = boxes.iter().map(level).collect();
        let finest = levels.iter().flatten().min().copied().unwrap_or(0);
        let is_huge =
            |i: usize| levels[i].is_none_or(|l| l > finest + 40 || far(&boxes[i], finest));
        let mut pairs = Vec::new();
        for i in (0..boxes.len()).filter(|&i| is_huge(i)) {
            let others = (0..boxes.len()).filter(|&j| j != i && boxes[i].overlaps(&boxes[j]));
            pairs.extend(others.map(|j| [i as u32, j as u32]));
        }
        let small: Vec<(u32, i32)> = (0..boxes.len())
            .filter(|&i| !is_huge(i))
            .filter_map(|i| Some((i as u32, levels[i]?)))
            .collect();
        let mut table: Vec<(Cell, u32)> = Vec::with_capacity(4 * small.len());
        for &(i, level) in &small {
            cells(&boxes[i as usize], level, |cell| table.push((cell, i)));
        }
        table.sort_unstable();
        let mut used: Vec<i32> = small.iter().map(|s| s.1).collect();
        used.sort_unstable();
        used.dedup();
        for &(i, own) in &small {
            let a = &boxes[i as usize];
            for &level in used.iter().filter(|&&l| l >= own) {
                cells(a, level, |cell| {
                    let from = table.partition_point(|e| e.0 < cell);
                    for &(_, j) in table[from..].iter().take_while(|e| e.0 == cell) {
                        if i != j && a.overlaps(&boxes[j as usize]) {
                            pairs.push([i, j]);
                        }
                    }
                });
            }
        }
        tidy(pairs)
    }
}

/// The exponent of the cell size that fits a box; `None` if it is unbounded or not a box.
pub(super) fn level(b: &Aabb) -> Option<i32> {
    let size = (b.hi - b.lo).max_element();
    if !(b.is_bounded() && (0.0..1e300).contains(&size)) {
        return None;
    }
    // points get cells of a nanometre
    Some(libm::frexp(size.max(1e-9)).1)
}

/// True if the cell coordinates would not fit their type.
pub(super) fn far(b: &Aabb, finest: i32) -> bool {
    b.lo.abs().max(b.hi.abs()).max_element() / libm::ldexp(1.0, finest) > 1e15
}

/// The first and the last cell of a box along each axis.
pub(super) fn block_of(b: &Aabb, level: i32) -> [[i64; 3]; 2] {
    let inverse = libm::ldexp(1.0, -level);
    [b.lo, b.hi].map(|p: DVec3| (p * inverse).floor().to_array().map(|x| x as i64))
}

/// Visits the cells of a box.
pub(super) fn cells(b: &Aabb, level: i32, mut visit: impl FnMut(Cell)) {
    let [lo, hi] = block_of(b, level);
    for x in lo[0]..=hi[0] {
        for y in lo[1]..=hi[1] {
            for z in lo[2]..=hi[2] {
                visit((level, [x, y, z]));
            }
        }
    }
}
