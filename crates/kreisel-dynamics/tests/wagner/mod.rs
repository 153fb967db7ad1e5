//! What the tests of the multiplier method share.
#![allow(dead_code, reason = "every test binary uses its own part of this module")]

use kreisel_dynamics::*;

/// A world under the multiplier method with its defaults: α = β = 5, RK4.
pub fn lagrange(gravity: Vec3) -> World {
    let mut world = World::new();
    world.set_gravity(gravity).unwrap();
    let settings = Settings { method: Method::Lagrange, ..Settings::default() };
    world.set_settings(settings).unwrap();
    world
}

/// The same with tolerances so coarse that nothing but the stabiliser holds constraints, as in the
/// source.
pub fn stabiliser_alone(gravity: Vec3) -> World {
    let mut world = lagrange(gravity);
    let settings = Settings { tolerance: Tolerance::uniform(1e3), ..world.settings().clone() };
    world.set_settings(settings).unwrap();
    world
}

/// Changes the method's settings.
pub fn set(world: &mut World, edit: impl FnOnce(&mut Lagrange)) {
    let mut settings = world.settings().clone();
    edit(&mut settings.lagrange);
    world.set_settings(settings).unwrap();
}

/// Steps over `duration` at `rate` steps per second.
pub fn run(world: &mut World, duration: f64, rate: f64) {
    let steps = (duration * rate).round().max(1.0) as usize;
    for _ in 0..steps {
        let report = world.step(duration / steps as f64);
        assert!(report.ledger.energy.total().is_finite());
    }
}

#[track_caller]
pub fn near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found}, expected {expected} within {tolerance:e}"
    );
}

/// A chain of boxes from the world, ball joints and hinges in turn; `loops` closes it with a rod.
pub fn chain(n: usize, closed: bool) -> World {
    let mut world = lagrange(Vec3::new(0.0, 0.0, -9.81));
    let mut last = BodyId::WORLD;
    for i in 0..n {
        let x = i as f64;
        let body = Body::cuboid(1.0 + 0.3 * x, Vec3::new(1.0, 0.2, 0.1)).ghost().at(Vec3::new(
            x + 0.5,
            0.0,
            0.0,
        ));
        let body = world.add_body(body).unwrap();
        let at = Vec3::new(x, 0.0, 0.0);
        let joint = if i % 2 == 0 {
            Joint::ball(last, body)
        } else {
            Joint::hinge(last, body).axis(Vec3::new(0.0, 1.0, 0.2))
        };
        world.add_joint(joint.at(at)).unwrap();
        last = body;
    }
    if closed {
        let first = world.bodies().next().unwrap();
        let (a, b) = (Vec3::new(0.3, 0.1, 0.0), Vec3::new(n as f64 - 0.2, 0.1, 0.05));
        world.add_joint(Joint::distance(first, last, a, b)).unwrap();
    }
    world
}
