//! Engines against each other on one scene, in one process and in turns.
//!
//! First every engine runs once with the judge looking at every step; that run is not timed. Then
//! all engines are timed in turn, and the round is repeated: a busy moment of the machine then hits
//! neighbours alike, and ratios are taken within a round. Times are processor time of the stepping
//! thread. Runs end at a cap of processor time; how many steps were judged and timed is part of the
//! outcome. An iterative engine costs the same at every step, so that a shortened timing is fair to
//! it; Kreisel chooses its substeps by the motion, and is given the cap that lets it finish.

use crate::clock::thread_seconds;
use crate::engine::{Setup, Work};
use crate::judge::{Judge, Verdict};
use crate::scene::Scene;
use serde::Serialize;

/// A timed run fills at least so many seconds.
const AT_LEAST: f64 = 0.1;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Steps of the whole run.
    pub steps: usize,
    /// Timed rounds.
    pub rounds: usize,
    /// Cap of processor time for the judged run of an engine, s.
    pub judged: f64,
    /// Cap of processor time for one timed run of Kreisel and of a peer, s.
    pub timed: [f64; 2],
}

/// What became of one engine.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Name of engine and setting.
    pub name: String,
    /// Whether this is Kreisel.
    pub ours: bool,
    /// The judge's findings.
    pub verdict: Verdict,
    /// The engine's own account of the judged run, per step.
    pub work: Option<PerStep>,
    /// Processor time per step in each round, ms.
    pub times: Vec<f64>,
    /// Fewest steps timed in a round.
    pub timed_steps: usize,
}

/// Averages over the judged steps, but for the failures, which are counted.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PerStep {
    /// Substeps per step.
    pub substeps: f64,
    /// Share of energy-momentum substeps.
    pub energy_share: f64,
    /// Rejected substeps per step.
    pub rejected: f64,
    /// Rounds of joint correction per substep.
    pub rounds: f64,
    /// Steps that did not end with every joint within tolerance.
    pub failed: u64,
}

impl PerStep {
    /// From sums over `steps`.
    pub fn new(work: Work, steps: usize) -> Self {
        let (steps, substeps) = (steps.max(1) as f64, work.substeps.max(1) as f64);
        Self {
            substeps: work.substeps as f64 / steps,
            energy_share: work.energy_substeps as f64 / substeps,
            rejected: work.rejected as f64 / steps,
            rounds: work.rounds as f64 / substeps,
            failed: work.failed,
        }
    }
}

impl Outcome {
    /// Median time per step, ms.
    pub fn ms(&self) -> f64 {
        median(&self.times)
    }

    /// (largest − smallest) / median of the times.
    pub fn spread(&self) -> f64 {
        let (low, high) = range(&self.times);
        (high - low) / self.ms()
    }

    /// How many times as long the other one takes: median, smallest and largest over the rounds.
    pub fn ratio_of(&self, other: &Self) -> [f64; 3] {
        let ratios: Vec<f64> = self.times.iter().zip(&other.times).map(|(a, b)| b / a).collect();
        let (low, high) = range(&ratios);
        [median(&ratios), low, high]
    }
}

/// The middle value.
pub fn median(values: &[f64]) -> f64 {
    let mut v = values.to_vec();
    v.sort_by(f64::total_cmp);
    match v.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => v[n / 2],
        n => (v[n / 2 - 1] + v[n / 2]) / 2.0,
    }
}

fn range(values: &[f64]) -> (f64, f64) {
    (
        values.iter().copied().fold(f64::INFINITY, f64::min),
        values.iter().copied().fold(0.0, f64::max),
    )
}

/// Runs one engine before the judge.
pub fn judged(
    scene: &Scene,
    setup: &Setup,
    steps: usize,
    cap: f64,
) -> (Verdict, Option<PerStep>, f64) {
    let mut engine = (setup.load)(scene);
    let mut judge = Judge::new(scene);
    let mut poses = Vec::new();
    let mut seconds = 0.0;
    while judge.verdict().steps < steps && seconds < cap {
        let start = thread_seconds();
        engine.step();
        seconds += thread_seconds() - start;
        engine.sample(&mut poses);
        judge.see(&poses);
        if !judge.verdict().finite {
            break;
        }
    }
    let verdict = judge.verdict();
    let ms = seconds * 1e3 / verdict.steps.max(1) as f64;
    (verdict, engine.work().map(|w| PerStep::new(w, verdict.steps)), ms)
}

/// Times one engine: ms per step, and steps made in a run. Short runs are repeated until they fill
/// `AT_LEAST` seconds.
pub fn timed(scene: &Scene, setup: &Setup, steps: usize, cap: f64) -> (f64, usize) {
    let (mut all_steps, mut all_seconds, mut done) = (0, 0.0, 0);
    while all_steps == 0 || all_seconds < AT_LEAST.min(cap) {
        let mut engine = (setup.load)(scene);
        let (start, mut seconds) = (thread_seconds(), 0.0);
        done = 0;
        while done < steps && seconds < cap {
            for _ in 0..10.min(steps - done) {
                engine.step();
                done += 1;
            }
            seconds = thread_seconds() - start;
        }
        all_steps += done;
        all_seconds += seconds;
    }
    (all_seconds * 1e3 / all_steps as f64, done)
}

/// The whole race.
pub fn race(scene: &Scene, setups: &[Setup], plan: Plan) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = setups
        .iter()
        .map(|setup| {
            eprintln!("{}: {}, judged", scene.name, setup.name);
            let (verdict, work, _) = judged(scene, setup, plan.steps, plan.judged);
            let name = setup.name.clone();
            Outcome {
                name,
                ours: setup.ours,
                verdict,
                work,
                times: Vec::new(),
                timed_steps: plan.steps,
            }
        })
        .collect();
    for round in 0..plan.rounds {
        eprintln!("{}: round {} of {}", scene.name, round + 1, plan.rounds);
        for k in 0..setups.len() {
            // another one begins each round: the first finds the caches and the clock rate of what
            // ran before
            let k = (k + round) % setups.len();
            let (ms, done) =
                timed(scene, &setups[k], plan.steps, plan.timed[usize::from(!setups[k].ours)]);
            outcomes[k].times.push(ms);
            outcomes[k].timed_steps = outcomes[k].timed_steps.min(done);
        }
    }
    outcomes
}
