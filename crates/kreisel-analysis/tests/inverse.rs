//! Inverse kinematics and dynamics: against closed forms, and replayed forwards.

use kreisel_analysis::{
    Actuator, AnalysisError, Goal, Inverse, Reach, Track, assemble, inverse_dynamics,
    inverse_kinematics, mobility,
};
use kreisel_dynamics::{
    Body, BodyId, Control, Coordinate, Interpolation, Joint, JointId, Limit, MassProperties, Mat3,
    Motor, Order, Schedule, Settings, Vec3, World,
};
use std::f64::consts::TAU;

fn scene(path: &str) -> kreisel_scene::Scene {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/");
    kreisel_scene::load(std::path::Path::new(&format!("{folder}{path}"))).unwrap()
}

/// To and fro by `way` in the time `end`, smooth: (1 − cos)/2 of a smooth phase.
fn swing(way: f64, end: f64, t: f64) -> [f64; 3] {
    let w = TAU / end;
    let (s, c) = (w * t).sin_cos();
    // (1 − c)² / 4 starts with zero acceleration
    let value = way * (1.0 - c) * (1.0 - c) / 4.0;
    let rate = way * (1.0 - c) * s * w / 2.0;
    let acceleration = way * w * w * (s * s + (1.0 - c) * c) / 2.0;
    [value, rate, acceleration]
}

/// Runs a world with a table of efforts, as motors of the actuated coordinates, and gives the
/// largest error of the tracked coordinates.
fn replay(
    world: &World,
    tracked: &[(JointId, Coordinate)],
    wanted: &dyn Fn(usize, f64) -> f64,
    found: &kreisel_analysis::Efforts,
    actuators: &[Actuator],
    order: Order,
) -> f64 {
    let mut world = world.clone();
    for id in world.motors().collect::<Vec<_>>() {
        world.remove_motor(id).unwrap();
    }
    for (k, a) in actuators.iter().enumerate() {
        let points = found.times.iter().zip(&found.efforts).map(|(t, e)| (*t, e[k])).collect();
        let schedule = Schedule { points, interpolation: Interpolation::Linear };
        world.add_motor(Motor::new(a.joint, a.coordinate, Control::Effort(schedule))).unwrap();
    }
    world.set_settings(Settings { order, ..world.settings().clone() }).unwrap();
    let h = found.times[1] - found.times[0];
    let mut worst = 0.0_f64;
    for step in 1..found.times.len() {
        world.step(h);
        for (k, &(j, c)) in tracked.iter().enumerate() {
            worst =
                worst.max((world.coordinate(j, c).unwrap() - wanted(k, found.times[step])).abs());
        }
    }
    worst
}

/// A delta robot's three arms, driven at once.
#[test]
fn the_delta_robot_makes_the_motion_that_its_torques_were_found_for() {
    let mut world = scene("analyses/delta-robot.toml").world;
    let hinges: Vec<JointId> =
        (0..3).map(|k| world.joint_named(&format!("hinge {k}")).unwrap()).collect();
    let (end, count, ways) = (1.0, 8000, [-0.35, 0.25, 0.1]);
    let times: Vec<f64> = (0..=count).map(|k| end * f64::from(k) / f64::from(count)).collect();
    let tracks: Vec<Track<'_>> = (0..3)
        .map(|k| Track {
            joint: hinges[k],
            coordinate: Coordinate::Angle,
            motion: Box::new(move |t| swing(ways[k], end, t)),
        })
        .collect();
    let all: Vec<Actuator> = hinges
        .iter()
        .map(|&joint| Actuator { joint, coordinate: Coordinate::Angle, weight: 1.0 })
        .collect();
    let found = inverse_dynamics(&mut world, &tracks, &all, &times, &Inverse::default()).unwrap();
    let tracked: Vec<_> = hinges.iter().map(|&j| (j, Coordinate::Angle)).collect();
    let worst =
        replay(&world, &tracked, &|k, t| swing(ways[k], end, t)[0], &found, &all, Order::Four);
    println!("delta robot: replay off by {worst:.2e} rad");
    assert!(worst < 1e-6, "{worst:e}");

    // two drives cannot give what three do
    let few = inverse_dynamics(
        &mut world.clone(),
        &tracks,
        &all[..2],
        &times[..1000],
        &Inverse::default(),
    );
    assert!(matches!(few, Err(AnalysisError::NotActuated { .. })), "{few:?}");
    // and two angles do not say where it goes
    let told = inverse_dynamics(&mut world, &tracks[..2], &all, &times, &Inverse::default())
        .unwrap_err()
        .to_string();
    assert!(told.contains("leave 1 of 3 freedoms open"), "{told}");
}

/// A pendulum with rotor, friction and damper: τ = (I + m l² + J) φ'' + d φ' + µ sign φ' + m g l
/// sin φ, shared by two drives on the same axis in proportion to 1/w (least Σ w τ²).
#[test]
fn a_pendulum_needs_the_torque_of_its_equation_shared_by_weight() {
    let mut world = World::new();
    let body = Body::dynamic(MassProperties {
        mass: 2.0,
        center: Vec3::ZERO,
        inertia: Mat3::IDENTITY * 0.1,
    });
    let arm = world.add_body(body.at(Vec3::new(0.0, 0.0, -0.5))).unwrap();
    let mut joint = Joint::hinge(BodyId::WORLD, arm).at(Vec3::ZERO).axis(Vec3::Y);
    joint.passive.push(kreisel_dynamics::Passive {
        damping: 0.3,
        armature: 0.05,
        ..kreisel_dynamics::Passive::new(Coordinate::Angle)
    });
    joint.friction.push(kreisel_dynamics::Friction { coordinate: Coordinate::Angle, effort: 0.7 });
    let hinge = world.add_joint(joint.clone()).unwrap();
    joint.passive.clear();
    joint.friction.clear();
    let second = world.add_joint(joint).unwrap();
    let motion = |t: f64| [0.8 * (2.0 * t).sin(), 1.6 * (2.0 * t).cos(), -3.2 * (2.0 * t).sin()];
    let tracks = [Track { joint: hinge, coordinate: Coordinate::Angle, motion: Box::new(motion) }];
    let actuators = [
        Actuator { joint: hinge, coordinate: Coordinate::Angle, weight: 1.0 },
        Actuator { joint: second, coordinate: Coordinate::Angle, weight: 3.0 },
    ];
    let times = [0.1, 0.5, 1.2, 2.0];
    let found =
        inverse_dynamics(&mut world, &tracks, &actuators, &times, &Inverse::default()).unwrap();
    for (t, e) in times.iter().zip(&found.efforts) {
        let [x, v, a] = motion(*t);
        let torque =
            (0.1 + 0.5 + 0.05) * a + 0.3 * v + 0.7 * v.signum() + 2.0 * 9.81 * 0.5 * x.sin();
        assert!((e[0] + e[1] - torque).abs() < 1e-9, "{e:?} instead of {torque}");
        assert!((e[0] - 3.0 * e[1]).abs() < 1e-9, "{e:?}");
    }
}

/// A planar arm of two links of 1 m reaches a point in closed form; the nearest pose where it
/// cannot.
#[test]
fn an_arm_reaches_its_goal_by_the_law_of_cosines_within_its_limits() {
    let build = |limit: f64| {
        let mut world = World::new();
        let link = |x: f64| {
            Body::dynamic(MassProperties {
                mass: 1.0,
                center: Vec3::new(0.5, 0.0, 0.0),
                inertia: Mat3::IDENTITY * 0.1,
            })
            .at(Vec3::new(x, 0.0, 0.0))
        };
        let (a, b) = (world.add_body(link(0.0)).unwrap(), world.add_body(link(1.0)).unwrap());
        let shoulder =
            world.add_joint(Joint::hinge(BodyId::WORLD, a).at(Vec3::ZERO).axis(Vec3::Z)).unwrap();
        let mut elbow = Joint::hinge(a, b).at(Vec3::X).axis(Vec3::Z);
        elbow.limits.push(Limit::new(Coordinate::Angle, -limit, limit));
        let elbow = world.add_joint(elbow).unwrap();
        (world, shoulder, elbow, b)
    };
    let (mut world, shoulder, elbow, hand) = build(3.0);
    // bent a little, so that the elbow knows its side
    let bent = [
        Goal::Coordinate(elbow, Coordinate::Angle, 0.5),
        Goal::Coordinate(shoulder, Coordinate::Angle, 0.0),
    ];
    inverse_kinematics(&mut world, &bent, &Reach::default()).unwrap();
    let goal = Vec3::new(0.8, 0.9, 0.0);
    let found =
        inverse_kinematics(&mut world, &[Goal::Point(hand, Vec3::X, goal)], &Reach::default());
    // a goal in the plane of the arm: its height is met by the joints, so one of three rows is
    // redundant
    let found = found.unwrap();
    let cos = (goal.length_squared() - 2.0) / 2.0;
    let angle = world.coordinate(elbow, Coordinate::Angle).unwrap();
    assert!((angle - cos.acos()).abs() < 1e-9, "{angle} instead of {}: {found:?}", cos.acos());
    assert!(world.point(hand, Vec3::X).unwrap().distance(goal) < 1e-9);

    // out of reach: refused, or stretched towards the goal
    let far = [Goal::Point(hand, Vec3::X, Vec3::new(3.0, 4.0, 0.0))];
    assert!(inverse_kinematics(&mut world, &far, &Reach::default()).is_err());

    // a limit of the elbow keeps the hand away from a goal that is too near
    let (mut world, shoulder, elbow, hand) = build(1.0);
    let bent = [
        Goal::Coordinate(elbow, Coordinate::Angle, 0.5),
        Goal::Coordinate(shoulder, Coordinate::Angle, 0.0),
    ];
    inverse_kinematics(&mut world, &bent, &Reach::default()).unwrap();
    let told = inverse_kinematics(
        &mut world,
        &[Goal::Point(hand, Vec3::X, 0.4 * Vec3::X)],
        &Reach::default(),
    );
    assert!(told.is_err());
    assert!(world.coordinate(elbow, Coordinate::Angle).unwrap() <= 1.0 + 1e-9);
}

/// A six-legged platform goes to a pose; each leg's length is the distance of its ends there.
#[test]
fn a_stewart_platform_finds_the_lengths_of_its_legs() {
    let mut world = scene("analyses/stewart-platform.toml").world;
    let platform = world.body_named("platform").unwrap();
    let before: Vec<Vec3> = ends(&world).into_iter().map(|(a, b)| b - a).collect();
    let turn = kreisel_dynamics::Quat::from_rotation_y(0.1)
        * kreisel_dynamics::Quat::from_rotation_z(0.15);
    let place = Vec3::new(0.08, -0.05, 0.85);
    let goals = [Goal::Point(platform, Vec3::ZERO, place), Goal::Rotation(platform, turn)];
    let found = inverse_kinematics(&mut world, &goals, &Reach::default()).unwrap();
    assert_eq!(found.free, 0);
    for (k, (a, b)) in ends(&world).into_iter().enumerate() {
        let leg = world.joint_named(&format!("leg {k}")).unwrap();
        let way = world.coordinate(leg, Coordinate::Position).unwrap();
        assert!(((b - a).length() - before[k].length() - way).abs() < 1e-9, "leg {k}");
    }
    let free = mobility(&world).unwrap();
    assert_eq!((free.freedom, free.lasting, free.redundant), (6, 6, 0));
}

/// Foot and head of each leg.
fn ends(world: &World) -> Vec<(Vec3, Vec3)> {
    let at = |name: String| world.joint_frames(world.joint_named(&name).unwrap()).unwrap()[1].point;
    (0..6).map(|k| (at(format!("foot {k}")), at(format!("head {k}")))).collect()
}

/// A torn four-bar closes, and a flat parallelogram is singular where it lies, with one freedom
/// beside.
#[test]
fn a_torn_loop_is_closed_and_a_flat_parallelogram_is_singular() {
    let mut world = World::new();
    let bar = |x: f64, z: f64| {
        Body::dynamic(MassProperties {
            mass: 1.0,
            center: Vec3::ZERO,
            inertia: Mat3::IDENTITY * 0.1,
        })
        .at(Vec3::new(x, 0.0, z))
    };
    let a = world.add_body(bar(0.5, 0.0)).unwrap();
    let b = world.add_body(bar(2.0, 0.0)).unwrap();
    let c = world.add_body(bar(2.5, 0.0)).unwrap();
    for (first, second, x) in
        [(BodyId::WORLD, a, 0.0), (a, b, 1.0), (b, c, 3.0), (BodyId::WORLD, c, 2.0)]
    {
        world
            .add_joint(Joint::hinge(first, second).at(Vec3::new(x, 0.0, 0.0)).axis(Vec3::Y))
            .unwrap();
    }
    let flat = mobility(&world).unwrap();
    assert_eq!((flat.freedom, flat.lasting), (2, 1), "{flat:?}");
    world
        .set_pose(b, Vec3::new(1.9, 0.1, 0.2), kreisel_dynamics::Quat::from_rotation_y(0.1))
        .unwrap();
    let found = assemble(&mut world, 1e-12).unwrap();
    assert!(found.joints <= 1e-12, "{found:?}");
}

/// The benchmark A03 driven by its motor: three loops, redundant hinges, a stiff spring. Efforts
/// are lines between times, so that the replay is off by h²; what is left of two of them at h = 0
/// is the error of the efforts. Nothing holds the motion on its way: 1e-6 rad after 0.01 s are 0.1
/// rad after 0.05 s, so that the replay is short.
#[test]
fn andrews_squeezer_makes_the_motion_that_its_torque_was_found_for() {
    let scene = scene("iftomm/a03-andrews-squeezer.toml").world;
    let crank = scene.joint_named("O").unwrap();
    let (end, way) = (0.01, 1.5);
    let motion = move |t: f64| swing(way, end, t);
    let all = [Actuator { joint: crank, coordinate: Coordinate::Angle, weight: 1.0 }];
    let tracked = [(crank, Coordinate::Angle)];
    let [coarse, fine] = [500, 1000].map(|count| {
        let mut world = scene.clone();
        let times: Vec<f64> = (0..=count).map(|k| end * f64::from(k) / f64::from(count)).collect();
        let track = Track { joint: crank, coordinate: Coordinate::Angle, motion: Box::new(motion) };
        let found =
            inverse_dynamics(&mut world, &[track], &all, &times, &Inverse::default()).unwrap();
        replay(&world, &tracked, &|_, t| motion(t)[0], &found, &all, Order::Four)
    });
    let left = (4.0 * fine - coarse).abs() / 3.0;
    println!("A03: replay off by {coarse:.2e} and {fine:.2e} rad, {left:.1e} at h = 0");
    assert!((coarse / fine - 4.0).abs() < 0.2 && left < 1e-6, "{coarse:e} {fine:e}");
}
