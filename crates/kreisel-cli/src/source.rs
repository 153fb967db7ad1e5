//! Where numbers come from: a recording, a CSV file, or a scene that is run for them.

use crate::args::Params;
use crate::exit::Failure;
use crate::runner;
use kreisel_scene::record::{Changes, Columns, Data, End, Recording};
use kreisel_scene::{Scene, Wanted};
use std::path::Path;

/// What kind of file a path names, by its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A recording (`.kreisel`).
    Recording,
    /// A table (`.csv`).
    Table,
    /// Anything else is a scene.
    Scene,
}

/// The kind of a file.
pub fn kind(path: &Path) -> Kind {
    match path.extension().and_then(|e| e.to_str()) {
        Some("kreisel") => Kind::Recording,
        Some("csv") => Kind::Table,
        _ => Kind::Scene,
    }
}

/// Reads a recording; damage behind the head is a warning.
pub fn recording(path: &Path, quiet: bool) -> Result<Recording, Failure> {
    let recording = Recording::read(path).map_err(|e| Failure::file(path, e))?;
    if !quiet {
        match &recording.end {
            End::Complete => {}
            End::Open => {
                eprintln!(
                    "warning: {}: the run was cut off; its {} rows are good",
                    path.display(),
                    recording.rows()
                );
            }
            End::Damaged(damage) => eprintln!("warning: {}: {damage}", path.display()),
        }
    }
    Ok(recording)
}

/// Reads a table.
pub fn table(path: &Path) -> Result<Data, Failure> {
    let file = std::fs::File::open(path).map_err(|e| Failure::file(path, e))?;
    Data::from_csv(std::io::BufReader::new(file)).map_err(|e| Failure::file(path, e))
}

/// Numbers from a file of any kind. A scene is run to its end, and of it only what `wanted` names
/// (or the scene asks for).
pub fn data(
    path: &Path,
    wanted: &[String],
    until: Option<f64>,
    params: &Params,
    quiet: bool,
) -> Result<Data, Failure> {
    match kind(path) {
        Kind::Recording => Ok(recording(path, quiet)?.into_data()),
        Kind::Table => table(path),
        Kind::Scene => {
            let mut scene = crate::scene_file::load(path, params)?;
            let until = runner::end(&mut scene, until, &Changes::default())?;
            measure(&scene, wanted, until, quiet)
        }
    }
}

/// Runs a scene and gives the quantities.
pub fn measure(scene: &Scene, wanted: &[String], until: f64, quiet: bool) -> Result<Data, Failure> {
    let columns = columns(scene, wanted)?;
    let mut data = Data::of(&columns);
    let stride = scene.record.stride(scene.step);
    runner::run(scene, until, quiet, |k, world, report| {
        if k % stride == 0 {
            data.push(&columns, world, report);
        }
        Ok(())
    })?;
    Ok(data)
}

/// The columns of paths; `arm.position.x` is found in `arm.position`, and points are found by their
/// names. Without paths, what the scene asks for.
pub fn columns(scene: &Scene, wanted: &[String]) -> Result<Columns, Failure> {
    let mut scene = scene.clone();
    if !wanted.is_empty() {
        let points: Vec<Wanted> = scene
            .record
            .quantities
            .iter()
            .filter(|q| matches!(q, Wanted::Point { .. }))
            .cloned()
            .collect();
        scene.record.quantities.clear();
        for path in wanted {
            let whole = path.strip_suffix(".*").unwrap_or(path);
            let parent = [".x", ".y", ".z", ".w", ".gap", ".misalignment"]
                .iter()
                .find_map(|c| whole.strip_suffix(c));
            let point = |name: &str| {
                let fits = |q: &&Wanted| matches!(q, Wanted::Point { name: n, .. } if n == name);
                points.iter().find(fits).cloned()
            };
            let paths = [Some(whole), parent];
            let found = paths.iter().flatten().find_map(|p| {
                point(p).or_else(|| {
                    Columns::of_path(&scene.world, p)
                        .is_ok()
                        .then(|| Wanted::Path((*p).to_owned(), 0..0))
                })
            });
            scene
                .record
                .quantities
                .push(found.unwrap_or_else(|| Wanted::Path(whole.to_owned(), 0..0)));
        }
    }
    Columns::of(&scene).map_err(|e| {
        let help = e.help.as_ref().map(|h| format!("; {h}")).unwrap_or_default();
        Failure::usage(format!("{e}{help}"))
    })
}
