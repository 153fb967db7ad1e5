//! Discs with a rounded rim and tori: mass, distance, contact, rays and times of impact against
//! closed forms, and against computations that share no code with the library.

mod common;

use common::Random;
use glam::DVec3;
use kreisel_geometry::contact::{Backend, contacts};
use kreisel_geometry::impact::{Ballistic, ImpactQuery, Outcome, time_of_impact};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::query::{Ray, cast_ray, closest_point, distance, penetration};
use kreisel_geometry::{Pose, Shape};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

const DISC: Shape = Shape::Disc { radius: 0.5, height: 0.3, rim: 0.1 };
const TORUS: Shape = Shape::Torus { radius: 0.5, tube: 0.15 };

fn upright() -> Pose {
    Pose::new(DVec3::ZERO, glam::DQuat::from_rotation_x(FRAC_PI_2))
}

/// Polyhedra with corners on the surface: their volume and moments are too small by a share of the
/// second order in the angle of a side, so that two of them foretell the limit (Richardson).
#[test]
fn mass_properties_are_those_of_ever_finer_polyhedra() {
    let torus = |n: u32| generate::torus(0.5, 0.15, 2 * n, n);
    let disc = |rim: f64| move |n: u32| generate::disc(0.5, 0.3, rim, 2 * n, n / 2);
    let cases: [(Shape, Box<dyn Fn(u32) -> kreisel_geometry::TriMesh>); 4] = [
        (TORUS, Box::new(torus)),
        (DISC, Box::new(disc(0.1))),
        (Shape::Disc { radius: 0.5, height: 0.3, rim: 0.15 }, Box::new(disc(0.15))),
        (
            Shape::Disc { radius: 0.15, height: 0.3, rim: 0.15 },
            Box::new(|n| generate::disc(0.15, 0.3, 0.15, 2 * n, n / 2)),
        ),
    ];
    for (shape, mesh) in cases {
        let exact = shape.mass_properties(1000.0).unwrap();
        let of = |n: u32| {
            let m = mesh(n).mass_properties(1000.0).unwrap();
            [m.mass, m.inertia.x_axis.x, m.inertia.y_axis.y, m.inertia.z_axis.z]
        };
        let (coarse, fine) = (of(48), of(96));
        let wanted =
            [exact.mass, exact.inertia.x_axis.x, exact.inertia.y_axis.y, exact.inertia.z_axis.z];
        for k in 0..4 {
            let limit = fine[k] + (fine[k] - coarse[k]) / 3.0;
            assert!(
                (limit / wanted[k] - 1.0).abs() < 1e-5,
                "{shape:?}, {k}: {limit} for {}",
                wanted[k]
            );
        }
        assert!(exact.center.length() < 1e-15);
    }
    // a ball is a disc that is nothing but rim
    let ball = Shape::Disc { radius: 0.2, height: 0.4, rim: 0.2 }.mass_properties(1000.0).unwrap();
    let sphere = Shape::Sphere { radius: 0.2 }.mass_properties(1000.0).unwrap();
    assert!((ball.mass / sphere.mass - 1.0).abs() < 1e-14);
    assert!((ball.inertia.x_axis.x / sphere.inertia.x_axis.x - 1.0).abs() < 1e-13);
}

#[test]
fn sizes_that_leave_no_room_are_refused() {
    for bad in [
        Shape::Disc { radius: 0.5, height: 0.1, rim: 0.06 },
        Shape::Disc { radius: 0.05, height: 0.4, rim: 0.06 },
        Shape::Disc { radius: 0.5, height: 0.1, rim: 0.0 },
        Shape::Torus { radius: 0.5, tube: 0.5 },
        Shape::Torus { radius: 0.5, tube: f64::NAN },
    ] {
        assert!(bad.check().is_err(), "{bad:?}");
    }
}

/// Signed distance of a point from each partner, in closed form.
fn from_point(kind: usize, p: DVec3) -> (Shape, f64) {
    let boxed = |q: DVec3| q.max(DVec3::ZERO).length() + q.max_element().min(0.0);
    match kind {
        0 => (Shape::Sphere { radius: 0.3 }, p.length() - 0.3),
        1 => (
            Shape::Box { size: DVec3::new(0.6, 0.4, 0.8) },
            boxed(p.abs() - DVec3::new(0.3, 0.2, 0.4)),
        ),
        2 => {
            let q = DVec3::Z * p.z.clamp(-0.25, 0.25);
            (Shape::Capsule { radius: 0.2, height: 0.5 }, p.distance(q) - 0.2)
        }
        3 => {
            let out = boxed(DVec3::new(p.x.hypot(p.y) - 0.3, p.z.abs() - 0.2, -1e9));
            (Shape::Cylinder { radius: 0.3, height: 0.4 }, out)
        }
        4 => (TORUS, (p.x.hypot(p.y) - 0.5).hypot(p.z) - 0.15),
        5 => {
            let out = boxed(DVec3::new(p.x.hypot(p.y) - 0.4, p.z.abs() - 0.05, -1e9));
            (DISC, out - 0.1)
        }
        _ => (Shape::HalfSpace { normal: DVec3::Z, offset: 0.1 }, p.z - 0.1),
    }
}

/// The nearest of many points of the circle, made better by golden sections.
fn brute(kind: usize, relative: impl Fn(DVec3) -> DVec3, radius: f64, tube: f64) -> f64 {
    let f =
        |a: f64| from_point(kind, relative(DVec3::new(radius * a.cos(), radius * a.sin(), 0.0))).1;
    let n = 2000;
    let best = (0..n)
        .map(|k| TAU * f64::from(k) / f64::from(n))
        .min_by(|a, b| f(*a).total_cmp(&f(*b)))
        .unwrap();
    let (mut lo, mut hi) = (best - TAU / f64::from(n), best + TAU / f64::from(n));
    for _ in 0..80 {
        let (a, b) = (lo + 0.381_966 * (hi - lo), lo + 0.618_034 * (hi - lo));
        if f(a) < f(b) { hi = b } else { lo = a }
    }
    f(0.5 * (lo + hi)).min(f(best)) - tube
}

#[test]
fn a_torus_is_as_far_from_everything_as_its_circle_less_the_tube() {
    let mut random = Random(11);
    for case in 0..3500 {
        let kind = case % 7;
        let (radius, tube) = (random.uniform(0.3, 0.8), random.uniform(0.02, 0.25));
        let torus = Shape::Torus { radius, tube };
        let (pose, at) = (random.pose(0.9), random.pose(0.4));
        let exact = brute(kind, |p| at.inverse_point(pose.point(p)), radius, tube);
        let other = from_point(kind, DVec3::ZERO).0;
        // deeper the way out of the circle's points has kinks
        if exact < -tube {
            continue;
        }
        let (found, tolerance) = (distance(&torus, &pose, &other, &at).unwrap(), 1e-8);
        assert!(
            (found.distance - exact).abs() < tolerance,
            "case {case}, {kind}: {} for {exact}",
            found.distance
        );
        let back = distance(&other, &at, &torus, &pose).unwrap();
        assert!(
            (back.distance - exact).abs() < tolerance,
            "case {case}, swapped: {}",
            back.distance
        );
        if exact > 1e-3 {
            assert!((found.a.distance(found.b) - exact).abs() < 1e-7, "case {case}: {found:?}");
        }
        // contact finds the same nearest point
        let touching =
            contacts(&torus, &pose, &other, &at, exact.max(0.0) + 1e-6, Backend::Elements);
        let least = touching.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
        assert!((least - exact).abs() < 1e-8, "case {case}, {kind}: contact {least} for {exact}");
    }
}

#[test]
fn points_know_how_far_they_are_from_discs_and_tori() {
    let mut random = Random(3);
    for case in 0..2000 {
        let kind = 4 + case % 2;
        let (p, pose) = (random.vector(), random.pose(0.3));
        let (shape, exact) = from_point(kind, pose.inverse_point(p));
        let found = closest_point(&shape, &pose, p).unwrap();
        if exact > -0.09 {
            assert!(
                (found.distance - exact).abs() < 1e-9,
                "{shape:?}: {} for {exact}",
                found.distance
            );
        }
    }
}

#[test]
fn a_mesh_of_a_torus_is_a_torus_to_its_facets() {
    let mut random = Random(5);
    let mesh = Shape::Mesh(Arc::new(generate::torus(0.5, 0.15, 192, 96)));
    let ball = Shape::Mesh(Arc::new(generate::icosphere(0.3, 4)));
    for _ in 0..50 {
        let pose = Pose::new(random.direction() * 1.1, random.pose(1.0).rotation);
        let exact = distance(&TORUS, &pose, &ball, &Pose::IDENTITY).unwrap().distance;
        let facets = distance(&mesh, &pose, &ball, &Pose::IDENTITY).unwrap().distance;
        // the chord of a side lies R (1 − cos(π/192)) and r (1 − cos(π/96)) below
        let chords = 0.65 * (1.0 - (PI / 192.0).cos()) + 0.15 * (1.0 - (PI / 96.0).cos());
        // among facets a nearer place may be missed by R δ²/8 with δ = 2π/100
        let missed = 0.5 * (TAU / 100.0_f64).powi(2) / 8.0;
        assert!(
            facets >= exact - missed && facets <= exact + chords + 1e-9,
            "{facets} for {exact}"
        );
    }
}

#[test]
fn a_torus_lies_on_several_points_and_stands_on_one() {
    let ground = Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 };
    let plate = Shape::Box { size: DVec3::new(3.0, 3.0, 1.0) };
    for (floor, at) in [(&ground, Pose::IDENTITY), (&plate, Pose::at(DVec3::Z * -0.5))] {
        let flat =
            contacts(&TORUS, &Pose::at(DVec3::Z * 0.15), floor, &at, 1e-6, Backend::Elements);
        assert_eq!(flat.len(), 8, "{flat:?}");
        for c in &flat {
            assert!(
                c.distance.abs() < 1e-12
                    && (c.a.truncate().length() - 0.5).abs() < 1e-9
                    && c.a.z.abs() < 1e-12
            );
        }
        let standing = Pose::new(DVec3::Z * 0.65, upright().rotation);
        let on_edge = contacts(&TORUS, &standing, floor, &at, 1e-6, Backend::Elements);
        assert_eq!(on_edge.len(), 1, "{on_edge:?}");
        assert!(on_edge[0].distance.abs() < 1e-12 && on_edge[0].a.length() < 1e-6, "{on_edge:?}");
    }
}

#[test]
fn a_disc_stands_on_the_middle_of_its_rim_and_lies_on_its_flat_side() {
    let ground = Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 };
    let flat = contacts(
        &DISC,
        &Pose::at(DVec3::Z * 0.15),
        &ground,
        &Pose::IDENTITY,
        1e-6,
        Backend::Elements,
    );
    assert!(
        flat.len() >= 8
            && flat
                .iter()
                .all(|c| c.distance.abs() < 1e-15 && c.a.truncate().length() < 0.4 + 1e-12)
    );
    // between flat and standing: the corner of the core, and the rim about it
    for degrees in [20.0_f64, 45.0, 70.0] {
        let tilt = degrees.to_radians();
        let pose = Pose::new(DVec3::ZERO, glam::DQuat::from_rotation_x(tilt));
        let lowest = -(0.4 * tilt.sin() + 0.05 * tilt.cos() + 0.1);
        let found = contacts(&DISC, &pose, &ground, &Pose::IDENTITY, 1e-6, Backend::Elements);
        let least = found.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
        assert!((least - lowest).abs() < 1e-14, "{degrees}: {least} for {lowest}");
    }
}

/// A ray's hit lies on the surface, and nothing of the ray before it lies inside: looked at in ten
/// thousand places.
#[test]
fn rays_hit_where_the_distance_first_vanishes() {
    let mut random = Random(8);
    let (mut hits, mut through) = (0, 0);
    for case in 0..400 {
        let kind = 4 + case % 2;
        let shape = from_point(kind, DVec3::ZERO).0;
        let origin = random.direction() * 2.0;
        let ray = Ray {
            origin,
            direction: (random.vector() * 0.6 - origin).normalize() * random.uniform(0.2, 3.0),
        };
        let at = |t: f64| from_point(kind, ray.origin + ray.direction * t).1;
        let length = ray.direction.length();
        let found = cast_ray(&shape, &Pose::IDENTITY, &ray, f64::INFINITY);
        let end = found.map_or(4.0 / length, |h| h.distance);
        let first =
            (0..10_000).map(|k| at(end * f64::from(k) / 10_000.0)).fold(f64::INFINITY, f64::min);
        assert!(first > -1e-9, "case {case}: inside by {first} before {found:?}");
        let Some(hit) = found else {
            through += 1;
            continue;
        };
        hits += 1;
        assert!(at(hit.distance).abs() < 1e-11, "case {case}: {} off", at(hit.distance));
        // the normal is the slope of the distance
        let slope = DVec3::AXES.map(|e| {
            let f = |s: f64| from_point(kind, hit.point + e * (s * 1e-6)).1;
            (f(1.0) - f(-1.0)) / 2e-6
        });
        assert!((DVec3::from_array(slope) - hit.normal).length() < 1e-5, "case {case}: {hit:?}");
    }
    assert!(hits > 150 && through > 30, "{hits}, {through}");
    // along the axis through the hole, and across it
    let hole = Ray { origin: DVec3::new(0.01, 0.0, 3.0), direction: -DVec3::Z };
    assert_eq!(cast_ray(&TORUS, &Pose::IDENTITY, &hole, 10.0), None);
    let side = Ray { origin: DVec3::new(3.0, 0.0, 0.0), direction: -DVec3::X };
    assert!(
        (cast_ray(&TORUS, &Pose::IDENTITY, &side, 10.0).unwrap().distance - 2.35).abs() < 1e-12
    );
}

#[test]
fn a_ball_flies_through_the_hole_or_meets_the_tube_when_the_circle_says() {
    let ball = Shape::Sphere { radius: 0.2 };
    let rest = Ballistic::at_rest(Pose::IDENTITY);
    let thrown = |x: f64| Ballistic {
        velocity: -DVec3::Z * 2.0,
        ..Ballistic::at_rest(Pose::at(DVec3::new(x, 0.0, 1.0)))
    };
    let query = ImpactQuery::new(2.0, 1e-7);
    // 0.5 − 0.15 − 0.2 = 0.15 m of room
    for x in [0.0, 0.1, 0.149] {
        assert!(
            matches!(time_of_impact(&ball, &thrown(x), &TORUS, &rest, &query), Ok(Outcome::Free)),
            "{x}"
        );
    }
    for x in [0.151, 0.3, 0.5, 0.8] {
        // the centres meet at 0.35 m: 1 − 2 t = √(0.35² − (0.5 − x)²)
        let exact = 0.5 * (1.0 - (0.35_f64.powi(2) - (0.5 - x) * (0.5 - x)).sqrt());
        for swapped in [false, true] {
            let found = if swapped {
                time_of_impact(&TORUS, &rest, &ball, &thrown(x), &query)
            } else {
                time_of_impact(&ball, &thrown(x), &TORUS, &rest, &query)
            };
            let Ok(Outcome::Hit(hit)) = found else { panic!("{x}: {found:?}") };
            // never late, and early by what tolerance and arcs leave: steep where the ball grazes
            let slope = 2.0 * (1.0 - 2.0 * exact) / 0.35;
            assert!(
                hit.time <= exact + 1e-12 && hit.time > exact - 3e-7 / slope,
                "{x}: {} for {exact}",
                hit.time
            );
        }
    }
}

#[test]
fn two_linked_tori_are_apart_and_deep_ones_know_a_way_out() {
    let linked = Pose::new(DVec3::X * 0.5, upright().rotation);
    let gap = distance(&TORUS, &Pose::IDENTITY, &TORUS, &linked).unwrap().distance;
    // the second circle passes through the centre of the first: 0.5 between the circles
    assert!((gap - 0.2).abs() < 1e-9, "{gap}");
    assert!(penetration(&TORUS, &Pose::IDENTITY, &TORUS, &linked).is_none());
    let deep = penetration(&TORUS, &Pose::IDENTITY, &TORUS, &Pose::at(DVec3::Z * 0.2)).unwrap();
    // flat on each other, 0.3 apart when they touch
    assert!(
        deep.lower <= 0.1 + 1e-9 && deep.upper >= deep.lower && deep.upper < 0.1 + 1e-5,
        "{deep:?}"
    );
}
