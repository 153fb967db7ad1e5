//! `kreisel validate`: runs the table of experiments and prints measured against expected, the
//! worst first.

use crate::args::Validate;
use crate::exit::{Exit, Failure};
use crate::runner;
use crate::table::grid;
use crate::validate::{Experiment, Outcome, cells, load, remark, run_all, write_report};
use kreisel_scene::record::matches;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Validates.
pub fn run(args: &Validate) -> Result<Exit, Failure> {
    let mut experiments = load(&args.table)?;
    if args.quick {
        experiments.retain(|e| e.quick);
    }
    let globs: Vec<&String> = args.ids.iter().chain(&args.only).collect();
    if !globs.is_empty() {
        let named = |id: &str| globs.iter().any(|glob| matches(glob, id));
        for e in &mut experiments {
            let id = e.id.clone();
            let whole = named(&id);
            e.check
                .retain(|c| whole || c.part.as_ref().is_some_and(|p| named(&format!("{id}/{p}"))));
        }
    }
    experiments.retain(|e| !e.check.is_empty());
    if experiments.is_empty() {
        return Err(Failure::usage("no experiment fits; `kreisel validate --list` names them all"));
    }
    if args.list {
        return list(&experiments);
    }
    let start = Instant::now();
    let silent = args.quiet || args.json;
    let results = run_all(&experiments, &args.table, args.allow_outside, args.threads, |e, r| {
        if !silent {
            let failed = r.outcomes.iter().filter(|o| !o.pass && o.known_wrong.is_none()).count();
            let seconds = r.outcomes.first().map_or(0.0, |o| o.seconds);
            let verdict = if failed == 0 {
                "as expected".to_owned()
            } else {
                format!("{failed} not as expected")
            };
            eprintln!("{}: {} measured, {verdict}, {seconds:.1} s", e.id, r.outcomes.len());
        }
    });
    let mut sorted: Vec<&Outcome> = results.iter().flat_map(|r| &r.outcomes).collect();
    sorted.sort_by(|a, b| {
        b.used.unwrap_or(f64::INFINITY).total_cmp(&a.used.unwrap_or(f64::INFINITY))
    });
    if args.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&sorted).map_err(|e| Failure::resource(e.to_string()))?
        );
    }
    if let Some(path) = &args.report {
        write_report(path, &sorted, &experiments, &results)?;
    }
    let known = sorted.iter().filter(|o| o.known_wrong.is_some()).count();
    let failed = sorted.iter().filter(|o| !o.pass).count() - known;
    print(&sorted, args, silent);
    if !silent {
        let seconds = start.elapsed().as_secs_f64();
        let wrong = if known > 0 { format!(", {known} known to be wrong") } else { String::new() };
        println!(
            "{} quantities of {} experiments, {failed} not as expected{wrong}, {seconds:.0} s",
            sorted.len(),
            results.len()
        );
    }
    if runner::interruption().load(Ordering::Relaxed) {
        return Ok(Exit::Interrupted);
    }
    Ok(if failed > 0 { Exit::Wrong } else { Exit::Success })
}

fn list(experiments: &[Experiment]) -> Result<Exit, Failure> {
    let rows: Vec<Vec<String>> = experiments
        .iter()
        .map(|e| {
            vec![
                e.id.clone(),
                e.title.clone(),
                if e.quick { "quick".into() } else { String::new() },
            ]
        })
        .collect();
    print!("{}", grid(&["id", "title", ""], &rows));
    Ok(Exit::Success)
}

fn print(sorted: &[&Outcome], args: &Validate, silent: bool) {
    let shown = sorted.iter().filter(|o| !(silent && (o.pass || o.known_wrong.is_some())));
    if args.json {
        return;
    }
    let row = |o: &&Outcome| {
        let mut row = cells(o).to_vec();
        row.push(o.quantity.clone());
        row
    };
    let rows: Vec<Vec<String>> = shown.clone().map(row).collect();
    if !rows.is_empty() {
        print!(
            "{}",
            grid(&["", "id", "measured", "expected", "tolerance", "used", "quantity"], &rows)
        );
    }
    for o in shown.filter(|o| !o.pass) {
        if let Some(note) = remark(o) {
            println!("{}: {note}", o.id);
        }
    }
}
