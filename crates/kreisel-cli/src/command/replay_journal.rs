//! `kreisel replay` on a journal: repeats a live session.

use crate::args::Replay;
use crate::exit::{Exit, Failure};
use crate::runner::interruption;
use crate::table::Table;
use kreisel_scene::record::{Columns, CsvFile, create};
use kreisel_session::journal::{self, ReplayError, Replayed};
use serde::Serialize;
use std::fs::File;
use std::sync::atomic::Ordering;

/// The result as JSON.
#[derive(Serialize)]
struct Outcome {
    commands: usize,
    steps: u64,
    time: f64,
    state: String,
    /// Whether the journal states its end, which then was reached to the bit.
    compared: bool,
    /// Whether its last line was cut off.
    torn: bool,
}

/// Replays a journal and compares its end to the bit.
pub fn run(args: &Replay) -> Result<Exit, Failure> {
    let text = std::fs::read_to_string(&args.file).map_err(|e| Failure::file(&args.file, e))?;
    let mut csv: Option<CsvFile<File>> = None;
    let mut failed: Option<std::io::Error> = None;
    let files = journal::scene_name(&text)
        .map(|name| kreisel_scene::home(&name, &args.file, args.allow_outside));
    let options = kreisel_scene::Options {
        folder: files,
        allow_outside: args.allow_outside,
        ..Default::default()
    };
    let stop = interruption();
    let done = journal::replay(&text, &options, |session| {
        let go_on = !stop.load(Ordering::Relaxed);
        let Some(path) = args.csv.as_ref().filter(|_| failed.is_none()) else { return go_on };
        let world = &session.simulation().world;
        if csv.is_none() {
            let made = Columns::of(session.scene())
                .map_err(|e| std::io::Error::other(e.to_string()))
                .and_then(|c| CsvFile::new(create(path)?, c));
            match made {
                Ok(file) => csv = Some(file),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(Err(e)) = csv.as_mut().map(|f| f.write(world, session.report())) {
            failed = Some(e);
        }
        go_on
    });
    if let (Some(e), Some(path)) = (failed, &args.csv) {
        return Err(Failure::file(path, e));
    }
    if let (Some(file), Some(path)) = (csv, &args.csv) {
        file.finish().map_err(|e| Failure::file(path, e))?;
    }
    let done = match done {
        Ok(done) => done,
        Err(ReplayError::Interrupted(steps)) => {
            eprintln!("interrupted after {steps} steps");
            return Ok(Exit::Interrupted);
        }
        // Another end is what a replay is there to find.
        Err(e @ ReplayError::Differs { .. }) => {
            eprintln!("error: {}: {e}", args.file.display());
            return Ok(Exit::Wrong);
        }
        Err(e) => return Err(Failure::file(&args.file, e)),
    };
    print(args, &done)?;
    Ok(Exit::Success)
}

fn print(args: &Replay, done: &Replayed) -> Result<(), Failure> {
    let outcome = Outcome {
        commands: done.commands,
        steps: done.session.steps(),
        time: done.session.simulation().world.time(),
        state: done.session.hash(),
        compared: done.checked,
        torn: done.torn,
    };
    if args.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&outcome).map_err(|e| Failure::resource(e.to_string()))?
        );
    } else if !args.quiet {
        let mut t = Table::default();
        t.line("commands", outcome.commands);
        t.line("steps", outcome.steps);
        t.line("time", format!("{:.6} s", outcome.time));
        t.line("state", &outcome.state);
        let compared = if done.checked {
            "the same bits as in the session"
        } else {
            "the journal states no end"
        };
        t.line("compared", compared);
        if done.torn {
            t.line("last line", "cut off; the others were replayed");
        }
        print!("{t}");
    }
    Ok(())
}
