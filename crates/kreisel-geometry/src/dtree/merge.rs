//! Bottom-up construction.
//!
//! Reference: Lennerz 2000, section 3.6.4 (L-37): leaf groups are merged to one root. The thesis
//! does not say which; here neighbours on a space-filling curve (Morton order) look up to eight
//! places to either side for the partner with which their common box has the least area, and pairs
//! that choose each other become one (Meister, Bittner 2018). Rounds that merge less than an eighth
//! of the groups join neighbours in order, so that the depth stays logarithmic. O(n log n).

use super::{DTree, Node, build};
use crate::broad::Aabb;
use crate::volume::Volume;
use glam::DVec3;

/// How far a group looks for its partner.
const WINDOW: usize = 8;

/// A group of triangles: a leaf, or two groups.
struct Group {
    bounds: Aabb,
    children: Option<[usize; 2]>,
    triangles: Vec<u32>,
}

pub(super) fn merge<V: Volume>(corners: Vec<[DVec3; 3]>, leaf: usize) -> DTree<V> {
    let bounds = |t: u32| Aabb::fit(&[corners[t as usize]]);
    let mut order: Vec<u32> = (0..corners.len() as u32).collect();
    let whole = Aabb::fit(&corners);
    let size = (whole.hi - whole.lo).max(DVec3::splat(1e-300));
    order.sort_by_key(|&t| (morton((bounds(t).center() - whole.lo) / size), t));
    let mut groups: Vec<Group> = Vec::new();
    let mut active: Vec<usize> = Vec::new();
    for part in order.chunks(leaf.max(1)) {
        active.push(groups.len());
        let all: Vec<[DVec3; 3]> = part.iter().map(|&t| corners[t as usize]).collect();
        groups.push(Group { bounds: Aabb::fit(&all), children: None, triangles: part.to_vec() });
    }
    while active.len() > 1 {
        let partner: Vec<usize> = (0..active.len()).map(|i| nearest(&groups, &active, i)).collect();
        let mutual = (0..active.len()).filter(|&i| partner[partner[i]] == i).count();
        let in_order = mutual * 4 < active.len();
        let mut next = Vec::with_capacity(active.len());
        for i in 0..active.len() {
            let other = if in_order { i ^ 1 } else { partner[i] };
            let pairs = if in_order { other < active.len() } else { partner[other] == i };
            if !pairs {
                next.push(active[i]);
            } else if i < other {
                let [a, b] = [active[i], active[other]];
                next.push(groups.len());
                let bounds = groups[a].bounds.union(&groups[b].bounds);
                groups.push(Group { bounds, children: Some([a, b]), triangles: Vec::new() });
            }
        }
        active = next;
    }
    let mut tree = DTree { nodes: Vec::new(), order: Vec::new(), corners };
    flatten(&mut tree, &groups, active[0]);
    tree
}

/// The group within the window whose union with group `i` has the least area, the first of equals.
fn nearest(groups: &[Group], active: &[usize], i: usize) -> usize {
    let own = &groups[active[i]].bounds;
    let window = i.saturating_sub(WINDOW)..(i + WINDOW + 1).min(active.len());
    let area = |j: usize| {
        let d = own.union(&groups[active[j]].bounds);
        let e = d.hi - d.lo;
        e.x * e.y + e.y * e.z + e.z * e.x
    };
    let others = window.filter(|&j| j != i);
    others
        .map(|j| (area(j), j))
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        .map_or(i, |x| x.1)
}

/// Lays a group out in the order of the tree: parent, left, right.
fn flatten<V: Volume>(tree: &mut DTree<V>, groups: &[Group], group: usize) {
    let (at, first) = (tree.nodes.len(), tree.order.len());
    let placeholder = V::fit(&tree.corners[..1]);
    let representatives = [DVec3::ZERO; 6];
    tree.nodes.push(Node {
        volume: placeholder,
        right: 0,
        first: first as u32,
        count: 0,
        representatives,
    });
    match groups[group].children {
        None => tree.order.extend(&groups[group].triangles),
        Some([left, right]) => {
            flatten(tree, groups, left);
            tree.nodes[at].right = tree.nodes.len() as u32;
            flatten(tree, groups, right);
        }
    }
    let triangles: Vec<[DVec3; 3]> =
        tree.order[first..].iter().map(|&t| tree.corners[t as usize]).collect();
    let node = &mut tree.nodes[at];
    node.count = triangles.len() as u32;
    node.volume = V::fit(&triangles);
    node.representatives = build::extremes(&triangles);
}

/// The place of a point of the unit cube on the curve: its coordinates' bits, interleaved.
fn morton(p: DVec3) -> u64 {
    let spread = |x: f64| {
        let mut v = (x.clamp(0.0, 1.0) * 2_097_151.0) as u64;
        let mut out = 0;
        for bit in 0..21 {
            out |= (v & 1) << (3 * bit);
            v >>= 1;
        }
        out
    };
    spread(p.x) | spread(p.y) << 1 | spread(p.z) << 2
}
