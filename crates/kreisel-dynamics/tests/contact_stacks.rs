//! Stacks that must stand, pairs that must or must not touch, and the same bits again.

mod common;

use kreisel_dynamics::{
    Body, BodyId, ContactReport, Event, Joint, Material, Quat, Shape, Vec3, World,
};
use kreisel_geometry::Pose;
use kreisel_geometry::query::penetration;

fn ground() -> World {
    let mut world = World::new();
    let plane = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(plane), Material::default()).unwrap();
    world
}

fn brick(mass: f64, size: Vec3) -> Body {
    Body::cuboid(mass, size).shape(Shape::Box { size })
}

/// Steps and returns the deepest overlap.
fn run(world: &mut World, steps: usize) -> f64 {
    (0..steps).map(|_| world.step(1.0 / 60.0).contact.penetration).fold(0.0, f64::max)
}

#[test]
fn a_tower_of_fifty_cubes_stands() {
    let mut world = ground();
    let ids: Vec<BodyId> = (0..50)
        .map(|k| world.add_body(brick(1.0, Vec3::ONE).at(Vec3::Z * (0.5 + f64::from(k)))).unwrap())
        .collect();
    let depth = run(&mut world, 300);
    assert!(depth < 1e-5, "{depth}");
    for (k, &id) in ids.iter().enumerate() {
        let off = world.position(id).unwrap() - Vec3::Z * (0.5 + k as f64);
        // the solve leaves at most its tolerance of 1e-6 m in each of the fifty gaps
        assert!(off.z.abs() < 50.0 * 1e-6, "cube {k} is {} m too high", off.z);
        // nothing bounds the swaying but what was measured: docs/limits.md says 5 mm
        assert!(
            off.truncate().length() < 6e-3,
            "cube {k} has swayed by {} m",
            off.truncate().length()
        );
    }
}

#[test]
fn ten_tonnes_stand_on_a_kilogram() {
    // issue 5: heavy on light 1e4:1 stands with penetration of at most 1e-4 m
    let mut world = ground();
    world.add_body(brick(1.0, Vec3::ONE).at(Vec3::Z * 0.5)).unwrap();
    let heavy = world.add_body(brick(1e4, Vec3::ONE).at(Vec3::Z * 1.5)).unwrap();
    let depth = run(&mut world, 600);
    assert!(depth <= 1e-4, "{depth}");
    // as high as it was to the penetration that is allowed; sideways within a thousandth of its
    // edge
    let off = world.position(heavy).unwrap() - Vec3::Z * 1.5;
    assert!(off.z.abs() <= 1e-4 && off.truncate().length() < 1e-3, "{off}");
}

#[test]
fn a_wall_of_252_bricks_stands_still() {
    // Bender 2007, E-14: 24 courses of 11 and 10 bricks, 1 × 0.4 × 0.3 m, 1 kg
    let mut world = ground();
    let mut ids = Vec::new();
    for course in 0..24 {
        let n = if course % 2 == 0 { 11 } else { 10 };
        for k in 0..n {
            let x = f64::from(k) - 0.5 * f64::from(n - 1);
            let at = Vec3::new(x, 0.0, 0.15 + 0.3 * f64::from(course));
            ids.push((world.add_body(brick(1.0, Vec3::new(1.0, 0.4, 0.3)).at(at)).unwrap(), at));
        }
    }
    assert_eq!(ids.len(), 252);
    let depth = run(&mut world, 180);
    // README: overlaps of 0.01 to 0.04 mm
    assert!(depth < 4e-5, "{depth}");
    let offs = || ids.iter().map(|(id, p)| world.position(*id).unwrap() - *p);
    let (high, wide) = offs()
        .fold((0.0_f64, 0.0_f64), |(z, r), o| (z.max(o.z.abs()), r.max(o.truncate().length())));
    println!("E-14: heights to {high:e} m, sideways {wide:e} m");
    // the tolerance of 1e-6 m in each of the 24 gaps; the swaying is measured, 1.3 mm in 3 s
    assert!(high < 24.0 * 1e-6, "{high}");
    assert!(wide < 2e-3, "{wide}");
}

/// A storey of a card house: two tents of two cards each, and a card across.
fn storey(world: &mut World, x: f64, z: f64, n: usize, cards: &mut Vec<BodyId>) {
    let (length, thick, width) = (0.09, 0.001, 0.06);
    let tilt = 25f64.to_radians();
    let half = 0.5 * (length * tilt.sin() + thick * tilt.cos());
    for k in 0..n {
        for side in [-1.0, 1.0] {
            let turn = Quat::from_rotation_y(side * tilt);
            let at = Vec3::new(x + 4.0 * half * k as f64 + side * -half, 0.0, z);
            let card = brick(0.002, Vec3::new(thick, width, length)).material(Material::rough(0.6));
            cards.push(world.add_body(card.at(at).rotated(turn)).unwrap());
        }
    }
}

#[test]
fn a_house_of_cards_stands() {
    let mut world = World::new();
    let plane = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(plane), Material::rough(0.6)).unwrap();
    let (length, thick) = (0.09, 0.001);
    let tilt = 25f64.to_radians();
    let height = length * tilt.cos() + thick * tilt.sin();
    let half = 0.5 * (length * tilt.sin() + thick * tilt.cos());
    let mut cards = Vec::new();
    storey(&mut world, 0.0, 0.5 * height, 2, &mut cards);
    // the floor of the second storey lies on the two tips
    let size = Vec3::new(length, 0.06, thick);
    let floor = brick(0.002, size).material(Material::rough(0.6));
    cards.push(world.add_body(floor.at(Vec3::new(2.0 * half, 0.0, height + 0.5 * thick))).unwrap());
    storey(&mut world, 2.0 * half, 1.5 * height + thick, 1, &mut cards);
    let start: Vec<Vec3> = cards.iter().map(|&c| world.position(c).unwrap()).collect();
    for _ in 0..600 {
        world.step(1.0 / 120.0);
    }
    for (k, (&card, p)) in cards.iter().zip(&start).enumerate() {
        let off = (world.position(card).unwrap() - *p).length();
        assert!(off < 2e-3, "card {k} moved by {off} m");
    }
}

/// A small heap that is still moving.
fn heap() -> World {
    let mut world = ground();
    for k in 0..24_i32 {
        let at =
            Vec3::new(0.3 * f64::from(k % 3), 0.25 * f64::from(k % 4), 0.6 + 0.35 * f64::from(k));
        let turn =
            Quat::from_rotation_x(0.3 * f64::from(k)) * Quat::from_rotation_z(0.7 * f64::from(k));
        let body = match k % 3 {
            0 => Body::solid(Shape::Sphere { radius: 0.2 }, 800.0).unwrap(),
            1 => Body::solid(Shape::Cylinder { radius: 0.15, height: 0.3 }, 900.0).unwrap(),
            _ => Body::solid(Shape::Box { size: Vec3::new(0.4, 0.3, 0.2) }, 700.0).unwrap(),
        };
        // without resistance the balls would roll for ever
        let material = Material { rolling: 0.01, restitution: 0.2, ..Material::default() };
        world.add_body(body.material(material).at(at).rotated(turn)).unwrap();
    }
    world
}

#[test]
fn a_restored_snapshot_goes_on_with_the_same_bits() {
    let mut world = heap();
    run(&mut world, 60);
    let snapshot = world.snapshot();
    run(&mut world, 60);
    let there = world.state_hash();
    world.restore(&snapshot).unwrap();
    run(&mut world, 60);
    assert_eq!(world.state_hash(), there);
    let mut other = heap();
    other.restore(&snapshot).unwrap();
    run(&mut other, 60);
    assert_eq!(other.state_hash(), there);
}

#[test]
fn threads_and_vector_instructions_do_not_change_a_bit() {
    let hash = |threads: usize, baseline: bool| {
        kreisel_dynamics::simd::force_baseline(baseline);
        let mut world = heap();
        common::change(&mut world, |s| s.threads = threads);
        run(&mut world, 120);
        kreisel_dynamics::simd::force_baseline(false);
        world.state_hash()
    };
    let one = hash(1, false);
    assert_eq!(one, hash(2, false));
    assert_eq!(one, hash(1, true));
}

#[test]
fn a_heap_of_mixed_shapes_comes_to_rest_above_the_ground() {
    let mut world = heap();
    run(&mut world, 900);
    for id in world.bodies().collect::<Vec<_>>() {
        let (p, v) = (world.position(id).unwrap(), world.velocity(id).unwrap());
        assert!(p.z > 0.05 && v.length() < 0.3, "{:?}: {p} {v}", world.body_name(id));
    }
    let depth = world.step(1.0 / 60.0).contact.penetration;
    assert!(depth < 1e-3, "{depth}");
}

#[test]
fn a_sensor_reports_and_does_not_touch() {
    let mut world = ground();
    let gate = Body::fixed()
        .named("gate")
        .shape(Shape::Box { size: Vec3::ONE })
        .sensor()
        .at(Vec3::Z * 3.0);
    world.add_body(gate).unwrap();
    let ball = world
        .add_body(Body::solid(Shape::Sphere { radius: 0.1 }, 1000.0).unwrap().at(Vec3::Z * 5.0))
        .unwrap();
    let (mut begins, mut ends, mut crossed) = (0, 0, 0.0);
    for _ in 0..60 {
        for event in world.step(1.0 / 60.0).events {
            match event {
                Event::ContactBegin { sensor: true, .. } => begins += 1,
                Event::ContactEnd { sensor: true, .. } => {
                    ends += 1;
                    crossed = world.velocity(ball).unwrap().z;
                }
                _ => {}
            }
        }
    }
    assert_eq!((begins, ends), (1, 1));
    // free fall from 5 m to 2.4 m, to one step: v = √(2 g s)
    assert!((crossed + (2.0 * 9.81 * 2.6_f64).sqrt()).abs() < 0.2, "{crossed}");
}

#[test]
fn groups_and_joints_keep_bodies_from_touching() {
    let mut world = ground();
    let a = world.add_body(brick(1.0, Vec3::ONE).at(Vec3::Z * 0.5).groups(1, u32::MAX)).unwrap();
    // meets group 1 only from group 2, which the ground is not in
    let b =
        world.add_body(brick(1.0, Vec3::ONE).at(Vec3::new(5.0, 0.0, 0.5)).groups(4, 4)).unwrap();
    let c = world.add_body(brick(1.0, Vec3::ONE).at(Vec3::new(0.0, 0.0, 1.2))).unwrap();
    world.add_joint(Joint::fixed(a, c).at(Vec3::Z)).unwrap();
    run(&mut world, 60);
    assert!((world.position(a).unwrap().z - 0.5).abs() < 1e-3);
    assert!(world.position(b).unwrap().z < -3.0, "fell through");
    // the jointed ones overlap by 0.3 m and stay so
    assert!((world.position(c).unwrap().z - 1.2).abs() < 1e-3);
}

#[test]
fn a_kinematic_plate_carries_and_pushes() {
    let mut world = World::new();
    let plate = Body::kinematic()
        .shape(Shape::Box { size: Vec3::new(2.0, 2.0, 0.2) })
        .moving(Vec3::new(0.5, 0.0, 0.3));
    world.add_body(plate.at(Vec3::Z * -0.1)).unwrap();
    let cube = world.add_body(brick(1.0, Vec3::splat(0.4)).at(Vec3::Z * 0.2)).unwrap();
    run(&mut world, 120);
    let (p, v) = (world.position(cube).unwrap(), world.velocity(cube).unwrap());
    assert!((v - Vec3::new(0.5, 0.0, 0.3)).length() < 1e-3, "{v}");
    assert!((p.z - 0.2 - 0.6).abs() < 1e-3 && p.x > 0.8, "{p}");
}

#[test]
fn a_one_way_platform_lets_through_from_below_only() {
    let mut world = World::new();
    let size = Vec3::new(2.0, 2.0, 0.1);
    world.add_body(Body::fixed().shape(Shape::Box { size }).one_way(Vec3::Z)).unwrap();
    let ball = Body::solid(Shape::Sphere { radius: 0.1 }, 1000.0).unwrap();
    let up = world.add_body(ball.at(Vec3::Z * -0.5).moving(Vec3::Z * 5.0)).unwrap();
    run(&mut world, 240);
    // it has come through and lies on top
    let z = world.position(up).unwrap().z;
    assert!((z - 0.15).abs() < 1e-3, "{z}");
}

/// Issue 5 asks for overlaps under 1 cm while bodies fall. Cubes that turn while they meet touch
/// with corners that are faces at the end of the step: contacts of its start do not know them, and
/// the step has to be made again; where joints take part also in parts.
#[test]
fn cubes_that_tumble_into_each_other_overlap_by_less_than_a_centimetre() {
    let (worst, work) = tumble(8.0, 9.0, 0);
    assert!(worst < 0.01, "{worst}");
    assert!(work.repeats > 0);
    let (worst, work) = tumble(20.0, 25.0, 3);
    assert!(worst < 0.01, "{worst}");
    assert!(work.repeats > 0 && work.cuts > 0, "{work:?}");
    // loose cubes that meet on a jointed one
    let (worst, _) = tumble(20.0, 25.0, 1);
    assert!(worst < 0.01, "{worst}");
}

/// Forty times three cubes that fall with this speed and spin about so fast, the first `jointed` of
/// them with a ball on a joint inside. Returns the worst overlap of two cubes, m, and how many
/// steps were made again.
fn tumble(speed: f64, spin: f64, jointed: usize) -> (f64, ContactReport) {
    let shape = Shape::Box { size: Vec3::ONE };
    let (mut worst, mut work) = (0.0_f64, ContactReport::default());
    for k in 0..40 {
        let mut world = ground();
        let turn = |s: f64| {
            Quat::from_rotation_x(0.7 * s)
                * Quat::from_rotation_y(1.3 * s)
                * Quat::from_rotation_z(s)
        };
        let spin = |s: f64| {
            Vec3::new(spin * (1.1 * s).sin(), spin * (1.7 * s).cos(), 5.0 * (2.3 * s).sin())
        };
        let (s, fall) = (f64::from(k), Vec3::Z * -speed);
        let mut ids = Vec::new();
        for (z, s) in [0.9, 2.5, 4.1].into_iter().zip([s, s + 0.37, s + 0.61]) {
            let at = Vec3::Z * z;
            let cube = brick(1.0, Vec3::ONE).at(at).rotated(turn(s)).moving(fall).spinning(spin(s));
            let cube = world.add_body(cube).unwrap();
            if ids.len() < jointed {
                let ball =
                    world.add_body(Body::sphere(0.1, 0.1).ghost().at(at).moving(fall)).unwrap();
                world.add_joint(Joint::ball(cube, ball).at(at)).unwrap();
            }
            ids.push(cube);
        }
        for _ in 0..40 {
            let step = world.step(1.0 / 60.0).contact;
            work.repeats += step.repeats;
            work.cuts += step.cuts;
            let pose = |id: BodyId| Pose {
                position: world.position(id).unwrap(),
                rotation: world.rotation(id).unwrap(),
            };
            for (i, &a) in ids.iter().enumerate() {
                for &b in &ids[..i] {
                    let p = penetration(&shape, &pose(a), &shape, &pose(b));
                    worst = worst.max(p.map_or(0.0, |p| p.upper));
                }
            }
        }
    }
    (worst, work)
}
