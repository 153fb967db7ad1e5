//! Meshes to bytes: OBJ, STL (binary), PLY (binary) and VRML 2. Coordinates of OBJ, PLY and VRML
//! are read back to the bit; STL has single precision.

use super::TriMesh;
use std::fmt::Write as _;

/// A format that meshes are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Wavefront OBJ.
    Obj,
    /// STL, binary.
    Stl,
    /// Stanford PLY, binary, little-endian.
    Ply,
    /// VRML 2.
    Vrml,
}

impl Written {
    /// The format that belongs to a file name's extension, in any case.
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "wrl" => Some(Self::Vrml),
            _ => None,
        }
    }
}

/// Writes a mesh.
///
/// ```
/// use kreisel_geometry::mesh::{generate, read, write};
/// let mesh = generate::cylinder(0.3, 1.0, 12);
/// let bytes = write::write(&mesh, write::Written::Ply);
/// let again = read::read(&bytes, read::Format::Ply).unwrap();
/// assert_eq!(again.volume(), mesh.welded().volume());
/// ```
pub fn write(mesh: &TriMesh, format: Written) -> Vec<u8> {
    match format {
        Written::Obj => {
            let mut out = String::from("# kreisel\n");
            for v in mesh.vertices() {
                let _ = writeln!(out, "v {:?} {:?} {:?}", v.x, v.y, v.z);
            }
            for [a, b, c] in mesh.triangles() {
                let _ = writeln!(out, "f {} {} {}", a + 1, b + 1, c + 1);
            }
            out.into_bytes()
        }
        Written::Stl => stl(mesh),
        Written::Ply => ply(mesh),
        Written::Vrml => {
            let mut out = String::from(
                "#VRML V2.0 utf8\nShape {\n  geometry IndexedFaceSet {\n    coord Coordinate { point [\n",
            );
            for v in mesh.vertices() {
                let _ = writeln!(out, "      {:?} {:?} {:?},", v.x, v.y, v.z);
            }
            out.push_str("    ] }\n    coordIndex [\n");
            for [a, b, c] in mesh.triangles() {
                let _ = writeln!(out, "      {a} {b} {c} -1,");
            }
            out.push_str("    ]\n  }\n}\n");
            out.into_bytes()
        }
    }
}

fn stl(mesh: &TriMesh) -> Vec<u8> {
    let mut out = vec![0; 80];
    out[..7].copy_from_slice(b"kreisel");
    out.extend((mesh.triangles().len() as u32).to_le_bytes());
    for [a, b, c] in mesh.iter() {
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for v in [normal, a, b, c] {
            v.to_array().into_iter().for_each(|x| out.extend((x as f32).to_le_bytes()));
        }
        out.extend([0; 2]);
    }
    out
}

fn ply(mesh: &TriMesh) -> Vec<u8> {
    let mut out = format!(
        "ply\nformat binary_little_endian 1.0\ncomment kreisel\nelement vertex {}\n\
         property double x\nproperty double y\nproperty double z\nelement face {}\n\
         property list uchar uint vertex_indices\nend_header\n",
        mesh.vertices().len(),
        mesh.triangles().len()
    )
    .into_bytes();
    for v in mesh.vertices() {
        v.to_array().into_iter().for_each(|x| out.extend(x.to_le_bytes()));
    }
    for t in mesh.triangles() {
        out.push(3);
        t.iter().for_each(|i| out.extend(i.to_le_bytes()));
    }
    out
}
