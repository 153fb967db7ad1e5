//! `cargo xtask wasm`: the engine for pages, twice: a small one without importers and scripts,
//! which is loaded first, and the whole one, which is loaded when a scene needs it. The module is
//! built with the rustup target where it is installed, else with Debian's compiler, which brings
//! the sources of the standard library; the JavaScript around it is written by a small program of
//! our own (`bindings/wasm/bind`).

use crate::process::{self, cargo, root, target};
use std::path::{Path, PathBuf};
use std::process::Command;

const TRIPLE: &str = "wasm32-unknown-unknown";

/// Debian's compiler with the sources of the standard library, and the linker.
const DEBIAN: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld"];

/// What cargo hands down to this chore and another toolchain must not see.
const HANDED_DOWN: [&str; 7] = [
    "CARGO",
    "CARGO_MANIFEST_DIR",
    "LD_LIBRARY_PATH",
    "RUSTUP_TOOLCHAIN",
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC_WRAPPER",
];

/// Where the engine for the page lies: a script, the module, and the module packed.
pub fn engine() -> PathBuf {
    root().join("web/engine")
}

/// Where the npm package is put together.
pub fn package() -> PathBuf {
    target().join("wasm/package")
}

/// The engine by what it can do: the folder below the others' that it lies in, and whether it has
/// importers and scripts.
const BUILDS: [(&str, bool); 2] = [("", false), ("full", true)];

/// Builds the modules and what stands around them.
pub fn build() -> Result<(), String> {
    crate::web::node()?;
    let bind = binder()?;
    for (name, full) in BUILDS {
        // a module's name says nothing of its features: in one folder cargo takes one for the other
        let folder = target().join(if full { "wasm-full" } else { "wasm" });
        let module = module(&folder, full)?;

        // the script for the page's worker, and the module as an npm package
        for (kind, out) in [("page", engine().join(name)), ("package", package().join(name))] {
            std::fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
            process::run(Command::new(&bind).arg(&module).arg(&out).arg(kind))?;
        }
        pack(name)?;
    }
    crate::npm::put_together(&package())
}

/// Packs a module once, for pages that hold everything.
fn pack(name: &str) -> Result<(), String> {
    let pack = "const fs = require('fs'), zlib = require('zlib'), [from, to] = process.argv.slice(1); \
                fs.writeFileSync(to, zlib.gzipSync(fs.readFileSync(from), { level: 9 }))";
    let (from, packed) = (engine().join(name), engine().join("packed").join(name));
    std::fs::create_dir_all(&packed).map_err(|e| format!("{}: {e}", packed.display()))?;
    let (module, small) = (from.join("kreisel_bg.wasm"), packed.join("kreisel_bg.wasm.gz"));
    process::run(Command::new("node").args(["-e", pack]).arg(&module).arg(&small))?;
    std::fs::copy(from.join("kreisel.js"), packed.join("kreisel.js"))
        .map_err(|e| format!("kreisel.js: {e}"))?;
    let size = |path: &Path| std::fs::metadata(path).map_or(0.0, |m| m.len() as f64 / 1e6);
    let (raw, packed) = (size(&module), size(&small));
    println!("{}: {raw:.2} MB, {packed:.2} MB packed", from.display());
    Ok(())
}

/// Builds a module, with the rustup target where it is installed.
fn module(folder: &Path, full: bool) -> Result<PathBuf, String> {
    let asked = process::output(Command::new("rustc").args([
        "--print",
        "target-libdir",
        "--target",
        TRIPLE,
    ]));
    let has_target = asked.is_ok_and(|path| Path::new(path.trim()).exists());
    // a page has 4 MB of stack, so that long chains fit; SIMD is in every browser of the last years
    let mut flags = vec![
        "-C target-feature=+simd128".to_owned(),
        "-C link-arg=-zstack-size=4194304".to_owned(),
    ];
    let mut command = if has_target {
        cargo()
    } else {
        crate::web::install(
            &DEBIAN,
            &format!("the engine for pages needs `rustup target add {TRIPLE}` or Debian's"),
        )?;
        flags.push("-C linker-flavor=wasm-ld".into());
        let mut debian = Command::new("/usr/bin/cargo");
        for name in HANDED_DOWN {
            debian.env_remove(name);
        }
        debian.current_dir(root()).env("RUSTC_BOOTSTRAP", "1").env("RUSTC", "/usr/bin/rustc");
        debian.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld");
        debian
    };
    // messages of panics name files by their place in the project, not on this machine
    for (from, to) in [(Some(root()), ""), (cargo_home(), "cargo")] {
        flags.extend(from.map(|from| format!("--remap-path-prefix={}={to}", from.display())));
    }
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags.join(" "));
    command.args(["build", "--profile", "wasm", "--package", "kreisel-wasm", "--target", TRIPLE]);
    if !full {
        command.arg("--no-default-features");
    }
    if !has_target {
        command.arg("-Zbuild-std=std,panic_abort");
    }
    // a folder of its own: two compilers in one rebuild each other's output
    process::run(command.arg("--target-dir").arg(folder))?;
    Ok(folder.join(TRIPLE).join("wasm/kreisel_wasm.wasm"))
}

/// Where cargo keeps the sources of dependencies.
fn cargo_home() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home)
}

/// The program that writes the JavaScript; its version is that of the crate `wasm-bindgen`.
fn binder() -> Result<PathBuf, String> {
    let (crate_folder, folder) = (root().join("bindings/wasm/bind"), target().join("wasm-bind"));
    let mut command = cargo();
    command
        .current_dir(crate_folder)
        .args(["build", "--release", "--locked", "--target-dir"])
        .arg(&folder);
    process::run(&mut command)?;
    Ok(folder.join("release").join(format!("kreisel-wasm-bind{}", std::env::consts::EXE_SUFFIX)))
}
