//! Any table of properties as TOML: what differs from the defaults, in the order of the table.

use super::Part;
use crate::items::{Item, Kind, RunSettings};
use crate::property::{Form, Table, Value};
use kreisel_dynamics::World;
use std::any::Any;
use std::fmt::Write as _;

/// `key = value` of a description, without the tables that are sections of their own.
pub(super) fn lines(out: &mut String, table: &Table, item: &dyn Any, world: &World) {
    for (key, value) in table.values(item, world) {
        if !table.property(key).is_some_and(|p| p.section) {
            let _ = writeln!(out, "{key} = {}", value.toml());
        }
    }
}

/// An item of its own.
pub(super) fn write(out: &mut String, table: &Table, values: &[(&'static str, Value)]) {
    let _ = writeln!(out, "\n{}", table.title);
    for (key, value) in values {
        let _ = writeln!(out, "{key} = {}", value.toml());
    }
}

/// `[section]`, if it says anything.
pub(super) fn section(out: &mut String, table: &Table, item: &dyn Any, world: &World) {
    if !table.values(item, world).is_empty() {
        let _ = writeln!(out, "\n{}", table.title);
        lines(out, table, item, world);
    }
}

impl Part<'_> {
    /// All items of a kind.
    pub(super) fn items(&self, out: &mut String, kind: &'static Kind, run: &RunSettings) {
        for item in Item::all(kind, self.world, run) {
            let Some(values) = item.saved(self.world, run) else { continue };
            let _ = writeln!(out, "\n{}", kind.table.title);
            for (key, mut value) in values {
                let Some(p) = kind.table.property(key) else { continue };
                if key == "name" {
                    value = Value::Text(self.title(&item.name));
                } else {
                    self.prefixed(&p.form, &mut value);
                }
                let _ = writeln!(out, "{key} = {}", value.toml());
            }
        }
    }

    /// The name of an item behind the prefix. That by which a procedure knows its constraint again
    /// holds three names.
    fn title(&self, name: &str) -> String {
        let (w, prefix) = (self.world, &self.prefix);
        let Some((procedure, bodies)) = w.constraint_named(name).and_then(|id| w.holder(id)) else {
            return format!("{prefix}{name}");
        };
        let [a, b] = bodies.map(|b| w.body_name(b).unwrap_or_default());
        let procedure = w.procedure_name(procedure).unwrap_or_default();
        format!("{prefix}{procedure}: {prefix}{a}, {prefix}{b}")
    }

    /// Gives names of other items their prefix.
    pub(super) fn prefixed(&self, form: &Form, value: &mut Value) {
        match (form, value) {
            (Form::Reference(_), Value::Text(name)) if name != "world" => {
                *name = format!("{}{name}", self.prefix)
            }
            (Form::List(inner, ..), Value::List(items)) => {
                items.iter_mut().for_each(|v| self.prefixed(inner, v))
            }
            (Form::Optional(inner), value) => self.prefixed(inner, value),
            (Form::Either(forms), value) => {
                if let Some(form) = forms.iter().find(|f| f.fits(value)) {
                    self.prefixed(form, value);
                }
            }
            (Form::Table(table), Value::Table(entries)) => {
                for (key, value) in entries {
                    if let Some(p) = table().property(key) {
                        self.prefixed(&p.form, value);
                    }
                }
            }
            _ => {}
        }
    }
}
