//! Top-down construction with the split strategies of the thesis.
//!
//! Reference: Lennerz 2000, sections 3.6.5 and 3.6.6 (L-36, L-38). The candidate axes are the
//! principal axes of the node's reference points (the triangles' middles); one is chosen by the
//! children's volumes or by the variance, the plane by mean or median. A split with an empty side
//! falls back to the middle of the sorted order, so the depth stays below 64.

use super::{DTree, Node};
use crate::volume::Volume;
use glam::{DMat3, DVec3};

/// Which of the three principal axes is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisChoice {
    /// Smallest sum of the children's volumes (strategy 1).
    LeastSum,
    /// Smallest larger child (strategy 2).
    LeastMaximum,
    /// Largest variance of the reference points (strategy 3).
    #[default]
    Variance,
    /// No axis: two centres far apart, and each triangle goes to the nearer one. The heuristic of
    /// Gonzalez 1985 for the k-centre problem, whose largest radius is at most twice the least
    /// possible; the exact partition is out of reach (L-39).
    TwoCenters,
}

/// Where the axis is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlaneChoice {
    /// At the mean of the reference points.
    Mean,
    /// At their median: balanced.
    #[default]
    Median,
}

/// How nodes are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The axis.
    pub axis: AxisChoice,
    /// The plane.
    pub plane: PlaneChoice,
    /// Largest number of triangles in a leaf (β).
    pub leaf: usize,
}

impl Default for Split {
    fn default() -> Self {
        Self { axis: AxisChoice::default(), plane: PlaneChoice::default(), leaf: 1 }
    }
}

pub(super) fn build<V: Volume>(corners: Vec<[DVec3; 3]>, split: &Split) -> DTree<V> {
    let mut tree = DTree { nodes: Vec::new(), order: (0..corners.len() as u32).collect(), corners };
    let mut order = std::mem::take(&mut tree.order);
    node(&mut tree, &mut order, 0, 0, split);
    tree.order = order;
    tree
}

fn node<V: Volume>(tree: &mut DTree<V>, order: &mut [u32], first: u32, depth: u32, split: &Split) {
    let triangles = gather(tree, order);
    let at = tree.nodes.len();
    tree.nodes.push(Node {
        volume: V::fit(&triangles),
        right: 0,
        first,
        count: order.len() as u32,
        representatives: extremes(&triangles),
    });
    if order.len() <= split.leaf.max(1) || depth >= 64 {
        return;
    }
    let cut = partition(tree, order, depth, split);
    let (left, right) = order.split_at_mut(cut);
    node(tree, left, first, depth + 1, split);
    tree.nodes[at].right = tree.nodes.len() as u32;
    node(tree, right, first + cut as u32, depth + 1, split);
}

fn gather<V>(tree: &DTree<V>, order: &[u32]) -> Vec<[DVec3; 3]> {
    order.iter().map(|&t| tree.corners[t as usize]).collect()
}

/// The vertices with the least and the largest coordinate along each axis.
pub(super) fn extremes(triangles: &[[DVec3; 3]]) -> [DVec3; 6] {
    let mut best = [triangles[0][0]; 6];
    for &p in triangles.iter().flatten() {
        for k in 0..3 {
            if p[k] < best[2 * k][k] {
                best[2 * k] = p;
            }
            if p[k] > best[2 * k + 1][k] {
                best[2 * k + 1] = p;
            }
        }
    }
    best
}

/// Sorts the triangles to both sides of a plane; returns how many are on the first.
fn partition<V: Volume>(tree: &DTree<V>, order: &mut [u32], depth: u32, split: &Split) -> usize {
    let middle = |t: u32| tree.corners[t as usize].iter().sum::<DVec3>() / 3.0;
    let mean = order.iter().map(|&t| middle(t)).sum::<DVec3>() / order.len() as f64;
    let mut moments = DMat3::ZERO;
    for d in order.iter().map(|&t| middle(t) - mean) {
        moments += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
    }
    let (variance, axes) = crate::mass::principal_axes(moments);
    if split.axis == AxisChoice::TwoCenters && depth < 32 {
        // the point farthest from any, and the point farthest from that
        let farthest = |from: DVec3| {
            let far = |t: &u32| middle(*t).distance_squared(from);
            order.iter().copied().max_by(|i, j| far(i).total_cmp(&far(j)).then(j.cmp(i)))
        };
        let first = farthest(mean).map_or(mean, middle);
        let second = farthest(first).map_or(mean, middle);
        let nearer =
            |t: &u32| middle(*t).distance_squared(first) <= middle(*t).distance_squared(second);
        order.sort_by_key(|t| (!nearer(t), *t));
        let cut = order.iter().filter(|t| nearer(t)).count();
        if cut > 0 && cut < order.len() {
            return cut;
        }
    }
    let mut sorted = |axis: DVec3, order: &mut [u32]| {
        let key = |t: u32| axis.dot(middle(t));
        order.sort_by(|&i, &j| key(i).total_cmp(&key(j)).then(i.cmp(&j)));
        let below = order.iter().filter(|&&t| key(t) < axis.dot(mean)).count();
        // beyond half the depth limit only balanced splits
        let cut =
            if split.plane == PlaneChoice::Mean && depth < 32 { below } else { order.len() / 2 };
        if cut == 0 || cut == order.len() { order.len() / 2 } else { cut }
    };
    let cost = |k: usize, order: &mut [u32], sorted: &mut dyn FnMut(DVec3, &mut [u32]) -> usize| {
        if matches!(split.axis, AxisChoice::Variance | AxisChoice::TwoCenters) {
            return -variance[k];
        }
        let cut = sorted(axes.col(k), order);
        let [a, b] =
            [&order[..cut], &order[cut..]].map(|part| V::fit(&gather(tree, part)).measure());
        if split.axis == AxisChoice::LeastSum { a + b } else { a.max(b) }
    };
    let costs = [0, 1, 2].map(|k| cost(k, order, &mut sorted));
    let best = (0..3).fold(0, |best, k| if costs[k] < costs[best] { k } else { best });
    sorted(axes.col(best), order)
}
