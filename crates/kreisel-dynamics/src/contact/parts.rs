//! Islands in parts that threads solve side by side, with the same bits on any number of threads.
//!
//! A large island is cut into slabs along its longest side. Manifolds within a slab touch cells of
//! that slab only, manifolds between neighbours those of two. A sweep goes through phases, the
//! parts of each of which share no cell: all slabs; the borders 0|1, 2|3, …; the borders 1|2, 3|4,
//! …; one by one what reaches further. How an island is cut depends on its bodies only, never on
//! the number of threads, so that sums and orders are always the same.

use super::friction::Friction;
use super::loads::Loads;
use super::rows::{Group, SomeRows, Width};
use crate::lanes::F4;
use std::ops::Range;

/// Bodies of a slab, about: thick enough for most contacts to lie within one.
const SLAB: usize = 512;

/// Most slabs of an island.
const SLABS: usize = 32;

/// How fine the lengths are told apart when slabs are cut.
const BINS: usize = 512;

/// Cells and groups that belong together: ranges in those of the island or of the step.
pub(crate) trait Piece: Sync {
    fn cells(&self) -> Range<usize>;
    fn groups<N: Width>(&self) -> Range<usize>;
}

/// A part of an island, with ranges that begin at the island's own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub phase: u32,
    pub cells: Range<usize>,
    pub groups: Range<usize>,
    /// Its manifolds in the order of all.
    pub manifolds: Range<usize>,
}

impl Piece for Part {
    fn cells(&self) -> Range<usize> {
        self.cells.clone()
    }

    fn groups<N: Width>(&self) -> Range<usize> {
        self.groups.clone()
    }
}

/// What a piece works on.
pub(crate) struct Share<'a, N: Width = F4, C = <N as Width>::Cell> {
    pub cells: &'a mut [C],
    /// Velocities of the sweep before.
    pub last: &'a mut [C],
    pub groups: &'a mut [Group<N>],
    pub frictions: &'a mut [Friction<N>],
    pub loads: &'a mut [Loads<N>],
}

fn parted<T>(slice: &mut [T], at: usize) -> (&mut [T], &mut [T]) {
    let at = at.min(slice.len());
    slice.split_at_mut(at)
}

impl<'a, N: Width, C> Share<'a, N, C> {
    /// What sweeps over normals need.
    pub fn normals(cells: &'a mut [C], last: &'a mut [C], groups: &'a mut [Group<N>]) -> Self {
        Self { cells, last, groups, frictions: &mut [], loads: &mut [] }
    }

    /// What sweeps with friction need.
    pub fn rubbing(
        cells: &'a mut [C],
        last: &'a mut [C],
        groups: &'a mut [Group<N>],
        frictions: &'a mut [Friction<N>],
    ) -> Self {
        Self { cells, last, groups, frictions, loads: &mut [] }
    }

    /// The same again, for a shorter time.
    pub fn again(&mut self) -> Share<'_, N, C> {
        Share {
            cells: self.cells,
            last: self.last,
            groups: self.groups,
            frictions: self.frictions,
            loads: self.loads,
        }
    }

    fn split(self, cell: usize, group: usize) -> (Self, Self) {
        let (cells, last) = (parted(self.cells, cell), parted(self.last, cell));
        let (groups, frictions) = (parted(self.groups, group), parted(self.frictions, group));
        let loads = parted(self.loads, group);
        (
            Share {
                cells: cells.0,
                last: last.0,
                groups: groups.0,
                frictions: frictions.0,
                loads: loads.0,
            },
            Share {
                cells: cells.1,
                last: last.1,
                groups: groups.1,
                frictions: frictions.1,
                loads: loads.1,
            },
        )
    }
}

/// Two things that touch different data: side by side when there are threads, one after the other
/// when there are not.
pub(crate) fn both<A: Send, B: Send>(
    threads: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if threads { rayon::join(a, b) } else { (a(), b()) }
}

/// Does the work of all pieces, each on its share, and puts the results together in an order that
/// does not depend on threads. Pieces follow each other in cells and in groups; `share` begins at
/// cell and group `at`.
pub(crate) fn over<N: Width, C: Send, P: Piece, R: Send>(
    pieces: &[P],
    share: Share<'_, N, C>,
    at: [usize; 2],
    threads: bool,
    work: &(impl Fn(&P, Share<'_, N, C>) -> R + Sync),
    join: &(impl Fn(R, R) -> R + Sync),
) -> Option<R> {
    match pieces {
        [] => None,
        [piece] => {
            let (cells, groups) = (piece.cells(), piece.groups::<N>());
            let (_, rest) = share.split(cells.start - at[0], groups.start - at[1]);
            let (own, _) = rest.split(cells.len(), groups.len());
            Some(work(piece, own))
        }
        _ => {
            let (left, right) = pieces.split_at(pieces.len() / 2);
            let middle = [right[0].cells().start, right[0].groups::<N>().start];
            let (a, b) = share.split(middle[0] - at[0], middle[1] - at[1]);
            let (x, y) = both(
                threads,
                || over(left, a, at, threads, work, join),
                || over(right, b, middle, threads, work, join),
            );
            match (x, y) {
                (Some(x), Some(y)) => Some(join(x, y)),
                (x, y) => x.or(y),
            }
        }
    }
}

/// Groups of a phase from which on threads share them: a sweep over so many takes a microsecond or
/// two, as long as handing out its half.
const FEW: usize = 32;

/// Goes over the parts of an island, phase by phase.
pub(crate) fn in_phases<N: Width, C: Send, R: Send>(
    parts: &[Part],
    mut share: Share<'_, N, C>,
    threads: bool,
    work: &(impl Fn(&Part, Share<'_, N, C>) -> R + Sync),
    join: &(impl Fn(R, R) -> R + Sync),
) -> Option<R> {
    let mut all = None;
    for phase in parts.chunk_by(|a, b| a.phase == b.phase) {
        let groups: usize = phase.iter().map(|p| p.groups.len()).sum();
        let of_phase = over(phase, share.again(), [0, 0], threads && groups >= FEW, work, join);
        all = match (all, of_phase) {
            (Some(x), Some(y)) => Some(join(x, y)),
            (x, y) => x.or(y),
        };
    }
    all
}

/// Groups of one handful of work that needs no cells of its own.
const HANDFUL: usize = 64;

/// A sum over groups, in handfuls whose sums are added in an order that does not depend on threads.
pub(crate) fn sum<N: Width>(
    groups: &[Group<N>],
    frictions: &[Friction<N>],
    threads: bool,
    work: &(impl Fn(&[Group<N>], &[Friction<N>]) -> f64 + Sync),
) -> f64 {
    if groups.len() <= HANDFUL {
        return work(groups, frictions);
    }
    let middle = (groups.len() / 2).next_multiple_of(HANDFUL).min(groups.len() - 1);
    let (a, b) = (groups.split_at(middle), frictions.split_at(middle));
    let (x, y) = both(threads, || sum(a.0, b.0, threads, work), || sum(a.1, b.1, threads, work));
    x + y
}

/// The same work for all groups, which do not touch each other.
pub(crate) fn each<N: Width>(
    rows: SomeRows<'_, N>,
    threads: bool,
    work: &(impl Fn(SomeRows<'_, N>) + Sync),
) {
    if !threads || rows.0.len() <= HANDFUL {
        return work(rows);
    }
    let middle = rows.0.len() / 2;
    let (a, b, c) =
        (rows.0.split_at_mut(middle), rows.1.split_at_mut(middle), rows.2.split_at_mut(middle));
    rayon::join(|| each((a.0, b.0, c.0), threads, work), || each((a.1, b.1, c.1), threads, work));
}

/// Slabs of a set of bodies: which one each coordinate lies in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slabs {
    pub count: usize,
    axis: usize,
    low: f64,
    scale: f64,
    slab_of: Vec<u8>,
    counts: Vec<u32>,
}

impl Slabs {
    /// Cuts bodies at these places into slabs of about equal numbers.
    pub fn cut(&mut self, places: impl Iterator<Item = crate::math::Vec3> + Clone) {
        let (mut n, mut low, mut high) = (0, f64::INFINITY, f64::NEG_INFINITY);
        self.count = places.clone().count() / SLAB;
        if self.count < 2 {
            self.count = 1;
            return;
        }
        self.count = self.count.min(SLABS);
        let mut widest = f64::NEG_INFINITY;
        for axis in 0..3 {
            let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
            for p in places.clone() {
                (lo, hi) = (lo.min(p[axis]), hi.max(p[axis]));
            }
            if hi - lo > widest {
                (widest, self.axis, low, high) = (hi - lo, axis, lo, hi);
            }
        }
        self.low = low;
        self.scale = if high > low { BINS as f64 / (high - low) } else { 0.0 };
        self.counts.clear();
        self.counts.resize(BINS, 0);
        for p in places {
            let bin = self.bin(p);
            self.counts[bin] += 1;
            n += 1;
        }
        self.slab_of.clear();
        let mut before = 0;
        for &c in &self.counts {
            // a bin goes where its middle is
            let middle = 2 * before + c as usize;
            self.slab_of.push((middle * self.count / (2 * n)).min(self.count - 1) as u8);
            before += c as usize;
        }
    }

    fn bin(&self, p: crate::math::Vec3) -> usize {
        (((p[self.axis] - self.low) * self.scale) as usize).min(BINS - 1)
    }

    /// Slab of a place.
    pub fn of(&self, p: crate::math::Vec3) -> usize {
        if self.count < 2 { 0 } else { usize::from(self.slab_of[self.bin(p)]) }
    }

    /// Kind of a manifold between two slabs: its place among all kinds, in the order of phases.
    pub fn kind(&self, [a, b]: [usize; 2]) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        let even = self.count / 2;
        match high - low {
            0 => low,
            1 if low % 2 == 0 => self.count + low / 2,
            1 => self.count + even + low / 2,
            _ => self.kinds() - 1,
        }
    }

    /// Number of kinds: slabs, borders, and what reaches further.
    pub fn kinds(&self) -> usize {
        2 * self.count
    }

    /// Phase of a kind, and the slabs that it touches.
    pub fn reach(&self, kind: usize) -> (u32, Range<usize>) {
        let (n, even) = (self.count, self.count / 2);
        match kind {
            k if k < n => (0, k..k + 1),
            k if k < n + even => (1, 2 * (k - n)..2 * (k - n) + 2),
            k if k < 2 * n - 1 => (2, 2 * (k - n - even) + 1..2 * (k - n - even) + 3),
            _ => (3, 0..n),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    #[test]
    fn parts_of_a_phase_share_no_slab_and_every_pair_has_its_part() {
        for bodies in [100, 600, 1500, 4000, 20_000] {
            let place = |i: usize| Vec3::new((i % 7) as f64, ((i * i) % 1009) as f64, 0.3);
            let mut slabs = Slabs::default();
            slabs.cut((0..bodies).map(place));
            let mut counts = vec![0; slabs.count];
            (0..bodies).for_each(|i| counts[slabs.of(place(i))] += 1);
            assert!(counts.iter().all(|&c| c > 0), "{counts:?}");
            for phase in 0..4 {
                let mut taken = vec![false; slabs.count];
                for (p, reach) in
                    (0..slabs.kinds()).map(|k| slabs.reach(k)).filter(|r| r.0 == phase)
                {
                    for s in reach {
                        assert!(
                            !std::mem::replace(&mut taken[s], true),
                            "phase {p}, slab {s} of {}",
                            slabs.count
                        );
                    }
                }
            }
            for a in 0..slabs.count {
                for b in 0..slabs.count {
                    let reach = slabs.reach(slabs.kind([a, b])).1;
                    assert!(
                        reach.contains(&a) && reach.contains(&b),
                        "{a} {b} {reach:?} of {}",
                        slabs.count
                    );
                }
            }
        }
    }
}
