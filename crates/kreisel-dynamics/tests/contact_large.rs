//! Islands of hundreds of contacts: slabs that threads share, sweeps in single precision, and the
//! settings for them.

mod common;

use kreisel_dynamics::{
    Body, BodyId, ContactReport, Iteration, Material, Precision, Quat, Settings, Shape, Vec3, World,
};

const STEP: f64 = 1.0 / 60.0;

fn ground() -> World {
    let mut world = World::new();
    let plane = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(plane), Material::rough(0.5)).unwrap();
    world
}

fn cube(mass: f64) -> Body {
    Body::cuboid(mass, Vec3::ONE)
        .shape(Shape::Box { size: Vec3::ONE })
        .material(Material::rough(0.5))
}

fn set(world: &mut World, change: impl FnOnce(&mut Settings)) {
    common::change(world, change);
}

/// A plane pyramid of so many cubes at its base, with the settings.
fn pyramid(base: i32, change: impl FnOnce(&mut Settings)) -> (World, Vec<BodyId>) {
    let mut world = ground();
    set(&mut world, change);
    let mut ids = Vec::new();
    for row in 0..base {
        for k in 0..base - row {
            let at =
                Vec3::new(1.1 * f64::from(k) + 0.55 * f64::from(row), 0.0, 0.5 + f64::from(row));
            ids.push(world.add_body(cube(1.0).at(at)).unwrap());
        }
    }
    (world, ids)
}

/// Runs and returns the reports.
fn run(world: &mut World, steps: usize) -> Vec<ContactReport> {
    (0..steps).map(|_| world.step(STEP).contact).collect()
}

/// Cubes that fall on each other in a heap, and turn.
fn falling(n: i32, velocity: f64, spin: f64) -> World {
    let mut world = ground();
    for k in 0..n {
        let (i, j, l) = (f64::from(k % 30), f64::from(k / 30 % 10), f64::from(k / 300));
        let turn = Quat::from_rotation_x(0.01 * f64::from(k % 13))
            * Quat::from_rotation_z(0.02 * f64::from(k % 7));
        let at = Vec3::new(1.15 * i + 0.4 * l, 1.15 * j + 0.3 * l, 0.65 + 1.2 * l);
        let body = cube(1.0).at(at).rotated(turn).moving(-velocity * Vec3::Z);
        world.add_body(body.spinning(spin * Vec3::new(1.0, 0.5, 0.2))).unwrap();
    }
    world
}

/// Enough bodies for several slabs (`contact/parts.rs`), which threads share, in both precisions
/// and with both builds of the sweeps.
#[test]
fn threads_and_vector_instructions_do_not_change_a_bit_of_a_large_heap() {
    let hash = |threads: usize, baseline: bool, precision: Precision| {
        kreisel_dynamics::simd::force_baseline(baseline);
        let mut world = falling(1100, 0.0, 0.0);
        set(&mut world, |s| (s.threads, s.contact.precision) = (threads, precision));
        let islands: Vec<u32> = run(&mut world, 24).iter().map(|r| r.islands).collect();
        kreisel_dynamics::simd::force_baseline(false);
        assert!(islands.contains(&1), "all are one island at some time, which is cut: {islands:?}");
        world.state_hash()
    };
    for precision in [Precision::Auto, Precision::Double] {
        let one = hash(1, false, precision);
        for (threads, baseline) in [(2, false), (5, false), (1, true)] {
            assert_eq!(
                one,
                hash(threads, baseline, precision),
                "{threads} threads, {baseline}, {precision:?}"
            );
        }
    }
}

/// 400 contact regions and more, at rest: single precision leaves what the tolerance leaves, and
/// carries the same weight.
#[test]
fn a_pyramid_stands_in_single_precision_as_in_double() {
    let ends = [Precision::Auto, Precision::Double].map(|precision| {
        let (mut world, ids) =
            pyramid(20, |s| (s.contact.precision, s.contact.tolerance) = (precision, 1e-6));
        let reports = run(&mut world, 120);
        assert!(
            reports.iter().all(|r| r.manifolds >= 256 && r.penetration < 2e-5),
            "{:?}",
            reports.last()
        );
        let base: f64 = ids[..20].iter().map(|&id| world.contact_force(id).unwrap().z).sum();
        // the base feels the ground below and all others above: 20 weights remain
        assert!((base - 20.0 * 9.81).abs() < 1e-3 * base, "{base}");
        ids.iter().map(|&id| world.position(id).unwrap()).collect::<Vec<_>>()
    });
    assert_ne!(ends[0], ends[1], "one of them is in single precision");
    for (a, b) in ends[0].iter().zip(&ends[1]) {
        assert!((*a - *b).length() < 2e-3, "{a} {b}");
    }
}

/// Impulses act on both bodies with the same numbers, whatever precision they were found in: what
/// is rounded is 1e-16 of each change.
#[test]
fn a_cluster_that_collides_in_single_precision_keeps_its_momentum() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut bodies = Vec::new();
    for k in 0..216 {
        let (i, j, l) = (f64::from(k % 6), f64::from(k / 6 % 6), f64::from(k / 36));
        // towards the middle, and turning
        let at = 1.02 * Vec3::new(i - 2.5, j - 2.5, l - 2.5);
        let mass = 1.0 + f64::from(k % 3);
        let body = cube(mass).at(at).moving(-2.0 * at + Vec3::X).spinning(Vec3::new(0.1, 0.0, 0.2));
        bodies.push((mass, world.add_body(body).unwrap()));
    }
    let momentum =
        |world: &World| bodies.iter().map(|&(m, id)| m * world.velocity(id).unwrap()).sum::<Vec3>();
    let exchanged: f64 =
        bodies.iter().map(|&(m, id)| m * world.velocity(id).unwrap().length()).sum();
    let start = momentum(&world);
    let reports = run(&mut world, 30);
    assert!(
        reports.iter().any(|r| r.manifolds >= 256 && r.points > 500),
        "they collide as one large island"
    );
    let change = (momentum(&world) - start).length();
    assert!(change < 1e-13 * exchanged * 30.0, "{change} of {exchanged}");
}

/// Masses that squares in single precision could not hold: these islands stay in double precision.
#[test]
fn a_pyramid_of_the_heaviest_and_of_the_lightest_cubes_stands() {
    for mass in [1e50, 1e-50] {
        let mut world = ground();
        for row in 0..20 {
            for k in 0..20 - row {
                let at = Vec3::new(
                    1.1 * f64::from(k) + 0.55 * f64::from(row),
                    0.0,
                    0.5 + f64::from(row),
                );
                world.add_body(cube(mass).at(at)).unwrap();
            }
        }
        let reports = run(&mut world, 60);
        assert!(
            reports.iter().all(|r| r.manifolds >= 256 && r.penetration < 1e-4),
            "{mass}: {:?}",
            reports.last()
        );
    }
}

/// B-110: the same result from a cold start, within tolerance, and more sweeps on the way.
#[test]
fn plain_sweeps_end_where_extrapolated_ones_do() {
    let [ours, plain] = [Iteration::Extrapolated, Iteration::Plain].map(|iteration| {
        let (mut world, ids) = pyramid(6, |s| {
            (s.contact.iteration, s.contact.max_sweeps, s.contact.tolerance) =
                (iteration, Some(10_000), 1e-6);
        });
        let sweeps: u32 = run(&mut world, 60).iter().map(|r| r.sweeps).sum();
        (sweeps, ids.iter().map(|&id| world.position(id).unwrap()).collect::<Vec<_>>())
    });
    assert!(plain.0 > 10 * ours.0, "{} {}", plain.0, ours.0);
    for (a, b) in ours.1.iter().zip(&plain.1) {
        assert!((*a - *b).length() < 1e-4, "{a} {b}");
    }
}

/// A step is made again for overlaps beyond the setting only.
#[test]
fn a_larger_overlap_makes_fewer_steps_again() {
    let [tight, loose] = [2e-3, 1e-2].map(|overlap| {
        let mut world = falling(600, 6.0, 3.0);
        set(&mut world, |s| s.contact.overlap = overlap);
        let reports = run(&mut world, 60);
        (
            reports.iter().map(|r| r.repeats).sum::<u32>(),
            reports.iter().fold(0.0, |w: f64, r| w.max(r.penetration)),
        )
    });
    assert!(tight.0 > loose.0, "{tight:?} {loose:?}");
    assert!(tight.1 < 1e-2 && loose.1 < 3e-2, "{tight:?} {loose:?}");
}
