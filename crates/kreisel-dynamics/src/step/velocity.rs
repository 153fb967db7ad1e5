//! Velocity correction (Bender 3.2.1, 3.3.2.1): after it the joints' relative velocities vanish.
//!
//! In scaled coordinates an orthogonal projection: it only removes energy. One solve with the
//! factor of the present poses; a second one refines when redundancy or extreme mass ratios have
//! left an error.

use super::{Budget, Stats};
use crate::system::{NONE, System};

/// Rounds of Newton's method for rows that are not linear in the velocities; four suffice in
/// practice.
const CURVED_ROUNDS: u32 = 12;

/// Most rounds of strikes at one instant, each of which has driven the next coordinate into its
/// limit.
const MAX_STRIKES: u32 = 8;

/// Whether bounded rows may change between held, idle and at their bound.
#[derive(Clone, Copy, PartialEq)]
enum Switching {
    Allowed,
    Frozen,
}

impl System {
    /// Corrects the velocities; the impulses µ are remembered as the first guess of the next joint
    /// correction.
    pub(crate) fn velocity_correction(&mut self, h: f64, budget: &Budget, stats: &mut Stats) {
        let mut mu = std::mem::take(&mut self.memory.mu);
        mu.fill(0.0);
        let struck =
            budget.velocity_correction && self.correct_velocities(h, budget, stats, &mut mu);
        for (t, m) in self.total.iter_mut().zip(&mu) {
            *t += m;
        }
        self.memory.mu = mu;
        self.memory.last_h = h;
        if self.after_impacts() || struck {
            // the impulse of an impact is no guess for the next step, and rows that were held for
            // it are free again
            self.memory.last_h = 0.0;
            self.factored = false;
        }
    }

    /// Velocities of a state that was not reached by a kick but put together from others: joints
    /// and rows that are held get the rates they must have. Nothing pushes, strikes or is booked.
    pub(crate) fn project_velocities(&mut self, h: f64, budget: &Budget, stats: &mut Stats) {
        let mut mu = std::mem::take(&mut self.memory.mu);
        mu.fill(0.0);
        self.correct_velocities_once(h, budget, stats, &mut mu, Switching::Frozen);
        self.memory.mu = mu;
        self.after_impacts();
    }

    /// Returns whether there was an impact.
    fn correct_velocities(
        &mut self,
        h: f64,
        budget: &Budget,
        stats: &mut Stats,
        mu: &mut [f64],
    ) -> bool {
        self.note_rates();
        self.push_at_bounds(h, mu);
        let flows = self.border_flows();
        self.correct_velocities_once(h, budget, stats, mu, Switching::Allowed);
        self.book_kick(mu, stats);
        self.border.corrected = self.border_work(mu, &flows);

        // what still approaches a limit rebounds
        !self.limits_wait && self.rebound(self.now + h, [h, 0.0], budget, stats, mu)
    }

    /// Rebounds of coordinates that approach the limits at which they are, or reach them within
    /// `ahead`; the energy of the impact is booked as a whole. `h` is the length of the substep
    /// that has led there. A rebound may drive another coordinate into its limit: that one then
    /// strikes, too. Returns whether there is one.
    fn rebound(
        &mut self,
        time: f64,
        [h, ahead]: [f64; 2],
        budget: &Budget,
        stats: &mut Stats,
        mu: &mut [f64],
    ) -> bool {
        let mut strikes = false;
        for _ in 0..MAX_STRIKES {
            if !self.find_impacts(h, ahead) {
                break;
            }
            strikes = true;
            self.note_hits(time, stats);
            let before = self.kinetic() + self.rotor_energy();
            self.correct_velocities_once(h, budget, stats, mu, Switching::Allowed);
            stats.impacts += before - self.kinetic() - self.rotor_energy();
        }
        strikes
    }

    /// At the end of an advance: limits that waited, and those that would be struck within `ahead`,
    /// strike now, at `time`, and contacts are held after that. Returns whether one does.
    pub(crate) fn strike_limits(&mut self, time: f64, ahead: f64, budget: &Budget) -> bool {
        if self.bounds.is_empty() || self.asleep {
            return false;
        }
        if !self.factored {
            self.refresh();
        }
        let mut stats = std::mem::take(&mut self.stats);
        // laws know what they have pushed with already
        let mut mu = vec![0.0; self.row_count()];
        self.recall_laws(&mut mu);
        let start = mu.clone();
        let strikes = self.rebound(time, [self.memory.last_h, ahead], budget, &mut stats, &mut mu);
        if strikes {
            for ((t, m), s) in self.total.iter_mut().zip(&mu).zip(&start) {
                *t += m - s;
            }
            self.after_impacts();
            self.memory.last_h = 0.0;
            self.factored = false;
        }
        self.stats = stats;
        strikes
    }

    fn correct_velocities_once(
        &mut self,
        h: f64,
        budget: &Budget,
        stats: &mut Stats,
        mu: &mut [f64],
        switching: Switching,
    ) {
        let mut z = std::mem::take(&mut self.z);
        let frozen = switching == Switching::Frozen;
        let mut changes = if frozen { 0 } else { 4 * (self.bounds.len() + self.border.rows.len()) };
        let curved = self.border.is_curved();
        // inside a step one solve is as good as exact; the last substep's is checked and refined
        let bounded = !self.bounds.is_empty() || !self.border.is_empty();
        let rounds = match (self.direct, self.check_velocities || bounded) {
            (true, _) if curved => CURVED_ROUNDS,
            (true, false) => 1,
            (true, true) => 4,
            (false, _) => budget.sweeps,
        };
        let mut last = f64::INFINITY;
        let mut round = 0;
        while round < rounds {
            if curved && round > 0 {
                self.refresh_border();
            }
            self.rates(&mut z);
            self.wanted_rates(mu, &mut z);
            let (error, ratio) = if rounds == 1 { (0.0, 0.0) } else { self.velocity_error(&z) };
            stats.velocity_error = error;
            // (sweeps say by themselves when no row is off any more, bounded ones included)
            if round > 0 && self.direct && (ratio <= 0.01 || ratio > 0.5 * last) {
                if changes > 0 && self.switch_bounds_velocity(h, mu) {
                    changes -= 1;
                    self.factorize();
                    stats.factorizations += 1;
                    (last, round) = (f64::INFINITY, 1);
                    continue;
                }
                break;
            }
            last = ratio;
            stats.velocity_rounds += 1;
            for v in z.iter_mut() {
                *v = -*v;
            }
            if self.direct {
                self.solve_velocities(&mut z);
                self.apply(&z);
                for (m, z) in mu.iter_mut().zip(&z) {
                    *m += z;
                }
            } else {
                let again = self.sweep_velocities(budget.relaxation, mu);
                if !again {
                    if frozen || !self.switch_bounds_velocity(h, mu) {
                        break;
                    }
                    // blocks of joints know which of their rows are held
                    self.factorize();
                    stats.factorizations += 1;
                }
                if budget.spent() {
                    stats.budget = true;
                    break;
                }
            }
            round += 1;
        }
        z.fill(0.0);
        self.z = z;
    }

    /// Largest error of rates, absolute and relative to the tolerance, of the rows that must hold.
    pub(super) fn velocity_error(&self, rates: &[f64]) -> (f64, f64) {
        let t = self.tolerance;
        let (mut worst, mut ratio) = (0.0_f64, 0.0_f64);
        for node in self.nodes.iter().filter(|n| n.joint != NONE) {
            let (n, r) = (node.parts.position.rows(), node.row0 as usize);
            for i in 0..usize::from(node.hard) {
                let e = rates[r + i].abs();
                worst = worst.max(e);
                ratio = ratio.max(e / if i < n { t.velocity } else { t.angular_velocity });
            }
        }
        self.border_velocity_error(rates, &mut worst, &mut ratio);
        (worst, ratio)
    }
}
