//! Two columns of text, aligned.

use std::fmt;

/// Lines of a name and a value.
#[derive(Default)]
pub struct Table {
    lines: Vec<(String, String)>,
}

impl Table {
    /// Adds a line.
    pub fn line(&mut self, name: impl Into<String>, value: impl fmt::Display) {
        self.lines.push((name.into(), value.to_string()));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.lines.iter().map(|(n, _)| n.chars().count()).max().unwrap_or(0);
        for (name, value) in &self.lines {
            writeln!(f, "{name:width$}  {value}")?;
        }
        Ok(())
    }
}

/// A table with a head: words to the left, numbers to the right.
pub fn grid(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |k: usize| {
        let cells = rows.iter().filter_map(|r| r.get(k)).map(|c| c.chars().count());
        cells.chain([head[k].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    // A column of numbers ends in digits or units everywhere.
    let numeric = |k: usize| {
        let ends = |c: &String| {
            c.is_empty() || c.ends_with(|e: char| e.is_ascii_digit() || "%–".contains(e))
        };
        k > 0 && rows.iter().filter_map(|r| r.get(k)).all(ends)
    };
    let right: Vec<bool> = (0..head.len()).map(numeric).collect();
    let mut out = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (k, cell) in cells.enumerate() {
            let w = widths[k];
            text += if k == 0 { "" } else { "  " };
            text += &if right[k] { format!("{cell:>w$}") } else { format!("{cell:w$}") };
        }
        out += text.trim_end();
        out.push('\n');
    };
    line(&mut head.iter().copied());
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
    out
}
