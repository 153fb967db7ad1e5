//! Laws that are written outside of this crate: forces, constraints, sensors, coefficients of
//! contact (B-108, W-15, W-35, W-155).
//!
//! | trait | used by | gives |
//! |---|---|---|
//! | [`ForceLaw`] | [`ControllerKind::Plugin`](crate::ControllerKind::Plugin) | forces on connectors |
//! | [`ConstraintLaw`] | [`ConstraintKind::Plugin`](crate::ConstraintKind::Plugin) | rows: values and gradients |
//! | [`SensorLaw`] | [`SensorKind::Plugin`](crate::SensorKind::Plugin) | what is measured |
//! | [`ContactLaw`] | [`ContactSettings::plugin`](crate::ContactSettings::plugin) | coefficients of two materials |
//!
//! A program registers a law under a name before it loads scenes ([`register`]); scenes name it,
//! with numbers as parameters. A scene never loads code: a name that nobody has registered is
//! refused. In a program of one's own, [`Plugin::of`] takes a law without a name.
//!
//! Rules for authors:
//!
//! * The same input gives the same output, bit by bit: no memory, no clock, no chance. Laws are
//!   asked several times a step, at trial states, in any order and on any thread, and steps are
//!   made again; what they remember would break snapshots, replays and undo.
//! * Positions in m and world coordinates, forces in N, times in s.
//! * Forces are bounded and smooth where bodies move. A force element is held over a step, at its
//!   middle (second order); a stiff one wants small steps, and the report says `Order` where more
//!   was asked for.
//! * A row C is twice differentiable and its gradient is nowhere zero where C = 0: |d| − l is a
//!   good row, |d|² − l² a better one, |d|² = 0 (three points in one) is none. Rows in the unit of
//!   a length have the world's tolerance; others are scaled by their gradient.
//! * Gradients are checked against differences of the values when a constraint is added, and a
//!   wrong one is refused by its row and connector.
//! * A law that cannot answer returns an error in words. The step is then given up: the world
//!   stands where it began, the status is [`Refused`](crate::Status::Refused), and an event holds
//!   the words.

mod check;
mod constraint;
mod contact;
mod force;
mod registry;
mod sensor;

pub use check::check_rows;
pub use constraint::{ConstraintLaw, PluginRow};
pub use contact::{Coefficients, ContactLaw};
pub use force::ForceLaw;
pub use registry::{Declared, Law, PluginError, Shelf, declared, register, unregister};
pub use sensor::SensorLaw;

use crate::math::Vec3;
pub(crate) use constraint::rows;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A connector as laws see it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PluginPoint {
    /// Where it is, world coordinates, m.
    pub position: Vec3,
    /// How it moves, m/s.
    pub velocity: Vec3,
}

/// What a law is asked at: a trial state of the step.
#[derive(Clone, Copy, Debug)]
pub struct PluginState<'a> {
    /// Time, s.
    pub time: f64,
    /// The connectors, in the order of the scene.
    pub points: &'a [PluginPoint],
}

/// A law in use: its name, its parameters, and what was made of them.
///
/// Two are equal that have the same name and parameters.
pub struct Plugin<L: Law + ?Sized> {
    name: String,
    given: Vec<(String, f64)>,
    law: Option<Arc<L>>,
    /// What it said when it could not answer.
    failure: Mutex<Option<String>>,
}

impl<L: Law + ?Sized> Plugin<L> {
    /// A registered law by its name, not made yet: [`resolved`](Self::resolved) makes it.
    pub fn named(name: impl Into<String>, parameters: &[(&str, f64)]) -> Self {
        let given = parameters.iter().map(|(n, x)| ((*n).to_owned(), *x)).collect();
        Self { name: name.into(), given, law: None, failure: Mutex::default() }
    }

    /// A law that is at hand. A scene that is saved with it can be read where a law of this name
    /// is registered.
    pub fn of(name: impl Into<String>, law: Arc<L>) -> Self {
        Self { name: name.into(), given: Vec::new(), law: Some(law), failure: Mutex::default() }
    }

    /// Its name; empty for none yet.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameters that were given.
    pub fn parameters(&self) -> &[(String, f64)] {
        &self.given
    }

    /// The same with another name.
    #[must_use]
    pub fn with_name(&self, name: impl Into<String>) -> Self {
        Self { name: name.into(), given: self.given.clone(), law: None, failure: Mutex::default() }
    }

    /// The same with other parameters.
    #[must_use]
    pub fn with_parameters(&self, given: Vec<(String, f64)>) -> Self {
        Self { name: self.name.clone(), given, law: None, failure: Mutex::default() }
    }

    /// The law, if it has been made.
    pub fn law(&self) -> Option<&L> {
        self.law.as_deref()
    }

    /// The same with the law made, if it was not yet.
    pub fn resolved(&self) -> Result<Self, PluginError> {
        if self.law.is_some() {
            return Ok(self.clone());
        }
        let law = L::shelf().make(&self.name, &self.given)?;
        Ok(Self { law: Some(law), ..self.clone() })
    }

    /// Asks the law; nothing where it could not answer, which is remembered.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&L) -> Result<T, String>) -> Option<T> {
        let answer = self.law().ok_or_else(|| "it was never made".to_owned()).and_then(question);
        answer.map_err(|words| self.fail(words)).ok()
    }

    /// Remembers the first failure.
    pub(crate) fn fail(&self, words: String) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(words);
    }

    /// What it said when it could not answer, since the last call.
    pub(crate) fn take_failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A copy has not failed: worlds that are copied do not see each other's failures.
impl<L: Law + ?Sized> Clone for Plugin<L> {
    fn clone(&self) -> Self {
        let (name, given, law) = (self.name.clone(), self.given.clone(), self.law.clone());
        Self { name, given, law, failure: Mutex::default() }
    }
}

impl<L: Law + ?Sized> Default for Plugin<L> {
    fn default() -> Self {
        Self::named("", &[])
    }
}

impl<L: Law + ?Sized> PartialEq for Plugin<L> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.given == other.given
    }
}

impl<L: Law + ?Sized> fmt::Debug for Plugin<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin")
            .field("name", &self.name)
            .field("parameters", &self.given)
            .finish_non_exhaustive()
    }
}
