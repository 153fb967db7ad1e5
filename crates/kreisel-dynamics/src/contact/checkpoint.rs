//! Going back: what a system was before a drift, and the sums over several drifts of one step.

use crate::math::{Quat, Vec3};
use crate::step::Stats;
use crate::system::border::BorderRow;
use crate::system::{Bound, Memory, System, motion::Saved};

/// State and memories of a system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checkpoint {
    saved: Saved,
    memory: Memory,
    bounds: Vec<Bound>,
    border: Vec<BorderRow>,
    settled: bool,
    now: f64,
}

impl Checkpoint {
    pub fn take(&mut self, s: &System) {
        s.save(&mut self.saved);
        copy(&s.memory, &mut self.memory);
        self.bounds.clone_from(&s.bounds);
        self.border.clone_from(&s.border.rows);
        (self.settled, self.now) = (s.settled, s.now);
    }

    /// Kinetic energy of body `i`, J, and its place.
    pub fn body(&self, i: usize) -> (f64, Vec3) {
        self.saved.body(i)
    }

    /// Place and rotation of body `i`.
    pub fn pose(&self, i: usize) -> (Vec3, Quat) {
        self.saved.pose(i)
    }

    pub fn go_back(&self, s: &mut System) {
        s.restore(&self.saved);
        copy(&self.memory, &mut s.memory);
        s.bounds.clone_from(&self.bounds);
        s.border.rows.clone_from(&self.border);
        (s.settled, s.now) = (self.settled, self.now);
    }
}

/// A copy that uses the memory at hand (a derived `clone_from` would allocate).
fn copy(from: &Memory, to: &mut Memory) {
    let (mut mu, mut bounds) = (std::mem::take(&mut to.mu), std::mem::take(&mut to.bounds));
    let (mut half, mut responses) =
        (std::mem::take(&mut to.half), std::mem::take(&mut to.responses));
    responses.clone_from(&from.responses);
    mu.clone_from(&from.mu);
    half.clone_from(&from.half);
    bounds.clone_from(&from.bounds);
    *to = Memory {
        mu,
        bounds,
        half,
        responses,
        last_h: from.last_h,
        next_h: from.next_h,
        next_energy_h: from.next_energy_h,
        energy_mode: from.energy_mode,
        calm: from.calm,
        taut: from.taut,
        doubt: from.doubt,
        measured: from.measured,
    };
}

/// What a system did over the parts of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    stats: Stats,
    total: Vec<f64>,
}

impl Sums {
    pub fn clear(&mut self, rows: usize) {
        let mut hits = std::mem::take(&mut self.stats.hits);
        hits.clear();
        self.stats = Stats { hits, ..Stats::default() };
        self.total.clear();
        self.total.resize(rows, 0.0);
    }

    /// Adds the part that has just been made.
    pub fn add(&mut self, s: &System) {
        let (sum, part) = (&mut self.stats, &s.stats);
        sum.substeps += part.substeps;
        sum.rejected += part.rejected;
        sum.energy_substeps += part.energy_substeps;
        sum.rounds += part.rounds;
        sum.corrections += part.corrections;
        sum.velocity_rounds += part.velocity_rounds;
        sum.factorizations += part.factorizations;
        sum.unconverged |= part.unconverged;
        sum.stood_still |= part.stood_still;
        sum.budget |= part.budget;
        sum.quarantined |= part.quarantined;
        sum.cut_short |= part.cut_short;
        sum.velocity_error = sum.velocity_error.max(part.velocity_error);
        sum.local_error = sum.local_error.max(part.local_error);
        sum.damping += part.damping;
        sum.friction += part.friction;
        sum.impacts += part.impacts;
        sum.correction += part.correction;
        sum.drives += part.drives;
        sum.controllers += part.controllers;
        sum.kinematic += part.kinematic;
        sum.shared += part.shared;
        sum.hits.extend(part.hits.iter().cloned());
        sum.failed.extend(part.failed.iter().cloned());
        for (t, p) in self.total.iter_mut().zip(&s.total) {
            *t += p;
        }
    }

    /// Leaves the sums in the system, as if they were of one step.
    pub fn give(&mut self, s: &mut System) {
        std::mem::swap(&mut s.stats, &mut self.stats);
        s.total.copy_from_slice(&self.total);
    }
}
