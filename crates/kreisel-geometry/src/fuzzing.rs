//! Targets for fuzzing: bytes in, no panic, no hang, promises kept.
//!
//! Each target builds its input from arbitrary bytes, as wild as the types allow, and checks what
//! must hold whatever they are. A fuzzer calls them; so does a test with bytes drawn at random.

use crate::dtree::{DTree, Question, Split, bounds};
use crate::elementary::{triangle_triangle, triangles_cross};
use crate::impact::{Ballistic, ImpactQuery, Outcome, time_of_impact};
use crate::mesh::read::{Format, read};
use crate::query::{MeshQuery, distance, mesh_distance};
use crate::tree::MeshTree;
use crate::volume::Ball;
use crate::{Pose, Shape, TriMesh};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// Numbers drawn from bytes; zeros when they are used up.
struct Draw<'a>(&'a [u8]);

impl Draw<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Mostly tame: a grid of small numbers makes touching, flat and equal things likely; sometimes
    /// a number of any size.
    fn number(&mut self) -> f64 {
        let kind = self.byte();
        let fine = f64::from(self.byte()) / 256.0;
        match kind {
            0..200 => f64::from(kind % 9) - 4.0,
            200..240 => f64::from(kind) - 220.0 + fine,
            240..250 => fine * 1e-9,
            250..254 => fine * 1e6,
            _ => {
                let mut bytes = [0; 8];
                bytes.iter_mut().for_each(|b| *b = self.byte());
                let x = f64::from_le_bytes(bytes);
                if x.is_finite() { x.clamp(-1e60, 1e60) } else { 0.0 }
            }
        }
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    fn pose(&mut self) -> Pose {
        let q = DQuat::from_xyzw(self.number(), self.number(), self.number(), self.number());
        let length = q.length();
        let rotation = if length.is_finite() && length > 1e-100 {
            q * (1.0 / length)
        } else {
            DQuat::IDENTITY
        };
        Pose::new(self.vector(), rotation.normalize())
    }

    fn mesh(&mut self) -> Option<TriMesh> {
        let n = 1 + u32::from(self.byte() % 12);
        let vertices: Vec<DVec3> = (0..n + 2).map(|_| self.vector()).collect();
        let triangles = (0..n).map(|_| [0; 3].map(|_| u32::from(self.byte()) % (n + 2))).collect();
        TriMesh::new(vertices, triangles).ok()
    }
}

/// Mesh files of all formats.
pub fn loaders(bytes: &[u8]) {
    let Some((&kind, rest)) = bytes.split_first() else { return };
    let format = [Format::Obj, Format::Stl, Format::Gltf, Format::Collada][usize::from(kind % 4)];
    if let Ok(mesh) = read(rest, format) {
        assert!(mesh.vertices().iter().all(|v| v.is_finite()));
        let _ = mesh.check_closed();
        let _ = mesh.volume();
    }
}

/// Two triangles: symmetric, and zero exactly when they cross.
pub fn triangles(bytes: &[u8]) {
    let mut draw = Draw(bytes);
    let (t, u) = ([0; 3].map(|_| draw.vector()), [0; 3].map(|_| draw.vector()));
    let size = t.iter().chain(&u).map(|p| p.length()).fold(0.0, f64::max);
    let (one, two) = (triangle_triangle(t, u), triangle_triangle(u, t));
    assert!(one.distance() >= 0.0 && one.distance() <= 2.0 * size * (1.0 + 1e-9), "{t:?} {u:?}");
    assert!((one.distance() - two.distance()).abs() <= 1e-6 * size, "{t:?} {u:?}");
    if triangles_cross(t, u).is_some() {
        assert!(one.distance() <= 1e-6 * size, "{t:?} {u:?}");
    }
}

/// Distance of two meshes: no triangle pair is closer.
pub fn meshes(bytes: &[u8]) {
    let mut draw = Draw(bytes);
    let (Some(a), Some(b)) = (draw.mesh(), draw.mesh()) else { return };
    let (p, q) = (draw.pose(), draw.pose());
    let Some(found) = mesh_distance(a.tree(), &p, b.tree(), &q, &MeshQuery::default()) else {
        return;
    };
    let (a_there, b_there) = (a.moved(&p), b.moved(&q));
    let size =
        a_there.vertices().iter().chain(b_there.vertices()).map(|v| v.length()).fold(0.0, f64::max);
    let mut best = f64::INFINITY;
    for t in a_there.iter() {
        for u in b_there.iter() {
            best = best.min(triangle_triangle(t, u).distance());
        }
    }
    assert!((found.distance - best).abs() <= 1e-6 * size, "{} instead of {best}", found.distance);
    let _ = distance(&Shape::Mesh(Arc::new(a)), &p, &Shape::Mesh(Arc::new(b)), &q);
}

/// Trees of any mesh, built both ways, give the same distance.
pub fn hierarchies(bytes: &[u8]) {
    let mut draw = Draw(bytes);
    let Some(mesh) = draw.mesh() else { return };
    let pose = draw.pose();
    let tree = MeshTree::new(&mesh);
    assert_eq!(tree.len(), mesh.triangles().len());
    let [down, up] =
        [DTree::<Ball>::new(&mesh, &Split::default()), DTree::<Ball>::merged(&mesh, 2)];
    let [x, y] =
        [&down, &up].map(|t| bounds(t, &pose, t, &Pose::IDENTITY, &Question::default()).upper);
    let size = tree.reach() + pose.position.length();
    assert!((x - y).abs() <= 1e-6 * size, "{x} {y}");
}

/// Time of impact: in the interval, and apart before it.
pub fn impacts(bytes: &[u8]) {
    let mut draw = Draw(bytes);
    let shape = |draw: &mut Draw| match draw.byte() % 4 {
        0 => Shape::Sphere { radius: draw.number().abs() + 1e-3 },
        1 => Shape::Box { size: draw.vector().abs() + DVec3::splat(1e-3) },
        2 => Shape::Capsule {
            radius: draw.number().abs() + 1e-3,
            height: draw.number().abs() + 1e-3,
        },
        _ => draw.mesh().map_or(Shape::Sphere { radius: 1.0 }, |m| Shape::Mesh(Arc::new(m))),
    };
    let motion = |draw: &mut Draw| Ballistic {
        velocity: draw.vector(),
        spin: draw.vector(),
        acceleration: draw.vector(),
        ..Ballistic::at_rest(draw.pose())
    };
    let (a, b) = (shape(&mut draw), shape(&mut draw));
    if a.check().is_err() || b.check().is_err() {
        return;
    }
    let (p, q) = (motion(&mut draw), motion(&mut draw));
    let query = ImpactQuery { until: 1.0, tolerance: 1e-3, margin: 0.0, max_steps: 2000 };
    match time_of_impact(&a, &p, &b, &q, &query) {
        Ok(Outcome::Hit(hit)) => assert!((0.0..=1.0).contains(&hit.time)),
        Ok(Outcome::FreeUntil(t)) => assert!((0.0..=1.0).contains(&t)),
        Ok(Outcome::Free) | Err(_) => {}
    }
}

/// A name, and what takes the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets by name.
pub const TARGETS: [Target; 5] = [
    ("geometry_loaders", loaders),
    ("geometry_triangles", triangles),
    ("geometry_meshes", meshes),
    ("geometry_hierarchies", hierarchies),
    ("geometry_impacts", impacts),
];
