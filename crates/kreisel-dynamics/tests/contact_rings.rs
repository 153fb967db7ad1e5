//! Tori in motion: rolling in closed form, holes that things fall through.

mod common;

use common::{DOWN_Z, change};
use kreisel_dynamics::*;

const G: f64 = 9.81;

fn ways() -> [World; 4] {
    let world = |edit: fn(&mut Settings)| {
        let mut world = World::new();
        world.set_gravity(DOWN_Z).unwrap();
        change(&mut world, edit);
        world
    };
    [
        world(|_| {}),
        world(|s| s.contact.time = ContactTime::Exact),
        world(|s| s.method = Method::Lagrange),
        world(|s| {
            s.contact.mode = ContactMode::Event;
            s.contact.touch = 1e-5;
        }),
    ]
}

fn ground(world: &mut World, normal: Vec3) {
    world.set_ground(Some(Shape::HalfSpace { normal, offset: 0.0 }), Material::rough(0.8)).unwrap();
}

/// A ring on a slope of 10°: a = g sin α/(1 + J/(m ρ²)) with the rim at ρ and J = m (R² + ¾ r²).
#[test]
fn a_ring_rolls_down_a_slope_as_its_inertia_says() {
    let (radius, tube) = (0.3, 0.08);
    let shape = Shape::Torus { radius, tube };
    let alpha = 10f64.to_radians();
    let (turn, rim) = (math::rotation(Vec3::Y * alpha), radius + tube);
    let upright = math::rotation(Vec3::X * std::f64::consts::FRAC_PI_2);
    let body = Body::solid(shape, 800.0).unwrap().material(Material::rough(0.8));
    let square = radius * radius + 0.75 * tube * tube;
    let exact = G * alpha.sin() / (1.0 + square / (rim * rim)) * 0.5;
    for (k, mut world) in ways().into_iter().enumerate().take(3) {
        ground(&mut world, turn * Vec3::Z);
        let wheel = body.clone().at(turn * (Vec3::Z * rim)).rotated(turn * upright);
        let wheel = world.add_body(wheel).unwrap();
        for step in 0..250 {
            let report = world.step(2e-3);
            assert_eq!(report.status, Status::Converged, "way {k}, step {step}");
        }
        let v = (turn.conjugate() * world.velocity(wheel).unwrap()).x;
        // under multipliers a point that rolls is first order in the step (docs/limits.md)
        let of_step = if k == 2 { 2e-3 * exact / 0.5 } else { 0.0 };
        assert!((v - exact).abs() < 3e-3 * exact + of_step, "way {k}: {v} for {exact}");
    }
}

/// The hole is open: a ball falls through a ring that lies on posts, another is caught.
#[test]
fn a_ball_falls_through_a_ring_that_is_wide_enough() {
    for (k, mut world) in ways().into_iter().enumerate().take(3) {
        let ring = Body::fixed()
            .shape(Shape::Torus { radius: 0.4, tube: 0.1 })
            .material(Material::rough(0.3));
        world.add_body(ring).unwrap();
        let ball = |radius: f64| {
            Body::solid(Shape::Sphere { radius }, 500.0).unwrap().material(Material::rough(0.3))
        };
        let through = world.add_body(ball(0.29).at(Vec3::Z * 0.8)).unwrap();
        for _ in 0..100 {
            world.step(0.01);
        }
        // free fall for a second
        let z = world.position(through).unwrap().z;
        assert!((z - (0.8 - 0.5 * G)).abs() < 1e-3, "way {k}: {z}");
        let caught = world.add_body(ball(0.35).at(Vec3::Z * 0.4)).unwrap();
        for _ in 0..300 {
            world.step(0.01);
        }
        // the centre of the ball, 0.35 + 0.1 m from the circle of 0.4 m
        let z = world.position(caught).unwrap().z;
        let exact = (0.45_f64 * 0.45 - 0.4 * 0.4).sqrt();
        assert!((z - exact).abs() < 1e-4, "way {k}: {z} for {exact}");
        assert!(world.velocity(caught).unwrap().length() < 1e-3);
    }
}

#[test]
fn single_collisions_refuse_tori() {
    let [mut world, _, _, mut event] = ways();
    let ring =
        || Body::solid(Shape::Torus { radius: 0.3, tube: 0.1 }, 800.0).unwrap().named("ring");
    let refused = Err(ModelError::EventTorus("ring".into()));
    assert_eq!(event.add_body(ring()).map(|_| ()), refused);
    world.add_body(ring()).unwrap();
    assert_eq!(world.set_settings(event.settings().clone()), refused);
}
