//! The verdict on a step: energy that nothing explains, joints out of tolerance under every method,
//! steps given up.

use kreisel_dynamics::{
    Body, BodyId, Control, Coordinate, Interrupt, Joint, JointId, Lagrange, Material, Method,
    Motor, Order, Pid, Schedule, Settings, Shape, Spring, Stabiliser, Status, Substeps, Target,
    Vec3, World,
};

/// A level rod of 1 kg and 1 m on a hinge.
fn rod() -> (World, JointId, BodyId) {
    let mut world = World::new();
    let arm = world
        .add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(0.5, 0.0, 0.0)))
        .unwrap();
    let joint =
        world.add_joint(Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Y)).unwrap();
    (world, joint, arm)
}

/// A servo that holds its effort for a step.
fn servo(joint: JointId, gain: f64, derivative_time: f64) -> Motor {
    let set = Schedule::constant(1.0);
    Motor::new(
        joint,
        Coordinate::Angle,
        Control::Servo {
            target: Target::Position,
            set,
            pid: Pid { window: Some(0), ..Pid::pd(gain, derivative_time) },
        },
    )
}

/// Number of steps of each status over some time.
fn count(world: &mut World, steps: u32, status: Status) -> u32 {
    (0..steps).map(|_| u32::from(world.step(0.01).status == status)).sum()
}

#[test]
fn servos_that_are_sampled_too_slowly_are_named() {
    // h² k a = 0.03 to 3 with a = 3 per kg m²: a held effort without damping adds that share of the
    // energy in every step
    for gain in [100.0, 300.0, 1000.0] {
        let (mut world, joint, _) = rod();
        world.add_motor(servo(joint, gain, 0.0)).unwrap();
        let mut named = None;
        for _ in 0..300 {
            let report = world.step(0.01);
            named = named.or(report.unexplained.filter(|_| report.status == Status::Energy));
        }
        let named = named.unwrap_or_else(|| panic!("gain {gain}: nothing was said"));
        assert!(named.cause.contains("motor 1"), "gain {gain}: {named}");
        assert_eq!(&*named.bodies[0], "body 1");
    }
}

#[test]
fn servos_that_are_damped_well_are_left_in_peace() {
    // h d a = 0.3, h² k a = 0.012: well within the stability of the sampled controller
    let (mut world, joint, _) = rod();
    world.add_motor(servo(joint, 40.0, 0.25)).unwrap();
    assert_eq!(count(&mut world, 500, Status::Converged), 500);
}

#[test]
fn stiff_dampers_hold_at_the_default_step() {
    // An overdamped arm creeps: C z' = −m g/2 − k z with the spring's end at the rod's tip, 1 m
    // below its other end, is z'(0) = −9.81/2/C up to geometry; what counts here is that nothing
    // gains energy.
    for damping in [200.0, 500.0, 1e3, 1e5, 1e7] {
        let (mut world, _, arm) = rod();
        let spring = Spring::new(
            BodyId::WORLD,
            arm,
            Vec3::new(1.0, 0.0, 1.0),
            Vec3::new(1.0, 0.0, 0.0),
            100.0,
        );
        world.add_spring(Spring { damping, ..spring }).unwrap();
        for step in 0..100 {
            let report = world.step(0.01);
            assert_eq!(
                report.status,
                Status::Converged,
                "{damping} step {step}: {:?}",
                report.unexplained
            );
            assert!(
                world.energy().total() < 1e-6,
                "{damping} step {step}: {}",
                world.energy().total()
            );
        }
        let z = world.position(arm).unwrap().z;
        // quasi-static creep of the tip, 2 z: C d(2 z)/dt = −m g/2 − k 2 z
        let tip = -4.905 / 100.0 * (1.0 - (-100.0 / damping).exp());
        assert!(
            (2.0 * z - tip).abs() < 0.02 * tip.abs() + 1e-4,
            "{damping}: tip at {}, expected {tip}",
            2.0 * z
        );
    }
}

#[test]
fn joints_out_of_tolerance_are_named_under_the_multiplier_method() {
    for stabiliser in Stabiliser::ALL {
        let (mut world, _, arm) = rod();
        let link = Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(1.5, 0.0, 0.0));
        let second = world.add_body(link).unwrap();
        let ball = world.add_joint(Joint::ball(arm, second).at(Vec3::new(1.0, 0.0, 0.0))).unwrap();
        let lagrange = Lagrange { stabiliser, ..Lagrange::default() };
        world
            .set_settings(Settings { method: Method::Lagrange, lagrange, ..Settings::default() })
            .unwrap();
        let hinge = world.joints().next().unwrap();
        for step in 0..200 {
            let report = world.step(0.01);
            let off = [hinge, ball]
                .iter()
                .filter_map(|&j| world.joint_error(j))
                .fold(0.0, |m: f64, e| m.max(e.0).max(e.1));
            assert_eq!(
                report.status == Status::Converged,
                off <= 1e-6,
                "{stabiliser:?} step {step}: {off}"
            );
        }
    }
}

#[test]
fn a_step_that_is_given_up_leaves_the_world_where_it_began() {
    let (mut world, _, arm) = rod();
    let interrupt = Interrupt::default();
    world.set_interrupt(interrupt.clone());
    world.step(0.01);
    let (hash, time, at) = (world.state_hash(), world.time(), world.position(arm));
    interrupt.set();
    assert_eq!(world.step(0.01).status, Status::Interrupted);
    assert_eq!((world.state_hash(), world.time(), world.position(arm)), (hash, time, at));
    interrupt.clear();
    assert_eq!(world.step(0.01).status, Status::Converged);
}

#[test]
fn a_restored_snapshot_is_judged_as_the_first_time() {
    let (mut world, joint, _) = rod();
    world.add_motor(servo(joint, 100.0, 0.0)).unwrap();
    for _ in 0..7 {
        world.step(0.01);
    }
    let snapshot = world.snapshot();
    let first: Vec<Status> = (0..100).map(|_| world.step(0.01).status).collect();
    world.restore(&snapshot).unwrap();
    let again: Vec<Status> = (0..100).map(|_| world.step(0.01).status).collect();
    assert_eq!(first, again);
    assert!(first.contains(&Status::Energy));
}

#[test]
fn an_order_that_a_held_force_cannot_give_is_named() {
    let (mut world, joint, _) = rod();
    world.add_motor(servo(joint, 40.0, 0.25).named("elbow")).unwrap();
    assert_eq!(world.step(0.01).status, Status::Converged);
    for (order, substeps) in
        [(Order::Four, Substeps::Fixed(1)), (Order::Two, Substeps::Error(1e-6))]
    {
        world.set_settings(Settings { order, substeps, ..Settings::default() }).unwrap();
        let report = world.step(0.01);
        assert_eq!(
            (report.status, report.order_lowered_by.as_deref()),
            (Status::Order, Some("\"elbow\" holds its force for a step"))
        );
    }
}

/// An impact in fast contact time ends its step in touch: no fourth order, and the step says so.
#[test]
fn an_impact_in_fast_time_is_named_where_more_than_the_second_order_is_asked_for() {
    for (order, named) in [(Order::Two, false), (Order::Four, true)] {
        let mut world = World::new();
        let ground = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
        world
            .set_ground(Some(ground), Material { restitution: 0.5, ..Material::default() })
            .unwrap();
        world.add_body(Body::sphere(1.0, 0.1).at(Vec3::Z * 0.5)).unwrap();
        world.set_settings(Settings { order, ..Settings::default() }).unwrap();
        let causes: Vec<_> = (0..50).filter_map(|_| world.step(0.01).order_lowered_by).collect();
        assert_eq!(causes.iter().any(|c| c.contains("impact")), named, "{order:?}: {causes:?}");
    }
}

/// A level rod of 1 kg and 1 m that a servo holds under the multiplier method.
fn held_by_a_servo(gain: f64) -> (World, JointId) {
    let mut world = World::new();
    let arm =
        world.add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::X * 0.5)).unwrap();
    let hinge = world.add_joint(Joint::hinge(BodyId::WORLD, arm).axis(Vec3::NEG_Y)).unwrap();
    let set = Schedule::constant(0.0);
    let control = Control::Servo { target: Target::Position, set, pid: Pid::pd(gain, 0.0) };
    world
        .add_motor(Motor { name: "elbow".into(), ..Motor::new(hinge, Coordinate::Angle, control) })
        .unwrap();
    world.set_settings(Settings { method: Method::Lagrange, ..Settings::default() }).unwrap();
    (world, hinge)
}

/// Inertia about the hinge I = (1 + 0.01) / 12 + 1 / 4 kg m²: q = −q₀ (1 − cos ωt) with q₀ = m g l
/// / 2k and ω² = k / I, up to q₀². Gain 1e4 turns by 1.7 rad of its vibration in a step of 10 ms.
#[test]
fn the_multiplier_method_takes_the_substeps_that_a_stiff_servo_needs() {
    for gain in [1e3, 1e4] {
        let (mut world, hinge) = held_by_a_servo(gain);
        let (size, omega) = (9.81 * 0.5 / gain, (gain / (1.01 / 12.0 + 0.25)).sqrt());
        for k in 1..=100 {
            let report = world.step(0.01);
            assert_eq!(report.status, Status::Converged, "gain {gain}, step {k}");
            let expected = -size * (1.0 - (omega * 0.01 * f64::from(k)).cos());
            let found = world.coordinate(hinge, Coordinate::Angle).unwrap();
            // 8e-6 rad of phase for every quarter radian: 0.6 % after 173 rad, at most 2 q₀ high
            assert!(
                (found - expected).abs() < 0.02 * size,
                "gain {gain}, step {k}: {found}, expected {expected}"
            );
        }
    }
}

/// Gain 1e10 vibrates with 1.7e5 rad/s: 1700 rad in a step, beyond all substeps that there may be.
#[test]
fn a_servo_too_fast_for_the_multiplier_methods_step_is_named() {
    for (gain, named) in [(1.0, false), (1e10, true)] {
        let report = held_by_a_servo(gain).0.step(0.01);
        let cause = report.order_lowered_by.unwrap_or_default();
        assert_eq!(cause.contains("elbow"), named, "gain {gain}: {cause:?}, {:?}", report.status);
    }
}
