//! Mass properties against closed forms (Bender 2007, eq. D.4 to D.6, and textbook integrals) and
//! against each other.

use glam::{DMat3, DQuat, DVec2, DVec3};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::{
    ConvexHull, HeightField, MassProperties, MeshDefect, Part, Pose, Shape, ShapeError, TriMesh,
};
use std::f64::consts::PI;
use std::sync::Arc;

const DENSITY: f64 = 700.0;

fn assert_close(a: &MassProperties, b: &MassProperties, relative: f64) {
    let size = (b.inertia.x_axis.x / b.mass).sqrt();
    assert!((a.mass - b.mass).abs() <= relative * b.mass, "mass {} against {}", a.mass, b.mass);
    assert!(
        a.center.distance(b.center) <= relative * (size + b.center.length()),
        "{} against {}",
        a.center,
        b.center
    );
    let scale = b.inertia.x_axis.x + b.inertia.y_axis.y + b.inertia.z_axis.z;
    assert!(
        a.inertia.abs_diff_eq(b.inertia, relative * scale),
        "{} against {}",
        a.inertia,
        b.inertia
    );
}

fn turn() -> DQuat {
    DQuat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize()
}

#[test]
fn volumes_and_moments_of_the_primitives_follow_their_formulas() {
    let (r, h) = (0.3_f64, 1.7_f64);
    // (shape, volume, moment across, moment along z) with the moments per mass
    let cases = [
        (Shape::Sphere { radius: r }, 4.0 / 3.0 * PI * r.powi(3), 0.4 * r * r, 0.4 * r * r),
        (
            Shape::Cylinder { radius: r, height: h },
            PI * r * r * h,
            r * r / 4.0 + h * h / 12.0,
            r * r / 2.0,
        ),
        (
            Shape::Cone { radius: r, height: h },
            PI * r * r * h / 3.0,
            0.15 * r * r + 0.0375 * h * h,
            0.3 * r * r,
        ),
    ];
    for (shape, volume, across, along) in cases {
        let m = shape.mass_properties(DENSITY).unwrap();
        assert!((shape.volume().unwrap() - volume).abs() < 1e-12 * volume);
        assert!((m.mass - DENSITY * volume).abs() < 1e-12 * m.mass);
        let expected = DMat3::from_diagonal(DVec3::new(across, across, along) * m.mass);
        assert!(m.inertia.abs_diff_eq(expected, 1e-12 * m.mass), "{}", shape.kind());
        m.check().unwrap();
    }
    let cone = Shape::Cone { radius: r, height: h }.mass_properties(DENSITY).unwrap();
    assert!(
        (cone.center.z + h / 4.0).abs() < 1e-15,
        "a cone's centre of mass lies a quarter of the height over its base"
    );
}

#[test]
fn an_ellipsoid_is_a_scaled_sphere() {
    let radii = DVec3::new(0.5, 0.2, 0.9);
    let m = Shape::Ellipsoid { radii }.mass_properties(DENSITY).unwrap();
    // second moments of the unit ball are V/5 each and scale with the square of the semi-axis
    let expected = DMat3::from_diagonal(
        DVec3::new(
            radii.y.powi(2) + radii.z.powi(2),
            radii.x.powi(2) + radii.z.powi(2),
            radii.x.powi(2) + radii.y.powi(2),
        ) * m.mass
            / 5.0,
    );
    assert!(
        (m.mass - DENSITY * 4.0 / 3.0 * PI * radii.x * radii.y * radii.z).abs() < 1e-12 * m.mass
    );
    assert!(m.inertia.abs_diff_eq(expected, 1e-12 * m.mass));
}

#[test]
fn a_capsule_is_a_cylinder_with_two_half_spheres() {
    let (r, h) = (0.25, 0.8);
    let capsule = Shape::Capsule { radius: r, height: h }.mass_properties(DENSITY).unwrap();
    // independent of the formula: slices of thickness dz, midpoint rule
    let n = 200_000;
    let dz = (h + 2.0 * r) / n as f64;
    let (mut mass, mut along, mut across) = (0.0, 0.0, 0.0);
    for i in 0..n {
        let z = -h / 2.0 - r + (i as f64 + 0.5) * dz;
        let beyond = (z.abs() - h / 2.0).max(0.0);
        let radius2 = r * r - beyond * beyond;
        let m = DENSITY * PI * radius2 * dz;
        mass += m;
        along += m * radius2 / 2.0;
        across += m * (radius2 / 4.0 + z * z);
    }
    assert_close(
        &capsule,
        &MassProperties::principal_moments(mass, DVec3::new(across, across, along)),
        1e-9,
    );
}

#[test]
fn a_box_mesh_a_box_hull_and_a_box_have_the_same_mass_properties() {
    let size = DVec3::new(0.4, 1.1, 2.3);
    let expected = Shape::Box { size }.mass_properties(DENSITY).unwrap();
    let mesh = Shape::Mesh(Arc::new(generate::cuboid(size)));
    let hull = Shape::Hull(Arc::new(ConvexHull::cuboid(size).unwrap()));
    assert_close(&mesh.mass_properties(DENSITY).unwrap(), &expected, 1e-12);
    assert_close(&hull.mass_properties(DENSITY).unwrap(), &expected, 1e-12);
}

#[test]
fn a_moved_mesh_has_the_moved_mass_properties_also_far_from_the_origin() {
    let mesh = generate::cone(0.3, 1.0, 17);
    for distance in [1.0, 1e3] {
        let pose = Pose::new(DVec3::new(distance, -2.0, 0.3 * distance), turn());
        let there = mesh.moved(&pose).mass_properties(DENSITY).unwrap();
        let here = mesh.mass_properties(DENSITY).unwrap().transformed(pose.position, pose.rotation);
        // vertices at 1e3 m carry 1e-13 m of rounding
        assert_close(&there, &here, 1e-12 * distance);
    }
}

#[test]
fn a_corner_tetrahedron_has_the_textbook_tensor() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mesh = TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap();
    let m = mesh.mass_properties(6.0).unwrap();
    // ∫x² = 1/60, ∫xy = 1/120 over the unit corner tetrahedron (Dirichlet); density 6 makes the
    // mass 1
    let about_corner = m.inertia_about(DVec3::ZERO);
    assert!((m.mass - 1.0).abs() < 1e-15);
    assert!(m.center.distance(DVec3::splat(0.25)) < 1e-15);
    let off = -6.0 / 120.0;
    let expected = DMat3::from_cols(
        DVec3::new(0.2, off, off),
        DVec3::new(off, 0.2, off),
        DVec3::new(off, off, 0.2),
    );
    assert!(about_corner.abs_diff_eq(expected, 1e-15));
}

#[test]
fn fine_prisms_pyramids_and_icospheres_approach_the_round_solids() {
    let fine = [
        (generate::cylinder(0.5, 2.0, 2000), Shape::Cylinder { radius: 0.5, height: 2.0 }),
        (generate::cone(0.5, 2.0, 2000), Shape::Cone { radius: 0.5, height: 2.0 }),
    ];
    for (mesh, solid) in fine {
        assert_close(
            &mesh.mass_properties(DENSITY).unwrap(),
            &solid.mass_properties(DENSITY).unwrap(),
            1e-5,
        );
    }
    let sphere = generate::icosphere(0.7, 5).mass_properties(DENSITY).unwrap();
    assert_close(&sphere, &Shape::Sphere { radius: 0.7 }.mass_properties(DENSITY).unwrap(), 2e-3);
}

#[test]
fn a_compound_of_two_half_boxes_is_the_whole_box() {
    let half = |z: f64| Part {
        pose: Pose::at(DVec3::new(0.0, 0.0, z)),
        shape: Shape::Box { size: DVec3::new(1.0, 2.0, 0.5) },
    };
    let compound = Shape::Compound(vec![half(-0.25), half(0.25)]);
    let whole = Shape::Box { size: DVec3::new(1.0, 2.0, 1.0) };
    assert_close(
        &compound.mass_properties(DENSITY).unwrap(),
        &whole.mass_properties(DENSITY).unwrap(),
        1e-12,
    );
    assert!((compound.volume().unwrap() - 2.0).abs() < 1e-15);
}

#[test]
fn the_principal_frame_of_a_turned_mesh_gives_the_moments_of_the_straight_one() {
    let size = DVec3::new(0.4, 1.1, 2.3);
    let mesh = generate::cuboid(size).moved(&Pose::new(DVec3::ONE, turn()));
    let (mut moments, frame) = {
        let m = mesh.mass_properties(DENSITY).unwrap();
        let (moments, frame) = m.principal();
        let back = DMat3::from_quat(frame)
            * DMat3::from_diagonal(moments)
            * DMat3::from_quat(frame).transpose();
        assert!(back.abs_diff_eq(m.inertia, 1e-12 * moments.max_element()));
        (moments.to_array(), frame)
    };
    assert!((frame.length() - 1.0).abs() < 1e-15);
    moments.sort_by(f64::total_cmp);
    let m = DENSITY * size.x * size.y * size.z / 12.0;
    let s = size * size;
    for (got, expected) in moments.iter().zip([m * (s.x + s.y), m * (s.x + s.z), m * (s.y + s.z)]) {
        assert!((got - expected).abs() < 1e-12 * expected);
    }
}

#[test]
fn shapes_without_a_volume_or_with_bad_dimensions_are_refused_by_name() {
    let ground = Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 };
    assert_eq!(ground.mass_properties(1.0), Err(ShapeError::Unbounded("half-space")));
    let field =
        Shape::HeightField(Arc::new(HeightField::new(2, 2, DVec2::ONE, vec![0.0; 4]).unwrap()));
    assert_eq!(field.volume(), Err(ShapeError::Unbounded("height field")));
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Shape::Sphere { radius }.mass_properties(1.0).unwrap_err();
        assert!(
            error.to_string().starts_with("the radius of a sphere must be a positive length"),
            "{error}"
        );
    }
    let sphere = Shape::Sphere { radius: 1.0 };
    assert_eq!(sphere.mass_properties(-3.0), Err(ShapeError::Density(-3.0)));
    assert_eq!(Shape::Compound(vec![]).volume(), Err(ShapeError::EmptyCompound));
    let mut nested = sphere;
    for _ in 0..40 {
        nested = Shape::Compound(vec![Part { pose: Pose::IDENTITY, shape: nested }]);
    }
    assert_eq!(nested.volume(), Err(ShapeError::Nesting(16)));
    let open = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let shape = Shape::Mesh(Arc::new(open));
    assert!(matches!(shape.volume(), Err(ShapeError::Mesh(MeshDefect::Open { triangle: 0, .. }))));
    let inverted = Shape::Mesh(Arc::new(generate::cuboid(DVec3::ONE).flipped()));
    assert_eq!(inverted.volume(), Err(ShapeError::Mesh(MeshDefect::InsideOut(-1.0))));
}
