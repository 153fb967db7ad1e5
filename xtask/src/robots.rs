//! `cargo xtask robots DIR…`: checks and runs the robot models of folders, each within a budget,
//! and says what became of them.
//!
//! Every model is read (`kreisel check`) and run (`kreisel run`) by the release program in a
//! process of its own, which is ended when its time is over. A model gains energy if at some time
//! it has more than at its start and what motors and outer forces have given, by more than a
//! hundredth of the largest kinetic energy of the run.

use crate::process;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What `cargo xtask help` says.
pub const HELP: &str = "\
cargo xtask robots DIR [DIR ...] [--limit S] [--until S] [--all] [--json FILE] [--strict] [--program FILE]
                                    read and run the MJCF and URDF models of folders, 10 s of wall-clock time for each (--limit) and 1 s
                                    simulated (--until): what loads, is left out, gains energy, does not end; --all: also files that others
                                    include; --strict: fail if a model gains energy and the program says nothing (exit code 0);
                                    --program: another build of kreisel; models with keyframes start in the first one
cargo xtask robots --mujoco DIR [DIR ...] [--states N] [--only NAME] [--skip NAME] [--json FILE]
                                    MJCF models of folders beside MuJoCo (pip): masses and inertias, poses and accelerations of 100 random
                                    states (--states), motion of 0.5 s; --only, --skip: files whose path has, or has not, a text
";

/// Share of the largest kinetic energy, and least energy in J, from which on a gain counts.
const GAIN: (f64, f64) = (0.01, 1e-6);

/// What is asked for.
struct Order {
    folders: Vec<PathBuf>,
    limit: f64,
    until: f64,
    all: bool,
    json: Option<PathBuf>,
    strict: bool,
    program: Option<PathBuf>,
}

/// What became of a model.
#[derive(Default)]
struct Outcome {
    name: String,
    /// The first error, or why it was not read to its end.
    refused: Option<String>,
    /// Places of warnings by kind.
    warnings: BTreeMap<String, usize>,
    run: Option<Run>,
}

/// A run.
#[derive(Default)]
struct Run {
    /// Whether it ended within its time.
    ended: bool,
    /// Its exit code; none if it was ended.
    code: Option<i32>,
    micros: Option<f64>,
    /// Energy at the start, the largest and at the end, J.
    energy: Option<[f64; 3]>,
    /// Work of motors and outer forces, J.
    work: f64,
    /// Most energy beyond start and work, J.
    gain: f64,
    gains: bool,
}

/// Checks and runs the models of folders.
pub fn run(args: &[&str]) -> Result<(), String> {
    if let Some(("--mujoco", rest)) = args.split_first().map(|(first, rest)| (*first, rest)) {
        return crate::robots_mujoco::run(rest);
    }
    let order = order(args)?;
    let program = match &order.program {
        Some(program) => program.clone(),
        None => process::kreisel()?,
    };
    let models = models(&order)?;
    if models.is_empty() {
        return Err("there are no models (.urdf, or .xml with <mujoco>) in these folders".into());
    }
    println!("{}", heading());
    let mut outcomes = Vec::new();
    for (k, (name, path)) in models.iter().enumerate() {
        eprint!("\r{}/{} {name}\x1b[K", k + 1, models.len());
        let outcome = one(&program, name, path, &order);
        eprint!("\r\x1b[K");
        println!("{}", line(&outcome));
        outcomes.push(outcome);
    }
    let silent = summary(&outcomes);
    if let Some(file) = &order.json {
        std::fs::write(file, json(&outcomes)).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    if order.strict && silent > 0 {
        return Err(format!("{silent} models gain energy without a word"));
    }
    Ok(())
}

fn order(args: &[&str]) -> Result<Order, String> {
    let mut out = Order {
        folders: Vec::new(),
        limit: 10.0,
        until: 1.0,
        all: false,
        json: None,
        strict: false,
        program: None,
    };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().copied().ok_or_else(|| format!("{arg} needs a value"));
        let positive = |text: &str| match text.parse::<f64>() {
            Ok(x) if x > 0.0 && x < 1e6 => Ok(x),
            _ => Err(format!("{text} is not a time in s")),
        };
        match *arg {
            "--limit" => out.limit = positive(value()?)?,
            "--until" => out.until = positive(value()?)?,
            "--json" => out.json = Some(value()?.into()),
            "--program" => out.program = Some(value()?.into()),
            "--all" => out.all = true,
            "--strict" => out.strict = true,
            _ if arg.starts_with('-') => return Err(format!("unknown: {arg}\n\n{HELP}")),
            folder => out.folders.push(folder.into()),
        }
    }
    if out.folders.is_empty() { Err(HELP.into()) } else { Ok(out) }
}

/// The models of the folders: name and file.
fn models(order: &Order) -> Result<Vec<(String, PathBuf)>, String> {
    let mut out = Vec::new();
    for folder in &order.folders {
        let mut files = Vec::new();
        collect(folder, &mut files, 0).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut found: Vec<(PathBuf, String)> = Vec::new();
        for file in files {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            if text.contains("<mujoco") && !text.contains("<mujocoinclude")
                || text.contains("<robot")
            {
                found.push((file, text));
            }
        }
        // What another file includes is a part of it.
        let mut parts: Vec<PathBuf> = Vec::new();
        for (file, text) in &found {
            for piece in text.split("<include").skip(1) {
                let name = piece.split("file=\"").nth(1).and_then(|p| p.split('"').next());
                parts.extend(
                    name.zip(file.parent()).and_then(|(n, f)| f.join(n).canonicalize().ok()),
                );
            }
        }
        for (file, _) in found {
            if order.all || !file.canonicalize().is_ok_and(|f| parts.contains(&f)) {
                let name = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
                out.push((name, file));
            }
        }
    }
    Ok(out)
}

/// All XML and URDF files of a folder, sorted.
fn collect(folder: &Path, out: &mut Vec<PathBuf>, depth: usize) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && depth < 16 {
            collect(&path, out, depth + 1)?;
        } else if path.extension().is_some_and(|e| e == "xml" || e == "urdf" || e == "mjcf") {
            out.push(path);
        }
    }
    Ok(())
}

/// Reads and runs a model.
fn one(program: &Path, name: &str, path: &Path, order: &Order) -> Outcome {
    let mut out = Outcome { name: name.to_owned(), ..Outcome::default() };
    let check = ended(
        Command::new(program).args(["check", "--json", "--allow-outside"]).arg(path),
        order.limit,
    );
    match check {
        Err(message) => out.refused = Some(message),
        Ok(None) => out.refused = Some(format!("reading takes more than {} s", order.limit)),
        Ok(Some((code, text))) => {
            problems(&text, &mut out);
            if code != Some(0) && out.refused.is_none() {
                out.refused = Some(format!("exit code {code:?}"));
            }
        }
    }
    if out.refused.is_some() {
        return out;
    }
    // models start in their first keyframe
    let key = first_key(path, 0);
    let table = std::env::temp_dir().join(format!("kreisel-robots-{}.csv", std::process::id()));
    let mut command = Command::new(program);
    command.arg("run").arg(path).args([
        "--json",
        "--allow-outside",
        "--until",
        &order.until.to_string(),
        "--csv",
    ]);
    command.arg(&table).args(["--quantity", "energy", "--quantity", "ledger"]);
    command.args(key.iter().flat_map(|k| ["--key", k]));
    let mut run = Run::default();
    match ended(&mut command, order.limit) {
        Ok(Some((code, text))) => {
            (run.ended, run.code) = (true, code);
            let number = |key| field(&text, key).and_then(|v| v.parse::<f64>().ok());
            run.micros =
                number("wall_time").zip(number("steps")).map(|(t, n)| 1e6 * t / n.max(1.0));
        }
        Ok(None) => {}
        Err(message) => out.refused = Some(message),
    }
    if let Ok(text) = std::fs::read_to_string(&table) {
        energies(&text, &mut run);
    }
    let _ = std::fs::remove_file(&table);
    out.run = Some(run);
    out
}

/// The name of the first keyframe of a model, or of what it includes.
fn first_key(path: &Path, depth: usize) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let value = |piece: &str, name: &str| {
        let inside = piece.split('>').next()?;
        inside.split(&format!("{name}=\"")).nth(1)?.split('"').next().map(str::to_owned)
    };
    let mut included = text.split("<include").skip(1).filter_map(|piece| value(piece, "file"));
    let within = |file: String| first_key(&path.parent()?.join(file), depth + 1);
    let inner = if depth < 8 { included.find_map(within) } else { None };
    // what is included comes first in most files
    inner.or_else(|| text.split("<key ").nth(1).and_then(|piece| value(piece, "name")))
}

/// Runs a command for at most some seconds: its exit code and what it prints, or none if it had to
/// be ended.
fn ended(command: &mut Command, limit: f64) -> Result<Option<(Option<i32>, String)>, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("the program does not start: {e}"))?;
    // A thread takes what is printed, so that a full pipe does not hold the program.
    let mut pipe = child.stdout.take().ok_or("no output")?;
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if start.elapsed().as_secs_f64() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(e) => return Err(e.to_string()),
        }
    };
    let text = reader.join().unwrap_or_default();
    Ok(status.map(|s| (s.code(), text)))
}

/// The value of a key in JSON that is printed with one key a line.
fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let start = format!("\"{key}\": ");
    text.lines().find_map(|l| l.trim().strip_prefix(&start)).map(|v| v.trim_end_matches(','))
}

/// Errors and warnings that `check --json` prints.
fn problems(text: &str, out: &mut Outcome) {
    for problem in text.split("\n  {").skip(1) {
        let message = field(problem, "message").unwrap_or_default();
        let message =
            message.strip_prefix('"').and_then(|m| m.strip_suffix('"')).unwrap_or(message);
        let message = message.replace("\\\"", "\"");
        if field(problem, "severity") == Some("\"error\"") {
            let line = field(problem, "line").unwrap_or_default();
            out.refused.get_or_insert(format!("line {line}: {message}"));
        } else {
            let (kind, count) = kind(&message);
            *out.warnings.entry(kind).or_default() += count;
        }
    }
}

/// A message without its names and numbers, and how many places it stands for.
fn kind(message: &str) -> (String, usize) {
    let (text, count) =
        match message.rsplit_once(" (").filter(|(_, end)| end.contains("places like this")) {
            Some((text, end)) => {
                (text, end.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(1))
            }
            None => (message, 1),
        };
    let mut out = String::new();
    for (k, part) in text.split('"').enumerate() {
        out.push_str(if k % 2 == 0 { part } else { "…" });
    }
    let words = out.split(' ').map(|w| {
        if w.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) { "…" } else { w }
    });
    (words.collect::<Vec<_>>().join(" "), count)
}

/// Energies and work from the table of a run.
fn energies(text: &str, run: &mut Run) {
    let mut lines = text.lines();
    let Some(head) = lines.next() else { return };
    let column = |name: &str| head.split(',').position(|h| h.split(' ').next() == Some(name));
    let (Some(total), Some(kinetic)) = (column("energy.total"), column("energy.kinetic")) else {
        return;
    };
    let given = [column("ledger.motors"), column("ledger.user")];
    let (mut first, mut moving) = (None, 0.0_f64);
    for row in lines {
        let cells: Vec<f64> = row.split(',').map(|c| c.parse().unwrap_or(f64::NAN)).collect();
        // The last row of a run that was ended may be cut.
        let (Some(&energy), Some(&kinetic)) = (cells.get(total), cells.get(kinetic)) else {
            continue;
        };
        if cells.len() != head.split(',').count() {
            continue;
        }
        let start = *first.get_or_insert(energy);
        run.work += given.iter().flatten().map(|k| cells[*k]).sum::<f64>();
        let largest = run.energy.map_or(energy, |e| e[1].max(energy));
        run.energy = Some([start, largest, energy]);
        moving = moving.max(kinetic);
        run.gain = run.gain.max(energy - start - run.work);
        // What is no number is no energy that the model should have.
        run.gains |= !energy.is_finite();
    }
    run.gains |= run.gain > (GAIN.0 * moving).max(GAIN.1);
}

fn heading() -> String {
    format!(
        "{:<48} {:>7} {:>5} {:>10} {:>10} {:>10} {:>10} {:>5} {:>5} {:>9} {:>4}",
        "model",
        "loads",
        "left",
        "start J",
        "largest J",
        "end J",
        "work J",
        "gains",
        "ends",
        "us/step",
        "exit"
    )
}

/// A model in the table.
fn line(o: &Outcome) -> String {
    let left: usize = o.warnings.values().sum();
    let Some(run) = &o.run else {
        let why = o.refused.as_deref().unwrap_or_default();
        return format!(
            "{:<48} {:>7} {left:>5} {}",
            o.name,
            "no",
            why.chars().take(110).collect::<String>()
        );
    };
    let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.3e}"));
    let energy = |k: usize| number(run.energy.map(|e| e[k]));
    let yes = |b: bool| if b { "yes" } else { "no" };
    format!(
        "{:<48} {:>7} {left:>5} {:>10} {:>10} {:>10} {:>10} {:>5} {:>5} {:>9} {:>4}",
        o.name,
        "yes",
        energy(0),
        energy(1),
        energy(2),
        number(run.energy.map(|_| run.work)),
        if run.energy.is_some() { yes(run.gains) } else { "-" },
        yes(run.ended),
        run.micros.map_or("-".to_owned(), |m| format!("{m:.1}")),
        run.code.map_or("-".to_owned(), |c| c.to_string()),
    )
}

/// Prints the counts; gives the number of models that gain energy while the program says that all
/// went well.
fn summary(outcomes: &[Outcome]) -> usize {
    let count = |test: &dyn Fn(&Run) -> bool| {
        outcomes.iter().filter_map(|o| o.run.as_ref()).filter(|r| test(r)).count()
    };
    let silent = count(&|r| r.gains && r.code == Some(0));
    let loaded = count(&|_| true);
    println!("\n{} models: {loaded} load, {} are refused", outcomes.len(), outcomes.len() - loaded);
    println!(
        "of those that load: {} end in time, {} end with exit code 0, {} gain energy, {silent} of them with exit code 0",
        count(&|r| r.ended),
        count(&|r| r.code == Some(0)),
        count(&|r| r.gains)
    );
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (kind, n) in outcomes.iter().flat_map(|o| &o.warnings) {
        let entry = kinds.entry(kind).or_default();
        *entry = (entry.0 + 1, entry.1 + n);
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|k| std::cmp::Reverse(k.1));
    println!("\nwarnings (models, places):");
    kinds.iter().for_each(|(kind, (models, places))| println!("{models:>5} {places:>6}  {kind}"));
    let _ = std::io::stdout().flush();
    silent
}

/// All outcomes as JSON.
fn json(outcomes: &[Outcome]) -> String {
    let text = |s: &str| {
        let mut out = String::from('"');
        for c in s.chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                c if c.is_control() => out.push(' '),
                c => out.push(c),
            }
        }
        out + "\""
    };
    let number = |x: Option<f64>| {
        x.filter(|x| x.is_finite()).map_or("null".to_owned(), |x| format!("{x:e}"))
    };
    let items = outcomes.iter().map(|o| {
        let warnings: Vec<String> =
            o.warnings.iter().map(|(k, n)| format!("{}: {n}", text(k))).collect();
        let mut out = format!("  {{\"model\": {}, \"loads\": {}", text(&o.name), o.run.is_some());
        let _ =
            write!(out, ", \"refused\": {}", o.refused.as_deref().map_or("null".to_owned(), text));
        let _ = write!(out, ", \"warnings\": {{{}}}", warnings.join(", "));
        if let Some(r) = &o.run {
            let e = |k: usize| number(r.energy.map(|e| e[k]));
            let code = r.code.map_or("null".to_owned(), |c| c.to_string());
            let _ = write!(
                out,
                ", \"ends\": {}, \"exit\": {code}, \"us_per_step\": {}",
                r.ended,
                number(r.micros)
            );
            let _ = write!(
                out,
                ", \"energy\": [{}, {}, {}], \"work\": {}",
                e(0),
                e(1),
                e(2),
                number(Some(r.work))
            );
            let _ = write!(out, ", \"gain\": {}, \"gains\": {}", number(Some(r.gain)), r.gains);
        }
        out + "}"
    });
    format!("[\n{}\n]\n", items.collect::<Vec<_>>().join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_beyond_start_and_work_is_a_gain_and_that_of_motors_is_none() {
        let table = |rows: &str| {
            let mut run = Run::default();
            energies(
                &format!(
                    "time [s],energy.kinetic [J],energy.total [J],ledger.motors [J],ledger.user [J]\n{rows}"
                ),
                &mut run,
            );
            run
        };
        let driven = table("0,0,5,0,0\n1,2,7,2,0\n");
        assert!(!driven.gains && driven.energy == Some([5.0, 7.0, 7.0]) && driven.work == 2.0);
        assert!(table("0,0,5,0,0\n1,2,7,1,0\n").gains, "1 J of 2 comes from nowhere");
        assert!(table("0,0,5,0,0\n1,2,NaN,0,0\n").gains);
        assert!(!table("0,0,5,0,0\n1,2,4,0,0\n2,1,").gains, "a row that was cut does not count");
    }

    #[test]
    fn messages_of_one_kind_are_counted_together() {
        let (one, n) = kind(
            "the mesh \"a.dae\" is not there: the part is left out (12 places like this; the first is shown)",
        );
        assert_eq!((one.as_str(), n), ("the mesh … is not there: the part is left out", 12));
        assert_eq!(kind("the moments 1e-3, 2 of \"b\"").0, "the moments … … of …");
    }

    #[test]
    fn the_problems_of_a_check_are_read() {
        let text = "[\n  {\n    \"file\": \"a\",\n    \"line\": 3,\n    \"severity\": \"error\",\n    \"message\": \"no \\\"x\\\"\",\n  },\n  {\n    \"severity\": \"warning\",\n    \"message\": \"left out\",\n  }\n]";
        let mut out = Outcome::default();
        problems(text, &mut out);
        assert_eq!(out.refused.as_deref(), Some("line 3: no \"x\""));
        assert_eq!(out.warnings.get("left out"), Some(&1));
    }
}
