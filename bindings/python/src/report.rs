//! What a step or a run reports, for Python.

use kreisel_dynamics::{Event, Ledger, Status, StepReport};
use kreisel_scene::Tally;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

/// The report of a step.
#[pyclass(frozen, module = "kreisel._native")]
pub struct Report {
    report: StepReport,
    events: Vec<Event>,
    /// Simulated time at the end of the step, s.
    #[pyo3(get)]
    time: f64,
}

impl Report {
    pub fn of(report: StepReport, events: Vec<Event>, time: f64) -> Self {
        Self { report, events, time }
    }
}

/// The word of a status.
pub fn word(status: &Status) -> &'static str {
    match status {
        Status::Converged => "converged",
        Status::NotConverged => "not converged",
        Status::BudgetSpent => "budget spent",
        Status::Energy => "energy",
        Status::Order => "order",
        Status::Refused => "refused",
        Status::Quarantined => "quarantined",
        Status::Interrupted => "interrupted",
    }
}

/// The entries of a ledger, J.
pub fn ledger<'py>(py: Python<'py>, l: &Ledger) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let entries = [
        ("change", l.change),
        ("motors", l.motors),
        ("user", l.user),
        ("kinematic", l.kinematic),
        ("damping", l.damping),
        ("friction", l.friction),
        ("impacts", l.impacts),
        ("correction", l.correction),
        ("residual", l.residual),
    ];
    for (name, value) in entries {
        out.set_item(name, value)?;
    }
    Ok(out)
}

/// Adds the entries of one ledger to another.
pub fn add(sum: &mut Ledger, l: &Ledger) {
    sum.energy = l.energy;
    sum.change += l.change;
    sum.motors += l.motors;
    sum.user += l.user;
    sum.kinematic += l.kinematic;
    sum.damping += l.damping;
    sum.friction += l.friction;
    sum.impacts += l.impacts;
    sum.correction += l.correction;
    sum.residual += l.residual;
}

/// An event as a dictionary: its kind, its time, and what it says, with names instead of numbers of
/// items.
pub fn event<'py>(py: Python<'py>, event: &Event, time: f64) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let value = serde_json::to_value(event).unwrap_or(Value::Null);
    let Some((kind, Value::Object(fields))) = value.as_object().and_then(|o| o.iter().next())
    else {
        out.set_item("kind", value.as_str().unwrap_or_default())?;
        return Ok(out);
    };
    out.set_item("kind", snake(kind))?;
    out.set_item("time", time)?;
    for (key, value) in fields {
        let numbered = |v: &Value| v.is_object();
        let id = numbered(value) || value.as_array().is_some_and(|a| a.iter().any(numbered));
        if !id {
            let key = if key == "names" { "bodies" } else { key };
            out.set_item(key, json(py, value)?)?;
        }
    }
    Ok(out)
}

/// `LimitHit` as `limit_hit`.
fn snake(word: &str) -> String {
    let mut out = String::new();
    for (k, c) in word.chars().enumerate() {
        if c.is_uppercase() && k > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// A JSON value for Python.
pub fn json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(b) => b.into_bound_py_any(py),
        Value::Number(n) => match n.as_i64() {
            Some(i) => i.into_bound_py_any(py),
            None => n.as_f64().into_bound_py_any(py),
        },
        Value::String(s) => s.into_bound_py_any(py),
        Value::Array(a) => {
            let items = a.iter().map(|v| json(py, v)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, items)?.into_any())
        }
        Value::Object(o) => {
            let out = PyDict::new(py);
            for (k, v) in o {
                out.set_item(k, json(py, v)?)?;
            }
            Ok(out.into_any())
        }
    }
}

/// What a run was like.
pub fn summary<'py>(py: Python<'py>, t: &Tally, sum: &Ledger) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let counts = [
        ("steps", t.steps),
        ("converged", t.converged),
        ("not_converged", t.not_converged),
        ("budget_spent", t.budget_spent),
        ("quarantined", t.quarantined),
        ("order_lowered", t.order_lowered),
        ("energy_unexplained", t.energy_unexplained),
        ("limit_hits", t.limit_hits),
        ("contacts", t.contacts),
        ("script_errors", t.script_errors),
    ];
    for (name, count) in counts {
        out.set_item(name, count)?;
    }
    for (name, value) in [
        ("work", t.work),
        ("losses", t.losses),
        ("residual", t.residual),
        ("penetration", t.penetration),
    ] {
        out.set_item(name, value)?;
    }
    let worst = t.worst.as_ref().map(|w| (w.joint.to_string(), w.position, w.angle, w.time));
    out.set_item("worst", worst)?;
    let broken: Vec<_> =
        t.broken.iter().map(|b| (b.joint.to_string(), b.time, b.force, b.torque)).collect();
    out.set_item("broken", broken)?;
    out.set_item("order_lowered_by", t.order_lowered_by.as_deref())?;
    out.set_item("unexplained", t.unexplained.as_ref().map(|w| w.what.to_string()))?;
    out.set_item("ledger", ledger(py, sum)?)?;
    Ok(out)
}

#[pymethods]
impl Report {
    /// How the step ended: "converged", "not converged", "budget spent", "energy", "order",
    /// "refused", "quarantined" or "interrupted".
    #[getter]
    fn status(&self) -> &'static str {
        word(&self.report.status)
    }

    /// Whether every joint is within tolerance and nothing else is wrong.
    #[getter]
    fn ok(&self) -> bool {
        self.report.status == Status::Converged
    }

    /// The worst joint: name, gap in m, misalignment in rad.
    #[getter]
    fn worst(&self) -> Option<(String, f64, f64)> {
        self.report.worst.as_ref().map(|w| (w.name.to_string(), w.position, w.angle))
    }

    /// Where the energy went, J.
    #[getter]
    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        ledger(py, &self.report.ledger)
    }

    /// What happened.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let all =
            self.events.iter().map(|e| event(py, e, self.time)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, all)
    }

    /// Largest remaining velocity error of a joint, m/s or rad/s.
    #[getter]
    fn velocity_error(&self) -> f64 {
        self.report.velocity_error
    }

    /// Substeps made.
    #[getter]
    fn substeps(&self) -> u32 {
        self.report.substeps
    }

    /// Rounds of joint correction.
    #[getter]
    fn rounds(&self) -> u32 {
        self.report.rounds
    }

    /// Contact points.
    #[getter]
    fn contacts(&self) -> u32 {
        self.report.contact.points
    }

    /// Deepest overlap, m.
    #[getter]
    fn penetration(&self) -> f64 {
        self.report.contact.penetration
    }

    /// Why the energy is not to be trusted, where it is not.
    #[getter]
    fn unexplained(&self) -> Option<String> {
        self.report.unexplained.as_ref().map(ToString::to_string)
    }

    fn __repr__(&self) -> String {
        let worst = self.report.worst.as_ref();
        let worst =
            worst.map_or(String::new(), |w| format!(", worst {} {:.1e} m", w.name, w.position));
        format!("<report at {:.4} s: {}{worst}>", self.time, self.status())
    }
}
