//! Sets of shapes against asking every shape, and bounds of the depth against known depths.

mod common;

use common::Random;
use glam::DVec3;
use kreisel_geometry::mesh::generate;
use kreisel_geometry::query::{
    Ray, ShapeSet, cast_ray, closest_point, distance, overlaps, penetration,
};
use kreisel_geometry::{Part, Pose, Shape};
use std::sync::Arc;

fn shapes() -> Vec<Shape> {
    vec![
        Shape::Sphere { radius: 0.3 },
        Shape::Box { size: DVec3::new(0.5, 0.3, 0.2) },
        Shape::Capsule { radius: 0.1, height: 0.4 },
        Shape::Mesh(Arc::new(generate::torus(0.4, 0.1, 12, 8))),
        Shape::Compound(vec![
            Part { pose: Pose::at(DVec3::X * 0.3), shape: Shape::Sphere { radius: 0.1 } },
            Part { pose: Pose::at(DVec3::X * -0.3), shape: Shape::Box { size: DVec3::splat(0.2) } },
        ]),
    ]
}

fn random_set(random: &mut Random, n: u64, ground: bool) -> (ShapeSet, Vec<(Shape, Pose)>) {
    let kinds = shapes();
    let mut set = ShapeSet::default();
    let mut all = Vec::new();
    for i in 0..n {
        let (shape, pose) = (kinds[(i % kinds.len() as u64) as usize].clone(), random.pose(3.0));
        assert_eq!(set.add(shape.clone(), pose).unwrap(), i as u32);
        all.push((shape, pose));
    }
    if ground {
        let plane = Shape::HalfSpace { normal: DVec3::Z, offset: -3.5 };
        set.add(plane.clone(), Pose::IDENTITY).unwrap();
        all.push((plane, Pose::IDENTITY));
    }
    (set, all)
}

#[test]
fn a_set_answers_as_if_every_shape_were_asked() {
    let mut random = Random(3);
    for round in 0..20 {
        let (mut set, mut all) = random_set(&mut random, 60, round % 2 == 0);
        // some shapes move after the tree is there
        set.cast_ray(&Ray { origin: DVec3::ZERO, direction: DVec3::X }, 1.0);
        for i in (0..60).step_by(7) {
            all[i].1 = random.pose(3.0);
            set.set_pose(i as u32, all[i].1).unwrap();
        }
        for _ in 0..50 {
            let ray = Ray { origin: random.vector() * 5.0, direction: random.direction() };
            let hits = |reach: f64| {
                let mut hits: Vec<(u32, f64)> = (all.iter().enumerate())
                    .filter_map(|(i, (s, p))| {
                        Some((i as u32, cast_ray(s, p, &ray, reach)?.distance))
                    })
                    .collect();
                hits.sort_by(|x, y| x.1.total_cmp(&y.1).then(x.0.cmp(&y.0)));
                hits
            };
            let expected = hits(8.0);
            let found: Vec<(u32, f64)> =
                set.cast_ray_all(&ray, 8.0).iter().map(|h| (h.0, h.1.distance)).collect();
            assert_eq!(found, expected);
            assert_eq!(
                set.cast_ray(&ray, 8.0).map(|h| (h.0, h.1.distance)),
                expected.first().copied()
            );

            let point = random.vector() * 4.0;
            let depth = |(s, p): &(Shape, Pose)| closest_point(s, p, point).unwrap().distance;
            let best =
                (0..all.len()).min_by(|&i, &j| depth(&all[i]).total_cmp(&depth(&all[j]))).unwrap();
            let (i, found) = set.closest_to(point, f64::INFINITY).unwrap();
            assert_eq!((i as usize, found.distance), (best, depth(&all[best])));
            let inside: Vec<u32> =
                (0..all.len() as u32).filter(|&i| depth(&all[i as usize]) <= 0.0).collect();
            assert_eq!(set.containing(point), inside);

            let (probe, at) = (Shape::Box { size: DVec3::splat(1.0) }, random.pose(3.0));
            let met: Vec<u32> = (0..all.len() as u32)
                .filter(|&i| overlaps(&probe, &at, &all[i as usize].0, &all[i as usize].1))
                .collect();
            assert_eq!(set.overlapping(&probe, &at).unwrap(), met);
        }
    }
}

#[test]
fn closest_pairs_are_those_of_all_pairs_and_pass_the_filter() {
    let mut random = Random(4);
    for round in 0..15 {
        let (mut set, all) = random_set(&mut random, 30, round % 3 == 0);
        set.filter_mut().exclude(1, 2);
        let mut expected = Vec::new();
        for i in 0..all.len() {
            for j in i + 1..all.len() {
                if (i, j) != (1, 2) {
                    let d = distance(&all[i].0, &all[i].1, &all[j].0, &all[j].1).unwrap().distance;
                    expected.push(([i as u32, j as u32], d));
                }
            }
        }
        let best = expected
            .iter()
            .copied()
            .min_by(|x, y| x.1.total_cmp(&y.1).then(x.0.cmp(&y.0)))
            .unwrap();
        let (pair, found) = set.closest_pair(f64::INFINITY).unwrap();
        assert_eq!((pair, found.distance), best);
        let near: Vec<_> = expected.iter().copied().filter(|x| x.1 <= 0.3).collect();
        let found: Vec<_> = set.pairs_within(0.3).iter().map(|(p, d)| (*p, d.distance)).collect();
        assert_eq!(found, near);
        let touching: Vec<_> = expected.iter().filter(|x| x.1 <= 0.0).map(|x| x.0).collect();
        assert_eq!(set.overlapping_pairs().iter().map(|x| x.0).collect::<Vec<_>>(), touching);
    }
}

#[test]
fn empty_sets_and_bad_input_are_answered() {
    let mut set = ShapeSet::default();
    assert!(set.closest_pair(1.0).is_none() && set.closest_to(DVec3::ZERO, 1.0).is_none());
    assert!(set.add(Shape::Sphere { radius: -1.0 }, Pose::IDENTITY).is_err());
    assert!(set.add(Shape::Sphere { radius: 1.0 }, Pose::at(DVec3::NAN)).is_err());
    assert!(set.set_pose(0, Pose::IDENTITY).is_err());
    set.add(Shape::Sphere { radius: 1.0 }, Pose::IDENTITY).unwrap();
    let nowhere = Ray { origin: DVec3::NAN, direction: DVec3::X };
    assert!(set.cast_ray(&nowhere, 1.0).is_none() && set.closest_to(DVec3::NAN, 1.0).is_none());
}

/// The depth of two axis-aligned cubes is the least overlap of their intervals; of two balls, the
/// radii less the distance.
#[test]
fn bounds_of_the_depth_enclose_known_depths() {
    let mut random = Random(5);
    let cube = generate::cuboid(DVec3::ONE);
    let mesh = Shape::Mesh(Arc::new(cube));
    let solid = Shape::Box { size: DVec3::ONE };
    let mut tight = 0;
    for _ in 0..100 {
        let shift = random.vector() * 0.9;
        let depth = (DVec3::ONE - shift.abs()).min_element();
        for (a, b) in [(&mesh, &mesh), (&solid, &mesh), (&mesh, &solid), (&solid, &solid)] {
            let found = penetration(a, &Pose::at(shift), b, &Pose::IDENTITY).unwrap();
            assert!(
                found.lower <= depth + 1e-9 && depth <= found.upper + 1e-9,
                "{found:?} {depth}"
            );
            assert!(found.upper <= depth + 1e-6, "{found:?} {depth}");
            let out = Pose::at(shift + found.direction * (found.upper + 1e-7));
            assert!(distance(a, &out, b, &Pose::IDENTITY).unwrap().distance > 0.0, "{found:?}");
            tight += usize::from(found.lower > 0.5 * depth);
        }
    }
    assert!(tight > 100, "{tight}");
    // a ball against a ball of triangles, which is inside the true one and outside the one of 0.98
    // of its size
    let rough = Shape::Mesh(Arc::new(generate::icosphere(1.0, 3)));
    let ball = Shape::Sphere { radius: 0.5 };
    for _ in 0..30 {
        let at = random.direction() * random.uniform(0.6, 1.4);
        let found = penetration(&ball, &Pose::at(at), &rough, &Pose::IDENTITY).unwrap();
        let depth = 1.5 - at.length();
        assert!(found.lower <= depth && found.upper >= depth - 0.02, "{found:?} {depth}");
        assert!(found.lower >= depth - 0.02 && found.upper <= depth + 0.05, "{found:?} {depth}");
    }
    assert!(penetration(&ball, &Pose::at(DVec3::X * 3.0), &rough, &Pose::IDENTITY).is_none());
}

/// Rings of tube radius 0.2 linked with their centre lines 0.3 apart on both sides: their tubes
/// overlap by 0.1, and so does the shortest way. From outside the way is longer than the tube,
/// because the rings stay linked.
#[test]
fn linked_rings_that_cross_part_without_being_unlinked() {
    let ring = Shape::Mesh(Arc::new(generate::torus(1.0, 0.2, 48, 24)));
    let turned = glam::DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
    let other = Pose::new(DVec3::X * 0.3, turned);
    let found = penetration(&ring, &other, &ring, &Pose::IDENTITY).unwrap();
    assert!(found.lower > 0.05 && found.lower <= found.upper && found.upper < 0.12, "{found:?}");
    let out = Pose::new(other.position + found.direction * (found.upper * 1.000_001), turned);
    assert!(distance(&ring, &out, &ring, &Pose::IDENTITY).unwrap().distance > 0.0, "{found:?}");
}
