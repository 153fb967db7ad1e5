//! Sleeping islands: who falls asleep, who wakes, and what stays the same.

use kreisel_dynamics::{Body, BodyId, Joint, Material, Shape, Vec3, World};

const H: f64 = 1.0 / 60.0;

fn ground(sleep: bool) -> World {
    let mut world = World::new();
    let plane = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(plane), Material::default()).unwrap();
    let mut settings = world.settings().clone();
    settings.contact.sleep = sleep;
    world.set_settings(settings).unwrap();
    world
}

fn stack(world: &mut World, x: f64, n: u32) -> Vec<BodyId> {
    let cube = || Body::cuboid(1.0, Vec3::ONE).shape(Shape::Box { size: Vec3::ONE });
    (0..n)
        .map(|k| world.add_body(cube().at(Vec3::new(x, 0.0, 0.5 + f64::from(k)))).unwrap())
        .collect()
}

/// Two stacks, and a ball that falls on the first one after 2.9 s.
fn scene(sleep: bool) -> (World, [Vec<BodyId>; 2], BodyId) {
    let mut world = ground(sleep);
    let stacks = [stack(&mut world, 0.0, 3), stack(&mut world, 5.0, 3)];
    let ball =
        Body::solid(Shape::Sphere { radius: 0.3 }, 1000.0).unwrap().at(Vec3::new(0.1, 0.0, 44.0));
    let ball = world.add_body(ball).unwrap();
    (world, stacks, ball)
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / H).round() as usize {
        world.step(H);
    }
}

#[test]
fn nothing_sleeps_unless_asked() {
    let (mut world, stacks, _) = scene(false);
    run(&mut world, 2.0);
    assert_eq!(world.step(H).contact.asleep, 0);
    assert!(stacks.iter().flatten().all(|&b| !world.is_asleep(b)));
}

#[test]
fn a_hit_wakes_the_touched_island_and_no_other() {
    let (mut world, [hit, spared], ball) = scene(true);
    run(&mut world, 2.0);
    assert_eq!(world.step(H).contact.asleep, 6, "both stacks sleep, the ball falls");
    assert!(!world.is_asleep(ball));
    let before: Vec<_> = spared.iter().map(|&b| (world.position(b), world.rotation(b))).collect();
    while world.position(ball).unwrap().z > 3.32 {
        assert!(
            world.is_asleep(hit[2]),
            "the ball is still {} m up",
            world.position(ball).unwrap().z
        );
        world.step(H);
    }
    run(&mut world, 0.2);
    assert!(hit.iter().all(|&b| !world.is_asleep(b)));
    assert!(spared.iter().all(|&b| world.is_asleep(b)));
    let after: Vec<_> = spared.iter().map(|&b| (world.position(b), world.rotation(b))).collect();
    assert_eq!(before, after, "sleepers keep their poses bit by bit");
    assert!(world.velocity(hit[2]).unwrap().length() > 0.0);
}

#[test]
fn a_blow_is_the_same_with_sleep_as_without() {
    // 113 kg at 28 m/s meet stacks that rest either way: the same velocities after the impact, and
    // the same energy
    let [with, without] = [true, false].map(|sleep| {
        let (mut world, [hit, _], ball) = scene(sleep);
        run(&mut world, 2.0);
        let resting = world.energy().total();
        while world.velocity(ball).unwrap().z.abs() < 28.0 && world.position(ball).unwrap().z > 3.4
        {
            world.step(H);
        }
        run(&mut world, 3.0 * H);
        (
            resting,
            world.energy().total(),
            world.velocity(ball).unwrap(),
            world.velocity(hit[2]).unwrap(),
        )
    });
    assert!((with.0 - without.0).abs() < 1e-3, "{} against {}", with.0, without.0);
    assert!((with.1 - without.1).abs() < 1e-3 * without.1, "{} against {}", with.1, without.1);
    assert!((with.2 - without.2).length() < 1e-2, "{} against {}", with.2, without.2);
    assert!((with.3 - without.3).length() < 1e-2, "{} against {}", with.3, without.3);
}

#[test]
fn a_force_wakes_its_island_only() {
    let (mut world, [first, second], _) = scene(true);
    run(&mut world, 1.5);
    let at = world.position(second[2]).unwrap();
    world.apply_force(second[2], Vec3::X * 100.0, at).unwrap();
    world.step(H);
    assert!(first.iter().all(|&b| world.is_asleep(b)));
    assert!(second.iter().all(|&b| !world.is_asleep(b)));
    // 100 N on 1 kg under a friction of 0.5 · 9.81 N: v = (100 − 4.905) h
    let v = world.velocity(second[2]).unwrap().x;
    assert!((v - 95.1 * H).abs() < 0.02 * 95.1 * H, "{v}");
}

#[test]
fn sleepers_are_carried_by_snapshots_and_carry_their_weight() {
    let (mut world, [first, _], _) = scene(true);
    run(&mut world, 2.0);
    // each cube is in balance with its own weight
    for &b in &first {
        let force = world.contact_force(b).unwrap().z;
        assert!(world.is_asleep(b) && (force - 9.81).abs() < 1e-3, "{force}");
    }
    let snapshot = world.snapshot();
    run(&mut world, 1.5);
    let there = world.state_hash();
    world.restore(&snapshot).unwrap();
    assert!(world.is_asleep(first[0]));
    run(&mut world, 1.5);
    assert_eq!(world.state_hash(), there);
}

#[test]
fn a_chain_on_the_ground_sleeps_and_wakes_as_a_whole() {
    let mut world = ground(true);
    let size = Vec3::new(0.4, 0.1, 0.1);
    let link = |k: u32| {
        Body::cuboid(1.0, size).shape(Shape::Box { size }).at(Vec3::new(
            0.5 * f64::from(k),
            0.0,
            0.05,
        ))
    };
    let links: Vec<BodyId> = (0..4).map(|k| world.add_body(link(k)).unwrap()).collect();
    for k in 1..4 {
        let at = Vec3::new(0.5 * k as f64 - 0.25, 0.0, 0.05);
        world.add_joint(Joint::ball(links[k - 1], links[k]).at(at)).unwrap();
    }
    run(&mut world, 2.0);
    assert!(links.iter().all(|&b| world.is_asleep(b)), "{}", world.step(H).contact.asleep);
    let at = world.position(links[3]).unwrap();
    world.apply_force(links[3], Vec3::Z * 50.0, at).unwrap();
    world.step(H);
    assert!(links.iter().all(|&b| !world.is_asleep(b)));
    assert!(world.velocity(links[3]).unwrap().z > 0.1);
}
