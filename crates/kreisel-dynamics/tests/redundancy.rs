//! Redundant, singular and conflicting joints: found by name, solved in the least-squares sense,
//! bounded.

mod common;

use common::{DOWN_Y, DOWN_Z, Numbers, Reference, box_chain, distance, plain_world, symmetric};
use kreisel_dynamics::{Body, BodyId, Joint, JointKind, Method, Quat, Status, Vec3, World};

#[test]
fn doubled_hinges_are_named_and_do_not_change_the_motion() {
    for times in [2, 5] {
        let mut single = plain_world(DOWN_Y, 1e-11);
        box_chain(&mut single, 3, 0.5, 0.1, Joint::hinge);
        let mut doubled = plain_world(DOWN_Y, 1e-11);
        let (bodies, joints) = box_chain(&mut doubled, 3, 0.5, 0.1, Joint::hinge);
        for k in 1..times {
            let copy =
                Joint::hinge(bodies[0], bodies[1]).at(Vec3::X * 0.5).named(format!("copy {k}"));
            doubled.add_joint(copy).unwrap();
        }
        let analysis = doubled.analyse();
        assert_eq!((analysis.rows, analysis.rank, analysis.freedom), (10 + 5 * times, 15, 3));
        let original = doubled.joint_name(joints[1]).unwrap();
        for r in &analysis.redundant {
            let involved: Vec<&str> = r.implied_by.iter().map(|n| &**n).chain([&*r.name]).collect();
            assert!(
                involved.iter().all(|n| n.starts_with("copy") || **n == *original),
                "{involved:?}"
            );
        }
        common::run(&mut single, 1.0, 200);
        common::run(&mut doubled, 1.0, 200);
        assert!(distance(&single, &doubled) < 1e-9, "{times}: {}", distance(&single, &doubled));
    }
}

/// A parallelogram-free four-bar of hinges in space.
fn four_bar(last: JointKind) -> World {
    let mut world = plain_world(DOWN_Y, 1e-11);
    let p =
        [Vec3::ZERO, Vec3::new(0.0, 0.4, 0.0), Vec3::new(0.8, 0.7, 0.0), Vec3::new(1.0, 0.0, 0.0)];
    let rods = [0, 1, 2].map(|i| {
        let way: Vec3 = p[i + 1] - p[i];
        let body = Body::cuboid(1.0, Vec3::new(way.length(), 0.05, 0.05))
            .ghost()
            .at((p[i] + p[i + 1]) * 0.5);
        world.add_body(body.rotated(Quat::from_rotation_z(way.y.atan2(way.x)))).unwrap()
    });
    let w = BodyId::WORLD;
    for (k, (a, b)) in
        [(w, rods[0]), (rods[0], rods[1]), (rods[1], rods[2]), (rods[2], w)].into_iter().enumerate()
    {
        let kind = if k == 3 { last } else { JointKind::Hinge };
        world.add_joint(Joint::new(kind, a, b).at(p[k]).named(format!("pin {k}"))).unwrap();
    }
    world
}

#[test]
fn a_four_bar_of_hinges_has_rank_17_of_20_and_names_what_is_too_much() {
    let mut hinged = four_bar(JointKind::Hinge);
    let analysis = hinged.analyse();
    assert_eq!((analysis.rows, analysis.rank, analysis.freedom, analysis.loops), (20, 17, 1, 1));
    assert_eq!(analysis.redundant.len(), 3);
    for r in &analysis.redundant {
        // the plane's shift and its two tilts, implied by the other pins
        assert!(["shift z", "tilt y", "tilt z"].contains(&r.row), "{r:?}");
        assert!(
            !r.implied_by.is_empty() && r.implied_by.iter().all(|n| n.starts_with("pin")),
            "{r:?}"
        );
    }
    // replaced by a line joint along the axis: 17 rows, the same motion
    let mut replaced = four_bar(JointKind::Line);
    let analysis = replaced.analyse();
    assert_eq!((analysis.rows, analysis.rank, analysis.redundant.len()), (17, 17, 0));
    common::run(&mut hinged, 2.0, 400);
    common::run(&mut replaced, 2.0, 400);
    assert!(distance(&hinged, &replaced) < 1e-8, "{}", distance(&hinged, &replaced));
}

#[test]
fn the_redundant_four_bar_moves_alike_with_all_methods() {
    let mut direct = four_bar(JointKind::Hinge);
    common::run(&mut direct, 1.0, 200);
    for method in [Method::Iterative, Method::Cut] {
        let mut other = four_bar(JointKind::Hinge);
        common::change(&mut other, |s| s.method = method);
        common::run(&mut other, 1.0, 200);
        assert!(distance(&direct, &other) < 1e-7, "{method:?}: {}", distance(&direct, &other));
    }
}

#[test]
fn two_fixed_joints_a_centimetre_apart_stay_bounded_and_are_named() {
    for method in common::METHODS {
        let mut world = World::new();
        symmetric(&mut world);
        common::change(&mut world, |s| {
            s.method = method;
            s.max_rounds = Some(50);
        });
        let body = world.add_body(Body::cuboid(1.0, Vec3::splat(0.2)).ghost()).unwrap();
        world.add_joint(Joint::fixed(BodyId::WORLD, body).named("here")).unwrap();
        world
            .add_joint(
                Joint::fixed(BodyId::WORLD, body)
                    .between(Vec3::X * 0.01, Vec3::ZERO)
                    .named("there"),
            )
            .unwrap();
        for step in 0..300 {
            let report = world.step(1.0 / 60.0);
            assert_ne!(report.status, Status::Converged, "{method:?} step {step}");
            let worst = report.worst.unwrap();
            assert!(["here", "there"].contains(&&*worst.name));
            assert!(worst.position <= 0.0101, "{method:?} step {step}: {worst:?}");
            let x = world.center_of_mass(body).unwrap();
            assert!(
                x.length() < 0.02 && world.velocity(body).unwrap().length() < 5.0,
                "{method:?} step {step}: {x}"
            );
        }
    }
}

#[test]
fn a_conflict_in_a_loop_of_bars_stays_bounded() {
    // a triangle of rods whose last pin is 1 cm off: no pose satisfies it
    let mut world = World::new();
    symmetric(&mut world);
    let p = [Vec3::ZERO, Vec3::X, Vec3::new(0.5, 0.0, -0.8)];
    let rods = [0, 1, 2].map(|i| {
        let (from, to) = (p[i], p[(i + 1) % 3]);
        let turn = Quat::from_rotation_arc(Vec3::X, (to - from).normalize());
        world
            .add_body(
                Body::cuboid(1.0, Vec3::new(from.distance(to), 0.05, 0.05))
                    .ghost()
                    .at((from + to) * 0.5)
                    .rotated(turn),
            )
            .unwrap()
    });
    world.add_joint(Joint::hinge(BodyId::WORLD, rods[0]).axis(Vec3::Y)).unwrap();
    for i in 0..3 {
        let at = p[(i + 1) % 3];
        let off = if i == 2 { at + Vec3::Y * 0.01 } else { at };
        world
            .add_joint(Joint::hinge(rods[i], rods[(i + 1) % 3]).between(at, off).axis(Vec3::Y))
            .unwrap();
    }
    for step in 0..200 {
        let report = world.step(1.0 / 60.0);
        assert_eq!(report.status, Status::NotConverged, "step {step}");
        assert!(report.worst.unwrap().position < 0.03, "step {step}");
        assert!(
            world.bodies().all(|b| world.center_of_mass(b).unwrap().length() < 2.0),
            "step {step}"
        );
    }
}

#[test]
fn a_hub_with_a_thousand_arms_moves_as_the_iterative_method_moves_it() {
    let make = |method: Method| {
        let mut world = plain_world(DOWN_Z, 1e-11);
        common::change(&mut world, |s| s.method = method);
        let hub = world
            .add_body(Body::sphere(1e4, 1.0).ghost().spinning(Vec3::new(0.3, 0.2, 1.0)))
            .unwrap();
        let mut numbers = Numbers(11);
        for _ in 0..1000 {
            let out = numbers.vec().normalize();
            let turn = Quat::from_rotation_arc(Vec3::X, out);
            let arm =
                Body::cuboid(0.1, Vec3::new(0.4, 0.05, 0.05)).ghost().at(out * 1.2).rotated(turn);
            let arm = world.add_body(arm).unwrap();
            world.add_joint(Joint::ball(hub, arm).at(out)).unwrap();
        }
        common::run(&mut world, 0.05, 10);
        world
    };
    let (direct, iterative) = (make(Method::Direct), make(Method::Iterative));
    assert!(distance(&direct, &iterative) < 1e-9, "{}", distance(&direct, &iterative));
}

#[test]
fn a_net_of_ball_joints_stays_within_tolerance_and_reports_its_loops() {
    let n = 6;
    let mut world = World::new();
    symmetric(&mut world);
    // knots are small spheres, strings are rods between them; hung at two opposite corners
    let at = |i: usize, j: usize| Vec3::new(i as f64, j as f64, 0.0) * 0.2;
    let knots: Vec<BodyId> = (0..n * n)
        .map(|k| world.add_body(Body::sphere(0.1, 0.02).ghost().at(at(k % n, k / n))).unwrap())
        .collect();
    for k in 0..n * n {
        let (i, j) = (k % n, k / n);
        for (di, dj) in [(1, 0), (0, 1)] {
            if i + di < n && j + dj < n {
                let (a, b) = (at(i, j), at(i + di, j + dj));
                let rod = Body::cuboid(
                    0.05,
                    Vec3::new(0.2 - 0.2 * dj as f64 + 0.01, 0.2 * dj as f64 + 0.01, 0.01),
                )
                .ghost();
                let rod = world.add_body(rod.at((a + b) * 0.5)).unwrap();
                world.add_joint(Joint::ball(knots[k], rod).at(a)).unwrap();
                world.add_joint(Joint::ball(rod, knots[(j + dj) * n + i + di]).at(b)).unwrap();
            }
        }
    }
    world.add_joint(Joint::ball(BodyId::WORLD, knots[0]).at(at(0, 0))).unwrap();
    world.add_joint(Joint::ball(BodyId::WORLD, knots[n * n - 1]).at(at(n - 1, n - 1))).unwrap();
    // faces of the grid, and one loop through the frame
    assert_eq!(world.analyse().loops, (n - 1) * (n - 1) + 1);
    for step in 0..60 {
        common::converged(&world.step(1.0 / 60.0), step);
    }
}

#[test]
fn the_bricard_linkage_keeps_one_degree_of_freedom_with_a_universal_joint_too() {
    // E-08: 30 rows of rank 29; one hinge replaced by a universal joint gives 29 of 29
    let p = [[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]]
        .map(|p| Vec3::from_array(p.map(f64::from)));
    let axes = [Vec3::Y, Vec3::Z, Vec3::X, Vec3::Y, Vec3::Z, Vec3::X];
    let make = |universal: bool| {
        let mut world = plain_world(DOWN_Y, 1e-11);
        let rods = [0, 1, 2, 3, 4].map(|i: usize| {
            let turn = Quat::from_rotation_arc(Vec3::X, p[i + 1] - p[i]);
            world
                .add_body(
                    Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1))
                        .ghost()
                        .at((p[i] + p[i + 1]) * 0.5)
                        .rotated(turn),
                )
                .unwrap()
        });
        for i in 0..6 {
            let first = if i == 0 { BodyId::WORLD } else { rods[i - 1] };
            let second = if i == 5 { BodyId::WORLD } else { rods[i] };
            let joint = if universal && i == 2 {
                Joint::universal(first, second, axes[i], Vec3::Y)
            } else {
                Joint::hinge(first, second).axis(axes[i])
            };
            world.add_joint(joint.at(p[i])).unwrap();
        }
        world
    };
    let (mut hinges, mut universal) = (make(false), make(true));
    let count = |w: &World| (w.analyse().rows, w.analyse().rank, w.analyse().freedom);
    assert_eq!((count(&hinges), count(&universal)), ((30, 29, 1), (29, 29, 1)));
    common::run(&mut hinges, 1.0, 400);
    common::run(&mut universal, 1.0, 400);
    assert!(distance(&hinges, &universal) < 1e-6, "{}", distance(&hinges, &universal));
    // published P3(1 s) of A04
    let reference = Reference::load("a04_bricard");
    let there = Vec3::from_array(["P3_x_m", "P3_y_m", "P3_z_m"].map(|c| reference.at(1.0, c)));
    let third = hinges.bodies().nth(2).unwrap();
    assert!(hinges.point(third, Vec3::X * -0.5).unwrap().distance(there) < 1e-4);
}
