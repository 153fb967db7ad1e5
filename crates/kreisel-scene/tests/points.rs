//! The keywords for mass points: `[[point]]`, `[[rod]]`, `[[thread]]`, `[[rail]]`, `[[polygon]]`
//! (Schmitt and Thüring 2000).

use kreisel_dynamics::{BodyKind, Coordinate, JointKind, Status, Vec3, World};
use kreisel_scene::{Scene, Simulation, load, parse, save};
use std::path::Path;

fn scene(name: &str) -> Scene {
    load(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/points").join(name))
        .unwrap_or_else(|e| panic!("{e}"))
}

fn place(world: &World, name: &str) -> Vec3 {
    world.position(world.body_named(name).unwrap_or_else(|| panic!("no {name}"))).unwrap()
}

/// Runs until a time; every step has to converge.
fn until(run: &mut Simulation, time: f64, mut look: impl FnMut(&World)) {
    while run.world.time() < time - 1e-9 {
        let report = run.step();
        assert_eq!(report.status, Status::Converged, "at {}: {:?}", report.time, report.worst);
        look(&run.world);
    }
}

#[test]
fn the_whole_pendulum_is_eight_lines() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/points/pendulum.toml");
    assert_eq!(std::fs::read_to_string(path).unwrap().lines().count(), 8);
    let mut run = Simulation::new(&scene("pendulum.toml"));
    let mut lowest = 0.0_f64;
    until(&mut run, 2.0, |w| {
        let p = place(w, "bob");
        assert!((p.length() - 1.0).abs() < 2e-6, "{p}");
        lowest = lowest.min(p.z);
    });
    assert!(lowest < -0.99, "it swings through: {lowest}");
}

#[test]
fn lists_of_points_and_rods_get_names_and_lengths() {
    let text = r#"
        [[point]]
        name = "p"
        mass = 2
        positions = [[0, 0, 0], [1, 0, 0], [1, 2, 0]]
        [[point]]
        name = ["a", "b"]
        positions = [[0, 0, 1], [0, 0, 2]]
        fixed = true
        [[point]]
        [[rod]]
        name = "edge"
        points = ["p1", "p2", "p3"]
        closed = true
        [[rod]]
        points = ["p1", "a", "b"]
        braced = true
        [[thread]]
        points = ["b", "p2"]
        length = 3
        restitution = 0.5
    "#;
    let world = parse("points.toml", text).unwrap_or_else(|e| panic!("{e}")).world;
    let names: Vec<String> =
        world.bodies().map(|b| world.body_name(b).unwrap().to_string()).collect();
    assert_eq!(names, ["p1", "p2", "p3", "a", "b", "point 1"]);
    assert_eq!(world.body(world.body_named("p2").unwrap()).unwrap().mass.mass, 2.0);
    assert_eq!(world.body(world.body_named("a").unwrap()).unwrap().kind, BodyKind::Static);
    let length = |name: &str| world.joint_length(world.joint_named(name).unwrap()).unwrap();
    // the third closes the triangle
    assert_eq!([length("edge1"), length("edge2"), length("edge3")], [1.0, 2.0, 5.0_f64.sqrt()]);
    // p1 to a and to b, but no rod between the two that are fixed
    assert_eq!([length("rod 1"), length("rod 2")], [1.0, 2.0]);
    assert!(world.joint_named("rod 3").is_none());
    let thread = world.joint(world.joint_named("thread 1").unwrap()).unwrap();
    let limit = thread.limits[0];
    assert_eq!((limit.coordinate, limit.max, limit.restitution), (Coordinate::Length, 3.0, 0.5));
}

#[test]
fn a_rail_is_a_line_of_one_body_or_a_rail_between_two() {
    let text = r#"
        [[point]]
        name = "p"
        positions = [[0, 0, 0], [1, 0, 0], [0.25, 0, 0]]
        [[body]]
        name = "box"
        shape = { box = [1, 1, 1] }
        [[rail]]
        point = "p3"
        on = ["p1", "p2"]
        [[rail]]
        point = "p3"
        on = [[0, 0, 0], [2, 0, 0]]
        restitution = 1
        [[rail]]
        point = "p3"
        on = [{ body = "box", point = [0.5, 0, 0] }, { body = "box" }]
        ends = false
        [[rail]]
        point = "p1"
        along = [0, 0, 1]
    "#;
    let world = parse("rails.toml", text).unwrap_or_else(|e| panic!("{e}")).world;
    let rail = |k: usize| world.joint(world.joint_named(&format!("rail {k}")).unwrap()).unwrap();
    let kinds: Vec<JointKind> = (1..=4).map(|k| rail(k).kind).collect();
    assert_eq!(kinds, [JointKind::Rail, JointKind::Line, JointKind::Line, JointKind::Line]);
    assert_eq!(rail(1).limits[0].max, 1.0);
    assert_eq!((rail(2).limits[0].max, rail(2).limits[0].restitution), (2.0, 1.0));
    assert!(rail(3).limits.is_empty() && rail(4).limits.is_empty());
    assert_eq!(rail(4).axis, Vec3::Z);
}

#[test]
fn beads_on_moving_rails_and_plates_stay_there_and_are_saved() {
    for (file, point, joint) in [
        ("rail-between-points.toml", "bead", "rail"),
        ("plate.toml", "slider", "plate"),
        ("mixed.toml", "bead", "rail 1"),
    ] {
        let scene = scene(file);
        let mut run = Simulation::new(&scene);
        until(&mut run, 1.0, |w| {
            let id = w.joint_named(joint).unwrap();
            assert!(w.joint_error(id).unwrap().0 <= 1e-6, "{file} at {}", w.time());
            assert!(
                w.coordinate(id, Coordinate::Position).unwrap() > -2e-6,
                "{file} at {}",
                w.time()
            );
        });
        // saved in the middle of the run and read again, the guide is where it was
        let copy = parse("saved.toml", &save(&scene, &run.world))
            .unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(place(&copy.world, point), place(&run.world, point), "{file}");
        let value =
            |w: &World| w.coordinate(w.joint_named(joint).unwrap(), Coordinate::Position).unwrap();
        assert!((value(&copy.world) - value(&run.world)).abs() < 1e-12, "{file}");
    }
}

#[test]
fn points_bounce_off_floors_and_slide_along_walls() {
    let mut run = Simulation::new(&scene("obstacles.toml"));
    let (mut highest, mut touched) = (0.0_f64, false);
    let fall = (2.0_f64 / 9.81).sqrt();
    // from the first bounce to the second: a fall of 1 m, then twice 0.8 of its time
    until(&mut run, 2.6 * fall, |w| {
        let z = place(w, "bouncing").z;
        touched |= w.time() > fall;
        if touched {
            highest = highest.max(z);
        }
        assert!(place(w, "sliding").z > 0.05 - 1e-4, "it does not pass the floor");
    });
    // 0.8² of the height; highest of samples that lie up to half a step off
    assert!((highest - 0.05 - 0.64).abs() < 1e-3, "{highest}");
    until(&mut run, 5.0, |_| {});
    // without restitution it stays at the wall: x = 3 - 0.1 - 0.05
    let p = place(&run.world, "sliding");
    assert!((p.x - 2.85).abs() < 1e-3 && (p.z - 0.05).abs() < 1e-3 && p.y == 1.0, "{p}");
    let rod = place(&run.world, "a").distance(place(&run.world, "b"));
    assert!((rod - 0.34_f64.sqrt()).abs() < 2e-6, "{rod}");
}

#[test]
fn scripts_make_points_too() {
    let text = r#"
        [script]
        build = """
        for i in 0..5 { add_point(#{ name: `p${i}`, position: [i, 0, 0] }); }
        add_rod(#{ points: [[-1, 0, 0], "p*"] });
        add_rail(#{ point: "p4", along: [1, 0, 0] });
        """
    "#;
    let world = parse("script.toml", text).unwrap_or_else(|e| panic!("{e}")).world;
    assert_eq!((world.bodies().count(), world.joints().count()), (5, 6));
}
