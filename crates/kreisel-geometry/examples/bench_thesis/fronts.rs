//! What holds the waiting pairs of the global greedy traversal: time against the length of the
//! front.

use super::Plots;
use crate::common::{Random, cpu_seconds_for};
use kreisel_geometry::Pose;
use kreisel_geometry::dtree::{DTree, Front, Question, Split, bounds};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::volume::Ball;

pub fn run(plots: &Plots) {
    let kinds = [
        ("heap (default)", Front::Heap),
        ("B-tree", Front::Tree),
        ("interval heap", Front::IntervalHeap),
        ("sorted list", Front::List),
    ];
    let mut lines = kinds.map(|(name, _)| (name.to_owned(), Vec::new()));
    for levels in 1..=5 {
        let tree = DTree::<Ball>::new(&generate::icosphere(1.0, levels), &Split::default());
        let mut random = Random(7);
        let poses: Vec<Pose> = (0..6)
            .map(|_| Pose::new(random.direction() * random.uniform(2.1, 2.5), random.rotation()))
            .collect();
        let ask = |front: Front, p: &Pose| {
            bounds(&tree, p, &tree, &Pose::IDENTITY, &Question { front, ..Question::default() })
        };
        let longest: usize = poses.iter().map(|p| ask(Front::Heap, p).longest_front).sum();
        for ((_, points), (_, front)) in lines.iter_mut().zip(kinds) {
            let time = cpu_seconds_for(0.1, || poses.iter().map(|p| ask(front, p).upper).sum());
            points.push((longest as f64 / poses.len() as f64, time / poses.len() as f64 * 1e6));
        }
    }
    plots.add("b9-fronts", &lines, "longest front, pairs", "µs for a distance (spheres)");
}
