//! Scenes whose files lie in memory are read as those in a folder.

use kreisel_scene::{FileSet, Options, Scene, SceneError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The gallery as a set: every file of some folders, `scenes/` being its root.
fn set(folders: &[&str]) -> FileSet {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut out = FileSet::default();
    let mut open: Vec<PathBuf> = folders.iter().map(|f| root.join(f)).collect();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                assert!(
                    out.insert(path.strip_prefix(&root).unwrap(), std::fs::read(&path).unwrap())
                );
            }
        }
    }
    out
}

fn read(set: &Arc<FileSet>, name: &str) -> Result<Scene, SceneError> {
    let text = String::from_utf8(set.get(name).unwrap().to_vec()).unwrap();
    let folder = Path::new(name).parent().map(Path::to_path_buf);
    kreisel_scene::parse_as(
        name,
        &text,
        &Options { folder, files: Some(Arc::clone(set)), ..Options::default() },
    )
}

/// What a scene is read from must not show in its world.
#[test]
fn scenes_from_memory_are_those_from_the_disk() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let set = Arc::new(set(&["shapes", "composition", "robots"]));
    let mut with_files = 0;
    for path in set
        .paths()
        .filter(|p| p.extension().is_some_and(|e| e == "toml" || e == "urdf" || e == "xml"))
    {
        let Ok(disk) = kreisel_scene::load(root.join(path)) else { continue };
        let memory = read(&set, path.to_str().unwrap())
            .unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        assert_eq!(memory.world.state_hash(), disk.world.state_hash(), "{}", path.display());
        assert_eq!(memory.warnings.len(), disk.warnings.len(), "{}", path.display());
        let canonical: Vec<PathBuf> =
            memory.files.iter().map(|f| root.join(f).canonicalize().unwrap()).collect();
        assert_eq!(canonical, disk.files, "{}", path.display());
        with_files += usize::from(!memory.files.is_empty());
    }
    assert!(with_files >= 3, "only {with_files} scenes have other files");
}

#[test]
fn announced_files_are_asked_for_until_they_are_there() {
    let whole = set(&["shapes"]);
    let mut some = FileSet::default();
    for path in whole.paths() {
        some.announce(path);
    }
    let main = "shapes/meshes.toml";
    some.insert(main, whole.get(main).unwrap().to_vec());
    let mut rounds = 0;
    let scene = loop {
        let set = Arc::new(some);
        let scene = read(&set, main);
        some = Arc::into_inner(set).unwrap();
        let wanted = some.wanted();
        if wanted.is_empty() {
            break scene.expect("all is there");
        }
        assert!(scene.is_err(), "a scene without its files is not read");
        for path in wanted {
            let bytes = whole.get(&path).unwrap().to_vec();
            some.insert(path, bytes);
        }
        rounds += 1;
        assert!(rounds < 5);
    };
    assert!(rounds > 0 && !scene.files.is_empty());
}

#[test]
fn no_path_leads_out_of_a_set() {
    let mut set = FileSet::default();
    assert!(!set.insert("../a.toml", Vec::new()) && !set.insert("a/../../b", Vec::new()));
    assert!(set.insert("a/./b/../c.toml", b"x".to_vec()));
    assert_eq!(set.get("a/c.toml").unwrap(), b"x");
    let text = "[[body]]\nshape = { mesh = \"../../etc/x.stl\" }\n";
    let options =
        Options { folder: Some("a".into()), files: Some(Arc::new(set)), ..Options::default() };
    let said = kreisel_scene::parse_as("a/s.toml", text, &options).unwrap_err().problems[0]
        .message
        .clone();
    assert!(said.contains("there is no such file"), "{said}");
}
