//! The report: a table of all quantities, then the plots.

use super::Experiment;
use super::run::{Outcome, Result as Ran};
use crate::chart;
use crate::exit::Failure;
use std::fmt::Write;
use std::path::Path;

/// Size of a plot.
const SIZE: (u32, u32) = (800, 360);

/// Writes the report as Markdown (plots in a folder beside it) or as one HTML page, by the ending.
pub fn write(
    path: &Path,
    sorted: &[&Outcome],
    experiments: &[Experiment],
    results: &[Ran],
) -> Result<(), Failure> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let fail = |e: std::io::Error| Failure::file(path, e);
    let mut plots = Vec::new();
    for (experiment, result) in experiments.iter().zip(results) {
        if let Some(c) = &result.chart {
            let svg = chart::svg(c, SIZE).map_err(|e| Failure::file(path, e))?;
            plots.push((experiment, svg));
        }
    }
    let text = match ending.as_str() {
        "html" => html(sorted, &plots),
        "md" => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let folder = path.with_file_name(format!("{stem}-plots"));
            if !plots.is_empty() {
                std::fs::create_dir_all(&folder).map_err(fail)?;
            }
            for (experiment, svg) in &plots {
                let file = folder.join(file_name(&experiment.id));
                std::fs::write(&file, svg).map_err(|e| Failure::file(&file, e))?;
            }
            markdown(sorted, &plots, &format!("{stem}-plots"))
        }
        _ => {
            return Err(Failure::usage(format!("{}: reports end in .md or .html", path.display())));
        }
    };
    std::fs::write(path, text).map_err(fail)
}

fn file_name(id: &str) -> String {
    format!("{}.svg", id.replace(['/', ' '], "-").to_lowercase())
}

fn summary(sorted: &[&Outcome]) -> String {
    let known = sorted.iter().filter(|o| o.known_wrong.is_some()).count();
    let failed = sorted.iter().filter(|o| !o.pass).count() - known;
    let right = sorted.len() - failed - known;
    format!(
        "{} quantities measured, {right} as expected, {failed} not, {known} known to be wrong.",
        sorted.len()
    )
}

/// What is to be said about a quantity: a note, or what will mend it.
pub fn remark(o: &Outcome) -> Option<String> {
    match (&o.known_wrong, &o.note) {
        (Some(by), Some(note)) => Some(format!("known wrong, until {by}: {note}")),
        (Some(by), None) => Some(format!("known wrong, until {by}")),
        (None, note) => note.clone(),
    }
}

/// The cells of a row.
pub fn cells(o: &Outcome) -> [String; 6] {
    let number = |x: f64| format!("{x:.7e}");
    let short = |x: f64| {
        if x.abs() < 1e6 && x.fract() == 0.0 { format!("{x}") } else { trimmed(&number(x)) }
    };
    let sign = match o.compare {
        "at-most" => "≤ ",
        "at-least" => "≥ ",
        _ => "",
    };
    let measured = o.measured.map_or_else(|| "–".to_owned(), short);
    let tolerance = if o.tolerance == 0.0 {
        String::new()
    } else {
        format!("± {}", trimmed(&format!("{:.1e}", o.tolerance)))
    };
    let used = o.used.map_or_else(|| "–".to_owned(), |u| format!("{:.0} %", 100.0 * u));
    [
        match o {
            o if o.pass => "pass".into(),
            o if o.known_wrong.is_some() => "known".into(),
            _ => "FAIL".into(),
        },
        o.id.clone(),
        measured,
        format!("{sign}{}", short(o.expected)),
        tolerance,
        used,
    ]
}

/// A number in scientific form without needless zeros; plain where that is short.
fn trimmed(text: &str) -> String {
    let value: f64 = text.parse().unwrap_or(0.0);
    if (1e-3..1e5).contains(&value.abs()) {
        return format!("{value}");
    }
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
}

fn markdown(sorted: &[&Outcome], plots: &[(&Experiment, String)], folder: &str) -> String {
    let mut out = format!("# Validation report\n\n{}\n\n", summary(sorted));
    let _ = writeln!(
        out,
        "Sorted by how much of what is allowed was used; `kreisel validate` runs it again.\n"
    );
    let _ = writeln!(out, "| | id | quantity | measured | expected | tolerance | used | source |");
    let _ = writeln!(out, "|---|---|---|---:|---:|---:|---:|---|");
    for o in sorted {
        let [pass, id, measured, expected, tolerance, used] = cells(o);
        let note = remark(o).map(|n| format!(" ({n})")).unwrap_or_default().replace('|', "\\|");
        let (quantity, source) = (o.quantity.replace('|', "\\|"), o.source.replace('|', "\\|"));
        let _ = writeln!(
            out,
            "| {pass} | {id} | {quantity}{note} | {measured} | {expected} | {tolerance} | {used} | {source} |"
        );
    }
    for (experiment, _) in plots {
        let file = file_name(&experiment.id);
        let _ = writeln!(
            out,
            "\n## {}: {}\n\n![{}]({folder}/{file})",
            experiment.id, experiment.title, experiment.title
        );
    }
    out
}

fn html(sorted: &[&Outcome], plots: &[(&Experiment, String)]) -> String {
    let escape = |t: &str| t.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut out = String::from(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Validation report</title>\n<style>\n\
         body { font: 15px/1.45 sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222 }\n\
         table { border-collapse: collapse } td, th { padding: .25em .6em; border-bottom: 1px solid #ddd; text-align: left }\n\
         td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }\n\
         .FAIL { color: #b00; font-weight: bold } .pass { color: #060 } small { color: #666 } svg { max-width: 100%; height: auto }\n\
         </style></head><body>\n<h1>Validation report</h1>\n",
    );
    let _ = writeln!(out, "<p>{}</p>\n<table>", summary(sorted));
    let _ = writeln!(
        out,
        "<tr><th></th><th>id</th><th>quantity</th><th>measured</th><th>expected</th><th>tolerance</th><th>used</th><th>source</th></tr>"
    );
    for o in sorted {
        let [pass, id, measured, expected, tolerance, used] = cells(o);
        let note =
            remark(o).map(|n| format!("<br><small>{}</small>", escape(&n))).unwrap_or_default();
        let _ = writeln!(
            out,
            "<tr><td class=\"{pass}\">{pass}</td><td>{}</td><td>{}{note}</td><td class=\"n\">{measured}</td><td class=\"n\">{expected}</td><td class=\"n\">{tolerance}</td><td class=\"n\">{used}</td><td>{}</td></tr>",
            escape(&id),
            escape(&o.quantity),
            escape(&o.source)
        );
    }
    out += "</table>\n";
    for (experiment, svg) in plots {
        let _ = writeln!(
            out,
            "<h2>{}: {}</h2>\n{svg}",
            escape(&experiment.id),
            escape(&experiment.title)
        );
    }
    out += "</body></html>\n";
    out
}
