//! Values over time.

use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::{Interpolation, Schedule};

/// Reads a number or a table of points.
pub(super) fn read(reader: &mut Reader, node: &Node, unit: Unit) -> Option<Schedule> {
    let Value::Table(table) = &node.value else {
        return Some(Schedule::constant(reader.number(node, unit)?));
    };
    let fields = reader.fields(table, &node.span, &grammar::SCHEDULE);
    let list = reader.required(&fields, "points")?;
    let Value::Array(items) = &list.value else {
        let message = format!("expected points [[t, value], …], found {}", list.kind());
        reader.error(Code::WrongType, &list.span, message, "not points");
        return None;
    };
    if items.is_empty() {
        reader.error(Code::WrongValue, &list.span, "a value over time needs at least one point", "no points");
        return None;
    }
    let mut points = Vec::with_capacity(items.len());
    for item in items {
        let pair = reader.array(item, 2, "a point [t, value]")?;
        let (t, y) = (reader.plain(&pair[0]), reader.number(&pair[1], unit));
        let (t, y) = (t?, y?);
        if points.last().is_some_and(|&(last, _)| t < last) {
            reader.error(
                Code::WrongValue,
                &pair[0].span,
                "the times of points must rise",
                "earlier than the one before",
            );
            return None;
        }
        points.push((t, y));
    }
    let interpolation = match fields.get("interpolation") {
        None => Interpolation::Linear,
        Some(n) => reader.choice(
            n,
            "interpolation",
            &[("hold", Interpolation::Hold), ("linear", Interpolation::Linear), ("smooth", Interpolation::Smooth)],
        )?,
    };
    Some(Schedule { points, interpolation })
}
