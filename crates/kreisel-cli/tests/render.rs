//! Pictures show what things hang on.

use std::process::Command;

/// The picture of a scene at its start.
fn picture(name: &str, text: &str) -> String {
    let folder = std::env::temp_dir().join(format!("kreisel-render-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (scene, svg) = (folder.join("scene.toml"), folder.join("picture.svg"));
    std::fs::write(&scene, text).unwrap();
    let mut render = Command::new(env!("CARGO_BIN_EXE_kreisel"));
    let done = render
        .arg("render")
        .arg(&scene)
        .args(["--at", "0", "--output"])
        .arg(&svg)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let drawn = std::fs::read_to_string(&svg).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    drawn
}

#[test]
fn constraints_and_controllers_that_act_are_drawn_and_those_switched_off_are_not() {
    let scene = |what: &str, active: bool| {
        format!(
            "[[body]]\nname = \"ball\"\nshape = {{ sphere = 0.2 }}\nmass = 1\n[world]\nmethod = \"lagrange\"\n\
             [[{what}\nconnectors = [{{ body = \"ball\" }}, {{ fixed = [1, 0, 1] }}]\nactive = {active}\n"
        )
    };
    for what in
        ["constraint]]\ntype = \"distance\"", "controller]]\ntype = \"spring\"\nstiffness = 5"]
    {
        let strokes =
            |active: bool| picture("links", &scene(what, active)).matches("stroke").count();
        assert!(strokes(true) > strokes(false), "{what}");
    }
}
