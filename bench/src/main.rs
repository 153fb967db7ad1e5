//! Measurements of Kreisel beside its peers; started by `cargo xtask bench`.
//!
//! ```text
//! kreisel-bench [joints|contacts|heaps|ratio|growth|precision|multipliers ...] [--quick] [--page FILE] [--json FILE]
//!               [--python PROGRAM]
//!               [--scene NAME] [--engine TEXT[,TEXT]] [--cap SECONDS]
//! ```
//!
//! Without a name all suites run. `--quick` makes a short run for a look. `--page` puts the tables
//! into a Markdown page, `--json` writes everything measured. `--python` names a Python that has
//! mujoco, pin and numpy. `--scene` and `--engine` cut the suites `joints`, `contacts` and `heaps`
//! down to what a profiler should see:
//! `perf record kreisel-bench joints --quick --scene net30 --engine "kreisel auto"`. `--cap` gives
//! the judged run of each engine of `joints` that much processor time.

mod allocations;
mod clock;
mod engine;
mod engines;
mod heap_judge;
mod judge;
mod overlap;
mod page;
mod plot;
mod python;
mod race;
mod scene;
mod scenes;
mod suites;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use suites::{Options, SUITES};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut names = Vec::new();
    let (mut page, mut json) = (None::<PathBuf>, None::<PathBuf>);
    let mut options = Options {
        quick: false,
        scene: None,
        engine: None,
        cap: None,
        python: python::Python { program: None },
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut word = || args.next().ok_or(format!("{arg} needs a word after it"));
        match arg.as_str() {
            "--quick" => options.quick = true,
            "--page" => page = Some(word()?.into()),
            "--json" => json = Some(word()?.into()),
            "--scene" => options.scene = Some(word()?),
            "--engine" => options.engine = Some(word()?),
            "--cap" => {
                let seconds = word()?;
                options.cap = Some(
                    seconds.parse().map_err(|_| format!("--cap wants seconds, not {seconds}"))?,
                );
            }
            "--python" => options.python.program = Some(word()?.into()),
            name if SUITES.iter().any(|s| s.0 == name) => names.push(arg),
            _ => {
                return Err(format!(
                    "unknown: {arg}; suites are {}",
                    SUITES.map(|s| s.0).join(", ")
                ));
            }
        }
    }
    let titles = SUITES.map(|s| s.1);
    let mut data = serde_json::Map::new();
    for (name, _, suite) in
        SUITES.iter().filter(|s| names.is_empty() || names.iter().any(|n| n == s.0))
    {
        let section = suite(&options);
        let circumstances = page::circumstances(options.quick);
        let text = section.markdown(&circumstances);
        println!("{text}");
        if let Some(path) = &page {
            page::write(path, &section, &text, &titles)
                .map_err(|e| format!("{}: {e}", path.display()))?;
            for (name, picture) in &section.pictures {
                let file = path.with_file_name("pictures").join(name);
                std::fs::write(&file, picture).map_err(|e| format!("{}: {e}", file.display()))?;
            }
        }
        let entry = serde_json::json!({ "circumstances": circumstances, "results": section.data });
        data.insert((*name).to_owned(), entry);
    }
    if let Some(path) = &json {
        let text = serde_json::to_string_pretty(&data).map_err(|e| e.to_string())?;
        std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
