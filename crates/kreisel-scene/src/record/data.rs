//! Columns of numbers over time, wherever they come from: a recording, a CSV file, a run.

use super::columns::{Column, Columns};
use super::path::matches;
use kreisel_dynamics::{StepReport, World};
use std::io::Read;

/// Endings of the components of one quantity.
pub(super) const COMPONENTS: [&str; 6] = [".x", ".y", ".z", ".w", ".gap", ".misalignment"];

/// Quantities of the whole world that may be named by their first word.
const GROUPS: [&str; 3] = ["energy", "ledger", "report"];

/// Columns with their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// Names and units.
    pub columns: Vec<Column>,
    /// Values of each column, row by row; NaN stands for what does not exist.
    pub values: Vec<Vec<f64>>,
}

impl Data {
    /// No rows yet.
    pub fn of(columns: &Columns) -> Self {
        Self {
            columns: columns.columns().to_vec(),
            values: vec![Vec::new(); columns.columns().len()],
        }
    }

    /// Appends a row.
    pub fn push(&mut self, columns: &Columns, world: &World, report: &StepReport) {
        for (column, value) in self.values.iter_mut().zip(columns.row(world, report)) {
            column.push(value);
        }
    }

    /// Reads CSV with a header; lines that begin with `#` are remarks, empty fields do not exist.
    pub fn from_csv(input: impl Read) -> Result<Self, csv::Error> {
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(input);
        let columns: Vec<Column> = reader.headers()?.iter().map(Column::from_header).collect();
        let mut values = vec![Vec::new(); columns.len()];
        for record in reader.records() {
            let record = record?;
            for (column, field) in values.iter_mut().zip(&record) {
                column.push(field.trim().parse().unwrap_or(f64::NAN));
            }
        }
        Ok(Self { columns, values })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }

    /// The columns whose names fit a pattern; `arm.position` stands for its components too,
    /// `energy` for all energies.
    pub fn find(&self, pattern: &str) -> Vec<usize> {
        let is = |k: &usize| {
            let name = self.columns[*k].name.as_str();
            let whole = COMPONENTS.iter().find_map(|c| name.strip_suffix(c));
            let group = name
                .split_once('.')
                .is_some_and(|(head, _)| head == pattern && GROUPS.contains(&head));
            group
                || matches(pattern, name)
                || self.columns[*k].header() == pattern
                || whole.is_some_and(|w| matches(pattern, w))
        };
        (0..self.columns.len()).filter(is).collect()
    }

    /// The column with exactly this name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let k = self.columns.iter().position(|c| c.name == name)?;
        Some(&self.values[k])
    }

    /// Only some of the columns.
    pub fn select(&self, wanted: &[usize]) -> Self {
        let pick = |k: &usize| (self.columns[*k].clone(), self.values[*k].clone());
        let (columns, values) = wanted.iter().map(pick).unzip();
        Self { columns, values }
    }
}
