//! Time of impact of tumbling bodies beside parry:
//! `cargo run --release -p kreisel-geometry --example bench_impact [-- --parry]`.
//!
//! 200 motions for each mesh, tolerance 1e-6 m. *one moves*: a mesh rests, its twin flies at its
//! centre and turns. *both move*: both fly and turn, and gravity acts on the first only, as on a
//! body that falls onto a moving machine. Milliseconds: mean (processor time, the best of three
//! passes) and worst (wall time, the best of three for each motion). Before each hit the distance
//! is sampled at 20 times; *late* counts hits before which the bodies met already.
//!
//! parry's nonlinear cast knows no gravity; it takes up to half a second for meshes, so it is asked
//! for some motions only.

use glam::{DQuat, DVec3};
use kreisel_geometry::impact::{Ballistic, ImpactQuery, Motion, Outcome, time_of_impact};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::query::distance;
use kreisel_geometry::{ConvexHull, Pose, Shape, TriMesh};
use std::sync::Arc;
use std::time::Instant;

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "shared/peers.rs"]
mod peers;
use common::{Random, cpu_seconds};

/// The motions of both bodies.
type Pair = [Ballistic; 2];

fn main() {
    let with_parry = std::env::args().any(|a| a == "--parry");
    println!(
        "| bodies | motion | hits | late | mean ms | worst ms | steps | parry mean ms (motions, hits) |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (triangles, levels) in [(320, 2), (1280, 3), (5120, 4), (20480, 5)] {
        let mesh = generate::icosphere(1.0, levels);
        let shape = Shape::Mesh(Arc::new(mesh.clone()));
        let name = format!("sphere {triangles}");
        let some = match triangles {
            320 => 10,
            1280 => 3,
            _ => 0,
        };
        let parry =
            (with_parry && some > 0).then(|| parry_time(&parry_mesh(&mesh), &one_moves(1.0), some));
        row(&name, "one moves", &shape, &one_moves(1.0), parry);
        row(&name, "one moves, spin ×10", &shape, &one_moves(10.0), None);
        row(&name, "both move, gravity", &shape, &both_move(), None);
        let hull = ConvexHull::new(mesh.vertices()).expect("a sphere");
        let parry = with_parry.then(|| parry_time(&parry_hull(&mesh), &one_moves(1.0), 200));
        row(
            &format!("hull {triangles}"),
            "one moves",
            &Shape::Hull(Arc::new(hull)),
            &one_moves(1.0),
            parry,
        );
    }
    for (name, n, m) in [("tori 5120", 64, 40), ("tori 20480", 128, 80)] {
        let mesh = generate::torus(1.0, 0.3, n, m);
        row(name, "one moves, linked", &Shape::Mesh(Arc::new(mesh)), &linked(), None);
    }
    println!("{}", peers::circumstances());
}

/// From 2.1 to 3 away to the centre in one second.
fn one_moves(spin: f64) -> Vec<Pair> {
    let mut random = Random(7);
    let motion = |_| {
        let start = Pose::new(random.direction() * random.uniform(2.1, 3.0), random.rotation());
        let moves = Ballistic {
            velocity: -start.position,
            spin: random.vector() * 1.7 * spin,
            ..Ballistic::at_rest(start)
        };
        [moves, Ballistic::at_rest(Pose::IDENTITY)]
    };
    (0..200).map(motion).collect()
}

/// Towards each other; the first is thrown so that it would be at the second after a second, in
/// spite of gravity.
fn both_move() -> Vec<Pair> {
    let mut random = Random(7);
    let gravity = DVec3::NEG_Z * 9.81;
    let motion = |_| {
        let start = Pose::new(random.direction() * random.uniform(2.1, 3.0), random.rotation());
        let (spin, other_spin, drift) =
            (random.vector() * 1.7, random.vector() * 1.7, random.vector());
        let velocity = drift - start.position - gravity * 0.5;
        let other = Ballistic {
            velocity: drift,
            spin: other_spin,
            ..Ballistic::at_rest(Pose::new(DVec3::ZERO, random.rotation()))
        };
        [Ballistic { velocity, spin, acceleration: gravity, ..Ballistic::at_rest(start) }, other]
    };
    (0..200).map(motion).collect()
}

/// Linked rings that move towards each other.
fn linked() -> Vec<Pair> {
    let mut random = Random(7);
    let half = 0.5_f64.sqrt();
    let motion = |_| {
        let tilt = random.vector() * 0.07;
        let rotation = DQuat::from_xyzw(half + tilt.x, tilt.y, tilt.z, half).normalize();
        let start = Pose::new(DVec3::X + random.vector() * 0.1, rotation);
        let moves = Ballistic {
            velocity: -start.position,
            spin: random.vector() * 1.7,
            ..Ballistic::at_rest(start)
        };
        [moves, Ballistic::at_rest(Pose::IDENTITY)]
    };
    (0..200).map(motion).collect()
}

fn row(name: &str, how: &str, shape: &Shape, motions: &[Pair], parry: Option<String>) {
    let query = ImpactQuery::new(1.0, 1e-6);
    let (mut hits, mut steps, mut mean, mut walls) =
        (Vec::new(), 0, f64::INFINITY, vec![f64::INFINITY; motions.len()]);
    for _ in 0..3 {
        (hits, steps) = (Vec::new(), 0);
        let start = cpu_seconds();
        for (motion, wall) in motions.iter().zip(&mut walls) {
            let begin = Instant::now();
            let outcome = time_of_impact(shape, &motion[0], shape, &motion[1], &query)
                .expect("a valid query");
            *wall = wall.min(begin.elapsed().as_secs_f64() * 1e3);
            if let Outcome::Hit(hit) = outcome {
                hits.push((motion, hit.time));
                steps += hit.steps;
            }
        }
        mean = mean.min((cpu_seconds() - start) * 1e3 / motions.len() as f64);
    }
    let met_before = |(motion, time): &&(&Pair, f64)| {
        (0..20).any(|k| {
            let [a, b] = motion.map(|m| m.pose(time * f64::from(k) / 20.0));
            distance(shape, &a, shape, &b).is_none_or(|d| d.distance <= 0.0)
        })
    };
    let late = hits.iter().filter(met_before).count();
    let worst = walls.iter().copied().fold(0.0, f64::max);
    let parry = parry.unwrap_or("–".into());
    println!(
        "| {name} | {how} | {} | {late} | {mean:.3} | {worst:.2} | {} | {parry} |",
        hits.len(),
        steps / hits.len().max(1) as u32
    );
}

fn parry_mesh(mesh: &TriMesh) -> parry3d_f64::shape::TriMesh {
    let vertices = mesh.vertices().iter().map(|v| v.to_array().into()).collect();
    parry3d_f64::shape::TriMesh::new(vertices, mesh.triangles().to_vec()).expect("a valid mesh")
}

fn parry_hull(mesh: &TriMesh) -> parry3d_f64::shape::ConvexPolyhedron {
    let points: Vec<_> = mesh.vertices().iter().map(|p| p.to_array().into()).collect();
    parry3d_f64::shape::ConvexPolyhedron::from_convex_hull(&points).expect("a solid")
}

fn parry_time(shape: &dyn parry3d_f64::shape::Shape, motions: &[Pair], some: usize) -> String {
    use parry3d_f64::math::{Pose as ParryPose, Rotation};
    use parry3d_f64::query::{NonlinearRigidMotion, cast_shapes_nonlinear};
    let (mut hits, mut time) = (0, 0.0);
    for [motion, _] in motions.iter().step_by(motions.len() / some).take(some) {
        let rotation = Rotation::from_array(motion.start.rotation.to_array());
        let pose = ParryPose::from_parts(motion.start.position.to_array().into(), rotation);
        let (v, w) = (motion.velocity.to_array().into(), motion.spin.to_array().into());
        let moving = NonlinearRigidMotion::new(pose, [0.0; 3].into(), v, w);
        let rest = NonlinearRigidMotion::constant_position(ParryPose::IDENTITY);
        let start = cpu_seconds();
        let hit =
            cast_shapes_nonlinear(&moving, shape, &rest, shape, 0.0, 1.0, true).expect("supported");
        time += cpu_seconds() - start;
        hits += u32::from(hit.is_some());
    }
    format!("{:.3} ({some}, {hits})", time * 1e3 / some as f64)
}
