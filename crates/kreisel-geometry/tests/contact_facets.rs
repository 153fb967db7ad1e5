//! Meshes and height fields against convex shapes: the closest contact is as far as the closest of
//! all triangles, found one by one; overlaps are as deep as those with the solid that the mesh is
//! the surface of; edges inside a surface have no contacts of their own.

mod common;

use common::Random;
use glam::{DQuat, DVec2, DVec3};
use kreisel_geometry::contact::{Backend, Contact, contacts};
use kreisel_geometry::convex::{Convex, ConvexCache, Core, convex_distance};
use kreisel_geometry::{ConvexHull, HeightField, Pose, Shape, TriMesh};
use std::sync::Arc;

fn shape(kind: usize, random: &mut Random) -> Shape {
    let mut length = || random.uniform(0.2, 0.7);
    match kind % 7 {
        0 => Shape::Sphere { radius: length() },
        1 => Shape::Box { size: 2.0 * DVec3::new(length(), length(), length()) },
        2 => Shape::Capsule { radius: length(), height: 2.0 * length() },
        3 => Shape::Cylinder { radius: length(), height: 2.0 * length() },
        4 => Shape::Cone { radius: length(), height: 2.0 * length() },
        5 => Shape::Ellipsoid { radii: DVec3::new(length(), length(), length()) },
        _ => {
            let points: Vec<DVec3> = (0..14).map(|_| random.vector() * 0.6).collect();
            Shape::Hull(Arc::new(ConvexHull::new(&points).unwrap()))
        }
    }
}

/// Distance of a shape from the closest triangle, every one by itself.
fn brute(mesh: &TriMesh, shape: &Shape, pose: &Pose) -> f64 {
    let set = Convex::of(shape).unwrap();
    let of = |t: [DVec3; 3]| {
        let triangle = Convex::sharp(Core::Triangle(t));
        convex_distance(&triangle, &Pose::IDENTITY, &set, pose, &mut ConvexCache::default())
            .distance
    };
    mesh.iter().map(of).fold(f64::INFINITY, f64::min)
}

fn least(found: &[Contact]) -> f64 {
    found.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min)
}

/// Fields of all sorts: hills, steps of flat ground, and ground that is flat but for 1e-7 m.
fn field(kind: usize, random: &mut Random) -> HeightField {
    let height = |k: usize| {
        let (x, y) = ((k % 9) as f64, (k / 9) as f64);
        match kind {
            0 => 0.4 * (0.9 * x).sin() * (0.7 * y).cos(),
            1 => 0.5 * (x / 3.0).floor() * (y / 4.0).floor(),
            _ => 1e-7 * ((k * 7919) % 13) as f64,
        }
    };
    let spacing = DVec2::new(random.uniform(0.4, 0.8), random.uniform(0.4, 0.8));
    HeightField::new(9, 9, spacing, (0..81).map(height).collect()).unwrap()
}

#[test]
fn the_closest_contact_is_as_far_as_the_closest_triangle() {
    let mut random = Random(41);
    let mut seen = 0;
    for case in 0..2400 {
        let ground = field(case % 3, &mut random);
        let mesh = ground.to_mesh();
        let body = shape(case / 3, &mut random);
        let at = DVec3::new(
            random.uniform(-0.5, 5.0),
            random.uniform(-0.5, 5.0),
            random.uniform(0.0, 2.0),
        );
        let pose = Pose::new(at, random.rotation());
        let expected = brute(&mesh, &body, &pose);
        if !(1e-6..0.3).contains(&expected) {
            continue;
        }
        let ground = Shape::HeightField(Arc::new(ground));
        let found = contacts(&ground, &Pose::IDENTITY, &body, &pose, 0.3, Backend::Elements);
        // GJK of round shapes ends at 1e-12; features that nearly face each other lean by 0.2 rad
        // and are measured along the normal, where they are not closer than the closest points
        assert!(
            (least(&found) - expected).abs() < 1e-7,
            "case {case}: {} for {expected}: {body:?}",
            least(&found)
        );
        seen += 1;
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn overlaps_with_the_surface_of_a_solid_are_as_deep_as_with_the_solid() {
    // a box without a triangle of its bottom is no solid any more, and not taken for its hull
    let size = DVec3::new(2.0, 1.6, 1.2);
    let whole = kreisel_geometry::mesh::generate::cuboid(size);
    let below = |t: &&[u32; 3]| t.iter().all(|&v| whole.vertices()[v as usize].z < 0.0);
    let bottom = *whole.triangles().iter().find(below).unwrap();
    let rest: Vec<[u32; 3]> = whole.triangles().iter().copied().filter(|t| *t != bottom).collect();
    let open = Shape::Mesh(Arc::new(TriMesh::new(whole.vertices().to_vec(), rest).unwrap()));
    let solid = Convex::sharp(Core::Box(0.5 * size));
    let mut random = Random(42);
    let mut seen = 0;
    for case in 0..2000 {
        let body = shape(case, &mut random);
        let set = Convex::of(&body).unwrap();
        let mut pose = Pose::new(random.direction() * 3.0, random.rotation());
        if pose.position.z < 0.2 {
            continue;
        }
        let apart =
            convex_distance(&solid, &Pose::IDENTITY, &set, &pose, &mut ConvexCache::default());
        let depth = random.uniform(1e-5, 3e-3);
        pose.position += apart.normal * (apart.distance + depth);
        let true_depth =
            -convex_distance(&solid, &Pose::IDENTITY, &set, &pose, &mut ConvexCache::default())
                .distance;
        let found = contacts(&open, &Pose::IDENTITY, &body, &pose, 1e-4, Backend::Elements);
        let deepest = -least(&found);
        assert!(
            (deepest - true_depth).abs() < 1e-6,
            "case {case}: {deepest} for {true_depth}: {body:?} {pose:?} {found:?}"
        );
        seen += 1;
    }
    assert!(seen > 600, "{seen}");
}

#[test]
fn edges_inside_flat_ground_have_no_normals_of_their_own() {
    let mut random = Random(43);
    // flat, and flat but for 1e-7 m, so that its triangles are not joined
    for rough in [0.0, 1e-7] {
        let heights = (0..900).map(|k| rough * ((k * 7919) % 13) as f64).collect();
        let ground = Shape::HeightField(Arc::new(
            HeightField::new(30, 30, DVec2::splat(0.1), heights).unwrap(),
        ));
        for case in 0..350 {
            let body = shape(case, &mut random);
            let flat = DVec3::new(random.uniform(1.0, 1.9), random.uniform(1.0, 1.9), 0.0);
            let mut pose = Pose::new(flat, random.rotation());
            if case % 2 == 0 {
                pose.rotation = DQuat::from_rotation_z(random.uniform(0.0, 3.0));
            }
            let low = Convex::of(&body).unwrap().support(pose.inverse_direction(-DVec3::Z));
            pose.position.z = random.uniform(-2e-3, 2e-3) - pose.direction(low).z;
            let found = contacts(&body, &pose, &ground, &Pose::IDENTITY, 5e-3, Backend::Elements);
            assert!(!found.is_empty(), "case {case}: nothing: {body:?}");
            for c in &found {
                // heights of up to 1.2e-6 m over cells of 0.1 m lean by 2.4e-5 at the most
                assert!(c.normal.z > 1.0 - 1e-8, "case {case}: {:?} {body:?}", c.normal);
            }
        }
    }
}
