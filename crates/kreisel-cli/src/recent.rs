//! Scenes that were viewed last, for the start page: a file of paths in the user's state folder. It
//! is a convenience: whatever goes wrong with it is no error.

use std::path::{Path, PathBuf};

/// Most paths that are kept.
const MOST: usize = 12;

/// Where they are kept (XDG base directories; the local application folder on Windows).
fn file() -> Option<PathBuf> {
    let folder = |key: &str| std::env::var_os(key).filter(|v| !v.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("LOCALAPPDATA"))
        .or_else(|| Some(folder("HOME")?.join(".local").join("state")))?;
    Some(state.join("kreisel").join("recent"))
}

/// The paths, the last one first; those that are gone are left out.
pub fn list() -> Vec<PathBuf> {
    let text = file().and_then(|f| std::fs::read_to_string(f).ok()).unwrap_or_default();
    text.lines().map(PathBuf::from).filter(|p| p.is_absolute() && p.is_file()).take(MOST).collect()
}

/// Puts a path first.
pub fn note(scene: &Path) {
    let (Some(file), Ok(path)) = (file(), scene.canonicalize()) else { return };
    let mut paths = list();
    paths.retain(|p| *p != path);
    paths.insert(0, path);
    let text: String = paths.iter().take(MOST).map(|p| format!("{}\n", p.display())).collect();
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = std::fs::write(file, text);
}
