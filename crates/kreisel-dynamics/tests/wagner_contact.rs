//! Contacts of shapes under the multiplier method: AT-30 to AT-35 and AT-38 (Wagner 2001;
//! docs/sources.md) with the engine's own contact search, and friction in closed form.

mod wagner;
use kreisel_dynamics::*;
use wagner::*;

fn floor(world: &mut World, material: Material) {
    world.set_ground(Some(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 }), material).unwrap();
}

fn ball(mass: f64, radius: f64, material: &Material) -> Body {
    Body::sphere(mass, radius).shape(Shape::Sphere { radius }).material(material.clone())
}

fn cube(mass: f64, size: Vec3, material: &Material) -> Body {
    Body::cuboid(mass, size).shape(Shape::Box { size }).material(material.clone())
}

const DOWN: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// AT-30: masses 1 and 3, velocities −2 and 1.
#[test]
fn at_30_central_impact() {
    for (e, after) in [(1.0, [2.5, -0.5]), (0.5, [1.375, -0.125]), (0.0, [0.25, 0.25])] {
        for integrator in Integrator::ALL {
            let smooth = Material::rough(0.0).bouncing(e);
            let mut world = lagrange(Vec3::ZERO);
            set(&mut world, |l| l.integrator = integrator);
            let a = ball(1.0, 0.5, &smooth)
                .at(Vec3::new(1.0, 0.0, 0.0))
                .moving(Vec3::new(-2.0, 0.0, 0.0));
            let b = ball(3.0, 0.5, &smooth)
                .at(Vec3::new(-0.5, 0.0, 0.0))
                .moving(Vec3::new(1.0, 0.0, 0.0));
            let (a, b) = (world.add_body(a).unwrap(), world.add_body(b).unwrap());
            let mut begun = 0;
            for _ in 0..15 {
                let report = world.step(1.0 / 30.0);
                begun += report
                    .events
                    .iter()
                    .filter(|e| matches!(e, Event::ContactBegin { .. }))
                    .count();
            }
            assert_eq!(begun, 1, "{integrator:?}");
            // the implicit integrator differentiates a force that acts on one side only
            let tolerance = if integrator == Integrator::Implicit { 1e-4 } else { 1e-9 };
            near(world.velocity(a).unwrap().x, after[0], tolerance);
            near(world.velocity(b).unwrap().x, after[1], tolerance);
        }
    }
}

/// AT-31: a bar of 2 m falls with its end on a fixed ball: k = 0.503741 for restitution 1.
#[test]
fn at_31_eccentric_impact() {
    for (e, v, w) in [(1.0, -0.496_259, -1.496_259), (0.0, -0.748_130, -0.748_130)] {
        let smooth = Material::rough(0.0).bouncing(e);
        let mut world = lagrange(Vec3::ZERO);
        let bar = cube(1.0, Vec3::new(2.0, 0.2, 0.2), &smooth).at(Vec3::new(0.0, 0.0, 0.12));
        let bar = world.add_body(bar.moving(Vec3::new(0.0, 0.0, -1.0))).unwrap();
        let post = Body::fixed()
            .shape(Shape::Sphere { radius: 0.1 })
            .material(smooth)
            .at(Vec3::new(1.0, 0.0, -0.1));
        world.add_body(post).unwrap();
        world.step(1.0 / 30.0);
        near(world.velocity(bar).unwrap().z, v, 2e-3);
        near(world.angular_velocity(bar).unwrap().y, w, 2e-3);
        if e == 1.0 {
            near(world.velocity(bar).unwrap().z, v, 1e-6);
            near(world.angular_velocity(bar).unwrap().y, w, 1e-6);
        }
    }
}

/// AT-32: a ball and a cube rest exactly; the contact carries the weight.
#[test]
fn at_32_bodies_rest() {
    let rough = Material::default();
    for solver in MultiplierSolver::ALL {
        let mut world = lagrange(DOWN);
        set(&mut world, |l| l.solver = solver);
        floor(&mut world, rough.clone());
        let a = world.add_body(ball(2.0, 0.5, &rough).at(Vec3::new(0.0, 0.0, 0.5))).unwrap();
        let b = world.add_body(cube(1.0, Vec3::ONE, &rough).at(Vec3::new(3.0, 0.0, 0.5))).unwrap();
        run(&mut world, 2.0, 30.0);
        for (body, weight) in [(a, 19.62), (b, 9.81)] {
            assert!(world.velocity(body).unwrap().length() < 1e-9, "{solver:?}");
            near(world.center_of_mass(body).unwrap().z, 0.5, 1e-9);
            near(world.contact_force(body).unwrap().z, weight, 1e-6);
        }
    }
}

/// AT-34: a falling ball on a kinematic plate: the plate keeps its velocity, the ball rebounds
/// against it.
#[test]
fn at_34_kinematic_floor() {
    let material = Material::rough(0.0).bouncing(0.5);
    let mut world = lagrange(Vec3::ZERO);
    let plate = cube(1.0, Vec3::new(4.0, 4.0, 0.2), &material).at(Vec3::new(0.0, 0.0, -0.1));
    let plate = world.add_body(plate.moving(Vec3::new(0.0, 0.0, 0.5))).unwrap();
    world.set_body_kind(plate, BodyKind::Kinematic).unwrap();
    let ball =
        ball(1.0, 0.1, &material).at(Vec3::new(0.0, 0.0, 0.35)).moving(Vec3::new(0.0, 0.0, -1.5));
    let ball = world.add_body(ball).unwrap();
    run(&mut world, 0.5, 30.0);
    assert_eq!(world.velocity(plate).unwrap(), Vec3::new(0.0, 0.0, 0.5));
    // approach of 2 m/s, half of it comes back: 0.5 + 1
    near(world.velocity(ball).unwrap().z, 1.5, 1e-9);
}

/// A ball dropped from 1 m with restitution 0.8 rises to 0.64 m.
#[test]
fn a_ball_bounces_to_the_square_of_its_restitution() {
    let material = Material::rough(0.0).bouncing(0.8);
    let mut world = lagrange(DOWN);
    floor(&mut world, material.clone());
    let body = world.add_body(ball(1.0, 0.1, &material).at(Vec3::new(0.0, 0.0, 1.1))).unwrap();
    let (mut highest, mut bounced) = (0.0_f64, false);
    for _ in 0..200 {
        world.step(1.0 / 200.0);
        bounced |= world.velocity(body).unwrap().z > 0.0;
        if bounced {
            highest = highest.max(world.center_of_mass(body).unwrap().z - 0.1);
        }
    }
    // sampled at 200 Hz: up to g (h/2)²/2 below the top
    near(highest, 0.64, 1e-4);
    // and comes to rest in the end
    run(&mut world, 8.0, 60.0);
    assert!(world.velocity(body).unwrap().length() < 1e-6);
    near(world.center_of_mass(body).unwrap().z, 0.1, 1e-5);
}

/// A block on a slope of 20°: sticks for µ = 0.5 > tan 20° = 0.364, slides with g (sin − µ cos) for
/// µ = 0.2.
#[test]
fn friction_on_a_slope_is_coulombs() {
    let angle = 20f64.to_radians();
    // the slope lies along x: gravity is turned instead
    let gravity = Vec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81;
    for (mu, a) in [(0.5, 0.0), (0.2, 9.81 * (angle.sin() - 0.2 * angle.cos()))] {
        let material = Material::rough(mu);
        let mut world = lagrange(gravity);
        floor(&mut world, material.clone());
        let body = world
            .add_body(cube(2.0, Vec3::new(1.0, 1.0, 0.2), &material).at(Vec3::new(0.0, 0.0, 0.1)))
            .unwrap();
        run(&mut world, 1.0, 30.0);
        near(world.velocity(body).unwrap().x, a, 1e-6 + 1e-3 * a);
        near(world.center_of_mass(body).unwrap().z, 0.1, 1e-6);
    }
}

/// A ball rolls down a slope with 5/7 g sin.
#[test]
fn a_ball_rolls_with_five_sevenths() {
    let angle = 20f64.to_radians();
    let gravity = Vec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81;
    let material = Material::rough(0.8);
    let mut world = lagrange(gravity);
    floor(&mut world, material.clone());
    let body = world.add_body(ball(1.0, 0.25, &material).at(Vec3::new(0.0, 0.0, 0.25))).unwrap();
    run(&mut world, 1.0, 60.0);
    let expected = 5.0 / 7.0 * 9.81 * angle.sin();
    near(world.velocity(body).unwrap().x, expected, 2e-2 * expected);
    near(world.angular_velocity(body).unwrap().y, world.velocity(body).unwrap().x / 0.25, 0.3);
    near(world.center_of_mass(body).unwrap().z, 0.25, 1e-6);
}

/// A stack of three boxes stands; a fourth that falls on it comes to rest.
#[test]
fn a_stack_stands() {
    let material = Material::default();
    let mut world = lagrange(DOWN);
    floor(&mut world, material.clone());
    let mut bodies = Vec::new();
    for k in 0..4 {
        let z = 0.25 + 0.5 * k as f64 + if k == 3 { 0.3 } else { 0.0 };
        bodies.push(
            world
                .add_body(cube(1.0, Vec3::splat(0.5), &material).at(Vec3::new(0.0, 0.0, z)))
                .unwrap(),
        );
    }
    run(&mut world, 2.0, 60.0);
    for (k, b) in bodies.into_iter().enumerate() {
        let x = world.center_of_mass(b).unwrap();
        assert!(x.distance(Vec3::new(0.0, 0.0, 0.25 + 0.5 * k as f64)) < 1e-3, "{k}: {x}");
        assert!(world.velocity(b).unwrap().length() < 1e-3);
    }
}

/// An impact on a jointed chain keeps its joints: C' stays zero (constraint-consistent impulses),
/// so that no joint opens.
#[test]
fn impacts_respect_joints() {
    let smooth = Material::rough(0.0).bouncing(0.5);
    let mut world = lagrange(Vec3::ZERO);
    let arm = cube(1.0, Vec3::new(1.0, 0.1, 0.1), &smooth).at(Vec3::new(0.5, 0.0, 0.0));
    let arm = world
        .add_body(arm.spinning(Vec3::new(0.0, 2.0, 0.0)).moving(Vec3::new(0.0, 0.0, -1.0)))
        .unwrap();
    world.add_joint(Joint::ball(BodyId::WORLD, arm).at(Vec3::ZERO)).unwrap();
    let post = Body::fixed()
        .shape(Shape::Sphere { radius: 0.2 })
        .material(smooth)
        .at(Vec3::new(0.8, 0.0, -0.5));
    world.add_body(post).unwrap();
    let mut turned = false;
    for _ in 0..60 {
        let report = world.step(1.0 / 60.0);
        assert!(report.worst.as_ref().is_none_or(|w| w.position < 1e-5), "{:?}", report.worst);
        turned |= world.angular_velocity(arm).unwrap().y < 0.0;
    }
    assert!(turned);
    near(world.angular_velocity(arm).unwrap().y, -1.0, 1e-3);
}

/// Snapshots continue with the same bits while shapes touch, in every order of contacts.
#[test]
fn snapshots_continue_identically_in_contact() {
    let material = Material::default().bouncing(0.3);
    for order in [ContactOrder::Coupled, ContactOrder::Sequential, ContactOrder::Feedback] {
        let mut world = lagrange(DOWN);
        set(&mut world, |l| l.contacts = order);
        floor(&mut world, material.clone());
        let a = world
            .add_body(cube(1.0, Vec3::splat(0.5), &material).at(Vec3::new(0.0, 0.0, 0.25)))
            .unwrap();
        let b = world.add_body(ball(1.0, 0.2, &material).at(Vec3::new(0.1, 0.0, 0.8))).unwrap();
        let ends = [a, b].map(|b| Connector::body(b, Vec3::ZERO));
        let [first, second] = ends;
        world.add_constraint(Constraint::distance(first, second, 0.5)).unwrap();
        run(&mut world, 0.3, 60.0);
        let snapshot = world.snapshot();
        run(&mut world, 0.3, 60.0);
        let end = world.state_hash();
        world.restore(&snapshot).unwrap();
        run(&mut world, 0.3, 60.0);
        assert_eq!(world.state_hash(), end, "{order:?}");
    }
}

/// AT-38 with shapes: two balls on a rod that stands on the floor.
#[test]
fn at_38_order_of_constraints_and_contact() {
    let sag = |order: ContactOrder, masses: [f64; 2]| {
        let smooth = Material::rough(0.0);
        let mut world = stabiliser_alone(DOWN);
        set(&mut world, |l| l.contacts = order);
        floor(&mut world, smooth.clone());
        let low =
            world.add_body(ball(masses[0], 0.1, &smooth).at(Vec3::new(0.0, 0.0, 0.1))).unwrap();
        let high =
            world.add_body(ball(masses[1], 0.1, &smooth).at(Vec3::new(0.0, 0.0, 1.1))).unwrap();
        let ends = [low, high].map(|b| Connector::body(b, Vec3::ZERO));
        let [a, b] = ends;
        world.add_constraint(Constraint::distance(a, b, 1.0)).unwrap();
        run(&mut world, 6.0, 30.0);
        1.0 - (world.center_of_mass(high).unwrap().z - world.center_of_mass(low).unwrap().z)
    };
    assert!(sag(ContactOrder::Coupled, [1.0, 1.0]).abs() < 1e-6);
    near(sag(ContactOrder::Sequential, [1.0, 1.0]), 0.7848, 1e-4);
    near(sag(ContactOrder::Sequential, [10.0, 1.0]), 0.4316, 1e-4);
    assert!(sag(ContactOrder::Feedback, [1.0, 1.0]).abs() < 1e-2);
}
