//! `cargo xtask test`: formatting, lints, tests, documentation, scenes, reference pages, the viewer in a browser.

use crate::process::{self, cargo, kreisel, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs every check; stops at the first that fails. The viewer is built first: the program embeds it.
pub fn run() -> Result<(), String> {
    crate::web::build()?;
    process::run(cargo().args(["fmt", "--all", "--check"]))?;
    process::run(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    process::run(cargo().args(["test", "--workspace"]))?;
    process::run(cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    check_scenes()?;
    crate::docs::check()?;
    crate::web::test()
}

/// Checks every scene but the broken ones with the program itself.
fn check_scenes() -> Result<(), String> {
    let mut scenes = Vec::new();
    collect(&root().join("scenes"), &mut scenes)?;
    scenes.sort();
    process::run(Command::new(kreisel()?).current_dir(root()).args(["check", "--quiet"]).args(scenes))
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| format!("{}: {e}", folder.display()))?.path();
        if path.is_dir() && !path.ends_with("broken") {
            collect(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "toml") {
            out.push(path.strip_prefix(root()).unwrap_or(&path).to_path_buf());
        }
    }
    Ok(())
}
