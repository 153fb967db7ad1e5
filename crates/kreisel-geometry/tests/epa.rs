//! Overlapping convex sets: the depth is the least support width, the points are opposite and
//! belong to the sets, and the work is bounded. The oracle is the width along many directions,
//! refined by a pattern search, from the support functions alone.

mod common;

use common::Random;
use glam::{DQuat, DVec3};
use kreisel_geometry::convex::{
    Convex, ConvexCache, ConvexDistance, Core, convex_distance, polyhedron_distance,
};
use kreisel_geometry::{ConvexHull, Pose};

/// How far A reaches into B along −n: the length of a translation along n that separates them.
fn width(a: &Convex, p: &Pose, b: &Convex, q: &Pose, n: DVec3) -> f64 {
    let low = p.point(a.support(p.inverse_direction(-n))).dot(n);
    let high = q.point(b.support(q.inverse_direction(n))).dot(n);
    high - low
}

/// The least width over evenly spread directions, each of the best improved by a pattern search.
fn least_width(a: &Convex, p: &Pose, b: &Convex, q: &Pose) -> f64 {
    const SPREAD: usize = 2000;
    let golden = std::f64::consts::PI * (3.0 - 5_f64.sqrt());
    let mut tried: Vec<(f64, DVec3)> = (0..SPREAD)
        .map(|k| {
            let z = 1.0 - (2.0 * k as f64 + 1.0) / SPREAD as f64;
            let (sin, cos) = (golden * k as f64).sin_cos();
            let n = DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z);
            (width(a, p, b, q, n), n)
        })
        .collect();
    tried.sort_by(|x, y| x.0.total_cmp(&y.0));
    tried.truncate(12);
    let improve = |(mut least, mut n): (f64, DVec3)| {
        let mut step = 0.05;
        while step > 1e-12 {
            let u = n.any_orthonormal_vector();
            let w = n.cross(u);
            let around = (0..16).map(|k| {
                let (sin, cos) = (f64::from(k) * std::f64::consts::PI / 8.0).sin_cos();
                let m = (n + (u * cos + w * sin) * step).normalize();
                (width(a, p, b, q, m), m)
            });
            let best = around.fold((least, n), |x, y| if y.0 < x.0 { y } else { x });
            if best.0 < least {
                (least, n) = best;
            } else {
                step *= 0.5;
            }
        }
        least
    };
    tried.into_iter().map(improve).fold(f64::INFINITY, f64::min)
}

/// What must hold of every answer: opposite points, the depth that the support functions have along
/// the normal, bounded work.
fn ask(context: &str, a: &Convex, p: &Pose, b: &Convex, q: &Pose) -> ConvexDistance {
    let c = convex_distance(a, p, b, q, &mut ConvexCache::default());
    assert!((c.normal.length() - 1.0).abs() < 1e-9, "{context}: {c:?}");
    assert!(
        (c.a - c.b).distance(c.normal * c.distance) < 1e-9,
        "{context}: points are not opposite: {c:?}"
    );
    if c.distance <= 0.0 {
        let along = width(a, p, b, q, c.normal);
        assert!(
            (along + c.distance).abs() < NORMAL,
            "{context}: the width along the normal is {along}: {c:?}"
        );
    }
    assert!(c.steps < MOST_STEPS, "{context}: {} support points", c.steps);
    c
}

/// The polish measures at a distance e of about 2e-3 m and ends at a gap of 1e-12 e, which leaves
/// the normal at a surface of radius R = 0.2 m uncertain by √(2e-12 e/R) = 1.4e-7 rad. Over a flat
/// face the width changes by that times the lever, up to 3 m here.
const NORMAL: f64 = 5e-7;

/// One search of GJK, one polytope, two polishes, one of which may end with a search.
const MOST_STEPS: u32 = 3000;

const HULL_OF_PAIRS_0_AND_2: [[f64; 3]; 14] = [
    [-0.09830141273349048, -0.18382084878337604, 0.5215220957142199],
    [0.2943174424268262, 0.10348001583078546, 0.3962664985714192],
    [-0.4205906355110237, 0.17957865051288932, 0.38381090142851393],
    [0.19299866067513968, -0.42572327138398475, 0.2698695899999848],
    [0.1400382087232525, 0.4283102536890342, 0.1722997071428673],
    [-0.48941864829919945, -0.2757994786403902, 0.12324410999998951],
    [0.5030952244604401, -0.11698060260059773, 0.03698851285714355],
    [-0.2596428044842769, 0.3789456771486875, -0.03289565571428088],
    [-0.07590243325732786, -0.5350308508475768, -0.11855125285714097],
    [0.35778369577840247, 0.2942356208507514, -0.177121135714255],
    [-0.5090501504408491, 0.027203079043172953, -0.2943195899999864],
    [0.28500963202461604, -0.2905464255237143, -0.34157518714287755],
    [-0.010011731293691454, 0.2930647330411114, -0.3724593557142499],
    [-0.13670921466818164, -0.15986433681683784, -0.5262578100000123],
];

const HULL_OF_PAIR_1: [[f64; 3]; 14] = [
    [-0.07120772890647195, -0.16719978043785264, 0.4546649528571379],
    [0.32795229117112606, 0.1490375381848703, 0.4575522128571314],
    [-0.38237410855562665, 0.12463117461344404, 0.33752518714284174],
    [0.19919021830292008, -0.3527154835171204, 0.23386958999998342],
    [0.11808969329879913, 0.5099844450703412, 0.2001568499999848],
    [-0.40516217154141515, -0.2781518629191982, 0.1078155385714175],
    [0.5885017565591759, -0.08293770153218599, 0.042559941428571925],
    [-0.34157585225408066, 0.41457287535308474, -0.03846708428571412],
    [-0.024653310094270287, -0.4694135439497236, -0.10312268142856895],
    [0.3823558257474867, 0.3757580473787662, -0.20497827857142123],
    [-0.4471476042092295, -0.015686037843488435, -0.25831958999998506],
    [0.26761417201513665, -0.22842781012708327, -0.29528947285711765],
    [-0.04176231380949827, 0.3389223799795817, -0.433745069999962],
    [-0.10654667952682878, -0.1495516243227386, -0.45940066714280353],
];

#[test]
fn pairs_on_which_the_polytope_ran_away_have_their_true_depth() {
    // a cylinder on a hull in a heap: 0.03 mm and less of overlap came back as 1.75 m and 1.69 m
    // with the normal reversed, the third pair took 0.4 s
    let pose = |x: [f64; 3], q: [f64; 4]| Pose::new(DVec3::from_array(x), DQuat::from_array(q));
    let cylinder = Convex::sharp(Core::Cylinder(0.4, 0.4));
    let cases: [(Pose, Pose, &[[f64; 3]]); 3] = [
        (
            pose(
                [-6.433404130726925, 3.4789462602029464, 2.290998455005407],
                [0.7897156148179648, 0.3257299502689432, 0.3279672632889759, 0.4033444203422376],
            ),
            pose(
                [-7.0355922130527695, 3.8995677143474134, 2.7301746818298405],
                [
                    -0.48623757597911216,
                    -0.42925833043542166,
                    0.6649217876955927,
                    0.37039076892580475,
                ],
            ),
            &HULL_OF_PAIRS_0_AND_2,
        ),
        (
            pose(
                [-4.028031947633762, 3.7426076652860445, 1.1201212669159513],
                [0.4218399081625098, -0.5621373918463617, 0.6739640671536309, 0.22765122612310193],
            ),
            pose(
                [-4.431962675354037, 4.434760061501283, 1.1423617205455723],
                [
                    -0.008458999455435075,
                    0.7895978087558286,
                    0.45038572597743753,
                    0.4166730655705785,
                ],
            ),
            &HULL_OF_PAIR_1,
        ),
        (
            pose(
                [-6.433433594718204, 3.4789612948421844, 2.290949183820737],
                [0.7897022935860372, 0.32572965721548747, 0.3279860807496756, 0.40335543723830064],
            ),
            pose(
                [-7.03558908546204, 3.8995638671646935, 2.7301977294224344],
                [
                    -0.48624620953346304,
                    -0.4292382301142754,
                    0.6649416938096832,
                    0.37036699280067314,
                ],
            ),
            &HULL_OF_PAIRS_0_AND_2,
        ),
    ];
    for (k, (p, q, points)) in cases.into_iter().enumerate() {
        let points: Vec<DVec3> = points.iter().map(|x| DVec3::from_array(*x)).collect();
        let hull = ConvexHull::new(&points).unwrap();
        let hull = Convex::sharp(Core::Hull(&hull));
        let c = ask(&format!("pair {k}"), &cylinder, &p, &hull, &q);
        let expected = least_width(&cylinder, &p, &hull, &q);
        assert!(expected < 1e-3, "pair {k}: {expected}");
        assert!((c.distance + expected).abs() < 1e-8, "pair {k}: {} for {expected}", -c.distance);
    }
}

fn random_hull(random: &mut Random) -> ConvexHull {
    let n = 4 + random.below(17) as usize;
    ConvexHull::new(&(0..n).map(|_| random.vector() * 0.5).collect::<Vec<_>>()).unwrap()
}

/// One of all kinds of convex sets, with edges of 0.2 to 1 m.
fn random_set<'a>(random: &mut Random, hull: &'a ConvexHull) -> Convex<'a> {
    let mut length = || random.uniform(0.1, 0.5);
    let (r, h, x) = (length(), length(), DVec3::new(length(), length(), length()));
    match random.below(8) {
        0 => Convex { core: Core::Point, margin: r },
        1 => Convex { core: Core::Segment(h), margin: r },
        2 => Convex::sharp(Core::Box(x)),
        3 => Convex::sharp(Core::Cylinder(r, h)),
        4 => Convex::sharp(Core::Cone(r, h)),
        5 => Convex::sharp(Core::Ellipsoid(x)),
        6 => Convex::sharp(Core::Triangle([random.vector(), random.vector(), random.vector()])),
        _ => Convex::sharp(Core::Hull(hull)),
    }
}

#[test]
fn sets_pushed_into_each_other_by_a_known_way_are_not_deeper_than_that() {
    let mut random = Random(21);
    // a reversed normal would show as a width of the size of the sets
    let (mut pushed, mut most) = (0, 0);
    for case in 0..10_000 {
        let hulls = [random_hull(&mut random), random_hull(&mut random)];
        let (a, b) = (random_set(&mut random, &hulls[0]), random_set(&mut random, &hulls[1]));
        let (mut p, q) = (random.pose(1.0), random.pose(0.3));
        let apart = ask(&format!("case {case}, apart"), &a, &p, &b, &q);
        if apart.distance < 1e-3 {
            continue;
        }
        // the closest distance is certain: the support planes along the normal are that far apart
        assert!(
            (width(&a, &p, &b, &q, apart.normal) + apart.distance).abs() < NORMAL,
            "case {case}: {apart:?}"
        );
        let depth = [0.0, 1e-12, 1e-9, 1e-6, 3e-5, 1e-3, 2e-2][random.below(7) as usize];
        p.position -= apart.normal * (apart.distance + depth);
        let c = ask(
            &format!("case {case}, pushed by {depth}: {a:?} {p:?} {b:?} {q:?}"),
            &a,
            &p,
            &b,
            &q,
        );
        assert!(
            -c.distance <= depth + NORMAL,
            "case {case}: {} deep, pushed by {depth}: {a:?} {b:?}",
            -c.distance
        );
        pushed += 1;
        most = most.max(c.steps);
    }
    println!("{pushed} pairs, at most {most} support points");
    assert!(pushed > 4000, "{pushed}");
}

#[test]
fn deeply_overlapping_sets_of_all_kinds_have_the_least_width() {
    let mut random = Random(22);
    let mut overlaps = 0;
    for case in 0..60 {
        let hulls = [random_hull(&mut random), random_hull(&mut random)];
        let (a, b) = (random_set(&mut random, &hulls[0]), random_set(&mut random, &hulls[1]));
        let (p, q) = (random.pose(0.2), random.pose(0.2));
        let c = ask(&format!("case {case}: {a:?} {p:?} {b:?} {q:?}"), &a, &p, &b, &q);
        if c.distance > 0.0 {
            continue;
        }
        let expected = least_width(&a, &p, &b, &q);
        assert!(
            -c.distance <= expected + NORMAL,
            "case {case}: {} for {expected}: {a:?} {b:?}",
            -c.distance
        );
        overlaps += 1;
    }
    assert!(overlaps > 45, "{overlaps}");
}

#[test]
fn points_of_overlapping_polyhedra_are_opposite_and_on_the_surfaces() {
    let mut random = Random(23);
    let mut overlaps = 0;
    let outside = |hull: &ConvexHull, pose: &Pose, x: DVec3| {
        let local = pose.inverse_point(x);
        hull.faces()
            .iter()
            .map(|f| f.normal.dot(local) - f.offset)
            .fold(f64::NEG_INFINITY, f64::max)
    };
    for case in 0..3000 {
        let hull = |random: &mut Random| {
            ConvexHull::new(&(0..20).map(|_| random.vector() * 0.5).collect::<Vec<_>>()).unwrap()
        };
        let (a, b) = (hull(&mut random), hull(&mut random));
        let (p, q) = (random.pose(0.6), random.pose(0.4));
        let d = polyhedron_distance(&a, &p, &b, &q, &mut None);
        let off = (d.a - d.b).distance(d.normal * d.distance);
        assert!(off < 1e-9, "case {case}: a − b is off by {off} m: {d:?}");
        for (hull, pose, x) in [(&a, &p, d.a), (&b, &q, d.b)] {
            assert!(
                outside(hull, pose, x).abs() < 1e-8,
                "case {case}: {} m from the surface",
                outside(hull, pose, x)
            );
        }
        overlaps += usize::from(d.distance < 0.0);
    }
    assert!(overlaps > 1000, "{overlaps}");
}
