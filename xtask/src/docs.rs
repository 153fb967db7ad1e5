//! `cargo xtask docs`: reference pages printed by the program, and pictures plotted by it, so that neither goes stale.

use crate::process::{kreisel, output, root};
use std::path::Path;
use std::process::Command;

/// Pages of which the part below the marker is printed by a command.
const PAGES: [(&str, &str); 2] = [("docs/scene-format.md", "reference"), ("docs/commands.md", "commands")];

const MARKER: &str = "<!-- Below this line: printed by `cargo xtask docs`. -->\n";

/// Writes the pages anew.
pub fn write() -> Result<(), String> {
    for (page, text) in pages()? {
        std::fs::write(root().join(page), text).map_err(|e| format!("{page}: {e}"))?;
    }
    Ok(())
}

/// Sees that the pages are what the program prints.
pub fn check() -> Result<(), String> {
    for (page, text) in pages()? {
        if read(&root().join(page))? != text {
            return Err(format!("{page} is not current: run `cargo xtask docs`"));
        }
    }
    Ok(())
}

/// The pages as they should be.
fn pages() -> Result<Vec<(&'static str, String)>, String> {
    let program = kreisel()?;
    let mut out = Vec::new();
    for (page, command) in PAGES {
        let old = read(&root().join(page))?;
        let (head, _) = old.split_once(MARKER).ok_or_else(|| format!("{page} has no marker line:\n{MARKER}"))?;
        let printed = output(Command::new(&program).arg(command))?;
        out.push((page, format!("{head}{MARKER}\n{printed}")));
    }
    Ok(out)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
