//! What is wrong (or suspicious) in a scene, where, and what helps.

use crate::source::{Source, Span};
use miette::{LabeledSpan, SourceCode, SourceSpan};
use std::fmt;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The scene runs, but probably not as it was meant.
    Warning,
    /// The scene cannot be built.
    Error,
}

/// The kind of a problem: a stable name for programs and for looking it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it; each is shown by a file in scenes/broken")]
pub enum Code {
    File,
    Syntax,
    UnknownKey,
    MissingKey,
    WrongType,
    WrongUnit,
    WrongValue,
    Expression,
    Script,
    Unsupported,
    Mesh,
    UnknownName,
    DuplicateName,
    Cycle,
    TooLarge,
    Model,
    Physics,
}

impl Code {
    /// The name, as in `scene::unknown-key`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "scene::file",
            Self::Syntax => "scene::syntax",
            Self::UnknownKey => "scene::unknown-key",
            Self::MissingKey => "scene::missing-key",
            Self::WrongType => "scene::wrong-type",
            Self::WrongUnit => "scene::wrong-unit",
            Self::WrongValue => "scene::wrong-value",
            Self::Expression => "scene::expression",
            Self::Script => "scene::script",
            Self::Unsupported => "scene::unsupported",
            Self::Mesh => "scene::mesh",
            Self::UnknownName => "scene::unknown-name",
            Self::DuplicateName => "scene::duplicate-name",
            Self::Cycle => "scene::cycle",
            Self::TooLarge => "scene::too-large",
            Self::Model => "scene::model",
            Self::Physics => "scene::physics",
        }
    }
}

/// One problem, tied to a place in the scene's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Its kind.
    pub code: Code,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The text it is in.
    pub source: Source,
    /// The place.
    pub span: Span,
    /// A few words at the place.
    pub label: String,
    /// A second place that has to do with it.
    pub also: Option<(Span, String)>,
    /// What helps.
    pub help: Option<String>,
}

impl Problem {
    /// Line and column, counted from 1.
    pub fn line_column(&self) -> (usize, usize) {
        self.source.line_column(self.span.start)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl miette::Diagnostic for Problem {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code.name()))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h) as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if self.source.text.is_empty() {
            return None;
        }
        let main = LabeledSpan::new_primary_with_span(Some(self.label.clone()), self.span.clone());
        let also = self
            .also
            .iter()
            .map(|(span, text)| LabeledSpan::new_with_span(Some(text.clone()), span.clone()));
        Some(Box::new(std::iter::once(main).chain(also)))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        if self.source.text.is_empty() { None } else { Some(&self.source) }
    }
}

impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let text: &str = &self.text;
        let inner = SourceCode::read_span(text, span, before, after)?;
        Ok(Box::new(miette::MietteSpanContents::new_named(
            self.name.to_string(),
            inner.data(),
            *inner.span(),
            inner.line(),
            inner.column(),
            inner.line_count(),
        )))
    }
}

/// Why a scene could not be loaded: all problems found, in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    /// Every problem, warnings included; at least one is an error.
    pub problems: Vec<Problem>,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.problems.iter().filter(|p| p.severity == Severity::Error).count();
        match self.problems.iter().find(|p| p.severity == Severity::Error) {
            Some(first) if errors == 1 => {
                let (line, column) = first.line_column();
                write!(f, "{}:{line}:{column}: {first}", first.source.name)
            }
            Some(first) => write!(f, "{} has {errors} errors", first.source.name),
            None => f.write_str("the scene has no errors"),
        }
    }
}

impl std::error::Error for SceneError {}

impl miette::Diagnostic for SceneError {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|p| p as &dyn miette::Diagnostic)))
    }
}

/// The nearest of `known` to a mistyped `word`, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(&lower, &k.to_lowercase()), k))
        .filter(|&(d, k)| d <= 1 + k.chars().count() / 4)
        .min_by_key(|&(d, _)| d)
        .map(|(_, k)| k)
}

/// "a, b or c".
pub(crate) fn alternatives<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_is_recognised_and_a_different_word_is_not() {
        let keys = ["mass", "density", "position", "velocity"];
        assert_eq!(nearest("positon", keys), Some("position"));
        assert_eq!(nearest("Mass", keys), Some("mass"));
        assert_eq!(nearest("colour", keys), None);
    }

    #[test]
    fn alternatives_read_like_a_sentence() {
        assert_eq!(alternatives(["a", "b", "c"]), "a, b or c");
        assert_eq!(alternatives(["a"]), "a");
        assert_eq!(alternatives([]), "");
    }
}
