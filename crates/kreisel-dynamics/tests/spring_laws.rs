//! Damped springs between bodies as implicit laws: rest, order, stability at any coefficient,
//! contacts, the ledger.
//!
//! Expected values come from statics, or from minimal coordinates integrated here by the classical
//! Runge-Kutta method with steps so short that its error does not count.

use kreisel_dynamics::*;

/// Moment of inertia of the rod about its hinge, kg m²: a box of 1 × 0.1 × 0.1 m and 1 kg, 0.5 m
/// away.
const INERTIA: f64 = 1.01 / 12.0 + 0.25;

/// A ball of 1 kg that hangs by a damped spring of 0.5 m from a point 0.5 m above it.
fn hanging(stiffness: f64, damping: f64, settings: &Settings) -> (World, BodyId) {
    let mut world = World::new();
    world.set_settings(settings.clone()).unwrap();
    let ball = world.add_body(Body::sphere(1.0, 0.1)).unwrap();
    let spring = Spring::new(BodyId::WORLD, ball, Vec3::new(0.0, 0.0, 0.5), Vec3::ZERO, stiffness);
    world.add_spring(spring.damping(damping).length(0.5)).unwrap();
    (world, ball)
}

/// A level rod on a hinge at the origin, held at its end by a damped spring from a point 1 m above
/// that.
fn held_rod(stiffness: f64, damping: f64, settings: &Settings) -> (World, BodyId) {
    let mut world = World::new();
    world.set_settings(settings.clone()).unwrap();
    let rod = Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(0.5, 0.0, 0.0));
    let arm = world.add_body(rod).unwrap();
    world.add_joint(Joint::hinge(BodyId::WORLD, arm).axis(Vec3::NEG_Y)).unwrap();
    let spring = Spring::new(BodyId::WORLD, arm, Vec3::new(1.0, 0.0, 1.0), Vec3::X, stiffness);
    world.add_spring(spring.damping(damping)).unwrap();
    (world, arm)
}

/// Height of the rod's centre at `end`, in its angle, by Runge-Kutta steps of 10 µs.
fn rod_at(end: f64, stiffness: f64, damping: f64) -> f64 {
    let slope = |[q, u]: [f64; 2]| {
        // from the anchor (1, 1) to the end (cos q, sin q)
        let (dx, dz) = (q.cos() - 1.0, q.sin() - 1.0);
        let l = (dx * dx + dz * dz).sqrt();
        // dl/dq
        let along = (-dx * q.sin() + dz * q.cos()) / l;
        let pull = stiffness * (l - 1.0) + damping * along * u;
        [u, (-pull * along - 9.81 * 0.5 * q.cos()) / INERTIA]
    };
    let steps = (end / 1e-5).round() as usize;
    let h = end / steps as f64;
    let along = |x: [f64; 2], k: [f64; 2], h: f64| [x[0] + h * k[0], x[1] + h * k[1]];
    let x = (0..steps).fold([0.0, 0.0], |x, _| {
        let k1 = slope(x);
        let k2 = slope(along(x, k1, 0.5 * h));
        let k3 = slope(along(x, k2, 0.5 * h));
        let k4 = slope(along(x, k3, h));
        [0, 1].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    });
    0.5 * x[0].sin()
}

#[test]
fn a_load_hangs_where_statics_say_at_any_stiffness() {
    for stiffness in [1e2_f64, 1e4, 1e6, 1e9, 1e12] {
        for h in [0.02, 0.01, 0.002] {
            let damping = (0.2 * stiffness).max(2.0 * stiffness.sqrt());
            let (mut world, ball) = hanging(stiffness, damping, &Settings::default());
            for _ in 0..(20.0 / h) as usize {
                let report = world.step(h);
                assert_eq!(
                    report.status,
                    Status::Converged,
                    "{stiffness}, {h}: {:?}",
                    report.unexplained
                );
            }
            let z = world.position(ball).unwrap().z;
            let expected = -9.81 / stiffness;
            assert!(
                (z - expected).abs() < 1e-9,
                "{stiffness}, step {h}: {z} instead of {expected}"
            );
        }
    }
}

#[test]
fn damping_of_any_size_takes_energy_and_no_more() {
    for damping in [1.0, 40.0, 250.0, 500.0, 1e4, 1e6, 1e9] {
        let (mut world, ball) = hanging(100.0, damping, &Settings::default());
        world.set_velocity(ball, Vec3::new(0.0, 0.0, 1.0), Vec3::ZERO).unwrap();
        let start = world.energy().total();
        let (mut last, mut booked) = (start, 0.0);
        for _ in 0..200 {
            let report = world.step(0.01);
            assert_eq!(report.status, Status::Converged, "{damping}: {:?}", report.unexplained);
            let now = report.ledger.energy.total();
            // the swing of a second-order step while it is hardly damped
            assert!(now <= last + 1e-4 * start, "{damping}: energy rose from {last} to {now}");
            booked += report.ledger.damping;
            last = now;
        }
        let lost = start - last;
        assert!((booked - lost).abs() < 2e-3 * start, "{damping}: {booked} booked of {lost}");
    }
}

#[test]
fn damped_springs_are_of_the_stated_order() {
    // across the hinge the spring acts with an arm of 1 m: h ω = 0.3 at the longest step
    let (k, d) = (300.0, 10.0);
    let expected = rod_at(0.4, k, d);
    for (order, stated) in [(Order::Two, 2.0), (Order::Four, 4.0)] {
        let settings = Settings { order, substeps: Substeps::Fixed(1), ..Settings::default() };
        let errors = [0.01, 0.005].map(|h: f64| {
            let (mut world, arm) = held_rod(k, d, &settings);
            (0..(0.4 / h).round() as usize).for_each(|_| drop(world.step(h)));
            (world.position(arm).unwrap().z - expected).abs()
        });
        let measured = (errors[0] / errors[1]).log2();
        assert!(
            (measured - stated).abs() < 0.05 * stated,
            "{order:?}: {measured}, errors {errors:?}"
        );
    }
}

#[test]
fn a_damper_on_an_arm_moves_it_as_minimal_coordinates_say() {
    // the audit's scene: from a damping of 300 on it went to the wrong side, with every step
    // converged
    for damping in [200.0, 300.0, 500.0, 1000.0, 1e4] {
        let expected = rod_at(1.0, 100.0, damping);
        for method in [Method::Direct, Method::Iterative, Method::Cut] {
            for stepping in [Stepping::Auto, Stepping::Symmetric, Stepping::Energy] {
                let settings = Settings { method, stepping, ..Settings::default() };
                let (mut world, arm) = held_rod(100.0, damping, &settings);
                for _ in 0..100 {
                    let report = world.step(0.01);
                    assert_eq!(
                        report.status,
                        Status::Converged,
                        "{damping} {method:?} {stepping:?}"
                    );
                }
                let z = world.position(arm).unwrap().z;
                let off = (z - expected).abs();
                assert!(
                    off < 2e-2 * expected.abs(),
                    "{damping} {method:?} {stepping:?}: {z}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn a_sprung_mass_stands_on_its_wheel_as_statics_say() {
    // the audit found it 26 mm too high, with the wheel sunk by 10 mm; with 10000 N s/m it flew
    // 12.8 km
    for (stiffness, damping) in [(4e4, 3e3), (4e4, 1e4), (4e4, 1e6), (4e5, 3e4)] {
        for h in [0.01, 0.005] {
            let mut world = World::new();
            let top = world
                .add_body(Body::cuboid(250.0, Vec3::splat(0.2)).at(Vec3::new(0.0, 0.0, 0.8)))
                .unwrap();
            let wheel =
                world.add_body(Body::sphere(25.0, 0.3).at(Vec3::new(0.0, 0.0, 0.3))).unwrap();
            let ends = [Vec3::new(0.0, 0.0, 0.8), Vec3::new(0.0, 0.0, 0.3)];
            world
                .add_spring(Spring::new(top, wheel, ends[0], ends[1], stiffness).damping(damping))
                .unwrap();
            let ground = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
            world.set_ground(Some(ground), Material::default()).unwrap();
            // e^(−k t/d) of the sag is left after a time t
            let end: f64 = if damping > 1e5 { 600.0 } else { 10.0 };
            let mut report = world.step(h);
            for _ in 1..(end / h) as usize {
                report = world.step(h);
            }
            let [z, w] = [top, wheel].map(|b| world.position(b).unwrap().z);
            let sag = 0.5 - (z - w);
            let expected = 250.0 * 9.81 / stiffness;
            let name = format!("{stiffness} N/m, {damping} N s/m, step {h}");
            assert!(
                (sag - expected).abs() < 1e-9 * expected.max(1.0),
                "{name}: {sag} instead of {expected}"
            );
            assert!((w - 0.3).abs() < 1e-6, "{name}: the wheel is at {w}");
            assert_eq!(report.status, Status::Converged, "{name}");
        }
    }
}

#[test]
fn a_damper_between_free_bodies_keeps_momentum() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let bar = |x: f64| Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.2)).at(Vec3::new(x, 0.0, 0.0));
    let (a, b) = (world.add_body(bar(0.0)).unwrap(), world.add_body(bar(2.0)).unwrap());
    world.set_velocity(b, Vec3::new(-1.0, 0.7, 0.3), Vec3::ZERO).unwrap();
    let before = world.momentum();
    let ends = [Vec3::new(0.3, 0.05, 0.1), Vec3::new(1.6, -0.05, 0.0)];
    world.add_spring(Spring::new(a, b, ends[0], ends[1], 500.0).damping(400.0)).unwrap();
    for _ in 0..200 {
        world.step(0.01);
    }
    let after = world.momentum();
    assert!(
        after.0.distance(before.0) < 1e-12 && after.1.distance(before.1) < 1e-9,
        "{before:?} {after:?}"
    );
}

#[test]
fn anchors_may_pass_each_other() {
    // along its line: x'' = −k (|x| − l) sign x − d x', through 0 twice
    let (k, d, l) = (50.0, 0.4, 0.1);
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let ball = world.add_body(Body::sphere(1.0, 0.02).at(Vec3::new(0.3, 0.0, 0.0))).unwrap();
    let spring = Spring::new(BodyId::WORLD, ball, Vec3::ZERO, Vec3::new(0.3, 0.0, 0.0), k);
    world.add_spring(spring.damping(d).length(l)).unwrap();
    let slope = |[x, u]: [f64; 2]| [u, -k * (x - l * x.signum()) - d * u];
    let h = 1e-5;
    let mut x = [0.3, 0.0];
    for _ in 0..100_000 {
        // the midpoint rule: its error at the kink is far below what is asked for
        let k1 = slope(x);
        let k2 = slope([x[0] + 0.5 * h * k1[0], x[1] + 0.5 * h * k1[1]]);
        x = [x[0] + h * k2[0], x[1] + h * k2[1]];
    }
    for _ in 0..1000 {
        world.step(0.001);
    }
    let found = world.position(ball).unwrap().x;
    // a kick is up to a step late at the kink: 2 k l h of velocity, twice, over a second
    assert!((found - x[0]).abs() < 4.0 * k * l * 0.001, "{found} instead of {}", x[0]);
}

#[test]
fn a_light_bead_on_taut_damped_springs_swings_across_them() {
    // two springs of 1 m stretched by half: F = 500 N each, ω² = 2 F/(l m) with l 1.5 m and m 1 g
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let bead = world.add_body(Body::sphere(1e-3, 0.005)).unwrap();
    for side in [-1.5, 1.5] {
        let spring = Spring::new(BodyId::WORLD, bead, Vec3::new(side, 0.0, 0.0), Vec3::ZERO, 1e3);
        world.add_spring(spring.damping(1.0).length(1.0)).unwrap();
    }
    world.set_velocity(bead, Vec3::new(0.0, 0.1, 0.0), Vec3::ZERO).unwrap();
    let start = world.energy().total();
    for _ in 0..200 {
        let report = world.step(0.01);
        assert!(
            report.ledger.energy.total() <= start * (1.0 + 1e-6),
            "{}",
            report.ledger.energy.total() - start
        );
        // at 0.5 rad a substep, leapfrog lets the speed swing by 1/√(1 − 0.5²/4)
        assert!(world.velocity(bead).unwrap().length() < 0.1 / (1.0_f64 - 0.0625).sqrt());
    }
}

#[test]
fn a_restored_world_goes_on_with_the_same_bits() {
    for method in [Method::Direct, Method::Iterative] {
        let (mut world, _) = held_rod(500.0, 30.0, &Settings { method, ..Settings::default() });
        (0..13).for_each(|_| drop(world.step(0.01)));
        let snapshot = world.snapshot();
        (0..20).for_each(|_| drop(world.step(0.01)));
        let first = world.state_hash();
        world.restore(&snapshot).unwrap();
        (0..20).for_each(|_| drop(world.step(0.01)));
        assert_eq!(world.state_hash(), first);
    }
}
