//! Broad phases: which pairs of boxes overlap.
//!
//! Reference: Lennerz 2000, section 4.4 (L-69 to L-74); Bender 2007, section 4.5.1.1 (B-61, B-62).
//! All have the same interface: boxes in, overlapping pairs out, each once, sorted. Unbounded boxes
//! (half-spaces) are allowed everywhere.
//!
//! | broad phase | cost for n boxes and k pairs | good for |
//! |---|---|---|
//! | [`Naive`] | O(n²) | a few bodies, and as oracle |
//! | [`SweepAndPrune`] | O(n + k₁) under coherence, k₁ overlaps on one axis | elongated scenes |
//! | [`SweepAndPrune2`] | O(n log n + k₂ log n), k₂ overlaps on two axes | boxes that share their range on one axis |
//! | [`HashGrid`] | O((n + k) log n) | sizes of any ratio, scattered |
//! | [`CoherenceHash`] | O(n + changes + candidates) | the same, moving slowly |
//! | [`BoxTree`] | O(n + k) refitted, O(n log n) rebuilt | everything, the default |

mod coherence;
mod filter;
mod grid;
mod sweep;
mod sweep2;
mod tree;

pub use coherence::CoherenceHash;
pub use filter::{Groups, PairFilter};
pub use grid::HashGrid;
pub use sweep::SweepAndPrune;
pub use sweep2::SweepAndPrune2;
pub use tree::BoxTree;

use crate::query::leaves;
use crate::{Pose, Shape};
use glam::DVec3;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub lo: DVec3,
    /// Largest coordinates.
    pub hi: DVec3,
}

impl Aabb {
    /// The box of a shape at a pose, unbounded for half-spaces.
    pub fn of(shape: &Shape, pose: &Pose) -> Self {
        let mut sum = Self { lo: DVec3::INFINITY, hi: DVec3::NEG_INFINITY };
        for leaf in leaves(shape, pose) {
            let m = leaf.pose.matrix() * leaf.volume.axes;
            let h = leaf.volume.half;
            let reach = if h.is_finite() {
                m.x_axis.abs() * h.x + m.y_axis.abs() * h.y + m.z_axis.abs() * h.z
            } else {
                DVec3::INFINITY
            };
            let center = leaf.pose.point(leaf.volume.center);
            sum = Self { lo: sum.lo.min(center - reach), hi: sum.hi.max(center + reach) };
        }
        sum
    }

    /// The box enlarged by `margin` on all sides.
    pub fn enlarged(&self, margin: f64) -> Self {
        Self { lo: self.lo - DVec3::splat(margin), hi: self.hi + DVec3::splat(margin) }
    }

    /// The smallest box round both.
    pub fn union(&self, other: &Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// True if the boxes have a point in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        // all six at once: which one fails cannot be foreseen
        (self.lo.x <= other.hi.x)
            & (self.lo.y <= other.hi.y)
            & (self.lo.z <= other.hi.z)
            & (other.lo.x <= self.hi.x)
            & (other.lo.y <= self.hi.y)
            & (other.lo.z <= self.hi.z)
    }

    /// Distance of two boxes, 0 if they overlap.
    pub fn distance(&self, other: &Self) -> f64 {
        (self.lo - other.hi).max(other.lo - self.hi).max(DVec3::ZERO).length()
    }

    /// Distance of a point from the box, 0 inside.
    pub fn distance_to(&self, point: DVec3) -> f64 {
        (self.lo - point).max(point - self.hi).max(DVec3::ZERO).length()
    }

    /// Half the surface area.
    fn area(&self) -> f64 {
        let d = (self.hi - self.lo).max(DVec3::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    }

    fn is_bounded(&self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }
}

/// Finds the overlapping pairs of a changing set of boxes.
pub trait BroadPhase {
    /// The pairs i < j of overlapping boxes, sorted. A box with a NaN overlaps nothing.
    ///
    /// What is remembered from the last call only saves time.
    fn pairs(&mut self, boxes: &[Aabb]) -> Vec<[u32; 2]>;
}

/// Every box against every other (L-70).
#[derive(Clone, Copy, Debug, Default)]
pub struct Naive;

impl BroadPhase for Naive {
    fn pairs(&mut self, boxes: &[Aabb]) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].overlaps(&boxes[j]) {
                    pairs.push([i as u32, j as u32]);
                }
            }
        }
        pairs
    }
}

/// Sorts the pairs, and the numbers in each.
fn tidy(mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    pairs.iter_mut().for_each(|p| p.sort_unstable());
    // one comparison instead of two
    pairs.sort_unstable_by_key(|p| u64::from(p[0]) << 32 | u64::from(p[1]));
    pairs.dedup();
    pairs
}
