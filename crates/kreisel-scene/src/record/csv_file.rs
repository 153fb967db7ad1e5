//! Recordings as CSV (RFC 4180): a header with units, then one row per recorded time.

use super::Columns;
use kreisel_dynamics::{StepReport, World};
use std::io::{self, Write};

/// Rows between two flushes: what a crash can lose at most.
const FLUSH: u64 = 256;

/// A CSV file being written. Every row is whole, so that the file is valid whenever the run ends.
pub struct CsvFile<W: Write> {
    writer: csv::Writer<W>,
    columns: Columns,
    rows: u64,
}

impl<W: Write> CsvFile<W> {
    /// Writes the header.
    pub fn new(inner: W, columns: Columns) -> io::Result<Self> {
        let mut writer = csv::WriterBuilder::new().from_writer(inner);
        writer.write_record(columns.columns().iter().map(super::Column::header))?;
        Ok(Self { writer, columns, rows: 0 })
    }

    /// Writes one row; values that do not exist are left empty.
    pub fn write(&mut self, world: &World, report: &StepReport) -> io::Result<()> {
        let row = self.columns.row(world, report);
        // `{:?}` prints the shortest text that reads back as the same bits, with an exponent where
        // it is shorter.
        let text = |x: f64| if x.is_finite() { format!("{x:?}") } else { String::new() };
        self.writer.write_record(row.into_iter().map(text))?;
        self.rows += 1;
        if self.rows.is_multiple_of(FLUSH) {
            self.writer.flush()?;
        }
        Ok(())
    }

    /// Number of rows written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes out what is buffered.
    pub fn finish(mut self) -> io::Result<u64> {
        self.writer.flush()?;
        Ok(self.rows)
    }
}
