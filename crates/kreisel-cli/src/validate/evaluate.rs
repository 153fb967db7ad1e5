//! The value of an expression over the runs of an experiment.

use super::expression::Expression;
use super::series::{Series, Value};
use kreisel_scene::record::Data;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Most definitions inside definitions.
const MAX_DEPTH: usize = 32;

/// A run that has been made.
pub struct Made {
    pub data: Data,
    pub times: Arc<[f64]>,
    /// Figures of the scene and the run by name: `info.rank`, `run.steps`.
    pub figures: BTreeMap<&'static str, f64>,
}

/// What an expression may refer to.
pub struct Context<'a> {
    pub runs: &'a BTreeMap<String, Made>,
    pub define: &'a BTreeMap<String, Expression>,
    /// Folder of the reference data.
    pub references: &'a Path,
}

impl Context<'_> {
    /// The value of an expression in the first run.
    pub fn value(&self, e: &Expression) -> Result<Value, String> {
        let first = self.runs.keys().next().ok_or("there is no run")?;
        self.evaluate(e, first, 0)
    }

    fn evaluate(&self, e: &Expression, run: &str, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err("definitions refer to each other in a circle".into());
        }
        match e {
            Expression::Number(x) => Ok(Value::Number(*x)),
            Expression::Name(name) => self.name(name, run, depth),
            Expression::Binary(op, a, b) => {
                let (a, b) = (self.evaluate(a, run, depth)?, self.evaluate(b, run, depth)?);
                a.zip(&b, |x, y| match op {
                    '+' => x + y,
                    '-' => x - y,
                    '*' => x * y,
                    '/' => x / y,
                    _ => x.powf(y),
                })
            }
            Expression::Call(name, arguments) => self.call(name, arguments, run, depth),
        }
    }

    fn name(&self, name: &str, run: &str, depth: usize) -> Result<Value, String> {
        if let Some(e) = self.define.get(name) {
            return self.evaluate(e, run, depth + 1);
        }
        if name == "pi" {
            return Ok(Value::Number(std::f64::consts::PI));
        }
        let made = self.runs.get(run).ok_or_else(|| format!("there is no run \"{run}\""))?;
        if let Some(x) = made.figures.get(name) {
            return Ok(Value::Number(*x));
        }
        let values =
            made.data.column(name).ok_or_else(|| format!("run \"{run}\" records no \"{name}\""))?;
        Ok(Value::Series(Series { times: made.times.clone(), values: values.to_vec() }))
    }

    fn call(
        &self,
        name: &str,
        arguments: &[Expression],
        run: &str,
        depth: usize,
    ) -> Result<Value, String> {
        let text = |k: usize| match arguments.get(k) {
            Some(Expression::Name(text)) => Ok(text.as_str()),
            _ => Err(format!("{name} wants a text as argument {}", k + 1)),
        };
        match (name, arguments.len()) {
            ("of", 2) => return self.evaluate(&arguments[1], text(0)?, depth + 1),
            ("ref", 2) => return self.reference(text(0)?, text(1)?),
            _ => {}
        }
        let values: Vec<Value> =
            arguments.iter().map(|a| self.evaluate(a, run, depth + 1)).collect::<Result<_, _>>()?;
        function(name, &values)
    }

    fn reference(&self, file: &str, column: &str) -> Result<Value, String> {
        let path = self.references.join(file);
        let open = std::fs::File::open(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let data = Data::from_csv(std::io::BufReader::new(open))
            .map_err(|e| format!("{}: {e}", path.display()))?;
        let values =
            data.column(column).ok_or_else(|| format!("{file} has no column \"{column}\""))?;
        let times = data.values.first().map_or(&[][..], |t| t);
        Ok(Value::Series(Series { times: times.into(), values: values.to_vec() }))
    }
}

/// Functions of values.
fn function(name: &str, values: &[Value]) -> Result<Value, String> {
    let one = |f: fn(&Series) -> f64| Ok(Value::Number(f(values[0].series()?)));
    match (name, values.len()) {
        ("max", 1) => one(|s| s.fold(f64::NEG_INFINITY, f64::max)),
        ("min", 1) => one(|s| s.fold(f64::INFINITY, f64::min)),
        ("mean", 1) => one(Series::mean),
        ("median", 1) => one(Series::median),
        ("sum", 1) => one(|s| s.fold(0.0, |a, b| a + b)),
        ("rms", 1) => one(|s| (s.fold(0.0, |a, b| a + b * b) / s.values.len() as f64).sqrt()),
        ("range", 1) => {
            one(|s| s.fold(f64::NEG_INFINITY, f64::max) - s.fold(f64::INFINITY, f64::min))
        }
        ("first", 1) => one(|s| s.values[0]),
        ("last", 1) => one(|s| s.values[s.values.len() - 1]),
        ("period", 1) => Ok(Value::Number(values[0].series()?.period()?)),
        ("crossings", 1) => one(Series::crossings),
        ("crossing", 1) => Ok(Value::Number(values[0].series()?.crossing()?)),
        ("at", 2) => Ok(Value::Number(values[0].series()?.at(values[1].number()?)?)),
        ("until", 2) => {
            Ok(Value::Series(values[0].series()?.between(f64::NEG_INFINITY, values[1].number()?)))
        }
        ("after", 2) => {
            Ok(Value::Series(values[0].series()?.between(values[1].number()?, f64::INFINITY)))
        }
        ("before", 1) => Ok(Value::Series(values[0].series()?.before())),
        ("where_max", 2) => {
            Ok(Value::Number(values[0].series()?.extreme(values[1].series()?, f64::gt)?))
        }
        ("where_min", 2) => {
            Ok(Value::Number(values[0].series()?.extreme(values[1].series()?, f64::lt)?))
        }
        ("norm", 1..) => {
            let mut sum = values[0].map(|x| x * x);
            for v in &values[1..] {
                sum = sum.zip(v, |a, x| a + x * x)?;
            }
            Ok(sum.map(f64::sqrt))
        }
        ("abs", 1) => Ok(values[0].map(f64::abs)),
        ("sqrt", 1) => Ok(values[0].map(f64::sqrt)),
        ("sin", 1) => Ok(values[0].map(f64::sin)),
        ("cos", 1) => Ok(values[0].map(f64::cos)),
        ("ln", 1) => Ok(values[0].map(f64::ln)),
        ("log2", 1) => Ok(values[0].map(f64::log2)),
        ("atan2", 2) => values[0].zip(&values[1], f64::atan2),
        ("least", 2) => values[0].zip(&values[1], f64::min),
        ("most", 2) => values[0].zip(&values[1], f64::max),
        _ => Err(format!("there is no function {name} of {} arguments", values.len())),
    }
}
