//! The energy-momentum step: implicit midpoint with averaged arms (Simo and Wong 1991 for the rotation, the exact discrete
//! gradient of the joints' products for the constraint forces).
//!
//! With displacement Δ, Cayley vector φ, joint impulses λ over the substep h, and rows J at the mean vectors of both ends:
//!
//! ```text
//! x₁ = x₀ + Δ            v₁ = 2Δ/h − v₀              m (v₁ − v₀) = h m a + Σ ±n λ
//! R₁ = cay(φ) R₀         W₁ = 2 R₀ᵀφ/h − W₀          R₁ J W₁ − R₀ J W₀ = h τ + Σ a λ
//! C(x₁, R₁) = 0
//! ```
//!
//! Every residual is a sum of products of body-fixed vectors, so that J(mean) (Δ, φ) = C₁ − C₀ = 0 exactly: joint forces do
//! no work, and energy and momentum are kept at any h. The velocity correction at the end is an orthogonal projection
//! and only removes. What it takes is the step's error of third order, and chooses the next substep.
//!
//! Failure modes: the iteration drops gyroscopic terms and the coupling of geometric stiffness between bodies, so that it
//! may need a smaller substep in fast spin; energy is *lost*, not gained, where whips are under-resolved.

use super::{Budget, Clock, Failure, Stats};
use crate::system::{NONE, System};

/// Joints and balance of impulses are solved this exactly, m: coarser, the energy begins to rise.
const EXACT: f64 = 1e-9;

/// Rounds before the substep is halved.
const MOST_ROUNDS: u32 = 25;

/// The joint velocity error (times h) may be this many times the first preview error that the symmetric step aims at: it
/// costs accuracy, not stability.
const LOOSER: f64 = 10.0 / 3.0;

impl System {
    /// One substep. On failure poses have not been touched and the caller restores the velocities. Returns the joints'
    /// velocity error before the correction times h, relative to their lengths.
    pub(crate) fn energy_substep(&mut self, h: f64, budget: &Budget, stats: &mut Stats) -> Result<f64, Failure> {
        let mut clock = Clock::start(stats.substeps == 0);
        self.start_bounds();
        self.guess_impulses(h);
        let mut lambda = std::mem::take(&mut self.lambda);
        let solved = self.solve_balance(h, budget, stats, &mut lambda);
        self.lambda = lambda;
        clock.lap(&mut stats.correction_time);
        solved?;
        self.finish_balance(h);
        self.refresh();
        stats.factorizations += 1;
        clock.lap(&mut stats.factor_time);
        let lost = self.relative_rate() * h;
        let before = self.kinetic();
        let impacts = stats.impacts;
        self.velocity_correction(h, budget, stats);
        if self.bounds.is_empty() {
            stats.correction += before - self.kinetic() - (stats.impacts - impacts);
        }
        self.remember_forces(h);
        clock.lap(&mut stats.velocity_time);
        self.now += h;
        stats.substeps += 1;
        stats.energy_substeps += 1;
        Ok(lost)
    }

    /// First guess: the same forces as before. Both kinds of step leave half of a substep's impulse in `mu`.
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
    ) -> Result<(), Failure> {
        self.preview(h); // where kinematic bodies go
        self.begin_balance(h);
        let exact = EXACT.min(self.tolerance.position).min(self.tolerance.angle);
        let unit = self.tolerance.position.max(self.tolerance.angle);
        let mut z = std::mem::take(&mut self.z);
        let mut last = f64::INFINITY;
        let mut round = 0;
        let result = loop {
            self.place_bodies();
            let errors = self.wanted(h);
            let off = self.balance(h, lambda);
            stats.rounds += 1;
            let error = (errors.ratio * unit).max(off.length);
            if error <= exact {
                break Ok(());
            }
            if !error.is_finite() || round >= MOST_ROUNDS || (round > 4 && error > 2.0 * last) {
                break Err(Failure::Diverged);
            }
            if budget.spent() {
                break Err(Failure::Diverged);
            }
            last = error;
            self.scale_rows();
            self.factorize();
            stats.factorizations += 1;
            self.rates(&mut z);
            for (((z, b), r), g) in z.iter_mut().zip(&self.bias).zip(&self.residual).zip(&self.goal) {
                *z = g - r - (*z - b);
            }
            self.factor.solve(&mut z, self.position_nodes);
            for (l, z) in lambda.iter_mut().zip(&z) {
                *l += z;
            }
            self.apply(&z);
            self.correct_bodies();
            round += 1;
        };
        z.fill(0.0);
        self.z = z;
        result
    }

    /// Largest rate of the joints' residuals, relative to their lengths, 1/s.
    fn relative_rate(&mut self) -> f64 {
        let mut z = std::mem::take(&mut self.z);
        self.rates(&mut z);
        let mut worst = 0.0_f64;
        for node in self.nodes[..self.position_nodes].iter().filter(|n| n.joint != NONE) {
            let (n, r) = (node.parts.position.rows(), node.row0 as usize);
            for i in 0..usize::from(node.hard) {
                worst = worst.max(z[r + i].abs() / if i < n { node.length } else { 1.0 });
            }
        }
        z.fill(0.0);
        self.z = z;
        worst
    }

    /// Leaves forces and tautness behind as both kinds of step want to find them.
    fn remember_forces(&mut self, h: f64) {
        for (t, l) in self.total.iter_mut().zip(&self.lambda) {
            *t += l;
        }
        for ((m, f), l) in self.memory.mu.iter_mut().zip(&mut self.memory.force).zip(&self.lambda) {
            (*m, *f) = (0.5 * l, l / h);
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
    pub(crate) fn advance_energy(&mut self, duration: f64, target: f64, budget: &Budget, stats: &mut Stats) {
        const SMALLEST: f64 = 1e-6;
        let mut saved = std::mem::take(&mut self.saved);
        let mut left = duration;
        let mut wish = if self.memory.next_energy_h > 0.0 { self.memory.next_energy_h } else { duration };
        if target.is_infinite() {
            wish = duration;
        }
        let target = LOOSER * target;
        while left > 1e-9 * duration {
            let longest = wish.max(SMALLEST * duration);
            let pieces = (left / longest - 1e-9).ceil().max(1.0);
            let h = left / pieces;
            self.save(&mut saved);
            match self.energy_substep(h, budget, stats) {
                Ok(lost) => {
                    left -= h;
                    let growth = if lost > 0.0 { 0.9 * libm::cbrt(target / lost) } else { 2.0 };
                    wish = h.max(0.5 * wish) * growth.clamp(0.3, 2.0);
                }
                Err(_) => {
                    self.restore_velocities(&saved);
                    self.factored = false;
                    stats.rejected += 1;
                    if h < SMALLEST * duration {
                        stats.unconverged = true;
                        break;
                    }
                    wish = 0.5 * h;
                }
            }
        }
        self.memory.next_energy_h = wish.min(4.0 * duration);
        self.saved = saved;
    }

    pub(crate) fn impulses_to_forces(&mut self) {}
    pub(crate) fn forces_to_impulses(&mut self) {}
}
