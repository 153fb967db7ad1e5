//! Heaps of every shape: what pairs remember changes no bit, and fast heaps are no crowd.

use kreisel_dynamics::{Body, Material, Quat, Shape, Vec3, World};

/// `n`³ bodies over the ground that fall with `speed`.
fn heap(n: usize, speed: f64, threads: usize, shape: impl Fn(usize) -> Shape) -> World {
    let mut world = World::new();
    let settings = kreisel_dynamics::Settings { threads, ..world.settings().clone() };
    world.set_settings(settings).unwrap();
    let ground = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
    world.set_ground(Some(ground), Material::rough(0.5)).unwrap();
    for k in 0..n * n * n {
        let (x, y, z) = ((k % n) as f64, (k / n % n) as f64, (k / n / n) as f64);
        let at = Vec3::new(1.1 * x + 0.02 * z, 1.1 * y - 0.03 * z, 0.8 + 1.1 * z);
        let axis = Vec3::new(0.3 + x, 1.0 - 0.4 * y, 0.2 * z).normalize();
        let body = Body::solid(shape(k), 100.0).unwrap().material(Material::rough(0.5));
        let turn = Quat::from_axis_angle(axis, 0.7 * k as f64);
        world.add_body(body.at(at).rotated(turn).moving(Vec3::NEG_Z * speed)).unwrap();
    }
    world
}

fn any(k: usize) -> Shape {
    match k % 5 {
        0 => Shape::Capsule { radius: 0.25, height: 0.4 },
        1 => Shape::Cylinder { radius: 0.35, height: 0.6 },
        2 => Shape::Cone { radius: 0.4, height: 0.7 },
        3 => Shape::Ellipsoid { radii: Vec3::new(0.3, 0.4, 0.5) },
        _ => Shape::Box { size: Vec3::new(0.5, 0.6, 0.7) },
    }
}

/// A restored world has forgotten axes and budgets of its pairs.
#[test]
fn a_heap_of_every_shape_goes_on_with_the_same_bits_after_a_snapshot_and_on_two_threads() {
    let mut world = heap(4, 0.0, 1, any);
    let mut other = heap(4, 0.0, 2, any);
    let state = |world: &World| {
        format!("{:?}", world.bodies().map(|b| world.position(b)).collect::<Vec<_>>())
    };
    for k in 0..90 {
        if k % 9 == 4 {
            let snapshot = other.snapshot();
            other = heap(4, 0.0, 2, any);
            other.restore(&snapshot).unwrap();
        }
        world.step(1.0 / 60.0);
        other.step(1.0 / 60.0);
        assert!(state(&world) == state(&other), "step {k}");
    }
}

/// Fast bodies have long lists of pairs; taken for heaps of bodies inside each other, their steps
/// were not made again, and bodies overlapped by 11 cm.
#[test]
fn a_fast_heap_is_no_crowd() {
    let mut world = heap(6, 20.0, 1, |_| Shape::Capsule { radius: 0.25, height: 0.4 });
    let mut worst = 0.0_f64;
    for _ in 0..40 {
        worst = worst.max(world.step(1.0 / 60.0).contact.penetration);
    }
    // a step is made again for 2 mm and cut where that does not help: a few times as much is left
    assert!(worst < 0.02, "overlap of {worst} m");
}
