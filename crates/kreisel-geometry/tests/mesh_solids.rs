//! Validation of meshes (Lennerz 2000, section 2.3) and solids by extrusion and revolution (section
//! 6.1).

use glam::{DVec2, DVec3};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::mesh::sweep::{SweepError, extrude, revolve};
use kreisel_geometry::{MeshDefect, TriMesh};
use std::f64::consts::PI;

fn cube() -> TriMesh {
    generate::cuboid(DVec3::ONE)
}

fn with_triangles(mesh: &TriMesh, edit: impl Fn(&mut Vec<[u32; 3]>)) -> TriMesh {
    let mut triangles = mesh.triangles().to_vec();
    edit(&mut triangles);
    TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap()
}

#[test]
fn generated_solids_are_closed() {
    let torus = generate::torus(1.0, 0.3, 16, 8);
    for mesh in [
        cube(),
        generate::icosphere(1.0, 2),
        torus,
        generate::cylinder(1.0, 2.0, 9),
        generate::cone(1.0, 2.0, 7),
    ] {
        assert_eq!(mesh.check_closed(), Ok(()));
        assert!(mesh.volume().unwrap() > 0.0);
    }
}

#[test]
fn each_defect_is_named() {
    let open = with_triangles(&cube(), |t| t.truncate(11));
    assert!(
        matches!(open.check_closed(), Err(MeshDefect::Open { .. })),
        "{:?}",
        open.check_closed()
    );
    let twisted = with_triangles(&cube(), |t| t[4].swap(0, 1));
    assert!(matches!(twisted.check_closed(), Err(MeshDefect::Orientation(..))));
    let twice = with_triangles(&cube(), |t| t.push([t[2][1], t[2][2], t[2][0]]));
    assert_eq!(twice.check_closed(), Err(MeshDefect::Duplicate(2, 12)));
    let needle = with_triangles(&cube(), |t| t[7] = [1, 1, 4]);
    assert_eq!(needle.check_closed(), Err(MeshDefect::ZeroArea(7)));
    let flag = with_triangles(&cube(), |t| t.push([0, 1, 7]));
    assert!(matches!(
        flag.check_closed(),
        Err(MeshDefect::NonManifoldEdge { count: 3, from: 0, to: 1 })
    ));
}

#[test]
fn two_cubes_that_share_one_corner_touch_themselves() {
    let cube = cube();
    let mut vertices = cube.vertices().to_vec();
    let mut triangles = cube.triangles().to_vec();
    // the second cube's corner 0 is the first one's corner 7
    vertices.extend(cube.vertices()[1..].iter().map(|&v| v + DVec3::ONE));
    triangles.extend(cube.triangles().iter().map(|t| t.map(|v| if v == 0 { 7 } else { v + 7 })));
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    assert_eq!(mesh.check_closed(), Err(MeshDefect::NonManifoldVertex(7)));
}

#[test]
fn a_hollow_cube_has_the_difference_of_the_volumes() {
    let (outer, inner) = (generate::cuboid(DVec3::splat(2.0)), cube().flipped());
    let mut vertices = outer.vertices().to_vec();
    let mut triangles = outer.triangles().to_vec();
    triangles.extend(inner.triangles().iter().map(|t| t.map(|v| v + 8)));
    vertices.extend(inner.vertices());
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    assert!((mesh.volume().unwrap() - 7.0).abs() < 1e-14);
}

#[test]
fn bad_numbers_and_indices_are_refused_when_the_mesh_is_made() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    assert_eq!(TriMesh::new(corners.clone(), vec![]), Err(MeshDefect::Empty));
    let beyond = TriMesh::new(corners.clone(), vec![[0, 1, 3]]);
    assert_eq!(beyond, Err(MeshDefect::Index { triangle: 0, vertex: 3, count: 3 }));
    let nan = TriMesh::new(vec![DVec3::ZERO, DVec3::NAN, DVec3::Y], vec![[0, 1, 2]]);
    assert!(matches!(nan, Err(MeshDefect::Vertex(1, _))));
    let huge = TriMesh::new(vec![DVec3::ZERO, DVec3::X * 1e200, DVec3::Y], vec![[0, 1, 2]]);
    assert!(matches!(huge, Err(MeshDefect::Vertex(1, _))));
}

#[test]
fn an_extruded_star_is_closed_and_has_the_area_times_the_height() {
    let star: Vec<DVec2> = (0..14)
        .map(|i| {
            let angle = PI * f64::from(i) / 7.0;
            DVec2::new(angle.cos(), angle.sin()) * if i % 2 == 0 { 1.0 } else { 0.4 }
        })
        .collect();
    let area = 14.0 * 0.5 * 0.4 * (PI / 7.0).sin();
    for profile in [star.clone(), star.iter().rev().copied().collect()] {
        let mesh = extrude(&profile, 0.3).unwrap();
        assert!((mesh.volume().unwrap() - 0.3 * area).abs() < 1e-14);
    }
}

#[test]
fn a_revolved_profile_follows_pappus() {
    // a rectangle off the axis: a ring; n-gons have the area n/2 sin(2π/n) r² instead of π r²
    let n = 24;
    let polygon = f64::from(n) / 2.0 * (2.0 * PI / f64::from(n)).sin();
    let ring = [(1.0, 0.0), (2.0, 0.0), (2.0, 0.5), (1.0, 0.5)].map(|(x, y)| DVec2::new(x, y));
    assert!(
        (revolve(&ring, n).unwrap().volume().unwrap() - polygon * (4.0 - 1.0) * 0.5).abs() < 1e-13
    );
    // a triangle on the axis: a cone with one vertex at the tip and one at the middle of the base
    let cone = [(0.0, 0.0), (1.0, 0.0), (0.0, 3.0)].map(|(x, y)| DVec2::new(x, y));
    let mesh = revolve(&cone, n).unwrap();
    assert_eq!(mesh.vertices().len(), n as usize + 2);
    assert!((mesh.volume().unwrap() - polygon).abs() < 1e-13);
}

#[test]
fn profiles_that_give_no_solid_are_refused() {
    let points = |p: &[(f64, f64)]| p.iter().map(|&(x, y)| DVec2::new(x, y)).collect::<Vec<_>>();
    let square = points(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]);
    let bow_tie = points(&[(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 1.0)]);
    assert_eq!(extrude(&square, -1.0), Err(SweepError::Height(-1.0)));
    assert_eq!(extrude(&bow_tie, 1.0), Err(SweepError::Crossing));
    assert_eq!(extrude(&square[..2], 1.0), Err(SweepError::Profile));
    assert_eq!(
        extrude(&points(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]), 1.0),
        Err(SweepError::Profile)
    );
    assert_eq!(revolve(&square, 2), Err(SweepError::Segments(2)));
    assert_eq!(
        revolve(&points(&[(-1.0, 0.0), (1.0, 0.0), (1.0, 1.0)]), 8),
        Err(SweepError::Axis(0))
    );
}
