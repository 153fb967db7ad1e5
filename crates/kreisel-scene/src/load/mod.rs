//! From text to a world: parses, reads every item in the order of the text, and builds as it reads.

mod body;
mod color;
mod connector;
mod contact;
mod element;
mod force;
mod joint;
mod model_error;
mod motor;
mod names;
mod record;
mod rotation;
mod schedule;
mod shape;
mod spring;
mod suspicion;
mod world;

use crate::expr::Number;
use crate::grammar;
use crate::json;
use crate::node::{Node, Table, Value};
use crate::problem::{Code, Problem, SceneError, Severity, nearest};
use crate::read::{Fields, Reader};
use crate::scene::{Camera, Scene};
use crate::source::{Source, Span};
use names::Built;
use std::path::Path;

/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Reads a scene from a file.
pub fn load(path: impl AsRef<Path>) -> Result<Scene, SceneError> {
    load_with(path, &[])
}

/// Reads a scene from a file, with other values for some of its parameters.
pub fn load_with(path: impl AsRef<Path>, params: &[(String, f64)]) -> Result<Scene, SceneError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let refuse = |message: String| {
        let source = Source::new(name.as_str(), "");
        let problem = Problem {
            severity: Severity::Error,
            code: Code::File,
            message,
            source,
            span: 0..0,
            label: String::new(),
            also: None,
            help: None,
        };
        SceneError { problems: vec![problem] }
    };
    let read = |e: std::io::Error| refuse(format!("{name} cannot be read: {e}"));
    let length = std::fs::metadata(path).map_err(read)?.len();
    if length > MAX_FILE {
        return Err(refuse(format!("{name} has {length} bytes; scenes may have up to {MAX_FILE}")));
    }
    let bytes = std::fs::read(path).map_err(read)?;
    let text = String::from_utf8(bytes)
        .map_err(|e| refuse(format!("{name} is not UTF-8 text: byte {} is wrong", e.utf8_error().valid_up_to())))?;
    parse_with(&name, &text, params)
}

/// Reads a scene from text; `name` is shown in messages, and one that ends in `.json` is read as JSON.
pub fn parse(name: &str, text: &str) -> Result<Scene, SceneError> {
    parse_with(name, text, &[])
}

/// Reads a scene from text, with other values for some of its parameters.
pub fn parse_with(name: &str, text: &str, params: &[(String, f64)]) -> Result<Scene, SceneError> {
    let mut reader = Reader::new(Source::new(name, text));
    let table = if name.ends_with(".json") { tree_of_json(&mut reader, text) } else { tree_of_toml(&mut reader, text) };
    if let Some(scene) = table.and_then(|t| read_scene(&mut reader, &t, params)) {
        return Ok(scene);
    }
    let mut problems = reader.problems;
    problems.sort_by_key(|p| p.span.start);
    Err(SceneError { problems })
}

fn tree_of_toml(reader: &mut Reader, text: &str) -> Option<Table> {
    let (document, errors) = toml::de::DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        reader.error(Code::Syntax, &span, error.message().trim_end().to_owned(), "here");
    }
    (reader.errors() == 0).then(|| Table::from_toml(document.get_ref()))
}

fn tree_of_json(reader: &mut Reader, text: &str) -> Option<Table> {
    match json::parse(text) {
        Ok(table) => Some(table),
        Err((message, span)) => {
            reader.error(Code::Syntax, &span, message, "here");
            None
        }
    }
}

/// Builds the scene, or notes at least one error.
fn read_scene(reader: &mut Reader, table: &Table, given: &[(String, f64)]) -> Option<Scene> {
    let whole = 0..0;
    let fields = reader.fields(table, &whole, &grammar::SCENE);
    if table.entries.is_empty() {
        let help = "`kreisel new FILE` writes a first scene";
        reader.error(Code::MissingKey, &(0..0), "the scene is empty", "nothing here").help(help);
    }
    version(reader, &fields);
    params(reader, &fields, given);
    let title = fields.get("title").and_then(|n| reader.text(n));
    let description = fields.get("description").and_then(|n| reader.text(n));
    let mut built = Built::default();
    element::lagrange(reader, &fields, &mut built);
    let timing = world::read(reader, &fields, &mut built);
    contact::read(reader, &fields, &mut built);
    items(reader, &fields, "body", &grammar::BODY, |r, f| body::read(r, f, &mut built));
    items(reader, &fields, "joint", &grammar::JOINT, |r, f| joint::read(r, f, &mut built));
    items(reader, &fields, "spring", &grammar::SPRING, |r, f| spring::read(r, f, &mut built));
    items(reader, &fields, "motor", &grammar::MOTOR, |r, f| motor::read(r, f, &mut built));
    items(reader, &fields, "force", &grammar::FORCE, |r, f| force::read(r, f, &mut built));
    items(reader, &fields, "curve", &grammar::CURVE, |r, f| element::curve(r, f, &mut built));
    items(reader, &fields, "constraint", &grammar::CONSTRAINT, |r, f| element::constraint(r, f, &mut built));
    items(reader, &fields, "controller", &grammar::CONTROLLER, |r, f| element::controller(r, f, &mut built));
    items(reader, &fields, "field", &grammar::FIELD, |r, f| element::field(r, f, &mut built));
    items(reader, &fields, "procedure", &grammar::PROCEDURE, |r, f| element::procedure(r, f, &mut built));
    items(reader, &fields, "switch", &grammar::SWITCH, |r, f| element::switch(r, f, &mut built));
    body::methods(reader, &mut built);
    let record = record::read(reader, &fields, &built);
    let camera = fields.get("camera").and_then(|n| camera(reader, n));
    if reader.errors() > 0 {
        return None;
    }
    suspicion::look(reader, &built, &timing);
    let mut warnings = std::mem::take(&mut reader.problems);
    warnings.sort_by_key(|p| p.span.start);
    Some(Scene {
        source: reader.source.clone(),
        title,
        description,
        world: built.world,
        step: timing.step,
        duration: timing.duration,
        forces: built.forces,
        switches: built.switches,
        looks: built.looks,
        record,
        camera,
        warnings,
        spans: built.spans,
    })
}

fn version(reader: &mut Reader, fields: &Fields<'_>) {
    let Some(node) = fields.get("version") else { return };
    if let Some(x) = reader.plain(node)
        && x != 1.0
    {
        let message = format!("this program reads version 1 of the scene format, not {x}");
        reader.error(Code::WrongValue, &node.span, message, "unknown version");
    }
}

/// Reads the parameters; values given from outside replace those of the file.
fn params(reader: &mut Reader, fields: &Fields<'_>, given: &[(String, f64)]) {
    let none = Table::default();
    let table = match fields.get("params") {
        Some(node) => reader.table(node, "a table of names and numbers"),
        None => None,
    };
    let table = table.unwrap_or(&none);
    for (name, _) in given {
        if table.get(name).is_none() {
            let near = nearest(name, table.entries.iter().map(|e| e.key.as_str()));
            let message = format!("the scene has no parameter `{name}`");
            let help = near.map(|n| format!("did you mean `{n}`?"));
            reader.error(Code::UnknownName, fields.place("params"), message, "parameters").help_if(help);
        }
    }
    for entry in &table.entries {
        match given.iter().rev().find(|(name, _)| *name == entry.key) {
            Some(&(_, value)) => reader.scope.push(&entry.key, Number::plain(value)),
            None => {
                reader.define(&entry.key, &entry.key_span, &entry.node);
            }
        }
    }
}

/// Reads an array of tables, each once or repeated.
fn items(
    reader: &mut Reader,
    scene: &Fields<'_>,
    key: &'static str,
    section: &'static grammar::Section,
    mut read: impl FnMut(&mut Reader, &Fields<'_>) -> Option<()>,
) {
    let Some(node) = scene.get(key) else { return };
    let tables: Vec<(&Table, &Span)> = match &node.value {
        Value::Array(items) => items.iter().filter_map(|n| Some((reader.table(n, section.title)?, &n.span))).collect(),
        _ => {
            let message = format!("expected {}, found {}", section.title, node.kind());
            let help = format!("write `[[{key}]]` with two brackets: a scene has many of them");
            reader.error(Code::WrongType, &node.span, message, "one bracket too few").help(help);
            return;
        }
    };
    for (table, span) in tables {
        let fields = reader.fields(table, span, section);
        reader.each(&fields, |r| {
            read(r, &fields);
        });
    }
}

fn camera(reader: &mut Reader, node: &Node) -> Option<Camera> {
    let table = reader.table(node, "a table")?;
    let fields = reader.fields(table, &node.span, &grammar::CAMERA);
    let eye = reader.required(&fields, "eye").and_then(|n| reader.vec3(n, crate::expr::Unit::Plain));
    let target = reader.required(&fields, "target").and_then(|n| reader.vec3(n, crate::expr::Unit::Plain));
    Some(Camera { eye: eye?, target: target? })
}
