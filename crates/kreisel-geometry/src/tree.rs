//! The bounding-volume tree of a mesh for exact distances: oriented boxes, four children a node.
//!
//! Reference: Lennerz 2000, sections 3.5 to 3.7 (D-trees of oriented boxes, built top-down by
//! median splits). Measured on curved and flat meshes, oriented boxes with the cheap six-axis bound
//! beat spheres, axis-aligned boxes, k-DOPs and swept spheres, because their thickness shrinks with
//! the square of the patch size. Four boxes lie side by side in memory, so that one box is compared
//! with four in a handful of vector instructions; the last level has one box for each triangle.
//!
//! | | |
//! |---|---|
//! | build | O(n log n), on several threads where there are |
//! | memory | about 250 bytes for each triangle |
//! | validity | a box contains its triangles up to rounding (1e-15 of the size) |

mod bound;
mod build;
mod fit;
mod outer;
mod triangles;

pub(crate) use bound::MovedBoxes;
pub use fit::BoxFit;
pub(crate) use fit::{covariance, fit as fit_box};
pub(crate) use outer::OuterHull;
pub(crate) use triangles::TriangleBlock;

use crate::TriMesh;
use glam::{DMat3, DVec3};

/// Four oriented boxes and what is inside them.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(crate) struct BoxBlock {
    /// Centres: coordinate, lane.
    pub(crate) center: [[f64; 4]; 3],
    /// Unit axes: axis, coordinate, lane.
    pub(crate) axes: [[[f64; 4]; 3]; 3],
    /// Half extents along the axes: axis, lane.
    pub(crate) half: [[f64; 4]; 3],
    /// Inner block: the block with the children of each lane. Leaf block: the triangle of each
    /// lane.
    pub(crate) child: [u32; 4],
    /// Used lanes: 1 to 4.
    pub(crate) count: u32,
    /// Leaf block: where the triangles of the lanes are. Inner block: `u32::MAX`.
    pub(crate) triangles: u32,
}

impl BoxBlock {
    pub(crate) fn is_leaf(&self) -> bool {
        self.triangles != u32::MAX
    }

    /// The box of one lane.
    pub(crate) fn lane(&self, i: usize) -> OrientedBox {
        let v = |a: &[[f64; 4]; 3]| DVec3::new(a[0][i], a[1][i], a[2][i]);
        OrientedBox {
            center: v(&self.center),
            axes: DMat3::from_cols(v(&self.axes[0]), v(&self.axes[1]), v(&self.axes[2])),
            half: v(&self.half),
        }
    }
}

/// A box with its own axes: the points center + axes · x with |x| ≤ half, component by component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientedBox {
    /// Centre.
    pub center: DVec3,
    /// Orthonormal axes as columns.
    pub axes: DMat3,
    /// Half of the extent along each axis.
    pub half: DVec3,
}

/// The tree of oriented boxes over the triangles of a mesh.
///
/// ```
/// use kreisel_geometry::{mesh::generate, tree::MeshTree};
/// let tree = MeshTree::new(&generate::icosphere(1.0, 3));
/// assert_eq!(tree.len(), 1280);
/// ```
#[derive(Clone, Debug)]
pub struct MeshTree {
    /// Block 0 has one lane: the box of the whole mesh.
    pub(crate) blocks: Vec<BoxBlock>,
    pub(crate) triangles: Vec<TriangleBlock>,
    /// Where each triangle of the mesh is: four times the number of its block, and its lane.
    places: Vec<u32>,
    /// Largest distance of a vertex from the origin of the mesh's frame.
    pub(crate) reach: f64,
    /// The convex hull, where it is exact enough to answer queries.
    pub(crate) outer: Option<OuterHull>,
}

impl MeshTree {
    /// Builds the tree of a mesh.
    pub fn new(mesh: &TriMesh) -> Self {
        Self::with_fit(mesh, BoxFit::default())
    }

    /// Builds the tree of a mesh with boxes of the given kind.
    pub fn with_fit(mesh: &TriMesh, fit: BoxFit) -> Self {
        build::build(mesh, fit)
    }

    /// The corners of a triangle of the mesh.
    pub(crate) fn triangle(&self, number: u32) -> [DVec3; 3] {
        let place = self.places[number as usize];
        self.triangles[place as usize / 4].lane(place as usize % 4)
    }

    /// The number of triangles.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Never true: a mesh has at least one triangle.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The box of the whole mesh.
    pub fn root(&self) -> OrientedBox {
        self.blocks[0].lane(0)
    }

    /// Largest distance of a vertex from the origin of the mesh's frame.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The number of box blocks, for statistics.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }
}
