//! Distance of meshes beside coal, FCL and parry: `cargo xtask bench geometry`, or
//! `cargo run --release -p kreisel-geometry --example bench_distance -- [--coal PYTHON SCRIPT] [--fcl PROGRAM] [--parry] [--only TEXT]`.
//!
//! Microseconds for each query over 200 poses, processor time. All take turns in five rounds; the
//! table has the medians of the rounds, and ratios are medians of the ratios of a round. *0.1 mm*
//! and *1 mm* are queries that follow such a motion with the front of the query before. Distances
//! must agree, or it ends with an error.

use glam::DQuat;
use kreisel_geometry::query::{MeshFront, MeshQuery, mesh_distance, mesh_distance_coherent};
use kreisel_geometry::tree::MeshTree;
use kreisel_geometry::{Pose, TriMesh, simd};
use std::hint::black_box;

#[path = "shared/cases.rs"]
mod cases;
#[path = "../tests/common/mod.rs"]
mod common;
#[path = "shared/peers.rs"]
mod peers;
use cases::Case;
use common::{Random, cpu_seconds, cpu_seconds_for};
use peers::{Peer, median};

const ROUNDS: usize = 5;
/// Processor time for each figure of a round, in s.
const SHARE: f64 = 0.1;
/// Steps of a coherent motion.
const STEPS: usize = 300;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let only = words.iter().position(|w| w == "--only").and_then(|i| words.get(i + 1));
    let mut peers = peers::from_arguments();
    println!(
        "| mesh | Kreisel | tree only | no AVX2 | coal | FCL | parry | best peer / Kreisel | … without AVX2 | 0.1 mm | 1 mm | box pairs | triangle pairs |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut growth = Vec::new();
    for case in cases::all().iter().filter(|c| only.is_none_or(|o| c.name.contains(o.as_str()))) {
        let cold = row(case, &mut peers, words.iter().any(|w| w == "--parry"));
        if case.name.starts_with("sphere") {
            growth.push(((case.mesh.triangles().len() as f64).ln(), cold.ln()));
        }
    }
    if let [first, .., last] = growth[..] {
        println!(
            "\nspheres, tree only: time grows with the power {:.2} of the triangles",
            (last.1 - first.1) / (last.0 - first.0)
        );
    }
    println!("{}", peers::circumstances());
}

/// Prints a row; returns the time of the tree.
fn row(case: &Case, peers: &mut [Peer], parry: bool) -> f64 {
    let tree = case.mesh.tree();
    let query = MeshQuery::default();
    let ask = |pose: &Pose, query: &MeshQuery| {
        mesh_distance(tree, pose, tree, &Pose::IDENTITY, query).expect("no limit").distance
    };
    let pass = |query: &MeshQuery| case.poses.iter().map(|p| ask(black_box(p), query)).sum::<f64>();
    let mean = pass(&query) / case.poses.len() as f64;
    peers.iter_mut().for_each(|p| p.load("mesh", &case.mesh, &case.poses));
    let us =
        |query: &MeshQuery| cpu_seconds_for(SHARE, || pass(query)) / case.poses.len() as f64 * 1e6;
    let tree_only = MeshQuery { tree_only: true, ..query };
    let (mut own, mut bare, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    let mut theirs = vec![Vec::new(); peers.len()];
    for _ in 0..ROUNDS {
        own.push(us(&query));
        bare.push(us(&tree_only));
        simd::force_baseline(true);
        plain.push(us(&query));
        simd::force_baseline(false);
        for (peer, times) in peers.iter_mut().zip(&mut theirs) {
            let [us, d] = peer.time(SHARE);
            assert!(
                (d - mean).abs() < 1e-6 * mean,
                "{}: {} has the mean distance {d}, we {mean}",
                case.name,
                peer.name
            );
            times.push(us);
        }
    }
    let parry = parry.then(|| parry_us(&case.mesh, &case.poses, &|p| ask(p, &query)));
    let best =
        |round: usize| theirs.iter().map(|t| t[round]).chain(parry).fold(f64::INFINITY, f64::min);
    let ratio = |ours: &[f64]| median((0..ROUNDS).map(|r| best(r) / ours[r]).collect());
    let peer = |name: &str| {
        let k = peers.iter().position(|p| p.name == name);
        k.map_or("–".into(), |k| format!("{:.0}", median(theirs[k].clone())))
    };
    let (mut boxes, mut triangles) = (0, 0);
    for pose in &case.poses {
        let work =
            mesh_distance(tree, pose, tree, &Pose::IDENTITY, &tree_only).expect("no limit").work;
        boxes += work.box_pairs;
        triangles += work.triangle_pairs;
    }
    println!(
        "| {} | {:.1} | {:.0} | {:.1} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {} | {} |",
        case.name,
        median(own.clone()),
        median(bare.clone()),
        median(plain.clone()),
        peer("coal"),
        peer("FCL"),
        parry.map_or("–".into(), |p| format!("{p:.0}")),
        ratio(&own),
        ratio(&plain),
        coherent(tree, &case.poses, 1e-4),
        coherent(tree, &case.poses, 1e-3),
        boxes / case.poses.len() as u64,
        triangles / case.poses.len() as u64,
    );
    median(bare)
}

/// Microseconds for a query of parry. It takes up to a second for a pose: five poses give the mean
/// well enough.
fn parry_us(mesh: &TriMesh, poses: &[Pose], ours: &dyn Fn(&Pose) -> f64) -> f64 {
    use parry3d_f64::query::distance;
    let vertices = mesh.vertices().iter().map(|v| v.to_array().into()).collect();
    let parry = parry3d_f64::shape::TriMesh::new(vertices, mesh.triangles().to_vec())
        .expect("a valid mesh");
    let some: Vec<&Pose> = poses.iter().step_by(poses.len() / 5).collect();
    let origin = to_parry(&Pose::IDENTITY);
    let start = cpu_seconds();
    let answers: Vec<f64> = some
        .iter()
        .map(|p| distance(&to_parry(p), &parry, &origin, &parry).expect("supported").distance)
        .collect();
    let time = cpu_seconds() - start;
    for (p, d) in some.iter().zip(answers) {
        assert!((d - ours(p)).abs() < 1e-9, "parry has {d}, we {}", ours(p));
    }
    time * 1e6 / some.len() as f64
}

/// Microseconds of a query after a motion of about `step` m, with the front of the query before.
fn coherent(tree: &MeshTree, poses: &[Pose], step: f64) -> f64 {
    let mut random = Random(9);
    let some: Vec<Pose> = poses.iter().step_by(4).copied().collect();
    let mut walk = vec![some];
    for k in 0..STEPS {
        let moved = walk[k].iter().map(|pose| {
            let spin = random.vector() * (step / 4.0);
            let rotation =
                (DQuat::from_xyzw(spin.x, spin.y, spin.z, 1.0) * pose.rotation).normalize();
            Pose::new(pose.position + random.vector() * (step / 2.0), rotation)
        });
        let moved = moved.collect();
        walk.push(moved);
    }
    let mut fronts = vec![MeshFront::default(); walk[0].len()];
    let mut ask = |poses: &[Pose]| {
        for (pose, front) in poses.iter().zip(&mut fronts) {
            black_box(mesh_distance_coherent(tree, pose, tree, &Pose::IDENTITY, front));
        }
    };
    // the first query is cold
    ask(&walk[0]);
    let start = cpu_seconds();
    walk[1..].iter().for_each(|poses| ask(poses));
    (cpu_seconds() - start) * 1e6 / (STEPS * walk[0].len()) as f64
}

fn to_parry(pose: &Pose) -> parry3d_f64::math::Pose {
    let rotation = parry3d_f64::math::Rotation::from_array(pose.rotation.to_array());
    parry3d_f64::math::Pose::from_parts(pose.position.to_array().into(), rotation)
}
