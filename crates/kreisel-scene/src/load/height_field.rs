//! `height_field`: terrain from rows of heights, or from an expression in x and y.

use crate::expr::{Number, Unit};
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::Reader;
use glam::DVec2;
use kreisel_geometry::{HeightField, Shape};
use std::sync::Arc;

/// Most rows, and most columns.
const MAX_SIDE: u32 = 2000;

/// Reads a height field.
pub(super) fn read(reader: &mut Reader, node: &Node) -> Option<Shape> {
    let table = reader.table(node, "{ spacing = [dx, dy], heights = [[…], …] }")?;
    let fields = reader.fields(table, &node.span, &grammar::HEIGHT_FIELD);
    let spacing = reader.required(&fields, "spacing").and_then(|n| {
        let pair = reader.array(n, 2, "distances [dx, dy] of columns and rows")?;
        let [x, y] = [0, 1].map(|k| reader.positive(&pair[k], "the spacing"));
        Some(DVec2::new(x?, y?))
    })?;
    let (rows, columns, heights) = match (fields.get("heights"), fields.get("height")) {
        (Some(n), None) => given(reader, n)?,
        (None, Some(n)) => {
            let rows = reader
                .required(&fields, "rows")
                .and_then(|n| reader.count(n, "the number of rows", MAX_SIDE));
            let columns = reader
                .required(&fields, "columns")
                .and_then(|n| reader.count(n, "the number of columns", MAX_SIDE));
            let (rows, columns) = (rows? as usize, columns? as usize);
            (rows, columns, computed(reader, n, rows, columns, spacing)?)
        }
        _ => {
            let message = "a height field has `heights`, or `height` with `rows` and `columns`";
            reader.error(Code::MissingKey, &node.span, message, "here");
            return None;
        }
    };
    match HeightField::new(rows, columns, spacing, heights) {
        Ok(field) => Some(Shape::HeightField(Arc::new(field))),
        Err(e) => {
            reader.error(Code::WrongValue, &node.span, e.to_string(), "no such terrain");
            None
        }
    }
}

fn given(reader: &mut Reader, node: &Node) -> Option<(usize, usize, Vec<f64>)> {
    let Value::Array(rows) = &node.value else {
        reader.wrong_type(node, "rows of heights [[z, z, …], …]");
        return None;
    };
    let mut heights = Vec::new();
    let mut columns = None;
    for row in rows {
        let length = match (&row.value, columns) {
            (Value::Array(items), None) => items.len(),
            (_, known) => known.unwrap_or(0),
        };
        columns = Some(length);
        let items =
            reader.array(row, length, &format!("a row of {length} heights, as the first one"))?;
        for item in items {
            heights.push(reader.plain(item)?);
        }
    }
    Some((rows.len(), columns.unwrap_or(0), heights))
}

/// Heights from an expression, in which `x` and `y` are the place and `i` and `j` the numbers of
/// column and row.
fn computed(
    reader: &mut Reader,
    node: &Node,
    rows: usize,
    columns: usize,
    spacing: DVec2,
) -> Option<Vec<f64>> {
    let depth = reader.scope.len();
    let mut heights = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let (i, j) = (column as f64, row as f64);
            for (name, value) in [("i", i), ("j", j), ("x", i * spacing.x), ("y", j * spacing.y)] {
                reader.scope.push(name, Number::plain(value));
            }
            let height = reader.number(node, Unit::Plain);
            reader.scope.truncate(depth);
            heights.push(height?);
        }
    }
    Some(heights)
}
