//! Methods of the literature that are here for comparison: hierarchies of polyhedra, k-DOPs, boxes
//! by the covariance of the hull, expansion and partition of D-trees.

mod common;

use common::Random;
use glam::DVec3;
use kreisel_geometry::convex::Hierarchy;
use kreisel_geometry::dtree::{
    AxisChoice, DTree, Expansion, PlaneChoice, Question, Split, Traversal, bounds,
};
use kreisel_geometry::mesh::generate;
use kreisel_geometry::volume::{Aabb, Fdh14, HullBox, Kdop, Volume};
use kreisel_geometry::{ConvexHull, Pose, TriMesh};

/// Support points of a hierarchy are those of a search through all vertices, at a cost that grows
/// with the logarithm of their number.
#[test]
fn a_hierarchy_finds_support_points_in_logarithmic_time() {
    let mut random = Random(3);
    let mut costs = Vec::new();
    for count in [100, 1000, 10_000] {
        let points: Vec<DVec3> = (0..count).map(|_| random.vector().normalize()).collect();
        let hull = ConvexHull::new(&points).unwrap();
        let hierarchy = Hierarchy::new(&hull);
        let mut most = 0;
        for _ in 0..500 {
            let d = random.vector();
            let (v, seen) = hierarchy.support(d);
            let best = hull.vertices().iter().map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max);
            assert!((hull.vertices()[v as usize].dot(d) - best).abs() < 1e-12);
            most = most.max(seen);
        }
        println!("{count} vertices, {} levels, {most} looked at", hierarchy.levels());
        costs.push(most);
    }
    // ten times as many vertices cost a constant number more
    assert!(costs[2] < 250 && costs[2] - costs[1] < 2 * (costs[1] - costs[0]) + 40, "{costs:?}");
}

fn soup(random: &mut Random) -> Vec<[DVec3; 3]> {
    (0..4).map(|_| [0; 3].map(|_| random.vector())).collect()
}

#[test]
fn more_directions_bound_tighter_and_never_cut_off() {
    let mut random = Random(7);
    let mut sizes = [0.0; 4];
    for _ in 0..200 {
        let triangles = soup(&mut random);
        let pose = random.pose(2.0);
        let other = soup(&mut random);
        let mut last = 0.0;
        fn check<const N: usize>(
            triangles: &[[DVec3; 3]],
            pose: &Pose,
            other: &[[DVec3; 3]],
            last: &mut f64,
        ) -> f64 {
            let moved = Kdop::<N>::fit(triangles).moved(&Kdop::<N>::motion(pose));
            for p in triangles.as_flattened() {
                let q = pose.point(*p);
                for (d, s) in Kdop::<N>::directions().iter().zip(moved.supports()) {
                    assert!(d.dot(q) <= s + 1e-9, "{N}: {d}");
                }
            }
            // fitted where they are, more directions are a larger bound of the distance
            let there: Vec<[DVec3; 3]> =
                triangles.iter().map(|t| t.map(|p| pose.point(p))).collect();
            let d = Kdop::<N>::fit(&there).distance(&Kdop::<N>::fit(other));
            assert!(d >= *last - 1e-12, "{N}: {d} below {last}");
            *last = d;
            moved.supports().iter().sum::<f64>() / N as f64
        }
        sizes[0] += check::<6>(&triangles, &pose, &other, &mut last);
        sizes[1] += check::<14>(&triangles, &pose, &other, &mut last);
        sizes[2] += check::<26>(&triangles, &pose, &other, &mut last);
        sizes[3] += check::<40>(&triangles, &pose, &other, &mut last);

        // six directions are the axis-aligned box, fourteen those of the thesis
        let (six, box_) = (Kdop::<6>::fit(&triangles), Aabb::fit(&triangles));
        assert!((0..3).all(|k| six.supports()[2 * k] == box_.hi[k]));
        let (mine, thesis) = (Kdop::<14>::fit(&triangles), Fdh14::fit(&triangles));
        let mut sorted = [mine.supports().to_vec(), thesis.supports().to_vec()];
        sorted.iter_mut().for_each(|s| s.sort_by(f64::total_cmp));
        assert!(sorted[0].iter().zip(&sorted[1]).all(|(a, b)| (a - b).abs() < 1e-12));
    }
    println!("mean supports after moving: {sizes:?}");
    assert!(sizes.windows(2).all(|w| w[1] < w[0]));
}

/// The hull's covariance does not care how flat parts are cut, nor what is inside.
#[test]
fn a_box_by_the_hull_is_the_same_for_another_tessellation() {
    let coarse = generate::cuboid(DVec3::new(1.0, 2.0, 3.0));
    let corners =
        |m: &TriMesh| m.triangles().iter().map(|t| t.map(|v| m.vertices()[v as usize])).collect();
    let first: Vec<[DVec3; 3]> = corners(&coarse);
    let mut second = Vec::new();
    for [a, b, c] in &first {
        let m = (*a + *b + *c) / 3.0;
        second.extend([[*a, *b, m], [*b, *c, m], [*c, *a, m]]);
    }
    second.push([DVec3::ZERO, 0.1 * DVec3::X, 0.1 * DVec3::ONE]);
    let [p, q] = [&first, &second].map(|t| HullBox::fit(t).0);
    assert!((p.half.element_product() - 0.75).abs() < 1e-12);
    assert!((p.half.element_product() - q.half.element_product()).abs() < 1e-9);
    assert!(p.center.distance(q.center) < 1e-9);
}

/// Every expansion and partition gives the same distance; they differ in what they look at.
#[test]
fn expansions_and_partitions_give_the_same_distance() {
    let mut random = Random(11);
    let mesh = generate::torus(1.0, 0.3, 24, 12);
    let mut counts: Vec<(String, u64)> = Vec::new();
    let poses: Vec<Pose> = (0..10).map(|_| random.pose(4.0)).collect();
    let exact: Vec<f64> = poses
        .iter()
        .map(|p| {
            let tree = DTree::<Kdop<26>>::new(&mesh, &Split::default());
            bounds(&tree, p, &tree, &Pose::IDENTITY, &Question::default()).upper
        })
        .collect();
    for axis in [AxisChoice::Variance, AxisChoice::TwoCenters] {
        let split = Split { axis, plane: PlaneChoice::Median, leaf: 1 };
        let tree = DTree::<HullBox>::new(&mesh, &split);
        for expansion in [Expansion::Simultaneous, Expansion::OneSided, Expansion::Larger] {
            for traversal in [Traversal::LocalGreedy, Traversal::GlobalGreedy] {
                let ask = Question { traversal, expansion, ..Question::default() };
                let mut work = 0;
                for (pose, d) in poses.iter().zip(&exact) {
                    let found = bounds(&tree, pose, &tree, &Pose::IDENTITY, &ask);
                    assert!((found.upper - d).abs() < 1e-12, "{ask:?}");
                    work += found.volume_pairs;
                }
                counts.push((format!("{axis:?} {expansion:?} {traversal:?}"), work));
            }
        }
    }
    for (name, work) in &counts {
        println!("{name:45} {work} pairs of volumes");
    }
}
