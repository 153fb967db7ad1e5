//! Scenes beside the one that is shown. Only names from the list are read and only plain names are
//! written, so that no path can leave the folder.

use std::io::Write as _;
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

/// Longest name of a file that is written, in bytes.
const LONGEST_NAME: usize = 100;

/// Writes a new scene into the folder; a file that is there already is not touched.
pub fn write(folder: Option<&Path>, name: &str, text: &str) -> Result<(), String> {
    let Some(folder) = folder else { return Err("this world was not opened from a folder".into()) };
    let plain = |c: char| c.is_alphanumeric() || " _-.".contains(c);
    let good =
        name.len() <= LONGEST_NAME && name.ends_with(".toml") && !name.starts_with('.') && name.chars().all(plain);
    if !good {
        let shown: String = name.chars().take(LONGEST_NAME).collect();
        return Err(format!("\"{shown}\" is no name for a scene: letters, digits, blanks, - and _, then .toml"));
    }
    // Made anew or not at all: nothing is overwritten, no link is followed.
    let file = std::fs::File::options().write(true).create_new(true).open(folder.join(name));
    match file.and_then(|mut f| f.write_all(text.as_bytes())) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(format!("{name} exists already: choose another name"))
        }
        Err(e) => Err(format!("{name} cannot be written: {e}")),
    }
}
