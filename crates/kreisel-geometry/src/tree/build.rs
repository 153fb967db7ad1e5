//! Top-down construction of the tree of oriented boxes.
//!
//! Reference: Lennerz 2000, section 3.6.5 and 3.6.6: the axis of largest variance of the reference
//! points (the triangles' middles), split at the median. Two such splits make four children. The
//! median is rounded to a multiple of four triangles, so that leaf blocks are full. Equal
//! projections are ordered by the triangle's number: the tree depends on nothing but the mesh. O(n
//! log n).
//!
//! Large trees are built on several threads, a subtree each. Subtrees lie one after the other as a
//! single thread would lay them out, so the number of threads is not seen in the result.

use super::outer::OuterHull;
use super::{BoxBlock, BoxFit, MeshTree, OrientedBox, TriangleBlock, fit};
use crate::TriMesh;
use glam::{DMat3, DVec3};

/// Smaller subtrees are not worth a thread.
const PARALLEL: usize = 1 << 14;

/// What has been built so far; numbers count from the start of this part.
struct Builder<'a> {
    mesh: &'a TriMesh,
    how: BoxFit,
    blocks: Vec<BoxBlock>,
    triangles: Vec<TriangleBlock>,
}

/// Builds the tree of a mesh.
pub(super) fn build(mesh: &TriMesh, how: BoxFit) -> MeshTree {
    let n = mesh.triangles().len();
    let mut builder = Builder::with_room(mesh, how, n);
    let mut order: Vec<u32> = (0..n as u32).collect();
    builder.blocks.push(block(&[builder.fit(&order)], u32::MAX));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let child = builder.node(&mut order, threads);
    builder.blocks[0].child[0] = child;
    drop(order);
    let Builder { blocks, triangles, .. } = builder;
    let mut places = vec![0; n];
    for leaf in blocks.iter().filter(|b| b.is_leaf()) {
        for lane in 0..leaf.count {
            places[leaf.child[lane as usize] as usize] = 4 * leaf.triangles + lane;
        }
    }
    let reach = mesh.iter().flatten().map(|p| p.length()).fold(0.0, f64::max);
    MeshTree { blocks, triangles, places, reach, outer: OuterHull::new(mesh) }
}

impl<'a> Builder<'a> {
    /// An empty part for `n` triangles.
    fn with_room(mesh: &'a TriMesh, how: BoxFit, n: usize) -> Self {
        // leaves of four, nodes of four: n/4 (1 + 1/4 + 1/16 + …) blocks, and some that are not
        // full
        let (blocks, triangles) =
            (Vec::with_capacity(n / 3 + n / 12 + 8), Vec::with_capacity(n / 3 + 2));
        Self { mesh, how, blocks, triangles }
    }

    /// The block over the triangles in `order`; returns its number.
    fn node(&mut self, order: &mut [u32], threads: usize) -> u32 {
        if order.len() <= 4 {
            return self.leaf(order);
        }
        let spread = threads > 1 && order.len() >= PARALLEL;
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
        let boxes: Vec<OrientedBox> = parts.iter().map(|p| self.fit(p)).collect();
        let number = self.blocks.len();
        self.blocks.push(block(&boxes, u32::MAX));
        if spread {
            self.spread(number, parts, threads);
            return number as u32;
        }
        for (lane, part) in parts.into_iter().enumerate() {
            self.blocks[number].child[lane] = self.node(part, 1);
        }
        number as u32
    }

    /// The children of block `number`, each on a thread of its own.
    fn spread(&mut self, number: usize, parts: Vec<&mut [u32]>, threads: usize) {
        let (mesh, how) = (self.mesh, self.how);
        let share = threads.div_ceil(parts.len());
        let built: Vec<(u32, Builder)> = std::thread::scope(|scope| {
            let subtree = |part: &mut [u32]| {
                let mut builder = Builder::with_room(mesh, how, part.len());
                (builder.node(part, share), builder)
            };
            let running: Vec<_> =
                parts.into_iter().map(|part| scope.spawn(move || subtree(part))).collect();
            running
                .into_iter()
                .map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
                .collect()
        });
        for (lane, (child, part)) in built.into_iter().enumerate() {
            let (first_block, first_triangles) =
                (self.blocks.len() as u32, self.triangles.len() as u32);
            self.blocks[number].child[lane] = first_block + child;
            self.triangles.extend(part.triangles);
            self.blocks.extend(part.blocks.into_iter().map(|mut b| {
                if b.is_leaf() {
                    b.triangles += first_triangles;
                } else {
                    b.child[..b.count as usize].iter_mut().for_each(|c| *c += first_block);
                }
                b
            }));
        }
    }

    fn leaf(&mut self, order: &[u32]) -> u32 {
        let boxes: Vec<OrientedBox> =
            order.iter().map(|t| self.fit(std::slice::from_ref(t))).collect();
        let mut block = block(&boxes, self.triangles.len() as u32);
        block.child[..order.len()].copy_from_slice(order);
        self.triangles.push(TriangleBlock::new(&self.gather(order)));
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }

    fn gather(&self, order: &[u32]) -> Vec<[DVec3; 3]> {
        order.iter().map(|&t| self.mesh.triangle(t as usize)).collect()
    }

    fn fit(&self, order: &[u32]) -> OrientedBox {
        let triangles = order.iter().map(|&t| self.mesh.triangle(t as usize));
        fit::fit_some(triangles, self.how)
    }

    /// Cuts at the median along the direction in which the triangles' middles vary most. Both sides
    /// keep their order.
    fn split<'b>(&self, order: &'b mut [u32]) -> (&'b mut [u32], &'b mut [u32]) {
        let n = order.len();
        let middles: Vec<DVec3> =
            order.iter().map(|&t| self.mesh.triangle(t as usize).iter().sum()).collect();
        let mean = middles.iter().sum::<DVec3>() / n as f64;
        let mut moments = DMat3::ZERO;
        for d in middles.iter().map(|m| m - mean) {
            moments += DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        }
        let (values, axes) = crate::mass::principal_axes(moments);
        let axis = (0..3).fold(0, |best, k| if values[k] > values[best] { k } else { best });
        let direction = axes.col(axis);
        let at = if n > 8 { (n / 2).next_multiple_of(4) } else { n.div_ceil(2).max(n.min(4)) };
        let keys: Vec<(f64, u32)> =
            middles.iter().zip(&*order).map(|(m, &t)| (direction.dot(*m), t)).collect();
        let compare = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let mut ranked = keys.clone();
        let (_, &mut median, _) = ranked.select_nth_unstable_by(at, compare);
        let (mut left, mut right) = (0, at);
        for key in keys {
            let to = if compare(&key, &median).is_lt() { &mut left } else { &mut right };
            order[*to] = key.1;
            *to += 1;
        }
        order.split_at_mut(at)
    }
}

/// A block of up to four boxes. Unused lanes are points far away, and are masked by the count
/// besides.
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
        let meshes = [
            generate::icosphere(1.0, 3),
            generate::torus(1.0, 0.3, 31, 17),
            generate::cuboid(DVec3::ONE),
            // more than one thread, and boxes that are fitted to a sample
            generate::torus(1.0, 0.3, 150, 70),
        ];
        for mesh in meshes {
            for how in [BoxFit::LeastArea, BoxFit::LeastVolume] {
                let tree = MeshTree::with_fit(&mesh, how);
                let mut seen = vec![0; mesh.triangles().len()];
                for b in &tree.blocks {
                    for lane in 0..b.count as usize {
                        let volume = b.lane(lane);
                        for t in below(&tree, b, lane) {
                            seen[t as usize] += u32::from(b.is_leaf());
                            assert_eq!(tree.triangle(t), mesh.triangle(t as usize));
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
    }

    #[test]
    fn the_number_of_threads_does_not_show_in_the_tree() {
        let mesh = generate::torus(1.0, 0.3, 200, 90);
        let build = |threads: usize| {
            let mut builder = Builder {
                mesh: &mesh,
                how: BoxFit::default(),
                blocks: Vec::new(),
                triangles: Vec::new(),
            };
            let mut order: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
            builder.node(&mut order, threads);
            format!("{:?}{:?}", builder.blocks, builder.triangles)
        };
        let one = build(1);
        assert!(one == build(2) && one == build(7), "the trees differ");
    }

    fn below(tree: &MeshTree, block: &BoxBlock, lane: usize) -> Vec<u32> {
        if block.is_leaf() {
            return vec![block.child[lane]];
        }
        let child = &tree.blocks[block.child[lane] as usize];
        (0..child.count as usize).flat_map(|i| below(tree, child, i)).collect()
    }
}
