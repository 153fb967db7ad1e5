//! Accuracy of the symmetric step: its order, its energy, and reference trajectories with stated
//! bounds at stated steps.

mod common;

use common::{DOWN_Y, Reference, box_chain, double_pendulum_3d, plain_world};
use kreisel_dynamics::{
    Body, BodyId, Joint, JointKind, MassProperties, Order, Quat, Rotation, Vec3, World,
};

/// Poses and velocities of all bodies, as one list of numbers: positions first.
fn positions_and_velocities(world: &World) -> (Vec<Vec3>, Vec<Vec3>) {
    let all = |f: &dyn Fn(BodyId) -> Option<Vec3>| world.bodies().map(|b| f(b).unwrap()).collect();
    (all(&|b| world.center_of_mass(b)), all(&|b| world.velocity(b)))
}

fn largest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Orders of position and velocity between steps of h, h/2 and h/4 over `duration`, measured
/// against h/32.
#[track_caller]
fn assert_order_two(name: &str, duration: f64, h: f64, make: impl Fn() -> World) {
    let run = |h: f64| {
        let mut world = make();
        common::run(&mut world, duration, (duration / h).round() as usize);
        positions_and_velocities(&world)
    };
    let fine = run(h / 32.0);
    let runs = [1.0, 2.0, 4.0].map(|k| run(h / k));
    for k in 0..2 {
        for (what, coarse, half) in [
            ("position", largest(&runs[k].0, &fine.0), largest(&runs[k + 1].0, &fine.0)),
            ("velocity", largest(&runs[k].1, &fine.1), largest(&runs[k + 1].1, &fine.1)),
        ] {
            let order = (coarse / half).log2();
            assert!(
                (order - 2.0).abs() < 0.1,
                "{name}: order {order} of {what}, errors {coarse:e} {half:e}"
            );
        }
    }
}

#[test]
fn the_double_pendulum_of_the_thesis_converges_with_order_two() {
    assert_order_two("E-09(c)", 0.4, 0.02, || double_pendulum_3d(1e-13).0);
}

#[test]
fn every_kind_of_joint_converges_with_order_two() {
    let kinds = [
        JointKind::Ball,
        JointKind::Hinge,
        JointKind::Slider,
        JointKind::Universal,
        JointKind::Cylindrical,
        JointKind::Distance,
        JointKind::Line,
        JointKind::Plane,
    ];
    for kind in kinds {
        assert_order_two(kind.name(), 0.32, 0.01, || {
            let mut world = plain_world(Vec3::new(3.0, -9.81, 1.0), 1e-13);
            let (bodies, _) = box_chain(&mut world, 2, 1.0, 0.1, |a, b| {
                if a == BodyId::WORLD {
                    return Joint::ball(a, b);
                }
                let mut joint = Joint::new(kind, a, b).axis(Vec3::new(0.3, 0.2, 1.0));
                joint.axis2 = (kind == JointKind::Universal).then_some(Vec3::new(0.1, 1.0, 0.0));
                joint.length = (kind == JointKind::Distance).then_some(0.3);
                joint
            });
            if kind == JointKind::Distance {
                // anchors 0.3 m apart to begin with
                world.set_pose(bodies[1], Vec3::new(1.5, 0.3, 0.0), Quat::IDENTITY).unwrap();
            }
            for &body in &bodies {
                world
                    .apply_impulse(body, Vec3::new(0.2, 0.5, -0.4), Vec3::new(0.7, 0.0, 0.0))
                    .unwrap();
            }
            // one short step makes the velocities consistent
            world.step(1e-7);
            world
        });
    }
}

#[test]
fn the_energy_of_the_double_pendulum_is_bounded_for_100_s() {
    // the reference values for Bender 2007: -0.15 to +1e-5 J at h = 0.01, a quarter or less at h =
    // 0.005 (order 2 or better), no drift
    for (h, low) in [(0.01, -0.155), (0.005, -0.155 / 4.0)] {
        let (mut world, _) = projected_double_pendulum();
        let e0 = world.energy().total();
        let (mut min, mut max) = (0.0_f64, 0.0_f64);
        for step in 0..(100.0 / h) as usize {
            let report = world.step(h);
            common::converged(&report, step);
            let change = report.ledger.energy.total() - e0;
            (min, max) = (min.min(change), max.max(change));
        }
        assert!(min > low && max < 1e-4, "h = {h}: {min} to {max} J");
    }
}

/// E-09(c) as printed: the spins are given and one velocity correction makes them consistent.
fn projected_double_pendulum() -> (World, Vec<BodyId>) {
    let mut world = plain_world(DOWN_Y, 1e-12);
    let (bodies, _) = box_chain(&mut world, 2, 1.0, 0.1, Joint::ball);
    for (i, &body) in bodies.iter().enumerate() {
        let i = (i + 1) as f64;
        world.set_velocity(body, Vec3::ZERO, Vec3::new(i, 0.7, -1.3 * i)).unwrap();
    }
    world.step(1e-8);
    (world, bodies)
}

#[test]
fn the_double_pendulum_has_the_printed_errors() {
    // the reference values for Bender 2007, standard step: 1.8e-3, 4.4e-4, 1.1e-4, 2.8e-5 m at h =
    // 0.04, 0.02, 0.01, 0.005 after 0.4 s
    let run = |steps: usize| {
        let (mut world, _) = projected_double_pendulum();
        common::run(&mut world, 0.4, steps);
        positions_and_velocities(&world).0
    };
    let fine = run(3200);
    for (steps, printed) in [(10, 1.8e-3), (20, 4.4e-4), (40, 1.1e-4), (80, 2.8e-5)] {
        let error = largest(&run(steps), &fine);
        assert!(
            (error / printed - 1.0).abs() < 0.08,
            "{steps} steps: {error:e} m instead of {printed:e}"
        );
    }
}

/// Largest distance of a point from the reference columns `x`, `y` over the samples up to `end`.
fn error_against(
    world: &mut World,
    reference: &Reference,
    [x, y]: [&str; 2],
    (h, end): (f64, f64),
    point: impl Fn(&World) -> Vec3,
) -> f64 {
    let mut worst = 0.0_f64;
    for k in 1..=(end / 0.1).round() as usize {
        common::run(world, 0.1, (0.1 / h).round() as usize);
        let t = 0.1 * k as f64;
        let there = Vec3::new(reference.at(t, x), reference.at(t, y), 0.0);
        worst = worst.max(point(world).distance(there));
    }
    worst
}

/// Errors at h and h/2: order two, and below `bound` at h.
#[track_caller]
fn assert_reference(name: &str, h: f64, bound: f64, mut error: impl FnMut(f64) -> f64) {
    let errors = [error(h), error(0.5 * h)];
    let order = (errors[0] / errors[1]).log2();
    assert!(errors[0] < bound, "{name}: {errors:?} m at {h} s");
    assert!((order - 2.0).abs() < 0.1, "{name}: order {order}, {errors:?}");
}

#[test]
fn the_pendulum_follows_its_reference_for_10_s() {
    let reference = Reference::load("pendulum");
    assert_reference("pendulum", 0.002, 3e-4, |h| {
        let mut world = plain_world(DOWN_Y, 1e-12);
        let mass = world.add_body(Body::point(1.0).at(Vec3::X)).unwrap();
        world.add_joint(Joint::distance(BodyId::WORLD, mass, Vec3::ZERO, Vec3::X)).unwrap();
        error_against(&mut world, &reference, ["x1", "y1"], (h, 10.0), |w| {
            w.center_of_mass(mass).unwrap()
        })
    });
}

#[test]
fn the_double_pendulum_of_mass_points_follows_its_reference_for_2_s() {
    let reference = Reference::load("double_pendulum");
    assert_reference("double pendulum", 0.002, 1e-3, |h| {
        let mut world = plain_world(DOWN_Y, 1e-12);
        let mut last = (BodyId::WORLD, Vec3::ZERO);
        for i in 1..=2 {
            let at = Vec3::X * f64::from(i);
            let mass = world.add_body(Body::point(1.0).at(at)).unwrap();
            world.add_joint(Joint::distance(last.0, mass, last.1, at)).unwrap();
            last = (mass, at);
        }
        error_against(&mut world, &reference, ["x2", "y2"], (h, 2.0), |w| {
            w.center_of_mass(last.0).unwrap()
        })
    });
}

#[test]
fn the_triple_compound_pendulum_follows_its_reference_for_2_s() {
    let reference = Reference::load("triple_compound_pendulum");
    for joint in [Joint::ball as fn(_, _) -> _, Joint::hinge] {
        assert_reference("triple pendulum", 0.001, 2e-3, |h| {
            let mut world = plain_world(DOWN_Y, 1e-12);
            let (bodies, _) = box_chain(&mut world, 3, 1.0, 0.1, joint);
            error_against(&mut world, &reference, ["x3", "y3"], (h, 2.0), |w| {
                w.point(bodies[2], Vec3::X * 0.5).unwrap()
            })
        });
    }
}

#[test]
fn the_chain_of_ten_follows_its_reference_for_1_s() {
    let reference = Reference::load("chain10");
    assert_reference("chain10", 0.001, 2e-3, |h| {
        let mut world = plain_world(DOWN_Y, 1e-12);
        let (bodies, _) = box_chain(&mut world, 10, 0.1, 0.05, Joint::ball);
        error_against(&mut world, &reference, ["x10", "y10"], (h, 1.0), |w| {
            w.point(bodies[9], Vec3::X * 0.05).unwrap()
        })
    });
}

#[test]
fn the_spherical_pendulum_follows_its_reference_for_10_s() {
    let reference = Reference::load("spherical_pendulum");
    assert_reference("spherical pendulum", 0.002, 5e-4, |h| {
        let mut world = plain_world(DOWN_Y, 1e-12);
        let start = Vec3::new(0.75_f64.sqrt(), -0.5, 0.0);
        let mass = world.add_body(Body::point(1.0).at(start).moving(Vec3::Z * 2.0)).unwrap();
        world.add_joint(Joint::distance(BodyId::WORLD, mass, Vec3::ZERO, start)).unwrap();
        let mut worst = 0.0_f64;
        for k in 1..=100 {
            common::run(&mut world, 0.1, (0.1 / h).round() as usize);
            let there =
                Vec3::from_array(["x", "y", "z"].map(|c| reference.at(0.1 * f64::from(k), c)));
            worst = worst.max(world.center_of_mass(mass).unwrap().distance(there));
        }
        worst
    });
}

/// The linkage of `four_bar.csv`, with hinges in space: three rows of the loop are redundant.
pub fn four_bar() -> (World, [BodyId; 3]) {
    let mut world = plain_world(DOWN_Y, 1e-12);
    let reference = Reference::load("four_bar");
    let point = |x: &str, y: &str| Vec3::new(reference.at(0.0, x), reference.at(0.0, y), 0.0);
    let (a, b, c, d) = (Vec3::ZERO, point("Bx", "By"), point("Cx", "Cy"), Vec3::X);
    let mut rod = |from: Vec3, to: Vec3, mass: f64| {
        let (way, i) = (to - from, mass * from.distance_squared(to) / 12.0);
        let properties = MassProperties::principal_moments(mass, Vec3::new(1e-3 * i, i, i));
        let turn = Quat::from_rotation_z(way.y.atan2(way.x));
        world.add_body(Body::dynamic(properties).at((from + to) * 0.5).rotated(turn)).unwrap()
    };
    let rods = [rod(a, b, 0.4), rod(b, c, 0.9), rod(d, c, 0.8)];
    for (first, second, at) in [
        (BodyId::WORLD, rods[0], a),
        (rods[0], rods[1], b),
        (rods[1], rods[2], c),
        (BodyId::WORLD, rods[2], d),
    ] {
        world.add_joint(Joint::hinge(first, second).at(at)).unwrap();
    }
    (world, rods)
}

#[test]
fn the_four_bar_linkage_follows_its_reference_for_10_s() {
    let reference = Reference::load("four_bar");
    assert_reference("four-bar", 0.002, 2e-3, |h| {
        let (mut world, rods) = four_bar();
        error_against(&mut world, &reference, ["Bx", "By"], (h, 10.0), |w| {
            w.point(rods[0], Vec3::X * 0.2).unwrap()
        })
    });
}

#[test]
fn without_velocity_correction_positions_are_the_same_and_velocities_of_first_order() {
    // the reference values for Bender 2007: the next joint correction absorbs what is missing
    let run = |h: f64, correct: bool| {
        let (mut world, _) = double_pendulum_3d(1e-13);
        common::change(&mut world, |s| s.velocity_correction = correct);
        for _ in 0..(0.4 / h).round() as usize {
            world.step(h);
        }
        positions_and_velocities(&world)
    };
    let fine = run(0.000_312_5, true);
    let (with, without) = (run(0.01, true), run(0.01, false));
    assert!(largest(&with.0, &without.0) < 1e-10, "{:e}", largest(&with.0, &without.0));
    let half = run(0.005, false);
    let order = (largest(&without.1, &fine.1) / largest(&half.1, &fine.1)).log2();
    assert!((order - 1.0).abs() < 0.1, "{order}");
}

#[test]
fn extrapolated_steps_reach_orders_four_and_six_on_the_double_pendulum() {
    // the reference values for Bender 2007, standard step with weights: 6.5e-6, 4.1e-7 m (order 4),
    // 2.3e-8, 3.6e-10 m (order 6) at 0.04, 0.02 s
    let run = |order: Order, steps: usize| {
        let (mut world, _) = double_pendulum_3d(1e-13);
        common::change(&mut world, |s| {
            s.order = order;
            s.rotation = Rotation::Taylor(10);
        });
        common::run(&mut world, 0.4, steps);
        positions_and_velocities(&world).0
    };
    let fine = run(Order::Six, 320);
    for (order, number, steps) in [(Order::Four, 4.0, 20), (Order::Six, 6.0, 10)] {
        let errors = [run(order, steps), run(order, 2 * steps)].map(|r| largest(&r, &fine));
        let seen = (errors[0] / errors[1]).log2();
        assert!((seen - number).abs() < 0.1, "{order:?}: {seen}, {errors:?}");
    }
}
