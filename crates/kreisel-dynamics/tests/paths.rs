//! Long paths of ball joints, which are factorised in four lanes, against the iterative method,
//! which knows nothing of lanes.

mod common;

use common::plain_world;
use kreisel_dynamics::{Body, BodyId, Joint, Method, Quat, Vec3, World};

/// A crooked path of `n` boxes of unequal masses, held at one end or flying freely. `swapped` turns
/// every other joint round.
fn path(n: usize, held: bool, swapped: bool, method: Method) -> World {
    let mut world = plain_world(Vec3::new(0.0, -9.81, 1.0), 1e-11);
    common::change(&mut world, |s| s.method = method);
    let (mut last, mut at) = (BodyId::WORLD, Vec3::ZERO);
    for i in 0..n {
        let k = i as f64;
        let turn =
            Quat::from_rotation_z((1.7 * k).sin()) * Quat::from_rotation_y(0.6 * (0.9 * k).cos());
        let body = Body::cuboid(1.0 + 0.5 * (2.3 * k).sin(), Vec3::new(0.2, 0.06, 0.05))
            .ghost()
            .at(at + turn * Vec3::X * 0.1)
            .rotated(turn);
        let body = world.add_body(body).unwrap();
        if i > 0 || held {
            let [a, b] = if swapped && i % 2 == 1 { [body, last] } else { [last, body] };
            world.add_joint(Joint::ball(a, b).at(at)).unwrap();
        }
        (last, at) = (body, at + turn * Vec3::X * 0.2);
    }
    world
}

#[test]
fn lanes_and_sweeps_agree_on_paths_of_every_length() {
    // all four remainders of the division into lanes
    for n in [24, 25, 26, 27] {
        for (held, swapped) in [(true, false), (false, true)] {
            let [direct, iterative] = [Method::Direct, Method::Iterative].map(|method| {
                let mut world = path(n, held, swapped, method);
                for step in 0..5 {
                    common::converged(&world.step(0.002), step);
                }
                world
            });
            let off = common::distance(&direct, &iterative);
            assert!(off < 1e-8, "{n} links, held {held}: {off} m apart");
        }
    }
}

#[test]
fn a_path_pulled_straight_between_two_pins_stays_straight() {
    // held at both ends it is no path for the lanes; level and taut, its rows along the line are
    // redundant
    let mut world = plain_world(Vec3::new(0.0, -9.81, 0.0), 1e-8);
    let mut last = BodyId::WORLD;
    for i in 0..30 {
        let x = 0.1 * f64::from(i);
        let body = world
            .add_body(
                Body::cuboid(1.0, Vec3::new(0.1, 0.05, 0.05)).ghost().at(Vec3::X * (x + 0.05)),
            )
            .unwrap();
        world.add_joint(Joint::ball(last, body).at(Vec3::X * x)).unwrap();
        last = body;
    }
    world.add_joint(Joint::ball(last, BodyId::WORLD).at(Vec3::X * 3.0)).unwrap();
    for _ in 0..20 {
        let report = world.step(0.01);
        assert!(report.ledger.energy.total().is_finite());
    }
    // 31 joints that may each be open by 1e-8 m lengthen the 3 m by e = 3.1e-7 m at the most, and a
    // shallow arc that is longer than its chord L by e sags by √(3 L e / 8) = 0.59 mm
    let worst =
        world.bodies().map(|b| world.center_of_mass(b).unwrap().y.abs()).fold(0.0, f64::max);
    let allowed = (3.0 / 8.0 * 3.0 * 31.0 * 1e-8_f64).sqrt();
    assert!(worst < allowed, "{worst} m of {allowed} m");
}
