//! Bad input is refused with the name of the item and the field, and changes nothing; no step
//! leaves a NaN behind.

mod common;

use common::symmetric;
use kreisel_dynamics::{
    Body, BodyId, Breaking, Control, Coordinate, Friction, Joint, JointId, JointKind, Limit,
    MassProperties, Mat3, ModelError, Motor, Order, Pid, Quat, Rotation, Schedule, Settings,
    Spring, Status, Substeps, Target, Tolerance, Vec3, World,
};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// An arm on a hinge with a motor and a spring.
fn arm() -> (World, BodyId, JointId) {
    let mut world = World::new();
    symmetric(&mut world);
    let arm = world
        .add_body(
            Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).ghost().at(Vec3::X * 0.5).named("arm"),
        )
        .unwrap();
    let hinge =
        world.add_joint(Joint::hinge(BodyId::WORLD, arm).axis(Vec3::Y).named("pin")).unwrap();
    world.step(0.01);
    (world, arm, hinge)
}

/// The edit must fail, name `item` and `field`, and leave the world as it was.
#[track_caller]
fn refused<T: std::fmt::Debug>(
    edit: impl FnOnce(&mut World, BodyId, JointId) -> Result<T, ModelError>,
    item: &str,
    field: &str,
) {
    let (mut world, body, joint) = arm();
    let (hash, counts) = (world.state_hash(), counts(&world));
    let (settings, gravity, snapshot) =
        (world.settings().clone(), world.gravity(), world.snapshot());
    let error = edit(&mut world, body, joint).expect_err("the edit must be refused").to_string();
    assert!(
        error.contains(item) && error.contains(field),
        "\"{error}\" names neither {item} nor {field}"
    );
    assert_eq!((world.state_hash(), self::counts(&world)), (hash, counts));
    assert_eq!((world.settings(), world.gravity()), (&settings, gravity));
    assert_eq!(world.snapshot(), snapshot);
    let (mut same, ..) = arm();
    world.step(0.01);
    same.step(0.01);
    assert_eq!(world.state_hash(), same.state_hash());
}

fn counts(world: &World) -> [usize; 4] {
    [
        world.bodies().count(),
        world.joints().count(),
        world.springs().count(),
        world.motors().count(),
    ]
}

/// NaN and both infinities in each component.
fn bad_vectors() -> Vec<Vec3> {
    let mut list = Vec::new();
    for bad in [NAN, INF, -INF] {
        for k in 0..3 {
            let mut v = Vec3::X;
            v[k] = bad;
            list.push(v);
        }
    }
    list
}

#[test]
fn every_field_of_a_body_is_checked() {
    type Setter = (&'static str, fn(&mut Body, Vec3));
    let fields: [Setter; 4] = [
        ("position", |b, v| b.position = v),
        ("velocity", |b, v| b.velocity = v),
        ("angular velocity", |b, v| b.angular_velocity = v),
        ("centre of mass", |b, v| b.mass.center = v),
    ];
    for make in [|| Body::sphere(1.0, 0.1).ghost(), Body::fixed, Body::kinematic] {
        for (field, set) in fields {
            for bad in bad_vectors() {
                let mut body = make().named("ball");
                set(&mut body, bad);
                refused(|w, _, _| w.add_body(body), "ball", field);
            }
        }
        for bad in [
            Quat::from_xyzw(NAN, 0.0, 0.0, 1.0),
            Quat::from_xyzw(0.0, INF, 0.0, 1.0),
            Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
        ] {
            refused(|w, _, _| w.add_body(make().rotated(bad).named("ball")), "ball", "rotation");
        }
        for bad in [NAN, INF] {
            let mut body = make().named("ball");
            body.mass.mass = bad;
            refused(|w, _, _| w.add_body(body), "ball", "mass");
            let mut body = make().named("ball");
            body.mass.inertia = Mat3::from_diagonal(Vec3::new(1.0, bad, 1.0));
            refused(|w, _, _| w.add_body(body), "ball", "inertia");
        }
    }
    for mass in [0.0, -1.0] {
        refused(
            |w, _, _| w.add_body(Body::sphere(mass, 0.1).ghost().named("ball")),
            "ball",
            "mass must be positive",
        );
    }
    let inertia = |m: Vec3| Body::dynamic(MassProperties::principal_moments(1.0, m)).named("ball");
    refused(|w, _, _| w.add_body(inertia(Vec3::new(-1.0, 1.0, 1.0))), "ball", "negative");
    refused(|w, _, _| w.add_body(inertia(Vec3::new(1.0, 1.0, 3.0))), "ball", "triangle");
    refused(|w, _, _| w.add_body(Body::fixed().moving(Vec3::X).named("wall")), "wall", "velocity");
    refused(|w, _, _| w.add_body(Body::point(1.0).named("arm")), "arm", "taken");
}

#[test]
fn every_field_of_a_joint_is_checked() {
    let joint = |arm| Joint::hinge(BodyId::WORLD, arm).named("bolt");
    for bad in bad_vectors() {
        refused(|w, b, _| w.add_joint(joint(b).at(bad)), "bolt", "anchor");
        refused(|w, b, _| w.add_joint(joint(b).between(Vec3::ZERO, bad)), "bolt", "anchor");
        refused(|w, b, _| w.add_joint(joint(b).axis(bad)), "bolt", "axis");
        refused(|w, b, _| w.add_joint(Joint { axis2: Some(bad), ..joint(b) }), "bolt", "axis2");
    }
    refused(|w, b, _| w.add_joint(joint(b).axis(Vec3::ZERO)), "bolt", "axis");
    refused(|w, b, _| w.add_joint(Joint { axis2: Some(Vec3::ZERO), ..joint(b) }), "bolt", "axis2");
    let universal = |b, axis2| Joint::universal(BodyId::WORLD, b, Vec3::X, axis2).named("bolt");
    refused(|w, b, _| w.add_joint(universal(b, Vec3::X * -2.0)), "bolt", "parallel");
    for bad in [NAN, INF, -1.0, 0.0] {
        let rod = |b| Joint {
            length: Some(bad),
            ..Joint::distance(BodyId::WORLD, b, Vec3::ZERO, Vec3::X).named("bolt")
        };
        refused(|w, b, _| w.add_joint(rod(b)), "bolt", "length");
    }
    refused(|w, b, _| w.add_joint(Joint { length: Some(NAN), ..joint(b) }), "bolt", "length");
    refused(
        |w, b, _| w.add_joint(Joint::new(JointKind::Distance, BodyId::WORLD, b).named("bolt")),
        "bolt",
        "length",
    );
    let limit = |min, max, e| Limit::new(Coordinate::Angle, min, max).bouncing(e);
    for (bad, field) in [
        (limit(NAN, 1.0, 0.0), "lower limit"),
        (limit(INF, INF, 0.0), "lower limit"),
        (limit(-1.0, NAN, 0.0), "upper limit"),
        (limit(1.0, -1.0, 0.0), "upper limit"),
        (limit(-INF, -INF, 0.0), "upper limit"),
        (limit(-1.0, 1.0, NAN), "restitution"),
        (limit(-1.0, 1.0, -0.1), "restitution"),
        (limit(-1.0, 1.0, 1.1), "restitution"),
    ] {
        refused(|w, b, _| w.add_joint(joint(b).limit(bad)), "bolt", field);
    }
    for bad in [NAN, -1.0] {
        let brake = Friction { coordinate: Coordinate::Angle, effort: bad };
        refused(|w, b, _| w.add_joint(joint(b).friction(brake)), "bolt", "friction");
        let (force, torque) =
            (Breaking { force: bad, torque: INF }, Breaking { force: INF, torque: bad });
        refused(|w, b, _| w.add_joint(joint(b).breaking(force)), "bolt", "breaking force");
        refused(|w, b, _| w.add_joint(joint(b).breaking(torque)), "bolt", "breaking torque");
    }
    let slide = Limit::new(Coordinate::Position, 0.0, 1.0);
    refused(|w, b, _| w.add_joint(joint(b).limit(slide)), "bolt", "position");
    refused(|w, b, _| w.add_joint(Joint::hinge(b, b).named("bolt")), "bolt", "itself");
    refused(
        |w, _, _| {
            let wall = Body::fixed().named("wall");
            let mut copy = w.clone();
            let wall = copy.add_body(wall).unwrap();
            copy.add_joint(Joint::hinge(BodyId::WORLD, wall).named("bolt"))
        },
        "bolt",
        "wall",
    );
}

#[test]
fn every_field_of_springs_and_motors_is_checked() {
    let spring = |b| Spring::new(BodyId::WORLD, b, Vec3::ZERO, Vec3::X, 1.0).named("coil");
    for bad in bad_vectors() {
        refused(
            |w, b, _| w.add_spring(Spring { anchors: [bad, Vec3::X], ..spring(b) }),
            "coil",
            "anchor",
        );
        refused(
            |w, b, _| w.add_spring(Spring { anchors: [Vec3::X, bad], ..spring(b) }),
            "coil",
            "anchor",
        );
    }
    for bad in [NAN, INF, -1.0] {
        refused(
            |w, b, _| w.add_spring(Spring { stiffness: bad, ..spring(b) }),
            "coil",
            "stiffness",
        );
        refused(|w, b, _| w.add_spring(Spring { damping: bad, ..spring(b) }), "coil", "damping");
        refused(|w, b, _| w.add_spring(spring(b).length(bad)), "coil", "length");
    }
    refused(|w, b, _| w.add_spring(Spring { bodies: [b, b], ..spring(b) }), "coil", "itself");
    let motor = |j, control| Motor::new(j, Coordinate::Angle, control).named("drive");
    for bad in [NAN, INF, -INF] {
        for points in [vec![(bad, 1.0)], vec![(0.0, bad)]] {
            let schedule = Schedule::linear(points);
            for control in [Control::Effort(schedule.clone()), Control::Velocity(schedule.clone())]
            {
                refused(|w, _, j| w.add_motor(motor(j, control)), "drive", "schedule");
            }
        }
    }
    let late = Schedule::linear(vec![(1.0, 0.0), (0.0, 1.0)]);
    refused(|w, _, j| w.add_motor(motor(j, Control::Effort(late))), "drive", "schedule");
    let one = || Control::Effort(Schedule::constant(1.0));
    for bad in [NAN, -1.0] {
        refused(|w, _, j| w.add_motor(motor(j, one()).max_effort(bad)), "drive", "largest effort");
    }
    let pid = Pid { gain: 1.0, integral_time: 1.0, derivative_time: 0.1, window: Some(10) };
    for (bad, field) in [
        (Pid { gain: NAN, ..pid }, "gain"),
        (Pid { gain: INF, ..pid }, "gain"),
        (Pid { integral_time: NAN, ..pid }, "integral time"),
        (Pid { integral_time: 0.0, ..pid }, "integral time"),
        (Pid { integral_time: -1.0, ..pid }, "integral time"),
        (Pid { derivative_time: NAN, ..pid }, "derivative time"),
        (Pid { derivative_time: -1.0, ..pid }, "derivative time"),
    ] {
        let servo =
            Control::Servo { target: Target::Position, set: Schedule::constant(0.0), pid: bad };
        refused(|w, _, j| w.add_motor(motor(j, servo)), "drive", field);
    }
    refused(
        |w, _, j| w.add_motor(Motor::new(j, Coordinate::Position, one()).named("drive")),
        "pin",
        "position",
    );
}

#[test]
fn settings_states_and_forces_are_checked() {
    for bad in bad_vectors() {
        refused(|w, _, _| w.set_gravity(bad), "world", "gravity");
        refused(|w, b, _| w.set_pose(b, bad, Quat::IDENTITY), "arm", "set_pose");
        refused(|w, b, _| w.set_velocity(b, bad, Vec3::ZERO), "arm", "set_velocity");
        refused(|w, b, _| w.set_velocity(b, Vec3::ZERO, bad), "arm", "set_velocity");
        refused(|w, b, _| w.apply_force(b, bad, Vec3::ZERO), "arm", "apply_force");
        refused(|w, b, _| w.apply_force(b, Vec3::ZERO, bad), "arm", "apply_force");
        refused(|w, b, _| w.apply_torque(b, bad), "arm", "apply_torque");
        refused(|w, b, _| w.apply_impulse(b, bad, Vec3::ZERO), "arm", "apply_impulse");
        refused(|w, b, _| w.apply_impulse(b, Vec3::ZERO, bad), "arm", "apply_impulse");
    }
    refused(
        |w, b, _| w.set_pose(b, Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, NAN)),
        "arm",
        "rotation",
    );
    refused(
        |w, b, _| w.set_pose(b, Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
        "arm",
        "rotation",
    );
    refused(|w, _, _| w.set_pose(BodyId::WORLD, Vec3::ZERO, Quat::IDENTITY), "world", "moved");
    refused(|w, _, _| w.set_velocity(BodyId::WORLD, Vec3::X, Vec3::ZERO), "world", "moved");
    refused(|w, _, _| w.remove_body(BodyId::WORLD), "world", "removed");
    let base = Settings::default();
    for bad in [NAN, INF, 0.0, -1.0] {
        let t = Tolerance::default();
        for (settings, field) in [
            (
                Settings { tolerance: Tolerance { position: bad, ..t }, ..base.clone() },
                "position tolerance",
            ),
            (
                Settings { tolerance: Tolerance { angle: bad, ..t }, ..base.clone() },
                "angle tolerance",
            ),
            (
                Settings { tolerance: Tolerance { velocity: bad, ..t }, ..base.clone() },
                "velocity tolerance",
            ),
            (
                Settings { tolerance: Tolerance { angular_velocity: bad, ..t }, ..base.clone() },
                "angular velocity tolerance",
            ),
            (Settings { impulse_limit: Some(bad), ..base.clone() }, "impulse limit"),
            (
                Settings { substeps: Substeps::Auto { target: bad }, ..base.clone() },
                "substep target",
            ),
            (Settings { substeps: Substeps::Error(bad), ..base.clone() }, "error bound"),
            (
                Settings { rotation: Rotation::CashKarp(bad), ..base.clone() },
                "error bound of the rotation",
            ),
        ] {
            refused(|w, _, _| w.set_settings(settings), "settings", field);
        }
    }
    for (settings, field) in [
        (Settings { max_rounds: Some(0), ..base.clone() }, "round limit"),
        (Settings { substeps: Substeps::Fixed(0), ..base.clone() }, "number of substeps"),
        (Settings { rotation: Rotation::Taylor(0), ..base.clone() }, "order of the Taylor series"),
    ] {
        refused(|w, _, _| w.set_settings(settings), "settings", field);
    }
    assert!(Order::from_number(3).is_none());
}

#[test]
fn ids_of_things_that_no_longer_exist_are_refused() {
    let (mut world, body, joint) = arm();
    let gone = world.add_body(Body::point(1.0)).unwrap();
    let link = world.add_joint(Joint::ball(body, gone)).unwrap();
    let motor = world
        .add_motor(Motor::new(link, Coordinate::Angle, Control::Effort(Schedule::constant(0.0))))
        .unwrap();
    let spring = world.add_spring(Spring::new(body, gone, Vec3::ZERO, Vec3::X, 1.0)).unwrap();
    world.remove_body(gone).unwrap();
    // its joints, springs and motors went with it; the slot is used again, the old ids stay dead
    let newcomer = world.add_body(Body::point(1.0)).unwrap();
    assert_ne!(newcomer, gone);
    assert!(world.remove_body(gone).is_err() && world.remove_joint(link).is_err());
    assert!(world.remove_spring(spring).is_err() && world.remove_motor(motor).is_err());
    assert!(
        world.set_pose(gone, Vec3::ZERO, Quat::IDENTITY).is_err()
            && world.apply_torque(gone, Vec3::X).is_err()
    );
    assert!(world.set_method(gone, None).is_err() && world.set_joint_active(link, true).is_err());
    assert!(
        world
            .add_joint(Joint::ball(body, gone).named("bolt"))
            .unwrap_err()
            .to_string()
            .contains("bolt")
    );
    let motor_on = |j| Motor::new(j, Coordinate::Angle, Control::Effort(Schedule::constant(0.0)));
    assert!(
        world.add_motor(motor_on(link)).is_err()
            && world.set_motor(motor, motor_on(joint)).is_err()
    );
    assert!(world.position(gone).is_none() && world.coordinate(link, Coordinate::Angle).is_none());
    assert!(
        world.reaction(link).is_none()
            && world.joint_error(link).is_none()
            && world.motor_effort(motor).is_none()
    );
}

#[test]
fn a_step_size_that_is_no_positive_number_is_refused_and_nothing_happens() {
    for bad in [NAN, INF, -INF, 0.0, -0.01] {
        let (mut world, body, _) = arm();
        world.apply_force(body, Vec3::X, Vec3::ZERO).unwrap();
        let (hash, time) = (world.state_hash(), world.time());
        let report = world.step(bad);
        assert_eq!(report.status, Status::Refused, "{bad}");
        assert_eq!((world.state_hash(), world.time()), (hash, time));
    }
}

#[test]
fn no_step_leaves_a_number_that_is_none() {
    // Speeds and spins are at most those that a body may be given; forces that are only finite take
    // them out of all bounds.
    for (speed, spin, force, h) in [
        (3e8, 0.0, 0.0, 1e300),
        (3e8, 1e6, 1e300, 1e150),
        (3e8, 0.0, 1e308, 10.0),
        (0.0, 1e6, 1e308, 1.0),
        (3e8, 1e6, 1e12, 1e-3),
        (0.0, 1e4, 0.0, 0.1),
    ] {
        for kind in [JointKind::Ball, JointKind::Hinge, JointKind::Slider] {
            let mut world = World::new();
            symmetric(&mut world);
            // spins that the controller would follow in a million substeps are stepped over
            if spin > 1e5 || force > 0.0 {
                common::change(&mut world, |s| s.substeps = Substeps::Fixed(2));
            }
            let (v, w) = (Vec3::new(speed, 0.0, speed), Vec3::new(0.0, spin, spin));
            let a = world
                .add_body(Body::cuboid(1.0, Vec3::new(0.3, 0.2, 0.1)).ghost().moving(v).spinning(w))
                .unwrap();
            let b = world
                .add_body(
                    Body::cuboid(1.0, Vec3::new(0.3, 0.2, 0.1)).ghost().at(Vec3::X).spinning(w),
                )
                .unwrap();
            world.add_joint(Joint::new(kind, a, b).at(Vec3::X * 0.5)).unwrap();
            world.add_body(Body::kinematic().moving(v).spinning(w)).unwrap();
            world
                .add_body(Body::cuboid(1.0, Vec3::new(0.3, 0.2, 0.1)).ghost().moving(v).spinning(w))
                .unwrap();
            for _ in 0..3 {
                for body in [a, b] {
                    world.apply_force(body, Vec3::new(force, -force, 0.0), Vec3::Z).unwrap();
                    world.apply_torque(body, Vec3::splat(force)).unwrap();
                }
                world.step(h);
                for body in world.bodies() {
                    let numbers =
                        [world.position(body), world.velocity(body), world.angular_velocity(body)];
                    assert!(
                        numbers.iter().all(|v| v.unwrap().is_finite()),
                        "{kind:?} {speed} {spin} {h}: {numbers:?}"
                    );
                    assert!(world.rotation(body).unwrap().is_finite());
                }
            }
        }
    }
}

#[test]
fn neither_do_contacts_and_multipliers() {
    use kreisel_dynamics::{ContactTime, Method, Shape};
    for (force, h) in [(1e200, 1.0), (1e160, 1e-3), (1e308, 10.0), (1e12, 0.1)] {
        for (method, time) in [
            (Method::Direct, ContactTime::Fast),
            (Method::Direct, ContactTime::Exact),
            (Method::Iterative, ContactTime::Fast),
            (Method::Lagrange, ContactTime::Fast),
        ] {
            let mut world = World::new();
            common::change(&mut world, |s| {
                s.method = method;
                s.contact.time = time;
                s.substeps = Substeps::Fixed(2);
                s.time_budget = Some(std::time::Duration::from_millis(50));
            });
            world
                .set_ground(
                    Some(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 }),
                    Default::default(),
                )
                .unwrap();
            let cube = || Body::solid(Shape::Box { size: Vec3::splat(0.2) }, 1000.0).unwrap();
            let a = world.add_body(cube().at(Vec3::Z).moving(Vec3::new(0.0, 0.0, -3e8))).unwrap();
            let b = world
                .add_body(cube().at(Vec3::new(0.3, 0.0, 1.0)).spinning(Vec3::Y * 1e6))
                .unwrap();
            world.add_joint(Joint::ball(a, b).at(Vec3::new(0.15, 0.0, 1.0))).unwrap();
            for _ in 0..3 {
                world.apply_force(a, Vec3::new(0.0, 0.0, -force), Vec3::Z).unwrap();
                world.apply_torque(b, Vec3::Y * force).unwrap();
                let report = world.step(h);
                for body in world.bodies() {
                    let numbers =
                        [world.position(body), world.velocity(body), world.angular_velocity(body)];
                    let finite = numbers.iter().all(|v| v.unwrap().is_finite());
                    assert!(
                        finite,
                        "{method:?} {time:?} {force} {h}: {numbers:?} {:?}",
                        report.status
                    );
                }
            }
        }
    }
}

/// A body that no chain moves, and so no chain checks: the last check of the step names it and
/// leaves it where it was.
#[test]
fn a_scripted_body_that_leaves_the_range_of_numbers_stays() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let good =
        world.add_body(Body::sphere(1.0, 0.1).ghost().named("good").moving(Vec3::X)).unwrap();
    let fast =
        world.add_body(Body::kinematic().named("fast").at(Vec3::Y).moving(Vec3::X * 3e8)).unwrap();
    // only a step this long overflows at an allowed speed; the free body overflows too, in its
    // square
    let report = world.step(1e301);
    assert_eq!(report.status, Status::Quarantined);
    let named = report.events.iter().filter_map(|e| match e {
        kreisel_dynamics::Event::Quarantined { body } => Some(body.to_string()),
        _ => None,
    });
    assert_eq!(named.collect::<Vec<_>>(), ["good", "fast"]);
    assert_eq!(world.position(fast).unwrap(), Vec3::Y);
    assert_eq!(world.velocity(fast).unwrap(), Vec3::ZERO);
    assert_eq!(world.position(good).unwrap(), Vec3::ZERO);
    assert_ne!(world.step(10.0).status, Status::Quarantined);
}

/// Numbers that are finite and still no use: each is refused by name with the range that is
/// allowed.
#[test]
fn numbers_beyond_their_bounds_are_refused_with_the_range() {
    let cube = || Body::cuboid(1.0, Vec3::splat(0.2)).ghost();
    refused(
        |w, _, _| w.add_body(cube().named("far").at(Vec3::X * 1e308)),
        "far",
        "position must be at most 1e12 m",
    );
    refused(
        |w, _, _| w.add_body(cube().named("fast").moving(Vec3::X * 1e9)),
        "fast",
        "velocity must be at most 3e8 m/s",
    );
    refused(
        |w, b, _| w.set_pose(b, Vec3::Y * -2e12, Quat::IDENTITY),
        "arm",
        "position must be at most 1e12 m",
    );
    refused(
        |w, b, _| w.set_velocity(b, Vec3::ZERO, Vec3::X * 1e9),
        "arm",
        "angular velocity must be at most 1e6 rad/s",
    );
    refused(
        |w, b, _| w.apply_impulse(b, Vec3::X * 1e12, Vec3::X),
        "arm",
        "velocity after the impulse",
    );
    refused(|w, _, _| w.set_gravity(Vec3::Z * 1e20), "world", "gravity must be at most 1e12 m/s²");
    refused(|w, _, _| w.set_time(1e300), "world", "time must be at most 1e12 s");
    let heavy = |m: f64| {
        Body::dynamic(MassProperties { mass: m, ..MassProperties::cuboid(1.0, Vec3::ONE) })
            .named("m")
    };
    refused(|w, _, _| w.add_body(heavy(1e300)), "m", "mass must be from 1e-60 kg to 1e60 kg");
    refused(|w, _, _| w.add_body(heavy(1e-300)), "m", "mass must be from 1e-60 kg to 1e60 kg");
    let stiff = |b| Spring::new(BodyId::WORLD, b, Vec3::ZERO, Vec3::X, 1e300).named("s");
    refused(|w, b, _| w.add_spring(stiff(b)), "s", "stiffness must be at most 1e30");
    for (tolerance, good) in
        [(1e-300, false), (1e-19, false), (1e-18, true), (1e6, true), (1e7, false)]
    {
        let settings = Settings { tolerance: Tolerance::uniform(tolerance), ..Settings::default() };
        match settings.check() {
            Ok(()) => assert!(good, "{tolerance:e}"),
            Err(list) => assert!(
                !good && list[0].to_string().contains("must be from 1e-18 to 1e6"),
                "{list:?}"
            ),
        }
    }
    let karp = Settings { rotation: Rotation::CashKarp(1e-300), ..Settings::default() };
    assert!(
        karp.check().unwrap_err()[0]
            .to_string()
            .contains("error bound of the rotation must be from 1e-16")
    );
}

/// A push that slows a body down is never refused, however fast the body has become.
#[test]
fn an_impulse_against_the_motion_is_taken_at_any_speed() {
    let mut world = World::new();
    let ball = world.add_body(Body::sphere(1.0, 0.1).ghost().moving(Vec3::X * 3e8)).unwrap();
    world.apply_impulse(ball, Vec3::X * -1e8, Vec3::ZERO).unwrap();
    assert_eq!(world.velocity(ball).unwrap(), Vec3::X * 2e8);
    assert!(world.apply_impulse(ball, Vec3::X * 1.1e8, Vec3::ZERO).is_err());
}
