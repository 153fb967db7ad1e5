//! Characters to tokens.

use super::{ExprError, Unit};
use std::ops::Range;

/// A piece of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Number(f64),
    Name(&'a str),
    /// A unit suffix: factor to SI and what it measures.
    Unit(f64, Unit),
    /// An operator or bracket.
    Op(&'a str),
}

/// A token with its place.
pub(crate) type Spanned<'a> = (Token<'a>, Range<usize>);

/// Longest expression that is read, in bytes.
const MAX_LENGTH: usize = 1024;

const OPERATORS: [&str; 22] = [
    "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "^", "(", ")", ",", "<", ">", "!",
    "?", ":", "{", "}",
];

/// Factor and unit of a suffix.
pub(crate) fn unit(word: &str) -> Option<(f64, Unit)> {
    const DEGREE: f64 = std::f64::consts::PI / 180.0;
    Some(match word {
        "deg" | "°" => (DEGREE, Unit::Angle),
        "rad" => (1.0, Unit::Angle),
        "rpm" => (std::f64::consts::TAU / 60.0, Unit::Rate),
        _ => return None,
    })
}

/// Splits an expression into tokens.
pub(crate) fn tokens(text: &str) -> Result<Vec<Spanned<'_>>, ExprError> {
    if text.len() > MAX_LENGTH {
        return Err(ExprError::new(
            format!("the expression is longer than {MAX_LENGTH} bytes"),
            0..text.len(),
        ));
    }
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (token, length) = if c.is_ascii_digit() || c == '.' {
            number(rest, at)?
        } else if c.is_alphabetic() || c == '_' || c == '°' {
            word(rest)
        } else if let Some(op) = OPERATORS.iter().find(|op| rest.starts_with(**op)) {
            (Token::Op(&rest[..op.len()]), op.len())
        } else {
            return Err(ExprError::new(
                format!("`{c}` has no meaning in an expression"),
                at..at + c.len_utf8(),
            ));
        };
        out.push((token, at..at + length));
        at += length;
    }
    Ok(out)
}

fn number(rest: &str, at: usize) -> Result<(Token<'_>, usize), ExprError> {
    let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(rest);
    if rest[end..].starts_with('.') {
        end += 1 + digits(&rest[end + 1..]);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        let exponent = digits(&rest[end + 1 + sign..]);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let value = rest[..end].parse();
    let value = value
        .map_err(|_| ExprError::new(format!("`{}` is not a number", &rest[..end]), at..at + end))?;
    Ok((Token::Number(value), end))
}

fn word(rest: &str) -> (Token<'_>, usize) {
    let end =
        rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '°')).unwrap_or(rest.len());
    let name = &rest[..end];
    match unit(name) {
        Some((factor, Unit::Angle)) if per_second(&rest[end..]) => {
            (Token::Unit(factor, Unit::Rate), end + 2)
        }
        Some((factor, unit)) => (Token::Unit(factor, unit), end),
        None => (Token::Name(name), end),
    }
}

/// Whether the text goes on with "/s" and no longer name.
fn per_second(rest: &str) -> bool {
    rest.strip_prefix("/s")
        .is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}
