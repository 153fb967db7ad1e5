//! Rows with bounds together with orders, error control, budgets and impacts. References are
//! integrated here, by a Runge-Kutta method in minimal coordinates that shares nothing with the
//! engine.

use kreisel_dynamics::{
    Body, BodyId, Control, Coordinate, Friction, Joint, JointId, Limit, MassProperties, Mat3,
    Method, Motor, Order, Pid, Schedule, Settings, Status, Stepping, Substeps, Target, Tolerance,
    Vec3, World,
};

/// Inertia of a rod of 1 kg and 1 × 0.1 × 0.1 m about its end, kg m²: the box's m (a² + b²)/12 and
/// Steiner's m/4.
const INERTIA: f64 = (1.0 + 0.01) / 12.0 + 0.25;

/// Torque of the weight when the rod is level, N m.
const WEIGHT: f64 = 9.81 * 0.5;

/// The angle after `end` seconds of I θ'' = torque(θ), from rest at θ = 0.
fn reference(end: f64, torque: impl Fn(f64) -> f64) -> f64 {
    let n = 20_000;
    let h = end / f64::from(n);
    let rate = |y: [f64; 2]| [y[1], torque(y[0]) / INERTIA];
    let go = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    let mut y = [0.0, 0.0];
    for _ in 0..n {
        let k1 = rate(y);
        let k2 = rate(go(y, k1, 0.5 * h));
        let k3 = rate(go(y, k2, 0.5 * h));
        let k4 = rate(go(y, k3, h));
        for i in 0..2 {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    y[0]
}

/// A level rod on a hinge, with settings; angles are positive upwards.
fn rod(settings: Settings, change: impl FnOnce(Joint) -> Joint) -> (World, JointId) {
    let mut world = World::new();
    let arm = world
        .add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(0.5, 0.0, 0.0)))
        .unwrap();
    let joint = world
        .add_joint(change(Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(-Vec3::Y)))
        .unwrap();
    world.set_settings(settings).unwrap();
    (world, joint)
}

fn friction(effort: f64) -> impl FnOnce(Joint) -> Joint {
    move |mut joint| {
        joint.friction.push(Friction { coordinate: Coordinate::Angle, effort });
        joint
    }
}

/// Every order, and order 2 with its error controlled.
fn ways() -> Vec<(String, Settings)> {
    let mut list: Vec<(String, Settings)> = [Order::Two, Order::Four, Order::Six, Order::Eight]
        .into_iter()
        .map(|order| (format!("{order:?}"), Settings { order, ..Settings::default() }))
        .collect();
    list.push((
        "error 1e-6".into(),
        Settings { substeps: Substeps::Error(1e-6), ..Settings::default() },
    ));
    for method in [Method::Iterative, Method::Lagrange] {
        // joints that are iterated to a tolerance of 1e-6 m leave errors of the motion beyond the
        // bounds of these tests
        let tolerance = Tolerance::uniform(1e-9);
        list.push((format!("{method:?}"), Settings { method, tolerance, ..Settings::default() }));
    }
    list
}

#[test]
fn dry_friction_is_the_same_at_every_order() {
    let expected = reference(0.4, |angle| -WEIGHT * angle.cos() + 2.0);
    for (name, settings) in ways() {
        let (mut world, joint) = rod(settings, friction(2.0));
        for _ in 0..400 {
            world.step(1e-3);
        }
        let angle = world.coordinate(joint, Coordinate::Angle).unwrap();
        assert!((angle - expected).abs() < 1e-5, "{name}: {angle}, expected {expected}");
    }
}

#[test]
fn a_motor_at_its_largest_effort_is_the_same_at_every_order() {
    let expected = reference(0.4, |angle| -WEIGHT * angle.cos() + 5.5);
    for (name, settings) in ways() {
        let (mut world, joint) = rod(settings, |j| j);
        let drive =
            Motor::new(joint, Coordinate::Angle, Control::Velocity(Schedule::constant(2.0)));
        world.add_motor(Motor { max_effort: 5.5, ..drive }).unwrap();
        let (mut work, before) = (0.0, world.energy().total());
        for _ in 0..400 {
            work += world.step(1e-3).ledger.motors;
        }
        let angle = world.coordinate(joint, Coordinate::Angle).unwrap();
        assert!((angle - expected).abs() < 1e-5, "{name}: {angle}, expected {expected}");
        // the motor's work is its constant effort times the angle, and all of the energy
        assert!((work - 5.5 * expected).abs() < 1e-3, "{name}: work {work}");
        assert!((world.energy().total() - before - work).abs() < 1e-3, "{name}");
    }
}

#[test]
fn friction_and_motors_act_in_full_without_velocity_correction() {
    let settings = Settings { velocity_correction: false, ..Settings::default() };
    let expected = reference(0.4, |angle| -WEIGHT * angle.cos() + 2.0);
    let (mut world, joint) = rod(settings, friction(2.0));
    for _ in 0..400 {
        world.step(1e-3);
    }
    let angle = world.coordinate(joint, Coordinate::Angle).unwrap();
    assert!((angle - expected).abs() < 2e-3, "{angle}, expected {expected}");
}

#[test]
fn a_bounded_motor_stays_bounded_when_rounds_are_capped() {
    let expected = reference(0.4, |angle| -WEIGHT * angle.cos() + 5.5);
    for rounds in 1..=4 {
        let (mut world, joint) =
            rod(Settings { max_rounds: Some(rounds), ..Settings::default() }, |j| j);
        let drive =
            Motor::new(joint, Coordinate::Angle, Control::Velocity(Schedule::constant(2.0)));
        world.add_motor(Motor { max_effort: 5.5, ..drive }).unwrap();
        for _ in 0..40 {
            world.step(1e-2);
        }
        let angle = world.coordinate(joint, Coordinate::Angle).unwrap();
        assert!((angle - expected).abs() < 1e-2, "{rounds} rounds: {angle}, expected {expected}");
    }
}

#[test]
fn an_elastic_limit_neither_gives_nor_takes_energy() {
    for method in [Method::Direct, Method::Iterative] {
        let settings = Settings { method, ..Settings::default() };
        let limit = Limit {
            coordinate: Coordinate::Angle,
            min: -60f64.to_radians(),
            max: 2.0,
            restitution: 1.0,
        };
        let (mut world, _) = rod(settings, |mut joint| {
            joint.limits.push(limit);
            joint
        });
        let swing = WEIGHT * 60f64.to_radians().sin();
        for step in 0..3000 {
            let report = world.step(1e-2);
            assert_eq!(
                report.status,
                Status::Converged,
                "{method:?} step {step}: {:?}",
                report.unexplained
            );
        }
        let gained = world.energy().total();
        assert!(gained.abs() < 2e-3 * swing, "{method:?}: {gained} J of {swing} J");
    }
}

#[test]
fn a_velocity_motor_does_the_work_that_it_leaves_as_energy() {
    let (mut world, joint) = rod(Settings::default(), |j| j);
    world.set_gravity(Vec3::ZERO).unwrap();
    world
        .add_motor(Motor::new(
            joint,
            Coordinate::Angle,
            Control::Velocity(Schedule::constant(10.0)),
        ))
        .unwrap();
    let work: f64 = (0..20).map(|_| world.step(1e-2).ledger.motors).sum();
    let expected = 0.5 * INERTIA * 100.0;
    assert!((world.energy().kinetic - expected).abs() < 1e-6 * expected);
    assert!((work - expected).abs() < 1e-3 * expected, "work {work}, energy {expected}");
}

#[test]
fn an_effort_is_booked_at_any_speed() {
    // 1000 N m on the rod: 600 rad/s after 0.2 s, six radians in the last steps of 10 ms
    let (mut world, joint) = rod(Settings::default(), |j| j);
    world.set_gravity(Vec3::ZERO).unwrap();
    world
        .add_motor(Motor::new(
            joint,
            Coordinate::Angle,
            Control::Effort(Schedule::constant(1000.0)),
        ))
        .unwrap();
    let work: f64 = (0..20).map(|_| world.step(1e-2).ledger.motors).sum();
    // impulse times mean rate: (M t)²/(2 I)
    let expected = (1000.0_f64 * 0.2).powi(2) / (2.0 * INERTIA);
    assert!((work - expected).abs() < 1e-3 * expected, "work {work}, expected {expected}");
    let turned = 0.5 * 1000.0 / INERTIA * 0.04;
    let angle = world.coordinate(joint, Coordinate::Angle).unwrap();
    assert!((angle - turned).abs() < 1e-2 * turned, "turned by {angle}, expected {turned}");
}

/// A slider driven by a velocity motor at its largest effort: x = ½ (F/m) t², in symmetric and in
/// energy-momentum steps.
#[test]
fn a_motor_at_its_largest_effort_moves_bodies_with_its_whole_impulse() {
    for stepping in [Stepping::Auto, Stepping::Symmetric, Stepping::Energy] {
        let mut world = World::new();
        let body = world.add_body(Body::cuboid(2.0, Vec3::splat(0.1)).ghost()).unwrap();
        let joint = world
            .add_joint(Joint::slider(BodyId::WORLD, body).at(Vec3::ZERO).axis(Vec3::X))
            .unwrap();
        let control = Control::Velocity(Schedule::constant(100.0));
        world
            .add_motor(Motor {
                max_effort: 5.0,
                ..Motor::new(joint, Coordinate::Position, control)
            })
            .unwrap();
        world.set_settings(Settings { stepping, ..Settings::default() }).unwrap();
        for _ in 0..30 {
            world.step(1.0 / 30.0);
        }
        let (x, v) = (world.center_of_mass(body).unwrap().x, world.velocity(body).unwrap().x);
        assert!((x - 1.25).abs() < 1e-9 && (v - 2.5).abs() < 1e-9, "{stepping:?}: {x} m, {v} m/s");
    }
}

/// An arm of 1 kg (0.335 kg m² about its hinge, its weight gives 4.905 N m) with 2 N m of dry
/// friction and a motor of 20 N m/s from rest: it falls, comes to rest at 0.30 s within a step,
/// sticks while the motor's effort is within friction of the weight's, and is lifted from 0.34 s
/// on. An energy-momentum step used to carry it through its turning point (0.1 rad/s where it
/// sticks).
#[test]
fn what_comes_to_rest_within_a_step_sticks_there() {
    for stepping in [Stepping::Energy, Stepping::Symmetric, Stepping::Auto] {
        let mut world = World::new();
        let inertia = Mat3::from_diagonal(Vec3::new(0.01, 0.085, 0.085));
        let arm = MassProperties { mass: 1.0, center: Vec3::ZERO, inertia };
        let arm = world.add_body(Body::dynamic(arm).at(Vec3::X * 0.5)).unwrap();
        let friction = Friction { coordinate: Coordinate::Angle, effort: 2.0 };
        let hinge = world
            .add_joint(Joint::hinge(BodyId::WORLD, arm).axis(Vec3::NEG_Y).friction(friction))
            .unwrap();
        let ramp = Control::Effort(Schedule::linear(vec![(0.0, 0.0), (0.4, 8.0)]));
        world.add_motor(Motor::new(hinge, Coordinate::Angle, ramp)).unwrap();
        world.set_settings(Settings { stepping, ..Settings::default() }).unwrap();
        for _ in 0..10 {
            world.step(1.0 / 30.0);
        }
        let rate = world.coordinate_rate(hinge, Coordinate::Angle).unwrap();
        assert!(rate.abs() < 1e-5, "{stepping:?}: {rate} rad/s at {}", world.time());
    }
}

/// A velocity motor reads its schedule at the time of each base step: runs of an extrapolated step
/// that went on from where the last one had ended were a macro step ahead (1e-2 of the motion, and
/// `Converged`). Expected: the integral of the schedule, ½ · 5 s⁻² t².
#[test]
fn a_velocity_motor_follows_its_ramp_at_every_order() {
    for (name, settings) in ways() {
        let (mut world, joint) = rod(settings, |j| j);
        let control = Control::Velocity(Schedule::linear(vec![(0.0, 0.0), (0.3, 1.5)]));
        world.add_motor(Motor::new(joint, Coordinate::Angle, control)).unwrap();
        for step in 1..=30 {
            world.step(0.01);
            let t = f64::from(step) * 0.01;
            let q = world.coordinate(joint, Coordinate::Angle).unwrap();
            assert!(
                (q - 2.5 * t * t).abs() < 1e-6,
                "{name}: {q} instead of {} at {t}",
                2.5 * t * t
            );
        }
    }
}

/// A short piece of an energy-momentum step towards the place where friction comes to rest took its
/// rates from displacements that were right to a nanometre: 6e5 J out of nothing at 1/60 s.
/// Expected: what dry friction and a motor without damping leave of the energy of the start, with
/// the share that the verdict allows.
#[test]
fn energy_steps_towards_rest_of_friction_gain_nothing() {
    for rate in [30.0, 45.0, 60.0, 100.0] {
        let settings = Settings { stepping: Stepping::Energy, ..Settings::default() };
        let (mut world, _) = rod(settings, friction(2.0));
        let upper = world.bodies().next().unwrap();
        let lower = world
            .add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(1.5, 0.0, 0.0)))
            .unwrap();
        let second =
            world.add_joint(Joint::hinge(upper, lower).at(Vec3::X).axis(-Vec3::Y)).unwrap();
        let pid = Pid::pd(300.0, 0.0);
        let set = Schedule::constant(0.5);
        let target = Target::Position;
        let control = Control::Servo { target, set, pid };
        world.add_motor(Motor::new(second, Coordinate::Angle, control)).unwrap();
        // the servo's spring holds ½ k 0.5² at the start, gravity gives 2 m g 1.5 at the most
        let most = 0.5 * 300.0 * 0.25 + 2.0 * 9.81 * 1.5;
        for _ in 0..(2.0 * rate) as u32 {
            let report = world.step(1.0 / rate);
            assert_eq!(report.status, Status::Converged, "1/{rate} s at {}", report.time);
            let kinetic = report.ledger.energy.kinetic;
            assert!(kinetic < most, "1/{rate} s at {}: {kinetic} J of {most}", report.time);
        }
    }
}
