//! Mass points measured: rounds of iteration cold, warm and weighted against the direct method
//! (S-16, S-17), and nets of points from 10 × 10 to 100 × 100. Prints the tables of
//! docs/from-points.md; run with `cargo xtask bench points`.

use kreisel_dynamics::{
    Body, BodyId, BodyKind, Joint, Method, Settings, Status, Stepping, Substeps, Tolerance, Vec3,
    World,
};
use std::time::{Duration, Instant};

/// The report's eps, m.
const EPS: f64 = 1e-5;

/// Substeps of 0.01 s in which a net falls: at 3 m/s its points, 5 cm apart, go 6 mm in each.
const SUBSTEPS: u32 = 5;

/// Most time for one figure of the second table, and for one step.
const PATIENCE: Duration = Duration::from_secs(20);

/// Time that this thread has been computing, where the system tells (Linux), so that a busy machine
/// does not count; else the time of the wall.
fn clock(begin: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let computing = text.split(' ').next().and_then(|ns| ns.parse().ok()).map(Duration::from_nanos);
    computing.unwrap_or_else(|| begin.elapsed())
}

fn world(h: f64) -> World {
    let mut world = World::new();
    change(&mut world, |s| {
        s.stepping = Stepping::Symmetric;
        s.substeps = Substeps::Fixed(1);
        // a rate counts as zero when it opens eps in no step
        s.tolerance = Tolerance { position: EPS, velocity: EPS / h, ..Tolerance::uniform(EPS) };
    });
    world
}

fn change(world: &mut World, edit: impl FnOnce(&mut Settings)) {
    let mut settings = world.settings().clone();
    edit(&mut settings);
    world.set_settings(settings).expect("good settings");
}

fn point(world: &mut World, mass: f64, at: Vec3) -> BodyId {
    world.add_body(Body::point(mass).at(at)).expect("a good point")
}

fn rod(world: &mut World, a: BodyId, b: BodyId) {
    let (p, q) = (world.position(a).unwrap_or_default(), world.position(b).unwrap_or_default());
    world.add_joint(Joint::distance(a, b, p, q)).expect("a good rod");
}

fn hang(world: &mut World, from: Vec3, b: BodyId) {
    let q = world.position(b).unwrap_or_default();
    world.add_joint(Joint::distance(BodyId::WORLD, b, from, q)).expect("a good rod");
}

/// Points along x at these places, joined one to the next, the first to the origin.
fn chain(h: f64, mass: f64, places: &[f64], end: Option<f64>) -> World {
    let mut world = world(h);
    let mut last = None;
    for &x in places {
        let p = point(&mut world, mass, Vec3::X * x);
        match last {
            None => hang(&mut world, Vec3::ZERO, p),
            Some(q) => rod(&mut world, q, p),
        }
        last = Some(p);
    }
    if let (Some(x), Some(p)) = (end, last) {
        hang(&mut world, Vec3::X * x, p);
    }
    world
}

/// 5.2: the cube, set spinning and flying.
fn cube() -> World {
    let mut world = world(0.16);
    world.set_gravity(Vec3::ZERO).expect("no gravity");
    let sign = |i: usize, bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corners: Vec<BodyId> = (0..8)
        .map(|i| {
            let at = Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2));
            // 20.09213 degrees a step
            let velocity = Vec3::new(-4.0, 0.0, 0.0)
                + Vec3::Z.cross(at) * (20.092_13_f64.to_radians().sin() / 0.16);
            world.add_body(Body { velocity, ..Body::point(1.0).at(at) }).expect("a good point")
        })
        .collect();
    for i in 0..8 {
        for j in 0..i {
            rod(&mut world, corners[j], corners[i]);
        }
    }
    world
}

/// 5.7: the top, spinning upright.
fn top() -> World {
    let mut world = world(0.005);
    let places = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y].map(|p| p + Vec3::Z * 0.9577);
    let spin = Vec3::new(-1.69, 0.0, 22.5);
    let points = places.map(|at| {
        world
            .add_body(Body { velocity: spin.cross(at), ..Body::point(1.0).at(at) })
            .expect("a good point")
    });
    for (i, &p) in points.iter().enumerate() {
        hang(&mut world, Vec3::ZERO, p);
        for &q in &points[..i] {
            rod(&mut world, q, p);
        }
    }
    world
}

/// Mean rounds of joint correction and of velocity correction of a step. The last round, which only
/// confirms, is not counted.
fn rounds(mut world: World, h: f64, steps: u32, edit: impl FnOnce(&mut Settings)) -> String {
    change(&mut world, edit);
    let (mut joints, mut velocities, mut missed) = (0, 0, 0);
    for _ in 0..steps {
        let report = world.step(h);
        joints += report.corrections;
        velocities += report.velocity_rounds;
        missed += u32::from(report.status != Status::Converged);
    }
    let mean = |n: u32| f64::from(n) / f64::from(steps);
    let mark = if missed > 0 { format!(" ({missed} missed)") } else { String::new() };
    format!("{:.1} / {:.1}{mark}", mean(joints), mean(velocities))
}

fn table_of_rounds() {
    println!("Rounds of a step, joint / velocity correction, to {EPS:e} m:\n");
    println!(
        "| model | h [s] | iterative, cold | weight 1.4 | iterative, warm | warm, weight 1.4 | direct, cold | direct, warm |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let closed = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 5.0];
    let models: [(&str, World, f64, u32); 4] = [
        ("5.2 cube", cube(), 0.16, 1000),
        ("5.3 triple pendulum", chain(0.01, 2.0, &[1.0, 2.0, 3.0], None), 0.01, 2000),
        ("5.6 closed chain", chain(0.01, 1.0, &closed, Some(4.0)), 0.01, 1200),
        ("5.7 top", top(), 0.005, 2233),
    ];
    for (name, world, h, steps) in models {
        let cell = |method, warm, weight| {
            rounds(world.clone(), h, steps, |s| {
                (s.method, s.warm_start, s.relaxation) = (method, warm, weight);
                s.max_rounds = Some(500);
            })
        };
        let cells = [
            cell(Method::Iterative, false, 1.0),
            cell(Method::Iterative, false, 1.4),
            cell(Method::Iterative, true, 1.0),
            cell(Method::Iterative, true, 1.4),
            cell(Method::Direct, false, 1.0),
            cell(Method::Direct, true, 1.0),
        ];
        println!("| {name} | {h} | {} |", cells.join(" | "));
    }
}

/// A net of n × n points of 1 g, 5 cm apart, that lies on a quarter of a cylinder and is fixed at
/// the two upper corners of one side. (Stretched straight between its corners, the side could not
/// give at all, and no force would be large enough.)
fn net(n: usize) -> World {
    let mut world = world(0.01);
    change(&mut world, |s| {
        s.substeps = Substeps::Fixed(SUBSTEPS);
        s.time_budget = Some(PATIENCE);
    });
    let turn = std::f64::consts::FRAC_PI_2 / (n - 1) as f64;
    let radius = 0.05 / (2.0 * (0.5 * turn).sin());
    let mut ids = Vec::with_capacity(n * n);
    for i in 0..n {
        for j in 0..n {
            let (sin, cos) = (turn * i as f64 - std::f64::consts::FRAC_PI_4).sin_cos();
            let at = Vec3::new(radius * sin, 0.05 * j as f64, -radius * cos);
            let pinned = j == 0 && (i == 0 || i == n - 1);
            let kind = if pinned { BodyKind::Static } else { BodyKind::Dynamic };
            ids.push(
                world.add_body(Body { kind, ..Body::point(0.001).at(at) }).expect("a good point"),
            );
        }
    }
    for i in 0..n {
        for j in 0..n {
            if i + 1 < n {
                rod(&mut world, ids[i * n + j], ids[(i + 1) * n + j]);
            }
            if j + 1 < n {
                rod(&mut world, ids[i * n + j], ids[i * n + j + 1]);
            }
        }
    }
    world
}

/// What ten steps took on average, or as many as patience allows.
struct Cost {
    ms: f64,
    rounds: f64,
    missed: bool,
}

impl Cost {
    fn of(start: &World, edit: impl FnOnce(&mut Settings)) -> Self {
        let mut world = start.clone();
        change(&mut world, edit);
        if world.settings().method == Method::Direct {
            // orders the joints; not part of a step
            world.step(0.01);
        }
        let begin = Instant::now();
        let (first, mut steps, mut rounds, mut missed) = (clock(begin), 0_u32, 0, false);
        while steps < 10 && clock(begin) - first < PATIENCE {
            let report = world.step(0.01);
            rounds += report.corrections;
            missed |= report.status != Status::Converged;
            steps += 1;
        }
        let n = f64::from(steps);
        let ms = (clock(begin) - first).as_secs_f64() * 1e3 / n;
        Self { ms, rounds: f64::from(rounds) / n / f64::from(SUBSTEPS), missed }
    }

    fn cells(&self) -> String {
        if self.missed {
            return format!("over {:.0}, cut | over {:.0}", self.ms, self.rounds);
        }
        format!("{:.2} | {:.1}", self.ms, self.rounds)
    }
}

fn table_of_nets(sizes: &[usize]) {
    println!(
        "\nNets after 0.3 s of falling, h = 0.01 s in {SUBSTEPS} substeps, {EPS:e} m; ms of a step, and rounds of a substep:\n"
    );
    println!(
        "| net | distances | ordering [ms] | direct [ms] | rounds | iterative, warm [ms] | rounds | iterative, cold [ms] | rounds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut last: Option<(f64, f64, f64)> = None;
    for &n in sizes {
        let mut world = net(n);
        let begin = Instant::now();
        let first = clock(begin);
        world.step(0.01);
        let ordering = (clock(begin) - first).as_secs_f64() * 1e3;
        for _ in 0..30 {
            world.step(0.01);
        }
        let direct = Cost::of(&world, |s| s.method = Method::Direct);
        let warm = Cost::of(&world, |s| s.method = Method::Iterative);
        let cold = Cost::of(&world, |s| (s.method, s.warm_start) = (Method::Iterative, false));
        let distances = 2 * n * (n - 1);
        let cells = [direct.cells(), warm.cells(), cold.cells()].join(" | ");
        println!("| {n} × {n} | {distances} | {ordering:.0} | {cells} |");
        if let Some((d, t, i)) = last {
            let power = |now: f64, then: f64| (now / then).ln() / (distances as f64 / d).ln();
            let (direct, iterative) = (power(direct.ms, t), power(warm.ms, i));
            eprintln!(
                "  growth with the power of the number of distances: direct {direct:.2}, iterative {iterative:.2}"
            );
        }
        last = Some((distances as f64, direct.ms, warm.ms));
    }
}

fn main() {
    let quick = std::env::args().any(|a| a == "--quick");
    table_of_rounds();
    table_of_nets(if quick { &[10, 20] } else { &[10, 20, 30, 50, 70, 100] });
}
