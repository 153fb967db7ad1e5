//! `cargo xtask python`: the Python package, its wheel, its types and its tests.
//!
//! The wheel is built with optimisation; `--dev`, which `cargo xtask test` takes, tests the same
//! sources with the library that `cargo test` has built already.

use crate::process::{self, root, run, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests need. Versions are those that were tried.
const PACKAGES: [&str; 6] = [
    "numpy==2.4.6",
    "pytest==9.2.0",
    "mypy==2.4.1",
    "matplotlib==3.11.2",
    "gymnasium==1.4.0",
    "maturin==1.16.0",
];

pub const HELP: &str = "\
cargo xtask python --wheel          build the Python wheel and the source distribution into target/wheels
cargo xtask python [--dev]          the same, installed into target/venv, with mypy and pytest
                                    (--dev: the library of the last `cargo test` instead of a wheel)
cargo xtask python --write          write the stubs that are drawn from the tables of properties
";

fn package() -> PathBuf {
    root().join("bindings/python")
}

/// Runs the chore.
pub fn run_with(args: &[&str]) -> Result<(), String> {
    match args {
        [] => tested(),
        ["--wheel"] => wheel(),
        ["--dev"] => dev(),
        ["--write"] => generate(&library()?, false),
        _ => Err(format!("unknown arguments: {}\n\n{HELP}", args.join(" "))),
    }
}

/// The interpreter of the virtual environment, made anew where the wanted packages have changed.
fn python() -> Result<PathBuf, String> {
    let venv = target().join("venv");
    let bin = if cfg!(windows) { "Scripts" } else { "bin" };
    let python = venv.join(bin).join("python");
    let stamp = venv.join("kreisel-packages");
    let wanted = PACKAGES.join("\n");
    let works = Command::new(&python).arg("--version").output().is_ok_and(|o| o.status.success());
    if works && std::fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(python);
    }
    let system = if cfg!(windows) { "python" } else { "python3" };
    let venv_works = Command::new(system).args(["-c", "import ensurepip, venv"]).output();
    if !venv_works.is_ok_and(|o| o.status.success()) {
        crate::web::install(
            &["python3", "python3-venv"],
            "the Python package is tested in a virtual environment",
        )?;
    }
    run(Command::new(system).args(["-m", "venv", "--clear"]).arg(&venv))?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "-q", "--disable-pip-version-check"])
        .args(PACKAGES))?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

/// The native library as `cargo test` builds it: for a test that depends on it, so it stays in
/// `deps`.
fn library() -> Result<PathBuf, String> {
    process::kreisel_dev()?;
    let name = format!("{}_native{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    Ok(target().join("debug/deps").join(name))
}

/// Writes or checks what is drawn from the tables.
fn generate(library: &Path, check: bool) -> Result<(), String> {
    let mut command = Command::new(python()?);
    command.arg(package().join("tools/generate.py")).arg(library).arg(root().join("scenes"));
    run(command.args(check.then_some("--check")))
}

/// Tests the sources with the library of `cargo test`, laid out as a wheel would be.
pub fn dev() -> Result<(), String> {
    let (library, python) = (library()?, python()?);
    generate(&library, true)?;
    let stage = target().join("python");
    let _ = std::fs::remove_dir_all(&stage);
    copy(&package().join("python/kreisel"), &stage.join("kreisel"))?;
    let ending = if cfg!(windows) { "pyd" } else { "abi3.so" };
    let module = stage.join("kreisel").join(format!("_native.{ending}"));
    std::fs::copy(&library, &module).map_err(|e| format!("{}: {e}", module.display()))?;
    test(&python, Some(&stage))
}

/// Builds the wheel and the source distribution, both with the viewer; gives the wheel.
fn build(python: &Path) -> Result<PathBuf, String> {
    crate::web::build()?;
    let wheels = target().join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    let maturin = |what: &[&str]| {
        let mut command = Command::new(python);
        command.current_dir(package()).args(["-m", "maturin"]).args(what).arg("--out").arg(&wheels);
        command
    };
    run(maturin(&["build", "--release", "--strip"]).arg("--interpreter").arg(python))?;
    run(&mut maturin(&["sdist"]))?;
    let listed = std::fs::read_dir(&wheels).map_err(|e| format!("{}: {e}", wheels.display()))?;
    let files: Vec<PathBuf> = listed.filter_map(|e| Some(e.ok()?.path())).collect();
    let find = |ending: &str| files.iter().find(|p| p.extension().is_some_and(|x| x == ending));
    let wheel = find("whl").ok_or("maturin has left no wheel")?;
    let source = find("gz").ok_or("maturin has left no source distribution")?;

    // maturin packs crates; the built viewer, which they embed, is none
    let pack = package().join("tools/pack.py");
    run(Command::new(python).arg(pack).arg(source).arg(root().join("web/dist")).arg("web/dist"))?;
    for file in [wheel, source] {
        let size = std::fs::metadata(file).map_or(0, |m| m.len());
        eprintln!("{}: {:.1} MB", file.display(), size as f64 * 1e-6);
    }
    Ok(wheel.clone())
}

/// Builds the wheel and says how it is installed.
fn wheel() -> Result<(), String> {
    let found = build(&python()?)?;
    println!("install it with: python3 -m pip install {}", found.display());
    Ok(())
}

/// Builds the wheel, installs it, and tests it.
fn tested() -> Result<(), String> {
    let python = python()?;
    let found = build(&python)?;
    run(Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--force-reinstall",
            "--no-deps",
        ])
        .arg(&found))?;
    test(&python, None)?;
    println!("install it with: python3 -m pip install {}", found.display());
    Ok(())
}

/// Types and tests; `stage` is a folder that the package is imported from.
fn test(python: &Path, stage: Option<&Path>) -> Result<(), String> {
    let mut mypy = Command::new(python);
    mypy.current_dir(package())
        .args(["-m", "mypy", "--strict", "--cache-dir"])
        .arg(target().join("mypy"));
    run(mypy.args(["-p", "kreisel"]).env("MYPYPATH", package().join("python")))?;
    let mut pytest = Command::new(python);
    pytest.current_dir(package()).args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    pytest.env("KREISEL_SCENES", root().join("scenes")).env("MPLBACKEND", "agg");
    if let Some(stage) = stage {
        pytest.env("PYTHONPATH", stage);
    }
    run(&mut pytest)
}

/// Copies a folder of sources.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", from.display());
    std::fs::create_dir_all(to).map_err(failed)?;
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let Some(name) = path.file_name().filter(|n| *n != "__pycache__") else { continue };
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            std::fs::copy(&path, to.join(name)).map_err(failed)?;
        }
    }
    Ok(())
}
