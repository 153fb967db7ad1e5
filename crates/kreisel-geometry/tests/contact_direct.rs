//! The short ways of `contacts_into` give what the general way gives, with and without memory.

mod common;

use common::Random;
use glam::{DQuat, DVec3};
use kreisel_geometry::contact::{Backend, Contact, ContactCache, contacts, contacts_into};
use kreisel_geometry::query::distance;
use kreisel_geometry::{ConvexHull, Part, Pose, Shape};
use std::sync::Arc;

fn direct(
    a: &Shape,
    p: &Pose,
    b: &Shape,
    q: &Pose,
    tolerance: f64,
    cache: &mut ContactCache,
) -> Vec<Contact> {
    let mut found = Vec::new();
    contacts_into(a, p, b, q, tolerance, cache, &mut found);
    found
}

fn random_box(random: &mut Random) -> Shape {
    Shape::Box { size: random.vector().abs() + DVec3::splat(0.2) }
}

/// Same names, same points. Where two normals are equally good (the depth along both agrees) only
/// the depth is compared.
fn same(context: &str, long: &[Contact], short: &[Contact]) {
    let depth = |c: &[Contact]| c.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
    let (Some(first), Some(second)) = (long.first(), short.first()) else {
        assert!(long.is_empty() && short.is_empty(), "{context}: {long:#?}\n{short:#?}");
        return;
    };
    if first.normal.distance(second.normal) > 1e-6 {
        assert!((depth(long) - depth(short)).abs() < 1e-8, "{context}: {long:#?}\n{short:#?}");
        return;
    }
    assert_eq!(long.len(), short.len(), "{context}: {long:#?}\n{short:#?}");
    for (l, s) in long.iter().zip(short) {
        assert_eq!(l.id, s.id, "{context}");
        let worst = l.a.distance(s.a).max(l.b.distance(s.b)).max((l.distance - s.distance).abs());
        assert!(worst < 1e-6, "{context}: {l:?} {s:?}");
    }
}

#[test]
fn boxes_in_any_position_have_the_contacts_of_the_general_way() {
    let mut random = Random(11);
    let mut counts = [0; 3];
    for case in 0..20_000 {
        let (a, b) = (random_box(&mut random), random_box(&mut random));
        let reach = random.uniform(0.2, 0.9);
        let (p, q) = (random.pose(reach), random.pose(reach));
        let tolerance = [1e-3, 0.05, 0.0][case % 3];
        let long = contacts(&a, &p, &b, &q, tolerance, Backend::Elements);
        let short = direct(&a, &p, &b, &q, tolerance, &mut ContactCache::default());
        same(&format!("case {case}"), &long, &short);
        let apart = distance(&a, &p, &b, &q).unwrap().distance;
        counts[if apart > tolerance {
            0
        } else if apart > 0.0 {
            1
        } else {
            2
        }] += 1;
    }
    assert!(counts.iter().all(|&n| n > 100), "every kind of case occurs: {counts:?}");
}

#[test]
fn stacked_boxes_have_the_contacts_of_the_general_way() {
    let mut random = Random(12);
    for case in 0..5_000 {
        let (s, t) =
            (random.vector().abs() + DVec3::splat(0.3), random.vector().abs() + DVec3::splat(0.3));
        let (a, b) = (Shape::Box { size: s * 2.0 }, Shape::Box { size: t * 2.0 });
        let angle = random.uniform(0.0, 6.0);
        let turn = DQuat::from_xyzw(0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos());
        let gap = random.uniform(-1e-2, 9e-4);
        let offset = random.vector() * DVec3::new(s.x + t.x, s.y + t.y, 0.0) * 0.7
            + DVec3::Z * (s.z + t.z + gap);
        let world = random.pose(2.0);
        let upper = world.then(&Pose::new(offset, turn));
        let long = contacts(&a, &upper, &b, &world, 1e-3, Backend::Elements);
        let short = direct(&a, &upper, &b, &world, 1e-3, &mut ContactCache::default());
        same(&format!("case {case}"), &long, &short);
    }
}

#[test]
fn round_shapes_have_the_contacts_of_the_general_way() {
    let hull = Arc::new(ConvexHull::cuboid(DVec3::new(0.8, 0.5, 0.6)).unwrap());
    let shapes = [
        Shape::Sphere { radius: 0.4 },
        Shape::Capsule { radius: 0.2, height: 0.7 },
        Shape::Box { size: DVec3::new(0.8, 0.5, 0.6) },
        Shape::Cylinder { radius: 0.3, height: 0.6 },
        Shape::Hull(hull),
        Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 },
        Shape::Compound(vec![Part {
            pose: Pose::at(DVec3::X * 0.3),
            shape: Shape::Sphere { radius: 0.3 },
        }]),
    ];
    let mut random = Random(13);
    for case in 0..6_000 {
        let [a, b] = [0; 2].map(|_| &shapes[random.below(shapes.len() as u64) as usize]);
        let (p, q) = (random.pose(0.6), random.pose(0.6));
        let long = contacts(a, &p, b, &q, 0.02, Backend::Elements);
        let short = direct(a, &p, b, &q, 0.02, &mut ContactCache::default());
        same(&format!("case {case}: {} and {}", a.kind(), b.kind()), &long, &short);
    }
}

#[test]
fn what_is_remembered_never_changes_a_bit() {
    let shapes = [
        Shape::Sphere { radius: 0.4 },
        Shape::Capsule { radius: 0.2, height: 0.7 },
        Shape::Box { size: DVec3::new(0.8, 0.5, 0.6) },
        Shape::Cylinder { radius: 0.3, height: 0.6 },
    ];
    let mut random = Random(14);
    let mut touching = 0;
    for _ in 0..300 {
        let [a, b] = [0; 2].map(|_| &shapes[random.below(4) as usize]);
        let (mut p, q) = (random.pose(1.0), random.pose(0.3));
        let mut cache = ContactCache::default();
        for _ in 0..30 {
            let warm = direct(a, &p, b, &q, 1e-2, &mut cache);
            assert_eq!(warm, direct(a, &p, b, &q, 1e-2, &mut ContactCache::default()));
            touching += usize::from(!warm.is_empty());
            p.position += random.vector() * 0.1;
            p.rotation = (DQuat::from_xyzw(0.02, random.uniform(-0.1, 0.1), 0.01, 1.0)
                * p.rotation)
                .normalize();
        }
    }
    assert!((1000..8500).contains(&touching), "{touching} of 9000");
}
