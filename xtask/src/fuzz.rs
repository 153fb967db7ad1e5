//! `cargo xtask fuzz`: mutated files of every format through their loaders, random commands through
//! live worlds.

use crate::process::{self, cargo, root};

/// Builds and runs the driver in `fuzz/`, a workspace of its own.
pub fn run(args: &[&str]) -> Result<(), String> {
    let manifest = root().join("fuzz/Cargo.toml");
    process::run(
        cargo().args(["run", "--release", "--manifest-path"]).arg(manifest).arg("--").args(args),
    )
}
