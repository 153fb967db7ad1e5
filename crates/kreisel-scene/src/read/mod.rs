//! Reading typed values out of the tree, with every problem noted at its place and reading going
//! on.
//!
//! A getter returns `None` after it has noted a problem, so that callers need only `?` and all
//! problems of a scene come out in one go.

mod fields;
mod repeat;
mod value;

pub(crate) use fields::Fields;

use crate::expr::{ExprError, Scope};
use crate::files::Files;
use crate::node::Node;
use crate::problem::{Code, Problem, Severity};
use crate::robot::Robot;
use crate::source::{Place, Source, Span};
use std::path::PathBuf;

/// Most errors, and most warnings, that are noted; a scene that is no scene at all has one per
/// line.
const MAX_PROBLEMS: usize = 30;

/// Most work that reading may take, in characters of evaluated text: about half a second.
/// Repetition multiplies whatever an item holds, so counting items alone would not bound the time.
const MAX_WORK: usize = 10_000_000;

/// The state of reading: the text, the names that expressions may use, the problems so far.
pub(crate) struct Reader {
    /// The text that is being read.
    pub source: Source,
    /// The folder that its paths start from; none for a text that did not come from a file.
    pub folder: Option<PathBuf>,
    pub scope: Scope,
    pub problems: Vec<Problem>,
    /// What reads other files.
    pub files: Files,
    errors: usize,
    /// Items (bodies, joints, …) made so far by repetition.
    items: usize,
    /// Most of them.
    pub most_items: usize,
    work: usize,
    /// Warnings that are given once with their number.
    counted: Vec<Counted>,
    /// Whether what is lost of a robot's file is a warning.
    pub lenient: bool,
    /// Coordinates, controls and keyframes of the model that was read last.
    pub robot: Option<Robot>,
}

/// A warning that many places may give.
struct Counted {
    kind: String,
    code: Code,
    place: Place,
    message: String,
    label: &'static str,
    help: Option<String>,
    count: usize,
    severity: Severity,
}

impl Reader {
    pub fn new(source: Source, files: Files) -> Self {
        Self {
            source,
            folder: None,
            scope: Scope::default(),
            problems: Vec::new(),
            files,
            errors: 0,
            items: 0,
            most_items: repeat::MAX_ITEMS,
            work: 0,
            counted: Vec::new(),
            lenient: false,
            robot: None,
        }
    }

    /// Number of errors so far.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Goes over to another text, and gives the one that was being read.
    pub fn enter(
        &mut self,
        source: &Source,
        folder: Option<&PathBuf>,
    ) -> (Source, Option<PathBuf>) {
        let before = std::mem::replace(&mut self.source, source.clone());
        (before, std::mem::replace(&mut self.folder, folder.cloned()))
    }

    /// Goes back to the text that [`Self::enter`] left.
    pub fn leave(&mut self, (source, folder): (Source, Option<PathBuf>)) {
        self.source = source;
        self.folder = folder;
    }

    /// A place in the text that is being read.
    pub fn place(&self, span: &Span) -> Place {
        self.source.origin(span)
    }

    /// Counts work; false (and an error, once) when there is too much of it.
    pub fn work(&mut self, amount: usize, span: &Span) -> bool {
        let before = self.work;
        self.work = self.work.saturating_add(amount);
        if self.work > MAX_WORK && before <= MAX_WORK {
            let message =
                "the scene takes too long to read: its expressions are too many or too long";
            self.error(Code::TooLarge, span, message, "reading stopped here");
        }
        self.work <= MAX_WORK
    }

    /// Notes an error.
    pub fn error(
        &mut self,
        code: Code,
        span: &Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Note<'_> {
        self.errors += 1;
        self.note(Severity::Error, code, span, message.into(), label.into())
    }

    /// Notes a warning about the physics.
    pub fn warning(
        &mut self,
        span: &Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Note<'_> {
        self.warn(Code::Physics, span, message, label)
    }

    /// Notes a warning about the physics at a place in any of the scene's texts.
    pub fn warning_at(
        &mut self,
        place: &Place,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Note<'_> {
        let here = std::mem::replace(&mut self.source, place.source.clone());
        let noted = self.problems.len();
        self.warning(&place.span, message, label);
        self.source = here;
        Note(self.problems.get_mut(noted))
    }

    /// Notes a warning.
    pub fn warn(
        &mut self,
        code: Code,
        span: &Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Note<'_> {
        self.note(Severity::Warning, code, span, message.into(), label.into())
    }

    /// Counts a warning; [`Self::give_counted`] notes it once for its kind, at the first place,
    /// with the number of places.
    pub fn count_warning(
        &mut self,
        code: Code,
        kind: &str,
        span: &Span,
        message: String,
        label: &'static str,
        help: Option<&str>,
    ) {
        let (kind, place, help) =
            (kind.to_owned(), self.source.origin(span), help.map(str::to_owned));
        let (count, severity) = (1, Severity::Warning);
        self.counts(Counted { kind, code, place, message, label, help, count, severity });
    }

    /// Counts something whose loss changes the motion: an error, unless the reader is lenient.
    pub fn count_loss(&mut self, span: &Span, message: String) {
        let (kind, place, count) = (message.clone(), self.source.origin(span), 1);
        let (severity, label, help) = if self.lenient {
            (Severity::Warning, "left out", None)
        } else {
            let help = "it would change the motion; `--lenient` loads the file without it";
            (Severity::Error, "not read", Some(help.to_owned()))
        };
        let code = Code::Unsupported;
        self.counts(Counted { kind, code, place, message, label, help, count, severity });
    }

    fn counts(&mut self, one: Counted) {
        match self.counted.iter_mut().find(|c| c.kind == one.kind) {
            Some(known) => known.count += 1,
            None => self.counted.push(one),
        }
    }

    /// Notes what was counted.
    pub fn give_counted(&mut self) {
        for c in std::mem::take(&mut self.counted) {
            let message = match c.count {
                1 => c.message,
                n => format!("{} ({n} places like this; the first is shown)", c.message),
            };
            let here = std::mem::replace(&mut self.source, c.place.source);
            self.errors += usize::from(c.severity == Severity::Error);
            let label = c.label.to_owned();
            self.note(c.severity, c.code, &c.place.span, message, label).help_if(c.help);
            self.source = here;
        }
    }

    fn note(
        &mut self,
        severity: Severity,
        code: Code,
        span: &Span,
        message: String,
        label: String,
    ) -> Note<'_> {
        let Place { source, span } = self.source.origin(span);
        let same = |p: &Problem| p.span == span && p.message == message && p.source.is(&source);
        let known = self.problems.iter().any(same);
        let many = self.problems.iter().filter(|p| p.severity == severity).count();
        if known || many == MAX_PROBLEMS {
            return Note(None);
        }
        self.problems.push(Problem {
            severity,
            code,
            message,
            source,
            span,
            label,
            also: None,
            help: None,
        });
        Note(self.problems.last_mut())
    }

    /// Adds a remark to the help of all problems from `from` on.
    pub fn remark(&mut self, from: usize, remark: &str) {
        for problem in self.problems.iter_mut().skip(from) {
            problem.help = Some(match problem.help.take() {
                Some(help) => format!("{help} ({remark})"),
                None => remark.to_owned(),
            });
        }
    }

    /// Notes an expression's error inside the string that holds it.
    pub fn expression_error(&mut self, node: &Node, text: &str, error: ExprError) {
        let span = self.inside(node, text, &error.span);
        let help = error.help;
        self.error(Code::Expression, &span, error.message, "in this expression").help_if(help);
    }

    /// The place of a part of a string's content, or the whole string where escapes make offsets
    /// differ.
    pub fn inside(&self, node: &Node, content: &str, part: &Span) -> Span {
        let Some(start) = content_start(self.source.excerpt(&node.span), content) else {
            return node.span.clone();
        };
        let start = node.span.start + start;
        // An empty part (something is missing at the end) is shown as the last character of the
        // string.
        start + part.start..(start + part.end.max(part.start + 1)).min(node.span.end)
    }
}

/// Where the content of a string begins in its raw text, if the raw text holds it unchanged.
fn content_start(raw: &str, content: &str) -> Option<usize> {
    for quotes in ["\"\"\"", "'''"] {
        if let Some(inner) = raw.strip_prefix(quotes).and_then(|r| r.strip_suffix(quotes)) {
            // A line break right after the opening quotes does not belong to the text.
            let skip =
                if inner.starts_with("\r\n") { 2 } else { usize::from(inner.starts_with('\n')) };
            return (inner.get(skip..) == Some(content)).then_some(3 + skip);
        }
    }
    (raw.len() == content.len() + 2 && raw.get(1..raw.len() - 1) == Some(content)).then_some(1)
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

    /// Points at a second place; one in another text is named in words.
    pub fn also(mut self, place: &Place, text: impl Into<String>) -> Self {
        if let Some(p) = &mut self.0 {
            let text = text.into();
            if p.source.is(&place.source) {
                p.also = Some((place.span.clone(), text));
            } else {
                let (line, column) = place.source.line_column(place.span.start);
                let there = format!("{text}: {}:{line}:{column}", place.source.name);
                p.help =
                    Some(p.help.take().map_or_else(|| there.clone(), |h| format!("{h}; {there}")));
            }
        }
        self
    }
}

/// Reads a key that may be absent: the outer `None` is a noted problem, the inner one absence.
pub(crate) fn optional<T>(
    node: Option<&Node>,
    read: impl FnOnce(&Node) -> Option<T>,
) -> Option<Option<T>> {
    match node {
        Some(n) => read(n).map(Some),
        None => Some(None),
    }
}
