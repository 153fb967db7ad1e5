//! Distance of meshes, side by side with parry: `cargo run --release -p kreisel-geometry --example bench_distance`.
//!
//! Icospheres, ellipsoids and linked tori, 200 poses each; microseconds for each query, processor time, mean
//! over the poses. Then the box and triangle pairs of our query, and the time of queries that follow a motion of 0.1
//! and 1 mm. With `--no-parry` only ours is run.

use glam::{DQuat, DVec3};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::query::{MeshFront, MeshQuery, mesh_distance, mesh_distance_coherent};
use kreisel_geometry::tree::MeshTree;
use kreisel_geometry::{Pose, TriMesh};
use parry3d_f64::query::distance;
use parry3d_f64::shape::TriMesh as ParryMesh;
use std::hint::black_box;

#[path = "../tests/common/mod.rs"]
mod common;
use common::{Random, cpu_seconds, cpu_seconds_of};

fn main() {
    let with_parry = !std::env::args().any(|a| a == "--no-parry");
    println!(
        "{:12} {:>10} {:>10} {:>10} {:>8} {:>10} {:>10} {:>10} {:>10}",
        "mesh", "build ms", "ours us", "parry us", "ratio", "boxes", "triangles", "0.1 mm us", "1 mm us"
    );
    for (triangles, levels) in [(320, 2), (1280, 3), (5120, 4), (20480, 5)] {
        row(&format!("ico{triangles}"), &generate::icosphere(1.0, levels), &sphere_poses(), with_parry);
    }
    for (triangles, levels) in [(320, 2), (5120, 4), (20480, 5)] {
        let mesh = generate::icosphere(1.0, levels).scaled(DVec3::new(1.0, 0.6, 0.2)).expect("finite");
        row(&format!("ell{triangles}"), &mesh, &sphere_poses(), with_parry);
    }
    row("gear", &gear(), &gear_poses(), with_parry);
    row("torus5120", &generate::torus(1.0, 0.3, 64, 40), &torus_poses(), with_parry);
    row("torus20480", &generate::torus(1.0, 0.3, 128, 80), &torus_poses(), with_parry);
}

fn sphere_poses() -> Vec<Pose> {
    let mut random = Random(7);
    (0..200).map(|_| Pose::new(random.direction() * random.uniform(2.1, 3.0), random.rotation())).collect()
}

/// Turned by a right angle about x and put through the hole, a little out of place.
fn torus_poses() -> Vec<Pose> {
    let mut random = Random(7);
    let half = 0.5_f64.sqrt();
    (0..200)
        .map(|_| {
            let tilt = random.vector() * 0.07;
            let rotation = DQuat::from_xyzw(half + tilt.x, tilt.y, tilt.z, half).normalize();
            Pose::new(DVec3::X + random.vector() * 0.1, rotation)
        })
        .collect()
}

/// A concave part: a spur gear of 32 teeth with flat faces of thin triangles.
fn gear() -> TriMesh {
    let mut profile = Vec::new();
    for k in 0..128_u32 {
        // a quarter of the pitch each: root, root, tip, tip
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 128.0).sin_cos();
        let r = if k % 4 < 2 { 0.9 } else { 1.0 };
        profile.push(glam::DVec2::new(r * cos, r * sin));
    }
    kreisel_geometry::mesh::sweep::extrude(&profile, 0.3).expect("a simple polygon")
}

/// Beside its twin, the teeth in the other's gaps without touching.
fn gear_poses() -> Vec<Pose> {
    let mut random = Random(7);
    let twin = MeshTree::new(&gear());
    let mut poses = Vec::new();
    while poses.len() < 200 {
        let angle = std::f64::consts::TAU / 64.0 * (1.0 + 0.3 * random.uniform(-1.0, 1.0)) / 2.0;
        let spin = DQuat::from_xyzw(random.uniform(-0.01, 0.01), random.uniform(-0.01, 0.01), angle.sin(), angle.cos());
        let pose = Pose::new(DVec3::new(random.uniform(1.93, 1.98), 0.0, random.uniform(-0.1, 0.1)), spin.normalize());
        let d = mesh_distance(&twin, &pose, &twin, &Pose::IDENTITY, &MeshQuery::default()).expect("no limit");
        if d.distance > 0.0 {
            poses.push(pose);
        }
    }
    poses
}

fn row(name: &str, mesh: &TriMesh, poses: &[Pose], with_parry: bool) {
    let start = cpu_seconds();
    let tree = MeshTree::new(mesh);
    let build = cpu_seconds() - start;
    let ask =
        |pose: &Pose| mesh_distance(&tree, pose, &tree, &Pose::IDENTITY, &MeshQuery::default()).expect("no limit");
    let ours = cpu_seconds_of(|| poses.iter().map(|p| ask(black_box(p)).distance).sum());
    let (mut boxes, mut triangles) = (0, 0);
    for pose in poses {
        let work = ask(pose).work;
        boxes += work.box_pairs;
        triangles += work.triangle_pairs;
    }
    let n = poses.len() as f64;
    let theirs = with_parry.then(|| {
        let vertices = mesh.vertices().iter().map(|v| v.to_array().into()).collect();
        let parry = ParryMesh::new(vertices, mesh.triangles().to_vec()).expect("a valid mesh");
        // parry takes up to a second for a pose: five poses give the mean well enough
        let some: Vec<_> = poses.iter().step_by(40).map(|p| (p, to_parry(p))).collect();
        let origin = to_parry(&Pose::IDENTITY);
        let time = cpu_seconds_of(|| {
            some.iter().map(|(_, p)| distance(p, &parry, &origin, &parry).expect("supported").distance).sum()
        });
        let worst = some
            .iter()
            .map(|(ours, p)| {
                (distance(p, &parry, &origin, &parry).expect("supported").distance - ask(ours).distance).abs()
            })
            .fold(0.0, f64::max);
        assert!(worst < 1e-9, "parry and we differ by {worst}");
        time * 1e6 / some.len() as f64
    });
    let us = ours * 1e6 / n;
    let (p, ratio) = theirs.map_or(("-".into(), "-".into()), |t| (format!("{t:.1}"), format!("{:.1}", t / us)));
    println!(
        "{name:12} {:10.1} {us:10.1} {p:>10} {ratio:>8} {:10.0} {:10.0} {:>10.1} {:>10.1}",
        build * 1e3,
        boxes as f64 / n,
        triangles as f64 / n,
        coherent(&tree, poses, 1e-4),
        coherent(&tree, poses, 1e-3),
    );
}

/// Microseconds of a query after a motion of about `step` m, with the front of the query before.
fn coherent(tree: &MeshTree, poses: &[Pose], step: f64) -> f64 {
    let mut random = Random(9);
    let mut pairs: Vec<(Pose, MeshFront)> = poses.iter().step_by(2).map(|p| (*p, MeshFront::default())).collect();
    let mut time = 0.0;
    for k in 0..20 {
        let start = cpu_seconds();
        for (pose, front) in &mut pairs {
            black_box(mesh_distance_coherent(tree, pose, tree, &Pose::IDENTITY, front));
        }
        // the first query is cold
        time += if k > 0 { cpu_seconds() - start } else { 0.0 };
        for (pose, _) in &mut pairs {
            let spin = random.vector() * (step / 4.0);
            pose.position += random.vector() * (step / 2.0);
            pose.rotation = (DQuat::from_xyzw(spin.x, spin.y, spin.z, 1.0) * pose.rotation).normalize();
        }
    }
    time * 1e6 / (19 * pairs.len()) as f64
}

fn to_parry(pose: &Pose) -> parry3d_f64::math::Pose {
    let rotation = parry3d_f64::math::Rotation::from_array(pose.rotation.to_array());
    parry3d_f64::math::Pose::from_parts(pose.position.to_array().into(), rotation)
}
