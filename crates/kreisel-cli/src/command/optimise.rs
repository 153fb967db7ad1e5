//! `kreisel optimise`: the parameters at which a run is best.

use super::search::{self, Stop, Varied, varied};
use crate::exit::{Exit, Failure};
use crate::table::grid;
use kreisel_analysis::minimise::{Minimum, Patience, Search, minimise};
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `optimise`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("aim").required(true)))]
pub struct Optimise {
    /// Scene file
    pub scene: PathBuf,
    /// What may be changed: a parameter of the scene, or the path of a property such as arm.mass,
    /// with its range and, if wanted, where to start; repeatable
    #[arg(long, value_name = "NAME=LOW:HIGH[:START]", value_parser = varied, required = true)]
    pub vary: Vec<Varied>,
    /// What is to be small: first, last, max, min, mean, rms or range of a quantity
    #[arg(long, value_name = "WORD QUANTITY", group = "aim")]
    pub minimise: Option<String>,
    /// What is to be large
    #[arg(long, value_name = "WORD QUANTITY", group = "aim")]
    pub maximise: Option<String>,
    /// What is to have a value: "last slider.position=0.3"
    #[arg(long, value_name = "WORD QUANTITY=VALUE", group = "aim", allow_hyphen_values = true)]
    pub target: Option<String>,
    /// What must not be larger than a value; repeatable. Points that break it count the more the
    /// further they do
    #[arg(long, value_name = "WORD QUANTITY=VALUE", allow_hyphen_values = true)]
    pub at_most: Vec<String>,
    /// How to search: without derivatives, which noise and contact do not disturb, or by central
    /// differences
    #[arg(long, value_enum, default_value_t = How::Simplex)]
    pub search: How,
    /// Smallest step of the search, as a share of the ranges
    #[arg(long, value_name = "X", default_value_t = 1e-5)]
    pub tolerance: f64,
    /// Step of central differences, as a share of the ranges
    #[arg(long, value_name = "X", default_value_t = 1e-4)]
    pub difference: f64,
    /// Runs at most
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub runs: usize,
    /// Simulated time of every run in s (default: the scene's duration)
    #[arg(long, value_name = "S")]
    pub until: Option<f64>,
    #[command(flatten)]
    pub params: crate::args::Params,
    /// Threads; 0 takes all cores. The answer is the same on any number
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum How {
    /// Nelder and Mead
    Simplex,
    /// BFGS
    Gradient,
}

/// How heavily a broken bound weighs, in units of the aim for its whole size.
const BROKEN: f64 = 1e3;

#[derive(Serialize)]
struct Answer<'a> {
    parameters: Vec<(&'a str, f64)>,
    measures: Vec<(&'a str, Option<f64>)>,
    #[serde(flatten)]
    found: &'a Minimum,
}

/// Searches.
pub fn run(args: &Optimise) -> Result<Exit, Failure> {
    // what is measured, and what is made of it
    let valued = |text: &String| -> Result<(String, f64), Failure> {
        let wrong = || Failure::usage(format!("\"{text}\": write it as \"max arm.angle=1.2\""));
        let (what, value) = text.rsplit_once('=').ok_or_else(wrong)?;
        let value: f64 = value.trim().parse().map_err(|_| wrong())?;
        Ok((what.trim().to_owned(), value))
    };
    let (sign, aim, wanted) = match (&args.minimise, &args.maximise, &args.target) {
        (Some(m), ..) => (1.0, m.clone(), None),
        (_, Some(m), _) => (-1.0, m.clone(), None),
        (.., Some(t)) => {
            let (what, value) = valued(t)?;
            (1.0, what, Some(value))
        }
        _ => return Err(Failure::usage("say what is wanted: --minimise, --maximise or --target")),
    };
    let bounds: Vec<(String, f64)> = args.at_most.iter().map(valued).collect::<Result<_, _>>()?;
    let names: Vec<String> =
        std::iter::once(aim).chain(bounds.iter().map(|b| b.0.clone())).collect();
    let task = search::task(&args.scene, &args.params, &args.vary, &names, args.until)?;
    let machine = search::machine(args.threads);
    let judge = |values: &[Option<f64>]| -> f64 {
        let Some(Some(first)) = values.first() else { return f64::NAN };
        let own = match wanted {
            Some(w) => (first - w) * (first - w),
            None => sign * first,
        };
        let over = |(v, (_, most)): (&Option<f64>, &(String, f64))| {
            let share = v.map_or(f64::NAN, |v| (v - most).max(0.0) / most.abs().max(1e-12));
            BROKEN * (share + share * share) * own.abs().max(1.0)
        };
        own + values[1..].iter().zip(&bounds).map(over).sum::<f64>()
    };

    // the search
    let (mut said, mut runs, mut best) = (None, 0, f64::INFINITY);
    let ask = |points: &[Vec<f64>]| -> Result<Vec<f64>, Stop> {
        let found = search::measures(&task, points, &machine, &mut said)?;
        runs += points.len();
        let values: Vec<f64> = found.iter().map(|v| judge(v)).collect();
        for (v, p) in values.iter().zip(points) {
            if *v < best {
                best = *v;
                if !args.quiet && !args.json {
                    let at = args.vary.iter().zip(p).map(|(v, x)| format!("{} = {x:.6}", v.name));
                    eprintln!("run {runs}: {v:.6e} at {}", at.collect::<Vec<_>>().join(", "));
                }
            }
        }
        Ok(values)
    };
    let start: Vec<f64> = args.vary.iter().map(|v| v.start).collect();
    let ranges: Vec<_> = args.vary.iter().map(|v| v.range).collect();
    let patience =
        Patience { step: args.tolerance, points: args.runs, difference: args.difference };
    let how = match args.search {
        How::Simplex => Search::Simplex,
        How::Gradient => Search::Gradient,
    };
    let found = match minimise(ask, &start, &ranges, how, &patience) {
        Ok(found) => found,
        Err(Stop::Analysis(e)) => {
            let why = said.map_or(String::new(), |s| format!("; the first run without one: {s}"));
            return Err(Failure::usage(format!("{e}{why}")));
        }
        Err(stop) => return Err(stop.into()),
    };

    // what the best run is like
    let last = search::measures(&task, std::slice::from_ref(&found.point), &machine, &mut None)?;
    let measures: Vec<(&str, Option<f64>)> =
        names.iter().map(String::as_str).zip(last[0].iter().copied()).collect();
    let parameters: Vec<(&str, f64)> =
        args.vary.iter().map(|v| v.name.as_str()).zip(found.point.iter().copied()).collect();
    if args.json {
        let answer = Answer { parameters, measures, found: &found };
        let text = serde_json::to_string_pretty(&answer);
        println!("{}", text.map_err(|e| Failure::resource(e.to_string()))?);
        return Ok(Exit::Success);
    }
    let rows: Vec<Vec<String>> = parameters
        .iter()
        .enumerate()
        .map(|(k, (n, x))| {
            let end = if found.at_bounds.contains(&k) { "at its bound" } else { "" };
            vec![(*n).to_owned(), format!("{x:.9}"), end.into()]
        })
        .collect();
    print!("{}", grid(&["parameter", "best", ""], &rows));
    let shown = |v: &Option<f64>| v.map_or_else(|| "none".into(), |v| format!("{v:.9}"));
    let rows: Vec<Vec<String>> =
        measures.iter().map(|(n, v)| vec![(*n).to_owned(), shown(v)]).collect();
    print!("{}", grid(&["measure", "value"], &rows));
    println!("{} runs{}", found.points, if found.converged { "" } else { ", not converged" });
    Ok(Exit::Success)
}
