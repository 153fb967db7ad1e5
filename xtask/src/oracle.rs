//! `cargo xtask oracle`: a million random pairs of convex shapes, touching and overlapping, against
//! a computation that shares no code with the library, with the time that a pair takes.

use crate::process::{self, root};
use std::process::Command;

/// What `cargo xtask help` says.
pub const HELP: &str = "\
cargo xtask oracle [PAIRS]          distances of a million random pairs of convex shapes against brute force, and their times
";

/// Runs the chore.
pub fn run(args: &[&str]) -> Result<(), String> {
    let pairs: u32 = match args {
        [] => 1_000_000,
        [n] => n.parse().map_err(|_| format!("oracle: not a number of pairs: {n}"))?,
        _ => return Err(format!("oracle: unknown: {}", args.join(" "))),
    };
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--release", "-p", "kreisel-geometry", "--test", "contact_oracle", "--"]);
    cargo
        .args(["--ignored", "--nocapture"])
        .env("KREISEL_PAIRS", pairs.to_string())
        .current_dir(root());
    process::run(&mut cargo)
}
