//! Formulas: the syntax of expressions, and expressions with exact derivatives for constraints and
//! targets that move.
//!
//! The scene format uses the same syntax for its numbers; here an expression has variables, and its
//! value comes with its first and second rate along a motion (forward differentiation by Taylor
//! arithmetic).

mod expression;
mod lexer;
mod parser;

pub use expression::Expression;
pub use parser::{Binary, Op, Tree, parse};

use std::ops::Range;

/// What a number measures, as far as expressions can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A plain number, taken in SI units.
    Plain,
    /// An angle, held in rad.
    Angle,
    /// An angle per time, held in rad/s.
    Rate,
}

/// Why an expression has no value, with the place inside the expression.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ExprError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// What may help.
    pub help: Option<String>,
}

impl ExprError {
    /// An error at a place.
    pub fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), span, help: None }
    }
}

/// Whether a word is a unit, which no variable may be called.
pub fn is_unit(word: &str) -> bool {
    lexer::unit(word).is_some()
}
