//! `kreisel replay` on a journal: repeats a live session.

use crate::args::Replay;
use crate::exit::{Exit, Failure};
use crate::table::Table;
use kreisel_scene::record::{Columns, CsvFile};
use kreisel_server::journal;

/// Replays a journal and compares its end to the bit.
pub fn run(args: &Replay) -> Result<Exit, Failure> {
    let text = std::fs::read_to_string(&args.file).map_err(|e| Failure::file(&args.file, e))?;
    let mut csv: Option<CsvFile<std::fs::File>> = None;
    let mut failed: Option<std::io::Error> = None;
    let files = journal::scene_name(&text).map(|name| kreisel_scene::home(&name, &args.file, args.allow_outside));
    let options = kreisel_scene::Options { folder: files, allow_outside: args.allow_outside, ..Default::default() };
    let done = journal::replay(&text, &options, |session| {
        let Some(path) = args.csv.as_ref().filter(|_| failed.is_none()) else { return };
        let world = &session.simulation().world;
        if csv.is_none() {
            let made = Columns::of(session.scene())
                .map_err(|e| std::io::Error::other(e.to_string()))
                .and_then(|c| CsvFile::new(std::fs::File::create(path)?, c));
            match made {
                Ok(file) => csv = Some(file),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(Err(e)) = csv.as_mut().map(|f| f.write(world, session.report())) {
            failed = Some(e);
        }
    });
    if let (Some(e), Some(path)) = (failed, &args.csv) {
        return Err(Failure::file(path, e));
    }
    if let (Some(file), Some(path)) = (csv, &args.csv) {
        file.finish().map_err(|e| Failure::file(path, e))?;
    }
    let done = done.map_err(|e| Failure::file(&args.file, e))?;
    let mut t = Table::default();
    t.line("commands", done.commands);
    t.line("steps", done.session.steps());
    t.line("time", format!("{:.6} s", done.session.simulation().world.time()));
    t.line("state", done.session.hash());
    t.line("compared", if done.checked { "the same bits as in the session" } else { "the journal states no end" });
    print!("{t}");
    Ok(Exit::Success)
}
