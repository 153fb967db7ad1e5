//! `kreisel sweep`: a scene at many values of its parameters.

use crate::exit::{Exit, Failure};
use crate::runner;
use crate::sweep::{self, Measure, Plan, Range, Row, Source, Status, Table, Task};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kreisel_dynamics::Interrupt;
use std::path::PathBuf;

/// Arguments of `sweep`.
#[derive(Debug, clap::Args)]
pub struct Sweep {
    /// Scene file
    pub scene: PathBuf,
    /// What is varied: a parameter of the scene, or the path of a property such as arm.mass; from
    /// low to high in so many values for a grid, from low to high for the other plans, or a list
    #[arg(long, value_name = "NAME=LOW:HIGH:N|LOW:HIGH|A,B,…", value_parser = vary, required = true)]
    pub vary: Vec<(String, Range)>,
    /// What is measured, with a name of its own if wanted: "swing=range pivot.angle"; first, last,
    /// max, min, mean, rms and range go before a quantity
    #[arg(long, value_name = "[NAME=]WORD QUANTITY", value_parser = measure, required = true)]
    pub measure: Vec<(String, String)>,
    /// How ranges are sampled
    #[arg(long, value_enum, default_value_t = Sample::Grid)]
    pub sample: Sample,
    /// Number of points of sobol and latin
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub count: usize,
    /// Seed of latin; shifts sobol
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Simulated time of every run in s (default: the scene's duration)
    #[arg(long, value_name = "S")]
    pub until: Option<f64>,
    #[command(flatten)]
    pub params: crate::args::Params,
    /// Table to write: .csv, .jsonl, .npz or .parquet. A sweep that was stopped goes on where it
    /// was
    #[arg(short, long, value_name = "FILE", default_value = "sweep.csv", visible_alias = "output")]
    pub out: PathBuf,
    /// Threads; 0 takes all cores. The table is the same on any number
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// No progress bar and no summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// Plans of sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sample {
    /// Every combination of values
    Grid,
    /// Sobol's sequence
    Sobol,
    /// A Latin hypercube
    Latin,
}

/// What is varied, from its text.
fn vary(text: &str) -> Result<(String, Range), String> {
    let wrong = || "write it as n=1:5:20, n=1:5 or n=1,2,5".to_owned();
    let (name, values) = text.split_once('=').ok_or_else(wrong)?;
    let number = |t: &str| t.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(wrong);
    let range = match values.split(':').collect::<Vec<_>>()[..] {
        [low, high, count] => {
            let count = count.trim().parse::<usize>().ok().filter(|n| *n > 0).ok_or_else(wrong)?;
            Range::linear(number(low)?, number(high)?, count)
        }
        [low, high] => Range::Span(number(low)?, number(high)?),
        _ => Range::Values(values.split(',').map(number).collect::<Result<_, _>>()?),
    };
    Ok((name.trim().to_owned(), range))
}

/// The name of a measure and what it measures.
fn measure(text: &str) -> Result<(String, String), String> {
    let (name, what) = text.split_once('=').unwrap_or((text, text));
    let (name, what) = (name.trim(), what.trim());
    if name.is_empty() || what.is_empty() {
        return Err("write it as \"max crank.angle\" or \"top=max crank.angle\"".into());
    }
    Ok((name.into(), what.into()))
}

/// Runs the sweep.
pub fn run(args: &Sweep) -> Result<Exit, Failure> {
    let plan = match args.sample {
        Sample::Grid => Plan::Grid,
        Sample::Sobol => Plan::Sobol { count: args.count, seed: args.seed },
        Sample::Latin => Plan::Latin { count: args.count, seed: args.seed.unwrap_or(0) },
    };
    if args.count == 0 && plan != Plan::Grid {
        return Err(Failure::usage("a sampled sweep needs the number of its points: --count 256"));
    }
    let points = sweep::points(&args.vary, plan).map_err(Failure::usage)?;
    let names: Vec<String> = args.vary.iter().map(|v| v.0.clone()).collect();
    let measures: Vec<String> = args.measure.iter().map(|m| m.0.clone()).collect();
    let all = sweep::columns(&names, &measures);
    if let Some(twice) = all.iter().enumerate().find(|(k, c)| all[..*k].contains(c)) {
        let words =
            format!("there are two columns \"{}\": give the measure a name of its own", twice.1);
        return Err(Failure::usage(words));
    }
    // a scene that is not there, or cannot be read at all, is no table of failures
    std::fs::metadata(&args.scene).map_err(|e| Failure::file(&args.scene, e))?;
    let seed = match plan {
        Plan::Grid => 0,
        Plan::Sobol { seed, .. } => seed.map_or(-1, |s| s as i64),
        Plan::Latin { seed, .. } => seed as i64,
    };
    let task = Task {
        source: Source::File(args.scene.clone()),
        allow_outside: args.params.allow_outside,
        params: args.params.set.clone(),
        names: names.clone(),
        measures: args.measure.iter().map(|m| Measure::new(&m.1)).collect(),
        duration: args.until,
        seed,
    };

    // what the file has already; arrays are written at the end, their rows are kept beside them
    let ending = args.out.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let late = sweep::is_late(ending);
    let beside = || args.out.with_extension(format!("{ending}.jsonl"));
    let kept = if late { beside() } else { args.out.clone() };
    let mark = sweep::mark(&task, &points, &args.measure);
    let (mut table, mut rows) =
        Table::open(&kept, &names, &measures, &mark).map_err(Failure::resource)?;
    let resumed = rows.len();

    // the rest
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = if args.threads == 0 { cores } else { args.threads };
    let interrupt = Interrupt::from_flag(runner::interruption());
    let bar = bar(points.len() as u64, args.quiet);
    bar.set_position(resumed as u64);
    let whole = sweep::run(&task, &points, resumed, threads, &interrupt, |row| {
        table.write(&row)?;
        rows.push(row);
        bar.inc(1);
        Ok(())
    });
    bar.finish_and_clear();
    let whole = whole.map_err(Failure::resource)?;
    if late && whole {
        let write = if ending == "npz" { sweep::write_npz } else { sweep::write_parquet };
        write(&args.out, &names, &measures, &rows).map_err(Failure::resource)?;
    }
    if !args.quiet {
        let shown = if whole { &args.out } else { &kept };
        print!("{}", summary(&names, &measures, &rows, resumed, points.len()));
        println!("wrote {}", shown.display());
    }
    Ok(if whole { Exit::Success } else { Exit::Interrupted })
}

fn bar(points: u64, quiet: bool) -> ProgressBar {
    let target =
        if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
    let bar = ProgressBar::with_draw_target(Some(points), target);
    let style = ProgressStyle::with_template("{bar:30.cyan/blue} {pos}/{len} points, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
    bar
}

/// Rows by how they ended, and where every measure is least and largest.
fn summary(
    names: &[String],
    measures: &[String],
    rows: &[Row],
    resumed: usize,
    points: usize,
) -> String {
    let count = |s: Status| rows.iter().filter(|r| r.status == s).count();
    let mut out = format!("{} of {points} points", rows.len());
    for (n, words) in
        [(count(Status::Tolerance), "out of tolerance"), (count(Status::Failed), "failed")]
    {
        if n > 0 {
            out.push_str(&format!(", {n} {words}"));
        }
    }
    if resumed > 0 {
        out.push_str(&format!(", {resumed} were there"));
    }
    out.push('\n');
    if let Some(first) = rows.iter().find(|r| r.status == Status::Failed) {
        out.push_str(&format!("first failure, point {}: {}\n", first.index, first.error));
    }
    for (k, measure) in measures.iter().enumerate() {
        let mut known: Vec<(f64, &Row)> =
            rows.iter().filter_map(|r| Some((r.values[k]?, r))).collect();
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at = |row: &Row| {
            let each = names.iter().zip(&row.point).map(|(n, x)| format!("{n} = {x}"));
            each.collect::<Vec<_>>().join(", ")
        };
        if let (Some((low, first)), Some((high, last))) = (known.first(), known.last()) {
            out.push_str(&format!("{measure}: {low} at {}; {high} at {}\n", at(first), at(last)));
        }
    }
    out
}
