//! `kreisel convert`: a recording as CSV, NumPy archive or JSON; a scene as TOML or JSON.

use crate::args::Convert;
use crate::exit::{Exit, Failure, print_problems};
use crate::output;
use crate::source::{self, Kind};
use kreisel_scene::record::{Data, EventRecord, Header, Input, exporter, exporters, write_npz};
use kreisel_scene::{Options, Syntax, rewrite, rewrite_as, save};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::Path;

/// A recording as JSON.
#[derive(Serialize)]
struct Json<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'a Header>,
    units: BTreeMap<&'a str, &'a str>,
    /// Values by column; what does not exist is null.
    columns: BTreeMap<&'a str, &'a [f64]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    state_hashes: Vec<String>,
    events: Vec<Event>,
    inputs: &'a [(u64, Input)],
}

#[derive(Serialize)]
struct Event {
    step: u64,
    time: f64,
    event: serde_json::Value,
}

impl Event {
    /// An event that is no JSON (it would be a fault of its writer) is left out.
    fn new(record: &EventRecord) -> Option<Self> {
        Some(Self {
            step: record.step,
            time: record.time,
            event: serde_json::from_str(&record.event).ok()?,
        })
    }
}

/// Converts a recording.
pub fn run(args: &Convert) -> Result<Exit, Failure> {
    let out =
        output::one_of(args.out.as_ref(), args.output.as_ref(), "such as table.csv or scene.json")?;
    let ending = output::format(&out, args.to.as_ref());
    if source::kind(&args.file) == Kind::Scene {
        return scene(args, &out, &ending);
    }
    if args.flat {
        return Err(Failure::usage("--flat is for scenes"));
    }
    let outside = exporter(&ending);
    if !["csv", "npz", "json"].contains(&ending.as_str()) && outside.is_none() {
        let more: String = exporters().iter().map(|e| format!(", .{e}")).collect();
        let message = format!("{}: choose .csv, .npz or .json{more}", out.display());
        return Err(Failure::usage(message));
    }
    let (data, recording) = match source::kind(&args.file) {
        Kind::Recording => {
            let recording = source::recording(&args.file, args.quiet)?;
            (recording.clone().into_data(), Some(recording))
        }
        Kind::Table => (source::table(&args.file)?, None),
        Kind::Scene => return scene(args, &out, &ending),
    };
    let data = select(&data, &args.quantity)?;
    let fail = |e: std::io::Error| Failure::file(&out, e);
    // made in memory: a file is written as a whole or not at all
    let mut bytes = Cursor::new(Vec::new());
    match ending.as_str() {
        "csv" => write_csv(&data, &mut bytes).map_err(|e| Failure::file(&out, e))?,
        "npz" => write_npz(&data, &mut bytes).map_err(fail)?,
        _ if outside.is_some() => {
            outside.map_or(Ok(()), |e| e.write(&data, &mut bytes)).map_err(fail)?;
        }
        _ => {
            let names = || data.columns.iter().map(|c| c.name.as_str());
            let json = Json {
                header: recording.as_ref().map(|r| &r.header),
                units: names().zip(data.columns.iter().map(|c| &*c.unit)).collect(),
                columns: names().zip(data.values.iter().map(Vec::as_slice)).collect(),
                state_hashes: recording.iter().flat_map(|r| &r.hashes).map(|h| hex(h)).collect(),
                events: recording.iter().flat_map(|r| &r.events).filter_map(Event::new).collect(),
                inputs: recording.as_ref().map_or(&[], |r| &r.inputs),
            };
            serde_json::to_writer(&mut bytes, &json).map_err(|e| Failure::file(&out, e))?;
        }
    }
    output::write(&out, &bytes.into_inner())?;
    let (columns, rows) = (data.columns.len(), data.rows());
    let words = format!("wrote {} with {columns} columns of {rows} rows", out.display());
    output::say(&out, args.quiet || output::is_stream(&out), &words);
    Ok(Exit::Success)
}

/// Writes a scene in another syntax, or worked out.
fn scene(args: &Convert, out: &Path, ending: &str) -> Result<Exit, Failure> {
    let file = args.file.display();
    let syntax = match ending {
        "toml" => Syntax::Toml,
        "json" => Syntax::Json,
        _ => {
            let help = "a scene is written as .toml or .json; for numbers record it first with `kreisel run --record`";
            return Err(Failure::usage(format!("{}: {help}", out.display())));
        }
    };
    // Also without --flat: what does not load is not worth another syntax.
    let loaded = crate::scene_file::load(&args.file, &args.params)?;
    // of the standard input the text tells the syntax
    let name = match output::is_stream(&args.file) {
        true => loaded.source.name.to_string(),
        false => args.file.to_string_lossy().into_owned(),
    };
    let written = if args.flat {
        rewrite("flat.toml", &save(&loaded, &loaded.world), syntax)?
    } else if !args.params.set.is_empty() {
        return Err(Failure::usage(
            "--set goes with --flat: without it the parameters stay parameters",
        ));
    } else {
        let folder =
            args.file.parent().map(|f| if f.as_os_str().is_empty() { Path::new(".") } else { f });
        let allow_outside = args.params.allow_outside;
        let options =
            Options { folder: folder.map(Path::to_path_buf), allow_outside, ..Options::default() };
        rewrite_as(&name, &loaded.source.text, syntax, &options)?
    };
    if !args.quiet {
        print_problems(&written.warnings);
    }
    output::write(out, written.text.as_bytes())?;
    if !args.quiet && !output::is_stream(out) {
        println!("wrote {}", out.display());
        let folder = |p: &Path| p.parent().map(|f| f.join(".")).and_then(|f| f.canonicalize().ok());
        if !args.flat && !loaded.files.is_empty() && folder(&args.file) != folder(out) {
            println!(
                "note: the files that {file} names are looked for beside the new file; --flat writes all into one"
            );
        }
    }
    Ok(Exit::Success)
}

/// The columns that patterns name, and the first one, which is the time.
fn select(data: &Data, patterns: &[String]) -> Result<Data, Failure> {
    if patterns.is_empty() {
        return Ok(data.clone());
    }
    let mut wanted = vec![0];
    for pattern in patterns {
        let found = data.find(pattern);
        if found.is_empty() {
            return Err(Failure::usage(format!("no column fits \"{pattern}\"")));
        }
        wanted.extend(found.into_iter().filter(|c| *c != 0));
    }
    Ok(data.select(&wanted))
}

fn write_csv(data: &Data, out: impl Write) -> csv::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(data.columns.iter().map(|c| c.header()))?;
    for row in 0..data.rows() {
        // `{:?}` prints the shortest text that reads back as the same bits.
        let text = |x: f64| if x.is_finite() { format!("{x:?}") } else { String::new() };
        writer.write_record(data.values.iter().map(|c| text(c[row])))?;
    }
    writer.flush()?;
    Ok(())
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
