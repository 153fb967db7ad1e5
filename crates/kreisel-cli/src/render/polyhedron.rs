//! Shapes as convex polyhedra and balls.

use kreisel_dynamics::Vec3;
use kreisel_geometry::mesh::generate;
use kreisel_geometry::{Pose, Shape, TriMesh};
use std::f64::consts::{PI, TAU};

/// Sides of round shapes.
const SIDES: usize = 16;

/// A solid that can be painted.
pub enum Solid {
    /// Corners and faces; faces are convex and run counter-clockwise seen from outside.
    Faces(Vec<Vec3>, Vec<Vec<usize>>),
    /// A ball; radius 0 is a mass point.
    Ball(Vec3, f64),
}

impl Solid {
    /// Points that enclose it.
    pub fn extent(&self) -> Vec<Vec3> {
        match self {
            Self::Faces(points, _) => points.clone(),
            Self::Ball(center, r) => {
                let e = Vec3::splat(*r);
                vec![*center - e, *center + e]
            }
        }
    }
}

/// The solids of a shape; none is a mass point.
pub fn solids(shape: Option<&Shape>) -> Vec<Solid> {
    let mut out = Vec::new();
    match shape {
        Some(shape) => collect(shape, &Pose::IDENTITY, &mut out),
        None => out.push(Solid::Ball(Vec3::ZERO, 0.0)),
    }
    out
}

fn collect(shape: &Shape, pose: &Pose, out: &mut Vec<Solid>) {
    let (points, faces) = match shape {
        Shape::Sphere { radius } => {
            out.push(Solid::Ball(pose.position, *radius));
            return;
        }
        Shape::Box { size } => cuboid(*size),
        Shape::Cylinder { radius, height } => {
            lathe(&[(*radius, -height / 2.0), (*radius, height / 2.0)])
        }
        Shape::Cone { radius, height } => lathe(&[(*radius, -height / 2.0), (0.0, height / 2.0)]),
        Shape::Capsule { radius, height } => {
            let side = |(r, z): (f64, f64)| (r * radius, z * radius + z.signum() * height / 2.0);
            lathe(&arc(7).into_iter().map(side).collect::<Vec<_>>())
        }
        Shape::Ellipsoid { radii } => {
            let (points, faces) = lathe(&arc(8));
            (points.into_iter().map(|p| p * *radii).collect(), faces)
        }
        Shape::Disc { radius, height, rim } => {
            triangles(&generate::disc(*radius, *height, *rim, SIDES as u32, 4))
        }
        Shape::Torus { radius, tube } => {
            triangles(&generate::torus(*radius, *tube, SIDES as u32, 12))
        }
        Shape::Compound(parts) => {
            for part in parts {
                collect(&part.shape, &pose.then(&part.pose), out);
            }
            return;
        }
        Shape::Hull(hull) => triangles(&hull.to_mesh()),
        Shape::Mesh(mesh) => triangles(mesh),
        Shape::HeightField(field) => triangles(field.surface()),
        Shape::HalfSpace { .. } => return,
    };
    out.push(Solid::Faces(points.into_iter().map(|p| pose.point(p)).collect(), faces));
}

/// Most triangles of a mesh that are painted one by one; of a larger one the box is shown.
const MAX_TRIANGLES: usize = 50_000;

fn triangles(mesh: &TriMesh) -> (Vec<Vec3>, Vec<Vec<usize>>) {
    if mesh.triangles().len() > MAX_TRIANGLES {
        let volume = mesh.tree().root();
        let (points, faces) = cuboid(volume.half * 2.0);
        return (points.into_iter().map(|p| volume.center + volume.axes * p).collect(), faces);
    }
    let faces = mesh.triangles().iter().map(|t| t.map(|v| v as usize).to_vec()).collect();
    (mesh.vertices().to_vec(), faces)
}

fn cuboid(size: Vec3) -> (Vec<Vec3>, Vec<Vec<usize>>) {
    let corner = |k: usize| {
        let (x, y) = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)][k % 4];
        Vec3::new(x, y, if k < 4 { -0.5 } else { 0.5 }) * size
    };
    let faces =
        [[3, 2, 1, 0], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    ((0..8).map(corner).collect(), faces.map(Vec::from).to_vec())
}

/// A half circle of radius 1 from pole to pole, as (radius, height), without a point on the
/// equator.
fn arc(parts: usize) -> Vec<(f64, f64)> {
    let at = |k: usize| {
        let t = PI * (k as f64 / parts as f64 - 0.5);
        (if k == 0 || k == parts { 0.0 } else { t.cos() }, t.sin())
    };
    (0..=parts).map(at).collect()
}

/// A solid of revolution about z from its profile (radius, height), bottom to top; radius 0 is a
/// pole.
fn lathe(profile: &[(f64, f64)]) -> (Vec<Vec3>, Vec<Vec<usize>>) {
    let (mut points, mut rings, mut faces) = (Vec::new(), Vec::<Vec<usize>>::new(), Vec::new());
    for &(r, z) in profile {
        let count = if r == 0.0 { 1 } else { SIDES };
        rings.push((points.len()..points.len() + count).collect());
        points.extend((0..count).map(|k| {
            let (s, c) = (TAU * k as f64 / SIDES as f64).sin_cos();
            Vec3::new(r * c, r * s, z)
        }));
    }
    for pair in rings.windows(2) {
        let at = |ring: &[usize], k: usize| ring[k % ring.len()];
        for k in 0..SIDES {
            let mut face =
                vec![at(&pair[0], k), at(&pair[0], k + 1), at(&pair[1], k + 1), at(&pair[1], k)];
            face.dedup();
            if face.first() == face.last() {
                face.pop();
            }
            faces.push(face);
        }
    }
    for (ring, flip) in [(rings.first(), true), (rings.last(), false)] {
        if let Some(ring) = ring.filter(|r| r.len() > 1) {
            faces.push(if flip { ring.iter().rev().copied().collect() } else { ring.clone() });
        }
    }
    (points, faces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_of_every_solid_looks_outwards() {
        let shapes = [
            Shape::Box { size: Vec3::new(1.0, 2.0, 3.0) },
            Shape::Cylinder { radius: 1.0, height: 2.0 },
            Shape::Cone { radius: 1.0, height: 2.0 },
            Shape::Capsule { radius: 0.5, height: 2.0 },
            Shape::Ellipsoid { radii: Vec3::new(1.0, 2.0, 0.5) },
            Shape::Disc { radius: 1.0, height: 0.4, rim: 0.1 },
            Shape::Disc { radius: 1.0, height: 0.4, rim: 0.2 },
        ];
        for shape in shapes {
            for solid in solids(Some(&shape)) {
                let Solid::Faces(points, faces) = solid else {
                    panic!("{shape:?} is no polyhedron")
                };
                for f in faces {
                    let normal = (points[f[1]] - points[f[0]]).cross(points[f[2]] - points[f[1]]);
                    assert!(normal.dot(points[f[0]]) > 0.0, "{shape:?}: {f:?}");
                }
            }
        }
    }
}
