//! Loading scenes with what the command line says about it.

use crate::args::Params;
use crate::exit::Failure;
use crate::output::is_stream;
use kreisel_scene::record::{Recording, ReplayError};
use kreisel_scene::{Options, Scene, SceneError, home, load_as};
use std::io::Read as _;
use std::path::Path;

/// Most bytes that are read from the standard input.
const LARGEST: u64 = 256 << 20;

/// A scene from the standard input: files that it names are looked for in the present folder.
fn from_input(options: &Options) -> Result<Scene, SceneError> {
    let mut text = String::new();
    let read = std::io::stdin().take(LARGEST).read_to_string(&mut text);
    if let Err(e) = read {
        eprintln!("error: the standard input cannot be read: {e}");
    }
    let json = text.trim_start().starts_with('{');
    let name = if json { "standard input.json" } else { "standard input.toml" };
    let folder = options.folder.clone().or_else(|| std::env::current_dir().ok());
    kreisel_scene::parse_as(name, &text, &Options { folder, ..options.clone() })
}

/// Loads a scene with the parameters of the command line.
pub fn load(path: &Path, params: &Params) -> Result<Scene, SceneError> {
    let options = Options {
        params: params.set.clone(),
        allow_outside: params.allow_outside,
        packages: params.packages.clone(),
        lenient: params.lenient,
        ..Options::default()
    };
    if is_stream(path) { from_input(&options) } else { load_as(path, &options) }
}

/// Loads a scene as it is.
pub fn load_plain(path: &Path, allow_outside: bool) -> Result<Scene, SceneError> {
    let options = Options { allow_outside, ..Options::default() };
    if is_stream(path) { from_input(&options) } else { load_as(path, &options) }
}

/// The scene of a recording, with the files that it names.
pub fn of_recording(
    recording: &Recording,
    path: &Path,
    allow_outside: bool,
) -> Result<Scene, Failure> {
    let folder = Some(home(&recording.header.scene, path, allow_outside));
    recording
        .scene(&Options { folder, allow_outside, lenient: true, ..Options::default() })
        .map_err(|e| match e {
            ReplayError::Scene(error) => Failure::from(error),
            other => Failure::file(path, other),
        })
}
