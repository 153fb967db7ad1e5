//! Rows that act within bounds: limits with restitution, ropes, cones, friction, breaking.

mod common;

use common::{DOWN_Y, DOWN_Z, plain_world, symmetric};
use kreisel_dynamics::{
    Body, BodyId, Breaking, Coordinate, Event, Friction, Joint, JointId, Limit, Quat, StepReport,
    Vec3, World,
};

/// An arm hinged about z, released horizontally, with a stop at an angle below.
fn arm_with_stop(angle: f64, restitution: f64) -> (World, JointId) {
    let mut world = World::new();
    world.set_gravity(DOWN_Y).unwrap();
    symmetric(&mut world);
    let arm = world
        .add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).ghost().at(Vec3::X * 0.5))
        .unwrap();
    let stop = Limit::new(Coordinate::Angle, -angle, 1.0).bouncing(restitution);
    let hinge = world.add_joint(Joint::hinge(BodyId::WORLD, arm).limit(stop)).unwrap();
    (world, hinge)
}

fn hits(report: &StepReport) -> Vec<(f64, f64)> {
    let hit = |e: &Event| match e {
        Event::LimitHit { time, speed, .. } => Some((*time, *speed)),
        _ => None,
    };
    report.events.iter().filter_map(hit).collect()
}

#[test]
fn a_pendulum_bounces_off_its_stop_with_the_coefficient_of_restitution() {
    for e in [0.3, 0.7, 1.0] {
        let (mut world, hinge) = arm_with_stop(std::f64::consts::FRAC_PI_2, e);
        let mut seen = Vec::new();
        for step in 0..400 {
            let report = world.step(0.005);
            common::converged(&report, step);
            seen.extend(hits(&report));
            let angle = world.coordinate(hinge, Coordinate::Angle).unwrap();
            assert!(angle >= -std::f64::consts::FRAC_PI_2 - 2e-6, "e = {e}, step {step}: {angle}");
        }
        // first impact: w² = m g l / I with I = 1/3 + 0.01/12 kg m²
        let first = (9.81_f64 / (1.01 / 12.0 + 0.25)).sqrt();
        assert!((seen[0].1 - first).abs() < 1e-3 * first, "e = {e}: {:?}", seen[0]);
        // the arm falls back with the speed it left with: each impact is e times the one before
        for pair in seen.windows(2).filter(|p| p[1].1 > 0.5) {
            assert!((pair[1].1 / pair[0].1 - e).abs() < 2e-3, "e = {e}: {pair:?}");
        }
        assert!(seen.len() >= 2, "e = {e}: {seen:?}");
    }
}

#[test]
fn impacts_are_booked_as_losses() {
    let (mut world, _) = arm_with_stop(std::f64::consts::FRAC_PI_2, 0.5);
    let e0 = world.energy().total();
    let (mut impacts, mut residual, mut largest) = (0.0, 0.0, 0.0_f64);
    for _ in 0..300 {
        let ledger = world.step(0.005).ledger;
        impacts += ledger.impacts;
        residual += ledger.residual;
        largest = largest.max(ledger.residual.abs());
    }
    let lost = e0 - world.energy().total();
    // the first impact alone takes 3/4 of 4.905 J
    assert!(impacts > 0.75 * 4.9, "{impacts}");
    assert!(
        (impacts - lost).abs() < 1e-2 && (lost - impacts + residual).abs() < 1e-9,
        "{impacts} {lost} {residual}"
    );
    assert!(largest < 2e-3, "{largest}");
}

#[test]
fn a_bouncing_arm_comes_to_rest_after_finitely_many_impacts_with_bounded_work() {
    let (mut world, hinge) = arm_with_stop(1.2, 0.6);
    let (mut count, mut substeps) = (0, 0);
    for step in 0..600 {
        let report = world.step(0.01);
        common::converged(&report, step);
        count += hits(&report).len();
        substeps = substeps.max(report.substeps + report.rejected);
    }
    let rate = world.coordinate_rate(hinge, Coordinate::Angle).unwrap();
    assert!(rate.abs() < 1e-6, "{rate}");
    assert!(count < 200 && substeps < 300, "{count} impacts, at most {substeps} substeps");
    // resting against the stop: nothing happens any more, and the stop carries m g l/2 cos(1.2)
    let quiet = world.step(0.01);
    assert!(hits(&quiet).is_empty() && quiet.substeps <= 4, "{quiet:?}");
    let torque = world.reaction(hinge).unwrap().torque;
    assert!((torque.z - 4.905 * 1.2_f64.cos()).abs() < 1e-4, "{torque}");
}

#[test]
fn a_rope_lets_a_body_fall_until_it_is_taut() {
    let mut world = plain_world(DOWN_Z, 1e-9);
    let ball = world.add_body(Body::sphere(1.0, 0.05).ghost().at(Vec3::Z * -0.2)).unwrap();
    let rope =
        world.add_joint(Joint::rope(BodyId::WORLD, ball, Vec3::ZERO, Vec3::Z * -0.2, 1.0)).unwrap();
    // free fall over 0.8 m takes sqrt(2 · 0.8/9.81) = 0.40386 s
    let fall: f64 = (1.6_f64 / 9.81).sqrt();
    let mut taut = None;
    for step in 0..200 {
        let report = world.step(0.01);
        common::converged(&report, step);
        if let Some(&hit) = hits(&report).first() {
            taut.get_or_insert(hit);
        }
        assert!(world.coordinate(rope, Coordinate::Length).unwrap() <= 1.0 + 1e-8, "step {step}");
    }
    let (time, speed) = taut.unwrap();
    assert!((time - fall).abs() < 1e-6 && (speed - 9.81 * fall).abs() < 1e-5, "{time} {speed}");
    // it hangs and the rope carries the weight
    assert!(world.velocity(ball).unwrap().length() < 1e-9);
    assert!(world.reaction(rope).unwrap().force.distance(Vec3::Z * 9.81) < 1e-6);
}

#[test]
fn a_rope_goes_slack_again() {
    let mut world = plain_world(DOWN_Z, 1e-9);
    let ball = world.add_body(Body::sphere(1.0, 0.05).ghost().at(Vec3::Z * -1.0)).unwrap();
    let rope =
        world.add_joint(Joint::rope(BodyId::WORLD, ball, Vec3::ZERO, Vec3::Z * -1.0, 1.0)).unwrap();
    common::run(&mut world, 0.5, 50);
    world.set_velocity(ball, Vec3::Z * 3.0, Vec3::ZERO).unwrap();
    common::run(&mut world, 0.1, 10);
    // thrown upwards: z = −1 + 0.3 − 0.04905
    assert!((world.coordinate(rope, Coordinate::Length).unwrap() - 0.749_05).abs() < 1e-6);
}

#[test]
fn a_ball_joint_keeps_its_swing_cone_and_its_twist() {
    let mut world = World::new();
    symmetric(&mut world);
    let arm = Body::cuboid(1.0, Vec3::new(0.1, 0.15, 1.0)).ghost().at(Vec3::Z * -0.5);
    let arm =
        world.add_body(arm.moving(Vec3::X * 2.0).spinning(Vec3::new(0.0, -4.0, 3.0))).unwrap();
    let joint = Joint::ball(BodyId::WORLD, arm)
        .axis(Vec3::NEG_Z)
        .limit(Limit::new(Coordinate::Swing, 0.0, 0.5))
        .limit(Limit::new(Coordinate::Angle, -0.4, 0.4));
    let joint = world.add_joint(joint).unwrap();
    let (mut swing, mut twist) = (0.0_f64, 0.0_f64);
    for step in 0..400 {
        common::converged(&world.step(0.005), step);
        swing = swing.max(world.coordinate(joint, Coordinate::Swing).unwrap());
        twist = twist.max(world.coordinate(joint, Coordinate::Angle).unwrap().abs());
        assert!(swing <= 0.5 + 1e-5 && twist <= 0.4 + 1e-5, "step {step}: {swing} {twist}");
    }
    assert!(swing > 0.499 && twist > 0.399, "{swing} {twist}");
}

#[test]
fn a_slider_bounces_between_its_stops() {
    let mut world = plain_world(Vec3::ZERO, 1e-9);
    let car = world.add_body(Body::cuboid(1.0, Vec3::splat(0.1)).ghost().moving(Vec3::X)).unwrap();
    let stops = Limit::new(Coordinate::Position, -0.5, 0.5).bouncing(0.8);
    let rail =
        world.add_joint(Joint::slider(BodyId::WORLD, car).axis(Vec3::X).limit(stops)).unwrap();
    let mut speeds = Vec::new();
    for step in 0..1000 {
        let report = world.step(0.01);
        common::converged(&report, step);
        speeds.extend(hits(&report).iter().map(|h| h.1));
        assert!(world.coordinate(rail, Coordinate::Position).unwrap().abs() <= 0.5 + 1e-8);
    }
    // 1, 0.8, 0.64 ... m/s; 10 s hold five or six impacts
    assert!(speeds.len() >= 5, "{speeds:?}");
    for (k, v) in speeds.iter().enumerate() {
        assert!((v - 0.8_f64.powi(k as i32)).abs() < 1e-9, "{speeds:?}");
    }
}

/// A block on a rail inclined by `angle`, with dry friction `effort`.
fn block(angle: f64, effort: f64, speed: f64) -> (World, JointId) {
    let mut world = plain_world(Quat::from_rotation_y(-angle) * DOWN_Z, 1e-9);
    let block = world
        .add_body(Body::cuboid(2.0, Vec3::splat(0.1)).ghost().moving(Vec3::X * speed))
        .unwrap();
    let rail = Joint::slider(BodyId::WORLD, block).axis(Vec3::X);
    let rail = rail.friction(Friction { coordinate: Coordinate::Position, effort });
    let rail = world.add_joint(rail).unwrap();
    (world, rail)
}

#[test]
fn friction_sticks_without_creep_below_its_limit() {
    // 2 kg on 0.3 rad: m g sin = 5.798 N
    let (mut world, rail) = block(0.3, 6.0, 0.0);
    let start = world.coordinate(rail, Coordinate::Position).unwrap();
    common::run(&mut world, 60.0, 6000);
    let moved = world.coordinate(rail, Coordinate::Position).unwrap() - start;
    assert!(moved.abs() < 1e-6, "{moved} m in 60 s");
}

#[test]
fn friction_slides_with_the_right_acceleration_above_its_limit() {
    let (mut world, rail) = block(0.3, 2.0, 0.0);
    let pull: f64 = 2.0 * 9.81 * 0.3_f64.sin();
    common::run(&mut world, 1.0, 200);
    let (x, v) = (
        world.coordinate(rail, Coordinate::Position).unwrap(),
        world.coordinate_rate(rail, Coordinate::Position).unwrap(),
    );
    let a = (pull - 2.0) / 2.0;
    assert!((x.abs() - 0.5 * a).abs() < 1e-4 && (v.abs() - a).abs() < 1e-4, "{x} {v} {a}");
}

#[test]
fn friction_stops_a_moving_block_after_v_squared_over_2a_and_books_the_loss() {
    for h in [0.01, 0.005, 0.0025] {
        let (mut world, rail) = block(0.0, 4.0, 3.0);
        let (mut lost, mut residual) = (0.0, 0.0_f64);
        for step in 0..(3.0 / h) as usize {
            let report = world.step(h);
            common::converged(&report, step);
            lost += report.ledger.friction;
            residual += report.ledger.residual;
        }
        // a = 2 m/s²: 2.25 m, and 9 J are gone
        let x = world.coordinate(rail, Coordinate::Position).unwrap();
        assert!((x - 2.25).abs() < 2.0 * h * h, "h = {h}: {x}");
        assert!(
            (lost - 9.0).abs() < 10.0 * h && residual.abs() < 10.0 * h,
            "h = {h}: {lost} {residual}"
        );
        assert!(world.coordinate_rate(rail, Coordinate::Position).unwrap().abs() < 1e-9);
    }
}

#[test]
fn a_hinge_with_friction_holds_an_arm_up_and_a_weaker_one_lets_it_down() {
    for (effort, holds) in [(5.0, true), (4.8, false)] {
        let mut world = plain_world(DOWN_Y, 1e-9);
        let arm = world
            .add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).ghost().at(Vec3::X * 0.5))
            .unwrap();
        // m g l/2 = 4.905 N m
        let hinge = Joint::hinge(BodyId::WORLD, arm)
            .friction(Friction { coordinate: Coordinate::Angle, effort });
        let hinge = world.add_joint(hinge).unwrap();
        common::run(&mut world, 2.0, 400);
        let angle = world.coordinate(hinge, Coordinate::Angle).unwrap();
        assert_eq!(angle.abs() < 1e-6, holds, "{effort}: {angle}");
    }
}

#[test]
fn a_joint_breaks_at_its_load_whatever_the_step_size() {
    // an arm swinging down pulls with up to 2.5 m g: a joint for 2 m g breaks on the way, at sin
    // t = 0.8 nearly
    let mut times = Vec::new();
    for h in [0.01, 0.005, 0.0025, 0.00125] {
        let mut world = plain_world(DOWN_Y, 1e-9);
        let arm = world
            .add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.01, 0.01)).ghost().at(Vec3::X * 0.5))
            .unwrap();
        let breaking = Breaking { force: 2.0 * 9.81, torque: f64::INFINITY };
        let hinge = world
            .add_joint(Joint::hinge(BodyId::WORLD, arm).breaking(breaking).named("pin"))
            .unwrap();
        let mut broken = None;
        while broken.is_none() && world.time() < 1.0 {
            for event in world.step(h).events {
                if let Event::Broken { name, force, .. } = event {
                    assert!(&*name == "pin" && force > 2.0 * 9.81, "{force}");
                    broken = Some(world.time());
                }
            }
        }
        times.push(broken.expect("it breaks"));
        // from then on the arm flies freely
        let v = world.velocity(arm).unwrap();
        world.step(h);
        assert!(world.velocity(arm).unwrap().distance(v + DOWN_Y * h) < 1e-12);
        assert!(!world.joint(hinge).unwrap().active);
    }
    for pair in times.windows(2) {
        assert!((pair[0] - pair[1]).abs() < 0.0101, "{times:?}");
    }
    assert!((times[2] - times[3]).abs() < 0.0026, "{times:?}");
}

#[test]
fn a_joint_for_a_higher_load_does_not_break() {
    for h in [0.02, 0.005, 0.001] {
        let mut world = plain_world(DOWN_Z, 1e-9);
        let lamp = world.add_body(Body::sphere(2.0, 0.1).ghost().at(Vec3::Z * -1.0)).unwrap();
        let breaking = Breaking { force: 2.0 * 9.81 * 1.001, torque: f64::INFINITY };
        world.add_joint(Joint::ball(BodyId::WORLD, lamp).breaking(breaking)).unwrap();
        for _ in 0..100 {
            assert!(world.step(h).events.is_empty(), "h = {h}");
        }
    }
}
