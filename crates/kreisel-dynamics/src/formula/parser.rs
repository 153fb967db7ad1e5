//! Tokens to a tree, by recursive descent with a limit on depth.

use super::lexer::{Spanned, Token, tokens};
use super::{ExprError, Unit};
use std::ops::Range;

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 64;

/// A node of an expression with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Its place in the text, in bytes.
    pub span: Range<usize>,
    /// What it does.
    pub node: Op,
}

/// What a node does.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Number(f64),
    Name(String),
    Unit(Box<Tree>, f64, Unit),
    Negate(Box<Tree>),
    Not(Box<Tree>),
    Binary(Binary, Box<Tree>, Box<Tree>),
    Choice(Box<Tree>, Box<Tree>, Box<Tree>),
    Call(String, Vec<Tree>),
}

/// Operators with two operands.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Power,
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

/// Levels of left-associative operators, loosest first.
const LEVELS: [&[(&str, Binary)]; 5] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[
        ("<=", Binary::LessEqual),
        ("<", Binary::Less),
        (">=", Binary::GreaterEqual),
        (">", Binary::Greater),
        ("==", Binary::Equal),
        ("!=", Binary::NotEqual),
    ],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];

/// Parses a whole expression.
pub fn parse(text: &str) -> Result<Tree, ExprError> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, end: text.len(), depth: 0 };
    let tree = parser.choice()?;
    match parser.peek() {
        None => Ok(tree),
        Some((token, span)) => {
            let what = match token {
                Token::Op(op) => format!("`{op}`"),
                Token::Name(name) => format!("`{name}`"),
                Token::Number(_) | Token::Unit(..) => format!("`{}`", &text[span.clone()]),
            };
            Err(ExprError::new(format!("{what} is not expected here"), span))
        }
    }
}

struct Parser<'a> {
    tokens: Vec<Spanned<'a>>,
    at: usize,
    end: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Spanned<'a>> {
        self.tokens.get(self.at).cloned()
    }

    fn take(&mut self, op: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some((Token::Op(o), _)) if *o == op);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, op: &str, what: &str) -> Result<(), ExprError> {
        if self.take(op) {
            return Ok(());
        }
        let span = self.peek().map_or(self.end..self.end, |(_, s)| s);
        Err(ExprError::new(format!("`{op}` is missing {what}"), span))
    }

    fn here(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |(_, s)| s.start)
    }

    fn last_end(&self) -> usize {
        self.at.checked_sub(1).and_then(|k| self.tokens.get(k)).map_or(0, |(_, s)| s.end)
    }

    fn tree(&self, start: usize, node: Op) -> Tree {
        Tree { span: start..self.last_end(), node }
    }

    fn nested<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> Result<T, ExprError>,
    ) -> Result<T, ExprError> {
        if self.depth == MAX_DEPTH {
            return Err(ExprError::new(
                format!("nested deeper than {MAX_DEPTH} levels"),
                self.here()..self.end,
            ));
        }
        self.depth += 1;
        let out = f(self);
        self.depth -= 1;
        out
    }

    fn choice(&mut self) -> Result<Tree, ExprError> {
        self.nested(|p| {
            let start = p.here();
            let condition = p.level(0)?;
            if !p.take("?") {
                return Ok(condition);
            }
            let yes = p.choice()?;
            p.expect(":", "between the two sides of a choice `c ? a : b`")?;
            let no = p.choice()?;
            Ok(p.tree(start, Op::Choice(Box::new(condition), Box::new(yes), Box::new(no))))
        })
    }

    fn level(&mut self, level: usize) -> Result<Tree, ExprError> {
        let Some(operators) = LEVELS.get(level) else { return self.sign() };
        let start = self.here();
        let mut left = self.level(level + 1)?;
        while let Some(&(_, op)) = operators.iter().find(|(text, _)| self.take(text)) {
            let right = self.level(level + 1)?;
            left = self.tree(start, Op::Binary(op, Box::new(left), Box::new(right)));
        }
        Ok(left)
    }

    fn sign(&mut self) -> Result<Tree, ExprError> {
        let start = self.here();
        if self.take("-") {
            let inner = self.nested(Self::sign)?;
            return Ok(self.tree(start, Op::Negate(Box::new(inner))));
        }
        if self.take("!") {
            let inner = self.nested(Self::sign)?;
            return Ok(self.tree(start, Op::Not(Box::new(inner))));
        }
        if self.take("+") {
            return self.nested(Self::sign);
        }
        self.power()
    }

    fn power(&mut self) -> Result<Tree, ExprError> {
        let start = self.here();
        let base = self.suffixed()?;
        if !self.take("^") {
            return Ok(base);
        }
        let exponent = self.nested(Self::sign)?;
        Ok(self.tree(start, Op::Binary(Binary::Power, Box::new(base), Box::new(exponent))))
    }

    fn suffixed(&mut self) -> Result<Tree, ExprError> {
        let start = self.here();
        let inner = self.primary()?;
        if let Some((Token::Unit(factor, unit), _)) = self.peek() {
            self.at += 1;
            return Ok(self.tree(start, Op::Unit(Box::new(inner), factor, unit)));
        }
        Ok(inner)
    }

    fn primary(&mut self) -> Result<Tree, ExprError> {
        let Some((token, span)) = self.peek() else {
            return Err(ExprError::new(
                "the expression ends where a number or a name is expected",
                self.end..self.end,
            ));
        };
        self.at += 1;
        match token {
            Token::Number(value) => Ok(self.tree(span.start, Op::Number(value))),
            Token::Name(name) => {
                if !self.take("(") {
                    return Ok(self.tree(span.start, Op::Name(name.to_owned())));
                }
                let mut arguments = Vec::new();
                while !self.take(")") {
                    if !arguments.is_empty() {
                        self.expect(",", "between arguments")?;
                    }
                    arguments.push(self.choice()?);
                }
                Ok(self.tree(span.start, Op::Call(name.to_owned(), arguments)))
            }
            Token::Op("(") => {
                let inner = self.choice()?;
                self.expect(")", "to close the bracket")?;
                Ok(Tree { span: span.start..self.last_end(), ..inner })
            }
            Token::Op(op) => Err(ExprError::new(
                format!("`{op}` stands where a number or a name is expected"),
                span,
            )),
            Token::Unit(..) => {
                Err(ExprError::new("a unit stands where a number or a name is expected", span))
            }
        }
    }
}
