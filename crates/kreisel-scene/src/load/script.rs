//! `[script]`: checks and compiles it, and runs its building part.

use super::names::Built;
use crate::grammar;
use crate::node::{Node, Table, Value};
use crate::problem::{Code, nearest};
use crate::read::{Fields, Reader};
use crate::scene::ForeignScript;
use crate::script::{self, Item, PROCEDURES, Script, ScriptError};
use crate::source::{Source, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the script of a file has made.
pub(super) struct Made {
    /// The text that the items' places are in.
    pub source: Source,
    pub items: Vec<Item>,
}

/// Reads the scripts of a file.
pub(super) fn read(reader: &mut Reader, scene: &Table, built: &mut Built) -> Vec<Made> {
    let Some(node) = scene.get("script") else { return Vec::new() };
    let list = match &node.value {
        Value::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    list.iter().filter_map(|n| one(reader, n, built)).collect()
}

/// The language of a script.
fn language(reader: &mut Reader, node: &Node) -> Option<String> {
    let Value::Table(table) = &node.value else { return Some("rhai".into()) };
    let Some(n) = table.get("language") else { return Some("rhai".into()) };
    let word = reader.text(n)?;
    if word != "rhai" && word != "python" {
        let message = format!("there are no scripts in \"{word}\"");
        reader
            .error(Code::WrongValue, &n.span, message, "unknown language")
            .help("use \"rhai\" or \"python\"");
        return None;
    }
    if word != "rhai" && !reader.files.languages.contains(&word) {
        let message = "this program does not run scripts in Python for this scene";
        let help = "load it from Python with leave to do so, if you trust it: \
                    kr.load(path, python=True); such scripts can do whatever you can";
        reader.error(Code::Script, &n.span, message, "a scene runs no code by itself").help(help);
        return None;
    }
    Some(word)
}

/// Reads a script that the host runs.
fn foreign(
    reader: &mut Reader,
    node: &Node,
    built: &Built,
    language: String,
) -> Option<ForeignScript> {
    let table = reader.table(node, "a table")?;
    let fields = reader.fields(table, &node.span, &grammar::SCRIPT);
    if let Some(n) = fields.get("within") {
        reader.error(Code::Script, &n.span, "a script in Python belongs to no instance", "here");
        return None;
    }
    if !built.prefix.is_empty() {
        let message = "scripts in Python run in the outer scene, not in an instance";
        reader.error(Code::Script, &node.span, message, "inside an instance");
        return None;
    }
    let (source, span, offset, text) = text(reader, node, &fields)?;
    let at = fields.get("at").map_or(Some(Vec::new()), |n| times(reader, n))?;
    let every = match fields.get("every") {
        Some(n) => Some(reader.positive(n, "the interval")?),
        None => None,
    };
    let generate = fields.get("generate").is_none_or(|n| reader.flag(n).unwrap_or(false));
    let begin = offset.unwrap_or(span.start).min(source.text.len());
    let line = source.text.as_bytes()[..begin].iter().filter(|b| **b == b'\n').count() + 1;
    let params = reader.scope.values().map(|(n, x)| (n.to_owned(), x)).collect();
    let name = source.name.to_string();
    Some(ForeignScript { language, name, text, line, at, every, generate, params })
}

fn one(reader: &mut Reader, node: &Node, built: &mut Built) -> Option<Made> {
    let language = language(reader, node)?;
    if language != "rhai" {
        let script = foreign(reader, node, built, language)?;
        built.foreign.push(script);
        return None;
    }
    let script = compiled(reader, node, built)?;
    let generate = match &node.value {
        Value::Table(t) => {
            t.get("within").is_none()
                && t.get("generate").is_none_or(|n| reader.flag(n).unwrap_or(false))
        }
        _ => true,
    };
    let items = match script::build(&script) {
        _ if !generate => Vec::new(),
        Ok(items) => items,
        Err(error) => {
            report(reader, &script, error);
            Vec::new()
        }
    };
    let source = script.source.clone();
    if script.ast.iter_functions().any(|f| f.name.starts_with("on_")) {
        built.scripts.push(Arc::new(script));
    }
    Some(Made { source, items })
}

fn report(reader: &mut Reader, script: &Script, error: ScriptError) {
    let span = script.place(error.position);
    let outer = reader.enter(&script.source, None);
    reader.error(Code::Script, &span, error.message, "in this script");
    reader.leave(outer);
}

fn compiled(reader: &mut Reader, node: &Node, built: &Built) -> Option<Script> {
    let table = reader.table(node, "a table")?;
    let fields = reader.fields(table, &node.span, &grammar::SCRIPT);
    let (source, span, offset, text) = text(reader, node, &fields)?;
    let at = match fields.get("at") {
        Some(n) => times(reader, n)?,
        None => Vec::new(),
    };
    let every = match fields.get("every") {
        Some(n) => Some(reader.positive(n, "the interval")?),
        None => None,
    };
    let mut params: Vec<(String, f64)> =
        reader.scope.values().map(|(n, x)| (n.to_owned(), x)).collect();
    let mut prefix = built.prefix.clone();
    if let Some(n) = fields.get("within") {
        prefix = format!("{prefix}{}/", reader.text(n)?);
        if let Some(n) = fields.get("params") {
            let table = reader.table(n, "a table of names and numbers")?;
            let known: Vec<Option<(String, f64)>> = table
                .entries
                .iter()
                .map(|e| Some((e.key.clone(), reader.any_number(&e.node)?.value)))
                .collect();
            params = known.into_iter().collect::<Option<Vec<_>>>()?;
        }
    }
    let mut script = Script {
        source,
        offset,
        span,
        text,
        at,
        every,
        prefix,
        params: params.iter().cloned().collect::<BTreeMap<_, _>>(),
        ast: rhai::AST::empty(),
    };
    match script::compile(&script.text, &params) {
        Ok(ast) => script.ast = ast,
        Err(error) => {
            report(reader, &script, error);
            return None;
        }
    }
    procedures(reader, &script)?;
    Some(script)
}

/// The script's own text, where it stands, and where it begins there.
fn text(
    reader: &mut Reader,
    node: &Node,
    fields: &Fields<'_>,
) -> Option<(Source, Span, Option<usize>, String)> {
    match (fields.get("build"), fields.get("file")) {
        (Some(n), None) => {
            let Value::Text(text) = &n.value else {
                reader.wrong_type(n, "a script as a string");
                return None;
            };
            let inside = reader.inside(n, text, &(0..0));
            let offset = (inside != n.span).then_some(inside.start);
            Some((reader.source.clone(), n.span.clone(), offset, text.clone()))
        }
        (None, Some(n)) => {
            let relative = reader.text(n)?;
            let (_, name, text) = reader.text_file(&relative, &n.span)?;
            let length = text.len();
            Some((Source::new(name, text.as_str()), 0..length.min(1), Some(0), text))
        }
        _ => {
            let message = "[script] has either `build` or `file`";
            reader.error(Code::MissingKey, &node.span, message, "here");
            None
        }
    }
}

fn times(reader: &mut Reader, node: &Node) -> Option<Vec<f64>> {
    let list = match &node.value {
        Value::Array(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let mut out: Vec<f64> = Vec::with_capacity(list.len());
    for item in list {
        let t = reader.plain(item)?;
        if out.last().is_some_and(|last| t < *last) {
            reader.error(
                Code::WrongValue,
                &item.span,
                "the times must rise",
                "earlier than the one before",
            );
            return None;
        }
        out.push(t);
    }
    Some(out)
}

/// Functions that look like procedures must be ones.
fn procedures(reader: &mut Reader, script: &Script) -> Option<()> {
    let mut wrong = Vec::new();
    for f in script.ast.iter_functions().filter(|f| f.name.starts_with("on_")) {
        match PROCEDURES.iter().find(|p| p.0 == f.name) {
            None => {
                let near = nearest(f.name, PROCEDURES.iter().map(|p| p.0));
                let all = || PROCEDURES.iter().map(|p| p.0).collect::<Vec<_>>().join(", ");
                let help = near.map_or_else(
                    || format!("there are {}", all()),
                    |n| format!("did you mean `{n}`?"),
                );
                wrong.push((f.name.to_owned(), format!("there is no event `{}`", f.name), help));
            }
            Some((name, wanted, _)) if wanted.len() != f.params.len() => {
                let message = format!(
                    "`{name}` takes {} arguments, here are {}",
                    wanted.len(),
                    f.params.len()
                );
                wrong.push((
                    f.name.to_owned(),
                    message,
                    format!("write fn {name}({})", wanted.join(", ")),
                ));
            }
            Some(_) => {}
        }
    }
    wrong.sort();
    for (name, message, help) in &wrong {
        let at = script.text.find(&format!("fn {name}")).map(|i| i + 3);
        let span = match (at, script.offset) {
            (Some(at), Some(offset)) => offset + at..offset + at + name.len(),
            _ => script.span.clone(),
        };
        let outer = reader.enter(&script.source, None);
        reader.error(Code::Script, &span, message.clone(), "this function").help(help.clone());
        reader.leave(outer);
    }
    wrong.is_empty().then_some(())
}
