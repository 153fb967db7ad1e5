//! Distance of meshes against all triangle pairs (Lennerz 2000, section 3.3.3, the naive
//! algorithm).

mod common;

use common::Random;
use glam::DVec3;
use kreisel_geometry::elementary::{Closest, triangle_triangle};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::query::{
    MeshDistance, MeshFront, MeshQuery, mesh_distance, mesh_distance_coherent,
};
use kreisel_geometry::tree::MeshTree;
use kreisel_geometry::{Pose, TriMesh};

fn naive(a: &TriMesh, pose_a: &Pose, b: &TriMesh, pose_b: &Pose) -> f64 {
    let (a, b) = (a.moved(pose_a), b.moved(pose_b));
    let mut best = Closest::FAR;
    for t in a.iter() {
        for u in b.iter() {
            best = best.min(triangle_triangle(t, u));
        }
    }
    best.distance()
}

fn ask(a: &MeshTree, pose_a: &Pose, b: &MeshTree, pose_b: &Pose) -> MeshDistance {
    mesh_distance(a, pose_a, b, pose_b, &MeshQuery::default()).unwrap()
}

/// The answer of the trees alone.
fn by_trees(a: &MeshTree, pose_a: &Pose, b: &MeshTree, pose_b: &Pose) -> MeshDistance {
    mesh_distance(a, pose_a, b, pose_b, &MeshQuery { tree_only: true, ..MeshQuery::default() })
        .unwrap()
}

/// Triangles without any order: random size, position and shape, with needles among them.
fn soup(random: &mut Random, n: usize) -> TriMesh {
    let mut vertices = Vec::new();
    for i in 0..n {
        let (p, size) = (random.vector(), random.uniform(0.05, 0.6));
        vertices.extend([p, p + random.vector() * size, p + random.vector() * size]);
        if i % 7 == 0 {
            vertices[3 * i + 2] = vertices[3 * i].lerp(vertices[3 * i + 1], 0.3);
        }
    }
    TriMesh::new(vertices, (0..n as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap()
}

#[test]
fn random_soups_have_the_naive_distance() {
    let mut random = Random(5);
    let mut overlaps = 0;
    for case in 0..600 {
        let (n, m) = (1 + random.below(24) as usize, 1 + random.below(24) as usize);
        let (a, b) = (soup(&mut random, n), soup(&mut random, m));
        let reach = random.uniform(0.2, 2.5);
        let (pose_a, pose_b) = (random.pose(reach), random.pose(reach));
        let (tree_a, tree_b) = (MeshTree::new(&a), MeshTree::new(&b));
        let expected = naive(&a, &pose_a, &b, &pose_b);
        let tolerance = 1e-12 * (1.0 + expected);
        for answer in
            [ask(&tree_a, &pose_a, &tree_b, &pose_b), by_trees(&tree_a, &pose_a, &tree_b, &pose_b)]
        {
            assert!(
                (answer.distance - expected).abs() <= tolerance,
                "case {case}: {} for {expected}",
                answer.distance
            );
            assert!((answer.a.distance(answer.b) - answer.distance).abs() <= 1e-12);
        }
        overlaps += u32::from(expected == 0.0);
    }
    assert!((30..570).contains(&overlaps), "both outcomes must be frequent: {overlaps}");
}

#[test]
fn linked_tori_have_the_naive_distance_and_the_points_lie_on_the_named_triangles() {
    let mut random = Random(6);
    let torus = generate::torus(1.0, 0.3, 24, 12);
    let tree = MeshTree::new(&torus);
    let quarter = glam::DQuat::from_xyzw(0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt());
    for _ in 0..6 {
        let pose = Pose::new(DVec3::X + random.vector() * 0.1, quarter);
        let answer = ask(&tree, &pose, &tree, &Pose::IDENTITY);
        assert!((answer.distance - naive(&torus, &pose, &torus, &Pose::IDENTITY)).abs() < 1e-13);
        let [i, j] = answer.triangles.map(|t| t as usize);
        let on = triangle_triangle(torus.triangle(i).map(|p| pose.point(p)), torus.triangle(j));
        assert!((on.distance() - answer.distance).abs() < 1e-15);
    }
}

#[test]
fn a_seed_never_changes_the_distance_and_a_limit_only_hides_it() {
    let mut random = Random(7);
    let sphere = MeshTree::new(&generate::icosphere(1.0, 3));
    for _ in 0..100 {
        let pose = Pose::new(random.direction() * random.uniform(2.05, 3.0), random.rotation());
        let cold = ask(&sphere, &pose, &sphere, &Pose::IDENTITY);
        let seed = Some([random.below(1280) as u32, random.below(1280) as u32]);
        let seeded = mesh_distance(
            &sphere,
            &pose,
            &sphere,
            &Pose::IDENTITY,
            &MeshQuery { seed, ..MeshQuery::default() },
        )
        .unwrap();
        assert!((seeded.distance - cold.distance).abs() <= 1e-15);
        let asked = |within: f64| {
            let query = MeshQuery { within: Some(within), ..MeshQuery::default() };
            mesh_distance(&sphere, &pose, &sphere, &Pose::IDENTITY, &query)
        };
        assert_eq!(asked(cold.distance * 0.999), None);
        assert!((asked(cold.distance * 1.001).unwrap().distance - cold.distance).abs() <= 1e-15);
    }
}

#[test]
fn convex_meshes_and_parts_side_by_side_need_no_tree() {
    let mut random = Random(11);
    let scaled = |mesh: TriMesh, s: DVec3| mesh.scaled(s).unwrap();
    let meshes = [
        generate::icosphere(1.0, 3),
        scaled(generate::icosphere(1.0, 3), DVec3::new(1.0, 0.5, 0.2)),
        generate::cuboid(DVec3::new(1.0, 0.7, 0.4)),
        generate::cylinder(0.5, 1.0, 24),
        generate::torus(0.8, 0.2, 24, 12),
    ];
    let trees = meshes.each_ref().map(MeshTree::new);
    let (mut without, mut all) = (0, 0);
    for a in 0..meshes.len() {
        for b in 0..meshes.len() {
            for _ in 0..40 {
                let pose =
                    Pose::new(random.direction() * random.uniform(0.5, 3.5), random.rotation());
                let (d, expected) = (
                    ask(&trees[a], &pose, &trees[b], &Pose::IDENTITY),
                    by_trees(&trees[a], &pose, &trees[b], &Pose::IDENTITY).distance,
                );
                assert!(
                    (d.distance - expected).abs() <= 3e-12 * expected,
                    "{a} {b}: {} for {expected}",
                    d.distance
                );
                all += u32::from(expected > 0.0);
                without += u32::from(expected > 0.0 && d.work.box_pairs == 0);
            }
        }
    }
    assert!(10 * without > 8 * all, "the hulls answer most: {without} of {all}");
}

#[test]
fn a_bulge_that_the_hull_overlooks_is_not_overlooked() {
    // a vertex 1e-11 over the middle of a face, in triangles that no corner of the cube belongs to:
    // the hull takes them for parts of the face, and a plate above is exactly as far from the face
    // as from the hull
    let cube = generate::cuboid(DVec3::splat(2.0));
    let (mut vertices, mut triangles) = (cube.vertices().to_vec(), cube.triangles().to_vec());
    let top =
        triangles.iter().position(|t| t.iter().all(|&v| vertices[v as usize].z > 0.0)).unwrap();
    let [a, b, c] = triangles.swap_remove(top);
    let m = vertices.len() as u32;
    let [p, q, r] = [a, b, c].map(|v| vertices[v as usize]);
    vertices.extend([
        (p + q) / 2.0,
        (q + r) / 2.0,
        (r + p) / 2.0,
        (p + q + r) / 3.0 + DVec3::Z * 1e-11,
    ]);
    triangles.extend([[a, m, m + 2], [m, b, m + 1], [m + 1, c, m + 2]]);
    triangles.extend([[m, m + 1, m + 3], [m + 1, m + 2, m + 3], [m + 2, m, m + 3]]);
    let tree = MeshTree::new(&TriMesh::new(vertices, triangles).unwrap());
    let plate = MeshTree::new(&generate::cuboid(DVec3::new(4.0, 4.0, 1.0)));
    let above = Pose::at(DVec3::Z * (1.5 + 1e-3));
    let d = ask(&plate, &above, &tree, &Pose::IDENTITY).distance;
    assert!((d - (1e-3 - 1e-11)).abs() < 1e-13, "{d:e}");
}

#[test]
fn the_work_grows_more_slowly_than_the_square_root_of_the_triangles() {
    // sub-linear growth: slope of log(work) over log(triangles) below 0.5
    let mut pairs = Vec::new();
    for levels in [3, 5] {
        let tree = MeshTree::new(&generate::icosphere(1.0, levels));
        let mut random = Random(8);
        let mut sum = 0;
        for _ in 0..50 {
            let pose = Pose::new(random.direction() * random.uniform(2.1, 3.0), random.rotation());
            sum += by_trees(&tree, &pose, &tree, &Pose::IDENTITY).work.box_pairs;
        }
        pairs.push(sum as f64);
    }
    let slope = (pairs[1] / pairs[0]).ln() / 16_f64.ln();
    assert!(slope < 0.5, "slope {slope}");
}

#[test]
fn a_front_gives_the_cold_distance_through_slow_and_fast_motion_contact_and_jumps() {
    let mut random = Random(9);
    let mut touching = 0;
    for mesh in [generate::icosphere(1.0, 3), generate::torus(1.0, 0.3, 24, 12)] {
        let tree = MeshTree::new(&mesh);
        let mut front = MeshFront::default();
        let mut saved = 0;
        let mut pose = Pose::new(DVec3::new(2.4, 0.3, 0.2), random.rotation());
        for step in 0..400 {
            let cold = by_trees(&tree, &pose, &tree, &Pose::IDENTITY);
            let warm =
                mesh_distance_coherent(&tree, &pose, &tree, &Pose::IDENTITY, &mut front).unwrap();
            assert!(
                (warm.distance - cold.distance).abs() < 1e-13,
                "step {step}: {} {}",
                warm.distance,
                cold.distance
            );
            saved += u32::from(warm.work.box_pairs * 3 < cold.work.box_pairs);
            touching += u32::from(cold.distance == 0.0);
            let size = if step % 40 == 39 { 0.3 } else { 1e-3 };
            let pull = if step < 200 { -0.004 } else { 0.004 };
            pose.position += random.vector() * size + pose.position.normalize() * pull;
            let spin = random.vector() * size;
            pose.rotation =
                (glam::DQuat::from_xyzw(spin.x, spin.y, spin.z, 1.0) * pose.rotation).normalize();
        }
        assert!(saved > 100, "the front saves work: {saved} of 400");
    }
    assert!(touching > 5, "contact is part of the test: {touching}");
}
