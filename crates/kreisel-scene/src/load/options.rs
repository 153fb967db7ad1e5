//! How a scene is loaded, and the ways in.

use super::build;
use crate::file_set::FileSet;
use crate::files::{Files, MAX_FILE};
use crate::problem::{Code, Problem, SceneError, Severity};
use crate::read::Reader;
use crate::scene::Scene;
use crate::source::Source;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// How a scene is loaded.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Other values for some of the scene's parameters.
    pub params: Vec<(String, f64)>,
    /// Whether files outside the scene's folder may be read.
    pub allow_outside: bool,
    /// Folders of packages by name, where robots look for `package://NAME/…` before they look
    /// around their own folder; files in them may be read.
    pub packages: Vec<(String, PathBuf)>,
    /// Whether robots load without what is not read of their files although it would change the
    /// motion: a warning, instead of an error.
    pub lenient: bool,
    /// For scenes given as text: the folder that their paths start from. Without it no other file
    /// is read.
    pub folder: Option<PathBuf>,
    /// Files in memory that are read instead of those on the disk; `folder` is then a folder of
    /// the set.
    pub files: Option<Arc<FileSet>>,
    /// Languages of scripts, besides rhai, that the host runs: a scene with a script in another one
    /// is refused. Such scripts are not confined; allow them only where the scene is trusted.
    pub languages: Vec<String>,
    /// Most items (bodies, joints, …) that the scene may have, where that is less than any scene
    /// may have.
    pub max_items: Option<usize>,
}

/// Folder in which the files of a scene are looked for, when the scene's text was kept in a
/// recording or a journal: that of the scene as it was named then, where it still is. A name that
/// leads out of the present folder is not followed unless `allow_outside` is set (the text may come
/// from anyone); files are then looked for beside the recording.
pub fn home(name: &str, recording: &Path, allow_outside: bool) -> PathBuf {
    let parent = |path: &Path| match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let below =
        Path::new(name).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    let then = parent(Path::new(name));
    if (below || allow_outside) && Path::new(name).is_file() { then } else { parent(recording) }
}

/// Reads a scene from a file: TOML, `.json`, `.urdf`, `.sdf`, or MJCF as `.xml` or `.mjcf`.
pub fn load(path: impl AsRef<Path>) -> Result<Scene, SceneError> {
    load_as(path, &Options::default())
}

/// Reads a scene from a file, with other values for some of its parameters.
pub fn load_with(path: impl AsRef<Path>, params: &[(String, f64)]) -> Result<Scene, SceneError> {
    load_as(path, &Options { params: params.to_vec(), ..Options::default() })
}

/// Reads a scene from a file.
pub fn load_as(path: impl AsRef<Path>, options: &Options) -> Result<Scene, SceneError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let read = |e: std::io::Error| refuse(&name, format!("{name} cannot be read: {e}"));
    let length = std::fs::metadata(path).map_err(read)?.len();
    if length > MAX_FILE {
        return Err(refuse(
            &name,
            format!("{name} has {length} bytes; scenes may have up to {MAX_FILE}"),
        ));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .map_err(read)?
        .take(MAX_FILE)
        .read_to_end(&mut bytes)
        .map_err(read)?;
    let text = String::from_utf8(bytes).map_err(|e| {
        refuse(
            &name,
            format!("{name} is not UTF-8 text: byte {} is wrong", e.utf8_error().valid_up_to()),
        )
    })?;
    let parent = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let folder = if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent };
    let options = Options { folder: Some(folder), ..options.clone() };
    parse_file(&name, &text, &options, std::fs::canonicalize(path).ok())
}

fn refuse(name: &str, message: String) -> SceneError {
    let problem = Problem {
        severity: Severity::Error,
        code: Code::File,
        message,
        source: Source::new(name, ""),
        span: 0..0,
        label: String::new(),
        also: None,
        help: None,
    };
    SceneError { problems: vec![problem] }
}

/// Reads a scene from text; `name` is shown in messages, and its ending says in which form the text
/// is.
pub fn parse(name: &str, text: &str) -> Result<Scene, SceneError> {
    parse_as(name, text, &Options::default())
}

/// Reads a scene from text, with other values for some of its parameters.
pub fn parse_with(name: &str, text: &str, params: &[(String, f64)]) -> Result<Scene, SceneError> {
    parse_as(name, text, &Options { params: params.to_vec(), ..Options::default() })
}

/// Reads a scene from text.
pub fn parse_as(name: &str, text: &str, options: &Options) -> Result<Scene, SceneError> {
    parse_file(name, text, options, None)
}

fn parse_file(
    name: &str,
    text: &str,
    options: &Options,
    path: Option<PathBuf>,
) -> Result<Scene, SceneError> {
    let mut reader = reader(name, text, options);
    let main = reader.source.clone();
    let scene = build::scene(&mut reader, path, &options.params, None);
    finished(reader, &main, scene)
}

/// A reader at the start of a text.
pub(super) fn reader(name: &str, text: &str, options: &Options) -> Reader {
    let files = Files::new(options);
    let mut reader = Reader::new(Source::new(name, text), files);
    reader.folder.clone_from(&options.folder);
    reader.lenient = options.lenient;
    reader.most_items = reader.most_items.min(options.max_items.unwrap_or(usize::MAX));
    reader
}

/// The scene with its warnings, or the problems, in the order of the text.
pub(super) fn finished(
    reader: Reader,
    main: &Source,
    scene: Option<Scene>,
) -> Result<Scene, SceneError> {
    let mut problems = reader.problems;
    problems.sort_by(|a, b| {
        let key = |p: &Problem| (!p.source.is(main), p.source.name.clone(), p.span.start);
        key(a).cmp(&key(b))
    });
    match scene {
        Some(scene) => Ok(Scene { warnings: problems, ..scene }),
        None => Err(SceneError { problems }),
    }
}
