//! The broad phases on scattered boxes, on boxes that share their range on one axis, and on sizes
//! of 1 to 1000.

use super::Plots;
use crate::common::{Random, cpu_seconds_for};
use crate::plot::Line;
use glam::DVec3;
use kreisel_geometry::broad::{
    Aabb, BoxTree, BroadPhase, CoherenceHash, HashGrid, Naive, SweepAndPrune, SweepAndPrune2,
};

/// A scene of n boxes.
type Scene = fn(&mut Random, usize) -> Vec<Aabb>;

pub fn run(plots: &Plots) {
    let scenes: [(&str, Scene); 3] = [("scattered", scattered), ("floor", floor), ("sizes", sizes)];
    for (name, scene) in scenes {
        plots.add(
            &format!("b6-{name}"),
            &lines(scene),
            "boxes",
            "ms for a step in which all move a little",
        );
    }
}

fn lines(scene: Scene) -> Vec<Line> {
    let phases: [(&str, usize, fn() -> Box<dyn BroadPhase>); 6] = [
        ("naive", 3000, || Box::new(Naive)),
        ("sweep, one axis", 3000, || Box::new(SweepAndPrune::default())),
        ("sweep, two axes", 10_000, || Box::new(SweepAndPrune2)),
        ("hash grid", 30_000, || Box::new(HashGrid)),
        ("coherence hash", 30_000, || Box::new(CoherenceHash::default())),
        ("tree (default)", 30_000, || Box::new(BoxTree::default())),
    ];
    let line = |(name, most, make): (&str, usize, fn() -> Box<dyn BroadPhase>)| {
        let counts = [100, 300, 1000, 3000, 10_000, 30_000];
        let points = counts
            .into_iter()
            .filter(|n| *n <= most)
            .map(|n| (n as f64, step(&mut *make(), scene, n) * 1e3));
        (name.to_owned(), points.collect())
    };
    phases.into_iter().map(line).collect()
}

/// Processor time of a step.
fn step(phase: &mut dyn BroadPhase, scene: Scene, n: usize) -> f64 {
    let mut random = Random(4);
    let mut boxes = scene(&mut random, n);
    phase.pairs(&boxes);
    let steps = (20_000 / n).clamp(3, 30);
    let mut walk = Vec::new();
    for _ in 0..steps {
        for b in &mut boxes {
            let shift = random.vector() * 0.01 * (b.hi - b.lo).max_element();
            *b = Aabb { lo: b.lo + shift, hi: b.hi + shift };
        }
        walk.push(boxes.clone());
    }
    let pass = || walk.iter().map(|b| phase.pairs(b).len() as f64).sum();
    cpu_seconds_for(0.05, pass) / steps as f64
}

fn cube(lo: DVec3, size: f64) -> Aabb {
    Aabb { lo, hi: lo + DVec3::splat(size) }
}

/// Unit boxes with about one neighbour each, anywhere in a cube.
fn scattered(random: &mut Random, n: usize) -> Vec<Aabb> {
    let side = (n as f64 * 8.0).cbrt() / 2.0;
    (0..n).map(|_| cube(random.vector() * side, 1.0)).collect()
}

/// The same in one layer: all share their range along z, and half of them a strip along y.
fn floor(random: &mut Random, n: usize) -> Vec<Aabb> {
    let side = (n as f64 * 4.0).sqrt() / 2.0;
    (0..n)
        .map(|k| {
            let p = random.vector();
            let y = if k.is_multiple_of(2) { p.y * side } else { p.y };
            cube(
                DVec3::new(p.x * side, y * if k.is_multiple_of(2) { 1.0 } else { 2.0 }, 0.1 * p.z),
                1.0,
            )
        })
        .collect()
}

/// Sizes from 1 to 1000 with as many boxes in each decade's share, few of them large.
fn sizes(random: &mut Random, n: usize) -> Vec<Aabb> {
    let side = (n as f64).cbrt() * 10.0;
    (0..n)
        .map(|k| {
            let size =
                if k % 1000 == 999 { 100.0 } else { 0.1 * 10_f64.powf(random.uniform(0.0, 1.0)) };
            cube(random.vector() * side, size)
        })
        .collect()
}
