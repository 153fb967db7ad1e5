//! Union, difference and intersection of solids (L-95), by the library `manifold-rust`, whose
//! results are closed meshes again. Only closed meshes have an inside; others are refused.

use super::{MeshDefect, TriMesh};
use glam::DVec3;
use manifold_rust::manifold::Manifold;
use manifold_rust::types::{Error, MeshGL64};

/// What is made of two solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// What is in one or the other.
    Union,
    /// What is in the first and not in the other.
    Difference,
    /// What is in both.
    Intersection,
}

/// Why two solids give none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BooleanError {
    /// A mesh that encloses no solid.
    #[error("solid {0} of a union, difference or intersection: {1}")]
    Open(usize, MeshDefect),
    /// The solids have nothing in common, or nothing is left.
    #[error("nothing is left of these solids")]
    Empty,
    /// The library gave up.
    #[error("the solids cannot be combined: {0}")]
    Failed(String),
    /// What came out is no mesh.
    #[error("the combined solid is no mesh: {0}")]
    Defect(#[from] MeshDefect),
}

/// Combines solids, the first with all others one after the other.
///
/// ```
/// use glam::DVec3;
/// use kreisel_geometry::mesh::boolean::{Operation, combine};
/// use kreisel_geometry::mesh::generate::cuboid;
/// use kreisel_geometry::Pose;
/// let cube = cuboid(DVec3::ONE);
/// let corner = cube.moved(&Pose::new(DVec3::splat(0.5), glam::DQuat::IDENTITY));
/// let rest = combine(Operation::Difference, &[cube, corner]).unwrap();
/// assert!((rest.volume().unwrap() - 0.875).abs() < 1e-12);
/// ```
pub fn combine(operation: Operation, solids: &[TriMesh]) -> Result<TriMesh, BooleanError> {
    let all = solids.iter().enumerate().map(|(k, mesh)| -> Result<Manifold, BooleanError> {
        mesh.volume().map_err(|defect| BooleanError::Open(k + 1, defect))?;
        let out = Manifold::from_mesh_gl64(&flat(mesh));
        match out.status() {
            Error::NoError => Ok(out),
            e => Err(BooleanError::Failed(format!("solid {}: {e:?}", k + 1))),
        }
    });
    let mut all = all.collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = all.next().ok_or(BooleanError::Empty)?;
    let done = all.fold(first, |a, b| match operation {
        Operation::Union => a.union(&b),
        Operation::Difference => a.difference(&b),
        Operation::Intersection => a.intersection(&b),
    });
    if done.status() != Error::NoError {
        return Err(BooleanError::Failed(format!("{:?}", done.status())));
    }
    let mesh = done.get_mesh_gl64(-1);
    let stride = (mesh.num_prop as usize).max(3);
    let vertices: Vec<DVec3> =
        mesh.vert_properties.chunks_exact(stride).map(DVec3::from_slice).collect();
    let triangles: Vec<[u32; 3]> =
        mesh.tri_verts.chunks_exact(3).map(|t| [t[0] as u32, t[1] as u32, t[2] as u32]).collect();
    if triangles.is_empty() {
        return Err(BooleanError::Empty);
    }
    Ok(TriMesh::new(vertices, triangles)?.welded())
}

/// The mesh as the library takes it.
fn flat(mesh: &TriMesh) -> MeshGL64 {
    let welded = mesh.welded();
    MeshGL64 {
        num_prop: 3,
        vert_properties: welded.vertices().iter().flat_map(|v| v.to_array()).collect(),
        tri_verts: welded.triangles().iter().flatten().map(|i| (*i).into()).collect(),
        ..MeshGL64::default()
    }
}
