//! The program `kreisel`, charts as SVG, and words for messages.

use crate::errors;
use kreisel_cli::{Chart, Line};
use kreisel_scene::grammar::SECTIONS;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the program with these arguments, the first of which is its name; gives the exit code.
#[pyfunction]
pub fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| kreisel_cli::main(arguments))
}

/// Lines (label, unit, values) over x as the text of an SVG picture.
#[pyfunction]
pub fn chart(
    py: Python<'_>,
    x: Vec<f64>,
    x_label: String,
    lines: Vec<(String, String, Vec<f64>)>,
    title: Option<String>,
    size: (u32, u32),
) -> PyResult<String> {
    let line = |(label, unit, y): (String, String, Vec<f64>)| Line {
        label,
        unit,
        points: x.iter().copied().zip(y).collect(),
        marked: false,
    };
    let lines: Vec<Line> = lines.into_iter().map(line).collect();
    if lines.len() > kreisel_cli::MAX_LINES {
        let message = format!(
            "{} lines are too many for one plot; choose up to {}",
            lines.len(),
            kreisel_cli::MAX_LINES
        );
        return Err(errors::refused(py, message));
    }
    let chart = Chart { title, x_label, y_label: String::new(), log: (false, false), lines };
    kreisel_cli::svg(&chart, size).map_err(|e| errors::refused(py, e))
}

/// The nearest of known words to a mistyped one, if one is near enough to be meant.
#[pyfunction]
pub fn nearest(word: &str, known: Vec<String>) -> Option<String> {
    kreisel_scene::nearest(word, known.iter().map(String::as_str)).map(str::to_owned)
}

/// The tables of the scene format: title, what it is for, and its keys with form and meaning.
#[pyfunction]
pub fn sections() -> Vec<(&'static str, &'static str, Vec<(&'static str, String, String)>)> {
    SECTIONS.iter().map(|keys| (keys.title(), keys.doc(), keys.lines())).collect()
}

/// A scene in TOML as JSON with the same keys.
#[pyfunction]
pub fn rewrite(py: Python<'_>, text: &str) -> PyResult<String> {
    let written = kreisel_scene::rewrite("scene.toml", text, kreisel_scene::Syntax::Json);
    written.map(|w| w.text).map_err(|e| errors::scene(py, &e))
}
