//! `[[collider]]`: several surfaces on one body, apart from the shape that gives the mass.

use kreisel_dynamics::{Event, Vec3};
use kreisel_scene::{Simulation, load, parse, save};

const SLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/contact/sled.toml");

#[test]
fn a_sled_glides_on_its_colliders_and_weighs_what_its_shape_does() {
    let scene = load(SLED).unwrap();
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    let sled = scene.world.body_named("sled").unwrap();
    // 300 kg/m³ times 1.2 × 0.4 × 0.1 m
    assert!((scene.world.body(sled).unwrap().mass.mass - 14.4).abs() < 1e-12);
    assert!(scene.world.body(sled).unwrap().shape.is_none());
    assert_eq!(scene.world.surfaces(sled).count(), 3);

    let mut run = Simulation::new(&scene);
    let mut passed = 0;
    for _ in 0..50 {
        let report = run.step();
        passed += report
            .events
            .iter()
            .filter(|e| matches!(e, Event::ContactBegin { sensor: true, .. }))
            .count();
    }

    // moments about the centre of mass, with the friction of heel and toe at 0.25 m below it:
    // N₂ a = N₁ a + (μ₁ N₁ + μ₂ N₂) c
    let (a, c, heel, toe, g) = (0.5, 0.25, 0.4, 0.02, 9.81);
    let ratio = (a + heel * c) / (a - toe * c);
    let brake = g * (heel + toe * ratio) / (1.0 + ratio);
    let v = run.world.velocity(sled).unwrap();
    assert!((v.x - (3.0 - brake * 0.5)).abs() < 1e-3, "{v}, {brake}");
    assert!((run.world.position(sled).unwrap().z - 0.25).abs() < 1e-5);
    // three surfaces pass the line at 1.5 m: all have their front beyond it by then or not
    assert!(passed > 0);
}

#[test]
fn a_saved_sled_is_the_same_sled() {
    let scene = load(SLED).unwrap();
    let mut run = Simulation::new(&scene);
    for _ in 0..20 {
        run.step();
    }
    let saved = save(&scene, &run.world);
    let again = parse("saved.toml", &saved).unwrap();
    assert_eq!(save(&again, &again.world), saved);
    assert_eq!(again.world.state_hash(), run.world.state_hash());
    for (a, b) in run.world.colliders().zip(again.world.colliders()) {
        assert_eq!(run.world.collider(a), again.world.collider(b));
    }
}

#[test]
fn what_a_collider_cannot_be_is_said_where_it_stands() {
    let body = "[[body]]\nname = \"a\"\nshape = { sphere = 0.1 }\n[[collider]]\nbody = \"a\"\n";
    for (keys, words) in [
        ("shape = \"point\"", "a collider has an extent"),
        ("shape = { half_space = {} }", "half-space"),
        ("", "shape"),
        ("shape = { sphere = 1 }\nbody = \"b\"", "duplicate key"),
        ("shape = { sphere = 1 }\nfriction = -1", "friction"),
        ("shape = { sphere = 1 }\nmass = 2", "mass"),
    ] {
        let error = parse("bad.toml", &format!("{body}{keys}\n")).unwrap_err().to_string();
        let full = format!("{:?}", parse("bad.toml", &format!("{body}{keys}\n")).unwrap_err());
        assert!(error.contains(words) || full.contains(words), "{keys}: {error} {full}");
    }
}

#[test]
fn an_instance_has_colliders_of_its_own_where_its_bodies_are() {
    let part = "[[body]]\nname = \"bar\"\nmass = 1\ninertia = [1, 1, 1]\n\
                [[collider]]\nname = \"tip\"\nbody = \"bar\"\nshape = { sphere = 0.1 }\nposition = [1, 0, 0]\n";
    let folder = std::env::temp_dir().join(format!("kreisel-colliders-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("part.toml"), part).unwrap();
    let text = "[[instance]]\nname = \"one\"\nscene = \"part.toml\"\nposition = [0, 0, 5]\n";
    let path = folder.join("whole.toml");
    std::fs::write(&path, text).unwrap();
    let scene = load(path.to_str().unwrap()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let id = scene.world.collider_named("one/tip").unwrap();
    let collider = scene.world.collider(id).unwrap();
    assert_eq!(collider.position, Vec3::X);
    assert_eq!(scene.world.position(collider.body), Some(Vec3::Z * 5.0));
}

#[test]
fn a_script_adds_colliders_and_switches_them() {
    let text = r#"
        [[script]]
        build = '''
            add_body(#{ name: "ball", mass: 1, inertia: [1, 1, 1], position: [0, 0, 1] });
            add_collider(#{ name: "skin", body: "ball", shape: #{ sphere: 0.5 } });
            fn on_step() { if time() > 0.05 { let c = collider("skin"); c.active = false; } }
        '''
    "#;
    let scene = parse("script.toml", text).unwrap();
    let mut run = Simulation::new(&scene);
    let skin = run.world.collider_named("skin").unwrap();
    assert!(run.world.collider(skin).unwrap().active);
    for _ in 0..20 {
        run.step();
    }
    assert!(!run.world.collider(skin).unwrap().active);
}
