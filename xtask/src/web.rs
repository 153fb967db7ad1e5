//! The viewer: its packages, its build, and the browser that its tests run in.

use crate::process::{self, kreisel_dev, root};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Debian's browsers, a screen that nobody sees, and the software renderer that they draw with
/// where there is no graphics card.
const BROWSER: [&str; 5] = ["chromium", "firefox-esr", "xvfb", "libegl1", "libgl1-mesa-dri"];

fn web() -> PathBuf {
    root().join("web")
}

fn npm() -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(web());
    command
}

/// Sees that npm is there; installs it by name where that is possible.
pub fn node() -> Result<(), String> {
    let works = npm()
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if works {
        Ok(())
    } else {
        install(&["nodejs", "npm"], "the viewer needs Node 20 or newer with npm")
    }
}

/// Installs the packages of the lock file, if they are not there, and builds `web/dist`.
pub fn build() -> Result<(), String> {
    packages()?;
    process::run(npm().args(["run", "build"]))?;
    pack()
}

/// The viewer's script packed, for pages that hold everything: beside the packed engine, under its
/// own name, which changes with its content.
fn pack() -> Result<(), String> {
    let folder = crate::wasm::engine().join("packed");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let pack = "const fs = require('fs'), zlib = require('zlib'), path = require('path'); \
                const [from, to] = process.argv.slice(1); \
                const scripts = (at) => fs.readdirSync(at).filter((n) => /^index-.*[.]js/.test(n)); \
                for (const old of scripts(to)) fs.unlinkSync(path.join(to, old)); \
                for (const name of scripts(from)) fs.writeFileSync(path.join(to, name + '.gz'), \
                  zlib.gzipSync(fs.readFileSync(path.join(from, name)), { level: 9 }))";
    let assets = web().join("dist/assets");
    process::run(Command::new("node").args(["-e", pack]).arg(assets).arg(folder))
}

/// Installs the packages of the lock file, if they are not there.
pub fn packages() -> Result<(), String> {
    let lock = web().join("package-lock.json");
    let stamp = web().join("node_modules/.kreisel-lock");
    let wanted = std::fs::read(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    if std::fs::read(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(());
    }
    node()?;
    process::run(npm().args(["ci", "--no-audit", "--no-fund"]))?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))
}

/// The viewer's tests in a real browser, against the program as the tests have built it.
pub fn test() -> Result<(), String> {
    build()?;
    browser()?;
    let program = kreisel_dev()?;
    let site = process::target().join("site");
    crate::site::write(&site)?;
    process::run(
        npm()
            .args(["test"])
            .env("KREISEL", program)
            .env("KREISEL_SITE", site)
            .env("KREISEL_PACKAGE", crate::wasm::package()),
    )
}

/// Sees that the browsers are installed; installs them by name where that is possible.
fn browser() -> Result<(), String> {
    let there = |name| std::path::Path::new(name).exists();
    if there("/usr/bin/chromium") && there("/usr/bin/firefox-esr") && there("/usr/bin/Xvfb") {
        return Ok(());
    }
    install(&BROWSER, "the viewer's tests need a browser")
}

/// Installs those of the packages that are missing.
pub fn install(packages: &[&str], why: &str) -> Result<(), String> {
    let installed = |name: &str| {
        let asked =
            Command::new("dpkg-query").args(["-W", "-f=${db:Status-Status}", name]).output();
        asked.is_ok_and(|o| o.stdout == b"installed")
    };
    let missing: Vec<&str> = packages.iter().copied().filter(|n| !installed(n)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let by_hand = format!("{why}: sudo apt-get install {}", missing.join(" "));
    let works = |c: &mut Command| {
        c.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.starts_with(b"0"));
    let prefix: &[&str] = if root {
        &["env"]
    } else if works(Command::new("sudo").args(["-n", "true"])) {
        &["sudo", "-n", "env"]
    } else {
        return Err(by_hand);
    };
    let apt = |args: &[&str]| {
        let mut command = Command::new(prefix[0]);
        command.args(&prefix[1..]).args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        command.args(["-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=3"]).args(args);
        process::run(&mut command).map_err(|e| format!("{e}\n{by_hand}"))
    };
    apt(&["update", "-q"])?;
    let words: Vec<&str> =
        ["install", "-qy", "--no-install-recommends"].into_iter().chain(missing).collect();
    apt(&words)
}
