//! Random pairs of all convex shapes, touching and overlapping, against a computation that shares
//! no code with the library.
//!
//! The signed distance of two convex sets is the largest separation over all directions,
//! σ = max n·(p − q) − h_A(−n) − h_B(n), with the support functions h in closed form. Two bounds
//! hold an answer (σ, n) from both sides:
//!
//! * its own normal must separate by σ: no answer is nearer than it says it is;
//! * no direction of a brute-force search (a grid, then random steps that shrink) may separate by
//!   more: no depth is overstated.
//!
//! `cargo xtask oracle` looks at a million pairs (or at as many as it is told), and at the time
//! that each takes.

mod common;

use common::Random;
use glam::{DQuat, DVec3};
use kreisel_geometry::convex::{Convex, ConvexCache, ConvexDistance, convex_distance, convex_near};
use kreisel_geometry::{ConvexHull, Pose, Shape};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Support function of a shape along a unit vector of its frame.
fn height(shape: &Shape, d: DVec3) -> f64 {
    let side = d.x.hypot(d.y);
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Box { size } => 0.5 * d.abs().dot(*size),
        Shape::Capsule { radius, height } => radius + 0.5 * height * d.z.abs(),
        Shape::Cylinder { radius, height } => radius * side + 0.5 * height * d.z.abs(),
        Shape::Cone { radius, height } => {
            (0.5 * height * d.z).max(radius * side - 0.5 * height * d.z)
        }
        Shape::Ellipsoid { radii } => (*radii * d).length(),
        Shape::Disc { radius, height, rim } => {
            (radius - rim) * side + (0.5 * height - rim) * d.z.abs() + rim
        }
        Shape::Hull(hull) => {
            hull.vertices().iter().map(|v| v.dot(d)).fold(f64::NEG_INFINITY, f64::max)
        }
        _ => unreachable!(),
    }
}

struct Pair {
    shapes: [Shape; 2],
    poses: [Pose; 2],
}

impl Pair {
    /// How far the first is from the second along the unit vector `n`.
    fn separation(&self, n: DVec3) -> f64 {
        let [a, b] = &self.shapes;
        let [p, q] = &self.poses;
        let near = height(a, p.rotation.conjugate() * -n) + height(b, q.rotation.conjugate() * n);
        n.dot(p.position - q.position) - near
    }

    /// The best of a brute-force search over directions.
    fn search(&self, random: &mut Random) -> (f64, DVec3) {
        let mut starts: Vec<(f64, DVec3)> = (0..400)
            .map(|k| {
                let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 400.0;
                let (sin, cos) = (2.399_963_229_728_653 * f64::from(k)).sin_cos();
                let n = DVec3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + DVec3::Z * z;
                (self.separation(n), n)
            })
            .collect();
        starts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let refined = starts[..4].iter().map(|&(mut best, mut n)| {
            let mut step = 0.1;
            while step > 1e-8 {
                let mut better = false;
                for _ in 0..12 {
                    let next = (n + random.vector() * step).normalize();
                    let s = self.separation(next);
                    if s > best {
                        (best, n, better) = (s, next, true);
                    }
                }
                if !better {
                    step *= 0.5;
                }
            }
            (best, n)
        });
        refined.reduce(|a, b| if b.0 > a.0 { b } else { a }).unwrap()
    }

    fn ask(&self, guess: Option<DVec3>) -> Option<ConvexDistance> {
        let [a, b] = [0, 1].map(|k| Convex::of(&self.shapes[k]).unwrap());
        let [p, q] = &self.poses;
        match guess {
            Some(n) => convex_near(&a, p, &b, q, n),
            None => Some(convex_distance(&a, p, &b, q, &mut ConvexCache::default())),
        }
    }
}

/// Kinds of convex shapes.
const KINDS: usize = 8;

fn shape(kind: usize, random: &mut Random) -> Shape {
    let mut length = || random.uniform(0.2, 0.7);
    match kind {
        0 => Shape::Sphere { radius: length() },
        1 => Shape::Box { size: 2.0 * DVec3::new(length(), length(), length()) },
        2 => Shape::Capsule { radius: length(), height: 2.0 * length() },
        3 => Shape::Cylinder { radius: length(), height: 2.0 * length() },
        4 => Shape::Cone { radius: length(), height: 2.0 * length() },
        5 => Shape::Ellipsoid { radii: DVec3::new(length(), length(), length()) },
        6 => {
            let (radius, height) = (length(), length());
            Shape::Disc { radius, height, rim: random.uniform(0.2, 1.0) * radius.min(0.5 * height) }
        }
        _ => {
            let points: Vec<DVec3> = (0..14).map(|_| random.vector() * 0.6).collect();
            Shape::Hull(Arc::new(ConvexHull::new(&points).unwrap()))
        }
    }
}

/// Two shapes that are between `low` and `high` apart along some direction.
fn pair(case: usize, random: &mut Random, [low, high]: [f64; 2]) -> Pair {
    let shapes = [shape(case % KINDS, random), shape(case / KINDS % KINDS, random)];
    let mut pair = Pair { shapes, poses: [random.pose(1.0), random.pose(1.0)] };
    let mut n = random.vector().normalize_or(DVec3::Z);
    // along the best direction after a few rounds, so that the shallow side is the touching one
    for _ in 0..3 {
        let wanted = random.uniform(low, high);
        pair.poses[0].position += n * (wanted - pair.separation(n));
        n = pair.search(random).1;
    }
    let wanted = random.uniform(low, high);
    pair.poses[0].position += n * (wanted - pair.separation(n));
    pair
}

/// What both bounds allow, m.
const CERTAIN: f64 = 1e-6;

/// What is wrong with an answer.
fn judge(pair: &Pair, answer: &ConvexDistance, best: f64) -> Option<String> {
    let own = pair.separation(answer.normal);
    let apart = answer.a - answer.b - answer.normal * answer.distance;
    let wrong = (own - answer.distance).abs() > CERTAIN
        || answer.distance < best - CERTAIN
        || apart.length() > CERTAIN
        || (answer.normal.length() - 1.0).abs() > 1e-12;
    wrong.then(|| {
        format!("{:?}: {answer:?}, its normal separates by {own}, the best by {best}", pair.shapes)
    })
}

/// The longest that a pair may take, and how often one that takes longer is asked again: other
/// programs interrupt it.
const LONGEST: Duration = Duration::from_micros(50);
const AGAIN: u32 = 20;

/// The answer for a pair and the shortest time that it took.
fn timed(pair: &Pair) -> (ConvexDistance, Duration) {
    let once = || {
        let start = Instant::now();
        let answer = pair.ask(None).unwrap();
        (answer, start.elapsed())
    };
    let (answer, mut time) = once();
    for _ in 0..AGAIN {
        if time <= LONGEST {
            break;
        }
        time = time.min(once().1);
    }
    (answer, time)
}

/// Returns the longest time of a pair, and the mean.
fn run(cases: usize, seed: u64) -> [Duration; 2] {
    let (mut longest, mut sum) = (Duration::ZERO, Duration::ZERO);
    let mut random = Random(seed);
    let (mut near, mut asked, mut wrong) = (0, 0, Vec::new());
    for case in 0..cases {
        // touching as contacts do, and deeper
        let range = if case % 2 == 0 { [-2e-3, 2e-3] } else { [-0.05, 0.02] };
        let pair = pair(case, &mut random, range);
        let (best, normal) = pair.search(&mut random);
        let (full, time) = timed(&pair);
        (longest, sum) = (longest.max(time), sum + time);
        wrong.extend(judge(&pair, &full, best).map(|w| format!("case {case}, {w}")));
        // the normal of a moment ago
        let turn = DQuat::from_scaled_axis(random.vector() * 0.02);
        if case % 2 == 0 {
            asked += 1;
            if let Some(answer) = pair.ask(Some(turn * normal)) {
                near += 1;
                wrong
                    .extend(judge(&pair, &answer, best).map(|w| format!("case {case}, near, {w}")));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong of {cases}:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(5)].join("\n")
    );
    assert!(near * 10 > asked * 9, "a guess was enough for {near} of {asked} only");
    [longest, sum / cases as u32]
}

#[test]
fn depths_and_normals_are_certain() {
    run(2000, 3);
}

#[test]
#[ignore = "a million pairs take a quarter of an hour"]
fn depths_and_normals_of_a_million_pairs() {
    let pairs = std::env::var("KREISEL_PAIRS").ok().and_then(|n| n.parse().ok());
    let pairs = pairs.unwrap_or(1_000_000);
    let [longest, mean] = run(pairs, 5);
    println!("{pairs} pairs, {mean:?} each, {longest:?} at the most");
    assert!(longest <= LONGEST, "{longest:?}");
}
