//! Sweeps: points, runs and tables as the program makes them.

use crate::{errors, value};
use kreisel_cli::sweep::{self, Measure, Plan, Range, Row, Source, Status, Table, Task, columns};
use kreisel_dynamics::Interrupt;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The points of a sweep: `values` of every parameter, or its bounds for plans that sample.
#[pyfunction]
#[pyo3(signature = (names, values, plan, count, seed=None))]
pub fn sweep_points(
    py: Python<'_>,
    names: Vec<String>,
    values: Vec<(bool, Vec<f64>)>,
    plan: &str,
    count: usize,
    seed: Option<u64>,
) -> PyResult<Vec<Vec<f64>>> {
    let range = |(span, v): (bool, Vec<f64>)| match v[..] {
        [low, high] if span => Range::Span(low, high),
        _ => Range::Values(v),
    };
    let ranges: Vec<(String, Range)> =
        names.into_iter().zip(values.into_iter().map(range)).collect();
    let plan = match plan {
        "sobol" => Plan::Sobol { count, seed },
        "latin" => Plan::Latin { count, seed: seed.unwrap_or(0) },
        _ => Plan::Grid,
    };
    sweep::points(&ranges, plan).map_err(|e| errors::refused(py, e))
}

/// One row as a dictionary.
fn dictionary<'py>(py: Python<'py>, row: &Row, columns: &[String]) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let mut names = columns.iter();
    let mut put =
        |value: Bound<'py, PyAny>| names.next().map_or(Ok(()), |n| out.set_item(n, value));
    put(row.index.into_bound_py_any(py)?)?;
    for x in &row.point {
        put(x.into_bound_py_any(py)?)?;
    }
    for v in &row.values {
        put(v.into_bound_py_any(py)?)?;
    }
    put(row.status.word().into_bound_py_any(py)?)?;
    put(row.error.as_str().into_bound_py_any(py)?)?;
    put(row.state_hash.as_str().into_bound_py_any(py)?)?;
    put(row.seed.into_bound_py_any(py)?)?;
    put(env!("CARGO_PKG_VERSION").into_bound_py_any(py)?)?;
    Ok(out)
}

/// A dictionary as a row.
fn row(given: &Bound<'_, PyDict>, names: &[String], measures: &[String]) -> PyResult<Row> {
    let py = given.py();
    let get = |key: &str| {
        given
            .get_item(key)?
            .ok_or_else(|| errors::refused(py, format!("the row of a sweep lacks \"{key}\"")))
    };
    let optional = |key: &String| -> PyResult<Option<f64>> {
        let v = get(key)?;
        // what is not finite has no value in a table
        if v.is_none() {
            Ok(None)
        } else {
            value::number(&v).map(|x| Some(x).filter(|x| x.is_finite()))
        }
    };
    let status: String = get("status")?.extract()?;
    Ok(Row {
        index: get("index")?.extract()?,
        point: names.iter().map(|n| value::number(&get(n)?)).collect::<PyResult<_>>()?,
        values: measures.iter().map(optional).collect::<PyResult<_>>()?,
        status: Status::of(&status).unwrap_or(Status::Failed),
        error: get("error")?.extract()?,
        state_hash: get("state_hash")?.extract()?,
        seed: get("seed")?.extract()?,
    })
}

/// A scene that is run at points.
#[pyclass(frozen, module = "kreisel._native")]
pub struct SweepTask {
    task: Task,
    measures: Vec<(String, String)>,
}

#[pymethods]
impl SweepTask {
    /// A scene from a file, or from a text; `measures` are names with their texts.
    #[new]
    #[pyo3(signature = (path, text, names, measures, duration, seed))]
    fn new(
        path: Option<PathBuf>,
        text: Option<String>,
        names: Vec<String>,
        measures: Vec<(String, String)>,
        duration: Option<f64>,
        seed: i64,
    ) -> Self {
        let source = path.map_or_else(|| Source::Text(text.unwrap_or_default()), Source::File);
        let what = measures.iter().map(|m| Measure::new(&m.1)).collect();
        let task = Task {
            source,
            allow_outside: false,
            params: Vec::new(),
            names,
            measures: what,
            duration,
            seed,
        };
        Self { task, measures }
    }

    /// What makes two sweeps the same.
    fn mark(&self, points: Vec<Vec<f64>>) -> String {
        sweep::mark(&self.task, &points, &self.measures)
    }

    /// Runs a point without the interpreter's lock; gives its row.
    fn run<'py>(
        &self,
        py: Python<'py>,
        index: u64,
        point: Vec<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let row = py.detach(|| self.task.run(index, &point, &Interrupt::default()));
        let row =
            row.ok_or_else(|| errors::raise(py, "KreiselError", "the run was interrupted"))?;
        let names: Vec<String> = self.measures.iter().map(|m| m.0.clone()).collect();
        dictionary(py, &row, &columns(&self.task.names, &names))
    }
}

/// A table that grows on disk.
#[pyclass(frozen, module = "kreisel._native")]
pub struct SweepTable {
    table: Mutex<Table>,
    names: Vec<String>,
    measures: Vec<String>,
    there: Vec<Row>,
}

#[pymethods]
impl SweepTable {
    /// Opens or begins a table.
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        names: Vec<String>,
        measures: Vec<String>,
        mark: &str,
    ) -> PyResult<Self> {
        let (table, there) =
            Table::open(&path, &names, &measures, mark).map_err(|e| errors::refused(py, e))?;
        Ok(Self { table: Mutex::new(table), names, measures, there })
    }

    /// The rows that were there.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let columns = columns(&self.names, &self.measures);
        self.there.iter().map(|r| dictionary(py, r, &columns)).collect()
    }

    /// Appends a row.
    fn write(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<()> {
        let row = row(given, &self.names, &self.measures)?;
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.write(&row).map_err(|e| errors::raise(py, "KreiselError", e))
    }

    /// Writes rows as an archive of arrays, or as Parquet.
    fn finish(&self, py: Python<'_>, path: PathBuf, rows: Vec<Bound<'_, PyDict>>) -> PyResult<()> {
        let rows = rows
            .iter()
            .map(|r| row(r, &self.names, &self.measures))
            .collect::<PyResult<Vec<_>>>()?;
        let is_npz = path.extension().is_some_and(|e| e == "npz");
        let write = if is_npz { sweep::write_npz } else { sweep::write_parquet };
        write(&path, &self.names, &self.measures, &rows)
            .map_err(|e| errors::raise(py, "KreiselError", e))
    }
}
