//! Answers of bounded quality and of bounded cost. The guarantee is checked on every answer.

use super::Plots;
use crate::common::Random;
use glam::DQuat;
use kreisel_geometry::Pose;
use kreisel_geometry::dtree::{Cost, DTree, Question, Split, bounds};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::volume::{Aabb, Ball, OrientedBox, Volume};

pub fn run(plots: &Plots) {
    let mut quality = Vec::new();
    let mut cost = Vec::new();
    of::<Ball>("spheres", &mut quality, &mut cost);
    of::<Aabb>("axis-aligned boxes", &mut quality, &mut cost);
    of::<OrientedBox>("oriented boxes", &mut quality, &mut cost);
    plots.add(
        "b3-quality",
        &quality,
        "accepted relative error of the lower bound",
        "distances of volumes",
    );
    plots.add(
        "b3-cost",
        &cost,
        "budget, in distances of triangles",
        "mean relative gap of the bounds (at least 1e-3)",
    );
}

fn of<V: Volume>(
    name: &str,
    quality: &mut Vec<crate::plot::Line>,
    cost: &mut Vec<crate::plot::Line>,
) {
    let tree = DTree::<V>::new(&generate::torus(1.0, 0.3, 40, 24), &Split::default());
    let mut random = Random(3);
    let half = 0.5_f64.sqrt();
    let rotation = DQuat::from_xyzw(half, 0.0, 0.0, half);
    let poses: Vec<Pose> =
        (0..20).map(|_| Pose::new(glam::DVec3::X + random.vector() * 0.1, rotation)).collect();
    let ask =
        |pose: &Pose, question: &Question| bounds(&tree, pose, &tree, &Pose::IDENTITY, question);
    let exact: Vec<f64> = poses.iter().map(|p| ask(p, &Question::default()).upper).collect();
    let errors = [0.001, 0.01, 0.1, 0.5];
    let points = errors.map(|alpha| {
        let mut pairs = 0;
        for (pose, d) in poses.iter().zip(&exact) {
            let b = ask(pose, &Question { quality: alpha, ..Question::default() });
            assert!(
                b.lower >= (1.0 - alpha) * d - 1e-12 && b.lower <= d + 1e-12,
                "the guarantee is violated"
            );
            pairs += b.volume_pairs;
        }
        (alpha, pairs as f64 / poses.len() as f64)
    });
    quality.push((name.into(), points.to_vec()));
    let budgets = [100.0, 300.0, 1000.0, 3000.0, 10_000.0];
    let points = budgets.map(|limit| {
        let mut gap = 0.0;
        for (pose, d) in poses.iter().zip(&exact) {
            // a distance of volumes and an update as parts of a distance of triangles
            let cost = Cost { distance: 0.3, update: 0.1, limit };
            let b = ask(
                pose,
                &Question { cost: Some(cost), representatives: true, ..Question::default() },
            );
            assert!(
                b.lower <= d + 1e-12 && b.upper >= d - 1e-12,
                "the bounds do not enclose the distance"
            );
            gap += (b.upper - b.lower) / b.upper;
        }
        (limit, (gap / poses.len() as f64).max(1e-3))
    });
    cost.push((name.into(), points.to_vec()));
}
