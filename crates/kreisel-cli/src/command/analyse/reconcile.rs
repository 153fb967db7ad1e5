//! `kreisel analyse reconcile`.

use super::sensitivity::Stop;
use super::{Common, Subject, print_json};
use crate::command::search::{Varied, varied};
use crate::exit::{Exit, Failure};
use crate::table::{Table, grid};
use kreisel_dynamics::World;
use std::path::PathBuf;

/// Arguments of `analyse reconcile`.
#[derive(Debug, clap::Args)]
pub struct Reconcile {
    #[command(flatten)]
    pub common: Common,
    /// A parameter of the scene that may change, with its range and what it should be; repeatable
    #[arg(long = "vary", value_name = "NAME=LOW:HIGH:WANTED", value_parser = varied, required = true, allow_hyphen_values = true)]
    pub vary: Vec<Varied>,
    /// Largest error of a joint that is left, m or rad
    #[arg(long, value_name = "X", default_value_t = 1e-9)]
    pub tolerance: f64,
    /// Write the scene, put together with the new parameters
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Finds the least change.
pub fn run(args: &Reconcile) -> Result<Exit, Failure> {
    let build = |values: &[f64]| -> Result<Subject, Failure> {
        let mut params = args.common.params.clone();
        params.set.extend(args.vary.iter().zip(values).map(|(v, x)| (v.name.clone(), *x)));
        Subject::load_with(&args.common.scene, &params)
    };
    let start: Vec<f64> = args.vary.iter().map(|v| v.start).collect();
    let ranges: Vec<_> = args.vary.iter().map(|v| v.range).collect();
    let world = |values: &[f64]| -> Result<World, Stop> {
        build(values).map(|s| s.world).map_err(Stop::Scene)
    };
    let (world, found) = match kreisel_analysis::reconcile(world, &start, &ranges, args.tolerance) {
        Ok(found) => found,
        Err(Stop::Scene(failure)) => return Err(failure),
        Err(Stop::Analysis(error)) => return build(&start)?.explain(Err(error)),
    };
    let mut subject = build(&found.point)?;
    subject.world = world;
    if let Some(path) = &args.output {
        subject.save(path)?;
    }
    if args.common.json {
        return print_json(&found);
    }
    let mut t = Table::default();
    t.line("worst condition before", format!("{:.3e}", found.error_before));
    t.line("worst condition now", format!("{:.3e}", found.error));
    t.line("rounds", found.rounds);
    print!("{t}");
    let rows: Vec<Vec<String>> = args
        .vary
        .iter()
        .enumerate()
        .map(|(k, v)| {
            let end = if found.at_bounds.contains(&k) { "at its bound" } else { "" };
            let [x, d] = [found.point[k], found.change[k]].map(|x| format!("{:.9}", x + 0.0));
            vec![v.name.clone(), x, d, end.into()]
        })
        .collect();
    print!("{}", grid(&["parameter", "value", "change", ""], &rows));
    subject.tell(&[]);
    if let Some(path) = &args.output {
        println!("wrote {}", path.display());
    }
    Ok(Exit::Success)
}
