//! Long checks against oracles:
//! `cargo run --release -p kreisel-geometry --example verify [-- SCALE]`.
//!
//! A million triangle pairs, a hundred thousand pairs of small meshes and as many fast motions
//! (SCALE divides the numbers). Prints how many answers differ from the oracle, and by how much at
//! most; ends with an error if one does.

use glam::DVec3;
use kreisel_geometry::elementary::{Closest, Polygon, face_face, triangle_triangle};
use kreisel_geometry::impact::{Ballistic, ImpactQuery, Motion, Outcome, time_of_impact};
use kreisel_geometry::query::{MeshQuery, distance, mesh_distance};
use kreisel_geometry::tree::MeshTree;
use kreisel_geometry::{Pose, Shape, TriMesh, mesh::generate};
use std::process::ExitCode;
use std::sync::Arc;

#[path = "../tests/common/mod.rs"]
mod common;
use common::Random;

fn main() -> ExitCode {
    let scale: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1).max(1);
    let results = [triangles(1_000_000 / scale), meshes(100_000 / scale), impacts(100_000 / scale)];
    if results.iter().sum::<u64>() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn report(name: &str, cases: u64, wrong: u64, worst: f64) -> u64 {
    println!("{name:40} {cases:9} cases, {wrong} wrong, worst relative difference {worst:.1e}");
    wrong
}

/// The fast path against the general face–face distance.
fn triangles(n: u64) -> u64 {
    let mut random = Random(1);
    let (mut wrong, mut worst) = (0, 0.0_f64);
    for i in 0..n {
        let shift = random.vector() * [0.2, 1.0, 3.0][(i % 3) as usize];
        let mut t = [0; 3].map(|_| random.vector());
        let mut u = [0; 3].map(|_| random.vector() + shift);
        match i % 8 {
            0 => u[2] = u[0].lerp(u[1], 0.4) + random.vector() * 1e-3,
            1 => t.iter_mut().chain(&mut u).for_each(|p| p.z *= 1e-6),
            2 => u = t.map(|p| p + shift),
            _ => {}
        }
        let (Ok(f), Ok(g)) = (Polygon::new(t.to_vec()), Polygon::new(u.to_vec())) else { continue };
        let (fast, general) = (triangle_triangle(t, u).distance(), face_face(&f, &g).distance());
        let difference = (fast - general).abs() / (1.0 + general);
        worst = worst.max(difference);
        wrong += u64::from(difference > 1e-12);
    }
    report("triangle pairs against face-face", n, wrong, worst)
}

fn soup(random: &mut Random) -> TriMesh {
    let n = 1 + random.below(10) as u32;
    let mut vertices = Vec::new();
    for _ in 0..n {
        let (p, size) = (random.vector(), random.uniform(0.05, 0.7));
        vertices.extend([p, p + random.vector() * size, p + random.vector() * size]);
    }
    TriMesh::new(vertices, (0..n).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).expect("finite")
}

/// The trees against all triangle pairs.
fn meshes(n: u64) -> u64 {
    let mut random = Random(2);
    let (mut wrong, mut worst) = (0, 0.0_f64);
    for _ in 0..n {
        let (a, b) = (soup(&mut random), soup(&mut random));
        let reach = random.uniform(0.2, 3.0);
        let (p, q) = (random.pose(reach), random.pose(reach));
        let found =
            mesh_distance(&MeshTree::new(&a), &p, &MeshTree::new(&b), &q, &MeshQuery::default());
        let mut best = Closest::FAR;
        for t in a.moved(&p).iter() {
            for u in b.moved(&q).iter() {
                best = best.min(triangle_triangle(t, u));
            }
        }
        let expected = best.distance();
        let difference = (found.expect("no limit").distance - expected).abs() / (1.0 + expected);
        worst = worst.max(difference);
        wrong += u64::from(difference > 1e-12);
    }
    report("mesh pairs against all triangle pairs", n, wrong, worst)
}

/// Fast, tumbling bodies against plates of a tenth of a millimetre. The centre of the first body
/// passes the plate at a known time: a later answer, or none, is a miss. Before the answer nothing
/// may overlap.
fn impacts(n: u64) -> u64 {
    let mut random = Random(3);
    let bodies = [
        Shape::Sphere { radius: 0.02 },
        Shape::Box { size: DVec3::new(0.1, 0.05, 0.02) },
        Shape::Cylinder { radius: 0.02, height: 0.1 },
        Shape::Mesh(Arc::new(generate::cone(0.03, 0.1, 8))),
        Shape::Mesh(Arc::new(generate::icosphere(0.04, 1))),
    ];
    let size = DVec3::new(2.0, 2.0, 1e-4);
    let plates = [Shape::Box { size }, Shape::Mesh(Arc::new(generate::cuboid(size)))];
    let (mut wrong, mut latest) = (0, 0.0_f64);
    for i in 0..n {
        let body = &bodies[(i % 5) as usize];
        let plate = &plates[(i / 5 % 2) as usize];
        let target = random.vector() * DVec3::new(0.8, 0.8, 0.0);
        let passes = random.uniform(0.1, 0.9);
        let start = target
            + random.direction() * DVec3::new(5.0, 5.0, 1.0)
            + DVec3::Z * random.uniform(2.0, 50.0);
        let moving = Ballistic {
            velocity: (target - start) / passes,
            spin: random.vector() * 50.0,
            ..Ballistic::at_rest(Pose::new(start, random.rotation()))
        };
        let rest = Ballistic::at_rest(Pose::IDENTITY);
        let outcome = time_of_impact(body, &moving, plate, &rest, &ImpactQuery::new(1.0, 1e-6));
        let Ok(Outcome::Hit(hit)) = outcome else {
            wrong += 1;
            continue;
        };
        latest = latest.max(hit.time - passes);
        let t = hit.time * random.uniform(0.9, 0.999_999);
        let before =
            distance(body, &moving.pose(t), plate, &rest.pose(t)).expect("bounded shapes").distance;
        wrong += u64::from(hit.time > passes || before <= 0.0);
    }
    report("fast motions against thin plates", n, wrong, latest.max(0.0))
}
