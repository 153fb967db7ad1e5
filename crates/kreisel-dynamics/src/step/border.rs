//! The border in a substep: what is aimed at, inequalities as an active set, sweeps for the
//! iterative methods ([`crate::system::border`]).

use super::{Budget, Failure, Stats};
use crate::system::rows::Errors;
use crate::system::{BoundState, System};

/// What is missing at a limit or a one-sided row comes back with this speed, lengths per second: a
/// tolerance of 1e-6 in a tenth of a millisecond. Within [`NEAR`] it comes back with the tolerance
/// of velocities: an impact leaves a coordinate there, and the speed of the recovery stays with
/// what leaves the limit.
pub(super) const RECOVERY: f64 = 1e-2;

/// Share of the tolerance behind a limit that an impact may leave (a substep is cut to end at half
/// of it) and that is not hurried out of. Rows that are left there are solved to [`CLOSELY`] of the
/// tolerance: both together stay within it.
pub(super) const NEAR: f64 = 0.7;
pub(super) const CLOSELY: f64 = 0.25;

/// As far as this, in lengths: more is a start beyond the row, which is drawn together.
pub(super) const LITTLE: f64 = 1e-4;

impl System {
    /// Tolerance of a row in its own unit.
    fn border_slack(&self, r: usize) -> f64 {
        let row = &self.border.rows[r];
        if row.angular { self.tolerance.angle } else { self.tolerance.position / row.scale }
    }

    /// At the start of a substep of `h`: inequalities that do not hold are drawn together like torn
    /// joints. Where little is missing it comes back slowly: closed within a short substep it would
    /// leave the row with the speed of that.
    pub(super) fn start_border(&mut self, h: f64) {
        let first = self.factor.rows();
        for r in 0..self.border.rows.len() {
            let slack = self.border_slack(r);
            let t = self.tolerance;
            let row = &mut self.border.rows[r];
            row.end = row.start;
            if row.one_sided && row.state == BoundState::Idle && row.start < -slack {
                row.state = BoundState::Held;
            }
            let length = self.border.items[row.item as usize].length / row.scale;
            let length = if row.angular { 1.0 } else { length };
            let slow = if row.angular { t.angular_velocity } else { t.velocity / row.scale };
            let speed = if -row.start <= NEAR * slack { slow } else { RECOVERY * length };
            if row.one_sided && -row.start < LITTLE * length {
                self.goal[first + r] = (row.start + speed * h).min(0.0);
            }
        }
    }

    /// Counts the border's residuals among the errors.
    pub(crate) fn border_errors(&self, errors: &mut Errors) {
        let (first, t) = (self.factor.rows(), self.tolerance);
        for (r, row) in self.border.rows.iter().enumerate() {
            let goal = self.goal[first + r];
            let mut c = (self.residual[first + r] - goal).abs();
            if row.one_sided && row.state != BoundState::Idle && goal < 0.0 {
                c /= CLOSELY;
            }
            let (ratio, relative) = if row.angular {
                (c / t.angle, c)
            } else {
                let gap = c * row.scale;
                (gap / t.position, gap / self.border.items[row.item as usize].length)
            };
            errors.ratio = if ratio <= errors.ratio { errors.ratio } else { ratio };
            errors.relative = if relative <= errors.relative { errors.relative } else { relative };
        }
    }

    /// Goals of rows that are far off, as for joints.
    pub(super) fn set_border_goals(&mut self) {
        let first = self.factor.rows();
        for (r, row) in self.border.rows.iter().enumerate().filter(|(_, row)| !row.velocity) {
            let c = self.residual[first + r];
            let reach = if row.angular {
                self.share
            } else {
                self.share * self.border.items[row.item as usize].length / row.scale
            };
            if c.abs() > reach {
                self.goal[first + r] = c * (1.0 - reach / c.abs());
                self.is_torn = true;
            }
        }
    }

    /// First impulses: none of idle rows, half of the last ones of velocity rows.
    pub(super) fn warm_border(&mut self, scale: f64) {
        let first = self.factor.rows();
        self.memory.half.resize(self.border.rows.len(), 0.0);
        for (r, row) in self.border.rows.iter().enumerate() {
            let l = &mut self.lambda[first + r];
            if !row.sound || row.state == BoundState::Idle {
                *l = 0.0;
            } else if row.velocity {
                *l = self.memory.half[r] * scale;
            }
        }
    }

    /// Remembers half of the impulses.
    pub(super) fn end_border(&mut self) {
        let first = self.factor.rows();
        self.memory.half.clear();
        let sums = self.lambda[first..].iter().zip(&self.memory.mu[first..]);
        self.memory.half.extend(sums.map(|(l, m)| 0.5 * (l + m)));
    }

    /// Powers of unit impulses at the present velocities.
    pub(super) fn border_flows(&self) -> Vec<f64> {
        (0..self.border.rows.len()).map(|r| self.border_power(r)).collect()
    }

    /// Work of the border's impulses: times the mean of the velocities before, as noted in
    /// `before`, and now. What an inequality takes in an impact comes later, and is booked as such.
    pub(super) fn border_work(&self, impulses: &[f64], before: &[f64]) -> f64 {
        let mean = |r: usize| 0.5 * (before[r] + self.border_power(r));
        impulses[self.factor.rows()..].iter().enumerate().map(|(r, z)| z * mean(r)).sum()
    }

    /// Whether an inequality is carried through zero from a distance.
    pub(super) fn border_reached(&self) -> Result<(), Failure> {
        for (r, row) in self.border.rows.iter().enumerate() {
            let slack = self.border_slack(r);
            if row.one_sided
                && row.sound
                && row.state == BoundState::Idle
                && row.end < -slack
                && row.start > slack
            {
                let fraction = (row.start + 0.5 * slack) / (row.start - row.end);
                return Err(Failure::Limit { bound: (self.bounds.len() + r) as u32, fraction });
            }
        }
        Ok(())
    }

    /// Checks the inequalities after joint correction. True when one changed.
    pub(super) fn switch_border(&mut self, lambda: &mut [f64]) -> bool {
        let mut changed = false;
        for r in 0..self.border.rows.len() {
            let (row, slack) = (self.border.rows[r], self.border_slack(r));
            if row.one_sided && row.sound && row.state == BoundState::Idle && row.end < -slack {
                self.border.rows[r].state = BoundState::Held;
                changed = true;
            }
        }
        self.release_border(lambda) || changed
    }

    /// Lets go of inequalities that would pull. True when there was one.
    pub(super) fn release_border(&mut self, impulses: &mut [f64]) -> bool {
        let (first, mut changed) = (self.factor.rows(), false);
        for r in 0..self.border.rows.len() {
            let row = self.border.rows[r];
            if row.one_sided && row.state != BoundState::Idle && impulses[first + r] < 0.0 {
                self.push_border(r, -impulses[first + r]);
                impulses[first + r] = 0.0;
                self.border.rows[r].state = BoundState::Idle;
                changed = true;
            }
        }
        changed
    }

    /// Inequalities that are met with a speed. True when there is one.
    pub(super) fn strike_border(&mut self) -> bool {
        let mut struck = false;
        for r in 0..self.border.rows.len() {
            let row = self.border.rows[r];
            if !row.one_sided
                || !row.sound
                || row.state != BoundState::Idle
                || row.start > self.border_slack(r)
            {
                continue;
            }
            if self.border_along(r) + self.bias[self.factor.rows() + r] < 0.0 {
                self.border.rows[r].state = BoundState::Held;
                struck = true;
            }
        }
        struck
    }

    /// Rows that are not held want nothing.
    pub(super) fn wanted_border_rates(&self, rates: &mut [f64]) {
        for (r, row) in self.border.rows.iter().enumerate() {
            if !row.sound || row.state == BoundState::Idle {
                rates[self.factor.rows() + r] = 0.0;
            }
        }
    }

    /// Counts the border's rates among the errors of velocities: largest one, and relative to its
    /// tolerance.
    pub(super) fn border_velocity_error(&self, rates: &[f64], worst: &mut f64, ratio: &mut f64) {
        for (r, row) in self.border.rows.iter().enumerate() {
            // of a formula in velocities the gradient is by velocities, and its scale the same
            let e = (rates[self.factor.rows() + r] * row.scale).abs();
            *worst = worst.max(e);
            *ratio = ratio.max(
                e / if row.angular {
                    self.tolerance.angular_velocity
                } else {
                    self.tolerance.velocity
                },
            );
        }
    }

    /// One sweep of joint correction over the border.
    pub(super) fn sweep_border_positions(&mut self, h: f64, budget: &Budget, lambda: &mut [f64]) {
        let first = self.factor.rows();
        self.border.velocities = false;
        for k in 0..self.border.items.len() {
            if self.border.items[k].velocity {
                continue;
            }
            for body in self.border_bodies(k) {
                self.preview_one(body, h);
            }
            self.border_residual_of(k);
            let (row0, rows) = (self.border.items[k].row0, self.border.items[k].rows);
            let mut z: Vec<f64> = (first + row0..first + row0 + rows)
                .map(|i| (self.goal[i] - self.residual[i]) * budget.relaxation / h)
                .collect();
            self.solve_item(k, &mut z);
            for (i, z) in z.into_iter().enumerate() {
                lambda[first + row0 + i] += z;
                self.push_border(row0 + i, z);
            }
        }
    }

    /// One sweep of velocity correction over the border. True when a row was corrected.
    pub(super) fn sweep_border_velocities(&mut self, relaxation: f64, mu: &mut [f64]) -> bool {
        let first = self.factor.rows();
        let mut corrected = false;
        self.border.velocities = true;
        for k in 0..self.border.items.len() {
            let (row0, rows) = (self.border.items[k].row0, self.border.items[k].rows);
            let mut z = vec![0.0; rows];
            for (i, z) in z.iter_mut().enumerate() {
                let row = &self.border.rows[row0 + i];
                if !self.border.is_active(row0 + i) {
                    continue;
                }
                let rate = self.border_along(row0 + i) + self.bias[first + row0 + i];
                let t = if row.angular {
                    self.tolerance.angular_velocity
                } else {
                    self.tolerance.velocity
                };
                corrected |= (rate * row.scale).abs() > t;
                *z = -rate * relaxation;
            }
            self.solve_item(k, &mut z);
            for (i, z) in z.into_iter().enumerate() {
                mu[first + row0 + i] += z;
                self.push_border(row0 + i, z);
            }
        }
        corrected
    }

    /// One sweep that takes the border's rates off the velocities, which are changes made by
    /// contacts; impulses are summed.
    pub(crate) fn project_border(&mut self, impulses: &mut [f64]) {
        let first = self.factor.rows();
        self.border.velocities = true;
        for k in 0..self.border.items.len() {
            let (row0, rows) = (self.border.items[k].row0, self.border.items[k].rows);
            let mut z: Vec<f64> = (row0..row0 + rows).map(|r| -self.border_along(r)).collect();
            self.solve_item(k, &mut z);
            for (i, z) in z.into_iter().enumerate() {
                impulses[first + row0 + i] += z;
                self.push_border(row0 + i, z);
            }
        }
    }

    /// Names of the constraints that had no finite value, once each.
    pub(super) fn note_failed(&self, stats: &mut Stats) {
        for item in self.border.items.iter().filter(|i| i.failed) {
            if !stats.failed.contains(&item.record.name) {
                stats.failed.push(item.record.name.clone());
            }
        }
    }
}
