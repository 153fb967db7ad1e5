//! Acceptance tests of the Lagrange multiplier method that are no scenes (Wagner 2001;
//! docs/sources.md): accelerations and multipliers of single states, comparisons of solvers, random
//! graphs.

use super::{Figures, Parameters};
use kreisel_dynamics::*;

pub(super) type Result<T> = std::result::Result<T, String>;

pub(super) fn text(e: impl std::fmt::Display) -> String {
    e.to_string()
}

/// A world under the method's defaults.
pub(super) fn world(gravity: Vec3) -> Result<World> {
    let mut world = World::new();
    world.set_gravity(gravity).map_err(text)?;
    world
        .set_settings(Settings { method: Method::Lagrange, ..Settings::default() })
        .map_err(text)?;
    Ok(world)
}

pub(super) fn set(world: &mut World, edit: impl FnOnce(&mut Lagrange)) -> Result<()> {
    let mut settings = world.settings().clone();
    edit(&mut settings.lagrange);
    world.set_settings(settings).map_err(text)
}

pub(super) fn at(body: BodyId, x: f64, y: f64, z: f64) -> Connector {
    Connector::body(body, Vec3::new(x, y, z))
}

pub(super) const DOWN: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// A deterministic stream of numbers from 0 to 1.
pub(super) struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() * n as f64) as usize).min(n.saturating_sub(1))
    }

    pub fn vec(&mut self) -> Vec3 {
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
pub(super) fn chain(n: usize, closed: bool) -> Result<World> {
    let mut world = world(DOWN)?;
    let mut last = BodyId::WORLD;
    for i in 0..n {
        let x = i as f64;
        let body = Body::cuboid(1.0 + 0.3 * x, Vec3::new(1.0, 0.2, 0.1)).ghost().at(Vec3::new(
            x + 0.5,
            0.0,
            0.0,
        ));
        let body = world.add_body(body).map_err(text)?;
        let joint = if i % 2 == 0 {
            Joint::ball(last, body)
        } else {
            Joint::hinge(last, body).axis(Vec3::new(0.0, 1.0, 0.2))
        };
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

/// AT-04: extended Baraff against dense solvers on a tree of five ball joints with a loop and an
/// anchor.
pub fn baraff(_: Parameters<'_>) -> Result<Figures> {
    let mut world = world(Vec3::new(0.3, -0.2, -9.81))?;
    let mut n = Numbers(4);
    let mut bodies = Vec::new();
    for _ in 0..6 {
        let body = Body::cuboid(1.0 + n.next(), Vec3::new(0.5, 0.3 + n.next(), 0.2))
            .ghost()
            .at(n.vec() * 2.0);
        let body = body.rotated(math::rotation(n.vec())).moving(n.vec()).spinning(n.vec());
        bodies.push(world.add_body(body).map_err(text)?);
    }
    for (a, b) in [(0, 1), (1, 2), (1, 3), (3, 4), (4, 5), (5, 0)] {
        let c =
            Constraint::point_to_point(at(bodies[a], 0.2, 0.1, 0.0), at(bodies[b], -0.2, 0.0, 0.1));
        world.add_constraint(c).map_err(text)?;
    }
    let anchor =
        Constraint::point_to_point(at(bodies[2], 0.1, 0.2, 0.3), Connector::fixed(Vec3::ONE));
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

/// AT-12 to AT-15: without a stabiliser C'' of a constraint between two bodies in any motion is
/// zero if and only if J v' + c is right; C'' is measured by differences of second order. `kind` is
/// 12 (distance), 13 (orientation), 14 (in line) or 15 (ortho).
pub fn second_derivative(p: Parameters<'_>) -> Result<Figures> {
    let mut n = Numbers(12);
    let mut worst = 0.0_f64;
    for _ in 0..20 {
        let mut world = world(DOWN)?;
        set(&mut world, |l| l.stabiliser = Stabiliser::None)?;
        let mut body = || {
            let body = Body::cuboid(1.0 + n.next(), Vec3::new(0.5, 0.4, 0.3)).ghost().at(n.vec());
            let body =
                body.rotated(math::rotation(n.vec())).moving(n.vec()).spinning(n.vec() * 2.0);
            world.add_body(body).map_err(text)
        };
        let (a, b) = (body()?, body()?);
        let points: Vec<Vec3> = (0..4).map(|_| n.vec() * 0.5).collect();
        let ends = |list: &[(BodyId, usize)]| {
            list.iter().map(|&(b, k)| Connector::body(b, points[k])).collect()
        };
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
        let a = world.add_body(Body::cuboid(1.0, size).ghost()).map_err(text)?;
        let b = Body::cuboid(1.0, size)
            .ghost()
            .at(Vec3::new(1.0, 1.0, 0.0))
            .rotated(math::rotation(quarter));
        let b = world.add_body(b).map_err(text)?;
        let axes = vec![
            at(a, 1.0, 0.0, 0.0),
            at(a, 0.0, 0.0, 0.0),
            at(b, -1.0, 0.0, 0.0),
            at(b, -2.0, 0.0, 0.0),
        ];
        let c = world
            .add_constraint(Constraint::new(ConstraintKind::Orientation, axes))
            .map_err(text)?;
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

/// AT-27: secondary ball joints of random graphs against E − V + components; counts the graphs that
/// differ.
pub fn loops(_: Parameters<'_>) -> Result<Figures> {
    let mut n = Numbers(27);
    let (mut wrong, mut graphs) = (0, 0);
    for _ in 0..50 {
        let count = 2 + n.below(9);
        let mut world = world(Vec3::ZERO)?;
        set(&mut world, |l| l.solver = MultiplierSolver::Baraff)?;
        let bodies: Vec<BodyId> = (0..count)
            .map(|_| {
                world
                    .add_body(Body::cuboid(1.0, Vec3::new(0.5, 0.4, 0.3)).ghost().at(n.vec()))
                    .map_err(text)
            })
            .collect::<Result<_>>()?;
        let mut group: Vec<usize> = (0..count).collect();
        let (mut edges, mut components) = (0, count);
        for _ in 0..n.below(2 * count) {
            let (i, j) = (n.below(count), n.below(count));
            if i == j {
                continue;
            }
            let ends = [n.vec(), n.vec()].map(|v| v * 0.2);
            let c = Constraint::point_to_point(
                Connector::body(bodies[i], ends[0]),
                Connector::body(bodies[j], ends[1]),
            );
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

/// AT-32: how the corners of a unit cube answer to forces at the first of them, and AT-33's rows of
/// K.
pub fn corners(_: Parameters<'_>) -> Result<Figures> {
    let mut world = world(Vec3::ZERO)?;
    let body = world.add_body(Body::cuboid(1.0, Vec3::ONE).ghost()).map_err(text)?;
    let corners =
        [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)].map(|(x, y)| Vec3::new(x, y, -0.5));
    world.apply_force(body, Vec3::Z, corners[0]).map_err(text)?;
    let (_, a, alpha) = world.multipliers().accelerations[0];
    let k = corners.map(|c| (a + alpha.cross(c)).z);
    Ok([("k11", k[0]), ("k12", k[1]), ("k13", k[2]), ("k14", k[3])].into())
}
