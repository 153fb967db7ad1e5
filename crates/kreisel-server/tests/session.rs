//! Sessions without a network: hands, edits, undo, rewind, the journal.

use kreisel_server::journal::{self, Header, Journal};
use kreisel_server::protocol::{Command, PropertyValue, ShapeSpec, SolidSpec};
use kreisel_server::session::Session;

const FOUR_BAR: &str = include_str!("../../../scenes/features/four-bar.toml");
const PENDULUM: &str = r#"
    [[body]]
    name = "arm"
    shape = { box = [1.0, 0.1, 0.1] }
    mass = 1.0
    position = [0.5, 0, 0]
    [[joint]]
    name = "pivot"
    type = "hinge"
    bodies = ["world", "arm"]
    axis = [0, 1, 0]
"#;

fn session(text: &str) -> Session {
    Header::new("test.toml", text, &[]).session(&Default::default()).expect("a good scene")
}

fn grab(body: &str, point: [f64; 3], target: [f64; 3], strength: f64) -> Command {
    Command::Grab { body: body.into(), point, target, turn: None, strength }
}

#[test]
fn a_grabbed_pendulum_follows_the_hand_as_far_as_its_hinge_allows() {
    let mut s = session(PENDULUM);
    // The end of the arm is pulled straight up; it can get within (0, 0, 1).
    s.apply(1, &grab("arm", [0.5, 0.0, 0.0], [0.0, 0.0, 3.0], 1.0)).unwrap();
    for _ in 0..300 {
        s.step();
        let worst = s.report().worst.as_ref().expect("a joint");
        assert!(worst.position <= 1e-6 && worst.angle <= 1e-6, "{worst:?}");
    }
    let arm = s.simulation().world.body_named("arm").unwrap();
    let end = s.simulation().world.point(arm, kreisel_dynamics::Vec3::new(0.5, 0.0, 0.0)).unwrap();
    assert!(end.z > 0.99, "{end}");
}

#[test]
fn a_free_body_reaches_the_hand_and_rests_there() {
    let mut s = session("[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\n");
    s.apply(1, &grab("ball", [0.0; 3], [0.4, -0.2, 0.3], 1.0)).unwrap();
    for _ in 0..200 {
        s.step();
    }
    let world = &s.simulation().world;
    let ball = world.body_named("ball").unwrap();
    let gap = world.position(ball).unwrap().distance(kreisel_dynamics::Vec3::new(0.4, -0.2, 0.3));
    assert!(gap < 1e-3 && world.velocity(ball).unwrap().length() < 1e-2, "{gap}");
}

#[test]
fn no_hand_however_strong_breaks_a_four_bar() {
    for strength in [1.0, 30.0, 1000.0] {
        let mut s = session(FOUR_BAR);
        for k in 0..300 {
            // Sideways out of the plane, and round and round against the motor.
            let a = f64::from(k) * 0.05;
            let target = [3.0 * a.cos(), 2.0, 3.0 * a.sin()];
            let command = if k == 0 {
                grab("coupler", [0.2, 0.0, 0.0], target, strength)
            } else {
                Command::Drag { target, turn: None }
            };
            s.apply(1, &command).unwrap();
            s.step();
            let worst = s.report().worst.as_ref().expect("a joint");
            assert!(worst.position <= 1e-6 && worst.angle <= 1e-6, "strength {strength}, step {k}: {worst:?}");
        }
    }
}

#[test]
fn a_push_changes_the_velocity_by_impulse_over_mass() {
    let mut s = session("[[body]]\nname = \"a\"\nshape = { sphere = 0.1 }\nmass = 2\n");
    s.apply(1, &Command::Push { body: "a".into(), impulse: [3.0, 0.0, 0.0], point: [0.0; 3] }).unwrap();
    let world = &s.simulation().world;
    // Δv = p/m
    assert_eq!(world.velocity(world.body_named("a").unwrap()).unwrap().x, 1.5);
}

#[test]
fn a_force_lasts_as_long_as_it_says() {
    let mut s = session("[world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"a\"\nshape = { sphere = 0.1 }\nmass = 2\n");
    let force = Command::Force { body: "a".into(), force: [4.0, 0.0, 0.0], torque: [0.0; 3], seconds: 0.5 };
    s.apply(1, &force).unwrap();
    for _ in 0..100 {
        s.step();
    }
    let world = &s.simulation().world;
    // F t / m = 4 · 0.5 / 2
    assert!((world.velocity(world.body_named("a").unwrap()).unwrap().x - 1.0).abs() < 1e-12);
}

#[test]
fn edits_are_undone_and_redone_and_refused_ones_change_nothing() {
    let mut s = session(PENDULUM);
    let (start, bodies) = (s.hash(), |s: &Session| s.describe().bodies.len());
    let shape = ShapeSpec {
        solid: SolidSpec::Box([0.2; 3]),
        density: 500.0,
        kind: "dynamic".into(),
        position: [1.0, 0.0, 0.0],
        rotation: [0.0, 0.0, 0.0, 1.0],
        color: None,
    };
    s.apply(1, &Command::AddBody { name: "weight".into(), shape }).unwrap();
    let hinge = Command::AddJoint {
        name: "elbow".into(),
        kind: "hinge".into(),
        bodies: ["arm".into(), "weight".into()],
        anchors: [[1.0, 0.0, 0.0]; 2],
        axis: [0.0, 1.0, 0.0],
        axis2: None,
    };
    s.apply(1, &hinge).unwrap();
    assert_eq!((bodies(&s), s.describe().joints.len(), s.edits()), (2, 2, [2, 0]));
    assert!(s.apply(1, &hinge).is_err(), "the name is taken");
    assert_eq!(s.edits(), [2, 0]);
    s.apply(1, &Command::Undo).unwrap();
    s.apply(1, &Command::Undo).unwrap();
    assert_eq!((bodies(&s), s.describe().joints.len(), s.hash()), (1, 1, start));
    s.apply(1, &Command::Redo).unwrap();
    s.apply(1, &Command::Redo).unwrap();
    assert_eq!((bodies(&s), s.describe().joints.len()), (2, 2));
    // Removing a body takes its joints along.
    s.apply(1, &Command::Remove { objects: vec!["arm".into()] }).unwrap();
    assert_eq!((bodies(&s), s.describe().joints.len()), (1, 0));
    assert!(s.apply(1, &Command::Remove { objects: vec!["arm".into()] }).is_err());
}

#[test]
fn going_back_gives_the_same_future() {
    let mut s = session(FOUR_BAR);
    let mut hashes = Vec::new();
    for _ in 0..120 {
        s.step();
        hashes.push(s.hash());
    }
    s.apply(1, &Command::Rewind { time: 0.6 }).unwrap();
    let time = s.simulation().world.time();
    assert!((time - 0.6).abs() < 0.02, "stored states are a thirtieth of a second apart: {time}");
    let k = (time / 0.01).round() as usize;
    for expected in &hashes[k..] {
        s.step();
        assert_eq!(&s.hash(), expected);
    }
}

#[test]
fn a_copy_has_the_same_joints_among_its_bodies() {
    let mut s = session(FOUR_BAR);
    let objects = ["crank", "coupler", "rocker"].map(str::to_owned).to_vec();
    s.apply(1, &Command::Copy { objects, offset: [0.0, 1.0, 0.0] }).unwrap();
    let view = s.describe();
    assert_eq!((view.bodies.len(), view.joints.len(), view.motors.len()), (6, 8, 2));
    for _ in 0..100 {
        s.step();
        let worst = s.report().worst.as_ref().expect("a joint");
        assert!(worst.position <= 1e-6 && worst.angle <= 1e-6, "{worst:?}");
    }
}

#[test]
fn every_property_that_can_be_edited_takes_its_own_value() {
    let mut s = session(FOUR_BAR);
    for object in ["world", "crank", "A", "drive"] {
        for p in s.inspect(object).unwrap().properties {
            if p.field == kreisel_server::protocol::Field::Fixed || p.value == PropertyValue::Text(String::new()) {
                continue;
            }
            let set = Command::Set { object: object.into(), key: p.key.clone(), value: p.value.clone() };
            assert_eq!(s.apply(1, &set), Ok(()), "{object} {}", p.key);
        }
    }
}

#[test]
fn settings_change_while_it_runs() {
    let mut s = session(FOUR_BAR);
    let mut set = |key: &str, value: PropertyValue| {
        s.apply(1, &Command::Set { object: "world".into(), key: key.into(), value }).unwrap();
        for _ in 0..20 {
            s.step();
        }
        s.report().worst.as_ref().map_or(0.0, |w| w.position)
    };
    assert!(set("method", PropertyValue::Text("iterative".into())) <= 1e-6);
    assert!(set("method", PropertyValue::Text("direct".into())) <= 1e-6);
    assert!(set("order", PropertyValue::Text("6".into())) <= 1e-6);
    assert!(set("tolerance", PropertyValue::Number(Some(1e-9))) <= 1e-9);
    assert!(set("step", PropertyValue::Number(Some(0.002))) <= 1e-9);
}

#[test]
fn a_session_replays_to_the_bit() {
    let header = Header::new("four-bar.toml", FOUR_BAR, &[]);
    let mut s = header.session(&Default::default()).unwrap();
    let mut journal = Journal::new(&header);
    let mut act = |s: &mut Session, command: Command| {
        journal.note(s.steps(), 1, &command);
        let _ = s.apply(1, &command);
    };
    let run = |s: &mut Session, n: usize| (0..n).for_each(|_| drop(s.step()));
    run(&mut s, 37);
    act(&mut s, grab("coupler", [0.1, 0.02, 0.0], [0.7, 0.3, 0.9], 3.0));
    run(&mut s, 40);
    act(&mut s, Command::Drag { target: [0.1 + 0.2, 1.0 / 3.0, 0.7], turn: None });
    run(&mut s, 25);
    act(&mut s, Command::Release);
    act(&mut s, Command::Push { body: "rocker".into(), impulse: [0.3, 0.0, -0.7], point: [0.9, 0.0, 0.3] });
    act(&mut s, Command::Set { object: "rocker".into(), key: "mass".into(), value: PropertyValue::Number(Some(1.7)) });
    run(&mut s, 31);
    act(&mut s, Command::Set { object: "nobody".into(), key: "mass".into(), value: PropertyValue::Number(Some(1.0)) });
    act(&mut s, Command::Rewind { time: 1.1 });
    run(&mut s, 12);
    act(&mut s, Command::Copy { objects: vec!["crank".into()], offset: [0.0, 0.5, 0.0] });
    run(&mut s, 20);
    act(&mut s, Command::Undo);
    act(&mut s, Command::Scatter { objects: vec![], distance: 0.001, turn: false, seed: 7 });
    run(&mut s, 20);
    let text = journal.text(&s);
    let again = journal::replay(&text, &Default::default(), |_| {}).expect("the same end");
    assert!(again.checked && again.commands == 10, "{}", again.commands);
    assert_eq!(again.session.hash(), s.hash());
    // A number changed in its last digit is found.
    let other = text.replace("0.02,0.0]", "0.020000000000000004,0.0]");
    assert_ne!(other, text);
    assert!(matches!(journal::replay(&other, &Default::default(), |_| {}), Err(journal::ReplayError::Differs { .. })));
}

#[test]
fn broken_journals_are_refused_with_their_line() {
    for (text, line) in [("", "line 1"), ("{}", "line 1"), ("rubbish\n", "line 1")] {
        let error = journal::replay(text, &Default::default(), |_| {}).err().expect("an error").to_string();
        assert!(error.contains(line), "{error}");
    }
    let mut good = Journal::new(&Header::new("p.toml", PENDULUM, &[]));
    good.note(5, 1, &Command::Release);
    let text = format!("{}{{\"step\":1,\"client\":1,\"command\":{{\"do\":\"release\"}}}}\n", good.open_text());
    let error = journal::replay(&text, &Default::default(), |_| {}).err().expect("an error").to_string();
    assert!(error.contains("line 3") && error.contains("backwards"), "{error}");
}

/// The pace of the real-time mode is part of the motion: journalled, replayed to the bit, and no edit.
#[test]
fn the_pace_of_real_time_is_replayed() {
    let text = format!("[world]\nreal_time = true\nrate = 30\n{PENDULUM}");
    let header = Header::new("test.toml", &text, &[]);
    let mut s = header.session(&Default::default()).unwrap();
    assert!(s.simulation().real_time());
    let mut journal = Journal::new(&header);
    for (steps, step) in [(10, 1.0 / 60.0), (20, 0.004), (20, 0.1)] {
        let command = Command::Pace { step };
        journal.note(s.steps(), 0, &command);
        s.apply(0, &command).unwrap();
        for _ in 0..steps {
            s.step();
        }
    }
    assert!((s.simulation().world.time() - (10.0 / 60.0 + 0.08 + 2.0)).abs() < 1e-12);
    assert_eq!(s.edits(), [0, 0]);
    assert!(journal::replay(&journal.text(&s), &Default::default(), |_| {}).unwrap().checked);
    for step in [0.0, f64::NAN, 2.0] {
        assert!(s.apply(0, &Command::Pace { step }).is_err());
    }
    let off = Command::Set { object: "world".into(), key: "real_time".into(), value: PropertyValue::Toggle(false) };
    s.apply(1, &off).unwrap();
    assert!(s.apply(0, &Command::Pace { step: 0.01 }).is_err(), "without the mode nobody chooses the step");
}
