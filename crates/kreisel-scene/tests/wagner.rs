//! Scenes of the Lagrange multiplier method: what the animator's session promises, and that every
//! scene of the folder runs under it.

use kreisel_dynamics::{Event, Method, Status};
use kreisel_scene::{Scene, Simulation};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/wagner")
}

fn scene(name: &str) -> Scene {
    kreisel_scene::load(folder().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The session switches constraints, an assembly, a field and a body's kind while it runs: no body
/// jumps, and the velocities of both ends explain every way.
#[test]
fn the_animators_session_is_continuous() {
    let scene = scene("session.toml");
    let mut simulation = Simulation::new(&scene);
    let bodies: Vec<_> = scene.world.bodies().collect();
    let mut assembled = false;
    while simulation.world.time() < scene.duration - 1e-9 {
        let before: Vec<_> = bodies
            .iter()
            .map(|b| {
                (
                    simulation.world.center_of_mass(*b).unwrap(),
                    simulation.world.velocity(*b).unwrap(),
                )
            })
            .collect();
        let report = simulation.step();
        assembled |= report.events.iter().any(|e| matches!(e, Event::Assembled { .. }));
        assert_ne!(report.status, Status::Quarantined);
        for (b, (x, v)) in bodies.iter().zip(before) {
            let (now, after) = (
                simulation.world.center_of_mass(*b).unwrap(),
                simulation.world.velocity(*b).unwrap(),
            );
            // the step is the mean velocity's way but for the square of the step: accelerations
            // here stay below 200 m/s²
            let off = now.distance(x + (v + after) * (0.5 * scene.step));
            assert!(
                off < 200.0 * scene.step * scene.step,
                "{off} m at {} s",
                simulation.world.time()
            );
        }
    }
    assert!(assembled);
}

/// Every scene of the folder says the method, runs for two seconds, stays finite, and is never
/// stopped.
#[test]
fn every_scene_runs() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let scene = scene(&name);
        assert_eq!(scene.world.settings().method, Method::Lagrange, "{name}");
        let mut simulation = Simulation::new(&scene);
        while simulation.world.time() < scene.duration.min(2.0) - 1e-9 {
            let report = simulation.step();
            assert_ne!(report.status, Status::Quarantined, "{name} at {} s", report.time);
            assert!(report.ledger.energy.total().is_finite(), "{name}");
        }
        count += 1;
    }
    assert!(count > 40, "{count} scenes");
}

/// The scenes also run under the direct method, with the constraints within its tolerance from the
/// moment on that they have been drawn together.
#[test]
fn constraints_hold_under_the_direct_method() {
    for name in [
        "distance.toml",
        "expression.toml",
        "at-07-component-lock.toml",
        "hinge.toml",
        "in-line.toml",
        "locks.toml",
        "one-sided.toml",
        "point-to-function.toml",
        "point-to-point.toml",
        "rail.toml",
        "universal.toml",
    ] {
        let mut scene = scene(name);
        let settings =
            kreisel_dynamics::Settings { method: Method::Direct, ..scene.world.settings().clone() };
        scene.world.set_settings(settings).unwrap();
        let mut simulation = Simulation::new(&scene);
        let mut last = None;
        while simulation.world.time() < 3.0 {
            last = Some(simulation.step());
        }
        let report = last.unwrap();
        let worst = report.worst.unwrap_or_else(|| panic!("{name}: no joint"));
        assert!(worst.position < 1e-5 && worst.angle < 1e-5, "{name}: {worst:?}");
    }
}
