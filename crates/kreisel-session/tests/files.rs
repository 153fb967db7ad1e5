//! Saving a live world as a scene, loading and merging scenes.

use kreisel_session::journal::Header;
use kreisel_session::protocol::{Command, PropertyValue, ShapeSpec, SolidSpec};
use kreisel_session::session::Session;

const SCENE: &str = r#"
    title = "An arm"
    [world]
    step = 0.005
    [[body]]
    name = "arm"
    shape = { box = [1.0, 0.1, 0.1] }
    mass = 1.0
    position = [0.5, 0, 0]
    color = "blue"
    [[joint]]
    name = "pivot"
    type = "hinge"
    bodies = ["world", "arm"]
    axis = [0, 1, 0]
    [[show]]
    body = "arm"
    shape = { sphere = 0.1 }
"#;

fn session(text: &str) -> Session {
    Header::new("test.toml", text, &[]).session(&Default::default()).expect("a good scene")
}

#[test]
fn an_edited_world_is_saved_with_its_state_and_its_looks() {
    let mut s = session(SCENE);
    for _ in 0..50 {
        s.step();
    }
    let shape = ShapeSpec {
        solid: SolidSpec::Sphere(0.2),
        density: 500.0,
        kind: "dynamic".into(),
        position: [0.0, 2.0, 0.0],
        rotation: [0.0, 0.0, 0.0, 1.0],
        color: Some([10, 200, 30]),
    };
    s.apply(1, &Command::AddBody { name: "ball".into(), shape }).unwrap();
    let (bodies, anchors) =
        (["arm".to_owned(), "ball".to_owned()], [[0.5, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    let spring =
        Command::AddSpring { name: "tie".into(), bodies, anchors, stiffness: 30.0, damping: 1.0 };
    s.apply(1, &spring).unwrap();
    for _ in 0..50 {
        s.step();
    }
    let saved = s.save();
    let scene = kreisel_scene::parse("saved.toml", &saved)
        .unwrap_or_else(|e| panic!("{:?}\n{saved}", e.problems));
    let world = &s.simulation().world;
    assert_eq!(scene.world.state_hash(), world.state_hash(), "the same state to the bit");
    assert_eq!((scene.step, scene.title.as_deref()), (0.005, Some("An arm")));
    assert_eq!(scene.shows.len(), 1);
    let ball = scene.world.body_named("ball").unwrap();
    assert_eq!(scene.looks.iter().find(|l| l.body == ball).unwrap().color, Some([10, 200, 30]));
    assert_eq!(scene.shape(ball).unwrap().kind(), "sphere");
    // both go on together; a saved world lacks the memory of the last step's impulses
    let mut again = session(&saved);
    for _ in 0..100 {
        s.step();
        again.step();
    }
    let at = |s: &Session| {
        s.simulation().world.position(s.simulation().world.body_named("ball").unwrap()).unwrap()
    };
    assert!(at(&s).distance(at(&again)) < 1e-6);
}

#[test]
fn what_was_removed_is_not_saved_and_its_place_may_be_taken() {
    let mut s = session(SCENE);
    s.apply(1, &Command::Remove { objects: vec!["arm".into()] }).unwrap();
    let shape = ShapeSpec {
        solid: SolidSpec::Cone([0.1, 0.3]),
        density: 500.0,
        kind: "dynamic".into(),
        position: [0.0; 3],
        rotation: [0.0, 0.0, 0.0, 1.0],
        color: None,
    };
    s.apply(1, &Command::AddBody { name: "cone".into(), shape }).unwrap();
    let saved = s.save();
    let scene = kreisel_scene::parse("saved.toml", &saved)
        .unwrap_or_else(|e| panic!("{:?}\n{saved}", e.problems));
    assert_eq!(
        (scene.world.bodies().count(), scene.world.joints().count(), scene.shows.len()),
        (1, 0, 0)
    );
    let cone = scene.world.body_named("cone").unwrap();
    assert_eq!(scene.shape(cone).unwrap().kind(), "cone");
}

#[test]
fn constraints_and_fields_are_made_set_removed_and_undone() {
    let text = format!(
        "{SCENE}\n[[body]]\nname = \"ball\"\nshape = {{ sphere = 0.1 }}\nmass = 1\nposition = [0, 1, 0]"
    );
    let text = text.replace(
        "step = 0.005",
        "step = 0.005\n    method = \"lagrange\"\n    gravity = [0, 0, 0]",
    );
    let mut s = session(&text);
    let add = Command::AddConstraint {
        name: "goal".into(),
        kind: "point-to-point".into(),
        bodies: ["ball".into(), "world".into()],
        points: [[0.0, 1.0, 0.0], [0.5, 1.0, 0.0]],
        axis: [0.0, 0.0, 1.0],
    };
    s.apply(1, &add).unwrap();
    assert_eq!(s.describe().elements.len(), 1);
    for _ in 0..800 {
        s.step();
    }
    // alpha is 5/s: after 4 s the point is where it shall be
    let at = |s: &Session| {
        s.simulation().world.position(s.simulation().world.body_named("ball").unwrap()).unwrap()
    };
    assert!((at(&s).x - 0.5).abs() < 1e-3, "{}", at(&s));
    let off = Command::Set {
        object: "goal".into(),
        key: "active".into(),
        value: PropertyValue::Toggle(false),
    };
    s.apply(1, &off).unwrap();
    let field = Command::AddField {
        name: "wind".into(),
        kind: "gravity".into(),
        strength: 0.0,
        vector: [0.0, 2.0, 0.0],
    };
    s.apply(1, &field).unwrap();
    let y = at(&s).y;
    for _ in 0..200 {
        s.step();
    }
    // half of 2 m/s² in 1 s
    assert!((at(&s).y - y - 1.0).abs() < 1e-3, "{}", at(&s).y - y);
    assert!(s.inspect("goal").unwrap().properties.iter().any(|p| p.key == "alpha"));
    assert!(s.inspect("wind").unwrap().properties.iter().any(|p| p.key == "gravity"));
    s.apply(1, &Command::Remove { objects: vec!["goal".into(), "wind".into()] }).unwrap();
    assert_eq!((s.describe().elements.len(), s.describe().fields.len()), (0, 0));
    s.apply(1, &Command::Undo).unwrap();
    assert_eq!((s.describe().elements.len(), s.describe().fields.len()), (1, 1));
    let saved = kreisel_scene::parse("saved.toml", &s.save())
        .unwrap_or_else(|e| panic!("{:?}", e.problems));
    assert!(
        saved.world.constraint_named("goal").is_some() && saved.world.field_named("wind").is_some()
    );
    let axes = [
        "orientation",
        "in-line",
        "ortho",
        "hinge",
        "slide",
        "universal",
        "distance",
        "equal-velocity",
    ];
    for kind in axes {
        let bodies = ["arm".to_owned(), "ball".to_owned()];
        let add = Command::AddConstraint {
            name: kind.into(),
            kind: kind.into(),
            bodies,
            points: [[0.0, 0.5, 0.0], [0.2, 0.5, 0.0]],
            axis: [0.0, 0.0, 1.0],
        };
        s.apply(1, &add).unwrap_or_else(|e| panic!("{kind}: {e}"));
    }
    assert_eq!(s.describe().elements.len(), 1 + axes.len());
}

#[test]
fn scenes_with_meshes_are_loaded_and_merged_live_and_replayed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/shapes");
    let options = kreisel_scene::Options { folder: Some(folder.clone()), ..Default::default() };
    let text = std::fs::read_to_string(folder.join("meshes.toml")).unwrap();
    let header = Header::new("test.toml", SCENE, &[]);
    let mut s = header.session(&options).unwrap();
    let mut journal = kreisel_session::journal::Journal::new(&header);
    for merge in [true, false] {
        let load = Command::Load { name: "meshes.toml".into(), text: text.clone(), merge };
        journal.note(s.steps(), 1, &load);
        s.apply(1, &load).unwrap();
        let name = if merge { "meshes/octahedron" } else { "octahedron" };
        assert!(s.simulation().world.body_named(name).is_some());
        for _ in 0..5 {
            s.step();
        }
    }
    let done = kreisel_session::journal::replay(&journal.text(&s), &options, |_| true).unwrap();
    assert!(done.checked);
    // without the folder the meshes cannot be read, and the refusal says so
    let mut bare = session(SCENE);
    let load = Command::Load { name: "meshes.toml".into(), text, merge: false };
    let refused = bare.apply(1, &load).unwrap_err().0;
    assert!(refused.contains("meshes.toml:"), "{refused}");
}
