//! Jointed chains inside the contact solves: each chain is one exact block (B-88 to B-91).
//!
//! After a sweep over the contacts the change of the chain's velocities is projected onto the
//! motions that its joints allow, with the factor of the joint equations (direct), or with one
//! sweep over its joints (iterative, cut). What the projection does is the joints' reaction to the
//! contact.

use super::cells::Cell;
use super::checkpoint::Checkpoint;
use crate::lanes::{F4, LANES};
use crate::math::{Quat, Vec3, rotation_vector};
use crate::settings::Settings;
use crate::solver::block::MAX_ROWS;
use crate::step::Budget;
use crate::step::law::Phase;
use crate::system::{BoundKind, BoundState, System};

/// Scratch for one chain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// Number of the system.
    pub system: u32,
    /// Cell and number in the system of each body.
    pub members: Vec<(u32, u32)>,
    /// The true velocities while the groups serve as scratch.
    velocities: Vec<[F4; 6]>,
    /// Impulses of the joints against contacts in this step, by row.
    pub impulses: Vec<f64>,
    /// The same before the last sweep.
    last: Vec<f64>,
    /// Whether the impulses of laws in the last velocity correction act at the same instant as the
    /// contacts'.
    pub corrected: bool,
    /// What the rows have carried in the step before contacts are held, by row; empty in the kick.
    support: Vec<f64>,
    /// States of bounded rows as the chain's own step left them.
    states: Vec<BoundState>,
    /// Whether some have others while contacts are solved.
    changed: bool,
    /// When the step without contacts first strikes a limit, s after its start.
    pub strike: Option<f64>,
    checkpoint: Checkpoint,
    starts: Vec<(Vec3, Quat)>,
    /// Preview velocities by body: way and rotation of a step without contacts, divided by its
    /// duration and scaled.
    pub preview: Vec<Cell>,
}

impl Chain {
    /// Makes the step without contacts to see where the bodies would go, and goes back.
    pub fn predict(
        &mut self,
        s: &mut System,
        now: f64,
        h: f64,
        settings: &Settings,
        budget: &Budget,
    ) {
        self.checkpoint.take(s);
        self.preview.clear();
        self.starts.clear();
        self.starts.extend((0..s.slots.len()).map(|i| place(s, i)));
        s.advance(now, h, settings, budget);
        self.strike = s.stats.hits.first().map(|hit| hit.time - now);
        for (i, &(x0, q0)) in self.starts.iter().enumerate() {
            let (x1, q1) = place(s, i);
            let (g, l) = (&s.groups[i / LANES], i % LANES);
            let v = (x1 - x0) * (g.sm.0[l] / h);
            // in the body's frame a rotation by q₀⁻¹q₁
            let w = crate::system::vec3(&g.si, l) * (rotation_vector(q0.conjugate() * q1) / h);
            self.preview
                .push(Cell { linear: F4([v.x, v.y, v.z, 0.0]), angular: F4([w.x, w.y, w.z, 0.0]) });
        }
        self.checkpoint.go_back(s);
    }

    /// Makes the groups' velocities scratch until [`Self::close`]. `kick` is the length of the step
    /// that is to come; without it the velocities at its end are solved.
    pub fn open(&mut self, s: &mut System, kick: Option<f64>) {
        self.states.clear();
        self.states.extend(s.bounds.iter().map(|b| b.state));
        self.support.clear();
        self.changed = take_sides(s, kick.is_none());
        s.factored &= !self.changed;
        if !s.factored {
            s.refresh();
        }
        self.corrected = s.open_laws(kick);
        self.velocities.clear();
        self.velocities.extend(s.groups.iter().map(|g| g.y));
        self.impulses.resize(s.row_count(), 0.0);
        self.last.clone_from(&self.impulses);
    }

    /// The same at the end of a step, in which rows carried `s.total` and, against the contacts'
    /// kick, `deferred`.
    pub fn open_hold(&mut self, s: &mut System, deferred: &[f64]) {
        self.open(s, None);
        self.support.clone_from(&s.total);
        for (sum, z) in self.support.iter_mut().zip(deferred) {
            *sum += z;
        }
    }

    /// After a kick: the drift lets laws answer to what it finds, so that their answers leave the
    /// cells again.
    pub fn leave_laws(&mut self, s: &mut System, cells: &mut [Cell]) {
        if !s.lawful {
            return;
        }
        for g in &mut s.groups {
            g.y = [F4::ZERO; 6];
        }
        let mut z = std::mem::take(&mut s.z);
        z.resize(s.row_count(), 0.0);
        s.take_answers(&mut self.impulses, &mut z);
        s.apply(&z);
        z.fill(0.0);
        s.z = z;
        // what is left must be a motion that the joints allow
        s.enter(Phase::Off);
        self.impulses.iter_mut().for_each(|z| *z = -*z);
        if s.direct {
            self.solve(s);
        } else {
            self.sweep(s);
        }
        self.impulses.iter_mut().for_each(|z| *z = -*z);
        for &(cell, body) in &self.members {
            let (c, y, l) = (
                &mut cells[cell as usize],
                &s.groups[body as usize / LANES].y,
                body as usize % LANES,
            );
            for k in 0..3 {
                c.linear.0[k] -= y[k].0[l];
                c.angular.0[k] -= y[3 + k].0[l];
            }
        }
    }

    /// Gives the groups their velocities back, and bounded rows their states.
    pub fn close(&mut self, s: &mut System) {
        for (g, y) in s.groups.iter_mut().zip(&self.velocities) {
            g.y = *y;
        }
        for (b, state) in s.bounds.iter_mut().zip(&self.states) {
            b.state = *state;
        }
        s.factored &= !self.changed;
    }

    /// Between two sweeps: extrapolates what the rows of a chain with laws have answered by θ, or
    /// lets them answer.
    pub fn answer(
        &mut self,
        s: &mut System,
        cells: &mut [Cell],
        reference: &[Cell],
        theta: Option<f64>,
    ) {
        let Some(theta) = theta else { return self.project(s, cells, reference) };
        if s.lawful {
            for (z, last) in self.impulses.iter_mut().zip(&mut self.last) {
                let now = *z;
                *z = now + theta * (now - *last);
                *last = now;
            }
        }
    }

    /// Projects the change of the chain's cells since `reference` onto what the joints allow.
    pub fn project(&mut self, s: &mut System, cells: &mut [Cell], reference: &[Cell]) {
        if !s.is_tied() {
            return;
        }
        for g in &mut s.groups {
            g.y = [F4::ZERO; 6];
        }
        for &(cell, body) in &self.members {
            let (c, r) = (&cells[cell as usize], &reference[cell as usize]);
            let (y, l) = (&mut s.groups[body as usize / LANES].y, body as usize % LANES);
            for k in 0..3 {
                y[k].0[l] = c.linear.0[k] - r.linear.0[k];
                y[3 + k].0[l] = c.angular.0[k] - r.angular.0[k];
            }
        }
        if s.direct {
            self.solve(s);
            while self.release(s) {
                self.solve(s);
            }
        } else {
            self.release(s);
            self.sweep(s);
        }
        for &(cell, body) in &self.members {
            let (c, r) = (&mut cells[cell as usize], &reference[cell as usize]);
            let (y, l) = (&s.groups[body as usize / LANES].y, body as usize % LANES);
            for k in 0..3 {
                c.linear.0[k] = r.linear.0[k] + y[k].0[l];
                c.angular.0[k] = r.angular.0[k] + y[3 + k].0[l];
            }
        }
    }

    /// Lets go of limits that would pull: what they carried in the step is all that they can give
    /// back. True when one did.
    fn release(&mut self, s: &mut System) -> bool {
        let mut any = false;
        for i in 0..s.bounds.len() {
            let b = &s.bounds[i];
            let (node, r) = (b.node as usize, usize::from(b.row));
            let row = s.nodes[node].row0 as usize + r;
            let Some(carried) = self.support.get(row) else { return false };
            let sum = carried + self.impulses[row];
            let pulls = match (b.kind, b.state) {
                (BoundKind::Limit { .. }, BoundState::Held) => sum < 0.0,
                (BoundKind::Limit { .. }, BoundState::HeldAbove) => sum > 0.0,
                _ => false,
            };
            if pulls {
                let mut z = [0.0; MAX_ROWS];
                z[r] = -sum;
                self.impulses[row] -= sum;
                s.apply_node(node, &z[..=r]);
                s.bounds[i].state = BoundState::Idle;
                self.states[i] = BoundState::Idle;
                any = true;
            }
        }
        if any {
            self.changed = true;
            s.factorize();
        }
        any
    }

    fn solve(&mut self, s: &mut System) {
        let mut z = std::mem::take(&mut s.z);
        z.resize(s.row_count(), 0.0);
        s.rates(&mut z);
        s.ease(&self.impulses, &mut z);
        for (z, b) in z.iter_mut().zip(&s.bias) {
            *z = b - *z;
        }
        free_rows(s, &mut z);
        s.solve_velocities(&mut z);
        s.apply(&z);
        for (sum, z) in self.impulses.iter_mut().zip(&z) {
            *sum += z;
        }
        z.fill(0.0);
        s.z = z;
    }

    /// Trees by their factor, then one sweep over the iterated joints.
    fn sweep(&mut self, s: &mut System) {
        if s.nodes.iter().any(|n| !n.iterative && n.has_rows()) {
            let mut z = std::mem::take(&mut s.z);
            z.resize(s.row_count(), 0.0);
            s.rates(&mut z);
            s.ease(&self.impulses, &mut z);
            for (z, b) in z.iter_mut().zip(&s.bias) {
                *z = b - *z;
            }
            free_rows(s, &mut z);
            for node in s.nodes.iter().filter(|n| n.iterative) {
                z[node.row0 as usize..][..usize::from(node.rows)].fill(0.0);
            }
            let joints = s.factor.rows();
            z[joints..].fill(0.0);
            s.factor.solve(&mut z, s.nodes.len());
            s.apply(&z);
            for (sum, z) in self.impulses.iter_mut().zip(&z) {
                *sum += z;
            }
            z.fill(0.0);
            s.z = z;
        }
        for k in 0..s.nodes.len() {
            let node = &s.nodes[k];
            if !node.has_rows() || !node.iterative {
                continue;
            }
            let (row0, f) = (node.row0 as usize, usize::from(node.rows));
            let mut rate = [0.0; MAX_ROWS];
            for i in 0..f {
                rate[i] = s.rate_of(k, i) - s.bias[row0 + i];
            }
            for b in &s.bounds[node.bounds.0 as usize..node.bounds.1 as usize] {
                let row = usize::from(b.row);
                rate[row] = if s.is_held(b) {
                    rate[row] + s.eased(b, self.impulses[row0 + row])
                } else {
                    0.0
                };
            }
            let inverse = s.factor.inverse_block(k);
            let mut z = [0.0; MAX_ROWS];
            for j in 0..f {
                for i in 0..f {
                    z[i] -= inverse[i * f + j] * rate[j];
                }
            }
            for i in 0..f {
                self.impulses[row0 + i] += z[i];
            }
            s.apply_node(k, &z[..f]);
        }
        s.project_border(&mut self.impulses);
    }
}

/// Gives bounded rows the states in which they answer to contacts; true when one changes. Limits
/// that are reached hold, and laws of servos give way as far as they are soft. Bounded velocity
/// motors and dry friction give way: what they do in the step is part of the chain's preview. A
/// limit that has rebounded in the step strikes at the same instant as the contacts are held: it
/// keeps the rate of its rebound against them.
fn take_sides(s: &mut System, hold: bool) -> bool {
    let mut changed = false;
    for b in &mut s.bounds {
        let state = match (b.kind, b.state) {
            // a motor without bound is an equality of rates, like a joint
            (BoundKind::Drive { effort: f64::INFINITY, .. }, same) => same,
            (BoundKind::Friction { .. } | BoundKind::Drive { .. }, BoundState::Held) => {
                BoundState::Idle
            }
            (BoundKind::Limit { .. }, BoundState::Idle) if hold => {
                b.struck.unwrap_or(BoundState::Idle)
            }
            (_, same) => same,
        };
        changed |= b.state != state;
        b.state = state;
    }
    changed
}

/// Bounded rows that are not held answer to nothing.
fn free_rows(s: &System, z: &mut [f64]) {
    for b in s.bounds.iter().filter(|b| !s.is_held(b)) {
        z[s.nodes[b.node as usize].row0 as usize + usize::from(b.row)] = 0.0;
    }
}

fn place(s: &System, i: usize) -> (Vec3, Quat) {
    let (g, l) = (&s.groups[i / LANES], i % LANES);
    (
        crate::system::vec3(&g.x, l),
        Quat::from_xyzw(g.q[0].0[l], g.q[1].0[l], g.q[2].0[l], g.q[3].0[l]),
    )
}
