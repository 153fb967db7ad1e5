//! Springs, motors and servos, velocity joints, kinematic bodies, and the reactions of joints.

mod common;

use common::{DOWN_Y, DOWN_Z, plain_world, symmetric};
use kreisel_dynamics::{
    Body, BodyId, Control, Coordinate, Joint, JointId, JointKind, Motor, Pid, Schedule, Spring,
    SpringMode, Target, Vec3, World,
};

/// A mass on a spring along z: static deflection m g/D.
fn hanging_mass(damping: f64, mode: SpringMode) -> (World, BodyId) {
    let mut world = plain_world(DOWN_Z, 1e-9);
    let mass = world.add_body(Body::sphere(2.0, 0.1).ghost().at(Vec3::Z * -1.0)).unwrap();
    let spring = Spring::new(BodyId::WORLD, mass, Vec3::ZERO, Vec3::Z * -1.0, 200.0)
        .damping(damping)
        .mode(mode);
    world.add_spring(spring).unwrap();
    (world, mass)
}

#[test]
fn a_damped_spring_comes_to_rest_at_mg_over_d() {
    for mode in [SpringMode::Continuous, SpringMode::Constant] {
        let (mut world, mass) = hanging_mass(8.0, mode);
        common::run(&mut world, 10.0, 2000);
        let z = world.center_of_mass(mass).unwrap().z;
        // 2 kg · 9.81 m/s² / 200 N/m
        assert!((z + 1.0 + 0.0981).abs() < 1e-6, "{mode:?}: {z}");
    }
}

/// Error of the oscillation z = −1 − d + d cos(ωt) at 1 s with step h, d = mg/D, ω² = D/m.
fn spring_error(mode: SpringMode, h: f64) -> f64 {
    let (mut world, mass) = hanging_mass(0.0, mode);
    common::run(&mut world, 1.0, (1.0 / h).round() as usize);
    let d = 2.0 * 9.81 / 200.0;
    (world.center_of_mass(mass).unwrap().z - (-1.0 - d + d * 10.0_f64.cos())).abs()
}

#[test]
fn continuous_springs_are_of_second_order_and_step_constant_ones_of_first() {
    for (mode, order) in [(SpringMode::Continuous, 2.0), (SpringMode::Constant, 1.0)] {
        let seen = common::orders(0.001, 2, |h| spring_error(mode, h));
        assert!(seen.iter().all(|o| (o - order).abs() < 0.1), "{mode:?}: {seen:?}");
    }
}

#[test]
fn damping_takes_exactly_what_the_ledger_says() {
    let mut last = f64::INFINITY;
    for steps in [500, 1000, 2000] {
        let (mut world, _) = hanging_mass(5.0, SpringMode::Continuous);
        let e0 = world.energy().total();
        let (mut damping, mut residual) = (0.0, 0.0_f64);
        for _ in 0..steps {
            let ledger = world.step(2.0 / f64::from(steps)).ledger;
            damping += ledger.damping;
            residual += ledger.residual;
        }
        let lost = e0 - world.energy().total();
        assert!(
            lost > 0.1 && (damping - lost - residual).abs() < 1e-12,
            "{damping} {lost} {residual}"
        );
        assert!(residual.abs() < 0.3 * last, "{steps} steps: {residual} after {last}");
        last = residual.abs();
    }
    // at 1 ms: of more than 1 J lost
    assert!(last < 5e-5, "{last}");
}

#[test]
fn springs_between_free_bodies_conserve_momentum_and_angular_momentum() {
    let mut world = plain_world(Vec3::ZERO, 1e-9);
    let a = world
        .add_body(
            Body::cuboid(1.0, Vec3::new(0.3, 0.2, 0.1)).ghost().spinning(Vec3::new(1.0, 2.0, 3.0)),
        )
        .unwrap();
    let b = world
        .add_body(Body::cuboid(2.0, Vec3::splat(0.2)).ghost().at(Vec3::X).moving(Vec3::Y))
        .unwrap();
    let spring = Spring::new(a, b, Vec3::new(0.1, 0.1, 0.0), Vec3::new(0.9, 0.0, 0.1), 50.0)
        .length(0.3)
        .damping(1.0);
    world.add_spring(spring).unwrap();
    let (p, l) = world.momentum();
    common::run(&mut world, 2.0, 1000);
    let (q, m) = world.momentum();
    assert!(p.distance(q) < 1e-12 && l.distance(m) < 1e-11, "{} {}", p.distance(q), l.distance(m));
}

/// A rotor on a hinge about z, with inertia 0.5 kg m² about it.
fn rotor(control: Control, max: f64) -> (World, JointId, BodyId) {
    let mut world = plain_world(Vec3::ZERO, 1e-9);
    // 1/12 · 3 · (1 + 1) = 0.5
    let rotor = world.add_body(Body::cuboid(3.0, Vec3::new(1.0, 1.0, 0.1)).ghost()).unwrap();
    let hinge = world.add_joint(Joint::hinge(BodyId::WORLD, rotor)).unwrap();
    world.add_motor(Motor::new(hinge, Coordinate::Angle, control).max_effort(max)).unwrap();
    (world, hinge, rotor)
}

#[test]
fn a_torque_motor_turns_a_rotor_with_torque_over_inertia_and_counts_its_turns() {
    let (mut world, hinge, _) = rotor(Control::Effort(Schedule::constant(2.0)), f64::INFINITY);
    let mut work = 0.0;
    for step in 0..1000 {
        let report = world.step(0.01);
        common::converged(&report, step);
        work += report.ledger.motors;
    }
    // alpha = 4 rad/s²: 200 rad, nearly 32 turns, 40 rad/s, 400 J after 10 s
    let (angle, rate) = (
        world.coordinate(hinge, Coordinate::Angle).unwrap(),
        world.coordinate_rate(hinge, Coordinate::Angle).unwrap(),
    );
    assert!((angle - 200.0).abs() < 1e-8 && (rate - 40.0).abs() < 1e-9, "{angle} {rate}");
    assert!((work - 400.0).abs() < 1e-6, "{work}");
}

#[test]
fn a_motor_never_gives_more_than_its_largest_effort() {
    for (control, expected) in [
        (Control::Effort(Schedule::constant(50.0)), 2.0),
        (Control::Velocity(Schedule::constant(100.0)), 2.0),
        (
            Control::Servo {
                target: Target::Position,
                set: Schedule::constant(-100.0),
                pid: Pid::pd(100.0, 0.1),
            },
            -2.0,
        ),
    ] {
        let (mut world, hinge, _) = rotor(control.clone(), 2.0);
        let motor = world.motors().next().unwrap();
        common::run(&mut world, 1.0, 100);
        assert!(
            (world.motor_effort(motor).unwrap() - expected).abs() < 1e-9,
            "{control:?}: {:?}",
            world.motor_effort(motor)
        );
        // 2 N m on 0.5 kg m² for 1 s
        assert!(
            (world.coordinate_rate(hinge, Coordinate::Angle).unwrap() - 2.0 * expected).abs()
                < 1e-9,
            "{control:?}"
        );
    }
}

#[test]
fn a_velocity_motor_reaches_its_speed_and_holds_it_under_load() {
    let mut world = plain_world(DOWN_Y, 1e-9);
    let arm = world
        .add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).ghost().at(Vec3::X * 0.5))
        .unwrap();
    let hinge = world.add_joint(Joint::hinge(BodyId::WORLD, arm)).unwrap();
    let motor = Motor::new(hinge, Coordinate::Angle, Control::Velocity(Schedule::constant(2.0)))
        .max_effort(20.0);
    let motor = world.add_motor(motor).unwrap();
    let (mut work, e0) = (0.0, world.energy().total());
    for step in 0..1000 {
        let report = world.step(0.005);
        common::converged(&report, step);
        work += report.ledger.motors;
        if step > 20 {
            let rate = world.coordinate_rate(hinge, Coordinate::Angle).unwrap();
            assert!((rate - 2.0).abs() < 1e-6, "step {step}: {rate}");
            // it carries the weight: m g l/2 cos(angle)
            let angle = world.coordinate(hinge, Coordinate::Angle).unwrap();
            let effort = world.motor_effort(motor).unwrap();
            assert!(
                (effort - 9.81 * 0.5 * (angle - 0.005).cos()).abs() < 1e-3,
                "step {step}: {effort}"
            );
        }
    }
    assert!((work - (world.energy().total() - e0)).abs() < 1e-3 * work.abs(), "{work}");
}

#[test]
fn a_pid_servo_settles_without_steady_error_where_a_pd_servo_sags() {
    let settle = |pid: Pid| {
        let mut world = plain_world(DOWN_Y, 1e-9);
        let arm = world
            .add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).ghost().at(Vec3::X * 0.5))
            .unwrap();
        let hinge = world.add_joint(Joint::hinge(BodyId::WORLD, arm)).unwrap();
        let set = Schedule::linear(vec![(0.0, 0.0), (1.0, 0.5)]);
        let control = Control::Servo { target: Target::Position, set, pid };
        world.add_motor(Motor::new(hinge, Coordinate::Angle, control).max_effort(100.0)).unwrap();
        common::run(&mut world, 10.0, 5000);
        world.coordinate(hinge, Coordinate::Angle).unwrap() - 0.5
    };
    // a gain of 100 N m/rad sags by e = 9.81 · 0.5/100 · cos(0.5 − e)
    let sag = settle(Pid::pd(100.0, 0.1));
    assert!((sag + 0.049_05 * (0.5 + sag).cos()).abs() < 1e-6, "{sag}");
    let left = settle(Pid { gain: 100.0, integral_time: 0.3, derivative_time: 0.1, window: None });
    assert!(left.abs() < 1e-5, "{left}");
}

#[test]
fn a_servo_follows_over_many_turns() {
    let set = Schedule::linear(vec![(0.0, 0.0), (8.0, 50.0)]);
    let control = Control::Servo { target: Target::Position, set, pid: Pid::pd(200.0, 0.1) };
    let (mut world, hinge, _) = rotor(control, 1e3);
    common::run(&mut world, 12.0, 6000);
    let angle = world.coordinate(hinge, Coordinate::Angle).unwrap();
    assert!((angle - 50.0).abs() < 1e-6, "{angle}");
}

#[test]
fn a_linear_motor_between_free_bodies_conserves_momentum_and_angular_momentum() {
    for control in
        [Control::Effort(Schedule::constant(3.0)), Control::Velocity(Schedule::constant(0.5))]
    {
        let mut world = plain_world(Vec3::ZERO, 1e-10);
        let a = world
            .add_body(
                Body::cuboid(1.0, Vec3::new(0.5, 0.3, 0.2))
                    .ghost()
                    .spinning(Vec3::new(0.5, 1.0, 0.2)),
            )
            .unwrap();
        let b = world
            .add_body(Body::cuboid(2.0, Vec3::splat(0.3)).ghost().at(Vec3::new(0.4, 0.5, 0.1)))
            .unwrap();
        let slider = world
            .add_joint(
                Joint::slider(a, b).at(Vec3::new(0.2, 0.3, 0.0)).axis(Vec3::new(1.0, 0.5, 0.0)),
            )
            .unwrap();
        world
            .add_motor(Motor::new(slider, Coordinate::Position, control.clone()).max_effort(10.0))
            .unwrap();
        let (p, l) = world.momentum();
        common::run(&mut world, 1.0, 500);
        let (q, m) = world.momentum();
        assert!(world.coordinate(slider, Coordinate::Position).unwrap() > 0.3);
        assert!(p.distance(q) < 1e-12, "{}", p.distance(q));
        // efforts act in kicks along the rail as it lies at that instant
        assert!(l.distance(m) < 1e-11, "{control:?}: {}", l.distance(m));
    }
}

#[test]
fn static_reactions_carry_the_weight_and_its_moment() {
    let mut world = plain_world(DOWN_Z, 1e-9);
    let shelf = world
        .add_body(Body::cuboid(3.0, Vec3::new(1.0, 0.2, 0.1)).ghost().at(Vec3::X * 0.5))
        .unwrap();
    let fixed = world.add_joint(Joint::fixed(BodyId::WORLD, shelf)).unwrap();
    let lamp =
        world.add_body(Body::sphere(2.0, 0.1).ghost().at(Vec3::new(1.0, 0.0, -0.5))).unwrap();
    let cord =
        world.add_joint(Joint::distance(shelf, lamp, Vec3::X, Vec3::new(1.0, 0.0, -0.5))).unwrap();
    common::run(&mut world, 0.1, 10);
    // the wall carries 5 kg, and 3 kg at 0.5 m and 2 kg at 1 m about y (upwards force at the wall,
    // moment −y)
    let wall = world.reaction(fixed).unwrap();
    assert!(wall.force.distance(Vec3::Z * 5.0 * 9.81) < 1e-8, "{wall:?}");
    assert!(wall.torque.distance(Vec3::Y * -(1.5 + 2.0) * 9.81) < 1e-8, "{wall:?}");
    assert!(world.reaction(cord).unwrap().force.distance(Vec3::Z * 2.0 * 9.81) < 1e-8);
}

#[test]
fn a_turning_arm_pulls_with_its_centripetal_force() {
    let mut world = plain_world(Vec3::ZERO, 1e-10);
    let arm = Body::cuboid(2.0, Vec3::new(1.0, 0.1, 0.1))
        .ghost()
        .at(Vec3::X * 0.5)
        .moving(Vec3::Y * 1.5)
        .spinning(Vec3::Z * 3.0);
    let arm = world.add_body(arm).unwrap();
    let hinge = world.add_joint(Joint::hinge(BodyId::WORLD, arm)).unwrap();
    common::run(&mut world, 1.0, 1000);
    // m w² r = 2 · 9 · 0.5 = 9 N towards the axis
    let force = world.reaction(hinge).unwrap().force;
    let inwards = -world.center_of_mass(arm).unwrap().normalize();
    assert!((force.length() - 9.0).abs() < 1e-4 && force.distance(inwards * 9.0) < 0.02, "{force}");
}

#[test]
fn a_swinging_pendulum_has_the_reaction_of_the_textbook() {
    // rod of length L released horizontally: at the angle t below it, N = 5/2 m g sin t along and
    // 1/4 m g cos t across
    let mut world = plain_world(DOWN_Y, 1e-10);
    let rod = world
        .add_body(Body::cuboid(1.0, Vec3::new(1.0, 1e-3, 1e-3)).ghost().at(Vec3::X * 0.5))
        .unwrap();
    let hinge = world.add_joint(Joint::hinge(BodyId::WORLD, rod)).unwrap();
    for step in 0..500 {
        let before = -world.coordinate(hinge, Coordinate::Angle).unwrap();
        common::converged(&world.step(1e-3), step);
        let t = 0.5 * (before - world.coordinate(hinge, Coordinate::Angle).unwrap());
        let (along, across) =
            (Vec3::new(t.cos(), -t.sin(), 0.0), Vec3::new(-t.sin(), -t.cos(), 0.0));
        let force = world.reaction(hinge).unwrap().force;
        let (n, q) = (-force.dot(along), -force.dot(across));
        assert!((n - 2.5 * 9.81 * t.sin()).abs() < 0.02, "step {step}: {n}");
        assert!((q - 0.25 * 9.81 * t.cos()).abs() < 0.02, "step {step}: {q}");
    }
}

#[test]
fn a_velocity_joint_makes_two_bodies_move_alike_from_now_on() {
    let mut world = plain_world(Vec3::ZERO, 1e-9);
    let a = world.add_body(Body::sphere(1.0, 0.1).ghost().moving(Vec3::X * 2.0)).unwrap();
    let b = world.add_body(Body::sphere(3.0, 0.1).ghost().at(Vec3::Y)).unwrap();
    let joint = Joint::new(JointKind::Fixed, a, b).between(Vec3::ZERO, Vec3::Y).velocity_only();
    let joint = world.add_joint(joint).unwrap();
    common::run(&mut world, 1.0, 100);
    // the gap of 1 m is not pulled together, momentum is shared
    assert!(world.joint_error(joint).unwrap().0 > 0.9);
    let (va, vb) = (world.velocity(a).unwrap(), world.velocity(b).unwrap());
    assert!((va + vb * 3.0).distance(Vec3::X * 2.0) < 1e-12);
    let relative = vb - va - world.angular_velocity(a).unwrap().cross(Vec3::ZERO);
    assert!(relative.length() < 1e-6, "{relative}");
}

#[test]
fn a_kinematic_crank_drives_a_slider_as_the_formula_says() {
    // slider-crank: x = r cos t + sqrt(l² − r² sin² t)
    let mut world = World::new();
    world.set_gravity(DOWN_Y).unwrap();
    symmetric(&mut world);
    let (r, l, w) = (0.2, 0.5, 6.0);
    let crank = world.add_body(Body::kinematic().spinning(Vec3::Z * w)).unwrap();
    let rod = world
        .add_body(Body::cuboid(1.0, Vec3::new(l, 0.05, 0.05)).ghost().at(Vec3::X * (r + 0.5 * l)))
        .unwrap();
    let piston =
        world.add_body(Body::cuboid(2.0, Vec3::splat(0.1)).ghost().at(Vec3::X * (r + l))).unwrap();
    world.add_joint(Joint::hinge(crank, rod).at(Vec3::X * r)).unwrap();
    world.add_joint(Joint::hinge(rod, piston).at(Vec3::X * (r + l))).unwrap();
    world
        .add_joint(Joint::slider(BodyId::WORLD, piston).at(Vec3::X * (r + l)).axis(Vec3::X))
        .unwrap();
    for step in 1..=500 {
        common::converged(&world.step(0.01), step);
        let t = w * 0.01 * step as f64;
        let x = r * t.cos() + (l * l - r * r * t.sin() * t.sin()).sqrt();
        let off = world.center_of_mass(piston).unwrap().distance(Vec3::X * x);
        assert!(off < 3e-6, "step {step}: {off}");
    }
}

#[test]
fn a_velocity_motor_follows_a_changing_rate_with_second_order() {
    // a hinge driven along a smooth rise of the rate from 0 to 4 rad/s; the angle is its integral,
    // 2 rad at 1 s, and the rate 4 rad/s; a second link hangs on the first, free: its motion shows
    // the order
    let run = |h: f64, steps: usize| {
        let mut world = plain_world(DOWN_Y, 1e-11);
        let mut bodies = Vec::new();
        for i in 0..2 {
            let body = Body::cuboid(1.0, Vec3::new(0.5, 0.1, 0.1))
                .ghost()
                .at(Vec3::X * (0.25 + 0.5 * f64::from(i)));
            bodies.push(world.add_body(body).unwrap());
        }
        let hinge = world.add_joint(Joint::hinge(BodyId::WORLD, bodies[0]).axis(Vec3::Z)).unwrap();
        world
            .add_joint(Joint::hinge(bodies[0], bodies[1]).axis(Vec3::Z).at(Vec3::X * 0.5))
            .unwrap();
        let rate = Schedule {
            points: vec![(0.0, 0.0), (1.0, 4.0)],
            interpolation: kreisel_dynamics::Interpolation::Smooth,
        };
        world.add_motor(Motor::new(hinge, Coordinate::Angle, Control::Velocity(rate))).unwrap();
        for _ in 0..steps {
            world.step(h);
        }
        let angle = world.coordinate(hinge, Coordinate::Angle).unwrap();
        let speed = world.coordinate_rate(hinge, Coordinate::Angle).unwrap();
        (angle, speed, world.center_of_mass(bodies[1]).unwrap())
    };
    let (angle, speed, _) = run(0.01, 100);
    assert!((angle - 2.0).abs() < 1e-9 && (speed - 4.0).abs() < 1e-9, "{angle} rad, {speed} rad/s");
    let places = [50, 100, 200, 400].map(|n| run(0.8 / n as f64, n).2);
    let gaps = [0, 1, 2].map(|i| (places[i] - places[i + 1]).length());
    for i in 0..2 {
        let order = (gaps[i] / gaps[i + 1]).log2();
        assert!((order - 2.0).abs() < 0.15, "order {order}, {gaps:?}");
    }
}
