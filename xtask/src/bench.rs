//! `cargo xtask bench`: measures Kreisel beside its peers and writes the tables to docs/bench.md.
//!
//! The measuring program lives in `bench/`, a workspace of its own. What it needs is installed by
//! name where it is missing and can be: cmake and libclang (apt) to build Box3D, and mujoco, pin
//! and numpy (pip) in an environment of their own in the target folder. A peer that cannot be had
//! is left out, and the page says so.

use crate::process::{self, cargo, root, target};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What `cargo xtask help` says.
pub const HELP: &str = "\
cargo xtask bench geometry [NAME ...]  distances, hulls and impacts beside coal, FCL and parry, volumes, broad phases, contacts, a large
                                    mesh, printed; plots of the thesis' benchmarks to docs/pictures (names: distance, hulls, …)
cargo xtask bench points              mass points: rounds of iteration, and nets up to 100 × 100, printed
cargo xtask bench [joints|contacts|heaps|ratio|growth|precision|multipliers ...] [--quick] [--json FILE]
                                    measure beside the peers, write docs/bench.md (--quick: a short run, printed only)
";

/// The examples of the geometry kernel that measure it, in the order of docs/geometry.md and
/// docs/volumes.md.
const GEOMETRY: [&str; 8] =
    ["distance", "hulls", "impact", "broad", "contact", "large", "volumes", "thesis"];

/// `cargo xtask bench geometry`: runs them one after the other and prints their tables.
///
/// coal is installed (pip) into an environment in the target folder. FCL is installed by name (apt)
/// and reached through a small program, which is compiled here. A peer that cannot be had is left
/// out.
pub fn geometry(names: &[&str]) -> Result<(), String> {
    if let Some(name) = names.iter().find(|n| !GEOMETRY.contains(n)) {
        return Err(format!("unknown: {name}; there are {}", GEOMETRY.join(", ")));
    }
    let wanted = |name: &&&str| names.is_empty() || names.contains(name);
    let mut peers: Vec<OsString> = Vec::new();
    if ["distance", "hulls"].iter().any(|n| wanted(&n)) {
        match python(&target().join("bench-python"), &["coal", "numpy"], "import coal, numpy") {
            Ok(program) => {
                let script = root().join("bench/python/coal_distance.py");
                peers.extend(["--coal".into(), program.into_os_string(), script.into_os_string()]);
            }
            Err(message) => eprintln!("coal is left out: {message}"),
        }
        match fcl(&target()) {
            Ok(program) => peers.extend(["--fcl".into(), program.into_os_string()]),
            Err(message) => eprintln!("FCL is left out: {message}"),
        }
    }
    for name in GEOMETRY.iter().filter(wanted) {
        println!("\n# {name}");
        let mut command = cargo();
        command.args([
            "run",
            "--release",
            "--package",
            "kreisel-geometry",
            "--example",
            &format!("bench_{name}"),
            "--",
        ]);
        match *name {
            "distance" => command.arg("--parry").args(&peers),
            "hulls" => command.args(&peers),
            "impact" => command.arg("--parry"),
            "thesis" => command.arg(root().join("docs/pictures")),
            _ => &mut command,
        };
        process::run(&mut command)?;
    }
    Ok(())
}

/// The program that asks FCL, compiled if need be.
fn fcl(target: &Path) -> Result<PathBuf, String> {
    let apt = ["install", "-y", "--no-install-recommends", "g++", "libfcl-dev"];
    if !Path::new("/usr/include/fcl/fcl.h").exists() {
        process::run(Command::new("apt-get").args(apt))?;
    }
    let (source, program) =
        (root().join("bench/cpp/fcl_distance.cpp"), target.join("bench-fcl-distance"));
    let mut compiler = Command::new("g++");
    compiler
        .args(["-O3", "-march=native", "-DNDEBUG", "-std=c++17", "-I/usr/include/eigen3"])
        .arg(source);
    process::run(compiler.arg("-o").arg(&program).args([
        "-lfcl",
        "-lccd",
        "-loctomap",
        "-loctomath",
    ]))?;
    Ok(program)
}

/// `cargo xtask bench points`: the tables of docs/from-points.md.
pub fn points() -> Result<(), String> {
    let mut command = cargo();
    process::run(command.args([
        "run",
        "--release",
        "--package",
        "kreisel-dynamics",
        "--example",
        "points",
    ]))
}

/// Builds the measuring program with the peers that can be had, and runs it.
pub fn run(args: &[&str]) -> Result<(), String> {
    let target = target();
    let manifest = root().join("bench/Cargo.toml");
    let build = |features: &[&str]| {
        let mut command = cargo();
        command
            .args(["build", "--release", "--manifest-path"])
            .arg(&manifest)
            .arg("--target-dir")
            .arg(&target);
        process::run(command.args(features))
    };
    if !has_box3d_tools() || build(&["--features", "box3d"]).is_err() {
        eprintln!("Box3D is left out: it does not build here (needs cmake and libclang)");
        build(&[])?;
    }
    let mut bench = Command::new(
        target.join("release").join(format!("kreisel-bench{}", env::consts::EXE_SUFFIX)),
    );
    bench.args(args);
    if !args.contains(&"--quick") {
        bench.arg("--page").arg(root().join("docs/bench.md"));
    }
    let names: Vec<&&str> = args
        .iter()
        .filter(|a| {
            ["joints", "contacts", "heaps", "ratio", "growth", "precision", "multipliers"]
                .contains(*a)
        })
        .collect();
    if names.is_empty() || names.contains(&&"precision") {
        match python(
            &target.join("bench-python"),
            &["mujoco", "pin", "numpy"],
            "import mujoco, pinocchio, numpy",
        ) {
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
    let llvm = versions
        .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("llvm-")));
    let places = llvm
        .map(|p| p.join("lib"))
        .chain(["/usr/lib", "/usr/local/lib", "/usr/lib64"].map(PathBuf::from));
    places.into_iter().any(|p| p.join("libclang.so").exists())
}

/// A Python with the packages of some peers, made in `folder` if need be; `test` tells whether they
/// are there.
fn python(folder: &Path, packages: &[&str], test: &str) -> Result<PathBuf, String> {
    let program = folder.join("bin/python");
    let has_peers = || works(Command::new(&program).args(["-c", test]));
    if !has_peers() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        process::run(
            Command::new(&program).args(["-m", "pip", "install", "--quiet"]).args(packages),
        )?;
    }
    if has_peers() { Ok(program) } else { Err("they do not import after installing".into()) }
}

fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}
