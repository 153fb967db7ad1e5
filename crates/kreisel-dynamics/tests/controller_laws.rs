//! Controllers as implicit laws under the impulse methods: rest, order, stability at any gain,
//! momentum, targets that move, contacts, the ledger. Expected values are closed forms.

use kreisel_dynamics::*;

const GRAVITY: f64 = 9.81;

fn com(body: BodyId) -> Connector {
    Connector::body(body, Vec3::ZERO)
}

fn pid(position: f64, velocity: f64, integral: f64) -> ControllerKind {
    ControllerKind::Pid { position, velocity, integral }
}

/// A ball of 2 kg at the origin that a PID controller draws to (0, 0, 1).
fn drawn(kind: ControllerKind, settings: Settings) -> (World, BodyId) {
    let mut world = World::new();
    let ball = world.add_body(Body::sphere(2.0, 0.1).ghost()).unwrap();
    world
        .add_controller(Controller::new(kind, vec![com(ball), Connector::fixed(Vec3::Z)]))
        .unwrap();
    world.set_settings(settings).unwrap();
    (world, ball)
}

fn height(world: &World, body: BodyId) -> f64 {
    world.center_of_mass(body).unwrap().z
}

/// Gains from soft to as good as rigid, steps from 2 to 50 ms: the sag is m g/K, and nothing is
/// gained on the way.
#[test]
fn a_body_rests_where_gain_and_weight_balance_at_any_gain_and_step() {
    for gain in [1e2, 1e5, 1e9, 1e12] {
        for damping in [0.5, 1.0, 10.0] {
            for step in [0.002, 0.01, 0.05] {
                let (mut world, ball) =
                    drawn(pid(gain, damping * 2.0 * (2.0 * gain).sqrt(), 0.0), Settings::default());
                let stored = 2.0 * GRAVITY + 0.5 * gain;
                for _ in 0..(8.0_f64.max(80.0 * damping / gain.sqrt()) / step) as usize {
                    world.step(step);
                    let speed = world.velocity(ball).unwrap().length();
                    assert!(
                        speed * speed <= stored * 1.001,
                        "gain {gain}, step {step}: {speed} m/s"
                    );
                }
                let rest = 1.0 - 2.0 * GRAVITY / gain;
                let off = (height(&world, ball) - rest).abs();
                assert!(
                    off < 1e-9 * rest.abs().max(1.0),
                    "gain {gain}, damping {damping}, step {step}: off by {off}"
                );
            }
        }
    }
}

/// x'' = −(k/m) x − (d/m) x' with k 60, d 6, m 2: ω = √(30 − 2.25), from rest at −1.
#[test]
fn the_motion_is_of_second_order_and_of_the_order_that_is_asked_for() {
    let (decay, omega) = (1.5_f64, 27.75_f64.sqrt());
    let t = 1.0;
    let expected =
        1.0 - (-decay * t).exp() * ((omega * t).cos() + decay / omega * (omega * t).sin());
    for (order, floor) in [(Order::Two, 1.7), (Order::Four, 3.6)] {
        let errors = [20.0_f64, 40.0].map(|rate| {
            let settings = Settings { order, substeps: Substeps::Fixed(1), ..Settings::default() };
            let (mut world, ball) = drawn(pid(60.0, 6.0, 0.0), settings);
            world.set_gravity(Vec3::ZERO).unwrap();
            for _ in 0..(t * rate) as usize {
                assert_eq!(world.step(1.0 / rate).status, Status::Converged);
            }
            (height(&world, ball) - expected).abs()
        });
        let found = (errors[0] / errors[1]).log2();
        assert!(found > floor, "{order:?}: order {found}, errors {errors:?}");
    }
}

/// Two bodies of 1 and 3 kg: the reduced mass of 0.75 kg swings, the centre of mass flies on.
#[test]
fn a_controller_between_two_bodies_keeps_their_momentum() {
    for kind in [
        pid(30.0, 0.0, 0.0),
        ControllerKind::Spring { stiffness: 30.0, damping: 0.0, length: Some(0.5) },
    ] {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).unwrap();
        let a = world.add_body(Body::sphere(1.0, 0.1).ghost()).unwrap();
        let b = world.add_body(Body::sphere(3.0, 0.1).ghost().at(Vec3::X)).unwrap();
        world.set_velocity(b, Vec3::new(0.0, 0.0, 0.4), Vec3::ZERO).unwrap();
        let rest = if matches!(kind, ControllerKind::Spring { .. }) { 0.5 } else { 0.0 };
        world.add_controller(Controller::new(kind, vec![com(a), com(b)])).unwrap();
        let energy = |w: &World| {
            let [va, vb] = [a, b].map(|b| w.velocity(b).unwrap().length_squared());
            let d = w.center_of_mass(a).unwrap().distance(w.center_of_mass(b).unwrap()) - rest;
            0.5 * va + 1.5 * vb + 15.0 * d * d
        };
        let start = energy(&world);
        for _ in 0..200 {
            world.step(0.01);
            let momentum = world.velocity(a).unwrap() + 3.0 * world.velocity(b).unwrap();
            assert!((momentum - Vec3::new(0.0, 0.0, 1.2)).length() < 1e-12, "{momentum}");
        }
        assert!((energy(&world) / start - 1.0).abs() < 2e-3, "{} of {start} J", energy(&world));
    }
}

/// An integral part leaves no sag: K_x e + K_i ∫e dt = m g needs no error at rest.
#[test]
fn an_integral_part_brings_the_body_to_its_goal() {
    for stepping in [Stepping::Auto, Stepping::Energy] {
        let (mut world, ball) =
            drawn(pid(200.0, 60.0, 150.0), Settings { stepping, ..Settings::default() });
        for _ in 0..3000 {
            world.step(0.02);
        }
        assert!(
            (height(&world, ball) - 1.0).abs() < 1e-9,
            "{stepping:?}: {}",
            height(&world, ball)
        );
    }
}

/// Behind a target of speed u a trajectory controller lags by βu√(2/α) (Wagner 6.2.4.1), at any
/// step.
#[test]
fn a_trajectory_controller_lags_as_the_thesis_says() {
    let (alpha, beta, speed) = (50.0, 1.4, 0.3);
    for step in [0.005, 0.05] {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).unwrap();
        let ball = world.add_body(Body::sphere(2.0, 0.1).ghost()).unwrap();
        let target = Connector::Fixed { position: Vec3::ZERO, velocity: Vec3::X * speed };
        let kind = ControllerKind::Trajectory { alpha, beta };
        world.add_controller(Controller::new(kind, vec![target, com(ball)])).unwrap();
        for _ in 0..(10.0 / step) as usize {
            world.step(step);
        }
        let lag = speed * world.time() - world.center_of_mass(ball).unwrap().x;
        assert!(
            (lag - beta * speed * (2.0 / alpha).sqrt()).abs() < 1e-9,
            "step {step}: lags by {lag}"
        );
    }
}

/// Off until 0.5 s: a free fall of ½ g t².
#[test]
fn a_controller_acts_within_its_time_only() {
    let mut world = World::new();
    let ball = world.add_body(Body::sphere(2.0, 0.1).ghost()).unwrap();
    let controller =
        Controller::new(pid(1e6, 1e3, 0.0), vec![com(ball), Connector::fixed(Vec3::Z)]);
    world.add_controller(Controller { from: 0.5, ..controller }).unwrap();
    for _ in 0..50 {
        world.step(0.01);
    }
    assert!((height(&world, ball) + 0.125 * GRAVITY).abs() < 1e-9, "{}", height(&world, ball));
    for _ in 0..200 {
        world.step(0.01);
    }
    assert!(
        (height(&world, ball) - 1.0 + 2.0 * GRAVITY / 1e6).abs() < 1e-9,
        "{}",
        height(&world, ball)
    );
}

/// A controller presses a ball onto the ground: it rests in touch, and the ground carries weight
/// and push.
#[test]
fn a_controller_that_presses_a_body_onto_the_ground_rests() {
    for gain in [1e2, 1e5] {
        let mut world = World::new();
        let ground = Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 };
        world.set_ground(Some(ground), Material::default()).unwrap();
        let ball = world.add_body(Body::sphere(2.0, 0.1).at(Vec3::Z * 0.2)).unwrap();
        let goal = Connector::fixed(Vec3::new(0.0, 0.0, -0.9));
        world
            .add_controller(Controller::new(pid(gain, 0.1 * gain, 0.0), vec![com(ball), goal]))
            .unwrap();
        for _ in 0..400 {
            world.step(0.01);
        }
        let contact = world.settings().contact.tolerance + world.settings().contact.overlap;
        assert!((height(&world, ball) - 0.1).abs() <= contact, "{}", height(&world, ball));
        let force = world.contact_force(ball).unwrap().z;
        assert!((force / (2.0 * GRAVITY + gain) - 1.0).abs() < 1e-4, "gain {gain}: {force} N");
    }
}

/// What a controller does is the user's work: the ledger adds up, and a restored world goes on with
/// the same bits.
#[test]
fn the_ledger_adds_up_and_a_restored_world_goes_on_alike() {
    let (mut world, ball) = drawn(pid(60.0, 6.0, 20.0), Settings::default());
    let (mut residual, mut user) = (0.0, 0.0);
    let mut kept = None;
    for k in 0..200 {
        if k == 100 {
            kept = Some(world.snapshot());
        }
        let report = world.step(0.01);
        residual += report.ledger.residual;
        user += report.ledger.user;
    }
    let energy = world.energy().total();
    assert!(
        (user - energy).abs() < 1e-2 && residual.abs() < 1e-2,
        "{user} J of work, {energy} J, {residual} J left"
    );
    let end = height(&world, ball);
    world.restore(&kept.unwrap()).unwrap();
    for _ in 100..200 {
        world.step(0.01);
    }
    assert_eq!(height(&world, ball), end);
}
