//! Formulas in variables, in which the scene's parameters are constants.

use crate::node::{Node, Value as Tree};
use crate::problem::Code;
use crate::property::Value;
use crate::property::codec::{Codec as _, Formula};
use crate::read::Reader;
use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::{Vec3, World};
use kreisel_geometry::Pose;

/// The formula of a node.
pub(super) fn read(reader: &mut Reader, node: &Node, variables: &[String]) -> Option<Expression> {
    let names: Vec<&str> = variables.iter().map(String::as_str).collect();
    match &node.value {
        Tree::Number(x) => Some(Expression::constant(*x)),
        Tree::Text(text) => match Expression::new(text, &names, &reader.scope.constants()) {
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

/// A function of an instance in the frame of the world: x + R f(t), written out.
pub(super) fn placed(
    reader: &mut Reader,
    node: &Node,
    function: [&Value; 3],
    pose: &Pose,
) -> Option<Value> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|e| pose.direction(e));
    let text = |value: &Value| match value {
        Value::Number(x) => format!("{x:?}"),
        Value::Text(text) => text.clone(),
        _ => String::new(),
    };
    let row = |k: usize| {
        let terms: Vec<String> = (0..3)
            .filter(|&j| axes[j][k] != 0.0)
            .map(|j| format!("({:?}) * ({})", axes[j][k], text(function[j])))
            .collect();
        format!("{:?} + {}", pose.position[k], terms.join(" + "))
    };
    let mut one = |k: usize| match Expression::new(&row(k), &["t"], &[]) {
        Ok(e) => Some(Formula::write(&e, &World::default())),
        Err(e) => {
            let message = format!("the function cannot be turned with its instance: {}", e.message);
            reader.error(Code::Expression, &node.span, message, "too long");
            None
        }
    };
    let [x, y, z] = [0, 1, 2].map(&mut one);
    Some(Value::List(vec![x?, y?, z?]))
}
