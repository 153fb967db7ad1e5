//! Scenes beside the one that is shown, of the gallery, and those that were viewed before. Only
//! names from the list are read and only plain names are written, so that no path can leave the
//! folder.

use base64::Engine as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Most names that are listed.
const MOST: usize = 500;
/// Largest file that is read, in bytes.
const LARGEST: u64 = 4 << 20;

/// Folder of a source tree that holds its scenes, by theme.
const GALLERY: &str = "scenes";
/// Deepest folder of the gallery that is looked into.
const DEEPEST: usize = 3;

/// What can be opened.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The folder of the scene that is shown.
    pub folder: Option<PathBuf>,
    /// Whether the scenes in its folder "scenes" are listed, too, with all folders in it.
    pub gallery: bool,
    /// Files that were viewed before; the host's program knows them.
    pub recent: Vec<PathBuf>,
}

impl Library {
    /// A folder by itself.
    pub fn of(folder: Option<PathBuf>) -> Self {
        Self { folder, ..Self::default() }
    }

    /// Names that can be opened: files of the folder, then those of the gallery, with slashes, then
    /// paths of files that were viewed before.
    pub fn list(&self) -> Vec<String> {
        let mut names = list(self.folder.as_deref());
        if let Some(folder) = self.folder.as_deref().filter(|_| self.gallery) {
            walk(folder, GALLERY, DEEPEST, &mut names);
        }
        names.extend(self.recent.iter().filter(|p| p.is_file()).map(|p| p.display().to_string()));
        names.truncate(MOST);
        names
    }

    /// Path and text of a scene of the list.
    pub fn read(&self, name: &str) -> Result<(String, String), String> {
        if let Some(path) = self.recent.iter().find(|p| p.display().to_string() == name) {
            return text(path, name);
        }
        let folder = self.folder.as_deref().filter(|_| self.list().iter().any(|n| n == name));
        let Some(folder) = folder else {
            return Err(format!(
                "there is no scene \"{}\" beside this one",
                name.chars().take(100).collect::<String>()
            ));
        };
        text(&folder.join(name), name)
    }
}

/// Settings of other programs that lie where people start this one; they are no scenes.
const NO_SCENES: [&str; 8] = [
    "Cargo.toml",
    "clippy.toml",
    "deny.toml",
    "package-lock.json",
    "package.json",
    "pyproject.toml",
    "rustfmt.toml",
    "tsconfig.json",
];

/// Names of the scene files of a folder, sorted.
fn list(folder: Option<&Path>) -> Vec<String> {
    let mut names: Vec<String> = folder.map(|f| entries(f).1).unwrap_or_default();
    names.retain(|name| !NO_SCENES.contains(&name.as_str()));
    names.sort();
    names
}

/// Plain folders and scene files in a folder; a link could lead out of it.
fn entries(folder: &Path) -> (Vec<String>, Vec<String>) {
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().take(10 * MOST) {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
            continue;
        };
        if kind.is_dir() && !name.starts_with('.') {
            folders.push(name);
        } else if kind.is_file()
            && (name.ends_with(".toml") || name.ends_with(".json"))
            && files.len() < MOST
        {
            files.push(name);
        }
    }
    folders.sort();
    files.sort();
    (folders, files)
}

/// Adds the scenes of a folder and of those in it.
fn walk(root: &Path, name: &str, depth: usize, out: &mut Vec<String>) {
    let path = root.join(name);
    // the folder itself may be a link
    if !std::fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir()) {
        return;
    }
    let (folders, files) = entries(&path);
    out.extend(files.into_iter().filter(|f| f.ends_with(".toml")).map(|f| format!("{name}/{f}")));
    for folder in folders.iter().filter(|f| depth > 0 && *f != "broken") {
        walk(root, &format!("{name}/{folder}"), depth - 1, out);
    }
}

/// Path and text of a file that may be read.
fn text(path: &Path, name: &str) -> Result<(String, String), String> {
    let fail = |e: std::io::Error| format!("{name} cannot be read: {e}");
    if std::fs::metadata(path).map_err(fail)?.len() > LARGEST {
        return Err(format!("{name} is larger than {LARGEST} bytes"));
    }
    Ok((path.display().to_string(), std::fs::read_to_string(path).map_err(fail)?))
}

/// Largest picture that is read, in bytes.
const LARGEST_PICTURE: u64 = 2 << 20;
/// What pictures begin with, and what they are called.
const PICTURES: [(&[u8], &str); 3] =
    [(b"\x89PNG\r\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"RIFF", "image/webp")];

/// A picture of the folder, as a data URL: a plain name, no link, and nothing but a picture.
pub fn picture(folder: Option<&Path>, name: &str) -> Result<String, String> {
    let shown: String = name.chars().take(LONGEST_NAME).collect();
    let missing = || format!("there is no picture \"{shown}\" beside this scene");
    let plain = |c: char| c.is_alphanumeric() || " _-.".contains(c);
    let good = name.len() <= LONGEST_NAME && !name.starts_with('.') && name.chars().all(plain);
    let path = folder.filter(|_| good).map(|f| f.join(name)).ok_or_else(missing)?;
    let about = std::fs::symlink_metadata(&path).map_err(|_| missing())?;
    if !about.is_file() {
        return Err(missing());
    }
    if about.len() > LARGEST_PICTURE {
        return Err(format!("the picture \"{shown}\" is larger than {LARGEST_PICTURE} bytes"));
    }
    let bytes = std::fs::read(&path).map_err(|_| missing())?;
    let kind = PICTURES.iter().find(|(head, _)| bytes.starts_with(head));
    let Some((_, kind)) = kind else {
        return Err(format!("\"{shown}\" is no PNG, JPEG or WebP picture"));
    };
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    Ok(format!("data:{kind};base64,{data}"))
}

/// Longest name of a file that is written, in bytes.
const LONGEST_NAME: usize = 100;

/// Writes a new scene into the folder; a file that is there already is not touched.
pub fn write(folder: Option<&Path>, name: &str, text: &str) -> Result<(), String> {
    let Some(folder) = folder else { return Err("this world was not opened from a folder".into()) };
    let plain = |c: char| c.is_alphanumeric() || " _-.".contains(c);
    let good = name.len() <= LONGEST_NAME
        && name.ends_with(".toml")
        && !name.starts_with('.')
        && name.chars().all(plain);
    if !good {
        let shown: String = name.chars().take(LONGEST_NAME).collect();
        return Err(format!(
            "\"{shown}\" is no name for a scene: letters, digits, blanks, - and _, then .toml"
        ));
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
