//! Time and exactness of joints against the peers: chains and nets released from the horizontal,
//! 0.01 s steps, 10 s.

use super::Options;
use crate::engine::Setup;
use crate::engines::{kreisel, rapier};
use crate::page::Section;
use crate::race::{Outcome, Plan, race};
use crate::scene::Scene;
use crate::scenes::{chain, net};
use crate::table::{Table, digits, percent, ratio, small};
use serde_json::json;

/// Heading on the page.
pub const TITLE: &str = "Joints against the peers";

/// A peer takes part in the comparison when no joint is ever off by more, m.
const GOOD: f64 = 1e-4;

const ABOUT: &str = "\
Chains of 10, 100 and 1000 boxes (0.1 × 0.05 × 0.05 m, 1 kg) on ball joints and nets of 10 × 10 and 30 × 30 nodes (rods of
0.1 m, 0.1 kg; pinned at two opposite corners), released from the horizontal at rest; steps of 0.01 s for 10 s, the whip at
the end of the fall included. Kreisel holds joints to 1e-6 m. The comparison is with the fastest peer whose worst joint
stays under 1e-4 m in all judged steps. `rapier AxB`: A substeps with B sweeps each (4 is its default); `box3d A`: A
substeps, `stiff`: joints at 1e6 Hz instead of the soft default.";

/// Runs the suite.
pub fn run(options: &Options) -> Section {
    let scenes = [chain(10), chain(100), chain(1000), net(10), net(30)];
    let mut summary = Table::new(
        "Ratios",
        &["scene", "bodies", "joints", "peer under 1e-4 m", "kreisel auto", "symmetric", "energy"],
    );
    let (mut tables, mut data) = (Vec::new(), Vec::new());
    for scene in scenes.iter().filter(|s| options.wants_scene(&s.name)) {
        let mut setups = setups();
        setups.retain(|s| options.wants_engine(&s.name));
        let outcomes = race(scene, &setups, plan(scene, options));
        let best = best(&outcomes);
        let mut cells =
            vec![scene.name.clone(), scene.blocks.len().to_string(), scene.links.len().to_string()];
        cells.push(best.map_or("none".into(), |b| {
            let all = b.verdict.steps == plan(scene, options).steps;
            let judged =
                if all { String::new() } else { format!(", {} steps judged", b.verdict.steps) };
            format!("{}, {} ms{judged}", b.name, digits(b.ms()))
        }));
        cells.extend(outcomes.iter().filter(|o| o.ours).map(|o| match best {
            _ if !o.verdict.valid() => "did not run".into(),
            Some(b) => ratio(o.ratio_of(b)),
            None => "-".into(),
        }));
        summary.row(cells);
        tables.push(details(scene, &outcomes));
        data.push(
            json!({ "scene": scene.name, "best": best.map(|b| &b.name), "outcomes": outcomes }),
        );
    }
    summary.note(
        "A peer is judged to its cap of processor time; where fewer than all steps are named, it may have missed the whip.",
    );
    if cfg!(not(feature = "box3d")) {
        summary.note("Box3D is not in this run: it was built without the feature `box3d` (needs cmake and libclang).");
    }
    tables.insert(0, summary);
    Section { title: TITLE, about: ABOUT, tables, pictures: Vec::new(), data: json!(data) }
}

fn setups() -> Vec<Setup> {
    let mut setups = kreisel::steppings();
    setups.extend(
        [(4, 1), (16, 8), (32, 8), (64, 8), (128, 8), (256, 8), (512, 8)]
            .map(|(substeps, sweeps)| rapier::setup(substeps, sweeps)),
    );
    #[cfg(feature = "box3d")]
    setups.extend(crate::engines::box3d::setups());
    setups
}

fn plan(scene: &Scene, options: &Options) -> Plan {
    let plan = match (options.quick, scene.blocks.len() > 200) {
        (true, large) => {
            Plan { steps: if large { 100 } else { 1000 }, rounds: 3, judged: 1.0, timed: [0.3; 2] }
        }
        (false, large) => Plan {
            steps: 1000,
            rounds: if large { 3 } else { 5 },
            judged: 40.0,
            timed: [30.0, 1.5],
        },
    };
    Plan { judged: options.cap.unwrap_or(plan.judged), ..plan }
}

/// The fastest peer that is good enough.
fn best(outcomes: &[Outcome]) -> Option<&Outcome> {
    outcomes
        .iter()
        .filter(|o| !o.ours && o.verdict.valid() && o.verdict.gap < GOOD)
        .min_by(|a, b| a.ms().total_cmp(&b.ms()))
}

fn details(scene: &Scene, outcomes: &[Outcome]) -> Table {
    let mut table = Table::new(
        &scene.name,
        &[
            "engine",
            "ms/step",
            "spread",
            "worst joint m",
            "energy drift",
            "worst energy error",
            "substeps",
            "energy steps",
            "failed steps",
            "judged",
            "timed",
        ],
    );
    for o in outcomes {
        let own = |f: fn(&crate::race::PerStep) -> String| o.work.as_ref().map_or("-".into(), f);
        table.row([
            o.name.clone(),
            digits(o.ms()),
            percent(o.spread()),
            small(o.verdict.joint_error()),
            small(o.verdict.drift),
            small(o.verdict.energy_error),
            own(|w| digits(w.substeps)),
            own(|w| percent(w.energy_share)),
            own(|w| w.failed.to_string()),
            o.verdict.steps.to_string(),
            o.timed_steps.to_string(),
        ]);
    }
    table
}
