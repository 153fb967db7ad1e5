//! Running experiments, several at the same time.

use super::computed::compute;
use super::evaluate::{Context, Made};
use super::experiment::{Check, Experiment, Setup, id};
use super::expression::Expression;
use super::series::Value;
use crate::args::Params;
use crate::chart::{Chart, Line};
use crate::runner;
use crate::source;
use kreisel_dynamics::{Substeps, Tolerance};
use kreisel_scene::record::{Changes, Data};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// One measured quantity.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub id: String,
    pub quantity: String,
    pub expected: f64,
    pub tolerance: f64,
    /// `equal`, `at-most` or `at-least`.
    pub compare: &'static str,
    /// Nothing when it could not be measured.
    pub measured: Option<f64>,
    pub pass: bool,
    /// The work that will mend it, where it is known to be wrong and is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_wrong: Option<String>,
    /// How much of what is allowed was used; up to 1 passes. Nothing stands for "without bound".
    pub used: Option<f64>,
    pub source: String,
    pub expression: String,
    /// Why it could not be measured, or what is known about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Wall time of the experiment, s.
    pub seconds: f64,
}

/// What an experiment gave: its quantities and its plot.
pub struct Result {
    pub outcomes: Vec<Outcome>,
    pub chart: Option<Chart>,
}

/// Runs all experiments; `each` is called as they end. The results come in the order of the
/// experiments.
pub fn run_all(
    experiments: &[Experiment],
    folder: &Path,
    allow_outside: bool,
    threads: usize,
    each: impl Fn(&Experiment, &Result) + Sync,
) -> Vec<Result> {
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, Result>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(experiment) = experiments.get(k) else { break };
                    if runner::interruption().load(Ordering::Relaxed) {
                        break;
                    }
                    let result = run_one(experiment, folder, allow_outside);
                    each(experiment, &result);
                    if let Ok(mut list) = results.lock() {
                        list.insert(k, result);
                    }
                }
            });
        }
    });
    results.into_inner().map(|r| r.into_values().collect()).unwrap_or_default()
}

fn run_one(experiment: &Experiment, folder: &Path, allow_outside: bool) -> Result {
    let start = Instant::now();
    let root = folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prepared = prepare(experiment, root, allow_outside);
    let references = folder.join("reference");
    let context =
        prepared.as_ref().map(|(runs, define)| Context { runs, define, references: &references });
    let value = |text: &str| -> std::result::Result<Value, String> {
        let context = context.as_ref().map_err(|e| (*e).clone())?;
        context.value(&Expression::parse(text)?)
    };
    let measured: Vec<_> =
        experiment.check.iter().map(|c| (c, value(&c.quantity).and_then(|v| v.number()))).collect();
    let seconds = start.elapsed().as_secs_f64();
    let outcomes =
        measured.into_iter().map(|(check, m)| outcome(experiment, check, m, seconds)).collect();
    let line = |text: &String| match value(text) {
        Ok(Value::Series(s)) => Some(Line {
            label: text.clone(),
            unit: String::new(),
            points: s.times.iter().copied().zip(s.values.iter().copied()).collect(),
            marked: false,
        }),
        _ => None,
    };
    let lines: Vec<Line> = experiment.plot.iter().filter_map(line).collect();
    let chart = (!lines.is_empty()).then(|| Chart {
        title: Some(format!("{}: {}", experiment.id, experiment.title)),
        x_label: "time [s]".into(),
        y_label: String::new(),
        log: (false, experiment.log),
        lines,
    });
    Result { outcomes, chart }
}

fn outcome(
    e: &Experiment,
    check: &Check,
    measured: std::result::Result<f64, String>,
    seconds: f64,
) -> Outcome {
    let used = measured.as_ref().map_or(f64::INFINITY, |m| check.used(*m));
    let source = check.source.as_ref().or(e.source.as_ref()).cloned().unwrap_or_default();
    let right = used <= 1.0;
    // a mark that has outlived its fault must go
    let mended = right && check.known_wrong.is_some();
    let mended_note = mended.then(|| "it is right now: take its known_wrong off".to_owned());
    Outcome {
        id: id(e, check),
        quantity: check.what.clone(),
        expected: check.expected,
        tolerance: check.tolerance,
        compare: match check.compare {
            super::experiment::Compare::Equal => "equal",
            super::experiment::Compare::AtMost => "at-most",
            super::experiment::Compare::AtLeast => "at-least",
        },
        measured: measured.as_ref().ok().copied().filter(|m| m.is_finite()),
        pass: right && !mended,
        known_wrong: check.known_wrong.clone().filter(|_| !right),
        used: Some(used).filter(|u| u.is_finite()),
        source,
        expression: check.quantity.clone(),
        note: mended_note.or(measured.err()).or_else(|| check.note.clone()),
        seconds,
    }
}

type Prepared = (BTreeMap<String, Made>, BTreeMap<String, Expression>);

/// Makes all runs of an experiment.
fn prepare(
    experiment: &Experiment,
    root: &Path,
    allow_outside: bool,
) -> std::result::Result<Prepared, String> {
    let mut names = BTreeSet::new();
    let mut define = BTreeMap::new();
    for (name, text) in &experiment.define {
        let e = Expression::parse(text)?;
        e.names(&mut names);
        define.insert(name.clone(), e);
    }
    for text in experiment.check.iter().map(|c| &c.quantity).chain(&experiment.plot) {
        Expression::parse(text)?.names(&mut names);
    }
    let wanted: Vec<String> =
        names.into_iter().filter(|n| !define.contains_key(n) && n.contains('.')).collect();
    let mut runs = BTreeMap::new();
    if experiment.runs.is_empty() {
        runs.insert("run".to_owned(), make(&experiment.run, root, &wanted, allow_outside)?);
    }
    for (name, own) in &experiment.runs {
        runs.insert(name.clone(), make(&experiment.run.with(own), root, &wanted, allow_outside)?);
    }
    Ok((runs, define))
}

fn make(
    setup: &Setup,
    root: &Path,
    wanted: &[String],
    allow_outside: bool,
) -> std::result::Result<Made, String> {
    if let Some(name) = &setup.compute {
        let figures = compute(name, &setup.set)?;
        return Ok(Made { data: Data::default(), times: [].into(), figures });
    }
    let path = root
        .join(setup.scene.as_ref().ok_or("an experiment names neither a scene nor a computation")?);
    let params: Vec<(String, f64)> = setup.set.iter().map(|(k, v)| (k.clone(), *v)).collect();
    let given = Params { set: params.clone(), allow_outside, packages: Vec::new(), lenient: false };
    let mut scene = crate::scene_file::load(&path, &given).map_err(|e| e.to_string())?;
    let changes = Changes {
        params,
        step: setup.step,
        method: setup.method.clone(),
        order: setup.order,
        key: None,
    };
    let until = runner::end(&mut scene, setup.until, &changes).map_err(|e| e.message())?;
    let mut settings = scene.world.settings().clone();
    if let Some(t) = setup.tolerance {
        settings.tolerance = Tolerance::uniform(t);
    }
    if let Some(v) = setup.velocity_correction {
        settings.velocity_correction = v;
    }
    if let Some(w) = setup.warm_start {
        settings.warm_start = w;
    }
    if let Some(n) = setup.substeps {
        settings.substeps = Substeps::Fixed(n);
    }
    scene.world.set_settings(settings).map_err(|e| e.to_string())?;
    // A run need not have everything that the experiment's other runs have.
    let own: Vec<String> = wanted
        .iter()
        .filter(|w| source::columns(&scene, std::slice::from_ref(*w)).is_ok())
        .cloned()
        .chain(["energy.total".to_owned()])
        .collect();
    let columns = source::columns(&scene, &own).map_err(|e| e.message())?;
    let mut data = Data::of(&columns);
    let summary = runner::run(&scene, until, true, |_, world, report| {
        data.push(&columns, world, report);
        Ok(())
    })
    .map_err(|e| e.message())?;
    if summary.interrupted {
        return Err("interrupted".into());
    }
    let a = scene.world.analyse();
    let figures = [
        ("info.bodies", a.bodies),
        ("info.joints", a.joints),
        ("info.rows", a.rows),
        ("info.rank", a.rank),
        ("info.freedom", a.freedom),
        ("info.chains", a.chains),
        ("info.loops", a.loops),
        ("info.redundant", a.redundant.len()),
        ("run.steps", summary.steps as usize),
        ("run.converged", summary.converged as usize),
        (
            "run.missed",
            (summary.not_converged + summary.budget_spent + summary.quarantined) as usize,
        ),
        ("run.energy_unexplained", summary.energy_unexplained as usize),
        ("run.limit_hits", summary.limit_hits as usize),
        ("run.broken", summary.broken.len()),
    ];
    let mut figures: BTreeMap<&'static str, f64> =
        figures.into_iter().map(|(k, v)| (k, v as f64)).collect();
    figures.insert("info.mass", a.mass);
    figures.insert("run.residual", summary.residual);
    figures.insert("run.work", summary.work);
    figures.insert("run.wall_time", summary.wall_time);
    let times: std::sync::Arc<[f64]> = data.values.first().map_or(&[][..], |t| t).into();
    Ok(Made { data, times, figures })
}
