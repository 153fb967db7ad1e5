//! `kreisel plot`: any recorded quantities as SVG, PNG or text.

use crate::args::Plot;
use crate::chart::{self, Chart, Line, MAX_LINES};
use crate::exit::{Exit, Failure};
use crate::source;
use kreisel_scene::record::Data;
use std::path::Path;

/// Plots columns of a recording, a table or a scene.
pub fn run(args: &Plot) -> Result<Exit, Failure> {
    // a scene measures what is asked for: the horizontal axis, too
    let mut measured = args.columns.clone();
    if !measured.is_empty() && args.x != "time" {
        measured.push(args.x.clone());
    }
    let data = source::data(&args.file, &measured, args.until, &args.params, args.quiet)?;
    let chart = chart(args, &data)?;
    chart::write(std::slice::from_ref(&chart), &args.out, args.size)?;
    if args.out != Path::new("-") && !args.quiet {
        let lines = if chart.lines.len() == 1 {
            "one line".into()
        } else {
            format!("{} lines", chart.lines.len())
        };
        println!("wrote {} with {lines}", args.out.display());
    }
    Ok(Exit::Success)
}

fn chart(args: &Plot, data: &Data) -> Result<Chart, Failure> {
    let x = data.find(&args.x);
    let [x] = x[..] else {
        return Err(Failure::usage(format!(
            "there is no single column \"{}\" in {}",
            args.x,
            args.file.display()
        )));
    };
    let wanted = if args.columns.is_empty() { usual(data, x) } else { args.columns.clone() };
    let mut columns = Vec::new();
    for pattern in &wanted {
        let found = data.find(pattern);
        if found.is_empty() {
            let known: Vec<&str> = data.columns.iter().map(|c| c.name.as_str()).collect();
            return Err(Failure::usage(format!(
                "no column fits \"{pattern}\"; there are {}",
                list(&known)
            )));
        }
        columns.extend(found.into_iter().filter(|c| *c != x));
    }
    if columns.len() > MAX_LINES {
        let n = columns.len();
        return Err(Failure::usage(format!(
            "{n} lines are too many for one plot; choose up to {MAX_LINES}"
        )));
    }
    let line = |&c: &usize| Line {
        label: data.columns[c].name.clone(),
        unit: data.columns[c].unit.to_string(),
        points: data.values[x].iter().copied().zip(data.values[c].iter().copied()).collect(),
        marked: false,
    };
    Ok(Chart {
        title: args.title.clone(),
        x_label: data.columns[x].header(),
        y_label: String::new(),
        log: (args.log_x, args.log),
        lines: columns.iter().map(line).collect(),
    })
}

/// The energies if there are any, else the first columns that one picture can hold.
fn usual(data: &Data, x: usize) -> Vec<String> {
    if !data.find("energy.*").is_empty() {
        return vec!["energy.*".into()];
    }
    (0..data.columns.len())
        .filter(|c| *c != x)
        .take(4)
        .map(|c| data.columns[c].name.clone())
        .collect()
}

/// Names in a row; of very many only the first.
fn list(names: &[&str]) -> String {
    const SHOWN: usize = 40;
    let more = if names.len() > SHOWN {
        format!(" and {} more", names.len() - SHOWN)
    } else {
        String::new()
    };
    format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
}
