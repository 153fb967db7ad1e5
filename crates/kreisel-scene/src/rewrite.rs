//! A scene in another syntax: TOML, JSON, URDF and MJCF to TOML or JSON.
//!
//! What is written is the tree that the reader would read: parameters, expressions and repetition
//! stay as they are, comments are lost. To write down what a scene comes to, save it
//! ([`save`](crate::save)).

use crate::files::Files;
use crate::load::{Options, tree};
use crate::node::{Node, Table, Value};
use crate::problem::{Code, Problem, SceneError, Severity};
use crate::read::Reader;
use crate::save::quoted;
use crate::source::Source;
use std::fmt::Write as _;

/// How a scene is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

/// A scene in another syntax.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// The scene.
    pub text: String,
    /// What was left out, element by element (of URDF and MJCF).
    pub warnings: Vec<Problem>,
}

/// Writes a scene in another syntax; the ending of `name` says in which one `text` is.
///
/// ```
/// use kreisel_scene::{Syntax, rewrite};
/// let json = rewrite("ball.toml", "[[body]]\nname = 'ball'\nshape = { sphere = 0.1 }", Syntax::Json)?.text;
/// assert_eq!(kreisel_scene::parse("ball.json", &json)?.world.bodies().count(), 1);
/// # Ok::<(), kreisel_scene::SceneError>(())
/// ```
pub fn rewrite(name: &str, text: &str, syntax: Syntax) -> Result<Rewritten, SceneError> {
    rewrite_as(name, text, syntax, &Options::default())
}

/// Writes a scene in another syntax; a model that includes others needs the folder of its file.
pub fn rewrite_as(
    name: &str,
    text: &str,
    syntax: Syntax,
    options: &Options,
) -> Result<Rewritten, SceneError> {
    let files = Files::new(options);
    let mut reader = Reader::new(Source::new(name, text), files);
    reader.folder.clone_from(&options.folder);
    let mut table = tree(&mut reader).map(|(_, table)| table);
    if let Some(table) = &mut table {
        without_memory(&mut reader, table);
        dates(&mut reader, table);
    }
    match table {
        Some(table) if !reader.problems.iter().any(|p| p.severity == Severity::Error) => {
            let text = match syntax {
                Syntax::Toml => toml(&table),
                Syntax::Json => json(&table),
            };
            Ok(Rewritten { text, warnings: reader.problems })
        }
        _ => Err(SceneError { problems: reader.problems }),
    }
}

/// Takes the memory of a run out: it belongs to the text as it stood.
fn without_memory(reader: &mut Reader, table: &mut Table) {
    let Some(at) = table.entries.iter().position(|e| e.key == "memory") else { return };
    let entry = table.entries.remove(at);
    let message = "the memory of the run belongs to the text as it stands here, and is left out";
    reader.warning(&entry.key_span, message, "left out");
}

/// Dates have a meaning in TOML only, and none in a scene.
fn dates(reader: &mut Reader, table: &Table) {
    for entry in &table.entries {
        date(reader, &entry.node);
    }
}

fn date(reader: &mut Reader, node: &Node) {
    match &node.value {
        Value::Date => {
            reader.error(Code::WrongType, &node.span, "a date has no meaning in a scene", "a date");
        }
        Value::Array(items) => items.iter().for_each(|n| date(reader, n)),
        Value::Table(table) => dates(reader, table),
        _ => {}
    }
}

fn toml(table: &Table) -> String {
    let mut out = String::new();
    // Values come before the first table: below it they would belong to it.
    let (tables, values): (Vec<_>, Vec<_>) = table.entries.iter().partition(|e| headed(&e.node));
    for entry in values {
        let _ = writeln!(out, "{} = {}", bare(&entry.key), inline(&entry.node.value, Syntax::Toml));
    }
    for entry in tables {
        let key = bare(&entry.key);
        match &entry.node.value {
            Value::Table(table) => section(&mut out, &format!("[{key}]"), table),
            Value::Array(items) => {
                for item in items {
                    if let Value::Table(table) = &item.value {
                        section(&mut out, &format!("[[{key}]]"), table);
                    }
                }
            }
            _ => {}
        }
    }
    out.trim_start().to_owned()
}

/// Whether a value is written under a header of its own.
fn headed(node: &Node) -> bool {
    match &node.value {
        Value::Table(_) => true,
        Value::Array(items) => {
            !items.is_empty() && items.iter().all(|n| matches!(n.value, Value::Table(_)))
        }
        _ => false,
    }
}

fn section(out: &mut String, header: &str, table: &Table) {
    let _ = writeln!(out, "\n{header}");
    for entry in &table.entries {
        let _ = writeln!(out, "{} = {}", bare(&entry.key), inline(&entry.node.value, Syntax::Toml));
    }
}

/// A key, in quotes where it needs them.
fn bare(key: &str) -> String {
    let plain =
        !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if plain { key.to_owned() } else { quoted(key) }
}

/// A value on one line (but for long texts of TOML).
fn inline(value: &Value, syntax: Syntax) -> String {
    let list = |items: &[Node]| {
        items.iter().map(|n| inline(&n.value, syntax)).collect::<Vec<_>>().join(", ")
    };
    match (value, syntax) {
        (Value::Text(text), Syntax::Toml) if text.contains('\n') => long(text),
        (Value::Text(text), _) => quoted(text),
        (Value::Number(x), _) => number(*x, syntax),
        (Value::Bool(b), _) => b.to_string(),
        (Value::Array(items), _) => format!("[{}]", list(items)),
        (Value::Table(t), _) if t.entries.is_empty() => "{}".into(),
        (Value::Table(t), Syntax::Toml) => {
            let pair = |e: &crate::node::Entry| {
                format!("{} = {}", bare(&e.key), inline(&e.node.value, syntax))
            };
            format!("{{ {} }}", t.entries.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        (Value::Table(t), Syntax::Json) => {
            let pair = |e: &crate::node::Entry| {
                format!("{}: {}", quoted(&e.key), inline(&e.node.value, syntax))
            };
            format!("{{ {} }}", t.entries.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        // Refused before.
        (Value::Date, _) => String::new(),
    }
}

/// A number that is read back to the bit; whole ones without a point.
fn number(x: f64, syntax: Syntax) -> String {
    // Above 2^53 not every whole number is one.
    if x.fract() == 0.0 && x.abs() < 9e15 && (x != 0.0 || x.is_sign_positive()) {
        return format!("{}", x as i64);
    }
    match syntax {
        // JSON knows no infinity; scenes read the word.
        Syntax::Json if x.is_infinite() => quoted(if x > 0.0 { "inf" } else { "-inf" }),
        _ => format!("{x:?}").to_lowercase(),
    }
}

/// A text of several lines.
fn long(text: &str) -> String {
    let mut out = String::from("\"\"\"\n");
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            '\\' => out.push_str("\\\\"),
            // Three quotes in a row would end it.
            '"' => out.push_str("\\\""),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push_str("\"\"\"");
    out
}

fn json(table: &Table) -> String {
    let mut out = String::from("{\n");
    for (k, entry) in table.entries.iter().enumerate() {
        let _ = write!(out, "  {}: ", quoted(&entry.key));
        match &entry.node.value {
            Value::Array(items) if headed(&entry.node) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|n| format!("    {}", inline(&n.value, Syntax::Json)))
                    .collect();
                let _ = write!(out, "[\n{}\n  ]", items.join(",\n"));
            }
            value => out.push_str(&inline(value, Syntax::Json)),
        }
        out.push_str(if k + 1 < table.entries.len() { ",\n" } else { "\n" });
    }
    out.push_str("}\n");
    out
}
