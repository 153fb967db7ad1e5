//! How the cost grows with the number of bodies: chains, trees, stars, and a net against a tree of
//! the same size.
//!
//! The first step analyses the model (order of elimination, memory) and is timed by itself. Then
//! motion is timed twice over: 1 s of it with the substeps that Kreisel chooses, which depend on
//! the motion (large trees whip faster than small ones), and the first 0.1 s with substeps of 1 ms,
//! which are alike for all sizes: the cost of the algebra alone. The line a·n is fitted by least
//! squares through the origin; as large n dominate its R², the range of the time per joint is
//! printed too.

use super::Options;
use crate::allocations;
use crate::clock::thread_seconds;
use crate::engine::Engine;
use crate::engines::kreisel::Kreisel;
use crate::page::Section;
use crate::race::{PerStep, median};
use crate::scene::Scene;
use crate::scenes::{chain, net, star, tree};
use crate::table::{Table, digits};
use kreisel_dynamics::{Settings, Substeps};
use serde::Serialize;
use serde_json::json;

/// Heading on the page.
pub const TITLE: &str = "Growth with the number of bodies";

const ABOUT: &str = "\
Kreisel's time per step of 0.01 s over the number of joints n, released from the horizontal, 1 s of motion after the first
step (which analyses the model and stands in a column of its own), with the substeps it chooses (stepping `auto`,
joints to 1e-6 m). Large systems whip faster and take more substeps; what the algebra alone costs is shown by the first 0.1 s of the same motion with ten substeps
of 1 ms in every step. `a` is the least-squares line a·n through the origin, R² its quality; the last column of
the summary is the largest over the smallest time per joint of the family. Allocations are counted over all steps but the
first.";

/// One scene.
#[derive(Clone, Debug, Serialize)]
struct Measured {
    scene: String,
    bodies: usize,
    joints: usize,
    first_ms: f64,
    /// With chosen substeps, then with those of 1 ms.
    ms: [f64; 2],
    substeps: [f64; 2],
    rounds: [f64; 2],
    allocations: [f64; 2],
    failed: u64,
}

/// Runs the suite.
pub fn run(options: &Options) -> Section {
    let quick = options.quick;
    let limit = if quick { 1100 } else { usize::MAX };
    let sizes = |list: &[usize]| list.iter().copied().filter(|&n| n <= limit).collect::<Vec<_>>();
    let families: [(&str, Vec<Scene>); 3] = [
        ("chains", sizes(&[10, 30, 100, 300, 1000, 3000, 10_000]).into_iter().map(chain).collect()),
        (
            "trees",
            sizes(&[31, 63, 127, 255, 511, 1023, 2047, 4095, 8191]).into_iter().map(tree).collect(),
        ),
        ("stars", sizes(&[10, 30, 100, 300, 1000]).into_iter().map(star).collect()),
    ];
    let mut summary = Table::new(
        "Fits of time per step to a·n",
        &[
            "family",
            "joints",
            "a, chosen substeps",
            "R²",
            "per joint, max/min",
            "a, substeps of 1 ms",
            "R²",
            "per joint, max/min",
        ],
    );
    let (mut tables, mut data) = (Vec::new(), Vec::new());
    for (name, scenes) in families {
        let rows: Vec<Measured> = scenes.iter().map(|s| measure(s, quick)).collect();
        let fits = [0, 1].map(|k| fit(&rows, k));
        let range = format!("{} to {}", rows[0].joints, rows[rows.len() - 1].joints);
        let mut cells = vec![name.to_owned(), range];
        for f in &fits {
            cells.extend([
                format!("{} µs", digits(f.slope * 1e3)),
                format!("{:.5}", f.quality),
                digits(f.range),
            ]);
        }
        summary.row(cells);
        tables.push(details(name, &rows));
        data.push(json!({ "family": name, "fits": fits, "rows": rows }));
    }
    let side = if quick { 10 } else { 30 };
    let loops = net(side);
    let pair = [measure(&loops, quick), measure(&tree(loops.blocks.len()), quick)];
    let mut closed = details("Closed loops against a tree with as many bodies", &pair);
    let per_joint = |m: &Measured, k: usize| m.ms[k] / m.joints as f64;
    let [free, fixed] = [0, 1].map(|k| digits(per_joint(&pair[0], k) / per_joint(&pair[1], k)));
    closed.note(format!(
        "Per joint the net costs {free} times as much as the tree with chosen substeps, {fixed} times with substeps of 1 ms."
    ));
    data.push(json!({ "family": "net and tree", "rows": pair }));
    tables.insert(0, summary);
    tables.push(closed);
    Section { title: TITLE, about: ABOUT, tables, pictures: Vec::new(), data: json!(data) }
}

/// Times one scene.
fn measure(scene: &Scene, quick: bool) -> Measured {
    eprintln!("growth: {}", scene.name);
    let (rounds, steps) = if quick { (2, 30) } else { (5, 100) };
    let fixed = Settings { substeps: Substeps::Fixed(10), ..Settings::default() };
    let kinds = [(Settings::default(), steps), (fixed, 10)];
    let mut m = Measured {
        scene: scene.name.clone(),
        bodies: scene.blocks.len(),
        joints: scene.links.len(),
        first_ms: 0.0,
        ms: [0.0; 2],
        substeps: [0.0; 2],
        rounds: [0.0; 2],
        allocations: [0.0; 2],
        failed: 0,
    };
    let (mut first, mut times) = (Vec::new(), [Vec::new(), Vec::new()]);
    for _ in 0..rounds {
        for (k, &(ref settings, steps)) in kinds.iter().enumerate() {
            let (mut seconds, mut done, mut asked) = (0.0, 0, 0);
            while seconds < 0.02 {
                let mut engine = Kreisel::load(scene, settings);
                let start = thread_seconds();
                engine.step();
                let begun = thread_seconds();
                first.push((begun - start) * 1e3);
                let before = allocations::count();
                for _ in 0..steps {
                    engine.step();
                }
                seconds += thread_seconds() - begun;
                asked += allocations::count() - before;
                done += steps;
                let work = engine.work().unwrap_or_default();
                let per = PerStep::new(work, steps + 1);
                (m.substeps[k], m.rounds[k]) = (per.substeps, per.rounds);
                m.failed = m.failed.max(work.failed);
            }
            times[k].push(seconds * 1e3 / done as f64);
            m.allocations[k] = asked as f64 / done as f64;
        }
    }
    m.first_ms = median(&first);
    m.ms = times.map(|t| median(&t));
    m
}

/// A line through the origin.
#[derive(Clone, Copy, Debug, Serialize)]
struct Fit {
    /// ms per joint.
    slope: f64,
    /// R².
    quality: f64,
    /// Largest over smallest time per joint.
    range: f64,
}

fn fit(rows: &[Measured], kind: usize) -> Fit {
    let points: Vec<(f64, f64)> = rows.iter().map(|m| (m.joints as f64, m.ms[kind])).collect();
    let slope = points.iter().map(|(n, t)| n * t).sum::<f64>()
        / points.iter().map(|(n, _)| n * n).sum::<f64>();
    let mean = points.iter().map(|p| p.1).sum::<f64>() / points.len() as f64;
    let left: f64 = points.iter().map(|(n, t)| (t - slope * n).powi(2)).sum();
    let all: f64 = points.iter().map(|(_, t)| (t - mean).powi(2)).sum();
    let per_joint = points.iter().map(|(n, t)| t / n);
    let range = per_joint.clone().fold(0.0, f64::max) / per_joint.fold(f64::INFINITY, f64::min);
    Fit { slope, quality: 1.0 - left / all, range }
}

fn details(title: &str, rows: &[Measured]) -> Table {
    let mut table = Table::new(
        title,
        &[
            "scene",
            "joints",
            "first step ms",
            "ms/step",
            "substeps",
            "rounds",
            "µs/joint",
            "ms/step, substeps of 1 ms",
            "rounds",
            "µs/joint",
            "allocations/step",
            "failed steps",
        ],
    );
    for m in rows {
        let per_joint = m.ms.map(|t| digits(t * 1e3 / m.joints as f64));
        table.row([
            m.scene.clone(),
            m.joints.to_string(),
            digits(m.first_ms),
            digits(m.ms[0]),
            digits(m.substeps[0]),
            digits(m.rounds[0]),
            per_joint[0].clone(),
            digits(m.ms[1]),
            digits(m.rounds[1]),
            per_joint[1].clone(),
            digits(m.allocations[0].max(m.allocations[1])),
            m.failed.to_string(),
        ]);
    }
    table
}
