//! `kreisel run`: simulates a scene, records it, and says how exact it was.

use super::check::Entry;
use crate::args::Run;
use crate::exit::{Exit, Failure, print_problems};
use crate::output;
use crate::runner::{self, Summary};
use crate::source;
use crate::table::Table;
use kreisel_dynamics::World;
use kreisel_scene::record::{Changes, CsvFile, Input, Recorder, create};
use kreisel_scene::{Answered, External, ExternalError, Scene, Simulation, Terms, last_step};
use serde::Serialize;
use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The summary for programs.
#[derive(Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    /// What the scene was warned of when it was read: what was left out of a robot, and what looks
    /// wrong.
    warnings: Vec<Entry<'a>>,
}

/// Runs a scene.
pub fn run(args: &Run) -> Result<Exit, Failure> {
    let mut scene = crate::scene_file::load(&args.scene, &args.overrides.params)?;
    let changes = Changes { key: args.key.clone(), ..runner::changes(&args.overrides) };
    let until = runner::end(&mut scene, args.overrides.until, &changes)?;
    let columns = source::columns(&scene, &args.quantity)?;
    if !args.quiet && !args.json {
        print_problems(&scene.warnings);
    }
    let [table_out, save_out] =
        [&args.csv, &args.save].map(|path| path.as_deref().is_some_and(output::is_stream));
    let stdout = table_out || save_out;
    let all = [("--csv -", table_out), ("--save -", save_out), ("--json", args.json)];
    if let [first, second, ..] = all.iter().filter(|w| w.1).map(|w| w.0).collect::<Vec<_>>()[..] {
        return Err(Failure::usage(format!(
            "{first} and {second} both write to the standard output: take one of them"
        )));
    }
    if args.record.as_deref().is_some_and(output::is_stream) {
        return Err(Failure::usage("a recording is a file that is gone back in: name one"));
    }
    let mut csv = match &args.csv {
        Some(path) => {
            let out: Box<dyn Write> = if table_out {
                Box::new(std::io::stdout().lock())
            } else {
                Box::new(create(path).map_err(|e| Failure::file(path, e))?)
            };
            Some((
                path,
                CsvFile::new(BufWriter::new(out), columns).map_err(|e| Failure::file(path, e))?,
            ))
        }
        None => None,
    };
    let mut recorder = match &args.record {
        Some(path) => Some((
            path,
            Recorder::create(path, &scene, &changes).map_err(|e| Failure::file(path, e))?,
        )),
        None => None,
    };
    let stride = scene.record.stride(scene.step);
    let mut controller = controller(args, &scene.world)?;
    let quiet = args.quiet || args.json;
    let before = |simulation: &mut Simulation| {
        let Some(external) = &mut controller else { return Ok(()) };
        let h = simulation.step_size();
        let answered = external.before_step(&mut simulation.world, h);
        if let Answered::Late { question, time } = answered.map_err(failed)? {
            eprintln!(
                "warning: no answer to question {question} at {time:.6} s in time: the last command holds"
            );
        }
        Ok(())
    };
    let summary = runner::run_with(&scene, until, quiet, before, |k, world, report| {
        if let Some((path, csv)) = &mut csv
            && k % stride == 0
        {
            csv.write(world, report).map_err(|e| Failure::file(path, e))?;
        }
        if let Some((path, recorder)) = &mut recorder {
            if let Some(rest) = last_step(until, world.time(), scene.step) {
                recorder.input(k, Input::Step(rest));
            }
            recorder.step(k, world, report).map_err(|e| Failure::file(path, e))?;
        }
        Ok(())
    })?;
    if let Some(external) = &mut controller {
        external.finish();
    }
    let mut written = Vec::new();
    if let Some((path, csv)) = csv {
        written.push((path, csv.finish().map_err(|e| Failure::file(path, e))?));
    }
    if let Some((path, recorder)) = recorder {
        written.push((path, recorder.finish().map_err(|e| Failure::file(path, e))?));
    }
    if let Some(path) = &args.save {
        let saved = kreisel_scene::save_run(&scene, &summary.end, &summary.end.world);
        for lost in &saved.lost {
            eprintln!("warning: {} is without {lost}", path.display());
        }
        output::write(path, saved.text.as_bytes())?;
    }
    if let Some((name, path)) = &args.save_key {
        let text = Scene::key_text(name, &summary.end.world);
        let add =
            || OpenOptions::new().create(true).append(true).open(path)?.write_all(text.as_bytes());
        add().map_err(|e| Failure::file(path, e))?;
    }
    if args.json {
        let warnings = scene.warnings.iter().map(Entry::new).collect();
        let output = Output { summary: &summary, warnings };
        let text =
            serde_json::to_string_pretty(&output).map_err(|e| Failure::resource(e.to_string()))?;
        println!("{text}");
    } else if !args.quiet {
        let mut text = table(&summary).to_string();
        for (path, rows) in written.iter().filter(|w| w.0 != Path::new("-")) {
            text += &format!("wrote {rows} rows to {}\n", path.display());
        }
        if let Some(path) = args.save.as_ref().filter(|_| !save_out) {
            text += &format!("wrote the world at {:.4} s to {}\n", summary.time, path.display());
        }
        // A table on the standard output is for a program, which wants nothing else there.
        if stdout { eprint!("{text}") } else { print!("{text}") }
    }
    Ok(exit(&summary))
}

/// The controller of another program, if one is asked for.
fn controller(args: &Run, world: &World) -> Result<Option<External>, Failure> {
    let Some(address) = args.controller else { return Ok(None) };
    if args.record.is_some() {
        return Err(Failure::usage(
            "a recording is made again by itself, which needs no other program: leave --record or --controller out",
        ));
    }
    let bad = |x: f64| !(x >= 0.0 && x.is_finite());
    if bad(args.period) || args.deadline.is_some_and(|d| bad(d) || d > 3600.0) {
        return Err(Failure::usage("--period and --deadline are times from 0 s to 3600 s"));
    }
    let terms = Terms { period: args.period, deadline: args.deadline };
    External::connect(address, &terms, world).map(Some).map_err(failed)
}

fn failed(error: ExternalError) -> Failure {
    Failure::resource(error.to_string())
}

/// The exit code of a finished run.
pub fn exit(summary: &Summary) -> Exit {
    if summary.interrupted {
        Exit::Interrupted
    } else if summary.script_errors > 0 {
        Exit::Wrong
    } else if summary.energy_unexplained > 0 {
        Exit::Energy
    } else if summary.not_converged
        + summary.budget_spent
        + summary.quarantined
        + summary.order_lowered
        > 0
    {
        Exit::Tolerance
    } else {
        Exit::Success
    }
}

/// The summary for people.
fn table(s: &Summary) -> Table {
    let mut t = Table::default();
    let times = format!(
        "{:.4} s in {} steps, {:.3} s wall time, {:.1} × real time",
        s.time, s.steps, s.wall_time, s.real_time_factor
    );
    t.line("simulated", if s.interrupted { format!("{times} (interrupted)") } else { times });
    match &s.worst {
        Some(w) => t.line(
            "worst joint",
            format!("{}: {:.2e} m, {:.2e} rad at {:.4} s", w.joint, w.position, w.angle, w.time),
        ),
        None => t.line("worst joint", "none"),
    }
    let missed = s.not_converged + s.budget_spent + s.quarantined;
    if missed > 0 {
        t.line(
            "out of tolerance",
            format!(
                "{missed} steps ({} not converged, {} out of budget, {} quarantined)",
                s.not_converged, s.budget_spent, s.quarantined
            ),
        );
    }
    if let Some(cause) = &s.order_lowered_by {
        let steps = s.order_lowered;
        t.line("order not kept", format!("{steps} steps: {cause}; take order 2 and smaller steps"));
    }
    if let Some(w) = &s.unexplained {
        t.line(
            "energy from nothing",
            format!(
                "{} steps, most in step {} at {:.4} s: {}",
                s.energy_unexplained, w.step, w.time, w.what
            ),
        );
    }
    if s.script_errors > 0 {
        t.line("scripts", format!("{} failed", s.script_errors));
    }
    let (start, end) = (s.energy_start.total(), s.energy_end.total());
    t.line("energy", format!("{start:.6} J at the start, {end:.6} J at the end"));
    if s.work != 0.0 || s.losses != 0.0 {
        t.line("work and losses", format!("{:.6} J, {:.6} J", s.work, s.losses));
    }
    t.line("unexplained energy", format!("at most {:.2e} J", s.residual));
    for b in &s.broken {
        t.line(
            "broken",
            format!("{} at {:.4} s with {:.3} N, {:.3} N m", b.joint, b.time, b.force, b.torque),
        );
    }
    if s.limit_hits > 0 {
        t.line(
            "limits",
            if s.limit_hits == 1 {
                "hit once".into()
            } else {
                format!("hit {} times", s.limit_hits)
            },
        );
    }
    if s.contacts > 0 {
        t.line(
            "contacts",
            format!("{} begun, overlap at most {:.2e} m", s.contacts, s.penetration),
        );
    }
    t.line("state hash", &s.state_hash[..16.min(s.state_hash.len())]);
    t
}
