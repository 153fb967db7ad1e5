//! Couplings of joint coordinates against closed forms: gears, racks, screws and polynomials.

use kreisel_dynamics::*;

/// A world without gravity, in a method, with the tolerance that the ratios are asked to.
fn world(method: Method) -> World {
    let mut world = World::new();
    let tolerance = Tolerance { position: 1e-11, angle: 1e-11, ..Tolerance::default() };
    world.set_settings(Settings { method, tolerance, ..Settings::default() }).unwrap();
    world.set_gravity(Vec3::ZERO).unwrap();
    world
}

/// A wheel of 1 kg on a hinge along z, with a moment of inertia about it.
fn wheel(world: &mut World, x: f64, inertia: f64) -> JointId {
    let at = Vec3::new(x, 0.0, 0.0);
    let mass = MassProperties::principal_moments(1.0, Vec3::splat(inertia));
    let body = world.add_body(Body::dynamic(mass).at(at)).unwrap();
    world.add_joint(Joint::hinge(BodyId::WORLD, body).at(at).axis(Vec3::Z)).unwrap()
}

fn angle(world: &World, joint: JointId) -> f64 {
    world.coordinate(joint, Coordinate::Angle).unwrap()
}

/// A torque of 1 N m on a joint.
fn push(world: &mut World, joint: JointId) {
    let control = Control::Effort(Schedule::constant(1.0));
    world.add_motor(Motor::new(joint, Coordinate::Angle, control)).unwrap();
}

/// Runs in steps of 10 ms; those of the multiplier method are 1 ms: its Runge-Kutta steps of fourth
/// order are 4e-6 off at 10 ms and 36 rad/s.
fn run(world: &mut World, method: Method, until: f64) {
    let steps = until * if method == Method::Lagrange { 1000.0 } else { 100.0 };
    for _ in 0..steps.round() as usize {
        world.step(until / steps);
    }
}

const METHODS: [Method; 3] = [Method::Direct, Method::Iterative, Method::Lagrange];

/// Torque T on wheel 1 and ratio n: (I₁ + n² I₂) α = T, both angles from rest α t²/2.
#[test]
fn a_gear_train_turns_as_its_reduced_inertia_says_over_many_turns() {
    for method in METHODS {
        let mut w = world(method);
        let (a, b, c) =
            (wheel(&mut w, 0.0, 0.02), wheel(&mut w, 1.0, 0.05), wheel(&mut w, 2.0, 0.01));
        w.add_constraint(Constraint::gear(a, b, -0.5)).unwrap();
        w.add_constraint(Constraint::gear(b, c, -3.0)).unwrap();
        push(&mut w, a);
        run(&mut w, method, 2.0);
        // wheel c turns −3 · −0.5 = 1.5 times as far as a
        let alpha = 1.0 / (0.02 + 0.25 * 0.05 + 2.25 * 0.01);
        let expected = 0.5 * alpha * 4.0;
        let [a, b, c] = [a, b, c].map(|j| angle(&w, j));
        assert!(expected > 30.0, "several turns");
        assert!((a - expected).abs() < 1e-7 * expected, "{method:?}: {a} for {expected}");
        let bound = if method == Method::Lagrange { 1e-6 } else { 1e-9 };
        assert!(
            (b + 0.5 * a).abs() < bound && (c + 3.0 * b).abs() < 3.0 * bound,
            "{method:?}: {a} {b} {c}"
        );
    }
}

/// A pinion of radius r moves a rack of mass m: (I + m r²) α = T, x = r φ.
#[test]
fn a_rack_is_moved_by_the_radius_of_its_pinion() {
    for method in METHODS {
        let mut w = world(method);
        let pinion = wheel(&mut w, 0.0, 0.02);
        let rack = w
            .add_body(Body::cuboid(4.0, Vec3::new(1.0, 0.1, 0.1)).at(Vec3::new(0.0, 0.1, 0.0)))
            .unwrap();
        let slide = w.add_joint(Joint::slider(BodyId::WORLD, rack).axis(Vec3::X)).unwrap();
        let shares = vec![
            CoupledJoint::new(pinion, Coordinate::Angle, 0.1),
            CoupledJoint::new(slide, Coordinate::Position, -1.0),
        ];
        w.add_constraint(Constraint::coupling(shares, 0.0)).unwrap();
        push(&mut w, pinion);
        run(&mut w, method, 1.0);
        let expected = 0.5 / (0.02 + 4.0 * 0.01);
        let (phi, x) = (angle(&w, pinion), w.coordinate(slide, Coordinate::Position).unwrap());
        assert!((phi - expected).abs() < 1e-7 * expected, "{method:?}: {phi} for {expected}");
        let bound = if method == Method::Lagrange { 1e-6 } else { 1e-9 };
        assert!((x - 0.1 * phi).abs() < bound, "{method:?}: {x} for {phi}");
    }
}

/// Without forces the energy ½ (I₁ + p'(q₁)² I₂) q̇₁² stays, and q₂ = p(q₁) + offset.
#[test]
fn a_polynomial_coupling_holds_and_keeps_the_energy() {
    let mut w = world(Method::Direct);
    let (a, b) = (wheel(&mut w, 0.0, 0.02), wheel(&mut w, 1.0, 0.05));
    let shares = vec![
        CoupledJoint { joint: a, coordinate: Coordinate::Angle, factors: vec![0.5, 0.2, -0.1] },
        CoupledJoint::new(b, Coordinate::Angle, -1.0),
    ];
    let id: ConstraintId = w.add_constraint(Constraint::coupling(shares, 0.0)).unwrap();
    let [first, second] = [a, b].map(|j| w.joint(j).unwrap().bodies[1]);
    w.set_velocity(first, Vec3::ZERO, Vec3::Z).unwrap();
    w.set_velocity(second, Vec3::ZERO, 0.5 * Vec3::Z).unwrap();
    let before = 0.5 * (0.02 + 0.25 * 0.05);
    for _ in 0..200 {
        w.step(0.005);
        let q = angle(&w, a);
        let p = ((-0.1 * q + 0.2) * q + 0.5) * q;
        assert!((angle(&w, b) - p).abs() < 1e-9, "{} for {p}", angle(&w, b));
    }
    let (q, rate) = (angle(&w, a), w.coordinate_rate(a, Coordinate::Angle).unwrap());
    let slope = 0.5 + 0.4 * q - 0.3 * q * q;
    let after = 0.5 * (0.02 + slope * slope * 0.05) * rate * rate;
    // the step is symmetric and of second order: 1e-4 at 5 ms on a time scale of 1 s
    assert!((after - before).abs() < 1e-4 * before, "{after} J for {before} J");

    // a joint that is removed takes the coupling with it
    w.remove_joint(b).unwrap();
    assert!(w.constraint(id).is_none());
}
