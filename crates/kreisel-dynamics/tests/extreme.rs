//! The extremes of physics: lengths, steps, rates, inertias, springs and starts far from the usual.
//! Pass means: every number is finite, the joints are within tolerance or the report says which is
//! not, and the energy does not come from nowhere.
//!
//! Mass ratios up to 1e6 are in `cargo xtask bench ratio`; contacts on deep and degenerate shapes
//! in `contact.rs`.

mod common;

use common::{DOWN_Z, change, converged, moving};
use kreisel_dynamics::{
    Body, BodyId, Control, Coordinate, Joint, Limit, MassProperties, Mat3, Motor, Schedule, Shape,
    Spring, Status, StepReport, Stepping, Tolerance, Vec3, World,
};

/// A chain of boxes on joints, level, fixed at the origin; `length` metres per link.
fn chain(n: usize, length: f64, joint: impl Fn(BodyId, BodyId) -> Joint) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    let (mut previous, mut ids) = (BodyId::WORLD, Vec::new());
    for i in 0..n {
        let x = i as f64 * length;
        let size = Vec3::new(length, 0.3 * length, 0.2 * length);
        let id = world
            .add_body(Body::cuboid(1.0, size).ghost().at(Vec3::new(x + 0.5 * length, 0.0, 0.0)))
            .unwrap();
        world.add_joint(joint(previous, id).at(Vec3::new(x, 0.0, 0.0))).unwrap();
        (previous, _) = (id, ids.push(id));
    }
    (world, ids)
}

fn finite(world: &World) -> bool {
    world.bodies().all(|id| {
        let b = moving(world, id);
        b.position.is_finite()
            && b.velocity.is_finite()
            && b.rotation.is_finite()
            && b.angular_velocity.is_finite()
    })
}

/// Steps, all converged; the largest climb of the energy above its lowest value, over `scale`.
fn rise(world: &mut World, h: f64, steps: usize, scale: f64) -> f64 {
    let (mut low, mut rise) = (world.energy().total(), 0.0_f64);
    for k in 0..steps {
        let report: StepReport = world.step(h);
        converged(&report, k);
        let energy = report.ledger.energy.total();
        rise = rise.max(energy - low);
        low = low.min(energy);
    }
    assert!(finite(world));
    rise / scale
}

#[test]
fn links_from_a_tenth_of_a_millimetre_to_ten_kilometres() {
    for length in [1e-4, 1e-2, 1.0, 1e2, 1e4] {
        for joint in
            [Joint::ball as fn(BodyId, BodyId) -> Joint, |a, b| Joint::hinge(a, b).axis(Vec3::Y)]
        {
            let (mut world, _) = chain(10, length, joint);
            let t = 1e-6 * length;
            change(&mut world, |s| {
                s.tolerance =
                    Tolerance { position: t, angle: 1e-6, velocity: t, angular_velocity: 1e-6 };
                s.stepping = Stepping::Energy;
            });
            // a twentieth of the swing of one link, whatever its length
            let h = 0.05 * (length / 9.81).sqrt();
            let climbed = rise(&mut world, h, 100, 10.0 * 9.81 * 5.0 * length);
            assert!(climbed < 1e-6, "{length} m: {climbed:e}");
        }
    }
}

#[test]
fn steps_from_a_microsecond_to_a_tenth_of_a_second() {
    for (h, steps) in [(1e-6, 200), (1e-4, 200), (1e-2, 100), (0.1, 20)] {
        let (mut world, _) = chain(5, 0.2, |a, b| Joint::hinge(a, b).axis(Vec3::Y));
        let climbed = rise(&mut world, h, steps, 5.0 * 9.81 * 0.5);
        // symmetric steps keep the energy to the square of the substep, which the controller
        // chooses
        assert!(climbed < 1e-2, "{h} s: {climbed:e}");
    }
}

#[test]
fn ten_thousand_radians_a_second() {
    // a rod on a hinge at 1e4 rad/s: 100 rad per step
    let mut world = World::new();
    let spin = Vec3::new(0.0, 1e4, 0.0);
    let rod = Body::cuboid(1.0, Vec3::new(0.2, 0.02, 0.02)).ghost().at(Vec3::new(0.1, 0.0, 0.0));
    let id =
        world.add_body(rod.spinning(spin).moving(spin.cross(Vec3::new(0.1, 0.0, 0.0)))).unwrap();
    world.add_joint(Joint::hinge(BodyId::WORLD, id).axis(Vec3::Y)).unwrap();
    let before = world.energy().total();
    for k in 0..20 {
        converged(&world.step(0.01), k);
    }
    let after = world.energy().total();
    assert!(((after - before) / before).abs() < 1e-3, "{before} {after}");
}

#[test]
fn inertia_of_a_needle() {
    // moments 1 : 1e6 on a universal joint
    let needle = MassProperties {
        mass: 1.0,
        center: Vec3::ZERO,
        inertia: Mat3::from_diagonal(Vec3::new(1e-8, 1e-2, 1e-2)),
    };
    let mut world = World::new();
    let id = world.add_body(Body::dynamic(needle).at(Vec3::new(0.1, 0.0, 0.0))).unwrap();
    world.add_joint(Joint::universal(BodyId::WORLD, id, Vec3::Y, Vec3::Z).at(Vec3::ZERO)).unwrap();
    change(&mut world, |s| s.stepping = Stepping::Energy);
    let climbed = rise(&mut world, 0.01, 200, 9.81 * 0.1);
    assert!(climbed < 1e-6, "{climbed:e}");
}

#[test]
fn springs_a_hundred_radians_per_step() {
    // h √(k/m) = 100 at h = 0.01 s, m = 1 kg
    for stepping in [Stepping::Energy, Stepping::Auto] {
        let (mut world, ids) = chain(3, 0.2, Joint::ball);
        let end = Vec3::new(0.6, 0.0, 0.0);
        world
            .add_spring(Spring::new(BodyId::WORLD, ids[2], Vec3::new(0.6, 0.0, 0.3), end, 1e8))
            .unwrap();
        change(&mut world, |s| s.stepping = stepping);
        let climbed = rise(&mut world, 0.01, 100, 3.0 * 9.81 * 0.3);
        assert!(climbed < 1e-5, "{stepping:?}: {climbed:e}");
        // as good as a bar
        let hung = moving(&world, ids[2]);
        let tip = hung.position + hung.rotation * Vec3::new(0.1, 0.0, 0.0);
        assert!((tip.distance(Vec3::new(0.6, 0.0, 0.3)) - 0.3).abs() < 1e-4);
    }
}

#[test]
fn a_hinge_said_five_times_is_a_hinge() {
    let swing = |times: usize| {
        let mut world = World::new();
        let id = world
            .add_body(
                Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).ghost().at(Vec3::new(0.5, 0.0, 0.0)),
            )
            .unwrap();
        for _ in 0..times {
            world.add_joint(Joint::hinge(BodyId::WORLD, id).axis(Vec3::Y)).unwrap();
        }
        for k in 0..100 {
            converged(&world.step(0.01), k);
        }
        moving(&world, id).position
    };
    assert!(swing(1).distance(swing(5)) < 1e-6);
}

#[test]
fn joints_that_contradict_each_other_stay_bounded_and_are_named() {
    let mut world = World::new();
    let id = world.add_body(Body::cuboid(1.0, Vec3::splat(0.2)).ghost()).unwrap();
    let away = Vec3::new(0.01, 0.0, 0.0);
    world.add_joint(Joint::fixed(BodyId::WORLD, id).named("here")).unwrap();
    world
        .add_joint(Joint::fixed(BodyId::WORLD, id).between(away, Vec3::ZERO).named("there"))
        .unwrap();
    for _ in 0..100 {
        let report = world.step(0.01);
        assert_eq!(report.status, Status::NotConverged);
        let worst = report.worst.unwrap();
        assert!(["here", "there"].contains(&&*worst.name), "{worst:?}");
        assert!(worst.position > 4e-3 && worst.position < 1.1e-2, "{worst:?}");
    }
    let body = moving(&world, id);
    assert!(body.position.length() < 0.011 && body.velocity.length() < 1e-3, "{body:?}");
}

#[test]
fn a_four_bar_goes_through_its_singular_pose() {
    // a parallelogram whose bars lie in one line twice a turn (IFToMM A02 with N = 1), driven by
    // its own speed
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let bar = |world: &mut World, at: Vec3, size: Vec3, v: Vec3, w: Vec3| {
        world.add_body(Body::cuboid(1.0, size).ghost().at(at).moving(v).spinning(w)).unwrap()
    };
    let w = Vec3::new(0.0, 3.0, 0.0);
    let up = Vec3::new(0.0, 0.0, 1.0);
    let crank = bar(&mut world, up * 0.5, Vec3::new(0.1, 0.1, 1.0), w.cross(up * 0.5), w);
    let rod = bar(
        &mut world,
        up + Vec3::new(0.5, 0.0, 0.0),
        Vec3::new(1.0, 0.1, 0.1),
        w.cross(up),
        Vec3::ZERO,
    );
    let right = bar(&mut world, up * 0.5 + Vec3::X, Vec3::new(0.1, 0.1, 1.0), w.cross(up * 0.5), w);
    for (a, b, at) in [
        (BodyId::WORLD, crank, Vec3::ZERO),
        (crank, rod, up),
        (rod, right, up + Vec3::X),
        (right, BodyId::WORLD, Vec3::X),
    ] {
        world.add_joint(Joint::hinge(a, b).at(at).axis(Vec3::Y)).unwrap();
    }
    let start = world.energy().total();
    for k in 0..500 {
        converged(&world.step(0.01), k);
    }
    let change = (world.energy().total() - start) / start;
    assert!(change.abs() < 1e-3, "{change:e}");
}

#[test]
fn a_chain_that_starts_apart_by_a_tenth_of_its_size_closes() {
    let (mut world, ids) = chain(5, 0.2, Joint::ball);
    for (k, &id) in ids.iter().enumerate() {
        let b = moving(&world, id);
        let off = Vec3::new(0.0, if k % 2 == 0 { 0.02 } else { -0.02 }, 0.0);
        world.set_pose(id, b.position + off, b.rotation).unwrap();
    }
    let mut closed = None;
    for k in 0..200 {
        let report = world.step(0.01);
        assert!(finite(&world));
        if closed.is_none() && report.status == Status::Converged {
            closed = Some(k);
        }
    }
    assert!(closed.is_some_and(|k| k < 100), "{closed:?}");
    assert!(world.bodies().all(|id| moving(&world, id).velocity.length() < 20.0));
}

#[test]
fn a_motor_against_a_limit_presses_and_nothing_gives() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let id = world
        .add_body(Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).ghost().at(Vec3::new(0.5, 0.0, 0.0)))
        .unwrap();
    let limit = Limit::new(Coordinate::Angle, -1.0, 0.5);
    let joint =
        world.add_joint(Joint::hinge(BodyId::WORLD, id).axis(Vec3::Y).limit(limit)).unwrap();
    let motor = Motor::new(joint, Coordinate::Angle, Control::Velocity(Schedule::constant(1e3)));
    world.add_motor(motor.max_effort(1e5)).unwrap();
    for _ in 0..200 {
        assert_eq!(world.step(0.01).status, Status::Converged);
    }
    let angle = world.coordinate(joint, Coordinate::Angle).unwrap();
    assert!((angle - 0.5).abs() < 1e-5, "{angle}");
}

#[test]
fn a_plate_carries_a_thousand_balls() {
    let mut world = World::new();
    world.set_gravity(DOWN_Z).unwrap();
    world
        .set_ground(Some(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 }), Default::default())
        .unwrap();
    let plate = Shape::Box { size: Vec3::new(8.0, 8.0, 0.2) };
    let id =
        world.add_body(Body::solid(plate, 100.0).unwrap().at(Vec3::new(0.0, 0.0, 0.1))).unwrap();
    for k in 0..1000 {
        let at = Vec3::new(f64::from(k % 32) * 0.22 - 3.4, f64::from(k / 32) * 0.22 - 3.4, 0.301);
        world.add_body(Body::solid(Shape::Sphere { radius: 0.1 }, 1000.0).unwrap().at(at)).unwrap();
    }
    let mut deepest = 0.0_f64;
    for _ in 0..60 {
        deepest = deepest.max(world.step(1.0 / 60.0).contact.penetration);
    }
    assert!(finite(&world));
    let plate = moving(&world, id);
    assert!(
        deepest < 1e-4 && plate.position.distance(Vec3::new(0.0, 0.0, 0.1)) < 1e-4,
        "{deepest:e} {plate:?}"
    );
}

#[test]
fn a_bouncing_ball_comes_to_rest() {
    // infinitely many impacts in 2 v/(g (1 − e)): the work per step is bounded, and it ends in
    // resting contact
    use kreisel_dynamics::{ContactTime, Material};
    let mut world = World::new();
    let material = Material { restitution: 0.5, ..Material::default() };
    world
        .set_ground(Some(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 }), material.clone())
        .unwrap();
    let ball = Body::solid(Shape::Sphere { radius: 0.1 }, 1000.0).unwrap().material(material);
    let id = world.add_body(ball.at(Vec3::new(0.0, 0.0, 0.6))).unwrap();
    change(&mut world, |s| s.contact.time = ContactTime::Exact);
    for _ in 0..300 {
        world.step(0.01);
    }
    let ball = moving(&world, id);
    assert!((ball.position.z - 0.1).abs() < 1e-5 && ball.velocity.length() < 1e-6, "{ball:?}");
}

/// A net of `k` × `k` nodes, rods of 0.1 m and 0.1 kg on ball joints, level, pinned at two opposite
/// corners.
fn net(k: usize) -> World {
    let mut world = World::new();
    let place = |node: usize| Vec3::new(0.1 * (node % k) as f64, 0.1 * (node / k) as f64, 0.0);
    let mut ends = vec![Vec::new(); k * k];
    for node in 0..k * k {
        let (along, across) =
            ((node % k + 1 < k).then_some(node + 1), (node / k + 1 < k).then_some(node + k));
        for (other, size) in
            [(along, Vec3::new(0.1, 0.04, 0.04)), (across, Vec3::new(0.04, 0.1, 0.04))]
        {
            let Some(other) = other else { continue };
            let middle = 0.5 * (place(node) + place(other));
            let rod = world.add_body(Body::cuboid(0.1, size).ghost().at(middle)).unwrap();
            ends[node].push(rod);
            ends[other].push(rod);
        }
    }
    for (node, rods) in ends.iter().enumerate() {
        for &rod in &rods[1..] {
            world.add_joint(Joint::ball(rods[0], rod).at(place(node))).unwrap();
        }
    }
    for corner in [0, k * k - 1] {
        world.add_joint(Joint::ball(BodyId::WORLD, ends[corner][0]).at(place(corner))).unwrap();
    }
    world
}

#[test]
fn a_net_that_snaps_straight_neither_gains_nor_loses_energy() {
    let mut world = net(10);
    let start = world.energy().total();
    // total weight through half the net's length
    let scale = 18.0 * 9.81 * 0.45;
    let mut worst = 0.0_f64;
    for k in 0..400 {
        converged(&world.step(0.01), k);
        worst = worst.max((world.energy().total() - start).abs() / scale);
    }
    assert!(worst < 0.01, "{worst}");
}
