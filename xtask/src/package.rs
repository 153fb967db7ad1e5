//! `cargo xtask package`: the crates as registries get them.

use crate::process::{cargo, root, run, target};
use std::path::Path;

/// Folders that are built, and where the server's package has them.
const ASSETS: [(&str, &str); 2] = [("web/dist", "viewer"), ("web/engine/packed", "engine")];

/// Keys that a registry shows, and people look for.
const WANTED: [&str; 7] =
    ["description", "license", "readme", "documentation", "keywords", "categories", "rust-version"];

/// Packages all crates; with `--build` every package is unpacked and built by itself, which takes
/// as long as a build of everything.
pub fn run_with(args: &[&str]) -> Result<(), String> {
    let build = match args {
        [] => false,
        ["--build"] => true,
        _ => return Err("cargo xtask package [--build]".into()),
    };
    let crates = root().join("crates");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&crates).map_err(|e| e.to_string())? {
        names.push(entry.map_err(|e| e.to_string())?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    for name in &names {
        described(&crates.join(name).join("Cargo.toml"))?;
    }
    let server = crates.join("kreisel-server");
    let done = assets(&server).and_then(|()| {
        let mut command = cargo();
        // the assets are not known to git
        command.args(["package", "--allow-dirty"]);
        for name in &names {
            command.args(["--package", name]);
        }
        if !build {
            command.arg("--no-verify");
        }
        run(&mut command)
    });
    // left there they would be taken for the built viewer by every later build
    for (_, to) in ASSETS {
        let _ = std::fs::remove_dir_all(server.join(to));
    }
    done?;
    println!("{} packages in {}", names.len(), target().join("package").display());
    Ok(())
}

/// Whether a manifest says what registries show.
fn described(manifest: &Path) -> Result<(), String> {
    let text =
        std::fs::read_to_string(manifest).map_err(|e| format!("{}: {e}", manifest.display()))?;
    let has = |key: &str| {
        text.lines()
            .any(|l| l.starts_with(&format!("{key} =")) || l.starts_with(&format!("{key}.")))
    };
    match WANTED.iter().find(|key| !has(key)) {
        Some(key) => Err(format!("{} has no `{key}`", manifest.display())),
        None => Ok(()),
    }
}

/// Copies what is built into the server's folder.
fn assets(server: &Path) -> Result<(), String> {
    for (from, to) in ASSETS {
        let (from, to) = (root().join(from), server.join(to));
        let built = std::fs::read_dir(&from).is_ok_and(|mut d| d.next().is_some());
        if !built {
            return Err(format!(
                "{} is empty: cargo xtask web and cargo xtask wasm build it",
                from.display()
            ));
        }
        copy(&from, &to).map_err(|e| format!("{}: {e}", to.display()))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let path = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &path)?;
        } else {
            std::fs::copy(entry.path(), path)?;
        }
    }
    Ok(())
}
