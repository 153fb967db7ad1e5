//! A large mesh: `cargo run --release -p kreisel-geometry --example bench_large [-- MILLIONS]` (one million triangles unless said).
//!
//! Time to build the tree and to answer a query, and the largest memory of the process, where the system tells it.

use glam::DVec3;
use kreisel_geometry::query::{MeshQuery, mesh_distance};
use kreisel_geometry::{Pose, mesh::generate};

#[path = "../tests/common/mod.rs"]
mod common;
use common::cpu_seconds;

fn main() {
    let millions: f64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1.0);
    let across = (millions.clamp(0.001, 100.0) * 1e6 / 4.0).sqrt() as u32;
    let mesh = generate::torus(1.0, 0.3, 2 * across, across);
    println!("{} triangles", mesh.triangles().len());
    let start = cpu_seconds();
    let closed = mesh.is_closed();
    println!("check of the surface: {:.1} s, closed: {closed}", cpu_seconds() - start);
    let start = cpu_seconds();
    let tree = mesh.tree();
    println!("tree: {:.1} s, {} blocks", cpu_seconds() - start, tree.blocks());
    let start = cpu_seconds();
    let there = Pose::at(DVec3::new(0.1, 0.2, 1.0));
    let d = mesh_distance(tree, &there, tree, &Pose::IDENTITY, &MeshQuery::default()).expect("no limit");
    println!("distance {:.9} m in {:.2} ms", d.distance, (cpu_seconds() - start) * 1e3);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|l| l.starts_with("VmHWM")) {
        println!("largest memory: {}", line.trim_start_matches("VmHWM:").trim());
    }
}
