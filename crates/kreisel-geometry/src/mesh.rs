//! Triangle meshes: vertices and index triples, closed or not.
//!
//! Reference: Lennerz 2000, section 2.3. Distances need nothing but the triangles (a "polygon soup"
//! will do); only the mass properties and the question "inside or outside?" need a closed,
//! consistently oriented surface, which [`TriMesh::check_closed`] establishes or names the defect.

#[cfg(feature = "booleans")]
pub mod boolean;
mod check;
mod convex;
mod facets;
pub mod generate;
pub mod read;
mod shells;
pub mod sweep;
pub mod write;

pub use check::MeshDefect;
pub(crate) use facets::{Facet, Facets};

use crate::mass::surface::VolumeMoments;
use crate::tree::MeshTree;
use crate::{ConvexHull, MassProperties, Pose};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// A triangle mesh with finite vertices and valid indices, never empty.
///
/// ```
/// use glam::DVec3;
/// use kreisel_geometry::TriMesh;
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let tetra = TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap();
/// assert!((tetra.volume().unwrap() - 1.0 / 6.0).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "RawMesh")]
pub struct TriMesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Built when the first query asks for it.
    #[serde(skip)]
    tree: OnceLock<Arc<MeshTree>>,
    #[serde(skip)]
    closed: OnceLock<bool>,
    /// The same solid as a hull, if it is convex.
    #[serde(skip)]
    convex: OnceLock<Option<Arc<ConvexHull>>>,
    /// A vertex of each connected part.
    #[serde(skip)]
    shells: OnceLock<Vec<u32>>,
    /// Convex polygons of coplanar triangles.
    #[serde(skip)]
    facets: OnceLock<Arc<Facets>>,
}

impl PartialEq for TriMesh {
    fn eq(&self, other: &Self) -> bool {
        (&self.vertices, &self.triangles) == (&other.vertices, &other.triangles)
    }
}

/// What is read from a file, before it is checked.
#[derive(Deserialize)]
struct RawMesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl TryFrom<RawMesh> for TriMesh {
    type Error = MeshDefect;
    fn try_from(raw: RawMesh) -> Result<Self, MeshDefect> {
        Self::new(raw.vertices, raw.triangles)
    }
}

impl TriMesh {
    /// A mesh of the given vertices and triangles. Triangles of an outward-oriented solid run
    /// counter-clockwise seen from outside.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshDefect> {
        check::indices_and_numbers(&vertices, &triangles)?;
        Ok(Self::unchecked(vertices, triangles))
    }

    /// A mesh whose indices and numbers are known to be right.
    pub(crate) fn trusted(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        debug_assert_eq!(check::indices_and_numbers(&vertices, &triangles), Ok(()));
        Self::unchecked(vertices, triangles)
    }

    fn unchecked(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self {
            vertices,
            triangles,
            tree: OnceLock::new(),
            closed: OnceLock::new(),
            convex: OnceLock::new(),
            shells: OnceLock::new(),
            facets: OnceLock::new(),
        }
    }

    /// The vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles as indices into [`Self::vertices`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of triangle `i`.
    pub fn triangle(&self, i: usize) -> [DVec3; 3] {
        self.triangles[i].map(|v| self.vertices[v as usize])
    }

    /// The corners of all triangles, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [DVec3; 3]> + '_ {
        self.triangles.iter().map(|t| t.map(|v| self.vertices[v as usize]))
    }

    /// The tree for distance queries, built at the first call and shared by clones.
    pub fn tree(&self) -> &MeshTree {
        self.tree.get_or_init(|| Arc::new(MeshTree::new(self)))
    }

    /// The convex polygons of coplanar triangles, found at the first call and shared by clones.
    pub(crate) fn facets(&self) -> &Facets {
        self.facets.get_or_init(|| Arc::new(Facets::new(self)))
    }

    /// True if the mesh is the boundary of a solid ([`Self::check_closed`]); found out at the first
    /// call.
    pub fn is_closed(&self) -> bool {
        *self.closed.get_or_init(|| self.check_closed().is_ok())
    }

    /// Smallest and largest coordinates.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let first = self.vertices[0];
        self.vertices.iter().fold((first, first), |(lo, hi), &v| (lo.min(v), hi.max(v)))
    }

    /// The same mesh moved by `pose`.
    pub fn moved(&self, pose: &Pose) -> Self {
        Self::trusted(
            self.vertices.iter().map(|&v| pose.point(v)).collect(),
            self.triangles.clone(),
        )
    }

    /// The same mesh with every coordinate multiplied by `factor`. Mirrored triangles are turned
    /// round.
    pub fn scaled(&self, factor: DVec3) -> Result<Self, MeshDefect> {
        let mirrored = factor.x * factor.y * factor.z < 0.0;
        let turn = |t: &[u32; 3]| if mirrored { [t[0], t[2], t[1]] } else { *t };
        Self::new(
            self.vertices.iter().map(|&v| v * factor).collect(),
            self.triangles.iter().map(turn).collect(),
        )
    }

    /// The same surface seen from its other side.
    pub fn flipped(&self) -> Self {
        Self::trusted(
            self.vertices.clone(),
            self.triangles.iter().map(|t| [t[0], t[2], t[1]]).collect(),
        )
    }

    /// Volume of the solid inside a closed, outward-oriented mesh.
    pub fn volume(&self) -> Result<f64, MeshDefect> {
        Ok(self.solid()?.volume())
    }

    /// Mass properties of the solid inside a closed, outward-oriented mesh of uniform density in
    /// kg/m³.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, MeshDefect> {
        Ok(self.solid()?.mass_properties(density))
    }

    fn solid(&self) -> Result<VolumeMoments, MeshDefect> {
        self.check_closed()?;
        let (lo, hi) = self.bounds();
        let moments = VolumeMoments::of(0.5 * (lo + hi), self.iter());
        let size = (hi - lo).length();
        if moments.volume() < 0.0 {
            return Err(MeshDefect::InsideOut(moments.volume()));
        }
        if moments.volume() <= 1e-14 * size * size * size {
            return Err(MeshDefect::NoVolume);
        }
        Ok(moments)
    }
}
