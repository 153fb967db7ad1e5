//! Muscles, hydraulic cylinders, brakes, motors that lag, thrusters that turn, and drag, against
//! closed forms and an integrator of their own.

use kreisel_dynamics::*;

const METHODS: [Method; 3] = [Method::Direct, Method::Iterative, Method::Lagrange];

/// A mass on a vertical rail (z upwards) that a motor drives.
fn lift(method: Method, mass: f64, gravity: f64, control: Control) -> (World, JointId, MotorId) {
    let mut world = World::new();
    world.set_settings(Settings { method, ..Settings::default() }).unwrap();
    world.set_gravity(Vec3::NEG_Z * gravity).unwrap();
    let body = Body::dynamic(MassProperties::principal_moments(mass, Vec3::splat(mass)));
    let body = world.add_body(body).unwrap();
    let joint = world.add_joint(Joint::slider(BodyId::WORLD, body).axis(Vec3::Z)).unwrap();
    let motor = world.add_motor(Motor::new(joint, Coordinate::Position, control)).unwrap();
    (world, joint, motor)
}

fn run(world: &mut World, h: f64, t: f64) {
    for _ in 0..(t / h).round() as usize {
        let report = world.step(h);
        assert_eq!(report.status, Status::Converged, "at {}: {report:?}", world.time());
    }
}

fn state(world: &World, joint: JointId) -> [f64; 2] {
    let of = Coordinate::Position;
    [world.coordinate(joint, of).unwrap(), world.coordinate_rate(joint, of).unwrap()]
}

/// Hill's curves as MuJoCo's manual has them, written down a second time.
fn pull(l: f64, v: f64, a: f64) -> f64 {
    let (low, high, most) = (0.5, 1.6, 1.2);
    let (left, right) = (0.5 * (low + 1.0), 0.5 * (1.0 + high));
    let active = match l {
        l if l < low || l > high => 0.0,
        l if l < left => 0.5 * ((l - low) / (left - low)).powi(2),
        l if l < 1.0 => 1.0 - 0.5 * ((1.0 - l) / (1.0 - left)).powi(2),
        l if l < right => 1.0 - 0.5 * ((l - 1.0) / (right - 1.0)).powi(2),
        l => 0.5 * ((high - l) / (high - right)).powi(2),
    };
    let speed = match v {
        v if v < -1.0 => 0.0,
        v if v < 0.0 => (1.0 + v).powi(2),
        v if v < most - 1.0 => most - (most - 1.0 - v).powi(2) / (most - 1.0),
        _ => most,
    };
    let passive = match (l - 1.0) / (right - 1.0) {
        x if x < 0.0 => 0.0,
        x if x < 1.0 => 0.5 * 1.3 * x * x,
        x => 1.3 * (x - 0.5),
    };
    a * active * speed + passive
}

/// A mass of 2 kg that a muscle (200 N, 0.2 m) holds up from above: the coordinate is the height,
/// the length 0.45 m less the height, so that the arm is −1 and the slack −0.25 − ….
#[test]
fn a_muscle_moves_a_mass_as_an_integrator_of_its_own_says() {
    let (force, optimal, fastest, mass, g) = (200.0, 0.2, 1.5, 2.0, 9.81);
    let u = 0.7;
    // ℓ = −q, of which 0 is an optimal length: L = (−q + 0.2)/0.2
    let muscle = Muscle { slack: -0.2, arm: -1.0, ..Muscle::new(force, optimal) };
    let until = 0.1;

    // Runge-Kutta's rule with the activation as a state, 20000 steps
    let slope = |[q, v, a]: [f64; 3]| {
        let lever = 0.5 + 1.5 * a;
        let time = if u > a { 0.01 * lever } else { 0.04 / lever };
        let f = force * pull((0.2 - q) / optimal, -v / (optimal * fastest), a);
        [v, f / mass - g, (u - a) / time]
    };
    let mut y = [0.0; 3];
    let d = until / 20000.0;
    for _ in 0..20000 {
        let add = |k: [f64; 3], s: f64| [0, 1, 2].map(|i| y[i] + s * k[i]);
        let k1 = slope(y);
        let k2 = slope(add(k1, 0.5 * d));
        let k3 = slope(add(k2, 0.5 * d));
        let k4 = slope(add(k3, d));
        y = [0, 1, 2].map(|i| y[i] + d * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]) / 6.0);
    }

    for method in METHODS {
        let mut errors = Vec::new();
        for h in [0.002, 0.001] {
            let control = Control::Muscle { excitation: Schedule::constant(u), muscle };
            let (mut w, joint, _) = lift(method, mass, g, control);
            run(&mut w, h, until);
            let [q, v] = state(&w, joint);
            errors.push((q - y[0]).abs() + (v - y[1]).abs() * 0.01);
        }
        // second order but for the kinks of the curves, which it crosses within a step
        assert!(y[0].abs() > 0.01, "{y:?}");
        assert!(errors[1] < 1e-5, "{method:?}: {errors:?}");
        assert!(errors[1] < 0.5 * errors[0] || errors[1] < 1e-6, "{method:?}: {errors:?}");
    }
}

/// Out with Q/A, in with Q/A_rod; a closed valve holds; a load beyond p A falls with the rest.
#[test]
fn a_cylinder_moves_by_its_flow_and_pushes_by_its_pressure() {
    let cylinder = Cylinder { area: 2e-3, rod_area: 1.5e-3, pressure: 1e6, flow: 3e-4 };
    for method in METHODS {
        for (valve, rate) in [(1.0, 0.15), (0.5, 0.075), (0.0, 0.0), (-1.0, -0.2), (3.0, 0.15)] {
            let control = Control::Hydraulic { valve: Schedule::constant(valve), cylinder };
            let (mut w, joint, motor) = lift(method, 100.0, 10.0, control);
            run(&mut w, 0.005, 0.5);
            let found = state(&w, joint)[1];
            assert!((found - rate).abs() < 1e-6, "{method:?}, {valve}: {found}");
            let effort = w.motor_effort(motor).unwrap();
            assert!((effort - 1000.0).abs() < 1e-3, "{method:?}, {valve}: {effort} N");
        }
        // 250 kg weigh 2500 N, the cylinder holds 2000 N: −2 m/s²
        let control = Control::Hydraulic { valve: Schedule::constant(0.0), cylinder };
        let (mut w, joint, _) = lift(method, 250.0, 10.0, control);
        run(&mut w, 0.005, 0.1);
        let found = state(&w, joint)[1];
        assert!((found + 0.2).abs() < 1e-6, "{method:?}: {found}");
    }
}

/// v = v₀ e^(−c t/m), at any step.
#[test]
fn a_brake_slows_as_a_damper_does() {
    for method in METHODS {
        for (c, h) in [(3.0, 0.001), (3e5, 0.01)] {
            if method == Method::Lagrange && c > 1e3 {
                continue;
            }
            let (mut w, joint, _) = lift(method, 2.0, 0.0, Control::Damper(Schedule::constant(c)));
            let body = w.joint(joint).unwrap().bodies[1];
            w.set_velocity(body, Vec3::Z, Vec3::ZERO).unwrap();
            run(&mut w, h, 0.5);
            let (found, expected) = (state(&w, joint)[1], f64::exp(-c * 0.5 / 2.0));
            // rates are solved to the tolerance of velocities in each step, and errors add up
            let off = 0.5 / h * w.settings().tolerance.velocity;
            assert!((found - expected).abs() < off, "{method:?}: {found} for {expected}");
        }
    }
}

/// m v = F (t − τ (1 − e^(−t/τ))) from the jump on.
#[test]
fn a_motor_that_lags_follows_with_its_time_constant() {
    let force = Schedule {
        interpolation: Interpolation::Hold,
        ..Schedule::linear(vec![(0.0, 0.0), (0.1, 8.0)])
    };
    for method in METHODS {
        let (mut w, joint, motor) = lift(method, 4.0, 0.0, Control::Effort(force.clone()));
        let lagging = w.motor(motor).unwrap().clone().lagging(0.05);
        w.set_motor(motor, lagging).unwrap();
        run(&mut w, 0.001, 0.4);
        let t = 0.3;
        let expected = 8.0 / 4.0 * (t - 0.05 * (1.0 - f64::exp(-t / 0.05)));
        let found = state(&w, joint)[1];
        // the effort at the middle of a step stands for its mean: (h/τ)²/24
        assert!((found - expected).abs() < 1e-4, "{method:?}: {found} for {expected}");
    }
}

/// A thruster without direction turns its body: ω = N t/I.
#[test]
fn a_thruster_turns_by_its_torque() {
    for method in METHODS {
        let mut w = World::new();
        w.set_settings(Settings { method, ..Settings::default() }).unwrap();
        w.set_gravity(Vec3::ZERO).unwrap();
        let turned = Quat::from_axis_angle(Vec3::X, 0.7);
        let mass = MassProperties::principal_moments(4.0, Vec3::new(0.5, 0.7, 0.9));
        let body = w.add_body(Body::dynamic(mass).rotated(turned)).unwrap();
        let torque = Vec3::Z * 0.3;
        let kind =
            ControllerKind::Thruster { thrust: 6.0, direction: Vec3::ZERO, lag: 0.0, torque };
        w.add_controller(Controller::new(kind, vec![Connector::body(body, Vec3::X)])).unwrap();
        run(&mut w, 0.01, 1.0);
        let expected = turned * Vec3::Z * (6.0 * 0.3 / 0.9);
        let found = w.angular_velocity(body).unwrap();
        assert!(found.distance(expected) < 1e-8, "{method:?}: {found}");
        assert!(w.velocity(body).unwrap().length() < 1e-12);
    }
}

/// A cube of edge s falls as vₜ tanh(g t/vₜ), vₜ² = 2 m g/(ρ s²); in oil as vₜ (1 − e^(−g t/vₜ)),
/// vₜ = m g/(3 π s µ); it stops turning as e^(−π s³ µ t/I).
#[test]
fn drag_is_that_of_the_box_of_its_inertia() {
    let (m, s, g) = (0.1, 0.2, 9.81);
    let i = m * s * s / 6.0;
    for method in METHODS {
        for (density, viscosity) in [(1.2, 0.0), (0.0, 0.5)] {
            let mut w = World::new();
            w.set_settings(Settings { method, ..Settings::default() }).unwrap();
            w.set_gravity(Vec3::NEG_Z * g).unwrap();
            let mass = MassProperties::principal_moments(m, Vec3::splat(i));
            let body = w.add_body(Body::dynamic(mass)).unwrap();
            let wind = Vec3::Z * 2.0;
            let kind = ControllerKind::Drag { density, viscosity, wind };
            w.add_controller(Controller::new(kind, vec![Connector::body(body, Vec3::ZERO)]))
                .unwrap();
            // in the frame of the wind it begins at rest
            // a cube that turns has another drag by density
            let spin = if viscosity > 0.0 { 3.0 } else { 0.0 };
            w.set_velocity(body, wind, Vec3::X * spin).unwrap();
            for _ in 0..200 {
                w.step(0.005);
            }
            let expected = if density > 0.0 {
                let end = (2.0 * m * g / (density * s * s)).sqrt();
                end * (g / end).tanh()
            } else {
                let end = m * g / (3.0 * std::f64::consts::PI * s * viscosity);
                end * (1.0 - f64::exp(-g / end))
            };
            let found = 2.0 - w.velocity(body).unwrap().z;
            assert!((found - expected).abs() < 1e-3, "{method:?}: {found} for {expected}");
            if viscosity > 0.0 {
                let rate = std::f64::consts::PI * s * s * s * viscosity / i;
                let (found, expected) =
                    (w.angular_velocity(body).unwrap().x, 3.0 * f64::exp(-rate));
                assert!((found - expected).abs() < 1e-3, "{method:?}: {found} for {expected}");
            }
        }
    }
}
