//! Joints whose impulse is limited (B-49): an active set around the factorised solve.
//!
//! A joint that would pull harder than the limit carries the limit and is *saturated*: its rows are
//! masked in the factor, its gap does not count, and the other joints are solved around its
//! constant pull. A saturated joint whose gap has been overshot pulls the wrong way and is
//! released. In a chain that is torn everywhere the pulls on inner bodies cancel and the ends move
//! first, so that it closes from its ends.

use crate::system::rows::Errors;
use crate::system::{NONE, System};

impl System {
    /// Rows of a joint's own parts.
    fn hard_rows(&self, k: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[k];
        node.row0 as usize..node.row0 as usize + usize::from(node.hard)
    }

    fn hard_bits(&self, k: usize) -> u8 {
        ((1u16 << self.nodes[k].hard) - 1) as u8
    }

    fn is_saturated(&self, k: usize) -> bool {
        let bits = self.hard_bits(k);
        bits != 0 && self.factor.mask[k] & bits == 0
    }

    /// Cuts the corrections `z` so that no joint's impulse exceeds the limit. True when a joint has
    /// become saturated: the factor must be renewed before the next solve.
    pub(super) fn saturate(&mut self, limit: f64, lambda: &[f64], z: &mut [f64]) -> bool {
        let mut changed = false;
        for k in 0..self.position_nodes {
            if self.nodes[k].joint == NONE || self.is_saturated(k) {
                continue;
            }
            let rows = self.hard_rows(k);
            let sum: f64 = rows.clone().map(|r| (lambda[r] + z[r]) * (lambda[r] + z[r])).sum();
            let scale = limit / sum.sqrt();
            if scale < 1.0 {
                for r in rows {
                    z[r] = (lambda[r] + z[r]) * scale - lambda[r];
                }
                let bits = self.hard_bits(k);
                self.factor.mask[k] &= !bits;
                (self.factor.masked, changed) = (true, true);
            }
        }
        changed
    }

    /// Takes saturated joints out of residuals and errors. True when one was released, for which
    /// the factor must be renewed; `releases` bounds how often that may happen.
    pub(super) fn leave_out_saturated(
        &mut self,
        errors: &mut Errors,
        releases: &mut usize,
        lambda: &[f64],
    ) -> bool {
        if !self.factor.masked {
            return false;
        }
        let mut changed = false;
        let t = self.tolerance;
        *errors = Errors { node: errors.node, ..Errors::default() };
        for k in 0..self.position_nodes {
            let (rows, n) = (self.hard_rows(k), self.nodes[k].parts.position.rows());
            if self.is_saturated(k) {
                // the impulse still closes the gap as long as it points against it
                let along: f64 =
                    rows.clone().map(|r| lambda[r] * (self.residual[r] - self.goal[r])).sum();
                if along > 0.0 && *releases > 0 {
                    *releases -= 1;
                    let bits = self.hard_bits(k);
                    self.factor.mask[k] |= bits;
                    changed = true;
                } else {
                    for r in rows {
                        self.residual[r] = self.goal[r];
                    }
                    continue;
                }
            }
            let norm = |a: usize, b: usize| {
                (a..b).map(|r| self.residual[r] - self.goal[r]).map(|x| x * x).sum::<f64>().sqrt()
            };
            let rows = self.hard_rows(k);
            let (gap, tilt) = (norm(rows.start, rows.start + n), norm(rows.start + n, rows.end));
            let ratio = (gap / t.position).max(tilt / t.angle);
            if !(ratio <= errors.ratio) {
                (errors.ratio, errors.node) = (ratio, k as u32);
            }
            errors.relative = errors.relative.max(gap / self.nodes[k].length).max(tilt);
        }
        changed
    }

    /// Ends the work with saturated joints. True when there were any: the step has not closed all
    /// gaps.
    pub(super) fn free_saturated(&mut self) -> bool {
        if !self.factor.masked {
            return false;
        }
        let mut any = false;
        for k in 0..self.nodes.len() {
            any |= self.is_saturated(k);
            let bits = self.hard_bits(k);
            self.factor.mask[k] |= bits;
        }
        self.factor.masked = false;
        // the factor at hand lacks the saturated joints
        self.factored = false;
        any
    }
}
