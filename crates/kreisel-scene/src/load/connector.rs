//! Connectors of constraints and controllers.

use super::names::Built;
use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::{Connector, CurveId, Lock, Vec3};
use kreisel_geometry::Pose;

/// Reads the array `connectors`.
pub(super) fn list(reader: &mut Reader, fields: &Fields<'_>, built: &Built) -> Option<Vec<Connector>> {
    let node = reader.required(fields, "connectors")?;
    let Value::Array(items) = &node.value else {
        let message = format!("expected an array of connectors, found {}", node.kind());
        reader.error(Code::WrongType, &node.span, message, "not an array").help("write [{ body = \"name\" }, …]");
        return None;
    };
    let read: Vec<Option<Connector>> = items.iter().map(|n| one(reader, n, built)).collect();
    read.into_iter().collect()
}

fn one(reader: &mut Reader, node: &Node, built: &Built) -> Option<Connector> {
    let table = reader.table(node, "a connector such as { body = \"name\", point = [0, 0, 0] }")?;
    let fields = reader.fields(table, &node.span, &grammar::CONNECTOR);
    let forms = ["body", "fixed", "curve", "nearest", "function"];
    let given: Vec<&str> = forms.into_iter().filter(|k| fields.has(k)).collect();
    if given.len() != 1 {
        let message = "a connector has one of `body`, `fixed`, `curve`, `nearest` and `function`";
        reader.error(Code::WrongValue, &node.span, message, format!("here are {}", given.len()));
        return None;
    }
    let vector = |reader: &mut Reader, key| optional(fields.get(key), |n| reader.vec3(n, Unit::Plain));
    if let Some(n) = fields.get("body") {
        let body = built.body(reader, n);
        let point = vector(reader, "point")?.unwrap_or(Vec3::ZERO);
        let words = [("rotation", Lock::Rotation), ("translation", Lock::Translation), ("none", Lock::None)];
        let lock = optional(fields.get("lock"), |n| reader.choice(n, "lock", &words))?.unwrap_or_default();
        return Some(Connector::Body { body: body?, point, lock });
    }
    if let Some(n) = fields.get("fixed") {
        let position = reader.vec3(n, Unit::Plain)?;
        let velocity = built.pose.direction(vector(reader, "velocity")?.unwrap_or(Vec3::ZERO));
        return Some(Connector::Fixed { position: built.pose.point(position), velocity });
    }
    if let Some(n) = fields.get("curve") {
        let curve = named_curve(reader, n, built);
        let parameter = reader.required(&fields, "parameter").and_then(|n| reader.plain(n));
        return Some(Connector::Curve { curve: curve?, parameter: parameter? });
    }
    if let Some(n) = fields.get("nearest") {
        return Some(Connector::Nearest { curve: named_curve(reader, n, built)? });
    }
    let n = reader.required(&fields, "function")?;
    let items = reader.array(n, 3, "three expressions in t")?;
    let [x, y, z] = [0, 1, 2].map(|k| formula(reader, &items[k], &["t"]));
    let function = [x?, y?, z?];
    if built.pose == Pose::IDENTITY {
        return Some(Connector::Function(function));
    }
    placed(reader, n, &function, &built.pose).map(Connector::Function)
}

/// A function of an instance in the frame of the world: x + R f(t), written out.
fn placed(reader: &mut Reader, node: &Node, function: &[Expression; 3], pose: &Pose) -> Option<[Expression; 3]> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|e| pose.direction(e));
    let row = |k: usize| {
        let terms: Vec<String> = (0..3)
            .filter(|&j| axes[j][k] != 0.0)
            .map(|j| format!("({:?}) * ({})", axes[j][k], function[j].closed()))
            .collect();
        format!("{:?} + {}", pose.position[k], terms.join(" + "))
    };
    let mut one = |k: usize| match Expression::new(&row(k), &["t"], &[]) {
        Ok(e) => Some(e),
        Err(e) => {
            let message = format!("the function cannot be turned with its instance: {}", e.message);
            reader.error(Code::Expression, &node.span, message, "too long");
            None
        }
    };
    let [x, y, z] = [0, 1, 2].map(&mut one);
    Some([x?, y?, z?])
}

fn named_curve(reader: &mut Reader, node: &Node, built: &Built) -> Option<CurveId> {
    let short = reader.text(node)?;
    let name = format!("{}{short}", built.prefix);
    let found = built.world.curve_named(&name);
    if found.is_none() && !built.failed.contains(&name) {
        let names: Vec<_> = built.world.curves().filter_map(|c| built.world.curve_name(c)).collect();
        let all = names.iter().map(|n| &**n).chain(built.failed.iter().map(String::as_str));
        built.unknown(reader, node, &short, "curve", all);
    }
    found
}

/// An expression in variables; the scene's parameters are constants.
pub(super) fn formula(reader: &mut Reader, node: &Node, variables: &[&str]) -> Option<Expression> {
    match &node.value {
        Value::Number(x) => Some(Expression::constant(*x)),
        Value::Text(text) => match Expression::new(text, variables, &reader.scope.constants()) {
            Ok(e) => Some(e),
            Err(e) => {
                reader.expression_error(node, text, e);
                None
            }
        },
        _ => {
            let message = format!("expected an expression, found {}", node.kind());
            reader.error(Code::WrongType, &node.span, message, "not an expression");
            None
        }
    }
}
