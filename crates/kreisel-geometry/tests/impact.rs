//! Time of impact: closed forms, thin plates, and the promise that it is never late.

mod common;

use common::Random;
use glam::{DQuat, DVec3};
use kreisel_geometry::impact::{
    Ballistic, CollisionHeap, Impact, ImpactError, ImpactQuery, Motion, Outcome, PairKey,
    free_time, motion_bounds, time_of_impact,
};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::query::distance;
use kreisel_geometry::{Part, Pose, Shape};
use std::sync::Arc;

const G: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn ask(
    a: &Shape,
    m: &Ballistic,
    b: &Shape,
    n: &Ballistic,
    until: f64,
    tolerance: f64,
) -> Option<Impact> {
    match time_of_impact(a, m, b, n, &ImpactQuery::new(until, tolerance)).unwrap() {
        Outcome::Hit(hit) => Some(hit),
        Outcome::Free => None,
        Outcome::FreeUntil(t) => panic!("the step limit was reached at {t}"),
    }
}

fn moving(position: DVec3, velocity: DVec3, spin: DVec3) -> Ballistic {
    Ballistic { velocity, spin, ..Ballistic::at_rest(Pose::at(position)) }
}

#[test]
fn a_body_at_rest_above_a_floor_falls_on_it_in_time() {
    // Lennerz 4.2 with the corrected bound (N-13): √(2 h / g); the printed one never ends
    let floor = Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 };
    let falling =
        |z: f64| Ballistic { acceleration: G, ..Ballistic::at_rest(Pose::at(DVec3::Z * z)) };
    let rest = Ballistic::at_rest(Pose::IDENTITY);
    let expected = (2.0_f64 / 9.81).sqrt();
    let cube = Shape::Box { size: DVec3::splat(0.5) };
    let mesh = Shape::Mesh(Arc::new(generate::cuboid(DVec3::splat(0.5))));
    let ball = Shape::Sphere { radius: 0.25 };
    let slab = Shape::Box { size: DVec3::new(9.0, 9.0, 0.01) };
    let under = Ballistic::at_rest(Pose::at(DVec3::Z * -0.005));
    for shape in [&cube, &mesh, &ball] {
        for (ground, motion) in [(&floor, &rest), (&slab, &under)] {
            let hit = ask(shape, &falling(1.25), ground, motion, 1.0, 1e-9).unwrap();
            // the bound is exact here: rounding may land an ulp after the root
            let early = expected - hit.time;
            assert!((-1e-15..1e-8).contains(&early), "{} {}", shape.kind(), hit.time);
            assert!((hit.approach - 9.81 * expected).abs() < 1e-6);
            assert!(hit.normal.distance(DVec3::Z) < 1e-9);
        }
    }
}

#[test]
fn two_falling_bodies_keep_their_distance() {
    let ball = Shape::Sphere { radius: 0.1 };
    let fall = |z: f64| Ballistic { acceleration: G, ..Ballistic::at_rest(Pose::at(DVec3::Z * z)) };
    assert_eq!(ask(&ball, &fall(1.0), &ball, &fall(0.0), 1e3, 1e-6), None);
}

#[test]
fn bullets_never_pass_thin_plates() {
    let mut random = Random(1);
    let ball = Shape::Sphere { radius: 0.01 };
    let dart = Shape::Mesh(Arc::new(generate::cone(0.01, 0.1, 8)));
    let plate = Shape::Box { size: DVec3::new(1.0, 1.0, 1e-4) };
    let sheet = Shape::Mesh(Arc::new(generate::cuboid(DVec3::new(1.0, 1.0, 1e-4))));
    for case in 0..400 {
        let spin = random.vector() * 30.0;
        let target = random.vector() * DVec3::new(0.4, 0.4, 0.0);
        let time = random.uniform(0.2, 0.8);
        let start = target + random.direction() * DVec3::new(1.0, 1.0, 5.0) + DVec3::Z * 3.0;
        let bullet = moving(start, (target - start) / time, spin);
        let rest = Ballistic::at_rest(Pose::IDENTITY);
        let (a, b) = if case % 2 == 0 { (&ball, &plate) } else { (&dart, &sheet) };
        let hit = ask(a, &bullet, b, &rest, 1.0, 1e-6).expect("a hit");
        assert!(
            hit.time < time,
            "case {case}: the centre is in the plate at {time}, found {}",
            hit.time
        );
    }
}

/// Samples the distance before the returned time: nothing may overlap.
fn assert_never_late(a: &Shape, m: &Ballistic, b: &Shape, n: &Ballistic, end: f64, context: &str) {
    for i in 0..12 {
        let t = end * f64::from(i) / 12.0;
        let d = distance(a, &m.pose(t), b, &n.pose(t)).unwrap().distance;
        assert!(d > 0.0, "{context}: already touching at {t} of {end}");
    }
}

#[test]
fn random_tumbling_pairs_are_free_before_the_returned_time_and_close_at_it() {
    let mut random = Random(2);
    let star = Shape::Compound(
        [DVec3::X, DVec3::Y, DVec3::Z]
            .map(|d| Part {
                pose: Pose::new(d * 0.2, DQuat::from_rotation_arc(DVec3::Z, d)),
                shape: Shape::Capsule { radius: 0.1, height: 0.6 },
            })
            .to_vec(),
    );
    let shapes = [
        Shape::Box { size: DVec3::new(1.0, 0.6, 0.1) },
        Shape::Cylinder { radius: 0.4, height: 0.8 },
        Shape::Ellipsoid { radii: DVec3::new(0.5, 0.3, 0.2) },
        Shape::Cone { radius: 0.4, height: 0.9 },
        Shape::Mesh(Arc::new(generate::torus(0.5, 0.15, 16, 8))),
        star,
    ];
    let (mut hits, mut misses) = (0, 0);
    for case in 0..300 {
        let a = &shapes[random.below(6) as usize];
        let b = &shapes[random.below(6) as usize];
        let start = random.direction() * random.uniform(2.0, 3.0);
        let m = Ballistic {
            start: Pose::new(start, random.rotation()),
            center: random.vector() * 0.1,
            velocity: (random.vector() * 0.8 - start) * random.uniform(0.5, 3.0),
            spin: random.vector() * 10.0,
            acceleration: G,
        };
        let n = Ballistic {
            start: Pose::new(DVec3::ZERO, random.rotation()),
            center: random.vector() * 0.1,
            velocity: random.vector(),
            spin: random.vector() * 5.0,
            acceleration: if case % 2 == 0 { G } else { DVec3::ZERO },
        };
        let context = format!("case {case}, {} and {}", a.kind(), b.kind());
        match ask(a, &m, b, &n, 1.0, 1e-5) {
            Some(hit) => {
                hits += 1;
                assert_never_late(a, &m, b, &n, hit.time, &context);
                let d = distance(a, &m.pose(hit.time), b, &n.pose(hit.time)).unwrap();
                assert!(d.distance <= 1.1e-5, "{context}: {}", d.distance);
            }
            None => {
                misses += 1;
                assert_never_late(a, &m, b, &n, 1.0, &context);
            }
        }
    }
    assert!(hits > 60 && misses > 60, "{hits} {misses}");
}

#[test]
fn a_turning_rod_sweeps_a_point_at_the_angle_of_its_tip() {
    // a rod of half length 1 turning about z reaches a ball at 90 degrees after a quarter turn less
    // its half width
    let rod = Shape::Capsule { radius: 0.05, height: 2.0 };
    let lying = Pose::new(DVec3::ZERO, DQuat::from_rotation_arc(DVec3::Z, DVec3::X));
    let spin = Ballistic { spin: DVec3::Z * std::f64::consts::PI, ..Ballistic::at_rest(lying) };
    let ball = Shape::Sphere { radius: 0.05 };
    let there = Ballistic::at_rest(Pose::at(DVec3::Y * 0.9));
    let hit = ask(&rod, &spin, &ball, &there, 1.0, 1e-9).unwrap();
    let expected = (std::f64::consts::FRAC_PI_2 - (0.1_f64 / 0.9).asin()) / std::f64::consts::PI;
    assert!(
        hit.time <= expected + 1e-12 && expected - hit.time < 1e-8,
        "{} for {expected}",
        hit.time
    );
}

#[test]
fn a_smaller_tolerance_gives_a_later_time() {
    let mesh = Shape::Mesh(Arc::new(generate::icosphere(1.0, 3)));
    let rest = Ballistic::at_rest(Pose::IDENTITY);
    let coming = moving(DVec3::new(3.0, 0.2, 0.1), DVec3::X * -3.0, DVec3::new(0.3, 1.0, -0.5));
    let mut last = 0.0;
    for tolerance in [1e-2, 1e-4, 1e-6, 1e-9] {
        let hit = ask(&mesh, &coming, &mesh, &rest, 1.0, tolerance).unwrap();
        assert!(hit.time >= last && hit.distance <= tolerance);
        last = hit.time;
    }
}

#[test]
fn the_step_limit_gives_a_safe_time() {
    let mesh = Shape::Mesh(Arc::new(generate::icosphere(1.0, 3)));
    let rest = Ballistic::at_rest(Pose::IDENTITY);
    let coming = moving(DVec3::X * 3.0, DVec3::X * -3.0, DVec3::Y);
    let hit = ask(&mesh, &coming, &mesh, &rest, 1.0, 1e-6).unwrap();
    for max_steps in [0, 1, 10, 40] {
        let query = ImpactQuery { max_steps, ..ImpactQuery::new(1.0, 1e-6) };
        match time_of_impact(&mesh, &coming, &mesh, &rest, &query).unwrap() {
            Outcome::FreeUntil(t) => assert!(t <= hit.time),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn bad_questions_are_refused() {
    let ball = Shape::Sphere { radius: 1.0 };
    let ground = Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 };
    let rest = Ballistic::at_rest(Pose::IDENTITY);
    let turning = moving(DVec3::ZERO, DVec3::ZERO, DVec3::X);
    let query = |until, tolerance| {
        time_of_impact(&ball, &rest, &ball, &rest, &ImpactQuery::new(until, tolerance))
    };
    assert_eq!(query(1.0, 0.0), Err(ImpactError::Number("tolerance", 0.0)));
    assert!(matches!(query(f64::NAN, 1.0), Err(ImpactError::Number("duration", _))));
    let lost = moving(DVec3::NAN, DVec3::ZERO, DVec3::ZERO);
    let asked = time_of_impact(&ball, &rest, &ball, &lost, &ImpactQuery::new(1.0, 1e-6));
    assert_eq!(asked, Err(ImpactError::Motion(1)));
    let outcome = time_of_impact(&ball, &rest, &ground, &turning, &ImpactQuery::new(1.0, 1e-6));
    assert_eq!(outcome, Err(ImpactError::TurningHalfSpace));
}

#[test]
fn free_time_and_motion_bounds_have_their_closed_forms() {
    assert_eq!(free_time(0.0, 1.0, 1.0), 0.0);
    assert_eq!(free_time(1.0, 0.0, 0.0), f64::INFINITY);
    assert_eq!(free_time(1.0, -2.0, 0.0), f64::INFINITY);
    // thrown up at 2 m/s under g: comes down through −1 m at the root of −2 s + g s²/2 = 1
    let s = free_time(1.0, -2.0, 9.81);
    assert!((-2.0 * s + 4.905 * s * s - 1.0).abs() < 1e-12);
    let ball = Ballistic {
        acceleration: G,
        ..moving(DVec3::ZERO, DVec3::new(1.0, 0.0, 3.0), DVec3::ZERO)
    };
    let (lo, hi) = motion_bounds(&ball, 0.5, 1.0);
    assert!(hi.distance(DVec3::new(1.5, 0.5, 9.0 / 19.62 + 0.5)) < 1e-12);
    assert!(lo.distance(DVec3::new(-0.5, -0.5, 3.0 - 4.905 - 0.5)) < 1e-12);
}

#[test]
fn the_collision_heap_agrees_with_a_sorted_list() {
    let mut random = Random(9);
    let mut heap = CollisionHeap::default();
    let mut list: Vec<(f64, PairKey)> = Vec::new();
    for step in 0..5000 {
        let pair = PairKey::new(random.below(12) as u32, 12 + random.below(12) as u32);
        match random.below(4) {
            0 | 1 => {
                let time = random.uniform(0.0, 10.0);
                heap.set(pair, time);
                list.retain(|x| x.1 != pair);
                list.push((time, pair));
            }
            2 => {
                heap.remove(pair);
                list.retain(|x| x.1 != pair);
            }
            _ => {
                list.sort_by(|x, y| x.0.total_cmp(&y.0));
                let now = random.uniform(0.0, 3.0);
                let expected = list.first().filter(|x| x.0 <= now).map(|x| x.1);
                assert_eq!(heap.pop_due(now), expected, "step {step}");
                list.retain(|x| Some(x.1) != expected);
            }
        }
        assert_eq!(heap.len(), list.len());
    }
    let of_three = heap.pairs_of(3);
    assert_eq!(of_three.len(), list.iter().filter(|x| x.1.has(3)).count());
    assert!(of_three.windows(2).all(|w| w[0] < w[1]));
    heap.set(PairKey::new(1, 0), f64::NAN);
    assert_eq!(heap.pop_due(0.0), Some(PairKey::new(0, 1)), "an unknown time is due at once");
}

#[test]
fn a_body_wholly_inside_a_closed_mesh_touches_it_at_once() {
    let mesh = |mesh: kreisel_geometry::TriMesh| Shape::Mesh(Arc::new(mesh));
    let outer = mesh(generate::cuboid(DVec3::splat(4.0)));
    let drift = |x: f64| Ballistic {
        velocity: DVec3::X * 0.1,
        ..Ballistic::at_rest(Pose::at(DVec3::X * x))
    };
    let rest = Ballistic::at_rest(Pose::IDENTITY);
    let query = ImpactQuery::new(1.0, 1e-6);
    for inner in [
        mesh(generate::icosphere(0.5, 1)),
        Shape::Sphere { radius: 0.5 },
        Shape::Box { size: DVec3::ONE },
    ] {
        let at_once = |outcome: Outcome| matches!(outcome, Outcome::Hit(hit) if hit.time == 0.0 && hit.normal.is_normalized());
        assert!(
            at_once(time_of_impact(&inner, &drift(0.2), &outer, &rest, &query).unwrap()),
            "{}",
            inner.kind()
        );
        assert!(
            at_once(time_of_impact(&outer, &rest, &inner, &drift(0.2), &query).unwrap()),
            "{}",
            inner.kind()
        );
        // outside nothing changes
        assert_eq!(time_of_impact(&inner, &drift(4.0), &outer, &rest, &query), Ok(Outcome::Free));
    }
    // in the hollow of a shell there is no solid
    let mut shell = generate::cuboid(DVec3::splat(4.0));
    let hollow = generate::cuboid(DVec3::splat(3.0)).flipped();
    let first = shell.vertices().len() as u32;
    let vertices = [shell.vertices(), hollow.vertices()].concat();
    let second = hollow.triangles().iter().map(|t| t.map(|v| v + first));
    shell = kreisel_geometry::TriMesh::new(
        vertices,
        shell.triangles().iter().copied().chain(second).collect(),
    )
    .unwrap();
    let ball = Shape::Sphere { radius: 0.5 };
    assert_eq!(time_of_impact(&ball, &drift(0.2), &mesh(shell), &rest, &query), Ok(Outcome::Free));
}
