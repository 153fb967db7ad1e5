//! Coherence hashing: the hierarchical grid kept up to date while the boxes move.
//!
//! Reference: Lennerz 2000, section 4.4.6 (L-74), corrected (docs/sources.md). Each box is entered
//! in the cells of its own grid and of all coarser ones in use. A counter for each pair says how
//! many cells both share in the coarser of their grids; the pair is a candidate as long as it is
//! not 0. When a box moves, only the cells that it leaves and enters are touched: none at all in
//! most steps, since its cells are as large as itself.
//!
//! | | |
//! |---|---|
//! | counting rule | c(A, B) changes in grid i only if i is the coarser of both own grids (the printed rule breaks it) |
//! | early exit | no change in a grid means none in coarser ones: cells double in size and share the origin |
//! | cost of a step | O(n + changes), and the candidates are compared box by box |
//!
//! A box touches at most eight cells of a grid, so that the difference of two blocks is found by
//! looking at each cell; the thesis cuts it into slabs.

use super::grid::{block_of, cells, far, level};
use super::{Aabb, BroadPhase, tidy};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// A grid's exponent and the cell in it.
type Cell = (i32, [i64; 3]);

/// Mixes the few words of a cell; the order of the table is never used.
#[derive(Clone, Copy, Debug, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(b.into()));
    }
    fn write_u64(&mut self, x: u64) {
        // multiply and rotate (Fibonacci hashing)
        self.0 = (self.0.rotate_left(26) ^ x).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    fn write_i64(&mut self, x: i64) {
        self.write_u64(x as u64);
    }
    fn write_i32(&mut self, x: i32) {
        self.write_u64(x as u64);
    }
    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }
}

/// A box that is in the tables.
#[derive(Clone, Copy, Debug)]
struct Stored {
    level: i32,
    bounds: Aabb,
}

/// What is in a cell. A pair counts here only if this is the grid of one of both, so finer boxes
/// need not be compared with each other.
#[derive(Clone, Debug, Default)]
struct Held {
    /// Boxes whose own grid this is.
    own: Vec<u32>,
    /// Boxes of finer grids.
    finer: Vec<u32>,
}

/// Cells of many sizes that remember which boxes they hold.
#[derive(Clone, Debug, Default)]
pub struct CoherenceHash {
    /// Grids in use, the finest first.
    levels: Vec<i32>,
    /// By the number of the box; `None` for boxes that have no grid.
    stored: Vec<Option<Stored>>,
    table: HashMap<Cell, Held, BuildHasherDefault<Mix>>,
    counters: BTreeMap<[u32; 2], u32>,
    changes: u64,
}

impl CoherenceHash {
    /// Entries into cells and removals that the last step needed.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// The pairs that share a cell of the coarser of their grids, with the number of such cells,
    /// sorted.
    pub fn counters(&self) -> impl ExactSizeIterator<Item = ([u32; 2], u32)> + '_ {
        self.counters.iter().map(|(pair, count)| (*pair, *count))
    }

    fn enter(&mut self, i: u32, own: i32, cell: Cell) {
        self.changes += 1;
        let held = self.table.entry(cell).or_default();
        let finer: &[u32] = if own == cell.0 { &held.finer } else { &[] };
        for &j in held.own.iter().chain(finer) {
            *self.counters.entry([i.min(j), i.max(j)]).or_default() += 1;
        }
        let list = if own == cell.0 { &mut held.own } else { &mut held.finer };
        list.push(i);
    }

    fn leave(&mut self, i: u32, own: i32, cell: Cell) {
        self.changes += 1;
        let Some(held) = self.table.get_mut(&cell) else { return };
        let list = if own == cell.0 { &mut held.own } else { &mut held.finer };
        if let Some(at) = list.iter().position(|&j| j == i) {
            list.swap_remove(at);
        }
        let finer: &[u32] = if own == cell.0 { &held.finer } else { &[] };
        for &j in held.own.iter().chain(finer) {
            let pair = [i.min(j), i.max(j)];
            if let Some(count) = self.counters.get_mut(&pair) {
                *count -= 1;
                if *count == 0 {
                    self.counters.remove(&pair);
                }
            }
        }
        if held.own.is_empty() && held.finer.is_empty() {
            self.table.remove(&cell);
        }
    }

    /// The cells of a box in a grid.
    fn cells_of(b: &Aabb, level: i32) -> Vec<Cell> {
        let mut all = Vec::with_capacity(8);
        cells(b, level, |cell| all.push(cell));
        all
    }

    /// Brings box `i` to where it is now.
    fn update(&mut self, i: u32, now: Option<Stored>) {
        let before = self.stored[i as usize];
        if let (Some(old), Some(new)) = (before, now)
            && old.level == new.level
        {
            for k in 0..self.levels.len() {
                let level = self.levels[k];
                if level < new.level {
                    continue;
                }
                if block_of(&old.bounds, level) == block_of(&new.bounds, level) {
                    break;
                }
                let (from, to) =
                    (Self::cells_of(&old.bounds, level), Self::cells_of(&new.bounds, level));
                from.iter().filter(|c| !to.contains(c)).for_each(|&c| self.leave(i, new.level, c));
                to.iter().filter(|c| !from.contains(c)).for_each(|&c| self.enter(i, new.level, c));
            }
            self.stored[i as usize] = now;
            return;
        }
        for (place, entering) in [(before, false), (now, true)] {
            let Some(place) = place else { continue };
            for k in 0..self.levels.len() {
                let level = self.levels[k];
                // a large box would have no end of small cells
                if level < place.level {
                    continue;
                }
                for cell in Self::cells_of(&place.bounds, level) {
                    if entering {
                        self.enter(i, place.level, cell)
                    } else {
                        self.leave(i, place.level, cell)
                    }
                }
            }
        }
        self.stored[i as usize] = now;
    }
}

impl BroadPhase for CoherenceHash {
    fn pairs(&mut self, boxes: &[Aabb]) -> Vec<[u32; 2]> {
        let own: Vec<Option<i32>> = boxes.iter().map(level).collect();
        let finest = own.iter().flatten().min().copied().unwrap_or(0);
        let now: Vec<Option<Stored>> = boxes
            .iter()
            .zip(own)
            .map(|(b, level)| {
                let level = level.filter(|l| *l <= finest + 40 && !far(b, finest))?;
                Some(Stored { level, bounds: *b })
            })
            .collect();
        let mut levels: Vec<i32> = now.iter().flatten().map(|s| s.level).collect();
        levels.sort_unstable();
        levels.dedup();
        if levels != self.levels {
            *self = Self { levels, ..Self::default() };
        }
        self.changes = 0;
        for i in boxes.len()..self.stored.len() {
            self.update(i as u32, None);
        }
        self.stored.resize(boxes.len(), None);
        for (i, place) in now.iter().enumerate() {
            self.update(i as u32, *place);
        }
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        pairs.extend(
            self.counters.keys().filter(|[i, j]| boxes[*i as usize].overlaps(&boxes[*j as usize])),
        );
        let huge: Vec<usize> = (0..boxes.len()).filter(|&i| now[i].is_none()).collect();
        if huge.is_empty() {
            return pairs;
        }
        for i in huge {
            let others = (0..boxes.len()).filter(|&j| j != i && boxes[i].overlaps(&boxes[j]));
            pairs.extend(others.map(|j| [i as u32, j as u32]));
        }
        tidy(pairs)
    }
}
