//! `[[switch]]`.

use super::names::Built;
use crate::read::{Fields, Reader, optional};
use crate::scene::{Switch, SwitchTo};

/// Reads a switch.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let at = reader.required(fields, "at").and_then(|n| reader.plain(n));
    let to = if let Some(n) = fields.get("body") {
        let body = built.body(reader, n);
        let kind = reader.required(fields, "kind").and_then(|n| reader.word(n, "kind of body"));
        SwitchTo::Kind(body?, kind?)
    } else {
        let n = reader.required(fields, "item")?;
        let short = reader.text(n)?;
        let name = format!("{}{short}", built.prefix);
        let w = &built.world;
        let known = w.joint_named(&name).is_some()
            || w.constraint_named(&name).is_some()
            || w.controller_named(&name).is_some()
            || w.field_named(&name).is_some();
        if !known {
            if !built.failed.contains(&name) {
                built.unknown(reader, n, &short, "item", built.spans.keys().map(String::as_str));
            }
            return None;
        }
        SwitchTo::Active(name, optional(fields.get("active"), |n| reader.flag(n))?.unwrap_or(true))
    };
    built.switches.push(Switch { at: at?, to });
    Some(())
}
