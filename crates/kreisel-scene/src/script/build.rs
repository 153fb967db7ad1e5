//! The building part of a script: it adds items, as maps with the keys of the format.

use super::numbers::{number, refuse};
use super::{BUILD_OPERATIONS, Script, ScriptError, sandbox};
use crate::node::{Entry, Node, Table, Value};
use crate::source::Span;
use kreisel_dynamics::Vec3;
use rhai::{Dynamic, Engine, Map, NativeCallContext, Position, Scope};
use std::sync::{Arc, Mutex, PoisonError};

/// Most items that one script adds.
const MAX_MADE: usize = 100_000;

/// Most values in them altogether: what they may take of memory.
const MAX_VALUES: usize = 2_000_000;

/// Deepest nesting of a value.
const MAX_DEPTH: usize = 16;

/// An item that a script has made: its kind and its tree.
pub(crate) type Item = (&'static str, Node);

const KINDS: [(&str, &str); 23] = [
    ("add_body", "body"),
    ("add_collider", "collider"),
    ("add_point", "point"),
    ("add_rod", "rod"),
    ("add_thread", "thread"),
    ("add_rail", "rail"),
    ("add_polygon", "polygon"),
    ("add_joint", "joint"),
    ("add_spring", "spring"),
    ("add_motor", "motor"),
    ("add_force", "force"),
    ("add_marker", "marker"),
    ("add_motion", "motion"),
    ("add_emitter", "emitter"),
    ("add_show", "show"),
    ("add_instance", "instance"),
    ("add_curve", "curve"),
    ("add_constraint", "constraint"),
    ("add_controller", "controller"),
    ("add_field", "field"),
    ("add_procedure", "procedure"),
    ("add_sensor", "sensor"),
    ("add_switch", "switch"),
];

/// The engine in which a script is compiled: it knows the functions of both parts, so that
/// procedures compile too.
pub(crate) fn compile(text: &str, params: &[(String, f64)]) -> Result<rhai::AST, ScriptError> {
    let mut engine = sandbox(BUILD_OPERATIONS);
    engine.set_max_operations(BUILD_OPERATIONS);
    engine.compile_with_scope(&scope(params), text).map_err(|e| {
        let words = e.err_type().to_string();
        ScriptError { message: words, position: e.position() }
    })
}

fn scope(params: &[(String, f64)]) -> Scope<'static> {
    let mut scope = Scope::new();
    for (name, value) in params {
        scope.push_constant(name.clone(), *value);
    }
    scope
}

/// Runs the statements of a script and gives what they have added.
pub(crate) fn build(script: &Script) -> Result<Vec<Item>, ScriptError> {
    let mut engine = sandbox(BUILD_OPERATIONS);
    let made: Arc<Mutex<Vec<(&'static str, Map, Position)>>> = Arc::default();
    for (function, kind) in KINDS {
        let made = Arc::clone(&made);
        engine.register_fn(function, move |context: NativeCallContext, item: Map| {
            let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
            if made.len() >= MAX_MADE {
                return refuse(format!("the script adds more than {MAX_MADE} items"));
            }
            made.push((kind, item, context.call_position()));
            Ok(())
        });
    }
    params(&mut engine, script);
    let given: Vec<(String, f64)> = script.params.iter().map(|(n, x)| (n.clone(), *x)).collect();
    engine.run_ast_with_scope(&mut scope(&given), &script.ast)?;
    let made = std::mem::take(&mut *made.lock().unwrap_or_else(PoisonError::into_inner));
    let mut left = MAX_VALUES;
    let mut out = Vec::with_capacity(made.len());
    for (kind, map, position) in made {
        let span = script.place(position);
        match table(&map, &span, 0, &mut left) {
            Ok(table) => out.push((kind, Node { span, value: Value::Table(table) })),
            Err(message) => return Err(ScriptError { message, position }),
        }
    }
    Ok(out)
}

/// `param("n")`: the scene's parameters, also inside functions.
pub(super) fn params(engine: &mut Engine, script: &Script) {
    let params = script.params.clone();
    engine.register_fn("param", move |name: &str| match params.get(name) {
        Some(x) => Ok(*x),
        None => refuse(format!("the scene has no parameter `{name}`")),
    });
}

fn table(map: &Map, span: &Span, depth: usize, left: &mut usize) -> Result<Table, String> {
    let mut entries = Vec::with_capacity(map.len());
    for (key, value) in map {
        if value.is_unit() {
            continue;
        }
        let node = node(value, span, depth + 1, left).map_err(|e| format!("`{key}`: {e}"))?;
        entries.push(Entry { key: key.to_string(), key_span: span.clone(), node });
    }
    Ok(Table { entries })
}

fn node(value: &Dynamic, span: &Span, depth: usize, left: &mut usize) -> Result<Node, String> {
    if depth > MAX_DEPTH {
        return Err(format!("nested more than {MAX_DEPTH} deep"));
    }
    *left = left.checked_sub(1).ok_or("the script makes too much data")?;
    let at = |value| Node { span: span.clone(), value };
    if let Some(x) = number(value) {
        return Ok(at(Value::Number(x)));
    }
    if let Ok(b) = value.as_bool() {
        return Ok(at(Value::Bool(b)));
    }
    if let Some(v) = value.clone().try_cast::<Vec3>() {
        return Ok(at(Value::Array(
            v.to_array().into_iter().map(|x| at(Value::Number(x))).collect(),
        )));
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        return Ok(at(Value::Text(text.to_string())));
    }
    if let Ok(items) = value.as_array_ref() {
        let nodes: Result<Vec<Node>, String> =
            items.iter().map(|i| node(i, span, depth + 1, left)).collect();
        return Ok(at(Value::Array(nodes?)));
    }
    if let Ok(map) = value.as_map_ref() {
        return Ok(at(Value::Table(table(&map, span, depth, left)?)));
    }
    Err(format!("a scene has no values of type {}", value.type_name()))
}
