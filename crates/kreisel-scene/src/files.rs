//! Files that a scene names: found beside it, kept inside its folder, measured before they are
//! read.

use crate::file_set::Shelf;
use crate::load::Options;
use crate::problem::{Code, nearest};
use crate::read::Reader;
use crate::source::Span;
use std::path::{Component, Path, PathBuf};

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
    /// Folders of packages by name, without links.
    pub packages: Vec<(String, PathBuf)>,
    /// Languages of scripts that the host runs.
    pub languages: Vec<String>,
    taken: u64,
    /// What holds them.
    pub shelf: Shelf,
    /// Files that were read, without links, in their order.
    pub read: Vec<PathBuf>,
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
    pub fn new(options: &Options) -> Self {
        let shelf = options.files.clone().map_or(Shelf::Disk, Shelf::Set);
        let root = match &shelf {
            Shelf::Disk => options.folder.as_deref().and_then(|f| std::fs::canonicalize(f).ok()),
            // whoever filled the set has chosen what may be read
            Shelf::Set(_) => Some(PathBuf::new()),
        };
        let found = |(name, folder): &(String, PathBuf)| {
            Some((name.clone(), shelf.canonical(folder).ok()?))
        };
        let packages = options.packages.iter().filter_map(found).collect();
        Self {
            root,
            allow_outside: options.allow_outside,
            packages,
            shelf,
            languages: options.languages.clone(),
            ..Self::default()
        }
    }

    /// Whether a path without links lies in the scene's folder or in a package's.
    fn inside(&self, path: &Path) -> bool {
        self.root
            .iter()
            .chain(self.packages.iter().map(|p| &p.1))
            .any(|folder| path.starts_with(folder))
    }

    /// Reads a whole file whose size has been checked.
    fn take(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        let shown = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let told = |e: std::io::Error| format!("\"{shown}\" cannot be read: {}", words(&e));
        let Some(length) = self.shelf.length(path).map_err(told)? else {
            return Err(format!("\"{shown}\" is not a file"));
        };
        if length > MAX_FILE {
            return Err(format!("\"{shown}\" has {length} bytes; files may have up to {MAX_FILE}"));
        }
        if self.taken + length > MAX_TOTAL {
            return Err(format!(
                "the files of this scene have more than {MAX_TOTAL} bytes together"
            ));
        }
        // The file may grow while it is read.
        let bytes = self.shelf.read(path, MAX_FILE).map_err(told)?;
        self.taken += bytes.len() as u64;
        self.read.push(path.to_path_buf());
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
            let message =
                format!("\"{relative}\" cannot be read: this scene was not read from a file");
            self.error(Code::File, span, message, "needs a folder");
            return None;
        };
        let wanted = folder.join(relative);
        let path = match self.files.shelf.canonical(&wanted) {
            Ok(path) => path,
            // what is not there and what may not be read are told alike outside
            Err(_) if !self.files.allow_outside && self.leads_out(&folder, relative) => {
                self.outside(relative, span);
                return None;
            }
            Err(e) => {
                let message = format!("\"{relative}\" cannot be read: {}", words(&e));
                let help =
                    neighbour(&self.files.shelf, &wanted).map(|n| format!("did you mean \"{n}\"?"));
                let else_help = || format!("paths start from the folder of {}", self.source.name);
                let help = help.unwrap_or_else(else_help);
                self.error(Code::File, span, message, "this file").help(help);
                return None;
            }
        };
        if !self.files.inside(&path) && !self.files.allow_outside {
            self.outside(relative, span);
            return None;
        }
        Some(path)
    }

    fn outside(&mut self, relative: &str, span: &Span) {
        let message = format!("\"{relative}\" lies outside the scene's folder");
        let help = "move it into the folder, or allow it with `--allow-outside`";
        self.error(Code::File, span, message, "not inside").help(help);
    }

    /// Whether a path leads out of the folders that may be read by its words alone, whatever is
    /// there.
    fn leads_out(&self, folder: &Path, relative: &str) -> bool {
        let mut path = self.files.shelf.canonical(folder).unwrap_or_default();
        for part in Path::new(relative).components() {
            match part {
                Component::ParentDir => drop(path.pop()),
                Component::CurDir => {}
                part => path.push(part),
            }
        }
        !self.files.inside(&path)
    }

    /// Whether a file that exists may be read: it lies in the scene's folder, or others are
    /// allowed.
    pub fn may_read(&self, relative: &str) -> bool {
        let path =
            self.folder.as_ref().and_then(|f| self.files.shelf.canonical(&f.join(relative)).ok());
        path.is_some_and(|path| self.files.inside(&path)) || self.files.allow_outside
    }

    /// Whether there is a file at a path that starts from the folder of the text being read.
    pub fn is_file(&self, relative: impl AsRef<Path>) -> bool {
        self.folder.as_ref().is_some_and(|f| self.files.shelf.is_file(&f.join(relative)))
    }

    /// Reads a file named in the text that is being read.
    pub fn file(&mut self, relative: &str, span: &Span) -> Option<Found> {
        let path = self.file_path(relative, span)?;
        self.file_at(path, relative, span)
    }

    /// Reads the file at a path from [`Self::file_path`].
    pub fn file_at(&mut self, path: PathBuf, relative: &str, span: &Span) -> Option<Found> {
        let parent =
            Path::new(&*self.source.name).parent().map(Path::to_path_buf).unwrap_or_default();
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
fn neighbour(shelf: &Shelf, missing: &Path) -> Option<String> {
    // Enough for a folder of parts; a folder of millions is not searched for a typing error.
    const MOST: usize = 1000;
    let name = missing.file_name()?.to_str()?;
    let mut names = shelf.names(missing.parent()?, MOST);
    names.retain(|n| n != name);
    names.sort();
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}
