//! `cargo xtask test`: sources, width of lines, formatting, lints, tests, documentation, scenes,
//! quick experiments, the sample of the matrix, reference pages, the Python package, states of the
//! module beside native ones, the viewer in a browser with a server and without.

use crate::process::{self, cargo, kreisel_dev, root};
use std::process::Command;

/// Runs every check; stops at the first that fails. The engine for pages and the viewer are built
/// first: the program embeds them.
pub fn run() -> Result<(), String> {
    crate::sources::check()?;
    crate::wrap::run(&["--check"])?;
    crate::docs::links()?;
    crate::wasm::build()?;
    crate::web::build()?;
    process::run(cargo().args(["fmt", "--all", "--check"]))?;
    process::run(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // examples are linted above; linking them all takes minutes. `--lib` would take libraries that
    // say `test = false`, too
    process::run(cargo().args(["test", "--workspace", "--tests"]))?;
    process::run(cargo().args(["test", "--workspace", "--doc"]))?;
    process::run(
        cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    check_scenes()?;
    validate()?;
    crate::matrix::run(&["--quick"])?;
    crate::docs::check()?;
    crate::python::dev()?;
    crate::same_bits::sample()?;
    crate::web::test()
}

/// Checks every scene but the broken ones with the program itself.
fn check_scenes() -> Result<(), String> {
    process::run(
        Command::new(kreisel_dev()?)
            .current_dir(root())
            .args(["check", "--quiet"])
            .args(crate::docs::scenes()?),
    )
}

/// Runs the quick experiments of `validation/`.
fn validate() -> Result<(), String> {
    process::run(
        Command::new(kreisel_dev()?).current_dir(root()).args(["validate", "--quick", "--quiet"]),
    )
}
