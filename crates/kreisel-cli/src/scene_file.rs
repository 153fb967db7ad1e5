//! Loading scenes with what the command line says about it.

use crate::args::Params;
use crate::exit::Failure;
use kreisel_scene::record::{Recording, ReplayError};
use kreisel_scene::{Options, Scene, SceneError, home, load_as};
use std::path::Path;

/// Loads a scene with the parameters of the command line.
pub fn load(path: &Path, params: &Params) -> Result<Scene, SceneError> {
    let options = Options {
        params: params.set.clone(),
        allow_outside: params.allow_outside,
        packages: params.packages.clone(),
        lenient: params.lenient,
        ..Options::default()
    };
    load_as(path, &options)
}

/// Loads a scene as it is.
pub fn load_plain(path: &Path, allow_outside: bool) -> Result<Scene, SceneError> {
    load_as(path, &Options { allow_outside, ..Options::default() })
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
