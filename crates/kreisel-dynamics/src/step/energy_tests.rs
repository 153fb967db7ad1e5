//! The energy-momentum step: what it keeps, how fast it converges, what it stands.

use crate::{
    Body, BodyId, Coordinate, Friction, Joint, JointKind, Limit, PositionPart, RotationPart,
    Spring, Status, StepReport, Stepping, Substeps, Tolerance, Vec3, World,
};

/// Two flat boxes in three-dimensional motion: the first on a ball joint, the second on a joint of
/// the kind to test.
fn pendulum(joint: impl Fn(BodyId, BodyId) -> Joint) -> World {
    let mut world = World::new();
    let spin = Vec3::new(1.0, -2.0, 3.0);
    let centres = [Vec3::new(0.1, 0.02, -0.03), Vec3::new(0.32, 0.0, 0.01)];
    let boxes = [Vec3::new(0.2, 0.1, 0.04), Vec3::new(0.25, 0.06, 0.1)];
    let ids = [0, 1].map(|i| {
        let body = Body::cuboid(1.0 + i as f64, boxes[i])
            .ghost()
            .at(centres[i])
            .spinning(spin)
            .moving(spin.cross(centres[i]));
        world.add_body(body).unwrap()
    });
    world.add_joint(Joint::ball(BodyId::WORLD, ids[0])).unwrap();
    world.add_joint(joint(ids[0], ids[1])).unwrap();
    world
}

fn use_energy(world: &mut World, substeps: Substeps, tolerance: f64, velocity_correction: bool) {
    let mut settings = world.settings().clone();
    settings.stepping = Stepping::Energy;
    settings.substeps = substeps;
    settings.tolerance = Tolerance::uniform(tolerance);
    settings.velocity_correction = velocity_correction;
    world.set_settings(settings).unwrap();
}

fn kinds() -> Vec<JointKind> {
    use PositionPart as P;
    use RotationPart as R;
    let mut kinds = Vec::new();
    for position in [P::Free, P::Plane, P::Line, P::Point, P::Distance] {
        for rotation in [R::Free, R::Angle, R::Axis, R::Fixed] {
            kinds.push(JointKind::Combined(position, rotation));
        }
    }
    kinds
}

fn of_kind(kind: JointKind) -> impl Fn(BodyId, BodyId) -> Joint {
    move |a, b| {
        let axis = Vec3::new(0.2, 1.0, -0.3);
        let mut joint = Joint::new(kind, a, b).at(Vec3::new(0.2, 0.01, 0.0)).axis(axis);
        if kind.parts().0 == PositionPart::Distance {
            joint = joint.between(Vec3::new(0.15, 0.0, 0.0), Vec3::new(0.25, 0.03, 0.0));
        }
        if kind.parts().1 == RotationPart::Angle {
            joint.axis2 = Some(Vec3::new(1.0, 0.3, 0.5));
        }
        joint
    }
}

#[test]
fn energy_is_kept_by_every_pair_of_parts_without_any_projection() {
    for kind in kinds() {
        let mut world = pendulum(of_kind(kind));
        // one corrected step brings the velocities onto the joints
        use_energy(&mut world, Substeps::Fixed(1), 3e-14, true);
        world.step(1e-6);
        use_energy(&mut world, Substeps::Fixed(1), 3e-14, false);
        let start = world.energy();
        for i in 0..200 {
            let report = world.step(0.005);
            // some pairs fall freely: measure by what they have turned over
            let energy = report.ledger.energy;
            let scale = start.kinetic + energy.kinetic + energy.potential.abs();
            let change = (energy.total() - start.total()) / scale;
            assert_eq!(report.rejected, 0, "{kind:?} step {i}: {:?}", report.worst);
            assert!(change.abs() < 1e-10, "{kind:?} step {i}: {change:e}");
        }
    }
}

#[test]
fn halving_the_step_quarters_the_error() {
    let kinds = [JointKind::Ball, JointKind::Hinge, JointKind::Universal, JointKind::Slider];
    for kind in kinds {
        let end = |n: u32| {
            let mut world = pendulum(of_kind(kind));
            use_energy(&mut world, Substeps::Fixed(1), 1e-13, true);
            for _ in 0..n {
                world.step(0.2 / f64::from(n));
            }
            let last = world.bodies().last().unwrap();
            world.position(last).unwrap()
        };
        let exact = end(640);
        let (coarse, fine) = ((end(40) - exact).length(), (end(80) - exact).length());
        let order = (coarse / fine).log2();
        assert!((order - 2.0).abs() < 0.1, "{kind:?}: {coarse:e}, {fine:e}, order {order}");
    }
}

#[test]
fn a_floating_pair_keeps_momentum_and_angular_momentum() {
    for kind in kinds() {
        let mut world = pendulum(of_kind(kind));
        let pin = world.joints().next().unwrap();
        world.remove_joint(pin).unwrap();
        world.set_gravity(Vec3::ZERO).unwrap();
        use_energy(&mut world, Substeps::Fixed(1), 3e-14, true);
        let (p, l) = world.momentum();
        for _ in 0..100 {
            world.step(0.01);
        }
        let (p1, l1) = world.momentum();
        // opposite forces of a ball joint act at points that lie apart by the tolerance
        assert!(
            (p1 - p).length() < 1e-12 && (l1 - l).length() < 1e-9,
            "{kind:?}: {:e} {:e}",
            (p1 - p).length(),
            (l1 - l).length()
        );
    }
}

/// Steps and watches: worst joint, largest climb of the energy above its minimum.
fn watch(world: &mut World, h: f64, steps: u32) -> (f64, f64) {
    let (mut worst, mut rise, mut low) = (0.0_f64, 0.0_f64, world.energy().total());
    for i in 0..steps {
        let report: StepReport = world.step(h);
        assert_eq!(
            report.status,
            Status::Converged,
            "step {i}: {:?}, {:?} {:?}",
            report.worst,
            report.unexplained,
            report.ledger
        );
        if let Some(joint) = &report.worst {
            worst = worst.max(joint.position).max(joint.angle);
        }
        let energy = report.ledger.energy.total();
        rise = rise.max(energy - low);
        low = low.min(energy);
    }
    (worst, rise)
}

#[test]
fn ten_light_links_carry_a_million_times_their_mass() {
    for stepping in [Stepping::Energy, Stepping::Auto] {
        let mut world = World::new();
        let mut previous = BodyId::WORLD;
        for i in 0..10 {
            let mass = if i == 9 { 1e6 } else { 1.0 };
            let x = 0.1 * f64::from(i);
            let body = Body::cuboid(mass, Vec3::new(0.1, 0.05, 0.05)).ghost().at(Vec3::new(
                x + 0.05,
                0.0,
                0.0,
            ));
            let body = world.add_body(body).unwrap();
            world.add_joint(Joint::ball(previous, body).at(Vec3::new(x, 0.0, 0.0))).unwrap();
            previous = body;
        }
        let mut settings = world.settings().clone();
        settings.stepping = stepping;
        world.set_settings(settings).unwrap();
        let (worst, rise) = watch(&mut world, 1.0 / 60.0, 120);
        assert!(worst <= 1e-6, "{stepping:?}: {worst:e}");
        let scale = 1e6 * 9.81 * 0.5;
        assert!(
            rise / scale < if stepping == Stepping::Energy { 1e-6 } else { 1e-3 },
            "{stepping:?}: {:e}",
            rise / scale
        );
    }
}

/// Hinges between bodies of 1 kg and of 1000 t in turn, level, `n` of them, and a spin about the
/// vertical that the hinges stop: a light body has ten rows and six ways to move, what is left
/// falls to the heavy ones, whose answers are 1e-6 of its own.
fn unequal_chain(n: u32, spin: f64) -> World {
    let mut world = World::new();
    let mut previous = BodyId::WORLD;
    for i in 0..n {
        let mass = if i % 2 == 0 { 1.0 } else { 1e6 };
        let x = 0.1 * f64::from(i);
        let body = Body::cuboid(mass, Vec3::new(0.1, 0.05, 0.05)).ghost().at(Vec3::new(
            x + 0.05,
            0.0,
            0.0,
        ));
        let body = body.moving(Vec3::Y * (spin * (x + 0.05))).spinning(Vec3::Z * spin);
        let body = world.add_body(body).unwrap();
        world
            .add_joint(Joint::hinge(previous, body).at(Vec3::new(x, 0.0, 0.0)).axis(Vec3::Y))
            .unwrap();
        previous = body;
    }
    let mut settings = world.settings().clone();
    settings.stepping = Stepping::Energy;
    world.set_settings(settings).unwrap();
    world
}

#[test]
fn light_bodies_between_heavy_ones_lose_no_joint_in_long_chains_of_hinges() {
    // the second chain is too long for the matrix of the joints alone: its light bodies are nodes
    for (n, spin, steps) in [(100, 3.0, 20), (1000, 3.0, 10)] {
        let mut world = unequal_chain(n, spin);
        let (worst, rise) = watch(&mut world, 1.0 / 60.0, steps);
        // the fall through half the chain's length
        let scale = 0.5e6 * f64::from(n) * 9.81 * 0.05 * f64::from(n);
        assert!(worst <= 1e-6 && rise < 1e-6 * scale, "{n}: {worst:e} {:e}", rise / scale);
    }
}

#[test]
fn springs_keep_their_energy_and_dampers_book_what_they_take() {
    for damping in [0.0, 0.8] {
        let mut world = pendulum(|a, b| Joint::ball(a, b).at(Vec3::new(0.2, 0.01, 0.0)));
        let last = world.bodies().last().unwrap();
        let spring = Spring::new(
            BodyId::WORLD,
            last,
            Vec3::new(0.3, 0.2, 0.1),
            Vec3::new(0.4, 0.0, 0.0),
            60.0,
        );
        world.add_spring(spring.damping(damping).length(0.1)).unwrap();
        use_energy(&mut world, Substeps::Fixed(1), 1e-12, true);
        let start = world.energy().total();
        let mut booked = 0.0;
        for _ in 0..200 {
            let report = world.step(0.005);
            booked += report.ledger.damping + report.ledger.correction;
            assert!(report.ledger.residual.abs() < 1e-9, "{:e}", report.ledger.residual);
        }
        assert!((world.energy().total() - start + booked).abs() < 1e-8);
        assert!(damping == 0.0 || booked > 0.1);
    }
}

#[test]
fn a_redundant_loop_holds_and_gains_nothing() {
    // four-bar linkage of hinges: three of its twenty rows are implied by the others
    let mut world = World::new();
    let corners =
        [Vec3::ZERO, Vec3::new(0.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 0.0)];
    let mut previous = BodyId::WORLD;
    for i in 0..3 {
        let (a, b) = (corners[i], corners[i + 1]);
        let size = (b - a).abs() + Vec3::splat(0.05);
        let body = world
            .add_body(Body::cuboid(if i == 1 { 1e3 } else { 1.0 }, size).ghost().at((a + b) * 0.5))
            .unwrap();
        world.add_joint(Joint::hinge(previous, body).at(a).axis(Vec3::Y)).unwrap();
        previous = body;
    }
    world.add_joint(Joint::hinge(previous, BodyId::WORLD).at(corners[3]).axis(Vec3::Y)).unwrap();
    let coupler = world.bodies().nth(2).unwrap();
    world.apply_impulse(coupler, Vec3::X * 2e3, Vec3::new(0.5, 0.0, 1.0)).unwrap();
    use_energy(&mut world, Substeps::Auto { target: 3e-5 }, 1e-6, true);
    world.step(1e-3);
    let (worst, rise) = watch(&mut world, 0.01, 200);
    assert!(worst < 1e-6 && rise < 1e-6 * 1e4, "{worst:e} {rise:e}");
}

#[test]
fn limits_and_friction_hold_in_the_energy_momentum_step_too() {
    let mut world = World::new();
    let arm = world
        .add_body(
            Body::cuboid(1.0, Vec3::new(0.4, 0.05, 0.05)).ghost().at(Vec3::new(0.2, 0.0, 0.0)),
        )
        .unwrap();
    let friction = Friction { coordinate: Coordinate::Angle, effort: 0.1 };
    let hinge = Joint::hinge(BodyId::WORLD, arm).axis(Vec3::Y).friction(friction);
    let hinge = world.add_joint(hinge.limit(Limit::new(Coordinate::Angle, -0.2, 1.0))).unwrap();
    use_energy(&mut world, Substeps::Auto { target: 3e-5 }, 1e-6, true);
    let (worst, rise) = watch(&mut world, 0.01, 200);
    let angle = world.coordinate(hinge, Coordinate::Angle).unwrap();
    assert!(worst < 1e-6 && rise < 1e-6, "{worst:e} {rise:e}");
    assert!((angle - 1.0).abs() < 1e-4, "the arm rests on its limit: {angle}");
}

#[test]
fn a_hanging_mass_pulls_with_its_weight() {
    let mut world = World::new();
    let body = world
        .add_body(Body::cuboid(2.0, Vec3::splat(0.1)).ghost().at(Vec3::new(0.0, 0.0, -0.5)))
        .unwrap();
    let joint = world.add_joint(Joint::ball(BodyId::WORLD, body)).unwrap();
    use_energy(&mut world, Substeps::Fixed(2), 1e-9, true);
    for _ in 0..5 {
        world.step(0.01);
    }
    let force = world.reaction(joint).unwrap().force;
    assert!((force + world.gravity() * 2.0).length() < 1e-9, "{force}");
}

#[test]
fn a_stiff_spring_asks_for_no_substeps_and_keeps_energy() {
    // 1e8 N/m between the links of a double pendulum of 1 and 2 kg: up to 1e4 rad/s, a hundred
    // radians per step
    for damping in [0.0, 50.0] {
        let mut world =
            pendulum(|a, b| Joint::slider(a, b).at(Vec3::new(0.2, 0.01, 0.0)).axis(Vec3::X));
        let ids: Vec<_> = world.bodies().collect();
        let spring = Spring::new(
            ids[0],
            ids[1],
            Vec3::new(0.1, 0.02, -0.03),
            Vec3::new(0.32, 0.0, 0.01),
            1e8,
        );
        world.add_spring(spring.damping(damping)).unwrap();
        use_energy(&mut world, Substeps::Auto { target: 3e-5 }, 1e-6, true);
        let start = world.energy().total();
        let (mut booked, mut substeps) = (0.0, 0);
        for _ in 0..100 {
            let report = world.step(0.01);
            substeps += report.substeps;
            booked += report.ledger.damping + report.ledger.correction;
            assert_eq!(report.status, Status::Converged);
            assert!(report.ledger.residual.abs() < 1e-7, "{:e}", report.ledger.residual);
        }
        let total = world.energy().total();
        assert!((total - start + booked).abs() < 1e-6, "{:e}", total - start + booked);
        // a symmetric step would take two substeps per radian
        assert!(substeps < 1500, "{substeps}");
    }
}

#[test]
fn a_bar_of_a_stiff_spring_swings_like_a_rigid_one() {
    let run = |sprung: bool| {
        let mut world = World::new();
        let bob =
            world.add_body(Body::sphere(2.0, 0.1).ghost().at(Vec3::new(1.0, 0.0, 0.0))).unwrap();
        if sprung {
            world
                .add_spring(Spring::new(
                    BodyId::WORLD,
                    bob,
                    Vec3::ZERO,
                    Vec3::new(1.0, 0.0, 0.0),
                    1e10,
                ))
                .unwrap();
        } else {
            let bar = Joint::new(
                JointKind::Combined(PositionPart::Distance, RotationPart::Free),
                BodyId::WORLD,
                bob,
            );
            world.add_joint(bar.between(Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0))).unwrap();
        }
        use_energy(&mut world, Substeps::Fixed(4), 1e-9, true);
        for _ in 0..100 {
            assert_eq!(world.step(0.01).status, Status::Converged);
        }
        world.position(bob).unwrap()
    };
    // stretched by its load by up to 3 m g/k = 6e-9 m, and vibrating about that
    assert!((run(true) - run(false)).length() < 1e-6, "{} {}", run(true), run(false));
}
