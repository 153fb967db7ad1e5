//! Distance, closest point and ray for every kind and pair of shapes.

mod common;

use common::Random;
use glam::{DVec2, DVec3};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::query::{Ray, cast_ray, closest_point, distance, overlaps};
use kreisel_geometry::{ConvexHull, HeightField, Part, Pose, Shape};
use std::sync::Arc;

/// One of each kind, all of about unit size.
fn zoo() -> Vec<Shape> {
    let hull = ConvexHull::new(generate::icosphere(0.6, 1).vertices()).unwrap();
    let field = HeightField::new(
        4,
        5,
        DVec2::new(0.4, 0.5),
        (0..20).map(|i| 0.1 * f64::from(i % 3)).collect(),
    );
    let dumbbell = [-0.5, 0.5]
        .map(|x| Part { pose: Pose::at(DVec3::X * x), shape: Shape::Sphere { radius: 0.3 } });
    vec![
        Shape::Sphere { radius: 0.5 },
        Shape::Box { size: DVec3::new(1.0, 0.8, 0.6) },
        Shape::Cylinder { radius: 0.4, height: 1.0 },
        Shape::Capsule { radius: 0.3, height: 0.8 },
        Shape::Cone { radius: 0.5, height: 1.0 },
        Shape::Ellipsoid { radii: DVec3::new(0.5, 0.3, 0.7) },
        Shape::Hull(Arc::new(hull)),
        Shape::Mesh(Arc::new(generate::torus(0.5, 0.2, 12, 8))),
        Shape::HeightField(Arc::new(field.unwrap())),
        Shape::Compound(dumbbell.to_vec()),
    ]
}

#[test]
fn every_pair_of_shapes_has_a_distance_that_its_points_realise() {
    let mut random = Random(1);
    for (i, a) in zoo().iter().enumerate() {
        for (j, b) in zoo().iter().enumerate() {
            for _ in 0..20 {
                let (p, q) =
                    (Pose::new(random.direction() * 3.0, random.rotation()), random.pose(0.5));
                let found = distance(a, &p, b, &q).unwrap();
                let context = format!("{} and {}: {found:?}", a.kind(), b.kind());
                assert!(found.distance > 0.0, "{context}");
                assert!((found.a.distance(found.b) - found.distance).abs() < 1e-9, "{context}");
                assert!(
                    ((found.a - found.b).dot(found.normal) - found.distance).abs() < 1e-9,
                    "{context}"
                );
                // each point lies on its shape
                for (shape, pose, point) in [(a, &p, found.a), (b, &q, found.b)] {
                    assert!(
                        closest_point(shape, pose, point).unwrap().distance.abs() < 1e-8,
                        "{context}"
                    );
                }
                // the order does not matter, and no point of one is closer to the other
                assert!(
                    (distance(b, &q, a, &p).unwrap().distance - found.distance).abs() < 1e-9,
                    "{context}"
                );
                assert!(
                    closest_point(b, &q, found.a).unwrap().distance > found.distance - 1e-9,
                    "{context}"
                );
                assert!(i == j || !overlaps(a, &p, b, &q));
            }
        }
    }
}

#[test]
fn shapes_above_a_half_space_are_as_high_as_their_lowest_point() {
    let ground = Shape::HalfSpace { normal: DVec3::Z, offset: 1.0 };
    let mut random = Random(2);
    for shape in zoo() {
        for _ in 0..20 {
            let pose = random.pose(3.0);
            let up = distance(&shape, &pose, &ground, &Pose::IDENTITY).unwrap();
            // a far point below finds the lowest point as the closest one
            let below =
                closest_point(&shape, &pose, DVec3::new(pose.position.x, pose.position.y, -1e7))
                    .unwrap();
            assert!((up.distance - (below.point.z - 1.0)).abs() < 1e-5, "{}", shape.kind());
            assert!((up.a.z - 1.0 - up.distance).abs() < 1e-12 && up.normal == DVec3::Z);
        }
    }
    let ceiling = Shape::HalfSpace { normal: -DVec3::Z, offset: -4.0 };
    let gap = distance(&ground, &Pose::IDENTITY, &ceiling, &Pose::IDENTITY).unwrap();
    assert!((gap.distance - 3.0).abs() < 1e-15);
    let wall = Shape::HalfSpace { normal: DVec3::X, offset: 0.0 };
    assert_eq!(
        distance(&ground, &Pose::IDENTITY, &wall, &Pose::IDENTITY).unwrap().distance,
        f64::NEG_INFINITY
    );
}

#[test]
fn a_solid_inside_a_closed_mesh_overlaps_it() {
    let shell = Shape::Mesh(Arc::new(generate::icosphere(2.0, 3)));
    let small = Shape::Mesh(Arc::new(generate::cuboid(DVec3::splat(0.2))));
    let ball = Shape::Sphere { radius: 0.1 };
    let pose = Pose::at(DVec3::new(0.3, 0.2, 0.1));
    for inner in [&small, &ball] {
        assert!(overlaps(inner, &pose, &shell, &Pose::IDENTITY), "{}", inner.kind());
        assert!(overlaps(&shell, &Pose::IDENTITY, inner, &pose), "{}", inner.kind());
        assert!(!overlaps(inner, &Pose::at(DVec3::X * 2.5), &shell, &Pose::IDENTITY));
    }
}

#[test]
fn the_signed_distance_of_a_point_from_a_box_mesh_is_that_of_the_box() {
    let size = DVec3::new(1.0, 2.0, 3.0);
    let (solid, mesh) = (Shape::Box { size }, Shape::Mesh(Arc::new(generate::cuboid(size))));
    let mut random = Random(3);
    for _ in 0..2000 {
        let p = random.vector() * 2.0;
        // closed form: outside by the clamped vector, inside by the nearest face
        let q = p.abs() - size * 0.5;
        let expected = q.max(DVec3::ZERO).length() + q.max_element().min(0.0);
        for shape in [&solid, &mesh] {
            let found = closest_point(shape, &Pose::IDENTITY, p).unwrap();
            assert!(
                (found.distance - expected).abs() < 1e-9,
                "{}: {} for {expected}",
                shape.kind(),
                found.distance
            );
        }
    }
}

#[test]
fn rays_hit_round_solids_where_a_march_along_the_distance_ends() {
    let mut random = Random(4);
    let mut hits = 0;
    for shape in zoo() {
        for _ in 0..100 {
            let pose = random.pose(0.3);
            let origin = random.direction() * 3.0;
            let direction = (random.vector() * 0.6 - origin).normalize();
            let hit = cast_ray(&shape, &pose, &Ray { origin, direction }, 10.0);
            // sphere tracing: steps of the (unsigned) distance never pass the surface
            let mut t = 0.0;
            let marched = loop {
                let d =
                    closest_point(&shape, &pose, origin + direction * t).unwrap().distance.abs();
                t += d;
                if d < 1e-9 {
                    break Some(t);
                }
                if t > 10.0 {
                    break None;
                }
            };
            // a march that creeps along a tangent ends early or late by a little
            match (hit, marched) {
                (Some(h), Some(m)) => {
                    hits += 1;
                    assert!((h.distance - m).abs() < 1e-4, "{}: {} {m}", shape.kind(), h.distance);
                    assert!(h.normal.dot(direction) <= 1e-9, "{}", shape.kind());
                    assert!((h.normal.length() - 1.0).abs() < 1e-12);
                }
                (None, None) => {}
                (h, m) => {
                    let grazing = m.map(|t| origin + direction * t).or(h.map(|h| h.point)).unwrap();
                    let near =
                        closest_point(&shape, &pose, grazing + direction * 1e-3).unwrap().distance;
                    assert!(near > -1e-5, "{}: {h:?} {m:?}", shape.kind());
                }
            }
        }
    }
    assert!(hits > 400, "{hits}");
}

#[test]
fn a_ray_from_inside_hits_a_solid_at_once_and_a_mesh_from_behind() {
    let ray = Ray { origin: DVec3::new(0.05, 0.02, 0.01), direction: DVec3::X };
    for shape in zoo().into_iter().take(7) {
        let hit = cast_ray(&shape, &Pose::IDENTITY, &ray, 10.0).unwrap();
        assert_eq!((hit.distance, hit.normal), (0.0, -DVec3::X), "{}", shape.kind());
    }
    let shell = Shape::Mesh(Arc::new(generate::cuboid(DVec3::splat(2.0))));
    let hit = cast_ray(&shell, &Pose::IDENTITY, &ray, 10.0).unwrap();
    assert!((hit.distance - 0.95).abs() < 1e-15 && hit.normal == -DVec3::X);
    assert_eq!(cast_ray(&shell, &Pose::IDENTITY, &ray, 0.9), None);
    let nowhere = Ray { origin: DVec3::NAN, direction: DVec3::X };
    assert_eq!(cast_ray(&shell, &Pose::IDENTITY, &nowhere, 1.0), None);
}
