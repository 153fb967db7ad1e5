//! `cargo xtask matrix`: pairs of elements under every way of stepping, each cell judged by an
//! integrator of its own.

mod base;
mod build;
mod case;
mod cell;
mod element;
mod future;
mod list;
mod pool;
mod reference;
mod special;
mod table;
mod trace;
mod way;

use case::Case;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
kreisel-matrix [OPTIONS]
  --quick           a fixed sample; exit code 1 when a cell is wrong in silence
  --only TEXT       cases and ways whose \"case; way\" contains the text
  --every N         every Nth case only
  --from K          of those, the Kth, K + Nth … (default 0)
  --limit SECONDS   most time for a cell (default 5, of the sample 2)
  --threads N       workers (default: the processors)
  --json FILE       all cells
  --markdown FILE   the tables
  --write DIR       the scenes of the chosen cells as .toml, without running them
  --trace           the chosen cells step by step, without judging them: time, error, status, joints' rates
  --list N          silently wrong cells to print (default 40)
";

/// Every so many cases are in the sample; prime to the number of elements, so that all of them come
/// up.
const QUICK_STRIDE: usize = 47;

/// What the command line asks for.
#[derive(Default)]
struct Options {
    quick: bool,
    only: Option<String>,
    every: usize,
    from: usize,
    limit: u64,
    threads: usize,
    json: Option<String>,
    markdown: Option<String>,
    write: Option<String>,
    trace: bool,
    list: usize,
}

fn options(args: &[String]) -> Result<Options, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut o = Options { every: 1, threads, list: 40, ..Options::default() };
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or(format!("{word} needs a value\n\n{HELP}"));
        let number = |text: String| text.parse::<usize>().map_err(|e| format!("{text}: {e}"));
        match word.as_str() {
            "--quick" => o.quick = true,
            "--only" => o.only = Some(value()?),
            "--every" => o.every = number(value()?)?.max(1),
            "--from" => o.from = number(value()?)?,
            "--limit" => o.limit = number(value()?)? as u64,
            "--threads" => o.threads = number(value()?)?,
            "--list" => o.list = number(value()?)?,
            "--json" => o.json = Some(value()?),
            "--markdown" => o.markdown = Some(value()?),
            "--write" => o.write = Some(value()?),
            "--trace" => o.trace = true,
            _ => return Err(format!("unknown option {word}\n\n{HELP}")),
        }
    }
    if o.limit == 0 {
        o.limit = if o.quick { 2 } else { 5 };
    }
    Ok(o)
}

/// The cells that are asked for: numbers of cases with numbers of ways.
fn chosen(cases: &[Case], o: &Options) -> Vec<(usize, Vec<usize>)> {
    // the sample takes the cases of their own, pairs by a stride that meets all bases and elements,
    // and a third of the ways of each
    let (stride, share) = if o.quick { (QUICK_STRIDE, 3) } else { (o.every, 1) };
    let picked = |k: usize| k % stride == o.from % stride || (o.quick && k < special::COUNT);
    let fits = |k: usize, w: usize| {
        let (case, way) = (&cases[k], &way::ALL[w]);
        (case.contact || !way.contact)
            && (k + w).is_multiple_of(share)
            && o.only
                .as_ref()
                .is_none_or(|text| format!("{}; {}", case.name, way.name).contains(text))
    };
    (0..cases.len())
        .filter(|&k| picked(k))
        .map(|k| (k, (0..way::ALL.len()).filter(|&w| fits(k, w)).collect::<Vec<_>>()))
        .filter(|(_, ways)| !ways.is_empty())
        .collect()
}

/// Writes the scenes of the chosen cells.
fn write(cases: &[Case], chosen: &[(usize, Vec<usize>)], folder: &str) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{folder}: {e}"))?;
    let plain = |text: &str| text.replace(" · ", "--").replace(", ", "_").replace([' ', '/'], "-");
    for (case, ways) in chosen {
        for &w in ways {
            let (case, way) = (&cases[*case], &way::ALL[w]);
            let path = format!("{folder}/{}__{}.toml", plain(&case.name), plain(way.name));
            std::fs::write(&path, cell::scene(case, way, way.rate))
                .map_err(|e| format!("{path}: {e}"))?;
        }
    }
    Ok(())
}

fn run(o: &Options) -> Result<bool, String> {
    let cases = list::cases();
    let chosen = chosen(&cases, o);
    if let Some(folder) = &o.write {
        write(&cases, &chosen, folder)?;
        return Ok(true);
    }
    if o.trace {
        for (case, ways) in &chosen {
            for &w in ways {
                print!("{}", trace::trace(&cases[*case], &way::ALL[w])?);
            }
        }
        return Ok(true);
    }
    let count: usize = chosen.iter().map(|c| c.1.len()).sum();
    eprintln!("{} cases, {count} cells, {} workers", chosen.len(), o.threads);
    let live = std::io::stderr().is_terminal();
    let rows = pool::run(&chosen, o.threads, Duration::from_secs(o.limit), |done| {
        if live {
            eprint!("\r{done} of {} cases", chosen.len());
        } else if done.is_multiple_of(100) {
            eprintln!("{done} of {} cases", chosen.len());
        }
    })?;
    if live {
        eprintln!();
    }

    // tables, lists, files
    let mut cells = Vec::new();
    let mut skipped = Vec::new();
    for (k, row) in &rows {
        match row {
            Ok(outcomes) => cells.extend(outcomes.iter().map(|(w, outcome)| table::Named {
                case: &cases[*k].name,
                way: way::ALL[*w].name,
                outcome,
            })),
            Err(why) => skipped.push((cases[*k].name.clone(), why.clone())),
        }
    }
    let (markdown, counts) = table::markdown(&cells, &skipped);
    println!("{markdown}");
    print!("{}", table::silent(&cells, o.list));
    if let Some(path) = &o.markdown {
        std::fs::write(path, &markdown).map_err(|e| format!("{path}: {e}"))?;
    }
    if let Some(path) = &o.json {
        let all: Vec<_> = cells
            .iter()
            .map(|c| (c, c.outcome.silent()))
            .map(|(c, silent)| serde_json::json!({ "case": c.case, "way": c.way, "silent": silent, "outcome": c.outcome }))
            .collect();
        let text = serde_json::to_string_pretty(&all).map_err(|e| e.to_string())?;
        std::fs::write(path, text).map_err(|e| format!("{path}: {e}"))?;
    }
    println!("{} cells, {} wrong in silence", counts.cells, counts.silent);
    Ok(!o.quick || counts.silent == 0)
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.first().map(String::as_str) {
        Some("--worker") => pool::serve().map(|()| true),
        Some("--help" | "-h") => {
            print!("{HELP}");
            Ok(true)
        }
        _ => options(&args).and_then(|o| run(&o)),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("matrix: {message}");
            ExitCode::from(2)
        }
    }
}
