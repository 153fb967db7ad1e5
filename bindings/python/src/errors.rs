//! Python exceptions from what the engine refuses. The classes are defined in `kreisel/errors.py`.

use kreisel_scene::{Problem, SceneError, Severity};
use kreisel_session::session::Refused;
use miette::{GraphicalReportHandler, GraphicalTheme};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An exception of a class in `kreisel.errors`.
pub fn raise(py: Python<'_>, class: &str, message: impl Into<String>) -> PyErr {
    let made = py
        .import("kreisel.errors")
        .and_then(|m| m.getattr(class))
        .and_then(|c| c.call1((message.into(),)));
    made.map_or_else(|e| e, |value| PyErr::from_value(value))
}

/// Something was asked for that the world does not allow.
pub fn refused(py: Python<'_>, message: impl Into<String>) -> PyErr {
    raise(py, "Refused", message)
}

/// A refused command.
pub fn command(py: Python<'_>, e: &Refused) -> PyErr {
    refused(py, e.0.clone())
}

/// A name that nothing has, with the nearest one that something has.
pub fn unknown<'a>(
    py: Python<'_>,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> PyErr {
    let help = kreisel_scene::nearest(name, known).map(|n| format!("; did you mean \"{n}\"?"));
    raise(py, "UnknownName", format!("there is no {what} \"{name}\"{}", help.unwrap_or_default()))
}

/// All problems of a scene: the text as the program prints it, and a list for programs.
pub fn scene(py: Python<'_>, error: &SceneError) -> PyErr {
    let text: String = error.problems.iter().map(render).collect();
    let problems = error.problems.iter().map(|p| problem(py, p)).collect::<PyResult<Vec<_>>>();
    let made = problems
        .and_then(|list| py.import("kreisel.errors")?.getattr("SceneError")?.call1((text, list)));
    made.map_or_else(|e| e, |value| PyErr::from_value(value))
}

/// A problem as the program prints it, without colours.
pub fn render(problem: &Problem) -> String {
    let handler =
        GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let mut text = String::new();
    match handler.render_report(&mut text, problem) {
        Ok(()) => text,
        Err(_) => format!("{problem}\n"),
    }
}

/// A problem as a dictionary.
pub fn problem<'py>(py: Python<'py>, p: &Problem) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let (line, column) = p.line_column();
    out.set_item("severity", if p.severity == Severity::Error { "error" } else { "warning" })?;
    out.set_item("code", p.code.name())?;
    out.set_item("message", &p.message)?;
    out.set_item("file", p.source.name.to_string())?;
    out.set_item("line", line)?;
    out.set_item("column", column)?;
    out.set_item("help", &p.help)?;
    Ok(out)
}
