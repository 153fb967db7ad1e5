//! Several surfaces on one body, each with a pose, a material and groups of its own (Bender 2007,
//! sections 4.1 and 6.1), and a mass that has nothing to do with them.

use kreisel_dynamics::{
    Body, BodyId, BodyKind, Collider, ContactMode, Event, Joint, MassProperties, Mat3, Material,
    Method, ModelError, PairMaterial, Quat, Sensor, SensorKind, Settings, Shape, Vec3, World,
};

const G: f64 = 9.81;

fn ground(friction: f64) -> World {
    let mut world = World::new();
    let floor = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(floor), Material::rough(friction)).unwrap();
    world
}

/// A bar of 2 kg without a surface of its own.
fn bar() -> Body {
    let inertia = Mat3::from_diagonal(Vec3::new(0.05, 0.2, 0.2));
    Body::dynamic(MassProperties { mass: 2.0, center: Vec3::ZERO, inertia }).named("bar")
}

fn foot(body: BodyId, x: f64, name: &str) -> Collider {
    Collider::new(body, Shape::Sphere { radius: 0.1 }).at(Vec3::new(x, 0.0, 0.0)).named(name)
}

/// Mean contact force on the body through one of its colliders, N.
fn force(world: &World, body: BodyId, name: &str) -> Vec3 {
    let id = world.collider_named(name);
    let on =
        |k: usize| world.contacts().filter(move |c| c.bodies[k] == body && c.colliders[k] == id);
    on(0).map(|c| c.force).sum::<Vec3>() - on(1).map(|c| c.force).sum::<Vec3>()
}

#[test]
fn two_feet_share_the_weight_by_the_rule_of_the_lever() {
    for method in [Method::Direct, Method::Iterative, Method::Lagrange] {
        let mut world = ground(0.5);
        world.set_settings(Settings { method, ..Settings::default() }).unwrap();
        let body = world.add_body(bar().at(Vec3::Z * 0.1)).unwrap();
        world.add_collider(foot(body, -0.3, "left")).unwrap();
        world.add_collider(foot(body, 0.9, "right")).unwrap();
        for _ in 0..50 {
            world.step(0.01);
        }

        // N₁ · 0.3 = N₂ · 0.9 and N₁ + N₂ = m g
        let (left, right) = (force(&world, body, "left"), force(&world, body, "right"));
        assert!((left.z - 2.0 * G * 0.75).abs() < 1e-6, "{method:?}: {left}");
        assert!((right.z - 2.0 * G * 0.25).abs() < 1e-6, "{method:?}: {right}");
        assert!(world.position(body).unwrap().distance(Vec3::Z * 0.1) < 1e-6, "{method:?}");
    }
}

#[test]
fn each_foot_rubs_with_its_own_material() {
    // the ground takes no part: the root of the product of both coefficients would not tell feet
    // from ground, so that all coefficients are given by pairs of names
    let (half, height, friction) = (0.5, 0.2, 0.4);
    let mut world = World::new();
    let mut settings = Settings::default();
    let pair = |name: &str, friction| PairMaterial {
        between: [name.into(), "ice".into()],
        restitution: None,
        friction: Some(friction),
        static_friction: None,
    };
    settings.contact.pairs = vec![pair("rubber", friction), pair("steel", 0.0)];
    world.set_settings(settings).unwrap();
    let floor = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    let named = |name: &str| Material { name: name.into(), ..Material::default() };
    world.set_ground(Some(floor), named("ice")).unwrap();
    let body = world.add_body(bar().at(Vec3::Z * (height + 0.05)).moving(Vec3::X * 2.0)).unwrap();
    for (x, name) in [(-half, "rubber"), (half, "steel")] {
        for y in [-0.2, 0.2] {
            let at = Vec3::new(x, y, -height);
            let shape = Shape::Sphere { radius: 0.05 };
            world.add_collider(Collider::new(body, shape).at(at).material(named(name))).unwrap();
        }
    }
    for _ in 0..50 {
        world.step(0.01);
    }

    // moments about the centre of mass: N₂ a = N₁ a + μ N₁ (h + r), and N₁ + N₂ = m g
    let lever = height + 0.05;
    let heel = G / (2.0 + friction * lever / half);
    let expected = 2.0 - friction * heel * 0.5;
    let v = world.velocity(body).unwrap();
    // the position solve leaves 1e-6 m in a step of 10 ms: so much speed, times friction
    assert!((v.x - expected).abs() < 4e-5, "{} instead of {expected}", v.x);
}

#[test]
fn a_dumbbell_falls_as_its_compound_does() {
    let ends = [(-0.4, 0.1), (0.4, 0.15)];
    let part = |(x, radius): (f64, f64)| kreisel_geometry::shape::Part {
        pose: kreisel_geometry::Pose::new(Vec3::X * x, Quat::IDENTITY),
        shape: Shape::Sphere { radius },
    };
    let turned = Quat::from_rotation_y(0.3);
    let run = |colliders: bool| {
        // without friction: how an impact in fast time slides depends on how points are grouped
        let mut world = ground(0.0);
        let smooth = Material::rough(0.0);
        let body = bar().at(Vec3::Z * 0.6).rotated(turned).material(smooth.clone());
        let body =
            if colliders { body } else { body.shape(Shape::Compound(ends.map(part).into())) };
        let id = world.add_body(body).unwrap();
        for (x, radius) in ends.into_iter().filter(|_| colliders) {
            let shape = Shape::Sphere { radius };
            let end = Collider::new(id, shape).at(Vec3::X * x).material(smooth.clone());
            world.add_collider(end).unwrap();
        }
        for _ in 0..100 {
            world.step(0.01);
        }
        (world.position(id).unwrap(), world.velocity(id).unwrap())
    };
    let ((x, v), (y, w)) = (run(true), run(false));
    // without friction nothing moves it sideways, and it lies on both ends: (0.1 + 0.15)/2 high
    assert!(x.distance(Vec3::Z * 0.125) < 1e-6 && v.length() < 1e-6, "{x} {v}");
    // normals of a compound's parts are found by an iteration, right to 1e-4
    assert!(x.distance(y) < 1e-4 && v.distance(w) < 1e-4, "{y} {w}");
}

#[test]
fn surfaces_of_one_body_and_of_jointed_bodies_do_not_touch() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let arm = world.add_body(Body::cuboid(1.0, Vec3::splat(0.4))).unwrap();
    let hand = world.add_body(Body::cuboid(1.0, Vec3::splat(0.4)).at(Vec3::X * 0.3)).unwrap();
    world.add_collider(foot(arm, 0.05, "first")).unwrap();
    world.add_collider(foot(arm, 0.1, "second")).unwrap();
    world.add_collider(foot(hand, 0.0, "third")).unwrap();
    world.add_joint(Joint::hinge(arm, hand).at(Vec3::X * 0.15)).unwrap();
    for _ in 0..10 {
        world.step(0.01);
    }
    assert_eq!(world.contacts().count(), 0);
    assert_eq!(world.velocity(arm), Some(Vec3::ZERO));
}

#[test]
fn groups_sensors_and_switches_are_those_of_the_collider() {
    let mut world = ground(0.5);
    let body = world.add_body(bar().at(Vec3::Z * 0.1)).unwrap();
    let off = world.add_collider(Collider { active: false, ..foot(body, -0.3, "off") }).unwrap();
    world.add_collider(foot(body, 0.0, "elsewhere").groups(2, 2)).unwrap();
    let probe = world.add_collider(foot(body, 0.3, "probe").sensor()).unwrap();
    let mut seen = Vec::new();
    for _ in 0..10 {
        for event in world.step(0.01).events {
            if let Event::ContactBegin { bodies, colliders, sensor, .. } = event {
                seen.push((bodies, colliders, sensor));
            }
        }
    }

    // it falls freely, and the sensor tells of the ground
    let z = world.position(body).unwrap().z;
    assert!((z - (0.1 - 0.5 * G * 0.01)).abs() < 1e-9, "{z}");
    assert_eq!(seen, [([BodyId::WORLD, body], [None, Some(probe)], true)]);

    // one that is switched on holds it
    world.set_pose(body, Vec3::Z * 0.1, Quat::IDENTITY).unwrap();
    world.set_velocity(body, Vec3::ZERO, Vec3::ZERO).unwrap();
    let on =
        Collider { active: true, position: Vec3::ZERO, ..world.collider(off).unwrap().clone() };
    world.set_collider(off, on).unwrap();
    for _ in 0..10 {
        world.step(0.01);
    }
    assert!((world.position(body).unwrap().z - 0.1).abs() < 1e-6);
}

#[test]
fn what_is_impossible_is_refused_and_leaves_nothing() {
    let mut world = World::new();
    let body = world.add_body(bar()).unwrap();
    let plane = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    let wrong = [
        Collider::new(body, plane.clone()),
        Collider::new(body, Shape::Sphere { radius: -1.0 }),
        foot(body, f64::NAN, "nan"),
        foot(body, 0.0, "turned").rotated(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
        foot(body, 0.0, "rough").material(Material::rough(-1.0)),
        foot(body, 0.0, "bar"),
    ];
    for collider in wrong {
        let name = collider.name.clone();
        assert!(world.add_collider(collider).is_err(), "{name}");
    }
    assert_eq!(world.colliders().count(), 0);

    // what carries a plane cannot come to move by forces
    let table = world.add_body(Body::fixed().at(Vec3::X)).unwrap();
    world.add_collider(Collider::new(table, plane)).unwrap();
    let mass = MassProperties::sphere(1.0, 0.1);
    assert!(matches!(world.set_body_kind(table, BodyKind::Dynamic), Err(ModelError::Shape { .. })));
    assert!(world.set_body(table, mass, BodyKind::Dynamic).is_err());

    // colliders go with their body
    world.remove_body(table).unwrap();
    assert_eq!(world.colliders().count(), 0);
    assert!(!world.has_name("collider 1"));
}

#[test]
fn editing_one_collider_leaves_the_load_on_the_others() {
    let mut world = ground(0.5);
    let body = world.add_body(bar().at(Vec3::Z * 0.1)).unwrap();
    world.add_collider(foot(body, -0.3, "left")).unwrap();
    world.add_collider(foot(body, 0.3, "right")).unwrap();
    for _ in 0..50 {
        world.step(0.01);
    }
    let other = world.add_body(Body::sphere(1.0, 0.1).at(Vec3::new(0.0, 5.0, 3.0))).unwrap();
    let third = world.add_collider(foot(other, 0.5, "third")).unwrap();
    world.step(0.01);
    world.remove_collider(third).unwrap();
    let before = force(&world, body, "left");
    world.step(0.01);
    let after = force(&world, body, "left");
    assert!((before.z - G).abs() < 1e-6 && (after.z - G).abs() < 1e-6, "{before} {after}");
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    let mut world = ground(0.3);
    let body = world.add_body(bar().at(Vec3::Z * 0.4).rotated(Quat::from_rotation_y(0.4))).unwrap();
    world.add_collider(foot(body, -0.3, "left")).unwrap();
    world.add_collider(foot(body, 0.3, "right")).unwrap();
    for _ in 0..40 {
        world.step(0.01);
    }
    let snapshot = world.snapshot();
    let mut other = world.clone();
    for _ in 0..40 {
        world.step(0.01);
    }
    other.step(0.01);
    other.restore(&snapshot).unwrap();
    for _ in 0..40 {
        other.step(0.01);
    }
    assert_eq!(world.state_hash(), other.state_hash());
}

#[test]
fn one_collision_at_a_time_strikes_with_the_right_end() {
    let mut world = ground(0.0);
    let mut settings = Settings::default();
    settings.contact.mode = ContactMode::Event;
    world.set_settings(settings).unwrap();
    world.set_gravity(Vec3::ZERO).unwrap();
    let floor = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    let elastic = Material { restitution: 1.0, friction: 0.0, ..Material::default() };
    world.set_ground(Some(floor), elastic.clone()).unwrap();
    let body = world.add_body(bar().at(Vec3::Z * 0.2).moving(Vec3::Z * -1.0)).unwrap();
    world.add_collider(foot(body, 0.6, "right").material(elastic.clone())).unwrap();
    let high = foot(body, -0.6, "left").at(Vec3::new(-0.6, 0.0, 5.0)).material(elastic);
    world.add_collider(high).unwrap();
    for _ in 0..20 {
        world.step(0.01);
    }

    // an elastic impulse p = 2 v / (1/m + a²/I) at the end of an arm a
    let p = 2.0 / (1.0 / 2.0 + 0.36 / 0.2);
    let (v, w) = (world.velocity(body).unwrap(), world.angular_velocity(body).unwrap());
    assert!((v.z - (p / 2.0 - 1.0)).abs() < 1e-9, "{v}");
    assert!((w.y + p * 0.6 / 0.2).abs() < 1e-6, "{w}");
}

#[test]
fn rays_of_a_sensor_see_colliders() {
    let mut world = World::new();
    let post = world.add_body(Body::fixed().at(Vec3::X * 3.0)).unwrap();
    world.add_collider(foot(post, -1.0, "sign")).unwrap();
    let eye = world.add_body(Body::fixed().named("eye")).unwrap();
    let mut sensor = Sensor::new(SensorKind::Range);
    (sensor.body, sensor.reach) = (Some(eye), 10.0);
    let range = world.add_sensor(sensor).unwrap();
    world.step(0.01);
    let read = world.sensor_value(range).unwrap()[0];
    assert!((read - 1.9).abs() < 1e-12, "{read}");
}
