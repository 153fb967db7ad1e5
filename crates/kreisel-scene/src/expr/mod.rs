//! Expressions in scenes: `"2 * i + 0.5"`, `"30 deg"`, `"link {i - 1}"`.
//!
//! A small language of numbers without side effects, loops or definitions, so that every expression
//! ends; the depth of nesting and the length are limited, so that none exhausts the stack.
//!
//! | precedence, tightest first | |
//! |---|---|
//! | unit suffix | `30 deg`, `90 deg/s`, `120 rpm`, `1 rad`, `1 rad/s` |
//! | power | `a ^ b` (right to left) |
//! | sign, not | `-a`, `!a` |
//! | product | `a * b`, `a / b`, `a % b` (remainder with the sign of `b`) |
//! | sum | `a + b`, `a - b` |
//! | comparison | `a < b`, `<=`, `>`, `>=`, `==`, `!=` (1 when true, 0 when false) |
//! | and, or | `a && b`, `a \|\| b` |
//! | choice | `c ? a : b` |
//!
//! Functions are listed in [`FUNCTIONS`]; constants are `pi` and `tau`. Elementary functions come
//! from a library that is compiled in, so that a scene has the same bits on every machine.

mod eval;
mod text;

pub(crate) use eval::random;
pub(crate) use kreisel_dynamics::formula::{ExprError, Unit};
pub(crate) use text::interpolate;

use kreisel_dynamics::formula;

/// Functions of the expression language with their number of arguments (from, to) and what they do.
pub const FUNCTIONS: &[(&str, usize, usize, &str)] = &[
    ("sin", 1, 1, "sine"),
    ("cos", 1, 1, "cosine"),
    ("tan", 1, 1, "tangent"),
    ("asin", 1, 1, "arc sine, an angle"),
    ("acos", 1, 1, "arc cosine, an angle"),
    ("atan2", 2, 2, "`atan2(y, x)`, an angle"),
    ("sqrt", 1, 1, "square root"),
    ("exp", 1, 1, "e to the power"),
    ("ln", 1, 1, "natural logarithm"),
    ("log2", 1, 1, "logarithm to base 2, exact for powers of 2"),
    ("abs", 1, 1, "absolute value"),
    ("sign", 1, 1, "-1, 0 or 1"),
    ("floor", 1, 1, "next integer below"),
    ("ceil", 1, 1, "next integer above"),
    ("round", 1, 1, "nearest integer, halves away from zero"),
    ("min", 1, 16, "smallest argument"),
    ("max", 1, 16, "largest argument"),
    ("hypot", 2, 3, "length of a vector"),
    ("rand", 1, 4, "a number from 0 to 1 that looks random but depends only on the arguments"),
];

/// Constants of the expression language.
pub const CONSTANTS: &[(&str, f64)] =
    &[("pi", std::f64::consts::PI), ("tau", std::f64::consts::TAU)];

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    pub value: f64,
    pub unit: Unit,
}

impl Number {
    pub fn plain(value: f64) -> Self {
        Self { value, unit: Unit::Plain }
    }
}

/// The names that an expression may use: parameters, then the counters and definitions of a
/// repetition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    names: Vec<(String, Number)>,
}

impl Scope {
    /// Adds a name; a later one hides an earlier one.
    pub fn push(&mut self, name: &str, value: Number) {
        self.names.push((name.to_owned(), value));
    }

    /// Forgets all but the first `len` names.
    pub fn truncate(&mut self, len: usize) {
        self.names.truncate(len);
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn get(&self, name: &str) -> Option<Number> {
        let own = self.names.iter().rev().find(|(n, _)| n == name).map(|&(_, v)| v);
        own.or_else(|| CONSTANTS.iter().find(|(n, _)| *n == name).map(|&(_, v)| Number::plain(v)))
    }

    /// All names with their values in SI units; a later one of the same name comes later.
    pub fn values(&self) -> impl Iterator<Item = (&str, f64)> {
        self.names.iter().map(|(n, v)| (n.as_str(), v.value))
    }

    /// Own names with their values, for expressions that are kept.
    pub fn constants(&self) -> Vec<(&str, f64)> {
        self.names.iter().map(|(n, v)| (n.as_str(), v.value)).collect()
    }

    /// All names that could be meant.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(n, _)| n.as_str()).chain(CONSTANTS.iter().map(|&(n, _)| n))
    }
}

/// The value of an expression.
pub(crate) fn evaluate(text: &str, scope: &Scope) -> Result<Number, ExprError> {
    let tree = formula::parse(text)?;
    eval::eval(&tree, scope)
}

/// Whether a word may name a parameter.
pub(crate) fn is_name(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
        && !formula::is_unit(word)
}

#[cfg(test)]
mod tests;
