//! The iterative method (Bender 3.3.1, algorithms 3.1 and 3.2): one impulse per joint and sweep
//! until a whole sweep makes no correction. Closed loops and redundant joints need nothing special.
//! With [`crate::Method::Cut`] only the loop-closing joints are swept, after one factorised solve
//! for the tree (Bender 3.3.2.3).
//!
//! A sweep is linear in the joints; the number of sweeps grows with the length of chains and with
//! log(1/tolerance).

use super::symmetric::{Corrected, WITHIN};
use super::{Budget, Failure, Stats};
use crate::solver::block::MAX_ROWS;
use crate::system::System;

/// Sweeps after which the error must have fallen by a thousandth, or the joints are taken as
/// conflicting.
const PATIENCE: u32 = 1000;

impl System {
    pub(super) fn correct_iterated(
        &mut self,
        h: f64,
        reject: f64,
        budget: &Budget,
        stats: &mut Stats,
        lambda: &mut [f64],
    ) -> Result<Corrected, Failure> {
        let tree = self.nodes.iter().any(|n| !n.iterative && n.has_rows());
        let mut z = std::mem::take(&mut self.z);
        let mut first = 0.0;
        let mut changes = 4 * (self.bounds.len() + self.border.rows.len()) + 4;
        let mut round = 0;
        let mut milestone = f64::INFINITY;
        let result = loop {
            self.preview(h);
            let errors = self.wanted(h, lambda);
            stats.rounds += 1;
            if round == 0 {
                first = self.new_error(errors.relative);
                if !(first <= reject) {
                    break Err(Failure::Reject(first));
                }
            }
            if let Err(limit) = self.reached_limit() {
                break Err(limit);
            }
            if !errors.ratio.is_finite() || errors.relative > 1e3 {
                break Err(Failure::Diverged);
            }
            if errors.ratio <= WITHIN {
                if changes > 0 && self.switch_bounds(h, lambda) {
                    changes -= 1;
                    self.factorize();
                    stats.factorizations += 1;
                    round += 1;
                    continue;
                }
                break Ok(Corrected { first });
            }
            // conflicting joints: the sweeps go round in circles
            if round % PATIENCE == PATIENCE - 1 {
                if errors.ratio > 0.999 * milestone {
                    stats.unconverged = true;
                    break Ok(Corrected { first });
                }
                milestone = errors.ratio;
            }
            if round >= budget.sweeps || budget.spent() {
                stats.budget = true;
                stats.unconverged = true;
                break Ok(Corrected { first });
            }
            if tree {
                for (k, node) in self.nodes.iter().enumerate() {
                    let (r, f) = (node.row0 as usize, usize::from(node.rows));
                    for i in r..r + f {
                        let skip = node.iterative || k >= self.position_nodes;
                        z[i] = if skip { 0.0 } else { (self.goal[i] - self.residual[i]) / h };
                    }
                }
                let joints = self.factor.rows();
                z[joints..].fill(0.0);
                self.factor.solve(&mut z, self.position_nodes);
                for (l, z) in lambda.iter_mut().zip(&z) {
                    *l += z;
                }
                self.apply(&z);
            }
            self.sweep_positions(h, budget, lambda);
            self.sweep_border_positions(h, budget, lambda);
            stats.corrections += 1;
            round += 1;
        };
        z.fill(0.0);
        self.z = z;
        result
    }

    /// One sweep of joint correction over the iterated joints.
    fn sweep_positions(&mut self, h: f64, budget: &Budget, lambda: &mut [f64]) {
        for k in 0..self.position_nodes {
            if !self.nodes[k].iterative {
                continue;
            }
            let (pair, guide) = (self.nodes[k].bodies, self.nodes[k].guide as usize);
            let (on, count) = self
                .guides
                .get(guide)
                .map_or(([pair[0], pair[1], 0, 0], 2), |g| (g.bodies, g.guide.places()));
            for &body in &on[..count] {
                if (body as usize) < self.slots.len() {
                    self.preview_one(body as usize, h);
                }
            }
            let (gap, tilt) = self.residual_of(k);
            let node = &self.nodes[k];
            let (r, f) = (node.row0 as usize, usize::from(node.rows));
            let mut ratio = (gap / self.tolerance.position).max(tilt / self.tolerance.angle);
            for b in node.bounds.0 as usize..node.bounds.1 as usize {
                let b = &self.bounds[b];
                let (c, off) = self.bound_residual(b, lambda[r + usize::from(b.row)], h);
                self.residual[r + usize::from(b.row)] = c;
                ratio = ratio.max(off / self.tolerance.position.min(self.tolerance.angle));
            }
            if ratio <= WITHIN {
                continue;
            }
            let scale = budget.relaxation / h;
            let mut z = self.block_solve(k, |i| (self.goal[r + i] - self.residual[r + i]) * scale);
            let sum: f64 = (0..f).map(|i| (lambda[r + i] + z[i]) * (lambda[r + i] + z[i])).sum();
            let scale = budget.impulse_limit / sum.sqrt();
            if scale < 1.0 {
                for i in 0..f {
                    z[i] = (lambda[r + i] + z[i]) * scale - lambda[r + i];
                }
            }
            for i in 0..f {
                lambda[r + i] += z[i];
            }
            self.apply_node(k, &z[..f]);
        }
    }

    /// One sweep of velocity correction. True when a joint was corrected.
    pub(super) fn sweep_velocities(&mut self, relaxation: f64, mu: &mut [f64]) -> bool {
        let mut corrected = false;
        let tree = self.nodes.iter().any(|n| !n.iterative && n.has_rows());
        if tree {
            let mut z = std::mem::take(&mut self.z);
            if z.is_empty() {
                z = vec![0.0; self.row_count()];
            }
            self.rates(&mut z);
            self.wanted_rates(mu, &mut z);
            for node in &self.nodes {
                let (r, f) = (node.row0 as usize, usize::from(node.rows));
                for v in &mut z[r..r + f] {
                    *v = if node.iterative { 0.0 } else { -*v };
                }
            }
            let joints = self.factor.rows();
            z[joints..].fill(0.0);
            self.factor.solve(&mut z, self.nodes.len());
            self.apply(&z);
            for (m, z) in mu.iter_mut().zip(&z) {
                *m += z;
            }
            self.z = z;
        }
        let t = self.tolerance;
        for k in 0..self.nodes.len() {
            let node = &self.nodes[k];
            if !node.has_rows() {
                continue;
            }
            let (r, f, n) =
                (node.row0 as usize, usize::from(node.rows), node.parts.position.rows());
            let mut rates = [0.0; MAX_ROWS];
            for i in 0..f {
                rates[i] = self.rate_of(k, i);
            }
            for b in &self.bounds[node.bounds.0 as usize..node.bounds.1 as usize] {
                let row = usize::from(b.row);
                rates[row] = self.wanted_rate(b, rates[row], mu[r + row]);
            }
            let square = |range: std::ops::Range<usize>| {
                rates[range].iter().map(|x| x * x).sum::<f64>().sqrt()
            };
            let ratio = (square(0..n) / t.velocity).max(square(n..f) / t.angular_velocity);
            if ratio <= 1.0 {
                continue;
            }
            corrected = true;
            if !node.iterative {
                continue;
            }
            let z = self.block_solve(k, |i| -rates[i] * relaxation);
            for i in 0..f {
                mu[r + i] += z[i];
            }
            self.apply_node(k, &z[..f]);
        }
        self.sweep_border_velocities(relaxation, mu) || corrected
    }

    /// Solves the block of one joint.
    fn block_solve(&self, k: usize, rhs: impl Fn(usize) -> f64) -> [f64; MAX_ROWS] {
        let f = usize::from(self.nodes[k].rows);
        let inverse = self.factor.inverse_block(k);
        let mut z = [0.0; MAX_ROWS];
        for j in 0..f {
            let b = rhs(j);
            for i in 0..f {
                z[i] += inverse[i * f + j] * b;
            }
        }
        z
    }
}
