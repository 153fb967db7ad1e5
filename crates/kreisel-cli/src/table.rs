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
