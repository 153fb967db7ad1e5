//! Scenes of an independent audit about shapes in contact: nothing drives the bodies, so the energy
//! must not rise, and no step may stall. The bounds are conservation laws, not numbers of ours.

use kreisel_scene::Simulation;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/audit").join(name)
}

fn simulation(name: &str) -> (Simulation, f64) {
    let scene = kreisel_scene::load(path(name)).unwrap_or_else(|e| panic!("{e:?}"));
    let duration = scene.duration;
    (Simulation::new(&scene), duration)
}

/// Runs a scene to its end; at no time is there more energy than at the start, but for a share, and
/// no step is slow.
fn never_gains(name: &str, share: f64) {
    let (mut run, duration) = simulation(name);
    let mut start = None;
    while run.world.time() < duration - 1e-9 {
        let clock = Instant::now();
        let energy = run.step().ledger.energy.total();
        let (t, spent) = (run.world.time(), clock.elapsed().as_secs_f64());
        assert!(spent < 1.0, "{name}: a step of {spent:.2} s at {t} s");
        let start: f64 = *start.get_or_insert(energy);
        assert!(
            energy <= start + share * start.abs(),
            "{name}: {energy} J at {t} s, {start} J at the start"
        );
    }
}

#[test]
fn piles_of_mesh_bodies_do_not_explode() {
    for name in ["pile", "pile2", "pilec", "s"] {
        never_gains(&format!("first-hour/{name}.toml"), 0.01);
    }
}

#[test]
fn a_cylinder_that_falls_onto_a_hull_gains_no_energy() {
    for k in [923, 1175, 1440, 1816, 1951, 2632, 2967] {
        never_gains(&format!("contact-shapes/drop_hull_{k}.toml"), 0.01);
    }
}

#[test]
fn a_fast_mesh_stalls_no_step() {
    let text = std::fs::read_to_string(path("lennerz/tC.toml")).unwrap();
    assert!(text.contains("velocity=[8000,0,0]"));
    never_gains("lennerz/tC.toml", 0.01);
}

#[test]
fn a_box_falls_into_the_notch_of_a_concave_face() {
    // the notch of the prism has its floor at y = 0.4, the box has an edge of 0.4 m
    for name in ["u.toml", "u2.toml"] {
        let (mut run, duration) = simulation(&format!("lennerz/{name}"));
        while run.world.time() < duration - 1e-9 {
            run.step();
        }
        let body = run.world.bodies().last().unwrap();
        let y = run.world.position(body).unwrap().y;
        assert!((y - 0.6).abs() < 1e-4, "{name}: the box is at y = {y} m");
    }
}
