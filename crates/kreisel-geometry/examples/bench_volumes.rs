//! Every bounding volume with every traversal:
//! `cargo run --release -p kreisel-geometry --example bench_volumes`.
//!
//! Microseconds for each query, then distances of volumes and of triangles (n_D, n_B) and moved
//! volumes (n_A), means over 20 poses. Binary D-trees with one triangle in each leaf; the last rows
//! of each mesh are the 4-wide kernel that queries use, with its own boxes and with those of least
//! volume.

use glam::{DQuat, DVec3};
use kreisel_geometry::dtree::{DTree, Question, Split, Traversal, bounds};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::query::{MeshQuery, mesh_distance};
use kreisel_geometry::tree::{BoxFit, MeshTree};
use kreisel_geometry::volume::{
    Aabb, Ball, Fdh14, FdhBrute, FdhClimb, FdhPrimal, OrientedBox, SmallestBox, Volume,
};
use kreisel_geometry::{Pose, TriMesh};

#[path = "../tests/common/mod.rs"]
mod common;
use common::{Random, cpu_seconds};

fn main() {
    let mut random = Random(7);
    let around: Vec<Pose> = (0..20)
        .map(|_| Pose::new(random.direction() * random.uniform(2.1, 3.0), random.rotation()))
        .collect();
    let half = 0.5_f64.sqrt();
    let linked: Vec<Pose> = (0..20)
        .map(|_| {
            Pose::new(DVec3::X + random.vector() * 0.1, DQuat::from_xyzw(half, 0.0, 0.0, half))
        })
        .collect();
    mesh("ico1280", &generate::icosphere(1.0, 3), &around);
    mesh("torus5120", &generate::torus(1.0, 0.3, 64, 40), &linked);
}

fn mesh(name: &str, mesh: &TriMesh, poses: &[Pose]) {
    println!(
        "\n{name}\n{:24} {:16} {:>10} {:>10} {:>10} {:>10}",
        "volume", "traversal", "us", "n_D", "n_B", "n_A"
    );
    volume::<Ball>("sphere", mesh, poses);
    volume::<Aabb>("axis-aligned box", mesh, poses);
    volume::<Fdh14>("fixed directions 14", mesh, poses);
    volume::<FdhPrimal>("  primal update", mesh, &poses[..4]);
    volume::<FdhClimb>("  hill climbing", mesh, &poses[..4]);
    volume::<FdhBrute>("  brute force", mesh, &poses[..4]);
    volume::<OrientedBox>("oriented box, exact", mesh, poses);
    volume::<SmallestBox>("  least volume", mesh, poses);
    let merged = DTree::<OrientedBox>::merged(mesh, 1);
    traversals("  built bottom-up", &merged, poses);
    kernel("4-wide oriented boxes", mesh.tree(), poses);
    kernel("  least volume", &MeshTree::with_fit(mesh, BoxFit::LeastVolume), poses);
}

fn kernel(name: &str, tree: &MeshTree, poses: &[Pose]) {
    let query = MeshQuery { tree_only: true, ..MeshQuery::default() };
    let (mut work, mut best) = ([0; 3], f64::INFINITY);
    for _ in 0..3 {
        work = [0; 3];
        let start = cpu_seconds();
        for pose in poses {
            let d = mesh_distance(tree, pose, tree, &Pose::IDENTITY, &query).expect("no limit");
            work[0] += d.work.box_pairs;
            work[1] += d.work.triangle_pairs;
            work[2] += d.work.moved_boxes;
        }
        best = best.min(cpu_seconds() - start);
    }
    row(name, "Hybrid", best, work, poses.len());
}

fn volume<V: Volume>(name: &str, mesh: &TriMesh, poses: &[Pose]) {
    traversals(name, &DTree::<V>::new(mesh, &Split::default()), poses);
}

fn traversals<V: Volume>(name: &str, tree: &DTree<V>, poses: &[Pose]) {
    for traversal in [
        Traversal::Indifferent,
        Traversal::MinimalUpdate,
        Traversal::LocalGreedy,
        Traversal::GlobalGreedy,
    ] {
        let question = Question { traversal, ..Question::default() };
        let mut work = [0; 3];
        let start = cpu_seconds();
        for pose in poses {
            let d = bounds(tree, pose, tree, &Pose::IDENTITY, &question);
            work[0] += d.volume_pairs;
            work[1] += d.triangle_pairs;
            work[2] += d.updates;
        }
        row(name, &format!("{traversal:?}"), cpu_seconds() - start, work, poses.len());
    }
}

fn row(volume: &str, traversal: &str, seconds: f64, work: [u64; 3], n: usize) {
    let mean = |x: u64| x as f64 / n as f64;
    println!(
        "{volume:24} {traversal:16} {:10.1} {:10.0} {:10.0} {:10.0}",
        seconds / n as f64 * 1e6,
        mean(work[0]),
        mean(work[1]),
        mean(work[2])
    );
}
