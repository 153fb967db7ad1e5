//! Sweep and prune along one axis.
//!
//! Reference: Lennerz 2000, section 4.4.3 (L-71); Bender 2007, B-61. The boxes are kept sorted by
//! their lower ends along the axis on which they are spread widest; the order of the last call is
//! repaired by insertion sort, which is linear when little has moved. A sweep then compares each
//! box with those that begin before it ends, on the other two axes.
//!
//! The thesis keeps three lists and counts swaps; one list and a sweep find the same pairs with
//! less bookkeeping. Both are quadratic when all boxes overlap on the axis: the axis is chosen anew
//! when another one is twice as wide.

use super::{Aabb, BroadPhase, tidy};
use glam::DVec3;

/// Sorted ends along one axis, kept between calls.
#[derive(Clone, Debug, Default)]
pub struct SweepAndPrune {
    order: Vec<u32>,
    axis: usize,
}

impl BroadPhase for SweepAndPrune {
    fn pairs(&mut self, boxes: &[Aabb]) -> Vec<[u32; 2]> {
        let spread = spread(boxes);
        let widest = (0..3).fold(0, |best, k| if spread[k] > spread[best] { k } else { best });
        let fresh = self.order.len() != boxes.len() || spread[widest] > 4.0 * spread[self.axis];
        let low = |axis: usize, i: u32| boxes[i as usize].lo[axis];
        if fresh {
            self.axis = widest;
            self.order = (0..boxes.len() as u32).collect();
            self.order.sort_by(|&i, &j| low(widest, i).total_cmp(&low(widest, j)).then(i.cmp(&j)));
        } else {
            for i in 1..self.order.len() {
                let moving = self.order[i];
                let mut at = i;
                while at > 0
                    && low(self.axis, moving).total_cmp(&low(self.axis, self.order[at - 1])).is_lt()
                {
                    self.order[at] = self.order[at - 1];
                    at -= 1;
                }
                self.order[at] = moving;
            }
        }
        let mut pairs = Vec::new();
        for (at, &i) in self.order.iter().enumerate() {
            let a = &boxes[i as usize];
            for &j in &self.order[at + 1..] {
                let b = &boxes[j as usize];
                if b.lo[self.axis] > a.hi[self.axis] {
                    break;
                }
                if a.overlaps(b) {
                    pairs.push([i, j]);
                }
            }
        }
        tidy(pairs)
    }
}

/// Variance of the middles of the bounded boxes, axis by axis.
pub(super) fn spread(boxes: &[Aabb]) -> DVec3 {
    let middles = || boxes.iter().filter(|b| b.is_bounded()).map(|b| 0.5 * (b.lo + b.hi));
    let n = middles().count().max(1) as f64;
    let mean = middles().sum::<DVec3>() / n;
    middles().map(|m| (m - mean) * (m - mean)).sum::<DVec3>() / n
}
