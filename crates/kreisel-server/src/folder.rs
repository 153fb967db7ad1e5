//! Scenes beside the one that is shown. Only names from the list are read, so that no path can leave the folder.

use std::path::Path;

/// Most names that are listed.
const MOST: usize = 500;
/// Largest file that is read, in bytes.
const LARGEST: u64 = 4 << 20;

/// Names of the scene files of a folder, sorted.
pub fn list(folder: Option<&Path>) -> Vec<String> {
    let Some(entries) = folder.and_then(|f| std::fs::read_dir(f).ok()) else { return Vec::new() };
    let scene = |e: std::fs::DirEntry| {
        let name = e.file_name().into_string().ok()?;
        // A link could lead out of the folder.
        let plain = e.file_type().is_ok_and(|t| t.is_file());
        (plain && (name.ends_with(".toml") || name.ends_with(".json"))).then_some(name)
    };
    let mut names: Vec<String> = entries.flatten().filter_map(scene).take(MOST).collect();
    names.sort();
    names
}

/// Path and text of a scene of the list.
pub fn read(folder: Option<&Path>, name: &str) -> Result<(String, String), String> {
    let Some(folder) = folder.filter(|f| list(Some(f)).iter().any(|n| n == name)) else {
        return Err(format!("there is no scene \"{}\" beside this one", name.chars().take(100).collect::<String>()));
    };
    let path = folder.join(name);
    let fail = |e: std::io::Error| format!("{name} cannot be read: {e}");
    if std::fs::metadata(&path).map_err(fail)?.len() > LARGEST {
        return Err(format!("{name} is larger than {LARGEST} bytes"));
    }
    Ok((path.display().to_string(), std::fs::read_to_string(&path).map_err(fail)?))
}
