//! Contact regions of pairs as they occur in piles:
//! `cargo run --release -p kreisel-geometry --example bench_contact`.
//!
//! Nanoseconds of processor time for each call, the mean over 1000 pairs, beside parry's contact
//! manifolds. "again" repeats the call with what the first one remembered. Words on the command
//! line choose the pairs whose name contains one of them.

use glam::{DQuat, DVec2, DVec3};
use kreisel_geometry::contact::{Backend, Contact, ContactCache, contacts, contacts_into};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::{HeightField, Part, Pose, Shape, TriMesh};
use parry3d_f64::math::{Pose as ParryPose, Rotation};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape::{
    Ball, Capsule, Cuboid, Cylinder, HalfSpace, Shape as ParryShape, TriMesh as ParryMesh,
};
use std::hint::black_box;
use std::sync::Arc;

#[path = "../tests/common/mod.rs"]
mod common;
use common::{Random, cpu_seconds_of};

const PAIRS: usize = 1000;
/// Pairs of meshes, which take milliseconds.
const MESHES: usize = 20;

fn main() {
    println!(
        "{:28} {:>8} {:>10} {:>10} {:>10} {:>10} {:>8}",
        "pair", "points", "general ns", "first ns", "again ns", "parry ns", "ratio"
    );
    let cube = Shape::Box { size: DVec3::ONE };
    let ball = Shape::Sphere { radius: 0.5 };
    let capsule = Shape::Capsule { radius: 0.25, height: 0.5 };
    let cylinder = Shape::Cylinder { radius: 0.5, height: 1.0 };
    let ground = Shape::HalfSpace { normal: DVec3::Z, offset: 0.5 };
    row("boxes, stacked", &cube, &cube, stacked);
    row("boxes, edge on edge", &cube, &cube, crossed);
    row("boxes, 0.05 apart", &cube, &cube, near);
    row("box on plane", &cube, &ground, stacked);
    row("ball on box", &ball, &cube, stacked);
    row("ball on ball", &ball, &ball, stacked);
    row("capsule on box", &capsule, &cube, lying);
    row("capsule on capsule", &capsule, &capsule, lying);
    row("cylinder on box", &cylinder, &cube, stacked);
    row("cylinder on plane", &cylinder, &ground, stacked);
    for (name, spacing, rough) in
        [("1 m", 1.0, 0.0), ("0.2 m", 0.2, 0.0), ("0.05 m", 0.05, 0.0), ("0.2 m, rough", 0.2, 1e-5)]
    {
        let field = field(spacing, rough);
        row(&format!("box on field, {name}"), &cube, &field, stacked);
        row(&format!("cylinder on field, {name}"), &cylinder, &field, stacked);
        row(&format!("ball on field, {name}"), &ball, &field, stacked);
    }
    let mesh = Shape::Mesh(Arc::new(generate::torus(0.4, 0.2, 100, 50)));
    row("meshes of 10,000, crossing", &mesh, &mesh, crossing);
    row("meshes of 10,000, in one place", &mesh, &mesh, |random| Pose::at(random.vector() * 1e-3));
}

/// A terrain about the origin, 6 m wide, at the height of the plane.
fn field(spacing: f64, rough: f64) -> Shape {
    let side = (6.0 / spacing) as usize + 1;
    let heights = (0..side * side).map(|k| 0.5 + rough * ((k * 7919) % 13) as f64).collect();
    let field =
        HeightField::new(side, side, DVec2::splat(spacing), heights).expect("finite heights");
    let pose = Pose::at(DVec3::new(-3.0, -3.0, 0.0));
    Shape::Compound(vec![Part { pose, shape: Shape::HeightField(Arc::new(field)) }])
}

/// Two tori one through the other.
fn crossing(random: &mut Random) -> Pose {
    Pose::new(DVec3::X * 0.4 + random.vector() * 0.05, random.rotation())
}

/// Turned about the vertical, a little above or below contact.
fn stacked(random: &mut Random) -> Pose {
    let (offset, angle) = (random.vector() * DVec3::new(0.4, 0.4, 1e-4), random.uniform(-0.7, 0.7));
    Pose::new(DVec3::Z + offset, DQuat::from_xyzw(0.0, 0.0, angle, 1.0).normalize())
}

fn lying(random: &mut Random) -> Pose {
    let (offset, angle) = (random.vector() * DVec3::new(0.1, 0.1, 1e-4), random.uniform(-0.7, 0.7));
    let side = DQuat::from_xyzw(0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt());
    Pose::new(DVec3::Z * 0.75 + offset, DQuat::from_xyzw(0.0, 0.0, angle, 1.0).normalize() * side)
}

/// An edge of the upper box across the upper face's edge.
fn crossed(random: &mut Random) -> Pose {
    let tilt = DQuat::from_xyzw(0.0, 0.38, 0.0, 0.92).normalize();
    let turn = DQuat::from_xyzw(0.35, 0.0, random.uniform(0.3, 0.6), 1.0).normalize();
    Pose::new(DVec3::new(0.75, 0.3, 0.95) + random.vector() * 0.05, turn * tilt)
}

fn near(random: &mut Random) -> Pose {
    let mut pose = stacked(random);
    pose.position.z += 0.05;
    pose
}

fn row(name: &str, a: &Shape, b: &Shape, pose: fn(&mut Random) -> Pose) {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if !wanted.is_empty() && !wanted.iter().any(|w| name.contains(w.as_str())) {
        return;
    }
    let mut random = Random(5);
    let pairs = if matches!(a, Shape::Mesh(_)) { MESHES } else { PAIRS };
    let poses: Vec<Pose> = (0..pairs).map(|_| pose(&mut random)).collect();
    let tolerance = 1e-3;
    let origin = Pose::IDENTITY;
    let mut found: Vec<Contact> = Vec::with_capacity(64);
    let mut caches = vec![ContactCache::default(); pairs];
    let mut call = |pose: &Pose, cache: &mut ContactCache| {
        found.clear();
        contacts_into(a, black_box(pose), b, &origin, tolerance, cache, &mut found);
        black_box(found.len())
    };
    let points: usize = poses.iter().zip(&mut caches).map(|(p, c)| call(p, c)).sum();
    let first =
        nanos(pairs, || poses.iter().map(|p| call(p, &mut ContactCache::default()) as f64).sum());
    let again =
        nanos(pairs, || poses.iter().zip(&mut caches).map(|(p, c)| call(p, c) as f64).sum());
    let general = nanos(pairs, || {
        poses
            .iter()
            .map(|p| {
                contacts(a, black_box(p), b, &origin, tolerance, Backend::Elements).len() as f64
            })
            .sum()
    });
    let (pa, pb) = (to_parry(a), to_parry(b));
    let at: Vec<ParryPose> = poses.iter().map(parry_pose).collect();
    let ground = parry_pose(&if matches!(b, Shape::HalfSpace { .. }) {
        Pose::at(DVec3::Z * 0.5)
    } else {
        origin
    });
    let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
    let parry = nanos(pairs, || {
        at.iter()
            .map(|p| {
                manifolds.clear();
                let relative = black_box(p).inv_mul(&ground);
                let _ = DefaultQueryDispatcher.contact_manifolds(
                    &relative,
                    &*pa,
                    &*pb,
                    tolerance,
                    &mut manifolds,
                    &mut None,
                );
                manifolds.iter().map(|m| m.points.len() as f64).sum::<f64>()
            })
            .sum()
    });
    println!(
        "{name:28} {:8.1} {general:10.0} {first:10.0} {again:10.0} {parry:10.0} {:8.1}",
        points as f64 / pairs as f64,
        parry / first
    );
}

fn nanos(pairs: usize, f: impl FnMut() -> f64) -> f64 {
    cpu_seconds_of(f) * 1e9 / pairs as f64
}

fn to_parry(shape: &Shape) -> Box<dyn ParryShape> {
    match shape {
        Shape::Sphere { radius } => Box::new(Ball::new(*radius)),
        Shape::Capsule { radius, height } => Box::new(Capsule::new_z(height / 2.0, *radius)),
        Shape::Cylinder { radius, height } => Box::new(Cylinder::new(height / 2.0, *radius)),
        Shape::Compound(parts) => match &parts[0].shape {
            Shape::HeightField(field) => parry_mesh(&field.to_mesh().moved(&parts[0].pose)),
            other => to_parry(other),
        },
        Shape::Mesh(mesh) => parry_mesh(mesh),
        Shape::HalfSpace { .. } => {
            Box::new(HalfSpace::new(parry3d_f64::math::Vector::new(0.0, 0.0, 1.0)))
        }
        _ => Box::new(Cuboid::new(parry3d_f64::math::Vector::splat(0.5))),
    }
}

fn parry_mesh(mesh: &TriMesh) -> Box<dyn ParryShape> {
    let vertices = mesh.vertices().iter().map(|v| v.to_array().into()).collect();
    Box::new(ParryMesh::new(vertices, mesh.triangles().to_vec()).expect("it has triangles"))
}

fn parry_pose(p: &Pose) -> ParryPose {
    ParryPose::from_parts(p.position.to_array().into(), Rotation::from_array(p.rotation.to_array()))
}
