//! `[record]`.

use super::names::Built;
use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::{Fields, Reader};
use crate::record::Columns;
use crate::scene::{Record, Wanted};

/// Reads what is recorded and checks that it exists.
pub(super) fn read(reader: &mut Reader, scene: &Fields<'_>, built: &Built) -> Record {
    let mut record = Record::default();
    let Some(node) = scene.get("record") else { return record };
    let Some(table) = reader.table(node, "a table") else { return record };
    let fields = reader.fields(table, &node.span, &grammar::RECORD);
    record.every = fields.get("every").and_then(|n| reader.positive(n, "the time between rows"));
    let Some(list) = fields.get("quantities") else { return record };
    let Value::Array(items) = &list.value else {
        reader.error(
            Code::WrongType,
            &list.span,
            format!("expected an array, found {}", list.kind()),
            "not an array",
        );
        return record;
    };
    // With errors elsewhere, bodies may be missing that a path rightly names.
    let sound = reader.errors() == 0;
    for item in items {
        if let Some(wanted) = quantity(reader, item, built, sound) {
            record.quantities.push(wanted);
        }
    }
    record
}

fn quantity(reader: &mut Reader, node: &Node, built: &Built, sound: bool) -> Option<Wanted> {
    if let Value::Table(table) = &node.value {
        let fields = reader.fields(table, &node.span, &grammar::POINT);
        let name = reader.required(&fields, "name").and_then(|n| reader.text(n));
        let body = reader.required(&fields, "body").and_then(|n| built.body(reader, n));
        let point = reader.required(&fields, "point").and_then(|n| reader.vec3(n, Unit::Plain));
        return Some(Wanted::Point { name: name?, body: body?, point: point? });
    }
    let path = reader.text(node)?;
    if sound && let Err(e) = Columns::of_path(&built.world, &path) {
        reader
            .error(Code::UnknownName, &node.span, e.message, "cannot be recorded")
            .help_if(e.help);
        return None;
    }
    Some(Wanted::Path(path, node.span.clone()))
}
