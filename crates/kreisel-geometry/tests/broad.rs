//! Broad phases find exactly the pairs of the naive one, step after step.

mod common;

use common::Random;
use glam::DVec3;
use kreisel_geometry::broad::{
    Aabb, BoxTree, BroadPhase, CoherenceHash, Groups, HashGrid, Naive, PairFilter, SweepAndPrune,
    SweepAndPrune2,
};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::{Pose, Shape};
use std::sync::Arc;

fn boxes(random: &mut Random, n: usize, ratio: f64) -> Vec<Aabb> {
    (0..n)
        .map(|_| {
            let size = random.uniform(0.0, 1.0).powi(3) * ratio + 1e-3;
            let lo = random.vector() * 10.0;
            Aabb { lo, hi: lo + random.vector().abs() * size }
        })
        .collect()
}

#[test]
fn all_broad_phases_agree_while_the_boxes_move() {
    let mut random = Random(1);
    for (n, ratio) in [(0, 1.0), (1, 1.0), (2, 30.0), (150, 1.0), (150, 20.0), (300, 5.0)] {
        let mut phases: [Box<dyn BroadPhase>; 5] = [
            Box::new(SweepAndPrune::default()),
            Box::new(SweepAndPrune2),
            Box::new(HashGrid),
            Box::new(CoherenceHash::default()),
            Box::new(BoxTree::default()),
        ];
        let mut set = boxes(&mut random, n, ratio);
        for step in 0..15 {
            let expected = Naive.pairs(&set);
            for (k, phase) in phases.iter_mut().enumerate() {
                assert_eq!(phase.pairs(&set), expected, "phase {k} in step {step} with {n} boxes");
            }
            for b in &mut set {
                let shift = random.vector() * if step < 8 { 0.1 } else { 4.0 };
                *b = Aabb { lo: b.lo + shift, hi: b.hi + shift };
            }
            if step == 10 {
                set.truncate(n / 2);
            }
        }
    }
}

#[test]
fn unbounded_flat_far_and_broken_boxes_are_handled() {
    let plane = Aabb { lo: DVec3::NEG_INFINITY, hi: DVec3::INFINITY };
    let point = Aabb { lo: DVec3::ONE, hi: DVec3::ONE };
    let far = Aabb { lo: DVec3::splat(1e12), hi: DVec3::splat(1e12 + 1.0) };
    let vast = Aabb { lo: DVec3::splat(-1e30), hi: DVec3::splat(1e30) };
    let broken = Aabb { lo: DVec3::NAN, hi: DVec3::NAN };
    let set =
        [plane, point, far, point, vast, broken, Aabb { lo: DVec3::ZERO, hi: DVec3::splat(2.0) }];
    let expected = Naive.pairs(&set);
    assert!(expected.iter().all(|p| !p.contains(&5)) && expected.contains(&[0, 4]));
    assert_eq!(SweepAndPrune::default().pairs(&set), expected);
    assert_eq!(SweepAndPrune2.pairs(&set), expected);
    assert_eq!(HashGrid.pairs(&set), expected);
    assert_eq!(CoherenceHash::default().pairs(&set), expected);
    assert_eq!(BoxTree::default().pairs(&set), expected);
}

#[test]
fn the_box_of_a_shape_contains_its_surface() {
    let mut random = Random(2);
    let shapes = [
        Shape::Box { size: DVec3::new(1.0, 2.0, 3.0) },
        Shape::Cone { radius: 0.5, height: 2.0 },
        Shape::Capsule { radius: 0.2, height: 1.0 },
        Shape::Mesh(Arc::new(generate::torus(1.0, 0.3, 12, 8))),
    ];
    for shape in &shapes {
        for _ in 0..20 {
            let pose = random.pose(5.0);
            let b = Aabb::of(shape, &pose).enlarged(1e-9);
            for _ in 0..50 {
                let p = pose.position + random.direction() * 10.0;
                let on = kreisel_geometry::query::closest_point(shape, &pose, p).unwrap().point;
                assert!(b.lo.cmple(on).all() && on.cmple(b.hi).all(), "{}", shape.kind());
            }
        }
    }
    let ground = Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 };
    assert_eq!(Aabb::of(&ground, &Pose::IDENTITY).hi, DVec3::INFINITY);
}

#[test]
fn the_filter_knows_static_bodies_groups_and_exclusions() {
    let mut filter = PairFilter::new(5);
    filter.set_static(0, true);
    filter.set_static(1, true);
    filter.exclude(3, 2);
    filter.set_groups(4, Groups { member: 2, with: 2 });
    let mut pairs = vec![[0, 1], [0, 2], [2, 3], [2, 4], [1, 3]];
    filter.retain(&mut pairs);
    assert_eq!(pairs, [[0, 2], [1, 3]]);
    filter.include(2, 3);
    assert!(filter.allows(2, 3) && !filter.allows(3, 3));
    assert!(filter.allows(7, 2), "an unknown body moves and meets everything");
}

#[test]
fn the_counters_of_the_coherence_hash_are_those_of_a_new_one_and_slow_motion_changes_little() {
    // Lennerz 2000, L-74: c(A, B) > 0 if and only if A and B are candidates, after every step
    let mut random = Random(3);
    let mut set = boxes(&mut random, 400, 30.0);
    let mut kept = CoherenceHash::default();
    for step in 0..60 {
        kept.pairs(&set);
        let mut fresh = CoherenceHash::default();
        fresh.pairs(&set);
        assert!(kept.counters().eq(fresh.counters()), "step {step}");
        // not after a jump, nor where boxes came or went
        if step > 0 && step % 10 != 0 && ![31, 41].contains(&step) {
            assert!(
                kept.changes() * 5 < fresh.changes(),
                "{} of {}",
                kept.changes(),
                fresh.changes()
            );
        }
        for (i, b) in set.iter_mut().enumerate() {
            let shift = random.vector() * if step % 10 == 9 { 3.0 } else { 1e-4 };
            // some grow out of their grid, for a while
            let grow = if step % 10 == 9 && i % 5 == 0 {
                random.uniform(-0.5, 2.0) * (b.hi - b.lo)
            } else {
                DVec3::ZERO
            };
            *b = Aabb { lo: b.lo + shift, hi: b.hi + shift + grow };
        }
        if step == 30 {
            set.truncate(250);
        }
        if step == 40 {
            set.extend(boxes(&mut random, 100, 30.0));
        }
    }
}
