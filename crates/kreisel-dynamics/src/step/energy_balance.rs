//! The equations of the energy-momentum step: balance of impulses per body, rows at mean vectors,
//! and the approximate Newton matrix (see [`super::energy`] for the step itself).
//!
//! | symbol | here |
//! |---|---|
//! | Δ, φ | `shift`, `turn`: displacement and Cayley vector of each body over the substep (the unknowns of bodies) |
//! | λ | impulses of the joints' rows over the substep (the unknowns of joints) |
//! | G | what is missing in the balance: 2m/h (Δ − h v₀) − h m a − Σ ±n λ, and R₁ J W₁ − R₀ J W₀ − h τ − Σ a λ |
//! | B | response of G: 2m/h, and (2/h) R₁ J R₁ᵀ + ½ K, kept symmetric: gyroscopic terms are left to the iteration |
//! | K | geometric stiffness of the impulses, see `bilinear` |
//!
//! With B^½ in place of M^½ the rows are scaled as in the symmetric step and the same factor solves
//! J B⁻¹ Jᵀ dλ = −C + J B⁻¹ G. While the loop runs, the lanes' scaled velocities hold B^½ times the
//! body corrections.

use super::energy_mixing::Mixing;
use super::energy_stiffness::{bilinear, carry, inverse_root};
use crate::constraint::{Pair, Pose, Row};
use crate::lanes::LANES;
use crate::math::{Mat3, Quat, Vec3};
use crate::solver::block::MAX_ROWS;
use crate::system::rows::node_rows;
use crate::system::{NONE, Node, System, mat3, set3, vec3};

/// Scratch of the energy-momentum step, sized when a system first takes one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    bodies: Vec<BodyWork>,
    /// Vectors of the joints at the start of the substep, by node.
    before: Vec<Pair>,
    /// Rows at the mean vectors, by row.
    rows: Vec<Row>,
    mixing: Mixing,
    /// Whether the rows belong to this substep.
    placed: bool,
}

/// One body during a substep.
#[derive(Clone, Copy, Debug, Default)]
struct BodyWork {
    mass: f64,
    inertia: Vec3,
    /// Longest arm of the body's joints (or its radius of gyration), m: turns angles into lengths.
    reach: f64,
    /// Velocity and spin (body frame) at the start.
    velocity: Vec3,
    spin: Vec3,
    /// Displacement that free flight would give; angular momentum with the impulse of constant
    /// torques.
    free: Vec3,
    momentum: Vec3,
    shift: Vec3,
    turn: Vec3,
    /// Sums over joints and springs: impulse, angular impulse, geometric stiffness.
    impulse: Vec3,
    angular: Vec3,
    stiffness: Mat3,
    /// B^−½: a number for translation, and L⁻¹ R₁ᵀ with the Cholesky factor L in the body frame for
    /// rotation.
    root: f64,
    turn_root: Mat3,
}

/// Largest imbalances.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Imbalance {
    /// Correction B⁻¹G as a length, m.
    pub length: f64,
}

impl System {
    /// Sizes the scratch.
    fn fit_work(&mut self) {
        let (bodies, nodes, rows) = (self.slots.len(), self.nodes.len(), self.factor.rows());
        if self.work.bodies.len() == bodies
            && self.work.before.len() == nodes
            && self.work.rows.len() == rows
        {
            return;
        }
        let none = Pair { arm: [Vec3::ZERO; 2], axes: [Mat3::IDENTITY; 2], d: Vec3::ZERO };
        self.work.mixing.fit(6 * bodies, 6 * bodies + rows);
        self.work.before = vec![none; nodes];
        self.work.rows = vec![Row::default(); rows];
        self.work.bodies = vec![BodyWork::default(); bodies];
        for (i, b) in self.work.bodies.iter_mut().enumerate() {
            let (g, l) = (&self.groups[i / LANES], i % LANES);
            let si = vec3(&g.si, l);
            (b.mass, b.inertia) = (g.sm.0[l] * g.sm.0[l], si * si);
            b.reach = si.max_element() * g.ism.0[l];
        }
        for node in self.nodes.iter().filter(|n| n.joint != NONE) {
            for (body, frame) in node.bodies.into_iter().zip(&node.frames) {
                if let Some(b) = self.work.bodies.get_mut(body as usize) {
                    b.reach = b.reach.max(frame.origin.length());
                }
            }
        }
    }

    /// Reads the start of a substep and makes the first guess.
    ///
    /// φ = B⁻¹ 2L₀: slack bodies turn on as they do (h ω₀). A taut light body does not: its fast
    /// swing is far beyond h, and the mean of both ends points along the pull.
    pub(super) fn begin_balance(&mut self, h: f64, lambda: &mut [f64]) {
        self.fit_work();
        self.work.mixing.restart();
        self.work.placed = false;
        let continuous = self.has_continuous();
        for (i, b) in self.work.bodies.iter_mut().enumerate() {
            let (g, l) = (&self.groups[i / LANES], i % LANES);
            // with continuous springs the lanes may hold spring forces of an earlier instant
            let (acc, torque) =
                if continuous { &self.constant[i / LANES] } else { &(g.acc, g.torque) };
            let y = [0, 1, 2, 3, 4, 5].map(|j| g.y[j].0[l]);
            let r = mat3(&g.r, l);
            b.velocity = Vec3::new(y[0], y[1], y[2]) * g.ism.0[l];
            b.spin = Vec3::new(y[3], y[4], y[5]) * vec3(&g.isi, l);
            b.free = (b.velocity + vec3(acc, l) * (0.5 * h)) * h;
            b.momentum = r * (b.inertia * b.spin) + vec3(torque, l) * h;
            b.shift = b.free;
            b.turn = Vec3::ZERO;
            b.root = (0.5 * h).sqrt() * g.ism.0[l];
        }
        for a in &self.actuators {
            for (body, force, torque) in self.actuator_efforts(a) {
                if let Some(b) = self.work.bodies.get_mut(body) {
                    let ism = self.groups[body / LANES].ism.0[body % LANES];
                    b.free += force * (0.5 * h * h * ism * ism);
                    b.momentum += torque * h;
                    b.shift = b.free;
                }
            }
        }
        for k in 0..self.position_nodes {
            let node = &self.nodes[k];
            if node.joint != NONE {
                self.work.before[k] =
                    vectors(node, self.pose(node.bodies[0]), self.pose(node.bodies[1]));
            }
        }
        self.place_bodies();
        self.balance(h, lambda);
        for (i, b) in self.work.bodies.iter_mut().enumerate() {
            let (g, l) = (&self.groups[i / LANES], i % LANES);
            let momentum = mat3(&g.r, l) * (b.inertia * b.spin);
            b.turn = b.turn_root.transpose() * (b.turn_root * momentum) * 2.0;
        }
    }

    /// Poses at the end of the substep from the present displacements: R₁ = cay(φ) R₀.
    pub(super) fn place_bodies(&mut self) {
        for (i, b) in self.work.bodies.iter().enumerate() {
            let (g, l) = (&mut self.groups[i / LANES], i % LANES);
            let x = vec3(&g.x, l) + b.shift;
            set3(&mut g.x1, l, x);
            let half = b.turn * 0.5;
            let q = Quat::from_xyzw(half.x, half.y, half.z, 1.0)
                * Quat::from_xyzw(g.q[0].0[l], g.q[1].0[l], g.q[2].0[l], g.q[3].0[l]);
            let q = q.normalize();
            for (k, c) in [q.x, q.y, q.z, q.w].into_iter().enumerate() {
                g.q1[k].0[l] = c;
            }
            if l == LANES - 1 || i + 1 == self.slots.len() {
                g.r1 = crate::lanes::quat_matrix(g.q1);
            }
        }
    }

    /// Rows at the mean vectors and the impulses that they carry to the bodies.
    /// Returns how far springs with nodes are off, m.
    fn gather(&mut self, h: f64, lambda: &mut [f64]) -> f64 {
        let mut work = std::mem::take(&mut self.work);
        for b in &mut work.bodies {
            (b.impulse, b.angular, b.stiffness) = (Vec3::ZERO, Vec3::ZERO, Mat3::ZERO);
        }
        for (k, node) in self.nodes[..self.position_nodes].iter().enumerate() {
            if node.joint == NONE {
                continue;
            }
            let after =
                vectors(node, self.pose_then(node.bodies[0]), self.pose_then(node.bodies[1]));
            let mean = Pair::mean(&work.before[k], &after);
            let (f, row0) = (usize::from(node.rows), node.row0 as usize);
            let mut rows = [Row::default(); MAX_ROWS];
            node_rows(node, &self.bounds, &mean, &mut rows);
            let lambda = &mut lambda[row0..row0 + f];
            if work.placed {
                carry(node, &work.rows[row0..row0 + f], &rows, lambda);
            }
            work.rows[row0..row0 + f].copy_from_slice(&rows[..f]);
            let (mut n, mut a) = (Vec3::ZERO, [Vec3::ZERO; 2]);
            for (row, &l) in rows[..f].iter().zip(&*lambda) {
                n += row.n * l;
                a[0] += row.a[0] * l;
                a[1] += row.a[1] * l;
            }
            let stiffness = bilinear(node, &mean, lambda);
            for s in 0..2 {
                if let Some(b) = work.bodies.get_mut(node.bodies[s] as usize) {
                    b.impulse += if s == 1 { n } else { -n };
                    b.angular += a[s];
                    b.stiffness += stiffness[s];
                }
            }
        }
        let mut worst = 0.0_f64;
        for spring in self.springs.iter().filter(|s| s.continuous) {
            let stretch = self.stretch(spring, h);
            let mut impulse = stretch.impulse(h);
            let mut stiffness = [Mat3::ZERO; 2];
            if spring.node != NONE {
                let row = self.nodes[spring.node as usize].row0 as usize;
                let (residual, off) = self.spring_residual(spring, &stretch, lambda[row], h);
                self.residual[row] = residual;
                // written so that NaN counts as the worst
                if !(off <= worst) {
                    worst = off;
                }
                work.rows[row] = stretch.row;
                impulse = stretch.row.n * -lambda[row];
                stiffness = stretch.stiffness(lambda[row]);
            }
            for (s, impulse) in [impulse, -impulse].into_iter().enumerate() {
                if let Some(b) = work.bodies.get_mut(spring.bodies[s] as usize) {
                    b.impulse += impulse;
                    b.angular += stretch.arms[s].cross(impulse);
                    b.stiffness += stiffness[s];
                }
            }
        }
        work.placed = true;
        self.work = work;
        worst
    }

    /// Balance of impulses for the present poses and impulses (which are carried over to the rows
    /// of these poses): fills rows, B^−½, and −B^−½ G in the lanes' velocities.
    pub(super) fn balance(&mut self, h: f64, lambda: &mut [f64]) -> Imbalance {
        let mut worst = Imbalance { length: self.gather(h, lambda) };
        let two = 2.0 / h;
        for (i, b) in self.work.bodies.iter_mut().enumerate() {
            let (g, l) = (&mut self.groups[i / LANES], i % LANES);
            let (r0, r1) = (mat3(&g.r, l), mat3(&g.r1, l));
            let spin = r0.transpose() * b.turn * two - b.spin;
            let turning = r1 * (b.inertia * spin) - b.momentum - b.angular;
            let moving = (b.shift - b.free) * (two * b.mass) - b.impulse;
            // geometric stiffness only where it stiffens: pushed bodies would make B indefinite
            let k = b.stiffness;
            let stiffens = k.x_axis.x + k.y_axis.y + k.z_axis.z > 0.0;
            let diagonal = b.inertia * two;
            let with = if stiffens {
                inverse_root(diagonal, &(r1.transpose() * k * r1 * 0.5))
            } else {
                None
            };
            let lower = with.or_else(|| inverse_root(diagonal, &Mat3::ZERO)).unwrap_or(Mat3::ZERO);
            b.turn_root = lower * r1.transpose();
            let (t, w) = (moving * -b.root, b.turn_root * -turning);
            for j in 0..3 {
                g.y[j].0[l] = t[j];
                g.y[3 + j].0[l] = w[j];
            }
            let off = (t.length() * b.root).max((b.turn_root.transpose() * w).length() * b.reach);
            // written so that NaN counts as the worst
            if !(off <= worst.length) {
                worst.length = off;
            }
        }
        worst
    }

    /// Scales the rows at hand by B^−½.
    pub(super) fn scale_rows(&mut self) {
        for node in self.nodes[..self.position_nodes].iter().filter(|n| !n.is_body()) {
            let (f, row0) = (usize::from(node.rows), node.row0 as usize);
            for s in (0..2).filter(|&s| node.side[s] != NONE) {
                let b = &self.work.bodies[node.bodies[s] as usize];
                let root = if s == 1 { b.root } else { -b.root };
                let out = &mut self.b[node.side[s] as usize..][..6 * f];
                for (row, out) in self.work.rows[row0..row0 + f].iter().zip(out.chunks_exact_mut(6))
                {
                    let (n, a) = (row.n * root, b.turn_root * row.a[s]);
                    out.copy_from_slice(&[n.x, n.y, n.z, a.x, a.y, a.z]);
                }
            }
        }
    }

    /// Moves bodies by the corrections that the lanes' velocities hold (scaled by B^½) and impulses
    /// by `z`; a swinging iteration is mixed with earlier rounds.
    pub(super) fn correct(&mut self, swings: bool, lambda: &mut [f64], z: &[f64]) {
        let Work { bodies, mixing, .. } = &mut self.work;
        let (moves, impulses) = mixing.step.split_at_mut(6 * bodies.len());
        for ((i, b), step) in bodies.iter().enumerate().zip(moves.chunks_exact_mut(6)) {
            let (g, l) = (&self.groups[i / LANES], i % LANES);
            let y = [0, 1, 2, 3, 4, 5].map(|j| g.y[j].0[l]);
            let shift = Vec3::new(y[0], y[1], y[2]) * b.root;
            let turn = b.turn_root.transpose() * Vec3::new(y[3], y[4], y[5]) * b.reach;
            step.copy_from_slice(&[shift.x, shift.y, shift.z, turn.x, turn.y, turn.z]);
        }
        impulses.copy_from_slice(z);
        mixing.mix(swings);
        let (moves, impulses) = mixing.step.split_at(6 * bodies.len());
        for (b, step) in bodies.iter_mut().zip(moves.chunks_exact(6)) {
            b.shift += Vec3::new(step[0], step[1], step[2]);
            if b.reach > 0.0 {
                b.turn += Vec3::new(step[3], step[4], step[5]) / b.reach;
            }
        }
        for (l, step) in lambda.iter_mut().zip(impulses) {
            *l += step;
        }
    }

    /// Takes the poses at the end and the velocities that belong to them.
    pub(super) fn finish_balance(&mut self, h: f64) {
        let two = 2.0 / h;
        for (i, b) in self.work.bodies.iter_mut().enumerate() {
            let r0 = mat3(&self.groups[i / LANES].r, i % LANES);
            b.velocity = b.shift * two - b.velocity;
            b.spin = r0.transpose() * b.turn * two - b.spin;
        }
        self.commit(h, 0.0);
        for (i, b) in self.work.bodies.iter().enumerate() {
            let (g, l) = (&mut self.groups[i / LANES], i % LANES);
            let (v, w) = (b.velocity * g.sm.0[l], b.spin * vec3(&g.si, l));
            for j in 0..3 {
                g.y[j].0[l] = v[j];
                g.y[3 + j].0[l] = w[j];
            }
        }
    }
}

/// The vectors of a joint; a ball joint has no use for axes.
#[inline(always)]
fn vectors(node: &Node, a: Pose, b: Pose) -> Pair {
    if node.ball {
        let arm = [a.r * node.frames[0].origin, b.r * node.frames[1].origin];
        Pair { arm, axes: [Mat3::IDENTITY; 2], d: (b.x + arm[1]) - (a.x + arm[0]) }
    } else {
        Pair::new(&node.frames, a, b)
    }
}
