//! What `optimise` and `identify` share: parameters with ranges, and runs on threads.

use crate::args::Params;
use crate::exit::{Exit, Failure};
use crate::runner;
use crate::sweep::{self, Measure, Source, Task};
use kreisel_analysis::AnalysisError;
use kreisel_analysis::minimise::Range;
use kreisel_dynamics::Interrupt;
use std::path::Path;

/// A parameter with its range and, if wanted, where to start.
#[derive(Clone, Debug)]
pub struct Varied {
    pub name: String,
    pub range: Range,
    pub start: f64,
}

/// A parameter from its text.
pub fn varied(text: &str) -> Result<Varied, String> {
    let wrong = || "write it as n=1:5 or n=1:5:2, which starts at 2".to_owned();
    let (name, values) = text.split_once('=').ok_or_else(wrong)?;
    let numbers: Vec<f64> = values
        .split(':')
        .map(|t| t.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(wrong))
        .collect::<Result<_, _>>()?;
    let (low, high, start) = match numbers[..] {
        [low, high] => (low, high, 0.5 * (low + high)),
        [low, high, start] => (low, high, start),
        _ => return Err(wrong()),
    };
    if !(low < high && (low..=high).contains(&start)) {
        return Err("a range goes from a smaller to a larger number and holds its start".into());
    }
    Ok(Varied { name: name.trim().to_owned(), range: Range { low, high }, start })
}

/// Why a search ended without an answer.
pub enum Stop {
    Analysis(AnalysisError),
    Failure(Failure),
}

impl From<AnalysisError> for Stop {
    fn from(error: AnalysisError) -> Self {
        Self::Analysis(error)
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Analysis(error) => Self::usage(error.to_string()),
            Stop::Failure(failure) => failure,
        }
    }
}

/// The runs of a search.
pub fn task(
    scene: &Path,
    params: &Params,
    vary: &[Varied],
    measures: &[String],
    until: Option<f64>,
) -> Result<Task, Failure> {
    std::fs::metadata(scene).map_err(|e| Failure::file(scene, e))?;
    Ok(Task {
        source: Source::File(scene.to_owned()),
        allow_outside: params.allow_outside,
        params: params.set.clone(),
        names: vary.iter().map(|v| v.name.clone()).collect(),
        measures: measures.iter().map(|m| Measure::new(m)).collect(),
        duration: until,
        seed: 0,
    })
}

/// The interruption of the program, and the number of threads.
pub fn machine(threads: usize) -> (Interrupt, usize) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = if threads == 0 { cores } else { threads };
    (Interrupt::from_flag(runner::interruption()), threads)
}

/// The measures of several points; `said` keeps the first reason why one has none.
pub fn measures(
    task: &Task,
    points: &[Vec<f64>],
    (interrupt, threads): &(Interrupt, usize),
    said: &mut Option<String>,
) -> Result<Vec<Vec<Option<f64>>>, Stop> {
    let mut out = Vec::with_capacity(points.len());
    let whole = sweep::run(task, points, 0, (*threads).min(points.len()), interrupt, |row| {
        if !row.error.is_empty() {
            said.get_or_insert(row.error);
        }
        out.push(row.values);
        Ok(())
    });
    match whole {
        Ok(true) => Ok(out),
        Ok(false) => Err(Stop::Failure(Failure::silent(Exit::Interrupted))),
        Err(e) => Err(Stop::Failure(Failure::resource(e))),
    }
}
