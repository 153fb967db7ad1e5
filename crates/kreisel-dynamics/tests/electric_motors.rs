//! Direct-current motors against the closed forms of a wheel J on a winding: L di/dt = U − R i − K
//! ω, J ω' = K i.

use kreisel_dynamics::*;

const J: f64 = 0.02;
const K: f64 = 0.5;
const R: f64 = 2.0;
const U: f64 = 12.0;

/// A wheel that turns freely, with a motor on its axle.
fn wheel(method: Method, order: Order, inductance: f64) -> (World, JointId, MotorId) {
    let mut world = World::new();
    // the order is that of the step: none is divided
    let substeps =
        if order == Order::Two { Settings::default().substeps } else { Substeps::Fixed(1) };
    world.set_settings(Settings { method, order, substeps, ..Settings::default() }).unwrap();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mass = MassProperties::principal_moments(1.0, Vec3::splat(J));
    let body = world.add_body(Body::dynamic(mass)).unwrap();
    let joint = world.add_joint(Joint::hinge(BodyId::WORLD, body).axis(Vec3::Z)).unwrap();
    let winding = Winding { constant: K, resistance: R, inductance };
    let control = Control::Electric { voltage: Schedule::constant(U), winding };
    let motor = world.add_motor(Motor::new(joint, Coordinate::Angle, control)).unwrap();
    (world, joint, motor)
}

fn run(world: &mut World, h: f64, t: f64) {
    for _ in 0..(t / h).round() as usize {
        let report = world.step(h);
        assert_eq!(report.status, Status::Converged, "at {}", world.time());
        // the ledger books the motor's work
        assert!(report.ledger.residual.abs() < 1e-3, "{} J", report.ledger.residual);
    }
}

fn rate(world: &World, joint: JointId) -> f64 {
    world.coordinate_rate(joint, Coordinate::Angle).unwrap()
}

const METHODS: [Method; 3] = [Method::Direct, Method::Iterative, Method::Lagrange];

/// ω = U/K (1 − e^(−t/τ)), τ = R J/K² = 0.16 s.
#[test]
fn a_motor_without_inductance_speeds_up_with_its_time_constant() {
    let tau = R * J / (K * K);
    for method in METHODS {
        let (mut w, joint, motor) = wheel(method, Order::Two, 0.0);
        run(&mut w, 0.001, 0.2);
        let expected = U / K * (1.0 - f64::exp(-0.2 / tau));
        // second order: (h/τ)²/12 of the speed
        assert!(
            (rate(&w, joint) - expected).abs() < 1e-4,
            "{method:?}: {} for {expected}",
            rate(&w, joint)
        );
        let effort = K * (U - K * expected) / R;
        assert!(
            (w.motor_effort(motor).unwrap() - effort).abs() < 0.01,
            "{:?}",
            w.motor_effort(motor)
        );
    }
}

/// A hundred time constants in a step, and a winding that is slow against it: the speed ends at
/// U/K.
#[test]
fn a_motor_is_stable_at_any_step() {
    for (inductance, until) in [(0.0, 20.0), (0.01, 20.0), (0.1, 60.0)] {
        for h in [0.01, 0.1, 1.0] {
            let (mut w, joint, _) = wheel(Method::Direct, Order::Two, inductance);
            for _ in 0..(until / h) as usize {
                w.step(h);
                assert!(
                    rate(&w, joint).abs() < 2.0 * U / K,
                    "L = {inductance}, h = {h}: {}",
                    rate(&w, joint)
                );
            }
            let last = rate(&w, joint);
            assert!((last - U / K).abs() < 1e-6 * U / K, "L = {inductance}, h = {h}: {last}");
        }
    }
}

/// J L ω'' + J R ω' + K² ω = K U: for L = 0.1 H an oscillation about U/K.
#[test]
fn inductance_makes_the_current_lag_as_the_second_order_equation_says() {
    let l = 0.1;
    let (decay, square) = (0.5 * R / l, K * K / (J * l));
    let beat = (square - decay * decay).sqrt();
    let t = 0.15;
    let expected =
        U / K * (1.0 - f64::exp(-decay * t) * ((beat * t).cos() + decay / beat * (beat * t).sin()));
    let error = |method, order, h| {
        let (mut w, joint, _) = wheel(method, order, l);
        run(&mut w, h, t);
        (rate(&w, joint) - expected).abs()
    };
    for method in METHODS {
        let [coarse, fine] = [error(method, Order::Two, 0.005), error(method, Order::Two, 0.0025)];
        assert!(fine < 0.02, "{method:?}: {fine}");
        let order = (coarse / fine).log2();
        assert!((order - 2.0).abs() < 0.25, "{method:?}: order {order}, {coarse} {fine}");
    }
}

/// A driver that limits the effort: the wheel speeds up evenly, ω = M t/J, until the winding asks
/// for less.
#[test]
fn a_limited_effort_speeds_up_evenly() {
    for method in METHODS {
        let (mut w, joint, motor) = wheel(method, Order::Two, 0.0);
        let mut of = w.motor(motor).unwrap().clone();
        of.max_effort = 1.0;
        w.set_motor(motor, of).unwrap();
        run(&mut w, 0.001, 0.1);
        assert!((rate(&w, joint) - 1.0 * 0.1 / J).abs() < 1e-6, "{method:?}: {}", rate(&w, joint));
    }
}

/// Snapshots hold the current: a restored world goes on with the same bits.
#[test]
fn a_snapshot_remembers_the_current() {
    let (mut w, _, _) = wheel(Method::Direct, Order::Two, 0.1);
    run(&mut w, 0.01, 0.05);
    let kept = w.snapshot();
    run(&mut w, 0.01, 0.05);
    let expected = w.state_hash();
    w.restore(&kept).unwrap();
    run(&mut w, 0.01, 0.05);
    assert_eq!(w.state_hash(), expected);
}

#[test]
fn a_winding_without_resistance_is_refused() {
    let (mut w, joint, _) = wheel(Method::Direct, Order::Two, 0.0);
    let winding = Winding { constant: K, resistance: 0.0, inductance: 0.1 };
    let control = Control::Electric { voltage: Schedule::constant(U), winding };
    let refused = w.add_motor(Motor::new(joint, Coordinate::Angle, control)).unwrap_err();
    assert!(refused.to_string().contains("resistance"), "{refused}");
}
