//! The energy-momentum step: implicit midpoint with averaged arms (Simo and Wong 1991 for the
//! rotation, the exact discrete gradient of the joints' products for the constraint forces).
//!
//! With displacement Δ, Cayley vector φ, joint impulses λ over the substep h, and rows J at the
//! mean vectors of both ends:
//!
//! ```text
//! x₁ = x₀ + Δ            v₁ = 2Δ/h − v₀              m (v₁ − v₀) = h m a + Σ ±n λ
//! R₁ = cay(φ) R₀         W₁ = 2 R₀ᵀφ/h − W₀          R₁ J W₁ − R₀ J W₀ = h τ + Σ a λ
//! C(x₁, R₁) = 0
//! ```
//!
//! Every residual is a sum of products of body-fixed vectors, so that J(mean) (Δ, φ) = C₁ − C₀ = 0
//! exactly: joint forces do no work, and energy and momentum are kept at any h. The velocity
//! correction at the end is an orthogonal projection and only removes. What it takes is the step's
//! error of third order, and chooses the next substep.
//!
//! Failure modes: the iteration drops gyroscopic terms and the coupling of geometric stiffness
//! between bodies, so that it may need a smaller substep in fast spin; energy is *lost*, not
//! gained, where whips are under-resolved.

use super::advance::SMALLEST;
use super::law::Phase;
use super::symmetric::dot;
use super::{Budget, Clock, Failure, Stats};
use crate::system::{NONE, Node, System};

/// Joints and balance of impulses are solved this exactly, m: coarser, the energy begins to rise.
const EXACT: f64 = 1e-9;

/// Rounds before the substep is halved.
const MOST_ROUNDS: u32 = 25;

/// An error this many times above the best one is a divergence; mixed rounds swing by less.
const DIVERGED: f64 = 10.0;

/// An error that falls by less than this factor in a round calls for mixing.
const SLOW: f64 = 0.3;

/// The joint velocity error (times h) may be this many times the first preview error that the
/// symmetric step aims at: it costs accuracy, not stability.
const LOOSER: f64 = 10.0 / 3.0;

/// A piece towards an event that is this much shorter than a substep is made of two kicks: rates
/// are displacements over h here, and would show the error of those.
const SHORT: f64 = 1e-2;

/// Share of the kinetic energy that a substep may lose whatever the joints' velocity error is.
const LOSS: f64 = 1e-5;

/// What the velocity correction had to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projected {
    /// Joint velocity error times h, relative to the joints' lengths.
    rate: f64,
    /// Share of the kinetic energy that was removed.
    share: f64,
    /// Rounds that the iteration took.
    rounds: u32,
}

impl Projected {
    /// Factor for the next substep: as the joints' velocity error of third order wants, but no
    /// smaller than the loss of energy (fourth order) asks for: light bodies that flutter between
    /// heavy ones are not worth following.
    fn growth(&self, target: f64) -> f64 {
        let by_rate = libm::cbrt(target / self.rate);
        let by_share = (LOSS / self.share.max(f64::MIN_POSITIVE)).sqrt().sqrt();
        let growth = 0.9 * if self.share >= 0.0 { by_rate.max(by_share) } else { by_rate };
        // a slow iteration stands at the edge of divergence, and a failure costs more than a few
        // substeps
        let most = match self.rounds {
            0..=8 => 2.0,
            9..=12 => 1.2,
            13..=16 => 1.0,
            _ => 0.8,
        };
        if growth.is_nan() { most } else { growth.clamp(0.3, most) }
    }
}

impl System {
    /// One substep. On failure poses have not been touched and the caller restores the velocities.
    /// Returns the joints' velocity error before the correction times h, relative to their lengths.
    pub(crate) fn energy_substep(
        &mut self,
        h: f64,
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Projected, Failure> {
        let mut clock = Clock::start(stats.substeps == 0);
        if (self.driven || self.slides()) && !self.factored {
            // the rates of kinematic bodies, and of what slides, at the start
            self.refresh();
        }
        self.note_rates();
        let alone = !self.driven && self.bounds.is_empty();
        let start = alone.then(|| self.mechanical_energy());
        self.start_bounds(h);
        self.start_whole_laws(h);
        self.whole = true;
        self.guess_impulses(h);
        self.engage_springs(h);
        let mut lambda = std::mem::take(&mut self.lambda);
        // rows at mean vectors with stiffened inertia: only the general form knows them
        let balls = self.balls.take();
        let solved = self.solve_balance(h, budget, stats, &mut lambda);
        self.rest_springs();
        self.whole = false;
        self.balls = balls;
        self.lambda = lambda;
        clock.lap(&mut stats.correction_time);
        let rounds = solved?;
        let damped = self.spring_loss(h);
        stats.damping += damped;
        let pulled = if self.driven { dot(&self.lambda, &self.bias) } else { 0.0 };
        self.finish_balance(h);
        self.book_bounds(h, stats);
        self.finish_laws(h);
        self.phase = Phase::Off;
        self.refresh();
        stats.factorizations += 1;
        clock.lap(&mut stats.factor_time);
        let rate = self.relative_rate() * h;
        let (before, impacts) = (self.kinetic(), stats.impacts);
        self.has_pushed = true;
        self.velocity_correction(h, budget, stats);
        self.has_pushed = false;
        // the energy of an impact is booked as a whole
        let lost = if stats.impacts == impacts { self.projected_energy() } else { 0.0 };
        // among extreme masses the iteration's tolerance stands for more energy than there is,
        // which the correction takes out again: no more is lost than the substep as a whole has
        // lost
        let whole = start
            .map_or(f64::INFINITY, |start| (start - self.mechanical_energy() - damped).max(0.0));
        stats.correction += lost.min(whole);
        if self.driven {
            stats.kinematic -=
                0.5 * (pulled + dot(&self.lambda, &self.bias)) + dot(&self.memory.mu, &self.bias);
        }
        self.remember_forces(h);
        clock.lap(&mut stats.velocity_time);
        self.now += h;
        stats.substeps += 1;
        stats.energy_substeps += 1;
        Ok(Projected { rate, share: lost / before.max(f64::MIN_POSITIVE), rounds })
    }

    /// First guess: the same forces as before. Both kinds of step leave half of a substep's impulse
    /// in `mu`.
    fn guess_impulses(&mut self, h: f64) {
        let scale = if self.memory.last_h > 0.0 { 2.0 * h / self.memory.last_h } else { 0.0 };
        for (l, m) in self.lambda.iter_mut().zip(&self.memory.mu) {
            *l = m * scale;
        }
        if self.position_nodes < self.nodes.len() {
            let row = self.nodes[self.position_nodes].row0 as usize;
            self.lambda[row..].fill(0.0);
        }
        self.warm_bounds(h);
    }

    /// Finds displacements and impulses.
    fn solve_balance(
        &mut self,
        h: f64,
        budget: &Budget,
        stats: &mut Stats,
        lambda: &mut [f64],
    ) -> Result<u32, Failure> {
        self.preview(h); // where kinematic bodies go
        self.begin_balance(h, lambda);
        let exact = EXACT.min(self.tolerance.position).min(self.tolerance.angle);
        let unit = self.tolerance.position.max(self.tolerance.angle);
        let mut z = std::mem::take(&mut self.z);
        let mut changes = 4 * self.bounds.len();
        let (mut last, mut best) = (f64::INFINITY, f64::INFINITY);
        let mut round = 0;
        let result = loop {
            self.place_bodies();
            let errors = self.wanted(h, lambda);
            let off = self.balance(h, lambda);
            stats.rounds += 1;
            let error = (errors.ratio * unit).max(off.length);
            // at least one correction: guesses accepted as they are pile up errors to the
            // tolerance's edge
            if error <= exact && round > 0 {
                if let Err(limit) = self.reached_limit() {
                    break Err(limit);
                }
                // with the joints in place, see whether bounded rows push or hold as they may
                if changes > 0 && self.switch_bounds(h, lambda) {
                    changes -= 1;
                    (last, best) = (f64::INFINITY, f64::INFINITY);
                    round = 1;
                    continue;
                }
                break self.turned_back(h).map(|()| round);
            }
            if !error.is_finite() || round >= MOST_ROUNDS || (round > 4 && error > DIVERGED * best)
            {
                break Err(Failure::Diverged);
            }
            best = best.min(error);
            if budget.spent() {
                break Err(Failure::Diverged);
            }
            let swings = round > 1 && error > SLOW * last;
            last = error;
            self.scale_rows();
            self.factorize();
            stats.factorizations += 1;
            self.rates(&mut z);
            for (((z, b), r), g) in z.iter_mut().zip(&self.bias).zip(&self.residual).zip(&self.goal)
            {
                *z = g - r - (*z - b);
            }
            self.solve(&mut z, self.position_nodes);
            stats.corrections += 1;
            self.apply(&z);
            self.correct(swings, lambda, &z);
            round += 1;
        };
        z.fill(0.0);
        self.z = z;
        result
    }

    /// Largest rate of the joints' residuals, relative to their lengths, 1/s. The rates stay in
    /// `residual`.
    fn relative_rate(&mut self) -> f64 {
        let mut rates = std::mem::take(&mut self.residual);
        self.rates(&mut rates);
        let mut worst = 0.0_f64;
        for node in self.nodes[..self.position_nodes].iter().filter(|n| n.joint != NONE) {
            let (n, r) = (node.parts.position.rows(), node.row0 as usize);
            for i in 0..usize::from(node.hard) {
                worst = worst.max(rates[r + i].abs() / if i < n { node.length } else { 1.0 });
            }
        }
        self.residual = rates;
        worst
    }

    /// Kinetic energy, and potential energy of gravity and springs, J.
    fn mechanical_energy(&self) -> f64 {
        let mut energy = crate::report::Energy::default();
        crate::engine::add_energy(self, &mut energy);
        energy.total()
    }

    /// Energy that the joints' own rows took in the velocity correction: half of impulse times rate
    /// before it.
    fn projected_energy(&self) -> f64 {
        let hard = |node: &Node| node.row0 as usize..node.row0 as usize + usize::from(node.hard);
        let rows = self.nodes.iter().filter(|n| n.joint != NONE).flat_map(hard);
        -0.5 * rows.map(|r| self.memory.mu[r] * self.residual[r]).sum::<f64>()
    }

    /// Leaves forces and tautness behind as both kinds of step want to find them.
    fn remember_forces(&mut self, h: f64) {
        for (t, l) in self.total.iter_mut().zip(&self.lambda) {
            *t += l;
        }
        for (m, l) in self.memory.mu.iter_mut().zip(&self.lambda) {
            *m = 0.5 * l;
        }
        let mut worst = 0.0_f64;
        for node in &self.nodes[..self.position_nodes] {
            let r = node.row0 as usize;
            let rows = &self.lambda[r..r + node.parts.position.rows()];
            worst = worst.max(rows.iter().map(|p| p * p).sum::<f64>().sqrt() * node.stiffness);
        }
        self.memory.taut = worst / h;
    }

    /// A substep of the length given, in as many pieces as the iteration wants.
    pub(crate) fn energy_patient(&mut self, h: f64, budget: &Budget, stats: &mut Stats) {
        self.advance_energy(h, f64::INFINITY, budget, stats);
    }

    /// Energy-momentum substeps under control of the joints' velocity error.
    pub(crate) fn advance_energy(
        &mut self,
        duration: f64,
        target: f64,
        budget: &Budget,
        stats: &mut Stats,
    ) {
        let mut saved = std::mem::take(&mut self.saved);
        let mut left = duration;
        let known = self.memory.next_energy_h > 0.0 && target.is_finite();
        let mut wish = if known { self.memory.next_energy_h } else { duration };
        let mut cuts = 0;
        let mut forced = None;
        if self.lawful {
            self.know_responses();
        }
        while left > 1e-9 * duration {
            // springs without nodes are iterated along: their phase over a substep stays below one
            // radian
            let followed = (2.0 * self.loose_h).min(self.whole_law_h(duration));
            let longest = wish.min(followed).max(SMALLEST * duration);
            let pieces = (left / longest - 1e-9).ceil().max(1.0);
            let cut: Option<f64> = forced.take();
            let h = cut.unwrap_or(left / pieces).min(left);
            let event = cut.is_some_and(|cut| cut * pieces < SHORT * left);
            let jumped = self.memory.last_h == 0.0 && self.laws_ring(h);
            if event || jumped {
                if jumped && target.is_finite() {
                    self.advance_symmetric(h, target, budget, stats);
                } else {
                    self.symmetric_patient(h, budget, stats);
                }
                left -= h;
                if stats.unconverged {
                    break;
                }
                continue;
            }
            self.save(&mut saved);
            self.check_velocities = h >= left * (1.0 - 1e-9);
            match self.energy_substep(h, budget, stats) {
                Ok(projected) => {
                    left -= h;
                    wish = h.max(0.5 * wish) * projected.growth(LOOSER * target);
                }
                Err(failure) => {
                    self.restore_velocities(&saved);
                    self.factored = false;
                    match failure {
                        Failure::Limit { .. } => {
                            forced = self.after_failure(failure, h, duration, &mut cuts, stats);
                        }
                        _ if h > SMALLEST * duration => {
                            stats.rejected += 1;
                            wish = 0.5 * h;
                        }
                        _ => stats.unconverged = true,
                    }
                    if stats.unconverged || budget.spent() || stats.all_substeps_spent() {
                        // out of time, or nothing smaller helps: one symmetric substep as it comes
                        stats.budget |= budget.spent() || stats.cut_short;
                        self.symmetric_patient(left, budget, stats);
                        break;
                    }
                }
            }
        }
        self.check_velocities = true;
        if target.is_finite() {
            self.memory.next_energy_h = wish.min(4.0 * duration);
        }
        self.saved = saved;
    }
}
