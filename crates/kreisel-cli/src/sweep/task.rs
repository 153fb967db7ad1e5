//! One point of a sweep: the scene with its values, run and measured.

use super::row::{Row, Status};
use crate::paths;
use kreisel_dynamics::{Event, Interrupt, StepReport};
use kreisel_scene::record::Columns;
use kreisel_scene::{Options, SceneError, Tally};
use kreisel_session::protocol::{Command, Field, PropertyValue, ScheduleSpec};
use kreisel_session::session::Session;
use std::path::PathBuf;

/// What is done with a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reduce {
    First,
    Last,
    Max,
    Mean,
    Min,
    Range,
    Rms,
}

const WORDS: [(&str, Reduce); 7] = [
    ("first", Reduce::First),
    ("last", Reduce::Last),
    ("max", Reduce::Max),
    ("mean", Reduce::Mean),
    ("min", Reduce::Min),
    ("range", Reduce::Range),
    ("rms", Reduce::Rms),
];

/// A quantity of a run as one number: "max crank.angle"; a path alone is its last value.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    reduce: Reduce,
    path: String,
}

impl Measure {
    /// From its text.
    pub fn new(text: &str) -> Self {
        let (word, path) = text.split_once(' ').unwrap_or((text, ""));
        match WORDS.iter().find(|w| w.0 == word).filter(|_| !path.trim().is_empty()) {
            Some((_, reduce)) => Self { reduce: *reduce, path: path.trim().into() },
            None => Self { reduce: Reduce::Last, path: text.trim().into() },
        }
    }

    fn value(&self, column: impl Iterator<Item = f64> + Clone) -> Option<f64> {
        let n = column.clone().count() as f64;
        let least = || column.clone().reduce(f64::min);
        let most = || column.clone().reduce(f64::max);
        match self.reduce {
            Reduce::First => column.clone().next(),
            Reduce::Last => column.clone().last(),
            Reduce::Max => most(),
            Reduce::Min => least(),
            Reduce::Range => Some(most()? - least()?),
            Reduce::Mean => Some(column.clone().sum::<f64>() / n),
            Reduce::Rms => Some((column.clone().map(|x| x * x).sum::<f64>() / n).sqrt()),
        }
    }
}

/// Where a scene comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// A text; it has no parameters.
    Text(String),
}

/// All that points share.
#[derive(Clone, Debug)]
pub struct Task {
    /// The scene.
    pub source: Source,
    /// Whether it may read files outside its folder.
    pub allow_outside: bool,
    /// Parameters that all points share.
    pub params: Vec<(String, f64)>,
    /// What is varied: parameters, or paths of properties, which have a dot.
    pub names: Vec<String>,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// How long, s; none is the scene's duration.
    pub duration: Option<f64>,
    /// Seed of the plan, noted in rows.
    pub seed: i64,
}

/// A run that came to its end.
struct Run {
    columns: Columns,
    /// All columns of a row, row after row.
    rows: Vec<f64>,
    ok: bool,
    hash: String,
}

/// Why a point has no measures: the kind of error, and what it says.
type Failure = (&'static str, String);

impl Task {
    /// Runs a point; what fails is a row. None if it was interrupted.
    pub fn run(&self, index: u64, point: &[f64], interrupt: &Interrupt) -> Option<Row> {
        let done = self.attempt(point, interrupt);
        let mut row = Row {
            index,
            point: point.to_vec(),
            values: vec![None; self.measures.len()],
            status: Status::Failed,
            error: String::new(),
            state_hash: String::new(),
            seed: self.seed,
        };
        match done {
            Ok((values, ok, hash)) => {
                (row.values, row.state_hash) = (values, hash);
                row.status = if ok { Status::Ok } else { Status::Tolerance };
            }
            Err(None) => return None,
            Err(Some((kind, said))) => {
                let words: Vec<&str> = said.split_whitespace().collect();
                row.error = format!("{kind}: {}", words.join(" "));
            }
        }
        Some(row)
    }

    fn attempt(
        &self,
        point: &[f64],
        interrupt: &Interrupt,
    ) -> Result<(Vec<Option<f64>>, bool, String), Option<Failure>> {
        let asked: Vec<String> = self.measures.iter().map(|m| m.path.clone()).collect();
        let run = self.simulate(point, &asked, interrupt)?;
        let places: Vec<usize> =
            self.places(&run.columns).map_err(|e: String| Some(("Refused", e)))?;

        // what it was like
        let width = run.columns.columns().len();
        let column = |k: usize| run.rows.chunks(width).map(move |r| r[k]);
        let values = self.measures.iter().zip(places).map(|(m, k)| m.value(column(k)));
        // what does not exist has no value
        let values = values.map(|v| v.filter(|x| x.is_finite())).collect();
        Ok((values, run.ok, run.hash))
    }

    /// Times and the named quantities of a run at a point, quantity by quantity; none if it was
    /// interrupted, an error in words if it failed.
    pub fn trace(
        &self,
        point: &[f64],
        quantities: &[String],
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<Vec<f64>>>, String> {
        let run = match self.simulate(point, quantities, interrupt) {
            Ok(run) => run,
            Err(None) => return Ok(None),
            Err(Some((kind, said))) => return Err(format!("{kind}: {said}")),
        };
        let names = run.columns.columns();
        let one = |path: &String| -> Result<Vec<f64>, String> {
            let k = names.iter().position(|c| c.name == *path).ok_or_else(|| {
                format!("\"{path}\" has components: name \"{path}.x\" or the like")
            })?;
            Ok(run.rows.chunks(names.len()).map(|r| r[k]).collect())
        };
        let all: Vec<Vec<f64>> = std::iter::once(&"time".to_owned())
            .chain(quantities)
            .map(one)
            .collect::<Result<_, String>>()?;
        Ok(Some(all))
    }

    fn simulate(
        &self,
        point: &[f64],
        asked: &[String],
        interrupt: &Interrupt,
    ) -> Result<Run, Option<Failure>> {
        let mut session = self.session(point).map_err(Some)?.with_interrupt(interrupt.clone());
        let refused = |e: String| Some(("Refused", e));

        // what is recorded
        let mut asked = asked.to_vec();
        asked.sort();
        asked.dedup();
        let world = &session.simulation().world;
        let columns = paths::columns(world, &asked).map_err(|e| Some(("UnknownName", e)))?;
        let known = |path: &String| columns.columns().iter().any(|c| c.name == *path);
        if let Some(path) = asked.iter().find(|p| !known(p)) {
            return Err(refused(format!(
                "\"{path}\" has components: measure \"{path}.x\" or the like"
            )));
        }

        // the run
        let start = world.time();
        let until = start + self.duration.unwrap_or(session.scene().duration);
        if !(until.is_finite() && until >= start) {
            return Err(refused(format!(
                "a run ends at a time from now ({start} s) on, not at {until} s"
            )));
        }
        let size = session.simulation().step_size();
        let stride = session.scene().record.every.map_or(1, |e| (e / size).round().max(1.0) as u64);
        let (mut rows, mut tally) = (Vec::new(), Tally::default());
        columns.measure(&session.simulation().world, &StepReport::default(), &mut rows);
        for k in 1..=session.simulation().steps_until(until) {
            session.simulation_mut().fit_step(until);
            let events = session.step();
            session.simulation_mut().set_step_size(size);
            if session.report().status == kreisel_dynamics::Status::Interrupted {
                return Err(None);
            }
            let failed = events.iter().find_map(|e| match e {
                Event::PluginFailed { name, message } => Some(format!("{name}: {message}")),
                _ => None,
            });
            if let Some(said) = failed {
                return Err(Some(("PluginFailed", said)));
            }
            tally.script_errors += session.take_problems().len() as u64;
            session.take_messages();
            let report = StepReport { events, ..session.report().clone() };
            tally.count(&report, session.simulation().world.time());
            if k.is_multiple_of(stride) {
                columns.measure(&session.simulation().world, &report, &mut rows);
            }
            if session.simulation_mut().take_stop() {
                break;
            }
        }
        let ok = tally.converged == tally.steps && tally.script_errors == 0;
        Ok(Run { columns, rows, ok, hash: session.hash() })
    }

    /// The columns that the measures look at.
    fn places(&self, columns: &Columns) -> Result<Vec<usize>, String> {
        let one = |m: &Measure| {
            let found = columns.columns().iter().position(|c| c.name == m.path);
            found.ok_or_else(|| {
                format!("\"{0}\" has components: measure \"{0}.x\" or the like", m.path)
            })
        };
        self.measures.iter().map(one).collect()
    }

    /// The world at a point.
    fn session(&self, point: &[f64]) -> Result<Session, Failure> {
        let named = || self.names.iter().zip(point).map(|(n, x)| (n, *x));
        let own = named().filter(|(n, _)| !n.contains('.')).map(|(n, x)| (n.clone(), x));
        let params: Vec<(String, f64)> = self.params.iter().cloned().chain(own).collect();
        let mut options =
            Options { params, allow_outside: self.allow_outside, ..Options::default() };
        let scene = match &self.source {
            Source::File(path) => {
                let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
                let scene = kreisel_scene::load_as(path, &options);
                options.folder = Some(folder.map_or_else(|| PathBuf::from("."), PathBuf::from));
                scene
            }
            Source::Text(_) if !options.params.is_empty() => {
                let names: Vec<&str> = options.params.iter().map(|p| p.0.as_str()).collect();
                let said = format!(
                    "a world has no parameters {}: name properties by path",
                    names.join(", ")
                );
                return Err(("Refused", said));
            }
            Source::Text(text) => kreisel_scene::parse_as("scene.toml", text, &options),
        };
        let scene = scene.map_err(|e| ("SceneError", problems(&e)))?;
        let mut session = Session::new(scene).with_files(&options).without_past();
        for (path, value) in named().filter(|(n, _)| n.contains('.')) {
            set(&mut session, path, value)?;
        }
        Ok(session)
    }
}

/// The problems of a scene in one line, without the folder of the file.
fn problems(error: &SceneError) -> String {
    let one = |p: &kreisel_scene::Problem| {
        let (line, column) = p.line_column();
        let name = p.source.name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let help = p.help.as_ref().map_or(String::new(), |h| format!("; {h}"));
        format!("{name}:{line}:{column}: {}{help}", p.message)
    };
    error.problems.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Sets a property by path; names of items may have dots.
fn set(session: &mut Session, path: &str, value: f64) -> Result<(), Failure> {
    let splits = path.rmatch_indices('.').map(|(k, _)| (&path[..k], &path[k + 1..]));
    let found = splits
        .filter_map(|(object, key)| Some((object, key, session.inspect(object).ok()?)))
        .next();
    let Some((object, key, inspection)) = found else {
        let object = path.split('.').next().unwrap_or(path);
        let world = &session.simulation().world;
        let bodies = world.bodies().filter_map(|b| world.body_name(b)).map(|n| n.to_string());
        let names: Vec<String> =
            bodies.chain(session.items().into_iter().flat_map(|i| i.1)).collect();
        let near = kreisel_scene::nearest(object, names.iter().map(String::as_str));
        let help = near.map_or(String::new(), |n| format!("; did you mean \"{n}\"?"));
        return Err(("UnknownName", format!("there is no item \"{object}\"{help}")));
    };
    let keys = inspection.properties.iter();
    let Some(property) =
        keys.clone().find(|p| p.key == key || p.key.replace([' ', '-'], "_") == key)
    else {
        let near = kreisel_scene::nearest(key, keys.map(|p| p.key.as_str()));
        let help = near.map_or(String::new(), |n| format!("; did you mean \"{n}\"?"));
        return Err(("UnknownProperty", format!("\"{object}\" has no property \"{key}\"{help}")));
    };
    let value = match &property.field {
        Field::Number { .. } => PropertyValue::Number(Some(value)),
        // a value over time: this one from the start on
        Field::Curve => PropertyValue::Curve(ScheduleSpec {
            points: vec![(0.0, value)],
            interpolation: "hold".into(),
        }),
        Field::Choice(words) if words.contains(&value.to_string()) => {
            PropertyValue::Text(value.to_string())
        }
        _ => return Err(("Refused", format!("\"{path}\" is no number and cannot be swept"))),
    };
    let command = Command::Set { object: object.into(), key: property.key.clone(), value };
    session.apply(0, &command).map_err(|e| ("Refused", e.0))
}
