//! Files in memory: what was dropped on a page, fetched by it, or packed into it. A scene reads
//! them as it reads a folder; paths have slashes and start from the set's root.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files by path.
#[derive(Debug, Default)]
pub struct FileSet {
    /// None is a file that is known to exist and has not been fetched.
    files: BTreeMap<PathBuf, Option<Vec<u8>>>,
    /// Files that were read before they were fetched.
    wanted: Mutex<BTreeSet<PathBuf>>,
}

impl FileSet {
    /// Adds a file; false for a path that leads out of the set.
    pub fn insert(&mut self, path: impl AsRef<Path>, bytes: Vec<u8>) -> bool {
        let Some(path) = normal(path.as_ref()) else { return false };
        self.wanted.get_mut().unwrap_or_else(PoisonError::into_inner).remove(&path);
        self.files.insert(path, Some(bytes));
        true
    }

    /// Names a file that can be fetched: a scene that reads it fails, and [`Self::wanted`] lists
    /// it.
    pub fn announce(&mut self, path: impl AsRef<Path>) {
        if let Some(path) = normal(path.as_ref()) {
            self.files.entry(path).or_insert(None);
        }
    }

    /// Files that were read before they were there.
    pub fn wanted(&self) -> Vec<String> {
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        wanted.iter().map(|p| p.display().to_string()).collect()
    }

    /// The bytes of a file.
    pub fn get(&self, path: impl AsRef<Path>) -> io::Result<&[u8]> {
        let path = normal(path.as_ref()).ok_or(ErrorKind::NotFound)?;
        match self.files.get(&path) {
            Some(Some(bytes)) => Ok(bytes),
            Some(None) => {
                self.wanted.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
                Err(io::Error::other("it has not been fetched yet"))
            }
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    /// Paths of all files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }
}

/// A path without `.` and `..`; none if it leads out of the set.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::ParentDir if !out.pop() => return None,
            Component::ParentDir
            | Component::CurDir
            | Component::RootDir
            | Component::Prefix(_) => {}
        }
    }
    Some(out)
}

/// Where files are looked for.
#[derive(Clone, Debug, Default)]
pub(crate) enum Shelf {
    #[default]
    Disk,
    Set(Arc<FileSet>),
}

impl Shelf {
    /// The one path that a file or folder has, without links.
    pub fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        match self {
            Self::Disk => std::fs::canonicalize(path),
            Self::Set(set) => {
                let path = normal(path).ok_or(ErrorKind::NotFound)?;
                let there = set.paths().any(|p| p.starts_with(&path));
                if there { Ok(path) } else { Err(ErrorKind::NotFound.into()) }
            }
        }
    }

    pub fn is_file(&self, path: &Path) -> bool {
        match self {
            Self::Disk => path.is_file(),
            Self::Set(set) => normal(path).is_some_and(|p| set.files.contains_key(&p)),
        }
    }

    /// Bytes of a file before it is read; none if it is no file.
    pub fn length(&self, path: &Path) -> io::Result<Option<u64>> {
        match self {
            Self::Disk => std::fs::metadata(path).map(|data| data.is_file().then_some(data.len())),
            Self::Set(set) => set.get(path).map(|bytes| Some(bytes.len() as u64)),
        }
    }

    /// At most so many bytes of a file.
    pub fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        use std::io::Read as _;
        match self {
            Self::Disk => {
                let mut bytes = Vec::new();
                std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
                Ok(bytes)
            }
            Self::Set(set) => {
                set.get(path).map(|bytes| bytes[..bytes.len().min(most as usize)].to_vec())
            }
        }
    }

    /// Names of at most so many files of a folder.
    pub fn names(&self, folder: &Path, most: usize) -> Vec<String> {
        match self {
            Self::Disk => {
                let entries = std::fs::read_dir(folder).into_iter().flatten().take(most);
                entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect()
            }
            Self::Set(set) => {
                let Some(folder) = normal(folder) else { return Vec::new() };
                let inside = set.paths().filter(|p| p.parent() == Some(&folder)).take(most);
                inside.filter_map(|p| Some(p.file_name()?.to_str()?.to_owned())).collect()
            }
        }
    }
}
