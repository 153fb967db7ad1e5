//! Gears, cables and thrusters made while a world runs, set, undone, copied.

use kreisel_dynamics::{Coordinate, Vec3, World};
use kreisel_session::journal::Header;
use kreisel_session::protocol::{Command, PropertyValue};
use kreisel_session::session::Session;

const SCENE: &str = r#"
    [world]
    step = 0.01
    contacts = "off"
    [[body]]
    repeat = 2
    name = "wheel {i}"
    shape = { cylinder = { radius = 0.1, height = 0.05 } }
    position = ["i", 0, 0]
    [[joint]]
    repeat = 2
    name = "axle {i}"
    type = "hinge"
    bodies = ["world", "wheel {i}"]
    at = ["i", 0, 0]
    axis = [0, 0, 1]
    [[motor]]
    name = "drive"
    joint = "axle 0"
    velocity = 2
    [[body]]
    name = "ball"
    shape = { sphere = 0.1 }
    mass = 2
    position = [0, 0, 3]
"#;

fn session() -> Session {
    Header::new("test.toml", SCENE, &[]).session(&Default::default()).expect("a good scene")
}

fn world(s: &Session) -> &World {
    &s.simulation().world
}

fn angles(s: &Session) -> [f64; 2] {
    ["axle 0", "axle 1"]
        .map(|j| world(s).coordinate(world(s).joint_named(j).unwrap(), Coordinate::Angle).unwrap())
}

fn steps(s: &mut Session, n: usize) {
    for _ in 0..n {
        s.step();
    }
}

fn constraint(kind: &str, bodies: [&str; 2], points: [[f64; 3]; 2]) -> Command {
    let bodies = bodies.map(str::to_owned);
    Command::AddConstraint {
        name: kind.into(),
        kind: kind.into(),
        bodies,
        points,
        axis: [0.0, 0.0, 1.0],
    }
}

fn set(object: &str, key: &str, value: f64) -> Command {
    Command::Set {
        object: object.into(),
        key: key.into(),
        value: PropertyValue::Number(Some(value)),
    }
}

#[test]
fn a_gear_made_between_two_hinges_meshes_as_they_stand_and_its_ratio_is_a_property() {
    let mut s = session();
    steps(&mut s, 500);
    let [a, b] = angles(&s);
    assert!(a > 9.0 && b.abs() < 1e-9, "{a} {b}");
    s.apply(1, &constraint("gear", ["axle 0", "axle 1"], [[0.0; 3]; 2])).unwrap();
    steps(&mut s, 100);
    let [c, d] = angles(&s);
    assert!((d + (c - a)).abs() < 1e-5, "{d} for {}", a - c);
    // another ratio from where the wheels stand
    s.apply(1, &set("gear", "ratio", 3.0)).unwrap();
    steps(&mut s, 100);
    let [e, f] = angles(&s);
    assert!((f - d - 3.0 * (e - c)).abs() < 1e-5, "{f} {d} {e} {c}");
    s.apply(1, &Command::Undo).unwrap();
    s.apply(1, &Command::Undo).unwrap();
    assert!(world(&s).constraint_named("gear").is_none());
}

#[test]
fn a_cable_made_from_a_selection_can_hang_loose_and_be_let_out() {
    let mut s = session();
    s.apply(1, &constraint("cable", ["ball", "world"], [[0.0, 0.0, 3.0], [0.0, 0.0, 4.0]]))
        .unwrap();
    steps(&mut s, 50);
    let ball = |s: &Session| world(s).position(world(s).body_named("ball").unwrap()).unwrap();
    assert!(ball(&s).distance(Vec3::Z * 3.0) < 1e-5, "{}", ball(&s));
    s.apply(1, &set("cable", "length", 2.0)).unwrap();
    steps(&mut s, 20);
    // it falls freely for 0.2 s
    assert!((ball(&s).z - (3.0 - 0.5 * 9.81 * 0.04)).abs() < 1e-3, "{}", ball(&s));
    steps(&mut s, 200);
    assert!((ball(&s).z - 2.0).abs() < 1e-4, "{}", ball(&s));
}

#[test]
fn a_thruster_made_from_a_selection_carries_its_body_after_its_lag() {
    let mut s = session();
    let bodies = ["ball".to_owned(), "world".to_owned()];
    let points = [[0.0, 0.0, 3.0], [0.0; 3]];
    let command =
        Command::AddController { name: "jet".into(), kind: "thruster".into(), bodies, points };
    s.apply(1, &command).unwrap();
    steps(&mut s, 100);
    let v = world(&s).velocity(world(&s).body_named("ball").unwrap()).unwrap();
    // what the lag of 0.1 s has let fall: −g τ
    assert!((v.z + 0.981).abs() < 5e-3, "{v}");
    s.apply(1, &set("jet", "thrust", 0.0)).unwrap();
    steps(&mut s, 1);
    assert!(world(&s).controller_named("jet").is_some());
}
