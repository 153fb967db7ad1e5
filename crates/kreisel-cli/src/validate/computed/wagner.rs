//! Acceptance tests of the Lagrange multiplier method that are no scenes (Wagner 2001; section 4.3 of our notes on it): accelerations
//! and multipliers of single states, comparisons of solvers, random graphs.

use super::{Figures, Parameters};
use kreisel_dynamics::*;
use kreisel_geometry::mesh::generate;
use std::time::Duration;

type Result<T> = std::result::Result<T, String>;

fn text(e: impl std::fmt::Display) -> String {
    e.to_string()
}

/// A world under the method's defaults.
fn world(gravity: Vec3) -> Result<World> {
    let mut world = World::new();
    world.set_gravity(gravity).map_err(text)?;
    world.set_settings(Settings { method: Method::Lagrange, ..Settings::default() }).map_err(text)?;
    Ok(world)
}

fn set(world: &mut World, edit: impl FnOnce(&mut Lagrange)) -> Result<()> {
    let mut settings = world.settings().clone();
    edit(&mut settings.lagrange);
    world.set_settings(settings).map_err(text)
}

fn at(body: BodyId, x: f64, y: f64, z: f64) -> Connector {
    Connector::body(body, Vec3::new(x, y, z))
}

const DOWN: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// A deterministic stream of numbers from 0 to 1.
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

/// AT-01: multiplier and accelerations on the inclined plane.
pub fn plane(_: Parameters<'_>) -> Result<Figures> {
    let mut world = world(Vec3::new(0.0, -9.81, 0.0))?;
    let body = world.add_body(Body::point(2.0)).map_err(text)?;
    let formula = format!("{} * x1 - y1", 30f64.to_radians().tan());
    let plane = Constraint::expression(&[&formula], vec![at(body, 0.0, 0.0, 0.0)]).map_err(text)?;
    world.add_constraint(plane).map_err(text)?;
    let info = world.multipliers();
    let a = info.accelerations[0].1;
    Ok([("lambda", info.multipliers[0]), ("ax", a.x), ("ay", a.y)].into())
}

/// A chain of boxes from the world, ball joints and hinges in turn, closed by a rod.
fn chain(n: usize, closed: bool) -> Result<World> {
    let mut world = world(DOWN)?;
    let mut last = BodyId::WORLD;
    for i in 0..n {
        let x = i as f64;
        let body = Body::cuboid(1.0 + 0.3 * x, Vec3::new(1.0, 0.2, 0.1)).at(Vec3::new(x + 0.5, 0.0, 0.0));
        let body = world.add_body(body).map_err(text)?;
        let joint =
            if i % 2 == 0 { Joint::ball(last, body) } else { Joint::hinge(last, body).axis(Vec3::new(0.0, 1.0, 0.2)) };
        world.add_joint(joint.at(Vec3::new(x, 0.0, 0.0))).map_err(text)?;
        last = body;
    }
    if closed {
        let (a, b) = (Vec3::new(0.0, 1.0, 0.0), Vec3::new(n as f64, 0.0, 0.0));
        world.add_joint(Joint::distance(BodyId::WORLD, last, a, b)).map_err(text)?;
    }
    Ok(world)
}

/// AT-02: J a + c in motion, and the work of constraint forces, for all solvers.
pub fn residual(_: Parameters<'_>) -> Result<Figures> {
    let (mut residual, mut work) = (0.0_f64, 0.0_f64);
    for solver in MultiplierSolver::ALL {
        let mut world = chain(6, true)?;
        set(&mut world, |l| (l.solver, l.stabiliser) = (solver, Stabiliser::None))?;
        for _ in 0..100 {
            world.step(0.001);
        }
        residual = residual.max(world.multipliers().residual);
        work = work.max(world.step(0.001).ledger.correction.abs());
    }
    Ok([("residual", residual), ("work", work)].into())
}

/// AT-03: relative change of the angular momentum in 10 s, and how it falls with the step.
pub fn spin(_: Parameters<'_>) -> Result<Figures> {
    let change = |rate: u32| {
        let mut world = world(Vec3::ZERO)?;
        let inertia = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
        let body = Body::dynamic(MassProperties { mass: 1.0, center: Vec3::ZERO, inertia });
        world.add_body(body.spinning(Vec3::new(0.1, 5.0, 0.1))).map_err(text)?;
        let before = world.momentum().1;
        for _ in 0..10 * rate {
            world.step(1.0 / f64::from(rate));
        }
        Ok::<f64, String>((world.momentum().1 - before).length() / before.length())
    };
    let (coarse, fine) = (change(30)?, change(60)?);
    Ok([("momentum", coarse), ("falls", coarse / fine)].into())
}

/// AT-04: extended Baraff against dense solvers on a tree of five ball joints with a loop and an anchor.
pub fn baraff(_: Parameters<'_>) -> Result<Figures> {
    let mut world = world(Vec3::new(0.3, -0.2, -9.81))?;
    let mut n = Numbers(4);
    let mut bodies = Vec::new();
    for _ in 0..6 {
        let body = Body::cuboid(1.0 + n.next(), Vec3::new(0.5, 0.3 + n.next(), 0.2)).at(n.vec() * 2.0);
        let body = body.rotated(math::rotation(n.vec())).moving(n.vec()).spinning(n.vec());
        bodies.push(world.add_body(body).map_err(text)?);
    }
    for (a, b) in [(0, 1), (1, 2), (1, 3), (3, 4), (4, 5), (5, 0)] {
        let c = Constraint::point_to_point(at(bodies[a], 0.2, 0.1, 0.0), at(bodies[b], -0.2, 0.0, 0.1));
        world.add_constraint(c).map_err(text)?;
    }
    let anchor = Constraint::point_to_point(at(bodies[2], 0.1, 0.2, 0.3), Connector::fixed(Vec3::ONE));
    world.add_constraint(anchor).map_err(text)?;
    let mut of = |solver| {
        set(&mut world, |l| l.solver = solver)?;
        Ok::<MultiplierInfo, String>(world.multipliers())
    };
    let dense = of(MultiplierSolver::Direct)?;
    let (mut off, mut size) = (0.0_f64, 0.0_f64);
    for a in &dense.accelerations {
        size = size.max(a.1.length()).max(a.2.length());
    }
    let largest = dense.multipliers.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for solver in [MultiplierSolver::Baraff, MultiplierSolver::BaraffSvd] {
        let other = of(solver)?;
        for (a, b) in dense.accelerations.iter().zip(&other.accelerations) {
            off = off.max((a.1 - b.1).length() / size).max((a.2 - b.2).length() / size);
        }
        for (a, b) in dense.multipliers.iter().zip(&other.multipliers) {
            off = off.max((a - b).abs() / largest);
        }
    }
    let secondary = of(MultiplierSolver::Baraff)?.secondary as f64;
    Ok([("off", off), ("secondary", secondary)].into())
}

/// AT-12 to AT-15: without a stabiliser C'' of a constraint between two bodies in any motion is zero if and only if J v' + c is right;
/// C'' is measured by differences of second order. `kind` is 12 (distance), 13 (orientation), 14 (in line) or 15 (ortho).
pub fn second_derivative(p: Parameters<'_>) -> Result<Figures> {
    let mut n = Numbers(12);
    let mut worst = 0.0_f64;
    for _ in 0..20 {
        let mut world = world(DOWN)?;
        set(&mut world, |l| l.stabiliser = Stabiliser::None)?;
        let mut body = || {
            let body = Body::cuboid(1.0 + n.next(), Vec3::new(0.5, 0.4, 0.3)).at(n.vec());
            let body = body.rotated(math::rotation(n.vec())).moving(n.vec()).spinning(n.vec() * 2.0);
            world.add_body(body).map_err(text)
        };
        let (a, b) = (body()?, body()?);
        let points: Vec<Vec3> = (0..4).map(|_| n.vec() * 0.5).collect();
        let ends = |list: &[(BodyId, usize)]| list.iter().map(|&(b, k)| Connector::body(b, points[k])).collect();
        let axes: Vec<Connector> = ends(&[(a, 0), (a, 1), (b, 2), (b, 3)]);
        let constraint = match p.get("kind")? as u32 {
            12 => Constraint::new(ConstraintKind::Distance(Some(0.7)), ends(&[(a, 0), (b, 1)])),
            13 => Constraint::new(ConstraintKind::Orientation, axes),
            14 => Constraint::new(ConstraintKind::InLine, ends(&[(a, 0), (a, 1), (b, 2)])),
            _ => Constraint::new(ConstraintKind::Ortho, axes),
        };
        let c = world.add_constraint(constraint).map_err(text)?;
        let h = 1e-3;
        let mut rows = Vec::new();
        for _ in 0..3 {
            rows.push(world.constraint_error(c).unwrap_or_default());
            world.step(h);
        }
        for k in 0..rows[0].len() {
            worst = worst.max((rows[0][k] - 2.0 * rows[1][k] + rows[2][k]).abs() / (h * h));
        }
    }
    Ok([("second", worst)].into())
}

/// AT-24: singular starts: largest angular speed, and largest error after 3 s.
pub fn singular(_: Parameters<'_>) -> Result<Figures> {
    let quarter = Vec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2);
    let (mut fastest, mut error) = (0.0_f64, 0.0_f64);
    for solver in MultiplierSolver::ALL {
        let mut world = world(Vec3::ZERO)?;
        set(&mut world, |l| l.solver = solver)?;
        let size = Vec3::new(0.5, 0.4, 0.3);
        let a = world.add_body(Body::cuboid(1.0, size)).map_err(text)?;
        let b = Body::cuboid(1.0, size).at(Vec3::new(1.0, 1.0, 0.0)).rotated(math::rotation(quarter));
        let b = world.add_body(b).map_err(text)?;
        let axes = vec![at(a, 1.0, 0.0, 0.0), at(a, 0.0, 0.0, 0.0), at(b, -1.0, 0.0, 0.0), at(b, -2.0, 0.0, 0.0)];
        let c = world.add_constraint(Constraint::new(ConstraintKind::Orientation, axes)).map_err(text)?;
        for _ in 0..90 {
            world.step(1.0 / 30.0);
            for body in [a, b] {
                fastest = fastest.max(world.angular_velocity(body).unwrap_or(Vec3::NAN).length());
            }
        }
        for e in world.constraint_error(c).unwrap_or_default() {
            error = error.max(e.abs());
        }
    }
    Ok([("fastest", fastest), ("error", error)].into())
}

/// AT-27: secondary ball joints of random graphs against E − V + components; counts the graphs that differ.
pub fn loops(_: Parameters<'_>) -> Result<Figures> {
    let mut n = Numbers(27);
    let (mut wrong, mut graphs) = (0, 0);
    for _ in 0..50 {
        let count = 2 + n.below(9);
        let mut world = world(Vec3::ZERO)?;
        set(&mut world, |l| l.solver = MultiplierSolver::Baraff)?;
        let bodies: Vec<BodyId> = (0..count)
            .map(|_| world.add_body(Body::cuboid(1.0, Vec3::new(0.5, 0.4, 0.3)).at(n.vec())).map_err(text))
            .collect::<Result<_>>()?;
        let mut group: Vec<usize> = (0..count).collect();
        let (mut edges, mut components) = (0, count);
        for _ in 0..n.below(2 * count) {
            let (i, j) = (n.below(count), n.below(count));
            if i == j {
                continue;
            }
            let ends = [n.vec(), n.vec()].map(|v| v * 0.2);
            let c =
                Constraint::point_to_point(Connector::body(bodies[i], ends[0]), Connector::body(bodies[j], ends[1]));
            world.add_constraint(c).map_err(text)?;
            edges += 1;
            let (a, b) = (group[i], group[j]);
            if a != b {
                components -= 1;
                group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
            }
        }
        graphs += 1;
        wrong += i32::from(world.multipliers().secondary != 3 * (edges + components - count));
    }
    Ok([("wrong", f64::from(wrong)), ("graphs", f64::from(graphs))].into())
}

/// AT-29: when assembling is over.
pub fn assembling(_: Parameters<'_>) -> Result<Figures> {
    let mut world = world(Vec3::ZERO)?;
    let mut cube = |x: Vec3| world.add_body(Body::cuboid(1.0, Vec3::ONE).at(x)).map_err(text);
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

/// AT-32: how the corners of a unit cube answer to forces at the first of them, and AT-33's rows of K.
pub fn corners(_: Parameters<'_>) -> Result<Figures> {
    let mut world = world(Vec3::ZERO)?;
    let body = world.add_body(Body::cuboid(1.0, Vec3::ONE)).map_err(text)?;
    let corners = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)].map(|(x, y)| Vec3::new(x, y, -0.5));
    world.apply_force(body, Vec3::Z, corners[0]).map_err(text)?;
    let (_, a, alpha) = world.multipliers().accelerations[0];
    let k = corners.map(|c| (a + alpha.cross(c)).z);
    Ok([("k11", k[0]), ("k12", k[1]), ("k13", k[2]), ("k14", k[3])].into())
}

/// AT-36: what the real-time mode chooses.
pub fn real_time(_: Parameters<'_>) -> Result<Figures> {
    let mut control = RunControl::new(30.0);
    control.real_time = true;
    control.measured(Duration::from_millis(5), Duration::from_millis(10));
    let frames = 1.0 / (f64::from(control.oversampling) * 0.005 + 0.01);
    Ok([("oversampling", f64::from(control.oversampling)), ("rate", control.rate), ("frames", frames)].into())
}

/// AT-37: mass properties of meshes against those of the solids; how the errors fall when the mesh is twice as fine.
pub fn meshes(_: Parameters<'_>) -> Result<Figures> {
    let off = |mesh: &kreisel_geometry::TriMesh, exact: MassProperties| {
        let m = mesh.mass_properties(1.0).map_err(text)?;
        let size = exact.inertia.x_axis.x;
        let inertia = (m.inertia - exact.inertia).to_cols_array().iter().fold(0.0_f64, |w, x| w.max(x.abs() / size));
        Ok::<f64, String>(inertia.max((m.mass / exact.mass - 1.0).abs()))
    };
    let solid = |shape: Shape| shape.mass_properties(1.0).map_err(text);
    let cube = off(&generate::cuboid(Vec3::ONE), solid(Shape::Box { size: Vec3::ONE })?)?;
    let ball = |levels| off(&generate::icosphere(1.0, levels), solid(Shape::Sphere { radius: 1.0 })?);
    let cylinder = |n| off(&generate::cylinder(0.5, 2.0, n), solid(Shape::Cylinder { radius: 0.5, height: 2.0 })?);
    let cone = |n| off(&generate::cone(0.5, 2.0, n), solid(Shape::Cone { radius: 0.5, height: 2.0 })?);
    Ok([
        ("cube", cube),
        ("sphere", ball(3)? / ball(4)?),
        ("cylinder", cylinder(64)? / cylinder(128)?),
        ("cone", cone(64)? / cone(128)?),
    ]
    .into())
}

/// AT-41: all combinations of solver, stabiliser and integrator; largest difference of the solvers on a regular scene.
pub fn modules(_: Parameters<'_>) -> Result<Figures> {
    let (mut wrong, mut spread, mut count) = (0, 0.0_f64, 0);
    for stabiliser in [Stabiliser::Baumgarte, Stabiliser::Spring] {
        for integrator in Integrator::ALL {
            let mut ends: Vec<Vec<Vec3>> = Vec::new();
            for solver in MultiplierSolver::ALL {
                let choose =
                    |l: &mut Lagrange| (l.solver, l.stabiliser, l.integrator) = (solver, stabiliser, integrator);
                let mut world = world(Vec3::ZERO)?;
                set(&mut world, choose)?;
                let body = world.add_body(Body::sphere(1.0, 0.1).at(Vec3::X)).map_err(text)?;
                let goal = Constraint::point_to_point(at(body, 0.0, 0.0, 0.0), Connector::fixed(Vec3::ZERO));
                world.add_constraint(goal).map_err(text)?;
                for _ in 0..30 {
                    world.step(1.0 / 30.0);
                }
                let x = world.center_of_mass(body).unwrap_or(Vec3::NAN).x;
                // errors of the integrators at 30 Hz on x'' = −25x − 10x': first, second and higher order
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
            world.add_body(Body::cuboid(1.0, Vec3::new(0.5, 0.4, 0.3)).at(n.vec())).map_err(text)?;
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
                let (Some(now), Some(v)) = (world.center_of_mass(b), world.velocity(b)) else { continue };
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
        0 => drop(world.add_body(Body::cuboid(0.5 + n.next(), Vec3::new(0.5, 0.4, 0.3)).at(n.vec() * 2.0))),
        1 if bodies.len() > 2 => drop(world.remove_body(bodies[n.below(bodies.len())])),
        2..=5 if !bodies.is_empty() => {
            let (a, b) = (end(n), end(n));
            let constraint = match n.below(5) {
                0 | 1 => Constraint::point_to_point(a, b),
                2 => Constraint::distance(a, b, 0.2 + n.next()),
                3 => Constraint::new(ConstraintKind::EqualVelocity, vec![a, b]),
                _ => Constraint::expression(&["x1 * y1 - 0.3 * z2 / x2"], vec![a, b]).map_err(text)?,
            };
            drop(world.add_constraint(constraint));
        }
        6 if !constraints.is_empty() => {
            drop(world.set_constraint_active(constraints[n.below(constraints.len())], n.next() < 0.5));
        }
        7 if !constraints.is_empty() => drop(world.remove_constraint(constraints[n.below(constraints.len())])),
        8 if !bodies.is_empty() => {
            let kind = if n.next() < 0.5 { BodyKind::Kinematic } else { BodyKind::Dynamic };
            drop(world.set_body_kind(bodies[n.below(bodies.len())], kind));
        }
        9 if !bodies.is_empty() => {
            drop(world.set_pose(bodies[n.below(bodies.len())], n.vec(), math::rotation(n.vec())))
        }
        10 => {
            let (solver, stabiliser) = (MultiplierSolver::ALL[n.below(4)], Stabiliser::ALL[n.below(4)]);
            let integrator = Integrator::ALL[n.below(6)];
            set(world, |l| (l.solver, l.stabiliser, l.integrator) = (solver, stabiliser, integrator))?;
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

/// Time that this thread has worked, s: the scheduler's count where there is one (Linux), so that others on the machine do not count.
fn worked(since: std::time::Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let counted = text.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    counted.map_or_else(|| since.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// Shortest time of a step of `h` of every world, s, over rounds that take them in turn.
fn step_times(worlds: &mut [World], h: f64, rounds: usize) -> Vec<f64> {
    let since = std::time::Instant::now();
    let mut times = vec![f64::INFINITY; worlds.len()];
    // the first step analyses the model
    worlds.iter_mut().for_each(|w| drop(w.step(h)));
    for _ in 0..rounds {
        for (world, time) in worlds.iter_mut().zip(&mut times) {
            let start = worked(since);
            world.step(h);
            *time = time.min(worked(since) - start);
        }
    }
    times
}

/// A binary tree of rods as in Bender's E-03 and E-04: lengths 0.1 m times 1.5 to the height above the leaves, 600 kg/m³, ball joints at three
/// quarters, branches at ± 10°.
fn tree(levels: u32) -> Result<World> {
    let mut world = World::new();
    let mut tips: Vec<(BodyId, Vec3, Quat)> = Vec::new();
    for k in 1..2_u32.pow(levels) {
        let length = 0.1 * 1.5_f64.powi((levels - 1 - k.ilog2()) as i32);
        let angle = if k % 2 == 0 { 10f64 } else { -10.0 };
        let root = (BodyId::WORLD, Vec3::ZERO, Quat::IDENTITY);
        let (parent, at, turn) = if k == 1 { root } else { tips[k as usize / 2 - 1] };
        let turn = if k == 1 { turn } else { turn * Quat::from_rotation_y(angle.to_radians()) };
        let (down, size) = (turn * Vec3::NEG_Z, Vec3::new(0.04, 0.04, length));
        let body = Body::cuboid(600.0 * size.x * size.y * size.z, size).at(at + down * (0.5 * length)).rotated(turn);
        let body = world.add_body(body).map_err(text)?;
        world.add_joint(Joint::ball(parent, body).at(at)).map_err(text)?;
        tips.push((body, at + down * (0.75 * length), turn));
    }
    Ok(world)
}

/// E-10: trees of 31 to 255 bodies under the standard and Baraff's multiplier method and the direct impulse method. Times of a step of 1/30 s
/// in ms, exponents, and the largest time of the impulse method against Baraff's.
pub fn trees(_: Parameters<'_>) -> Result<Figures> {
    let mut worlds = Vec::new();
    for levels in 5..=8 {
        for solver in [Some(MultiplierSolver::Direct), Some(MultiplierSolver::Baraff), None] {
            let mut world = tree(levels)?;
            if let Some(solver) = solver {
                world.set_settings(Settings { method: Method::Lagrange, ..Settings::default() }).map_err(text)?;
                set(&mut world, |l| l.solver = solver)?;
            }
            let first = world.bodies().next().ok_or("no body")?;
            world.apply_torque(first, Vec3::new(0.0, 10.0, 0.0)).map_err(text)?;
            worlds.push(world);
        }
    }
    let t = step_times(&mut worlds, 1.0 / 30.0, 5);
    let exponent = |a: usize, b: usize, n: f64| (t[b] / t[a]).ln() / n.ln();
    let worst = (0..4).map(|k| t[3 * k + 2] / t[3 * k + 1]).fold(0.0, f64::max);
    let names = [
        "standard_31",
        "baraff_31",
        "impulse_31",
        "standard_63",
        "baraff_63",
        "impulse_63",
        "standard_127",
        "baraff_127",
        "impulse_127",
        "standard_255",
        "baraff_255",
        "impulse_255",
    ];
    let mut out: Figures = names.into_iter().zip(t.iter().map(|t| t * 1e3)).collect();
    out.insert("standard", exponent(3, 9, 255.0 / 63.0));
    out.insert("baraff", exponent(1, 10, 255.0 / 31.0));
    out.insert("worst", worst);
    Ok(out)
}

/// AT-42: how the time of an evaluation grows with the bodies of an anchored chain: the exponent between the two largest
/// sizes. `solver` is 0 for Baraff, 1 for Direct.
pub fn growth(p: Parameters<'_>) -> Result<Figures> {
    let (solver, sizes) = if p.get("solver")? == 0.0 {
        (MultiplierSolver::Baraff, [500, 2000])
    } else {
        (MultiplierSolver::Direct, [80, 160])
    };
    let mut worlds = Vec::new();
    for n in sizes {
        let mut world = chain(n, false)?;
        set(&mut world, |l| (l.solver, l.integrator) = (solver, Integrator::Rk4))?;
        worlds.push(world);
    }
    let times = step_times(&mut worlds, 1e-3, 7);
    let ratio = sizes[1] as f64 / sizes[0] as f64;
    Ok([("exponent", (times[1] / times[0]).ln() / ratio.ln())].into())
}
