//! `cargo xtask robots --mujoco DIR…`: MJCF models beside MuJoCo, number by number.
//!
//! `xtask/python/robots.py` does the comparing; it says what is compared and how closely. It needs
//! the packages `mujoco` and `numpy`, which are installed by name into an environment under the
//! target folder.

use crate::process;
use std::path::PathBuf;
use std::process::Command;

/// Runs the judge with what follows `--mujoco`.
pub fn run(args: &[&str]) -> Result<(), String> {
    process::run(process::cargo().args([
        "build",
        "--release",
        "--package",
        "kreisel",
        "--example",
        "robot_states",
    ]))?;
    let program = process::target()
        .join("release/examples")
        .join(format!("robot_states{}", std::env::consts::EXE_SUFFIX));
    let python = environment()?;
    let script = process::root().join("xtask/python/robots.py");
    let folder = process::target().join("tmp");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    // MuJoCo writes its log where it runs; folders are meant from here.
    let args = args.iter().map(|a| std::fs::canonicalize(a).unwrap_or_else(|_| PathBuf::from(a)));
    process::run(
        Command::new(python)
            .current_dir(folder)
            .arg(script)
            .arg("--program")
            .arg(program)
            .args(args),
    )
}

/// The interpreter of an environment that has MuJoCo.
fn environment() -> Result<PathBuf, String> {
    let folder = process::target().join("mujoco");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let has = |python: &PathBuf| {
        let mut command = Command::new(python);
        command.args(["-c", "import mujoco, numpy"]).output().is_ok_and(|o| o.status.success())
    };
    if has(&python) {
        return Ok(python);
    }
    process::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    process::run(
        Command::new(&python).args(["-m", "pip", "install", "--quiet", "mujoco", "numpy"]),
    )?;
    Ok(python)
}
