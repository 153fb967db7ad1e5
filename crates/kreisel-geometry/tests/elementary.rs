//! Elementary distances (Lennerz 2000, section 3.4) against brute force and against the plain
//! definition.

mod common;

use common::Random;
use glam::DVec3;
use kreisel_geometry::elementary::{
    Closest, Polygon, PolygonError, edge_edge, edge_face, edge_face_overlap, face_face, point_edge,
    point_triangle, triangle_triangle,
};

/// Minimum over a grid of parameters, refined twice round the best cell: good to about 1e-9 of the
/// size.
fn edge_edge_by_sampling(e: [DVec3; 2], f: [DVec3; 2]) -> f64 {
    let (mut s0, mut t0, mut half) = (0.5, 0.5, 0.5);
    let mut best = f64::INFINITY;
    for _ in 0..14 {
        let (mut s1, mut t1) = (s0, t0);
        for i in -4..=4 {
            for j in -4..=4 {
                let s = f64::clamp(s0 + half * f64::from(i) / 4.0, 0.0, 1.0);
                let t = f64::clamp(t0 + half * f64::from(j) / 4.0, 0.0, 1.0);
                let d = e[0].lerp(e[1], s).distance(f[0].lerp(f[1], t));
                if d < best {
                    (best, s1, t1) = (d, s, t);
                }
            }
        }
        (s0, t0, half) = (s1, t1, half * 0.5);
    }
    best
}

fn assert_witness(c: &Closest) {
    assert!((c.a.distance_squared(c.b) - c.squared).abs() <= 1e-12 * (1.0 + c.squared));
}

#[test]
fn point_edge_has_three_cases() {
    let edge = [DVec3::ZERO, DVec3::X * 2.0];
    assert_eq!(point_edge(DVec3::new(-3.0, 4.0, 0.0), edge).squared, 25.0);
    assert_eq!(point_edge(DVec3::new(5.0, 0.0, 4.0), edge).squared, 25.0);
    let c = point_edge(DVec3::new(0.5, 0.0, -2.0), edge);
    assert_eq!((c.squared, c.b), (4.0, DVec3::X * 0.5));
    assert_eq!(point_edge(DVec3::Y, [DVec3::ZERO; 2]).squared, 1.0);
}

#[test]
fn edge_edge_agrees_with_sampling_also_for_parallel_edges() {
    let mut random = Random(1);
    for i in 0..3000 {
        let e = [random.vector(), random.vector()];
        let mut f = [random.vector(), random.vector()];
        match i % 10 {
            0 => f[1] = f[0] + (e[1] - e[0]) * random.uniform(-2.0, 2.0),
            1 => f[1] = f[0] + (e[1] - e[0]) * random.uniform(-2.0, 2.0) + random.vector() * 1e-9,
            2 => f[1] = f[0],
            _ => {}
        }
        let c = edge_edge(e, f);
        assert_witness(&c);
        let sampled = edge_edge_by_sampling(e, f);
        assert!(
            c.distance() <= sampled + 1e-12,
            "case {i}: {} above the sampled {sampled}",
            c.distance()
        );
        assert!(
            c.distance() >= sampled - 1e-3,
            "case {i}: {} below the sampled {sampled}",
            c.distance()
        );
        assert!(
            (edge_edge(f, e).distance() - c.distance()).abs() < 1e-12,
            "case {i} is not symmetric"
        );
    }
}

/// A star-shaped polygon in a random plane.
fn polygon(random: &mut Random, corners: u64, reach: f64) -> Polygon {
    let pose = random.pose(reach);
    let points = (0..corners).map(|k| {
        let angle = std::f64::consts::TAU * (k as f64 + random.uniform(0.0, 0.8)) / corners as f64;
        let r = random.uniform(0.3, 1.0);
        pose.point(DVec3::new(r * angle.cos(), r * angle.sin(), 0.0))
    });
    Polygon::new(points.collect()).unwrap()
}

#[test]
fn point_in_polygon_agrees_with_the_winding_number() {
    let mut random = Random(2);
    for i in 0..20_000 {
        let corners = 3 + random.below(9);
        let f = polygon(&mut random, corners, 1.0);
        let raw = f.corners()[0] + random.vector();
        let p = raw - f.normal() * f.height(raw);
        // the sides turn by ±2π about an inner point, by 0 about an outer one
        let turn: f64 = f
            .edges()
            .map(|[a, b]| (a - p).cross(b - p).dot(f.normal()).atan2((a - p).dot(b - p)))
            .sum();
        assert_eq!(f.contains(p), turn.abs() > 3.0, "case {i}");
    }
}

/// The plain definition (eq. 3.1) without any of the savings.
fn face_face_by_definition(first: &Polygon, second: &Polygon) -> Closest {
    let mut best = Closest::FAR;
    for edge in first.edges() {
        if let Some(x) = edge_face_overlap(edge, second) {
            return Closest::common(x);
        }
        best = best.min(second.point_distance(edge[0]));
        for side in second.edges() {
            best = best.min(edge_edge(edge, side));
            best = best.min(point_edge(edge[0], side));
        }
    }
    for edge in second.edges() {
        if let Some(x) = edge_face_overlap(edge, first) {
            return Closest::common(x);
        }
        best = best.min(first.point_distance(edge[0]).swapped());
    }
    best
}

#[test]
fn face_face_equals_the_definition_on_random_polygons() {
    let mut random = Random(3);
    let mut overlaps = 0;
    for i in 0..30_000 {
        let (n, m) = (3 + random.below(4), 3 + random.below(4));
        let f = polygon(&mut random, n, 0.7);
        let g = polygon(&mut random, m, 0.7);
        let (c, expected) = (face_face(&f, &g), face_face_by_definition(&f, &g));
        assert_witness(&c);
        assert!(
            (c.squared - expected.squared).abs() <= 1e-12,
            "case {i}: {} against {}",
            c.squared,
            expected.squared
        );
        overlaps += u32::from(c.squared == 0.0);
    }
    assert!((3000..27_000).contains(&overlaps), "both outcomes must be frequent: {overlaps}");
}

#[test]
fn edge_face_overlap_handles_crossing_parallel_and_coplanar_edges() {
    let square =
        [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let f = Polygon::new(square.to_vec()).unwrap();
    let edge = |a: [f64; 3], b: [f64; 3]| [DVec3::from(a), DVec3::from(b)];
    assert_eq!(
        edge_face_overlap(edge([1.0, 1.0, -1.0], [1.0, 1.0, 3.0]), &f),
        Some(DVec3::new(1.0, 1.0, 0.0))
    );
    assert_eq!(edge_face_overlap(edge([3.0, 1.0, -1.0], [3.0, 1.0, 3.0]), &f), None);
    assert_eq!(edge_face_overlap(edge([1.0, 1.0, 1.0], [1.0, 1.5, 3.0]), &f), None);
    assert_eq!(edge_face_overlap(edge([0.5, 0.5, 1.0], [1.5, 0.5, 1.0]), &f), None);
    assert!(edge_face_overlap(edge([0.5, 0.5, 0.0], [1.5, 0.5, 0.0]), &f).is_some());
    assert!(edge_face_overlap(edge([-1.0, 0.5, 0.0], [0.5, 0.5, 0.0]), &f).is_some());
    assert_eq!(edge_face(edge([0.5, 0.5, 1.0], [1.5, 0.5, 3.0]), &f).squared, 1.0);
    assert_eq!(edge_face(edge([3.0, -1.0, 0.0], [3.0, 5.0, 0.0]), &f).squared, 1.0);
}

#[test]
fn a_bent_or_flat_polygon_is_refused() {
    let bent = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.1), DVec3::Y];
    assert!(matches!(Polygon::new(bent), Err(PolygonError::NotPlanar(..))));
    assert_eq!(
        Polygon::new(vec![DVec3::ZERO, DVec3::X, DVec3::X * 3.0]),
        Err(PolygonError::NoArea)
    );
}

#[test]
fn triangle_distance_agrees_with_the_general_face_distance() {
    let mut random = Random(4);
    for i in 0..200_000 {
        let reach = [0.2, 1.0, 3.0][i % 3];
        let shift = random.vector() * reach;
        let t = [random.vector(), random.vector(), random.vector()];
        let u = [random.vector() + shift, random.vector() + shift, random.vector() + shift];
        let c = triangle_triangle(t, u);
        assert_witness(&c);
        let (Ok(f), Ok(g)) = (Polygon::new(t.to_vec()), Polygon::new(u.to_vec())) else { continue };
        let expected = face_face_by_definition(&f, &g).distance();
        assert!(
            (c.distance() - expected).abs() <= 1e-12 * (1.0 + expected),
            "case {i}: {} {expected}",
            c.distance()
        );
    }
}

#[test]
fn coplanar_triangles_are_apart_touching_or_nested() {
    let t = |x: f64, y: f64, s: f64| {
        [DVec3::new(x, y, 0.0), DVec3::new(x + s, y, 0.0), DVec3::new(x, y + s, 0.0)]
    };
    assert_eq!(triangle_triangle(t(0.0, 0.0, 1.0), t(3.0, 0.0, 1.0)).squared, 4.0);
    assert_eq!(triangle_triangle(t(0.0, 0.0, 1.0), t(1.0, 0.0, 1.0)).squared, 0.0);
    assert_eq!(triangle_triangle(t(0.0, 0.0, 4.0), t(0.5, 0.5, 1.0)).squared, 0.0);
    assert_eq!(triangle_triangle(t(0.0, 0.0, 1.0), t(-1.0, 0.25, 4.0)).squared, 0.0);
}

#[test]
fn needles_and_points_count_as_their_edges() {
    let needle = [DVec3::ZERO, DVec3::X, DVec3::X * 0.3];
    let point = [DVec3::Y * 2.0 + DVec3::X * 0.5; 3];
    let plate =
        [DVec3::new(-5.0, -5.0, 1.0), DVec3::new(5.0, -5.0, 1.0), DVec3::new(0.0, 9.0, 1.0)];
    assert_eq!(triangle_triangle(needle, point).squared, 4.0);
    assert!((triangle_triangle(needle, plate).squared - 1.0).abs() < 1e-15);
    assert!((point_triangle(DVec3::ZERO, plate).squared - 1.0).abs() < 1e-15);
    let across = [DVec3::ZERO, DVec3::Z * 2.0, DVec3::Z];
    assert_eq!(triangle_triangle(across, plate).squared, 0.0);
}
