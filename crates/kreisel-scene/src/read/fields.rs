//! The keys of one table, checked against the grammar.

use super::Reader;
use crate::grammar::Section;
use crate::node::{Entry, Node, Table};
use crate::problem::{Code, alternatives, nearest};
use crate::source::Span;

/// A table whose keys have been checked.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'n> {
    table: &'n Table,
    /// Where the table is: its header or braces.
    pub span: &'n Span,
    section: &'static Section,
}

impl Reader {
    /// Takes the keys of a table; keys that the section does not know are errors.
    pub fn fields<'n>(&mut self, table: &'n Table, span: &'n Span, section: &'static Section) -> Fields<'n> {
        for Entry { key, key_span, .. } in &table.entries {
            if section.keys.iter().any(|k| k.name == key) {
                continue;
            }
            let help = match nearest(key, section.keys.iter().map(|k| k.name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("{} takes {}", section.title, alternatives(section.keys.iter().map(|k| k.name))),
            };
            let message = format!("{} has no key `{key}`", section.title);
            self.error(Code::UnknownKey, key_span, message, "unknown key").help(help);
        }
        Fields { table, span, section }
    }

    /// A value that must be there.
    pub fn required<'n>(&mut self, fields: &Fields<'n>, key: &'static str) -> Option<&'n Node> {
        let found = fields.get(key);
        if found.is_none() {
            let message = format!("{} needs `{key}`", fields.section.title);
            let form =
                fields.section.keys.iter().find(|k| k.name == key).map(|k| format!("{key}: {}, {}", k.form, k.doc));
            self.error(Code::MissingKey, fields.span, message, format!("`{key}` is missing here")).help_if(form);
        }
        found
    }
}

impl<'n> Fields<'n> {
    /// The value of a key, if it is there.
    pub fn get(&self, key: &'static str) -> Option<&'n Node> {
        debug_assert!(self.section.keys.iter().any(|k| k.name == key), "{key} is not in {}", self.section.title);
        self.table.get(key)
    }

    /// Whether a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// The place of a key's value, or of the table.
    pub fn place(&self, key: &str) -> &'n Span {
        self.table.get(key).map_or(self.span, |n| &n.span)
    }
}
