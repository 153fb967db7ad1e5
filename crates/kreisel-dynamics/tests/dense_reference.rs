//! The engine's step against a step solved densely, on random trees and graphs (property tests,
//! 1e-9).
//!
//! The reference is written from the equations alone: bodies are spheres, whose free flow is a
//! plain rotation, rows come from the product rule, and every linear system is solved by
//! Gram-Schmidt over the scaled rows, dependent rows left out. Impulses of dependent rows are not
//! unique, the velocities are: those are compared.

mod common;

use common::{Numbers, plain_world};
use kreisel_dynamics::{Body, BodyId, Joint, JointKind, Mat3, Method, Quat, Status, Vec3, World};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[derive(Clone, Copy)]
struct Ball {
    mass: f64,
    moment: f64,
    x: Vec3,
    q: Quat,
    v: Vec3,
    w: Vec3,
}

/// A joint between two bodies (`None`: the world); anchors and axes in body frames.
struct Link {
    kind: JointKind,
    bodies: [Option<usize>; 2],
    anchors: [Vec3; 2],
    axes: [Mat3; 2],
}

/// A condition on velocities: (v, w) of each side.
type Row = [[Vec3; 2]; 2];

struct Model {
    bodies: Vec<Ball>,
    links: Vec<Link>,
}

impl Model {
    /// Residuals and rows of a joint.
    fn conditions(&self, link: &Link) -> Vec<(f64, Row)> {
        let get = |k: usize| {
            link.bodies[k].map_or((Vec3::ZERO, Mat3::IDENTITY), |b| {
                (self.bodies[b].x, Mat3::from_quat(self.bodies[b].q))
            })
        };
        let [(x1, r1), (x2, r2)] = [get(0), get(1)];
        let (arm1, arm2) = (r1 * link.anchors[0], r2 * link.anchors[1]);
        let (a, b) = (r1 * link.axes[0], r2 * link.axes[1]);
        let d = x2 + arm2 - x1 - arm1;
        // (u·d)' for u fixed to body 1, and (s·t)' for s fixed to body 1, t to body 2
        let along = |u: Vec3| (u.dot(d), [[-u, u.cross(arm1 + d)], [u, arm2.cross(u)]]);
        let fixed = |u: Vec3| (u.dot(d), [[-u, u.cross(arm1)], [u, arm2.cross(u)]]);
        let product = |s: Vec3, t: Vec3| {
            let c = s.cross(t);
            (s.dot(t), [[Vec3::ZERO, c], [Vec3::ZERO, -c]])
        };
        let ball = vec![fixed(Vec3::X), fixed(Vec3::Y), fixed(Vec3::Z)];
        let line = vec![along(a.y_axis), along(a.z_axis)];
        let direction = vec![product(a.x_axis, b.y_axis), product(a.x_axis, b.z_axis)];
        let rigid = vec![
            product(a.x_axis, b.y_axis),
            product(a.y_axis, b.z_axis),
            product(a.z_axis, b.x_axis),
        ];
        match link.kind {
            JointKind::Ball => ball,
            JointKind::Hinge => [ball, direction].concat(),
            JointKind::Slider => [line, rigid].concat(),
            JointKind::Fixed => [ball, rigid].concat(),
            JointKind::Line => line,
            kind => panic!("{kind:?} is not part of the reference"),
        }
    }

    fn all_conditions(&self) -> Vec<(f64, Vec<f64>)> {
        let mut list = Vec::new();
        for link in &self.links {
            for (c, row) in self.conditions(link) {
                let mut scaled = vec![0.0; 6 * self.bodies.len()];
                for side in 0..2 {
                    let Some(b) = link.bodies[side] else { continue };
                    let (m, j) = (self.bodies[b].mass.sqrt(), self.bodies[b].moment.sqrt());
                    for k in 0..3 {
                        scaled[6 * b + k] += row[side][0][k] / m;
                        scaled[6 * b + 3 + k] += row[side][1][k] / j;
                    }
                }
                list.push((c, scaled));
            }
        }
        list
    }

    fn velocities(&self) -> Vec<f64> {
        let scaled = |b: &Ball| [b.v * b.mass.sqrt(), b.w * b.moment.sqrt()].map(|v| v.to_array());
        self.bodies.iter().flat_map(|b| scaled(b).into_iter().flatten()).collect()
    }

    fn set_velocities(&mut self, y: &[f64]) {
        for (b, y) in self.bodies.iter_mut().zip(y.chunks_exact(6)) {
            b.v = Vec3::from_slice(&y[..3]) / b.mass.sqrt();
            b.w = Vec3::from_slice(&y[3..]) / b.moment.sqrt();
        }
    }

    fn moved(&self, gravity: Vec3, h: f64) -> Self {
        let mut bodies = self.bodies.clone();
        for b in &mut bodies {
            b.x += b.v * h + gravity * (0.5 * h * h);
            b.q = (Quat::from_scaled_axis(b.w * h) * b.q).normalize();
            b.v += gravity * h;
        }
        let copy =
            |l: &Link| Link { kind: l.kind, bodies: l.bodies, anchors: l.anchors, axes: l.axes };
        Self { bodies, links: self.links.iter().map(copy).collect() }
    }

    /// Kick so that the residuals vanish after h, move, project the velocities.
    fn step(&self, gravity: Vec3, h: f64) -> Self {
        let basis = Basis::new(&self.all_conditions());
        let mut kicked = self.moved(Vec3::ZERO, 0.0);
        for _ in 0..60 {
            let then = kicked.moved(gravity, h);
            let errors: Vec<f64> = then.all_conditions().iter().map(|c| -c.0 / h).collect();
            let change = basis.smallest_solution(&errors);
            let y: Vec<f64> = kicked.velocities().iter().zip(&change).map(|(a, b)| a + b).collect();
            kicked.set_velocities(&y);
            if change.iter().all(|c| c.abs() < 1e-13) {
                break;
            }
        }
        let mut end = kicked.moved(gravity, h);
        let mut y = end.velocities();
        for unit in Basis::new(&end.all_conditions()).units.iter().flatten() {
            let part: f64 = unit.iter().zip(&y).map(|(a, b)| a * b).sum();
            y.iter_mut().zip(unit).for_each(|(y, u)| *y -= part * u);
        }
        end.set_velocities(&y);
        end
    }
}

/// Orthonormal basis of the rows; `None` for a row that depends on those before it.
struct Basis {
    units: Vec<Option<Vec<f64>>>,
    /// Coefficients of each row on the units up to its own.
    lower: Vec<Vec<f64>>,
}

impl Basis {
    fn new(rows: &[(f64, Vec<f64>)]) -> Self {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (mut units, mut lower): (Vec<Option<Vec<f64>>>, _) = (Vec::new(), Vec::new());
        for (_, row) in rows {
            let (mut rest, mut coefficients) = (row.clone(), vec![0.0; units.len()]);
            for _twice in 0..2 {
                for (k, unit) in units.iter().enumerate() {
                    let Some(unit) = unit else { continue };
                    let c = dot(&rest, unit);
                    coefficients[k] += c;
                    rest.iter_mut().zip(unit).for_each(|(r, u)| *r -= c * u);
                }
            }
            let size = dot(&rest, &rest).sqrt();
            let kept = size > 1e-9 * dot(row, row).sqrt();
            coefficients.push(size);
            units.push(kept.then(|| rest.iter().map(|r| r / size).collect()));
            lower.push(coefficients);
        }
        Self { units, lower }
    }

    /// Whether every row is clearly independent of those before it or clearly not.
    fn is_clear(&self) -> bool {
        self.lower.iter().all(|c| {
            let (rest, size) = (c[c.len() - 1], c.iter().map(|x| x * x).sum::<f64>().sqrt());
            rest > 0.03 * size || rest < 1e-12 * size
        })
    }

    /// The shortest vector whose products with the kept rows are `wanted`.
    fn smallest_solution(&self, wanted: &[f64]) -> Vec<f64> {
        let width = self.units.iter().flatten().next().map_or(0, Vec::len);
        let (mut sum, mut c) = (vec![0.0; width], vec![0.0; wanted.len()]);
        for (k, unit) in self.units.iter().enumerate() {
            let Some(unit) = unit else { continue };
            let before: f64 = (0..k).map(|j| self.lower[k][j] * c[j]).sum();
            c[k] = (wanted[k] - before) / self.lower[k][k];
            sum.iter_mut().zip(unit).for_each(|(s, u)| *s += c[k] * u);
        }
        sum
    }
}

/// A random graph: a tree (every body hangs on an earlier one, on a hub, or on the world) and
/// `loops` further joints.
fn random_model(seed: u64, n: usize, loops: usize, hub: bool) -> Model {
    let mut r = Numbers(seed);
    for _ in 0..4 {
        r.next();
    }
    let mut model = Model { bodies: Vec::new(), links: Vec::new() };
    for _ in 0..n {
        let mass = 1.0 + 0.9 * r.next();
        let (x, q) = (r.vec(), Quat::from_scaled_axis(r.vec() * 2.0));
        model.bodies.push(Ball {
            mass,
            moment: 0.4 * mass * 0.09,
            x,
            q,
            v: r.vec(),
            w: r.vec() * 2.0,
        });
    }
    let mut link = |r: &mut Numbers, a: Option<usize>, b: usize, closing: bool| {
        let kinds = [
            JointKind::Ball,
            JointKind::Hinge,
            JointKind::Slider,
            JointKind::Line,
            JointKind::Fixed,
        ];
        let pick = (r.next().abs() * 4.999) as usize;
        // loops closed by ball joints and lines keep the graph from locking up altogether
        let kind = if closing { kinds[3 * (pick % 2)] } else { kinds[pick] };
        let point = r.vec();
        let axes = Mat3::from_quat(Quat::from_scaled_axis(r.vec() * 2.0));
        let pose = |k: Option<usize>| {
            k.map_or((Vec3::ZERO, Quat::IDENTITY), |k| (model.bodies[k].x, model.bodies[k].q))
        };
        let ends = [pose(a), pose(Some(b))];
        model.links.push(Link {
            kind,
            bodies: [a, Some(b)],
            anchors: ends.map(|(x, q)| q.conjugate() * (point - x)),
            axes: ends.map(|(_, q)| Mat3::from_quat(q.conjugate()) * axes),
        });
    };
    for b in 0..n {
        let on = if b == 0 {
            None
        } else if hub {
            Some(0)
        } else {
            Some((r.next().abs() * b as f64) as usize)
        };
        link(&mut r, on, b, false);
    }
    for _ in 0..loops {
        let b = 1 + (r.next().abs() * (n - 1) as f64 * 0.999) as usize;
        let a = (r.next().abs() * b as f64 * 0.999) as usize;
        link(&mut r, Some(a), b, true);
    }
    model
}

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

fn world_of(model: &Model, method: Method) -> (World, Vec<BodyId>) {
    let mut world = plain_world(GRAVITY, 1e-12);
    common::change(&mut world, |s| {
        s.method = method;
        s.max_rounds = (method == Method::Iterative).then_some(100_000);
    });
    let ids: Vec<BodyId> = model
        .bodies
        .iter()
        .map(|b| {
            let body =
                Body::sphere(b.mass, 0.3).ghost().at(b.x).rotated(b.q).moving(b.v).spinning(b.w);
            world.add_body(body).unwrap()
        })
        .collect();
    for link in &model.links {
        let id = |k: usize| link.bodies[k].map_or(BodyId::WORLD, |b| ids[b]);
        let at = link.bodies[1]
            .map(|b| model.bodies[b].x + model.bodies[b].q * link.anchors[1])
            .unwrap();
        let axis = link.bodies[1].map(|b| model.bodies[b].q * link.axes[1].x_axis).unwrap();
        world.add_joint(Joint::new(link.kind, id(0), id(1)).at(at).axis(axis)).unwrap();
    }
    (world, ids)
}

/// Largest difference of positions, rotations and velocities after three steps, and whether the
/// engine says that it met its tolerance in all of them.
fn difference(model: &Model, method: Method) -> (f64, bool) {
    let h = 2e-3;
    let (mut world, ids) = world_of(model, method);
    let mut expected = model.moved(Vec3::ZERO, 0.0);
    let mut converged = true;
    for _ in 0..3 {
        converged &= world.step(h).status == Status::Converged;
        expected = expected.step(GRAVITY, h);
    }
    let mut worst = 0.0_f64;
    for (&id, b) in ids.iter().zip(&expected.bodies) {
        worst = worst.max(world.center_of_mass(id).unwrap().distance(b.x));
        worst = worst.max(common::angle_between(world.rotation(id).unwrap(), b.q));
        worst = worst.max(world.velocity(id).unwrap().distance(b.v) * h);
        worst = worst.max(world.angular_velocity(id).unwrap().distance(b.w) * h);
    }
    (worst, converged)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, max_global_rejects: 100_000, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn the_direct_method_equals_the_dense_step_on_random_trees(seed in any::<u64>(), n in 1usize..10) {
        let (d, _) = difference(&random_model(seed, n, 0, false), Method::Direct);
        prop_assert!(d < 1e-9, "{d}");
    }

    #[test]
    fn the_direct_method_equals_the_dense_step_on_random_hubs(seed in any::<u64>(), n in 7usize..14) {
        let (d, _) = difference(&random_model(seed, n, 0, true), Method::Direct);
        prop_assert!(d < 1e-9, "{d}");
    }

    #[test]
    fn the_direct_method_equals_the_dense_step_on_random_graphs(seed in any::<u64>(), n in 3usize..10, loops in 1usize..4) {
        let model = random_model(seed, n, loops, false);
        prop_assume!(Basis::new(&model.all_conditions()).is_clear());
        let (d, _) = difference(&model, Method::Direct);
        prop_assert!(d < 1e-9, "{d}");
    }

    #[test]
    fn the_direct_method_equals_the_dense_step_on_random_hubs_with_loops(seed in any::<u64>(), n in 7usize..12, loops in 1usize..3) {
        let model = random_model(seed, n, loops, true);
        prop_assume!(Basis::new(&model.all_conditions()).is_clear());
        let (d, _) = difference(&model, Method::Direct);
        prop_assert!(d < 1e-9, "{d}");
    }
}

proptest! {
    // sweeps on nearly dependent joints may end before they arrive and say so; a few such cases are
    // passed over, not many
    #![proptest_config(ProptestConfig { cases: 24, max_global_rejects: 12, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn the_iterative_method_equals_the_dense_step_on_random_trees(seed in any::<u64>(), n in 1usize..5) {
        let (d, converged) = difference(&random_model(seed, n, 0, false), Method::Iterative);
        prop_assume!(converged);
        prop_assert!(d < 1e-9, "{d}");
    }

    #[test]
    fn the_cut_method_equals_the_dense_step_on_random_graphs(seed in any::<u64>(), n in 3usize..6) {
        let model = random_model(seed, n, 1, false);
        prop_assume!(Basis::new(&model.all_conditions()).is_clear());
        let (d, converged) = difference(&model, Method::Cut);
        prop_assume!(converged);
        prop_assert!(d < 1e-9, "{d}");
    }
}
