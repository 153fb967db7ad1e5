//! A table that grows row by row on disk and survives a kill at any moment.
//!
//! The first line says which sweep the file belongs to. Rows follow in the order of the points, so
//! that the file is the same on any number of threads. What was written whole is taken over; a row
//! that was cut off is computed again.

use super::row::{LAST, Row, csv_line};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file of rows.
pub struct Table {
    columns: Vec<String>,
    is_csv: bool,
    file: File,
    path: PathBuf,
}

/// All columns of a sweep.
pub fn columns(varied: &[String], measures: &[String]) -> Vec<String> {
    let first = std::iter::once("index").chain(varied.iter().chain(measures).map(String::as_str));
    first.chain(LAST).map(str::to_owned).collect()
}

impl Table {
    /// Opens or begins the table of a sweep with this mark; gives the rows that are there.
    pub fn open(
        path: &Path,
        varied: &[String],
        measures: &[String],
        mark: &str,
    ) -> Result<(Self, Vec<Row>), String> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if !["csv", "jsonl"].contains(&ending) {
            return Err(format!(
                "{}: sweeps are written as .csv, .jsonl, .npz or .parquet",
                path.display()
            ));
        }
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        let (columns, is_csv) = (columns(varied, measures), ending == "csv");
        let line = serde_json::json!({ "kreisel sweep": mark, "columns": columns });
        let head = if is_csv {
            format!("# {line}\n{}", csv_line(columns.iter().cloned()))
        } else {
            format!("{line}\n")
        };

        // what is there; a head that was cut off while it was written is none
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(failed(e)),
        };
        let mut rows = Vec::new();
        if !head.starts_with(&text) {
            let Some(rest) = text.strip_prefix(&head) else {
                return Err(format!(
                    "{} belongs to another sweep (other scene, points, measures or version): take another file, or \
                     delete it",
                    path.display()
                ));
            };
            for line in rest.split_inclusive('\n').take_while(|l| l.ends_with('\n')) {
                let row = if is_csv {
                    Row::of_csv(line, &columns, varied.len())
                } else {
                    Row::of_json(line, &columns, varied.len())
                };
                let Some(row) = row.filter(|r| r.index == rows.len() as u64) else { break };
                rows.push(row);
            }
        }

        // what was written whole stays
        let whole: String = std::iter::once(head)
            .chain(rows.iter().map(|r| text_of(r, &columns, is_csv)))
            .collect();
        if text != whole {
            let fresh = path.with_extension(format!("{ending}.new"));
            std::fs::write(&fresh, whole)
                .and_then(|()| std::fs::rename(&fresh, path))
                .map_err(failed)?;
        }
        let file = File::options().append(true).open(path).map_err(failed)?;
        Ok((Self { columns, is_csv, file, path: path.into() }, rows))
    }

    /// Appends a row; it is with the system before the next one.
    pub fn write(&mut self, row: &Row) -> Result<(), String> {
        let line = text_of(row, &self.columns, self.is_csv);
        self.file.write_all(line.as_bytes()).map_err(|e| format!("{}: {e}", self.path.display()))
    }
}

fn text_of(row: &Row, columns: &[String], is_csv: bool) -> String {
    if is_csv { row.csv() } else { row.json(columns) }
}
