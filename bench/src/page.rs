//! The page under docs/: one section per suite, each with the circumstances of its own run; a run
//! replaces its section and leaves the others as they are.

use crate::table::Table;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const HEAD: &str = "\
# Measurements

Printed by `cargo xtask bench`; every section says when, where and from which commit. All times are processor time of the
stepping thread; all errors and energies are computed by one judge from the poses and velocities that an engine gives
out, after every step. Energies are relative to M g L/2 (total mass, length of the chain). A ratio is the peer's time over
Kreisel's in the same round, with its range over the rounds: above 1, Kreisel is faster.
";

/// The result of a suite.
pub struct Section {
    /// Its heading.
    pub title: &'static str,
    /// What is measured and how.
    pub about: &'static str,
    /// What came out, for people.
    pub tables: Vec<Table>,
    /// Diagrams, by the name of their file in the folder `pictures` beside the page.
    pub pictures: Vec<(&'static str, String)>,
    /// What came out, for programs.
    pub data: Value,
}

impl Section {
    /// The section as text.
    pub fn markdown(&self, circumstances: &str) -> String {
        let tables: Vec<String> = self.tables.iter().map(Table::markdown).collect();
        let picture =
            |(name, _): &(&str, String)| format!("![{}](pictures/{name})\n\n", self.title);
        let pictures: String = self.pictures.iter().map(picture).collect();
        format!(
            "## {}\n\n{}\n\n{circumstances}\n\n{pictures}{}",
            self.title,
            self.about,
            tables.join("\n")
        )
    }
}

/// Date, machine, load and commit, in one sentence; a short run says that it is one.
pub fn circumstances(quick: bool) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let date = said(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M UTC"]));
    let commit = said(Command::new("git").args(["-C", root, "rev-parse", "--short", "HEAD"]));
    let edited =
        said(Command::new("git").args(["-C", root, "status", "--porcelain", "crates", "bench"]));
    let edited = if edited.is_empty() { "" } else { " with edits" };
    let compiler = said(Command::new("rustc").arg("--version"));
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(": "))
        .map_or("?", |p| p.1);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("?");
    let kind = if quick {
        "Short run (`--quick`: fewer scenes, starts and steps than described above). "
    } else {
        ""
    };
    let avx2 = if kreisel_dynamics::simd::avx2() { "AVX2" } else { "no AVX2" };
    format!(
        "*{kind}{date}, commit {commit}{edited}; {processor}, {cores} cores, {avx2}, load {load} at the end; {compiler}.*"
    )
}

fn said(command: &mut Command) -> String {
    let out = command.output().map(|o| o.stdout).unwrap_or_default();
    String::from_utf8_lossy(&out).trim().to_owned()
}

/// Puts the section into the page.
pub fn write(path: &Path, section: &Section, text: &str, order: &[&str]) -> std::io::Result<()> {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let mut parts: Vec<String> =
        old.split("\n## ").skip(1).map(|p| format!("## {}\n", p.trim_end())).collect();
    let heading = |title: &str| format!("## {title}\n");
    parts.retain(|p| !p.starts_with(&heading(section.title)));
    parts.push(text.to_owned());
    parts.sort_by_key(|p| {
        order.iter().position(|title| p.starts_with(&heading(title))).unwrap_or(order.len())
    });
    let parts: Vec<&str> = parts.iter().map(|p| p.trim_end()).collect();
    std::fs::write(path, format!("{HEAD}\n{}\n", parts.join("\n\n")))
}
