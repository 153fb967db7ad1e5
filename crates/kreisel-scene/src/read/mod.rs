//! Reading typed values out of the tree, with every problem noted at its place and reading going on.
//!
//! A getter returns `None` after it has noted a problem, so that callers need only `?` and all problems of a scene
//! come out in one go.

mod fields;
mod repeat;
mod value;

pub(crate) use fields::Fields;

use crate::expr::{ExprError, Scope};
use crate::node::Node;
use crate::problem::{Code, Problem, Severity};
use crate::source::{Source, Span};

/// Most problems that are noted; a scene that is no scene at all has one per line.
const MAX_PROBLEMS: usize = 30;

/// The state of reading: the text, the names that expressions may use, the problems so far.
pub(crate) struct Reader {
    pub source: Source,
    pub scope: Scope,
    pub problems: Vec<Problem>,
    /// Items (bodies, joints, …) made so far by repetition.
    items: usize,
}

impl Reader {
    pub fn new(source: Source) -> Self {
        Self { source, scope: Scope::default(), problems: Vec::new(), items: 0 }
    }

    /// Number of errors so far.
    pub fn errors(&self) -> usize {
        self.problems.iter().filter(|p| p.severity == Severity::Error).count()
    }

    /// Notes an error.
    pub fn error(&mut self, code: Code, span: &Span, message: impl Into<String>, label: impl Into<String>) -> Note<'_> {
        self.note(Severity::Error, code, span, message.into(), label.into())
    }

    /// Notes a warning.
    pub fn warning(&mut self, span: &Span, message: impl Into<String>, label: impl Into<String>) -> Note<'_> {
        self.note(Severity::Warning, Code::Physics, span, message.into(), label.into())
    }

    fn note(&mut self, severity: Severity, code: Code, span: &Span, message: String, label: String) -> Note<'_> {
        let known = self.problems.iter().any(|p| p.span == *span && p.message == message);
        if known || self.problems.len() == MAX_PROBLEMS {
            return Note(None);
        }
        self.problems.push(Problem {
            severity,
            code,
            message,
            source: self.source.clone(),
            span: span.clone(),
            label,
            also: None,
            help: None,
        });
        Note(self.problems.last_mut())
    }

    /// Notes an expression's error inside the string that holds it.
    pub fn expression_error(&mut self, node: &Node, text: &str, error: ExprError) {
        let span = self.inside(node, text, &error.span);
        let help = error.help;
        self.error(Code::Expression, &span, error.message, "in this expression").help_if(help);
    }

    /// The place of a part of a string's content, or the whole string where escapes make offsets differ.
    fn inside(&self, node: &Node, content: &str, part: &Span) -> Span {
        let raw = self.source.excerpt(&node.span);
        let plain = raw.len() == content.len() + 2 && raw.get(1..raw.len() - 1) == Some(content);
        if !plain {
            return node.span.clone();
        }
        let start = node.span.start + 1;
        // An empty part (something is missing at the end) is shown as the last character of the string.
        start + part.start..start + part.end.max(part.start + 1).min(content.len() + 1)
    }
}

/// A problem just noted, to be completed; empty when the same problem was noted before.
pub(crate) struct Note<'a>(Option<&'a mut Problem>);

impl Note<'_> {
    /// Adds what helps.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        if let Some(p) = &mut self.0 {
            p.help = Some(help.into());
        }
        self
    }

    /// Adds what helps, if anything does.
    pub fn help_if(self, help: Option<String>) -> Self {
        match help {
            Some(h) => self.help(h),
            None => self,
        }
    }

    /// Points at a second place.
    pub fn also(mut self, span: &Span, text: impl Into<String>) -> Self {
        if let Some(p) = &mut self.0 {
            p.also = Some((span.clone(), text.into()));
        }
        self
    }
}

/// Reads a key that may be absent: the outer `None` is a noted problem, the inner one absence.
pub(crate) fn optional<T>(node: Option<&Node>, read: impl FnOnce(&Node) -> Option<T>) -> Option<Option<T>> {
    match node {
        Some(n) => read(n).map(Some),
        None => Some(None),
    }
}
