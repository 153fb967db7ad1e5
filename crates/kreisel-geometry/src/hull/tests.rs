use super::*;
use crate::mesh::generate;

/// A small deterministic generator (splitmix64) for test points.
fn random(seed: u64, n: usize) -> Vec<DVec3> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64 * 2.0 - 1.0
    };
    (0..n).map(|_| DVec3::new(next(), next(), next())).collect()
}

fn assert_is_polyhedron(hull: &ConvexHull, points: &[DVec3]) {
    let edges = hull.edges().len() / 2;
    assert_eq!(hull.vertices().len() + hull.faces().len(), edges + 2, "Euler's formula");
    for (i, e) in hull.edges().iter().enumerate() {
        assert_eq!(hull.edges()[e.twin as usize].twin, i as u32);
    }
    for face in hull.faces() {
        assert!((face.normal.length() - 1.0).abs() < 1e-12);
        for p in points {
            assert!(face.normal.dot(*p) <= face.offset + 1e-9, "a point is outside the hull");
        }
    }
}

#[test]
fn the_hull_of_random_points_contains_them_all_and_obeys_eulers_formula() {
    for seed in 0..200 {
        let points = random(seed, 4 + (seed as usize * 7) % 120);
        assert_is_polyhedron(&ConvexHull::new(&points).unwrap(), &points);
    }
}

#[test]
fn a_box_has_six_quadrilaterals_whatever_lies_on_its_faces() {
    let size = DVec3::new(1.0, 2.0, 3.0);
    let mut points = generate::cuboid(size).vertices().to_vec();
    // a grid on the faces, on the edges and inside
    for i in 0..125 {
        let grid = DVec3::new((i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64) / 4.0
            - DVec3::splat(0.5);
        points.push(grid * size);
    }
    let hull = ConvexHull::new(&points).unwrap();
    assert_is_polyhedron(&hull, &points);
    assert_eq!((hull.vertices().len(), hull.faces().len(), hull.edges().len()), (8, 6, 24));
    assert!((hull.volume() - 6.0).abs() < 1e-14);
}

#[test]
fn a_turned_grid_of_points_on_a_box_still_gives_six_faces() {
    let turn = glam::DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7).normalize();
    let points: Vec<DVec3> = (0..1000)
        .map(|i| turn * DVec3::new((i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64))
        .collect();
    let hull = ConvexHull::new(&points).unwrap();
    assert_is_polyhedron(&hull, &points);
    assert_eq!(hull.faces().len(), 6);
    assert!((hull.volume() - 729.0).abs() < 1e-9);
}

#[test]
fn an_icosphere_keeps_all_its_vertices_and_triangles() {
    let sphere = generate::icosphere(1.0, 3);
    let hull = ConvexHull::new(sphere.vertices()).unwrap();
    assert_eq!((hull.vertices().len(), hull.faces().len()), (642, 1280));
    assert!((hull.volume() - sphere.volume().unwrap()).abs() < 1e-13);
}

#[test]
fn flat_and_short_point_sets_are_refused() {
    assert_eq!(ConvexHull::new(&[]), Err(HullError::Flat(0)));
    let plane: Vec<DVec3> = random(3, 50).iter().map(|p| DVec3::new(p.x, p.y, 1.0)).collect();
    assert_eq!(ConvexHull::new(&plane), Err(HullError::Flat(50)));
    assert_eq!(ConvexHull::new(&[DVec3::ONE; 9]), Err(HullError::Flat(9)));
    assert!(matches!(ConvexHull::new(&[DVec3::NAN; 9]), Err(HullError::Point(0, _))));
}

/// How far a point is outside a hull, by its farthest face plane; negative inside.
fn outside(hull: &ConvexHull, p: DVec3) -> f64 {
    hull.faces().iter().map(|f| f.normal.dot(p) - f.offset).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn convex_parts_cover_a_concave_mesh_and_leave_its_hole_free() {
    let torus = generate::torus(1.0, 0.3, 48, 24);
    let how = Decomposition { parts: 24, ..Decomposition::default() };
    let parts = ConvexHull::decompose(&torus, &how).unwrap();
    assert!(parts.len() > 4 && parts.len() <= 24, "{} parts", parts.len());
    // the surface, to the edge of a voxel (2.6 m in 64 of them); the hole, and the dimple over it
    let voxel = 2.6 / 64.0;
    for v in torus.vertices() {
        let nearest = parts.iter().map(|h| outside(h, *v)).fold(f64::INFINITY, f64::min);
        assert!(nearest < voxel, "{v} is {nearest} m outside all parts");
    }
    for hole in [DVec3::ZERO, DVec3::new(0.4, 0.0, 0.0), DVec3::new(0.0, 0.0, 0.2)] {
        assert!(parts.iter().all(|h| outside(h, hole) > 0.0), "{hole} is covered");
    }
    // parts overlap at their seams: together a little more than the torus, 2 π² R r²
    let volume: f64 = parts.iter().map(ConvexHull::volume).sum();
    let exact = 2.0 * std::f64::consts::PI.powi(2) * 0.09;
    assert!((0.95..1.25).contains(&(volume / exact)), "{volume} for {exact}");
    // the same bits each time
    assert_eq!(parts, ConvexHull::decompose(&torus, &how).unwrap());
}

#[test]
fn meshes_without_volume_have_no_convex_parts() {
    let flat = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    assert!(matches!(
        ConvexHull::decompose(&flat, &Decomposition::default()),
        Err(HullError::Flat(_))
    ));
}
