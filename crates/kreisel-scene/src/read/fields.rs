//! The keys of one table, checked against the grammar.

use super::Reader;
use crate::grammar::Keys;
use crate::node::{Entry, Node, Table};
use crate::problem::{Code, nearest};
use crate::source::Span;

/// A table whose keys have been checked.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'n> {
    table: &'n Table,
    /// Where the table is: its header or braces.
    pub span: &'n Span,
    keys: Keys,
}

impl Reader {
    /// Takes the keys of a table; keys that it does not know are errors.
    pub fn fields<'n>(
        &mut self,
        table: &'n Table,
        span: &'n Span,
        keys: impl Into<Keys>,
    ) -> Fields<'n> {
        let keys: Keys = keys.into();
        let names = keys.names();
        for Entry { key, key_span, .. } in &table.entries {
            if names.contains(&key.as_str()) {
                continue;
            }
            let help = match nearest(key, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => keys.takes(),
            };
            let message = format!("{} has no key `{key}`", keys.title());
            self.error(Code::UnknownKey, key_span, message, "unknown key").help(help);
        }
        Fields { table, span, keys }
    }

    /// A value that must be there.
    pub fn required<'n>(&mut self, fields: &Fields<'n>, key: &'static str) -> Option<&'n Node> {
        let found = fields.get(key);
        if found.is_none() {
            let message = format!("{} needs `{key}`", fields.keys.title());
            let line = fields.keys.lines().into_iter().find(|l| l.0 == key);
            let form = line.map(|(_, form, doc)| format!("{key}: {form}, {doc}"));
            self.error(Code::MissingKey, fields.span, message, format!("`{key}` is missing here"))
                .help_if(form);
        }
        found
    }
}

impl<'n> Fields<'n> {
    /// The value of a key, if it is there.
    pub fn get(&self, key: &'static str) -> Option<&'n Node> {
        debug_assert!(self.keys.names().contains(&key), "{key} is not in {}", self.keys.title());
        self.table.get(key)
    }

    /// The same for a key that a table of properties names.
    pub fn find(&self, key: &str) -> Option<&'n Node> {
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
