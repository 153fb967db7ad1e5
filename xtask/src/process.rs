//! Starting other programs: every command is printed before it runs.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The cargo that runs this chore.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root());
    command
}

/// The folder that cargo builds into.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The release build of the program `kreisel`, built if need be.
pub fn kreisel() -> Result<PathBuf, String> {
    run(cargo().args(["build", "--release", "--package", "kreisel-cli"]))?;
    Ok(target().join("release").join(format!("kreisel{}", env::consts::EXE_SUFFIX)))
}

/// The development build of the program `kreisel`.
pub fn kreisel_dev() -> Result<PathBuf, String> {
    dev_program("kreisel")
}

/// The development build of a program that has tests in a `tests` folder: what `cargo test` has
/// built already. (Asked for alone it would be built again, because its dependencies then have
/// fewer features.)
pub fn dev_program(name: &str) -> Result<PathBuf, String> {
    run(cargo().args(["test", "--workspace", "--tests", "--no-run", "--quiet"]))?;
    Ok(target().join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX)))
}

/// Runs a command to its end; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<(), String> {
    eprintln!("$ {}", text(command));
    let status = command.status().map_err(|e| format!("{}: {e}", text(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} ended with {status}", text(command))) }
}

/// Runs a command and gives what it prints.
pub fn output(command: &mut Command) -> Result<String, String> {
    eprintln!("$ {}", text(command));
    let out =
        command.stderr(Stdio::inherit()).output().map_err(|e| format!("{}: {e}", text(command)))?;
    if !out.status.success() {
        return Err(format!("{} ended with {}", text(command), out.status));
    }
    String::from_utf8(out.stdout).map_err(|e| format!("{}: {e}", text(command)))
}

/// The command as one would type it.
fn text(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let args = command.get_args().map(|a| a.to_string_lossy().into_owned());
    std::iter::once(program).chain(args).collect::<Vec<_>>().join(" ")
}
