//! Islands: bodies that manifolds and joints link. Islands are independent; small ones without joints go together in one
//! batch, so that the four lanes are full.

use super::collider::Collider;
use super::manifold::Manifold;
use std::ops::Range;

/// A batch is closed when it has this many manifolds.
const BATCH: usize = 64;

/// Bodies and manifolds that are solved together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    /// Ranges of its manifolds in [`Islands::order`], of its cells, its groups and its chains.
    pub manifolds: Range<usize>,
    pub cells: Range<usize>,
    pub groups: Range<usize>,
    pub chains: Range<usize>,
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
    parent: Vec<u32>,
    number: Vec<u32>,
    keys: Vec<(u32, u32)>,
    sizes: Vec<(u32, bool)>,
}

fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

impl Islands {
    /// Partitions the manifolds. `chain_of` gives the jointed system of a body by slot, `u32::MAX` for loose ones, and
    /// `members` the slots of a system.
    pub fn build<'a>(
        &mut self,
        manifolds: &[Manifold],
        colliders: &[Collider],
        active: &[bool],
        chain_of: &[u32],
        members: impl Fn(u32) -> &'a [u32],
    ) {
        let slots = chain_of.len();
        self.list.clear();
        self.order.clear();
        self.slots.clear();
        self.chains.clear();
        self.cell.clear();
        self.cell.resize(slots, 0);
        self.parent.clear();
        // bodies, then systems
        let systems = chain_of.iter().filter(|&&c| c != u32::MAX).max().map_or(0, |&c| c + 1);
        self.parent.extend(0..slots as u32 + systems);
        for (slot, &c) in chain_of.iter().enumerate() {
            if c != u32::MAX {
                let (a, b) = (root(&mut self.parent, slot as u32), root(&mut self.parent, slots as u32 + c));
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
        // sleepers and bodies that impulses do not move separate islands
        let bodies = |m: &Manifold| m.pair.map(|c| (colliders[c as usize].slot, active[c as usize]));
        let counts = |m: &Manifold| !m.sensor && m.pair.iter().any(|&c| active[c as usize]);
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
        self.batch();
        self.keys.sort_unstable();
        self.lay_out(manifolds, colliders, active, chain_of, members);
    }

    /// Renumbers small islands without joints so that consecutive ones share a number.
    fn batch(&mut self) {
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
    }

    fn lay_out<'a>(
        &mut self,
        manifolds: &[Manifold],
        colliders: &[Collider],
        active: &[bool],
        chain_of: &[u32],
        members: impl Fn(u32) -> &'a [u32],
    ) {
        let mut at = 0;
        while at < self.keys.len() {
            let id = self.keys[at].0;
            let (first, cells, chains) = (self.order.len(), self.slots.len(), self.chains.len());
            self.slots.push(u32::MAX);
            while at < self.keys.len() && self.keys[at].0 == id {
                let m = self.keys[at].1;
                self.order.push(m);
                at += 1;
                for c in manifolds[m as usize].pair {
                    let (moves, c) = (active[c as usize], &colliders[c as usize]);
                    if !moves || self.cell[c.slot as usize] != 0 {
                        continue;
                    }
                    let chain = chain_of[c.slot as usize];
                    if chain == u32::MAX {
                        self.cell[c.slot as usize] = (self.slots.len() - cells) as u32;
                        self.slots.push(c.slot);
                    } else {
                        self.chains.push(chain);
                        for &slot in members(chain) {
                            self.cell[slot as usize] = (self.slots.len() - cells) as u32;
                            self.slots.push(slot);
                        }
                    }
                }
            }
            self.list.push(Island {
                manifolds: first..self.order.len(),
                cells: cells..self.slots.len(),
                groups: 0..0,
                chains: chains..self.chains.len(),
            });
        }
    }
}
