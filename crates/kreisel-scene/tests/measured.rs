//! Scenes run to numbers that are known from elsewhere: each value carries its source.

use kreisel_dynamics::{Coordinate, Event, Status, StepReport, Vec3, World};
use kreisel_scene::{Scene, Simulation};
use std::path::Path;

fn scene(path: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(path);
    kreisel_scene::load(path).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs until the time, calling `each` after every step.
fn run(scene: &Scene, until: f64, mut each: impl FnMut(&World, &StepReport)) -> World {
    let mut simulation = Simulation::new(scene);
    for _ in 0..simulation.steps_until(until) {
        let report = simulation.step();
        each(&simulation.world, &report);
    }
    simulation.world
}

fn point(world: &World, body: &str, local: Vec3) -> Vec3 {
    world.point(world.body_named(body).unwrap(), local).unwrap()
}

fn angle(world: &World, joint: &str) -> f64 {
    world.coordinate(world.joint_named(joint).unwrap(), Coordinate::Angle).unwrap()
}

fn close(actual: Vec3, expected: [f64; 3], tolerance: f64) {
    let expected = Vec3::from_array(expected);
    assert!(actual.distance(expected) <= tolerance, "{actual} instead of {expected}");
}

#[test]
fn a01_meets_the_reference_of_the_planar_pendulum() {
    // IFToMM A01; reference by an independent scalar integration (energy kept to 8e-13 J)
    let world = run(&scene("iftomm/a01-pendulum.toml"), 10.0, |w, _| {
        if (w.time() - 1.0).abs() < 1e-9 {
            close(point(w, "P1", Vec3::ZERO), [0.986291751132, -0.165010853126, 0.0], 1e-4);
        }
    });
    close(point(&world, "P1", Vec3::ZERO), [-0.275087462576, -0.961419205099, 0.0], 1e-3);
}

#[test]
fn a02_passes_its_singular_positions_with_little_energy_error() {
    // IFToMM A02, N = 2; reference by reduction to one angle. Asked: energy error up to 1e-2 J at
    // 1e-3 s.
    let scene = scene("iftomm/a02-four-bar.toml");
    let start = scene.world.energy().total();
    assert!((start - 35.835).abs() < 1e-9, "initial energy {start} J");
    let tip = Vec3::new(0.0, 0.5, 0.0);
    let mut worst: f64 = 0.0;
    let world = run(&scene, 10.0, |w, r| {
        assert_eq!(r.status, Status::Converged);
        worst = worst.max((w.energy().total() - start).abs());
        if (w.time() - 1.0).abs() < 1e-9 {
            close(point(w, "crank 0", tip), [-0.195020301950, -0.980799205662, 0.0], 1e-3);
        }
    });
    assert!(worst <= 1e-2, "energy error {worst} J");
    close(point(&world, "crank 0", tip), [0.328458111537, 0.944518538180, 0.0], 1e-2);
}

#[test]
fn a03_meets_the_angle_of_the_test_set() {
    // Test Set for IVP Solvers: beta(0.03 s) = 15.81077119629904, counted from -0.0617138900142764.
    // Asked: 1e-2 rad.
    let world = run(&scene("iftomm/a03-andrews-squeezer.toml"), 0.03, |_, _| {});
    let beta = angle(&world, "O") - 0.0617138900142764;
    assert!((beta - 15.81077119629904).abs() <= 1e-2, "beta = {beta}");
}

#[test]
fn a04_keeps_its_phase_and_reports_the_redundant_row() {
    // IFToMM A04; reference by minimum-norm multipliers. Asked: P3(10 s) within 1e-2 m at 1e-3 s,
    // rank 29 of 30.
    let scene = scene("iftomm/a04-bricard.toml");
    let analysis = scene.world.analyse();
    assert_eq!(
        (analysis.rows, analysis.rank, analysis.freedom, analysis.redundant.len()),
        (30, 29, 1, 1)
    );
    let p3 = Vec3::new(0.0, -0.5, 0.0);
    let world = run(&scene, 10.0, |w, _| {
        if (w.time() - 1.0).abs() < 1e-9 {
            close(point(w, "rod 2", p3), [0.274481319265, -0.886707938735, -0.462330002687], 1e-3);
        }
    });
    close(point(&world, "rod 2", p3), [0.999730987304, -0.999999963826, -0.000268976512], 1e-2);
}

#[test]
fn a_cantilever_rests_on_the_weight_and_moment_that_statics_gives() {
    // 5 blocks of 2 kg, centres 0.2 m to 1.8 m from the wall: 98.1 N up, 98.1 N m against the tilt
    let world = run(&scene("joints/fixed.toml"), 0.5, |_, _| {});
    let wall = world.reaction(world.joint_named("wall").unwrap()).unwrap();
    close(wall.force, [0.0, 0.0, 98.1], 1e-6);
    close(wall.torque, [0.0, -98.1, 0.0], 1e-6);
}

#[test]
fn a_universal_joint_speeds_the_driven_shaft_up_and_down_by_the_cosine_of_its_bend() {
    // Hooke's joint: the ratio of speeds swings between cos 30° and 1 / cos 30°
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    run(&scene("joints/universal.toml"), 4.0, |w, _| {
        let rate = |j| w.coordinate_rate(w.joint_named(j).unwrap(), Coordinate::Angle).unwrap();
        let ratio = rate("bearing 2") / rate("bearing 1");
        (low, high) = (low.min(ratio), high.max(ratio));
    });
    let c = 30_f64.to_radians().cos();
    assert!((low - c).abs() < 1e-3 && (high - 1.0 / c).abs() < 1e-3, "{low} to {high}");
}

#[test]
fn the_piston_of_a_slider_crank_is_where_geometry_puts_it() {
    let world = run(&scene("features/kinematic-crank.toml"), 1.0, |_, _| {});
    let (r, l, turn) = (0.25_f64, 0.8_f64, 6.0_f64);
    let expected = r * turn.cos() + (l * l - (r * turn.sin()).powi(2)).sqrt();
    close(point(&world, "piston", Vec3::ZERO), [expected, 0.1, 0.0], 2e-5);
}

#[test]
fn a_hanging_chain_breaks_where_the_load_is_greatest() {
    let mut broken = Vec::new();
    run(&scene("features/breakable.toml"), 3.0, |_, r| {
        broken.extend(r.events.iter().filter_map(|e| match e {
            Event::Broken { name, force, .. } => Some((name.to_string(), *force)),
            _ => None,
        }));
    });
    assert_eq!(broken.first().map(|b| b.0.as_str()), Some("anchor"), "{broken:?}");
    assert!(broken.iter().all(|b| b.1 > 150.0), "{broken:?}");
}

#[test]
fn a_force_acts_from_its_first_to_its_last_step_and_no_longer() {
    let text = r#"
        [world]
        gravity = [0, 0, 0]
        step = 0.01
        [[body]]
        name = "ball"
        shape = "point"
        mass = 2
        [[force]]
        body = "ball"
        force = [4, 0, 0]
        from = 0.1
        until = 0.3
    "#;
    let scene = kreisel_scene::parse("force.toml", text).unwrap_or_else(|e| panic!("{e}"));
    let world = run(&scene, 1.0, |_, _| {});
    // 4 N on 2 kg over 0.2 s
    let v = world.velocity(world.body_named("ball").unwrap()).unwrap();
    assert!(v.distance(Vec3::new(0.4, 0.0, 0.0)) < 1e-12, "{v}");
}
