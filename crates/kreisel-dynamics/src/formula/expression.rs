//! Expressions in variables, with exact derivatives (W-26, W-174, W-178).
//!
//! An expression is evaluated on *jets*: each variable comes with its rate and second rate along
//! the motion, and so does the result. Functions with kinks (abs, min, floor, choices) have the
//! derivative of the side they are on.

use super::ExprError;
use super::parser::{Binary, Op, Tree, parse};
use crate::constraint::second::Jet;
use crate::math::fun;

/// Functions with their least and largest number of arguments.
const FUNCTIONS: [(&str, usize, usize); 19] = [
    ("sin", 1, 1),
    ("cos", 1, 1),
    ("tan", 1, 1),
    ("asin", 1, 1),
    ("acos", 1, 1),
    ("atan2", 2, 2),
    ("sqrt", 1, 1),
    ("exp", 1, 1),
    ("ln", 1, 1),
    ("log2", 1, 1),
    ("abs", 1, 1),
    ("sign", 1, 1),
    ("floor", 1, 1),
    ("ceil", 1, 1),
    ("round", 1, 1),
    ("min", 1, 16),
    ("max", 1, 16),
    ("hypot", 2, 3),
    ("step", 1, 1),
];

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Variable(usize),
    Negate(Box<Node>),
    Not(Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
    Choice(Box<Node>, Box<Node>, Box<Node>),
    Call(usize, Vec<Node>),
}

/// An expression in given variables.
///
/// ```
/// use kreisel_dynamics::formula::Expression;
///
/// let f = Expression::new("3 * t^2 + sin(w * t)", &["t"], &[("w", 2.0)])?;
/// let (value, rate, second) = f.along(&[(0.5, 1.0, 0.0)]);
/// assert!((value - (0.75 + 1.0_f64.sin())).abs() < 1e-14);
/// assert!((rate - (3.0 + 2.0 * 1.0_f64.cos())).abs() < 1e-14);
/// assert!((second - (6.0 - 4.0 * 1.0_f64.sin())).abs() < 1e-14);
/// # Ok::<(), kreisel_dynamics::formula::ExprError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    /// The text with numbers in the place of constants.
    closed: String,
    node: Node,
}

impl Expression {
    /// Reads an expression. Names are variables (in the order given), constants, `pi` or `tau`.
    pub fn new(
        text: &str,
        variables: &[&str],
        constants: &[(&str, f64)],
    ) -> Result<Self, ExprError> {
        let tree = parse(text)?;
        let node = compile(&tree, variables, constants)?;
        let mut closed = text.to_owned();
        close(&tree, variables, constants, &mut closed);
        Ok(Self { text: text.to_owned(), closed, node })
    }

    /// The same number always.
    pub fn constant(value: f64) -> Self {
        let text = format!("{value:?}");
        Self { closed: text.clone(), text, node: Node::Number(value) }
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text with numbers in the place of constants: means the same where the constants are not
    /// known.
    pub fn closed(&self) -> &str {
        &self.closed
    }

    /// Value, rate and second rate along a motion of the variables, each given by the same three
    /// numbers.
    pub fn along(&self, variables: &[(f64, f64, f64)]) -> (f64, f64, f64) {
        let jets: Vec<Jet> = variables.iter().map(|&(x, d, dd)| Jet { x, d, dd }).collect();
        let out = self.jet(&jets);
        (out.x, out.d, out.dd)
    }

    pub(crate) fn jet(&self, variables: &[Jet]) -> Jet {
        eval(&self.node, variables)
    }
}

fn compile(tree: &Tree, variables: &[&str], constants: &[(&str, f64)]) -> Result<Node, ExprError> {
    let sub = |t: &Tree| compile(t, variables, constants).map(Box::new);
    Ok(match &tree.node {
        Op::Number(x) => Node::Number(*x),
        Op::Name(name) => {
            let variable = variables.iter().position(|v| v == name).map(Node::Variable);
            let constant =
                || constants.iter().rev().find(|c| c.0 == name).map(|c| Node::Number(c.1));
            let known = || match name.as_str() {
                "pi" => Some(Node::Number(std::f64::consts::PI)),
                "tau" => Some(Node::Number(std::f64::consts::TAU)),
                _ => None,
            };
            variable.or_else(constant).or_else(known).ok_or_else(|| ExprError {
                message: format!("`{name}` is not known here"),
                span: tree.span.clone(),
                help: Some(format!("the variables are {}", variables.join(", "))),
            })?
        }
        Op::Unit(inner, factor, _) => {
            let inner = compile(inner, variables, constants)?;
            Node::Binary(Binary::Multiply, Box::new(inner), Box::new(Node::Number(*factor)))
        }
        Op::Negate(a) => Node::Negate(sub(a)?),
        Op::Not(a) => Node::Not(sub(a)?),
        Op::Binary(op, a, b) => Node::Binary(*op, sub(a)?, sub(b)?),
        Op::Choice(c, a, b) => Node::Choice(sub(c)?, sub(a)?, sub(b)?),
        Op::Call(name, arguments) => {
            let Some(f) = FUNCTIONS.iter().position(|f| f.0 == name) else {
                return Err(ExprError::new(
                    format!("there is no function `{name}`"),
                    tree.span.clone(),
                ));
            };
            let (_, least, most) = FUNCTIONS[f];
            if !(least..=most).contains(&arguments.len()) {
                let message = format!(
                    "`{name}` takes {least} to {most} arguments, here are {}",
                    arguments.len()
                );
                return Err(ExprError::new(message, tree.span.clone()));
            }
            let list: Result<Vec<Node>, _> =
                arguments.iter().map(|a| compile(a, variables, constants)).collect();
            Node::Call(f, list?)
        }
    })
}

/// Writes numbers in the place of constants, from the end to the start so that places stay valid.
fn close(tree: &Tree, variables: &[&str], constants: &[(&str, f64)], text: &mut String) {
    match &tree.node {
        Op::Number(_) => {}
        Op::Name(name) => {
            if variables.contains(&name.as_str()) {
                return;
            }
            if let Some((_, x)) = constants.iter().rev().find(|c| c.0 == name) {
                let number = if *x < 0.0 { format!("({x:?})") } else { format!("{x:?}") };
                text.replace_range(tree.span.clone(), &number);
            }
        }
        Op::Unit(a, _, _) | Op::Negate(a) | Op::Not(a) => close(a, variables, constants, text),
        Op::Binary(_, a, b) => {
            [b, a].into_iter().for_each(|t| close(t, variables, constants, text))
        }
        Op::Choice(c, a, b) => {
            [b, a, c].into_iter().for_each(|t| close(t, variables, constants, text))
        }
        Op::Call(_, list) => list.iter().rev().for_each(|t| close(t, variables, constants, text)),
    }
}

fn constant(x: f64) -> Jet {
    Jet { x, d: 0.0, dd: 0.0 }
}

fn truth(yes: bool) -> Jet {
    constant(f64::from(u8::from(yes)))
}

/// A function of one number with its two derivatives.
fn chain(u: Jet, f: f64, f1: f64, f2: f64) -> Jet {
    // 0 · ∞ must not turn a number that stands still into none
    let times = |a: f64, b: f64| if b == 0.0 { 0.0 } else { a * b };
    Jet { x: f, d: times(f1, u.d), dd: times(f2, u.d * u.d) + times(f1, u.dd) }
}

fn add(a: Jet, b: Jet, sign: f64) -> Jet {
    Jet { x: a.x + sign * b.x, d: a.d + sign * b.d, dd: a.dd + sign * b.dd }
}

fn multiply(a: Jet, b: Jet) -> Jet {
    Jet { x: a.x * b.x, d: a.d * b.x + a.x * b.d, dd: a.dd * b.x + 2.0 * a.d * b.d + a.x * b.dd }
}

fn power(a: Jet, b: Jet) -> Jet {
    if b.d == 0.0 && b.dd == 0.0 {
        let n = b.x;
        let term = |k: f64, e: f64| if k == 0.0 { 0.0 } else { k * fun::pow(a.x, e) };
        return chain(a, fun::pow(a.x, n), term(n, n - 1.0), term(n * (n - 1.0), n - 2.0));
    }
    let x = fun::pow(a.x, b.x);
    let log = multiply(b, logarithm(a));
    Jet { x, d: x * log.d, dd: x * (log.d * log.d + log.dd) }
}

fn logarithm(a: Jet) -> Jet {
    chain(a, libm::log(a.x), 1.0 / a.x, -1.0 / (a.x * a.x))
}

fn root(a: Jet) -> Jet {
    let r = a.x.sqrt();
    chain(a, r, 0.5 / r, -0.25 / (r * a.x))
}

fn eval(node: &Node, v: &[Jet]) -> Jet {
    match node {
        Node::Number(x) => constant(*x),
        Node::Variable(i) => v.get(*i).copied().unwrap_or_default(),
        Node::Negate(a) => add(Jet::default(), eval(a, v), -1.0),
        Node::Not(a) => truth(eval(a, v).x == 0.0),
        Node::Choice(c, a, b) => eval(if eval(c, v).x == 0.0 { b } else { a }, v),
        Node::Binary(op, a, b) => binary(*op, eval(a, v), eval(b, v)),
        Node::Call(f, list) => {
            let list: Vec<Jet> = list.iter().map(|n| eval(n, v)).collect();
            call(FUNCTIONS[*f].0, &list)
        }
    }
}

fn binary(op: Binary, a: Jet, b: Jet) -> Jet {
    match op {
        Binary::Add => add(a, b, 1.0),
        Binary::Subtract => add(a, b, -1.0),
        Binary::Multiply => multiply(a, b),
        Binary::Divide => {
            multiply(a, chain(b, 1.0 / b.x, -1.0 / (b.x * b.x), 2.0 / (b.x * b.x * b.x)))
        }
        Binary::Remainder => {
            let turns = (a.x / b.x).floor();
            add(a, Jet { x: b.x * turns, d: b.d * turns, dd: b.dd * turns }, -1.0)
        }
        Binary::Power => power(a, b),
        Binary::Less => truth(a.x < b.x),
        Binary::LessEqual => truth(a.x <= b.x),
        Binary::Greater => truth(a.x > b.x),
        Binary::GreaterEqual => truth(a.x >= b.x),
        Binary::Equal => truth(a.x == b.x),
        Binary::NotEqual => truth(a.x != b.x),
        Binary::And => truth(a.x != 0.0 && b.x != 0.0),
        Binary::Or => truth(a.x != 0.0 || b.x != 0.0),
    }
}

fn call(name: &str, list: &[Jet]) -> Jet {
    let a = list[0];
    match name {
        "sin" => chain(a, fun::sin(a.x), fun::cos(a.x), -fun::sin(a.x)),
        "cos" => chain(a, fun::cos(a.x), -fun::sin(a.x), -fun::cos(a.x)),
        "tan" => {
            let t = libm::tan(a.x);
            chain(a, t, 1.0 + t * t, 2.0 * t * (1.0 + t * t))
        }
        "asin" | "acos" => {
            let s = 1.0 - a.x * a.x;
            let (f1, f2) = (1.0 / s.sqrt(), a.x / (s * s.sqrt()));
            if name == "asin" {
                chain(a, fun::asin(a.x), f1, f2)
            } else {
                chain(a, fun::acos(a.x), -f1, -f2)
            }
        }
        "atan2" => {
            // φ' = (x y' − y x')/r²
            let (y, x) = (a, list[1]);
            let r2 = x.x * x.x + y.x * y.x;
            let turn = x.x * y.d - y.x * x.d;
            let change = x.x * y.dd - y.x * x.dd;
            let dr2 = 2.0 * (x.x * x.d + y.x * y.d);
            Jet { x: fun::atan2(y.x, x.x), d: turn / r2, dd: (change - turn / r2 * dr2) / r2 }
        }
        "sqrt" => root(a),
        "exp" => {
            let e = fun::exp(a.x);
            chain(a, e, e, e)
        }
        "ln" => logarithm(a),
        "log2" => {
            let k = std::f64::consts::LOG2_E;
            Jet { x: libm::log2(a.x), ..multiply(logarithm(a), constant(k)) }
        }
        "abs" => multiply(a, constant(if a.x < 0.0 { -1.0 } else { 1.0 })),
        "sign" => constant(if a.x == 0.0 { 0.0 } else { a.x.signum() }),
        "floor" => constant(a.x.floor()),
        "ceil" => constant(a.x.ceil()),
        "round" => constant(a.x.round()),
        "min" => list.iter().copied().reduce(|m, x| if x.x < m.x { x } else { m }).unwrap_or(a),
        "max" => list.iter().copied().reduce(|m, x| if x.x > m.x { x } else { m }).unwrap_or(a),
        "hypot" => root(list.iter().fold(Jet::default(), |s, x| add(s, multiply(*x, *x), 1.0))),
        _ => truth(a.x >= 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_the_differences_of_values() {
        let texts = [
            "3 * t^3 - 2 * t + 1",
            "sin(2 * t) / (1 + t^2)",
            "sqrt(1 + t) * exp(-t) - ln(2 + t)",
            "atan2(sin(t), 1 + t) + asin(t / 3) - acos(t / 4)",
            "t < 0.2 ? t^2 : cos(3 * t)",
            "max(t, 0.1) * min(1, t) + hypot(t, 2, 1 - t) + abs(t - 4)",
            "(1 + t)^(2 + t) + 2 ^ t + tan(t / 2) + log2(3 + t)",
            "30 deg * t",
        ];
        let h = 1e-4;
        for text in texts {
            let f = Expression::new(text, &["t"], &[]).unwrap();
            for t in [0.3, 0.7] {
                let at = |t: f64| f.along(&[(t, 1.0, 0.0)]);
                let (_, d, dd) = at(t);
                let rate = (at(t + h).0 - at(t - h).0) / (2.0 * h);
                let second = (at(t + h).1 - at(t - h).1) / (2.0 * h);
                assert!((rate - d).abs() < 1e-6 * (1.0 + d.abs()), "{text}: {rate} {d}");
                assert!((second - dd).abs() < 1e-6 * (1.0 + dd.abs()), "{text}: {second} {dd}");
            }
        }
    }

    #[test]
    fn a_closed_text_means_the_same_without_its_constants() {
        let constants = [("n", -0.3), ("radius", 1e-7), ("w", 2.5)];
        let text = "radius * cos(w * t) ^ n - (t < n ? w : -n) + max(n, radius, w) * n";
        let open = Expression::new(text, &["t"], &constants).unwrap();
        let closed = Expression::new(open.closed(), &["t"], &[]).unwrap();
        for t in [-1.0, 0.0, 0.4, 3.0] {
            // the root of a negative cosine is not a number in both
            let bits = |e: &Expression| {
                let (value, rate, second) = e.along(&[(t, 1.0, 0.0)]);
                [value, rate, second].map(f64::to_bits)
            };
            assert_eq!(bits(&open), bits(&closed), "{}", open.closed());
        }
    }

    #[test]
    fn unknown_names_and_functions_are_refused_with_their_place() {
        let e = Expression::new("2 * q", &["t"], &[]).unwrap_err();
        assert_eq!((e.span, e.message.as_str()), (4..5, "`q` is not known here"));
        assert!(Expression::new("foo(t)", &["t"], &[]).is_err());
        assert!(Expression::new("sin(t, t)", &["t"], &[]).is_err());
    }
}
