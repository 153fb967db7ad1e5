//! `cargo xtask demo`: the main job end to end. Builds the viewer and the program, and runs a scene
//! live in the browser; with `--once` it records, plots and writes a page instead.

use crate::process::{self, kreisel, root};
use std::env;
use std::process::Command;

const DEFAULT_SCENE: &str = "scenes/iftomm/a04-bricard.toml";

/// Runs the demo; ends by itself with `--once` or where `CI` is set.
pub fn run(args: &[&str]) -> Result<(), String> {
    let once = args.contains(&"--once") || env::var_os("CI").is_some();
    let scenes: Vec<&&str> = args.iter().filter(|a| **a != "--once").collect();
    let scene = match scenes[..] {
        [] => DEFAULT_SCENE,
        [scene] => scene,
        _ => return Err("demo takes one scene".into()),
    };
    crate::web::build()?;
    let program = kreisel()?;
    let folder = program.parent().map(|p| p.join("demo")).ok_or("no folder for the demo")?;
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let (page, csv, plot) =
        (folder.join("playback.html"), folder.join("run.csv"), folder.join("energy.svg"));
    let kreisel = || {
        let mut command = Command::new(&program);
        command.current_dir(root());
        command
    };
    process::run(kreisel().args(["check", scene]))?;
    if !once {
        return process::run(kreisel().args(["view", scene]));
    }
    process::run(kreisel().args(["run", scene, "--csv"]).arg(&csv))?;
    process::run(kreisel().arg("plot").arg(&csv).arg("--output").arg(&plot))?;
    process::run(kreisel().args(["play", scene, "--once", "--html"]).arg(&page))
}
