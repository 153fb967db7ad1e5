//! `cargo xtask counts`: instructions that eight scenes take, by stage, under valgrind's callgrind.
//!
//! Time on a shared machine is noise; the number of instructions is the same to a thousandth from
//! run to run. The numbers that count as normal lie in `bench/counts.csv`; a stage that takes 2 %
//! more than there is an error, so that a slow-down is seen when it comes in. They belong to one
//! compiler: after a new one, or an improvement, `--keep` writes them anew. Kernels are the
//! portable ones (`KREISEL_PORTABLE`), so that the numbers do not depend on the machine (and
//! valgrind knows all instructions).

use crate::process::{self, root};
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

/// What `cargo xtask help` says.
pub const HELP: &str = "\
cargo xtask counts [--keep]         instructions of eight scenes by stage beside those in bench/counts.csv (--keep: write that file)
";

/// Scenes, and the time that they run, s.
const SCENES: [(&str, &str, &str); 8] = [
    ("tree of 255 bodies", "bender/e04-tree-255.toml", "0.1"),
    ("chain of graded masses", "chains/chain-graded.toml", "0.2"),
    ("net of rods", "chains/net.toml", "0.1"),
    ("Bricard's mechanism", "iftomm/a04-bricard.toml", "0.5"),
    ("net of points", "points/net.toml", "0.1"),
    ("wall of bricks", "thesis/wall-252.toml", "0.1"),
    ("tippe top by events", "lennerz/t1-tippe-top.toml", "0.01"),
    ("Lagrange with contacts", "wagner/contacts.toml", "0.1"),
];

/// Stages, and the function whose inclusive count they are.
const STAGES: [(&str, &str); 7] = [
    ("load", "kreisel_scene::load::options::load_as"),
    ("steps", "kreisel_dynamics::world::World::step"),
    ("joints", "System>::advance"),
    ("detection", "Contacts>::detect"),
    ("kick", "Contacts>::kick"),
    ("hold", "Contacts>::hold"),
    ("events", "kreisel_dynamics::event::step"),
];

/// Growth that is an error.
const ALARM: f64 = 0.02;

/// Counts below this are not watched: they jump with the allocator.
const WATCHED: u64 = 100_000;

/// Runs the chore.
pub fn run(args: &[&str]) -> Result<(), String> {
    let keep = match args {
        [] => false,
        ["--keep"] => true,
        _ => return Err(format!("counts: unknown: {}", args.join(" "))),
    };
    need_valgrind()?;
    let program = process::kreisel()?;
    let path = root().join("bench/counts.csv");
    let before = fs::read_to_string(&path).map(|text| parse(&text)).unwrap_or_default();
    let out = std::env::temp_dir().join(format!("kreisel-callgrind-{}", std::process::id()));
    let mut kept = String::from("scene,stage,instructions\n");
    let mut slower = Vec::new();
    println!("{:<22} {:<10} {:>14} {:>14} {:>8}", "scene", "stage", "kept", "now", "change");
    for (name, file, until) in SCENES {
        let mut command = Command::new("valgrind");
        command
            .args(["--tool=callgrind", "--quiet"])
            .arg(format!("--callgrind-out-file={}", out.display()));
        command.env("KREISEL_PORTABLE", "1");
        command
            .arg(&program)
            .arg("run")
            .arg(root().join("scenes").join(file))
            .args(["--until", until, "--quiet"]);
        let status =
            command.stdout(Stdio::null()).status().map_err(|e| format!("valgrind: {e}"))?;
        if !status.success() {
            return Err(format!("{file} under valgrind ended with {status}"));
        }
        let listing = process::output(
            Command::new("callgrind_annotate")
                .args(["--inclusive=yes", "--threshold=100", "--show-percs=no"])
                .arg(&out),
        )?;
        let _ = fs::remove_file(&out);
        for (stage, function) in STAGES {
            let Some(now) = inclusive(&listing, function) else { continue };
            kept.push_str(&format!("{name},{stage},{now}\n"));
            let was = before.get(&(name.to_owned(), stage.to_owned())).copied();
            let change = was.map(|w| now as f64 / w as f64 - 1.0);
            println!(
                "{name:<22} {stage:<10} {:>14} {now:>14} {:>8}",
                was.map_or("-".into(), |w| w.to_string()),
                change.map_or("-".into(), |c| format!("{:+.1} %", 100.0 * c))
            );
            if now > WATCHED && change.is_some_and(|c| c > ALARM) {
                slower.push(format!("{name}: {stage}"));
            }
        }
    }
    if keep {
        return fs::write(&path, kept).map_err(|e| format!("{}: {e}", path.display()));
    }
    if slower.is_empty() {
        Ok(())
    } else {
        Err(format!("more instructions than before in {}", slower.join("; ")))
    }
}

/// valgrind, installed by name where it is missing.
fn need_valgrind() -> Result<(), String> {
    let there = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if there {
        Ok(())
    } else {
        process::run(Command::new("apt-get").args(["install", "--yes", "valgrind"]))
    }
}

/// Inclusive count of the function whose name ends with `function`, generic arguments and recursion
/// left aside.
fn inclusive(listing: &str, function: &str) -> Option<u64> {
    listing.lines().find_map(|line| {
        let line = line.trim_start();
        let (count, rest) = line.split_once(' ')?;
        let name = rest.trim().split(" [").next()?;
        (name.ends_with(function)).then(|| count.replace(',', "").parse().ok())?
    })
}

fn parse(text: &str) -> BTreeMap<(String, String), u64> {
    let row = |line: &str| {
        let mut cells = line.split(',');
        let key = (cells.next()?.to_owned(), cells.next()?.to_owned());
        Some((key, cells.next()?.parse().ok()?))
    };
    text.lines().skip(1).filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_callgrinds_list() {
        let listing = "\
1,234,567  crates/a.rs:kreisel_dynamics::step::advance::<impl kreisel_dynamics::system::System>::advance [/x/kreisel]
  890,000  crates/a.rs:kreisel_dynamics::step::advance::<impl kreisel_dynamics::system::System>::advance_symmetric [/x/kreisel]
";
        assert_eq!(inclusive(listing, "System>::advance"), Some(1_234_567));
        assert_eq!(inclusive(listing, "Contacts>::kick"), None);
    }

    #[test]
    fn the_kept_file_is_read_back() {
        let kept = parse("scene,stage,instructions\ntippe top by events,steps,42\n");
        assert_eq!(kept.get(&("tippe top by events".into(), "steps".into())), Some(&42));
    }
}
