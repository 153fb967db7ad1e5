//! Files that a scene names: found beside it, kept inside its folder, measured before they are
//! read.

use crate::problem::{Code, nearest};
use crate::read::Reader;
use crate::source::Span;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Largest file that is read, in bytes.
pub(crate) const MAX_FILE: u64 = 64 << 20;

/// Most bytes of all files of one scene together.
const MAX_TOTAL: u64 = 256 << 20;

/// Where files may be read from, and how much has been read.
#[derive(Default)]
pub(crate) struct Files {
    /// Folder that paths must stay in, without links.
    root: Option<PathBuf>,
    allow_outside: bool,
    taken: u64,
    /// Number of files that were read.
    pub count: usize,
}

/// A file that was read.
pub(crate) struct Found {
    /// Its path without links: one file has one such path.
    pub path: PathBuf,
    /// The name to show.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Files {
    pub fn new(folder: Option<&Path>, allow_outside: bool) -> Self {
        Self { root: folder.and_then(|f| std::fs::canonicalize(f).ok()), allow_outside, taken: 0, count: 0 }
    }

    /// Reads a whole file whose size has been checked.
    fn take(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        let shown = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let told = |e: std::io::Error| format!("\"{shown}\" cannot be read: {}", words(&e));
        let data = std::fs::metadata(path).map_err(told)?;
        if !data.is_file() {
            return Err(format!("\"{shown}\" is not a file"));
        }
        if data.len() > MAX_FILE {
            return Err(format!("\"{shown}\" has {} bytes; files may have up to {MAX_FILE}", data.len()));
        }
        if self.taken + data.len() > MAX_TOTAL {
            return Err(format!("the files of this scene have more than {MAX_TOTAL} bytes together"));
        }
        let mut bytes = Vec::with_capacity(data.len() as usize);
        // The file may grow while it is read.
        std::fs::File::open(path).map_err(told)?.take(MAX_FILE).read_to_end(&mut bytes).map_err(told)?;
        self.taken += bytes.len() as u64;
        self.count += 1;
        Ok(bytes)
    }
}

/// What went wrong, the same on every system for the usual cases.
fn words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}

impl Reader {
    /// The path, without links, of a file named in the text that is being read; it exists and may
    /// be read.
    pub fn file_path(&mut self, relative: &str, span: &Span) -> Option<PathBuf> {
        let Some(folder) = self.folder.clone() else {
            let message = format!("\"{relative}\" cannot be read: this scene was not read from a file");
            self.error(Code::File, span, message, "needs a folder");
            return None;
        };
        let wanted = folder.join(relative);
        let path = match std::fs::canonicalize(&wanted) {
            Ok(path) => path,
            Err(e) => {
                let message = format!("\"{relative}\" cannot be read: {}", words(&e));
                let help = neighbour(&wanted).map(|n| format!("did you mean \"{n}\"?"));
                let else_help = || format!("paths start from the folder of {}", self.source.name);
                let help = help.unwrap_or_else(else_help);
                self.error(Code::File, span, message, "this file").help(help);
                return None;
            }
        };
        let inside = self.files.root.as_ref().is_some_and(|root| path.starts_with(root));
        if !inside && !self.files.allow_outside {
            let message = format!("\"{relative}\" lies outside the scene's folder");
            let help = "move it into the folder, or allow it with `--allow-outside`";
            self.error(Code::File, span, message, "not inside").help(help);
            return None;
        }
        Some(path)
    }

    /// Whether a file that exists may be read: it lies in the scene's folder, or others are
    /// allowed.
    pub fn may_read(&self, relative: &str) -> bool {
        let path = self.folder.as_ref().and_then(|f| std::fs::canonicalize(f.join(relative)).ok());
        let inside = self.files.root.as_ref().zip(path).is_some_and(|(root, path)| path.starts_with(root));
        inside || self.files.allow_outside
    }

    /// Reads a file named in the text that is being read.
    pub fn file(&mut self, relative: &str, span: &Span) -> Option<Found> {
        let path = self.file_path(relative, span)?;
        self.file_at(path, relative, span)
    }

    /// Reads the file at a path from [`Self::file_path`].
    pub fn file_at(&mut self, path: PathBuf, relative: &str, span: &Span) -> Option<Found> {
        let parent = Path::new(&*self.source.name).parent().map(Path::to_path_buf).unwrap_or_default();
        let name = parent.join(relative).display().to_string();
        match self.files.take(&path) {
            Ok(bytes) => Some(Found { path, name, bytes }),
            Err(message) => {
                self.error(Code::File, span, message, "this file");
                None
            }
        }
    }

    /// Reads a text file.
    pub fn text_file(&mut self, relative: &str, span: &Span) -> Option<(PathBuf, String, String)> {
        let found = self.file(relative, span)?;
        let text = self.utf8(relative, found.bytes, span)?;
        Some((found.path, found.name, text))
    }

    /// Bytes as text.
    pub fn utf8(&mut self, name: &str, bytes: Vec<u8>, span: &Span) -> Option<String> {
        match String::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(e) => {
                let at = e.utf8_error().valid_up_to();
                let message = format!("\"{name}\" is not UTF-8 text: byte {at} is wrong");
                self.error(Code::File, span, message, "not a text");
                None
            }
        }
    }
}

/// A file beside the one that is missing, with a similar name.
fn neighbour(missing: &Path) -> Option<String> {
    // Enough for a folder of parts; a folder of millions is not searched for a typing error.
    const MOST: usize = 1000;
    let name = missing.file_name()?.to_str()?;
    let entries = std::fs::read_dir(missing.parent()?).ok()?;
    let mut names: Vec<String> =
        entries.take(MOST).filter_map(|e| e.ok()?.file_name().into_string().ok()).filter(|n| n != name).collect();
    names.sort();
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}
