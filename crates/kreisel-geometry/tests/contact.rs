//! Contact regions (Bender 2007, sections 4.5.1.3 and 4.5.2.1): complete, the same from both back
//! ends, stable names.

mod common;

use common::Random;
use glam::{DQuat, DVec3};
use kreisel_geometry::contact::{Backend, Contact, contacts};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::{ConvexHull, Part, Pose, Shape};
use std::sync::Arc;

const EPS: f64 = 1e-3;

fn ask(a: &Shape, p: &Pose, b: &Shape, q: &Pose) -> Vec<Contact> {
    let found = contacts(a, p, b, q, EPS, Backend::Elements);
    for c in &found {
        assert!(c.distance <= EPS);
        assert!((c.normal.length() - 1.0).abs() < 1e-9);
        assert!(((c.a - c.b).dot(c.normal) - c.distance).abs() < 1e-9, "{c:?}");
    }
    found
}

fn cube() -> Shape {
    Shape::Box { size: DVec3::ONE }
}

fn ground() -> Shape {
    Shape::HalfSpace { normal: DVec3::Z, offset: 0.0 }
}

fn floor_box() -> Shape {
    Shape::Box { size: DVec3::new(10.0, 10.0, 1.0) }
}

#[test]
fn a_cube_at_rest_has_exactly_its_four_corners() {
    let hull = Shape::Hull(Arc::new(ConvexHull::cuboid(DVec3::ONE).unwrap()));
    let mesh = Shape::Mesh(Arc::new(generate::cuboid(DVec3::ONE)));
    let floor_mesh = Shape::Mesh(Arc::new(generate::cuboid(DVec3::new(10.0, 10.0, 1.0))));
    let below = Pose::at(DVec3::Z * -0.5);
    let turned = DQuat::from_rotation_arc(DVec3::X, DVec3::new(0.8, 0.6, 0.0));
    for gap in [5e-4, 0.0, -5e-4] {
        let pose = Pose::new(DVec3::new(0.3, 0.2, 0.5 + gap), turned);
        for body in [&cube(), &hull, &mesh] {
            for (support, at) in
                [(&ground(), &Pose::IDENTITY), (&floor_box(), &below), (&floor_mesh, &below)]
            {
                let found = ask(body, &pose, support, at);
                let context = format!("{} on {} at {gap}: {found:#?}", body.kind(), support.kind());
                let corners = found.iter().filter(|c| {
                    let local = pose.inverse_point(c.a);
                    (local.abs() - DVec3::splat(0.5)).abs().max_element() < 1e-8
                });
                assert_eq!(corners.count(), 4, "{context}");
                assert!(found.iter().all(|c| c.normal.distance(DVec3::Z) < 1e-9), "{context}");
                assert!(found.iter().all(|c| (c.distance - gap).abs() < 1e-9), "{context}");
                // a mesh floor adds the points where its diagonal crosses the cube's edges
                let extra = found.len() - 4;
                assert!(
                    extra == 0 || support.kind() == "mesh" || body.kind() == "mesh",
                    "{context}"
                );
            }
        }
    }
}

#[test]
fn the_first_shape_may_be_the_plane() {
    let found = ask(&ground(), &Pose::IDENTITY, &cube(), &Pose::at(DVec3::Z * 0.5));
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|c| c.normal == -DVec3::Z && c.a.z == 0.0));
}

#[test]
fn crossed_and_shifted_cubes_touch_in_the_intersection_of_their_faces() {
    let on_top = Pose::at(DVec3::new(0.4, 0.3, 1.0));
    let found = ask(&cube(), &on_top, &cube(), &Pose::IDENTITY);
    assert_eq!(found.len(), 4);
    let area: Vec<DVec3> = found.iter().map(|c| c.a).collect();
    for corner in [(0.5, 0.5), (-0.1, 0.5), (0.5, -0.2), (-0.1, -0.2)] {
        let expected = DVec3::new(corner.0, corner.1, 0.5);
        assert!(
            area.iter().any(|p| p.distance(expected) < 1e-12),
            "{expected} is missing in {area:?}"
        );
    }
    // turned by 45 degrees: an octagon
    let turned = Pose::new(
        DVec3::Z,
        DQuat::from_rotation_arc(DVec3::X, DVec3::new(1.0, 1.0, 0.0).normalize()),
    );
    assert_eq!(ask(&cube(), &turned, &cube(), &Pose::IDENTITY).len(), 8);
    // the same cube right on top: four corners, not eight
    assert_eq!(ask(&cube(), &Pose::at(DVec3::Z), &cube(), &Pose::IDENTITY).len(), 4);
}

#[test]
fn edges_that_cross_touch_in_one_point() {
    let edge_up = DQuat::from_rotation_arc(DVec3::new(0.0, 1.0, 1.0).normalize(), DVec3::Z);
    let edge_down = DQuat::from_rotation_arc(DVec3::new(1.0, 0.0, 1.0).normalize(), DVec3::Z);
    let top = Pose::new(DVec3::Z * 2_f64.sqrt(), edge_down);
    let found = ask(&cube(), &top, &cube(), &Pose::new(DVec3::ZERO, edge_up));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].a.distance(DVec3::Z * 0.5_f64.sqrt()) < 1e-9);
}

#[test]
fn round_shapes_stand_on_disks_lie_on_lines_and_roll_on_points() {
    let lying = DQuat::from_rotation_arc(DVec3::Z, DVec3::X);
    let cylinder = Shape::Cylinder { radius: 0.5, height: 2.0 };
    let capsule = Shape::Capsule { radius: 0.5, height: 2.0 };
    let cone = Shape::Cone { radius: 0.5, height: 1.0 };
    let egg = Shape::Ellipsoid { radii: DVec3::new(1.0, 1.0, 0.5) };
    let cases = [
        (&cylinder, Pose::at(DVec3::Z), 8),
        (&cylinder, Pose::new(DVec3::Z * 0.5, lying), 2),
        (&capsule, Pose::at(DVec3::Z * 1.5), 1),
        (&capsule, Pose::new(DVec3::Z * 0.5, lying), 2),
        (&cone, Pose::at(DVec3::Z * 0.5), 8),
        (&egg, Pose::at(DVec3::Z * 0.5), 1),
        (&Shape::Sphere { radius: 0.5 }, Pose::at(DVec3::Z * 0.5), 1),
    ];
    let below = Pose::at(DVec3::Z * -0.5);
    for (shape, pose, count) in cases {
        for (support, at) in [(&ground(), &Pose::IDENTITY), (&floor_box(), &below)] {
            let found = ask(shape, &pose, support, at);
            assert_eq!(found.len(), count, "{} on {}: {found:#?}", shape.kind(), support.kind());
            for c in &found {
                assert!(
                    c.distance.abs() < 1e-9 && c.normal.distance(DVec3::Z) < 1e-9,
                    "{} {c:?}",
                    shape.kind()
                );
            }
        }
    }
}

#[test]
fn both_back_ends_agree_on_boxes() {
    let mut random = Random(1);
    let mut regions = 0;
    for case in 0..2000 {
        let s = random.vector().abs() + DVec3::splat(0.2);
        let t = random.vector().abs() + DVec3::splat(0.2);
        let (a, b) = (Shape::Box { size: s * 2.0 }, Shape::Box { size: t * 2.0 });
        // face on face, turned about the normal, a little apart or overlapping
        let angle = random.uniform(0.0, 6.0);
        let turn = DQuat::from_xyzw(0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos());
        let gap = random.uniform(-1e-2, 9e-4);
        let offset = random.vector() * DVec3::new(s.x + t.x, s.y + t.y, 0.0) * 0.9
            + DVec3::Z * (s.z + t.z + gap);
        let world = random.pose(2.0);
        let upper = world.then(&Pose::new(offset, turn));
        let sets = [Backend::Elements, Backend::Clipping].map(|k| {
            let mut points: Vec<DVec3> =
                contacts(&a, &upper, &b, &world, EPS, k).iter().map(|c| c.a).collect();
            points.sort_by(|p, q| p.x.total_cmp(&q.x));
            points
        });
        assert_eq!(sets[0].len(), sets[1].len(), "case {case}: {sets:?}");
        for p in &sets[0] {
            assert!(
                sets[1].iter().any(|q| p.distance(*q) < 1e-7),
                "case {case}: {p} is missing in {:?}",
                sets[1]
            );
        }
        regions += usize::from(sets[0].len() > 2);
    }
    assert!(regions > 1000, "{regions}");
}

#[test]
fn names_stay_the_same_while_a_cube_slides() {
    let name = |x: f64| {
        let pose = Pose::at(DVec3::new(x, 0.02, 0.999_9));
        ask(&cube(), &pose, &cube(), &Pose::IDENTITY).iter().map(|c| c.id).collect::<Vec<_>>()
    };
    let first = name(0.1);
    for step in 1..20 {
        assert_eq!(name(0.1 + 0.01 * f64::from(step)), first);
    }
}

#[test]
fn parts_of_a_compound_are_told_apart_and_far_shapes_have_no_contact() {
    let legs = [-1.0, 1.0].map(|x| Part { pose: Pose::at(DVec3::X * x), shape: cube() });
    let table = Shape::Compound(legs.to_vec());
    let found = ask(&table, &Pose::at(DVec3::Z * 0.5), &ground(), &Pose::IDENTITY);
    assert_eq!(found.len(), 8);
    assert_eq!(found.iter().filter(|c| c.id.parts == [1, 0]).count(), 4);
    assert!(found.windows(2).all(|w| w[0].id < w[1].id), "sorted and unique");
    assert!(ask(&table, &Pose::at(DVec3::Z * 0.6), &ground(), &Pose::IDENTITY).is_empty());
    assert!(ask(&cube(), &Pose::at(DVec3::X * 3.0), &cube(), &Pose::IDENTITY).is_empty());
}

#[test]
fn a_rail_in_the_notch_of_a_bracket_is_not_deep_in_the_end_faces() {
    // an L of 0.4 × 0.3 m, 0.1 m thick, along x; its notch lies on a rail of 3 m that it overlaps
    // by 0.1 mm, so that the rail passes through the rims of both end faces and reaches metres
    // behind them
    let outline = [(0.0, 0.0), (0.4, 0.0), (0.4, 0.1), (0.1, 0.1), (0.1, 0.3), (0.0, 0.3)];
    let vertices = [-0.05, 0.05]
        .iter()
        .flat_map(|&x| outline.iter().map(move |&(y, z)| DVec3::new(x, y, z)))
        .collect();
    let mut triangles = vec![
        [0, 2, 1],
        [0, 3, 2],
        [0, 4, 3],
        [0, 5, 4],
        [6, 7, 8],
        [6, 8, 9],
        [6, 9, 10],
        [6, 10, 11],
    ];
    for k in 0..6 {
        let n = (k + 1) % 6;
        triangles.extend([[k, n, n + 6], [k, n + 6, k + 6]]);
    }
    let mesh = kreisel_geometry::TriMesh::new(vertices, triangles).unwrap();
    assert!((mesh.volume().unwrap() - 0.1 * (0.04 + 0.02)).abs() < 1e-15);
    let rail = Shape::Box { size: DVec3::new(3.0, 0.06, 0.06) };
    let at = Pose::at(DVec3::new(0.6, 0.13 - 1e-4, 0.13 - 1e-4));
    let found = ask(&Shape::Mesh(Arc::new(mesh)), &Pose::IDENTITY, &rail, &at);
    for side in [DVec3::Y, DVec3::Z] {
        let here = found.iter().filter(|c| c.normal.dot(side).abs() > 0.999).count();
        assert!(here >= 4, "{here} points along {side}");
    }
    let deepest = found.iter().map(|c| -c.distance).fold(0.0, f64::max);
    assert!((1e-4 - 1e-9..2e-4).contains(&deepest), "{deepest} m");
}

#[test]
fn a_disk_touches_with_the_deepest_point_of_its_rim_at_any_inclination() {
    let mut random = Random(31);
    let (r, h) = (0.4, 0.05);
    let below = Pose::at(DVec3::Z * -0.5);
    for case in 0..2000 {
        let tilt = if case % 10 == 0 { 0.0 } else { random.uniform(0.0, 0.3) };
        let turn = DQuat::from_rotation_y(tilt) * DQuat::from_rotation_z(random.uniform(0.0, 6.3));
        let height = random.uniform(0.0, 0.1);
        // closed form: the axis is inclined by the angle θ, the rim reaches r sin θ + h/2 cos θ
        // below the centre
        for (shape, low) in [
            (Shape::Cylinder { radius: r, height: h }, r * tilt.sin() + 0.5 * h * tilt.cos()),
            (Shape::Cone { radius: r, height: h }, r * tilt.sin() + 0.5 * h * tilt.cos()),
        ] {
            let pose = Pose::new(DVec3::Z * height, turn);
            for (support, at) in [(&ground(), &Pose::IDENTITY), (&floor_box(), &below)] {
                let found = contacts(&shape, &pose, support, at, 0.2, Backend::Elements);
                let deepest = found.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
                let context = || format!("{} on {} at {tilt} rad", shape.kind(), support.kind());
                assert!(
                    (deepest - (height - low)).abs() < 1e-6,
                    "{}: {deepest} for {}",
                    context(),
                    height - low
                );
                if support.kind() == "half-space" {
                    assert!(
                        (deepest - (height - low)).abs() < 1e-14,
                        "{}: {deepest} for {}",
                        context(),
                        height - low
                    );
                }
                let twice = |k: usize| found[..k].iter().any(|c| c.id == found[k].id);
                assert!(!(0..found.len()).any(twice), "{}: a name is there twice", context());
            }
        }
    }
}

/// A U-shaped prism along z, not convex: 3 × 2 with arms and floor of 0.4.
fn prism() -> kreisel_geometry::TriMesh {
    let text = include_bytes!("../../../scenes/audit/lennerz/uprism.obj");
    kreisel_geometry::mesh::read::read(text, kreisel_geometry::mesh::read::Format::Obj).unwrap()
}

#[test]
fn meshes_never_claim_more_overlap_than_there_is() {
    // an octahedron, a cube and a U at random places: the overlap of any point is at most the way
    // that separates them
    let octahedron = generate::icosphere(0.5, 0);
    let shapes =
        [prism(), generate::torus(1.0, 0.3, 16, 8), octahedron, generate::cuboid(DVec3::ONE)];
    let shapes = shapes.map(|m| Shape::Mesh(Arc::new(m)));
    let mut random = Random(32);
    let (mut overlaps, mut deepest) = (0, 0.0_f64);
    for case in 0..400 {
        let [i, j] = [0; 2].map(|_| random.below(4) as usize);
        let (a, b) = (&shapes[i], &shapes[j]);
        let (p, q) = (random.pose(1.2), random.pose(0.3));
        let Some(bound) = kreisel_geometry::query::penetration(a, &p, b, &q) else { continue };
        let found = contacts(a, &p, b, &q, 1e-3, Backend::Elements);
        let most = found.iter().map(|c| -c.distance).fold(0.0, f64::max);
        // two convex ones are hulls, whose regions have corners deeper than the depth
        let most = if i >= 2 && j >= 2 { 0.0 } else { most };
        assert!(
            most <= bound.upper + 1e-6,
            "case {case}: {i} {j}: {most} m deep, {} m separate them",
            bound.upper
        );
        overlaps += 1;
        deepest = deepest.max(most);
    }
    assert!(overlaps > 100 && deepest > 0.05, "{overlaps} overlaps, {deepest} m");
}

#[test]
fn a_concave_mesh_pressed_into_another_is_pushed_out_along_the_face() {
    // one U stands upside down under the other, 0.1 mm into it; neither is a hull
    let prism = Shape::Mesh(Arc::new(prism()));
    let over = Pose::new(DVec3::new(0.2, -1e-4, 0.1), DQuat::from_rotation_y(0.1));
    let flipped =
        Pose::new(DVec3::new(3.1, 0.0, 0.0), DQuat::from_rotation_z(std::f64::consts::PI));
    let found = ask(&prism, &over, &prism, &flipped);
    let pressed: Vec<_> = found.iter().filter(|c| c.distance < -1e-5).collect();
    assert!(pressed.len() >= 3, "{found:#?}");
    assert!(
        pressed.iter().all(|c| c.normal.distance(DVec3::Y) < 1e-6 && c.distance > -1.1e-4),
        "{pressed:#?}"
    );
}
