//! The value of a parsed expression.

use super::{ExprError, FUNCTIONS, Number, Scope, Unit};
use crate::problem::nearest;
use kreisel_dynamics::formula::{Binary, Op, Tree};

/// Evaluates a tree; the result is a finite number or an error.
pub(crate) fn eval(tree: &Tree, scope: &Scope) -> Result<Number, ExprError> {
    let out = match &tree.node {
        Op::Number(value) => Number::plain(*value),
        Op::Name(name) => lookup(name, tree, scope)?,
        Op::Unit(inner, factor, unit) => {
            let inner = plain(inner, scope)?;
            Number { value: inner * factor, unit: *unit }
        }
        Op::Negate(inner) => {
            let inner = eval(inner, scope)?;
            Number { value: -inner.value, ..inner }
        }
        Op::Not(inner) => truth(eval(inner, scope)?.value == 0.0),
        Op::Choice(condition, yes, no) => {
            let side = if eval(condition, scope)?.value == 0.0 { no } else { yes };
            eval(side, scope)?
        }
        Op::Binary(Binary::And, a, b) => {
            truth(eval(a, scope)?.value != 0.0 && eval(b, scope)?.value != 0.0)
        }
        Op::Binary(Binary::Or, a, b) => {
            truth(eval(a, scope)?.value != 0.0 || eval(b, scope)?.value != 0.0)
        }
        Op::Binary(op, a, b) => binary(*op, eval(a, scope)?, eval(b, scope)?, tree)?,
        Op::Call(name, arguments) => call(name, arguments, tree, scope)?,
    };
    if out.value.is_finite() {
        Ok(out)
    } else {
        Err(ExprError::new("this is not a finite number", tree.span.clone()))
    }
}

fn truth(yes: bool) -> Number {
    Number::plain(f64::from(u8::from(yes)))
}

fn plain(tree: &Tree, scope: &Scope) -> Result<f64, ExprError> {
    let n = eval(tree, scope)?;
    if n.unit == Unit::Plain {
        Ok(n.value)
    } else {
        Err(ExprError::new("this has a unit already", tree.span.clone()))
    }
}

fn lookup(name: &str, tree: &Tree, scope: &Scope) -> Result<Number, ExprError> {
    scope.get(name).ok_or_else(|| {
        let help = if FUNCTIONS.iter().any(|f| f.0 == name) {
            Some(format!("`{name}` is a function: write `{name}(…)`"))
        } else {
            nearest(name, scope.names()).map(|n| format!("did you mean `{n}`?"))
        };
        let message = format!("`{name}` is neither a parameter nor a counter of a repetition");
        ExprError { message, span: tree.span.clone(), help }
    })
}

fn binary(op: Binary, a: Number, b: Number, tree: &Tree) -> Result<Number, ExprError> {
    let (x, y) = (a.value, b.value);
    let fail = |message: &str| Err(ExprError::new(message, tree.span.clone()));
    let mixed = a.unit != b.unit && a.unit != Unit::Plain && b.unit != Unit::Plain;
    let unit = if a.unit == Unit::Plain { b.unit } else { a.unit };
    Ok(match op {
        Binary::Add | Binary::Subtract | Binary::Remainder if mixed => {
            return fail("an angle and an angular velocity are combined");
        }
        Binary::Add => Number { value: x + y, unit },
        Binary::Subtract => Number { value: x - y, unit },
        Binary::Divide | Binary::Remainder if y == 0.0 => return fail("division by zero"),
        Binary::Remainder => Number { value: x - y * (x / y).floor(), unit },
        Binary::Multiply if a.unit != Unit::Plain && b.unit != Unit::Plain => {
            return fail("two angles are multiplied");
        }
        Binary::Multiply => Number { value: x * y, unit },
        Binary::Divide if b.unit == Unit::Plain => Number { value: x / y, unit: a.unit },
        Binary::Divide if a.unit == b.unit => Number::plain(x / y),
        Binary::Divide => return fail("division by an angle"),
        Binary::Power => Number::plain(libm::pow(x, y)),
        Binary::Less => truth(x < y),
        Binary::LessEqual => truth(x <= y),
        Binary::Greater => truth(x > y),
        Binary::GreaterEqual => truth(x >= y),
        Binary::Equal => truth(x == y),
        Binary::NotEqual => truth(x != y),
        Binary::And => truth(x != 0.0 && y != 0.0),
        Binary::Or => truth(x != 0.0 || y != 0.0),
    })
}

fn call(name: &str, arguments: &[Tree], tree: &Tree, scope: &Scope) -> Result<Number, ExprError> {
    let Some(&(_, least, most, _)) = FUNCTIONS.iter().find(|f| f.0 == name) else {
        let help =
            nearest(name, FUNCTIONS.iter().map(|f| f.0)).map(|n| format!("did you mean `{n}`?"));
        return Err(ExprError {
            message: format!("there is no function `{name}`"),
            span: tree.span.clone(),
            help,
        });
    };
    if !(least..=most).contains(&arguments.len()) {
        let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let message = format!("`{name}` takes {wanted} arguments, here are {}", arguments.len());
        return Err(ExprError::new(message, tree.span.clone()));
    }
    let mut numbers = Vec::with_capacity(arguments.len());
    for argument in arguments {
        numbers.push(eval(argument, scope)?);
    }
    let x: Vec<f64> = numbers.iter().map(|n| n.value).collect();
    let angle = |value| Number { value, unit: Unit::Angle };
    let same_unit = |value| Number { value, unit: numbers[0].unit };
    Ok(match name {
        "sin" => Number::plain(libm::sin(x[0])),
        "cos" => Number::plain(libm::cos(x[0])),
        "tan" => Number::plain(libm::tan(x[0])),
        "asin" => angle(libm::asin(x[0])),
        "acos" => angle(libm::acos(x[0])),
        "atan2" => angle(libm::atan2(x[0], x[1])),
        "sqrt" => Number::plain(x[0].sqrt()),
        "exp" => Number::plain(libm::exp(x[0])),
        "ln" => Number::plain(libm::log(x[0])),
        "log2" => Number::plain(libm::log2(x[0])),
        "abs" => same_unit(x[0].abs()),
        "sign" => Number::plain(if x[0] == 0.0 { 0.0 } else { x[0].signum() }),
        "floor" => same_unit(x[0].floor()),
        "ceil" => same_unit(x[0].ceil()),
        "round" => same_unit(x[0].round()),
        "min" => same_unit(x.iter().copied().fold(f64::INFINITY, f64::min)),
        "max" => same_unit(x.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        "hypot" => Number::plain(x.iter().map(|v| v * v).sum::<f64>().sqrt()),
        _ => Number::plain(random(&x)),
    })
}

/// A number in 0..1 from the bits of the arguments (the finaliser of SplitMix64, Steele et
/// al. 2014).
pub(crate) fn random(arguments: &[f64]) -> f64 {
    let mut state = 0_u64;
    for x in arguments {
        state = state.wrapping_add((x + 0.0).to_bits()).wrapping_add(0x9E37_79B9_7F4A_7C15);
        state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        state ^= state >> 31;
    }
    (state >> 11) as f64 / (1_u64 << 53) as f64
}
