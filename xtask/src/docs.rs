//! `cargo xtask docs`: reference pages printed by the program, and pictures plotted by it, so that neither goes stale.

use crate::process::{kreisel, output, root};
use std::path::Path;
use std::process::Command;

/// Pages of which the part below the marker is printed by a command.
const PAGES: [(&str, &str); 2] = [("docs/scene-format.md", "reference"), ("docs/commands.md", "commands")];

/// Pictures: file, scene, times to draw.
const PICTURES: [(&str, &str, &str); 11] = [
    ("bricard", "scenes/iftomm/a04-bricard.toml", "0,0.4,0.7,0.9,1.1"),
    ("chain", "scenes/chains/chain.toml", "0,0.6,1,1.3,1.5"),
    ("four-bar", "scenes/features/four-bar.toml", "1,1.6,2.2,2.8"),
    ("net", "scenes/chains/net.toml", "1"),
    ("necklace", "scenes/chains/necklace.toml", "0.9"),
    ("slider-crank", "scenes/features/kinematic-crank.toml", "0,0.1,0.2,0.3"),
    ("star", "scenes/chains/star.toml", "0.4"),
    ("tree", "scenes/bender/e03-tree-127.toml", "1"),
    ("wall", "scenes/contact/wall.toml", "3"),
    ("chain-on-ground", "scenes/contact/chain-on-ground.toml", "4"),
    ("heap", "scenes/contact/heap.toml", "4"),
];

/// The JSON Schema of the scene format, for editors.
const SCHEMA: &str = "docs/scene.schema.json";

const MARKER: &str = "<!-- Below this line: printed by `cargo xtask docs`. -->\n";

/// Writes the pages and pictures anew. (Pictures follow the engine's last digits and are not compared.)
pub fn write() -> Result<(), String> {
    let program = kreisel()?;
    for (name, scene, times) in PICTURES {
        let picture = format!("docs/pictures/{name}.svg");
        output(
            Command::new(&program).current_dir(root()).args(["render", scene, "--at", times, "--output", &picture]),
        )?;
    }
    std::fs::write(root().join(SCHEMA), schema()?).map_err(|e| format!("{SCHEMA}: {e}"))?;
    for (page, text) in pages()? {
        std::fs::write(root().join(page), text).map_err(|e| format!("{page}: {e}"))?;
    }
    Ok(())
}

/// Sees that the pages are what the program prints.
pub fn check() -> Result<(), String> {
    if read(&root().join(SCHEMA))? != schema()? {
        return Err(format!("{SCHEMA} is not current: run `cargo xtask docs`"));
    }
    for (page, text) in pages()? {
        if read(&root().join(page))? != text {
            return Err(format!("{page} is not current: run `cargo xtask docs`"));
        }
    }
    Ok(())
}

/// The schema as the program prints it.
fn schema() -> Result<String, String> {
    output(Command::new(kreisel()?).arg("schema"))
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
