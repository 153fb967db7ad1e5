//! Many copies of a world, stepped on threads. Each copy is stepped by one thread at a time and
//! shares nothing with the others: the bits are the same on any number of threads.

use crate::core::Core;
use crate::errors;
use crate::run::failure;
use kreisel_cli::paths;
use kreisel_session::session::Session;
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;

/// The worlds of a batch.
#[pyclass(frozen, subclass, module = "kreisel._native")]
pub struct BatchCore {
    worlds: Vec<Py<Core>>,
    pool: rayon::ThreadPool,
}

#[pymethods]
impl BatchCore {
    /// A batch of these worlds on a number of threads; 0 takes all cores.
    #[new]
    #[pyo3(signature = (worlds, threads=0))]
    fn new(py: Python<'_>, worlds: Vec<Py<Core>>, threads: usize) -> PyResult<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| errors::refused(py, e.to_string()))?;
        Ok(Self { worlds, pool })
    }

    /// The worlds, in their order.
    #[getter]
    fn worlds(&self, py: Python<'_>) -> Vec<Py<Core>> {
        self.worlds.iter().map(|w| w.clone_ref(py)).collect()
    }

    /// Number of threads.
    #[getter]
    fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Steps every world; gives the worlds whose last step did not end converged, with the word of
    /// its status.
    #[pyo3(signature = (n=1))]
    fn _step(&self, py: Python<'_>, n: u64) -> PyResult<Vec<(usize, &'static str)>> {
        let cores: Vec<&Core> = self.worlds.iter().map(Py::get).collect();
        let _running = cores.iter().map(|c| c.claim(py)).collect::<PyResult<Vec<_>>>()?;
        let one = |core: &&Core| {
            core.detached(|s| {
                for _ in 0..n {
                    if let Some(failed) = failure(&s.step()) {
                        return Err(failed);
                    }
                }
                Ok(crate::report::word(&s.report().status))
            })
        };
        let words: Vec<Option<Result<&'static str, _>>> =
            py.detach(|| self.pool.install(|| cores.par_iter().map(one).collect()));
        let words: Vec<Option<&'static str>> = words
            .into_iter()
            .map(Option::transpose)
            .collect::<Result<_, _>>()
            .map_err(|(name, said)| crate::plugin::raised(py, &name, &said))?;
        let words = words.into_iter().map(|w| w.unwrap_or("panicked")).enumerate();
        Ok(words.filter(|w| w.1 != "converged").collect())
    }

    /// Runs every world for a number of steps and records paths: names, units, and an array of
    /// worlds × rows × columns.
    fn _run<'py>(
        &self,
        py: Python<'py>,
        steps: u64,
        record: Vec<String>,
        stride: u64,
    ) -> PyResult<(Vec<(String, String)>, Bound<'py, PyArray3<f64>>)> {
        let cores: Vec<&Core> = self.worlds.iter().map(Py::get).collect();
        let _running = cores.iter().map(|c| c.claim(py)).collect::<PyResult<Vec<_>>>()?;
        let run = |s: &mut Session| -> Result<(Vec<(String, String)>, Vec<f64>), String> {
            let columns = paths::columns(&s.simulation().world, &record)?;
            let mut rows = Vec::new();
            columns.measure(&s.simulation().world, s.report(), &mut rows);
            for k in 1..=steps {
                if let Some((name, said)) = failure(&s.step()) {
                    return Err(format!("{name}: {said}"));
                }
                if k % stride.max(1) == 0 {
                    columns.measure(&s.simulation().world, s.report(), &mut rows);
                }
            }
            let names =
                columns.columns().iter().map(|c| (c.name.clone(), c.unit.to_string())).collect();
            Ok((names, rows))
        };
        let one =
            |core: &&Core| core.detached(run).unwrap_or_else(|| Err("a step panicked".into()));
        let done: Vec<_> = py.detach(|| self.pool.install(|| cores.par_iter().map(one).collect()));

        // worlds that were built alike have the same columns; others have no common array
        let mut names: Option<Vec<(String, String)>> = None;
        let mut flat = Vec::new();
        for world in done {
            let (own, rows) = world.map_err(|e| errors::raise(py, "UnknownName", e))?;
            if names.as_ref().is_some_and(|n| *n != own) {
                return Err(errors::refused(
                    py,
                    "the worlds of the batch have different items: record others",
                ));
            }
            names = Some(own);
            flat.extend(rows);
        }
        let names = names.unwrap_or_default();
        let (worlds, width) = (self.worlds.len(), names.len());
        let rows = flat.len() / (worlds * width).max(1);
        Ok((names, PyArray1::from_vec(py, flat).reshape([worlds, rows, width])?))
    }

    /// The values of a path in every world, row after row.
    fn _measure(&self, py: Python<'_>, path: &str) -> PyResult<Vec<Vec<f64>>> {
        let mut out = Vec::with_capacity(self.worlds.len());
        for core in &self.worlds {
            let row = core.get().with(py, |s| paths::values(s, path))?;
            out.push(row.map_err(|e| errors::raise(py, "UnknownName", e))?);
        }
        Ok(out)
    }

    /// A vector or quaternion of every body of every world: 0 position, 1 rotation, 2 velocity,
    /// 3 angular velocity.
    fn _state<'py>(&self, py: Python<'py>, what: u8) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let width = if what == 1 { 4 } else { 3 };
        let mut flat = Vec::new();
        for core in &self.worlds {
            core.get().read(py, |w| {
                for b in w.bodies() {
                    let v = match what {
                        0 => w.position(b),
                        1 => {
                            flat.extend(w.rotation(b).map_or([f64::NAN; 4], |q| q.to_array()));
                            continue;
                        }
                        2 => w.velocity(b),
                        _ => w.angular_velocity(b),
                    };
                    flat.extend(v.unwrap_or_default().to_array());
                }
            })?;
        }
        let bodies = flat.len() / (self.worlds.len() * width).max(1);
        let different =
            |_| errors::refused(py, "the worlds of the batch have different numbers of bodies");
        PyArray1::from_vec(py, flat).reshape([self.worlds.len(), bodies, width]).map_err(different)
    }

    /// The state hash of every world.
    #[getter]
    fn state_hashes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.worlds.iter().map(|c| c.get().with(py, |s| s.hash())).collect()
    }
}
