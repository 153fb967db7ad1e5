//! Where a command writes to: a file, or with `-` the standard output, which then holds nothing
//! else; what is said about it goes to the error stream.

use crate::exit::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Whether a path stands for the standard output (or input).
pub fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes a file, or to the standard output.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_stream(path) {
        let mut out = std::io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(141),
            done => done.map_err(|e| {
                Failure::resource(format!("the standard output cannot be written: {e}"))
            }),
        };
    }
    std::fs::write(path, bytes).map_err(|e| Failure::file(path, e))
}

/// Says something about what was written to `path`, unless nothing is to be said.
pub fn say(path: &Path, quiet: bool, text: &str) {
    match (quiet, is_stream(path)) {
        (true, _) => {}
        (false, true) => eprintln!("{text}"),
        (false, false) => println!("{text}"),
    }
}

/// The file to write: the second argument, or that of `--output`.
pub fn one_of(
    argument: Option<&PathBuf>,
    option: Option<&PathBuf>,
    what: &str,
) -> Result<PathBuf, Failure> {
    match (argument, option) {
        (Some(path), None) | (None, Some(path)) => Ok(path.clone()),
        (Some(_), Some(_)) => {
            Err(Failure::usage("the file to write is given twice: by itself and with --output"))
        }
        (None, None) => Err(Failure::usage(format!("name the file to write, {what}, or -"))),
    }
}

/// What kind of file to write: `--to`, or the ending of its name.
pub fn format(path: &Path, to: Option<&String>) -> String {
    let ending = || path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    to.map_or_else(ending, String::as_str).to_ascii_lowercase()
}
