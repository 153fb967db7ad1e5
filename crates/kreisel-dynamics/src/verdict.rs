//! The verdict on a step, the same under every method: joints within tolerance, numbers finite, energy explained.
//!
//! *Energy.* The ledger of a step leaves a residual r: energy that appeared (or vanished) and that nothing explains. A sound
//! step of second order lets it swing by a small share of what moves; a step beyond its stability, a false contact, a
//! push from nowhere let it grow. So gains and losses are summed up from step to step,
//!
//! G ← max(0, G + r),   L ← max(0, L − r),
//!
//! and when one exceeds a share of what moves, the step that carried it there is named and the sum starts anew. What
//! moves is the largest kinetic energy of the recent past, and all that was lost in it.
//!
//! *Sampled servos.* A servo holds its effort f for a whole step, so that the work it does differs from that of the
//! spring and damper it stands for. With error e and V(e) = ∫ clamp(k e) de, an ideal one never does more work than V gives;
//! the excess over the step, f Δq + ΔV, is energy that sampling brings. It is summed up in the same way, less all losses, so that
//! a servo that something else damps is left in peace.

use crate::body::BodyKind;
use crate::engine::Engine;
use crate::force::{Pid, Target};
use crate::model::Model;
use crate::report::{Event, Ledger, Status, StepReport, Unexplained};
use crate::state::{BodyState, State};
use crate::world::kinetic;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Energy that nothing explains may reach this share of what moves; beyond it the step is not to be trusted. The swing of the
/// symmetric step over a period, at the longest substep that the controller takes for springs, is a third of it.
pub const UNEXPLAINED_SHARE: f64 = 0.1;

/// What moved is forgotten with this time constant, s.
const RECENT: f64 = 10.0;

/// Share of all energies that rounding may change in a step.
const ROUNDING: f64 = 1e-10;

/// Most bodies that are named.
const MOST_NAMES: usize = 3;

/// What the verdict remembers from step to step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Watch {
    /// Unexplained gains and losses since they were last judged, J.
    gained: f64,
    lost: f64,
    /// Energy that sampled servos brought beyond all losses, J.
    sampled: f64,
    /// Largest kinetic energy of the recent past, J.
    moving: f64,
    /// All losses of the recent past, J.
    losses: f64,
}

/// A servo's part in a step.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Slot of its motor.
    pub motor: u32,
    /// Coordinate at the start, and the target that it had there.
    pub start: f64,
    pub set: f64,
    /// Proportional and derivative part of the effort, as far as the largest effort allows.
    pub effort: f64,
    pub gain: f64,
    pub max: f64,
    pub target: Target,
}

impl Sample {
    /// Energy beyond that of an ideal spring and damper, for the coordinate at the end of a step of `h`, J.
    fn excess(&self, end: f64, h: f64) -> f64 {
        let moved = end - self.start;
        match self.target {
            Target::Position => {
                let stored = |e: f64| {
                    let reach = self.max / self.gain;
                    if e.abs() <= reach { 0.5 * self.gain * e * e } else { self.max * (e.abs() - 0.5 * reach) }
                };
                self.effort * moved + stored(self.set - end) - stored(self.set - self.start)
            }
            Target::Velocity => self.effort * (moved - self.set * h),
        }
    }
}

/// Proportional and derivative part of a controller's output.
pub(crate) fn proportional(pid: &Pid, error: f64, last: Option<f64>, h: f64, max: f64) -> f64 {
    let slope = (error - last.unwrap_or(error)) / h;
    (pid.gain * (error + pid.derivative_time * slope)).clamp(-max, max)
}

impl Engine {
    /// Judges a step whose start is `kept`.
    pub(crate) fn judge(&mut self, model: &Model, state: &State, kept: &[BodyState], h: f64, report: &mut StepReport) {
        if matches!(report.status, Status::Refused | Status::Quarantined | Status::Interrupted) {
            self.watch = Watch::default();
            return;
        }

        // joints: the tolerance is the promise, whatever method made the step
        let tolerance = model.settings.tolerance;
        if let Some(w) = &report.worst
            && !(w.position <= tolerance.position && w.angle <= tolerance.angle)
            && report.status == Status::Converged
        {
            report.status = Status::NotConverged;
        }

        // numbers: energies beyond their range tell of bodies that are about to follow
        if !report.ledger.energy.total().is_finite() || !report.ledger.residual.is_finite() {
            report.status = Status::Quarantined;
            let bodies = concerned(model, state, kept);
            report.events.extend(bodies.into_iter().take(1).map(|body| Event::Quarantined { body }));
            return;
        }

        let moving = self.note_moving(model, h, report);
        let (excess, servos) = self.sampling(model, state, h);
        self.judge_energy(model, state, kept, moving, excess, servos, report);
    }

    /// What moves, J, or the little that tolerances and rounding stand for.
    fn note_moving(&mut self, model: &Model, h: f64, report: &StepReport) -> f64 {
        let l = &report.ledger;
        let memory = (1.0 - h / RECENT).max(0.0);
        let w = &mut self.watch;
        w.moving = l.energy.kinetic.max(w.moving * memory);
        w.losses = w.losses * memory + losses(l);

        // bodies may stand off by a tolerance in the field of gravity, and move with the velocity's
        let t = &model.settings.tolerance;
        let settings = &model.settings.contact;
        let slack = if self.contacts.is_active(model) {
            t.position + settings.tolerance + settings.overlap
        } else {
            t.position
        };
        let dynamic = model.bodies.iter().filter(|b| b.2.desc.kind == BodyKind::Dynamic);
        let mass: f64 = dynamic.map(|b| b.2.desc.mass.mass).sum();
        let still = mass * (model.gravity.length() * slack + t.velocity * t.velocity);
        let rounding = ROUNDING * (l.energy.kinetic + l.energy.potential.abs() + l.energy.spring.abs());
        (self.watch.moving + self.watch.losses).max(still).max(rounding / UNEXPLAINED_SHARE)
    }

    /// Energy that sampled servos brought in this step, and the names of those that brought some.
    fn sampling(&mut self, model: &Model, state: &State, h: f64) -> (f64, Vec<Arc<str>>) {
        let samples = std::mem::take(&mut self.samples);
        let (mut sum, mut names) = (0.0, Vec::new());
        for s in &samples {
            let Some((end, _)) = self.motor_coordinate(model, state, s.motor) else { continue };
            let excess = s.excess(end, h);
            sum += excess;
            if excess > 0.0
                && let Some((_, _, motor)) = model.motors.iter().find(|m| m.0 == s.motor)
            {
                names.push(motor.name.clone());
            }
        }
        self.samples = samples;
        self.samples.clear();
        (sum, names)
    }

    fn judge_energy(
        &mut self,
        model: &Model,
        state: &State,
        kept: &[BodyState],
        moving: f64,
        excess: f64,
        servos: Vec<Arc<str>>,
        report: &mut StepReport,
    ) {
        let l = &report.ledger;
        let w = &mut self.watch;
        w.gained = (w.gained + l.residual).max(0.0);
        w.lost = (w.lost - l.residual).max(0.0);
        w.sampled = (w.sampled + excess - losses(l)).max(0.0);

        let most = UNEXPLAINED_SHARE * moving;
        let (energy, cause) = if w.sampled > most {
            let names = servos.iter().take(MOST_NAMES).map(|n| n.as_ref()).collect::<Vec<_>>().join(", ");
            (w.sampled, format!("sampled too slowly for their gains: {names}; take a smaller step"))
        } else if w.gained > most {
            (w.gained, String::new())
        } else if w.lost > most {
            (-w.lost, String::new())
        } else {
            return;
        };
        (w.gained, w.lost, w.sampled) = (0.0, 0.0, 0.0);
        let bodies = concerned(model, state, kept).into_iter().take(MOST_NAMES).collect();
        report.unexplained = Some(Unexplained { energy, share: energy.abs() / moving, bodies, cause });
        if report.status == Status::Converged {
            report.status = Status::Energy;
        }
    }
}

/// All that a step has lost for a stated reason, J.
fn losses(l: &Ledger) -> f64 {
    (l.damping + l.friction + l.impacts + l.correction).max(0.0)
}

/// Names of the bodies whose own energy changed most in the step, those first.
fn concerned(model: &Model, state: &State, kept: &[BodyState]) -> Vec<Arc<str>> {
    let mut list: Vec<(f64, Arc<str>)> = Vec::new();
    for (slot, _, body) in model.bodies.iter().filter(|b| b.2.desc.kind == BodyKind::Dynamic) {
        let (Some(a), Some(b)) = (kept.get(slot as usize), state.bodies.get(slot as usize)) else { continue };
        let mass = body.desc.mass.mass;
        let change = kinetic(mass, body.moments, b)
            - kinetic(mass, body.moments, a)
            - mass * model.gravity.dot(b.position - a.position);
        list.push((change.abs(), body.name.clone()));
    }
    list.sort_by(|a, b| b.0.total_cmp(&a.0));
    list.into_iter().map(|(_, name)| name).take(MOST_NAMES).collect()
}
