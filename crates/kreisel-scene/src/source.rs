//! The text of a scene with its name, and positions in it.

use std::ops::Range;
use std::sync::Arc;

/// A range of bytes in the text of a scene.
pub type Span = Range<usize>;

/// A place in one of the texts that a scene is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The text.
    pub source: Source,
    /// The range in it.
    pub span: Span,
}

/// A scene's text and the name it is shown under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Name for messages: the path as the user wrote it.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
    /// Where the parts of a text that was put together come from, in their order; empty for the
    /// text of one file.
    pieces: Arc<[Piece]>,
}

/// A part of a text that was put together from several files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where it begins in the whole.
    pub start: usize,
    /// The file it comes from, and the part of its text.
    pub source: Source,
    pub span: Span,
}

impl Source {
    /// A text under a name.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into(), pieces: Arc::default() }
    }

    /// A text made of parts of several files; the first part is of the file that names the others.
    pub(crate) fn of_pieces(name: Arc<str>, text: String, pieces: Vec<Piece>) -> Self {
        Self { name, text: text.into(), pieces: pieces.into() }
    }

    /// The file that a text begins with, as it is on disk: the text itself, unless it was put
    /// together.
    pub(crate) fn main(&self) -> &Self {
        self.pieces.first().map_or(self, |p| &p.source)
    }

    /// The file in which a place lies, and the place there.
    pub(crate) fn origin(&self, span: &Span) -> Place {
        let after = self.pieces.partition_point(|p| p.start <= span.start);
        let Some(piece) = after.checked_sub(1).and_then(|i| self.pieces.get(i)) else {
            return Place { source: self.clone(), span: span.clone() };
        };
        // A place that reaches beyond its part is cut: the rest lies in another file.
        let there = |offset: usize| {
            (piece.span.start + offset.saturating_sub(piece.start)).min(piece.span.end)
        };
        Place { source: piece.source.clone(), span: there(span.start)..there(span.end) }
    }

    /// Line and column of a byte offset, both counted from 1; columns count characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// Whether both are the same text: that of one file, read once.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.text, &other.text)
    }

    /// The piece of text under a span.
    pub fn excerpt(&self, span: &Span) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_offsets_past_the_end_are_the_end() {
        let s = Source::new("t", "a = 1\nü = 2\n");
        assert_eq!(s.line_column(0), (1, 1));
        assert_eq!(s.line_column(9), (2, 3), "ü is two bytes but one column");
        assert_eq!(s.line_column(999), (3, 1));
    }
}
