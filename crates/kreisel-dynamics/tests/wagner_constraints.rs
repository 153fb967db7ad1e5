//! Acceptance tests AT-04 to AT-07, AT-16 to AT-29, AT-32, AT-33, AT-35, AT-38 and AT-45 (Wagner
//! 2001; docs/sources.md): constraints, contradictions, controllers, fields, procedures. Numbers
//! marked [D] there come from an independent reference simulation.

mod wagner;
use kreisel_dynamics::*;
use wagner::*;

fn at(body: BodyId, x: f64, y: f64, z: f64) -> Connector {
    Connector::body(body, Vec3::new(x, y, z))
}

fn com(body: BodyId) -> Connector {
    Connector::body(body, Vec3::ZERO)
}

fn goal(x: f64, y: f64, z: f64) -> Connector {
    Connector::fixed(Vec3::new(x, y, z))
}

/// AT-04: six bodies, a tree of five ball joints, one loop-closing and one unary ball joint.
#[test]
fn at_04_extended_baraff_equals_dense() {
    let mut world = lagrange(Vec3::new(0.3, -0.2, -9.81));
    let mut bodies = Vec::new();
    for i in 0..6 {
        let x = i as f64;
        let body = Body::cuboid(1.0 + x, Vec3::new(0.5, 0.3 + 0.1 * x, 0.2))
            .ghost()
            .at(Vec3::new(x, 0.3 * x * x, 0.1 * x))
            .rotated(math::rotation(Vec3::new(0.3 * x, -0.2, 0.1 * x)))
            .moving(Vec3::new(0.1 * x, 0.2, -0.3))
            .spinning(Vec3::new(0.4, -0.3 * x, 0.2));
        bodies.push(world.add_body(body).unwrap());
    }
    for (a, b) in [(0, 1), (1, 2), (1, 3), (3, 4), (4, 5), (5, 0)] {
        let c =
            Constraint::point_to_point(at(bodies[a], 0.2, 0.1, 0.0), at(bodies[b], -0.2, 0.0, 0.1));
        world.add_constraint(c).unwrap();
    }
    world
        .add_constraint(Constraint::point_to_point(
            at(bodies[2], 0.1, 0.2, 0.3),
            goal(1.0, 1.0, 1.0),
        ))
        .unwrap();
    let of = |solver| {
        let mut world = world.clone();
        set(&mut world, |l| l.solver = solver);
        world.multipliers()
    };
    let dense = of(MultiplierSolver::Direct);
    for solver in
        [MultiplierSolver::Baraff, MultiplierSolver::BaraffSvd, MultiplierSolver::DirectSvd]
    {
        let other = of(solver);
        for (a, b) in dense.accelerations.iter().zip(&other.accelerations) {
            let size = 1.0 + a.1.length() + a.2.length();
            assert!(
                (a.1 - b.1).length() < 1e-11 * size && (a.2 - b.2).length() < 1e-11 * size,
                "{solver:?}"
            );
        }
        let size = dense.multipliers.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for (a, b) in dense.multipliers.iter().zip(&other.multipliers) {
            assert!((a - b).abs() < 1e-11 * size, "{solver:?}: {a} {b}");
        }
    }
    // one loop, and the anchor roots the tree: three secondary rows
    assert_eq!(of(MultiplierSolver::Baraff).secondary, 3);
    assert_eq!(dense.secondary, 21);
}

/// The cylinder of AT-05: r = 0.25, l = 1, density 1, its base centres drawn to two points 2 m
/// apart.
fn cylinder(position: Vec3, rotation: Quat) -> (World, BodyId, [ConstraintId; 2]) {
    let mut world = lagrange(Vec3::ZERO);
    let (r, l) = (0.25_f64, 1.0);
    let mass = std::f64::consts::PI * r * r * l;
    let across = mass * (r * r / 4.0 + l * l / 12.0);
    let inertia = Mat3::from_diagonal(Vec3::new(mass * r * r / 2.0, across, across));
    let body = Body::dynamic(MassProperties { mass, center: Vec3::ZERO, inertia })
        .at(position)
        .rotated(rotation);
    let body = world.add_body(body).unwrap();
    let ends = [-0.5, 0.5].map(|x| {
        let c = Constraint::point_to_point(at(body, x, 0.0, 0.0), goal(2.0 * x, 0.0, 0.0));
        world.add_constraint(c).unwrap()
    });
    (world, body, ends)
}

fn tilted() -> (Vec3, Quat) {
    (Vec3::new(0.8, 0.6, 0.3), Quat::from_xyzw(0.3, 0.5, 0.2, 1.0).normalize())
}

/// AT-05: rank 5 of 6 in every pose; the cylinder comes to rest midway, residuals ±0.5.
#[test]
fn at_05_overdetermined_cylinder() {
    for solver in [MultiplierSolver::DirectSvd, MultiplierSolver::BaraffSvd] {
        let (mut world, body, _) = cylinder(Vec3::new(0.8, 0.6, 0.0), Quat::IDENTITY);
        set(&mut world, |l| l.solver = solver);
        let info = world.multipliers();
        assert_eq!(info.redundant, 1, "{solver:?}");
        run(&mut world, 1.0, 30.0);
        let x = world.center_of_mass(body).unwrap();
        // (a): start times (1 + 5) e^-5 = 0.0404277
        assert!(x.distance(Vec3::new(0.03234, 0.02426, 0.0)) < 2e-5, "{solver:?}: {x}");
    }
    let (position, rotation) = tilted();
    for solver in [MultiplierSolver::DirectSvd, MultiplierSolver::BaraffSvd] {
        let (mut world, body, ends) = cylinder(position, rotation);
        set(&mut world, |l| l.solver = solver);
        run(&mut world, 8.0, 30.0);
        assert!(
            world.center_of_mass(body).unwrap().length() < 1e-4,
            "{solver:?}: {}",
            world.center_of_mass(body).unwrap()
        );
        let errors = ends.map(|c| world.constraint_error(c).unwrap());
        assert!(
            (errors[0][0] - 0.5).abs() < 1e-4 && (errors[1][0] + 0.5).abs() < 1e-4,
            "{solver:?}: {errors:?}"
        );
    }
    // Direct and Baraff report the two constraints; the youngest is switched off
    for solver in [MultiplierSolver::Direct, MultiplierSolver::Baraff] {
        let (mut world, _, ends) = cylinder(position, rotation);
        set(&mut world, |l| (l.solver, l.on_singular) = (solver, OnSingular::Abort));
        let report = world.step(1.0 / 30.0);
        let named = report.events.iter().any(|e| {
            matches!(e, Event::Overdetermined { constraints, switched_off, .. }
            if constraints.len() == 2 && switched_off.as_deref() == Some("constraint 2"))
        });
        assert!(named, "{solver:?}: {:?}", report.events);
        assert!(
            !world.constraint(ends[1]).unwrap().active && world.constraint(ends[0]).unwrap().active
        );
        assert!((world.time() - 1.0 / 30.0).abs() < 1e-12, "the run goes on");
    }
}

/// Three unit masses on a line with rods of 1, 1 and 3.
fn rods(y: f64) -> (World, [BodyId; 3]) {
    let mut world = lagrange(Vec3::ZERO);
    let bodies = [-1.0, 0.0, 1.0].map(|x: f64| {
        let at = Vec3::new(x, if x == 0.0 { y } else { 0.0 }, 0.0);
        world.add_body(Body::point(1.0).at(at)).unwrap()
    });
    for (a, b, d) in [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 3.0)] {
        world.add_constraint(Constraint::distance(com(bodies[a]), com(bodies[b]), d)).unwrap();
    }
    (world, bodies)
}

fn lengths(world: &World, b: [BodyId; 3]) -> [f64; 3] {
    let x = b.map(|b| world.center_of_mass(b).unwrap());
    [x[0].distance(x[1]), x[1].distance(x[2]), x[0].distance(x[2])]
}

/// AT-06: inconsistent rods.
#[test]
fn at_06_inconsistent_rods() {
    for (solver, expected) in [
        (MultiplierSolver::DirectSvd, [4.0 / 3.0, 4.0 / 3.0, 8.0 / 3.0]),
        (MultiplierSolver::BaraffSvd, [1.0, 1.0, 2.0]),
    ] {
        let (mut world, bodies) = rods(0.0);
        set(&mut world, |l| l.solver = solver);
        run(&mut world, 6.0, 30.0);
        for (found, expected) in lengths(&world, bodies).into_iter().zip(expected) {
            near(found, expected, 1e-3);
        }
    }
    // out of reach from beside the line: damping brings it to the least squares, everything else
    // must stay bounded
    let (mut world, bodies) = rods(0.3);
    set(&mut world, |l| {
        (l.solver, l.on_singular) = (MultiplierSolver::DirectSvd, OnSingular::Damped)
    });
    run(&mut world, 20.0, 30.0);
    for (found, expected) in
        lengths(&world, bodies).into_iter().zip([4.0 / 3.0, 4.0 / 3.0, 8.0 / 3.0])
    {
        near(found, expected, 0.1);
    }
    // undamped, every solver comes to what it reaches on the line: the least squares of all three
    // rods, or, where the third is secondary, the first two whole
    for solver in MultiplierSolver::ALL {
        let (mut world, bodies) = rods(0.3);
        set(&mut world, |l| l.solver = solver);
        run(&mut world, 5.0, 30.0);
        let direct = matches!(solver, MultiplierSolver::Direct | MultiplierSolver::DirectSvd);
        let expected = if direct { [4.0 / 3.0, 4.0 / 3.0, 8.0 / 3.0] } else { [1.0, 1.0, 2.0] };
        for (found, expected) in lengths(&world, bodies).into_iter().zip(expected) {
            near(found, expected, 0.1);
        }
    }
}

/// AT-07: the x row of the second constraint locked: all five others are met.
#[test]
fn at_07_component_lock() {
    let (position, rotation) = tilted();
    let (mut world, body, ends) = cylinder(position, rotation);
    set(&mut world, |l| l.solver = MultiplierSolver::Direct);
    let c = world.constraint(ends[1]).unwrap().clone().locking(&[0]);
    world.set_constraint(ends[1], c).unwrap();
    run(&mut world, 8.0, 30.0);
    let x = world.center_of_mass(body).unwrap();
    assert!(x.distance(Vec3::new(-0.5, 0.0, 0.0)) < 1e-7, "{x}");
    for c in ends {
        assert!(world.constraint_error(c).unwrap().iter().all(|c| c.abs() < 1e-8));
    }
}

/// AT-16: f = (t², 1, 0) from rest at the origin.
#[test]
fn at_16_point_to_function() {
    let mut world = lagrange(Vec3::ZERO);
    let body = world.add_body(Body::point(1.0)).unwrap();
    let f = Connector::function("t^2", "1", "0").unwrap();
    world
        .add_constraint(Constraint::new(ConstraintKind::PointToFunction, vec![com(body), f]))
        .unwrap();
    run(&mut world, 2.0, 30.0);
    let x = world.center_of_mass(body).unwrap();
    near(x.x, 4.0, 1e-5);
    near(x.y, 1.0 - 11.0 * (-10f64).exp(), 1e-5);
}

/// AT-17: along a straight curve with 1 m/s from beside it.
#[test]
fn at_17_point_to_path() {
    for end in [PathEnd::Stop, PathEnd::Reverse] {
        let mut world = lagrange(Vec3::ZERO);
        let curve =
            world.add_curve(Curve::new(vec![Vec3::ZERO, Vec3::new(10.0, 0.0, 0.0)])).unwrap();
        let body = world.add_body(Body::point(1.0).at(Vec3::Y)).unwrap();
        let kind = ConstraintKind::PointToPath { speed: 1.0, end };
        world
            .add_constraint(Constraint::new(kind, vec![com(body), Connector::Nearest { curve }]))
            .unwrap();
        run(&mut world, 1.0, 30.0);
        near(world.center_of_mass(body).unwrap().y, 6.0 * (-5f64).exp(), 1e-4);
        run(&mut world, 3.0, 30.0);
        near(world.center_of_mass(body).unwrap().x, 3.9, 1e-3);
        near(world.velocity(body).unwrap().x, 1.0, 1e-4);
        run(&mut world, 10.0, 30.0);
        let x = world.center_of_mass(body).unwrap().x;
        match end {
            PathEnd::Stop => near(x, 10.0, 1e-3),
            PathEnd::Reverse => assert!((5.0..8.0).contains(&x), "{x}"),
        }
    }
}

/// AT-18: masses 1 and 3, speeds 2 and 0: the difference decays as 2 e^(−5t).
#[test]
fn at_18_equal_velocity() {
    let mut world = lagrange(Vec3::ZERO);
    let a = world.add_body(Body::point(1.0).moving(Vec3::new(2.0, 0.0, 0.0))).unwrap();
    let b = world.add_body(Body::point(3.0).at(Vec3::Y)).unwrap();
    world
        .add_constraint(Constraint::new(ConstraintKind::EqualVelocity, vec![com(a), com(b)]))
        .unwrap();
    run(&mut world, 1.0, 30.0);
    near((world.velocity(a).unwrap() - world.velocity(b).unwrap()).x, 2.0 * (-5f64).exp(), 1e-5);
    near(world.momentum().0.x, 2.0, 1e-12);
}

/// W-49: speeds become equal, directions stay free; also from rest, where the direction is
/// undefined.
#[test]
fn equal_velocity_norm() {
    for second in [Vec3::new(0.0, 3.0, 0.0), Vec3::ZERO] {
        let mut world = lagrange(Vec3::ZERO);
        let a = world.add_body(Body::point(1.0).moving(Vec3::new(1.0, 0.0, 0.0))).unwrap();
        let b = world.add_body(Body::point(2.0).at(Vec3::Z).moving(second)).unwrap();
        world
            .add_constraint(Constraint::new(
                ConstraintKind::EqualVelocityNorm,
                vec![com(a), com(b)],
            ))
            .unwrap();
        run(&mut world, 4.0, 30.0);
        near(world.velocity(a).unwrap().length(), world.velocity(b).unwrap().length(), 1e-6);
        assert!(world.velocity(a).unwrap().length() > 0.1);
    }
}

/// AT-19: v = 2t, x(1) = 1.
#[test]
fn at_19_velocity_to_function() {
    let mut world = lagrange(Vec3::ZERO);
    let body = world.add_body(Body::point(1.0)).unwrap();
    let f = Connector::function("2 * t", "0", "0").unwrap();
    world
        .add_constraint(Constraint::new(ConstraintKind::VelocityToFunction, vec![com(body), f]))
        .unwrap();
    run(&mut world, 1.0, 30.0);
    near(world.velocity(body).unwrap().x, 2.0, 1e-10);
    near(world.center_of_mass(body).unwrap().x, 1.0, 1e-10);
}

/// AT-20: damped spring of the controllers.
#[test]
fn at_20_spring_force() {
    let sprung = |damping: f64, stiffness: f64, integrator| {
        let mut world = lagrange(Vec3::ZERO);
        set(&mut world, |l| l.integrator = integrator);
        let body = world.add_body(Body::point(1.0).at(Vec3::new(1.5, 0.0, 0.0))).unwrap();
        let kind = ControllerKind::Spring { stiffness, damping, length: Some(1.0) };
        world.add_controller(Controller::new(kind, vec![com(body), goal(0.0, 0.0, 0.0)])).unwrap();
        (world, body)
    };
    let (mut world, body) = sprung(0.0, 16.0, Integrator::Rk4);
    run(&mut world, std::f64::consts::FRAC_PI_2, 60.0);
    // one period of 2π/√16
    near(world.center_of_mass(body).unwrap().x, 1.5, 1e-4);
    let (mut world, body) = sprung(8.0, 16.0, Integrator::Rk4);
    run(&mut world, 1.0, 30.0);
    near(world.center_of_mass(body).unwrap().x, 1.0 + 0.5 * 5.0 * (-4f64).exp(), 1e-4);
    // W-90: a thousand times stiffer at 30 Hz
    let (mut world, body) = sprung(8.0, 16000.0, Integrator::Implicit);
    run(&mut world, 3.0, 30.0);
    near(world.center_of_mass(body).unwrap().x, 1.0, 1e-2);
}

/// AT-21: steady lag β u √(2/α) behind a target of speed 2, whatever the mass.
#[test]
fn at_21_trajectory_force() {
    for mass in [0.5, 8.0] {
        let mut world = lagrange(Vec3::ZERO);
        let body = world.add_body(Body::point(mass)).unwrap();
        let target = Connector::Fixed { position: Vec3::ZERO, velocity: Vec3::new(2.0, 0.0, 0.0) };
        let kind = ControllerKind::Trajectory { alpha: 4.0, beta: 1.0 };
        world.add_controller(Controller::new(kind, vec![target, com(body)])).unwrap();
        run(&mut world, 12.0, 30.0);
        near(24.0 - world.center_of_mass(body).unwrap().x, 2f64.sqrt(), 1e-4);
        near(world.velocity(body).unwrap().x, 2.0, 1e-4);
    }
}

/// PID control with the corrected signs: a steady load leaves no error.
#[test]
fn pid_removes_the_error_of_a_load() {
    let mut world = lagrange(Vec3::new(0.0, 0.0, -9.81));
    let body = world.add_body(Body::point(1.0)).unwrap();
    let kind = ControllerKind::Pid { position: 40.0, velocity: 12.0, integral: 30.0 };
    world.add_controller(Controller::new(kind, vec![com(body), goal(0.0, 0.0, 1.0)])).unwrap();
    run(&mut world, 15.0, 30.0);
    near(world.center_of_mass(body).unwrap().z, 1.0, 1e-4);
}

/// AT-22: friction field c = 2: both speeds e^−2 after 1 s. AT-23: radial field: speed √2 at
/// distance e.
#[test]
fn at_22_and_23_fields() {
    let mut world = lagrange(Vec3::ZERO);
    let body = Body::sphere(1.0, 0.2).ghost().moving(Vec3::X).spinning(Vec3::Y);
    let body = world.add_body(body).unwrap();
    world.add_field(Field::new(FieldKind::Friction(2.0))).unwrap();
    run(&mut world, 1.0, 30.0);
    near(world.velocity(body).unwrap().x, (-2f64).exp(), 1e-6);
    near(world.angular_velocity(body).unwrap().y, (-2f64).exp(), 1e-6);
    let mut world = lagrange(Vec3::ZERO);
    let body = world.add_body(Body::point(1.0).at(Vec3::X)).unwrap();
    world.add_field(Field::new(FieldKind::Radial { center: Vec3::ZERO, strength: 1.0 })).unwrap();
    while world.center_of_mass(body).unwrap().x < std::f64::consts::E {
        world.step(1e-3);
    }
    near(world.velocity(body).unwrap().x, 2f64.sqrt(), 1e-3);
}

/// AT-24, and other constraints that are singular where they start: no crash, no NaN, settled
/// within 3 s, slower than 10 rad/s.
#[test]
fn at_24_singular_starts() {
    let settles = |kind: ConstraintKind,
                   position: Vec3,
                   turn: Vec3,
                   connectors: fn(BodyId, BodyId) -> Vec<Connector>| {
        for solver in MultiplierSolver::ALL {
            let mut world = lagrange(Vec3::ZERO);
            set(&mut world, |l| l.solver = solver);
            let a = world.add_body(Body::cuboid(1.0, Vec3::new(0.5, 0.4, 0.3)).ghost()).unwrap();
            let b = Body::cuboid(1.0, Vec3::new(0.5, 0.4, 0.3))
                .ghost()
                .at(position)
                .rotated(math::rotation(turn));
            let b = world.add_body(b).unwrap();
            let c = world.add_constraint(Constraint::new(kind.clone(), connectors(a, b))).unwrap();
            for _ in 0..90 {
                world.step(1.0 / 30.0);
                for body in [a, b] {
                    assert!(
                        world.angular_velocity(body).unwrap().length() < 10.0,
                        "{kind:?} {solver:?}"
                    );
                }
            }
            let error = world.constraint_error(c).unwrap();
            assert!(error.iter().all(|e| e.abs() < 1e-3), "{kind:?} {solver:?}: {error:?}");
        }
    };
    let quarter = Vec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2);
    let axes: fn(BodyId, BodyId) -> Vec<Connector> = |a, b| {
        vec![
            at(a, 1.0, 0.0, 0.0),
            at(a, 0.0, 0.0, 0.0),
            at(b, -1.0, 0.0, 0.0),
            at(b, -2.0, 0.0, 0.0),
        ]
    };
    // the points of hinge and universal joint coincide: only the axes have to settle
    let (beside, ahead) = (Vec3::new(1.0, 1.0, 0.0), Vec3::new(2.0, 0.0, 0.0));
    settles(ConstraintKind::Orientation, beside, quarter, axes);
    settles(ConstraintKind::Hinge, beside, quarter, axes);
    // parallel axes that shall be perpendicular
    settles(ConstraintKind::Ortho, ahead, Vec3::ZERO, axes);
    settles(ConstraintKind::Universal, ahead, Vec3::ZERO, axes);
    // coinciding points that shall be 1 m apart
    settles(ConstraintKind::UnitDistance, ahead, Vec3::ZERO, |a, b| {
        vec![at(a, 1.0, 0.0, 0.0), at(b, -1.0, 0.0, 0.0)]
    });
}

/// Two unit cubes and a PointToPoint between corners (AT-25, AT-28, AT-29).
fn cubes(lock: Lock) -> (World, [BodyId; 2], Constraint) {
    let mut world = lagrange(Vec3::ZERO);
    let bodies = [Vec3::ZERO, Vec3::new(3.0, 1.0, 0.0)]
        .map(|x| world.add_body(Body::cuboid(1.0, Vec3::ONE).ghost().at(x)).unwrap());
    let [a, b] = bodies.map(|b| Connector::locked(b, Vec3::splat(0.5), lock));
    (world, bodies, Constraint::point_to_point(a, b))
}

fn gap(world: &World, c: ConstraintId) -> f64 {
    Vec3::from_slice(&world.constraint_error(c).unwrap()).length()
}

/// AT-25: the artefact: motion is left over after settling.
#[test]
fn at_25_artefact() {
    let (mut world, _, c) = cubes(Lock::None);
    let c = world.add_constraint(c).unwrap();
    run(&mut world, 1.0, 30.0);
    near(gap(&world, c), 0.12784, 2e-4);
    run(&mut world, 3.0, 30.0);
    near(world.energy().kinetic, 2.67, 0.02);
    assert!(world.momentum().0.length() < 1e-12);
}

/// AT-28: rotation locked: same settling law, no rotation at all, at rest afterwards.
#[test]
fn at_28_rotation_lock() {
    let (mut world, bodies, c) = cubes(Lock::Rotation);
    let c = world.add_constraint(c).unwrap();
    run(&mut world, 1.0, 30.0);
    near(gap(&world, c), 10f64.sqrt() * 6.0 * (-5f64).exp(), 1e-4);
    run(&mut world, 5.0, 30.0);
    for b in bodies {
        assert_eq!(world.angular_velocity(b).unwrap(), Vec3::ZERO);
    }
    assert!(world.energy().kinetic < 1e-9);
}

/// AT-29: assembling mode: fulfilled at 2.10 s (2.13 at 30 Hz), at rest 2 s later.
#[test]
fn at_29_assembling_mode() {
    let (mut world, bodies, c) = cubes(Lock::None);
    world.add_constraint(c.assembling()).unwrap();
    assert_eq!(world.body(bodies[1]).unwrap().kind, BodyKind::Kinematic);
    let mut when = None;
    for _ in 0..130 {
        let report = world.step(1.0 / 30.0);
        if report.events.iter().any(|e| matches!(e, Event::Assembled { .. })) {
            when = Some(world.time());
            break;
        }
    }
    near(when.expect("never assembled"), 2.13, 0.04);
    assert_eq!(world.body(bodies[1]).unwrap().kind, BodyKind::Dynamic);
    run(&mut world, 2.0, 30.0);
    assert!(world.energy().kinetic < 1e-9, "{}", world.energy().kinetic);
}

/// AT-26: d₀ = 1, approach speed 1, small steps.
#[test]
fn at_26_distance_procedure() {
    let approach = |factor: f64, h: f64, steps: usize| {
        let mut world = lagrange(Vec3::ZERO);
        let a = world.add_body(Body::point(1.0).moving(Vec3::new(0.5, 0.0, 0.0))).unwrap();
        let b = world
            .add_body(
                Body::point(1.0).at(Vec3::new(1.1, 0.0, 0.0)).moving(Vec3::new(-0.5, 0.0, 0.0)),
            )
            .unwrap();
        let bodies = vec![(a, 0.0), (b, 0.0)];
        let p =
            DistanceProcedure { name: String::new(), bodies, threshold: 1.0, factor, active: true };
        world.add_procedure(p).unwrap();
        let (mut smallest, mut began, mut ended) = (f64::INFINITY, None, None);
        for _ in 0..steps {
            world.step(h);
            let g = world.center_of_mass(a).unwrap().distance(world.center_of_mass(b).unwrap());
            smallest = smallest.min(g);
            let held = world.constraints().count() > 0;
            began = began.or(held.then(|| world.time()));
            if began.is_some() && !held && ended.is_none() {
                ended = Some(world.time());
            }
        }
        let speed = (world.velocity(b).unwrap() - world.velocity(a).unwrap()).x;
        let gap = world.center_of_mass(a).unwrap().distance(world.center_of_mass(b).unwrap());
        (smallest, began, ended, speed, gap)
    };
    // the procedure starts and ends up to a step late, which changes the speed by up to 38 m/s²
    // times the step
    let (smallest, began, ended, speed, _) = approach(2.0, 2e-4, 2000);
    near(smallest, 0.98422, 5e-4);
    near(ended.unwrap() - began.unwrap(), 0.07084, 6e-4);
    near(speed, 0.7896, 1e-2);
    let (smallest, _, ended, _, _) = approach(1.0, 1e-3, 1000);
    near(smallest, 0.92642, 2e-3);
    assert!(ended.is_none());
    near(approach(0.5, 1e-3, 3000).4, 0.5, 1e-3);
}

/// A cube on four corners held above z = 0 by one-sided constraints.
fn resting_cube() -> (World, BodyId, Vec<ConstraintId>) {
    let mut world = lagrange(Vec3::new(0.0, 0.0, -9.81));
    let body =
        world.add_body(Body::cuboid(1.0, Vec3::ONE).ghost().at(Vec3::new(0.0, 0.0, 0.5))).unwrap();
    let corners = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)];
    let list = corners.map(|(x, y)| {
        let mut c = Constraint::expression(&["z1"], vec![at(body, x, y, -0.5)]).unwrap();
        c.one_sided = true;
        world.add_constraint(c).unwrap()
    });
    (world, body, list.to_vec())
}

/// AT-32: a resting cube: forces sum to 9.81, nothing moves. AT-33: with 8 N m about y: 0, 0,
/// 6.762, 6.762.
#[test]
fn at_32_and_33_resting_contact() {
    let (mut world, body, list) = resting_cube();
    world.step(1e-3);
    let force = |world: &World, c| world.constraint_force(c).unwrap().multipliers[0];
    near(list.iter().map(|&c| force(&world, c)).sum(), 9.81, 1e-6);
    run(&mut world, 2.0, 30.0);
    assert!(
        world.velocity(body).unwrap().length() < 1e-6
            && (world.center_of_mass(body).unwrap().z - 0.5).abs() < 1e-5
    );
    let (mut world, body, list) = resting_cube();
    world.apply_torque(body, Vec3::new(0.0, 8.0, 0.0)).unwrap();
    // the forces at the start of a tiny step
    world.step(1e-6);
    for (&c, expected) in list.iter().zip([0.0, 0.0, 6.762, 6.762]) {
        near(force(&world, c), expected, 1e-3);
    }
}

/// AT-35: two masses on a rod, the cube thrown back; with the sphere kinematic it goes on exactly.
#[test]
fn at_35_kinematic_sphere() {
    for (kinematic, sphere_x) in
        [(false, std::f64::consts::FRAC_PI_2), (true, std::f64::consts::TAU)]
    {
        let mut world = lagrange(Vec3::ZERO);
        let sphere = world.add_body(Body::point(1.0).moving(Vec3::new(2.0, 0.0, 0.0))).unwrap();
        let cube = world
            .add_body(
                Body::point(1.0).at(Vec3::new(0.0, 1.5, 0.0)).moving(Vec3::new(-1.0, 0.0, 0.0)),
            )
            .unwrap();
        world.add_constraint(Constraint::distance(com(sphere), com(cube), 1.5)).unwrap();
        if kinematic {
            world.set_body_kind(sphere, BodyKind::Kinematic).unwrap();
        }
        run(&mut world, std::f64::consts::PI, 60.0);
        let (s, c) = (world.center_of_mass(sphere).unwrap(), world.center_of_mass(cube).unwrap());
        assert!(s.distance(Vec3::new(sphere_x, 0.0, 0.0)) < 2e-3, "{s}");
        assert!((c - s).distance(Vec3::new(0.0, 1.5, 0.0)) < 5e-3, "{}", c - s);
        if kinematic {
            assert!(s.distance(Vec3::new(std::f64::consts::TAU, 0.0, 0.0)) < 1e-12);
        }
    }
}

/// AT-38: a rod standing on the floor: sag by order of solution, where the tolerance lets it.
#[test]
fn at_38_constraint_and_contact_order() {
    let sag = |order: ContactOrder, masses: [f64; 2], alpha: f64| {
        let mut world = stabiliser_alone(Vec3::new(0.0, 0.0, -9.81));
        set(&mut world, |l| (l.contacts, l.alpha) = (order, alpha));
        let a = world.add_body(Body::point(masses[0])).unwrap();
        let b = world.add_body(Body::point(masses[1]).at(Vec3::Z)).unwrap();
        world.add_constraint(Constraint::distance(com(a), com(b), 1.0)).unwrap();
        let mut floor = Constraint::expression(&["z1"], vec![com(a)]).unwrap();
        floor.one_sided = true;
        world.add_constraint(floor).unwrap();
        run(&mut world, 6.0, 30.0);
        1.0 - (world.center_of_mass(b).unwrap().z - world.center_of_mass(a).unwrap().z)
    };
    assert!(sag(ContactOrder::Coupled, [1.0, 1.0], 5.0).abs() < 1e-6);
    near(sag(ContactOrder::Sequential, [1.0, 1.0], 5.0), 0.7848, 2e-3);
    near(sag(ContactOrder::Sequential, [10.0, 1.0], 5.0), 0.4316, 2e-3);
    near(sag(ContactOrder::Sequential, [1.0, 1.0], 20.0), 0.0491, 1e-3);
    assert!(sag(ContactOrder::Feedback, [1.0, 1.0], 5.0).abs() < 1e-2);
}

/// AT-45: velocity against position: rest at γ_v/β² = 0.2.
#[test]
fn at_45_velocity_against_position() {
    let mut world = lagrange(Vec3::ZERO);
    set(&mut world, |l| l.solver = MultiplierSolver::DirectSvd);
    let body = world.add_body(Body::sphere(1.0, 0.1).ghost()).unwrap();
    world.add_constraint(Constraint::point_to_point(com(body), goal(0.0, 0.0, 0.0))).unwrap();
    let moving = Connector::Fixed { position: Vec3::ZERO, velocity: Vec3::X };
    world
        .add_constraint(Constraint::new(ConstraintKind::EqualVelocity, vec![com(body), moving]))
        .unwrap();
    assert_eq!(world.multipliers().redundant, 3);
    run(&mut world, 10.0, 30.0);
    near(world.center_of_mass(body).unwrap().x, 0.2, 1e-3);
}

/// W-174: a user's formula acts as the built-in constraint; a formula without a value is reported
/// and the run goes on.
#[test]
fn expressions_equal_built_in_constraints_and_fail_politely() {
    let build = |c: fn(BodyId) -> Constraint| {
        let mut world = lagrange(Vec3::new(0.0, 0.0, -9.81));
        let body = Body::cuboid(1.0, Vec3::new(1.0, 0.2, 0.1))
            .ghost()
            .at(Vec3::new(0.8, 0.1, 0.0))
            .spinning(Vec3::new(0.3, 0.5, 1.0));
        let body = world.add_body(body).unwrap();
        world.add_constraint(c(body)).unwrap();
        run(&mut world, 2.0, 60.0);
        world.center_of_mass(body).unwrap()
    };
    let built_in = build(|b| Constraint::distance(at(b, 0.5, 0.0, 0.0), goal(0.0, 0.0, 0.0), 1.2));
    let typed = build(|b| {
        Constraint::expression(&["hypot(x1, y1, z1) - 1.2"], vec![at(b, 0.5, 0.0, 0.0)]).unwrap()
    });
    assert!(built_in.distance(typed) < 1e-10, "{built_in} {typed}");
    let mut world = lagrange(Vec3::ZERO);
    let body = world.add_body(Body::point(1.0)).unwrap();
    let c = Constraint::expression(&["1 / (x1 - x1)"], vec![com(body)]).unwrap().named("bad");
    world.add_constraint(c).unwrap();
    let report = world.step(0.01);
    assert!(
        report
            .events
            .iter()
            .any(|e| matches!(e, Event::NoValue { constraint } if &**constraint == "bad"))
    );
    assert!(world.center_of_mass(body).unwrap().is_finite() && world.time() == 0.01);
}

/// Motors, limits, friction and springs of the impulse engine work here too.
#[test]
fn limits_friction_and_motors() {
    let arm = |edit: fn(Joint) -> Joint| {
        let mut world = lagrange(Vec3::new(0.0, 0.0, -9.81));
        let body = world
            .add_body(
                Body::cuboid(1.0, Vec3::new(1.0, 0.1, 0.1)).ghost().at(Vec3::new(0.5, 0.0, 0.0)),
            )
            .unwrap();
        let joint = world.add_joint(edit(Joint::hinge(BodyId::WORLD, body).axis(Vec3::Y))).unwrap();
        (world, joint)
    };
    // gravity turns the arm positively about y; it comes to rest on the limit
    let (mut world, joint) = arm(|j| j.limit(Limit::new(Coordinate::Angle, -1.0, 0.5)));
    let mut hits = 0;
    for _ in 0..90 {
        let report = world.step(1.0 / 60.0);
        hits += report.events.iter().filter(|e| matches!(e, Event::LimitHit { .. })).count();
        assert!(world.coordinate(joint, Coordinate::Angle).unwrap() < 0.5 + 1e-4);
    }
    assert_eq!(hits, 1);
    near(world.coordinate(joint, Coordinate::Angle).unwrap(), 0.5, 1e-4);
    // friction of 6 N m holds against 4.905 N m, of 4 does not
    let (mut world, joint) =
        arm(|j| j.friction(Friction { coordinate: Coordinate::Angle, effort: 6.0 }));
    run(&mut world, 1.0, 60.0);
    near(world.coordinate(joint, Coordinate::Angle).unwrap(), 0.0, 1e-6);
    let (mut world, joint) =
        arm(|j| j.friction(Friction { coordinate: Coordinate::Angle, effort: 4.0 }));
    run(&mut world, 1.0, 60.0);
    assert!(world.coordinate(joint, Coordinate::Angle).unwrap() > 0.1);
    // a velocity motor holds its rate against gravity
    let (mut world, joint) = arm(|j| j);
    world
        .add_motor(Motor::new(
            joint,
            Coordinate::Angle,
            Control::Velocity(Schedule::constant(-1.0)),
        ))
        .unwrap();
    run(&mut world, 1.0, 60.0);
    near(world.coordinate_rate(joint, Coordinate::Angle).unwrap(), -1.0, 1e-3);
}
