//! What is measured.

pub mod contacts;
pub mod growth;
pub mod heaps;
pub mod joints;
pub mod multipliers;
pub mod precision;
pub mod ratio;

use crate::page::Section;
use crate::python::Python;

/// What a suite is told.
pub struct Options {
    /// A short run: fewer cases, shorter, less sure.
    pub quick: bool,
    /// Only the scene of this name (suites `joints`, `contacts`, `heaps`) or the kind of joint
    /// (suite `ratio`).
    pub scene: Option<String>,
    /// Only engines with one of these texts (separated by commas) in their name.
    pub engine: Option<String>,
    /// Processor time for the judged run of an engine (suite `joints`), s.
    pub cap: Option<f64>,
    /// Peers that are reached through Python.
    pub python: Python,
}

impl Options {
    /// Whether the scene (or kind of scene) of this name is asked for.
    pub fn wants_scene(&self, name: &str) -> bool {
        self.scene.as_ref().is_none_or(|wanted| wanted == name)
    }
    /// Whether the engine of this name is asked for.
    pub fn wants_engine(&self, name: &str) -> bool {
        self.engine.as_ref().is_none_or(|texts| texts.split(',').any(|text| name.contains(text)))
    }
}

/// A suite: name on the command line, heading on the page, and the run.
pub type Suite = (&'static str, &'static str, fn(&Options) -> Section);

/// All suites, in the order of the page.
pub const SUITES: [Suite; 7] = [
    ("joints", joints::TITLE, joints::run),
    ("contacts", contacts::TITLE, contacts::run),
    ("heaps", heaps::TITLE, heaps::run),
    ("ratio", ratio::TITLE, ratio::run),
    ("growth", growth::TITLE, growth::run),
    ("precision", precision::TITLE, precision::run),
    ("multipliers", multipliers::TITLE, multipliers::run),
];
