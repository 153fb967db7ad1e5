//! Islands: bodies that manifolds and joints link. Islands are independent; small ones without
//! joints go together in one batch, so that the four lanes are full.

use super::collider::{Collider, Place};
use super::manifold::Brief;
use super::parts::{Part, Piece, Slabs};
use super::rows::Width;
use std::ops::Range;

/// A batch is closed when it has this many manifolds.
const BATCH: usize = 64;

/// Bodies and manifolds that are solved together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    /// Ranges of its cells, of its groups of four manifolds or of eight (the other range is empty),
    /// and of its chains.
    pub cells: Range<usize>,
    pub fours: Range<usize>,
    pub eights: Range<usize>,
    pub chains: Range<usize>,
    /// Its parts in [`Islands::parts`].
    pub parts: Range<usize>,
    /// Points that met in the last step.
    pub impacts: u32,
}

impl Island {
    /// Whether it is swept in single precision.
    pub fn is_single(&self) -> bool {
        !self.eights.is_empty()
    }

    /// Whether nothing but contacts holds it together, so that it needs nothing that other islands
    /// need.
    pub fn is_loose(&self, settings: &super::ContactSettings) -> bool {
        self.chains.is_empty() && settings.shock == 0
    }
}

impl Piece for Island {
    fn cells(&self) -> Range<usize> {
        self.cells.clone()
    }

    fn groups<N: Width>(&self) -> Range<usize> {
        if N::SINGLE { self.eights.clone() } else { self.fours.clone() }
    }
}

/// What a partition is made from.
#[derive(Clone, Copy)]
pub(crate) struct Touching<'a> {
    pub manifolds: &'a [Brief],
    pub colliders: &'a [Collider],
    /// Colliders that answer to impulses.
    pub active: &'a [bool],
    /// The jointed system of each body by slot, `u32::MAX` for loose ones.
    pub chain_of: &'a [u32],
    /// Where bodies are, by slot.
    pub places: &'a [Place],
    /// Whether large islands are cut into parts.
    pub cut: bool,
}

/// The partition of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    pub list: Vec<Island>,
    /// Manifolds, island by island.
    pub order: Vec<u32>,
    /// Slot of the body in each cell; `u32::MAX` for the cell of bodies that do not move.
    pub slots: Vec<u32>,
    /// Cell of each body within its island, by slot; 0 for bodies in no island.
    pub cell: Vec<u32>,
    /// Systems with joints in the order of the islands.
    pub chains: Vec<u32>,
    pub parts: Vec<Part>,
    /// What it was made from: pairs with their numbers of points, who answered, and whether large
    /// islands were cut.
    seen: Vec<([u32; 2], u32)>,
    seen_active: Vec<bool>,
    seen_cut: bool,
    parent: Vec<u32>,
    number: Vec<u32>,
    keys: Vec<(u32, u32)>,
    sizes: Vec<(u32, bool)>,
    /// Bodies of the island at hand as they are met, its slabs and their first cells; scratch of
    /// sorting.
    met: Vec<u32>,
    slabs: Slabs,
    first: Vec<usize>,
    kinds: Vec<(u32, u32)>,
    sorted: Vec<(u32, u32)>,
    counts: Vec<usize>,
}

/// What a partition depends on beside the pair.
fn region(m: &Brief) -> u32 {
    2 * m.count + u32::from(m.sensor)
}

/// Sorts by kind, and keeps the order within a kind. `places` has an entry for each kind and one
/// more, all zero; afterwards they are the ends of the kinds.
fn by_kind(from: &[(u32, u32)], places: &mut [usize], to: &mut Vec<(u32, u32)>) {
    for k in from {
        places[k.0 as usize + 1] += 1;
    }
    for k in 1..places.len() {
        places[k] += places[k - 1];
    }
    to.clear();
    to.resize(from.len(), (0, 0));
    for k in from {
        let place = &mut places[k.0 as usize];
        to[*place] = *k;
        *place += 1;
    }
}

fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

impl Islands {
    /// Whether the partition at hand is the one that [`Self::build`] would make.
    pub fn stands(&mut self, from: Touching<'_>) -> bool {
        let same = |(m, s): (&Brief, &([u32; 2], u32))| (m.pair, region(m)) == *s;
        from.cut == self.seen_cut
            && from.manifolds.len() == self.seen.len()
            && from.active == self.seen_active
            && from.manifolds.iter().zip(&self.seen).all(same)
            && (0..self.list.len()).all(|i| self.is_cut_alike(i, from))
    }

    /// Makes the next partition anew.
    pub fn forget(&mut self) {
        self.seen.clear();
        self.seen_active.clear();
    }

    /// Whether the bodies of island `i` still lie in their slabs.
    fn is_cut_alike(&mut self, i: usize, from: Touching<'_>) -> bool {
        let island = &self.list[i];
        if !from.cut || !island.chains.is_empty() {
            return true;
        }
        let place = |slot: u32| from.places[slot as usize].x;
        let slots = &self.slots[island.cells.clone()];
        self.slabs.cut(slots.iter().filter(|&&slot| slot != u32::MAX).map(|&slot| place(slot)));
        let mut whole =
            self.parts[island.parts.clone()].iter().take_while(|p| p.phase == 0).enumerate();
        let count = whole.clone().count();
        let lies = |slot: u32, slab: usize| slot == u32::MAX || self.slabs.of(place(slot)) == slab;
        count == self.slabs.count
            && whole.all(|(k, p)| slots[p.cells.clone()].iter().all(|&slot| lies(slot, k)))
    }

    /// Partitions the manifolds. `members` gives the slots of a system.
    pub fn build<'a>(&mut self, from: Touching<'_>, members: impl Fn(u32) -> &'a [u32]) {
        let Touching { manifolds, colliders, active, chain_of, .. } = from;
        let slots = chain_of.len();
        self.seen.clear();
        self.seen.extend(manifolds.iter().map(|m| (m.pair, region(m))));
        self.seen_active.clear();
        self.seen_active.extend_from_slice(active);
        self.seen_cut = from.cut;
        self.list.clear();
        self.order.clear();
        self.slots.clear();
        self.chains.clear();
        self.parts.clear();
        self.cell.clear();
        self.cell.resize(slots, 0);
        self.parent.clear();
        // bodies, then systems
        let systems = chain_of.iter().filter(|&&c| c != u32::MAX).max().map_or(0, |&c| c + 1);
        self.parent.extend(0..slots as u32 + systems);
        for (slot, &c) in chain_of.iter().enumerate() {
            if c != u32::MAX {
                let (a, b) =
                    (root(&mut self.parent, slot as u32), root(&mut self.parent, slots as u32 + c));
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
        // sleepers and bodies that impulses do not move separate islands
        let bodies = |m: &Brief| m.pair.map(|c| (colliders[c as usize].slot, active[c as usize]));
        let counts = |m: &Brief| !m.sensor && m.pair.iter().any(|&c| active[c as usize]);
        for m in manifolds.iter().filter(|m| counts(m)) {
            let [a, b] = bodies(m);
            if a.1 && b.1 {
                let (a, b) = (root(&mut self.parent, a.0), root(&mut self.parent, b.0));
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
        // islands by their first manifold
        self.number.clear();
        self.number.resize(self.parent.len(), u32::MAX);
        self.keys.clear();
        self.sizes.clear();
        for (i, m) in manifolds.iter().enumerate().filter(|(_, m)| counts(m)) {
            let [a, b] = bodies(m);
            let r = root(&mut self.parent, if a.1 { a.0 } else { b.0 }) as usize;
            if self.number[r] == u32::MAX {
                self.number[r] = self.sizes.len() as u32;
                self.sizes.push((0, false));
            }
            let island = &mut self.sizes[self.number[r] as usize];
            island.0 += 1;
            island.1 |= [a, b].iter().any(|c| c.1 && chain_of[c.0 as usize] != u32::MAX);
            self.keys.push((self.number[r], i as u32));
        }
        let islands = self.batch();
        // manifolds are in rising order already
        self.counts.clear();
        self.counts.resize(islands + 1, 0);
        by_kind(&self.keys, &mut self.counts, &mut self.kinds);
        std::mem::swap(&mut self.keys, &mut self.kinds);
        self.lay_out(from, members);
    }

    /// Renumbers small islands without joints so that consecutive ones share a number; returns how
    /// many numbers there are.
    fn batch(&mut self) -> usize {
        let mut next = 0;
        let mut open: Option<(u32, usize)> = None;
        let mut renamed = std::mem::take(&mut self.number);
        renamed.clear();
        for &(size, jointed) in &self.sizes {
            if jointed || size as usize >= BATCH {
                renamed.push(next);
                next += 1;
                continue;
            }
            let (id, filled) = match open {
                Some((id, filled)) if filled + (size as usize) < 2 * BATCH => (id, filled),
                _ => {
                    next += 1;
                    (next - 1, 0)
                }
            };
            renamed.push(id);
            open = Some((id, filled + size as usize)).filter(|o| o.1 < BATCH);
        }
        for key in &mut self.keys {
            key.0 = renamed[key.0 as usize];
        }
        self.number = renamed;
        next as usize
    }

    fn lay_out<'a>(&mut self, from: Touching<'_>, members: impl Fn(u32) -> &'a [u32]) {
        let mut at = 0;
        while at < self.keys.len() {
            let id = self.keys[at].0;
            let (first, cells, chains) = (self.order.len(), self.slots.len(), self.chains.len());
            self.met.clear();
            while at < self.keys.len() && self.keys[at].0 == id {
                let m = self.keys[at].1;
                self.order.push(m);
                at += 1;
                for c in from.manifolds[m as usize].pair {
                    let (moves, slot) = (from.active[c as usize], from.colliders[c as usize].slot);
                    if !moves || self.cell[slot as usize] != 0 {
                        continue;
                    }
                    let chain = from.chain_of[slot as usize];
                    let new = if chain == u32::MAX {
                        std::slice::from_ref(&slot)
                    } else {
                        self.chains.push(chain);
                        members(chain)
                    };
                    for &slot in new {
                        // its place comes when all are known
                        self.cell[slot as usize] = u32::MAX;
                        self.met.push(slot);
                    }
                }
            }
            let parts = self.parts.len();
            self.slabs.count = 1;
            if from.cut && self.chains.len() == chains {
                self.slabs.cut(self.met.iter().map(|&slot| from.places[slot as usize].x));
            }
            self.place(from.places);
            self.sort(first, from);
            self.list.push(Island {
                cells: cells..self.slots.len(),
                fours: 0..0,
                eights: 0..0,
                chains: chains..self.chains.len(),
                parts: parts..self.parts.len(),
                impacts: 0,
            });
        }
    }

    /// Gives the bodies of an island their cells, slab by slab; each slab begins with the cell of
    /// bodies that do not move.
    fn place(&mut self, places: &[Place]) {
        let (slabs, cells) = (&self.slabs, self.slots.len());
        self.first.clear();
        self.first.resize(slabs.count + 1, 0);
        for &slot in &self.met {
            self.first[slabs.of(places[slot as usize].x) + 1] += 1;
        }
        for s in 0..slabs.count {
            self.first[s + 1] += self.first[s] + 1;
        }
        self.slots.resize(cells + self.met.len() + slabs.count, u32::MAX);
        for &slot in &self.met {
            let next = &mut self.first[slabs.of(places[slot as usize].x)];
            *next += 1;
            self.cell[slot as usize] = *next as u32;
            self.slots[cells + *next] = slot;
        }
        // every slab's count has gone on to its last cell
        for s in (1..=slabs.count).rev() {
            self.first[s] = self.first[s - 1] + 1;
        }
        self.first[0] = 0;
    }

    /// Sorts the manifolds of an island into its parts.
    fn sort(&mut self, first: usize, from: Touching<'_>) {
        let slabs = &self.slabs;
        if slabs.count == 1 {
            let cells = 0..self.met.len() + 1;
            self.parts.push(Part { cells, manifolds: first..self.order.len(), ..Part::default() });
            return;
        }
        self.kinds.clear();
        for &m in &self.order[first..] {
            let slab = |c: u32| {
                let moves = from.active[c as usize];
                moves.then(|| slabs.of(from.places[from.colliders[c as usize].slot as usize].x))
            };
            let [a, b] = from.manifolds[m as usize].pair.map(slab);
            let kind = slabs.kind([a.or(b).unwrap_or(0), b.or(a).unwrap_or(0)]);
            self.kinds.push((kind as u32, m));
        }
        self.counts.clear();
        self.counts.resize(slabs.kinds() + 1, 0);
        by_kind(&self.kinds, &mut self.counts, &mut self.sorted);
        for (to, &(_, m)) in self.order[first..].iter_mut().zip(&self.sorted) {
            *to = m;
        }
        let mut at = 0;
        for kind in 0..slabs.kinds() {
            let (phase, reach) = slabs.reach(kind);
            // every kind's place has gone on to its end
            let manifolds = first + at..first + self.counts[kind];
            let n = manifolds.len();
            at += n;
            if phase == 0 || n > 0 {
                let cells = self.first[reach.start]..self.first[reach.end];
                self.parts.push(Part { phase, cells, manifolds, ..Part::default() });
            }
        }
    }
}
