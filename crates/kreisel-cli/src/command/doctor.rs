//! `kreisel doctor`: what this program is, what it was built with, and whether this machine lets it
//! work.

use crate::exit::{Exit, Failure};
use kreisel_server::net::HAS_VIEWER;
use serde::Serialize;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub struct Doctor {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// A finding.
#[derive(Serialize)]
struct Finding {
    what: &'static str,
    is: String,
    /// What to do about it; none if it is as it should be.
    advice: Option<&'static str>,
}

fn good(what: &'static str, is: impl Into<String>) -> Finding {
    Finding { what, is: is.into(), advice: None }
}

/// A finding that is good or comes with advice.
fn judged(what: &'static str, is: impl Into<String>, well: bool, advice: &'static str) -> Finding {
    Finding { what, is: is.into(), advice: (!well).then_some(advice) }
}

fn yes(well: bool) -> &'static str {
    if well { "yes" } else { "no" }
}

/// Looks at everything.
pub fn run(args: &Doctor) -> Result<Exit, Failure> {
    let findings = examine();
    if args.json {
        println!(
            "{}",
            serde_json::to_string_pretty(&findings)
                .map_err(|e| Failure::resource(e.to_string()))?
        );
    } else {
        let width = findings.iter().map(|f| f.what.len()).max().unwrap_or(0);
        for f in &findings {
            println!("{:width$}  {}", f.what, f.is);
            if let Some(advice) = f.advice {
                println!("{:width$}  -> {advice}", "");
            }
        }
    }
    Ok(if findings.iter().any(|f| f.advice.is_some()) { Exit::Wrong } else { Exit::Success })
}

fn examine() -> Vec<Finding> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let build = if cfg!(debug_assertions) { "with debug assertions" } else { "for speed" };
    let mut all = vec![
        good("version", env!("CARGO_PKG_VERSION")),
        judged(
            "built",
            build,
            !cfg!(debug_assertions),
            "build it with --release: it is several times faster",
        ),
        judged(
            "viewer built in",
            yes(HAS_VIEWER),
            HAS_VIEWER,
            "in the source folder: cargo xtask web, then cargo install --path crates/kreisel-cli again",
        ),
        good("machine", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        good("threads", threads.to_string()),
        good("vector instructions", vectors()),
    ];
    if let Ok(program) = std::env::current_exe() {
        all.push(good("program", program.display().to_string()));
    }

    // what the commands need of the machine
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).is_ok();
    all.push(judged(
        "a port on 127.0.0.1",
        yes(port),
        port,
        "view and play need one: look at what forbids it",
    ));
    let folder = std::env::temp_dir();
    let probe = folder.join(format!("kreisel-doctor-{}", std::process::id()));
    let writes = std::fs::write(&probe, "x").is_ok();
    let _ = std::fs::remove_file(&probe);
    all.push(judged(
        "writes to the temporary folder",
        yes(writes),
        writes,
        "set TMPDIR to a folder that can be written",
    ));
    all.push(good("opens a browser", opener()));

    // what the program promises
    let bits = same_bits(threads.clamp(2, 8));
    all.push(judged(
        "same bits on all threads",
        yes(bits),
        bits,
        "please report this, with all lines above",
    ));
    all
}

fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return "AVX2";
    }
    "portable"
}

/// How an address gets into a browser.
fn opener() -> String {
    if cfg!(target_os = "macos") || cfg!(windows) {
        return "yes".into();
    }
    let display =
        std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&path)
        .any(|p: std::path::PathBuf| Path::new(&p).join("xdg-open").is_file());
    match (display, there) {
        (false, _) => "no display here: open the printed address yourself".into(),
        (true, false) => "xdg-open is not there: open the printed address yourself".into(),
        (true, true) => "yes".into(),
    }
}

/// Whether a pile of boxes on one thread and on several has the same bits.
fn same_bits(threads: usize) -> bool {
    let text = "[world]\nground = 0\n[[body]]\nrepeat = 40\nname = \"b{i}\"\nshape = { box = [0.5, 0.5, 0.5] }\n\
                position = [\"0.1 * i % 1\", \"0.07 * i % 1\", \"0.3 + 0.51 * i\"]\n";
    let hash = |threads: usize| {
        let mut scene = kreisel_scene::parse("doctor.toml", text).ok()?;
        let settings = kreisel_dynamics::Settings { threads, ..scene.world.settings().clone() };
        scene.world.set_settings(settings).ok()?;
        let mut run = kreisel_scene::Simulation::new(&scene);
        for _ in 0..50 {
            run.step();
        }
        Some(run.world.state_hash())
    };
    let one = hash(1);
    one.is_some() && one == hash(threads)
}

#[cfg(test)]
mod tests {
    #[test]
    fn several_threads_are_found_to_have_the_same_bits() {
        assert!(super::same_bits(2));
    }
}
