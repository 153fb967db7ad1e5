//! Meshes from bytes: OBJ, STL (text and binary), glTF (text with embedded buffers, and GLB),
//! COLLADA and PLY (text and binary).
//!
//! PLY is parsed here, the others by the crates `tobj`, `stl_io`, `gltf` and `roxmltree`; this
//! module turns what they return into one [`TriMesh`] and every kind of failure into a
//! [`ReadError`]. All objects of a file become one mesh; vertices with the same coordinates are
//! merged, because the formats split them by normal and texture coordinate. Coordinates are taken
//! as they are in the file (glTF: after the transforms of its nodes), without a change of the
//! upward axis.
//!
//! Memory is bounded by a small multiple of the length of the input; counts in headers are not
//! trusted.

mod collada;
mod gltf;
mod obj;
mod ply;
mod polygon;
mod stl;

use super::{MeshDefect, TriMesh};
use glam::DVec3;

/// A mesh file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ. Polygons are cut into triangles, concave ones included; one that crosses
    /// itself is refused.
    Obj,
    /// STL, text or binary.
    Stl,
    /// glTF 2.0 as JSON or GLB. Buffers must be inside the file.
    Gltf,
    /// COLLADA: meshes of the visual scene, in metres. `<up_axis>` is not followed.
    Collada,
    /// PLY, text or binary.
    Ply,
}

impl Format {
    /// The format that belongs to a file name's extension, in any case.
    ///
    /// ```
    /// use kreisel_geometry::mesh::read::Format;
    /// assert_eq!(Format::from_extension("STL"), Some(Format::Stl));
    /// ```
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "gltf" | "glb" => Some(Self::Gltf),
            "dae" => Some(Self::Collada),
            "ply" => Some(Self::Ply),
            _ => None,
        }
    }
}

/// Why bytes are not a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// The bytes do not follow the format.
    #[error("not a valid {format} file: {reason}")]
    Syntax {
        /// Name of the format.
        format: &'static str,
        /// What the parser says.
        reason: String,
    },
    /// The file uses something that is not read.
    #[error("{0}")]
    Unsupported(String),
    /// The file is well-formed, its mesh is not.
    #[error(transparent)]
    Defect(#[from] MeshDefect),
}

/// Reads a mesh from the bytes of a file.
///
/// ```
/// use kreisel_geometry::mesh::read::{Format, read};
/// let mesh = read(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", Format::Obj).unwrap();
/// assert_eq!(mesh.triangles().len(), 1);
/// let error = read(b"v 0 0 zero\n", Format::Obj).unwrap_err();
/// assert!(error.to_string().starts_with("not a valid OBJ file"));
/// ```
pub fn read(bytes: &[u8], format: Format) -> Result<TriMesh, ReadError> {
    let soup = match format {
        Format::Obj => obj::read(bytes)?,
        Format::Stl => stl::read(bytes)?,
        Format::Gltf => gltf::read(bytes)?,
        Format::Collada => collada::read(bytes)?,
        Format::Ply => ply::read(bytes)?,
    };
    Ok(soup.into_mesh()?.welded())
}

/// Vertices and triangles as they come from a file.
#[derive(Default)]
struct Soup {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Soup {
    /// Appends an object whose indices count from its own first vertex.
    fn append(
        &mut self,
        vertices: impl Iterator<Item = DVec3>,
        indices: &[u32],
    ) -> Result<(), ReadError> {
        let first =
            u32::try_from(self.vertices.len()).map_err(|_| too_many(self.vertices.len()))?;
        self.vertices.extend(vertices);
        for t in indices.chunks_exact(3) {
            let mut triangle = [0; 3];
            for (to, from) in triangle.iter_mut().zip(t) {
                *to = from.checked_add(first).ok_or_else(|| too_many(self.vertices.len()))?;
            }
            self.triangles.push(triangle);
        }
        Ok(())
    }

    fn into_mesh(self) -> Result<TriMesh, MeshDefect> {
        TriMesh::new(self.vertices, self.triangles)
    }
}

fn too_many(vertices: usize) -> MeshDefect {
    MeshDefect::TooLarge(vertices, "vertices")
}

impl TriMesh {
    /// The same surface with vertices of equal coordinates merged and unused ones dropped. The
    /// order of the triangles stays, vertices are numbered in the order in which the triangles use
    /// them.
    pub fn welded(&self) -> Self {
        // −0 and +0 are equal coordinates
        let key = |v: u32| self.vertices[v as usize].to_array().map(|x| (x + 0.0).to_bits());
        let mut order: Vec<u32> = (0..self.vertices.len() as u32).collect();
        order.sort_by_key(|&v| (key(v), v));
        let mut representative = vec![0; self.vertices.len()];
        for group in order.chunk_by(|&a, &b| key(a) == key(b)) {
            group.iter().for_each(|&v| representative[v as usize] = group[0]);
        }
        let mut number = vec![u32::MAX; self.vertices.len()];
        let mut vertices = Vec::new();
        let mut renumber = |v: u32| {
            let v = representative[v as usize] as usize;
            if number[v] == u32::MAX {
                number[v] = vertices.len() as u32;
                vertices.push(self.vertices[v]);
            }
            number[v]
        };
        let triangles = self.triangles.iter().map(|t| t.map(&mut renumber)).collect();
        Self::trusted(vertices, triangles)
    }
}
