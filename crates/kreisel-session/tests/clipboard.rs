//! Copy, cut and paste of every kind, locks, markers, sizes and sliders: what a page does with what
//! exists.

use kreisel_dynamics::Vec3;
use kreisel_session::protocol::{Command, EndSpec, PropertyValue};
use kreisel_session::session::Session;

fn session(text: &str) -> Session {
    Session::new(kreisel_scene::parse("a.toml", text).expect("a scene"))
}

fn run(s: &mut Session, command: Command) {
    s.apply(1, &command).unwrap_or_else(|e| panic!("{command:?}: {e}"));
}

fn refused(s: &mut Session, command: Command) -> String {
    s.apply(1, &command).expect_err("it must be refused").0
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|n| (*n).to_owned()).collect()
}

fn paste(text: &str, offset: [f64; 3]) -> Command {
    Command::Paste { text: text.into(), offset }
}

const MACHINE: &str = r#"
    [[body]]
    name = "arm"
    shape = { box = [1, 0.1, 0.1] }
    position = [0.5, 0, 0]
    color = "red"
    [[body]]
    name = "bob"
    shape = { sphere = 0.1 }
    position = [1, 0, -0.5]
    [[joint]]
    name = "pivot"
    type = "hinge"
    bodies = ["world", "arm"]
    axis = [0, 1, 0]
    limits = { angle = [-1, 2] }
    [[spring]]
    name = "coil"
    bodies = ["arm", "bob"]
    at = [[1, 0, 0], [1, 0, -0.5]]
    stiffness = 10
    [[motor]]
    name = "drive"
    joint = "pivot"
    effort = 0.1
    [[force]]
    name = "wind"
    body = "bob"
    force = [1, 0, 0]
    [[marker]]
    name = "tip"
    body = "arm"
    at = [0.5, 0, 0]
    [[curve]]
    name = "way"
    points = [[0, 0, 0], [1, 0, 0.5], [2, 1, 0]]
    [[constraint]]
    name = "link"
    type = "distance"
    connectors = [{ body = "arm" }, { body = "bob" }]
    active = false
    [[controller]]
    name = "rope"
    type = "spring"
    stiffness = 10
    connectors = [{ body = "bob" }, { fixed = [0, 0, 2] }]
    [[field]]
    name = "pull"
    type = "radial"
    strength = -1
    center = [3, 0, 0]
    [[procedure]]
    name = "apart"
    bodies = ["arm", "bob"]
    threshold = 0.01
    [[sensor]]
    name = "place"
    type = "position"
    body = "bob"
"#;

/// Everything is cut in the middle of a run and pasted 5 m away: the same kinds with the same
/// parameters, linked to each other.
#[test]
fn what_is_cut_can_be_pasted_with_all_its_links_and_parameters() {
    let mut s = session(MACHINE);
    for _ in 0..20 {
        s.step();
    }
    let before = s.items();
    let at = |s: &Session, name: &str| {
        let world = &s.simulation().world;
        world.position(world.body_named(name).expect("the body")).expect("its place")
    };
    let (arm, bob) = (at(&s, "arm"), at(&s, "bob"));
    let everything: Vec<String> =
        before.iter().filter(|(kind, _)| *kind != "world").flat_map(|(_, n)| n.clone()).collect();
    assert_eq!(everything.len(), 13);
    let text = s.clip(&everything).expect("a text");
    let mut there: Vec<String> = Vec::new();
    for name in &everything {
        there.push(format!("{:?}", s.inspect(name).expect("it is there").properties.len()));
    }

    run(&mut s, Command::Remove { objects: everything.clone() });
    assert_eq!(s.simulation().world.bodies().count(), 0);
    run(&mut s, paste(&text, [0.0, 5.0, 0.0]));

    // under their old names, which are free again
    let sorted = |mut items: Vec<(&'static str, Vec<String>)>| {
        items.iter_mut().for_each(|(_, names)| names.sort());
        items
    };
    assert_eq!(sorted(s.items()), sorted(before));
    for (name, count) in everything.iter().zip(&there) {
        let now = s.inspect(name).expect("it is back").properties.len();
        assert_eq!(&format!("{now:?}"), count, "{name}");
    }
    let five = Vec3::new(0.0, 5.0, 0.0);
    assert!((at(&s, "arm") - arm - five).length() < 1e-12);
    assert!((at(&s, "bob") - bob - five).length() < 1e-12);
    let world = &s.simulation().world;
    let (gap, tilt) =
        world.joint_error(world.joint_named("pivot").expect("the joint")).expect("an error");
    assert!(gap < 1e-6 && tilt < 1e-6, "the hinge came along: {gap} m, {tilt} rad");
    let center = s.inspect("pull").expect("the field").properties;
    let center = center.iter().find(|p| p.key == "center").expect("a centre");
    assert_eq!(center.value, PropertyValue::Vector([3.0, 5.0, 0.0]));
    for _ in 0..20 {
        s.step();
    }
}

/// A second paste takes free names, and what is pasted beside its original hangs on the same body.
#[test]
fn copies_have_names_of_their_own_and_single_links_keep_their_partners() {
    let mut s = session(MACHINE);
    let text = s.clip(&names(&["arm"])).expect("a text");
    run(&mut s, paste(&text, [0.0, 1.0, 0.0]));
    run(&mut s, paste(&text, [0.0, 2.0, 0.0]));
    let world = &s.simulation().world;
    for name in ["arm 2", "pivot 2", "drive 2", "tip 2", "arm 3", "pivot 3", "drive 3", "tip 3"] {
        assert!(s.inspect(name).is_ok(), "{name}");
    }
    assert!(world.spring_named("coil 2").is_none(), "its other body was not copied");
    // the copy of a field is another field, and one edit of it leaves the first alone
    let field = s.clip(&names(&["pull"])).expect("a text");
    run(&mut s, paste(&field, [0.0; 3]));
    let set = |value| Command::Set { object: "pull 2".into(), key: "strength".into(), value };
    run(&mut s, set(PropertyValue::Number(Some(-7.0))));
    let strength = |s: &Session, name: &str| {
        let all = s.inspect(name).expect("a field").properties;
        all.into_iter().find(|p| p.key == "strength").expect("a strength").value
    };
    assert_eq!(strength(&s, "pull"), PropertyValue::Number(Some(-1.0)));
    assert_eq!(strength(&s, "pull 2"), PropertyValue::Number(Some(-7.0)));
    // a spring alone goes on linking the same bodies
    let spring = s.clip(&names(&["coil"])).expect("a text");
    run(&mut s, paste(&spring, [9.0, 9.0, 9.0]));
    let world = &s.simulation().world;
    let (old, new) = (world.spring_named("coil"), world.spring_named("coil 2"));
    let (old, new) = (old.expect("a spring"), new.expect("its copy"));
    assert_eq!(world.spring(old).expect("it").bodies, world.spring(new).expect("it").bodies);
    assert_eq!(world.spring_anchors(old), world.spring_anchors(new));
    // rubbish is refused, and changes nothing
    let items = s.items();
    for text in ["", "no text", "[world]\nstep = 1", "[[body]]\nrepeat = 9\nname = \"a {i}\""] {
        let refused = s.apply(1, &paste(text, [0.0; 3]));
        assert!(refused.is_err() || s.items() == items, "{text}");
    }
    assert!(s.clip(&names(&["nobody"])).is_err());
}

#[test]
fn what_is_locked_is_left_alone_until_it_is_unlocked() {
    let mut s = session(MACHINE);
    let lock = |name: &str, on| Command::Lock { objects: names(&[name]), on };
    run(&mut s, lock("bob", true));
    run(&mut s, lock("link", true));
    assert_eq!(s.describe().locked, ["bob", "link"]);
    let heavy = Command::Set {
        object: "bob".into(),
        key: "mass".into(),
        value: PropertyValue::Number(Some(9.0)),
    };
    assert!(refused(&mut s, heavy.clone()).contains("locked"));
    let place =
        Command::Place { body: "bob".into(), position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
    assert!(refused(&mut s, place).contains("locked"));
    assert!(refused(&mut s, Command::Remove { objects: names(&["bob"]) }).contains("locked"));
    // nor can it be taken away by what it hangs on
    let words = refused(&mut s, Command::Remove { objects: names(&["arm"]) });
    assert!(words.contains("link") && s.inspect("arm").is_ok(), "{words}");
    run(&mut s, Command::Undo);
    assert_eq!(s.describe().locked, ["bob"]);
    run(&mut s, lock("bob", false));
    run(&mut s, heavy);
    assert!(refused(&mut s, lock("nobody", true)).contains("nothing named"));
}

/// A box of twice the size has eight times the mass and 32 times the inertia.
#[test]
fn a_larger_body_keeps_its_density() {
    let mut s = session(MACHINE);
    let mass = |s: &Session, name: &str| {
        let world = &s.simulation().world;
        world.body(world.body_named(name).expect("a body")).expect("it").mass
    };
    let before = mass(&s, "arm");
    run(&mut s, Command::Scale { body: "arm".into(), factors: [2.0; 3] });
    let after = mass(&s, "arm");
    assert!((after.mass / before.mass - 8.0).abs() < 1e-12);
    assert!((after.inertia.y_axis.y / before.inertia.y_axis.y - 32.0).abs() < 1e-9);
    // a ball that is drawn out is an ellipsoid: J of a solid one is m (b² + c²) / 5
    run(&mut s, Command::Scale { body: "bob".into(), factors: [1.0, 1.0, 3.0] });
    let long = mass(&s, "bob");
    let jx = long.mass * (0.1_f64.powi(2) + 0.3_f64.powi(2)) / 5.0;
    assert!((long.inertia.x_axis.x / jx - 1.0).abs() < 1e-12);
    for factors in [[0.0; 3], [-1.0, 1.0, 1.0], [f64::NAN; 3], [1e9; 3]] {
        refused(&mut s, Command::Scale { body: "arm".into(), factors });
    }
}

/// A slider turns what hangs on a joint, rigidly; what is part of a loop is left to servos.
#[test]
fn a_slider_gives_a_joint_its_angle_and_opens_nothing_else() {
    let mut s = session(
        r#"
        [[body]]
        name = "upper"
        shape = { box = [1, 0.1, 0.1] }
        position = [0.5, 0, 0]
        [[body]]
        name = "lower"
        shape = { box = [1, 0.1, 0.1] }
        position = [1.5, 0, 0]
        [[joint]]
        name = "shoulder"
        type = "hinge"
        bodies = ["world", "upper"]
        axis = [0, 1, 0]
        [[joint]]
        name = "elbow"
        type = "hinge"
        bodies = ["lower", "upper"]
        at = [1, 0, 0]
        axis = [0, 1, 0]
        [[body]]
        name = "sledge"
        shape = { sphere = 0.1 }
        position = [0, 3, 0]
        [[joint]]
        name = "rail"
        type = "slider"
        bodies = ["world", "sledge"]
        at = [0, 3, 0]
        axis = [1, 0, 0]
    "#,
    );
    let drive = |joint: &str, coordinate: &str, value| Command::Drive {
        joint: joint.into(),
        coordinate: coordinate.into(),
        value,
    };
    for (joint, word, value) in
        [("shoulder", "angle", 0.7), ("elbow", "angle", -0.4), ("rail", "position", 1.25)]
    {
        run(&mut s, drive(joint, word, value));
        let world = &s.simulation().world;
        let c = if word == "angle" {
            kreisel_dynamics::Coordinate::Angle
        } else {
            kreisel_dynamics::Coordinate::Position
        };
        let now = world.coordinate(world.joint_named(joint).expect("it"), c).expect("a value");
        assert!((now - value).abs() < 1e-12, "{joint} {now}");
    }
    let world = &s.simulation().world;
    for joint in world.joints() {
        let (gap, tilt) = world.joint_error(joint).expect("an error");
        assert!(gap < 1e-12 && tilt < 1e-12, "{gap} {tilt}");
    }
    // the elbow is where the upper arm's end is: at (cos, -sin) of 0.7, one metre out
    let elbow =
        world.joint_frames(world.joint_named("elbow").expect("it")).expect("frames")[0].point;
    let sign = elbow.z.signum();
    assert!((elbow - Vec3::new(0.7_f64.cos(), 0.0, sign * 0.7_f64.sin())).length() < 1e-12);
    // a loop
    let close = "[[joint]]\nname = \"close\"\ntype = \"ball\"\nbodies = [\"world\", \"lower\"]";
    s.apply(1, &Command::Extend { name: "a.toml".into(), text: close.into() }).expect("a joint");
    assert!(refused(&mut s, drive("elbow", "angle", 0.1)).contains("loop"));
    assert!(refused(&mut s, drive("rail", "angle", 0.1)).contains("rail"));
    assert!(refused(&mut s, drive("rail", "position", f64::NAN)).contains("finite"));
}

/// What was changed knows what it was, and goes back to it: one value, or all of the object; a
/// joint stays where it holds its bodies now.
#[test]
fn objects_go_back_to_what_the_scene_began_with() {
    let mut s = session(MACHINE);
    let value = |s: &Session| {
        let all = s.inspect("coil").expect("a spring").properties;
        let p = all.into_iter().find(|p| p.key == "stiffness").expect("a key");
        (p.value, p.original)
    };
    let number = |x: f64| PropertyValue::Number(Some(x));
    let set = |value| Command::Set { object: "coil".into(), key: "stiffness".into(), value };
    assert_eq!(value(&s), (number(10.0), None));
    run(&mut s, set(number(5.0)));
    // an edit before the first step belongs to the start
    assert_eq!(value(&s), (number(5.0), None));
    for _ in 0..30 {
        s.step();
    }
    run(&mut s, set(number(7.0)));
    assert_eq!(value(&s), (number(7.0), Some(number(5.0))));
    let anchors = |s: &Session| {
        let world = &s.simulation().world;
        world.spring_anchors(world.spring_named("coil").expect("it")).expect("its ends")
    };
    let before = anchors(&s);
    run(&mut s, Command::Reset { objects: names(&["coil"]) });
    assert_eq!(value(&s), (number(5.0), None));
    let after = anchors(&s);
    assert!((0..2).all(|k| (before[k] - after[k]).length() < 1e-12), "{before:?} {after:?}");
    // a body goes back to where it was
    run(&mut s, Command::Reset { objects: names(&["arm"]) });
    let world = &s.simulation().world;
    let arm = world.body_named("arm").expect("it");
    assert!((world.position(arm).expect("a place") - Vec3::new(0.5, 0.0, 0.0)).length() < 1e-12);
    assert!(world.velocity(arm).expect("a velocity").length() < 1e-12);
    let at = EndSpec { body: "arm".into(), point: [0.0; 3] };
    run(&mut s, Command::AddMarker { name: "new".into(), at });
    assert!(refused(&mut s, Command::Reset { objects: names(&["new"]) }).contains("was not there"));
}

/// A hinge between two pairs of picked points: the same motion as the hinge joint there.
#[test]
fn constraints_are_made_between_picked_points_and_axes() {
    let text = |joint: &str| {
        format!(
            "[[body]]\nname = 'arm'\nshape = {{ box = [1, 0.1, 0.1] }}\nposition = [0.5, 0, 0]\n{joint}"
        )
    };
    let joint = "[[joint]]\ntype = 'hinge'\nbodies = ['world', 'arm']\naxis = [0, 1, 0]";
    let (mut a, mut b) = (session(&text(joint)), session(&text("")));
    let end = |point| EndSpec { body: "arm".into(), point };
    run(
        &mut b,
        Command::Connect {
            name: "pin".into(),
            kind: "hinge".into(),
            ends: vec![end([-0.5, 0.0, 0.0]), end([-0.5, 1.0, 0.0])],
            active: true,
        },
    );
    for _ in 0..50 {
        a.step();
        b.step();
    }
    let place = |s: &Session| {
        let world = &s.simulation().world;
        world.position(world.body_named("arm").expect("it")).expect("a place")
    };
    assert!((place(&a) - Vec3::new(0.5, 0.0, 0.0)).length() > 0.05, "it fell");
    assert!((place(&a) - place(&b)).length() < 1e-9, "{} {}", place(&a), place(&b));
    // one that waits does nothing
    run(
        &mut b,
        Command::Connect {
            name: "later".into(),
            kind: "point-to-point".into(),
            ends: vec![end([0.5, 0.0, 0.0])],
            active: false,
        },
    );
    assert!(!b.describe().elements.iter().find(|e| e.name == "later").expect("it").active);
    let ends = vec![end([0.0; 3])];
    let alone = Command::Connect { name: String::new(), kind: "hinge".into(), ends, active: true };
    assert!(refused(&mut b, alone).contains("axis"));
}

/// A marker is saved, goes with its body, comes back with undo, and is copied with it.
#[test]
fn markers_last_as_long_as_their_bodies() {
    let mut s = session(MACHINE);
    let at = EndSpec { body: "bob".into(), point: [0.0, 0.0, 0.1] };
    run(&mut s, Command::AddMarker { name: String::new(), at });
    assert!(s.save().contains("[[marker]]\nname = \"marker 1\"\nbody = \"bob\""), "{}", s.save());
    run(&mut s, Command::Copy { objects: names(&["bob"]), offset: [0.0, 1.0, 0.0] });
    assert_eq!(s.describe().markers.len(), 3);
    run(&mut s, Command::Undo);
    run(&mut s, Command::Remove { objects: names(&["bob"]) });
    assert_eq!(s.describe().markers.len(), 1);
    run(&mut s, Command::Undo);
    assert_eq!(s.describe().markers.len(), 2);
    run(
        &mut s,
        Command::Set {
            object: "marker 1".into(),
            key: "at".into(),
            value: PropertyValue::Vector([0.1, 0.0, 0.0]),
        },
    );
    run(
        &mut s,
        Command::Set {
            object: "marker 1".into(),
            key: "name".into(),
            value: PropertyValue::Text("hook".into()),
        },
    );
    let hook = s.describe().markers.into_iter().find(|m| m.name == "hook").expect("the marker");
    assert_eq!((hook.body, hook.at), (1, [0.1, 0.0, 0.0]));
    let end = EndSpec { body: "arm".into(), point: [0.0; 3] };
    assert!(refused(&mut s, Command::AddMarker { name: "arm".into(), at: end }).contains("taken"));
}

/// Poses and velocities are no change of what exists: the page is not told everything anew.
#[test]
fn an_edit_of_the_state_is_undone_but_not_described() {
    let mut s = session(MACHINE);
    for _ in 0..5 {
        s.step();
    }
    let revision = s.revision();
    let place = Command::Place {
        body: "bob".into(),
        position: [2.0, 0.0, 0.0],
        rotation: [0.0, 0.0, 0.0, 1.0],
    };
    let at = |s: &Session| {
        let world = &s.simulation().world;
        world.position(world.body_named("bob").expect("it")).expect("a place")
    };
    let (before, time) = (at(&s), s.simulation().world.time());
    run(&mut s, place);
    assert_eq!(s.revision(), revision);
    // what was stored at that moment has it, what was stored earlier has not
    s.step();
    run(&mut s, Command::Rewind { time });
    assert!((at(&s) - Vec3::new(2.0, 0.0, 0.0)).length() < 1e-12);
    run(&mut s, Command::Undo);
    assert!((at(&s) - before).length() < 1e-12, "{} {before}", at(&s));
    let mass = Command::Set {
        object: "bob".into(),
        key: "mass".into(),
        value: PropertyValue::Number(Some(2.0)),
    };
    let revision = s.revision();
    run(&mut s, mass);
    assert_ne!(s.revision(), revision);
}
