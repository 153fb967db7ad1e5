//! `kreisel identify`: the parameters with which a scene moves as it was recorded.

use super::search::{self, Stop, Varied, varied};
use crate::exit::{Exit, Failure};
use crate::source;
use crate::table::grid;
use kreisel_analysis::Spline;
use kreisel_analysis::fit::{Fit, fit};
use kreisel_analysis::minimise::Patience;
use kreisel_scene::record::Data;
use serde::Serialize;
use std::path::PathBuf;

/// Correlation from which two parameters are said to be hard to tell apart.
const ALIKE: f64 = 0.98;

/// Arguments of `identify`.
#[derive(Debug, clap::Args)]
pub struct Identify {
    /// Scene file
    pub scene: PathBuf,
    /// Recording (.kreisel) or table (.csv, with a column time in s) of the motion
    pub recording: PathBuf,
    /// What is looked for: a parameter of the scene, or the path of a property such as arm.mass,
    /// with its range and, if wanted, where to start; repeatable
    #[arg(long, value_name = "NAME=LOW:HIGH[:START]", value_parser = varied, required = true)]
    pub vary: Vec<Varied>,
    /// Quantity to compare, such as pivot.angle, and by how much one unit weighs; repeatable
    /// (default: all columns of the recording)
    #[arg(long, value_name = "QUANTITY[=WEIGHT]")]
    pub quantity: Vec<String>,
    /// Smallest step of the search, as a share of the ranges
    #[arg(long, value_name = "X", default_value_t = 1e-7)]
    pub tolerance: f64,
    /// Step of central differences, as a share of the ranges
    #[arg(long, value_name = "X", default_value_t = 1e-4)]
    pub difference: f64,
    #[command(flatten)]
    pub params: crate::args::Params,
    /// Threads; 0 takes all cores. The answer is the same on any number
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    parameters: Vec<&'a str>,
    quantities: Vec<&'a str>,
    rows: usize,
    #[serde(flatten)]
    found: &'a Fit,
}

/// What was recorded.
struct Measured {
    times: Vec<f64>,
    columns: Vec<(String, f64, Vec<f64>)>,
}

/// Searches.
pub fn run(args: &Identify) -> Result<Exit, Failure> {
    let data = match source::kind(&args.recording) {
        source::Kind::Scene => {
            return Err(Failure::usage(
                "the second file is a recording or a table of the motion, not a scene",
            ));
        }
        _ => source::data(&args.recording, &[], None, &args.params, args.json)?,
    };
    let measured = measured(&data, args)?;
    let quantities: Vec<String> = measured.columns.iter().map(|c| c.0.clone()).collect();
    let (Some(first), Some(last)) = (measured.times.first(), measured.times.last()) else {
        return Err(Failure::file(&args.recording, "it is empty"));
    };
    if !(*first >= 0.0 && last > first) {
        return Err(Failure::file(&args.recording, "its times rise from 0 s or later"));
    }
    let task = search::task(&args.scene, &args.params, &args.vary, &[], Some(*last))?;
    let machine = search::machine(args.threads);

    // what is left between run and recording, weighed
    let one = |point: &Vec<f64>| -> Result<Vec<f64>, Stop> {
        let usage = |e: String| Stop::Failure(Failure::usage(e));
        let Some(all) = task.trace(point, &quantities, &machine.0).map_err(usage)? else {
            return Err(Stop::Failure(Failure::silent(Exit::Interrupted)));
        };
        let mut out = Vec::new();
        for (column, values) in measured.columns.iter().zip(&all[1..]) {
            let points: Vec<(f64, f64)> =
                all[0].iter().copied().zip(values.iter().copied()).collect();
            let spline = Spline::new(&points)
                .ok_or_else(|| usage(format!("{} has no value somewhere", column.0)))?;
            let left = |(t, x): (&f64, &f64)| column.1 * (spline.at(*t)[0] - x);
            out.extend(measured.times.iter().zip(&column.2).map(left));
        }
        Ok(out)
    };
    let ask = |points: &[Vec<f64>]| -> Result<Vec<Vec<f64>>, Stop> {
        if points.len() == 1 || machine.1 == 1 {
            return points.iter().map(one).collect();
        }
        // in order of the points, whatever thread was first
        let next = std::sync::atomic::AtomicUsize::new(0);
        let slots: Vec<_> = points.iter().map(|_| std::sync::Mutex::new(None)).collect();
        std::thread::scope(|scope| {
            for _ in 0..machine.1.min(points.len()) {
                scope.spawn(|| {
                    loop {
                        let k = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        let Some(point) = points.get(k) else { break };
                        let found = one(point);
                        if let Ok(mut slot) = slots[k].lock() {
                            *slot = Some(found);
                        }
                    }
                });
            }
        });
        let lost = || Stop::Failure(Failure::resource("a thread of the search was lost"));
        slots
            .into_iter()
            .map(|s| s.into_inner().ok().flatten().unwrap_or_else(|| Err(lost())))
            .collect()
    };
    let start: Vec<f64> = args.vary.iter().map(|v| v.start).collect();
    let ranges: Vec<_> = args.vary.iter().map(|v| v.range).collect();
    let patience =
        Patience { step: args.tolerance, difference: args.difference, ..Patience::default() };
    let found = fit(ask, &start, &ranges, &patience).map_err(Failure::from)?;
    if args.json {
        let answer = Answer {
            parameters: args.vary.iter().map(|v| v.name.as_str()).collect(),
            quantities: quantities.iter().map(String::as_str).collect(),
            rows: measured.times.len(),
            found: &found,
        };
        let text = serde_json::to_string_pretty(&answer);
        println!("{}", text.map_err(|e| Failure::resource(e.to_string()))?);
        return Ok(Exit::Success);
    }
    let rows: Vec<Vec<String>> = args
        .vary
        .iter()
        .enumerate()
        .map(|(k, v)| {
            let deviation =
                found.deviation[k].map_or_else(|| "not determined".into(), |d| format!("{d:.3e}"));
            let end = if found.at_bounds.contains(&k) { "at its bound" } else { "" };
            vec![v.name.clone(), format!("{:.9}", found.point[k]), deviation, end.into()]
        })
        .collect();
    print!("{}", grid(&["parameter", "best", "standard deviation", ""], &rows));
    println!(
        "{} times, {}: root mean square {:.6e}, at the start {:.6e}; {} runs{}",
        measured.times.len(),
        quantities.join(", "),
        found.rms,
        found.rms_before,
        found.points,
        if found.converged { "" } else { ", not converged" },
    );
    for i in 0..args.vary.len() {
        for j in 0..i {
            let c = found.correlation[i][j];
            if c.abs() > ALIKE {
                println!(
                    "note: the recording hardly tells {} from {} (correlation {c:.4})",
                    args.vary[j].name, args.vary[i].name
                );
            }
        }
    }
    Ok(Exit::Success)
}

/// The columns that are compared.
fn measured(data: &Data, args: &Identify) -> Result<Measured, Failure> {
    let missing =
        |name: &str| Failure::file(&args.recording, format!("there is no column \"{name}\""));
    let times = data.column("time").ok_or_else(|| missing("time"))?.to_vec();
    let mut columns = Vec::new();
    if args.quantity.is_empty() {
        for c in data.columns.iter().filter(|c| c.name != "time") {
            columns.push((c.name.clone(), 1.0, data.column(&c.name).unwrap_or_default().to_vec()));
        }
    }
    for text in &args.quantity {
        let (name, weight) = match text.rsplit_once('=') {
            Some((name, w)) => {
                let wrong = || Failure::usage(format!("\"{text}\": the weight is a number"));
                (name.trim(), w.trim().parse::<f64>().map_err(|_| wrong())?)
            }
            None => (text.as_str(), 1.0),
        };
        let column = data.column(name).ok_or_else(|| missing(name))?;
        columns.push((name.to_owned(), weight, column.to_vec()));
    }
    Ok(Measured { times, columns })
}
