//! Repetition of an item: `repeat = 50`, `repeat = { i = 10, j = "1..n" }`, with `let` and `when`.

use super::{Fields, Reader};
use crate::expr::{Number, is_name};
use crate::node::{Node, Value};
use crate::problem::Code;

/// Most items a scene may have after repetition: beyond this a typing error is likelier than a
/// wish.
pub(crate) const MAX_ITEMS: usize = 100_000;

/// A counter: its name, first value and end (not included).
struct Counter<'n> {
    name: &'n str,
    from: i64,
    to: i64,
}

impl Reader {
    /// Calls `make` for an item once per repetition, with the counters and definitions in scope.
    /// Ends an item's repetition at its first error.
    pub fn each(&mut self, fields: &Fields<'_>, mut make: impl FnMut(&mut Self)) {
        let counters = match fields.get("repeat") {
            None => Vec::new(),
            Some(node) => match self.counters(node) {
                Some(counters) => counters,
                None => return,
            },
        };
        if counters.iter().any(|c| c.to <= c.from) {
            return;
        }
        let total =
            counters.iter().try_fold(1_usize, |n, c| n.checked_mul((c.to - c.from) as usize));
        if total.is_none_or(|n| self.items.saturating_add(n) > self.most_items) {
            let message = format!("the scene would have more than {} items", self.most_items);
            self.error(Code::TooLarge, fields.place("repeat"), message, "repeated too often");
            return;
        }
        let depth = self.scope.len();
        let mut values: Vec<i64> = counters.iter().map(|c| c.from).collect();
        loop {
            self.items += 1;
            let (before, errors) = (self.problems.len(), self.errors());
            for (counter, &value) in counters.iter().zip(&values) {
                self.scope.push(counter.name, Number::plain(value as f64));
            }
            if self.definitions(fields) == Some(true) {
                make(self);
            }
            self.scope.truncate(depth);
            if self.errors() > errors {
                self.say_when(before, &counters, &values);
                return;
            }
            if !advance(&mut values, &counters) {
                return;
            }
        }
    }

    /// Counts `n` items that one table makes; false, with an error, when there are too many.
    pub fn spend(&mut self, n: usize, span: &crate::Span) -> bool {
        self.items = self.items.saturating_add(n);
        if self.items > self.most_items {
            let message = format!("the scene would have more than {} items", self.most_items);
            self.error(Code::TooLarge, span, message, "too many");
            return false;
        }
        true
    }

    fn counters<'n>(&mut self, node: &'n Node) -> Option<Vec<Counter<'n>>> {
        let Value::Table(table) = &node.value else {
            let (from, to) = self.range(node)?;
            return Some(vec![Counter { name: "i", from, to }]);
        };
        let mut out = Vec::new();
        for entry in &table.entries {
            if !is_name(&entry.key) {
                let message = format!("`{}` cannot be the name of a counter", entry.key);
                self.error(Code::WrongValue, &entry.key_span, message, "not a name");
                return None;
            }
            let (from, to) = self.range(&entry.node)?;
            out.push(Counter { name: &entry.key, from, to });
        }
        Some(out)
    }

    /// `50` counts from 0 to 49, `"1..n"` from 1 to n − 1.
    fn range(&mut self, node: &Node) -> Option<(i64, i64)> {
        let Value::Text(text) = &node.value else {
            return Some((0, self.whole(node)?));
        };
        let Some((from, to)) = text.split_once("..") else {
            return Some((0, self.whole(node)?));
        };
        let part = |text: &str, offset: usize| {
            let start = node.span.start + 1 + offset;
            Node { span: start - 1..start + text.len() + 1, value: Value::Text(text.to_owned()) }
        };
        let from = self.whole(&part(from, 0));
        let to = self.whole(&part(to, text.len() - to.len()));
        Some((from?, to?))
    }

    /// A whole number.
    pub fn whole(&mut self, node: &Node) -> Option<i64> {
        let x = self.plain(node)?;
        if x.fract() == 0.0 && x.abs() < 1e9 {
            return Some(x as i64);
        }
        self.error(
            Code::WrongValue,
            &node.span,
            format!("expected a whole number, found {x}"),
            "not whole",
        );
        None
    }

    /// Evaluates `let` and `when`; `Some(false)` skips this repetition.
    fn definitions(&mut self, fields: &Fields<'_>) -> Option<bool> {
        if let Some(node) = fields.get("let") {
            let table = self.table(node, "a table of names and expressions")?;
            for entry in &table.entries {
                self.define(&entry.key, &entry.key_span, &entry.node)?;
            }
        }
        match fields.get("when") {
            None => Some(true),
            Some(node) => match node.value {
                Value::Bool(b) => Some(b),
                _ => Some(self.plain(node)? != 0.0),
            },
        }
    }

    /// Adds a name with the value of an expression to the scope.
    pub fn define(&mut self, name: &str, span: &crate::Span, node: &Node) -> Option<()> {
        if !is_name(name) {
            let message = format!("`{name}` cannot be a name in expressions");
            self.error(Code::WrongValue, span, message, "not a name")
                .help("use letters, digits and _");
            return None;
        }
        let value = self.any_number(node);
        // A name without a value would only cause further errors where it is used: the scene is
        // refused already.
        self.scope.push(name, value.unwrap_or(Number::plain(1.0)));
        value.map(|_| ())
    }

    fn say_when(&mut self, before: usize, counters: &[Counter<'_>], values: &[i64]) {
        if counters.is_empty() {
            return;
        }
        let at: Vec<String> =
            counters.iter().zip(values).map(|(c, v)| format!("{} = {v}", c.name)).collect();
        let at = format!("this happens at {}", at.join(", "));
        self.remark(before, &at);
    }
}

/// Counts on, the last counter fastest; false at the end.
fn advance(values: &mut [i64], counters: &[Counter<'_>]) -> bool {
    for (value, counter) in values.iter_mut().zip(counters).rev() {
        *value += 1;
        if *value < counter.to {
            return true;
        }
        *value = counter.from;
    }
    false
}
