//! What is printed: counts by element and by way, the worst of each, and the list of cells that are
//! wrong in silence.

use crate::cell::{Outcome, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One cell with its names.
pub struct Named<'a> {
    /// Name of the case.
    pub case: &'a str,
    /// Name of the way.
    pub way: &'a str,
    /// What came out.
    pub outcome: &'a Outcome,
}

/// Numbers of cells by verdict.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// All cells.
    pub cells: usize,
    right: usize,
    coarse: usize,
    sensitive: usize,
    low: usize,
    refused: usize,
    named: usize,
    /// Wrong, every step converged.
    pub silent: usize,
    endless: usize,
    crash: usize,
    /// Not wrong, but some step said so.
    alarm: usize,
    /// Right, with energy that nothing explains.
    unexplained: usize,
    worst: Option<(f64, String)>,
}

impl Counts {
    /// Counts a cell; `other` names it in the row.
    pub fn add(&mut self, o: &Outcome, other: &str) {
        self.cells += 1;
        match o.verdict {
            Verdict::Right => self.right += 1,
            Verdict::Coarse => self.coarse += 1,
            Verdict::Sensitive => self.sensitive += 1,
            Verdict::LowOrder => self.low += 1,
            Verdict::Refused => self.refused += 1,
            Verdict::Wrong if o.named => self.named += 1,
            Verdict::Wrong => self.silent += 1,
            Verdict::Endless => self.endless += 1,
            Verdict::Crash => self.crash += 1,
        }
        self.alarm += usize::from(o.alarm());
        self.unexplained += usize::from(o.verdict == Verdict::Right && o.unexplained > 0.01);
        if o.verdict == Verdict::Wrong && self.worst.as_ref().is_none_or(|w| o.error > w.0) {
            self.worst = Some((o.error, other.to_owned()));
        }
    }

    fn line(&self, name: &str) -> String {
        let worst =
            self.worst.as_ref().map_or(String::new(), |(e, what)| format!("{}: {what}", share(*e)));
        format!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {worst} |\n",
            self.cells,
            self.right,
            self.coarse,
            self.sensitive,
            self.low,
            self.refused,
            self.named,
            self.silent,
            self.endless,
            self.crash,
            self.alarm,
            self.unexplained
        )
    }
}

/// An error as printed.
fn share(e: f64) -> String {
    if e > 1e6 { "without bound".into() } else { format!("{e:.1e}") }
}

/// The tables as markdown.
pub fn markdown(cells: &[Named], skipped: &[(String, String)]) -> (String, Counts) {
    let mut all = Counts::default();
    let (mut elements, mut ways): (BTreeMap<&str, Counts>, BTreeMap<&str, Counts>) =
        Default::default();
    let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for c in cells {
        all.add(c.outcome, &format!("{}; {}", c.case, c.way));
        ways.entry(c.way).or_default().add(c.outcome, c.case);
        // both elements of a pair, each once
        let parts: Vec<&str> = c.case.split(" · ").collect();
        for (k, part) in parts.iter().enumerate().skip(1) {
            if !parts[1..k].contains(part)
                && (*part != "nothing" || parts[1..].iter().all(|p| *p == "nothing"))
            {
                elements.entry(part).or_default().add(c.outcome, &format!("{}; {}", c.case, c.way));
            }
        }
        if c.outcome.verdict == Verdict::Refused {
            *refusals.entry(c.outcome.message.clone()).or_default() += 1;
        }
        for (status, _) in c.outcome.statuses.iter().filter(|s| s.0 != "Converged") {
            *reasons.entry(status.clone()).or_default() += 1;
        }
    }
    let head = |what: &str| {
        format!(
            "\n| {what} | cells | right | coarse | sensitive | low order | refused | wrong, named | **wrong, silent** | \
             endless | crash | false alarm | right, energy unexplained | worst |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
        )
    };
    let mut out = head("all");
    out += &all.line("all cells");
    out += &head("way");
    for way in crate::way::ALL {
        if let Some(counts) = ways.get(way.name) {
            out += &counts.line(way.name);
        }
    }
    out += &head("element");
    for (name, counts) in &elements {
        out += &counts.line(name);
    }
    out += &signs(cells);
    out += &futures(cells);
    out += "\nStatuses other than Converged, in cells:";
    for (status, count) in &reasons {
        let _ = write!(out, " {status} {count};");
    }
    out += "\n\nRefusals:\n\n";
    for (message, count) in &refusals {
        let _ = writeln!(out, "* {count}: {}", message.trim());
    }
    if !skipped.is_empty() {
        let _ = writeln!(out, "\nCases without a reference (not counted): {}", skipped.len());
        for (name, why) in skipped.iter().take(20) {
            let _ = writeln!(out, "* {name}: {why}");
        }
    }
    (out, all)
}

/// The cells that are wrong in silence, worst first.
pub fn silent(cells: &[Named], most: usize) -> String {
    let mut list: Vec<&Named> = cells.iter().filter(|c| c.outcome.silent()).collect();
    list.sort_by(|a, b| b.outcome.error.total_cmp(&a.outcome.error).then(a.case.cmp(b.case)));
    let mut out = String::new();
    for c in list.iter().take(most) {
        let _ = writeln!(
            out,
            "silent: {}; {}: {}; energy unexplained {}",
            c.case,
            c.way,
            c.outcome.message,
            share(c.outcome.unexplained)
        );
    }
    if list.len() > most {
        let _ = writeln!(out, "… and {} more (--json FILE has all)", list.len() - most);
    }
    out
}

/// How states in the middle of runs did.
fn futures(cells: &[Named]) -> String {
    let tried: Vec<_> = cells.iter().filter_map(|c| c.outcome.future.map(|f| (c, f))).collect();
    let other = tried.iter().filter(|t| !t.1.same).count();
    let apart: Vec<_> = tried.iter().filter(|t| t.1.apart > 1e-4).collect();
    let mut out = format!(
        "\nStates in the middle of {} cells: {other} went on with other bits when restored; {} \
         were off by more than 1e-4 of the range when saved and loaded",
        tried.len(),
        apart.len()
    );
    if let Some((cell, future)) = apart.iter().max_by(|a, b| a.1.apart.total_cmp(&b.1.apart)) {
        let _ = write!(out, " (worst {}: {}; {})", share(future.apart), cell.case, cell.way);
    }
    out += ".\n";
    for (cell, _) in tried.iter().filter(|t| !t.1.same).take(10) {
        let _ = writeln!(out, "* other bits: {}; {}", cell.case, cell.way);
    }
    out
}

/// What could have told that a silently wrong cell is wrong.
fn signs(cells: &[Named]) -> String {
    let silent: Vec<&Outcome> = cells.iter().map(|c| c.outcome).filter(|o| o.silent()).collect();
    let open = silent.iter().filter(|o| o.open()).count();
    let energy = silent.iter().filter(|o| !o.open() && o.unexplained > 0.01).count();
    format!(
        "\nWrong in silence: {} cells. In {open} a joint is open, in {energy} others \
         more than 1 % of the motion's energy is unexplained, in {} neither tells.\n",
        silent.len(),
        silent.len() - open - energy
    )
}
