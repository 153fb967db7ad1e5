//! Gears, racks, screws, belts, differentials, cams, constant-velocity couplings, cables and beads
//! against closed forms, under every method and order.

use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::*;

const GRAVITY: f64 = 9.81;

/// A way of stepping: method, order, step, and what its integrator leaves of a motion of many
/// turns.
#[derive(Clone, Copy, Debug)]
struct Way {
    method: Method,
    order: Order,
    h: f64,
    /// Bound of couplings, m or rad.
    held: f64,
}

/// The impulse methods hold couplings to the tolerance of 1e-11; Baumgarte's stabilisation of the
/// multiplier method leaves what the Runge-Kutta step of fourth order makes of them.
const WAYS: [Way; 4] = [
    Way { method: Method::Direct, order: Order::Two, h: 0.005, held: 1e-9 },
    Way { method: Method::Direct, order: Order::Four, h: 0.005, held: 1e-9 },
    Way { method: Method::Iterative, order: Order::Two, h: 0.005, held: 1e-9 },
    Way { method: Method::Lagrange, order: Order::Two, h: 0.001, held: 1e-6 },
];

fn world(way: Way, gravity: Vec3) -> World {
    let mut world = World::new();
    // stabilisers leave errors of the size of the integrator's: they are not asked for 1e-11
    let held = if way.method == Method::Lagrange { 1e-6 } else { 1e-11 };
    let tolerance = Tolerance { position: held, angle: held, ..Tolerance::default() };
    let settings =
        Settings { method: way.method, order: way.order, tolerance, ..Settings::default() };
    world.set_settings(settings).unwrap();
    world.set_gravity(gravity).unwrap();
    world
}

/// A body of 1 kg that turns about an axis through `at`, with this moment of inertia.
fn wheel_on(
    world: &mut World,
    base: BodyId,
    at: Vec3,
    axis: Vec3,
    inertia: f64,
) -> (JointId, BodyId) {
    let mass = MassProperties::principal_moments(1.0, Vec3::splat(inertia));
    let body = world.add_body(Body::dynamic(mass).at(at)).unwrap();
    (world.add_joint(Joint::hinge(base, body).at(at).axis(axis)).unwrap(), body)
}

fn wheel(world: &mut World, x: f64, inertia: f64) -> JointId {
    wheel_on(world, BodyId::WORLD, Vec3::new(x, 0.0, 0.0), Vec3::Z, inertia).0
}

fn push(world: &mut World, joint: JointId, torque: f64) {
    let control = Control::Effort(Schedule::constant(torque));
    world.add_motor(Motor::new(joint, Coordinate::Angle, control)).unwrap();
}

fn angle(world: &World, joint: JointId) -> f64 {
    world.coordinate(joint, Coordinate::Angle).unwrap()
}

/// Runs for `t` seconds; every step must be sound.
fn run(world: &mut World, way: Way, t: f64) {
    for _ in 0..(t / way.h).round() as usize {
        let report = world.step(way.h);
        assert_eq!(report.status, Status::Converged, "{way:?} at {}", world.time());
    }
}

fn near(value: f64, expected: f64, bound: f64, what: &str, way: Way) {
    assert!((value - expected).abs() <= bound, "{what}: {value} for {expected} under {way:?}");
}

/// (I₁ + i² I₂) α = T for axes that cross at a right angle, too.
#[test]
fn bevel_gears_turn_as_their_reduced_inertia_says() {
    for way in WAYS {
        let mut w = world(way, Vec3::ZERO);
        let a = wheel(&mut w, 0.0, 0.02);
        let (b, _) = wheel_on(&mut w, BodyId::WORLD, Vec3::new(0.2, 0.0, 0.2), Vec3::X, 0.05);
        let gear = w.add_constraint(Constraint::gear(a, b, -2.0)).unwrap();
        push(&mut w, a, 1.0);
        run(&mut w, way, 1.0);
        let alpha = 1.0 / (0.02 + 4.0 * 0.05);
        near(angle(&w, a), 0.5 * alpha, 1e-9, "angle", way);
        near(angle(&w, b), -2.0 * angle(&w, a), way.held, "ratio", way);
        // the first wheel gets what is missing to T = I₁ α, the second I₂ · 2 α; the step's mean is
        // exact here
        let force = w.constraint_force(gear).unwrap();
        let torque = |k: usize| force.bodies[k].2.length();
        near(torque(0), 1.0 - 0.02 * alpha, 1e-7, "torque on the first wheel", way);
        near(torque(1), 0.05 * 2.0 * alpha, 1e-7, "torque on the second wheel", way);
    }
}

/// Without torque the energy ½ Σ Iₖ ωₖ² of a train of gears stays to rounding, over 10 s.
#[test]
fn a_gear_train_keeps_its_energy_to_rounding() {
    let way = WAYS[0];
    let mut w = world(way, Vec3::ZERO);
    let wheels: Vec<JointId> =
        (0..4).map(|k| wheel(&mut w, f64::from(k), 0.01 * f64::from(k + 1))).collect();
    for pair in wheels.windows(2) {
        w.add_constraint(Constraint::gear(pair[0], pair[1], -1.5)).unwrap();
    }
    for (k, joint) in (0..).zip(&wheels) {
        let body = w.joint(*joint).unwrap().bodies[1];
        w.set_velocity(body, Vec3::ZERO, Vec3::Z * f64::powi(-1.5, k)).unwrap();
    }
    let before = w.energy().kinetic;
    run(&mut w, way, 10.0);
    near(w.energy().kinetic, before, 1e-11 * before, "energy", way);
}

/// Willis: with the ring fixed ω_carrier = ω_sun z_s/(z_s + z_r).
#[test]
fn a_planetary_gear_is_reduced_as_willis_says() {
    for way in WAYS {
        let (zs, zp, zr) = (20.0, 16.0, 52.0);
        let (a, m) = (0.18, 1.0);
        let mut w = world(way, Vec3::ZERO);
        let sun = wheel(&mut w, 0.0, 0.02);
        let (carrier, arm) = wheel_on(&mut w, BodyId::WORLD, Vec3::ZERO, Vec3::Z, 0.05);
        // three planets on the carrier; where the ring stands still, the world is the ring
        for k in 0..3 {
            let turn = f64::from(k) * std::f64::consts::TAU / 3.0;
            let at = Vec3::new(turn.cos(), turn.sin(), 0.0) * a;
            let (planet, _) = wheel_on(&mut w, arm, at, Vec3::Z, 0.004);
            let gear = |joints, ratio, carrier| {
                Constraint::transmission(Transmission::Gear { joints, ratio, carrier })
            };
            w.add_constraint(gear([sun, planet], -zs / zp, Some(carrier))).unwrap();
            if k == 0 {
                w.add_constraint(gear([carrier, planet], zr / zp, None)).unwrap();
            }
        }
        push(&mut w, sun, 1.0);
        run(&mut w, way, 1.0);
        let i = zs / (zs + zr);
        let inertia =
            0.02 + i * i * (0.05 + 3.0 * (m * a * a + 0.004 * (1.0_f64 - zr / zp).powi(2)));
        near(angle(&w, carrier), i * angle(&w, sun), way.held, "ratio of Willis", way);
        // 13 turns on arms: the step's own error, second order
        let bound =
            if way.order == Order::Two && way.method != Method::Lagrange { 2e-4 } else { 1e-6 };
        near(angle(&w, sun), 0.5 / inertia, bound * 0.5 / inertia, "angle of the sun", way);
    }
}

/// A nut of a screw falls with m g = (m + I (2π/p)²) a; a rack is pushed by (I + m r²) α = T.
#[test]
fn screws_and_racks_turn_force_into_torque() {
    for way in WAYS {
        let mut w = world(way, Vec3::NEG_Z * GRAVITY);
        let lead = 0.1;
        let mass = MassProperties::principal_moments(2.0, Vec3::splat(0.003));
        let nut = w.add_body(Body::dynamic(mass)).unwrap();
        let joint = w.add_joint(Joint::cylindrical(BodyId::WORLD, nut).axis(Vec3::Z)).unwrap();
        w.add_constraint(Constraint::transmission(Transmission::Screw {
            joints: [joint; 2],
            lead,
        }))
        .unwrap();

        let pinion = wheel_on(&mut w, BodyId::WORLD, Vec3::X, Vec3::Z, 0.02).0;
        let body = w.add_body(Body::dynamic(mass).at(Vec3::new(1.0, 0.1, 0.0))).unwrap();
        let slide = w.add_joint(Joint::slider(BodyId::WORLD, body).axis(Vec3::X)).unwrap();
        let rack = Transmission::Rack { joints: [pinion, slide], radius: 0.1 };
        w.add_constraint(Constraint::transmission(rack)).unwrap();
        push(&mut w, pinion, 1.0);

        run(&mut w, way, 1.0);
        let a = 2.0 * GRAVITY / (2.0 + 0.003 * (std::f64::consts::TAU / lead).powi(2));
        let z = w.coordinate(joint, Coordinate::Position).unwrap();
        near(z, -0.5 * a, 1e-8, "fall of the nut", way);
        near(
            angle(&w, joint),
            z * std::f64::consts::TAU / lead,
            100.0 * way.held,
            "turns of the nut",
            way,
        );
        let x = w.coordinate(slide, Coordinate::Position).unwrap();
        near(x, 0.1 * angle(&w, pinion), way.held, "rack", way);
        near(angle(&w, pinion), 0.5 / (0.02 + 2.0 * 0.01), 1e-8, "pinion", way);
    }
}

/// r₁ q₁ = r₂ q₂ = −r₃ q₃: (I₁ + I₂ (r₁/r₂)² + I₃ (r₁/r₃)²) α = T.
#[test]
fn a_belt_drives_all_its_wheels() {
    for way in WAYS {
        let mut w = world(way, Vec3::ZERO);
        let joints: Vec<JointId> = (0..3).map(|k| wheel(&mut w, f64::from(k), 0.01)).collect();
        let belt = Transmission::Belt { joints: joints.clone(), radii: vec![0.1, 0.2, -0.05] };
        w.add_constraint(Constraint::transmission(belt)).unwrap();
        push(&mut w, joints[0], 0.3);
        run(&mut w, way, 1.0);
        let alpha = 0.3 / (0.01 * (1.0 + 0.25 + 4.0));
        let [a, b, c] = [0, 1, 2].map(|k| angle(&w, joints[k]));
        near(a, 0.5 * alpha, 1e-8, "driving wheel", way);
        near(b, 0.5 * a, way.held, "second wheel", way);
        near(c, -2.0 * a, 2.0 * way.held, "wheel on the back", way);
    }
}

/// The case is pushed by T: λ = T/(1 + I_c (s²/I₁ + (1 − s)²/I₂)), I₁ α₁ = s λ, I₂ α₂ = (1 − s) λ.
#[test]
fn a_differential_shares_the_torque_out() {
    for way in WAYS {
        let mut w = world(way, Vec3::ZERO);
        let [a, b, case] =
            [(0.0, 0.02), (1.0, 0.05), (0.5, 0.01)].map(|(x, i)| wheel(&mut w, x, i));
        let share = 0.6;
        let of = Transmission::Differential { joints: [a, b, case], share };
        w.add_constraint(Constraint::transmission(of)).unwrap();
        push(&mut w, case, 0.5);
        run(&mut w, way, 1.0);
        let lambda = 0.5 / (1.0 + 0.01 * (share * share / 0.02 + 0.16 / 0.05));
        near(angle(&w, a), 0.5 * share * lambda / 0.02, 1e-8, "first shaft", way);
        near(angle(&w, b), 0.5 * 0.4 * lambda / 0.05, 1e-8, "second shaft", way);
        near(angle(&w, case), 0.6 * angle(&w, a) + 0.4 * angle(&w, b), way.held, "case", way);
    }
}

/// A cam that turns steadily with a harmonic lift A (1 − cos q): a follower that is led both ways
/// has x = A (1 − cos ωt). One that only rests on it leaves where A ω² cos q = −g, and flies.
#[test]
fn followers_are_lifted_by_the_profile_and_fly_off_where_it_falls_faster_than_they_do() {
    let (lift, omega) = (0.05_f64, 20.0_f64);
    for way in WAYS {
        for one_sided in [false, true] {
            let mut w = world(way, Vec3::NEG_Z * GRAVITY);
            let (cam, shaft) = wheel_on(&mut w, BodyId::WORLD, Vec3::ZERO, Vec3::Y, 0.02);
            let follower = w
                .add_body(Body::dynamic(MassProperties::principal_moments(0.1, Vec3::splat(1e-4))))
                .unwrap();
            let slide = w.add_joint(Joint::slider(BodyId::WORLD, follower).axis(Vec3::Z)).unwrap();
            let profile = Expression::new("a * (1 - cos(q))", &["q"], &[("a", lift)]).unwrap();
            let coordinates = [Coordinate::Angle, Coordinate::Position];
            let of = Transmission::Cam { joints: [cam, slide], coordinates, profile };
            let mut constraint = Constraint::transmission(of);
            constraint.one_sided = one_sided;
            w.add_constraint(constraint).unwrap();
            w.set_velocity(shaft, Vec3::ZERO, Vec3::Y * omega).unwrap();
            let control = Control::Velocity(Schedule::constant(omega));
            w.add_motor(Motor::new(cam, Coordinate::Angle, control)).unwrap();

            // 0.155 s: 3.1 rad, the follower has left at cos q = −g/(A ω²), q = 2.08 rad
            let end = 0.155;
            run(&mut w, way, end);
            let x = w.coordinate(slide, Coordinate::Position).unwrap();
            let led = lift * (1.0 - (omega * end).cos());
            if one_sided {
                let q = (-GRAVITY / (lift * omega * omega)).acos();
                let t = end - q / omega;
                let flown =
                    lift * (1.0 - q.cos()) + lift * omega * q.sin() * t - 0.5 * GRAVITY * t * t;
                assert!(flown > led + 0.003);
                // leaving is found to within a step: h² of the acceleration's difference
                near(x, flown, 10.0 * GRAVITY * way.h * way.h, "flight", way);
            } else {
                near(x, led, 2e-9_f64.max(way.held), "lift", way);
            }
        }
    }
}

/// Both shafts of a constant-velocity coupling turn at one speed, at 40° between them; behind a
/// universal joint the speed would swing between cos 40° and its inverse.
#[test]
fn a_constant_velocity_coupling_turns_both_shafts_alike() {
    for way in WAYS {
        let mut w = world(way, Vec3::ZERO);
        let (first, driver) = wheel_on(&mut w, BodyId::WORLD, Vec3::ZERO, Vec3::X, 0.02);
        let beta = 40.0_f64.to_radians();
        let along = Vec3::new(beta.cos(), beta.sin(), 0.0);
        let mass = MassProperties::principal_moments(1.0, Vec3::splat(0.03));
        let shaft = w.add_body(Body::dynamic(mass).at(0.5 * along)).unwrap();
        let mut ball = Joint::ball(driver, shaft).at(Vec3::ZERO).axis(Vec3::X);
        ball.axis2 = Some(along);
        let ball = w.add_joint(ball).unwrap();
        let bearing = Joint::new(JointKind::Line, BodyId::WORLD, shaft).at(along).axis(along);
        w.add_joint(bearing).unwrap();
        w.add_constraint(Constraint::transmission(Transmission::ConstantVelocity { joint: ball }))
            .unwrap();
        push(&mut w, first, 1.0);
        run(&mut w, way, 1.0);
        let alpha = 1.0 / (0.02 + 0.03);
        let bound =
            if way.method == Method::Lagrange || way.order > Order::Two { 1e-6 } else { 1e-4 };
        near(angle(&w, first), 0.5 * alpha, bound * alpha, "angle", way);
        let rate = w.angular_velocity(shaft).unwrap();
        near(rate.dot(along), w.angular_velocity(driver).unwrap().x, 1e-7, "speed", way);
    }
}

/// A mass that hangs at rest.
fn hang(w: &mut World, m: f64, at: Vec3) -> (BodyId, Connector) {
    let body = w.add_body(Body::point(m).at(at)).unwrap();
    (body, Connector::body(body, Vec3::ZERO))
}

/// How far a body has fallen from z = −2 in 0.3 s, as an acceleration.
fn falling(w: &World, body: BodyId) -> f64 {
    (-2.0 - w.position(body).unwrap().z) / (0.5 * 0.09)
}

/// A cable over a fixed ring: (m₁ + m₂) a = (m₁ − m₂) g, tension 2 m₁ m₂ g/(m₁ + m₂).
#[test]
fn a_cable_over_a_ring_is_atwoods_machine() {
    for way in WAYS {
        let mut w = world(way, Vec3::NEG_Z * GRAVITY);
        let (a, on_a) = hang(&mut w, 3.0, Vec3::new(0.0, 0.0, -2.0));
        let (_, on_b) = hang(&mut w, 2.0, Vec3::new(1.0, 0.0, -2.0));
        let points = vec![on_a, Connector::fixed(Vec3::ZERO), Connector::fixed(Vec3::X), on_b];
        let cable = w.add_constraint(Constraint::cable(points)).unwrap();
        run(&mut w, way, 0.3);
        near(falling(&w, a), GRAVITY / 5.0, 1e-8, "acceleration", way);
        let force = w.constraint_force(cable).unwrap();
        near(force.multipliers[0], 12.0 * GRAVITY / 5.0, 1e-6, "tension", way);
    }
}

/// Two cables on a drum: (m₁ + m₂ + I/r²) a = (m₁ − m₂) g.
#[test]
fn cables_on_a_drum_turn_it() {
    for way in WAYS {
        let mut w = world(way, Vec3::NEG_Z * GRAVITY);
        let drum = wheel_on(&mut w, BodyId::WORLD, Vec3::ZERO, Vec3::Y, 0.04).0;
        let (c, on_c) = hang(&mut w, 3.0, Vec3::new(-0.2, 0.0, -2.0));
        let (_, on_d) = hang(&mut w, 2.0, Vec3::new(0.2, 0.0, -2.0));
        for (on, x, radius) in [(on_c, -0.2, 0.2), (on_d, 0.2, -0.2)] {
            let mut cable = Constraint::cable(vec![Connector::fixed(Vec3::X * x), on]);
            let (wraps, weights) = (Vec::new(), Vec::new());
            let drum = Some((drum, radius));
            cable.kind = ConstraintKind::Cable { length: None, drum, wraps, weights };
            w.add_constraint(cable).unwrap();
        }
        run(&mut w, way, 0.3);
        near(falling(&w, c), GRAVITY / (5.0 + 0.04 / 0.04), 1e-8, "acceleration", way);
    }
}

/// Around a moving pulley, which two parts carry: (m₁ + m₂/4) a₁ = (m₁ − m₂/2) g.
#[test]
fn a_moving_pulley_halves_the_way() {
    for way in WAYS {
        let mut w = world(way, Vec3::NEG_Z * GRAVITY);
        let (e, on_e) = hang(&mut w, 2.0, Vec3::new(0.0, 0.0, -2.0));
        let (f, on_f) = hang(&mut w, 3.0, Vec3::new(1.0, 0.0, -2.0));
        let [first, second] = [Vec3::ZERO, Vec3::X].map(Connector::fixed);
        w.add_constraint(Constraint::cable(vec![on_e, first, second.clone(), on_f, second]))
            .unwrap();
        run(&mut w, way, 0.3);
        near(falling(&w, e), GRAVITY * (2.0 - 1.5) / (2.0 + 0.75), 1e-8, "acceleration", way);
        near(falling(&w, f), -0.5 * falling(&w, e), 1e-8, "moving pulley", way);
    }
}

/// A ball on a cable of length 1, thrown from the bottom with v² = g (2 + 3 c), leaves its circle
/// at the height c above the pivot and rises to c (1 + (1 − c²)/2).
#[test]
fn a_loose_cable_lets_the_ball_fly() {
    let c = 0.5;
    for way in WAYS {
        let mut w = world(way, Vec3::NEG_Z * GRAVITY);
        let ball = w.add_body(Body::point(1.0).at(Vec3::NEG_Z)).unwrap();
        let points = vec![Connector::fixed(Vec3::ZERO), Connector::body(ball, Vec3::ZERO)];
        w.add_constraint(Constraint::cable(points)).unwrap();
        w.set_velocity(ball, Vec3::X * (GRAVITY * (2.0 + 3.0 * c)).sqrt(), Vec3::ZERO).unwrap();
        let mut top = f64::NEG_INFINITY;
        while w.velocity(ball).unwrap().z >= 0.0 || w.time() < 0.1 {
            run(&mut w, way, way.h);
            top = top.max(w.position(ball).unwrap().z);
            assert!(w.position(ball).unwrap().length() < 1.0 + 1e-6, "{way:?} at {}", w.time());
        }
        // the highest of the places at whole steps, and the circle's error of second order
        let bound = GRAVITY * way.h * way.h
            + if way.order > Order::Two { 1e-6 } else { 20.0 * way.h * way.h };
        near(top, c * (1.0 + 0.5 * (1.0 - c * c)), bound, "height", way);
    }
}

/// A bead on a parabola z = x²/2 from x = −1: the time to the bottom is ∫ √(1 + x²)/√(2 g (z₀ − z))
/// dx, with x = −cos θ: ∫ √(1 + cos²θ)/√g dθ over a quarter turn.
#[test]
fn a_bead_slides_along_its_curve() {
    let n = 1000;
    let step = std::f64::consts::FRAC_PI_2 / f64::from(n);
    let middle = |k: i32| (1.0 + ((f64::from(k) + 0.5) * step).cos().powi(2)).sqrt();
    let time = (0..n).map(middle).sum::<f64>() * step / GRAVITY.sqrt();
    for way in WAYS {
        let mut w = world(way, Vec3::NEG_Z * GRAVITY);
        // the parabola through (±1, ½) with its vertex at 0: control points (−1, ½), (0, −½), (1,
        // ½)
        let points = [[-1.0, 0.0, 0.5], [0.0, 0.0, -0.5], [1.0, 0.0, 0.5]].map(Vec3::from_array);
        let curve = w.add_curve(Curve::new(points.to_vec())).unwrap();
        let bead = w.add_body(Body::point(1.0).at(points[0])).unwrap();
        w.add_constraint(Constraint::point_on_curve(Connector::body(bead, Vec3::ZERO), curve))
            .unwrap();
        let steps = (time / way.h).ceil();
        let way = Way { h: time / steps, ..way };
        run(&mut w, way, time);
        let (x, v) = (w.position(bead).unwrap(), w.velocity(bead).unwrap());
        let bound = match (way.method, way.order) {
            (Method::Lagrange, _) | (_, Order::Four) => 2e-6,
            // second order: measured against the fourth-order run of the same scene
            _ => 3e-4,
        };
        near(x.x, 0.0, bound, "place", way);
        near(x.z, 0.5 * x.x * x.x, way.held, "height on the curve", way);
        near(v.x, GRAVITY.sqrt(), 10.0 * bound, "speed", way);
    }
}

/// Wheels whose hinges start from different bodies do not mesh by their joint angles.
#[test]
fn gears_on_moving_axes_need_their_carrier() {
    let mut w = world(WAYS[0], Vec3::ZERO);
    let sun = wheel(&mut w, 0.0, 0.02);
    let (carrier, arm) = wheel_on(&mut w, BodyId::WORLD, Vec3::ZERO, Vec3::Z, 0.05);
    let (planet, _) = wheel_on(&mut w, arm, Vec3::X, Vec3::Z, 0.01);
    let refused = w.add_constraint(Constraint::gear(sun, planet, -1.0)).unwrap_err();
    assert!(refused.to_string().contains("carrier"), "{refused}");
    let of = Transmission::Gear { joints: [sun, planet], ratio: -1.0, carrier: Some(carrier) };
    let id = w.add_constraint(Constraint::transmission(of)).unwrap();

    // a joint that is removed takes the gear with it
    w.remove_joint(planet).unwrap();
    assert!(w.constraint(id).is_none());
}

/// The phase is that of the moment in which a gear is added, turns included.
#[test]
fn a_gear_is_added_as_the_wheels_stand() {
    let mut w = world(WAYS[0], Vec3::ZERO);
    let (a, b) = (wheel(&mut w, 0.0, 0.02), wheel(&mut w, 1.0, 0.05));
    push(&mut w, a, 1.0);
    run(&mut w, WAYS[0], 1.0);
    let first = angle(&w, a);
    assert!(first > 20.0, "several turns");
    let gear = w.add_constraint(Constraint::gear(a, b, 0.5)).unwrap();
    assert!(w.constraint_error(gear).unwrap()[0].abs() < 1e-12);
    run(&mut w, WAYS[0], 0.2);
    near(angle(&w, b), 0.5 * (angle(&w, a) - first), 1e-9, "second wheel", WAYS[0]);
}
