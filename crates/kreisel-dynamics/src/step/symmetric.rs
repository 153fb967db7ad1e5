//! The symmetric impulse step (Bender 3.2.1, 3.3; thesis algorithm 3.1 and the linear system of
//! 3.3.2).
//!
//! Kick along the rows of t₀ so that the residuals vanish in the *previewed* poses at t₀ + h, move
//! freely, then correct the velocities at t₀ + h. With tight tolerances this is a time-symmetric
//! RATTLE step of second order without energy drift.
//!
//! | symbol | here |
//! |---|---|
//! | A(t₀) | `factor`, left over from the velocity correction that ended the last substep |
//! | λ | `lambda`, impulses at t₀, started from the velocity impulses µ of the same instant scaled by h/h_last: error O(h³) |
//! | e₀ | error of the first preview, relative to the joints' lengths: free, O(h³), decides about the substep |
//!
//! A step is not accepted on small joint errors alone: a too large first preview rejects it,
//! because energy can jump while every joint is within tolerance.

use super::advance::{DOUBTFUL, EXACTLY, RISE};
use super::law::Phase;
use super::{Budget, Clock, Failure, Stats};
use crate::system::group;
use crate::system::rows::Errors;
use crate::system::{BoundState, System};

/// Without a correction the first preview may be within tolerance by chance and errors pile up to
/// the tolerance's edge (dead band): the first preview has to be this much better.
const FIRST_PREVIEW: f64 = 0.3;

/// Largest gain of kinetic energy, beyond the work of forces, that a substep may make. The step's
/// own swing of energy is of third order and far below; what a wrong root or the limit of stability
/// brings is far above.
const GAIN: f64 = 1e-2;

/// A substep that changes the energy by more than this share is made again with half its length, as
/// long as that helps: joints that fight for a moment (rods of a net in one line) change it by as
/// much in any. Measured on a net of 30 × 30 rods that snaps straight again and again: its energy
/// grows by a fifth in 10 s without this, by 6 % with 1e-3, by 3 % with 5e-4, at the same cost.
const SWING: f64 = 5e-4;
const HELPS: f64 = 0.7;

/// Joints within this share of their tolerance are done: the error measured after the step differs
/// by rounding, and a step must not be reported as failed for that.
pub(super) const WITHIN: f64 = 0.999;

/// The loop has stalled when the error falls by less than this factor for three rounds.
const STALL: f64 = 0.98;

/// From this standing error on, relative to a joint's length, the kick that draws torn joints
/// together moves the bodies but leaves them no velocity: otherwise reassembly would fling them
/// about.
const GENTLE: f64 = 1e-3;

/// Rounds of damping forces around the velocity correction: each gains two orders of h.
const DAMPING_ROUNDS: usize = 2;

/// How far torn joints are drawn together in one step at the most, as a share of their lengths.
pub(super) const SHARE: f64 = 0.2;

/// How the joint correction went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corrected {
    /// Relative error of the first preview.
    pub first: f64,
}

/// Sum of products.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl System {
    /// One substep. On failure poses have not been touched and the caller restores the velocities.
    ///
    /// `reject` is the largest relative error of the first preview that is let through; with a
    /// finite one the energy is watched too.
    pub(crate) fn symmetric_substep(
        &mut self,
        h: f64,
        reject: f64,
        patient: bool,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Corrected, Failure> {
        let mut clock = Clock::start(stats.substeps == 0);
        if !self.factored {
            self.refresh();
            stats.factorizations += 1;
        }
        clock.lap(&mut stats.factor_time);
        self.start_bounds(h);
        self.start_laws(h, stats);
        self.forces_now(stats, 0.5 * h);
        let flows = self.border_flows();
        let watch = reject.is_finite() && self.conservative();
        let before = if watch { self.kinetic() } else { 0.0 };
        // sweeps that are cut short leave gaps too, but need the kicks to carry the load
        let gentle = self.standing > GENTLE && (self.direct || self.torn());
        if gentle {
            self.unkicked.clear();
            self.unkicked.extend(self.groups.iter().map(|g| g.y));
        }
        self.note_rates();
        self.note_law_rates();
        let corrected = self.joint_correction(h, reject, patient, budget, stats)?;
        // a kick that leaves no velocity does no work
        let pushed = if gentle { 0.0 } else { self.border_work(&self.lambda, &flows) };
        if gentle {
            for (g, y) in self.groups.iter_mut().zip(&self.unkicked) {
                g.y = *y;
            }
        } else {
            let lambda = std::mem::take(&mut self.lambda);
            self.book_kick(&lambda, stats);
            self.lambda = lambda;
        }
        // the kicks do work against joints' sides that move by themselves: −λ·(their rate)
        let joints = self.factor.rows();
        let pulled =
            if self.driven { dot(&self.lambda[..joints], &self.bias[..joints]) } else { 0.0 }
                - pushed;
        let before = if watch { before + group::work(&self.groups) } else { 0.0 };
        if self.standing > GENTLE {
            // the impulses of joints that fight each other say nothing about tension
            self.memory.taut = 0.0;
        } else {
            self.watch_tautness(h);
        }
        let last_h = self.memory.last_h;
        self.mu_start.clone_from(&self.memory.mu);
        let continuous = self.has_continuous();
        self.commit(h, if continuous { 0.5 * h } else { h });
        let mut loss = if continuous { self.end_kick(0.5 * h) } else { 0.0 };
        clock.lap(&mut stats.correction_time);
        self.phase = Phase::Velocity(h);
        self.refresh();
        stats.factorizations += 1;
        clock.lap(&mut stats.factor_time);
        self.border.corrected = 0.0;
        self.velocity_correction(h, budget, stats);
        if continuous && self.is_damped() && self.bounds.is_empty() {
            // damping forces for the corrected velocities, and the correction for those forces
            for _ in 0..DAMPING_ROUNDS {
                for (t, m) in self.total.iter_mut().zip(&self.memory.mu) {
                    *t -= m;
                }
                loss = self.kick_again(0.5 * h);
                self.velocity_correction(h, budget, stats);
            }
        }
        stats.damping += 0.5 * h * loss;
        if self.driven {
            self.end_border();
            let pulled = pulled - self.border.corrected;
            stats.kinematic -= pulled + dot(&self.memory.mu[..joints], &self.bias[..joints]);
        }
        self.finish_laws(h);
        clock.lap(&mut stats.velocity_time);
        self.now += h;
        stats.substeps += 1;
        if watch {
            let after = self.kinetic();
            let (jump, scale) =
                ((after - before).abs(), after + before.max(0.0) + self.rest_energy());
            let smaller = std::mem::replace(&mut self.jump, f64::INFINITY) * HELPS;
            if !(jump <= GAIN * scale) || jump > SWING * scale && jump < smaller {
                self.jump = jump;
                for ((t, l), m) in self.total.iter_mut().zip(&self.lambda).zip(&self.memory.mu) {
                    *t -= l + m;
                }
                self.memory.mu.clone_from(&self.mu_start);
                self.memory.last_h = last_h;
                return Err(Failure::Energy);
            }
        }
        Ok(corrected)
    }

    /// Finds and applies the impulses λ.
    fn joint_correction(
        &mut self,
        h: f64,
        reject: f64,
        patient: bool,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Corrected, Failure> {
        self.warm_start(h, budget.warm_start);
        let mut lambda = std::mem::take(&mut self.lambda);
        self.apply_preview(&lambda, h);
        let result = if self.direct {
            self.correct_direct(h, reject, patient, budget, stats, &mut lambda)
        } else {
            self.correct_iterated(h, reject, budget, stats, &mut lambda)
        };
        if result.is_ok() {
            for (t, l) in self.total.iter_mut().zip(&lambda) {
                *t += l;
            }
        }
        self.lambda = lambda;
        result
    }

    /// Whether nothing but constant forces and joints does work, so that the kinetic energy tells
    /// about the step.
    fn conservative(&self) -> bool {
        self.springs.is_empty()
            && self.bounds.is_empty()
            && self.border.is_empty()
            && !self.torn()
            && self.settled
            && !self.driven
    }

    /// Energy that counts as little: a hundredth of what the forces give over the length of a
    /// joint. Near rest the kinetic energy is no measure.
    fn rest_energy(&self) -> f64 {
        let length = self.nodes.first().map_or(0.0, |n| n.length);
        0.01 * length * group::weight(&self.groups)
    }

    /// First guess for λ: the velocity impulses of the same instant.
    fn warm_start(&mut self, h: f64, warm: bool) {
        let scale = if warm && self.memory.last_h > 0.0 { h / self.memory.last_h } else { 0.0 };
        for (l, m) in self.lambda.iter_mut().zip(&self.memory.mu) {
            *l = m * scale;
        }
        if self.position_nodes < self.nodes.len() {
            let row = self.nodes[self.position_nodes].row0 as usize;
            let joints = self.factor.rows();
            self.lambda[row..joints].fill(0.0);
        }
        self.warm_bounds(h);
        self.warm_border(scale);
    }

    fn correct_direct(
        &mut self,
        h: f64,
        reject: f64,
        patient: bool,
        budget: &Budget,
        stats: &mut Stats,
        lambda: &mut [f64],
    ) -> Result<Corrected, Failure> {
        let mut first = 0.0;
        let limited = budget.impulse_limit.is_finite();
        let mut releases = self.nodes.len();
        let exact = if self.memory.doubt > 0 { EXACTLY } else { 1.0 };
        let cold = u32::from(!budget.warm_start || self.memory.last_h == 0.0);
        let (mut last, mut stalled) = (f64::INFINITY, 0);
        let mut changes = 4 * (self.bounds.len() + self.border.rows.len()) + 4;
        let mut z = std::mem::take(&mut self.z);
        // after bounded rows have switched, the joints get these rounds before the set is judged
        // again
        const ROUNDS_AFTER_SWITCH: u32 = 2;
        let mut most = budget.rounds;
        let mut round = 0;
        let result = loop {
            let mut errors = self.wanted(h, lambda);
            if limited && self.leave_out_saturated(&mut errors, &mut releases, lambda) {
                self.factorize();
                stats.factorizations += 1;
            }
            stats.rounds += 1;
            // without a warm start the first preview only shows what the forces did; the second one
            // counts
            if round == cold {
                first = self.new_error(errors.relative);
                if !(first <= reject) {
                    break Err(Failure::Reject(first));
                }
            }
            if let Err(limit) = self.reached_limit() {
                break Err(limit);
            }
            let good = errors.ratio <= exact * if round == 0 { FIRST_PREVIEW } else { WITHIN };
            // a loop that stands still wants a smaller substep, unless joints fight each other or
            // nothing smaller is to be had
            if stalled >= 3
                && errors.ratio > WITHIN
                && !patient
                && self.standing == 0.0
                && round < most
            {
                break Err(Failure::Diverged);
            }
            let good = good || (stalled >= 3 || round >= most) && errors.ratio <= WITHIN;
            if good || round >= most || stalled >= 3 {
                // with the joints in place, see whether bounded rows push or hold as they may
                if changes > 0 && self.switch_and_answer(h, lambda, &mut z) {
                    changes -= 1;
                    self.preview(h);
                    stats.factorizations += 1;
                    (last, stalled) = (f64::INFINITY, 0);
                    round += 1;
                    most = most.max(round + ROUNDS_AFTER_SWITCH);
                    continue;
                }
                if !good {
                    stats.budget |= round >= most;
                    stats.unconverged = true;
                }
                break Ok(Corrected { first });
            }
            if !errors.ratio.is_finite() || (round > 2 && errors.ratio > 2.0 * last) {
                break Err(Failure::Diverged);
            }
            if budget.spent() {
                stats.budget = true;
                stats.unconverged = true;
                break Ok(Corrected { first });
            }
            // a slow loop means a step that is too large, unless nothing smaller is to be had
            stalled = if errors.ratio > STALL * last { stalled + 1 } else { 0 };
            if !patient && round >= 12 && errors.ratio > 0.5 * last {
                break Err(Failure::Diverged);
            }
            last = errors.ratio;
            let scale = -1.0 / h;
            for ((z, r), g) in z.iter_mut().zip(&self.residual).zip(&self.goal) {
                *z = (r - g) * scale;
            }
            self.solve_positions(&mut z);
            stats.corrections += 1;
            if limited && self.saturate(budget.impulse_limit, lambda, &mut z) {
                self.factorize();
                stats.factorizations += 1;
                (last, stalled) = (f64::INFINITY, 0);
            }
            for (l, z) in lambda.iter_mut().zip(&z) {
                *l += z;
            }
            self.apply_preview(&z, h);
            round += 1;
        };
        if limited && self.free_saturated() {
            stats.unconverged = true;
        }
        z.fill(0.0);
        self.z = z;
        result
    }

    /// Switches bounded rows whose impulse is not one that they may have; true when there was one.
    /// All other rows answer at once, to first order: they keep the rates that they had. A motor
    /// that lets go of a stiff damper would otherwise leave the damper's whole impulse to the
    /// preview, which then turns by radians, and Newton's iteration ends in another place.
    fn switch_and_answer(&mut self, h: f64, lambda: &mut [f64], z: &mut [f64]) -> bool {
        if self.bounds.is_empty() && self.border.is_empty() {
            return false;
        }
        let mut before = std::mem::take(&mut self.switched);
        before.resize(z.len(), 0.0);
        self.rates(&mut before);
        let switched = self.switch_bounds(h, lambda);
        if switched {
            self.factorize();
            self.rates(z);
            for (z, b) in z.iter_mut().zip(&before) {
                *z = b - *z;
            }
            self.free_others(z);
            self.solve_positions(z);
            for (l, z) in lambda.iter_mut().zip(z.iter()) {
                *l += z;
            }
            self.apply(z);
        }
        self.switched = before;
        switched
    }

    /// Rows that are not held, and rows of velocities, take no part in a position solve.
    fn free_others(&self, z: &mut [f64]) {
        self.free_bounds(z);
        let joints = self.factor.rows();
        if let Some(node) = self.nodes.get(self.position_nodes) {
            z[node.row0 as usize..joints].fill(0.0);
        }
        for (z, row) in z[joints..].iter_mut().zip(&self.border.rows) {
            if row.velocity || row.state == BoundState::Idle {
                *z = 0.0;
            }
        }
    }

    /// Residuals of the preview minus what this substep aims at (drives move on; torn joints come
    /// together slowly).
    pub(super) fn wanted(&mut self, h: f64, lambda: &[f64]) -> Errors {
        let mut errors = self.residuals();
        if !self.bounds.is_empty() {
            self.bound_errors(h, lambda, &mut errors);
        }
        if self.torn() {
            self.goal_errors(&mut errors);
        }
        errors
    }

    /// The part of a relative error that this substep has opened.
    pub(super) fn new_error(&self, relative: f64) -> f64 {
        if self.standing == 0.0 {
            return relative;
        }
        let opened = relative - 2.0 * self.standing;
        if opened < 0.0 { 0.0 } else { opened }
    }

    /// Measures the error that stands before a substep.
    pub(super) fn note_standing(&mut self) {
        self.preview(0.0);
        let mut errors = self.residuals();
        if self.torn() {
            self.goal_errors(&mut errors);
        }
        self.standing = if errors.ratio > 1.0 { errors.relative } else { 0.0 };
    }

    /// Squared transverse frequency of the tautest joint: |f| (1/m + r²/J)/r with f from the two
    /// kicks of this instant.
    fn watch_tautness(&mut self, h: f64) {
        let mu_h = self.memory.last_h;
        let scale = 2.0 / (h + mu_h);
        if let Some(balls) = &self.balls
            && mu_h > 0.0
        {
            return self.follow_tautness(scale * balls.load(&self.lambda, &self.memory.mu));
        }
        let mut worst = 0.0_f64;
        for node in &self.nodes[..self.position_nodes] {
            let n = node.parts.position.rows();
            let r = node.row0 as usize;
            let sum: f64 =
                (r..r + n)
                    .map(|r| {
                        if mu_h > 0.0 { self.lambda[r] + self.memory.mu[r] } else { self.lambda[r] }
                    })
                    .map(|p| p * p)
                    .sum();
            worst = worst.max(sum.sqrt() * scale * node.stiffness);
        }
        let worst = worst.max(self.spring_tautness());
        self.follow_tautness(worst);
    }

    /// Takes over a squared frequency unless it rises faster than tension does: then the next
    /// substeps are solved more exactly, and show whether it was noise.
    fn follow_tautness(&mut self, taut: f64) {
        let last = self.memory.taut;
        let most = RISE * RISE * last;
        let m = &mut self.memory;
        m.doubt = m.doubt.saturating_sub(1);
        if last > 0.0 && taut > most {
            (m.taut, m.doubt) = (most, DOUBTFUL);
        } else {
            m.taut = taut;
        }
    }

    /// Whether some joint aims at less than a closed gap in this substep.
    pub(super) fn torn(&self) -> bool {
        self.is_torn
    }

    /// Errors against the goals instead of zero.
    fn goal_errors(&self, errors: &mut Errors) {
        *errors = Errors { node: errors.node, ..Errors::default() };
        let t = self.tolerance;
        for (k, node) in self.nodes[..self.position_nodes].iter().enumerate() {
            let (n, f, r) =
                (node.parts.position.rows(), usize::from(node.hard), node.row0 as usize);
            let norm = |rows: std::ops::Range<usize>| {
                rows.map(|i| self.residual[r + i] - self.goal[r + i])
                    .map(|x| x * x)
                    .sum::<f64>()
                    .sqrt()
            };
            let (gap, tilt) = (norm(0..n), norm(n..f));
            let ratio = (gap / t.position).max(tilt / t.angle);
            if !(ratio <= errors.ratio) {
                (errors.ratio, errors.node) = (ratio, k as u32);
            }
            errors.relative = errors.relative.max(gap / node.length).max(tilt);
        }
        self.border_errors(errors);
    }

    /// After a divergence: less of a wide gap at once, which a smaller substep would not give.
    /// False when there is no wide gap or nothing is left to give.
    pub(super) fn aim_lower(&mut self) -> bool {
        if self.standing <= GENTLE || self.share < 1e-3 * SHARE {
            return false;
        }
        self.share *= 0.5;
        self.set_goals();
        true
    }

    /// Aims: joints that are far apart come together by at most a share of their length in one
    /// step.
    pub(crate) fn set_goals(&mut self) {
        self.aim_guides();
        self.goal.clear();
        self.goal.resize(self.row_count(), 0.0);
        self.is_torn = false;
        if !self.border.is_empty() {
            self.refresh_border();
            self.start_border(f64::INFINITY);
        }
        self.preview(0.0);
        let errors = self.residuals();
        if errors.ratio <= 1e3 {
            self.standing = if errors.ratio > 1.0 { errors.relative } else { 0.0 };
            return;
        }
        for node in &self.nodes[..self.position_nodes] {
            let (n, f, r) =
                (node.parts.position.rows(), usize::from(node.hard), node.row0 as usize);
            for (rows, reach) in [(r..r + n, self.share * node.length), (r + n..r + f, self.share)]
            {
                let size = self.residual[rows.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
                if size > reach {
                    for i in rows {
                        self.goal[i] = self.residual[i] * (1.0 - reach / size);
                        self.is_torn = true;
                    }
                }
            }
        }
        self.set_border_goals();
        self.note_standing();
    }
}
