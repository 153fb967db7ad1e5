//! Laws in the solves of a system: their compliances in the factor, their residuals, their work,
//! their answers to contacts (`law.rs` has the equations).

use super::Stats;
use super::law::{Law, Motion, Phase};
use crate::system::{Bound, BoundKind, BoundState, NONE, System, SystemSpring};
use std::sync::Arc;

/// Laws whose response is measured in each step, one after the other: a solve for each, so that the
/// cost stays linear.
const MEASURED_PER_STEP: usize = 8;

/// Laws are solved to this share of the tolerance: no dead band around the place of rest.
pub(super) const EXACT: f64 = 1e-3;

/// The most substeps of a step that are made for the vibration of a law: a faster one is damped
/// instead.
const MOST_SUBSTEPS: f64 = 32.0;

/// Phase of the vibration across taut springs per substep, rad: a quarter of what is stable, as for
/// springs that are forces.
const ACROSS: f64 = 0.5;

impl System {
    /// Numbers of a law for a substep from the present coordinate.
    pub(super) fn start_law(b: &mut Bound, now: f64, h: f64, kick: f64) {
        let value = b.start;
        if let BoundKind::Law(law) = &mut b.kind {
            law.start(value, now, h, kick);
        }
    }

    /// Whether the law of a bound takes part in the solve at hand as a row; otherwise its impulse
    /// is given.
    pub(crate) fn law_is_row(&self, b: &Bound, law: &Law) -> bool {
        law.slope(b.state, self.phase) > 0.0
    }

    /// Rows, factor and compliances for a phase.
    pub(crate) fn enter(&mut self, phase: Phase) {
        if self.lawful && (self.phase != phase || !self.factored) {
            self.phase = phase;
            if self.factored {
                self.factorize();
            }
        }
    }

    /// Adds the compliance of laws to the diagonal.
    pub(crate) fn soften_laws(&mut self) {
        for b in &self.bounds {
            let BoundKind::Law(law) = &b.kind else { continue };
            if self.law_is_row(b, law) {
                let (k, r) = (b.node as usize, usize::from(b.row));
                let node = &self.nodes[k];
                let compliance = 1.0 / law.slope(b.state, self.phase);
                let f = usize::from(node.rows);
                self.factor.values[self.factor.diag[k] as usize + r * f + r] += compliance;
                self.factor.original[node.row0 as usize + r] += compliance;
            }
        }
    }

    /// Before the first kick of a substep: the factor with the laws' compliances for it.
    pub(super) fn start_laws(&mut self, h: f64, stats: &mut Stats) {
        if !self.lawful {
            return;
        }
        if stats.substeps == 0 {
            self.guess_responses();
            self.restart_laws(h);
        }
        self.enter(Phase::Kick(h));
        stats.factorizations += 1;
        if stats.substeps == 0 {
            self.measure_responses();
            self.restart_laws(h);
            self.factorize();
            stats.factorizations += 1;
        }
    }

    /// Before an energy-momentum substep.
    pub(super) fn start_whole_laws(&mut self, h: f64) {
        if self.lawful {
            self.know_responses();
            self.note_rates();
            self.note_law_rates();
            self.phase = Phase::Whole(h);
        }
    }

    /// Before contacts are solved: how laws answer to them, in the kick of a step of `h`, or at the
    /// end of one. Returns whether the impulses of the last velocity correction act at the same
    /// instant as the contacts'.
    pub(crate) fn open_laws(&mut self, kick: Option<f64>) -> bool {
        if !self.lawful {
            return false;
        }
        let corrected = matches!(self.phase, Phase::Velocity(_));
        match kick {
            Some(h) => {
                self.guess_responses();
                self.restart_laws(h);
                self.enter(Phase::Kick(h));
            }
            None if self.memory.last_h > 0.0 => self.enter(Phase::Velocity(self.memory.last_h)),
            None => self.enter(Phase::Off),
        }
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            let rate = self.rate_of(b.node as usize, usize::from(b.row));
            let b = &mut self.bounds[i];
            let BoundKind::Law(law) = &mut b.kind else { continue };
            if kick.is_some() {
                law.before_contact = Some(rate);
            } else {
                law.rate = rate;
                if !corrected {
                    b.rate_before = rate;
                }
                let row = self.nodes[b.node as usize].row0 as usize + usize::from(b.row);
                let motion = Motion { way: b.end - b.start, rate };
                let parts = law.share_out(b.state, self.phase, motion, self.memory.mu[row]);
                law.booked =
                    if corrected { [parts.servo, parts.damper, parts.stored] } else { [0.0; 3] };
            }
        }
        corrected
    }

    /// Before a kick: the rates that laws start from.
    pub(super) fn note_law_rates(&mut self) {
        for b in &mut self.bounds {
            let rate = b.rate_before;
            if let BoundKind::Law(law) = &mut b.kind {
                law.rate = law.before_contact.unwrap_or(rate);
                (law.first_rate, law.given) = (law.rate, 0.0);
            }
        }
    }

    /// Takes what laws have answered to contacts so far off the rates: a law is satisfied where its
    /// rate has changed by −L/G.
    pub(crate) fn ease(&self, answers: &[f64], rates: &mut [f64]) {
        for b in self.bounds.iter().filter(|b| self.is_held(b)) {
            let row = self.nodes[b.node as usize].row0 as usize + usize::from(b.row);
            rates[row] += self.eased(b, answers[row]);
        }
    }

    /// The same for one row that is held.
    pub(crate) fn eased(&self, b: &Bound, answer: f64) -> f64 {
        if let BoundKind::Law(law) = &b.kind {
            answer / law.slope(b.state, self.phase)
        } else {
            0.0
        }
    }

    /// The answers of laws to contacts alone, by row; zeroes them in `answers`.
    pub(crate) fn take_answers(&self, answers: &mut [f64], out: &mut [f64]) {
        out.fill(0.0);
        for b in self.bounds.iter().filter(|b| matches!(b.kind, BoundKind::Law(_))) {
            let row = self.nodes[b.node as usize].row0 as usize + usize::from(b.row);
            out[row] = std::mem::take(&mut answers[row]);
        }
    }

    /// After contacts have been held: books what the laws' answers add to their work in the
    /// velocity correction, and returns it, J. Both and the contacts act at once: from the rate
    /// before the correction to the one at hand.
    pub(crate) fn book_answers(&mut self, answers: &[f64], corrected: bool) -> f64 {
        let mut work = 0.0;
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            let BoundKind::Law(mut law) = b.kind else { continue };
            let rate = self.rate_of(b.node as usize, usize::from(b.row));
            let row = self.nodes[b.node as usize].row0 as usize + usize::from(b.row);
            let earlier = if corrected { self.memory.mu[row] } else { 0.0 };
            let [mean, change] = [0.5 * (b.rate_before + rate), 0.5 * (rate - law.rate)];
            work += answers[row] * mean + earlier * change;
            let [servo, damper, stored] = law.shares(b.state, self.phase);
            *self.stats.of(&law) += servo * answers[row] * mean + law.booked[0] * change;
            self.stats.damping -= damper * answers[row] * mean + law.booked[1] * change;
            law.given += stored * answers[row] * mean + law.booked[2] * change;
            if corrected {
                self.stats.damping += law.late_loss(b.end - b.start, rate, self.memory.last_h);
            }
            if let Some(account) = self.total.get_mut(law.account as usize) {
                *account += servo * answers[row];
            }
        }
        work
    }

    /// Weights anew, after responses have been measured.
    fn restart_laws(&mut self, h: f64) {
        let (now, kick) = (self.now, self.kick_share);
        self.bounds.iter_mut().for_each(|b| Self::start_law(b, now, h, kick));
    }

    /// How the coordinate of a law moves, for the rate after the kick at hand.
    fn motion(b: &Bound, rate: f64) -> Motion {
        Motion { way: b.end - b.start, rate }
    }

    /// What is missing in kick 1 of a law: as the residual of its row, and as a way that the
    /// coordinate would be off by.
    pub(super) fn law_residual(&self, b: &Bound, law: &Law, impulse: f64, h: f64) -> (f64, f64) {
        let slope = law.slope(b.state, self.phase);
        if !(slope > 0.0) {
            return (0.0, 0.0);
        }
        let off = impulse - law.parts(b.state, self.phase, Self::motion(b, 0.0)).sum();
        match self.phase {
            Phase::Whole(_) => (
                off / slope,
                0.5 * h * off.abs() * law.response / (1.0 + 0.5 * h * slope * law.response),
            ),
            _ => (h * off / slope, h * off.abs() * law.response / (1.0 + slope * law.response)),
        }
    }

    /// What is missing in kick 2 of a law, as a rate.
    pub(super) fn law_rate(&self, b: &Bound, law: &Law, rate: f64, impulse: f64) -> f64 {
        let slope = law.slope(b.state, self.phase);
        if !matches!(self.phase, Phase::Velocity(_)) || !(slope > 0.0) {
            return 0.0;
        }
        (impulse - law.parts(b.state, self.phase, Self::motion(b, rate)).sum()) / slope
    }

    /// The impulse that a law must have in the kick at hand, for the rate after it.
    pub(super) fn law_impulse(&self, b: &Bound, law: &Law, rate: f64) -> f64 {
        law.parts(b.state, self.phase, Self::motion(b, rate)).sum()
    }

    /// Next state of a law whose row has an impulse: its servo is at its largest effort while it
    /// asks for more.
    pub(super) fn next_law(&self, b: &Bound, law: &Law, impulse: f64, rate: f64) -> BoundState {
        if law.motor == NONE {
            return b.state;
        }
        // a stiff law is known better by its impulse than by the way that is left to go
        let motion = Self::motion(b, rate);
        let asked = if b.state == BoundState::Held && law.shares(b.state, self.phase)[0] > 0.5 {
            let parts = law.parts(b.state, self.phase, motion);
            impulse - (parts.sum() - parts.servo)
        } else {
            law.asked(self.phase, motion)
        };
        let cap = law.cap(self.phase);
        match b.state {
            BoundState::Held if asked > cap => BoundState::High,
            BoundState::Held if asked < -cap => BoundState::Low,
            BoundState::High if asked < cap => BoundState::Held,
            BoundState::Low if asked > -cap => BoundState::Held,
            same => same,
        }
    }

    /// Books the work of a law's impulses in the kick at hand, for the rate after it. What
    /// numerical damping takes is nobody's work, and stays unexplained. Contacts that have kicked
    /// at the same instant share it.
    pub(super) fn book_law(&mut self, i: usize, impulse: f64, rate: f64, stats: &mut Stats) {
        let b = &self.bounds[i];
        let BoundKind::Law(law) = &b.kind else { return };
        let parts = law.share_out(b.state, self.phase, Self::motion(b, rate), impulse);
        let (before, mean) = match self.phase {
            Phase::Kick(_) => (law.rate, 0.5 * (law.rate + rate)),
            Phase::Whole(h) => (b.rate_before, (b.end - b.start) / h),
            _ => (b.rate_before, 0.5 * (b.rate_before + rate)),
        };
        *stats.of(law) += parts.servo * mean;
        stats.damping -= parts.damper * mean;
        if let Phase::Kick(_) = self.phase {
            stats.shared += (parts.sum() - parts.numerical) * 0.5 * (b.rate_before - before);
        }
        if let Some(account) = self.total.get_mut(law.account as usize) {
            *account += parts.servo;
        }
        let way = b.end - b.start;
        if let BoundKind::Law(law) = &mut self.bounds[i].kind {
            law.given += parts.stored * mean;
            // contacts have yet to be held
            if let (Phase::Velocity(h), false) = (self.phase, self.shares_contact) {
                stats.damping += law.late_loss(way, rate, h);
            }
        }
    }

    /// A bound for the squared transverse frequency of the body that springs hold tautest: the
    /// tautest one's F a/l times their number on a body, of those that are laws.
    pub(super) fn spring_tautness(&self) -> f64 {
        let taut = |s: &SystemSpring| {
            let length = self.spring_line(s).length();
            if length > s.length {
                s.stiffness * (1.0 - s.length / length) * s.response * s.crowd
            } else {
                0.0
            }
        };
        self.springs.iter().filter(|s| s.law).map(taut).fold(0.0, f64::max)
    }

    /// Puts the impulses of laws in the last velocity correction into `impulses`, by row.
    pub(super) fn recall_laws(&self, impulses: &mut [f64]) {
        if matches!(self.phase, Phase::Velocity(_)) {
            for b in self.bounds.iter().filter(|b| matches!(b.kind, BoundKind::Law(_))) {
                let row = self.nodes[b.node as usize].row0 as usize + usize::from(b.row);
                impulses[row] = self.memory.mu[row];
            }
        }
    }

    /// Kinetic energy of rotors, for rows of the present poses, J.
    pub(super) fn rotor_energy(&self) -> f64 {
        let laws = self
            .bounds
            .iter()
            .filter_map(|b| if let BoundKind::Law(l) = &b.kind { Some((b, l)) } else { None });
        laws.map(|(b, law)| law.rotor_energy(self.rate_of(b.node as usize, usize::from(b.row))))
            .sum()
    }

    /// The longest substep that follows the vibrations of laws in a step, s: along their
    /// coordinates as far as so many substeps are made for them, and across taut springs.
    pub(super) fn law_h(&self, duration: f64) -> f64 {
        let across = ACROSS / self.spring_tautness().sqrt().max(f64::MIN_POSITIVE);
        across.min(self.resolving_h(duration, |_| true))
    }

    /// The same for energy-momentum substeps, which keep the energy of springs that they do not
    /// follow. Their phase lags by (ωh)²/12 of itself, that of two kicks leads by half as much.
    pub(super) fn whole_law_h(&self, duration: f64) -> f64 {
        self.resolving_h(duration, |law| !law.is_spring()) * std::f64::consts::FRAC_1_SQRT_2
    }

    /// Whether a damper stops a coordinate in less than an energy-momentum substep of `h`, whose
    /// rates then are no straight line. After a jump of rates (a start, an impact) it would go too
    /// far.
    pub(super) fn laws_ring(&self, h: f64) -> bool {
        self.bounds.iter().any(|b| matches!(&b.kind, BoundKind::Law(law) if law.rings(b.state, h)))
    }

    /// The joint or spring of a damper that acts within half a step of `h`.
    pub(crate) fn fast_damper(&self, h: f64) -> Option<Arc<str>> {
        let fast = |b: &&Bound| match &b.kind {
            BoundKind::Law(law) => law.stops_within(b.state, h),
            _ => false,
        };
        let node = &self.nodes[self.bounds.iter().find(fast)?.node as usize];
        let joint = self.joints.get(node.joint as usize).map(|joint| joint.name.clone());
        joint.or_else(|| self.springs.get(node.spring as usize).map(|spring| spring.name.clone()))
    }

    fn resolving_h(&self, duration: f64, counts: impl Fn(&Law) -> bool) -> f64 {
        let of_law = |b: &Bound| match &b.kind {
            BoundKind::Law(law) if counts(law) => Some(law.resolved_by(b.state)),
            _ => None,
        };
        let wishes = self.bounds.iter().filter_map(of_law);
        wishes.filter(|h| duration <= MOST_SUBSTEPS * h).fold(f64::INFINITY, f64::min)
    }

    /// After a substep.
    pub(super) fn finish_laws(&mut self, h: f64) {
        for b in &mut self.bounds {
            let (way, saturated) = (b.end - b.start, b.state != BoundState::Held);
            if let BoundKind::Law(law) = &mut b.kind {
                law.before_contact = None;
                law.finish(way, h, saturated);
            }
        }
    }

    /// Measures how coordinates with laws answer to impulses, under the joints and the other laws.
    /// The factor is that of a kick. The values are remembered, so that a restored world goes on
    /// with the same ones.
    pub(super) fn measure_responses(&mut self) {
        let laws = self.bounds.iter().filter(|b| matches!(b.kind, BoundKind::Law(_))).count();
        let Some(first) = (self.memory.measured as usize).checked_rem(laws) else { return };
        let count = laws.min(MEASURED_PER_STEP);
        let mut z = std::mem::take(&mut self.z);
        z.resize(self.row_count(), 0.0);
        for k in first..first + count {
            let mut all =
                self.bounds.iter().enumerate().filter(|(_, b)| matches!(b.kind, BoundKind::Law(_)));
            let Some((i, Bound { node, row, state, kind: BoundKind::Law(law), .. })) =
                all.nth(k % laws)
            else {
                continue;
            };
            let row = self.nodes[*node as usize].row0 as usize + usize::from(*row);
            let slope = law.slope(*state, self.phase);
            if !(slope > 0.0) {
                continue;
            }
            z.fill(0.0);
            z[row] = 1.0;
            self.solve_positions(&mut z);
            let response = 1.0 / z[row] - 1.0 / slope;
            if response.is_finite() && response > 0.0 {
                self.bounds[i].set_response(response);
            }
        }
        z.fill(0.0);
        self.z = z;
        self.memory.measured = ((first + count) % laws) as u32;
    }

    /// Rows and estimates of responses, where there are none yet.
    pub(super) fn know_responses(&mut self) {
        if !self.factored {
            self.refresh();
        }
        self.guess_responses();
    }

    /// First estimate of a response: that of the two bodies without their joints.
    pub(super) fn guess_responses(&mut self) {
        for i in 0..self.bounds.len() {
            let b = &self.bounds[i];
            let node = &self.nodes[b.node as usize];
            let BoundKind::Law(law) = &b.kind else { continue };
            if law.response > 0.0 {
                continue;
            }
            let row = usize::from(b.row);
            let square = |start: u32| -> f64 {
                self.b[start as usize + 6 * row..][..6].iter().map(|x| x * x).sum()
            };
            let response: f64 = match self.guides.get(node.guide as usize) {
                Some(g) => g.sides.iter().map(|s| square(s.start)).sum(),
                None => node.side.into_iter().filter(|&s| s != NONE).map(square).sum(),
            };
            if let BoundKind::Law(law) = &mut self.bounds[i].kind {
                law.response = response;
            }
        }
    }
}
