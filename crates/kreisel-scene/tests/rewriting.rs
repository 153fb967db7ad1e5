//! A scene in another syntax is the same world.

use kreisel_dynamics::World;
use kreisel_scene::{Options, Scene, Syntax, load, parse_as, rewrite};
use std::path::{Path, PathBuf};

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("broken") {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "toml" || e == "urdf" || e == "xml") {
            out.push(path);
        }
    }
}

fn inventory(scene: &Scene) -> [usize; 9] {
    let w: &World = &scene.world;
    [
        w.bodies().count(),
        w.joints().count(),
        w.springs().count(),
        w.motors().count(),
        w.constraints().count(),
        w.controllers().count(),
        w.fields().count(),
        scene.switches.len(),
        scene.scripts.len(),
    ]
}

#[test]
fn every_scene_is_the_same_world_in_toml_and_in_json() {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes"), &mut files);
    files.sort();
    assert!(files.len() > 50, "the scenes of the project");
    for path in files {
        let scene = load(&path).unwrap_or_else(|e| panic!("{e}"));
        for (syntax, name) in [(Syntax::Toml, "again.toml"), (Syntax::Json, "again.json")] {
            let written = rewrite(&path.to_string_lossy(), &scene.source.text, syntax);
            let text =
                written.unwrap_or_else(|e| panic!("{}: {:?}", path.display(), e.problems)).text;
            let options =
                Options { folder: path.parent().map(Path::to_path_buf), ..Options::default() };
            let again = parse_as(name, &text, &options);
            let again =
                again.unwrap_or_else(|e| panic!("{}: {:?}\n{text}", path.display(), e.problems));
            assert_eq!(
                again.world.state_hash(),
                scene.world.state_hash(),
                "{} as {name}",
                path.display()
            );
            assert_eq!(
                again.world.settings(),
                scene.world.settings(),
                "{} as {name}",
                path.display()
            );
            assert_eq!(inventory(&again), inventory(&scene), "{} as {name}", path.display());
        }
    }
}

#[test]
fn texts_and_numbers_survive_whatever_is_in_them() {
    let toml = "title = \"quote \\\" back\\\\slash \\t tab \\u0001 {{brace}} ü\"\n\
        description = '''\nline \"\"\" one\nline \\ two\n'''\n\
        [params]\nbig = 1e300\nsmall = -4.9e-324\nwhole = -7\nzero = -0.0\n\
        [[body]]\nname = \"b\"\nshape = \"point\"\nmass = 1\nposition = [\"big * 0\", \"small\", \"whole + zero\"]\n";
    let first = kreisel_scene::parse("a.toml", toml).unwrap();
    let json = rewrite("a.toml", toml, Syntax::Json).unwrap().text;
    let second = kreisel_scene::parse("a.json", &json).unwrap();
    let back = rewrite("a.json", &json, Syntax::Toml).unwrap().text;
    let third = kreisel_scene::parse("a.toml", &back).unwrap();
    for other in [second, third] {
        assert_eq!((&other.title, &other.description), (&first.title, &first.description));
        assert_eq!(other.world.state_hash(), first.world.state_hash());
    }
}

#[test]
fn what_is_no_scene_is_refused_with_its_place() {
    let error = rewrite("a.toml", "title = 2020-01-01\n", Syntax::Json).unwrap_err();
    assert_eq!(error.problems[0].span, 8..18);
    assert!(rewrite("a.json", "[1]", Syntax::Toml).is_err());
    assert!(rewrite("a.urdf", "<robot", Syntax::Toml).is_err());
}
