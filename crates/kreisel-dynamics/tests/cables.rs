//! Cables that run over spheres and cylinders, and through pulleys, against closed forms.

use kreisel_dynamics::*;

const GRAVITY: f64 = 9.81;
const METHODS: [Method; 2] = [Method::Direct, Method::Lagrange];

fn world(method: Method) -> World {
    let mut world = World::new();
    let held = if method == Method::Lagrange { 1e-5 } else { 1e-10 };
    let tolerance = Tolerance { position: held, angle: held, ..Tolerance::default() };
    world.set_settings(Settings { method, tolerance, ..Settings::default() }).unwrap();
    world.set_gravity(Vec3::NEG_Z * GRAVITY).unwrap();
    world
}

fn weight(world: &mut World, mass: f64, at: Vec3) -> (BodyId, Connector) {
    let body = world.add_body(Body::point(mass).at(at)).unwrap();
    (body, Connector::body(body, Vec3::ZERO))
}

fn cable(
    world: &mut World,
    connectors: Vec<Connector>,
    wraps: Vec<Wrap>,
    weights: Vec<f64>,
) -> ConstraintId {
    let mut cable = Constraint::cable(connectors);
    cable.kind = ConstraintKind::Cable { length: None, drum: None, wraps, weights };
    world.add_constraint(cable).unwrap()
}

fn run(world: &mut World, h: f64, t: f64) {
    for _ in 0..(t / h).round() as usize {
        let report = world.step(h);
        assert_eq!(report.status, Status::Converged, "at {}", world.time());
    }
}

fn over(radius: f64, axis: Option<Vec3>) -> Wrap {
    Wrap { after: 0, around: 2, radius, axis, side: None }
}

/// Over a wheel without friction, sphere or cylinder: (m₁ + m₂) a = (m₁ − m₂) g.
#[test]
fn a_cable_over_a_wheel_is_atwoods_machine() {
    for method in METHODS {
        for axis in [None, Some(Vec3::Y)] {
            let mut w = world(method);
            let (a, on_a) = weight(&mut w, 3.0, Vec3::new(-0.2, 0.0, -2.0));
            let (b, on_b) = weight(&mut w, 2.0, Vec3::new(0.2, 0.0, -2.0));
            let [center, top] = [Vec3::ZERO, Vec3::Z].map(Connector::fixed);
            let wrap = Wrap { side: Some(3), ..over(0.2, axis) };
            cable(&mut w, vec![on_a, on_b, center, top], vec![wrap], vec![]);
            run(&mut w, 0.005, 0.4);
            let [fell, rose] = [a, b].map(|x| w.position(x).unwrap());
            let way = 0.5 * GRAVITY / 5.0 * 0.16;
            let expected = [Vec3::new(-0.2, 0.0, -2.0 - way), Vec3::new(0.2, 0.0, -2.0 + way)];
            assert!(fell.distance(expected[0]) < 1e-6, "{method:?}: {fell} for {}", expected[0]);
            assert!(rose.distance(expected[1]) < 1e-6, "{method:?}: {rose}");
        }
    }
}

/// A ball on a cable that winds onto a fixed peg: it moves on the involute with the speed of its
/// height, v² = 2 g (z₀ − z), and the cable keeps its length.
#[test]
fn a_pendulum_that_winds_onto_a_peg_keeps_energy_and_length() {
    let (r, length) = (0.3, 1.0);
    for method in METHODS {
        let mut w = world(method);
        // the cable's fixed end is at the top of the peg, just outside of it; the ball swings down
        // from the right on the free part, which is tangent at the right
        let top = Vec3::new(0.0, 0.0, r * (1.0 + 1e-6));
        let start = Vec3::new(r + length, 0.0, r);
        let (ball, on_ball) = weight(&mut w, 1.0, start);
        let side = Connector::fixed(Vec3::new(r, 0.0, r));
        let wrap = Wrap { after: 0, around: 2, radius: r, axis: Some(Vec3::Y), side: Some(3) };
        let connectors = vec![Connector::fixed(top), on_ball, Connector::fixed(Vec3::ZERO), side];
        let id = cable(&mut w, connectors, vec![wrap], vec![]);
        let whole = r + length;
        for _ in 0..500 {
            w.step(0.001);
            let (x, v) = (w.position(ball).unwrap(), w.velocity(ball).unwrap());
            let fall = 2.0 * GRAVITY * (start.z - x.z);
            // second order: 1e-6 of the energy at this step
            assert!((v.length_squared() - fall).abs() < 2e-4, "{method:?} at {}: {v}", w.time());
            // the involute: from the top over the angle a the free part is whole − r a
            let corners = w.cable_corners(id).unwrap();
            // at first it does not wind yet
            let t = corners[corners.len() - 2].at;
            let (free, angle) = (t.distance(x), f64::atan2(t.x, t.z));
            assert!((free + r * angle - whole).abs() < 1e-5, "{method:?}: {free}, {angle}");
        }
        assert!(w.position(ball).unwrap().z < -0.3, "it swings");
    }
}

/// A load hangs on a wheel in the bight of a cable: (M + 4 m) a = (M − 2 m) g.
#[test]
fn a_wheel_in_a_bight_carries_twice_the_tension() {
    let (load, counter, r) = (5.0, 2.0, 0.25);
    for method in METHODS {
        let mut w = world(method);
        let mass = MassProperties::principal_moments(load, Vec3::splat(0.1));
        let pulley = w.add_body(Body::dynamic(mass).at(Vec3::NEG_Z * 2.0)).unwrap();
        let (_, on_m) = weight(&mut w, counter, Vec3::new(1.5, 0.0, -2.0));
        let connectors = vec![
            Connector::fixed(Vec3::new(-r, 0.0, 0.0)),
            Connector::fixed(Vec3::new(r, 0.0, 0.0)),
            Connector::fixed(Vec3::new(1.5, 0.0, 0.0)),
            on_m,
            Connector::body(pulley, Vec3::ZERO),
            Connector::body(pulley, Vec3::NEG_Z * r),
        ];
        let wrap = Wrap { after: 0, around: 4, radius: r, axis: Some(Vec3::Y), side: Some(5) };
        cable(&mut w, connectors, vec![wrap], vec![]);
        run(&mut w, 0.005, 0.4);
        let fell = -2.0 - w.position(pulley).unwrap().z;
        let expected = 0.5 * GRAVITY * (load - 2.0 * counter) / (load + 4.0 * counter) * 0.16;
        assert!((fell - expected).abs() < 1e-6, "{method:?}: {fell} for {expected}");
        assert!(w.angular_velocity(pulley).unwrap().length() < 1e-6, "nothing turns it");
    }
}

/// Two branches of a pulley, the second counting twice: (m₁ + m₂/4) a₁ = (m₁ − m₂/2) g.
#[test]
fn a_branch_counts_by_its_weight() {
    for method in METHODS {
        let mut w = world(method);
        let (a, on_a) = weight(&mut w, 2.0, Vec3::NEG_Z);
        let (b, on_b) = weight(&mut w, 3.0, Vec3::new(1.0, 0.0, -1.0));
        let [first, second] = [Vec3::ZERO, Vec3::X].map(Connector::fixed);
        cable(&mut w, vec![on_a, first, second, on_b], vec![], vec![1.0, 0.0, 2.0]);
        run(&mut w, 0.005, 0.4);
        let fell = -1.0 - w.position(a).unwrap().z;
        let expected = 0.5 * GRAVITY * (2.0 - 1.5) / (2.0 + 0.75) * 0.16;
        assert!((fell - expected).abs() < 1e-6, "{method:?}: {fell} for {expected}");
        let rose = w.position(b).unwrap().z + 1.0;
        assert!((rose - 0.5 * expected).abs() < 1e-6, "{method:?}: {rose}");
    }
}

#[test]
fn wraps_that_cannot_be_are_refused() {
    let mut w = world(Method::Direct);
    let (_, on) = weight(&mut w, 1.0, Vec3::NEG_Z);
    let connectors = vec![Connector::fixed(Vec3::ZERO), on, Connector::fixed(Vec3::X)];
    for wrap in [
        Wrap { after: 1, ..over(0.1, None) },
        Wrap { around: 7, ..over(0.1, None) },
        Wrap { side: Some(2), ..over(0.1, None) },
        over(0.0, None),
        over(0.1, Some(Vec3::ZERO)),
    ] {
        let mut cable = Constraint::cable(connectors.clone());
        cable.kind =
            ConstraintKind::Cable { length: None, drum: None, wraps: vec![wrap], weights: vec![] };
        assert!(w.add_constraint(cable).is_err(), "{wrap:?}");
    }
}
