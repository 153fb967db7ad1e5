//! The collision heap: for each pair of bodies the earliest time at which they can meet.
//!
//! Reference: Lennerz 2000, sections 4.3.2 to 4.3.5 (L-66 to L-68) and 4.5 (L-75, corrected:
//! docs/sources.md). The pair with the earliest time is due first. A collision invalidates the
//! times of *all* pairs of both partners. A pair that is no longer near is not removed at once: it
//! stays until it is due, and the caller then decides (hysteresis).
//!
//! Keys live in a binary heap; a changed key leaves its old entry behind, which is recognised by
//! its generation and skipped. All operations take O(log n); the heap is rebuilt when more than
//! half of it is stale.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Two bodies, the smaller number first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairKey([u32; 2]);

impl PairKey {
    /// The pair of two bodies, in any order.
    pub fn new(a: u32, b: u32) -> Self {
        Self([a.min(b), a.max(b)])
    }

    /// The bodies.
    pub fn bodies(self) -> [u32; 2] {
        self.0
    }

    /// Whether a body is one of the two.
    pub fn has(self, body: u32) -> bool {
        self.0.contains(&body)
    }
}

/// Pairs of bodies, ordered by the time until which they are free.
///
/// ```
/// use kreisel_geometry::impact::{CollisionHeap, PairKey};
/// let mut heap = CollisionHeap::default();
/// heap.set(PairKey::new(1, 2), 0.5);
/// heap.set(PairKey::new(0, 1), 0.25);
/// assert_eq!(heap.earliest(), Some((PairKey::new(0, 1), 0.25)));
/// assert_eq!(heap.pop_due(0.3), Some(PairKey::new(0, 1)));
/// assert_eq!(heap.pop_due(0.3), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct CollisionHeap {
    /// Time (as ordered bits) and generation of every pair.
    current: BTreeMap<PairKey, (u64, u64)>,
    entries: BinaryHeap<Reverse<(u64, PairKey, u64)>>,
    generation: u64,
}

impl CollisionHeap {
    /// Puts a pair into the heap, or changes its time. Negative and NaN times count as 0: due at
    /// once.
    pub fn set(&mut self, pair: PairKey, free_until: f64) {
        self.generation += 1;
        let bits = if free_until > 0.0 { free_until.to_bits() } else { 0 };
        self.current.insert(pair, (bits, self.generation));
        self.entries.push(Reverse((bits, pair, self.generation)));
        if self.entries.len() > 2 * self.current.len() + 16 {
            let fresh = self
                .current
                .iter()
                .map(|(&pair, &(bits, generation))| Reverse((bits, pair, generation)));
            self.entries = fresh.collect();
        }
    }

    /// Forgets a pair.
    pub fn remove(&mut self, pair: PairKey) {
        self.current.remove(&pair);
    }

    /// The pair that is due first, and when.
    pub fn earliest(&mut self) -> Option<(PairKey, f64)> {
        self.skip_stale();
        self.entries.peek().map(|Reverse((bits, pair, _))| (*pair, f64::from_bits(*bits)))
    }

    /// Takes out the first pair that is due at time `now`; the others stay (the printed loop takes
    /// one too many).
    pub fn pop_due(&mut self, now: f64) -> Option<PairKey> {
        let (pair, time) = self.earliest()?;
        if time > now {
            return None;
        }
        self.entries.pop();
        self.current.remove(&pair);
        Some(pair)
    }

    /// Whether a pair is in the heap.
    pub fn contains(&self, pair: PairKey) -> bool {
        self.current.contains_key(&pair)
    }

    /// All pairs of a body, in order: their times must be set anew after its velocity has jumped.
    pub fn pairs_of(&self, body: u32) -> Vec<PairKey> {
        self.current.keys().copied().filter(|pair| pair.has(body)).collect()
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.current.len()
    }

    /// True if there is no pair.
    pub fn is_empty(&self) -> bool {
        self.current.is_empty()
    }

    fn skip_stale(&mut self) {
        while let Some(Reverse((_, pair, generation))) = self.entries.peek() {
            if self.current.get(pair).is_some_and(|(_, g)| g == generation) {
                return;
            }
            self.entries.pop();
        }
    }
}
