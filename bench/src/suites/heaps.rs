//! Heaps of every shape against rapier: time, overlap, speed at rest, energy.

use super::Options;
use super::contacts::setups;
use crate::allocations;
use crate::clock::thread_seconds;
use crate::engine::{Setup, Work};
use crate::heap_judge::{HeapJudge, Seen};
use crate::page::Section;
use crate::race::{median, timed};
use crate::scene::Scene;
use crate::scenes::{Kind, heap, ragdolls, terrain};
use crate::table::{Table, digits};
use serde_json::json;

/// Heading on the page.
pub const TITLE: &str = "Heaps of every shape against rapier";

const ABOUT: &str = "\
1000 bodies about 1 m wide, turned at random, that fall into an open box: balls, boxes of mixed edges, capsules, cylinders, cones, convex hulls of 14 and
of 50 vertices, and a mix (without cones and hulls of 50); 50 and 200 ragdolls of ten capsules and nine ball joints; 500 mixed bodies on a hilly bowl of 64 × 64 heights, as a height field and as a mesh. 1 kg, friction 0.5, steps of 1/60 s for 5 s, one
thread, nobody sleeps. `rapier` is rapier3d 0.36 (f32) with its defaults, `kreisel 1e-5 m` has a contact tolerance of 1e-5 m. The ratio is Kreisel's time over
rapier's in the same round: below 1, Kreisel is faster. One judge sees both: overlaps (every tenth step), the fastest body at the end and
in the second half, the largest rise of kinetic energy and that of gravity over any stretch, as a share of that at the start. Slowest: processor time of the slowest step of the judged run. Allocations: mean of the last 100 steps.";

/// Runs the suite.
pub fn run(options: &Options) -> Section {
    let kinds = [
        ("balls", Kind::Balls),
        ("boxes", Kind::Boxes),
        ("capsules", Kind::Capsules),
        ("cylinders", Kind::Cylinders),
        ("cones", Kind::Cones),
        ("hulls14", Kind::Hulls(14)),
        ("hulls50", Kind::Hulls(50)),
        ("mixed", Kind::Mixed),
    ];
    let mut scenes: Vec<Scene> = kinds.iter().map(|(name, kind)| heap(name, *kind)).collect();
    scenes.extend([
        ragdolls(50),
        ragdolls(200),
        terrain("field500", false),
        terrain("mesh500", true),
    ]);
    let mut table = Table::new(
        "Heaps",
        &[
            "scene",
            "engine",
            "ms/step",
            "time / rapier",
            "overlap at the end mm",
            "worst mm",
            "speed at the end m/s",
            "fastest in the second half m/s",
            "largest rise of energy",
            "lost",
            "sweeps",
            "again",
            "halved",
            "slowest ms",
            "allocations",
        ],
    );
    let mut data = Vec::new();
    let steps = if options.quick { 100 } else { 300 };
    for scene in scenes.iter().filter(|s| options.wants_scene(&s.name)) {
        let mut setups = setups();
        setups.retain(|s| options.wants_engine(&s.name) && !s.name.contains("calm"));
        let outcomes = race(scene, &setups, steps, if options.quick { 1 } else { 3 });
        let peer = outcomes.iter().find(|o| o.name == "rapier").map(|o| o.times.clone());
        for o in &outcomes {
            let ratios = peer
                .iter()
                .flat_map(|p| o.times.iter().zip(p))
                .map(|(a, b)| a / b)
                .collect::<Vec<_>>();
            let per_step = |what: fn(&Work) -> u64| {
                o.work.map_or_else(|| "-".into(), |w| digits(what(&w) as f64 / steps as f64))
            };
            table.row([
                scene.name.clone(),
                o.name.clone(),
                digits(median(&o.times)),
                if ratios.is_empty() { "-".into() } else { digits(median(&ratios)) },
                digits(1e3 * o.seen.last),
                digits(1e3 * o.seen.worst),
                digits(o.seen.speed),
                digits(o.seen.fastest),
                digits(o.seen.rise / o.seen.energy),
                o.seen.lost.to_string(),
                per_step(|w| w.sweeps),
                per_step(|w| w.repeats),
                per_step(|w| w.cuts),
                digits(o.slowest),
                digits(o.allocations),
            ]);
        }
        data.push(json!({ "scene": scene.name, "outcomes": outcomes }));
    }
    Section {
        title: TITLE,
        about: ABOUT,
        tables: vec![table],
        pictures: Vec::new(),
        data: json!(data),
    }
}

#[derive(Clone, Debug, serde::Serialize)]
struct Outcome {
    name: String,
    seen: Seen,
    work: Option<Work>,
    /// Processor time of the slowest step, ms.
    slowest: f64,
    /// Allocations per step at the end.
    allocations: f64,
    /// Processor time per step in each round, ms.
    times: Vec<f64>,
}

/// Every engine once before the judge, then all in turns against the clock.
fn race(scene: &Scene, setups: &[Setup], steps: usize, rounds: usize) -> Vec<Outcome> {
    let judged = |setup: &Setup| {
        let mut engine = (setup.load)(scene);
        let mut judge = HeapJudge::new(scene, steps);
        let (mut poses, mut seconds, mut slowest, mut allocated) = (Vec::new(), 0.0, 0.0_f64, 0);
        for k in 0..steps {
            let (start, before) = (thread_seconds(), allocations::count());
            engine.step();
            let took = thread_seconds() - start;
            (seconds, slowest) = (seconds + took, slowest.max(1e3 * took));
            if k + 100 >= steps {
                allocated += allocations::count() - before;
            }
            engine.sample(&mut poses);
            judge.see(&poses);
        }
        eprintln!(
            "{}: {}, {:.3} ms/step, {:?}",
            scene.name,
            setup.name,
            1e3 * seconds / steps as f64,
            judge.seen()
        );
        let allocations = allocated as f64 / steps.min(100) as f64;
        let (name, seen, work) = (setup.name.clone(), judge.seen(), engine.work());
        Outcome { name, seen, work, slowest, allocations, times: Vec::new() }
    };
    let mut outcomes: Vec<Outcome> = setups.iter().map(judged).collect();
    for round in 0..rounds {
        for k in 0..setups.len() {
            let k = (k + round) % setups.len();
            outcomes[k].times.push(timed(scene, &setups[k], steps, 1e9).0);
        }
    }
    outcomes
}
