//! Projections: errors of constraints are taken out by displacements, those of their rates by
//! impulses, both the shortest in the metric of the masses (B-57, W-82).
//!
//! Two uses. The stabiliser `impulse` removes all errors after every step. Under the others,
//! constraints that were met when the step began are *held*: where the integrator has left one
//! further off than the tolerance allows, all of them are brought back. What is still being drawn
//! together is left to the stabiliser, and keeps its error and its rate.

use super::element::Hold;
use super::evaluate::{Evaluator, wanted_rate};
use super::integrate::Flow;
use super::machine::Role;
use super::settings::{ContactOrder, Lagrange};

/// Largest way of a body that a projection makes at a time, m or rad: further apart, constraints
/// are drawn together over several steps, so that nothing jumps.
pub(super) const MOST_SHIFT: f64 = 0.05;

/// Newton's method on poses converges quadratically; errors of a step are gone after three rounds.
const MOST_ROUNDS: usize = 6;

/// Errors below this are rounding.
const ROUNDING: f64 = 1e-13;

/// Share of the tolerance beyond which a constraint is brought back: measured by another formula it
/// may be a little further off.
const HELD_WITHIN: f64 = 0.5;

/// What a projection demands of a row.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    /// Errors of poses, by displacements.
    Position,
    /// Errors of rates, by impulses.
    Velocity,
}

impl Evaluator<'_> {
    /// The impulse stabiliser: removes C, then C' of all constraints. Returns the energy that it
    /// takes.
    pub(super) fn project(&mut self, t: f64, y: &mut [f64]) -> f64 {
        self.project_positions(t, y, None);
        self.project_velocities(t, y)
    }

    /// Brings velocities back to what constraints allow, by impulses. Returns the energy that it
    /// takes.
    pub fn project_velocities(&mut self, t: f64, y: &mut [f64]) -> f64 {
        self.demand_errors(t, y, Level::Velocity, None);
        self.demand_drives(t);
        self.kick_with(&self.together(), t, y)
    }

    /// Motors without bound are equalities of rates: a rate that jumps, or is not there yet, comes
    /// at once. Returns the work that this takes.
    pub fn drive(&mut self, t: f64, y: &mut [f64]) -> f64 {
        self.demand_errors(t, y, Level::Velocity, Some(&[]));
        if self.demand_drives(t) <= self.model.settings.tolerance.angular_velocity {
            0.0
        } else {
            -self.kick_with(&self.together(), t, y)
        }
    }

    /// Demands the rates of motors without bound; returns how far the furthest is off.
    fn demand_drives(&mut self, t: f64) -> f64 {
        let m = &mut *self.machine;
        let mut worst = 0.0_f64;
        for (e, source) in m.elements.iter().zip(&m.sources) {
            if let Some(Role::Drive(motor)) = source.role()
                && e.hold == Hold::Effort(f64::INFINITY)
            {
                let wanted = wanted_rate(self.model, motor, t, &m.commands, m.began).0;
                m.demand[e.row0] = m.rows.rate[e.row0] - wanted;
                m.bounds[e.row0] = FREE;
                worst = worst.max(m.demand[e.row0].abs());
            }
        }
        worst
    }

    /// Which equalities are met at `y`: conditions on poses by the poses, those on velocities by
    /// the velocities.
    pub fn met(&mut self, t: f64, y: &[f64]) -> Vec<bool> {
        let m = &mut *self.machine;
        m.bodies.place(t, y);
        m.evaluate_rows(self.model, self.angles, t);
        (0..m.equalities).map(|e| self.off(e).0 <= 1.0).collect()
    }

    /// Velocities that would lead out of the constraints of `met` go, as in an impact. Returns the
    /// kinetic energy that this takes.
    pub fn stay_met(&mut self, t: f64, met: &[bool], y: &mut [f64]) -> f64 {
        if self.furthest(t, met, y) <= 1.0 {
            return 0.0;
        }
        self.demand_errors(t, y, Level::Velocity, Some(met));
        self.kick_with(&self.together(), t, y)
    }

    /// Brings the constraints of `met` back within the tolerance where one of them has left it.
    /// Returns the kinetic energy that this takes.
    pub fn hold_met(&mut self, t: f64, met: &[bool], y: &mut Vec<f64>) -> f64 {
        if self.furthest(t, met, y) <= HELD_WITHIN {
            return 0.0;
        }

        // the multipliers of the motion are what users read, not those of the projection
        let kept = self.machine.multipliers.lambda.clone();
        let contact = self.machine.multipliers.last_contact.clone();
        let (before, was) = (self.furthest(t, met, y), y.clone());
        self.project_positions(t, y, Some(met));
        self.demand_errors(t, y, Level::Velocity, Some(met));
        let mut taken = self.kick_with(&self.together(), t, y);

        // contradictions and singular places leave nothing to gain
        let after = self.furthest(t, met, y);
        if !(after < before) {
            y.clone_from(&was);
            taken = 0.0;
        }
        self.machine.multipliers.lambda = kept;
        self.machine.multipliers.last_contact = contact;
        taken
    }

    /// Settings of projections: contacts and constraints are solved together, whatever the order of
    /// their forces is.
    fn together(&self) -> Lagrange {
        Lagrange { contacts: ContactOrder::Coupled, ..self.settings.clone() }
    }

    /// Newton's method on poses: constraints are met by displacements. Those that `only` leaves out
    /// keep their error, and one-sided rows that touch are not driven in.
    fn project_positions(&mut self, t: f64, y: &mut [f64], only: Option<&[bool]>) {
        let settings = self.together();
        for _ in 0..MOST_ROUNDS {
            let worst = self.demand_errors(t, y, Level::Position, only);
            if !(worst > ROUNDING) {
                break;
            }
            let m = &mut *self.machine;
            let mut shift = vec![0.0; m.a.len()];
            m.solve(&settings, &mut shift);
            let largest = m.bodies.largest(&shift);
            if !largest.is_finite() {
                return;
            }
            let share = (MOST_SHIFT / largest.max(1e-300)).min(1.0);
            shift.iter_mut().for_each(|x| *x *= share);
            m.bodies.shift(y, &shift);
            if share < 1.0 {
                break;
            }
        }
        self.tidy(y);
    }

    /// Puts the errors of equalities into the demands; returns the largest.
    fn demand_errors(&mut self, t: f64, y: &[f64], level: Level, only: Option<&[bool]>) -> f64 {
        let m = &mut *self.machine;
        m.bodies.place(t, y);
        m.evaluate_rows(self.model, self.angles, t);
        m.demand.clear();
        m.bounds.clear();
        m.cones.clear();
        let mut worst = 0.0_f64;
        for (k, e) in m.elements.iter().enumerate() {
            let chosen = only.is_none_or(|met| met.get(k).copied().unwrap_or(false));
            for i in e.row0..e.row0 + e.rows {
                let (c, rate) = (m.rows.c[i], m.rows.rate[i]);
                let (demand, bounds) = match (e.hold, level) {
                    (Hold::Position, Level::Position) if chosen => (c, FREE),
                    // a condition on velocities has its error in `c`
                    (Hold::Position, Level::Velocity) if chosen => (rate, FREE),
                    (Hold::Velocity, Level::Velocity) if chosen => (c, FREE),
                    (Hold::Position | Hold::Velocity, _) => (0.0, FREE),
                    (Hold::OneSided, Level::Position) => (c.max(0.0), PUSH),
                    (Hold::OneSided, Level::Velocity) => (rate.max(0.0), PUSH),
                    (Hold::Contact { .. }, Level::Position) if i == e.row0 => (c.max(0.0), PUSH),
                    (Hold::Contact { .. }, Level::Velocity) if i == e.row0 => (rate.max(0.0), PUSH),
                    _ => (0.0, NOTHING),
                };
                if !e.hold.is_bounded() {
                    worst = worst.max(demand.abs());
                }
                m.demand.push(demand);
                m.bounds.push(bounds);
            }
        }
        worst
    }

    /// How far the furthest of the constraints in `met` is off at `y`, in tolerances.
    fn furthest(&mut self, t: f64, met: &[bool], y: &[f64]) -> f64 {
        let m = &mut *self.machine;
        m.bodies.place(t, y);
        m.evaluate_rows(self.model, self.angles, t);
        let held = met.iter().enumerate().filter(|(_, on)| **on);
        held.map(|(e, _)| self.off(e)).fold(0.0, |m, (error, rate)| m.max(error).max(rate))
    }

    /// Error and rate of an equality at the evaluated rows, in tolerances.
    fn off(&self, element: usize) -> (f64, f64) {
        let m = &*self.machine;
        let tolerance = &self.model.settings.tolerance;
        let (e, source) = (&m.elements[element], &m.sources[element]);
        let (a, b) = m.split(e, source, &m.rows.c);
        if e.hold == Hold::Velocity {
            return ((a / tolerance.velocity).max(b / tolerance.angular_velocity), 0.0);
        }
        let (u, v) = m.split(e, source, &m.rows.rate);
        let poses = (a / tolerance.position).max(b / tolerance.angle);
        (poses, (u / tolerance.velocity).max(v / tolerance.angular_velocity))
    }
}

/// Bounds of multipliers: of an equality, of a one-sided row, of one that takes no part.
const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
const PUSH: (f64, f64) = (0.0, f64::INFINITY);
const NOTHING: (f64, f64) = (0.0, 0.0);
