//! Sorted sequences for the front of the global greedy traversal.
//!
//! Reference: Lennerz 2000, section 3.8.4 (L-56): the pairs that wait are kept by their bound; the
//! least is taken out, and those that are no longer below the upper bound are dropped from the
//! other end. The thesis tried a list with insertion sort and a skip list. All give the same
//! answers.
//!
//! | sequence | push | least | drop from the end |
//! |---|---|---|---|
//! | [`Front::Heap`] | O(log n) | O(log n) | never; they stay until the search ends |
//! | [`Front::Tree`] | O(log n) | O(log n) | O(log n) for each |
//! | [`Front::IntervalHeap`] | O(log n) | O(log n) | O(log n) for each |
//! | [`Front::List`] | O(n) | O(1) | O(1) for each |

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// What holds the waiting pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// A binary heap.
    #[default]
    Heap,
    /// A search tree, here a B-tree.
    Tree,
    /// A heap with both ends (van Leeuwen, Wood 1993).
    IntervalHeap,
    /// A sorted list.
    List,
}

/// Bound (as the bits of a number that is not negative) and the two nodes.
pub(super) type Entry = (u64, u32, u32);

/// A sequence of one of the kinds.
pub(super) enum Sequence {
    Heap(BinaryHeap<Reverse<Entry>>),
    Tree(BTreeSet<Entry>),
    IntervalHeap(Vec<Entry>),
    /// The least at the end.
    List(Vec<Entry>),
}

impl Sequence {
    pub(super) fn new(kind: Front) -> Self {
        match kind {
            Front::Heap => Self::Heap(BinaryHeap::new()),
            Front::Tree => Self::Tree(BTreeSet::new()),
            Front::IntervalHeap => Self::IntervalHeap(Vec::new()),
            Front::List => Self::List(Vec::new()),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Heap(h) => h.len(),
            Self::Tree(t) => t.len(),
            Self::IntervalHeap(v) | Self::List(v) => v.len(),
        }
    }

    pub(super) fn push(&mut self, entry: Entry) {
        match self {
            Self::Heap(h) => h.push(Reverse(entry)),
            Self::Tree(t) => drop(t.insert(entry)),
            Self::IntervalHeap(v) => {
                v.push(entry);
                rise(v);
            }
            Self::List(v) => {
                // as a list would be searched: from the least on
                let at = v.iter().rposition(|e| *e > entry).map_or(0, |i| i + 1);
                v.insert(at, entry);
            }
        }
    }

    pub(super) fn pop_least(&mut self) -> Option<Entry> {
        match self {
            Self::Heap(h) => h.pop().map(|e| e.0),
            Self::Tree(t) => t.pop_first(),
            Self::IntervalHeap(v) => take(v, 0),
            Self::List(v) => v.pop(),
        }
    }

    /// Drops what is not below the bound.
    pub(super) fn trim(&mut self, bound: u64) {
        match self {
            Self::Heap(_) => {}
            Self::Tree(t) => {
                while t.last().is_some_and(|e| e.0 >= bound) && t.pop_last().is_some() {}
            }
            Self::IntervalHeap(v) => {
                while let Some(e) = v.get(usize::from(v.len() > 1))
                    && e.0 >= bound
                {
                    take(v, usize::from(v.len() > 1));
                }
            }
            Self::List(v) => {
                let dead = v.iter().take_while(|e| e.0 >= bound).count();
                v.drain(..dead);
            }
        }
    }
}

// Interval heap: nodes of two entries (2 k, 2 k + 1), the lesser first; the first entries are a
// heap of the least, the second of the greatest.

fn swap_if(v: &mut [Entry], a: usize, b: usize, greater: bool) -> bool {
    let wrong = if greater { v[a] < v[b] } else { v[a] > v[b] };
    if wrong {
        v.swap(a, b);
    }
    wrong
}

/// Moves the last entry up to its place.
fn rise(v: &mut [Entry]) {
    let last = v.len() - 1;
    if last % 2 == 1 {
        swap_if(v, last - 1, last, false);
    }
    for greater in [false, true] {
        // a lone last entry stands for both ends of its node
        let mut i = if last.is_multiple_of(2) { last } else { last - 1 + usize::from(greater) };
        while i > 1 {
            let parent = ((i / 2 - 1) / 2) * 2 + usize::from(greater);
            if !swap_if(v, parent, i, greater) {
                break;
            }
            i = parent;
        }
    }
}

/// Takes out the least (0) or the greatest (1) entry.
fn take(v: &mut Vec<Entry>, end: usize) -> Option<Entry> {
    let last = v.len().checked_sub(1)?;
    if last < end {
        return v.pop();
    }
    v.swap(end, last);
    let taken = v.pop();
    let (n, greater) = (v.len(), end == 1);
    let mut i = end;
    while i < n {
        let (low, high) = (i & !1, i | 1);
        if high < n {
            swap_if(v, low, high, false);
        }
        let child = |k: usize| {
            let at = (low / 2 * 2 + k) * 2;
            // the second entry of a node, or its only one
            if greater && at + 1 < n { at + 1 } else { at }
        };
        let (a, b) = (child(1), child(2));
        if a >= n {
            break;
        }
        let better = |x: usize, y: usize| if greater { v[x] > v[y] } else { v[x] < v[y] };
        let next = if b < n && better(b, a) { b } else { a };
        if !swap_if(v, i, next, greater) {
            break;
        }
        i = next;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sequences_give_the_same_order_and_trim_alike() {
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for round in 0..200 {
            let kinds = [Front::Heap, Front::Tree, Front::IntervalHeap, Front::List];
            let mut all = kinds.map(Sequence::new);
            let mut bound = u64::MAX;
            for step in 0..300_u32 {
                let choice = random() % 8;
                if choice < 5 {
                    let entry = (random() % 50, step, round);
                    if entry.0 < bound {
                        all.iter_mut().for_each(|s| s.push(entry));
                    }
                } else if choice < 7 {
                    let taken = all.each_mut().map(Sequence::pop_least);
                    let live = |e: Option<Entry>| e.filter(|e| e.0 < bound);
                    assert!(taken.iter().all(|e| live(*e) == live(taken[1])), "{taken:?}");
                } else if random() % 20 == 0 {
                    bound = bound.min(random() % 60);
                    all.iter_mut().for_each(|s| s.trim(bound));
                    assert_eq!(all[1].len(), all[2].len());
                    assert_eq!(all[1].len(), all[3].len());
                }
            }
        }
    }
}
