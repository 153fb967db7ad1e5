//! Units and ranges of properties.

use kreisel_dynamics::World;
use std::any::Any;

/// The unit of a property.
#[derive(Clone, Copy)]
pub enum Unit {
    /// Always this one; empty for none.
    Fixed(&'static str),
    /// That of the property which holds the table.
    Outer,
    /// The same per second.
    OuterRate,
    /// By the item: keys are read in the order of the table, so what it depends on comes first.
    Of(fn(&dyn Any, &World) -> &'static str, &'static str),
}

impl Unit {
    /// The unit for an item, inside a property of unit `outer`.
    pub fn of(self, item: &dyn Any, world: &World, outer: &'static str) -> &'static str {
        match self {
            Self::Fixed(unit) => unit,
            Self::Outer => outer,
            Self::OuterRate if outer == "rad" => "rad/s",
            Self::OuterRate => "m/s",
            Self::Of(unit, _) => unit(item, world),
        }
    }

    /// In words, for the reference page.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fixed(unit) => unit,
            Self::Outer | Self::OuterRate => "",
            Self::Of(_, words) => words,
        }
    }
}

/// What numbers a property takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Least number.
    pub min: f64,
    /// Largest number.
    pub max: f64,
    /// The ends do not belong to it.
    pub open: bool,
    /// "must be …" where the engine has words for it.
    pub words: &'static str,
}

impl Range {
    pub(super) const ALL: Self =
        Self { min: f64::NEG_INFINITY, max: f64::INFINITY, open: false, words: "" };

    /// Whether a number is within.
    pub fn holds(&self, x: f64) -> bool {
        if self.open {
            self.min < x && (x < self.max || x == f64::INFINITY)
        } else {
            (self.min..=self.max).contains(&x)
        }
    }

    /// "must be …".
    pub fn must(&self) -> String {
        match (self.min, self.max, self.open) {
            _ if !self.words.is_empty() => self.words.into(),
            (0.0, f64::INFINITY, true) => "positive".into(),
            (0.0, f64::INFINITY, false) => "zero or more".into(),
            (f64::NEG_INFINITY, f64::INFINITY, _) => "a number".into(),
            (low, f64::INFINITY, _) => format!("{low} or more"),
            (low, high, true) => format!("between {low} and {high}"),
            (low, high, false) => format!("from {} to {}", number(low), number(high)),
        }
    }
}

/// A number as people write it: 1e-18 rather than eighteen digits.
pub(super) fn number(x: f64) -> String {
    if x == 0.0 || (1e-3..1e7).contains(&x.abs()) { x.to_string() } else { format!("{x:e}") }
}
