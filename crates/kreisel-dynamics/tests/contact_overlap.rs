//! Bodies inside each other, bodies that constraints link, and limits of work.

use kreisel_dynamics::{
    Body, BodyId, BodyKind, Connector, Constraint, ConstraintKind, Material, Method, Shape, Status,
    Vec3, World,
};
use std::time::Duration;

const G: f64 = 9.81;

fn on_ground() -> World {
    let mut world = World::new();
    world
        .set_ground(Some(Shape::HalfSpace { normal: Vec3::Z, offset: 0.0 }), Material::default())
        .unwrap();
    world
}

fn ball(mass: f64) -> Body {
    let shape = Shape::Sphere { radius: 0.1 };
    let volume = shape.mass_properties(1.0).unwrap().mass;
    Body::solid(shape, mass / volume).unwrap()
}

/// `n` balls of 1 kg and 0.1 m radius in a cube of edge `spread`, 1 m above the ground.
fn heap(n: usize, spread: f64) -> (World, f64) {
    let mut world = on_ground();
    let mut seed = 7_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut energy = 0.0;
    for _ in 0..n {
        let x = Vec3::new(next(), next(), next()) * spread + Vec3::Z;
        energy += G * x.z;
        world.add_body(ball(1.0).at(x)).unwrap();
    }
    (world, energy)
}

/// Conservation: nothing drives the heap, so that it never has more energy than the weights it
/// began with, but for what lifting bodies out of the ground took, which the ledger names. Pushed
/// by velocities, 50 balls with one centre made 25 kJ of 490 J.
#[test]
fn balls_in_one_place_come_apart_without_energy_from_nothing() {
    for (n, spread) in [(50, 0.0), (200, 0.0), (200, 0.1)] {
        let (mut world, start) = heap(n, spread);
        let mut lifted = 0.0;
        for k in 0..200 {
            let report = world.step(0.01);
            lifted -= report.ledger.correction;
            let energy = report.ledger.energy.total();
            assert!(
                energy <= start * (1.0 + 1e-6) + lifted,
                "{n} balls, step {k}: {energy} J of {start} J"
            );
        }
    }
}

/// Half a million pairs: only those that are chosen take part. The bounds are generous; all pairs
/// took minutes and gigabytes.
#[test]
fn a_thousand_balls_in_one_place_take_bounded_work() {
    let (mut world, start) = heap(1000, 0.1);
    for k in 0..20 {
        let report = world.step(0.01);
        assert!(
            report.contact.manifolds < 20_000,
            "step {k}: {} manifolds",
            report.contact.manifolds
        );
        assert!(report.ledger.energy.total() <= start * (1.0 + 1e-6));
    }
}

/// Symmetry: nothing pulls, so that nothing moves when the balls have come apart, and the centre of
/// mass stays.
#[test]
fn balls_with_one_centre_part_in_all_directions_and_stand_still() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let ids: Vec<BodyId> = (0..20).map(|_| world.add_body(ball(1.0)).unwrap()).collect();
    for k in 0..400 {
        let report = world.step(0.01);
        assert!(
            report.ledger.energy.kinetic < 1e-2,
            "step {k}: {} J",
            report.ledger.energy.kinetic
        );
    }
    let places: Vec<Vec3> = ids.iter().map(|&id| world.position(id).unwrap()).collect();
    let middle = places.iter().sum::<Vec3>() / 20.0;
    assert!(middle.length() < 1e-3, "{middle}");
    for (i, p) in places.iter().enumerate() {
        for q in &places[i + 1..] {
            assert!((*p - *q).length() > 0.2 - 3e-3, "{}", (*p - *q).length());
        }
    }
    // not a tower: they have gone all ways
    let spread = places.iter().fold(Vec3::ZERO, |m, p| m.max(p.abs()));
    assert!(spread.min_element() > 0.5 * spread.max_element(), "{spread}");
}

fn bar(x: f64) -> Body {
    let shape = Shape::Box { size: Vec3::new(1.0, 0.1, 0.1) };
    Body::solid(shape, 100.0).unwrap().at(Vec3::X * x)
}

/// Two bars end to end with a hinge constraint between them, the first one fixed: the arm of the
/// audit's scene hc1.
fn arm(method: Method, collide: bool) -> (World, BodyId) {
    let mut world = World::new();
    let mut settings = world.settings().clone();
    settings.method = method;
    world.set_settings(settings).unwrap();
    let mut wall = bar(0.0);
    wall.kind = BodyKind::Static;
    let a = world.add_body(wall).unwrap();
    let b = world.add_body(bar(1.0)).unwrap();
    let point = |body, x: f64, y: f64| Connector::body(body, Vec3::new(x, y, 0.0));
    let points =
        vec![point(a, 0.5, 0.0), point(a, 0.5, 1.0), point(b, -0.5, 0.0), point(b, -0.5, 1.0)];
    let mut hinge = Constraint::new(ConstraintKind::Hinge, points);
    hinge.collide = collide;
    world.add_constraint(hinge).unwrap();
    (world, b)
}

/// Energy of a physical pendulum from level: ½ I ω² = m g ½ sin φ, I = m (1² + 0.1²)/12 + m/4 about
/// the hinge.
#[test]
fn bodies_that_a_constraint_links_do_not_collide_unless_they_are_told_to() {
    for method in [Method::Direct, Method::Iterative, Method::Lagrange] {
        let (mut world, b) = arm(method, false);
        let mut lowest = 0.0_f64;
        for k in 0..60 {
            let report = world.step(0.01);
            assert_eq!(report.contact.manifolds, 0, "{method:?}, step {k}");
            let x = world.position(b).unwrap();
            lowest = lowest.min(x.z);
            let spin = (2.0 * G * -x.z / (1.01 / 12.0 + 0.25)).max(0.0).sqrt();
            let found = world.angular_velocity(b).unwrap().length();
            assert!(
                (found - spin).abs() < 0.02 * (1.0 + spin),
                "{method:?}, step {k}: {found} for {spin}"
            );
        }
        assert!(lowest < -0.49, "{method:?}: the arm swings to {lowest}");
        let (mut world, _) = arm(method, true);
        assert!(world.step(0.01).contact.manifolds > 0, "{method:?}");
    }
}

fn tower(world: &mut World, cubes: usize) {
    let cube = Body::solid(Shape::Box { size: Vec3::splat(0.5) }, 1000.0).unwrap();
    for i in 0..cubes {
        world.add_body(cube.clone().at(Vec3::Z * (0.25 + 0.5 * i as f64))).unwrap();
    }
}

#[test]
fn max_sweeps_is_a_limit_and_a_step_that_ends_by_it_says_so() {
    let mut world = on_ground();
    tower(&mut world, 20);
    assert!(world.step(0.01).contact.sweeps > 3, "a tower needs more sweeps than the limit below");
    let mut world = on_ground();
    tower(&mut world, 20);
    let mut settings = world.settings().clone();
    settings.contact.max_sweeps = Some(3);
    world.set_settings(settings).unwrap();
    let report = world.step(0.01);
    assert_eq!((report.contact.sweeps, report.status), (3, Status::BudgetSpent));
    assert!(report.ledger.energy.total().is_finite());
}

#[test]
fn a_budget_of_time_ends_the_sweeps_of_contacts() {
    let mut world = on_ground();
    tower(&mut world, 20);
    let mut settings = world.settings().clone();
    settings.time_budget = Some(Duration::from_nanos(1));
    world.set_settings(settings).unwrap();
    for _ in 0..5 {
        let report = world.step(0.01);
        assert_eq!((report.contact.sweeps, report.contact.repeats), (1, 0));
        assert_eq!(report.status, Status::BudgetSpent);
        assert!(report.ledger.energy.total().is_finite());
    }
}

/// A point at 1 m/s lands on a floor one metre below; the wall of the second row is 50 m away and
/// must not be felt: x(3 s) = 3 m.
#[test]
fn rows_of_an_inequality_touch_one_by_one_under_the_multiplier_method() {
    let mut world = World::new();
    let mut settings = world.settings().clone();
    settings.method = Method::Lagrange;
    world.set_settings(settings).unwrap();
    let p = world.add_body(Body::point(1.0).moving(Vec3::X)).unwrap();
    let formulas = ["z1+1", "50-x1"];
    let mut floor =
        Constraint::expression(&formulas, vec![Connector::body(p, Vec3::ZERO)]).unwrap();
    floor.one_sided = true;
    let floor = world.add_constraint(floor).unwrap();
    for _ in 0..300 {
        world.step(0.01);
    }
    let x = world.position(p).unwrap();
    assert!((x.x - 3.0).abs() < 1e-6 && (x.z + 1.0).abs() < 1e-3, "{x}");
    // the floor carries the weight, the wall nothing
    let force = world.constraint_force(floor).unwrap();
    assert_eq!(force.multipliers.len(), 2);
    assert!(
        (force.multipliers[0] - G).abs() < 1e-3 && force.multipliers[1] == 0.0,
        "{:?}",
        force.multipliers
    );
    let error = world.constraint_error(floor).unwrap();
    assert!(error.len() == 2 && (error[1] - 47.0).abs() < 1e-6, "{error:?}");
}

/// A body that is pinned at its centre of mass cannot move, however it is pushed: the pin answers.
#[test]
fn a_push_respects_constraints_under_the_multiplier_method() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut settings = world.settings().clone();
    settings.method = Method::Lagrange;
    world.set_settings(settings).unwrap();
    let b = world.add_body(ball(2.0)).unwrap();
    let pin =
        Constraint::point_to_point(Connector::body(b, Vec3::ZERO), Connector::fixed(Vec3::ZERO));
    world.add_constraint(pin).unwrap();
    world.step(0.01);
    world.apply_impulse(b, Vec3::X, Vec3::ZERO).unwrap();
    for k in 0..100 {
        let report = world.step(0.01);
        let x = world.position(b).unwrap().length();
        assert!(x < 1e-9, "step {k}: the pin is open by {x} m");
        assert!(report.ledger.residual.abs() < 1e-9, "step {k}: {:?}", report.ledger);
    }
}
