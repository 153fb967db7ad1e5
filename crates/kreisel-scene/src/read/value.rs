//! Single values: numbers, vectors, texts, flags, choices.

use super::Reader;
use crate::expr::{Number, Unit, evaluate, interpolate};
use crate::node::{Node, Table, Value};
use crate::problem::{Code, alternatives, nearest};
use kreisel_dynamics::Vec3;
use kreisel_dynamics::words::Words;

impl Reader {
    pub fn wrong_type(&mut self, node: &Node, wanted: &str) {
        let found = node.kind();
        self.error(
            Code::WrongType,
            &node.span,
            format!("expected {wanted}, found {found}"),
            format!("this is {found}"),
        );
    }

    /// A number, plain or as an expression, with whatever unit it has.
    pub fn any_number(&mut self, node: &Node) -> Option<Number> {
        match &node.value {
            Value::Number(x) => Some(Number::plain(*x)),
            Value::Text(text) if !self.work(text.len(), &node.span) => None,
            Value::Text(text) => match evaluate(text, &self.scope) {
                Ok(n) => Some(n),
                Err(e) => {
                    self.expression_error(node, text, e);
                    None
                }
            },
            _ => {
                self.wrong_type(node, "a number or an expression");
                None
            }
        }
    }

    /// A number in SI units; one with a unit suffix must measure what is wanted.
    pub fn number_or_infinite(&mut self, node: &Node, wanted: Unit) -> Option<f64> {
        if !self.work(1, &node.span) {
            return None;
        }
        let n = self.any_number(node)?;
        if n.value.is_nan() {
            self.error(Code::WrongValue, &node.span, "this is not a number", "not a number");
            return None;
        }
        if n.unit == Unit::Plain || n.unit == wanted {
            return Some(n.value);
        }
        let name = |unit| match unit {
            Unit::Plain => "a number in SI units",
            Unit::Angle => "an angle",
            Unit::Rate => "an angular velocity",
        };
        let help = match wanted {
            Unit::Plain => {
                "only angles and angular velocities take a unit; everything else is a plain number in SI units"
            }
            Unit::Angle => "write \"30 deg\", or a plain number in rad",
            Unit::Rate => "write \"30 deg/s\" or \"60 rpm\", or a plain number in rad/s",
        };
        let message = format!("expected {}, found {}", name(wanted), name(n.unit));
        self.error(Code::WrongUnit, &node.span, message, "wrong unit").help(help);
        None
    }

    /// A finite number.
    pub fn number(&mut self, node: &Node, wanted: Unit) -> Option<f64> {
        let x = self.number_or_infinite(node, wanted)?;
        if x.is_finite() {
            return Some(x);
        }
        self.error(Code::WrongValue, &node.span, "this must be finite", "not finite");
        None
    }

    /// A plain finite number.
    pub fn plain(&mut self, node: &Node) -> Option<f64> {
        self.number(node, Unit::Plain)
    }

    /// A plain positive number.
    pub fn positive(&mut self, node: &Node, what: &str) -> Option<f64> {
        let x = self.plain(node)?;
        if x > 0.0 {
            return Some(x);
        }
        self.error(
            Code::WrongValue,
            &node.span,
            format!("{what} must be positive, it is {x}"),
            "must be positive",
        );
        None
    }

    /// A restitution.
    pub fn fraction(&mut self, node: &Node) -> Option<f64> {
        let e = self.plain(node)?;
        if (0.0..=1.0).contains(&e) {
            return Some(e);
        }
        let message = format!("the restitution must be from 0 to 1, it is {e}");
        self.error(Code::WrongValue, &node.span, message, "not possible");
        None
    }

    /// A whole number from 0 to `most`.
    pub fn count(&mut self, node: &Node, what: &str, most: u32) -> Option<u32> {
        let x = self.plain(node)?;
        if x.fract() == 0.0 && (0.0..=f64::from(most)).contains(&x) {
            return Some(x as u32);
        }
        let message = format!("{what} must be a whole number from 0 to {most}, it is {x}");
        self.error(Code::WrongValue, &node.span, message, "not such a number");
        None
    }

    /// The items of an array with a fixed length.
    pub fn array<'n>(&mut self, node: &'n Node, length: usize, wanted: &str) -> Option<&'n [Node]> {
        match &node.value {
            Value::Array(items) if items.len() == length => Some(items),
            Value::Array(items) => {
                let message = format!("expected {wanted}, found an array of {}", items.len());
                self.error(Code::WrongType, &node.span, message, format!("{} values", items.len()));
                None
            }
            _ => {
                self.wrong_type(node, wanted);
                None
            }
        }
    }

    /// Three numbers.
    pub fn vec3(&mut self, node: &Node, unit: Unit) -> Option<Vec3> {
        let items = self.array(node, 3, "an array of three numbers [x, y, z]")?;
        let [x, y, z] = [0, 1, 2].map(|k| self.number(&items[k], unit));
        Some(Vec3::new(x?, y?, z?))
    }

    /// A text with expressions in braces.
    pub fn text(&mut self, node: &Node) -> Option<String> {
        let Value::Text(text) = &node.value else {
            self.wrong_type(node, "a string");
            return None;
        };
        if !self.work(text.len(), &node.span) {
            return None;
        }
        match interpolate(text, &self.scope) {
            Ok(out) => Some(out),
            Err(e) => {
                self.expression_error(node, text, e);
                None
            }
        }
    }

    /// True or false.
    pub fn flag(&mut self, node: &Node) -> Option<bool> {
        if let Value::Bool(b) = node.value {
            return Some(b);
        }
        self.wrong_type(node, "true or false");
        None
    }

    /// A table.
    pub fn table<'n>(&mut self, node: &'n Node, wanted: &str) -> Option<&'n Table> {
        if let Value::Table(table) = &node.value {
            return Some(table);
        }
        self.wrong_type(node, wanted);
        None
    }

    /// A word of an enum.
    pub fn word<E: Words>(&mut self, node: &Node, what: &str) -> Option<E> {
        let words: Vec<(&str, E)> = E::VARIANTS.iter().map(|v| (v.word(), *v)).collect();
        self.choice(node, what, &words)
    }

    /// One of several words.
    pub fn choice<T: Copy>(&mut self, node: &Node, what: &str, choices: &[(&str, T)]) -> Option<T> {
        let Value::Text(word) = &node.value else {
            let wanted = alternatives(choices.iter().map(|c| c.0));
            self.wrong_type(node, &format!("a {what}: {wanted}"));
            return None;
        };
        if let Some(&(_, found)) = choices.iter().find(|c| c.0 == word) {
            return Some(found);
        }
        let help = match nearest(word, choices.iter().map(|c| c.0)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("use {}", alternatives(choices.iter().map(|c| c.0))),
        };
        let article = if what.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        let message = format!("\"{word}\" is not {article} {what}");
        self.error(Code::WrongValue, &node.span, message, format!("unknown {what}")).help(help);
        None
    }
}
