//! Force laws on a joint's coordinate, taken implicitly: servos with their springs, dampers and rotors.
//!
//! A law is one row of its joint's node, with coordinate c, target r(t), error e = c − r, stiffness k, damping d, inertia I,
//! and integral gain kᵢ. Over a substep, with w = (e₁ − e₀)/h and u = ċ − ṙ at both ends:
//!
//! ```text
//! kick 1 (rows of t₀):      λ + I (w − u₀) + h/2 [ k ((1−α) e₀ + α e₁) + kᵢ s + d ((1−θ) u₀ + θ w) ] = 0
//! kick 2 (rows of t₀ + h):  µ + I (u₁ − w) + h/2 [ k ((1−α) e₀ + α e₁) + kᵢ s + d (θ u₁ + (1−θ) w) ] = 0
//! s = ∫e dt at the start + h/4 (e₀ + e₁)
//! ```
//!
//! Both are linear in the unknown impulse, so that they join the system of the joints with a compliance on the diagonal:
//!
//! ```text
//! G₁ = I + h/2 (θ d + α h k + kᵢ h²/4)      (A + 1/G₁) δλ = −(C/h | ρ/G₁),   ρ: the left side of kick 1
//! G₂ = I + h/2 θ d                          (A + 1/G₂) δµ = −(J v | u₁ + (µ + base)/G₂),   base: kick 2 without µ and u₁
//! ```
//!
//! The weights are fitted to the exponential, Θ(y) = 1/(1 − e^−y) − 1/y, with Θ(0) = ½ and Θ(∞) = 1. With the inverse inertia a
//! along the row under the joints, z = h d a and σ² = h² k a:
//!
//! θ = Θ(z/2),   α = Θ(y),   y = 2σ²/(z + √(z² − 4σ²)) if z² > 4σ², else z/2
//!
//! All weights sum to one: rest and steady speed are exact at any step. Θ(−y) = 1 − Θ(y): the step stays symmetric, and
//! extrapolation keeps its order. As k or d grow, the row turns into that of a joint. A spring that the substep cannot resolve
//! (σ > 1) is damped critically, which is booked as damping; a wrong `a` costs accuracy, never stability.
//!
//! A law that asks for more than its largest effort pushes with that effort, as every bounded row does.
//!
//! An energy-momentum substep has one impulse for both kicks: λ + 2I (w − u₀) + h [k (e₀ + e₁)/2 + kᵢ s + d w] = 0.

use super::Stats;
use crate::force::{Pid, Schedule, Target};
use crate::system::{Bound, BoundKind, BoundState, Profile, System};

/// Laws whose response is measured in each step, one after the other: a solve for each, so that the cost stays linear.
const MEASURED_PER_STEP: usize = 8;

/// Laws are solved to this share of the tolerance: no dead band around the place of rest.
pub(super) const EXACT: f64 = 1e-3;

/// Phase of a law's own vibration per substep, rad, and the most substeps of a step that are made for it: a faster one is
/// damped instead.
const PHASE: f64 = 0.125;
const MOST_SUBSTEPS: f64 = 32.0;

/// What laws do in the solve that is being made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Phase {
    /// They take no part: their impulses are given.
    #[default]
    Off,
    /// The kick at the start of a substep of this length, s.
    Kick(f64),
    /// The velocity correction at its end.
    Velocity(f64),
    /// An energy-momentum substep.
    Whole(f64),
}

/// A law on a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Law {
    /// Slot of the motor that it belongs to.
    pub motor: u32,
    /// What the target stands for.
    follows: Target,
    stiffness: f64,
    damping: f64,
    inertia: f64,
    integral_gain: f64,
    /// The target (or its rate) during the present step.
    target: Profile,
    /// Largest effort.
    pub most: f64,
    /// Inverse inertia along the coordinate under the joints; 0 before it was measured.
    pub response: f64,
    /// ∫e dt of a law that follows a position, e itself of one that follows a rate, at the start of the substep.
    pub integral: f64,
    /// Rate before contacts have kicked at the start of the substep: their impulses and the law's act at once.
    pub before_contact: Option<f64>,
    part: Part,
}

/// A law's numbers for one substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Part {
    /// Error and rate at the start, and how far the target moves.
    error: f64,
    rate: f64,
    moved: f64,
    /// Rates of the target at both ends.
    rates: [f64; 2],
    /// Weights α and θ, and the damping with what an unresolved spring needs.
    alpha: f64,
    theta: f64,
    damping: f64,
    /// Share of the substep that one kick carries.
    kick: f64,
}

/// Θ(y) = 1/(1 − e^−y) − 1/y for y ≥ 0.
fn fitted(y: f64) -> f64 {
    // below this the series is exact to rounding: Θ = ½ + y/12 − y³/720
    const SMALL: f64 = 1e-3;
    if y < SMALL { 0.5 + y / 12.0 - y * y * y / 720.0 } else { -1.0 / libm::expm1(-y) - 1.0 / y }
}

impl Law {
    /// The law of a servo; `integral` and `response` are set before each step.
    pub fn servo(motor: u32, target: Target, pid: &Pid, most: f64) -> Self {
        let (k, t_i, t_d) = (pid.gain, pid.integral_time, pid.derivative_time);
        let (stiffness, damping, inertia, integral_gain) = match target {
            Target::Position => (k, k * t_d, 0.0, k / t_i),
            Target::Velocity => (k / t_i, k, k * t_d, 0.0),
        };
        Self {
            motor,
            follows: target,
            stiffness,
            damping,
            inertia,
            integral_gain,
            target: Profile::default(),
            most,
            response: 0.0,
            integral: 0.0,
            before_contact: None,
            part: Part::default(),
        }
    }

    /// Takes the course of the target over a step from `start`. A target that jumps stands where it is on average: the
    /// derivative part answers to slopes, not to jumps.
    pub fn aim(&mut self, set: &Schedule, start: f64, h: f64) {
        let mean = set.mean(start, start + h);
        let ends = if set.jumps() { [mean; 2] } else { [set.at(start), set.at(start + h)] };
        self.target = Profile::new(start, h, ends, mean);
    }

    /// Starts a substep from time `now` with the coordinate at `value`.
    fn start(&mut self, value: f64, now: f64, h: f64, kick: f64) {
        let p = &self.target;
        let (error, moved, rates) = match self.follows {
            Target::Position => (value - p.at(now), p.at(now + h) - p.at(now), [p.slope(now), p.slope(now + h)]),
            Target::Velocity => (self.integral, p.mean(now, h) * h, [p.at(now), p.at(now + h)]),
        };
        let (alpha, theta, damping) = self.weights(h);
        self.part = Part { error, rate: self.part.rate, moved, rates, alpha, theta, damping, kick };
    }

    /// α, θ and the damping for a substep.
    fn weights(&self, h: f64) -> (f64, f64, f64) {
        // the inertia of the law itself turns with the coordinate
        let a = if self.response > 0.0 { 1.0 / (1.0 / self.response + self.inertia) } else { 0.0 };
        let (mut z, s2) = (h * self.damping * a, h * h * self.stiffness * a);
        let mut damping = self.damping;
        if s2 > 1.0 {
            let s = s2.sqrt();
            let x = (0.5 * (s - 1.0)).min(1.0);
            let critical = 2.0 * s * x * x * (3.0 - 2.0 * x);
            if critical > z {
                z = critical;
                damping = z / (h * a);
            }
        }
        let root = z * z - 4.0 * s2;
        let y = if root > 0.0 { 2.0 * s2 / (z + root.sqrt()) } else { 0.5 * z };
        (fitted(y), fitted(0.5 * z), damping)
    }

    /// Error at the end of a substep in which the coordinate goes by `way`.
    fn end_error(&self, way: f64) -> f64 {
        self.part.error + way - self.part.moved
    }

    /// k e + kᵢ ∫e at the weighted instant.
    fn pull(&self, e1: f64, alpha: f64, h: f64) -> f64 {
        let (e0, sum) = (self.part.error, 0.25 * h * (self.part.error + e1));
        let held = match self.follows {
            Target::Position => self.integral_gain * (self.integral + sum),
            Target::Velocity => 0.0,
        };
        self.stiffness * ((1.0 - alpha) * e0 + alpha * e1) + held
    }

    /// What kick 1 (or the impulse of an energy-momentum substep) must be, for a way.
    fn kick_impulse(&self, way: f64, h: f64, phase: Phase) -> f64 {
        let p = &self.part;
        let e1 = self.end_error(way);
        let (w, u0) = ((e1 - p.error) / h, p.rate - p.rates[0]);
        if let Phase::Whole(_) = phase {
            return -2.0 * self.inertia * (w - u0) - h * (self.pull(e1, 0.5, h) + self.damping * w);
        }
        let drag = p.damping * ((1.0 - p.theta) * u0 + p.theta * w);
        -self.inertia * (w - u0) - p.kick * h * (self.pull(e1, p.alpha, h) + drag)
    }

    /// What kick 2 must be, for a way and the rate after it.
    fn end_impulse(&self, way: f64, rate: f64, h: f64) -> f64 {
        let p = &self.part;
        let e1 = self.end_error(way);
        let (w, u1) = ((e1 - p.error) / h, rate - p.rates[1]);
        let drag = p.damping * (p.theta * u1 + (1.0 - p.theta) * w);
        -self.inertia * (u1 - w) - p.kick * h * (self.pull(e1, p.alpha, h) + drag)
    }

    /// How an impulse falls with the rate (G₁, G₂), or with the way in an energy-momentum substep.
    fn slope(&self, phase: Phase) -> f64 {
        let p = &self.part;
        match phase {
            Phase::Off => 0.0,
            Phase::Kick(h) => {
                let spring = h * p.alpha * self.stiffness + 0.25 * h * h * self.integral_gain;
                self.inertia + p.kick * h * (p.theta * p.damping + spring)
            }
            Phase::Velocity(h) => self.inertia + p.kick * h * p.theta * p.damping,
            Phase::Whole(h) => {
                2.0 * self.inertia / h + self.damping + 0.5 * h * self.stiffness + 0.25 * h * h * self.integral_gain
            }
        }
    }

    /// Impulse of the damping that stands in for a vibration which the substep cannot resolve.
    /// `rate` is the one after the velocity correction.
    fn numerical(&self, way: f64, rate: f64, h: f64, phase: Phase) -> f64 {
        let p = &self.part;
        let w = (way - p.moved) / h;
        let drag = match phase {
            Phase::Kick(_) => (1.0 - p.theta) * (p.rate - p.rates[0]) + p.theta * w,
            Phase::Velocity(_) => p.theta * (rate - p.rates[1]) + (1.0 - p.theta) * w,
            Phase::Off | Phase::Whole(_) => 0.0,
        };
        -p.kick * h * (p.damping - self.damping) * drag
    }

    /// The longest substep that follows its vibration, s.
    fn resolved_by(&self) -> f64 {
        let (k, d, a) = (self.stiffness, self.damping, self.response);
        let a = if a > 0.0 { 1.0 / (1.0 / a + self.inertia) } else { 0.0 };
        if d * d * a < 4.0 * k { PHASE / (k * a).sqrt() } else { f64::INFINITY }
    }

    /// Whether it has anything to say.
    fn acts(&self) -> bool {
        self.stiffness > 0.0 || self.damping > 0.0 || self.inertia > 0.0 || self.integral_gain > 0.0
    }

    /// After a substep: errors are summed up unless the effort was at its bound (anti-windup).
    fn finish(&mut self, way: f64, h: f64, saturated: bool) {
        if saturated {
            return;
        }
        let e1 = self.end_error(way);
        match self.follows {
            Target::Position if self.integral_gain > 0.0 => self.integral += 0.5 * h * (self.part.error + e1),
            Target::Velocity if self.stiffness > 0.0 => self.integral = e1,
            _ => {}
        }
    }
}

impl System {
    /// Numbers of a law for a substep from the present coordinate.
    pub(super) fn start_law(b: &mut Bound, now: f64, h: f64, kick: f64) {
        let value = b.start;
        if let BoundKind::Law(law) = &mut b.kind {
            law.start(value, now, h, kick);
        }
    }

    /// Whether the law of a bound takes part in the solve of a phase as a row; otherwise its impulse is given.
    pub(crate) fn law_is_row(law: &Law, phase: Phase) -> bool {
        law.acts() && law.slope(phase) > 0.0
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
            if b.state == BoundState::Held && Self::law_is_row(law, self.phase) {
                let (k, r) = (b.node as usize, usize::from(b.row));
                let node = &self.nodes[k];
                let compliance = 1.0 / law.slope(self.phase);
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
            if !self.factored {
                self.refresh();
            }
            self.guess_responses();
            self.note_rates();
            self.note_law_rates();
            self.phase = Phase::Whole(h);
        }
    }

    /// Before contacts are solved: how laws answer to them, in the kick of a step of `h`, or at the end of one.
    /// Returns whether the impulses of the last velocity correction act at the same instant as the contacts'.
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
                law.part.rate = rate;
                if !corrected {
                    b.rate_before = rate;
                }
            }
        }
        corrected
    }

    /// Before a kick: the rates that laws start from.
    pub(super) fn note_law_rates(&mut self) {
        for b in &mut self.bounds {
            let rate = b.rate_before;
            if let BoundKind::Law(law) = &mut b.kind {
                law.part.rate = law.before_contact.unwrap_or(rate);
            }
        }
    }

    /// Takes what laws have answered to contacts so far off the rates: a law is satisfied where its rate has changed by −L/G.
    pub(crate) fn ease(&self, answers: &[f64], rates: &mut [f64]) {
        for b in self.bounds.iter().filter(|b| self.is_held(b)) {
            let row = self.nodes[b.node as usize].row0 as usize + usize::from(b.row);
            rates[row] += self.eased(b, answers[row]);
        }
    }

    /// The same for one row that is held.
    pub(crate) fn eased(&self, b: &Bound, answer: f64) -> f64 {
        if let BoundKind::Law(law) = &b.kind { answer / law.slope(self.phase) } else { 0.0 }
    }

    /// The answers of laws to contacts alone, by row; zeroes them in `answers`.
    pub(crate) fn take_answers(&self, answers: &mut [f64], out: &mut [f64]) {
        out.fill(0.0);
        for b in self.bounds.iter().filter(|b| matches!(b.kind, BoundKind::Law(_))) {
            let row = self.nodes[b.node as usize].row0 as usize + usize::from(b.row);
            out[row] = std::mem::take(&mut answers[row]);
        }
    }

    /// After contacts have been held: books what the laws' answers add to their work in the velocity correction, and returns
    /// it, J. Both and the contacts act at once: from the rate before the correction to the one at hand.
    pub(crate) fn book_answers(&mut self, answers: &[f64], corrected: bool) -> f64 {
        let mut work = 0.0;
        for b in &self.bounds {
            let BoundKind::Law(law) = &b.kind else { continue };
            let rate = self.rate_of(b.node as usize, usize::from(b.row));
            let row = self.nodes[b.node as usize].row0 as usize + usize::from(b.row);
            let earlier = if corrected { self.memory.mu[row] } else { 0.0 };
            work += 0.5 * (answers[row] * (b.rate_before + rate) + earlier * (rate - law.part.rate));
        }
        self.stats.drives += work;
        work
    }

    /// Weights anew, after responses have been measured.
    fn restart_laws(&mut self, h: f64) {
        let (now, kick) = (self.now, self.kick_share);
        self.bounds.iter_mut().for_each(|b| Self::start_law(b, now, h, kick));
    }

    /// What is missing in kick 1 of a law: as the residual of its row, and as a way that the coordinate would be off by.
    pub(super) fn law_residual(&self, b: &Bound, law: &Law, impulse: f64, h: f64) -> (f64, f64) {
        let slope = law.slope(self.phase);
        if b.state != BoundState::Held || !(slope > 0.0) {
            return (0.0, 0.0);
        }
        let off = impulse - law.kick_impulse(b.end - b.start, h, self.phase);
        match self.phase {
            Phase::Whole(_) => {
                (off / slope, 0.5 * h * off.abs() * law.response / (1.0 + 0.5 * h * slope * law.response))
            }
            _ => (h * off / slope, h * off.abs() * law.response / (1.0 + slope * law.response)),
        }
    }

    /// The impulse that a law asks for in the kick at hand.
    pub(super) fn law_kick(&self, b: &Bound, law: &Law, h: f64) -> f64 {
        law.kick_impulse(b.end - b.start, h, self.phase)
    }

    /// The impulse that a law asks for in the velocity correction, for a rate.
    pub(super) fn law_end(b: &Bound, law: &Law, rate: f64, h: f64) -> f64 {
        law.end_impulse(b.end - b.start, rate, h)
    }

    /// What is missing in kick 2 of a law, as a rate.
    pub(super) fn law_rate(&self, b: &Bound, law: &Law, rate: f64, impulse: f64) -> f64 {
        let Phase::Velocity(h) = self.phase else { return 0.0 };
        let slope = law.slope(self.phase);
        if b.state != BoundState::Held || !(slope > 0.0) {
            return 0.0;
        }
        (impulse - Self::law_end(b, law, rate, h)) / slope
    }

    /// Books the work of a law's impulse in the kick at hand, for the rate after it, less that of numerical damping: what that
    /// takes is nobody's work, and stays unexplained. Contacts that have kicked at the same instant share it.
    pub(super) fn book_law(&self, b: &Bound, law: &Law, impulse: f64, rate: f64, h: f64, stats: &mut Stats) {
        let before = if let Phase::Kick(_) = self.phase { law.part.rate } else { b.rate_before };
        let own = impulse - law.numerical(b.end - b.start, rate, h, self.phase);
        stats.drives += own * 0.5 * (before + rate);
        stats.shared += own * 0.5 * (b.rate_before - before);
    }

    /// The longest substep that follows the vibrations of laws in a step, s, as far as so many are made for them.
    pub(super) fn law_h(&self, duration: f64) -> f64 {
        let held = self.bounds.iter().filter(|b| b.state == BoundState::Held);
        let wishes =
            held.filter_map(|b| if let BoundKind::Law(law) = &b.kind { Some(law.resolved_by()) } else { None });
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

    /// Measures how coordinates with laws answer to impulses, under the joints and the other laws. The factor is that of a kick.
    /// The values are remembered with the motors, so that a restored world goes on with the same ones.
    pub(super) fn measure_responses(&mut self) {
        let laws: Vec<usize> =
            (0..self.bounds.len()).filter(|&i| matches!(self.bounds[i].kind, BoundKind::Law(_))).collect();
        let first = (self.memory.measured as usize).checked_rem(laws.len()).unwrap_or(0);
        let count = laws.len().min(MEASURED_PER_STEP);
        let mut z = vec![0.0; self.row_count()];
        for &i in laws.iter().cycle().skip(first).take(count) {
            let b = &self.bounds[i];
            let BoundKind::Law(law) = b.kind else { continue };
            let row = self.nodes[b.node as usize].row0 as usize + usize::from(b.row);
            let slope = law.slope(self.phase);
            if b.state != BoundState::Held || !Self::law_is_row(&law, self.phase) {
                continue;
            }
            z.fill(0.0);
            z[row] = 1.0;
            self.solve_positions(&mut z);
            let response = 1.0 / z[row] - 1.0 / slope;
            if response.is_finite()
                && response > 0.0
                && let BoundKind::Law(law) = &mut self.bounds[i].kind
            {
                law.response = response;
            }
        }
        self.memory.measured = ((first + count) % laws.len().max(1)) as u32;
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
            let square = |start: u32| -> f64 { self.b[start as usize + 6 * row..][..6].iter().map(|x| x * x).sum() };
            let response: f64 = match self.guides.get(node.guide as usize) {
                Some(g) => g.sides.iter().map(|s| square(s.start)).sum(),
                None => node.side.into_iter().filter(|&s| s != crate::system::NONE).map(square).sum(),
            };
            if let BoundKind::Law(law) = &mut self.bounds[i].kind {
                law.response = response;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_are_symmetric_and_go_from_a_half_to_one() {
        assert!((fitted(0.0) - 0.5).abs() < 1e-15 && (fitted(1e9) - 1.0).abs() < 1e-8);
        // 1/(1 − e^−y) − 1/y at y = 1
        assert!((fitted(1.0) - (1.0 / (1.0 - (-1.0_f64).exp()) - 1.0)).abs() < 1e-15);
        // both branches meet
        assert!((fitted(0.000_999_999_9) - fitted(0.001_000_000_1)).abs() < 1e-9);
    }
}
