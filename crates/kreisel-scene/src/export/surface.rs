//! Shapes as triangles with normals, fine enough to look round.

use kreisel_dynamics::Vec3;
use kreisel_geometry::{Pose, Shape, TriMesh};
use std::f64::consts::{PI, TAU};

/// Sides of round shapes, and rings from pole to pole.
const SIDES: usize = 32;
const RINGS: usize = 16;

/// Half the side of the square that stands for an endless plane, m.
const PLANE: f64 = 20.0;

/// Triangles with a normal at each corner.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Corners, m.
    pub points: Vec<Vec3>,
    /// Outward unit normals at the corners.
    pub normals: Vec<Vec3>,
    /// Three corners a triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// The surface of a shape in its own frame.
    pub fn of(shape: &Shape) -> Self {
        let mut out = Self::default();
        out.add(shape, &Pose::IDENTITY);
        out
    }

    /// A small ball that stands for a mass point.
    pub fn point(radius: f64) -> Self {
        Self::of(&Shape::Sphere { radius })
    }

    /// The triangles as a mesh: corners that belong together are one again.
    pub fn mesh(&self) -> Option<TriMesh> {
        let corners = self.points.clone();
        Some(TriMesh::new(corners, self.triangles.clone()).ok()?.welded())
    }

    /// Distance of the farthest corner from the origin.
    pub fn radius(&self) -> f64 {
        self.points.iter().map(|p| p.length()).fold(0.0, f64::max)
    }

    fn add(&mut self, shape: &Shape, pose: &Pose) {
        match shape {
            Shape::Sphere { radius } => self.ellipsoid(Vec3::splat(*radius), pose),
            Shape::Ellipsoid { radii } => self.ellipsoid(*radii, pose),
            Shape::Box { size } => self.cuboid(*size, pose),
            Shape::Cylinder { radius, height } => {
                let h = height / 2.0;
                self.lathe(&[(*radius, -h, 1.0, 0.0), (*radius, h, 1.0, 0.0)], pose);
                self.disc(*radius, -h, -1.0, pose);
                self.disc(*radius, h, 1.0, pose);
            }
            Shape::Cone { radius, height } => {
                let (h, slope) = (height / 2.0, radius.hypot(*height));
                let (nr, nz) = (height / slope, radius / slope);
                self.lathe(&[(*radius, -h, nr, nz), (0.0, h, nr, nz)], pose);
                self.disc(*radius, -h, -1.0, pose);
            }
            Shape::Capsule { radius, height } => {
                let ring = |k: usize| {
                    let t = PI * (k as f64 / RINGS as f64 - 0.5);
                    let shift = if k <= RINGS / 2 { -height / 2.0 } else { height / 2.0 };
                    (radius * t.cos(), radius * t.sin() + shift, t.cos(), t.sin())
                };
                let mut profile: Vec<_> = (0..=RINGS).map(ring).collect();
                profile.insert(RINGS / 2 + 1, (*radius, height / 2.0, 1.0, 0.0));
                self.lathe(&profile, pose);
            }
            Shape::Disc { radius, height, rim } => {
                // the two quarters of the rim, and between them the wall
                let quarter = RINGS / 2;
                let ring = |k: usize, side: f64| {
                    let t = 0.5 * PI * (k as f64 / quarter as f64);
                    let (r, z) = (radius - rim + rim * t.cos(), 0.5 * height - rim + rim * t.sin());
                    (r, side * z, t.cos(), side * t.sin())
                };
                let lower = (0..=quarter).rev().map(|k| ring(k, -1.0));
                let upper = (0..=quarter).map(|k| ring(k, 1.0));
                // a disc that is all rim has no wall, and one as wide as its rim no flat sides
                let wall = if *rim < 0.5 * height { 0 } else { 1 };
                self.lathe(&lower.chain(upper.skip(wall)).collect::<Vec<_>>(), pose);
                if rim < radius {
                    self.disc(radius - rim, -0.5 * height, -1.0, pose);
                    self.disc(radius - rim, 0.5 * height, 1.0, pose);
                }
            }
            Shape::Torus { radius, tube } => {
                let ring = |k: usize| {
                    let t = PI * (2.0 * k as f64 / (2 * RINGS) as f64 - 1.0);
                    (radius + tube * t.cos(), tube * t.sin(), t.cos(), t.sin())
                };
                self.lathe(&(0..=2 * RINGS).map(ring).collect::<Vec<_>>(), pose);
            }
            Shape::HalfSpace { normal, offset } => {
                let side = normal.any_orthonormal_vector() * PLANE;
                let other = normal.cross(side);
                let corners = [-side - other, side - other, side + other, other - side];
                self.face(&corners.map(|c| *normal * *offset + c), *normal, pose);
            }
            Shape::Hull(hull) => self.facets(&hull.to_mesh(), pose),
            Shape::Mesh(mesh) => self.facets(mesh, pose),
            Shape::HeightField(field) => self.facets(field.surface(), pose),
            Shape::Compound(parts) => {
                for part in parts {
                    self.add(&part.shape, &pose.then(&part.pose));
                }
            }
        }
    }

    fn corner(&mut self, point: Vec3, normal: Vec3, pose: &Pose) -> u32 {
        self.points.push(pose.point(point));
        self.normals.push((pose.rotation * normal).normalize_or(Vec3::Z));
        (self.points.len() - 1) as u32
    }

    /// A flat convex face.
    fn face(&mut self, corners: &[Vec3], normal: Vec3, pose: &Pose) {
        let ids: Vec<u32> = corners.iter().map(|c| self.corner(*c, normal, pose)).collect();
        self.triangles.extend((2..ids.len()).map(|k| [ids[0], ids[k - 1], ids[k]]));
    }

    fn cuboid(&mut self, size: Vec3, pose: &Pose) {
        let h = size / 2.0;
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for sign in [-1.0, 1.0] {
                let n = axis * sign;
                let u = Vec3::new(axis.z, axis.x, axis.y);
                let v = n.cross(u);
                let corners = [n - u - v, n + u - v, n + u + v, n - u + v];
                self.face(&corners.map(|c| c * h), n, pose);
            }
        }
    }

    fn disc(&mut self, radius: f64, z: f64, sign: f64, pose: &Pose) {
        let at = |k: usize| {
            let (s, c) = (sign * TAU * k as f64 / SIDES as f64).sin_cos();
            Vec3::new(radius * c, radius * s, z)
        };
        self.face(&(0..SIDES).map(at).collect::<Vec<_>>(), Vec3::Z * sign, pose);
    }

    fn ellipsoid(&mut self, radii: Vec3, pose: &Pose) {
        let ring = |k: usize| {
            let t = PI * (k as f64 / RINGS as f64 - 0.5);
            (t.cos(), t.sin(), t.cos(), t.sin())
        };
        let start = self.points.len();
        self.lathe(&(0..=RINGS).map(ring).collect::<Vec<_>>(), &Pose::IDENTITY);
        for k in start..self.points.len() {
            self.points[k] = pose.point(self.points[k] * radii);
            self.normals[k] = (pose.rotation * (self.normals[k] / radii)).normalize_or(Vec3::Z);
        }
    }

    /// A surface of revolution about z: radius, height and normal (radial, along z) of its profile,
    /// bottom to top.
    fn lathe(&mut self, profile: &[(f64, f64, f64, f64)], pose: &Pose) {
        let mut rings: Vec<Vec<u32>> = Vec::new();
        for &(r, z, nr, nz) in profile {
            let at = |k: usize| {
                let (s, c) = (TAU * k as f64 / SIDES as f64).sin_cos();
                (Vec3::new(r * c, r * s, z), Vec3::new(nr * c, nr * s, nz))
            };
            rings.push(
                (0..SIDES)
                    .map(|k| (at(k).0, at(k).1))
                    .map(|(p, n)| self.corner(p, n, pose))
                    .collect(),
            );
        }
        for pair in rings.windows(2) {
            for k in 0..SIDES {
                let next = (k + 1) % SIDES;
                let (a, b, c, d) = (pair[0][k], pair[0][next], pair[1][next], pair[1][k]);
                for triangle in [[a, b, c], [a, c, d]] {
                    let [p, q, r] = triangle.map(|i| self.points[i as usize]);
                    // Triangles at a pole have no area.
                    if (q - p).cross(r - p).length_squared() > 0.0 {
                        self.triangles.push(triangle);
                    }
                }
            }
        }
    }

    /// Flat triangles.
    fn facets(&mut self, mesh: &TriMesh, pose: &Pose) {
        for corners in mesh.iter() {
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            if let Some(normal) = normal.try_normalize() {
                self.face(&corners, normal, pose);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The volume that closed triangles enclose (divergence theorem).
    fn volume(s: &Surface) -> f64 {
        let corner = |i: u32| s.points[i as usize];
        s.triangles.iter().map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0).sum()
    }

    #[test]
    fn surfaces_are_closed_face_outward_and_enclose_the_volume_of_their_shape() {
        let shapes = [
            Shape::Sphere { radius: 0.7 },
            Shape::Box { size: Vec3::new(1.0, 2.0, 3.0) },
            Shape::Cylinder { radius: 0.5, height: 2.0 },
            Shape::Cone { radius: 0.5, height: 2.0 },
            Shape::Capsule { radius: 0.5, height: 2.0 },
            Shape::Ellipsoid { radii: Vec3::new(0.3, 0.5, 0.9) },
            Shape::Disc { radius: 0.5, height: 0.4, rim: 0.1 },
            Shape::Disc { radius: 0.5, height: 0.4, rim: 0.2 },
            Shape::Torus { radius: 0.5, tube: 0.2 },
        ];
        for shape in shapes {
            let surface = Surface::of(&shape);
            let exact = shape.volume().unwrap();
            // A polyhedron of 32 sides and 16 rings inside a round shape lacks up to 2.5 % (1 -
            // sinc(2π/32) sinc(π/16)²…).
            let ratio = volume(&surface) / exact;
            assert!((0.96..=1.0 + 1e-12).contains(&ratio), "{shape:?}: {ratio}");
            for t in &surface.triangles {
                let [a, b, c] = t.map(|i| surface.points[i as usize]);
                let outward = (b - a).cross(c - a);
                assert!(
                    t.iter().all(|i| surface.normals[*i as usize].dot(outward) > 0.0),
                    "{shape:?}"
                );
            }
        }
    }
}
