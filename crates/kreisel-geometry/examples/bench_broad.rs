//! Broad phases on 100,000 moving boxes:
//! `cargo run --release -p kreisel-geometry --example bench_broad`.
//!
//! Unit boxes in a cube, about six overlaps each; each step moves every box by up to 2 % of its
//! size. Milliseconds for each step and pairs for each second, beside parry's dynamic tree
//! (refitted and traversed against itself).

use glam::DVec3;
use kreisel_geometry::broad::{
    Aabb, BoxTree, BroadPhase, CoherenceHash, HashGrid, SweepAndPrune, SweepAndPrune2,
};

#[path = "../tests/common/mod.rs"]
mod common;
use common::{Random, cpu_seconds};

const N: usize = 100_000;
const STEPS: u32 = 5;

fn main() {
    println!("{:16} {:>10} {:>10} {:>14}", "broad phase", "ms/step", "pairs", "pairs/s");
    run("tree", &mut BoxTree::default());
    run("hash grid", &mut HashGrid);
    run("coherence hash", &mut CoherenceHash::default());
    run("sweep, 2 axes", &mut SweepAndPrune2);
    run("sweep and prune", &mut SweepAndPrune::default());
    parry();
}

fn start() -> Vec<Aabb> {
    let mut random = Random(1);
    let side = (N as f64 * 8.0 / 6.0).cbrt() / 2.0;
    (0..N)
        .map(|_| {
            let lo = random.vector() * side;
            Aabb { lo, hi: lo + DVec3::ONE }
        })
        .collect()
}

fn advance(boxes: &mut [Aabb], random: &mut Random) {
    for b in boxes {
        let shift = random.vector() * 0.02;
        *b = Aabb { lo: b.lo + shift, hi: b.hi + shift };
    }
}

fn run(name: &str, phase: &mut dyn BroadPhase) {
    let (mut boxes, mut random) = (start(), Random(2));
    phase.pairs(&boxes);
    let (mut time, mut count) = (0.0, 0);
    for _ in 0..STEPS {
        advance(&mut boxes, &mut random);
        let begin = cpu_seconds();
        count = phase.pairs(&boxes).len();
        time += cpu_seconds() - begin;
    }
    report(name, time, count);
}

fn report(name: &str, time: f64, count: usize) {
    let step = time / f64::from(STEPS);
    println!("{name:16} {:10.1} {count:10} {:14.0}", step * 1e3, count as f64 / step);
}

fn parry() {
    use parry3d_f64::bounding_volume::Aabb as ParryBox;
    use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
    let (mut boxes, mut random) = (start(), Random(2));
    let convert = |b: &Aabb| ParryBox::new(b.lo.to_array().into(), b.hi.to_array().into());
    let leaves: Vec<ParryBox> = boxes.iter().map(convert).collect();
    let mut tree = Bvh::from_leaves(BvhBuildStrategy::default(), &leaves);
    let mut workspace = BvhWorkspace::default();
    let (mut time, mut count) = (0.0, 0);
    for _ in 0..STEPS {
        advance(&mut boxes, &mut random);
        let begin = cpu_seconds();
        for (i, b) in boxes.iter().enumerate() {
            tree.insert(convert(b), i as u32);
        }
        tree.refit(&mut workspace);
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for (i, b) in boxes.iter().enumerate() {
            for j in tree.intersect_aabb(&convert(b)) {
                if i < j as usize {
                    pairs.push([i as u32, j]);
                }
            }
        }
        pairs.sort_unstable();
        time += cpu_seconds() - begin;
        count = pairs.len();
    }
    report("parry", time, count);
}
