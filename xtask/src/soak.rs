//! `cargo xtask soak`: a live session with hostile guests.

use crate::process::{cargo, run};

/// Runs the soak of the server, ten minutes unless told otherwise.
pub fn run_with(args: &[&str]) -> Result<(), String> {
    run(cargo()
        .args(["run", "--release", "-p", "kreisel-server", "--example", "soak", "--"])
        .args(args))
}
