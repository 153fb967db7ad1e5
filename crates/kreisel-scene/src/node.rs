//! A scene as a tree of tables, arrays and values, each with its place in the text.
//!
//! The tree is the same for every syntax that scenes are written in. It is made by hand from the
//! parser's own tree because serde loses spans inside tagged types, and because several errors are
//! to be reported at once.

use crate::source::Span;
use toml::de::{DeTable, DeValue};

/// A value with its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub span: Span,
    pub value: Value,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Table(Table),
    Array(Vec<Node>),
    Text(String),
    Number(f64),
    Bool(bool),
    /// A date or time, which no key of a scene takes.
    Date,
}

/// Keys and values in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
}

/// One key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

impl Node {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Table(_) => "a table",
            Value::Array(_) => "an array",
            Value::Text(_) => "a string",
            Value::Number(_) => "a number",
            Value::Bool(true) => "`true`",
            Value::Bool(false) => "`false`",
            Value::Date => "a date",
        }
    }
}

impl Table {
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.key == key)
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|e| &e.node)
    }

    /// The tree of a TOML document.
    pub fn from_toml(table: &DeTable<'_>) -> Self {
        let mut entries: Vec<Entry> = table
            .iter()
            .map(|(key, value)| Entry {
                key: key.get_ref().to_string(),
                key_span: key.span(),
                node: Node { span: value.span(), value: Value::from_toml(value.get_ref()) },
            })
            .collect();
        entries.sort_by_key(|e| e.key_span.start);
        Self { entries }
    }
}

impl Value {
    fn from_toml(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(s) => Self::Text(s.to_string()),
            DeValue::Integer(i) => {
                let radix = i.radix();
                // Beyond 64 bits only decimal numbers keep their meaning, as numbers with a
                // fraction do.
                let exact = i64::from_str_radix(i.as_str(), radix).map(|x| x as f64);
                Self::Number(exact.or_else(|_| i.as_str().parse()).unwrap_or(f64::NAN))
            }
            DeValue::Float(x) => Self::Number(x.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(b) => Self::Bool(*b),
            DeValue::Datetime(_) => Self::Date,
            DeValue::Array(items) => Self::Array(
                items
                    .iter()
                    .map(|n| Node { span: n.span(), value: Self::from_toml(n.get_ref()) })
                    .collect(),
            ),
            DeValue::Table(table) => Self::Table(Table::from_toml(table)),
        }
    }
}
