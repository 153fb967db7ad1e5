//! Nothing is lost: what was built before the first step, the past after an undo, the run of a
//! saved world, and the seconds before a death.

use kreisel_session::journal::{self, Header, Journal};
use kreisel_session::protocol::{Command, PropertyValue, ShapeSpec, SolidSpec};
use kreisel_session::session::Session;

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

fn ball(name: &str, x: f64) -> Command {
    let shape = ShapeSpec {
        solid: SolidSpec::Sphere(0.1),
        density: 1000.0,
        kind: "dynamic".into(),
        position: [x, 0.0, 1.0],
        rotation: [0.0, 0.0, 0.0, 1.0],
        color: None,
    };
    Command::AddBody { name: name.into(), shape }
}

fn run(s: &mut Session, steps: usize) {
    for _ in 0..steps {
        s.step();
    }
}

fn has(s: &Session, name: &str) -> bool {
    s.simulation().world.body_named(name).is_some()
}

fn time(s: &Session) -> f64 {
    s.simulation().world.time()
}

#[test]
fn what_is_built_before_the_first_step_is_there_after_a_restart_and_a_rewind() {
    let mut s = session(PENDULUM);
    s.apply(1, &ball("early", 2.0)).unwrap();
    let color = Command::Set {
        object: "arm".into(),
        key: "mass".into(),
        value: PropertyValue::Number(Some(3.0)),
    };
    s.apply(1, &color).unwrap();
    run(&mut s, 50);
    s.apply(1, &ball("late", 3.0)).unwrap();
    run(&mut s, 20);
    s.apply(1, &Command::Rewind { time: 0.0 }).unwrap();
    assert!(time(&s) == 0.0 && has(&s, "early") && !has(&s, "late"));
    assert!(
        s.take_notes().iter().any(|n| n.contains("undo")),
        "it is said that something is not there"
    );
    // and the way back
    s.apply(1, &Command::Undo).unwrap();
    assert!(has(&s, "late") && (time(&s) - 0.7).abs() < 1e-9, "{}", time(&s));

    s.apply(1, &Command::Restart).unwrap();
    assert!(time(&s) == 0.0 && has(&s, "early") && !has(&s, "late"));
    assert!(s.take_notes().iter().any(|n| n.contains("0.500 s")));
    let world = &s.simulation().world;
    assert_eq!(world.body(world.body_named("arm").unwrap()).unwrap().mass.mass, 3.0);
    // what is removed before the first step stays away
    s.apply(1, &Command::Remove { objects: vec!["early".into()] }).unwrap();
    run(&mut s, 5);
    s.apply(1, &Command::Restart).unwrap();
    assert!(!has(&s, "early"));
}

#[test]
fn the_past_survives_undo_redo_and_an_undone_restart() {
    let mut s = session(PENDULUM);
    run(&mut s, 100);
    s.apply(1, &ball("ball", 2.0)).unwrap();
    run(&mut s, 100);
    s.apply(1, &Command::Undo).unwrap();
    assert!(
        (time(&s) - 1.0).abs() < 1e-9 && s.times()[0] == 0.0 && s.times()[1] == time(&s),
        "{:?}",
        s.times()
    );
    s.apply(1, &Command::Redo).unwrap();
    assert!(has(&s, "ball") && s.times()[0] == 0.0, "{:?}", s.times());
    s.apply(1, &Command::Undo).unwrap();

    // the states are those of this past: going on from one of them gives what came before
    let mut other = session(PENDULUM);
    run(&mut other, 77);
    s.apply(1, &Command::Rewind { time: 0.4 }).unwrap();
    let steps = ((0.77 - time(&s)) / 0.01).round() as usize;
    run(&mut s, steps);
    assert_eq!(s.hash(), other.hash());

    // a new branch forgets the states that it left
    s.apply(1, &Command::Undo).unwrap_err();
    assert!((s.times()[1] - 0.77).abs() < 0.04, "{:?}", s.times());
    s.apply(1, &Command::Restart).unwrap();
    assert_eq!(s.times(), [0.0, 0.0]);
    s.apply(1, &Command::Undo).unwrap();
    assert!(
        (time(&s) - 0.77).abs() < 1e-9 && s.times()[0] == 0.0 && s.times()[1] == time(&s),
        "{:?}",
        s.times()
    );
}

/// A script that pushes harder with every step: its count goes back with the world.
#[test]
fn scripts_go_back_with_the_world() {
    let text = r#"
        [world]
        gravity = [0, 0, 0]
        [[body]]
        name = "ball"
        shape = { sphere = 0.1 }
        mass = 1
        [script]
        build = '''
            fn on_step() {
                if this.count == () { this.count = 0; this.ball = body("ball"); }
                this.count += 1;
                this.ball.push([this.count, 0, 0]);
            }
        '''
    "#;
    let mut s = session(text);
    run(&mut s, 60);
    let end = s.hash();
    for back in [0.45, 0.0, 0.3] {
        s.apply(1, &Command::Rewind { time: back }).unwrap();
        let steps = ((0.6 - time(&s)) / 0.01).round() as usize;
        run(&mut s, steps);
        assert!(s.take_problems().is_empty());
        assert_eq!(s.hash(), end, "back to {back} s");
    }
}

/// A world that was edited (with gaps where things were, joints made in later poses) goes on after
/// saving as it would have gone on: the other path is the session itself.
#[test]
fn an_edited_world_that_is_saved_goes_on_with_the_same_bits() {
    let text = r#"
        [world]
        ground = { height = -2 }
        [[body]]
        repeat = 3
        name = "b{i}"
        shape = { box = [0.4, 0.1, 0.1] }
        position = ["0.4 * i + 0.2", 0, 0]
        [[joint]]
        name = "first"
        type = "hinge"
        bodies = ["world", "b0"]
        axis = [0, 1, 0]
        [[joint]]
        name = "second"
        type = "ball"
        bodies = ["b0", "b1"]
        at = [0.4, 0, 0]
        [[constraint]]
        name = "tied"
        type = "point-to-point"
        connectors = [{ body = "b1", point = [0.2, 0, 0] }, { body = "b2", point = [-0.2, 0, 0] }]
        [[spring]]
        name = "spring"
        bodies = ["world", "b2"]
        at = [[1, 1, 1], [1.2, 0, 0]]
        stiffness = 30
        damping = 0.3
    "#;
    let mut s = session(text);
    run(&mut s, 33);
    for k in 0..4 {
        s.apply(1, &ball(&format!("ball {k}"), 1.0 + 0.5 * f64::from(k))).unwrap();
        run(&mut s, 3);
    }
    let position = |s: &Session, name: &str| {
        let w = &s.simulation().world;
        w.position(w.body_named(name).unwrap()).unwrap()
    };
    let at = position(&s, "ball 2").to_array();
    let joint = Command::AddJoint {
        name: "late".into(),
        kind: "universal".into(),
        bodies: ["b1".into(), "ball 2".into()],
        anchors: [at; 2],
        axis: [0.3, 0.9, 0.1],
        axis2: Some([0.9, -0.3, 0.0]),
    };
    s.apply(1, &joint).unwrap();
    run(&mut s, 10);
    s.apply(1, &Command::Remove { objects: vec!["ball 1".into(), "first".into()] }).unwrap();
    run(&mut s, 10);
    // takes the gap
    s.apply(1, &ball("last", -1.0)).unwrap();
    run(&mut s, 40);

    let saved = s.saved();
    assert!(saved.lost.is_empty());
    let scene = kreisel_scene::parse("saved.toml", &saved.text).unwrap();
    assert!(!scene.warnings.iter().any(|w| w.message.contains("memory")), "{:?}", scene.warnings);
    let mut other = Session::new(scene).with_budget(std::time::Duration::from_secs(1000));
    for k in 0..60 {
        for name in ["b0", "b1", "b2", "ball 0", "ball 2", "ball 3", "last"] {
            assert_eq!(position(&s, name), position(&other, name), "{name} after {k} steps");
        }
        s.step();
        other.step();
    }
}

/// What is merged far away does not make a servo forget its sums: the other path is the same
/// session without a merge.
#[test]
fn merging_leaves_sums_and_scripts_alone() {
    let servo = format!(
        "{PENDULUM}\n[[motor]]\nname = \"servo\"\njoint = \"pivot\"\n\
         servo = {{ position = 0.3, gain = 60, integral_time = 0.3, derivative_time = 0.1 }}\n"
    );
    let (mut with, mut without) = (session(&servo), session(&servo));
    run(&mut with, 300);
    run(&mut without, 300);
    let far = "[[body]]\nname = 'b'\nshape = { sphere = 0.1 }\nposition = [50, 0, 0]";
    with.apply(1, &Command::Load { name: "far.toml".into(), text: far.into(), merge: true })
        .unwrap();
    assert!(has(&with, "far/b"));
    run(&mut with, 50);
    run(&mut without, 50);
    let arm = |s: &Session| {
        let w = &s.simulation().world;
        w.position(w.body_named("arm").unwrap()).unwrap()
    };
    // m g l / 2 = 4.9 N m is the integral's: without it the arm falls towards 0.08 rad; with it the
    // two differ by what the joints' tolerance (1e-6 m) leaves open
    let off = arm(&with).distance(arm(&without));
    assert!(off < 1e-5, "{off} m");
}

#[test]
fn a_journal_of_a_session_that_died_is_replayed_to_its_last_beat() {
    let path = std::env::temp_dir().join(format!("kreisel-past-{}.jsonl", std::process::id()));
    let header = Header::new("p.toml", PENDULUM, &[]);
    let mut s = header.session(&Default::default()).unwrap();
    let mut journal = Journal::create(&path, &header).unwrap();
    run(&mut s, 10);
    let push =
        Command::Push { body: "arm".into(), impulse: [0.0, 0.0, 1.0], point: [1.0, 0.0, 0.0] };
    journal.note(s.steps(), 1, &push);
    s.apply(1, &push).unwrap();
    run(&mut s, 90);
    journal.beat(&s);
    // nothing was done since: no line
    journal.beat(&s);
    let hash = s.hash();
    run(&mut s, 30);
    drop(journal);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    let done = journal::replay(&text, &Default::default(), |_| true).unwrap();
    assert_eq!(
        (done.session.steps(), done.session.hash(), done.checked),
        (100, hash.clone(), false)
    );
    // a beat that does not agree is told with its step
    let wrong = text.replace(&hash, &"0".repeat(64));
    assert!(matches!(
        journal::replay(&wrong, &Default::default(), |_| true),
        Err(journal::ReplayError::Differs { steps: 100, .. })
    ));
}
