//! Time of impact of rotating meshes: `cargo run --release -p kreisel-geometry --example bench_impact`.
//!
//! One mesh rests, its twin flies at its centre and tumbles; 200 poses, tolerance 1e-6 m. Milliseconds: mean (processor
//! time, best of three passes) and worst (wall time, best of three for each pose). With
//! `--parry` also parry's nonlinear shape cast, on ten poses of the smallest mesh (it takes a tenth of a second each).

use glam::{DQuat, DVec3};
use kreisel_geometry::impact::{Ballistic, ImpactQuery, Outcome, time_of_impact};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::{ConvexHull, Pose, Shape, TriMesh};
use std::sync::Arc;
use std::time::Instant;

#[path = "../tests/common/mod.rs"]
mod common;
use common::{Random, cpu_seconds};

fn main() {
    println!("{:12} {:>6} {:>10} {:>10} {:>10}", "mesh", "hits", "mean ms", "worst ms", "steps");
    for (triangles, levels) in [(320, 2), (1280, 3), (5120, 4), (20480, 5)] {
        let mesh = generate::icosphere(1.0, levels);
        row(&format!("ico{triangles}"), &Shape::Mesh(Arc::new(mesh.clone())), &sphere_motions(1.0));
        row("  spin x10", &Shape::Mesh(Arc::new(mesh.clone())), &sphere_motions(10.0));
        let hull = ConvexHull::new(mesh.vertices()).expect("a sphere");
        row("  hull", &Shape::Hull(Arc::new(hull)), &sphere_motions(1.0));
        if triangles == 320 && std::env::args().any(|a| a == "--parry") {
            parry_row(&mesh, &sphere_motions(1.0));
        }
    }
    for (name, n, m) in [("torus5120", 64, 40), ("torus20480", 128, 80)] {
        let mesh = generate::torus(1.0, 0.3, n, m);
        row(name, &Shape::Mesh(Arc::new(mesh)), &torus_motions());
    }
}

/// From 2.1 to 3 away to the centre in one second.
fn sphere_motions(spin: f64) -> Vec<Ballistic> {
    let mut random = Random(7);
    (0..200)
        .map(|_| {
            let start = Pose::new(random.direction() * random.uniform(2.1, 3.0), random.rotation());
            Ballistic { velocity: -start.position, spin: random.vector() * 1.7 * spin, ..Ballistic::at_rest(start) }
        })
        .collect()
}

/// Linked rings that move towards each other.
fn torus_motions() -> Vec<Ballistic> {
    let mut random = Random(7);
    let half = 0.5_f64.sqrt();
    (0..200)
        .map(|_| {
            let tilt = random.vector() * 0.07;
            let rotation = DQuat::from_xyzw(half + tilt.x, tilt.y, tilt.z, half).normalize();
            let start = Pose::new(DVec3::X + random.vector() * 0.1, rotation);
            Ballistic { velocity: -start.position, spin: random.vector() * 1.7, ..Ballistic::at_rest(start) }
        })
        .collect()
}

fn row(name: &str, shape: &Shape, motions: &[Ballistic]) {
    let rest = Ballistic::at_rest(Pose::IDENTITY);
    let query = ImpactQuery::new(1.0, 1e-6);
    let (mut hits, mut steps, mut mean, mut walls) = (0, 0, f64::INFINITY, vec![f64::INFINITY; motions.len()]);
    for _ in 0..3 {
        (hits, steps) = (0, 0);
        let start = cpu_seconds();
        for (motion, wall) in motions.iter().zip(&mut walls) {
            let begin = Instant::now();
            let outcome = time_of_impact(shape, motion, shape, &rest, &query).expect("a valid query");
            *wall = wall.min(begin.elapsed().as_secs_f64() * 1e3);
            if let Outcome::Hit(hit) = outcome {
                hits += 1;
                steps += hit.steps;
            }
        }
        mean = mean.min((cpu_seconds() - start) * 1e3 / motions.len() as f64);
    }
    let worst = walls.iter().copied().fold(0.0, f64::max);
    println!("{name:12} {hits:6} {mean:10.3} {worst:10.3} {:10}", steps / hits.max(1));
}

fn parry_row(mesh: &TriMesh, motions: &[Ballistic]) {
    use parry3d_f64::math::{Pose as ParryPose, Rotation};
    use parry3d_f64::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
    let vertices = mesh.vertices().iter().map(|v| v.to_array().into()).collect();
    let parry = parry3d_f64::shape::TriMesh::new(vertices, mesh.triangles().to_vec()).expect("a valid mesh");
    let (mut hits, mut times) = (0, Vec::new());
    for motion in motions.iter().step_by(20) {
        let rotation = Rotation::from_array(motion.start.rotation.to_array());
        let pose = ParryPose::from_parts(motion.start.position.to_array().into(), rotation);
        let (v, w) = (motion.velocity.to_array().into(), motion.spin.to_array().into());
        let moving = NonlinearRigidMotion::new(pose, [0.0; 3].into(), v, w);
        let rest = NonlinearRigidMotion::constant_position(ParryPose::IDENTITY);
        let start = cpu_seconds();
        let hit = cast_shapes_nonlinear(&moving, &parry, &rest, &parry, 0.0, 1.0, true).expect("supported");
        times.push((cpu_seconds() - start) * 1e3);
        hits += u32::from(hit.is_some());
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let worst = times.iter().copied().fold(0.0, f64::max);
    println!("{:12} {:>6} {mean:10.3} {worst:10.3} {:>10}", "  parry", format!("{hits}/{}", times.len()), "-");
}
