//! Convex decomposition: a concave mesh as a few convex hulls that cover it (L-27), by the
//! volumetric method (V-HACD) of parry.
//!
//! The mesh is filled with voxels, the voxels are split by planes until each part is nearly convex,
//! and each part's hull is taken of the mesh's own surface in it, so that flat faces stay flat.
//! Hulls of neighbouring parts may overlap a little: take the mass from the mesh, not from the
//! parts. Minimal decompositions are NP-hard; this one is good, not minimal.

use super::{ConvexHull, HullError};
use crate::TriMesh;
#[cfg(feature = "decomposition")]
use glam::DVec3;
#[cfg(feature = "decomposition")]
use parry3d_f64::math::Vector;
#[cfg(feature = "decomposition")]
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

/// How finely a mesh is taken apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decomposition {
    /// Most parts.
    pub parts: u32,
    /// Voxels along the longest side of the mesh.
    pub resolution: u32,
    /// Part of a hull's volume that may be empty, 0 to 1.
    pub concavity: f64,
}

impl Default for Decomposition {
    /// What parry recommends for simulation.
    fn default() -> Self {
        Self { parts: 16, resolution: 64, concavity: 0.005 }
    }
}

impl Decomposition {
    /// At most this many parts.
    pub fn into_parts(parts: u32) -> Self {
        Self { parts, ..Self::default() }
    }
}

impl ConvexHull {
    /// Convex hulls that together cover the mesh.
    ///
    /// Parts that are flat (a sheet thinner than a voxel may leave some) are dropped; a mesh that
    /// leaves nothing else is [`HullError::Flat`]. A closed mesh that is convex but for the allowed
    /// concavity is one part.
    ///
    /// ```
    /// use glam::DVec3;
    /// use kreisel_geometry::ConvexHull;
    /// use kreisel_geometry::hull::Decomposition;
    /// use kreisel_geometry::mesh::generate;
    /// let cube = generate::cuboid(DVec3::ONE);
    /// assert_eq!(ConvexHull::decompose(&cube, &Decomposition::default()).unwrap().len(), 1);
    /// ```
    #[cfg(feature = "decomposition")]
    pub fn decompose(mesh: &TriMesh, how: &Decomposition) -> Result<Vec<Self>, HullError> {
        let parameters = VHACDParameters {
            max_convex_hulls: how.parts.max(1),
            resolution: how.resolution.clamp(8, 256),
            concavity: how.concavity.clamp(0.0, 1.0),
            ..VHACDParameters::default()
        };
        let vertices: Vec<Vector> =
            mesh.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
        if vertices.is_empty() || mesh.triangles().is_empty() {
            return Err(HullError::Flat(vertices.len()));
        }
        // what is convex already would be cut along its voxels
        let whole = Self::new(mesh.vertices())?;
        if mesh
            .volume()
            .is_ok_and(|v| whole.volume() - v <= how.concavity.max(1e-9) * whole.volume())
        {
            return Ok(vec![whole]);
        }
        let split = VHACD::decompose(&parameters, &vertices, mesh.triangles(), true);
        let mut hulls = Vec::new();
        for (points, _) in split.compute_exact_convex_hulls(&vertices, mesh.triangles()) {
            let points: Vec<DVec3> = points.iter().map(|p| DVec3::new(p.x, p.y, p.z)).collect();
            match Self::new(&points) {
                Ok(hull) => hulls.push(hull),
                Err(HullError::Flat(_)) => {}
                Err(e) => return Err(e),
            }
        }
        if hulls.is_empty() { Err(HullError::Flat(vertices.len())) } else { Ok(hulls) }
    }

    /// Refuses: this build takes nothing apart (feature `decomposition`).
    #[cfg(not(feature = "decomposition"))]
    pub fn decompose(_mesh: &TriMesh, _how: &Decomposition) -> Result<Vec<Self>, HullError> {
        Err(HullError::Lacking)
    }
}
