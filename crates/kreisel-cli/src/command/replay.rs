//! `kreisel replay`: runs the scene of a recording again and compares every state, bit by bit.

use crate::args::{Params, Replay};
use crate::exit::{Exit, Failure};
use crate::runner::interruption;
use crate::{scene_file, source};
use kreisel_dynamics::Interrupt;
use kreisel_scene::record::{ReplayError, replay};
use serde::Serialize;
use std::sync::atomic::Ordering;

/// The result as JSON.
#[derive(Serialize)]
struct Outcome {
    same: bool,
    compared: usize,
    rows: usize,
    interrupted: bool,
    step: Option<u64>,
    time: Option<f64>,
    differs: Vec<Differs>,
}

#[derive(Serialize)]
struct Differs {
    quantity: String,
    recorded: f64,
    now: f64,
}

/// Most quantities that are listed for people.
const SHOWN: usize = 10;

/// Replays a recording, or a live session from its journal.
pub fn run(args: &Replay) -> Result<Exit, Failure> {
    if is_journal(&args.file) {
        return super::replay_journal::run(args);
    }
    let recording = source::recording(&args.file, args.quiet)?;
    let refuse = |e: ReplayError| match e {
        ReplayError::Scene(error) => Failure::from(error),
        other => Failure::file(&args.file, other),
    };
    let scene = match &args.scene {
        Some(path) => {
            let set = recording.header.changes.params.clone();
            let mut scene = scene_file::load(
                path,
                &Params {
                    set,
                    allow_outside: args.allow_outside,
                    packages: Vec::new(),
                    lenient: true,
                },
            )?;
            recording.header.changes.apply(&mut scene).map_err(Failure::usage)?;
            scene
        }
        None => scene_file::of_recording(&recording, &args.file, args.allow_outside)?,
    };
    // The flag that a signal sets also gives up the step that is being made.
    let stop = interruption();
    let mut scene = scene;
    scene.world.set_interrupt(Interrupt::from_flag(std::sync::Arc::clone(&stop)));
    let found = replay(&recording, &scene, |_| !stop.load(Ordering::Relaxed)).map_err(refuse)?;
    let interrupted = stop.load(Ordering::Relaxed);
    let (step, time, differs) = match found.differs.clone() {
        Some((step, time, list)) => (Some(step), Some(time), list),
        None => (None, None, Vec::new()),
    };
    let outcome = Outcome {
        same: step.is_none(),
        compared: found.compared,
        rows: recording.rows(),
        interrupted,
        step,
        time,
        differs: differs
            .into_iter()
            .map(|(quantity, recorded, now)| Differs { quantity, recorded, now })
            .collect(),
    };
    if args.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&outcome).map_err(|e| Failure::resource(e.to_string()))?
        );
    } else if !args.quiet {
        print(&outcome);
    }
    Ok(match (outcome.same, interrupted) {
        (false, _) => Exit::Wrong,
        (true, true) => Exit::Interrupted,
        (true, false) => Exit::Success,
    })
}

/// Journals are text, an object per line; recordings begin with their mark.
fn is_journal(path: &std::path::Path) -> bool {
    let mut first = [0];
    std::fs::File::open(path)
        .and_then(|mut f| std::io::Read::read_exact(&mut f, &mut first))
        .is_ok()
        && first == *b"{"
}

fn print(outcome: &Outcome) {
    let Some(step) = outcome.step else {
        let states = if outcome.interrupted { "states, then interrupted" } else { "states" };
        println!("the same to the bit: {} {states}", outcome.compared);
        return;
    };
    println!("differs first at step {step}, {:.6} s", outcome.time.unwrap_or_default());
    for d in outcome.differs.iter().take(SHOWN) {
        println!("  {}: {:?} recorded, {:?} now", d.quantity, d.recorded, d.now);
    }
    if outcome.differs.len() > SHOWN {
        println!("  and {} more quantities", outcome.differs.len() - SHOWN);
    }
    if outcome.differs.is_empty() {
        println!("  no recorded quantity shows it: something else of the state differs");
    }
}
