//! Acceptance tests of the Lagrange multiplier method that are many runs, sessions or facts of the
//! library (Wagner 2001; docs/sources.md).

use super::wagner::{Numbers, Result, at, chain, set, text, world};
use super::{Figures, Parameters};
use kreisel_dynamics::*;
use kreisel_geometry::mesh::generate;
use std::time::Duration;

/// AT-29: when assembling is over.
pub fn assembling(_: Parameters<'_>) -> Result<Figures> {
    let mut world = world(Vec3::ZERO)?;
    let mut cube =
        |x: Vec3| world.add_body(Body::cuboid(1.0, Vec3::ONE).ghost().at(x)).map_err(text);
    let (a, b) = (cube(Vec3::ZERO)?, cube(Vec3::new(3.0, 1.0, 0.0))?);
    let c = Constraint::point_to_point(at(a, 0.5, 0.5, 0.5), at(b, 0.5, 0.5, 0.5)).assembling();
    world.add_constraint(c).map_err(text)?;
    for _ in 0..4000 {
        let report = world.step(1e-3);
        if report.events.iter().any(|e| matches!(e, Event::Assembled { .. })) {
            return Ok([("time", world.time())].into());
        }
    }
    Err("never assembled".into())
}

/// AT-36: what the real-time mode chooses.
pub fn real_time(_: Parameters<'_>) -> Result<Figures> {
    let mut control = RunControl::new(30.0);
    control.real_time = true;
    control.measured(Duration::from_millis(5), Duration::from_millis(10));
    let frames = 1.0 / (f64::from(control.oversampling) * 0.005 + 0.01);
    Ok([
        ("oversampling", f64::from(control.oversampling)),
        ("rate", control.rate),
        ("frames", frames),
    ]
    .into())
}

/// AT-37: mass properties of meshes against those of the solids; how the errors fall when the mesh
/// is twice as fine.
pub fn meshes(_: Parameters<'_>) -> Result<Figures> {
    let off = |mesh: &kreisel_geometry::TriMesh, exact: MassProperties| {
        let m = mesh.mass_properties(1.0).map_err(text)?;
        let size = exact.inertia.x_axis.x;
        let inertia = (m.inertia - exact.inertia)
            .to_cols_array()
            .iter()
            .fold(0.0_f64, |w, x| w.max(x.abs() / size));
        Ok::<f64, String>(inertia.max((m.mass / exact.mass - 1.0).abs()))
    };
    let solid = |shape: Shape| shape.mass_properties(1.0).map_err(text);
    let cube = off(&generate::cuboid(Vec3::ONE), solid(Shape::Box { size: Vec3::ONE })?)?;
    let ball =
        |levels| off(&generate::icosphere(1.0, levels), solid(Shape::Sphere { radius: 1.0 })?);
    let cylinder = |n| {
        off(&generate::cylinder(0.5, 2.0, n), solid(Shape::Cylinder { radius: 0.5, height: 2.0 })?)
    };
    let cone =
        |n| off(&generate::cone(0.5, 2.0, n), solid(Shape::Cone { radius: 0.5, height: 2.0 })?);
    Ok([
        ("cube", cube),
        ("sphere", ball(3)? / ball(4)?),
        ("cylinder", cylinder(64)? / cylinder(128)?),
        ("cone", cone(64)? / cone(128)?),
    ]
    .into())
}

/// AT-41: all combinations of solver, stabiliser and integrator; largest difference of the solvers
/// on a regular scene.
pub fn modules(_: Parameters<'_>) -> Result<Figures> {
    let (mut wrong, mut spread, mut count) = (0, 0.0_f64, 0);
    for stabiliser in [Stabiliser::Baumgarte, Stabiliser::Spring] {
        for integrator in Integrator::ALL {
            let mut ends: Vec<Vec<Vec3>> = Vec::new();
            for solver in MultiplierSolver::ALL {
                let choose = |l: &mut Lagrange| {
                    (l.solver, l.stabiliser, l.integrator) = (solver, stabiliser, integrator)
                };
                let mut world = world(Vec3::ZERO)?;
                set(&mut world, choose)?;
                let body =
                    world.add_body(Body::sphere(1.0, 0.1).ghost().at(Vec3::X)).map_err(text)?;
                let goal = Constraint::point_to_point(
                    at(body, 0.0, 0.0, 0.0),
                    Connector::fixed(Vec3::ZERO),
                );
                world.add_constraint(goal).map_err(text)?;
                for _ in 0..30 {
                    world.step(1.0 / 30.0);
                }
                let x = world.center_of_mass(body).unwrap_or(Vec3::NAN).x;
                // errors of the integrators at 30 Hz on x'' = −25x − 10x': first, second and higher
                // order
                let room = match integrator {
                    Integrator::Euler => 0.03,
                    Integrator::Rk2 | Integrator::Implicit => 3e-3,
                    _ => 2e-4,
                };
                count += 1;
                wrong += i32::from(!((x - 6.0 * (-5f64).exp()).abs() < room));
                let mut chain = chain(3, false)?;
                set(&mut chain, choose)?;
                for _ in 0..6 {
                    chain.step(1.0 / 60.0);
                }
                ends.push(chain.bodies().filter_map(|b| chain.center_of_mass(b)).collect());
            }
            for other in &ends[1..] {
                for (a, b) in ends[0].iter().zip(other) {
                    spread = spread.max(a.distance(*b));
                }
            }
        }
    }
    Ok([("wrong", f64::from(wrong)), ("spread", spread), ("combinations", f64::from(count))].into())
}

/// AT-43: random sessions; counts bodies that are nowhere or jump.
pub fn sessions(p: Parameters<'_>) -> Result<Figures> {
    let mut wrong = 0;
    let count = p.get("sessions")? as u64;
    for seed in 0..count {
        let mut n = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 43);
        let mut world = world(Vec3::new(0.0, 0.0, -2.0))?;
        for _ in 0..3 {
            world
                .add_body(Body::cuboid(1.0, Vec3::new(0.5, 0.4, 0.3)).ghost().at(n.vec()))
                .map_err(text)?;
        }
        let start = world.clone();
        let h = 1.0 / 30.0;
        for _ in 0..40 {
            edit(&mut n, &mut world, &start)?;
            let before: Vec<(BodyId, Vec3, f64)> = world
                .bodies()
                .filter_map(|b| Some((b, world.center_of_mass(b)?, world.velocity(b)?.length())))
                .collect();
            world.step(h);
            for (b, x, speed) in before {
                let (Some(now), Some(v)) = (world.center_of_mass(b), world.velocity(b)) else {
                    continue;
                };
                // a jump is a way that the speeds at both ends do not explain
                let explained = now.distance(x) < 3.0 * h * speed.max(v.length()) + 0.5;
                wrong += u32::from(!(now.is_finite() && v.is_finite() && explained));
            }
        }
    }
    Ok([("wrong", f64::from(wrong)), ("sessions", count as f64)].into())
}

/// One edit of a running world; what is refused is fine.
fn edit(n: &mut Numbers, world: &mut World, start: &World) -> Result<()> {
    let bodies: Vec<BodyId> = world.bodies().collect();
    let constraints: Vec<ConstraintId> = world.constraints().collect();
    let end = |n: &mut Numbers| match n.below(4) {
        0 => Connector::fixed(n.vec() * 2.0),
        _ => Connector::body(bodies[n.below(bodies.len())], n.vec() * 0.5),
    };
    match n.below(12) {
        0 => drop(world.add_body(
            Body::cuboid(0.5 + n.next(), Vec3::new(0.5, 0.4, 0.3)).ghost().at(n.vec() * 2.0),
        )),
        1 if bodies.len() > 2 => drop(world.remove_body(bodies[n.below(bodies.len())])),
        2..=5 if !bodies.is_empty() => {
            let (a, b) = (end(n), end(n));
            let constraint = match n.below(5) {
                0 | 1 => Constraint::point_to_point(a, b),
                2 => Constraint::distance(a, b, 0.2 + n.next()),
                3 => Constraint::new(ConstraintKind::EqualVelocity, vec![a, b]),
                _ => Constraint::expression(&["x1 * y1 - 0.3 * z2 / x2"], vec![a, b])
                    .map_err(text)?,
            };
            drop(world.add_constraint(constraint));
        }
        6 if !constraints.is_empty() => {
            drop(
                world
                    .set_constraint_active(constraints[n.below(constraints.len())], n.next() < 0.5),
            );
        }
        7 if !constraints.is_empty() => {
            drop(world.remove_constraint(constraints[n.below(constraints.len())]))
        }
        8 if !bodies.is_empty() => {
            let kind = if n.next() < 0.5 { BodyKind::Kinematic } else { BodyKind::Dynamic };
            drop(world.set_body_kind(bodies[n.below(bodies.len())], kind));
        }
        9 if !bodies.is_empty() => {
            drop(world.set_pose(bodies[n.below(bodies.len())], n.vec(), math::rotation(n.vec())))
        }
        10 => {
            let (solver, stabiliser) =
                (MultiplierSolver::ALL[n.below(4)], Stabiliser::ALL[n.below(4)]);
            let integrator = Integrator::ALL[n.below(6)];
            set(world, |l| {
                (l.solver, l.stabiliser, l.integrator) = (solver, stabiliser, integrator)
            })?;
        }
        11 if n.next() < 0.2 => *world = start.clone(),
        _ => {}
    }
    Ok(())
}

/// AT-44: integrators for which a run does not continue with the same bits from a snapshot.
pub fn snapshots(_: Parameters<'_>) -> Result<Figures> {
    let mut wrong = 0;
    for integrator in Integrator::ALL {
        let mut world = chain(4, true)?;
        set(&mut world, |l| l.integrator = integrator)?;
        let go = |world: &mut World| (0..12).for_each(|_| drop(world.step(1.0 / 60.0)));
        go(&mut world);
        let snapshot = world.snapshot();
        go(&mut world);
        let end = world.state_hash();
        world.restore(&snapshot).map_err(text)?;
        go(&mut world);
        wrong += i32::from(world.state_hash() != end);
    }
    Ok([("wrong", f64::from(wrong))].into())
}
