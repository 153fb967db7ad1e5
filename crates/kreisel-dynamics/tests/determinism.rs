//! Same bits: after restoring a snapshot, on any number of threads, in every repetition.

mod common;

use common::{DOWN_Z, plain_world, symmetric};
use kreisel_dynamics::{
    Body, BodyId, Control, Coordinate, Friction, Joint, JointKind, Limit, Motor, Pid, Quat,
    Schedule, Spring, Target, Vec3, World,
};

/// A world with a bit of everything: limits, friction, a servo with memory, a velocity motor,
/// springs, loops.
fn zoo() -> World {
    let mut world = World::new();
    symmetric(&mut world);
    let arm = |world: &mut World, x: f64, y: f64| {
        world
            .add_body(Body::cuboid(1.0, Vec3::new(0.5, 0.1, 0.1)).ghost().at(Vec3::new(x, y, 0.0)))
            .unwrap()
    };
    // a pendulum that bounces at a stop
    let a = arm(&mut world, 0.25, 0.0);
    let stop = Limit::new(Coordinate::Angle, -1.0, 0.8).bouncing(0.6);
    world.add_joint(Joint::hinge(BodyId::WORLD, a).axis(Vec3::Y).limit(stop)).unwrap();
    // a servo arm carrying a brake and a second arm
    let b = arm(&mut world, 0.25, 2.0);
    let c = arm(&mut world, 0.75, 2.0);
    let hinge =
        world.add_joint(Joint::hinge(BodyId::WORLD, b).at(Vec3::Y * 2.0).axis(Vec3::Y)).unwrap();
    let brake = Friction { coordinate: Coordinate::Angle, effort: 0.3 };
    world
        .add_joint(Joint::hinge(b, c).at(Vec3::new(0.5, 2.0, 0.0)).axis(Vec3::Y).friction(brake))
        .unwrap();
    let pid = Pid { gain: 40.0, integral_time: 0.2, derivative_time: 0.1, window: Some(25) };
    let set = Schedule::linear(vec![(0.0, 0.0), (1.0, -7.0)]);
    let servo = Control::Servo { target: Target::Position, set, pid };
    world.add_motor(Motor::new(hinge, Coordinate::Angle, servo).max_effort(30.0)).unwrap();
    // a driven slider on a spring
    let d = arm(&mut world, 0.0, 4.0);
    let rail =
        world.add_joint(Joint::slider(BodyId::WORLD, d).at(Vec3::Y * 4.0).axis(Vec3::X)).unwrap();
    let speed = Control::Velocity(Schedule::linear(vec![(0.0, 0.5), (1.0, -0.5)]));
    world.add_motor(Motor::new(rail, Coordinate::Position, speed).max_effort(5.0)).unwrap();
    world
        .add_spring(
            Spring::new(BodyId::WORLD, d, Vec3::Y * 4.0, Vec3::Y * 4.0, 20.0)
                .length(0.1)
                .damping(0.5),
        )
        .unwrap();
    // a rope and a free body
    let e = world.add_body(Body::sphere(1.0, 0.1).ghost().at(Vec3::new(0.3, 6.0, 0.2))).unwrap();
    world
        .add_joint(Joint::rope(BodyId::WORLD, e, Vec3::Y * 6.0, Vec3::new(0.3, 6.0, 0.2), 0.6))
        .unwrap();
    world
        .add_body(
            Body::cuboid(1.0, Vec3::new(0.1, 0.2, 0.3)).ghost().spinning(Vec3::new(1.0, 5.0, 0.1)),
        )
        .unwrap();
    // a loop of four
    let p = [[0.0, 8.0], [0.0, 8.4], [0.8, 8.7], [1.0, 8.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let rods = [0, 1, 2].map(|i| {
        let way: Vec3 = p[i + 1] - p[i];
        let body = Body::cuboid(1.0, Vec3::new(way.length(), 0.05, 0.05))
            .ghost()
            .at((p[i] + p[i + 1]) * 0.5);
        world
            .add_body(body.rotated(Quat::from_rotation_z(way.y.atan2(way.x))).spinning(Vec3::Z))
            .unwrap()
    });
    let w = BodyId::WORLD;
    for (k, (a, b)) in
        [(w, rods[0]), (rods[0], rods[1]), (rods[1], rods[2]), (rods[2], w)].into_iter().enumerate()
    {
        world.add_joint(Joint::new(JointKind::Hinge, a, b).at(p[k])).unwrap();
    }
    world
}

#[test]
fn a_world_restored_at_every_seventh_step_goes_on_with_the_same_bits() {
    let mut world = zoo();
    let mut hashes = Vec::new();
    let mut snapshots = Vec::new();
    for step in 0..140 {
        if step % 7 == 0 {
            snapshots.push((step, world.snapshot()));
        }
        world.step(0.01);
        hashes.push(world.state_hash());
    }
    for (start, snapshot) in &snapshots {
        // into the world that ran on, and into a new one that never did
        let mut fresh = zoo();
        world.restore(snapshot).unwrap();
        fresh.restore(snapshot).unwrap();
        for step in *start..140 {
            world.step(0.01);
            fresh.step(0.01);
            assert_eq!(world.state_hash(), hashes[step], "snapshot {start}, step {step}");
            assert_eq!(
                fresh.state_hash(),
                hashes[step],
                "snapshot {start}, step {step}, new world"
            );
        }
    }
}

#[test]
fn taking_snapshots_does_not_change_the_future() {
    let (mut with, mut without) = (zoo(), zoo());
    for step in 0..100 {
        with.snapshot();
        with.step(0.01);
        without.step(0.01);
        assert_eq!(with.state_hash(), without.state_hash(), "step {step}");
    }
}

#[test]
fn a_snapshot_keeps_edits_and_forces_that_wait_for_the_next_step() {
    let mut world = zoo();
    for _ in 0..20 {
        world.step(0.01);
    }
    // a torn chain and a pending force
    let body = world.bodies().nth(1).unwrap();
    world.set_pose(body, Vec3::new(1.5, 2.5, 0.5), Quat::from_rotation_x(1.0)).unwrap();
    world.apply_force(body, Vec3::new(5.0, 3.0, 1.0), Vec3::ZERO).unwrap();
    let snapshot = world.snapshot();
    let mut hashes = Vec::new();
    for _ in 0..20 {
        world.step(0.01);
        hashes.push(world.state_hash());
    }
    world.apply_torque(body, Vec3::X * 100.0).unwrap();
    world.restore(&snapshot).unwrap();
    for (step, hash) in hashes.iter().enumerate() {
        world.step(0.01);
        assert_eq!(world.state_hash(), *hash, "step {step}");
    }
}

#[test]
fn a_snapshot_of_another_world_is_refused() {
    let mut small = plain_world(DOWN_Z, 1e-9);
    small.add_body(Body::point(1.0)).unwrap();
    let snapshot = small.snapshot();
    let mut world = zoo();
    let hash = world.state_hash();
    assert!(world.restore(&snapshot).is_err());
    assert_eq!(world.state_hash(), hash);
}

/// Twenty chains of different lengths.
fn chains(threads: usize) -> World {
    let mut world = World::new();
    symmetric(&mut world);
    common::change(&mut world, |s| s.threads = threads);
    for chain in 0..20 {
        let mut last = BodyId::WORLD;
        let y = f64::from(chain);
        for i in 0..3 + chain % 7 {
            let x = f64::from(i) * 0.2;
            let body = world
                .add_body(Body::cuboid(1.0, Vec3::new(0.2, 0.05, 0.08)).ghost().at(Vec3::new(
                    x + 0.1,
                    y,
                    0.0,
                )))
                .unwrap();
            let joint = if chain % 2 == 0 {
                Joint::ball(last, body)
            } else {
                Joint::hinge(last, body).axis(Vec3::Y)
            };
            world.add_joint(joint.at(Vec3::new(x, y, 0.0))).unwrap();
            last = body;
        }
        world.set_velocity(last, Vec3::Z * y * 0.1, Vec3::X).unwrap();
    }
    world
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let run = |threads| {
        let mut world = chains(threads);
        (0..50)
            .map(|_| {
                world.step(0.01);
                world.state_hash()
            })
            .collect::<Vec<_>>()
    };
    let one = run(1);
    for threads in [2, 3, 4, 8] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
    assert_eq!(run(1), one);
}

#[test]
fn unrelated_chains_do_not_change_each_other() {
    // the same chain alone and among others
    let mut alone = World::new();
    symmetric(&mut alone);
    let mut last = BodyId::WORLD;
    for i in 0..3 {
        let x = f64::from(i) * 0.2;
        let body = alone
            .add_body(Body::cuboid(1.0, Vec3::new(0.2, 0.05, 0.08)).ghost().at(Vec3::X * (x + 0.1)))
            .unwrap();
        alone.add_joint(Joint::ball(last, body).at(Vec3::X * x)).unwrap();
        last = body;
    }
    alone.set_velocity(last, Vec3::ZERO, Vec3::X).unwrap();
    let mut among = chains(2);
    for _ in 0..50 {
        alone.step(0.01);
        among.step(0.01);
    }
    for (a, b) in alone.bodies().zip(among.bodies()) {
        assert_eq!(alone.center_of_mass(a), among.center_of_mass(b));
        assert_eq!(alone.rotation(a), among.rotation(b));
    }
}
