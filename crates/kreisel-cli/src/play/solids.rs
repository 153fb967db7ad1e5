//! How shapes are sent to the page: simple solids and triangles, with their place in the body's
//! frame.

use kreisel_dynamics::Vec3;
use kreisel_geometry::mesh::generate;
use kreisel_geometry::{Pose, Shape, TriMesh};
use serde::Serialize;

/// Most triangles of a mesh that the page paints one by one; of a larger one the box is shown.
const MAX_TRIANGLES: usize = 20_000;

/// Sides of round shapes that are written as meshes.
const SIDES: u32 = 48;

/// A solid that the page can draw.
#[derive(Debug, Serialize)]
pub struct Solid {
    kind: &'static str,
    /// Sizes: edges of a box, semi-axes of an ellipsoid, radius and height of round solids.
    size: [f64; 3],
    position: [f64; 3],
    rotation: [f64; 4],
    /// Its own colour, if it is not that of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<[u8; 3]>,
    /// Corners and triangles of a mesh.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vertices: Vec<[f32; 3]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    triangles: Vec<[u32; 3]>,
}

/// The drawable solids of a shape; no shape is a mass point.
pub fn solids(shape: Option<&Shape>) -> Vec<Solid> {
    let mut out = Vec::new();
    match shape {
        Some(shape) => collect(shape, Pose::IDENTITY, &mut out),
        None => out.push(Solid::new("point", [0.0; 3], Pose::IDENTITY)),
    }
    out
}

/// The drawable solids of what is only shown.
pub fn shown(shape: &Shape, color: [u8; 3]) -> Vec<Solid> {
    let mut out = solids(Some(shape));
    out.iter_mut().for_each(|s| s.color = Some(color));
    out
}

/// Compounds are flattened; an endless plane is the page's ground.
fn collect(shape: &Shape, pose: Pose, out: &mut Vec<Solid>) {
    let (kind, size) = match shape {
        Shape::Sphere { radius } => ("ellipsoid", [*radius; 3]),
        Shape::Ellipsoid { radii } => ("ellipsoid", radii.to_array()),
        Shape::Box { size } => ("box", size.to_array()),
        Shape::Cylinder { radius, height } => ("cylinder", [*radius, *height, 0.0]),
        Shape::Capsule { radius, height } => ("capsule", [*radius, *height, 0.0]),
        Shape::Cone { radius, height } => ("cone", [*radius, *height, 0.0]),
        Shape::Compound(parts) => {
            for part in parts {
                collect(&part.shape, pose.then(&part.pose), out);
            }
            return;
        }
        Shape::Hull(hull) => return out.push(Solid::mesh(&hull.to_mesh(), pose)),
        Shape::Mesh(mesh) => return out.push(Solid::mesh(mesh, pose)),
        Shape::HeightField(field) => return out.push(Solid::mesh(field.surface(), pose)),
        Shape::Disc { radius, height, rim } => {
            return out.push(Solid::mesh(&generate::disc(*radius, *height, *rim, SIDES, 6), pose));
        }
        Shape::Torus { radius, tube } => {
            return out.push(Solid::mesh(&generate::torus(*radius, *tube, SIDES, SIDES / 2), pose));
        }
        Shape::HalfSpace { .. } => return,
    };
    out.push(Solid::new(kind, size, pose));
}

impl Solid {
    fn new(kind: &'static str, size: [f64; 3], pose: Pose) -> Self {
        let (position, rotation) = (pose.position.to_array(), pose.rotation.to_array());
        Self {
            kind,
            size,
            position,
            rotation,
            color: None,
            vertices: Vec::new(),
            triangles: Vec::new(),
        }
    }

    fn mesh(mesh: &TriMesh, pose: Pose) -> Self {
        if mesh.triangles().len() > MAX_TRIANGLES {
            let (low, high) = (mesh.vertices().iter())
                .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
            let place = Pose::new(pose.point((low + high) / 2.0), pose.rotation);
            return Self::new("box", (high - low).to_array(), place);
        }
        let mut out = Self::new("mesh", [0.0; 3], pose);
        out.vertices = mesh.vertices().iter().map(|v| v.as_vec3().to_array()).collect();
        out.triangles = mesh.triangles().to_vec();
        out
    }
}
