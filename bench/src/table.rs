//! Tables in Markdown, and numbers as they are written in them.

use std::fmt::Write;

/// A table with a line above and a line below it.
#[derive(Clone, Debug, Default)]
pub struct Table {
    title: String,
    notes: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        let head = columns.iter().map(|c| (*c).to_owned()).collect();
        Self { title: title.into(), notes: Vec::new(), rows: vec![head] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Adds a line below the table.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// The table as text, columns aligned.
    pub fn markdown(&self) -> String {
        let mut out = format!("**{}**\n\n", self.title);
        let columns = self.rows[0].len();
        let width = |c: usize| {
            self.rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (k, row) in self.rows.iter().enumerate() {
            for (c, w) in widths.iter().enumerate() {
                let cell = row.get(c).map_or("", String::as_str);
                let _ = write!(out, "| {cell:<w$} ");
            }
            out.push_str("|\n");
            if k == 0 {
                widths.iter().for_each(|w| out.push_str(&format!("|{}", "-".repeat(w + 2))));
                out.push_str("|\n");
            }
        }
        for note in &self.notes {
            let _ = write!(out, "\n{note}\n");
        }
        out
    }
}

/// Three digits: 0.0123, 1.23, 123.
pub fn digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let places = (2 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.places$}")
}

/// An error or an energy: 1.2e-7.
pub fn small(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:.1e}") }
}

/// A ratio with its range: 12.3 (11.9 to 12.8).
pub fn ratio([middle, low, high]: [f64; 3]) -> String {
    format!("{} ({} to {})", digits(middle), digits(low), digits(high))
}

/// A share in per cent.
pub fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}
