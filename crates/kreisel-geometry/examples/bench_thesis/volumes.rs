//! Every volume on spheres of growing triangle count and at growing gaps; then caching and
//! representatives under motion.

use super::Plots;
use crate::common::{Random, cpu_seconds_for};
use crate::plot::Line;
use glam::{DQuat, DVec3};
use kreisel_geometry::dtree::{Bounds, DTree, Question, Split, Traversal, bounds};
use kreisel_geometry::elementary::{Closest, triangle_triangle};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::query::{MeshQuery, mesh_distance};
use kreisel_geometry::volume::{Aabb, Ball, Fdh14, OrientedBox, Volume};
use kreisel_geometry::{Pose, TriMesh};

const GAPS: [f64; 6] = [1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0];

pub fn run(plots: &Plots) {
    let mut growth: Vec<Line> = vec![naive()];
    let mut pairs: Vec<Line> = Vec::new();
    volume::<Ball>("spheres", &mut growth, &mut pairs);
    volume::<Aabb>("axis-aligned boxes", &mut growth, &mut pairs);
    volume::<Fdh14>("fixed directions", &mut growth, &mut pairs);
    volume::<OrientedBox>("oriented boxes", &mut growth, &mut pairs);
    let kernel = |levels: u32| {
        let mesh = generate::icosphere(1.0, levels);
        let query = MeshQuery { tree_only: true, ..MeshQuery::default() };
        // built here, not in the first query
        mesh.tree();
        let ask = |p: &Pose| {
            mesh_distance(mesh.tree(), p, mesh.tree(), &Pose::IDENTITY, &query)
                .expect("no limit")
                .distance
        };
        (mesh.triangles().len() as f64, micros(&ask))
    };
    growth.push(("four-wide (default)".into(), (1..9).map(kernel).collect()));
    plots.add(
        "b1-growth",
        &growth,
        "triangles of each sphere, gap 0.1 to 1 m",
        "µs for a distance",
    );
    plots.add("b1-gap", &pairs, "gap of two spheres of 1280 triangles, m", "distances of volumes");
    plots.add(
        "b1-traversal",
        &traversals(),
        "gap of two spheres of 1280 triangles, m",
        "distances of oriented boxes",
    );
    plots.add(
        "b2-memory",
        &memory(),
        "motion between two queries, m",
        "distances of oriented boxes, depth first",
    );
}

fn around() -> Vec<Pose> {
    let mut random = Random(7);
    (0..20)
        .map(|_| Pose::new(random.direction() * random.uniform(2.1, 3.0), random.rotation()))
        .collect()
}

fn micros(ask: &dyn Fn(&Pose) -> f64) -> f64 {
    let poses = around();
    cpu_seconds_for(0.05, || poses.iter().map(ask).sum()) / poses.len() as f64 * 1e6
}

/// All pairs of triangles.
fn naive() -> Line {
    let point = |levels: u32| {
        let mesh = generate::icosphere(1.0, levels);
        let all = |pose: &Pose| {
            let moved: TriMesh = mesh.moved(pose);
            let pairs =
                moved.iter().flat_map(|t| mesh.iter().map(move |u| triangle_triangle(t, u)));
            pairs.fold(Closest::FAR, Closest::min).distance()
        };
        // one pose tells enough: the cost does not depend on it
        let pose = around()[0];
        (mesh.triangles().len() as f64, cpu_seconds_for(0.02, || all(&pose)) * 1e6)
    };
    ("all pairs".into(), (1..4).map(point).collect())
}

fn ask<V: Volume>(tree: &DTree<V>, pose: &Pose, question: &Question) -> Bounds {
    bounds(tree, pose, tree, &Pose::IDENTITY, question)
}

fn volume<V: Volume>(name: &str, growth: &mut Vec<Line>, pairs: &mut Vec<Line>) {
    let question = Question::default();
    let point = |levels: u32| {
        let mesh = generate::icosphere(1.0, levels);
        let tree = DTree::<V>::new(&mesh, &Split::default());
        (mesh.triangles().len() as f64, micros(&|p| ask(&tree, p, &question).upper))
    };
    growth.push((name.into(), (1..6).map(point).collect()));
    let tree = DTree::<V>::new(&generate::icosphere(1.0, 3), &Split::default());
    pairs.push((name.into(), GAPS.map(|gap| (gap, mean_pairs(&tree, gap, &question))).to_vec()));
}

/// Mean n_D over 20 directions in which the spheres are `gap` apart.
fn mean_pairs<V: Volume>(tree: &DTree<V>, gap: f64, question: &Question) -> f64 {
    let mut random = Random(8);
    let mut sum = 0;
    for _ in 0..20 {
        let (d, rotation) = (random.direction(), random.rotation());
        // the gap of the polyhedra, not of the spheres round them: two steps along the line of
        // centres
        let mut at = 2.0 + gap;
        for _ in 0..2 {
            at += gap - ask(tree, &Pose::new(d * at, rotation), &Question::default()).upper;
        }
        sum += ask(tree, &Pose::new(d * at, rotation), question).volume_pairs;
    }
    sum as f64 / 20.0
}

fn traversals() -> Vec<Line> {
    let tree = DTree::<OrientedBox>::new(&generate::icosphere(1.0, 3), &Split::default());
    let all = [
        ("indifferent", Traversal::Indifferent),
        ("local greedy", Traversal::LocalGreedy),
        ("global greedy", Traversal::GlobalGreedy),
    ];
    all.map(|(name, traversal)| {
        let question = Question { traversal, ..Question::default() };
        (name.into(), GAPS.map(|gap| (gap, mean_pairs(&tree, gap, &question))).to_vec())
    })
    .to_vec()
}

/// Random walks of different step lengths with and without a memory.
fn memory() -> Vec<Line> {
    let tree = DTree::<OrientedBox>::new(&generate::icosphere(1.0, 3), &Split::default());
    let steps = [1e-4, 1e-3, 1e-2, 0.1];
    let kinds = [
        ("nothing", false, false),
        ("representatives", true, false),
        ("cached triangles", false, true),
        ("both", true, true),
    ];
    kinds
        .map(|(name, representatives, cached)| {
            let walk = |step: f64| {
                let mut random = Random(9);
                let (mut pairs, mut seed) = (0, None);
                let mut pose = Pose::new(DVec3::new(2.3, 0.0, 0.0), random.rotation());
                for k in 0..60 {
                    let plain = ask(&tree, &pose, &Question::default());
                    let question = Question {
                        traversal: Traversal::Indifferent,
                        representatives,
                        seed: seed.filter(|_| cached),
                        ..Question::default()
                    };
                    let answer = ask(&tree, &pose, &question);
                    assert!(
                        (answer.upper - plain.upper).abs() < 1e-12,
                        "a memory must not change the distance"
                    );
                    seed = plain.triangles;
                    pairs += if k > 0 { answer.volume_pairs } else { 0 };
                    let spin = random.vector() * (step / 2.0);
                    pose.rotation =
                        (DQuat::from_xyzw(spin.x, spin.y, spin.z, 1.0) * pose.rotation).normalize();
                    let moved = pose.position + random.vector() * step;
                    pose.position = moved.normalize() * moved.length().clamp(2.1, 2.5);
                }
                (step, pairs as f64 / 59.0)
            };
            (name.to_owned(), steps.map(walk).to_vec())
        })
        .to_vec()
}
