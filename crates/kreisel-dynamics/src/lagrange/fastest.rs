//! The fastest motion, of bodies that turn and of applied forces, and the substeps that explicit
//! integrators need for it.
//!
//! With scaled velocities u = M^½ v the accelerations answer to small displacements and changes of
//! velocity as
//!
//! δa = −K δx − D δu,
//!
//! under all joints and constraints. K and D are symmetric for springs and dampers, so that power
//! iteration finds their largest eigenvalues: ω² of the fastest vibration and the rate of the
//! fastest damping. Two rounds a step suffice, because the directions are kept from step to step.
//! Cost: four evaluations, in scenes that have such forces.

use super::element::Hold;
use super::evaluate::Evaluator;
use super::integrate::Flow;
use super::settings::Integrator;
use crate::force::Control;
use crate::model::Model;

/// Most substeps of a step: beyond it, what is too fast is named.
pub(crate) const MOST_SUBSTEPS: f64 = 1000.0;

/// Phase of the fastest vibration per substep, and turn of the fastest body, rad: RK4 is off by
/// x⁵/120, 8e-6 rad.
const PHASE: f64 = 0.25;

/// Decay of the fastest damping per substep. RK4 is stable to 2.78, Euler and RK2 to 2; dry
/// friction decays by 1 in its time of relaxation, and needs no shorter substeps.
const DECAY: f64 = 1.05;

/// Part of a step in which dry friction and velocity motors of bounded effort take out what they
/// are behind: that much late they stick, or reach their rate.
const RELAXED: f64 = 0.25;

/// But no later than this, s, however long the step is: where friction turns is of first order in
/// it.
const LONGEST_RELAXATION: f64 = 2.5e-3;

/// Rounds of the power iteration in a step, and in the first one.
const ROUNDS: u32 = 2;
const FIRST_ROUNDS: u32 = 12;

/// Largest way (m, rad) or change of velocity (m/s, rad/s) of the differences: their error is then
/// some 1e-9 of the answer.
const NUDGE: f64 = 1e-6;

/// Share of a fixed pattern in every direction, so that a force that comes into play is found.
const PATTERN: f64 = 0.1;

/// What a difference changes.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Place,
    Velocity,
}

/// Whether a scene has forces that may be faster than its step.
fn is_forced(model: &Model) -> bool {
    let servo = model.motors.iter().any(|m| matches!(m.2.desc.control, Control::Servo { .. }));
    servo
        || model.springs.iter().next().is_some()
        || model.controllers.iter().next().is_some()
        || model.fields.iter().next().is_some()
        || model.joints.iter().any(|j| !j.2.desc.passive.is_empty())
}

impl Evaluator<'_> {
    /// Time in which rows of bounded effort take out what they are behind, s.
    pub fn relaxation(&self) -> f64 {
        let bounded = |hold| matches!(hold, Hold::Effort(effort) if effort.is_finite());
        if self.machine.elements.iter().any(|e| bounded(e.hold)) {
            (RELAXED * self.h).min(LONGEST_RELAXATION)
        } else {
            self.h
        }
    }

    /// The longest substep that an integrator of fixed steps may take from `y` on, where the rates
    /// have just been evaluated.
    pub fn longest_substep(&mut self, t: f64, y: &[f64]) -> f64 {
        let fixed = matches!(
            self.settings.integrator,
            Integrator::Euler | Integrator::Rk2 | Integrator::Rk4
        );
        // without such forces the integrator is the user's choice as it is
        if !fixed {
            return f64::INFINITY;
        }
        if !is_forced(self.model) {
            return if self.relax < self.h { self.relax } else { f64::INFINITY };
        }
        let bodies = &self.machine.bodies;
        let spin = bodies
            .moving
            .iter()
            .map(|b| bodies.frames[b.slot as usize].w.length())
            .fold(0.0, f64::max);
        // what sticks may slide within the step: dry friction does not hide a force
        let relax = self.relax;
        if relax < self.h {
            self.relax = f64::INFINITY;
            self.rates(t, y, &mut vec![0.0; y.len()]);
        }
        let here = self.machine.a.clone();
        let vibration = self.largest_answer(t, y, &here, Kind::Place).sqrt();
        let decay = self.largest_answer(t, y, &here, Kind::Velocity);
        self.relax = relax;
        let fastest = (vibration.max(spin) / PHASE).max(decay / DECAY);
        self.h / (self.h * fastest.max(1.0 / self.relax)).ceil().clamp(1.0, MOST_SUBSTEPS)
    }

    /// Largest answer of the accelerations, `here` at `y`, to a displacement or a change of
    /// velocity of size 1.
    fn largest_answer(&mut self, t: f64, y: &[f64], here: &[f64], kind: Kind) -> f64 {
        let slot = usize::from(kind == Kind::Velocity);
        let mut direction = std::mem::take(&mut self.machine.memory.fastest[slot]);
        let known = direction.len() == here.len();
        if !known {
            direction = vec![0.0; here.len()];
        }
        for (k, x) in direction.iter_mut().enumerate() {
            // neighbouring numbers and bodies get different weights of either sign
            *x += PATTERN * (((7 * k + 3) % 11) as f64 - 5.0) / 5.0;
        }
        let mut nearby = y.to_vec();
        let mut rates = vec![0.0; y.len()];
        let mut answer = 0.0;
        for _ in 0..if known { ROUNDS } else { FIRST_ROUNDS } {
            let bodies = &self.machine.bodies;
            let size = norm(&direction);
            let largest = bodies.largest(&direction) / size;
            if !(size > 0.0 && largest > 0.0) {
                break;
            }
            let nudge = NUDGE / largest;
            direction.iter_mut().for_each(|x| *x *= nudge / size);

            // accelerations nearby
            self.machine.bodies.place(t, y);
            nearby.copy_from_slice(y);
            match kind {
                Kind::Place => self.machine.bodies.shift(&mut nearby, &direction),
                Kind::Velocity => self.machine.bodies.kick(&mut nearby, &direction),
            }
            self.rates(t, &nearby, &mut rates);
            for ((d, a), b) in direction.iter_mut().zip(&self.machine.a).zip(here) {
                *d = (a - b) / nudge;
            }
            answer = norm(&direction);
        }
        if answer > 0.0 && answer.is_finite() {
            direction.iter_mut().for_each(|x| *x /= answer);
        } else {
            direction.clear();
        }
        self.machine.memory.fastest[slot] = direction;
        if answer.is_finite() { answer } else { 0.0 }
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
