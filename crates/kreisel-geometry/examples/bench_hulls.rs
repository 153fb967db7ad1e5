//! Distance of convex hulls, beside parry: `cargo run --release -p kreisel-geometry --example bench_hulls`.
//!
//! Microseconds for each query, processor time, mean over 200 poses; warm queries reuse the cache of a motion of 1 mm.

use glam::DVec3;
use kreisel_geometry::convex::{Convex, ConvexCache, Core, convex_distance};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::{ConvexHull, Pose};
use std::hint::black_box;

#[path = "../tests/common/mod.rs"]
mod common;
use common::{Random, cpu_seconds_of};

fn main() {
    println!("{:12} {:>10} {:>10} {:>10} {:>8}", "hull", "cold us", "warm us", "parry us", "ratio");
    for (name, scale) in [("ico", DVec3::ONE), ("ell", DVec3::new(1.0, 0.6, 0.2))] {
        for (triangles, levels) in [(320, 2), (1280, 3), (5120, 4), (20480, 5)] {
            let mesh = generate::icosphere(1.0, levels).scaled(scale).expect("finite");
            row(&format!("{name}{triangles}"), mesh.vertices());
        }
    }
}

fn row(name: &str, points: &[DVec3]) {
    let hull = ConvexHull::new(points).expect("a solid");
    let convex = Convex::sharp(Core::Hull(&hull));
    let mut random = Random(7);
    let poses: Vec<Pose> =
        (0..200).map(|_| Pose::new(random.direction() * random.uniform(2.1, 3.0), random.rotation())).collect();
    let near: Vec<Pose> = poses.iter().map(|p| Pose::new(p.position + random.vector() * 1e-3, p.rotation)).collect();
    let ask = |p: &Pose, cache: &mut ConvexCache| convex_distance(&convex, p, &convex, &Pose::IDENTITY, cache);
    let cold = micros(|| poses.iter().map(|p| ask(black_box(p), &mut ConvexCache::default()).distance).sum());
    let caches: Vec<ConvexCache> = poses
        .iter()
        .map(|p| {
            let mut cache = ConvexCache::default();
            ask(p, &mut cache);
            cache
        })
        .collect();
    let warm = micros(|| near.iter().zip(&caches).map(|(p, c)| ask(black_box(p), &mut { *c }).distance).sum());
    let parry_points: Vec<_> = points.iter().map(|p| p.to_array().into()).collect();
    let theirs = parry3d_f64::shape::ConvexPolyhedron::from_convex_hull(&parry_points).map(|poly| {
        use parry3d_f64::math::{Pose as ParryPose, Rotation};
        let convert =
            |p: &Pose| ParryPose::from_parts(p.position.to_array().into(), Rotation::from_array(p.rotation.to_array()));
        let poses: Vec<ParryPose> = poses.iter().map(convert).collect();
        let origin = ParryPose::IDENTITY;
        let ask = |p: &ParryPose| parry3d_f64::query::distance(p, &poly, &origin, &poly).expect("supported").distance;
        micros(|| poses.iter().map(|p| ask(black_box(p))).sum())
    });
    let (p, ratio) = theirs.map_or(("-".into(), "-".into()), |t| (format!("{t:.2}"), format!("{:.1}", t / cold)));
    println!("{name:12} {cold:10.2} {warm:10.2} {p:>10} {ratio:>8}");
}

/// Microseconds for each of the 200 queries.
fn micros(f: impl FnMut() -> f64) -> f64 {
    cpu_seconds_of(f) * 1e6 / 200.0
}
