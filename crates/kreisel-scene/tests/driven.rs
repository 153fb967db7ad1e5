//! Keyframes of kinematic bodies (W-171) and emitters (W-175).

use kreisel_dynamics::{Quat, Vec3};
use kreisel_scene::items::Item;
use kreisel_scene::property::Value;
use kreisel_scene::{Simulation, parse, save_run};

fn run(text: &str) -> Simulation {
    Simulation::new(&parse("a.toml", text).unwrap_or_else(|e| panic!("{:?}", e.problems)))
}

fn at(run: &Simulation, body: &str) -> (Vec3, Quat) {
    let id = run.world.body_named(body).expect("the body");
    (run.world.position(id).expect("a place"), run.world.rotation(id).expect("a rotation"))
}

fn until(run: &mut Simulation, time: f64) {
    while run.world.time() < time - 1e-9 {
        run.step();
    }
}

const LIFT: &str = r#"
    [world]
    gravity = [0, 0, 0]
    [[body]]
    name = "lift"
    kind = "kinematic"
    shape = [{ box = [1, 1, 0.2] }, { box = [0.2, 0.2, 0.2], position = [0.4, 0.4, 0.2] }]
    position = [5, 5, 5]
    [[motion]]
    name = "ride"
    body = "lift"
    times = [0.5, 1.0, 2.0]
    positions = [[0, 0, 0], [1, 0, 0], [1, 2, 0]]
    rotations = [[0, 0, 0], [0, 0, 1.5707963267948966], [0, 0, 1.5707963267948966]]
"#;

/// The keyframes are met at their times, halfway the body is halfway, and outside it stands.
#[test]
fn a_kinematic_body_is_where_its_keyframes_say() {
    let mut lift = run(LIFT);
    for (time, position, angle) in [
        (0.3, [0.0, 0.0, 0.0], 0.0),
        (0.75, [0.5, 0.0, 0.0], 0.25),
        (1.0, [1.0, 0.0, 0.0], 0.5),
        (1.5, [1.0, 1.0, 0.0], 0.5),
        (2.5, [1.0, 2.0, 0.0], 0.5),
    ] {
        until(&mut lift, time);
        let (p, q) = at(&lift, "lift");
        assert!((p - Vec3::from_array(position)).length() < 1e-9, "{time}: {p}");
        let turn = Quat::from_rotation_z(angle * std::f64::consts::PI);
        assert!(q.dot(turn).abs() > 1.0 - 1e-12, "{time}: {q}");
    }
    // what stands has no velocity left
    let id = lift.world.body_named("lift").expect("it");
    assert!(lift.world.velocity(id).expect("it").length() < 1e-9);
    // smooth: a quarter of the time is 3/16 - 1/32 of the way, and it repeats; the time is that of
    // a step
    let text = LIFT
        .replace("gravity", "step = 0.005\n    gravity")
        .replace("name = \"ride\"", "name = \"ride\"\ninterpolation = \"smooth\"\ncycle = true");
    let mut lift = run(&text);
    until(&mut lift, 0.5 + 0.125 + 1.5);
    let (p, _) = at(&lift, "lift");
    assert!((p.x - 0.15625).abs() < 1e-9, "{p}");
}

/// A run lets go of a body by its kind: the keyframes lead it no more, also in the scene that is
/// saved then.
#[test]
fn a_body_that_is_let_go_is_led_no_more() {
    let scene = parse("a.toml", LIFT).expect("a scene");
    let mut one = Simulation::new(&scene);
    until(&mut one, 0.75);
    let active = |run: &Simulation| {
        let ride = Item::named(&run.world, run.run_settings(), "ride").expect("the motion");
        ride.get(&run.world, run.run_settings(), "active").expect("a property")
    };
    assert_eq!(active(&one), Value::Flag(true));
    let lift = Item::named(&one.world, one.run_settings(), "lift").expect("the body");
    let (world, settings) = one.parts_mut();
    lift.set(world, settings, "kind", Value::Text("dynamic".into())).expect("another kind");
    let id = one.world.body_named("lift").expect("the body");
    let from = one.world.center_of_mass(id).expect("it");
    let velocity = one.world.velocity(id).expect("it");
    assert!(velocity.length() > 1.0, "{velocity}");
    assert_eq!(active(&one), Value::Flag(false));
    let mut now = scene.clone();
    now.world = one.world.clone();
    one.run_settings().write_to(&mut now);
    let saved = save_run(&now, &one, &one.world);
    let mut other = Simulation::new(&parse("b.toml", &saved.text).expect("a scene"));
    assert_eq!(active(&other), Value::Flag(false));
    until(&mut one, 3.0);
    until(&mut other, 3.0);
    assert_eq!(one.world.state_hash(), other.world.state_hash());
    // nothing pulls at it: its centre of mass goes on as it went
    let to = one.world.center_of_mass(id).expect("it");
    assert!((to - from - velocity * (3.0 - 0.75)).length() < 1e-9, "{from} {velocity} {to}");
}

/// What stands on a lift that rises by 1 m rises by 1 m.
#[test]
fn a_lift_lifts_what_stands_on_it() {
    let mut lift = run(r#"
        [[body]]
        name = "lift"
        kind = "kinematic"
        shape = { box = [1, 1, 0.2] }
        [[body]]
        name = "crate"
        shape = { box = [0.3, 0.3, 0.3] }
        position = [0, 0, 0.25]
        [[motion]]
        body = "lift"
        times = [0, 2]
        positions = [[0, 0, 0], [0, 0, 1]]
        interpolation = "smooth"
    "#);
    until(&mut lift, 3.0);
    assert!((at(&lift, "lift").0.z - 1.0).abs() < 1e-9);
    // the overlap that contacts may leave
    assert!((at(&lift, "crate").0.z - 1.25).abs() < 2e-3, "{}", at(&lift, "crate").0.z);
}

const SPOUT: &str = r#"
    [world]
    step = 0.01
    [[body]]
    name = "drop"
    kind = "static"
    collide = false
    shape = { sphere = 0.05 }
    position = [9, 9, 9]
    color = "blue"
    [[emitter]]
    name = "spout"
    body = "drop"
    position = [0, 0, 10]
    velocity = [1, 0, 0]
    every = 0.1
    from = 0.05
    most = 5
"#;

/// Drops leave one after the other and fall freely: x = v t, z = 10 - g t² / 2.
#[test]
fn an_emitter_makes_bodies_at_their_times() {
    let mut spout = run(SPOUT);
    until(&mut spout, 0.3);
    // at 0.05, 0.15 and 0.25
    assert_eq!(spout.world.bodies().count(), 4);
    until(&mut spout, 1.0);
    assert_eq!(spout.world.bodies().count(), 6, "no more than five");
    for k in 1..=5 {
        let born = 0.05 + 0.1 * f64::from(k - 1);
        let (p, t) = (at(&spout, &format!("spout {k}")).0, 1.0 - born);
        assert!((p.x - t).abs() < 1e-9, "{k}: {p}");
        assert!((p.z - 10.0 + 0.5 * 9.81 * t * t).abs() < 1e-9, "{k}: {p}");
        let id = spout.world.body_named(&format!("spout {k}")).expect("it");
        assert!(spout.world.body(id).expect("it").shape.is_some(), "it collides");
    }
    assert_eq!(at(&spout, "drop").0, Vec3::splat(9.0));
}

/// A run that was saved in the middle makes the rest, with the same bits.
#[test]
fn a_saved_emitter_goes_on() {
    let text = SPOUT.replace("every = 0.1", "every = 0.1\nspread = [0.2, 0.2, 0]\nseed = 3");
    let scene = parse("a.toml", &text).expect("a scene");
    let mut one = Simulation::new(&scene);
    until(&mut one, 0.2);
    let mut now = scene.clone();
    now.world = one.world.clone();
    one.run_settings().write_to(&mut now);
    let saved = save_run(&now, &one, &one.world);
    let mut other = Simulation::new(&parse("b.toml", &saved.text).expect("a scene"));
    until(&mut one, 1.0);
    until(&mut other, 1.0);
    assert_eq!(one.world.state_hash(), other.world.state_hash());
    let places: Vec<f64> = (1..=5).map(|k| at(&one, &format!("spout {k}")).0.y).collect();
    assert!(places.iter().all(|y| y.abs() <= 0.2) && places[0] != places[1], "{places:?}");
}

#[test]
fn keyframes_that_cannot_be_are_refused_by_name() {
    for (wrong, words) in [
        (LIFT.replace("kind = \"kinematic\"", "kind = \"dynamic\""), "kinematic bodies only"),
        (LIFT.replace("[0.5, 1.0, 2.0]", "[0.5, 0.5, 2.0]"), "rise"),
        (LIFT.replace("[0.5, 1.0, 2.0]", "[0.5, 1.0]"), "one for each"),
        (SPOUT.replace("body = \"drop\"", "body = \"world\""), "world cannot be copied"),
    ] {
        let e = parse("a.toml", &wrong).map(|_| ()).expect_err("it must be refused");
        assert!(e.problems[0].message.contains(words), "{}", e.problems[0].message);
    }
}
