//! A tree of axis-aligned boxes that follows the bodies.
//!
//! Built top-down by median splits along the widest axis, then only refitted: the boxes of the
//! nodes are enlarged or shrunk to their contents, bottom-up, in linear time. When the summed
//! surface area of the nodes, which is proportional to the expected cost of a query, has grown by
//! half since the tree was built, it is built again. Pairs come from one traversal of the tree
//! against itself.

use super::{Aabb, BroadPhase, tidy};
use glam::DVec3;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Leaves hold up to this many boxes.
const LEAF: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// First box of a leaf in `order`, or the right child of an inner node; the left child follows
    /// its parent.
    link: u32,
    /// Boxes of a leaf; 0 for inner nodes.
    count: u32,
}

/// A bounding-volume tree kept between calls.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    /// The boxes in that order.
    sorted: Vec<Aabb>,
    built_area: f64,
    members: Vec<bool>,
}

/// Pieces of a traversal on several threads.
const PIECES: usize = 64;

impl BroadPhase for BoxTree {
    fn pairs(&mut self, boxes: &[Aabb]) -> Vec<[u32; 2]> {
        self.update(boxes);
        let mut pairs = self.unbounded_pairs(boxes);
        self.traverse(vec![[0, 0]], &mut pairs);
        tidy(pairs)
    }
}

impl BoxTree {
    /// The same pairs, found by all threads of the pool.
    pub fn pairs_on_threads(&mut self, boxes: &[Aabb]) -> Vec<[u32; 2]> {
        self.update(boxes);
        let mut pairs = self.unbounded_pairs(boxes);
        let mut pieces = vec![[0, 0]];
        while !self.nodes.is_empty() && !pieces.is_empty() && pieces.len() < PIECES {
            let mut next = Vec::new();
            pieces.iter().for_each(|&at| self.visit(at, &mut next, &mut pairs));
            pieces = next;
        }
        let found: Vec<Vec<[u32; 2]>> = pieces
            .par_chunks(PIECES / 16)
            .map(|some| {
                let mut pairs = Vec::new();
                self.traverse(some.to_vec(), &mut pairs);
                pairs
            })
            .collect();
        pairs.extend(found.into_iter().flatten());
        tidy(pairs)
    }

    fn unbounded_pairs(&self, boxes: &[Aabb]) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        for i in (0..boxes.len()).filter(|&i| !self.members[i]) {
            let others = (0..boxes.len()).filter(|&j| j != i && boxes[i].overlaps(&boxes[j]));
            pairs.extend(others.map(|j| [i as u32, j as u32]));
        }
        pairs
    }

    /// Follows the boxes.
    pub(crate) fn update(&mut self, boxes: &[Aabb]) {
        let members: Vec<bool> = boxes.iter().map(Aabb::is_bounded).collect();
        if members != self.members {
            self.members = members;
            self.build(boxes);
        } else if self.refit(boxes) > 1.5 * self.built_area {
            self.build(boxes);
        }
    }

    /// Boxes that are not in the tree because they have no bounds.
    pub(crate) fn unbounded(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.members.len() as u32).filter(|&i| !self.members[i as usize])
    }

    /// Visits bounded boxes in the order of their bounds, the smallest first, while they are at
    /// most the limit. `bound` must not fall from a box to one inside it; `visit` gives the new
    /// limit.
    pub(crate) fn nearest_first(
        &self,
        boxes: &[Aabb],
        mut limit: f64,
        bound: impl Fn(&Aabb) -> Option<f64>,
        mut visit: impl FnMut(u32) -> f64,
    ) {
        // leaves of the tree, then its boxes, in one heap: (bound, is a box, number)
        let mut heap: BinaryHeap<Reverse<(u64, bool, u32)>> = BinaryHeap::new();
        let entry = |b: f64, item: bool, i: u32| Reverse((b.max(0.0).to_bits(), item, i));
        if let Some(b) = self.nodes.first().and_then(|n| bound(&n.bounds)) {
            heap.push(entry(b, false, 0));
        }
        while let Some(Reverse((bits, item, i))) = heap.pop() {
            if f64::from_bits(bits) > limit {
                return;
            }
            if item {
                limit = visit(i);
                continue;
            }
            let node = &self.nodes[i as usize];
            if node.count > 0 {
                for &k in &self.order[node.link as usize..(node.link + node.count) as usize] {
                    heap.extend(
                        bound(&boxes[k as usize])
                            .filter(|b| *b <= limit)
                            .map(|b| entry(b, true, k)),
                    );
                }
            } else {
                for child in [i + 1, node.link] {
                    let b = bound(&self.nodes[child as usize].bounds).filter(|b| *b <= limit);
                    heap.extend(b.map(|b| entry(b, false, child)));
                }
            }
        }
    }

    /// Visits pairs of bounded boxes in the order of their distance, the closest first, while it is
    /// at most the limit.
    pub(crate) fn closest_pairs_first(
        &self,
        boxes: &[Aabb],
        mut limit: f64,
        mut visit: impl FnMut([u32; 2]) -> f64,
    ) {
        let mut heap: BinaryHeap<Reverse<(u64, bool, [u32; 2])>> = BinaryHeap::new();
        let members = |n: &Node| &self.order[n.link as usize..(n.link + n.count) as usize];
        if !self.nodes.is_empty() {
            heap.push(Reverse((0, false, [0, 0])));
        }
        let mut next = Vec::new();
        while let Some(Reverse((bits, item, [p, q]))) = heap.pop() {
            if f64::from_bits(bits) > limit {
                return;
            }
            if item {
                limit = visit([p.min(q), p.max(q)]);
                continue;
            }
            let (a, b) = (&self.nodes[p as usize], &self.nodes[q as usize]);
            next.clear();
            match (a.count > 0, b.count > 0) {
                (true, true) => {
                    for (k, &i) in members(a).iter().enumerate() {
                        for &j in if p == q { &members(a)[k + 1..] } else { members(b) } {
                            let d = boxes[i as usize].distance(&boxes[j as usize]);
                            if d <= limit {
                                heap.push(Reverse((d.to_bits(), true, [i, j])));
                            }
                        }
                    }
                }
                (true, false) => next.extend([[p, q + 1], [p, b.link]]),
                (false, true) => next.extend([[p + 1, q], [a.link, q]]),
                (false, false) if p == q => {
                    next.extend([[p + 1, p + 1], [a.link, a.link], [p + 1, a.link]])
                }
                (false, false) => next.extend([
                    [p + 1, q + 1],
                    [p + 1, b.link],
                    [a.link, q + 1],
                    [a.link, b.link],
                ]),
            }
            for &[i, j] in &next {
                let d = self.nodes[i as usize].bounds.distance(&self.nodes[j as usize].bounds);
                if d <= limit {
                    heap.push(Reverse((d.to_bits(), false, [i, j])));
                }
            }
        }
    }

    fn build(&mut self, boxes: &[Aabb]) {
        self.nodes.clear();
        self.order = (0..boxes.len() as u32).filter(|&i| self.members[i as usize]).collect();
        if self.order.is_empty() {
            return;
        }
        let mut order = std::mem::take(&mut self.order);
        self.split(boxes, &mut order, 0);
        self.order = order;
        self.built_area = self.refit(boxes);
    }

    fn split(&mut self, boxes: &[Aabb], order: &mut [u32], first: u32) {
        let middle = |i: u32| boxes[i as usize].lo + boxes[i as usize].hi;
        let at = self.nodes.len();
        let bounds = Aabb { lo: DVec3::INFINITY, hi: DVec3::NEG_INFINITY };
        self.nodes.push(Node { bounds, link: first, count: order.len() as u32 });
        if order.len() <= LEAF {
            return;
        }
        let (lo, hi) = order.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(lo, hi), &i| {
            (lo.min(middle(i)), hi.max(middle(i)))
        });
        let width = hi - lo;
        let axis = (0..3).fold(0, |best, k| if width[k] > width[best] { k } else { best });
        let half = order.len() / 2;
        order.select_nth_unstable_by(half, |&i, &j| {
            middle(i)[axis].total_cmp(&middle(j)[axis]).then(i.cmp(&j))
        });
        let (left, right) = order.split_at_mut(half);
        self.split(boxes, left, first);
        self.nodes[at].count = 0;
        self.nodes[at].link = self.nodes.len() as u32;
        self.split(boxes, right, first + half as u32);
    }

    /// Fits all nodes to their contents and returns the sum of their areas.
    fn refit(&mut self, boxes: &[Aabb]) -> f64 {
        let mut area = 0.0;
        self.sorted.clear();
        self.sorted.extend(self.order.iter().map(|&i| boxes[i as usize]));
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            let bounds = if node.count > 0 {
                let range = node.link as usize..(node.link + node.count) as usize;
                let mut contents = self.sorted[range].iter();
                contents.next().map_or(node.bounds, |b| contents.fold(*b, |sum, b| sum.union(b)))
            } else {
                self.nodes[at + 1].bounds.union(&self.nodes[node.link as usize].bounds)
            };
            self.nodes[at].bounds = bounds;
            area += bounds.area();
        }
        area
    }

    fn traverse(&self, mut stack: Vec<[u32; 2]>, pairs: &mut Vec<[u32; 2]>) {
        if self.nodes.is_empty() {
            return;
        }
        while let Some(at) = stack.pop() {
            self.visit(at, &mut stack, pairs);
        }
    }

    /// Pairs of two nodes, or the pairs of their children in which some may be.
    fn visit(&self, [p, q]: [u32; 2], stack: &mut Vec<[u32; 2]>, pairs: &mut Vec<[u32; 2]>) {
        let (a, b) = (&self.nodes[p as usize], &self.nodes[q as usize]);
        if p == q && a.count == 0 {
            stack.extend([[p + 1, p + 1], [a.link, a.link], [p + 1, a.link]]);
            return;
        }
        if !a.bounds.overlaps(&b.bounds) {
            return;
        }
        match (a.count > 0, b.count > 0) {
            (true, true) => {
                let (own, others) =
                    (a.link as usize..(a.link + a.count) as usize, (b.link + b.count) as usize);
                for i in own {
                    let first = if p == q { i + 1 } else { b.link as usize };
                    for j in first..others {
                        if self.sorted[i].overlaps(&self.sorted[j]) {
                            pairs.push([self.order[i], self.order[j]]);
                        }
                    }
                }
            }
            (true, false) => stack.extend([[p, q + 1], [p, b.link]]),
            (false, true) => stack.extend([[p + 1, q], [a.link, q]]),
            (false, false) => {
                stack.extend([[p + 1, q + 1], [p + 1, b.link], [a.link, q + 1], [a.link, b.link]]);
            }
        }
    }
}
