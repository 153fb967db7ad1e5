//! A tree of boxes that do not move: median splits along the widest axis, searched by a box.

use glam::DVec3;

/// Leaves hold up to this many boxes.
const LEAF: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Node {
    lo: DVec3,
    hi: DVec3,
    /// First box of a leaf in `order`, or the right child; the left child follows its parent.
    link: u32,
    /// Boxes of a leaf; 0 for inner nodes.
    count: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct BoxTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    boxes: Vec<(DVec3, DVec3)>,
}

impl BoxTree {
    pub(super) fn new(boxes: Vec<(DVec3, DVec3)>) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut tree = Self { nodes: Vec::new(), order: Vec::new(), boxes };
        if !order.is_empty() {
            tree.split(&mut order, 0);
        }
        tree.order = order;
        tree
    }

    fn split(&mut self, order: &mut [u32], first: u32) {
        let at = self.nodes.len();
        let union = |(lo, hi): (DVec3, DVec3), i: &u32| {
            let (l, h) = self.boxes[*i as usize];
            (lo.min(l), hi.max(h))
        };
        let (lo, hi) = order.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), union);
        self.nodes.push(Node { lo, hi, link: first, count: order.len() as u32 });
        if order.len() <= LEAF {
            return;
        }
        let width = hi - lo;
        let axis = (0..3).fold(0, |best, k| if width[k] > width[best] { k } else { best });
        let middle = |i: u32| self.boxes[i as usize].0[axis] + self.boxes[i as usize].1[axis];
        let half = order.len() / 2;
        order
            .select_nth_unstable_by(half, |&i, &j| middle(i).total_cmp(&middle(j)).then(i.cmp(&j)));
        let (left, right) = order.split_at_mut(half);
        self.split(left, first);
        (self.nodes[at].count, self.nodes[at].link) = (0, self.nodes.len() as u32);
        self.split(right, first + half as u32);
    }

    /// Adds the numbers of all boxes that overlap a box.
    pub(super) fn within(&self, lo: DVec3, hi: DVec3, found: &mut Vec<u32>) {
        let apart = |l: DVec3, h: DVec3| l.cmpgt(hi).any() || h.cmplt(lo).any();
        // boxes lie in preorder: one that is apart is skipped with all below it
        let mut stack = [0_u32; 64];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            let node = &self.nodes[at as usize];
            if apart(node.lo, node.hi) {
                continue;
            }
            if node.count > 0 {
                let own = &self.order[node.link as usize..(node.link + node.count) as usize];
                found.extend(own.iter().filter(|i| {
                    let (l, h) = self.boxes[**i as usize];
                    !apart(l, h)
                }));
            } else {
                // halves of at most 2³² boxes are no deeper than 32
                (stack[depth], stack[depth + 1]) = (node.link, at + 1);
                depth += 2;
            }
        }
    }
}
