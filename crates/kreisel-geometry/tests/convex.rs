//! GJK and EPA: closed forms, the mesh kernel and parry as oracles.

mod common;

use common::Random;
use glam::DVec3;
use kreisel_geometry::convex::{
    Convex, ConvexCache, ConvexDistance, Core, Feature, convex_distance, polyhedron_distance,
};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::query::{MeshQuery, mesh_distance};
use kreisel_geometry::tree::MeshTree;
use kreisel_geometry::{ConvexHull, Pose};

fn ask(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> ConvexDistance {
    let c = convex_distance(a, pose_a, b, pose_b, &mut ConvexCache::default());
    assert!((c.normal.length() - 1.0).abs() < 1e-9, "{c:?}");
    assert!(((c.a - c.b).dot(c.normal) - c.distance).abs() < 1e-6, "{c:?}");
    c
}

fn ball(radius: f64) -> Convex<'static> {
    Convex { core: Core::Point, margin: radius }
}

#[test]
fn spheres_have_the_distance_of_their_centres_less_the_radii_also_when_they_overlap() {
    let mut random = Random(1);
    for _ in 0..1000 {
        let (p, q) = (random.pose(2.0), random.pose(2.0));
        let c = ask(&ball(0.7), &p, &ball(0.4), &q);
        let expected = p.position.distance(q.position) - 1.1;
        assert!((c.distance - expected).abs() < 1e-14);
        assert!(c.normal.distance((p.position - q.position).normalize()) < 1e-12);
    }
}

#[test]
fn boxes_apart_agree_with_the_distance_of_their_meshes() {
    let mut random = Random(2);
    for case in 0..2000 {
        let (s, t) = (
            random.vector().abs() + DVec3::splat(0.05),
            random.vector().abs() + DVec3::splat(0.05),
        );
        let (p, q) = (random.pose(3.0), random.pose(3.0));
        let c = ask(&Convex::sharp(Core::Box(s)), &p, &Convex::sharp(Core::Box(t)), &q);
        let (m, n) = (generate::cuboid(s * 2.0), generate::cuboid(t * 2.0));
        let mesh =
            mesh_distance(&MeshTree::new(&m), &p, &MeshTree::new(&n), &q, &MeshQuery::default())
                .unwrap();
        if c.distance > 0.0 {
            assert!(
                (c.distance - mesh.distance).abs() < 1e-12,
                "case {case}: {} {}",
                c.distance,
                mesh.distance
            );
            assert!(
                c.lower <= c.distance && c.lower >= c.distance * (1.0 - 1e-9),
                "case {case}: {c:?}"
            );
        } else {
            // an enclosed box has a positive surface distance
            assert!(mesh.distance == 0.0 || c.distance < -mesh.distance, "case {case}");
        }
    }
}

/// Least overlap over the 15 separating-axis candidates of two boxes: the exact penetration depth.
fn box_depth(s: DVec3, p: &Pose, t: DVec3, q: &Pose) -> f64 {
    let (a, b) = (p.matrix(), q.matrix());
    let mut axes = vec![a.x_axis, a.y_axis, a.z_axis, b.x_axis, b.y_axis, b.z_axis];
    for i in 0..3 {
        for j in 0..3 {
            axes.extend(a.col(i).cross(b.col(j)).try_normalize());
        }
    }
    let radius = |m: glam::DMat3, h: DVec3, n: DVec3| (m.transpose() * n).abs().dot(h);
    let overlap =
        |n: &DVec3| radius(a, s, *n) + radius(b, t, *n) - (p.position - q.position).dot(*n).abs();
    axes.iter().map(overlap).fold(f64::INFINITY, f64::min)
}

#[test]
fn overlapping_boxes_have_the_depth_of_the_separating_axis_test() {
    let mut random = Random(3);
    let mut overlaps = 0;
    for case in 0..3000 {
        let (s, t) =
            (random.vector().abs() + DVec3::splat(0.1), random.vector().abs() + DVec3::splat(0.1));
        let (p, q) = (random.pose(0.6), random.pose(0.6));
        let depth = box_depth(s, &p, t, &q);
        let c = ask(&Convex::sharp(Core::Box(s)), &p, &Convex::sharp(Core::Box(t)), &q);
        if depth > 1e-9 {
            overlaps += 1;
            assert!((c.distance + depth).abs() < 1e-9, "case {case}: {} for {depth}", c.distance);
        }
    }
    assert!(overlaps > 1000);
}

#[test]
fn round_shapes_on_a_common_axis_have_their_closed_form() {
    let up = |z: f64| Pose::at(DVec3::new(0.0, 0.0, z));
    let cylinder = Convex::sharp(Core::Cylinder(0.5, 1.0));
    let cone = Convex::sharp(Core::Cone(0.5, 1.0));
    let egg = Convex::sharp(Core::Ellipsoid(DVec3::new(0.5, 0.3, 0.8)));
    for (a, half) in [(cylinder, 1.0), (cone, 1.0), (egg, 0.8)] {
        let c = ask(&egg, &up(4.0), &a, &Pose::IDENTITY);
        assert!((c.distance - (4.0 - 0.8 - half)).abs() < 1e-11, "{c:?}");
        assert!(c.lower <= c.distance && c.distance - c.lower < 1e-10);
    }
    // side by side: a cone's flank is inclined by atan(r / h) and passes its rim at the base
    let beside = Pose::at(DVec3::new(3.0, 0.0, -1.0));
    assert!((ask(&cylinder, &beside, &cylinder, &up(-1.0)).distance - 2.0).abs() < 1e-12);
}

/// Distance of a point to an ellipsoid by Newton on the Lagrange multiplier.
fn point_ellipsoid(p: DVec3, radii: DVec3) -> f64 {
    let r2 = radii * radii;
    let f = |t: f64| {
        let x = radii * p / (r2 + DVec3::splat(t));
        x.length_squared() - 1.0
    };
    let (mut lo, mut hi) = (0.0, 1e3);
    for _ in 0..200 {
        let mid = 0.5 * (lo + hi);
        if f(mid) > 0.0 { lo = mid } else { hi = mid }
    }
    (p - r2 * p / (r2 + DVec3::splat(lo))).length()
}

#[test]
fn a_ball_and_an_ellipsoid_have_the_distance_of_the_lagrange_equation() {
    let mut random = Random(4);
    for case in 0..500 {
        let radii = random.vector().abs() + DVec3::splat(0.2);
        let (p, q) = (random.pose(4.0), random.pose(1.0));
        let local = q.inverse_point(p.position);
        if (local / radii).length() < 1.05 {
            continue;
        }
        let expected = point_ellipsoid(local, radii) - 0.1;
        let c = ask(&ball(0.1), &p, &Convex::sharp(Core::Ellipsoid(radii)), &q);
        assert!((c.distance - expected).abs() < 1e-9, "case {case}: {} for {expected}", c.distance);
    }
}

#[test]
fn overlapping_ellipsoids_cannot_be_separated_by_less_in_any_sampled_direction() {
    let mut random = Random(5);
    for case in 0..100 {
        let (r, s) =
            (random.vector().abs() + DVec3::splat(0.3), random.vector().abs() + DVec3::splat(0.3));
        let (p, q) = (random.pose(0.2), random.pose(0.2));
        let c = ask(&Convex::sharp(Core::Ellipsoid(r)), &p, &Convex::sharp(Core::Ellipsoid(s)), &q);
        assert!(c.distance < 0.0);
        let h = |n: DVec3| {
            let radius = |m: &Pose, r: DVec3| (r * m.inverse_direction(n)).length();
            radius(&p, r) + radius(&q, s) + (p.position - q.position).dot(n)
        };
        let sampled = (0..20_000).map(|_| h(random.direction())).fold(f64::INFINITY, f64::min);
        assert!(
            -c.distance <= sampled + 1e-9,
            "case {case}: {} but {sampled} separates",
            -c.distance
        );
        assert!(
            (h(-c.normal) + c.distance).abs() < 1e-8,
            "case {case}: the depth is not the one along the normal"
        );
    }
}

#[test]
fn hulls_of_spheres_agree_with_their_meshes_cold_and_warm() {
    let mut random = Random(6);
    let mesh = generate::icosphere(1.0, 3).scaled(DVec3::new(1.0, 0.6, 0.2)).unwrap();
    let (hull, tree) = (ConvexHull::new(mesh.vertices()).unwrap(), MeshTree::new(&mesh));
    let convex = Convex::sharp(Core::Hull(&hull));
    let mut cache = ConvexCache::default();
    let mut pose = Pose::new(DVec3::new(2.2, 0.4, 0.1), random.rotation());
    for _ in 0..200 {
        pose.position += random.vector() * 0.02;
        pose.rotation =
            (pose.rotation * glam::DQuat::from_xyzw(0.01, 0.02, -0.01, 1.0)).normalize();
        let warm = convex_distance(&convex, &pose, &convex, &Pose::IDENTITY, &mut cache);
        let cold = ask(&convex, &pose, &convex, &Pose::IDENTITY);
        let exact =
            mesh_distance(&tree, &pose, &tree, &Pose::IDENTITY, &MeshQuery::default()).unwrap();
        assert!((cold.distance - exact.distance).abs() < 1e-12);
        assert!((warm.distance - exact.distance).abs() < 1e-12);
        assert!(warm.steps <= cold.steps + 8);
    }
}

#[test]
fn touching_and_coincident_shapes_have_a_finite_answer() {
    let cube = Convex::sharp(Core::Box(DVec3::ONE));
    let shapes = [
        cube,
        ball(0.5),
        Convex::sharp(Core::Cylinder(1.0, 1.0)),
        Convex::sharp(Core::Ellipsoid(DVec3::ONE)),
    ];
    for a in &shapes {
        for b in &shapes {
            for position in [DVec3::ZERO, DVec3::X * 2.0, DVec3::new(2.0, 2.0, 2.0), DVec3::Z * 1.5]
            {
                let c = ask(a, &Pose::at(position), b, &Pose::IDENTITY);
                assert!(c.distance.is_finite() && c.a.is_finite() && c.b.is_finite(), "{c:?}");
            }
        }
    }
    let touching = ask(&cube, &Pose::at(DVec3::X * 2.0), &cube, &Pose::IDENTITY);
    assert!(touching.distance.abs() < 1e-12);
    let same = ask(&cube, &Pose::IDENTITY, &cube, &Pose::IDENTITY);
    assert!((same.distance + 2.0).abs() < 1e-12);
}

#[test]
fn the_walk_over_features_agrees_with_gjk_on_random_polyhedra() {
    let mut random = Random(7);
    let (mut apart, mut overlapping) = (0, 0);
    for case in 0..2000 {
        let hull = |random: &mut Random| {
            let n = 4 + random.below(30) as usize;
            ConvexHull::new(&(0..n).map(|_| random.vector()).collect::<Vec<_>>()).unwrap()
        };
        let (a, b) = (hull(&mut random), hull(&mut random));
        let (p, q) = (random.pose(2.0), random.pose(1.0));
        let expected = ask(&Convex::sharp(Core::Hull(&a)), &p, &Convex::sharp(Core::Hull(&b)), &q);
        let found = polyhedron_distance(&a, &p, &b, &q, &mut None);
        assert!(
            (found.distance - expected.distance).abs() < 1e-9,
            "case {case}: {found:?} for {expected:?}"
        );
        if expected.distance > 1e-9 {
            apart += 1;
            assert!(
                found.features.is_some() && found.normal.distance(expected.normal) < 1e-6,
                "case {case}"
            );
        } else {
            overlapping += 1;
        }
    }
    assert!(apart > 500 && overlapping > 200, "{apart} {overlapping}");
}

#[test]
fn the_walk_handles_parallel_boxes_and_starts_from_any_features() {
    let cube = ConvexHull::cuboid(DVec3::ONE).unwrap();
    for position in
        [DVec3::X * 2.0, DVec3::new(2.0, 0.5, 0.0), DVec3::new(2.0, 2.0, 0.3), DVec3::splat(1.5)]
    {
        let gap = (position.abs() - DVec3::ONE).max(DVec3::ZERO).length();
        for seed in 0..24 {
            let features = match seed % 3 {
                0 => [Feature::Vertex(seed % 8), Feature::Face(seed % 6)],
                1 => [Feature::Edge(seed), Feature::Edge(23 - seed)],
                _ => [Feature::Face(seed % 6), Feature::Face((seed + 1) % 6)],
            };
            let d = polyhedron_distance(
                &cube,
                &Pose::at(position),
                &cube,
                &Pose::IDENTITY,
                &mut Some(features),
            );
            assert!((d.distance - gap).abs() < 1e-12, "{position} from {features:?}: {d:?}");
        }
    }
    let wrong = &mut Some([Feature::Vertex(99), Feature::Face(99)]);
    assert!(
        polyhedron_distance(&cube, &Pose::at(DVec3::X * 3.0), &cube, &Pose::IDENTITY, wrong)
            .distance
            == 2.0
    );
}

#[test]
fn a_coherent_walk_takes_a_few_steps_whatever_the_size() {
    let hull = ConvexHull::new(generate::icosphere(1.0, 4).vertices()).unwrap();
    let mut cache = None;
    let mut steps = 0;
    for i in 0..300 {
        let angle = 0.01 * f64::from(i);
        let pose = Pose::new(
            DVec3::new(2.3 * angle.cos(), 2.3 * angle.sin(), 0.1),
            glam::DQuat::from_xyzw(0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()),
        );
        let d = polyhedron_distance(&hull, &pose, &hull, &Pose::IDENTITY, &mut cache);
        let expected = ask(
            &Convex::sharp(Core::Hull(&hull)),
            &pose,
            &Convex::sharp(Core::Hull(&hull)),
            &Pose::IDENTITY,
        );
        assert!((d.distance - expected.distance).abs() < 1e-12);
        steps += if i > 0 { d.steps } else { 0 };
    }
    assert!(steps < 300 * 6, "{} steps a query", f64::from(steps) / 299.0);
}
