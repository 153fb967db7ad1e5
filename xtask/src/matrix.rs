//! `cargo xtask matrix`: pairs of elements under every way of stepping, judged by an integrator of
//! their own.

use crate::process::{self, cargo, root};
use std::process::Command;

pub const HELP: &str = "\
cargo xtask matrix [--quick] [--only TEXT] [--every N] [--limit S] [--threads N] [--json FILE] [--markdown FILE] [--write DIR]
                                    generated scenes for pairs of elements under all methods, orders, steppings and contact
                                    times: right, refused or wrong, with numbers (docs/matrix.md); --quick: a fixed sample
                                    that fails when a cell is wrong in silence
";

/// Builds and runs the program in `matrix/`. The sample takes the development build, which the
/// tests have built already.
pub fn run(args: &[&str]) -> Result<(), String> {
    if args.contains(&"--quick") {
        return process::run(
            Command::new(process::dev_program("kreisel-matrix")?).current_dir(root()).args(args),
        );
    }
    process::run(cargo().args(["run", "--release", "--package", "kreisel-matrix", "--"]).args(args))
}
