//! Contact regions of pairs as they occur in piles:
//! `cargo run --release -p kreisel-geometry --example bench_contact`.
//!
//! Nanoseconds of processor time for each call, the mean over 1000 pairs, beside parry's contact
//! manifolds. "again" repeats the call with what the first one remembered. Words on the command
//! line choose the pairs whose name contains one of them.

use glam::{DQuat, DVec3};
use kreisel_geometry::contact::{Backend, Contact, ContactCache, contacts, contacts_into};
use kreisel_geometry::{Pose, Shape};
use parry3d_f64::math::{Pose as ParryPose, Rotation};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape::{Ball, Capsule, Cuboid, Cylinder, HalfSpace, Shape as ParryShape};
use std::hint::black_box;

#[path = "../tests/common/mod.rs"]
mod common;
use common::{Random, cpu_seconds_of};

const PAIRS: usize = 1000;

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
    let poses: Vec<Pose> = (0..PAIRS).map(|_| pose(&mut random)).collect();
    let tolerance = 1e-3;
    let origin = Pose::IDENTITY;
    let mut found: Vec<Contact> = Vec::with_capacity(64);
    let mut caches = vec![ContactCache::default(); PAIRS];
    let mut call = |pose: &Pose, cache: &mut ContactCache| {
        found.clear();
        contacts_into(a, black_box(pose), b, &origin, tolerance, cache, &mut found);
        black_box(found.len())
    };
    let points: usize = poses.iter().zip(&mut caches).map(|(p, c)| call(p, c)).sum();
    let first = nanos(|| poses.iter().map(|p| call(p, &mut ContactCache::default()) as f64).sum());
    let again = nanos(|| poses.iter().zip(&mut caches).map(|(p, c)| call(p, c) as f64).sum());
    let general = nanos(|| {
        poses.iter().map(|p| contacts(a, black_box(p), b, &origin, tolerance, Backend::Elements).len() as f64).sum()
    });
    let (pa, pb) = (to_parry(a), to_parry(b));
    let at: Vec<ParryPose> = poses.iter().map(parry_pose).collect();
    let ground = parry_pose(&if matches!(b, Shape::HalfSpace { .. }) { Pose::at(DVec3::Z * 0.5) } else { origin });
    let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
    let parry = nanos(|| {
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
        points as f64 / PAIRS as f64,
        parry / first
    );
}

fn nanos(f: impl FnMut() -> f64) -> f64 {
    cpu_seconds_of(f) * 1e9 / PAIRS as f64
}

fn to_parry(shape: &Shape) -> Box<dyn ParryShape> {
    match shape {
        Shape::Sphere { radius } => Box::new(Ball::new(*radius)),
        Shape::Capsule { radius, height } => Box::new(Capsule::new_z(height / 2.0, *radius)),
        Shape::Cylinder { radius, height } => Box::new(Cylinder::new(height / 2.0, *radius)),
        Shape::HalfSpace { .. } => Box::new(HalfSpace::new(parry3d_f64::math::Vector::new(0.0, 0.0, 1.0))),
        _ => Box::new(Cuboid::new(parry3d_f64::math::Vector::splat(0.5))),
    }
}

fn parry_pose(p: &Pose) -> ParryPose {
    ParryPose::from_parts(p.position.to_array().into(), Rotation::from_array(p.rotation.to_array()))
}
