//! `kreisel diff`: where two recordings begin to differ, and by how much.

use crate::args::Diff;
use crate::exit::{Exit, Failure};
use crate::source::{self, Kind};
use kreisel_scene::record::{ColumnDifference, Data, difference};
use serde::Serialize;
use std::path::Path;

/// The result as JSON.
#[derive(Serialize)]
struct Outcome {
    same: bool,
    rows: (usize, usize),
    common: usize,
    first: Option<First>,
    /// The largest differences, the largest first; those of the report last.
    columns: Vec<Entry>,
    only_a: Vec<String>,
    only_b: Vec<String>,
}

#[derive(Serialize)]
struct First {
    /// Number of the step in the first recording; rows of a table count as steps.
    step: u64,
    time: f64,
    quantity: String,
    a: f64,
    b: f64,
}

#[derive(Serialize)]
struct Entry {
    quantity: String,
    unit: String,
    largest: f64,
    at: f64,
    first: f64,
}

/// Most quantities that are listed for people.
const SHOWN: usize = 10;

/// Compares two recordings.
pub fn run(args: &Diff) -> Result<Exit, Failure> {
    if !(args.tolerance >= 0.0) {
        return Err(Failure::usage("--tolerance is zero or more"));
    }
    let (a, stride) = read(&args.a, args.quiet)?;
    let (b, _) = read(&args.b, args.quiet)?;
    let found = difference(&a, &b, args.tolerance);
    if found.common == 0 {
        return Err(Failure::usage("the two have no time in common"));
    }
    let first = found.columns.first().map(|c| First {
        step: c.first.0 as u64 * stride,
        time: c.first.2,
        quantity: c.name.clone(),
        a: c.values.0,
        b: c.values.1,
    });
    let mut columns: Vec<&ColumnDifference> = found.columns.iter().collect();
    // Counts of the report say less than how far the motion is off.
    let count = |c: &ColumnDifference| c.name.starts_with("report.");
    columns.sort_by(|a, b| count(a).cmp(&count(b)).then(b.largest.total_cmp(&a.largest)));
    let entry = |c: &&ColumnDifference| Entry {
        quantity: c.name.clone(),
        unit: c.unit.clone(),
        largest: c.largest,
        at: c.at,
        first: c.first.2,
    };
    let missing = found.only_a.len() + found.only_b.len();
    let outcome = Outcome {
        same: first.is_none() && missing == 0 && found.rows.0 == found.rows.1,
        rows: found.rows,
        common: found.common,
        columns: columns.iter().map(entry).collect(),
        first,
        only_a: found.only_a,
        only_b: found.only_b,
    };
    if args.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&outcome).map_err(|e| Failure::resource(e.to_string()))?
        );
    } else if !args.quiet {
        print(&outcome, args.tolerance);
    }
    Ok(if outcome.same { Exit::Success } else { Exit::Wrong })
}

/// The numbers, and the steps from one row to the next.
fn read(path: &Path, quiet: bool) -> Result<(Data, u64), Failure> {
    match source::kind(path) {
        Kind::Recording => {
            let recording = source::recording(path, quiet)?;
            let stride = recording.header.stride;
            Ok((recording.into_data(), stride))
        }
        Kind::Table => Ok((source::table(path)?, 1)),
        Kind::Scene => Err(Failure::usage(format!(
            "{} is neither a recording (.kreisel) nor a table (.csv)",
            path.display()
        ))),
    }
}

fn print(outcome: &Outcome, tolerance: f64) {
    let (a, b) = outcome.rows;
    match &outcome.first {
        None if tolerance > 0.0 => println!("equal to {tolerance:e} in {} rows", outcome.common),
        None => println!("equal in {} rows", outcome.common),
        Some(f) => {
            println!(
                "differ first at step {}, {:.6} s: {} is {:?} and {:?}",
                f.step, f.time, f.quantity, f.a, f.b
            )
        }
    }
    if a != b {
        println!("rows: {a} and {b}, {} at the same times", outcome.common);
    }
    for (list, which) in [(&outcome.only_a, "first"), (&outcome.only_b, "second")] {
        if !list.is_empty() {
            let more = if list.len() > SHOWN {
                format!(" and {} more", list.len() - SHOWN)
            } else {
                String::new()
            };
            println!("only in the {which}: {}{more}", list[..list.len().min(SHOWN)].join(", "));
        }
    }
    if !outcome.columns.is_empty() {
        println!("largest differences:");
    }
    for c in outcome.columns.iter().take(SHOWN) {
        let unit = if c.unit.is_empty() { String::new() } else { format!(" {}", c.unit) };
        println!(
            "  {}: {:.3e}{unit} at {:.6} s (from {:.6} s on)",
            c.quantity, c.largest, c.at, c.first
        );
    }
    if outcome.columns.len() > SHOWN {
        println!("  and {} more quantities", outcome.columns.len() - SHOWN);
    }
}
