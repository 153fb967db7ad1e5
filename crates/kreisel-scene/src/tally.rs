//! What a run was like: how its steps ended, the worst joint, work and losses, what broke.

use kreisel_dynamics::{Event, Status, StepReport, Unexplained};
use serde::Serialize;
use std::sync::Arc;

/// Most warnings of a run.
const MAX_WARNINGS: usize = 20;

/// The worst joint of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Worst {
    /// Its name.
    pub joint: Arc<str>,
    /// Gap, m.
    pub position: f64,
    /// Misalignment, rad.
    pub angle: f64,
    /// When, s.
    pub time: f64,
}

/// The step in which most energy appeared that nothing explains.
#[derive(Clone, Debug, Serialize)]
pub struct WorstEnergy {
    /// Which step, counted from 1.
    pub step: u64,
    /// When, s.
    pub time: f64,
    /// What, and which bodies.
    #[serde(flatten)]
    pub what: Unexplained,
}

/// A joint that broke.
#[derive(Clone, Debug, Serialize)]
pub struct Broken {
    /// Its name.
    pub joint: Arc<str>,
    /// When, s.
    pub time: f64,
    /// Reaction force, N.
    pub force: f64,
    /// Reaction torque, N m.
    pub torque: f64,
}

/// Sums over the steps of a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Steps in which every joint was within tolerance.
    pub converged: u64,
    /// Steps that spent their budget of rounds or time.
    pub budget_spent: u64,
    /// Steps in which at least one joint was out of tolerance.
    pub not_converged: u64,
    /// Steps that put a chain back because its motion left the numbers.
    pub quarantined: u64,
    /// Steps that did not keep the order or error bound asked for.
    pub order_lowered: u64,
    /// The element that lowered it.
    pub order_lowered_by: Option<Arc<str>>,
    /// Steps in which energy appeared or vanished that nothing explains.
    pub energy_unexplained: u64,
    /// The worst of those steps.
    pub unexplained: Option<WorstEnergy>,
    /// Steps counted.
    pub steps: u64,
    /// The largest joint error of the run.
    pub worst: Option<Worst>,
    /// Work of motors and outer forces, J.
    pub work: f64,
    /// Energy taken by damping, friction, impacts and correction, J.
    pub losses: f64,
    /// Sum of the ledger's residuals so far, J.
    balance: f64,
    /// Largest sum of the ledger's residuals at any time, J.
    pub residual: f64,
    /// Joints that broke, with the time.
    pub broken: Vec<Broken>,
    /// Number of impacts at limits.
    pub limit_hits: u64,
    /// Number of times that two bodies came into touch.
    pub contacts: u64,
    /// Deepest overlap at the end of a step, m.
    pub penetration: f64,
    /// Procedures of scripts that failed; whoever runs them counts them.
    pub script_errors: u64,
    /// Warnings given so far: each once, and not too many.
    warned: Vec<String>,
}

impl Tally {
    /// A warning that was not given before, and not too many.
    fn warn(&mut self, out: &mut Vec<String>, time: f64, message: String) {
        if self.warned.len() < MAX_WARNINGS && !self.warned.contains(&message) {
            out.push(format!("at {time:.3} s: {message}"));
            self.warned.push(message);
        }
    }

    /// Counts a step that ended at `time`; gives the warnings that are new.
    pub fn count(&mut self, report: &StepReport, time: f64) -> Vec<String> {
        let mut warnings = Vec::new();
        self.steps += 1;
        match report.status {
            Status::Converged => self.converged += 1,
            Status::NotConverged => self.not_converged += 1,
            Status::BudgetSpent => self.budget_spent += 1,
            // A step size that is no positive number is refused before a run begins.
            Status::Quarantined | Status::Refused => self.quarantined += 1,
            Status::Energy => self.energy_unexplained += 1,
            Status::Order => {
                self.order_lowered += 1;
                self.order_lowered_by = report.order_lowered_by.clone();
            }
            // The run ends with it, before it is counted.
            Status::Interrupted => {}
        }
        if let Some(what) = &report.unexplained
            && self.unexplained.as_ref().is_none_or(|w| what.energy.abs() > w.what.energy.abs())
        {
            self.unexplained = Some(WorstEnergy { step: self.steps, time, what: what.clone() });
        }
        if let Some(w) = &report.worst
            && self
                .worst
                .as_ref()
                .is_none_or(|old| w.position.max(w.angle) > old.position.max(old.angle))
        {
            self.worst =
                Some(Worst { joint: w.name.clone(), position: w.position, angle: w.angle, time });
        }
        self.penetration = self.penetration.max(report.contact.penetration);
        let l = &report.ledger;
        self.work += l.motors + l.user + l.kinematic;
        self.losses += l.damping + l.friction + l.impacts + l.correction;
        self.balance += l.residual;
        self.residual = self.residual.max(self.balance.abs());
        for event in &report.events {
            match event {
                Event::Broken { name, force, torque, .. } => {
                    self.broken.push(Broken {
                        joint: name.clone(),
                        time,
                        force: *force,
                        torque: *torque,
                    });
                }
                Event::LimitHit { .. } => self.limit_hits += 1,
                Event::ContactBegin { .. } => self.contacts += 1,
                Event::ContactEnd { .. } => {}
                // Counted by the step's status.
                Event::Quarantined { .. } => {}
                Event::Overdetermined { constraints, switched_off, .. } => {
                    let names = constraints.join(", ");
                    let then = switched_off
                        .as_ref()
                        .map_or(String::new(), |n| format!("; {n} is switched off"));
                    self.warn(
                        &mut warnings,
                        time,
                        format!("these contradict each other: {names}{then}"),
                    );
                }
                Event::Damped { .. } => {
                    let message = "a constraint's target is out of reach: the step was damped";
                    self.warn(&mut warnings, time, message.to_owned());
                }
                Event::NoValue { constraint } => {
                    self.warn(
                        &mut warnings,
                        time,
                        format!("a formula of {constraint} has no value; it is left out"),
                    );
                }
                Event::PluginFailed { name, message } => {
                    self.warn(&mut warnings, time, format!("{name} has failed: {message}"));
                }
                Event::ConstraintBroken { name, force, .. } => {
                    self.broken.push(Broken {
                        joint: name.clone(),
                        time,
                        force: *force,
                        torque: 0.0,
                    });
                }
                Event::Assembled { .. } => {}
            }
        }
        warnings
    }
}
