//! Laws of impact and friction in the engine's response with several points, and contacts together
//! with limits and motors.

use kreisel_dynamics::{
    Body, BodyId, Cone, ContactTime, Control, Coordinate, ImpactLaw, Joint, Limit, MassProperties,
    Mat3, Material, Motor, PairMaterial, Quat, Rule, Schedule, Shape, Vec3, World,
};

const G: f64 = 9.81;

fn ground(material: Material) -> World {
    let mut world = World::new();
    let plane = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(plane), material).unwrap();
    world
}

fn solid(mass: f64, size: Vec3) -> Body {
    Body::cuboid(mass, size).shape(Shape::Box { size })
}

#[test]
fn a_flat_box_rebounds_straight_by_all_three_laws() {
    // a central impact at four points: u⁺ = −e u⁻ by each law, and no spin
    for law in [ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Stronge] {
        let mut world = ground(Material::default());
        let mut settings = world.settings().clone();
        settings.contact.time = ContactTime::Exact;
        settings.contact.law = law;
        world.set_settings(settings).unwrap();
        let material = Material::default().bouncing(0.6);
        let brick = solid(2.0, Vec3::new(1.0, 0.6, 0.3)).material(material);
        let id = world.add_body(brick.at(Vec3::Z * 1.15)).unwrap();
        // 1 m of fall: impact after √(2/g) = 0.4515 s
        for _ in 0..46 {
            world.step(0.01);
        }
        let meet = (2.0 * G).sqrt();
        let exact = 0.6 * meet - G * (0.46 - (2.0 / G).sqrt());
        let v = world.velocity(id).unwrap();
        assert!(
            (v.z - exact).abs() < 1e-4 && v.truncate().length() < 1e-9,
            "{law:?}: {v} against {exact}"
        );
        assert!(world.angular_velocity(id).unwrap().length() < 1e-9, "{law:?}");
    }
}

#[test]
fn stronges_law_never_adds_energy() {
    // a tilted brick with friction and sideways speed, restitution 1: Newton may gain, Stronge must
    // not
    for k in 0..20 {
        let mut world = ground(Material::default());
        let mut settings = world.settings().clone();
        settings.contact.time = ContactTime::Exact;
        settings.contact.law = ImpactLaw::Stronge;
        world.set_settings(settings).unwrap();
        let turn =
            Quat::from_rotation_y(0.15 * f64::from(k)) * Quat::from_rotation_x(0.1 * f64::from(k));
        let material = Material { restitution: 1.0, friction: 0.4, ..Material::default() };
        let brick = solid(1.0, Vec3::new(1.0, 0.2, 0.1)).material(material);
        world.add_body(brick.at(Vec3::Z).rotated(turn).moving(Vec3::new(2.0, 0.5, -3.0))).unwrap();
        let start = world.energy().total();
        for _ in 0..40 {
            world.step(0.01);
            let now = world.energy().total();
            assert!(now <= start * (1.0 + 1e-6), "{k}: {now} J of {start} J");
        }
    }
}

#[test]
fn sliding_friction_points_against_the_sliding_whatever_the_inertia() {
    // a ball whose inertia about y is four times that about x: K_tt is not a multiple of the
    // identity
    let (m, r) = (1.0, 0.1);
    let i = 0.4 * m * r * r;
    let mut world = ground(Material::rough(0.5));
    let inertia = Mat3::from_diagonal(Vec3::new(0.4 * i, 1.6 * i, 1.3 * i));
    let ball = Body::dynamic(MassProperties { mass: m, center: Vec3::ZERO, inertia });
    let ball = ball.shape(Shape::Sphere { radius: r }).material(Material::rough(0.5));
    let id = world.add_body(ball.at(Vec3::Z * r).moving(Vec3::new(1.0, 1.0, 0.0))).unwrap();
    let h = 1e-4;
    for _ in 0..20 {
        world.step(h);
    }
    let lost = Vec3::new(1.0, 1.0, 0.0) - world.velocity(id).unwrap();
    // Coulomb: µ g t against the sliding; it turns by less than 2 % in these 2 ms
    let exact = 0.5 * G * 20.0 * h;
    assert!((lost.length() - exact).abs() < 0.03 * exact, "{lost} of {exact}");
    assert!((lost.x - lost.y).abs() < 0.03 * exact, "{lost}");
}

#[test]
fn spinning_friction_brakes_a_top_in_proportion_to_its_weight() {
    let (m, r, lever) = (2.0, 0.1, 0.002);
    let mut world = ground(Material::default());
    let ball = Body::sphere(m, r).shape(Shape::Sphere { radius: r });
    let ball = ball.material(Material { spinning: lever, ..Material::default() });
    let id = world.add_body(ball.at(Vec3::Z * r).spinning(Vec3::Z * 10.0)).unwrap();
    for _ in 0..100 {
        world.step(0.002);
    }
    // I dω/dt = −lever m g with I = 2/5 m r²
    let exact = 10.0 - lever * G / (0.4 * r * r) * 0.2;
    let w = world.angular_velocity(id).unwrap().z;
    assert!((w - exact).abs() < 0.02, "{w} against {exact}");
}

#[test]
fn a_pair_of_materials_overrules_the_rule() {
    let named = |name: &str| Material { name: name.into(), friction: 0.9, ..Material::default() };
    let mut world = ground(named("ice"));
    let mut settings = world.settings().clone();
    let between = ["steel".to_owned(), "ice".to_owned()];
    settings.contact.pairs = vec![PairMaterial {
        between,
        friction: Some(0.05),
        static_friction: None,
        restitution: None,
    }];
    world.set_settings(settings).unwrap();
    let skate = world
        .add_body(solid(1.0, Vec3::ONE).material(named("steel")).at(Vec3::Z * 0.5).moving(Vec3::X))
        .unwrap();
    let shoe = solid(1.0, Vec3::ONE)
        .material(named("rubber"))
        .at(Vec3::new(0.0, 3.0, 0.5))
        .moving(Vec3::X * 3.0);
    let shoe = world.add_body(shoe).unwrap();
    for _ in 0..20 {
        world.step(0.01);
    }
    // v − µ g t
    let (a, b) = (world.velocity(skate).unwrap().x, world.velocity(shoe).unwrap().x);
    assert!((a - (1.0 - 0.05 * G * 0.2)).abs() < 1e-3, "{a}");
    assert!((b - (3.0 - 0.9 * G * 0.2)).abs() < 1e-2, "{b}");
}

#[test]
fn the_printed_cone_stops_bodies_too_early() {
    // E-15 at a tight tolerance, µ = 0.85, where the printed friction rule stops metres too early;
    // the accumulated cone stops where v²/(2 g (µ cos − sin)) says
    let way = |cone: Cone| {
        let angle = 15f64.to_radians();
        let turn = Quat::from_rotation_y(angle);
        let mut world = World::new();
        let plane = Shape::HalfSpace { normal: turn * Vec3::Z, offset: 0.0 };
        world.set_ground(Some(plane), Material::rough(0.0)).unwrap();
        let mut settings = world.settings().clone();
        settings.contact.friction = Rule::Sum;
        settings.contact.tolerance = 1e-9;
        settings.contact.cone = cone;
        world.set_settings(settings).unwrap();
        let v = G * angle.sin() * 5.0;
        let cube = solid(1.0, Vec3::ONE).material(Material::rough(0.85)).at(turn * Vec3::Z * 0.5);
        let id = world.add_body(cube.rotated(turn).moving(turn * Vec3::X * v)).unwrap();
        let start = world.position(id).unwrap();
        for _ in 0..3000 {
            world.step(1e-3);
        }
        (
            (world.position(id).unwrap() - start).length(),
            v * v / (2.0 * G * (0.85 * angle.cos() - angle.sin())),
        )
    };
    let (sum, exact) = way(Cone::Accumulated);
    let (printed, _) = way(Cone::Printed);
    assert!((sum - exact).abs() < 15e-3, "{sum} against {exact}");
    assert!(printed < sum - 15e-3, "{printed} against {sum}");
}

#[test]
fn a_motor_presses_against_an_obstacle_with_its_torque() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let arm = world.add_body(solid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::X * 0.5)).unwrap();
    let hinge =
        world.add_joint(Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Z)).unwrap();
    // a ball that cannot move, 0.9 m from the hinge
    let post = Shape::Sphere { radius: 0.1 };
    world.add_body(Body::fixed().shape(post).at(Vec3::new(0.9, 0.35, 0.0))).unwrap();
    let motor = Motor::new(hinge, Coordinate::Angle, Control::Velocity(Schedule::constant(1.0)))
        .max_effort(5.0);
    world.add_motor(motor).unwrap();
    for _ in 0..200 {
        world.step(0.01);
    }
    let w = world.angular_velocity(arm).unwrap();
    assert!(w.length() < 1e-6, "{w} at {:?}", world.position(arm));
    let contact = world.contacts().find(|c| c.force.length() > 0.0).expect("they touch");
    // friction does not act at rest without need: torque = arm × force about the hinge
    let torque = contact.point.cross(world.contact_force(arm).unwrap()).z;
    assert!((torque + 5.0).abs() < 0.01, "{torque}");
}

#[test]
fn a_lift_at_its_limit_carries_a_cube() {
    let mut world = World::new();
    let lift = world.add_body(solid(1.0, Vec3::new(1.0, 1.0, 0.1)).at(Vec3::Z * 0.5)).unwrap();
    let slider = Joint::slider(BodyId::WORLD, lift).at(Vec3::Z * 0.5).axis(Vec3::Z);
    world.add_joint(slider.limit(Limit::new(Coordinate::Position, -0.3, 1.0))).unwrap();
    let cube = world.add_body(solid(3.0, Vec3::splat(0.4)).at(Vec3::Z * 0.76)).unwrap();
    for _ in 0..200 {
        world.step(0.01);
    }
    // the lift hangs 0.3 m lower, the cube stands on it
    let (a, b) = (world.position(lift).unwrap().z, world.position(cube).unwrap().z);
    assert!((a - 0.2).abs() < 1e-5 && (b - 0.45).abs() < 1e-4, "{a} {b}");
    assert!((world.contact_force(cube).unwrap().z - 3.0 * G).abs() < 0.01);
}

#[test]
fn shock_propagation_keeps_a_tall_stack_with_few_sweeps() {
    // 40 cubes from the start at rest; after 5 sweeps the layers take over
    let mut world = ground(Material::default());
    let mut settings = world.settings().clone();
    settings.contact.shock = 5;
    settings.contact.tolerance = 1e-5;
    world.set_settings(settings).unwrap();
    let ids: Vec<BodyId> = (0..40)
        .map(|k| world.add_body(solid(1.0, Vec3::ONE).at(Vec3::Z * (0.5 + f64::from(k)))).unwrap())
        .collect();
    let (mut sweeps, mut depth) = (0, 0.0_f64);
    for _ in 0..120 {
        let c = world.step(1.0 / 60.0).contact;
        (sweeps, depth) = (sweeps.max(c.sweeps), depth.max(c.penetration));
    }
    assert!(sweeps <= 5, "{sweeps}");
    assert!(depth < 1e-3, "{depth}");
    let top = world.position(ids[39]).unwrap();
    assert!((top - Vec3::Z * 39.5).length() < 0.05, "{top}");
}

/// Elastic cubes that turn while they bounce, in fast time: every point rebounds from its own
/// speed, and together they must not give more energy than there was.
#[test]
fn elastic_cubes_that_tumble_gain_no_energy() {
    let mut repeats = 0;
    for k in 0..20 {
        let mut world = World::new();
        let elastic = Material { restitution: 1.0, ..Material::rough(0.0) };
        let floor = Shape::Box { size: Vec3::new(40.0, 40.0, 1.0) };
        world
            .add_body(Body::fixed().shape(floor).at(Vec3::Z * -0.5).material(elastic.clone()))
            .unwrap();
        for (i, z) in [0.9, 2.5, 4.1].into_iter().enumerate() {
            let s = f64::from(k) + 0.4 * i as f64;
            let turn = Quat::from_rotation_x(0.7 * s)
                * Quat::from_rotation_y(1.3 * s)
                * Quat::from_rotation_z(s);
            let spin =
                Vec3::new(9.0 * (1.1 * s).sin(), 9.0 * (1.7 * s).cos(), 5.0 * (2.3 * s).sin());
            let cube = Body::cuboid(1.0, Vec3::ONE)
                .shape(Shape::Box { size: Vec3::ONE })
                .material(elastic.clone());
            world
                .add_body(cube.at(Vec3::Z * z).rotated(turn).moving(Vec3::Z * -8.0).spinning(spin))
                .unwrap();
        }
        let start = world.energy().total();
        for _ in 0..60 {
            repeats += world.step(1.0 / 60.0).contact.repeats;
            let now = world.energy().total();
            assert!(now < start * (1.0 + 1e-9), "run {k}: {now} J of {start} J");
        }
    }
    assert!(repeats > 0);
}
