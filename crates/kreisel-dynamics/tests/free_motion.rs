//! Bodies without joints: projectiles, torque-free tops, the orders of the rotation flows,
//! conservation.

mod common;

use common::{DOWN_Y, DOWN_Z, Numbers, Reference, angle_between, orders, plain_world};
use kreisel_dynamics::{Body, BodyId, Joint, MassProperties, Quat, Rotation, Vec3, World};

#[test]
fn a_projectile_follows_its_parabola_whatever_the_step() {
    let (x0, v0) = (Vec3::new(1.0, -2.0, 3.0), Vec3::new(4.0, 5.0, 6.0));
    for steps in [1, 7, 1000] {
        let mut world = plain_world(DOWN_Z, 1e-9);
        let body = world.add_body(Body::sphere(2.5, 0.1).ghost().at(x0).moving(v0)).unwrap();
        common::run(&mut world, 2.0, steps);
        // x = x0 + v0 t + g t²/2 at t = 2 s
        let x = x0 + v0 * 2.0 + DOWN_Z * 2.0;
        assert!(
            world.center_of_mass(body).unwrap().distance(x) < 1e-12 * steps as f64,
            "{steps} steps"
        );
        assert!(world.velocity(body).unwrap().distance(v0 + DOWN_Z * 2.0) < 1e-12 * steps as f64);
    }
}

#[test]
fn a_force_of_the_user_accelerates_for_one_step_only() {
    let mut world = plain_world(Vec3::ZERO, 1e-9);
    let body = world.add_body(Body::cuboid(2.0, Vec3::ONE).ghost()).unwrap();
    world.apply_force(body, Vec3::X * 4.0, Vec3::ZERO).unwrap();
    world.apply_torque(body, Vec3::Z * 3.0).unwrap();
    let report = world.step(0.5);
    // a = 2 m/s², alpha = 3/(2/12 (1 + 1)) = 9 rad/s²
    assert!(world.velocity(body).unwrap().distance(Vec3::X) < 1e-14);
    assert!(world.angular_velocity(body).unwrap().distance(Vec3::Z * 4.5) < 1e-13);
    assert!(world.center_of_mass(body).unwrap().distance(Vec3::X * 0.25) < 1e-14);
    // kinetic energy 1 J + 3.375 J is the work of the user
    assert!((report.ledger.user - 4.375).abs() < 1e-12 && report.ledger.residual.abs() < 1e-12);
    world.step(0.5);
    assert!(world.velocity(body).unwrap().distance(Vec3::X) < 1e-14);
}

#[test]
fn a_mass_point_has_no_rotation_and_moves_like_a_body() {
    let mut world = plain_world(DOWN_Z, 1e-9);
    let point = world.add_body(Body::point(3.0).moving(Vec3::X)).unwrap();
    common::run(&mut world, 1.0, 10);
    assert!(world.center_of_mass(point).unwrap().distance(Vec3::new(1.0, 0.0, -4.905)) < 1e-13);
    assert_eq!(world.rotation(point).unwrap(), Quat::IDENTITY);
}

/// The free box of `dzhanibekov.csv`.
fn dzhanibekov(rotation: Rotation) -> (World, BodyId) {
    let mut world = plain_world(Vec3::ZERO, 1e-9);
    common::change(&mut world, |s| s.rotation = rotation);
    let body =
        Body::cuboid(1.0, Vec3::new(0.4, 0.2, 0.1)).ghost().spinning(Vec3::new(0.01, 10.0, 0.0));
    let body = world.add_body(body).unwrap();
    (world, body)
}

/// Largest angle between the box and the reference over `duration`, with steps of `h`.
fn dzhanibekov_error(rotation: Rotation, h: f64, duration: f64) -> f64 {
    let reference = Reference::load("dzhanibekov");
    let (mut world, body) = dzhanibekov(rotation);
    let per_sample = (0.1 / h).round() as usize;
    let mut worst = 0.0_f64;
    for k in 1..=(duration / 0.1).round() as usize {
        common::run(&mut world, 0.1, per_sample);
        let t = 0.1 * k as f64;
        let [x, y, z, w] = ["qx", "qy", "qz", "qw"].map(|c| reference.at(t, c));
        worst =
            worst.max(angle_between(world.rotation(body).unwrap(), Quat::from_xyzw(x, y, z, w)));
    }
    worst
}

#[test]
fn the_box_about_its_middle_axis_turns_over_as_the_reference_does() {
    // 20 s hold several turnovers; between them the motion is unstable (rate 6.6 1/s), which
    // amplifies every error. Taylor 12 at 2.5 ms has a local error of 1e-18: what is left is
    // rounding, amplified.
    let error = dzhanibekov_error(Rotation::Taylor(12), 0.0025, 20.0);
    assert!(error < 1e-6, "{error}");
    let error = dzhanibekov_error(Rotation::CashKarp(1e-14), 0.01, 20.0);
    assert!(error < 1e-5, "{error}");
}

#[test]
fn the_splitting_and_runge_kutta_converge_to_the_reference_with_orders_2_and_4() {
    for (rotation, order, h) in [(Rotation::Splitting, 2.0, 0.0025), (Rotation::Rk4, 4.0, 0.01)] {
        let seen = orders(h, 2, |h| dzhanibekov_error(rotation, h, 1.0));
        assert!(seen.iter().all(|o| (o - order).abs() < 0.1), "{rotation:?}: {seen:?}");
    }
}

/// Local error of one step of `h` for the torque-free body J = (1, 2, 3.5), ω = (2, 3, 1) of the
/// reference values for Bender 2007.
fn local_error(rotation: Rotation, h: f64) -> f64 {
    let turned = |rotation, steps: usize| {
        let mut world = plain_world(Vec3::ZERO, 1e-9);
        common::change(&mut world, |s| s.rotation = rotation);
        let mass = MassProperties::principal_moments(1.0, Vec3::new(1.0, 2.0, 2.9));
        let body = world.add_body(Body::dynamic(mass).spinning(Vec3::new(2.0, 3.0, 1.0))).unwrap();
        common::run(&mut world, h, steps);
        world.rotation(body).unwrap()
    };
    angle_between(turned(rotation, 1), turned(Rotation::Taylor(16), 4))
}

#[test]
fn every_flow_has_the_local_order_of_its_name() {
    // The inertia of the reference values for Bender 2007, (1, 2, 3.5), breaks the triangle
    // inequality; 2.9 is the largest sensible moment. Local orders: Euler 2, Runge-Kutta 4 has 5 (3
    // would show the mixed frames of the printed equations), Taylor n has n + 1.
    for (rotation, order, h) in [
        (Rotation::Euler, 2.0, 0.01),
        (Rotation::Splitting, 3.0, 0.02),
        (Rotation::Rk4, 5.0, 0.04),
        (Rotation::Taylor(2), 3.0, 0.02),
        (Rotation::Taylor(3), 4.0, 0.04),
        (Rotation::Taylor(4), 5.0, 0.08),
        (Rotation::Taylor(6), 7.0, 0.16),
    ] {
        let seen = orders(h, 2, |h| local_error(rotation, h));
        assert!(seen.iter().all(|o| (o - order).abs() < 0.25), "{rotation:?}: {seen:?}");
    }
}

#[test]
fn cash_karp_stays_within_the_error_it_is_given() {
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        // one long step of 1 s, 3.7 rad: the controller takes several of its own
        let error = local_error(Rotation::CashKarp(tolerance), 1.0);
        assert!(error < 20.0 * tolerance, "{tolerance}: {error}");
    }
    assert!(
        local_error(Rotation::CashKarp(1e-10), 1.0)
            < 1e-2 * local_error(Rotation::CashKarp(1e-4), 1.0)
    );
}

#[test]
fn the_splitting_is_exact_for_symmetric_bodies_at_any_step() {
    // a symmetric top turns about L with the rate |L|/J1 and about its own axis with w3 (1/J3 -
    // 1/J1) J3
    for axis in 0..3 {
        let mut moments = Vec3::splat(2.0);
        moments[axis] = 3.0;
        let spin = Vec3::new(1.0, 2.0, 3.0);
        let mut world = plain_world(Vec3::ZERO, 1e-9);
        let mass = MassProperties::principal_moments(1.0, moments);
        let body = world.add_body(Body::dynamic(mass).spinning(spin)).unwrap();
        world.step(0.8);
        let momentum = moments * spin;
        let own = momentum[axis] * (1.0 / 3.0 - 1.0 / 2.0);
        let mut unit = Vec3::ZERO;
        unit[axis] = 1.0;
        let expected =
            Quat::from_scaled_axis(momentum / 2.0 * 0.8) * Quat::from_scaled_axis(unit * own * 0.8);
        let error = angle_between(world.rotation(body).unwrap(), expected);
        assert!(error < 1e-14, "axis {axis}: {error}");
    }
}

#[test]
fn free_rotation_keeps_the_angular_momentum_to_rounding_for_every_flow() {
    for rotation in [
        Rotation::Splitting,
        Rotation::Rk4,
        Rotation::Taylor(5),
        Rotation::CashKarp(1e-9),
        Rotation::Euler,
    ] {
        let (mut world, body) = dzhanibekov(rotation);
        let (p, l) = world.momentum();
        for k in 0..1000 {
            let report = world.step(0.01);
            // explicit Euler keeps the momentum but not the energy, and the verdict says so
            if rotation != Rotation::Euler {
                common::converged(&report, k);
            }
            let (q, m) = world.momentum();
            assert!(
                q.distance(p) < 1e-15 && m.distance(l) < 1e-13 * l.length() * 10.0,
                "{rotation:?} step {k}"
            );
            assert!((world.rotation(body).unwrap().length() - 1.0).abs() < 1e-14);
        }
    }
}

#[test]
fn the_energy_of_the_splitting_does_not_drift() {
    let (mut world, _) = dzhanibekov(Rotation::Splitting);
    let e0 = world.energy().total();
    let mut means = [0.0_f64; 2];
    for half in 0..2 {
        for _ in 0..10_000 {
            world.step(0.01);
            means[half] += (world.energy().total() - e0) / 10_000.0;
        }
    }
    // 0.1 rad per step: the energy wobbles by parts of a thousand, the mean of 100 s does not move
    assert!((means[1] - means[0]).abs() < 1e-5 * e0, "{means:?} of {e0}");
}

/// The heavy top of `spinning_top.csv`: symmetric, so that the splitting is exact for its rotation.
fn top_error(h: f64) -> f64 {
    let reference = Reference::load("spinning_top");
    let mut world = plain_world(DOWN_Y, 1e-12);
    let tilt = Quat::from_rotation_x(std::f64::consts::PI / 6.0);
    let mass = MassProperties::principal_moments(1.0, Vec3::new(0.002, 0.001, 0.002));
    let body = Body::dynamic(mass)
        .at(tilt * (Vec3::Y * 0.1))
        .rotated(tilt)
        .spinning(tilt * Vec3::Y * 150.0);
    let body = world.add_body(body).unwrap();
    world.add_joint(Joint::ball(BodyId::WORLD, body)).unwrap();
    let mut worst = 0.0_f64;
    for k in 1..=20 {
        common::run(&mut world, 0.1, (0.1 / h).round() as usize);
        let t = 0.1 * f64::from(k);
        let [x, y, z] = ["comx", "comy", "comz"].map(|c| reference.at(t, c));
        worst = worst.max(world.center_of_mass(body).unwrap().distance(Vec3::new(x, y, z)));
    }
    worst
}

#[test]
fn the_heavy_top_nutates_and_precesses_as_the_reference_does() {
    let errors = [0.001, 0.0005, 0.00025].map(top_error);
    // 0.15 rad of spin per step at 1 ms; 2 s hold some 50 nutations
    assert!(errors[0] < 1e-4, "{errors:?}");
    let seen: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    assert!(seen.iter().all(|o| (o - 2.0).abs() < 0.1), "{seen:?} {errors:?}");
}

#[test]
fn joints_conserve_momentum_and_angular_momentum_of_a_free_mechanism() {
    // a random tree of boxes with ball joints, hinges and sliders, no gravity
    let mut numbers = Numbers(7);
    let mut world = plain_world(Vec3::ZERO, 1e-10);
    let mut bodies = Vec::new();
    for i in 0..12 {
        let body =
            Body::cuboid(0.5 + numbers.next().abs(), Vec3::splat(0.1) + numbers.vec().abs() * 0.3)
                .ghost();
        let body = body.at(numbers.vec()).moving(numbers.vec()).spinning(numbers.vec());
        bodies.push(world.add_body(body).unwrap());
        if i > 0 {
            let other = bodies[(numbers.next().abs() * i as f64) as usize];
            let joint = [Joint::ball, Joint::hinge, Joint::slider][i % 3](other, bodies[i]);
            world.add_joint(joint.at(numbers.vec()).axis(numbers.vec())).unwrap();
        }
    }
    let (p, l) = world.momentum();
    for k in 0..500 {
        common::converged(&world.step(0.002), k);
        let (q, m) = world.momentum();
        assert!(
            q.distance(p) < 1e-12 && m.distance(l) < 1e-11,
            "step {k}: {} {}",
            q.distance(p),
            m.distance(l)
        );
    }
}
