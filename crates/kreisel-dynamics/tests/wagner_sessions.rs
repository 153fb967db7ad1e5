//! AT-43 and AT-44 (Wagner 2001; docs/sources.md): random sessions in a running world, and
//! snapshots in the middle of one.

mod wagner;
use kreisel_dynamics::*;
use wagner::*;

/// A deterministic stream of numbers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn below(&mut self, n: usize) -> usize {
        ((self.next() * n as f64) as usize).min(n.saturating_sub(1))
    }
    fn vec(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next()) * 2.0 - Vec3::ONE
    }
}

fn connector(n: &mut Numbers, bodies: &[BodyId]) -> Connector {
    if n.next() < 0.25 {
        return Connector::fixed(n.vec() * 2.0);
    }
    let lock = [Lock::None, Lock::None, Lock::None, Lock::Rotation, Lock::Translation][n.below(5)];
    Connector::locked(bodies[n.below(bodies.len())], n.vec() * 0.5, lock)
}

/// One edit, of any kind; refusals are fine.
fn edit(n: &mut Numbers, world: &mut World, start: &World) {
    let bodies: Vec<BodyId> = world.bodies().collect();
    let constraints: Vec<ConstraintId> = world.constraints().collect();
    match n.below(14) {
        0 | 1 => {
            let body = if n.next() < 0.3 {
                Body::point(0.5 + n.next())
            } else {
                Body::cuboid(0.5 + n.next(), Vec3::new(0.5, 0.4, 0.3)).ghost()
            };
            // some collide
            let body =
                if n.next() < 0.5 { body.shape(Shape::Sphere { radius: 0.2 }) } else { body };
            let _ = world.add_body(body.at(n.vec() * 2.0).rotated(math::rotation(n.vec() * 3.0)));
        }
        2 if bodies.len() > 2 => {
            let _ = world.remove_body(bodies[n.below(bodies.len())]);
        }
        3..=6 if !bodies.is_empty() => {
            let list: Vec<Connector> = (0..4).map(|_| connector(n, &bodies)).collect();
            let body = bodies[n.below(bodies.len())];
            let (p, q) = (n.vec(), n.vec());
            let axes = vec![
                Connector::body(body, p),
                Connector::body(body, -p),
                Connector::fixed(q),
                Connector::fixed(-q),
            ];
            let constraint = match n.below(9) {
                0 | 1 => Constraint::point_to_point(list[0].clone(), list[1].clone()),
                2 | 3 => Constraint::distance(list[0].clone(), list[1].clone(), 0.2 + n.next()),
                4 => Constraint::new(ConstraintKind::Hinge, axes),
                5 => Constraint::new(ConstraintKind::Ortho, axes),
                6 => Constraint::new(ConstraintKind::EqualVelocity, list[..2].to_vec()),
                7 => {
                    let typed =
                        Constraint::expression(&["x1 * y1 - 0.3 * z2 / x2"], list[..2].to_vec())
                            .unwrap();
                    Constraint { one_sided: n.next() < 0.3, ..typed }
                }
                _ => Constraint::new(ConstraintKind::EqualVelocityNorm, list[..2].to_vec()),
            };
            let _ = world.add_constraint(constraint);
        }
        7 | 8 if !constraints.is_empty() => {
            let _ = world
                .set_constraint_active(constraints[n.below(constraints.len())], n.next() < 0.5);
        }
        9 if !constraints.is_empty() => {
            let _ = world.remove_constraint(constraints[n.below(constraints.len())]);
        }
        10 if !bodies.is_empty() => {
            let kind = if n.next() < 0.5 { BodyKind::Kinematic } else { BodyKind::Dynamic };
            let _ = world.set_body_kind(bodies[n.below(bodies.len())], kind);
        }
        11 if !bodies.is_empty() => {
            let _ = world.set_pose(bodies[n.below(bodies.len())], n.vec(), math::rotation(n.vec()));
        }
        12 => {
            let solver = MultiplierSolver::ALL[n.below(4)];
            let stabiliser = Stabiliser::ALL[n.below(4)];
            let integrator = Integrator::ALL[n.below(6)];
            let on =
                [OnSingular::Abort, OnSingular::LeastSquares, OnSingular::Damped, OnSingular::Lock]
                    [n.below(4)];
            set(world, |l| {
                (l.solver, l.stabiliser, l.integrator, l.on_singular) =
                    (solver, stabiliser, integrator, on)
            });
        }
        13 if n.next() < 0.2 => *world = start.clone(),
        13 if n.next() < 0.2 => {
            let method =
                [Method::Lagrange, Method::Lagrange, Method::Direct, Method::Iterative][n.below(4)];
            let settings = Settings { method, ..world.settings().clone() };
            let _ = world.set_settings(settings);
        }
        _ => {}
    }
}

/// AT-43: whatever is created, deleted, switched and moved while it runs: no panic, nothing
/// infinite, and no body jumps except by being moved.
fn sessions(range: std::ops::Range<u64>, methods: &[Method]) {
    for seed in range {
        let mut n = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
        let mut world = lagrange(Vec3::new(0.0, 0.0, -2.0));
        // contradictions let sweeps and substeps go on to their end: a short one
        let method = methods[seed as usize % methods.len()];
        let settings = Settings {
            method,
            max_rounds: Some(30),
            substeps: Substeps::Fixed(2),
            ..world.settings().clone()
        };
        world.set_settings(settings).unwrap();
        for _ in 0..3 {
            world
                .add_body(Body::cuboid(1.0, Vec3::new(0.5, 0.4, 0.3)).ghost().at(n.vec()))
                .unwrap();
        }
        let start = world.clone();
        let h = 1.0 / 30.0;
        for step in 0..40 {
            edit(&mut n, &mut world, &start);
            let before: Vec<(BodyId, Vec3)> =
                world.bodies().map(|b| (b, world.center_of_mass(b).unwrap())).collect();
            let speeds: Vec<f64> =
                before.iter().map(|b| world.velocity(b.0).unwrap().length()).collect();
            world.step(h);
            for ((b, x), speed) in before.into_iter().zip(speeds) {
                let Some(now) = world.center_of_mass(b) else { continue };
                assert!(now.is_finite(), "session {seed}, step {step}");
                assert!(
                    world.velocity(b).unwrap().is_finite()
                        && world.angular_velocity(b).unwrap().is_finite()
                );
                // the impulse methods draw torn joints together by displacements
                if world.settings().method != Method::Lagrange {
                    continue;
                }
                // a jump is a way that the speeds at both ends do not explain; the impulse
                // stabiliser may shift by 5 cm per row
                let fastest = speed.max(world.velocity(b).unwrap().length());
                let way = now.distance(x);
                assert!(
                    way < 3.0 * h * fastest + 0.5,
                    "session {seed}, step {step}: {way} m at {fastest} m/s"
                );
            }
        }
    }
}

#[test]
fn at_43_a_thousand_random_sessions() {
    sessions(0..1000, &[Method::Lagrange]);
}

/// The same under the impulse methods, formulas, locks and contradictions included.
#[test]
fn at_43_random_sessions_under_the_impulse_methods() {
    sessions(0..600, &[Method::Direct, Method::Iterative, Method::Cut]);
}

/// AT-44: a snapshot in the middle of a run continues with the same bits.
#[test]
fn at_44_snapshots_continue_identically() {
    for integrator in Integrator::ALL {
        let mut world = chain(4, true);
        set(&mut world, |l| l.integrator = integrator);
        run(&mut world, 0.2, 60.0);
        let snapshot = world.snapshot();
        run(&mut world, 0.2, 60.0);
        let end = world.state_hash();
        world.restore(&snapshot).unwrap();
        run(&mut world, 0.2, 60.0);
        assert_eq!(world.state_hash(), end, "{integrator:?}");
    }
}

/// W-144: removing a body removes what is linked to it.
#[test]
fn removing_a_body_removes_its_constraints() {
    let mut world = lagrange(Vec3::ZERO);
    let a = world.add_body(Body::point(1.0)).unwrap();
    let b = world.add_body(Body::point(1.0).at(Vec3::X)).unwrap();
    let c = world
        .add_constraint(Constraint::distance(
            Connector::body(a, Vec3::ZERO),
            Connector::body(b, Vec3::ZERO),
            1.0,
        ))
        .unwrap();
    world.remove_body(a).unwrap();
    assert!(world.constraint(c).is_none() && world.constraint_named("constraint 1").is_none());
    world.step(0.01);
}

/// Bad input is refused with the name, and nothing changes.
#[test]
fn bad_input_is_refused_by_name() {
    let mut world = lagrange(Vec3::ZERO);
    let a = world.add_body(Body::point(1.0)).unwrap();
    let message = |e: ModelError| e.to_string();
    let curve = Curve::new(vec![Vec3::X, Vec3::X]).named("point");
    assert!(message(world.add_curve(curve).unwrap_err()).contains("point"));
    let zero = Constraint::distance(Connector::body(a, Vec3::ZERO), Connector::fixed(Vec3::X), 0.0)
        .named("rod");
    assert!(message(world.add_constraint(zero).unwrap_err()).contains("rod"));
    let loose = Constraint::point_to_point(Connector::fixed(Vec3::X), Connector::fixed(Vec3::Y))
        .named("loose");
    assert!(message(world.add_constraint(loose).unwrap_err()).contains("loose"));
    let gone = world.add_body(Body::point(1.0)).unwrap();
    world.remove_body(gone).unwrap();
    let dangling =
        Constraint::point_to_point(Connector::body(gone, Vec3::ZERO), Connector::fixed(Vec3::Y))
            .named("link");
    assert!(message(world.add_constraint(dangling).unwrap_err()).contains("link"));
    assert_eq!(world.constraints().count(), 0);
}
