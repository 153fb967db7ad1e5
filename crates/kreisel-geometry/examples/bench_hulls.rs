//! Distance of convex hulls beside coal, FCL and parry: `cargo xtask bench geometry`, or
//! `cargo run --release -p kreisel-geometry --example bench_hulls -- [--coal PYTHON SCRIPT] [--fcl PROGRAM]`.
//!
//! Microseconds for each query, processor time, mean over 200 poses, medians of five rounds in
//! which all take turns; ratios are medians of the ratios of a round. Warm queries reuse the cache
//! of a motion of 1 mm (coal: its cached guess).

use glam::DVec3;
use kreisel_geometry::convex::{Convex, ConvexCache, Core, convex_distance};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::{ConvexHull, Pose, TriMesh};
use std::hint::black_box;

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "shared/peers.rs"]
mod peers;
use common::{Random, cpu_seconds_for};
use peers::{Peer, median};

const ROUNDS: usize = 5;
const POSES: usize = 200;

fn main() {
    let mut peers = peers::from_arguments();
    println!(
        "| hull | cold | warm | coal | coal warm | FCL | parry | best peer / cold | coal warm / warm |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, scale) in [("sphere", DVec3::ONE), ("ellipsoid", DVec3::new(1.0, 0.6, 0.2))] {
        for (triangles, levels) in [(320, 2), (1280, 3), (5120, 4), (20480, 5)] {
            let mesh = generate::icosphere(1.0, levels).scaled(scale).expect("finite");
            row(&format!("{name} {triangles}"), &mesh, &mut peers);
        }
    }
    println!("{}", peers::circumstances());
}

fn row(name: &str, mesh: &TriMesh, peers: &mut [Peer]) {
    let hull = ConvexHull::new(mesh.vertices()).expect("a solid");
    let convex = Convex::sharp(Core::Hull(&hull));
    let mut random = Random(7);
    let poses: Vec<Pose> = (0..POSES)
        .map(|_| Pose::new(random.direction() * random.uniform(2.1, 3.0), random.rotation()))
        .collect();
    let near: Vec<Pose> =
        poses.iter().map(|p| Pose::new(p.position + random.vector() * 1e-3, p.rotation)).collect();
    let ask = |p: &Pose, cache: &mut ConvexCache| {
        convex_distance(&convex, p, &convex, &Pose::IDENTITY, cache)
    };
    let mut caches = vec![ConvexCache::default(); POSES];
    let mean =
        poses.iter().zip(&mut caches).map(|(p, c)| ask(p, c).distance).sum::<f64>() / POSES as f64;
    peers.iter_mut().for_each(|p| p.load("hull", mesh, &poses));
    let points: Vec<_> = mesh.vertices().iter().map(|p| p.to_array().into()).collect();
    let poly = parry3d_f64::shape::ConvexPolyhedron::from_convex_hull(&points).expect("a solid");
    let parry_poses: Vec<_> = poses.iter().map(to_parry).collect();
    let origin = to_parry(&Pose::IDENTITY);
    let parry_ask =
        |p| parry3d_f64::query::distance(p, &poly, &origin, &poly).expect("supported").distance;
    let (mut cold, mut warm, mut parry) = (Vec::new(), Vec::new(), Vec::new());
    let (mut theirs, mut coal_warm) = (vec![Vec::new(); peers.len()], Vec::new());
    for _ in 0..ROUNDS {
        cold.push(micros(|| {
            poses.iter().map(|p| ask(black_box(p), &mut ConvexCache::default()).distance).sum()
        }));
        warm.push(micros(|| {
            near.iter().zip(&caches).map(|(p, c)| ask(black_box(p), &mut { *c }).distance).sum()
        }));
        parry.push(micros(|| parry_poses.iter().map(|p| parry_ask(black_box(p))).sum()));
        for (peer, times) in peers.iter_mut().zip(&mut theirs) {
            let [us, d] = peer.time(0.05);
            // coal ends its iteration at 1e-6
            assert!(
                (d - mean).abs() < 1e-4 * mean,
                "{name}: {} has the mean distance {d}, we {mean}",
                peer.name
            );
            times.push(us);
            if peer.name == "coal" {
                coal_warm.push(peer.warm(&near, 0.05));
            }
        }
    }
    let best = |r: usize| theirs.iter().map(|t| t[r]).fold(parry[r], f64::min);
    let ratio = |a: &dyn Fn(usize) -> f64, b: &[f64]| {
        format!("{:.1}", median((0..ROUNDS).map(|r| a(r) / b[r]).collect()))
    };
    let peer = |name: &str| {
        let k = peers.iter().position(|p| p.name == name);
        k.map_or("–".into(), |k| format!("{:.2}", median(theirs[k].clone())))
    };
    let (warm_coal, warm_ratio) = if coal_warm.is_empty() {
        ("–".into(), "–".into())
    } else {
        (format!("{:.2}", median(coal_warm.clone())), ratio(&|r| coal_warm[r], &warm))
    };
    println!(
        "| {name} | {:.2} | {:.2} | {} | {warm_coal} | {} | {:.2} | {} | {warm_ratio} |",
        median(cold.clone()),
        median(warm.clone()),
        peer("coal"),
        peer("FCL"),
        median(parry.clone()),
        ratio(&best, &cold),
    );
}

/// Microseconds for each of the queries.
fn micros(f: impl FnMut() -> f64) -> f64 {
    cpu_seconds_for(0.1, f) * 1e6 / POSES as f64
}

fn to_parry(pose: &Pose) -> parry3d_f64::math::Pose {
    let rotation = parry3d_f64::math::Rotation::from_array(pose.rotation.to_array());
    parry3d_f64::math::Pose::from_parts(pose.position.to_array().into(), rotation)
}
