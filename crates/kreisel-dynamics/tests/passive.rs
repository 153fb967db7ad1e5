//! Springs, dampers and rotors of joints: rest, order, stability at any coefficient, together with
//! servos, limits, friction and contacts, under every method; the ledger.
//!
//! Expected values come from minimal coordinates, integrated here by the classical Runge-Kutta
//! method with steps so short that its error does not count, or from statics.

use kreisel_dynamics::*;

/// Moment of inertia of the rod about its hinge, kg m²: a box of 1 × 0.1 × 0.1 m and 1 kg, 0.5 m
/// away.
const INERTIA: f64 = 1.01 / 12.0 + 0.25;

/// Torque of gravity at angle 0, N m.
const WEIGHT: f64 = 9.81 * 0.5;

/// A level rod on a hinge, with angles that count upwards, and what is on its angle.
fn rod(settings: &Settings, on_it: impl Fn(Joint) -> Joint) -> (World, JointId, BodyId) {
    let mut world = World::new();
    world.set_settings(settings.clone()).unwrap();
    let rod = Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(0.5, 0.0, 0.0));
    let arm = world.add_body(rod).unwrap();
    let joint = world.add_joint(on_it(Joint::hinge(BodyId::WORLD, arm).axis(Vec3::NEG_Y))).unwrap();
    (world, joint, arm)
}

fn angle(world: &World, joint: JointId) -> f64 {
    world.coordinate(joint, Coordinate::Angle).unwrap()
}

/// Angle and rate at `end` of the rod with a rotor of `armature` for an effort of angle and rate,
/// by Runge-Kutta steps of 10 µs.
fn integrate(end: f64, armature: f64, effort: impl Fn(f64, f64) -> f64) -> [f64; 2] {
    let slope = |[q, u]: [f64; 2]| [u, (effort(q, u) - WEIGHT * q.cos()) / (INERTIA + armature)];
    let steps = (end / 1e-5).round() as usize;
    let h = end / steps as f64;
    let along = |x: [f64; 2], k: [f64; 2], h: f64| [x[0] + h * k[0], x[1] + h * k[1]];
    (0..steps).fold([0.0, 0.0], |x, _| {
        let k1 = slope(x);
        let k2 = slope(along(x, k1, 0.5 * h));
        let k3 = slope(along(x, k2, 0.5 * h));
        let k4 = slope(along(x, k3, h));
        [0, 1].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    })
}

/// Where spring and gravity balance: k (r − q) = W cos q.
fn statics(stiffness: f64, rest: f64) -> f64 {
    (0..200).fold(rest, |q: f64, _| {
        // Newton's method
        let (f, df) = (stiffness * (rest - q) - WEIGHT * q.cos(), -stiffness + WEIGHT * q.sin());
        q - f / df
    })
}

/// Steps to `end` and returns the angle; every step must be sound.
fn run(world: &mut World, joint: JointId, h: f64, end: f64) -> f64 {
    for _ in 0..(end / h).round() as usize {
        let report = world.step(h);
        assert_eq!(report.status, Status::Converged, "{:?} at {}", report.unexplained, report.time);
    }
    angle(world, joint)
}

fn servo(joint: JointId, set: f64, pid: Pid) -> Motor {
    let control = Control::Servo { target: Target::Position, set: Schedule::constant(set), pid };
    Motor::new(joint, Coordinate::Angle, control)
}

#[test]
fn a_spring_rests_where_statics_say_at_any_stiffness_and_step() {
    for stiffness in [10.0_f64, 1e3, 1e6, 1e9, 1e12] {
        for h in [0.02, 0.01, 0.002] {
            // damped so that it has come to rest after 20 s
            let damping = (0.2 * stiffness).max(2.0 * (stiffness * INERTIA).sqrt());
            let on_it = |j: Joint| {
                j.spring(Coordinate::Angle, stiffness, 0.5).damping(Coordinate::Angle, damping)
            };
            let (mut world, joint, _) = rod(&Settings::default(), on_it);
            let q = run(&mut world, joint, h, 20.0);
            let expected = statics(stiffness, 0.5);
            assert!(
                (q - expected).abs() < 1e-9,
                "{stiffness}, step {h}: {q} instead of {expected}"
            );
            // the effort that is read is the one that holds the weight
            let effort = world.passive_effort(joint, Coordinate::Angle).unwrap();
            let asked = WEIGHT * expected.cos();
            assert!(
                (effort - asked).abs() < 1e-6 * asked,
                "{stiffness}, step {h}: {effort} instead of {asked}"
            );
        }
    }
}

#[test]
fn damping_of_any_size_takes_energy_and_is_booked() {
    for damping in [1.0, 1e2, 1e4, 1e6, 1e9] {
        let (mut world, joint, _) =
            rod(&Settings::default(), |j| j.damping(Coordinate::Angle, damping));
        let start = world.energy().total();
        let (mut last, mut booked) = (start, 0.0);
        for _ in 0..200 {
            let report = world.step(0.01);
            assert_eq!(report.status, Status::Converged, "{damping}: {:?}", report.unexplained);
            let now = report.ledger.energy.total();
            assert!(now <= last + 1e-9, "{damping}: energy rose from {last} to {now}");
            booked += report.ledger.damping;
            last = now;
        }
        let lost = start - last;
        assert!((booked - lost).abs() < 1e-3 * lost, "{damping}: {booked} booked of {lost}");
        // C q' = −W cos q once the rod creeps
        let creep = WEIGHT * 2.0 / damping;
        if creep < 0.1 {
            let q = angle(&world, joint);
            assert!(
                (q + creep).abs() < 0.02 * creep + 1e-12,
                "{damping}: {q} instead of {}",
                -creep
            );
        }
    }
}

#[test]
fn springs_dampers_and_rotors_are_of_the_stated_order() {
    // h ω = 0.3 at the longest step, damped to a half; a rotor behind a gear of 10
    let (k, d, rotor) = (450.0, 12.0, 1.5e-3);
    let expected = integrate(0.4, 100.0 * rotor, |q, u| k * (0.5 - q) - d * u)[0];
    let on_it = |j: Joint| {
        let j = j.spring(Coordinate::Angle, k, 0.5).damping(Coordinate::Angle, d);
        j.armature(Coordinate::Angle, rotor, 10.0)
    };
    for (order, stated) in [(Order::Two, 2.0), (Order::Four, 4.0)] {
        let settings = Settings { order, substeps: Substeps::Fixed(1), ..Settings::default() };
        let errors = [0.01, 0.005].map(|h| {
            let (mut world, joint, _) = rod(&settings, on_it);
            (run(&mut world, joint, h, 0.4) - expected).abs()
        });
        let measured = (errors[0] / errors[1]).log2();
        assert!(
            (measured - stated).abs() < 0.05 * stated,
            "{order:?}: {measured}, errors {errors:?}"
        );
    }
}

#[test]
fn every_method_moves_them_alike() {
    let (k, d, rotor) = (300.0, 8.0, 0.2);
    for method in [Method::Direct, Method::Iterative, Method::Cut, Method::Lagrange] {
        // the multiplier method knows no rotors
        let rotor = if method == Method::Lagrange { 0.0 } else { rotor };
        let expected = integrate(0.2, rotor, |q, u| k * (0.5 - q) - d * u)[0];
        for stepping in [Stepping::Auto, Stepping::Symmetric, Stepping::Energy] {
            for order in [Order::Two, Order::Four, Order::Six, Order::Eight] {
                let settings = Settings { method, stepping, order, ..Settings::default() };
                let (mut world, joint, _) = rod(&settings, |j| {
                    let j = j.spring(Coordinate::Angle, k, 0.5).damping(Coordinate::Angle, d);
                    j.armature(Coordinate::Angle, rotor, 1.0)
                });
                let q = run(&mut world, joint, 0.002, 0.2);
                let within =
                    if order == Order::Two && method != Method::Lagrange { 2e-4 } else { 1e-6 };
                assert!(
                    (q - expected).abs() < within,
                    "{method:?} {stepping:?} {order:?}: {q}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn the_multiplier_method_refuses_rotors_by_name() {
    let lagrange = Settings { method: Method::Lagrange, ..Settings::default() };
    let (mut world, _, _) =
        rod(&Settings::default(), |j| j.armature(Coordinate::Angle, 0.1, 1.0).named("elbow"));
    let refused = world.set_settings(lagrange.clone()).unwrap_err().to_string();
    assert!(refused.contains("elbow") && refused.contains("armature"), "{refused}");
    let mut world = World::new();
    world.set_settings(lagrange).unwrap();
    let arm = world.add_body(Body::cuboid(1.0, Vec3::ONE)).unwrap();
    let joint = Joint::hinge(BodyId::WORLD, arm).armature(Coordinate::Angle, 0.1, 1.0);
    assert!(world.add_joint(joint).is_err());
}

#[test]
fn what_has_no_smooth_coordinate_is_refused() {
    let mut world = World::new();
    let arm = world.add_body(Body::cuboid(1.0, Vec3::ONE)).unwrap();
    let swing = Joint::ball(BodyId::WORLD, arm).spring(Coordinate::Swing, 1.0, 0.0);
    assert!(world.add_joint(swing).unwrap_err().to_string().contains("swing"));
    let lost = Joint::hinge(BodyId::WORLD, arm).spring(Coordinate::Position, 1.0, 0.0);
    assert!(world.add_joint(lost).is_err());
    let negative = Joint::hinge(BodyId::WORLD, arm).damping(Coordinate::Angle, -1.0);
    assert!(world.add_joint(negative).is_err());
}

#[test]
fn a_bounded_servo_saturates_alone_beside_spring_damper_and_rotor() {
    let (k, d, rotor) = (20.0, 1.0, 0.1);
    let (gain, rate_gain, most) = (300.0, 20.0, 16.0);
    let pid = Pid::pd(gain, rate_gain / gain);
    let of_servo = |q: f64, u: f64| (gain * (0.5 - q) - rate_gain * u).clamp(-most, most);
    let expected = integrate(0.5, rotor, |q, u| of_servo(q, u) + k * (0.1 - q) - d * u);
    let settings = Settings::default();
    let (mut world, joint, _) = rod(&settings, |j| {
        let j = j.spring(Coordinate::Angle, k, 0.1).damping(Coordinate::Angle, d);
        j.armature(Coordinate::Angle, rotor, 1.0)
    });
    let motor = world.add_motor(servo(joint, 0.5, pid).max_effort(most)).unwrap();
    let mut saturated = 0;
    for _ in 0..100 {
        let report = world.step(0.005);
        assert_eq!(report.status, Status::Converged, "{:?}", report.unexplained);
        let effort = world.motor_effort(motor).unwrap();
        assert!(effort.abs() <= most + 1e-9, "{effort}");
        saturated += u32::from(effort > most - 1e-9);
    }
    assert!(saturated > 5 && saturated < 95, "{saturated} steps at the largest effort");
    let q = angle(&world, joint);
    assert!((q - expected[0]).abs() < 1e-3, "{q} instead of {}", expected[0]);
    // each is read for itself
    let rate = world.coordinate_rate(joint, Coordinate::Angle).unwrap();
    let effort = world.motor_effort(motor).unwrap();
    assert!(
        (effort - of_servo(q, rate)).abs() < 0.05 * most,
        "{effort} instead of {}",
        of_servo(q, rate)
    );
}

#[test]
fn the_energy_of_spring_and_rotor_is_in_the_ledger() {
    let (k, rotor) = (50.0, 0.3);
    let (mut world, joint, _) = rod(&Settings::default(), |j| {
        j.spring(Coordinate::Angle, k, 0.7).armature(Coordinate::Angle, rotor, 1.0)
    });
    // at the start: the spring alone, height 0
    let start = 0.5 * k * 0.7 * 0.7;
    assert!((world.energy().total() - start).abs() < 1e-12);
    for _ in 0..500 {
        let report = world.step(0.01);
        assert_eq!(report.status, Status::Converged, "{:?}", report.unexplained);
        let q = angle(&world, joint);
        let u = world.coordinate_rate(joint, Coordinate::Angle).unwrap();
        let by_hand =
            0.5 * k * (q - 0.7) * (q - 0.7) + 0.5 * (INERTIA + rotor) * u * u + WEIGHT * q.sin();
        let booked = report.ledger.energy.total();
        // the joint may be off by its tolerance in the field of gravity
        assert!((booked - by_hand).abs() < 9.81 * 1e-6, "{booked} instead of {by_hand}");
        // nothing damps: the swing of a second-order step, no drift
        assert!((by_hand - start).abs() < 2e-3 * start, "{by_hand} of {start} at {}", report.time);
    }
}

#[test]
fn a_limit_stops_the_rotor_too_and_an_elastic_one_reflects_both() {
    for restitution in [0.0, 1.0] {
        let limit = Limit::new(Coordinate::Angle, -0.5, 3.0).bouncing(restitution);
        let (mut world, joint, _) =
            rod(&Settings::default(), |j| j.limit(limit).armature(Coordinate::Angle, 0.5, 1.0));
        let mut lowest = 0.0_f64;
        for _ in 0..500 {
            let report = world.step(0.01);
            assert_eq!(report.status, Status::Converged, "{restitution}: {:?}", report.unexplained);
            lowest = lowest.min(angle(&world, joint));
        }
        assert!(lowest > -0.5 - 1e-5, "{lowest}");
        let left = world.energy().total();
        if restitution == 1.0 {
            assert!(left.abs() < 5e-3, "{left} J of 0");
        } else {
            // at rest on the limit
            assert!((left + WEIGHT * 0.5_f64.sin()).abs() < 1e-5, "{left}");
        }
    }
}

#[test]
fn dry_friction_holds_beside_a_spring() {
    // it sticks where |k (r − q) − W cos q| ≤ f: from level that is at once
    let friction = Friction { coordinate: Coordinate::Angle, effort: 6.0 };
    let (mut world, joint, _) =
        rod(&Settings::default(), |j| j.friction(friction).spring(Coordinate::Angle, 100.0, 0.05));
    let q = run(&mut world, joint, 0.01, 1.0);
    assert!(q.abs() < 1e-6, "crept to {q}");
    // with a weaker one it slides, with a rotor, as Coulomb says
    let friction = Friction { coordinate: Coordinate::Angle, effort: 2.0 };
    let (mut world, joint, _) =
        rod(&Settings::default(), |j| j.friction(friction).armature(Coordinate::Angle, 0.2, 1.0));
    let q = run(&mut world, joint, 0.005, 0.4);
    let expected = integrate(0.4, 0.2, |_, _| 2.0)[0];
    assert!((q - expected).abs() < 1e-4, "{q} instead of {expected}");
}

#[test]
fn both_coordinates_of_a_cylindrical_joint_have_their_own() {
    let mut world = World::new();
    let body = world.add_body(Body::cuboid(2.0, Vec3::splat(0.2))).unwrap();
    let joint = Joint::cylindrical(BodyId::WORLD, body).axis(Vec3::Z);
    let joint = joint.spring(Coordinate::Position, 1e3, 0.1).damping(Coordinate::Position, 60.0);
    let joint = joint.spring(Coordinate::Angle, 5.0, 8.0).damping(Coordinate::Angle, 0.5);
    let joint = world.add_joint(joint).unwrap();
    for _ in 0..3000 {
        world.step(0.01);
    }
    let position = world.coordinate(joint, Coordinate::Position).unwrap();
    assert!((position - (0.1 - 2.0 * 9.81 / 1e3)).abs() < 1e-9, "{position}");
    // more than a turn away
    assert!((angle(&world, joint) - 8.0).abs() < 1e-9, "{}", angle(&world, joint));
}

#[test]
fn a_torsion_spring_between_free_bodies_keeps_momentum() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let bar = |x: f64| Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.2)).at(Vec3::new(x, 0.0, 0.0));
    let (a, b) = (world.add_body(bar(0.0)).unwrap(), world.add_body(bar(2.0)).unwrap());
    let joint = Joint::new(JointKind::FREE, a, b).axis(Vec3::Y);
    let joint = joint.spring(Coordinate::Angle, 300.0, 1.0).damping(Coordinate::Angle, 1e4);
    let joint = world.add_joint(joint).unwrap();
    for _ in 0..3000 {
        let report = world.step(0.01);
        assert_eq!(report.status, Status::Converged, "{:?}", report.unexplained);
    }
    let (p, l) = world.momentum();
    assert!(p.length() < 1e-12 && l.length() < 1e-9, "{p} {l}");
    // d q' = k (1 − q) once inertia has no say: e^(−k t/d) of a radian is left
    let left = 1.0 - angle(&world, joint);
    let expected = (-300.0 * 30.0 / 1e4_f64).exp();
    assert!((left - expected).abs() < 1e-3 * expected, "{left} instead of {expected}");
}

#[test]
fn a_sprung_arm_presses_on_the_ground_with_the_force_of_its_spring() {
    for (stiffness, damping) in [(20.0, 2.0), (1e3, 100.0), (1e4, 10.0)] {
        let mut world = World::new();
        let body = Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(0.5, 0.0, 0.0));
        let arm = world.add_body(body).unwrap();
        // it wants to go on to −1 rad, where the ground is
        let joint = Joint::hinge(BodyId::WORLD, arm).axis(Vec3::NEG_Y).spring(
            Coordinate::Angle,
            stiffness,
            -1.0,
        );
        let joint =
            joint.damping(Coordinate::Angle, damping).armature(Coordinate::Angle, 0.05, 1.0);
        let joint = world.add_joint(Joint { collide: true, ..joint }).unwrap();
        let ground = Shape::HalfSpace { normal: Vec3::Z, offset: -0.3 };
        world.set_ground(Some(ground), Material::default()).unwrap();
        for _ in 0..600 {
            world.step(0.01);
        }
        let q = angle(&world, joint);
        let tip = q.sin() - 0.05 * q.cos();
        assert!((tip + 0.3).abs() < 2e-3, "{stiffness}: the tip is at {tip}");
        let effort = world.passive_effort(joint, Coordinate::Angle).unwrap();
        let asked = stiffness * (-1.0 - q);
        assert!(
            (effort - asked).abs() < 1e-3 * asked.abs(),
            "{stiffness}: pushes {effort} instead of {asked}"
        );
        assert!(world.velocity(arm).unwrap().length() < 1e-4, "{stiffness}");
    }
}

#[test]
fn a_restored_world_goes_on_with_the_same_bits() {
    for order in [Order::Two, Order::Four] {
        let settings = Settings { order, ..Settings::default() };
        let (mut world, joint, _) = rod(&settings, |j| {
            let j = j.spring(Coordinate::Angle, 300.0, 0.4).damping(Coordinate::Angle, 3.0);
            j.armature(Coordinate::Angle, 0.1, 1.0)
        });
        world.add_motor(servo(joint, 0.7, Pid::pd(300.0, 0.02)).max_effort(30.0)).unwrap();
        (0..13).for_each(|_| drop(world.step(0.01)));
        let snapshot = world.snapshot();
        (0..20).for_each(|_| drop(world.step(0.01)));
        let first = world.state_hash();
        world.restore(&snapshot).unwrap();
        (0..20).for_each(|_| drop(world.step(0.01)));
        assert_eq!(world.state_hash(), first);
    }
}

#[test]
fn they_can_be_changed_while_it_runs() {
    let (mut world, joint, _) =
        rod(&Settings::default(), |j| j.spring(Coordinate::Angle, 50.0, 0.0));
    (0..50).for_each(|_| drop(world.step(0.01)));
    let mut desc = world.joint(joint).unwrap().clone();
    let p = desc.passive_mut(Coordinate::Angle);
    (p.stiffness, p.damping, p.rest) = (200.0, 30.0, 0.3);
    world.set_joint(joint, desc).unwrap();
    let q = run(&mut world, joint, 0.01, 20.0);
    assert!((q - statics(200.0, 0.3)).abs() < 1e-9, "{q}");
}
