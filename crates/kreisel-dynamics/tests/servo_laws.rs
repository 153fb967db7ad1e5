//! Servos as implicit laws on a joint's coordinate: rest, order, stability at any gain, bounds,
//! contacts, the ledger.
//!
//! Expected values come from minimal coordinates, integrated here by the classical Runge-Kutta
//! method with steps so short that its error does not count, or from statics.

use kreisel_dynamics::*;

/// Moment of inertia of the rod about its hinge, kg m²: a box of 1 × 0.1 × 0.1 m and 1 kg, 0.5 m
/// away.
const INERTIA: f64 = 1.01 / 12.0 + 0.25;

/// Torque of gravity at angle 0, N m.
const WEIGHT: f64 = 9.81 * 0.5;

/// A level rod on a hinge, with angles that count upwards.
fn rod() -> (World, JointId, BodyId) {
    rod_that(false)
}

/// The same, which may touch what it is hinged to.
fn rod_that(touches: bool) -> (World, JointId, BodyId) {
    let mut world = World::new();
    let rod = Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(0.5, 0.0, 0.0));
    let arm = world.add_body(rod).unwrap();
    let hinge = Joint { collide: touches, ..Joint::hinge(BodyId::WORLD, arm).axis(Vec3::NEG_Y) };
    let joint = world.add_joint(hinge).unwrap();
    (world, joint, arm)
}

fn servo(joint: JointId, target: Target, set: f64, pid: Pid) -> Motor {
    let control = Control::Servo { target, set: Schedule::constant(set), pid };
    Motor::new(joint, Coordinate::Angle, control)
}

fn angle(world: &World, joint: JointId) -> f64 {
    world.coordinate(joint, Coordinate::Angle).unwrap()
}

/// Angle and rate of the rod at `end` for an effort of angle and rate, by Runge-Kutta steps of 10
/// µs.
fn integrate(end: f64, effort: impl Fn(f64, f64) -> f64) -> [f64; 2] {
    let slope = |[q, u]: [f64; 2]| [u, (effort(q, u) - WEIGHT * q.cos()) / INERTIA];
    let steps = (end / 1e-5).round() as usize;
    let h = end / steps as f64;
    let mut x = [0.0, 0.0];
    let along = |x: [f64; 2], k: [f64; 2], h: f64| [x[0] + h * k[0], x[1] + h * k[1]];
    for _ in 0..steps {
        let k1 = slope(x);
        let k2 = slope(along(x, k1, 0.5 * h));
        let k3 = slope(along(x, k2, 0.5 * h));
        let k4 = slope(along(x, k3, h));
        x = [0, 1].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    x
}

/// Angle of a rod with a servo after `end` seconds in steps of `h`.
fn run(h: f64, end: f64, settings: &Settings, motor: impl Fn(JointId) -> Motor) -> f64 {
    let (mut world, joint, _) = rod();
    world.set_settings(settings.clone()).unwrap();
    world.add_motor(motor(joint)).unwrap();
    for _ in 0..(end / h).round() as usize {
        let report = world.step(h);
        assert_eq!(report.status, Status::Converged, "{:?} at {}", report.unexplained, report.time);
    }
    angle(&world, joint)
}

#[test]
fn a_servo_rests_where_statics_say_at_any_gain_and_step() {
    // k (1 − q) = W cos q
    for gain in [1e2, 1e4, 1e6, 1e9] {
        for h in [0.02, 0.002] {
            let pid = Pid::pd(gain, 0.2);
            let q = run(h, 10.0, &Settings::default(), |j| servo(j, Target::Position, 1.0, pid));
            let mut rest = 1.0;
            for _ in 0..100 {
                rest = 1.0 - WEIGHT * f64::cos(rest) / gain;
            }
            assert!((q - rest).abs() < 1e-9, "gain {gain}, step {h}: {q} instead of {rest}");
        }
    }
}

#[test]
fn damping_of_any_size_takes_energy_and_no_more() {
    for gain in [1.0, 1e2, 1e4, 1e6, 1e9] {
        let (mut world, joint, _) = rod();
        world.add_motor(servo(joint, Target::Velocity, 0.0, Pid::pd(gain, 0.0))).unwrap();
        let mut last = world.energy().total();
        for _ in 0..200 {
            let report = world.step(0.01);
            assert_eq!(report.status, Status::Converged, "gain {gain}: {:?}", report.unexplained);
            let now = report.ledger.energy.total();
            assert!(now <= last + 1e-9, "gain {gain}: energy rose from {last} to {now}");
            last = now;
        }
        // C q' = −W cos q once the rod creeps
        let creep = WEIGHT * 2.0 / gain;
        if creep < 0.1 {
            let q = angle(&world, joint);
            assert!(
                (q + creep).abs() < 0.02 * creep + 1e-12,
                "gain {gain}: {q} instead of {}",
                -creep
            );
        }
    }
}

#[test]
fn servos_are_of_the_stated_order() {
    // h ω = 0.3 at the longest step, damped to a half
    let (k, d) = (300.0, 10.0);
    let pid = Pid::pd(k, d / k);
    let expected = integrate(0.4, |q, u| k * (0.5 - q) - d * u)[0];
    for (order, stated, steps) in
        [(Order::Two, 2.0, [0.01, 0.005]), (Order::Four, 4.0, [0.01, 0.005])]
    {
        let settings = Settings { order, substeps: Substeps::Fixed(1), ..Settings::default() };
        let errors = steps.map(|h| {
            (run(h, 0.4, &settings, |j| servo(j, Target::Position, 0.5, pid)) - expected).abs()
        });
        let measured = (errors[0] / errors[1]).log2();
        assert!(
            (measured - stated).abs() < 0.1 * stated,
            "{order:?}: {measured}, errors {errors:?}"
        );
    }
}

#[test]
fn every_impulse_method_moves_a_stiff_servo_alike() {
    let (k, d) = (400.0, 40.0);
    let pid = Pid::pd(k, d / k);
    let expected = integrate(0.2, |q, u| k * (0.5 - q) - d * u)[0];
    for method in [Method::Direct, Method::Iterative, Method::Cut] {
        for stepping in [Stepping::Auto, Stepping::Symmetric, Stepping::Energy] {
            let settings = Settings { method, stepping, ..Settings::default() };
            let q = run(0.01, 0.2, &settings, |j| servo(j, Target::Position, 0.5, pid));
            assert!(
                (q - expected).abs() < 2e-3,
                "{method:?} {stepping:?}: {q} instead of {expected}"
            );
        }
    }
}

#[test]
fn a_bounded_servo_pushes_with_its_largest_effort_and_no_more() {
    let (k, d, most) = (300.0, 20.0, 8.0);
    let pid = Pid::pd(k, d / k);
    let expected = integrate(0.5, |q, u| (k * (0.5 - q) - d * u).clamp(-most, most))[0];
    for (order, within) in [(Order::Two, 2e-3), (Order::Four, 2e-3)] {
        let settings = Settings { order, ..Settings::default() };
        let q =
            run(0.01, 0.5, &settings, |j| servo(j, Target::Position, 0.5, pid).max_effort(most));
        assert!((q - expected).abs() < within, "{order:?}: {q} instead of {expected}");
    }
}

#[test]
fn an_integral_part_holds_its_target_for_good() {
    let pid = Pid { integral_time: 0.5, ..Pid::pd(40.0, 0.15) };
    let q = run(0.01, 60.0, &Settings::default(), |j| servo(j, Target::Position, 0.5, pid));
    assert!((q - 0.5).abs() < 1e-9, "{q}");
    // on the rate: the lag vanishes, too
    let (mut world, joint, _) = rod();
    let pid = Pid { integral_time: 0.1, ..Pid::pd(50.0, 0.0) };
    world.add_motor(servo(joint, Target::Velocity, 0.0, pid)).unwrap();
    for _ in 0..2000 {
        world.step(0.01);
    }
    // k = gain/T_N = 500 holds W cos q: it rests where it has sunk to
    let q = angle(&world, joint);
    assert!((500.0 * q + WEIGHT * q.cos()).abs() < 1e-6, "{q}");
}

#[test]
fn an_integral_does_not_wind_up_against_the_largest_effort() {
    let (mut world, joint, _) = rod();
    let pid = Pid { integral_time: 1.0, ..Pid::pd(40.0, 0.2) };
    let motor = world.add_motor(servo(joint, Target::Position, 0.5, pid).max_effort(2.0)).unwrap();
    // too weak to lift the rod: it hangs
    for _ in 0..1000 {
        world.step(0.01);
    }
    let mut strong = world.motor(motor).unwrap().clone();
    strong.max_effort = 50.0;
    world.set_motor(motor, strong).unwrap();
    let mut highest = f64::MIN;
    for _ in 0..1000 {
        world.step(0.01);
        highest = highest.max(angle(&world, joint));
    }
    assert!((angle(&world, joint) - 0.5).abs() < 1e-6, "{}", angle(&world, joint));
    assert!(highest < 1.0, "overshot to {highest}: 10 s of hanging were stored up");
}

#[test]
fn a_servo_between_free_bodies_keeps_momentum_and_its_work_is_all_that_is_gained() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let bar = |x: f64| Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.2)).at(Vec3::new(x, 0.0, 0.0));
    let (a, b) = (world.add_body(bar(0.0)).unwrap(), world.add_body(bar(1.0)).unwrap());
    let joint =
        world.add_joint(Joint::hinge(a, b).at(Vec3::new(0.5, 0.0, 0.0)).axis(Vec3::NEG_Y)).unwrap();
    world.add_motor(servo(joint, Target::Position, 1.0, Pid::pd(300.0, 0.05))).unwrap();
    let mut work = 0.0;
    for _ in 0..100 {
        let report = world.step(0.01);
        work += report.ledger.motors;
        // the servo starts with 150 J in its spring, of which the step's own swing of energy is a
        // small share
        assert!(report.ledger.residual.abs() < 1e-4 * 150.0, "{}", report.ledger.residual);
    }
    let (p, l) = world.momentum();
    assert!(p.length() < 1e-12 && l.length() < 1e-12, "{p} {l}");
    assert!(
        (world.energy().total() - work).abs() < 1e-4 * 150.0,
        "{} {work}",
        world.energy().total()
    );
    assert!((angle(&world, joint) - 1.0).abs() < 1e-3);
}

#[test]
fn a_stiff_servo_presses_on_the_ground_with_the_force_of_its_law() {
    // from a damping of about 50 times the arm's own inertia per step on, sweeps over contacts
    // reach the force slowly: docs/limits.md, "Forces, springs and servos"
    for gain in [50.0, 1e3] {
        let (mut world, joint, arm) = rod_that(true);
        let ground = Shape::HalfSpace { normal: Vec3::Z, offset: -0.3 };
        world.set_ground(Some(ground), Material::default()).unwrap();
        // it wants to go on to −1 rad, where the ground is
        let motor =
            world.add_motor(servo(joint, Target::Position, -1.0, Pid::pd(gain, 0.1))).unwrap();
        for _ in 0..300 {
            let report = world.step(0.01);
            assert!(
                report.status == Status::Converged,
                "gain {gain}: {:?} {:?}",
                report.status,
                report.unexplained
            );
        }
        let q = angle(&world, joint);
        // the lower edge of its tip: (1, −0.05) turned by q
        let tip = q.sin() - 0.05 * q.cos();
        // what an impact leaves below contact.overlap stays
        assert!((tip + 0.3).abs() < 2e-3, "gain {gain}: the tip is at {tip}");
        let effort = world.motor_effort(motor).unwrap();
        let asked = gain * (-1.0 - q);
        assert!(
            (effort - asked).abs() < 1e-3 * asked.abs(),
            "gain {gain}: pushes {effort} instead of {asked}"
        );
        assert!(world.velocity(arm).unwrap().length() < 1e-4);
    }
}

#[test]
fn a_restored_servo_goes_on_with_the_same_bits() {
    let (mut world, joint, _) = rod();
    let pid = Pid { integral_time: 0.3, ..Pid::pd(300.0, 0.02) };
    world.add_motor(servo(joint, Target::Position, 0.7, pid).max_effort(30.0)).unwrap();
    (0..13).for_each(|_| drop(world.step(0.01)));
    let snapshot = world.snapshot();
    (0..20).for_each(|_| drop(world.step(0.01)));
    let first = world.state_hash();
    world.restore(&snapshot).unwrap();
    (0..20).for_each(|_| drop(world.step(0.01)));
    assert_eq!(world.state_hash(), first);
}

#[test]
fn a_vibration_that_no_substep_follows_is_damped_and_named() {
    // h ω = 55: the servo swings 9 times in a step
    let (mut world, joint, _) = rod();
    let set = Schedule { points: vec![(0.0, 0.0), (0.5, 0.3)], interpolation: Interpolation::Hold };
    let control = Control::Servo { target: Target::Position, set, pid: Pid::pd(1e7, 0.0) };
    world.add_motor(Motor::new(joint, Coordinate::Angle, control)).unwrap();
    let statuses: Vec<Status> = (0..100).map(|_| world.step(0.01).status).collect();
    assert!(statuses.contains(&Status::Energy), "its damping is nobody's work, and was not named");
    assert!((angle(&world, joint) - 0.3).abs() < 1e-5);
    assert!(statuses[70..].iter().all(|s| *s == Status::Converged), "{statuses:?}");
}

/// The multiplier method takes continuous servos along in its integrator: the order is the
/// integrator's, not one.
#[test]
fn servos_act_continuously_under_the_multiplier_method() {
    let (k, d, i) = (40.0, 2.0, 30.0);
    let pid = Pid { gain: k, integral_time: k / i, derivative_time: d / k, window: None };
    // the sum of errors is a third state: its effect on the angle is taken in by hand
    let set = 0.3;
    let (h, mut x) = (1e-5, [0.0_f64, 0.0, 0.0]);
    for _ in 0..100_000 {
        let slope = |x: [f64; 3]| {
            let effort = -k * (x[0] - set) - d * x[1] - i * x[2];
            [x[1], (effort - WEIGHT * x[0].cos()) / INERTIA, x[0] - set]
        };
        let middle = slope(x).map(|s| 0.5 * h * s);
        let k2 = slope([x[0] + middle[0], x[1] + middle[1], x[2] + middle[2]]);
        x = [x[0] + h * k2[0], x[1] + h * k2[1], x[2] + h * k2[2]];
    }
    let settings = Settings { method: Method::Lagrange, ..Settings::default() };
    let errors = [0.01, 0.005]
        .map(|h| (run(h, 1.0, &settings, |j| servo(j, Target::Position, set, pid)) - x[0]).abs());
    assert!(errors[0] < 2e-4 && errors[1] < 0.35 * errors[0], "{errors:?} rad off");
}
