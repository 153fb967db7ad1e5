//! A scene that is saved and loaded again is the same world, to the bit.

use kreisel_dynamics::{Coordinate, World};
use kreisel_scene::{Scene, Simulation, load, merge, parse, save};
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

fn scenes() -> Vec<(PathBuf, Scene)> {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes"), &mut files);
    files.sort();
    let all = files.into_iter().map(|p| (p.clone(), load(&p).unwrap_or_else(|e| panic!("{e}"))));
    // What is not saved yet is written down in docs/limits.md: constraints between connectors, controllers, fields, switches,
    // and how the Lagrange method and the event mode of contact are set.
    let plain = |s: &Scene| {
        let w = &s.world;
        let others = w.constraints().count() + w.controllers().count() + w.fields().count() + s.switches.len();
        let usual = kreisel_dynamics::Settings::default();
        let set = w.settings();
        let procedures = set.method == kreisel_dynamics::Method::Lagrange;
        others == 0 && !procedures && set.lagrange == usual.lagrange && set.contact.micro == usual.contact.micro
    };
    all.filter(|(_, s)| plain(s)).collect()
}

fn again(path: &Path, text: &str) -> Scene {
    parse("saved.toml", text).unwrap_or_else(|e| panic!("{}: {:?}\n{text}", path.display(), e.problems))
}

fn advance(scene: &Scene, steps: usize) -> Simulation {
    let mut run = Simulation::new(scene);
    for _ in 0..steps {
        run.step();
    }
    run
}

/// Steps that fit into a test: large scenes take fewer.
fn steps(scene: &Scene) -> usize {
    // large scenes and event-driven ones cost most of a second per step
    let events = scene.world.settings().contact.mode == kreisel_dynamics::ContactMode::Event;
    if events || scene.world.bodies().count() > 40 { 3 } else { 100 }
}

#[test]
fn every_scene_is_the_same_world_after_saving_and_loading() {
    for (path, scene) in scenes() {
        let copy = again(&path, &save(&scene, &scene.world));
        assert_eq!(copy.world.state_hash(), scene.world.state_hash(), "{}", path.display());
        for (a, b) in scene.world.bodies().zip(copy.world.bodies()) {
            let (mut a, b) = (scene.world.body(a).unwrap().clone(), copy.world.body(b).unwrap());
            a.name.clone_from(&b.name);
            assert_eq!(a, *b, "{}", path.display());
        }
        assert_eq!((copy.step, copy.duration), (scene.step, scene.duration));
        assert_eq!(copy.world.settings(), scene.world.settings());
        assert_eq!(copy.shapes.len(), scene.shapes.len());
        if scene.world.settings().time_budget.is_some() {
            continue; // what a step reaches in its time differs from run to run
        }
        let n = steps(&scene);
        let (first, second) = (advance(&scene, n), advance(&copy, n));
        assert_eq!(first.world.state_hash(), second.world.state_hash(), "{} after {n} steps", path.display());
    }
}

#[test]
fn a_running_world_is_saved_where_it_stands() {
    for (path, scene) in scenes().into_iter().filter(|(_, s)| s.world.bodies().count() <= 60) {
        let run = advance(&scene, 50);
        let copy = again(&path, &save(&scene, &run.world));
        assert_eq!(copy.world.state_hash(), run.world.state_hash(), "{}", path.display());
        for (a, b) in run.world.joints().zip(copy.world.joints()) {
            assert_eq!(run.world.joint_error(a), copy.world.joint_error(b), "{}", path.display());
            for c in [Coordinate::Angle, Coordinate::Swing] {
                let (x, y) = (run.world.coordinate(a, c), copy.world.coordinate(b, c));
                let same = match (x, y) {
                    (Some(x), Some(y)) => (x - y).abs() < 1e-12,
                    _ => x == y,
                };
                assert!(same, "{}: {x:?} and {y:?}", path.display());
            }
        }
    }
}

#[test]
fn counted_turns_and_time_survive() {
    let text = r#"
        [[body]]
        name = "wheel"
        shape = { cylinder = { radius = 0.3, height = 0.1 } }
        angular_velocity = [0, 0, 20]
        [[joint]]
        name = "axle"
        type = "hinge"
        bodies = ["world", "wheel"]
    "#;
    let scene = parse("t.toml", text).unwrap();
    let run = advance(&scene, 100);
    let copy = again(Path::new("wheel"), &save(&scene, &run.world));
    let angle = |w: &World| w.coordinate(w.joint_named("axle").unwrap(), Coordinate::Angle).unwrap();
    assert!((angle(&run.world) - 20.0).abs() < 1e-6);
    assert!((angle(&copy.world) - angle(&run.world)).abs() < 1e-12);
    assert_eq!(copy.world.time(), run.world.time());
}

#[test]
fn two_scenes_merge_with_their_names_apart() {
    let scene = load(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/chains/chain.toml")).unwrap();
    let both = again(Path::new("merged"), &merge(&scene, &scene, "second"));
    assert_eq!(both.world.bodies().count(), 2 * scene.world.bodies().count());
    assert_eq!(both.world.joints().count(), 2 * scene.world.joints().count());
    let name = scene.world.body_name(scene.world.bodies().next().unwrap()).unwrap();
    let (mut one, mut two) = (Simulation::new(&scene), Simulation::new(&both));
    for _ in 0..20 {
        one.step();
        two.step();
    }
    let p = |w: &World, n: &str| w.position(w.body_named(n).unwrap()).unwrap();
    assert_eq!(p(&one.world, &name), p(&two.world, &name));
    assert_eq!(p(&one.world, &name), p(&two.world, &format!("second/{name}")));
}
