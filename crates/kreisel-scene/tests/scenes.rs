//! Every scene in `scenes/` loads without errors, and the language is terse enough for the models
//! of the thesis.

use kreisel_scene::{Scene, SceneError};
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

fn describe(error: &SceneError) -> String {
    let lines = error.problems.iter().map(|p| {
        let (line, column) = p.line_column();
        format!("{}:{line}:{column}: {p}\n", p.source.name)
    });
    lines.collect()
}

#[test]
fn every_scene_loads_has_a_title_and_takes_a_step() {
    let mut files = Vec::new();
    collect(&folder(), &mut files);
    assert!(files.len() > 40, "only {} scenes found", files.len());
    for path in files {
        let scene = kreisel_scene::load(&path).unwrap_or_else(|e| panic!("{}", describe(&e)));
        assert!(scene.title.is_some(), "{} has no title", path.display());
        kreisel_scene::record::Columns::of(&scene)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut run = kreisel_scene::Simulation::new(&scene);
        let report = run.step();
        assert!(report.ledger.energy.total().is_finite(), "{}", path.display());
    }
}

fn terse(text: &str) -> Scene {
    let lines = text.lines().filter(|l| !l.trim().is_empty()).count();
    assert!(lines < 30, "{lines} lines");
    kreisel_scene::parse("terse.toml", text).unwrap_or_else(|e| panic!("{}", describe(&e)))
}

#[test]
fn a_chain_of_50_needs_under_30_lines() {
    let scene = terse(
        r#"
        [[body]]
        repeat = 50
        name = "link {i}"
        shape = { box = [1, 0.1, 0.1] }
        position = ["i + 0.5", 0, 0]
        [[joint]]
        type = "ball"
        bodies = ["world", "link 0"]
        [[joint]]
        repeat = { i = "1..50" }
        type = "ball"
        bodies = ["link {i - 1}", "link {i}"]
        at = ["i", 0, 0]
        "#,
    );
    assert_eq!((scene.world.bodies().count(), scene.world.joints().count()), (50, 50));
    assert_eq!(scene.world.analyse().loops, 0);
}

#[test]
fn a_tree_of_127_needs_under_30_lines() {
    let scene = terse(
        r#"
        world = { contacts = "off" }           # twigs of one branch overlap where they are joined to it
        [[body]]
        name = "node 1"
        shape = { box = [0.04, 0.04, "0.1 * 1.5 ^ 6"] }
        density = 600
        position = [0, 0, "-0.05 * 1.5 ^ 6"]
        [[body]]
        repeat = { k = "2..128" }
        let = { l = "0.1 * 1.5 ^ (6 - floor(log2(k)))", a = "k % 2 == 0 ? 10 deg : -10 deg" }
        name = "node {k}"
        shape = { box = [0.04, 0.04, "l"] }
        density = 600
        frame = "node {floor(k / 2)}"
        position = ["-l / 2 * sin(a)", 0, "-0.75 * l - l / 2 * cos(a)"]
        rotation = { y = "a" }
        [[joint]]
        type = "ball"
        bodies = ["world", "node 1"]
        [[joint]]
        repeat = { k = "2..128" }
        type = "ball"
        bodies = ["node {floor(k / 2)}", "node {k}"]
        frame = "node {floor(k / 2)}"
        at = [0, 0, "-0.075 * 1.5 ^ (6 - floor(log2(k)))"]
        "#,
    );
    let analysis = scene.world.analyse();
    // Bender 2007, 3.3.3.1 (E-03): 127 bodies, 127 joints, system dimension 381, total mass 21.3
    // kg.
    assert_eq!(
        (analysis.bodies, analysis.joints, analysis.rows, analysis.rank),
        (127, 127, 381, 381)
    );
    assert!((analysis.mass - 21.3).abs() < 0.05, "{} kg", analysis.mass);
    assert_eq!(scene.warnings, []);
}

#[test]
fn a_net_of_900_knots_needs_under_30_lines() {
    let scene = terse(
        r#"
        [[body]]
        repeat = { i = 29, j = 30 }
        name = "x {i} {j}"
        shape = { capsule = { radius = 0.02, height = 0.2 }, axis = "x" }
        position = ["(i + 0.5) / 4", "j / 4", 0]
        [[body]]
        repeat = { i = 30, j = 29 }
        name = "y {i} {j}"
        shape = { capsule = { radius = 0.02, height = 0.2 }, axis = "y" }
        position = ["i / 4", "(j + 0.5) / 4", 0]
        [[joint]]
        repeat = { i = "1..29", j = 30 }
        type = "ball"
        bodies = ["x {i - 1} {j}", "x {i} {j}"]
        at = ["i / 4", "j / 4", 0]
        [[joint]]
        repeat = { i = 30, j = "1..29" }
        type = "ball"
        bodies = ["y {i} {j - 1}", "y {i} {j}"]
        at = ["i / 4", "j / 4", 0]
        [[joint]]
        repeat = { i = 30, j = 30 }
        type = "ball"
        bodies = ["x {min(i, 28)} {j}", "y {i} {min(j, 28)}"]
        at = ["i / 4", "j / 4", 0]
        "#,
    );
    assert_eq!((scene.world.bodies().count(), scene.world.joints().count()), (1740, 2580));
}

#[test]
fn a_coarse_tolerance_does_not_shrink_the_substep_for_ever() {
    // 255 bodies at 1e-4 m, joints of 5 cm: an error of 2e-3 of their length is allowed, the
    // substep's target is 3e-4 of it
    let scene = kreisel_scene::load(folder().join("bender/e04-tree-255.toml")).unwrap();
    let (mut world, h) = (scene.world, scene.step);
    let substeps: u32 = (0..40).map(|_| world.step(h).substeps).sum();
    assert!(substeps < 40 * 100, "{substeps} substeps in 40 steps");
}

#[test]
fn a_parameter_can_be_given_from_outside_and_a_wrong_name_is_refused() {
    let text =
        "[params]\nn = 3\nm = \"n + 1\"\n[[body]]\nrepeat = \"m\"\nshape = { sphere = 0.1 }\n";
    let bodies = |params: &[(String, f64)]| {
        kreisel_scene::parse_with("t", text, params).map(|s| s.world.bodies().count())
    };
    assert_eq!(bodies(&[]), Ok(4));
    assert_eq!(bodies(&[("n".into(), 7.0)]), Ok(8));
    let error = bodies(&[("nn".into(), 7.0)]).unwrap_err();
    assert_eq!(error.problems[0].help.as_deref(), Some("did you mean `n`?"));
}

#[test]
fn ten_thousand_bodies_and_joints_load() {
    let text = r#"
        [[body]]
        repeat = 10000
        name = "link {i}"
        shape = { box = [1, 0.1, 0.1] }
        position = ["i + 0.5", "sin(i)", 0]
        [[joint]]
        repeat = { i = "1..10000" }
        name = "joint {i}"
        type = "ball"
        bodies = ["link {i - 1}", "link {i}"]
        at = [["i", "sin(i - 1)", 0], ["i", "sin(i)", 0]]
    "#;
    let scene =
        kreisel_scene::parse("big.toml", text).unwrap_or_else(|e| panic!("{}", describe(&e)));
    assert_eq!(scene.world.joints().count(), 9999);
}

#[test]
fn names_that_the_engine_chose_give_way_to_those_of_the_user() {
    let joint = |name: &str, b: &str| {
        format!("[[joint]]\n{name}type = 'ball'\nbodies = ['world', '{b}']\n")
    };
    let body = |name: &str, x: f64| {
        format!("[[body]]\n{name}shape = 'point'\nmass = 1\nposition = [{x}, 0, 0]\n")
    };
    let text = [
        body("", 1.0),
        body("name = 'body 1'\n", 2.0),
        body("name = 'body 2'\n", 3.0),
        joint("", "body 1"),
        joint("name = 'joint 1'\n", "body 2"),
    ]
    .concat();
    let scene =
        kreisel_scene::parse("t.toml", &text).unwrap_or_else(|e| panic!("{:?}", e.problems));
    let at = |n: &str| scene.world.position(scene.world.body_named(n).unwrap()).unwrap().x;
    assert_eq!([at("body 1"), at("body 2"), at("body 3")], [2.0, 3.0, 1.0]);
    assert_eq!(scene.world.joints().count(), 2);
    let twice = [body("name = 'a'\n", 1.0), body("name = 'a'\n", 2.0)].concat();
    assert!(kreisel_scene::parse("t.toml", &twice).is_err());
}
