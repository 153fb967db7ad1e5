//! Top-down construction of the tree of oriented boxes.
//!
//! Reference: Lennerz 2000, section 3.6.5 and 3.6.6: the axis of largest variance of the reference points (the triangles'
//! middles), split at the median. Two such splits make four children. The median is rounded to a multiple of four
//! triangles, so that leaf blocks are full. Equal projections are ordered by the triangle's number: the tree depends
//! on nothing but the mesh. O(n log² n).

use super::{BoxBlock, MeshTree, OrientedBox, TriangleBlock, fit};
use glam::{DMat3, DVec3};

struct Builder {
    corners: Vec<[DVec3; 3]>,
    blocks: Vec<BoxBlock>,
    triangles: Vec<TriangleBlock>,
}

/// Builds the tree over the given triangles.
pub(super) fn build(corners: Vec<[DVec3; 3]>) -> MeshTree {
    let reach = corners.iter().flatten().map(|p| p.length()).fold(0.0, f64::max);
    let n = corners.len();
    let mut builder = Builder { corners, blocks: Vec::new(), triangles: Vec::new() };
    let mut order: Vec<u32> = (0..n as u32).collect();
    let root = fit::fit(&builder.corners);
    builder.blocks.push(block(&[root], u32::MAX));
    let child = builder.node(&mut order);
    builder.blocks[0].child[0] = child;
    MeshTree { blocks: builder.blocks, triangles: builder.triangles, corners: builder.corners, reach }
}

impl Builder {
    /// The block over the triangles in `order`; returns its number.
    fn node(&mut self, order: &mut [u32]) -> u32 {
        if order.len() <= 4 {
            return self.leaf(order);
        }
        let mut parts: Vec<&mut [u32]> = Vec::with_capacity(4);
        let (left, right) = self.split(order);
        for half in [left, right] {
            if half.len() > 4 {
                let (a, b) = self.split(half);
                parts.push(a);
                parts.push(b);
            } else {
                parts.push(half);
            }
        }
        let boxes: Vec<OrientedBox> = parts.iter().map(|p| fit::fit(&self.gather(p))).collect();
        let number = self.blocks.len();
        self.blocks.push(block(&boxes, u32::MAX));
        for (lane, part) in parts.into_iter().enumerate() {
            let child = self.node(part);
            self.blocks[number].child[lane] = child;
        }
        number as u32
    }

    fn leaf(&mut self, order: &[u32]) -> u32 {
        let boxes: Vec<OrientedBox> = order.iter().map(|&t| fit::fit(&[self.corners[t as usize]])).collect();
        let mut block = block(&boxes, self.triangles.len() as u32);
        block.child[..order.len()].copy_from_slice(order);
        self.triangles.push(TriangleBlock::new(&self.gather(order)));
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }

    fn gather(&self, order: &[u32]) -> Vec<[DVec3; 3]> {
        order.iter().map(|&t| self.corners[t as usize]).collect()
    }

    /// Cuts at the median along the direction in which the triangles' middles vary most.
    fn split<'a>(&self, order: &'a mut [u32]) -> (&'a mut [u32], &'a mut [u32]) {
        let middle = |t: u32| {
            let [a, b, c] = self.corners[t as usize];
            a + b + c
        };
        let n = order.len();
        let mean = order.iter().map(|&t| middle(t)).sum::<DVec3>() / n as f64;
        let mut moments = DMat3::ZERO;
        for d in order.iter().map(|&t| middle(t) - mean) {
            moments += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        }
        let (values, axes) = crate::mass::principal_axes(moments);
        let axis = (0..3).fold(0, |best, k| if values[k] > values[best] { k } else { best });
        let direction = axes.col(axis);
        let key = |t: &u32| direction.dot(middle(*t));
        let at = if n > 8 { (n / 2).next_multiple_of(4) } else { n.div_ceil(2).max(n.min(4)) };
        order.select_nth_unstable_by(at, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        let (left, right) = order.split_at_mut(at);
        left.sort_unstable();
        right.sort_unstable();
        (left, right)
    }
}

/// A block of up to four boxes. Unused lanes are points far away, and are masked by the count besides.
fn block(boxes: &[OrientedBox], triangles: u32) -> BoxBlock {
    let mut block = BoxBlock {
        center: [[1e150; 4]; 3],
        axes: [[[0.0; 4]; 3]; 3],
        half: [[0.0; 4]; 3],
        child: [u32::MAX; 4],
        count: boxes.len() as u32,
        triangles,
    };
    for (lane, b) in boxes.iter().enumerate() {
        for k in 0..3 {
            block.center[k][lane] = b.center[k];
            block.half[k][lane] = b.half[k];
            for axis in 0..3 {
                block.axes[axis][k][lane] = b.axes.col(axis)[k];
            }
        }
    }
    block
}

impl BoxBlock {
    /// One axis-aligned box.
    pub(crate) fn single(center: DVec3, half: DVec3) -> Self {
        block(&[OrientedBox { center, axes: DMat3::IDENTITY, half }], u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;

    #[test]
    fn every_box_contains_the_triangles_below_it_and_every_triangle_is_there_once() {
        for mesh in [generate::icosphere(1.0, 3), generate::torus(1.0, 0.3, 31, 17), generate::cuboid(DVec3::ONE)] {
            let tree = MeshTree::new(&mesh);
            let mut seen = vec![0; mesh.triangles().len()];
            for b in &tree.blocks {
                for lane in 0..b.count as usize {
                    let volume = b.lane(lane);
                    for t in below(&tree, b, lane) {
                        seen[t as usize] += u32::from(b.is_leaf());
                        for p in mesh.triangle(t as usize) {
                            let x = volume.axes.transpose() * (p - volume.center);
                            assert!((x.abs() - volume.half).max_element() < 1e-14);
                        }
                    }
                }
            }
            assert!(seen.iter().all(|&n| n == 1));
        }
    }

    fn below(tree: &MeshTree, block: &BoxBlock, lane: usize) -> Vec<u32> {
        if block.is_leaf() {
            return vec![block.child[lane]];
        }
        let child = &tree.blocks[block.child[lane] as usize];
        (0..child.count as usize).flat_map(|i| below(tree, child, i)).collect()
    }
}
