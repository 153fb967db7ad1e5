//! Exact distance of two triangle meshes, with the closest points, by branch and bound on two
//! trees.
//!
//! Reference: Lennerz 2000, sections 3.3.4 (branch and bound), 3.8 (traversal of two D-trees) and
//! 3.9.2 (witness caching). A pair of blocks has a lower bound: the least bound of its box pairs.
//! The search keeps the best triangle pair so far as upper bound dᵤ and opens the pairs below it.
//!
//! Before that the convex hulls are asked (`hulls_first`). For convex meshes, and wherever the
//! closest places lie on the hulls, they give the answer in a few microseconds.
//!
//! The order is *hybrid*: one greedy descent gives a first dᵤ; then best first (global greedy) from
//! a heap until a few leaf pairs have lowered it, then depth first with sorted children (local
//! greedy) from a stack. The heap needs the fewest pairs, the stack costs less for each of them.
//!
//! | | |
//! |---|---|
//! | time | worst case O(n m), for separated surfaces about logarithmic |
//! | result | the exact minimum over all triangle pairs, up to rounding (from the hulls: to 2e-12 of it) |
//! | overlap | 0 as soon as two triangles cross; a mesh wholly inside another is not recognised here, `Shape` queries do |

use super::hulls_first::by_hulls;
use crate::Pose;
use crate::convex::ConvexCache;
use crate::elementary::{Closest, triangle_triangle, triangles_cross};
use crate::simd::{Kernel, Lanes, Motion4, dispatch};
use crate::tree::{MeshTree, MovedBoxes};
use glam::DVec3;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// After this many pairs of leaf blocks the search goes depth first.
const BEST_FIRST_LEAVES: u32 = 8;

/// What a query cost: the counters n_D, n_B and n_A of Lennerz' cost model (3.6.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Pairs of boxes whose bound was computed.
    pub box_pairs: u64,
    /// Pairs of triangles whose distance was computed.
    pub triangle_pairs: u64,
    /// Boxes moved into the other tree's frame.
    pub moved_boxes: u64,
    /// Support points of convex shapes (GJK, EPA).
    pub support_points: u64,
}

impl std::ops::Add for Work {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            box_pairs: self.box_pairs + other.box_pairs,
            triangle_pairs: self.triangle_pairs + other.triangle_pairs,
            moved_boxes: self.moved_boxes + other.moved_boxes,
            support_points: self.support_points + other.support_points,
        }
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// The closest points of two meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshDistance {
    /// Distance in m, 0 if the surfaces meet.
    pub distance: f64,
    /// Point of the first mesh, in the frame in which the poses are given.
    pub a: DVec3,
    /// Point of the second mesh.
    pub b: DVec3,
    /// The triangles on which the points lie.
    pub triangles: [u32; 2],
    /// What it cost.
    pub work: Work,
}

/// How a query is asked. The default is an exact, cold query.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeshQuery {
    /// The triangles of an earlier answer: their distance now is the first upper bound (witness
    /// caching). Never changes the distance, only the time.
    pub seed: Option<[u32; 2]>,
    /// Nothing farther than this is of interest: the answer is `None` if the distance is larger.
    pub within: Option<f64>,
    /// Do not try the convex hulls first: for comparisons. Never changes the distance beyond 1e-12
    /// of it.
    pub tree_only: bool,
}

/// Distance of two meshes at the given poses; `None` only if [`MeshQuery::within`] excludes it, or
/// a pose is not finite.
///
/// ```
/// use kreisel_geometry::{Pose, mesh::generate, query::{MeshQuery, mesh_distance}, tree::MeshTree};
/// let ball = MeshTree::new(&generate::icosphere(1.0, 3));
/// let there = Pose::at(glam::DVec3::new(0.0, 0.0, 3.0));
/// let answer = mesh_distance(&ball, &Pose::IDENTITY, &ball, &there, &MeshQuery::default()).unwrap();
/// assert!((answer.distance - 1.0).abs() < 2e-2);
/// assert!((answer.a.distance(answer.b) - answer.distance).abs() < 1e-15);
/// ```
pub fn mesh_distance(
    first: &MeshTree,
    first_pose: &Pose,
    second: &MeshTree,
    second_pose: &Pose,
    query: &MeshQuery,
) -> Option<MeshDistance> {
    let relative = first_pose.seen_from(second_pose);
    let limit = query.within.map_or(f64::INFINITY, |w| w * w);
    let mut search =
        Search { first, second, relative, upper: limit, pair: None, work: Work::default() };
    if let Some([i, j]) =
        query.seed.filter(|s| (s[0] as usize) < first.len() && (s[1] as usize) < second.len())
    {
        let seed = search.closest([i, j]);
        if seed.squared <= search.upper {
            search.upper = seed.squared;
            search.pair = Some([i, j]);
        }
    }
    let hulls = if query.tree_only {
        None
    } else {
        by_hulls(first, second, &relative, &mut ConvexCache::default())
    };
    if let Some(found) = hulls {
        search.work.support_points += u64::from(found.steps);
        if found.lower * found.lower > limit {
            return None;
        }
        if found.closest.squared <= search.upper {
            search.upper = found.closest.squared;
            search.pair = Some(found.pair);
            if found.is_certain() {
                return Some(MeshDistance::new(
                    &found.closest,
                    second_pose,
                    found.pair,
                    search.work,
                ));
            }
        }
    }
    let search = dispatch(search);
    let pair = search.pair?;
    Some(MeshDistance::new(&search.closest(pair), second_pose, pair, search.work))
}

impl MeshDistance {
    /// The answer from closest points in the frame of the second mesh.
    pub(super) fn new(
        closest: &Closest,
        second_pose: &Pose,
        triangles: [u32; 2],
        work: Work,
    ) -> Self {
        let [a, b] = [closest.a, closest.b].map(|p| second_pose.point(p));
        Self { distance: closest.distance(), a, b, triangles, work }
    }
}

/// Closest points of a triangle pair, in the second mesh's frame.
pub(super) fn closest_triangles(
    first: &MeshTree,
    second: &MeshTree,
    relative: &Pose,
    [i, j]: [u32; 2],
) -> Closest {
    let moved = first.triangle(i).map(|p| relative.point(p));
    triangle_triangle(moved, second.triangle(j))
}

/// A pair of blocks that may contain something closer than the best so far. The greatest has the
/// least bound; ties are broken by number, so that the order is the same everywhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The squared bound as the bits of a non-negative number, which are ordered like the number.
    key: Reverse<u64>,
    first: Reverse<u32>,
    second: Reverse<u32>,
}

const ROOTS: Candidate = Candidate { key: Reverse(0), first: Reverse(0), second: Reverse(0) };

impl Candidate {
    #[inline(always)]
    fn bound(&self) -> f64 {
        f64::from_bits(self.key.0)
    }
}

struct Search<'a> {
    first: &'a MeshTree,
    second: &'a MeshTree,
    /// The first mesh seen from the second.
    relative: Pose,
    /// Square of the best distance so far.
    upper: f64,
    pair: Option<[u32; 2]>,
    work: Work,
}

impl Kernel for Search<'_> {
    type Output = Self;

    #[inline(always)]
    fn run<L: Lanes>(mut self, l: L) -> Self {
        let motion = Motion4::new(l, &self.relative);
        let mut found: Vec<Candidate> = Vec::with_capacity(16);
        self.descend(l, &motion, &mut found);
        let mut heap = BinaryHeap::with_capacity(256);
        let mut leaves = 0;
        heap.push(ROOTS);
        while leaves < BEST_FIRST_LEAVES {
            let Some(candidate) = heap.pop() else { return self };
            if candidate.bound() >= self.upper {
                return self;
            }
            leaves += u32::from(self.open(l, &motion, candidate, &mut found));
            for candidate in found.drain(..) {
                heap.push(candidate);
            }
        }
        let mut stack = heap.into_vec();
        stack.sort_unstable();
        while let Some(candidate) = stack.pop() {
            if candidate.bound() < self.upper {
                let below = stack.len();
                self.open(l, &motion, candidate, &mut stack);
                insertion_sort(&mut stack[below..]);
            }
        }
        self
    }
}

impl Search<'_> {
    fn closest(&self, pair: [u32; 2]) -> Closest {
        closest_triangles(self.first, self.second, &self.relative, pair)
    }

    /// A first upper bound: from the roots always on to the closest pair of children.
    #[inline(always)]
    fn descend<L: Lanes>(&mut self, l: L, motion: &Motion4<L>, found: &mut Vec<Candidate>) {
        let mut candidate = ROOTS;
        while !self.open(l, motion, candidate, found) {
            let Some(&best) = found.iter().max() else { break };
            candidate = best;
            found.clear();
        }
    }

    /// Compares the contents of two blocks: closer triangles become the best, closer blocks go to
    /// `found`. True if both blocks are leaves.
    #[inline(always)]
    fn open<L: Lanes>(
        &mut self,
        l: L,
        motion: &Motion4<L>,
        pair: Candidate,
        found: &mut Vec<Candidate>,
    ) -> bool {
        let (a, b) = (
            &self.first.blocks[pair.first.0 as usize],
            &self.second.blocks[pair.second.0 as usize],
        );
        let boxes = MovedBoxes::new(l, a, motion);
        let (rows, columns) = (a.count as usize, b.count as usize);
        let mut bounds = [[f64::INFINITY; 4]; 4];
        for i in 0..rows {
            let row = boxes.bounds(l, i, b);
            bounds[i][..columns].copy_from_slice(&row[..columns]);
        }
        self.work.moved_boxes += rows as u64;
        self.work.box_pairs += (rows * columns) as u64;
        match (a.is_leaf(), b.is_leaf()) {
            (false, false) => {
                for i in 0..rows {
                    for j in 0..columns {
                        self.push(found, &pair, bounds[i][j], a.child[i], b.child[j]);
                    }
                }
            }
            (false, true) => {
                for i in 0..rows {
                    self.push(found, &pair, least(bounds[i]), a.child[i], pair.second.0);
                }
            }
            (true, false) => {
                for j in 0..columns {
                    let column = [bounds[0][j], bounds[1][j], bounds[2][j], bounds[3][j]];
                    self.push(found, &pair, least(column), pair.first.0, b.child[j]);
                }
            }
            (true, true) => {
                self.leaves(l, motion, pair, &bounds);
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn push(
        &self,
        found: &mut Vec<Candidate>,
        parent: &Candidate,
        bound: f64,
        first: u32,
        second: u32,
    ) {
        if bound < self.upper {
            // children may stick out of their parent: a bound never falls below the parent's
            let key = Reverse(bound.to_bits().max(parent.key.0));
            found.push(Candidate { key, first: Reverse(first), second: Reverse(second) });
        }
    }

    /// The triangles of two leaf blocks.
    #[inline(always)]
    fn leaves<L: Lanes>(
        &mut self,
        l: L,
        motion: &Motion4<L>,
        pair: Candidate,
        bounds: &[[f64; 4]; 4],
    ) {
        // often the boxes of the single triangles rule out everything
        if least([least(bounds[0]), least(bounds[1]), least(bounds[2]), least(bounds[3])])
            >= self.upper
        {
            return;
        }
        let (a, b) = (
            &self.first.blocks[pair.first.0 as usize],
            &self.second.blocks[pair.second.0 as usize],
        );
        let other = self.second.triangles[b.triangles as usize].here(l);
        let moved = self.first.triangles[a.triangles as usize].moved(l, motion);
        // the closest pair first: it may make the others superfluous
        let mut pairs = [(u64::MAX, 0_u8, 0_u8); 16];
        let mut count = 0;
        for i in 0..a.count as usize {
            for j in 0..b.count as usize {
                if bounds[i][j] < self.upper {
                    pairs[count] = (bounds[i][j].to_bits(), i as u8, j as u8);
                    count += 1;
                }
            }
        }
        insertion_sort(&mut pairs[..count]);
        for &(bits, i, j) in &pairs[..count] {
            let (i, j) = (i as usize, j as usize);
            if f64::from_bits(bits) >= self.upper {
                break;
            }
            self.work.triangle_pairs += 1;
            let (t, u) = (a.child[i], b.child[j]);
            if bits == 0 && self.cross(t, u) {
                self.upper = 0.0;
                self.pair = Some([t, u]);
                return;
            }
            let squared = moved.squared_pair(l, i, &other, j);
            if squared < self.upper {
                self.upper = squared;
                self.pair = Some([t, u]);
            }
        }
    }

    #[inline(never)]
    fn cross(&self, t: u32, u: u32) -> bool {
        let moved = self.first.triangle(t).map(|p| self.relative.point(p));
        triangles_cross(moved, self.second.triangle(u)).is_some()
    }
}

/// For at most 16 items nothing is quicker.
#[inline(always)]
fn insertion_sort<T: Copy + Ord>(items: &mut [T]) {
    for i in 1..items.len() {
        let item = items[i];
        let mut at = i;
        while at > 0 && item < items[at - 1] {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}

#[inline(always)]
fn least(x: [f64; 4]) -> f64 {
    x[0].min(x[1]).min(x[2].min(x[3]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;
    use crate::simd::Portable;
    use glam::DQuat;

    #[test]
    fn vector_instructions_and_plain_arrays_give_the_same_bits() {
        let tree = MeshTree::new(&generate::torus(1.0, 0.3, 20, 12));
        for k in 0..50 {
            let turn = DQuat::from_xyzw(0.1 * f64::from(k), 0.7, -0.2, 0.5).normalize();
            let relative = Pose::new(DVec3::new(0.9, 0.03 * f64::from(k), 0.4), turn);
            let search = || Search {
                first: &tree,
                second: &tree,
                relative,
                upper: f64::INFINITY,
                pair: None,
                work: Work::default(),
            };
            let (fast, plain) = (dispatch(search()), search().run(Portable));
            assert_eq!(fast.upper.to_bits(), plain.upper.to_bits());
            assert_eq!((fast.pair, fast.work), (plain.pair, plain.work));
        }
    }
}
