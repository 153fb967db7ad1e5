//! Scenes from the standard input, files to the standard output: nothing else is written there.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const SCENE: &str = "[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\nposition = [0, 0, 1]\n\
                     [[joint]]\ntype = \"ball\"\nbodies = [\"world\", \"ball\"]\n[world]\nduration = 0.1\n";

fn kreisel(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kreisel"))
        .args(args)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("its end")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_scene_comes_in_and_a_file_goes_out() {
    let out = kreisel(&["check", "-"], SCENE);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("good (1 body, 1 joint)"));

    // another syntax and back: the same scene
    let json = kreisel(&["convert", "-", "-", "--to", "json"], SCENE);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON alone");
    assert_eq!(value["body"][0]["name"], "ball");
    let back = kreisel(&["convert", "-", "--output", "-", "--to", "toml"], &text(&json.stdout));
    assert!(text(&back.stdout).contains("[[body]]"), "{}", text(&back.stderr));

    // the world at the end, from which another run goes on
    let saved = kreisel(&["run", "-", "--save", "-", "--quiet"], SCENE);
    assert!(saved.status.success(), "{}", text(&saved.stderr));
    let on = kreisel(&["run", "-", "--json", "--until", "0.2"], &text(&saved.stdout));
    let summary: serde_json::Value = serde_json::from_slice(&on.stdout).expect("JSON alone");
    assert!(summary["time"].as_f64().expect("a time") > 0.19, "{summary}");

    let glb = kreisel(&["export", "-", "-", "--to", "glb"], SCENE);
    assert_eq!(&glb.stdout[..4], b"glTF", "{}", text(&glb.stderr));
    let svg = kreisel(&["render", "-", "-o", "-"], SCENE);
    assert!(
        text(&svg.stdout).starts_with("<svg") && svg.stderr.is_empty(),
        "{}",
        text(&svg.stderr)
    );
}

#[test]
fn shapes_go_out_as_meshes_and_come_in_again() {
    let box_ = "[[body]]\nname = \"part\"\nshape = { box = [1, 2, 3] }\nposition = [5, 0, 0]\n";
    for (format, name) in [("obj", "a.obj"), ("stl", "a.stl"), ("ply", "a.ply"), ("wrl", "a.wrl")] {
        let out = kreisel(&["export", "-", name, "--body", "part", "--until", "0.01"], box_);
        assert!(out.status.success(), "{format}: {}", text(&out.stderr));
        let again =
            format!("[[body]]\nname = \"b\"\nshape = {{ mesh = \"{name}\" }}\ndensity = 100\n");
        let info = kreisel(&["info", "-", "--json"], &again);
        let info: serde_json::Value = serde_json::from_slice(&info.stdout).expect("JSON alone");
        let mass = info["mass"].as_f64().expect("a mass");
        assert!((mass - 600.0).abs() < 1e-3, "{format}: {mass} kg");
    }
    let out = kreisel(&["export", "-", "a.stl", "--body", "nobody"], box_);
    assert!(text(&out.stderr).contains("no body \"nobody\""));
}

#[test]
fn two_things_do_not_go_to_one_place() {
    for args in [
        &["run", "-", "--csv", "-", "--json"][..],
        &["run", "-", "--save", "-", "--csv", "-"],
        &["run", "-", "--record", "-"],
        &["export", "-", "-", "--to", "glb", "--json"],
        &["convert", "-"],
        &["convert", "-", "a.json", "--output", "b.json"],
    ] {
        let out = kreisel(args, SCENE);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {}", text(&out.stderr));
        assert!(out.stdout.is_empty(), "{args:?}");
    }
}
