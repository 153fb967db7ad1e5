//! Extreme mass ratios: whether joints hold, whether energy grows, and what it costs.
//!
//! Chains of 10, 100 and 1000 links at 1/60 s for 10 s. Every row is one run judged after every
//! step; its cost is processor time over that of the same chain with equal masses. A run that is
//! not done within its cap of processor time is cut, and the row says after how many steps.

use super::Options;
use crate::engine::Setup;
use crate::engines::{kreisel, rapier};
use crate::page::Section;
use crate::race::judged;
use crate::scene::Kind;
use crate::scenes::{Masses, Start, mixed_chain};
use crate::table::{Table, digits, percent, small};
use kreisel_dynamics::Stepping;
use serde_json::{Value, json};

/// Heading on the page.
pub const TITLE: &str = "Extreme mass ratios";

const ABOUT: &str = "\
Chains of 10, 100 and 1000 boxes at steps of 1/60 s for 10 s, with ball, hinge, universal and slider joints (a slider chain
alternates hinges and sliders held by springs that carry everything behind them: with heavy links behind light ones such a
chain is stiff by itself, up to 2e4 rad/s). Heavy links have `ratio` times the mass of light ones (1 kg): the first,
every second, the last, or graded from 1 to the ratio. Worst joint: largest gap (m) or misalignment (rad) after any step;
the tolerance is 1e-6. Rise: largest climb of the energy above its lowest value before. Cost: time over that of equal
masses. The starts are level, level with a spin of 3 rad/s about the vertical, and upright.";

const KINDS: [Kind; 4] = [Kind::Ball, Kind::Hinge, Kind::Universal, Kind::Slider];
const HEAVY: [Masses; 4] = [Masses::First, Masses::Alternating, Masses::Tip, Masses::Graded];

/// What a matrix of runs showed at worst.
#[derive(Default)]
struct Worst {
    joint: f64,
    rise: f64,
    cost: f64,
    failed: u64,
    cut: usize,
    invalid: usize,
    runs: usize,
}

/// Runs the suite.
pub fn run(options: &Options) -> Section {
    let mut summary = Table::new(
        "Worst of each matrix",
        &[
            "engine",
            "joints",
            "runs",
            "worst joint",
            "rise",
            "cost",
            "failed steps",
            "runs cut short",
            "runs that died",
        ],
    );
    let (mut tables, mut data) = (Vec::new(), Vec::new());
    for (name, stepping) in [("energy", Stepping::Energy), ("auto", Stepping::Auto)] {
        let setup = kreisel::setup(format!("kreisel {name}"), kreisel::stepping(stepping));
        if !options.wants_engine(&setup.name) {
            continue;
        }
        for kind in
            KINDS.into_iter().filter(|k| options.wants_scene(&format!("{k:?}").to_lowercase()))
        {
            let mut worst = Worst::default();
            tables.push(matrix(&setup, kind, options.quick, &mut worst, &mut data));
            summary.row(worst.cells(&setup.name, kind));
        }
    }
    for setup in [rapier::setup(4, 1), rapier::setup(64, 8)] {
        if !options.wants_engine(&setup.name) || !options.wants_scene("ball") {
            continue;
        }
        let mut worst = Worst::default();
        tables.push(matrix(&setup, Kind::Ball, options.quick, &mut worst, &mut data));
        summary.row(worst.cells(&setup.name, Kind::Ball));
    }
    tables.insert(0, summary);
    Section { title: TITLE, about: ABOUT, tables, pictures: Vec::new(), data: Value::Array(data) }
}

impl Worst {
    fn cells(&self, engine: &str, kind: Kind) -> Vec<String> {
        vec![
            engine.to_owned(),
            format!("{kind:?}").to_lowercase(),
            self.runs.to_string(),
            small(self.joint),
            small(self.rise),
            digits(self.cost),
            self.failed.to_string(),
            self.cut.to_string(),
            self.invalid.to_string(),
        ]
    }
}

/// One engine and one kind of joint: all sizes, masses and starts.
fn matrix(
    setup: &Setup,
    kind: Kind,
    quick: bool,
    worst: &mut Worst,
    data: &mut Vec<Value>,
) -> Table {
    let joints = format!("{kind:?}").to_lowercase();
    let mut table = Table::new(
        format!("{}, {joints} joints", setup.name),
        &[
            "n",
            "start",
            "masses",
            "ratio",
            "worst joint",
            "energy drift",
            "rise",
            "ms/step",
            "cost",
            "substeps",
            "energy steps",
            "failed steps",
            "steps",
        ],
    );
    let (steps, cap) = if quick { (60, 1.0) } else { (600, 10.0) };
    for (n, start) in cases(setup, quick) {
        let mut base = f64::NAN;
        for (masses, ratio) in ratios(start) {
            let mut scene = mixed_chain(n, kind, masses, ratio, start, 1.0 / 60.0);
            scene.name = format!("{n} {joints} {start} {masses} {ratio:.0e}");
            eprintln!("ratio: {}: {}", setup.name, scene.name);
            let (verdict, work, ms) = judged(&scene, setup, steps, cap);
            if masses == Masses::Equal {
                base = ms;
            }
            let cost = ms / base;
            worst.runs += 1;
            worst.cost = worst.cost.max(cost);
            worst.cut += usize::from(verdict.valid() && verdict.steps < steps);
            worst.failed += work.map_or(0, |w| w.failed);
            if verdict.valid() {
                worst.joint = worst.joint.max(verdict.joint_error());
                worst.rise = worst.rise.max(verdict.rise);
            } else {
                worst.invalid += 1;
            }
            let own = |f: fn(&crate::race::PerStep) -> String| work.as_ref().map_or("-".into(), f);
            table.row([
                n.to_string(),
                start.to_string(),
                masses.to_string(),
                format!("{ratio:.0e}"),
                small(verdict.joint_error()),
                small(verdict.drift),
                small(verdict.rise),
                digits(ms),
                digits(cost),
                own(|w| digits(w.substeps)),
                own(|w| percent(w.energy_share)),
                own(|w| w.failed.to_string()),
                verdict.steps.to_string(),
            ]);
            data.push(json!({
                "engine": setup.name, "joints": joints, "n": n, "start": start.to_string(), "masses": masses.to_string(),
                "ratio": ratio, "ms": ms, "cost": cost, "verdict": verdict, "work": work,
            }));
        }
    }
    table
}

/// Sizes and starts: peers are shown on short chains only.
fn cases(setup: &Setup, quick: bool) -> Vec<(usize, Start)> {
    match (setup.ours, quick) {
        (false, _) => vec![(10, Start::Level)],
        (true, true) => vec![(10, Start::Level), (100, Start::Level)],
        (true, false) => {
            let level = [10, 100, 1000].map(|n| (n, Start::Level));
            let others =
                [Start::Spin, Start::Upright].into_iter().flat_map(|s| [(10, s), (100, s)]);
            level.into_iter().chain(others).collect()
        }
    }
}

/// Equal masses first, then the heavy ones; the special starts only at the largest ratio.
fn ratios(start: Start) -> Vec<(Masses, f64)> {
    let list: &[f64] = if start == Start::Level { &[1e2, 1e4, 1e6] } else { &[1e6] };
    let heavy = HEAVY.into_iter().flat_map(|m| list.iter().map(move |&r| (m, r)));
    std::iter::once((Masses::Equal, 1.0)).chain(heavy).collect()
}
