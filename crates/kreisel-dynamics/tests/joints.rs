//! Every joint type holds what it promises, with every method, and says the same as its other
//! constructions.

mod common;

use common::{DOWN_Y, DOWN_Z, METHODS, distance, plain_world, symmetric};
use kreisel_dynamics::{
    Body, BodyId, Coordinate, Joint, JointKind, Method, PositionPart, Quat, RotationPart, Stepping,
    Vec3, World,
};

/// All named kinds and all combinations of parts, the empty one left out.
fn all_kinds() -> Vec<JointKind> {
    use PositionPart as P;
    use RotationPart as R;
    let mut kinds = JointKind::NAMED.to_vec();
    for p in [P::Free, P::Plane, P::Line, P::Point, P::Distance] {
        for r in [R::Free, R::Angle, R::Axis, R::Fixed] {
            if p.rows() + r.rows() > 0 {
                kinds.push(JointKind::Combined(p, r));
            }
        }
    }
    kinds
}

/// Two spinning boxes, hung from the world and from each other by joints of one kind.
fn mechanism(kind: JointKind) -> World {
    let mut world = World::new();
    let size = Vec3::new(0.5, 0.2, 0.1);
    let turn = Quat::from_rotation_y(0.3) * Quat::from_rotation_z(0.4);
    let a = Body::cuboid(1.0, size)
        .ghost()
        .at(Vec3::new(0.3, 0.1, 0.0))
        .rotated(turn)
        .spinning(Vec3::new(2.0, -1.0, 3.0));
    let b = Body::cuboid(2.0, size)
        .ghost()
        .at(Vec3::new(0.8, -0.1, 0.1))
        .spinning(Vec3::new(-1.0, 4.0, 1.0));
    let (a, b) = (world.add_body(a).unwrap(), world.add_body(b).unwrap());
    for (first, second, at) in [(BodyId::WORLD, a, Vec3::ZERO), (a, b, Vec3::new(0.55, 0.0, 0.05))]
    {
        let mut joint = Joint::new(kind, first, second).at(at).axis(Vec3::new(0.2, 1.0, 0.3));
        if kind.parts().1 == RotationPart::Angle {
            joint.axis2 = Some(Vec3::new(1.0, 0.1, 0.4));
        }
        if kind.parts().0 == PositionPart::Distance {
            joint.anchors[1] = at + Vec3::new(0.1, 0.0, -0.2);
        }
        world.add_joint(joint).unwrap();
    }
    symmetric(&mut world);
    world
}

#[test]
fn every_kind_of_joint_stays_within_1e_6_in_every_step_with_every_method() {
    for kind in all_kinds() {
        for method in METHODS {
            let mut world = mechanism(kind);
            common::change(&mut world, |s| s.method = method);
            for step in 0..180 {
                let report = world.step(1.0 / 60.0);
                for joint in world.joints() {
                    let (gap, tilt) = world.joint_error(joint).unwrap();
                    assert!(
                        gap <= 1e-6 && tilt <= 1e-6,
                        "{kind:?} {method:?} step {step}: {gap} m, {tilt} rad"
                    );
                }
                common::converged(&report, step);
                assert!(
                    report.velocity_error <= 1e-6,
                    "{kind:?} {method:?} step {step}: {}",
                    report.velocity_error
                );
            }
        }
    }
}

#[test]
fn a_joint_removes_as_many_degrees_of_freedom_as_its_parts_say() {
    for kind in all_kinds() {
        let analysis = mechanism(kind).analyse();
        assert_eq!((analysis.rows, analysis.rank), (2 * kind.rows(), 2 * kind.rows()), "{kind:?}");
        assert_eq!(analysis.freedom, 12 - 2 * kind.rows(), "{kind:?}");
    }
}

#[test]
fn the_methods_move_every_kind_of_joint_alike() {
    for kind in all_kinds() {
        let worlds = METHODS.map(|method| {
            let mut world = mechanism(kind);
            common::change(&mut world, |s| {
                s.method = method;
                s.substeps = kreisel_dynamics::Substeps::Fixed(4);
                s.tolerance = kreisel_dynamics::Tolerance::uniform(1e-11);
            });
            common::run(&mut world, 0.3, 60);
            world
        });
        for (world, method) in worlds.iter().zip(METHODS).skip(1) {
            let d = distance(&worlds[0], world);
            assert!(d < 1e-9, "{kind:?} {method:?}: {d} m");
        }
    }
}

/// Two arms in a row, hinged about z, the first one to the world; `hinge` adds what makes a hinge.
fn two_arms(hinge: impl Fn(&mut World, BodyId, BodyId, Vec3)) -> World {
    let mut world = plain_world(Vec3::new(0.0, -9.81, 3.0), 1e-12);
    let mut last = BodyId::WORLD;
    for i in 0..2 {
        let at = Vec3::X * (f64::from(i) + 0.5);
        let arm =
            world.add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.2)).ghost().at(at)).unwrap();
        hinge(&mut world, last, arm, at - Vec3::X * 0.5);
        last = arm;
    }
    world
}

#[test]
fn a_hinge_made_of_ball_and_direction_equals_one_made_of_ball_and_line() {
    let mut whole = two_arms(|w, a, b, p| {
        w.add_joint(Joint::hinge(a, b).at(p)).unwrap();
    });
    let mut direction = two_arms(|w, a, b, p| {
        w.add_joint(Joint::ball(a, b).at(p)).unwrap();
        w.add_joint(Joint::new(JointKind::Direction, a, b).at(p)).unwrap();
    });
    let mut line = two_arms(|w, a, b, p| {
        w.add_joint(Joint::ball(a, b).at(p)).unwrap();
        w.add_joint(Joint::new(JointKind::Line, a, b).at(p + Vec3::Z * 0.4)).unwrap();
    });
    for world in [&mut whole, &mut direction, &mut line] {
        assert_eq!(world.analyse().rank, 10);
        common::run(world, 2.0, 400);
    }
    assert!(distance(&whole, &direction) < 1e-9, "{}", distance(&whole, &direction));
    assert!(distance(&whole, &line) < 1e-9, "{}", distance(&whole, &line));
}

#[test]
fn slider_and_fixed_joints_equal_their_basic_joints() {
    let parts: [(JointKind, [JointKind; 2]); 4] = [
        (JointKind::Slider, [JointKind::Line, JointKind::Translation]),
        (JointKind::Cylindrical, [JointKind::Line, JointKind::Direction]),
        (JointKind::Universal, [JointKind::Ball, JointKind::DoubleRotation]),
        (JointKind::Fixed, [JointKind::Ball, JointKind::Translation]),
    ];
    for (whole, basic) in parts {
        let make = |kinds: &[JointKind]| {
            two_arms(|w, a, b, p| {
                for &kind in kinds {
                    let mut joint = Joint::new(kind, a, b).at(p).axis(Vec3::new(1.0, 0.2, 0.0));
                    joint.axis2 = (kind.parts().1 == RotationPart::Angle).then_some(Vec3::Z);
                    w.add_joint(joint).unwrap();
                }
            })
        };
        let (mut one, mut two) = (make(&[whole]), make(&basic));
        common::run(&mut one, 1.0, 200);
        common::run(&mut two, 1.0, 200);
        assert!(distance(&one, &two) < 1e-9, "{whole:?}: {}", distance(&one, &two));
    }
}

#[test]
fn a_bead_on_a_turning_rod_stays_on_the_line_as_it_lies_now() {
    // the reference values for Bender 2007: rod at 5 rad/s, bead at 2 m/s, h = 0.01: 2.5e-3 m when
    // measured against the old line, as printed
    let mut world = plain_world(Vec3::ZERO, 1e-9);
    let rod = Body::cuboid(100.0, Vec3::new(4.0, 0.1, 0.1)).ghost().spinning(Vec3::Z * 5.0);
    let rod = world.add_body(rod).unwrap();
    world.add_joint(Joint::hinge(BodyId::WORLD, rod)).unwrap();
    let bead = world
        .add_body(Body::point(1.0).at(Vec3::X * 0.1).moving(Vec3::new(2.0, 0.5, 0.0)))
        .unwrap();
    let line =
        Joint::new(JointKind::Line, rod, bead).between(Vec3::ZERO, Vec3::X * 0.1).axis(Vec3::X);
    let line = world.add_joint(line).unwrap();
    for step in 0..50 {
        common::converged(&world.step(0.01), step);
        // distance from the rod's present axis, from the poses alone
        let axis = world.rotation(rod).unwrap() * Vec3::X;
        let off = world.center_of_mass(bead).unwrap().reject_from(axis).length();
        assert!(off <= 1.1e-9, "step {step}: {off} m");
    }
    // the bead runs outwards: r'' = w² r with w kept nearly constant by the heavy rod
    assert!(world.coordinate(line, Coordinate::Position).unwrap() > 1.5);
}

#[test]
fn anchors_do_not_drift_in_a_hundred_thousand_steps() {
    let mut world = plain_world(DOWN_Y, 1e-9);
    let (bodies, joints) = common::box_chain(&mut world, 2, 0.5, 0.1, Joint::hinge);
    world.set_velocity(bodies[0], Vec3::Y * 0.5, Vec3::Z * 2.0).unwrap();
    world.set_velocity(bodies[1], Vec3::Y * 1.5, Vec3::Z * 2.0).unwrap();
    let start: Vec<Vec3> = bodies.iter().map(|&b| world.rotation(b).unwrap() * Vec3::Z).collect();
    for step in 0..100_000 {
        let report = world.step(0.005);
        assert!(report.worst.unwrap().position <= 1e-9, "step {step}");
    }
    // the anchor in body coordinates still lies at the joint, the axes still point along z
    assert!(world.point(bodies[0], Vec3::X * -0.25).unwrap().length() < 1e-9);
    for (&body, axis) in bodies.iter().zip(start) {
        assert!((world.rotation(body).unwrap() * Vec3::Z).distance(axis) < 1e-8);
    }
    assert!(joints.iter().all(|&j| world.joint_error(j).unwrap().0 < 1e-9));
}

#[test]
fn swapping_the_bodies_of_a_ball_joint_changes_nothing_but_the_sign_of_its_reaction() {
    let make = |swap: bool| {
        let mut world = plain_world(DOWN_Z, 1e-12);
        let mut last = BodyId::WORLD;
        let mut joints = Vec::new();
        for i in 0..3 {
            let arm = Body::cuboid(1.0, Vec3::new(0.5, 0.1, 0.2))
                .ghost()
                .at(Vec3::X * (0.25 + 0.5 * f64::from(i)));
            let arm = world.add_body(arm.spinning(Vec3::new(0.0, 1.0, 2.0))).unwrap();
            let (a, b) = if swap { (arm, last) } else { (last, arm) };
            joints.push(
                world
                    .add_joint(Joint::hinge(a, b).at(Vec3::X * (0.5 * f64::from(i))).axis(Vec3::Y))
                    .unwrap(),
            );
            last = arm;
        }
        common::run(&mut world, 1.0, 200);
        (world, joints)
    };
    let ((one, joints), (two, swapped)) = (make(false), make(true));
    assert!(distance(&one, &two) < 1e-9, "{}", distance(&one, &two));
    for (&a, &b) in joints.iter().zip(&swapped) {
        let (a, b) = (one.reaction(a).unwrap(), two.reaction(b).unwrap());
        assert!(
            (a.force + b.force).length() < 1e-7 && (a.torque + b.torque).length() < 1e-7,
            "{a:?} {b:?}"
        );
    }
}

#[test]
fn two_methods_work_side_by_side_in_one_world() {
    let mut world = World::new();
    symmetric(&mut world);
    let mut ends = Vec::new();
    for chain in 0..3 {
        let mut last = BodyId::WORLD;
        for i in 0..4 {
            let y = f64::from(chain);
            let body = Body::cuboid(1.0, Vec3::new(0.2, 0.05, 0.05)).ghost().at(Vec3::new(
                0.1 + 0.2 * f64::from(i),
                y,
                0.0,
            ));
            let body = world.add_body(body).unwrap();
            world
                .add_joint(Joint::ball(last, body).at(Vec3::new(0.2 * f64::from(i), y, 0.0)))
                .unwrap();
            last = body;
        }
        ends.push(last);
    }
    world.set_method(ends[1], Some(Method::Iterative)).unwrap();
    common::change(&mut world, |s| s.tolerance = kreisel_dynamics::Tolerance::uniform(1e-10));
    let mut rounds = 0;
    for step in 0..50 {
        let report = world.step(0.01);
        common::converged(&report, step);
        rounds += report.rounds;
    }
    let shift = |k: usize| world.center_of_mass(ends[k]).unwrap() - Vec3::Y * k as f64;
    assert!(shift(0).distance(shift(1)) < 1e-5 && shift(0).distance(shift(2)) < 1e-12);
    // the iterated chain needs many sweeps, and these are counted
    assert!(rounds > 1000, "{rounds}");
    assert_eq!(world.settings().stepping, Stepping::Symmetric);
}
