//! What the value of a property looks like, and how the reference page and messages say it.

use super::Table;
use crate::problem::alternatives;
use kreisel_dynamics::words::Word;

/// What a value looks like.
#[derive(Clone, Copy)]
pub enum Form {
    /// True or false.
    Flag,
    /// A finite number.
    Number,
    /// A number that may be infinite, written as nothing: no limit.
    Unlimited,
    /// A whole number.
    Count,
    /// One of these whole numbers.
    OneOf(&'static [u32]),
    /// Three numbers.
    Vector,
    /// Four numbers, the scalar part last.
    Quaternion,
    /// A text.
    Text,
    /// A number, or an expression in variables.
    Formula,
    /// The name of an item of this kind.
    Reference(&'static str),
    /// One of several words.
    Words(&'static [Word]),
    /// A point [t, value] of a value over time: the time in s, the value in the property's unit.
    Point,
    /// From so many to so many values of one form.
    List(&'static Form, usize, usize),
    /// A colour.
    Color,
    /// A solid, several parts of one, or "point"; may also be left out.
    Shape,
    /// A table of numbers under names of the user's.
    Numbers,
    /// A nested table.
    Table(fn() -> &'static Table),
    /// Several ways to write the same, told apart by their syntax.
    Either(&'static [Form]),
    /// May also be left out, or "none".
    Optional(&'static Form),
}

impl Form {
    /// The nested table that a value of this form can be.
    pub fn table(&self) -> Option<&'static Table> {
        match self {
            Self::Table(table) => Some(table()),
            Self::Optional(form) => form.table(),
            Self::Either(forms) => forms.iter().find_map(Self::table),
            _ => None,
        }
    }

    /// Whether "none" stands for nothing.
    pub fn is_optional(&self) -> bool {
        matches!(self, Self::Shape | Self::Color)
            || matches!(self, Self::Optional(inner) if !matches!(inner, Self::Words(_)) || !inner.takes_text("none"))
    }

    /// Whether a text is a value of this form as it stands: a name or a word.
    pub fn takes_text(&self, text: &str) -> bool {
        match self {
            Self::Text | Self::Reference(_) | Self::Formula | Self::Color => true,
            Self::Shape => text == "point",
            Self::Words(words) => words.iter().any(|w| w.word == text),
            Self::Either(forms) => forms.iter().any(|f| f.takes_text(text)),
            Self::Optional(form) => form.takes_text(text),
            _ => false,
        }
    }

    /// Whether a value is written like this form; what it holds may still be wrong.
    pub fn fits(&self, value: &super::Value) -> bool {
        use super::Value as V;
        match self {
            Self::Flag => matches!(value, V::Flag(_)),
            Self::Number | Self::Unlimited | Self::Count | Self::OneOf(_) => {
                matches!(value, V::Number(_))
            }
            Self::Text | Self::Reference(_) | Self::Words(_) => matches!(value, V::Text(_)),
            Self::Formula => matches!(value, V::Number(_) | V::Text(_)),
            Self::Color => matches!(value, V::Text(_) | V::None),
            Self::Shape => match value {
                V::Text(word) => self.takes_text(word),
                other => matches!(other, V::Table(_) | V::List(_) | V::Solid(_) | V::None),
            },
            Self::Vector | Self::Quaternion => {
                matches!(value, V::List(items) if items.iter().all(|i| matches!(i, V::Number(_))))
            }
            Self::Point => matches!(value, V::List(_)),
            Self::Numbers => {
                matches!(value, V::Table(e) if e.iter().all(|e| matches!(e.1, V::Number(_))))
            }
            Self::List(form, ..) => {
                matches!(value, V::List(items) if items.iter().all(|i| form.fits(i)))
            }
            Self::Table(_) => matches!(value, V::Table(_)),
            Self::Either(forms) => forms.iter().any(|f| f.fits(value)),
            Self::Optional(form) => *value == V::None || form.fits(value),
        }
    }

    /// In words, with the unit: "[x, y, z] m/s²".
    pub fn describe(&self, unit: &str) -> String {
        let with = |words: &str| {
            if unit.is_empty() { words.to_owned() } else { format!("{words} {unit}") }
        };
        match self {
            Self::Flag => "true or false".into(),
            // angles and their rates take a unit of their own
            Self::Number | Self::Unlimited if unit == "rad" => "angle".into(),
            Self::Number | Self::Unlimited if unit == "rad/s" => "angular velocity".into(),
            Self::Number | Self::Unlimited if !unit.is_empty() => unit.to_owned(),
            Self::Number | Self::Unlimited => "number".into(),
            Self::Count => "count".into(),
            Self::OneOf(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
                alternatives(numbers.iter().map(String::as_str))
            }
            Self::Vector => with("[x, y, z]"),
            Self::Quaternion => "[x, y, z, w]".into(),
            Self::Color => "\"#rrggbb\" or a name".into(),
            Self::Numbers => "table of numbers".into(),
            Self::Shape => "table `shape`, array of tables, or \"point\"".into(),
            Self::Text => "text".into(),
            Self::Formula => "expression".into(),
            Self::Reference(kind) => format!("name of a {kind}"),
            Self::Words(words) => {
                let words: Vec<String> = words.iter().map(|w| format!("\"{}\"", w.word)).collect();
                alternatives(words.iter().map(String::as_str))
            }
            Self::Point => format!("[s, {}]", if unit.is_empty() { "value" } else { unit }),
            Self::List(Self::Vector, 2, 2) => with("two points [x, y, z]"),
            Self::List(Self::Reference(_) | Self::Text, 2, 2) => "[name, name]".into(),
            Self::List(Self::Words(_), 2, 2) => "[word, word]".into(),
            Self::List(Self::Reference(_), ..) => "array of names".into(),
            Self::List(Self::Formula, 3, 3) => "three expressions".into(),
            Self::List(Self::Table(table), ..) if table().title.starts_with("a ") => {
                format!("array of {}s", &table().title[2..])
            }
            Self::List(Self::Table(table), ..) => format!("array of tables `{}`", table().name),
            Self::List(form, min, max) if min == max => {
                format!("[{}]", vec![form.describe(unit); *min].join(", "))
            }
            Self::List(form, ..) => format!("array of {}", form.describe(unit)),
            Self::Table(table) if table().title.contains(' ') => table().title.into(),
            Self::Table(table) => format!("table `{}`", table().name),
            Self::Either(forms) => {
                forms.iter().map(|f| f.describe(unit)).collect::<Vec<_>>().join(", or ")
            }
            Self::Optional(form) => form.describe(unit),
        }
    }
}
