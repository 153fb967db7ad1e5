//! Controllers, curves, procedures and formulas: made from a selection, set, removed with what
//! hangs on them, undone.

use kreisel_dynamics::Vec3;
use kreisel_session::journal::Header;
use kreisel_session::protocol::{Command, PropertyValue};
use kreisel_session::session::Session;

const SCENE: &str = r#"
    [world]
    step = 0.005
    method = "lagrange"
    [[body]]
    name = "ball"
    shape = { sphere = 0.1 }
    mass = 2
    position = [0, 0, 1]
    [[body]]
    name = "other"
    shape = { sphere = 0.1 }
    mass = 1
    position = [0, 3, 1]
    collide = false
"#;

fn session(text: &str) -> Session {
    Header::new("test.toml", text, &[]).session(&Default::default()).expect("a good scene")
}

fn at(s: &Session, body: &str) -> Vec3 {
    let world = &s.simulation().world;
    world.position(world.body_named(body).unwrap()).unwrap()
}

fn steps(s: &mut Session, n: usize) {
    for _ in 0..n {
        s.step();
    }
}

fn set(object: &str, key: &str, value: PropertyValue) -> Command {
    Command::Set { object: object.into(), key: key.into(), value }
}

fn controller(kind: &str, goal: [f64; 3]) -> Command {
    let bodies = ["ball".to_owned(), "world".to_owned()];
    Command::AddController {
        name: kind.into(),
        kind: kind.into(),
        bodies,
        points: [[0.0, 0.0, 1.0], goal],
    }
}

fn constraint(kind: &str, partner: &str, goal: [f64; 3]) -> Command {
    Command::AddConstraint {
        name: "link".into(),
        kind: kind.into(),
        bodies: ["ball".into(), partner.into()],
        points: [[0.0, 0.0, 1.0], goal],
        axis: [0.0, 0.0, 1.0],
    }
}

#[test]
fn controllers_made_from_a_selection_act_at_once_and_their_gains_are_properties() {
    // A new vector force waits (W-55); switched on, it carries the body: it hovers.
    let mut s = session(SCENE);
    s.apply(1, &controller("vector", [0.0; 3])).unwrap();
    assert!(!s.describe().elements[0].active);
    s.apply(1, &set("vector", "active", PropertyValue::Toggle(true))).unwrap();
    steps(&mut s, 200);
    assert!(at(&s, "ball").distance(Vec3::Z) < 1e-9, "{}", at(&s, "ball"));
    // Twice the weight: up with g, z = 1 + g t²/2 after 0.5 s.
    s.apply(1, &set("vector", "force", PropertyValue::Vector([0.0, 0.0, 2.0 * 2.0 * 9.81])))
        .unwrap();
    steps(&mut s, 100);
    assert!((at(&s, "ball").z - 1.0 - 9.81 * 0.125).abs() < 1e-2, "{}", at(&s, "ball"));
    s.apply(1, &Command::Undo).unwrap();
    assert!(at(&s, "ball").distance(Vec3::Z) < 1e-9);

    // A PID control without integral stays below its goal by m g / K = g / 25 (W-58); with it, it
    // arrives.
    let mut s = session(SCENE);
    s.apply(1, &controller("pid", [0.5, 0.0, 1.0])).unwrap();
    steps(&mut s, 2000);
    assert!(
        at(&s, "ball").distance(Vec3::new(0.5, 0.0, 1.0 - 9.81 / 25.0)) < 1e-3,
        "{}",
        at(&s, "ball")
    );
    s.apply(1, &set("pid", "integral", PropertyValue::Number(Some(40.0)))).unwrap();
    steps(&mut s, 4000);
    assert!(at(&s, "ball").distance(Vec3::new(0.5, 0.0, 1.0)) < 1e-3, "{}", at(&s, "ball"));
    // The goal is a property, too (Wagner 6.6.1).
    s.apply(1, &set("pid", "connectors.1.fixed", PropertyValue::Vector([0.0, 0.0, 2.0]))).unwrap();
    steps(&mut s, 4000);
    assert!(at(&s, "ball").distance(Vec3::new(0.0, 0.0, 2.0)) < 1e-3, "{}", at(&s, "ball"));

    // A spring of one swing a second hangs down by g / (2π)².
    let mut s = session(SCENE);
    s.apply(1, &controller("spring", [0.0, 0.0, 2.0])).unwrap();
    steps(&mut s, 6000);
    let sag = 9.81 / std::f64::consts::TAU.powi(2);
    assert!((at(&s, "ball").z - (1.0 - sag)).abs() < 1e-3, "{}", at(&s, "ball"));

    for kind in ["vector", "spring", "trajectory", "pid"] {
        let mut s = session(SCENE);
        s.apply(1, &controller(kind, [0.5, 0.0, 1.0])).unwrap();
        let shown = s.inspect(kind).unwrap();
        assert!(shown.properties.len() > 5, "{kind} has a panel");
        assert!(shown.properties.iter().all(|p| !p.doc.is_empty()), "{kind}");
        let saved = kreisel_scene::parse("saved.toml", &s.save())
            .unwrap_or_else(|e| panic!("{:?}", e.problems));
        assert!(saved.world.controller_named(kind).is_some());
        let wrong = s
            .apply(1, &set(kind, "colour of the wind", PropertyValue::Number(Some(1.0))))
            .unwrap_err();
        assert!(wrong.0.contains("no property"), "{wrong}");
    }
    let mut s = session(SCENE);
    assert!(s.apply(1, &controller("wish", [0.0; 3])).unwrap_err().0.contains("vector, spring"));
}

#[test]
fn a_recorded_path_becomes_a_curve_that_leads_a_body_and_takes_its_constraints_along_when_removed()
{
    let mut s = session(SCENE);
    // W-134: positions of a body that was moved; a straight line has a straight spline.
    let points: Vec<[f64; 3]> = (0..7).map(|k| [0.5 * f64::from(k), 0.0, 1.0]).collect();
    s.apply(1, &Command::AddCurve { name: "way".into(), points: points.clone() }).unwrap();
    assert_eq!(s.describe().curves.len(), 1);
    assert!(s.inspect("way").unwrap().properties.iter().any(|p| p.key == "points.6"));
    s.apply(1, &constraint("point-to-path", "way", [0.0; 3])).unwrap();
    steps(&mut s, 200);
    // 1 m/s along the curve for 1 s; the start takes a moment (alpha = 5/s).
    let x = at(&s, "ball");
    assert!((0.5..1.05).contains(&x.x) && (x.z - 1.0).abs() < 0.02, "{x}");
    s.apply(1, &set("link", "speed", PropertyValue::Number(Some(-1.0)))).unwrap();
    steps(&mut s, 100);
    assert!(at(&s, "ball").x < x.x, "it goes back");
    s.apply(1, &Command::Remove { objects: vec!["way".into()] }).unwrap();
    assert_eq!((s.describe().curves.len(), s.describe().elements.len()), (0, 0));
    s.apply(1, &Command::Undo).unwrap();
    assert_eq!((s.describe().curves.len(), s.describe().elements.len()), (1, 1));
    let saved = kreisel_scene::parse("saved.toml", &s.save())
        .unwrap_or_else(|e| panic!("{:?}", e.problems));
    assert!(saved.world.curve_named("way").is_some());

    // A point held at a place of a curve: its nearest one, a parameter of the element.
    let mut s = session(SCENE);
    s.apply(1, &Command::AddCurve { name: "way".into(), points }).unwrap();
    s.apply(1, &constraint("point-to-point", "way", [1.5, 0.0, 1.0])).unwrap();
    steps(&mut s, 1000);
    assert!((at(&s, "ball").x - 1.5).abs() < 0.02, "{}", at(&s, "ball"));
    s.apply(1, &set("link", "connectors.1.parameter", PropertyValue::Number(Some(0.0)))).unwrap();
    steps(&mut s, 1000);
    assert!(at(&s, "ball").x.abs() < 0.02, "{}", at(&s, "ball"));
    // Too few points, points in one place, too many, kinds that have no curve: refused, nothing
    // changed.
    for points in [
        vec![],
        vec![[0.0; 3]],
        vec![[1.0; 3]; 5],
        vec![[f64::NAN; 3]; 3],
        vec![[0.0, 1.0, 2.0]; 1001],
    ] {
        assert!(s.apply(1, &Command::AddCurve { name: String::new(), points }).is_err());
    }
    assert!(s.apply(1, &constraint("hinge", "way", [0.0; 3])).unwrap_err().0.contains("curve"));
    assert!(
        s.apply(1, &constraint("point-to-path", "world", [0.0; 3]))
            .unwrap_err()
            .0
            .contains("curve")
    );
    assert_eq!((s.describe().curves.len(), s.describe().elements.len()), (1, 1));
}

#[test]
fn formulas_are_properties_and_the_point_that_they_move_is_in_the_frames() {
    let mut s = session(SCENE);
    s.apply(1, &constraint("point-to-function", "world", [0.0; 3])).unwrap();
    steps(&mut s, 200);
    assert!(at(&s, "ball").distance(Vec3::Z) < 1e-3, "it stays where it is: {}", at(&s, "ball"));
    let now = s.simulation().world.time();
    s.apply(
        1,
        &set("link", "connectors.1.function.x", PropertyValue::Text(format!("0.5 * (t - {now})"))),
    )
    .unwrap();
    steps(&mut s, 600);
    // 0.5 m/s for 3 s
    assert!((at(&s, "ball").x - 1.5).abs() < 5e-3, "{}", at(&s, "ball"));
    let moving: Vec<Vec3> = s.moving().collect();
    assert_eq!(moving.len(), 1);
    assert!((moving[0].x - 1.5).abs() < 1e-9, "{}", moving[0]);
    assert_eq!(s.describe().elements[0].anchors[1].moving, Some(0));
    let wrong = s
        .apply(1, &set("link", "connectors.1.function.x", PropertyValue::Text("sin(".into())))
        .unwrap_err();
    assert!(wrong.0.contains("formula"), "{wrong}");
    let long = PropertyValue::Text("1+".repeat(2000));
    assert!(s.apply(1, &set("link", "connectors.1.function.x", long)).is_err());

    let mut s = session(SCENE);
    s.apply(1, &constraint("velocity-to-function", "world", [0.0; 3])).unwrap();
    s.apply(1, &set("link", "connectors.1.function.y", PropertyValue::Text("0.25".into())))
        .unwrap();
    steps(&mut s, 400);
    // The speed comes up with the stabiliser's α = 5/s (Wagner 3.5.4, W-81): y = v (t − (1 −
    // e^(−αt)) / α) = 0.25 (2 − 0.2).
    assert!((at(&s, "ball").y - 0.45).abs() < 1e-3, "{}", at(&s, "ball"));
}

#[test]
fn procedures_have_a_panel_and_every_object_can_be_renamed() {
    let text = format!(
        "{SCENE}\n[[procedure]]\nname = \"keep\"\nbodies = [\"ball\", \"other\"]\nthreshold = 0.5\n"
    );
    let mut s = session(&text);
    assert_eq!(s.describe().procedures.len(), 1);
    s.apply(1, &set("keep", "threshold", PropertyValue::Number(Some(0.25)))).unwrap();
    s.apply(1, &set("keep", "active", PropertyValue::Toggle(false))).unwrap();
    assert!(s.apply(1, &set("keep", "threshold", PropertyValue::Number(Some(-1.0)))).is_err());
    let world = &s.simulation().world;
    let p = world.procedure(world.procedure_named("keep").unwrap()).unwrap();
    assert_eq!((p.threshold, p.active), (0.25, false));
    s.apply(1, &controller("pid", [0.0; 3])).unwrap();
    s.apply(1, &constraint("point-to-point", "world", [0.0, 0.0, 1.0])).unwrap();
    s.apply(1, &Command::AddCurve { name: "way".into(), points: vec![[0.0; 3], [1.0; 3]] })
        .unwrap();
    let field = Command::AddField {
        name: "wind".into(),
        kind: "friction".into(),
        strength: 1.0,
        vector: [0.0; 3],
    };
    s.apply(1, &field).unwrap();
    for (k, old) in ["keep", "pid", "link", "way", "wind", "ball"].into_iter().enumerate() {
        let new = format!("renamed {k}");
        s.apply(1, &set(old, "name", PropertyValue::Text(new.clone()))).unwrap();
        let shown = s.inspect(&new).unwrap();
        assert_eq!(shown.properties[0].value, PropertyValue::Text(new), "{old}");
        assert!(s.inspect(old).is_err());
    }
    s.apply(1, &Command::Remove { objects: vec!["renamed 0".into()] }).unwrap();
    assert!(s.describe().procedures.is_empty());
}

#[test]
fn two_drags_of_a_handle_are_undone_one_by_one() {
    let mut s = session(SCENE);
    let place = |x: f64| Command::Place {
        body: "ball".into(),
        position: [x, 0.0, 1.0],
        rotation: [0.0, 0.0, 0.0, 1.0],
    };
    for x in [0.1, 0.2, 0.3] {
        s.apply(1, &place(x)).unwrap();
    }
    s.apply(1, &Command::Release).unwrap();
    for x in [0.4, 0.5] {
        s.apply(1, &place(x)).unwrap();
    }
    s.apply(1, &Command::Undo).unwrap();
    assert!((at(&s, "ball").x - 0.3).abs() < 1e-12);
    s.apply(1, &Command::Undo).unwrap();
    assert!(at(&s, "ball").x.abs() < 1e-12);
}

/// A link that is off is drawn so, whatever switched it off: its load, a contradiction, or the
/// scene's own clock.
#[test]
fn what_is_dead_is_described_as_dead() {
    let pin = |name: &str, x: f64, more: &str| {
        format!(
            "[[constraint]]\nname = \"{name}\"\ntype = \"point-to-point\"\n\
             connectors = [{{ body = \"ball\", point = [0, 0, 0] }}, {{ fixed = [{x}, 0, 1] }}]\n{more}\n"
        )
    };
    let active = |s: &Session, name: &str| {
        s.describe().elements.iter().find(|e| e.name == name).unwrap().active
    };
    // 2 kg weigh 19.6 N
    for method in ["lagrange", "direct"] {
        let text = format!(
            "{}\n{}",
            SCENE.replace("lagrange", method),
            pin("thread", 0.0, "breaking = 10")
        );
        let mut s = session(&text);
        assert!(active(&s, "thread"), "{method}");
        let before = s.revision();
        steps(&mut s, 5);
        assert!(
            !active(&s, "thread") && s.revision() > before,
            "{method}: {} {}",
            before,
            s.revision()
        );
        // told once, not with every step
        let after = s.revision();
        steps(&mut s, 5);
        assert_eq!(s.revision(), after, "{method}");
    }
    // two places for one point
    let both = pin("here", 0.0, "") + pin("there", 0.5, "").as_str();
    let text = format!("{SCENE}\n[lagrange]\non_singular = \"abort\"\n{both}");
    let mut s = session(&text);
    let before = s.revision();
    steps(&mut s, 3);
    assert!(
        s.revision() > before && active(&s, "here") != active(&s, "there"),
        "one of them is off"
    );
    // the scene's own clock
    let switch = "[[switch]]\nat = 0.01\nitem = \"late\"\nactive = false\n";
    let text = format!("{SCENE}\n{}{switch}", pin("late", 0.0, ""));
    let mut s = session(&text);
    let before = s.revision();
    steps(&mut s, 4);
    assert!(!active(&s, "late") && s.revision() > before);
}

/// A budget of the session ends steps; it is no part of what is saved, and the scene's own wins.
#[test]
fn the_time_budget_of_a_session_is_its_own() {
    use std::time::Duration;
    let budget = |s: &Session| s.simulation().world.settings().time_budget;
    let second = Duration::from_secs(1);
    let mut s = session(SCENE).with_budget(second);
    assert_eq!(budget(&s), Some(second));
    assert!(!s.save().contains("time_budget"));
    s.apply(1, &set("world", "time_budget", PropertyValue::Number(Some(0.25)))).unwrap();
    assert_eq!(budget(&s), Some(Duration::from_millis(250)));
    assert!(s.save().contains("time_budget = 0.25"));
    s.apply(1, &set("world", "time_budget", PropertyValue::Number(None))).unwrap();
    assert_eq!(budget(&s), Some(second));
    s.apply(1, &Command::Restart).unwrap();
    assert_eq!(budget(&s), Some(second));
    let own = SCENE.replace("step = 0.005", "step = 0.005\n    time_budget = 0.5");
    s.apply(1, &Command::Load { name: "own.toml".into(), text: own, merge: false }).unwrap();
    assert_eq!(budget(&s), Some(Duration::from_millis(500)));
}
