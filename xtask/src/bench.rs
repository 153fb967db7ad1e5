//! `cargo xtask bench`: measures Kreisel beside its peers and writes the tables to docs/bench.md.
//!
//! The measuring program lives in `bench/`, a workspace of its own. What it needs is installed by name where it is
//! missing and can be: cmake and libclang (apt) to build Box3D, and mujoco, pin and numpy (pip) in an environment of
//! their own in the target folder. A peer that cannot be had is left out, and the page says so.

use crate::process::{self, cargo, root};
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What `cargo xtask help` says.
pub const HELP: &str = "\
cargo xtask bench geometry            distances, volumes, hulls, impacts, broad phases and contacts beside parry, printed
cargo xtask bench points              mass points: rounds of iteration, and nets up to 100 × 100, printed
cargo xtask bench [joints|contacts|ratio|growth|precision|multipliers ...] [--quick] [--json FILE]
                                    measure beside the peers, write docs/bench.md (--quick: a short run, printed only)
";

/// The examples of the geometry kernel that measure it beside parry, in the order of docs/geometry.md.
const GEOMETRY: [&str; 6] =
    ["bench_distance", "bench_volumes", "bench_hulls", "bench_impact", "bench_broad", "bench_contact"];

/// `cargo xtask bench geometry`: runs them one after the other and prints their tables.
pub fn geometry() -> Result<(), String> {
    for example in GEOMETRY {
        println!("\n# {example}");
        let mut command = cargo();
        process::run(command.args(["run", "--release", "--package", "kreisel-geometry", "--example", example]))?;
    }
    Ok(())
}

/// `cargo xtask bench points`: the tables of docs/from-points.md.
pub fn points() -> Result<(), String> {
    let mut command = cargo();
    process::run(command.args(["run", "--release", "--package", "kreisel-dynamics", "--example", "points"]))
}

/// Builds the measuring program with the peers that can be had, and runs it.
pub fn run(args: &[&str]) -> Result<(), String> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let manifest = root().join("bench/Cargo.toml");
    let build = |features: &[&str]| {
        let mut command = cargo();
        command.args(["build", "--release", "--manifest-path"]).arg(&manifest).arg("--target-dir").arg(&target);
        process::run(command.args(features))
    };
    if !has_box3d_tools() || build(&["--features", "box3d"]).is_err() {
        eprintln!("Box3D is left out: it does not build here (needs cmake and libclang)");
        build(&[])?;
    }
    let mut bench = Command::new(target.join("release").join(format!("kreisel-bench{}", env::consts::EXE_SUFFIX)));
    bench.args(args);
    if !args.contains(&"--quick") {
        bench.arg("--page").arg(root().join("docs/bench.md"));
    }
    let names: Vec<&&str> = args
        .iter()
        .filter(|a| ["joints", "contacts", "ratio", "growth", "precision", "multipliers"].contains(*a))
        .collect();
    if names.is_empty() || names.contains(&&"precision") {
        match python(&target.join("bench-python")) {
            Ok(program) => drop(bench.arg("--python").arg(program)),
            Err(message) => eprintln!("MuJoCo and pinocchio are left out: {message}"),
        }
    }
    process::run(&mut bench)
}

/// Whether cmake and libclang are there, after an attempt to install them.
fn has_box3d_tools() -> bool {
    let there = || works(Command::new("cmake").arg("--version")) && libclang();
    let apt = ["install", "-y", "--no-install-recommends", "cmake", "libclang-dev"];
    there() || (process::run(Command::new("apt-get").args(apt)).is_ok() && there())
}

/// Whether a libclang with its development links is installed in one of the usual places.
fn libclang() -> bool {
    if env::var_os("LIBCLANG_PATH").is_some() {
        return true;
    }
    let versions = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|e| e.path());
    let llvm = versions.filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("llvm-")));
    let places = llvm.map(|p| p.join("lib")).chain(["/usr/lib", "/usr/local/lib", "/usr/lib64"].map(PathBuf::from));
    places.into_iter().any(|p| p.join("libclang.so").exists())
}

/// A Python with the peers, made in `folder` if need be.
fn python(folder: &Path) -> Result<PathBuf, String> {
    let program = folder.join("bin/python");
    let has_peers = || works(Command::new(&program).args(["-c", "import mujoco, pinocchio, numpy"]));
    if !has_peers() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        process::run(Command::new(&program).args(["-m", "pip", "install", "--quiet", "mujoco", "pin", "numpy"]))?;
    }
    if has_peers() { Ok(program) } else { Err("they do not import after installing".into()) }
}

fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}
