//! The currency between tables and files, panels, scripts: values without types, and what is wrong
//! with one.

use crate::node::{Entry, Node, Table as Tree, Value as NodeValue};
use crate::property::kinds::Solid;
use crate::save::words;

/// A value of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: no limit, automatic, not there.
    None,
    /// True or false.
    Flag(bool),
    /// A number in SI units.
    Number(f64),
    /// A text, a word or the name of an item.
    Text(String),
    /// Several values; a vector is a list of three numbers.
    List(Vec<Value>),
    /// What a body is made of.
    Solid(Box<Solid>),
    /// Keys and values in the order of their table.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::None => "nothing",
            Self::Flag(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "an array",
            Self::Table(_) => "a table",
            Self::Solid(_) => "a shape",
        }
    }

    /// The word that it is; empty for anything else, none for nothing.
    pub fn word(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Text(word) => Some(word.clone()),
            _ => Some(String::new()),
        }
    }

    /// Numbers as a list.
    pub fn numbers(numbers: impl IntoIterator<Item = f64>) -> Self {
        Self::List(numbers.into_iter().map(Self::Number).collect())
    }

    /// The numbers of a list that has nothing else.
    pub fn as_numbers(&self) -> Option<Vec<f64>> {
        let Self::List(items) = self else { return None };
        let number = |v: &Self| if let Self::Number(x) = v { Some(*x) } else { None };
        items.iter().map(number).collect()
    }

    /// As TOML, so that a scene which holds it gives back the same bits.
    pub fn toml(&self) -> String {
        match self {
            Self::None => "\"none\"".into(),
            Self::Flag(b) => b.to_string(),
            Self::Number(x) => number(*x),
            Self::Text(t) => words(t),
            Self::List(items) => {
                format!("[{}]", items.iter().map(Self::toml).collect::<Vec<_>>().join(", "))
            }
            Self::Solid(solid) => {
                solid.shape().map_or_else(|| "\"point\"".into(), crate::save::shape)
            }
            Self::Table(entries) if entries.is_empty() => "{}".into(),
            Self::Table(entries) => {
                let entries: Vec<String> =
                    entries.iter().map(|(k, v)| format!("{k} = {}", v.toml())).collect();
                format!("{{ {} }}", entries.join(", "))
            }
        }
    }

    /// The value of a TOML text such as `[1, 2]` or `{ height = 0 }`; expressions are not
    /// evaluated, and whether "none" is a word or nothing is left to the property.
    pub fn of_toml(text: &str) -> Option<Self> {
        let text = format!("value = {text}");
        let document = toml::de::DeTable::parse(&text).ok()?;
        let tree = Tree::from_toml(document.get_ref());
        let [entry] = &tree.entries[..] else { return None };
        Self::of_node(&entry.node)
    }

    /// The value of a node; expressions stay texts.
    pub(crate) fn of_node(node: &Node) -> Option<Self> {
        Some(match &node.value {
            NodeValue::Text(t) => Self::Text(t.replace("{{", "{").replace("}}", "}")),
            NodeValue::Number(x) => Self::Number(*x),
            NodeValue::Bool(b) => Self::Flag(*b),
            NodeValue::Date => return None,
            NodeValue::Array(items) => {
                Self::List(items.iter().map(Self::of_node).collect::<Option<_>>()?)
            }
            NodeValue::Table(table) => {
                let one = |e: &Entry| Some((e.key.clone(), Self::of_node(&e.node)?));
                Self::Table(table.entries.iter().map(one).collect::<Option<_>>()?)
            }
        })
    }
}

/// The shortest digits that give the same bits; whole numbers without a point.
fn number(x: f64) -> String {
    let whole = x == x.trunc() && x.abs() < 1e15 && !(x == 0.0 && x.is_sign_negative());
    if whole { format!("{x:.0}") } else { format!("{x:?}") }
}

/// Something that is not possible, and at which key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}{}", help.as_ref().map(|h| format!(" ({h})")).unwrap_or_default())]
pub struct Fault {
    /// Keys and places in lists, from the outermost inwards.
    pub path: Vec<String>,
    /// What is wrong.
    pub message: String,
    /// What helps.
    pub help: Option<String>,
}

impl Fault {
    /// A fault at no key yet.
    pub fn new(message: impl Into<String>) -> Self {
        Self { path: Vec::new(), message: message.into(), help: None }
    }

    /// A fault of what was expected.
    pub fn expected<T>(wanted: &str, found: &Value) -> Result<T, Self> {
        Err(Self::new(format!("expected {wanted}, found {}", found.kind())))
    }

    /// The fault seen from the key or place that holds it.
    #[must_use]
    pub fn under(mut self, step: impl ToString) -> Self {
        self.path.insert(0, step.to_string());
        self
    }

    /// Adds what helps.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_the_same_after_it_was_written() {
        let inner =
            vec![("a".to_owned(), Value::Number(-0.0)), ("b".to_owned(), Value::Flag(false))];
        let all = [
            Value::Flag(true),
            Value::Number(0.1),
            Value::Number(1e300),
            Value::Number(7.0),
            Value::Text("a \"b\" {c}\n".into()),
            Value::List(vec![Value::Number(1.0), Value::Table(inner)]),
            Value::Table(Vec::new()),
        ];
        for value in all {
            let again = Value::of_toml(&value.toml());
            assert_eq!(again.as_ref(), Some(&value), "{}", value.toml());
            // minus zero equals zero: its sign must come back, too
            assert_eq!(again.map(|v| v.toml()), Some(value.toml()));
        }
    }

    #[test]
    fn what_is_no_single_value_is_none() {
        for text in ["1\nother = 2", "1979-05-27", "[1, ", ""] {
            assert_eq!(Value::of_toml(text), None, "{text}");
        }
    }
}
