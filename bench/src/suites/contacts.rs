//! Time and overlap of stacks and piles against the peers: cubes of 1 m, friction 0.5, 1/60 s, one
//! thread, nobody sleeps.

use super::Options;
use crate::clock::thread_seconds;
use crate::engine::{Setup, Work};
use crate::engines::{kreisel, rapier};
use crate::overlap::{Depths, OverlapJudge};
use crate::page::Section;
use crate::race::{median, timed};
use crate::scene::Scene;
use crate::scenes::{funnel, pile, pyramid, wall};
use crate::table::{Table, digits};
use kreisel_dynamics::Settings;
use serde_json::json;

/// Heading on the page.
pub const TITLE: &str = "Contacts against the peers";

const ABOUT: &str = "\
Plane pyramids with 10, 20 and 40 cubes at the base, piles of 1000 and 4000 tilted cubes that fall into an open box, Bender's wall of 252
bricks, and 1000 cubes through a funnel; cubes of 1 m and 1 kg, friction 0.5 (funnel 0.1), steps of 1/60 s for 5 s (pile4000: 4 s), one
thread, nobody sleeps. `rapier` is rapier3d 0.36 (f32) with its defaults: 4 substeps, contacts soft at 30 Hz. `kreisel` has its defaults (f64, large heaps swept in f32);
`1e-5 m`: contact tolerance ten times looser, `calm`: the setting for large calm piles, 1e-4 m, 12 sweeps, new overlaps up to 1 cm. Overlaps come from one judge (fifteen separating axes) over the poses of
every step; the ratio is Kreisel's time over rapier's in the same round: below 1, Kreisel is faster. Per step: sweeps of the position solve, steps made
again, and steps cut in halves, because bodies had met too deeply. The second table has the time by the clock with more threads; results are the same to the bit.";

/// Runs the suite.
pub fn run(options: &Options) -> Section {
    let scenes = [
        (pyramid(10), 300),
        (pyramid(20), 300),
        (pyramid(40), 300),
        (pile([10, 10, 10], 15.0), 300),
        (pile([20, 10, 20], 29.0), 240),
        (wall(), 300),
        (funnel(), 300),
    ];
    let mut table = Table::new(
        "Stacks and piles",
        &[
            "scene",
            "engine",
            "ms/step",
            "time / rapier",
            "overlap at the end mm",
            "worst overlap mm",
            "drift m",
            "speed at the end m/s",
            "sweeps",
            "again",
            "halved",
        ],
    );
    let mut data = Vec::new();
    for (scene, steps) in scenes.iter().filter(|(s, _)| options.wants_scene(&s.name)) {
        let mut setups = setups();
        setups.retain(|s| options.wants_engine(&s.name));
        let steps = if options.quick { *steps / 5 } else { *steps };
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
                digits(1e3 * o.depths.last),
                digits(1e3 * o.depths.worst),
                digits(o.depths.drift),
                digits(o.depths.speed),
                per_step(|w| w.sweeps),
                per_step(|w| w.repeats),
                per_step(|w| w.cuts),
            ]);
        }
        data.push(json!({ "scene": scene.name, "outcomes": outcomes }));
    }
    table.note("Bodies that fly apart make few contacts: read time and overlap together with drift and speed.");
    let threads = threads(options);
    Section {
        title: TITLE,
        about: ABOUT,
        tables: vec![table, threads],
        pictures: Vec::new(),
        data: json!(data),
    }
}

/// A large heap on one thread and on two, in turns, by the clock.
fn threads(options: &Options) -> Table {
    let mut table = Table::new(
        "Threads",
        &["scene", "ms/step, one thread", "two threads", "ratio", "from", "to"],
    );
    let scenes = [(pyramid(40), 300), (pile([20, 10, 20], 29.0), 240)];
    for (scene, steps) in scenes
        .iter()
        .filter(|(s, _)| options.wants_scene(&s.name) && options.wants_engine("threads"))
    {
        let setups = [1, 2].map(|threads| {
            let mut settings = Settings { threads, ..Settings::default() };
            settings.contact.tolerance = 1e-5;
            kreisel::setup(format!("{threads} threads"), settings)
        });
        let steps = if options.quick { *steps / 5 } else { *steps };
        let mut times = [const { Vec::new() }; 2];
        for round in 0..if options.quick { 1 } else { 5 } {
            for k in [round % 2, 1 - round % 2] {
                let mut engine = (setups[k].load)(scene);
                let start = std::time::Instant::now();
                (0..steps).for_each(|_| engine.step());
                times[k].push(1e3 * start.elapsed().as_secs_f64() / steps as f64);
            }
            eprintln!("{}: threads, round {}", scene.name, round + 1);
        }
        let mut ratios: Vec<f64> = times[0].iter().zip(&times[1]).map(|(a, b)| a / b).collect();
        ratios.sort_by(f64::total_cmp);
        table.row([
            scene.name.clone(),
            digits(median(&times[0])),
            digits(median(&times[1])),
            digits(median(&ratios)),
            digits(ratios[0]),
            digits(ratios[ratios.len() - 1]),
        ]);
    }
    table.note("By the clock: other programs on the machine count.");
    table
}

#[derive(Clone, Debug, serde::Serialize)]
struct Outcome {
    name: String,
    depths: Depths,
    /// The engine's own account of the judged run.
    work: Option<Work>,
    /// Processor time per step in each round, ms.
    times: Vec<f64>,
}

/// rapier, and Kreisel with the tolerances that are compared.
pub(super) fn setups() -> Vec<Setup> {
    let ours = |name: &str, tolerance: f64, sweeps: Option<u32>, overlap: f64| {
        let mut settings = Settings { threads: 1, ..Settings::default() };
        settings.contact.tolerance = tolerance;
        settings.contact.max_sweeps = sweeps;
        settings.contact.overlap = overlap;
        kreisel::setup(name, settings)
    };
    let standard = Settings::default().contact;
    vec![
        rapier::contact_setup(),
        ours("kreisel", standard.tolerance, standard.max_sweeps, standard.overlap),
        ours("kreisel 1e-5 m", 1e-5, standard.max_sweeps, standard.overlap),
        ours("kreisel calm", 1e-4, Some(12), 1e-2),
    ]
}

/// Every engine once before the judge, then all in turns against the clock.
fn race(scene: &Scene, setups: &[Setup], steps: usize, rounds: usize) -> Vec<Outcome> {
    let judged = |setup: &Setup| {
        eprintln!("{}: {}, judged", scene.name, setup.name);
        let mut engine = (setup.load)(scene);
        let mut judge = OverlapJudge::new(scene);
        let (mut poses, mut seconds) = (Vec::new(), 0.0);
        for _ in 0..steps {
            let start = thread_seconds();
            engine.step();
            seconds += thread_seconds() - start;
            engine.sample(&mut poses);
            judge.see(&poses);
        }
        eprintln!("  {:.3} ms/step, {:?}", 1e3 * seconds / steps as f64, judge.depths());
        Outcome {
            name: setup.name.clone(),
            depths: judge.depths(),
            work: engine.work(),
            times: Vec::new(),
        }
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
