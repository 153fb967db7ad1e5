//! Expressions over recorded quantities.
//!
//! ```text
//! sum     = product (("+" | "-") product)*
//! product = power (("*" | "/") power)*
//! power   = ["-"] atom ["^" power]
//! atom    = number | name | "text" | function "(" sum ("," sum)* ")" | "(" sum ")"
//! ```
//!
//! A name is a recorded quantity (`report.rounds`, `arm.position.x`), one of the definitions,
//! `time`, or a figure of the scene (`info.rank`). A quantity with blanks in its name is written in
//! quotes: `"link 3.position.x"`.

use std::collections::BTreeSet;

/// Deepest nesting.
const MAX_DEPTH: usize = 64;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Number(f64),
    /// A quantity or definition; or the text of an argument.
    Name(String),
    Call(String, Vec<Expression>),
    /// Operator and operands.
    Binary(char, Box<Expression>, Box<Expression>),
}

impl Expression {
    /// Parses; the error says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text, depth: 0 };
        let out = parser.sum()?;
        match parser.rest.trim_start() {
            "" => Ok(out),
            rest => Err(format!("\"{text}\" does not go on with \"{rest}\"")),
        }
    }

    /// All names in it.
    pub fn names(&self, out: &mut BTreeSet<String>) {
        match self {
            Self::Number(_) => {}
            Self::Name(name) => {
                out.insert(name.clone());
            }
            // The arguments of `ref` and the first of `of` are texts.
            Self::Call(f, _) if f == "ref" => {}
            Self::Call(f, arguments) => {
                arguments.iter().skip(usize::from(f == "of")).for_each(|a| a.names(out));
            }
            Self::Binary(_, a, b) => {
                a.names(out);
                b.names(out);
            }
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn eat(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn operator(&mut self, all: &[char]) -> Option<char> {
        all.iter().copied().find(|c| self.eat(*c))
    }

    fn sum(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("an expression is nested too deeply".into());
        }
        let mut left = self.product()?;
        while let Some(c) = self.operator(&['+', '-']) {
            left = Expression::Binary(c, Box::new(left), Box::new(self.product()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut left = self.power()?;
        while let Some(c) = self.operator(&['*', '/']) {
            left = Expression::Binary(c, Box::new(left), Box::new(self.power()?));
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Expression, String> {
        if self.eat('-') {
            return Ok(Expression::Binary(
                '-',
                Box::new(Expression::Number(0.0)),
                Box::new(self.power()?),
            ));
        }
        let base = self.atom()?;
        if self.eat('^') {
            return Ok(Expression::Binary('^', Box::new(base), Box::new(self.power()?)));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Expression, String> {
        if self.eat('(') {
            let inner = self.sum()?;
            return if self.eat(')') {
                Ok(inner)
            } else {
                Err("a parenthesis is not closed".into())
            };
        }
        if self.eat('"') {
            let (text, rest) = self.rest.split_once('"').ok_or("a quote is not closed")?;
            self.rest = rest;
            return Ok(Expression::Name(text.to_owned()));
        }
        let first = self.rest.chars().next().ok_or("an expression breaks off")?;
        if first.is_ascii_digit() || first == '.' {
            return self.number();
        }
        if !(first.is_alphabetic() || first == '_') {
            return Err(format!("\"{first}\" has no meaning here"));
        }
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        let name = name.to_owned();
        if !self.eat('(') {
            return Ok(Expression::Name(name));
        }
        let mut arguments = vec![self.sum()?];
        while self.eat(',') {
            arguments.push(self.sum()?);
        }
        if self.eat(')') {
            Ok(Expression::Call(name, arguments))
        } else {
            Err(format!("{name}( is not closed"))
        }
    }

    fn number(&mut self) -> Result<Expression, String> {
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            let sign = matches!(bytes[end], b'+' | b'-')
                && end > 0
                && matches!(bytes[end - 1], b'e' | b'E');
            if !(bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b'e' | b'E') || sign) {
                break;
            }
            end += 1;
        }
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text.parse().map(Expression::Number).map_err(|_| format!("\"{text}\" is no number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_texts_are_told_apart() {
        let e = Expression::parse(
            "max(abs(\"link 3.position.x\" - 2e-3*ref(\"a.csv\", \"x1\"))) / of(\"fine\", error)",
        )
        .unwrap();
        let mut names = BTreeSet::new();
        e.names(&mut names);
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["error", "link 3.position.x"]);
    }

    #[test]
    fn mistakes_are_refused() {
        for text in ["", "max(", "1 +", "a b", "\"open", "(1", "1..2", "#", &"(".repeat(1000)] {
            assert!(Expression::parse(text).is_err(), "{text}");
        }
    }
}
