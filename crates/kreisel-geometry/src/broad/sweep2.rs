//! Sweep and prune in two dimensions, with an interval tree.
//!
//! Reference: Lennerz 2000, section 4.4.4 (L-72). A line sweeps over the boxes along the axis of
//! the widest spread; the intervals of the boxes that it meets, along the second axis, are kept in
//! an interval tree, and each new box asks it for those that overlap its own. The third axis is
//! compared directly. O(n log n + k₂ log n) for k₂ pairs that overlap on two axes, whatever happens
//! on one: boxes in a row that share their range on the sweep axis do not make it quadratic.
//!
//! The tree is a complete binary tree over the boxes in the order of their lower ends; a node knows
//! the largest upper end of the active boxes below it.

use super::{Aabb, BroadPhase, sweep::spread, tidy};

/// Two sorted axes; nothing is kept between calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepAndPrune2;

/// Active intervals.
struct IntervalTree {
    /// Node 1 is the root; leaves begin at `leaves`.
    highest: Vec<f64>,
    leaves: usize,
}

impl IntervalTree {
    fn new(n: usize) -> Self {
        let leaves = n.next_power_of_two().max(1);
        Self { highest: vec![f64::NEG_INFINITY; 2 * leaves], leaves }
    }

    fn set(&mut self, rank: usize, high: f64) {
        let mut at = self.leaves + rank;
        self.highest[at] = high;
        while at > 1 {
            at /= 2;
            self.highest[at] = self.highest[2 * at].max(self.highest[2 * at + 1]);
        }
    }

    /// Visits the active intervals of rank below `end` that reach up to `low`.
    fn visit(&self, end: usize, low: f64, stack: &mut Vec<usize>, mut found: impl FnMut(usize)) {
        stack.push(1);
        while let Some(at) = stack.pop() {
            // no active interval below; an unbounded box asks from minus infinity on
            if self.highest[at] == f64::NEG_INFINITY || self.highest[at] < low {
                continue;
            }
            if at >= self.leaves {
                found(at - self.leaves);
                continue;
            }
            // the first rank below the right child
            let level = usize::BITS - at.leading_zeros();
            let width = self.leaves >> (level - 1);
            let first = (at << (self.leaves.trailing_zeros() + 1 - level)) - self.leaves;
            if first + width / 2 < end {
                stack.push(2 * at + 1);
            }
            if first < end {
                stack.push(2 * at);
            }
        }
    }
}

impl BroadPhase for SweepAndPrune2 {
    fn pairs(&mut self, boxes: &[Aabb]) -> Vec<[u32; 2]> {
        let width = spread(boxes);
        let mut axes = [0, 1, 2];
        axes.sort_by(|&i, &j| width[j].total_cmp(&width[i]));
        let [x, y, z] = axes;
        let mut starts: Vec<u32> = (0..boxes.len() as u32)
            .filter(|&i| !(boxes[i as usize].lo.is_nan() || boxes[i as usize].hi.is_nan()))
            .collect();
        let sort = |list: &mut Vec<u32>, key: &dyn Fn(&Aabb) -> f64| {
            list.sort_by(|&i, &j| {
                key(&boxes[i as usize]).total_cmp(&key(&boxes[j as usize])).then(i.cmp(&j))
            });
        };
        let (mut ends, mut ranked) = (starts.clone(), starts.clone());
        sort(&mut starts, &|b| b.lo[x]);
        sort(&mut ends, &|b| b.hi[x]);
        sort(&mut ranked, &|b| b.lo[y]);
        let mut rank = vec![0; boxes.len()];
        ranked.iter().enumerate().for_each(|(r, &i)| rank[i as usize] = r);
        let mut tree = IntervalTree::new(ranked.len());
        let (mut pairs, mut stack, mut gone) = (Vec::new(), Vec::new(), 0);
        for &i in &starts {
            let a = &boxes[i as usize];
            while boxes[ends[gone] as usize].hi[x] < a.lo[x] {
                tree.set(rank[ends[gone] as usize], f64::NEG_INFINITY);
                gone += 1;
            }
            let end = ranked.partition_point(|&j| boxes[j as usize].lo[y] <= a.hi[y]);
            tree.visit(end, a.lo[y], &mut stack, |r| {
                let j = ranked[r];
                let b = &boxes[j as usize];
                if r < end && a.lo[z] <= b.hi[z] && b.lo[z] <= a.hi[z] && a.overlaps(b) {
                    pairs.push([i, j]);
                }
            });
            tree.set(rank[i as usize], a.hi[y]);
        }
        tidy(pairs)
    }
}
