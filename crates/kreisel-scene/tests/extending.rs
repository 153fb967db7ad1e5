//! Items added to a world that exists.

use kreisel_scene::{Options, Scene, Simulation, extend, parse};

const ARM: &str = r#"
    [[body]]
    name = "arm"
    shape = { box = [1.0, 0.1, 0.1] }
    mass = 1.0
    position = [0.5, 0, 0]
"#;
const PIVOT: &str = r#"
    [[joint]]
    name = "pivot"
    type = "hinge"
    bodies = ["world", "arm"]
    axis = [0, 1, 0]
"#;

fn more(scene: &Scene, text: &str) -> Scene {
    extend(scene, "more.toml", text, &Options::default()).unwrap()
}

#[test]
fn a_scene_that_is_extended_is_that_of_the_whole_text() {
    let whole =
        parse("whole.toml", &format!("{ARM}{PIVOT}[[motor]]\njoint = \"pivot\"\neffort = 0.5\n"))
            .unwrap();
    let grown = more(
        &more(&parse("arm.toml", ARM).unwrap(), PIVOT),
        "[[motor]]\njoint = \"pivot\"\neffort = 0.5\n",
    );
    let [mut a, mut b] = [whole, grown].map(|s| Simulation::new(&s));
    for _ in 0..100 {
        a.step();
        b.step();
    }
    assert_eq!(a.world.state_hash(), b.world.state_hash());
}

#[test]
fn bodies_stand_where_they_stand_now() {
    let scene = parse("a.toml", &format!("{ARM}{PIVOT}")).unwrap();
    let mut run = Simulation::new(&scene);
    for _ in 0..40 {
        run.step();
    }
    let arm = run.world.body_named("arm").unwrap();
    let tip = run.world.point(arm, kreisel_dynamics::Vec3::new(0.5, 0.0, 0.0)).unwrap();
    let now = Scene { world: run.world.clone(), ..scene.clone() };
    let [x, y, z] = tip.to_array();
    let text = format!(
        "[[body]]\nname = \"bob\"\nshape = \"point\"\nmass = 0.1\nposition = [{x:?}, {y:?}, {z:?}]\n\
         [[joint]]\nname = \"tip\"\ntype = \"ball\"\nbodies = [\"arm\", \"bob\"]\nat = [{x:?}, {y:?}, {z:?}]\n"
    );
    let grown = more(&now, &text);
    run.follow(&now, &grown);
    let error = run.world.joint_error(run.world.joint_named("tip").unwrap()).unwrap();
    assert!(error.0 < 1e-12, "{error:?}");
    assert_eq!(run.steps(), 40);
    assert!((run.world.time() - 0.4).abs() < 1e-12);
}

#[test]
fn forces_and_switches_that_are_added_act() {
    let scene = parse("a.toml", &format!("[world]\ngravity = [0, 0, 0]\n{ARM}")).unwrap();
    let mut run = Simulation::new(&scene);
    let grown = more(&scene, "[[force]]\nbody = \"arm\"\nforce = [2, 0, 0]\nuntil = 0.5\n");
    run.follow(&scene, &grown);
    for _ in 0..100 {
        run.step();
    }
    let arm = run.world.body_named("arm").unwrap();
    // 2 N on 1 kg for 0.5 s
    assert!((run.world.velocity(arm).unwrap().x - 1.0).abs() < 1e-9);
}

#[test]
fn names_are_unique_until_they_are_free_again() {
    let scene = parse("a.toml", ARM).unwrap();
    let error = extend(&scene, "more.toml", ARM, &Options::default()).unwrap_err();
    assert!(error.problems.iter().any(|p| p.message.contains("twice")), "{error:?}");
    let mut world = scene.world.clone();
    world.remove_body(world.body_named("arm").unwrap()).unwrap();
    let empty = Scene { world, shapes: Vec::new(), looks: Vec::new(), ..scene };
    assert_eq!(more(&empty, ARM).world.bodies().count(), 1);
}
