//! D-trees: binary trees of any bounding volume, the thesis' way to compute distances.
//!
//! Reference: Lennerz 2000, sections 3.6 (L-35 to L-41), 3.8 and 3.9 (L-52 to L-61). Every volume,
//! every traversal, running lower and upper bounds, and answers bounded in cost or quality.
//! [`crate::tree::MeshTree`] is the fast kernel that grew out of comparing these; use a D-tree to
//! study a volume or when a certain lower bound within a budget is wanted.

mod build;
mod merge;
mod sequence;
mod traverse;

pub use build::{AxisChoice, PlaneChoice, Split};
pub use sequence::Front;
pub use traverse::{Bounds, Cost, Expansion, Question, Traversal, bounds, mixed_bounds};

use crate::TriMesh;
use crate::volume::Volume;
use glam::DVec3;

#[derive(Clone, Debug)]
struct Node<V> {
    volume: V,
    /// Right child of an inner node (the left one follows its parent); 0 for leaves.
    right: u32,
    /// Triangles `order[first..first + count]`.
    first: u32,
    count: u32,
    /// Vertices of the contents that are extreme along the axes: upper bounds at inner nodes
    /// (L-57).
    representatives: [DVec3; 6],
}

impl<V> Node<V> {
    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// A binary tree of bounding volumes over the triangles of a mesh.
///
/// ```
/// use kreisel_geometry::{Pose, dtree::{DTree, Question, Split, bounds}, mesh::generate, volume::Ball};
/// let tree = DTree::<Ball>::new(&generate::icosphere(1.0, 2), &Split::default());
/// let there = Pose::at(glam::DVec3::X * 3.0);
/// let answer = bounds(&tree, &Pose::IDENTITY, &tree, &there, &Question::default());
/// assert_eq!(answer.lower, answer.upper);
/// ```
#[derive(Clone, Debug)]
pub struct DTree<V> {
    nodes: Vec<Node<V>>,
    order: Vec<u32>,
    corners: Vec<[DVec3; 3]>,
}

impl<V: Volume> DTree<V> {
    /// Builds the tree of a mesh from the top down.
    pub fn new(mesh: &TriMesh, split: &Split) -> Self {
        build::build(mesh.iter().collect(), split)
    }

    /// Builds the tree of a mesh from the bottom up, with up to `leaf` triangles in a leaf (L-37).
    pub fn merged(mesh: &TriMesh, leaf: usize) -> Self {
        merge::merge(mesh.iter().collect(), leaf)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: a mesh has at least one triangle.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
