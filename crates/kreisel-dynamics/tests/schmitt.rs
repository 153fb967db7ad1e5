//! Schmitt and Thüring 2000, sections 5.1 to 5.7: everything from mass points and distances.
//!
//! One symmetric substep per step is their step with velocity correction. Expected values are the
//! report's; where its figures are lost, the comment says how the parameter was found.

mod common;

use common::{DOWN_Y, change, converged, plain_world};
use kreisel_dynamics::{
    Body, BodyId, Coordinate, Joint, JointKind, Limit, Method, Order, Vec3, World,
};

fn point(world: &mut World, mass: f64, at: Vec3) -> BodyId {
    world.add_body(Body::point(mass).at(at)).unwrap()
}

/// Keeps two points as far apart as they are.
fn rod(world: &mut World, a: BodyId, b: BodyId) {
    let (p, q) = (world.position(a).unwrap(), world.position(b).unwrap());
    world.add_joint(Joint::distance(a, b, p, q)).unwrap();
}

/// Keeps a point as far from a fixed place as it is.
fn hang(world: &mut World, from: Vec3, body: BodyId) {
    let q = world.position(body).unwrap();
    world.add_joint(Joint::distance(BodyId::WORLD, body, from, q)).unwrap();
}

/// Points on the x axis, each held by a rod to the one before, the first to the origin.
fn row(world: &mut World, mass: f64, places: impl IntoIterator<Item = f64>) -> Vec<BodyId> {
    let mut points: Vec<BodyId> = Vec::new();
    for x in places {
        let p = point(world, mass, Vec3::X * x);
        match points.last() {
            None => hang(world, Vec3::ZERO, p),
            Some(&last) => rod(world, last, p),
        }
        points.push(p);
    }
    points
}

/// Exact period of a pendulum of 1 m swinging by 5 degrees at 9.81 m/s² (report, 5.1).
const T5: f64 = 2.007_021_914_5;

/// Mean period of the 5 degree pendulum, from zero crossings found by cubic interpolation.
fn period(steps_per_period: f64, order: Order, method: Method, tolerance: f64) -> f64 {
    const PERIODS: usize = 10;
    let mut world = plain_world(DOWN_Y, tolerance);
    change(&mut world, |s| (s.order, s.method) = (order, method));
    let angle = 5.0_f64.to_radians();
    let bob = point(&mut world, 1.0, Vec3::new(angle.sin(), -angle.cos(), 0.0));
    hang(&mut world, Vec3::ZERO, bob);
    let h = T5 / steps_per_period;
    let read = |w: &World| (w.position(bob).unwrap().x, h * w.velocity(bob).unwrap().x);
    let (mut crossings, mut last) = (Vec::new(), read(&world));
    for step in 0.. {
        converged(&world.step(h), step);
        let now = read(&world);
        if last.0 > 0.0 && now.0 <= 0.0 {
            let (a, u, b, v) = (last.0, last.1, now.0, now.1);
            let x = |s: f64| {
                a + s * (u + s * (3.0 * (b - a) - 2.0 * u - v + s * (2.0 * (a - b) + u + v)))
            };
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if x(middle) > 0.0 { low = middle } else { high = middle }
            }
            crossings.push((step as f64 + low) * h);
            if crossings.len() > PERIODS {
                break;
            }
        }
        last = now;
    }
    (crossings[PERIODS] - crossings[0]) / PERIODS as f64
}

#[test]
fn s51_the_pendulum_is_as_fast_as_the_report_says_and_higher_orders_correct_it() {
    for method in [Method::Direct, Method::Iterative] {
        let printed = [(100.0, 2.006_687, 1e-6), (1000.0, 2.007_018_57, 1.5e-8)];
        for (steps, expected, last_digit) in printed {
            let t = period(steps, Order::Two, method, 1e-10);
            assert!((t - expected).abs() <= last_digit, "{method:?}, T/{steps}: {t}");
        }
        // the report's open question: is there a correction of the curvature error?
        for (order, factor, spread) in [(Order::Two, 4.0, 0.1), (Order::Four, 16.0, 0.4)] {
            let errors = [50.0, 100.0, 200.0].map(|n| T5 - period(n, order, method, 1e-13));
            for pair in errors.windows(2) {
                let ratio = pair[0] / pair[1];
                assert!((ratio - factor).abs() <= spread, "{method:?}, {order:?}: {errors:?}");
            }
        }
    }
}

#[test]
fn s52_the_cube_turns_by_the_same_angle_in_every_step() {
    // printed to 0.00001 degrees with eps = 1e-5 m; a chord of 0.49 m that is off by eps is off by
    // 4e-4 degrees
    let (angle, slack) = (20.09213, 1e-3);
    for (correction, energy, spread) in
        [(true, 100.888_876_82, 1e-2), (false, 102.038_404_30, 1e-3)]
    {
        for method in [Method::Direct, Method::Iterative] {
            let mut world = plain_world(Vec3::ZERO, 1e-9);
            change(&mut world, |s| (s.method, s.velocity_correction) = (method, correction));
            let sign = |i: usize, bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corners: Vec<_> = (0..8)
                .map(|i| point(&mut world, 1.0, Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2))))
                .collect();
            for i in 0..8 {
                for j in 0..i {
                    rod(&mut world, corners[j], corners[i]);
                }
            }
            let analysis = world.analyse();
            assert_eq!(
                (analysis.rows, analysis.rank),
                (28, 18),
                "28 distances take 18 degrees of freedom"
            );
            // 640 m in 160 s are 4 m/s: a push of 16 N s at each of two corners of an upright edge
            for i in [3, 7] {
                let at = world.position(corners[i]).unwrap();
                world.apply_force(corners[i], Vec3::X * -100.0, at).unwrap();
            }
            let direction = |w: &World| {
                let edge = w.position(corners[0]).unwrap() - w.position(corners[1]).unwrap();
                edge.y.atan2(edge.x).to_degrees()
            };
            // a push over 20 degrees in one step: its work is not resolved, and the verdict may say
            // so; the joints hold
            let pushed = world.step(0.16);
            assert!(pushed.worst.is_some_and(|w| w.position <= 1e-9), "{method:?}");
            for step in 1..1000 {
                let before = direction(&world);
                let report = world.step(0.16);
                converged(&report, step);
                let turned = (direction(&world) - before).rem_euclid(360.0);
                assert!((turned - angle).abs() < slack, "{method:?}, step {step}: {turned}");
                let kinetic = report.ledger.energy.kinetic;
                // without correction the first steps still carry what the push left in the
                // distances
                if correction || step > 2 {
                    assert!(
                        (kinetic - energy).abs() < spread,
                        "{method:?}, step {step}: {kinetic}"
                    );
                }
            }
            let center = corners.iter().map(|&c| world.position(c).unwrap()).sum::<Vec3>() / 8.0;
            // the push itself takes one step, in which the cube goes half as far
            assert!((center - Vec3::X * (-640.0 + 0.32)).length() < 1e-6, "{center}");
        }
    }
}

#[test]
fn s53_the_rigid_triple_pendulum_has_the_reports_deficits() {
    let mut world = plain_world(DOWN_Y, 1e-9);
    row(&mut world, 2.0, [1.0, 2.0, 3.0]);
    let (mut worst, mut mean) = ((0.0, 0), 0.0);
    for step in 1..=2000 {
        let report = world.step(0.01);
        converged(&report, step);
        let energy = report.ledger.energy;
        if energy.total() < worst.0 {
            worst = (energy.total(), step);
        }
        mean += energy.total() / energy.kinetic / 20.0;
    }
    println!("5.3: {worst:?}, mean {mean:.4} %");
    assert!((worst.0 + 1.345).abs() < 0.01 && worst.1.abs_diff(778) <= 1, "{worst:?}");
    // the report's mean is 0.038 %; the last thousand steps are chaotic, so every change of the
    // last digits changes it
    assert!((0.025..0.05).contains(&-mean), "{mean} %");
}

#[test]
fn s54_threads_swallow_energy_only_when_they_go_taut() {
    let mut world = plain_world(DOWN_Y, 1e-9);
    let mut last = (BodyId::WORLD, Vec3::ZERO);
    for i in 1..=3 {
        let at = Vec3::X * f64::from(i);
        let p = point(&mut world, 2.0, at);
        world.add_joint(Joint::rope(last.0, p, last.1, at, 1.0)).unwrap();
        last = (p, at);
    }
    let (mut first, mut late, mut losses, mut lowest) = (0.0_f64, 0.0_f64, 0.0, 0.0_f64);
    for step in 0..5000 {
        let report = world.step(0.01);
        converged(&report, step);
        let energy = report.ledger.energy;
        if step < 200 {
            first = first.max(energy.kinetic);
        }
        if step >= 4000 {
            late = late.max(energy.kinetic);
        }
        losses += report.ledger.impacts;
        // transient deficits come back; what threads swallow does not
        assert!(energy.total() < lowest + 2.0, "step {step}: {} after {lowest}", energy.total());
        lowest = lowest.min(energy.total());
    }
    println!("5.4: first {first}, late {late}, losses {losses}");
    // the report's 116.88 J; all threads are taut then, and the rigid pendulum passes with 116.99 J
    assert!((first - 116.88).abs() < 0.15, "{first}");
    // the report ends at 23.91 J, after another chaotic path: what counts is that most of the
    // energy is gone
    assert!((15.0..40.0).contains(&late) && losses > 60.0, "{late} {losses}");
}

#[test]
fn s55_a_pendulum_on_a_rail_keeps_its_centre_of_mass() {
    let mut world = plain_world(DOWN_Y, 1e-9);
    let slide = point(&mut world, 2.0, Vec3::ZERO);
    world.add_joint(Joint::new(JointKind::Line, BodyId::WORLD, slide).axis(Vec3::X)).unwrap();
    let mut points = vec![slide];
    for i in 1..=3 {
        let p = point(&mut world, 2.0, Vec3::X * f64::from(i));
        rod(&mut world, points[points.len() - 1], p);
        points.push(p);
    }
    for step in 0..1000 {
        converged(&world.step(0.01), step);
        let x = points.iter().map(|&p| world.position(p).unwrap().x).sum::<f64>() / 4.0;
        assert!((x - 1.5).abs() < 1e-9, "step {step}: {x}");
    }
}

#[test]
fn s56_the_closed_chain_falls_and_keeps_its_energy() {
    // The suspensions are only in a lost figure. A level start (the report counts the energy from
    // zero) of links laid 6 to the right and 2 back ends 4 m from the origin; then the first peak
    // is the report's 140 J. 6 m give 110, 2 m 152.
    let mut world = plain_world(DOWN_Y, 1e-9);
    let points = row(&mut world, 1.0, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 5.0]);
    hang(&mut world, Vec3::X * 4.0, points[6]);
    let (mut mean, mut early, mut late) = (0.0, 0.0_f64, 0.0_f64);
    for step in 0..1200 {
        let report = world.step(0.01);
        converged(&report, step);
        let energy = report.ledger.energy;
        mean += energy.total() / energy.kinetic / 12.0;
        let peak = if step < 300 { &mut early } else { &mut late };
        *peak = peak.max(energy.kinetic);
    }
    println!("5.6: mean {mean:.4} %, peaks {early} and {late}");
    assert!((early - 140.0).abs() < 1.0 && late < early, "{early} {late}");
    // the report's mean over its own chaotic path is 0.089 %
    assert!((-0.15..0.0).contains(&mean), "{mean} %");
}

#[test]
fn s57_the_top_nods_and_turns_as_fast_as_reported() {
    // The height is only in a lost figure; 0.9577 m gives the report's largest tilt.
    let height = 0.9577;
    let mut world = plain_world(DOWN_Y, 1e-9);
    let places = [Vec3::X, -Vec3::X, -Vec3::Z, Vec3::Z];
    let points = places.map(|at| point(&mut world, 1.0, at + Vec3::Y * height));
    for (i, &p) in points.iter().enumerate() {
        hang(&mut world, Vec3::ZERO, p);
        for &q in &points[..i] {
            rod(&mut world, q, p);
        }
    }
    let pushes = [Vec3::Z * -6000.0, Vec3::Z * 4000.0, Vec3::X * -4000.0, Vec3::X * 4000.0];
    for (&p, push) in points.iter().zip(pushes) {
        let at = world.position(p).unwrap();
        world.apply_force(p, push, at).unwrap();
    }
    let spoke =
        |w: &World| (w.position(points[0]).unwrap() - w.position(points[1]).unwrap()).normalize();
    let h = 0.005;
    converged(&world.step(h), 0);
    let (mut tilt, mut slow, mut fast, mut upright) = (0.0_f64, f64::MAX, 0.0_f64, f64::MAX);
    for step in 1..2233 {
        let before = spoke(&world);
        converged(&world.step(h), step);
        let turns = before.cross(spoke(&world)).length().asin() / h / std::f64::consts::TAU;
        (slow, fast) = (slow.min(turns), fast.max(turns));
        let axis = points.iter().map(|&p| world.position(p).unwrap()).sum::<Vec3>().normalize();
        let angle = axis.y.acos().to_degrees();
        tilt = tilt.max(angle);
        if step > 100 {
            upright = upright.min(angle);
        }
    }
    println!("5.7: tilt {tilt}, back to {upright}, {slow} to {fast} turns/s");
    assert!((tilt - 12.83).abs() < 0.02, "{tilt}");
    assert!(upright < 0.1, "the axis comes back upright: {upright}");
    // 3.5944 turns/s tilted, 3.5939 upright: between the least and the most that a spoke turns
    // here, 0.3 % apart
    assert!(slow <= 3.5939 && fast >= 3.5944 && fast - slow < 0.015, "{slow} {fast}");
}

#[test]
fn a_thread_is_a_rod_without_push() {
    let mut world = plain_world(DOWN_Y, 1e-9);
    let bob = point(&mut world, 1.0, Vec3::new(0.0, 0.5, 0.0));
    let thread = Joint::new(JointKind::FREE, BodyId::WORLD, bob)
        .between(Vec3::ZERO, Vec3::Y * 0.5)
        .limit(Limit::new(Coordinate::Length, 0.0, 1.0));
    world.add_joint(thread).unwrap();
    // free fall through the suspension until the thread is taut: exact to rounding (S-01)
    for step in 0..50 {
        converged(&world.step(0.01), step);
        let t = world.time();
        let y = 0.5 - 0.5 * 9.81 * t * t;
        assert!((world.position(bob).unwrap().y - y).abs() < 1e-12, "{t}");
    }
    for step in 50..100 {
        converged(&world.step(0.01), step);
    }
    // a thread that does not stretch stops the bob at once
    assert!((world.position(bob).unwrap().y + 1.0).abs() < 1e-6);
}
