//! Thrusters against the closed form of a first-order lag: m v = F (t − τ (1 − e^(−t/τ))).

use kreisel_dynamics::*;

const METHODS: [Method; 3] = [Method::Direct, Method::Iterative, Method::Lagrange];

fn craft(method: Method, direction: Vec3, point: Vec3, lag: f64) -> (World, BodyId, ControllerId) {
    let mut world = World::new();
    world.set_settings(Settings { method, ..Settings::default() }).unwrap();
    world.set_gravity(Vec3::ZERO).unwrap();
    // turned, with its centre of mass aside: the direction is that of the body's own frame
    let turned = Quat::from_axis_angle(Vec3::Z, 0.5);
    let mass = MassProperties::principal_moments(4.0, Vec3::new(0.5, 0.7, 0.9));
    let body = world.add_body(Body::dynamic(mass).rotated(turned)).unwrap();
    let kind = ControllerKind::Thruster { thrust: 8.0, direction, lag, torque: Vec3::ZERO };
    let controller = Controller::new(kind, vec![Connector::body(body, point)]);
    let id = world.add_controller(controller).unwrap();
    (world, body, id)
}

#[test]
fn thrust_follows_with_its_lag_along_a_direction_of_the_body() {
    for method in METHODS {
        for lag in [0.0, 0.3, 1e-4] {
            let (mut w, body, _) = craft(method, Vec3::X * 2.0, Vec3::ZERO, lag);
            for _ in 0..100 {
                assert_eq!(w.step(0.01).status, Status::Converged);
            }
            let slow = if lag > 0.0 { lag * (1.0 - f64::exp(-1.0 / lag)) } else { 0.0 };
            let expected =
                Vec3::new(0.5_f64.cos(), 0.5_f64.sin(), 0.0) * (8.0 / 4.0 * (1.0 - slow));
            let v = w.velocity(body).unwrap();
            // means over steps are exact; the integrator of the multiplier method is of fourth
            // order
            let bound = if method == Method::Lagrange { 1e-8 } else { 1e-12 };
            assert!(v.distance(expected) < bound, "{method:?}, {lag}: {v} for {expected}");
        }
    }
}

/// A constant torque about a principal axis: ω = F r t/I.
#[test]
fn a_thruster_beside_the_centre_turns_the_body_and_its_own_direction() {
    for method in METHODS {
        let (mut w, body, _) = craft(method, Vec3::Y, Vec3::X * 0.1, 0.0);
        for _ in 0..100 {
            w.step(0.01);
        }
        let spin = w.angular_velocity(body).unwrap().z;
        assert!((spin - 8.0 * 0.1 / 0.9).abs() < 1e-9, "{method:?}: {spin}");
        // work done is the kinetic energy
        let (v, i) = (w.velocity(body).unwrap(), 0.9);
        let kinetic = 0.5 * (4.0 * v.length_squared() + i * spin * spin);
        assert!((w.energy().kinetic - kinetic).abs() < 1e-9);
    }
}

/// Switched off by its time, the thrust dies away: in all m v = F T.
#[test]
fn what_the_lag_delays_comes_later() {
    for method in METHODS {
        let (mut w, body, id) = craft(method, Vec3::X, Vec3::ZERO, 0.1);
        let mut of = w.controller(id).unwrap().clone();
        w.remove_controller(id).unwrap();
        of.until = 0.5;
        w.add_controller(of).unwrap();
        for _ in 0..300 {
            w.step(0.01);
        }
        let v = w.velocity(body).unwrap().length();
        assert!((v - 8.0 * 0.5 / 4.0).abs() < 1e-3, "{method:?}: {v}");
    }
}
