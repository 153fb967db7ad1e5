//! One step of a system: as many substeps as it takes, of the kind that suits (the controller).
//!
//! Symmetric substeps: h_new = h · clamp(0.9 (target/e₀)^⅓, 0.3, 2); a first preview above 8 ×
//! target rejects the substep. Limits: half a radian of rotation per substep, 1.5 rad of the
//! transverse vibration of the tautest joint, and a quarter of the stability limit of springs.
//! Where the transverse vibration asks for so many more substeps than accuracy wants that
//! energy-momentum steps are cheaper, light bodies are taut between heavy ones and the system goes
//! over to those; back when they have cost more than symmetric ones would for some steps.
//!
//! Noise: a joint that stops within its tolerance leaves an error that the next kick removes, with
//! an impulse that grows as 1/h². Where the joints' matrix is nearly singular (rods of a net in one
//! line) that impulse passes for tension, asks for smaller substeps and grows the more. A sudden
//! rise of tension is therefore followed only in part, and the next substeps solve the joints a
//! hundred times more exactly, which shows whether it is real.

use super::{Budget, Failure, Stats};
use crate::lanes::F4;
use crate::math::Vec3;
use crate::settings::{Order, Settings, Stepping, Substeps, Tolerance};
use crate::system::{Bound, BoundKind, NONE, System};

/// Largest rotation per substep, rad: the simplified Newton iteration contracts by about this
/// factor.
const MAX_TURN: f64 = 0.5;

/// A first preview this many times above the target is not corrected but repeated with a smaller
/// substep.
const REJECT: f64 = 8.0;

/// Smallest substep as a fraction of the step: below it the step is taken as it comes and reported.
pub(super) const SMALLEST: f64 = 1e-6;

/// Most substeps of a step, made or rejected; beyond it the rest of the step is taken as it comes,
/// and named. Light bodies between heavy ones ask for some thousands, motion that has exploded for
/// millions.
pub(super) const MOST_SUBSTEPS: u32 = 20_000;

/// Smallest substep towards a limit as a fraction of the step: cutting converges quadratically, and
/// an impact that is taken for resting contact loses its rebound.
const NEAREST: f64 = 1e-12;

/// The target of [`Substeps::Auto`] is stated for bodies of this size, m.
pub(crate) const STATED_FOR: f64 = 0.1;

/// Share of the target for systems with elastic limits: the energy of a symmetric step swings with
/// the motion, and a rebound makes what it is off by at that moment last.
const REBOUNDING: f64 = 0.05;

/// The target is at least this many times what a tolerance leaves of a joint's length: joints may
/// begin a substep with that error, which no smaller substep takes away.
const INHERITED: f64 = 2.0;

/// Phase of the tautest joint's transverse vibration per substep, rad. The frequency is an upper
/// estimate (1.2 times too large for slender rods), so that this stays clear of the step's
/// resonances at √2 and of its limit of stability at 2.
const PHASE: f64 = 1.5;

/// Cost of an energy-momentum round in symmetric substeps (both factorise once; measured on chains
/// and nets).
const ROUND_COST: f64 = 1.5;

/// Rounds that an energy-momentum substep takes, for a guess before the first one.
const ROUNDS: f64 = 8.0;

/// From this ratio of masses on light bodies may stay taut between heavy ones. Among bodies that
/// are alike, tension comes and goes with the motion (a whip, a net that snaps straight), and must
/// be this many times larger to be worth the change.
const UNEQUAL: f64 = 30.0;
const ALIKE: f64 = 8.0;

/// Energy-momentum steps that cost more than symmetric ones would, one after the other, before
/// going back. Tension between heavy bodies leaves for a moment where they turn, and comes back;
/// symmetric steps in between feed the light ones' flutter.
const CALM_STEPS: u32 = 3;
const CALM_UNEQUAL: u32 = 60;

/// The tension's frequency may rise by this factor from substep to substep; beyond it is taken for
/// noise until shown otherwise.
pub(super) const RISE: f64 = 2.0;

/// Substeps that are solved more exactly after such a rise, and the share of the tolerance that
/// they keep.
pub(super) const DOUBTFUL: u32 = 5;
pub(super) const EXACTLY: f64 = 1e-2;

impl System {
    /// Advances the system by `duration` from time `now`; what it did is in `stats` afterwards.
    pub(crate) fn advance(
        &mut self,
        now: f64,
        duration: f64,
        settings: &Settings,
        budget: &Budget,
    ) {
        let mut stats = Stats { hits: std::mem::take(&mut self.stats.hits), ..Stats::default() };
        stats.hits.clear();
        self.now = now;
        self.kick_share = if budget.velocity_correction { 0.5 } else { 1.0 };
        if self.asleep {
            self.stats = stats;
            return;
        }
        self.driven = self
            .others
            .iter()
            .any(|o| o.velocity != Vec3::ZERO || o.angular_velocity != Vec3::ZERO)
            || self.groups.iter().any(|g| g.torque != [F4::ZERO; 3])
            || !self.actuators.is_empty()
            || !self.border.is_empty();
        self.total.fill(0.0);
        self.turned = None;
        self.bounds.iter_mut().for_each(|b| b.struck = None);
        let mut start = std::mem::take(&mut self.step_start);
        self.save(&mut start);
        self.share = super::symmetric::SHARE;
        self.clock = now;
        self.border.items.iter_mut().for_each(|i| i.failed = false);
        if !self.is_tied() {
            self.goal.clear();
            self.is_torn = false;
        } else if !self.settled {
            self.set_goals();
        } else {
            self.standing = 0.0;
        }
        match (settings.order, settings.substeps) {
            (Order::Two, Substeps::Fixed(n)) => {
                self.advance_fixed(duration, n, settings.stepping, budget, &mut stats)
            }
            (Order::Two, Substeps::Auto { target }) => {
                let share = if self.rebounds() { REBOUNDING } else { 1.0 };
                let target = (share * target / STATED_FOR)
                    .max(INHERITED * self.coarsest(&settings.tolerance));
                self.advance_auto(duration, target, settings.stepping, budget, &mut stats);
            }
            _ => self.advance_extrapolated(duration, settings, budget, &mut stats),
        }
        if !self.is_finite() {
            self.restore(&start);
            self.stop();
            stats.quarantined = true;
        }
        self.settled = !stats.unconverged && !self.torn();
        self.step_start = start;
        self.note_failed(&mut stats);
        self.remember_bounds();
        self.stats = stats;
    }

    /// Whether a limit gives back what strikes it.
    fn rebounds(&self) -> bool {
        let elastic =
            |b: &Bound| matches!(b.kind, BoundKind::Limit { restitution, .. } if restitution > 0.0);
        self.bounds.iter().any(elastic)
    }

    /// The largest error that a tolerance allows, relative to the joints' lengths.
    fn coarsest(&self, tolerance: &Tolerance) -> f64 {
        let shortest = self
            .nodes
            .iter()
            .filter(|n| n.joint != NONE)
            .fold(f64::INFINITY, |m, n| m.min(n.length));
        let shortest = self.border.items.iter().fold(shortest, |m, i| m.min(i.length));
        (tolerance.position / shortest).max(tolerance.angle)
    }

    /// Brings all bodies to rest and forgets the past.
    fn stop(&mut self) {
        for g in &mut self.groups {
            g.y = [F4::ZERO; 6];
        }
        self.memory.mu.fill(0.0);
        self.memory.half.fill(0.0);
        self.memory.last_h = 0.0;
        self.memory.next_h = 0.0;
        self.memory.next_energy_h = 0.0;
        self.memory.doubt = 0;
    }

    /// A fixed number of substeps; nothing but the tolerance is checked.
    fn advance_fixed(
        &mut self,
        duration: f64,
        n: u32,
        stepping: Stepping,
        budget: &Budget,
        stats: &mut Stats,
    ) {
        let h = duration / f64::from(n);
        for _ in 0..n {
            // time that is up does not count here, a step that is given up does: the world will be
            // put back
            if budget.interrupt.is_set() {
                stats.budget = true;
                return;
            }
            if stepping == Stepping::Energy
                && self.direct
                && self.guides.is_empty()
                && self.border.is_empty()
                && budget.impulse_limit.is_infinite()
            {
                self.energy_patient(h, budget, stats);
            } else {
                self.symmetric_patient(h, budget, stats);
            }
        }
    }

    /// A symmetric substep that is taken as it comes; limits that are reached cut it in two.
    pub(super) fn symmetric_patient(&mut self, mut left: f64, budget: &Budget, stats: &mut Stats) {
        let mut saved = std::mem::take(&mut self.saved);
        let mut h = left;
        let (full, mut cuts) = (left, 0);
        while left > 1e-12 * full {
            self.save(&mut saved);
            match self.symmetric_substep(h, f64::INFINITY, true, budget, stats) {
                Ok(_) => {
                    if self.standing > 0.0 {
                        self.note_standing();
                    }
                    left -= h;
                    h = left;
                }
                Err(failure) => {
                    self.restore_velocities(&saved);
                    if failure == Failure::Diverged && self.aim_lower() {
                        continue;
                    }
                    match self.after_failure(failure, h, full, &mut cuts, stats) {
                        Some(next) => h = next,
                        None => break,
                    }
                }
            }
        }
        self.saved = saved;
    }

    /// The next substep to try after a failure; `None` when nothing helps: the system stands still
    /// for the rest of the step, and says so.
    pub(super) fn after_failure(
        &mut self,
        failure: Failure,
        h: f64,
        full: f64,
        cuts: &mut u32,
        stats: &mut Stats,
    ) -> Option<f64> {
        *cuts += 1;
        // Work is bounded: after that many cuts a limit is taken as resting contact and a
        // divergence as it is.
        const MOST_CUTS: u32 = 60;
        match failure {
            // an inequality that pulls when held and is crossed when let go has no answer
            Failure::Limit { bound, fraction } if *cuts <= 2 * MOST_CUTS => {
                // aim a little behind the limit: the substep must end within its tolerance
                if *cuts > MOST_CUTS || h * fraction < NEAREST * full {
                    self.hold(bound);
                    Some(h)
                } else {
                    Some(h * fraction)
                }
            }
            Failure::Reject(e) if e.is_finite() => {
                stats.rejected += 1;
                Some(0.5 * h)
            }
            _ => {
                stats.rejected += 1;
                if *cuts > MOST_CUTS || h < SMALLEST * full {
                    // give up: stand still rather than explode
                    stats.unconverged = true;
                    stats.stood_still = true;
                    self.stop();
                    return None;
                }
                Some(0.5 * h)
            }
        }
    }

    /// As many substeps as accuracy and stability want.
    fn advance_auto(
        &mut self,
        duration: f64,
        target: f64,
        stepping: Stepping,
        budget: &Budget,
        stats: &mut Stats,
    ) {
        // an energy-momentum substep takes laws as a whole, contacts take their two kicks: a sprung
        // wheel on the ground would rest in the wrong place (39 % off at 10 ms)
        if self.shares_contact {
            return self.advance_with_contacts(duration, target, budget, stats);
        }
        // the energy-momentum iteration needs the factor of all joints, and knows no limit of
        // impulses nor rows over several bodies
        let limited =
            budget.impulse_limit.is_finite() || !self.guides.is_empty() || !self.border.is_empty();
        if stepping == Stepping::Energy && self.direct && !limited {
            return self.advance_energy(duration, target, budget, stats);
        }
        if !self.direct || limited || stepping == Stepping::Auto && self.nodes.is_empty() {
            return self.advance_symmetric(duration, target, budget, stats);
        }
        if stepping == Stepping::Auto && self.memory.energy_mode {
            self.advance_energy(duration, target, budget, stats);
            let omega = self.memory.taut.sqrt();
            // accuracy wants about as many symmetric substeps as it wanted of these
            let stable = (omega / PHASE).max(1.0 / self.spring_h);
            let symmetric =
                duration * stable.max(1.0 / self.memory.next_energy_h.max(f64::MIN_POSITIVE));
            let pays = f64::from(stats.rounds) * ROUND_COST < symmetric;
            self.memory.calm = if pays { 0 } else { self.memory.calm + 1 };
            if self.memory.calm >= if self.mass_ratio > UNEQUAL { CALM_UNEQUAL } else { CALM_STEPS }
            {
                self.memory.energy_mode = false;
                self.memory.calm = 0;
                self.memory.next_h =
                    self.memory.next_energy_h.min(PHASE / omega.max(f64::MIN_POSITIVE));
            }
            return;
        }
        let omega = self.memory.taut.sqrt();
        let wish = if self.memory.next_h > 0.0 {
            self.memory.next_h.min(duration)
        } else {
            0.25 * duration
        };
        let more = wish * omega / PHASE;
        let unequal = self.mass_ratio > UNEQUAL;
        let pays = ROUNDS * ROUND_COST * if unequal { 1.0 } else { ALIKE };
        // among unequal masses a rise of tension is real more often than not
        let taut = more > pays && (unequal || self.memory.doubt == 0);
        // springs with nodes do not limit energy-momentum steps
        let stiff = self.spring_h < self.loose_h && wish / self.spring_h > ROUNDS * ROUND_COST;
        if stepping == Stepping::Auto && (taut || stiff) {
            self.enter_energy_mode();
            return self.advance_energy(duration, target, budget, stats);
        }
        let mut start = std::mem::take(&mut self.outer);
        // nothing fails where nothing is joined
        if self.is_tied() {
            self.save(&mut start);
        }
        let memory_rejected = stats.rejected;
        self.advance_symmetric(duration, target, budget, stats);
        // many rejected substeps: the symmetric step is at its limit of stability
        let failed = stats.rejected - memory_rejected > 6 + 2 * stats.substeps
            || stats.unconverged && self.settled;
        if stepping == Stepping::Auto
            && failed
            && self.is_tied()
            && !budget.spent()
            && self.bounds.is_empty()
        {
            self.restore(&start);
            stats.unconverged = false;
            stats.substeps = 0;
            self.total.fill(0.0);
            self.enter_energy_mode();
            self.advance_energy(duration, target, budget, stats);
        }
        // tension that comes and goes among unequal masses rejects substeps and makes the others
        // short
        let strained =
            unequal && stats.rejected > memory_rejected && f64::from(stats.substeps) > 2.0 * pays;
        if stepping == Stepping::Auto
            && strained
            && self.bounds.is_empty()
            && !self.memory.energy_mode
        {
            self.enter_energy_mode();
        }
        self.outer = start;
    }

    /// One substep that is shared with contacts; the controller only says how long the next one
    /// should be.
    fn advance_with_contacts(
        &mut self,
        duration: f64,
        target: f64,
        budget: &Budget,
        stats: &mut Stats,
    ) {
        let mut saved = std::mem::take(&mut self.saved);
        self.save(&mut saved);
        let done = self.symmetric_substep(duration, f64::INFINITY, true, budget, stats);
        if done.is_err() {
            self.restore_velocities(&saved);
        }
        self.saved = saved;
        match done {
            Ok(done) => {
                let growth =
                    if done.first > 0.0 { 0.9 * libm::cbrt(target / done.first) } else { 2.0 };
                self.memory.next_h = duration * growth.clamp(0.3, 2.0);
            }
            Err(_) => self.symmetric_patient(duration, budget, stats),
        }
    }

    /// How long a step with contacts should be, for laws and contacts to share it, s.
    pub(crate) fn shared_h(&self, duration: f64) -> f64 {
        let wish = if self.memory.next_h > 0.0 { self.memory.next_h } else { duration };
        wish.min(self.law_h(duration)).min(MAX_TURN / self.max_spin().max(f64::MIN_POSITIVE))
    }

    fn enter_energy_mode(&mut self) {
        self.memory.energy_mode = true;
        self.memory.calm = 0;
        self.memory.next_energy_h = 0.0;
    }

    /// Symmetric substeps under control of e₀.
    pub(super) fn advance_symmetric(
        &mut self,
        duration: f64,
        target: f64,
        budget: &Budget,
        stats: &mut Stats,
    ) {
        let mut saved = std::mem::take(&mut self.saved);
        let mut left = duration;
        let mut wish = if self.memory.next_h > 0.0 { self.memory.next_h } else { 0.25 * duration };
        let mut cuts = 0;
        let mut forced = None;
        self.jump = f64::INFINITY;
        while left > 1e-9 * duration {
            let stable = (MAX_TURN / self.max_spin().max(f64::MIN_POSITIVE))
                .min(self.spring_h)
                .min(self.law_h(duration))
                .min(PHASE / self.memory.taut.sqrt().max(f64::MIN_POSITIVE));
            let longest = wish.min(stable).max(SMALLEST * duration);
            let pieces = (left / longest - 1e-9).ceil().max(1.0);
            // when time or substeps are spent, what is left of the step is taken as it comes
            let spent = budget.spent() || stats.all_substeps_spent();
            stats.budget |= spent;
            let h = if spent { left } else { forced.take().unwrap_or(left / pieces).min(left) };
            self.save(&mut saved);
            self.check_velocities = h >= left * (1.0 - 1e-9);
            let tiny = spent || h <= 2.0 * SMALLEST * duration;
            // at the smallest substep only the energy is watched; out of time, nothing is
            let reject = match (spent, tiny) {
                (true, _) => f64::INFINITY,
                (false, true) => f64::MAX,
                (false, false) => REJECT * target,
            };
            match self.symmetric_substep(h, reject, tiny, budget, stats) {
                Ok(done) => {
                    if self.standing > 0.0 {
                        self.note_standing();
                    }
                    left -= h;
                    // the cube root of the third-order error, with the usual care
                    let growth =
                        if done.first > 0.0 { 0.9 * libm::cbrt(target / done.first) } else { 2.0 };
                    wish = h.max(0.5 * wish) * growth.clamp(0.3, 2.0);
                }
                Err(failure) => {
                    if failure == Failure::Energy {
                        self.restore(&saved);
                        self.now -= h;
                        stats.substeps -= 1;
                    } else {
                        self.restore_velocities(&saved);
                    }
                    if failure == Failure::Diverged && self.aim_lower() {
                        continue;
                    }
                    match failure {
                        Failure::Energy if !tiny => {
                            stats.rejected += 1;
                            wish = 0.5 * h;
                        }
                        Failure::Reject(e) if e.is_finite() => {
                            stats.rejected += 1;
                            wish = h * (0.9 * libm::cbrt(target / e)).clamp(0.1, 0.5);
                        }
                        Failure::Limit { .. } => {
                            match self.after_failure(failure, h, duration, &mut cuts, stats) {
                                Some(next) => forced = Some(next),
                                None => break,
                            }
                        }
                        _ => match self.after_failure(failure, h, duration, &mut cuts, stats) {
                            Some(next) => wish = next,
                            None => break,
                        },
                    }
                }
            }
        }
        self.check_velocities = true;
        self.memory.next_h = wish.min(4.0 * duration);
        self.saved = saved;
    }

    /// Takes a limit as resting contact from now on.
    fn hold(&mut self, bound: u32) {
        use crate::system::{BoundKind, BoundState};
        let Some(b) = self.bounds.get_mut(bound as usize) else {
            self.border.rows[bound as usize - self.bounds.len()].state = BoundState::Held;
            self.factored = false;
            return;
        };
        b.state = match b.kind {
            BoundKind::Limit { min, .. } if b.end >= min => BoundState::HeldAbove,
            _ => BoundState::Held,
        };
        self.factored = false;
    }
}
