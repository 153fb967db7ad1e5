//! What is measured.

pub mod contacts;
pub mod growth;
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
    /// Only the scene of this name (suites `joints` and `contacts`).
    pub scene: Option<String>,
    /// Only engines with this text in their name (suites `joints` and `contacts`).
    pub engine: Option<String>,
    /// Peers that are reached through Python.
    pub python: Python,
}

/// A suite: name on the command line, heading on the page, and the run.
pub type Suite = (&'static str, &'static str, fn(&Options) -> Section);

/// All suites, in the order of the page.
pub const SUITES: [Suite; 5] = [
    ("joints", joints::TITLE, joints::run),
    ("contacts", contacts::TITLE, contacts::run),
    ("ratio", ratio::TITLE, ratio::run),
    ("growth", growth::TITLE, growth::run),
    ("precision", precision::TITLE, precision::run),
    ("multipliers", multipliers::TITLE, multipliers::run),
];
