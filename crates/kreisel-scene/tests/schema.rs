//! Every scene is valid under the schema, and scenes that are broken in their structure are not.

use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("broken") {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "toml") {
            out.push(path);
        }
    }
}

fn json(path: &Path) -> Value {
    let table: toml::Table = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    serde_json::to_value(table).unwrap()
}

fn validator() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(&kreisel_scene::schema()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn every_scene_is_valid() {
    let validator = validator();
    let mut files = Vec::new();
    collect(&folder(), &mut files);
    assert!(files.len() > 40);
    for path in files {
        let scene = json(&path);
        let errors: Vec<String> =
            validator.iter_errors(&scene).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{}:\n{}", path.display(), errors.join("\n"));
    }
}

#[test]
fn scenes_broken_in_their_structure_are_not_valid() {
    let validator = validator();
    let structural = [
        "unknown-key",
        "wrong-type",
        "missing-key",
        "one-bracket",
        "wrong-word",
        "several-at-once",
        "instance-without-name",
    ];
    for name in structural {
        let path = folder().join(format!("broken/{name}.toml"));
        assert!(!validator.is_valid(&json(&path)), "{name} is valid under the schema");
    }
}
