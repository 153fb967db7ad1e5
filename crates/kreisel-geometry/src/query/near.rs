//! All pairs of triangles within a distance, from the trees of two meshes.
//!
//! The list may contain pairs that are a little farther: the bound of their boxes decides.
//! Sorted by number.

use crate::Pose;
use crate::simd::{Kernel, Lanes, Motion4, dispatch};
use crate::tree::{BoxBlock, MeshTree, MovedBoxes};

/// Pairs of triangles of two meshes whose boxes are within `limit`.
pub(crate) fn near_triangle_pairs(
    a: &MeshTree,
    pose_a: &Pose,
    b: &MeshTree,
    pose_b: &Pose,
    limit: f64,
) -> Vec<[u32; 2]> {
    let relative = pose_a.seen_from(pose_b);
    let mut pairs = dispatch(Near { first: &a.blocks, second: &b.blocks, relative, limit });
    pairs.sort_unstable();
    pairs
}

struct Near<'a> {
    first: &'a [BoxBlock],
    second: &'a [BoxBlock],
    relative: Pose,
    limit: f64,
}

impl Kernel for Near<'_> {
    type Output = Vec<[u32; 2]>;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Vec<[u32; 2]> {
        let motion = Motion4::new(l, &self.relative);
        let limit = self.limit.max(0.0) * self.limit.max(0.0);
        let mut found = Vec::new();
        let mut stack = vec![[0_u32, 0_u32]];
        while let Some([i, j]) = stack.pop() {
            let (a, b) = (&self.first[i as usize], &self.second[j as usize]);
            let moved = MovedBoxes::new(l, a, &motion);
            let (first_leaf, second_leaf) = (a.is_leaf(), b.is_leaf());
            // a leaf block goes on as a whole: its children in the other tree are pushed once
            let (mut rows, mut columns) = ([false; 4], [false; 4]);
            for m in 0..a.count as usize {
                let bounds = moved.bounds(l, m, b);
                for n in 0..b.count as usize {
                    if bounds[n] > limit {
                        continue;
                    }
                    rows[m] = true;
                    columns[n] = true;
                    match (first_leaf, second_leaf) {
                        (true, true) => found.push([a.child[m], b.child[n]]),
                        (false, false) => stack.push([a.child[m], b.child[n]]),
                        _ => {}
                    }
                }
            }
            for k in 0..4 {
                if first_leaf && !second_leaf && columns[k] {
                    stack.push([i, b.child[k]]);
                }
                if !first_leaf && second_leaf && rows[k] {
                    stack.push([a.child[k], j]);
                }
            }
        }
        found
    }
}
