//! Force laws on a coordinate, taken implicitly: a joint's spring, damper and rotor, and its servo.
//!
//! A law is one row of its joint's node (`laws.rs` solves it along with the others), with
//! coordinate c, reference r(t), error e = c − r, stiffness k, damping d, inertia I, and integral
//! gain kᵢ. The row carries two such sets, which share the weights: what belongs to the joint (r is
//! where its spring rests), and the servo. Over a substep, with w = (e₁ − e₀)/h and u = ċ − ṙ at
//! both ends:
//!
//! ```text
//! kick 1 (rows of t₀):      λ + I (w − u₀) + h/2 [ k ((1−α) e₀ + α e₁) + kᵢ s + d ((1−θ) u₀ + θ w) ] = 0
//! kick 2 (rows of t₀ + h):  µ + I (u₁ − w) + h/2 [ k ((1−α) e₀ + α e₁) + kᵢ s + d (θ u₁ + (1−θ) w) ] = 0
//! s = ∫e dt at the start + h/4 (e₀ + e₁)
//! ```
//!
//! Both are linear in the unknown impulse, so that they join the system of the joints with a
//! compliance on the diagonal:
//!
//! ```text
//! G₁ = I + h/2 (θ d + α h k + kᵢ h²/4)      (A + 1/G₁) δλ = −(C/h | ρ/G₁),   ρ: the left side of kick 1
//! G₂ = I + h/2 θ d                          (A + 1/G₂) δµ = −(J v | u₁ + (µ + base)/G₂),   base: kick 2 without µ and u₁
//! ```
//!
//! The weights are fitted to the exponential, Θ(y) = 1/(1 − e^−y) − 1/y, with Θ(0) = ½,
//! Θ(∞) = 1. With the inverse inertia a along the row under the joints, z = h d a and σ² = h² k a:
//!
//! θ = Θ(z/2),   α = Θ(y),   y = 2σ²/(z + √(z² − 4σ²)) if z² > 4σ², else z/2
//!
//! All weights sum to one: rest and steady speed are exact at any step. Θ(−y) = 1 − Θ(y): the step
//! stays symmetric, and extrapolation keeps its order. As k or d grow, the row turns into that of a
//! joint. A spring that the substep cannot resolve (σ > 1) is damped critically, which nobody is
//! charged for; a wrong `a` costs accuracy, never stability.
//!
//! A servo that asks for more than its largest effort pushes with that effort; what belongs to the
//! joint stays in the row.
//!
//! An energy-momentum substep has one impulse for both kicks, with u₁ = 2w − u₀:
//!
//! λ + 2I (w − u₀) + h [k (e₀ + e₁)/2 + kᵢ s + d ((1−ϑ) u₀ + ϑ u₁)] = 0,   ϑ = max(½, 1 − 2/z)
//!
//! the midpoint rule where z ≤ 4. Beyond it a rate that the damper stops within the substep keeps
//! the share −1/(z − 1) at its end; with ϑ = ½ that would go to −1, and ring on and on.

use crate::force::{Pid, Schedule, Target, Winding};
use crate::joint::Passive;
use crate::system::{BoundState, NONE, Profile};

/// Phase of a law's own vibration per substep, rad: a faster one is damped instead.
const PHASE: f64 = 0.125;

/// Beyond this z = h d a the midpoint rule lets a damped rate ring.
const RINGING: f64 = 4.0;

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

/// How the coordinate moves in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// Way that it goes.
    pub way: f64,
    /// Rate after the kick at hand.
    pub rate: f64,
}

/// Spring, damper, inertia and integral gain about one reference, and where that is in the substep
/// at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Set {
    stiffness: f64,
    damping: f64,
    inertia: f64,
    integral_gain: f64,
    /// ∫e dt at the start.
    integral: f64,
    /// Error at the start, how far the reference moves, and its rates at both ends.
    error: f64,
    moved: f64,
    rates: [f64; 2],
}

/// Gains of a controller along one axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Gains {
    /// N/m.
    pub stiffness: f64,
    /// N s/m.
    pub damping: f64,
    /// N/(m s).
    pub integral: f64,
}

/// α, θ, ϑ, and the damping that an unresolved spring gets on top of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Weights {
    alpha: f64,
    theta: f64,
    whole: f64,
    extra: f64,
}

/// Impulses of a law by whom they belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    /// The servo: work of a motor.
    pub servo: f64,
    /// The joint's damper: a loss.
    pub damper: f64,
    /// The joint's spring and rotor: both store energy.
    pub stored: f64,
    /// Damping in place of a vibration that the substep cannot resolve: nobody's.
    pub numerical: f64,
}

impl Parts {
    /// The impulse of the row.
    pub fn sum(&self) -> f64 {
        self.servo + self.damper + self.stored + self.numerical
    }
}

/// A law on a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Law {
    /// Slot of the motor whose servo it carries, or [`NONE`].
    pub motor: u32,
    /// Slot of the controller that it is, or [`NONE`], and the axis of it.
    pub controller: (u32, u8),
    /// Whether it is a spring between two anchors: energy-momentum substeps have another row for
    /// that.
    spring: bool,
    /// Where the servo's impulses are summed up, or [`NONE`] where they are the row's.
    pub account: u32,
    /// What the servo's target stands for.
    follows: Target,
    servo: Set,
    joint: Set,
    /// Where the joint's spring rests.
    rest: f64,
    /// The servo's target (or its rate) during the present step.
    target: Profile,
    /// The winding of an electric motor, which is a damper whose rate is that of its voltage.
    winding: Option<Winding>,
    /// Start of the substep, s.
    now: f64,
    /// Largest effort of the servo.
    pub most: f64,
    /// Inverse inertia along the coordinate under the joints; 0 before it was measured.
    pub response: f64,
    /// ∫e dt of a servo that follows a position, e itself of one that follows a rate, the current
    /// of an electric motor, at the start of the substep.
    pub integral: f64,
    /// Rate before contacts have kicked at the start of the substep: their impulses and the law's
    /// act at once.
    pub before_contact: Option<f64>,
    /// Rate at the start of the substep.
    pub rate: f64,
    /// The servo's, the damper's and the stored impulses of the last velocity correction.
    pub booked: [f64; 3],
    /// Work that spring and rotor have done in the substep, J, and the rate that it began with.
    pub given: f64,
    pub first_rate: f64,
    /// Weights with the servo and, while that is at its largest effort, without.
    free: Weights,
    bound: Weights,
    /// Share of the substep that one kick carries.
    kick: f64,
}

/// Θ(y) = 1/(1 − e^−y) − 1/y for y ≥ 0.
fn fitted(y: f64) -> f64 {
    // below this the series is exact to rounding: Θ = ½ + y/12 − y³/720
    const SMALL: f64 = 1e-3;
    if y < SMALL { 0.5 + y / 12.0 - y * y * y / 720.0 } else { -1.0 / libm::expm1(-y) - 1.0 / y }
}

impl Set {
    /// Whether it has anything to say.
    fn acts(&self) -> bool {
        self.stiffness > 0.0 || self.damping > 0.0 || self.inertia > 0.0 || self.integral_gain > 0.0
    }

    /// Error at the end of a substep in which the coordinate goes by `way`.
    fn end_error(&self, way: f64) -> f64 {
        self.error + way - self.moved
    }

    /// Impulses of inertia, of the spring at the middle, and of all drag: the damper's, and that of
    /// a spring which is taken nearer to the end than the middle.
    fn impulses(
        &self,
        weights: &Weights,
        kick: f64,
        rate: f64,
        phase: Phase,
        motion: Motion,
    ) -> [f64; 3] {
        let (h, kick, alpha, theta) = match phase {
            Phase::Off => return [0.0; 3],
            Phase::Kick(h) | Phase::Velocity(h) => (h, kick * h, weights.alpha, weights.theta),
            Phase::Whole(h) => (h, h, 0.5, weights.whole),
        };
        let (e0, e1) = (self.error, self.end_error(motion.way));
        let w = (e1 - e0) / h;
        let u0 = rate - self.rates[0];
        let (gain, drag) = match phase {
            Phase::Kick(_) => (w - u0, (1.0 - theta) * u0 + theta * w),
            Phase::Velocity(_) => {
                let u1 = motion.rate - self.rates[1];
                (u1 - w, theta * u1 + (1.0 - theta) * w)
            }
            _ => (2.0 * (w - u0), (1.0 - 2.0 * theta) * u0 + 2.0 * theta * w),
        };
        let held = self.integral_gain * (self.integral + 0.25 * h * (e0 + e1));
        let spring = 0.5 * self.stiffness * (e0 + e1) + held;
        let late = (alpha - 0.5) * self.stiffness * (e1 - e0);
        [-self.inertia * gain, -kick * spring, -kick * (self.damping * drag + late)]
    }

    /// How its impulse falls with the rate (G₁, G₂), or with the way in an energy-momentum substep.
    fn slope(&self, weights: &Weights, kick: f64, phase: Phase) -> f64 {
        match phase {
            Phase::Off => 0.0,
            Phase::Kick(h) => {
                let spring = h * weights.alpha * self.stiffness + 0.25 * h * h * self.integral_gain;
                self.inertia + kick * h * (weights.theta * self.damping + spring)
            }
            Phase::Velocity(h) => self.inertia + kick * h * weights.theta * self.damping,
            Phase::Whole(h) => {
                2.0 * self.inertia / h
                    + 2.0 * weights.whole * self.damping
                    + 0.5 * h * self.stiffness
                    + 0.25 * h * h * self.integral_gain
            }
        }
    }
}

impl Weights {
    /// For a substep of `h` with stiffness `k`, damping `d`, and inverse inertia `a` of all that
    /// moves along.
    fn fitted(h: f64, k: f64, d: f64, a: f64) -> Self {
        let (mut z, s2) = (h * d * a, h * h * k * a);
        let whole = (1.0 - 0.5 * RINGING / z).max(0.5);
        let mut extra = 0.0;
        if s2 > 1.0 {
            let s = s2.sqrt();
            let x = (0.5 * (s - 1.0)).min(1.0);
            let critical = 2.0 * s * x * x * (3.0 - 2.0 * x);
            if critical > z {
                z = critical;
                extra = z / (h * a) - d;
            }
        }
        let root = z * z - 4.0 * s2;
        let y = if root > 0.0 { 2.0 * s2 / (z + root.sqrt()) } else { 0.5 * z };
        Self { alpha: fitted(y), theta: fitted(0.5 * z), whole, extra }
    }
}

impl Law {
    /// What belongs to a joint.
    pub fn passive(of: &Passive) -> Self {
        let joint = Set {
            stiffness: of.stiffness,
            damping: of.damping,
            inertia: of.inertia(),
            ..Set::default()
        };
        Self { joint, rest: of.rest, ..Self::empty() }
    }

    /// A spring between two anchors.
    pub fn spring(of: &Passive) -> Self {
        Self { spring: true, ..Self::passive(of) }
    }

    /// Whether it is one.
    pub fn is_spring(&self) -> bool {
        self.spring
    }

    fn empty() -> Self {
        Self {
            motor: NONE,
            controller: (NONE, 0),
            spring: false,
            account: NONE,
            follows: Target::Position,
            servo: Set::default(),
            joint: Set::default(),
            rest: 0.0,
            target: Profile::default(),
            winding: None,
            now: 0.0,
            most: f64::INFINITY,
            response: 0.0,
            integral: 0.0,
            before_contact: None,
            rate: 0.0,
            booked: [0.0; 3],
            given: 0.0,
            first_rate: 0.0,
            free: Weights::default(),
            bound: Weights::default(),
            kick: 0.5,
        }
    }

    /// The law of a servo; `integral` is set before each step.
    pub fn servo(motor: u32, target: Target, pid: &Pid, most: f64) -> Self {
        let (k, t_i, t_d) = (pid.gain, pid.integral_time, pid.derivative_time);
        let (stiffness, damping, inertia, integral_gain) = match target {
            Target::Position => (k, k * t_d, 0.0, k / t_i),
            Target::Velocity => (k / t_i, k, k * t_d, 0.0),
        };
        let servo = Set { stiffness, damping, inertia, integral_gain, ..Set::default() };
        Self { motor, follows: target, servo, most, ..Self::empty() }
    }

    /// The law of an electric motor; `integral`, its current, is set before each step.
    pub fn electric(motor: u32, winding: Winding, most: f64) -> Self {
        // until a substep says how much of it the inductance leaves
        let servo = Set {
            damping: winding.constant * winding.constant / winding.resistance,
            ..Set::default()
        };
        Self {
            motor,
            follows: Target::Velocity,
            servo,
            winding: Some(winding),
            most,
            ..Self::empty()
        }
    }

    /// One axis of a controller; [`Law::control`] gives it its gains.
    pub fn controller(slot: u32, axis: u8) -> Self {
        Self { controller: (slot, axis), most: f64::INFINITY, ..Self::empty() }
    }

    /// Gains of a controller for a step from `start`, towards the value `rest`.
    pub fn control(&mut self, gains: &Gains, rest: f64, start: f64, h: f64) {
        let &Gains { stiffness, damping, integral } = gains;
        self.servo = Set { stiffness, damping, integral_gain: integral, ..self.servo };
        self.target = Profile::new(start, h, [rest; 2], rest);
    }

    /// Whether it carries a servo or is a controller.
    fn is_driven(&self) -> bool {
        self.motor != NONE || self.controller.0 != NONE
    }

    /// Both in one row.
    pub fn with(self, joint: &Self) -> Self {
        Self { joint: joint.joint, rest: joint.rest, ..self }
    }

    /// Whether it has a servo beside what belongs to the joint.
    pub fn is_shared(&self) -> bool {
        self.motor != NONE && self.joint.acts()
    }

    /// Whether it has what belongs to a joint.
    pub fn has_passive(&self) -> bool {
        self.joint.acts()
    }

    /// Takes the course of the target over a step from `start`. A target that jumps stands where it
    /// is on average: the derivative part answers to slopes, not to jumps.
    pub fn aim(&mut self, set: &Schedule, start: f64, h: f64) {
        let mean = set.mean(start, start + h);
        let ends = if set.jumps() { [mean; 2] } else { [set.at(start), set.at(start + h)] };
        self.target = Profile::new(start, h, ends, mean);
    }

    /// Starts a substep from time `now` with the coordinate at `value`.
    pub fn start(&mut self, value: f64, now: f64, h: f64, kick: f64) {
        self.now = now;
        let p = &self.target;
        let (error, moved, rates) = match self.follows {
            Target::Position => {
                (value - p.at(now), p.at(now + h) - p.at(now), [p.slope(now), p.slope(now + h)])
            }
            Target::Velocity => (self.integral, p.mean(now, h) * h, [p.at(now), p.at(now + h)]),
        };
        if let Some(winding) = self.winding {
            let [damping, push] = winding.damper(p.mean(now, h), self.integral, h);
            let rate = push / damping;
            self.servo = Set { damping, moved: rate * h, rates: [rate; 2], ..Set::default() };
        } else if self.is_driven() {
            let integral = if self.follows == Target::Position { self.integral } else { 0.0 };
            self.servo = Set { error, moved, rates, integral, ..self.servo };
        }
        self.joint.error = value - self.resting(value);
        self.kick = kick;

        // the rotor turns with the coordinate
        let weights = |sets: &[&Set]| {
            let sum = |of: fn(&Set) -> f64| sets.iter().map(|s| of(s)).sum::<f64>();
            let inertia = sum(|s| s.inertia);
            let a = if self.response > 0.0 { 1.0 / (1.0 / self.response + inertia) } else { 0.0 };
            Weights::fitted(h, sum(|s| s.stiffness), sum(|s| s.damping), a)
        };
        let (free, bound) = (weights(&[&self.servo, &self.joint]), weights(&[&self.joint]));
        (self.free, self.bound) = (free, bound);
    }

    /// Where the spring rests on the side of a value: a length that goes on below zero is measured
    /// from there.
    fn resting(&self, value: f64) -> f64 {
        if self.spring && value < 0.0 { -self.rest } else { self.rest }
    }

    fn weights(&self, state: BoundState) -> &Weights {
        if state == BoundState::Held { &self.free } else { &self.bound }
    }

    /// Largest impulse of the servo in the kick at hand.
    pub fn cap(&self, phase: Phase) -> f64 {
        match phase {
            Phase::Off => 0.0,
            Phase::Kick(h) | Phase::Velocity(h) => self.kick * h * self.most,
            Phase::Whole(h) => h * self.most,
        }
    }

    /// What the servo asks for in the kick at hand, whatever its largest effort.
    pub fn asked(&self, phase: Phase, motion: Motion) -> f64 {
        self.servo.impulses(&self.free, self.kick, self.rate, phase, motion).iter().sum()
    }

    /// What the impulses of the kick at hand must be.
    pub fn parts(&self, state: BoundState, phase: Phase, motion: Motion) -> Parts {
        if self.spring && matches!(phase, Phase::Whole(_)) {
            return Parts::default();
        }
        let weights = self.weights(state);
        let servo = match state {
            BoundState::Low => -self.cap(phase),
            BoundState::High => self.cap(phase),
            _ => self.asked(phase, motion),
        };
        let [rotor, spring, drag] =
            self.joint.impulses(weights, self.kick, self.rate, phase, motion);
        if weights.extra == 0.0 || !matches!(phase, Phase::Kick(_) | Phase::Velocity(_)) {
            return Parts { servo, damper: drag, stored: rotor + spring, numerical: 0.0 };
        }
        // the additional damping follows the references as their springs do, and answers for what
        // is taken late
        let follows = self.numerical_set(state);
        let numerical: f64 =
            follows.impulses(weights, self.kick, self.rate, phase, motion).iter().sum();
        let own = self.joint.damping / (self.joint.damping + weights.extra);
        Parts {
            servo,
            damper: own * drag,
            stored: rotor + spring,
            numerical: numerical + (1.0 - own) * drag,
        }
    }

    /// The parts of an impulse that was found: a stiff law is known better by its impulse than by
    /// the way that it leaves.
    pub fn share_out(
        &self,
        state: BoundState,
        phase: Phase,
        motion: Motion,
        impulse: f64,
    ) -> Parts {
        let mut parts = self.parts(state, phase, motion);
        let missing = impulse - parts.sum();
        let [servo, damper, stored] = self.shares(state, phase).map(|s| s * missing);
        parts.servo += servo;
        parts.damper += damper;
        parts.stored += stored;
        parts
    }

    /// The damping that an unresolved spring gets on top of its own.
    fn numerical_set(&self, state: BoundState) -> Set {
        let servo = if state == BoundState::Held { self.servo.stiffness } else { 0.0 };
        let share = if servo > 0.0 { servo / (servo + self.joint.stiffness) } else { 0.0 };
        Set {
            damping: self.weights(state).extra,
            moved: share * self.servo.moved,
            rates: self.servo.rates.map(|r| share * r),
            ..Set::default()
        }
    }

    /// How the impulse falls with the rate (G₁, G₂), or with the way in an energy-momentum substep;
    /// 0: the impulse is given.
    pub fn slope(&self, state: BoundState, phase: Phase) -> f64 {
        if self.spring && matches!(phase, Phase::Whole(_)) {
            return 0.0;
        }
        let weights = self.weights(state);
        let mut sum = self.joint.slope(weights, self.kick, phase);
        if state == BoundState::Held {
            sum += self.servo.slope(weights, self.kick, phase);
        }
        if weights.extra > 0.0 && matches!(phase, Phase::Kick(_) | Phase::Velocity(_)) {
            sum +=
                Set { damping: weights.extra, ..Set::default() }.slope(weights, self.kick, phase);
        }
        sum
    }

    /// How an impulse that changes the rate is shared out: the servo's part, the damper's, and what
    /// is stored.
    pub fn shares(&self, state: BoundState, phase: Phase) -> [f64; 3] {
        let (all, weights) = (self.slope(state, phase), self.weights(state));
        if !(all > 0.0) {
            return [0.0; 3];
        }
        let slope = |set: Set| set.slope(weights, self.kick, phase) / all;
        let servo = if state == BoundState::Held { slope(self.servo) } else { 0.0 };
        let damper = slope(Set { damping: self.joint.damping, ..Set::default() });
        [servo, damper, slope(Set { damping: 0.0, ..self.joint })]
    }

    /// What the damper has taken beyond its measured work by the end of a substep of `h`, J. Spring
    /// and rotor lose nothing: what they have given without having had it is the damper's, the more
    /// so the less the substep resolves it (h d a beyond one: it stops a motion within the
    /// substep).
    pub fn late_loss(&self, way: f64, rate: f64, h: f64) -> f64 {
        let stored = |e: f64, rate: f64| {
            0.5 * (self.joint.stiffness * e * e + self.joint.inertia * rate * rate)
        };
        let change =
            stored(self.joint.error + way, rate) - stored(self.joint.error, self.first_rate);
        let unresolved = (h * self.joint.damping * self.response).min(1.0);
        -unresolved * (self.given + change)
    }

    /// The longest substep that follows its vibration, s.
    pub fn resolved_by(&self, state: BoundState) -> f64 {
        let servo = if state == BoundState::Held { self.servo } else { Set::default() };
        let (k, d) = (servo.stiffness + self.joint.stiffness, servo.damping + self.joint.damping);
        let inertia = servo.inertia + self.joint.inertia;
        let a = if self.response > 0.0 { 1.0 / (1.0 / self.response + inertia) } else { 0.0 };
        if d * d * a < 4.0 * k { PHASE / (k * a).sqrt() } else { f64::INFINITY }
    }

    /// Whether its dampers stop the coordinate within an energy-momentum substep (ϑ > ½).
    pub fn rings(&self, state: BoundState, h: f64) -> bool {
        self.damped(state, h) > RINGING
    }

    /// Whether they stop it in half a step of `h`.
    pub fn stops_within(&self, state: BoundState, h: f64) -> bool {
        self.damped(state, h) > 0.5 * RINGING
    }

    /// z = h d a of all its dampers.
    fn damped(&self, state: BoundState, h: f64) -> f64 {
        let servo = if state == BoundState::Held { self.servo.damping } else { 0.0 };
        h * (servo + self.joint.damping) * self.response
    }

    /// Energy of the joint's rotor at a rate, J.
    pub fn rotor_energy(&self, rate: f64) -> f64 {
        0.5 * self.joint.inertia * rate * rate
    }

    /// After a substep: errors are summed up unless the effort was at its bound (anti-windup).
    pub fn finish(&mut self, way: f64, h: f64, saturated: bool) {
        if let Some(winding) = self.winding {
            // a driver that limits the effort limits the current
            let most = self.most / winding.constant.abs();
            self.integral = winding
                .current(self.target.mean(self.now, h), way / h, self.integral, h)
                .clamp(-most, most);
            return;
        }
        if saturated || !self.is_driven() {
            return;
        }
        let e1 = self.servo.end_error(way);
        match self.follows {
            Target::Position if self.servo.integral_gain > 0.0 => {
                self.integral += 0.5 * h * (self.servo.error + e1);
            }
            Target::Velocity if self.servo.stiffness > 0.0 => self.integral = e1,
            _ => {}
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
