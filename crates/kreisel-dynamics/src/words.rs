//! The words of enums, once: what scenes, recordings, panels, scripts and the wire call a variant.
//!
//! `words!` declares an enum whose variants have no content together with its words. Everything
//! that reads or writes one draws on [`Words`], serde included, so that a new variant is one line.

/// A word of an enum and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it is written.
    pub word: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// An enum whose variants are words.
pub trait Words: Copy + PartialEq + 'static {
    /// The words in the order of the variants.
    const WORDS: &'static [Word];
    /// The variants.
    const VARIANTS: &'static [Self];

    /// The word of a variant.
    fn word(self) -> &'static str;

    /// The variant of a word.
    fn of_word(word: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|v| v.word() == word)
    }
}

/// Declares an enum with its words; `default Variant` after it gives it a default.
macro_rules! words {
    ($(#[$meta:meta])* pub enum $E:ident { $($(#[doc = $doc:literal])* $V:ident = $word:literal,)* } $(default $D:ident)?) => {
        $(#[$meta])*
        pub enum $E { $($(#[doc = $doc])* #[serde(rename = $word)] $V,)* }

        impl $E {
            /// All of them.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$V),*];

            /// The word for it, as in scene files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$V => $word,)* }
            }
        }

        impl $crate::words::Words for $E {
            const WORDS: &'static [$crate::words::Word] =
                &[$($crate::words::Word { word: $word, doc: concat!($($doc),*) },)*];
            const VARIANTS: &'static [Self] = &Self::ALL;

            fn word(self) -> &'static str {
                self.name()
            }
        }

        $(impl Default for $E { fn default() -> Self { Self::$D } })?
    };
}
pub(crate) use words;
