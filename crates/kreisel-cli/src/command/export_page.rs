//! `kreisel export scene.toml out.html`: viewer, engine and scene in one page that runs from disk.

use crate::args::Export;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::source::{self, Kind};
use kreisel_server::page::{Bundle, whole};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Writes the page.
pub fn run(args: &Export, out: &Path) -> Result<Exit, Failure> {
    match source::kind(&args.file) {
        Kind::Scene => {}
        _ => {
            return Err(Failure::usage(
                "a page holds a scene; `kreisel play --html` writes a motion as a page",
            ));
        }
    }
    if args.until.is_some() || !args.params.set.is_empty() {
        return Err(Failure::usage(
            "a page runs the scene as it is written: write what --set and --until say into it",
        ));
    }

    // the files that the scene reads, named from the folder that holds them all
    let scene = crate::scene_file::load(&args.file, &args.params)?;
    crate::exit::print_problems(&scene.warnings);
    let own = args.file.canonicalize().map_err(|e| Failure::file(&args.file, e))?;
    let mut paths = scene.files.clone();
    paths.push(own.clone());
    let root = paths
        .iter()
        .fold(own.parent().unwrap_or(&own).to_path_buf(), |folder, path| common(&folder, path));
    let name =
        |path: &Path| path.strip_prefix(&root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    let mut files = BTreeMap::new();
    for path in &paths {
        files.insert(name(path), std::fs::read(path).map_err(|e| Failure::file(path, e))?);
    }

    // the page
    let bundle = Bundle { name: name(&own), files };
    let page = whole(&bundle)
        .map_err(|what| Failure::resource(format!("this program was built without {what}")))?;
    output::write(out, page.as_bytes())?;
    if !args.quiet && !output::is_stream(out) {
        let (count, size) = (bundle.files.len(), page.len() as f64 / 1e6);
        println!("wrote {} ({count} files of the scene, {size:.1} MB)", out.display());
    }
    Ok(Exit::Success)
}

/// The folder that holds both.
fn common(folder: &Path, path: &Path) -> PathBuf {
    let whole = folder.ancestors().find(|f| path.starts_with(f));
    whole.map(Path::to_path_buf).unwrap_or_default()
}
