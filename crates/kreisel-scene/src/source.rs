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
}

impl Source {
    /// A text under a name.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into() }
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
