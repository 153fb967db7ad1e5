//! The steps of a system: symmetric impulse step, energy-momentum step, their control and
//! extrapolation.

pub(crate) mod advance;
mod border;
pub(crate) mod bounds;
pub(crate) mod energy;
pub(crate) mod energy_balance;
mod energy_mixing;
mod energy_springs;
mod energy_stiffness;
#[cfg(test)]
mod energy_tests;
pub(crate) mod extrapolate;
pub(crate) mod forces;
pub(crate) mod iterate;
pub(crate) mod law;
mod laws;
mod saturation;
pub(crate) mod symmetric;
pub(crate) mod velocity;

use crate::clock::Instant;
use crate::interrupt::Interrupt;
use crate::joint::JointId;
use crate::settings::Settings;
use std::sync::Arc;
use std::time::Duration;

/// What a system did during a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stats {
    pub substeps: u32,
    pub rejected: u32,
    pub energy_substeps: u32,
    pub rounds: u32,
    pub corrections: u32,
    pub velocity_rounds: u32,
    pub factorizations: u32,
    /// A substep was accepted although a joint was out of tolerance.
    pub unconverged: bool,
    /// Nothing smaller helped: the system was brought to rest for what was left of the step.
    pub stood_still: bool,
    /// The budget of rounds or time was spent.
    pub budget: bool,
    pub quarantined: bool,
    /// The step had as many substeps as one may have: the rest of it was taken as it came.
    pub cut_short: bool,
    pub velocity_error: f64,
    pub local_error: f64,
    /// Energy taken, J.
    pub damping: f64,
    pub friction: f64,
    pub impacts: f64,
    pub correction: f64,
    /// Work done by velocity motors, J.
    pub drives: f64,
    /// Work done by controllers, J.
    pub controllers: f64,
    /// Work done by kinematic bodies, J.
    pub kinematic: f64,
    /// Energy that laws exchanged with contacts whose impulses act at the same instant, J: the
    /// contacts' account.
    pub shared: f64,
    pub hits: Vec<Hit>,
    /// Constraints whose formulas had no finite value.
    pub failed: Vec<Arc<str>>,
    pub factor_time: Duration,
    pub correction_time: Duration,
    pub velocity_time: Duration,
}

/// Work and losses of a part of a step, J, in the order of the fields of [`Stats`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Booked([f64; 8]);

impl std::ops::Add for Booked {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl std::ops::Mul<f64> for Booked {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self(self.0.map(|x| x * factor))
    }
}

impl Stats {
    /// Whether the step has had as many substeps as one may have; notes it.
    pub fn all_substeps_spent(&mut self) -> bool {
        self.cut_short |= self.substeps + self.rejected >= advance::MOST_SUBSTEPS;
        self.cut_short
    }

    /// All work and losses so far.
    pub fn booked(&self) -> Booked {
        let Self {
            damping,
            friction,
            impacts,
            correction,
            drives,
            controllers,
            kinematic,
            shared,
            ..
        } = *self;
        Booked([damping, friction, impacts, correction, drives, controllers, kinematic, shared])
    }

    /// Replaces all work and losses.
    pub fn book(&mut self, booked: Booked) {
        let Self {
            damping,
            friction,
            impacts,
            correction,
            drives,
            controllers,
            kinematic,
            shared,
            ..
        } = self;
        let fields =
            [damping, friction, impacts, correction, drives, controllers, kinematic, shared];
        fields.into_iter().zip(booked.0).for_each(|(field, value)| *field = value);
    }

    /// The account that the work of a law's servo or controller belongs to.
    fn of(&mut self, law: &law::Law) -> &mut f64 {
        if law.controller.0 == crate::system::NONE {
            &mut self.drives
        } else {
            &mut self.controllers
        }
    }
}

/// A limit that was hit.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub joint: JointId,
    pub name: Arc<str>,
    pub time: f64,
    pub speed: f64,
}

/// Why a substep was not accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Failure {
    /// The first preview was too far off (by this relative error): the substep is too large.
    Reject(f64),
    /// The loop diverged or did not end.
    Diverged,
    /// Energy appeared from nowhere although every joint is in place. Poses were touched.
    Energy,
    /// A limit is reached after this fraction of the substep.
    Limit { bound: u32, fraction: f64 },
}

/// What the step loop may spend.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    /// Whoever owns the world may give the step up.
    pub interrupt: Interrupt,
    pub rounds: u32,
    pub sweeps: u32,
    pub deadline: Option<Instant>,
    pub velocity_correction: bool,
    pub impulse_limit: f64,
    pub warm_start: bool,
    pub relaxation: f64,
}

impl Budget {
    pub fn new(settings: &Settings, start: Instant, interrupt: &Interrupt) -> Self {
        Self {
            interrupt: interrupt.clone(),
            rounds: settings.max_rounds.unwrap_or(30),
            sweeps: settings.max_rounds.unwrap_or(20_000),
            deadline: settings.time_budget.map(|d| start + d),
            velocity_correction: settings.velocity_correction,
            impulse_limit: settings.impulse_limit.unwrap_or(f64::INFINITY),
            warm_start: settings.warm_start,
            relaxation: settings.relaxation,
        }
    }

    /// Whether a loop that can be long must end now, with what it has: time is up, or the step is
    /// being given up.
    pub fn spent(&self) -> bool {
        self.interrupt.is_set() || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}

/// Times the stages of the first substep of a step (a clock call in every substep would cost a
/// small system a tenth of its time); the report multiplies by the number of substeps.
struct Clock(Option<Instant>);

impl Clock {
    fn start(on: bool) -> Self {
        Self(on.then(Instant::now))
    }

    fn lap(&mut self, total: &mut Duration) {
        if let Some(start) = &mut self.0 {
            let now = Instant::now();
            *total += now - *start;
            *start = now;
        }
    }
}
