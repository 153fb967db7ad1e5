//! Making the tree of a scene by hand.

use crate::node::{Entry, Node, Table, Value};
use crate::source::Span;
use kreisel_dynamics::{Mat3, Quat, Vec3};
use kreisel_geometry::Pose;
use std::collections::{BTreeMap, BTreeSet};

/// A table under construction; all places are that of one element.
pub(super) struct Make {
    table: Table,
    span: Span,
}

impl Make {
    pub fn new(span: &Span) -> Self {
        Self { table: Table::default(), span: span.clone() }
    }

    pub fn put(&mut self, key: &str, value: Value) -> &mut Self {
        let node = Node { span: self.span.clone(), value };
        self.table.entries.push(Entry { key: key.to_owned(), key_span: self.span.clone(), node });
        self
    }

    pub fn number(&mut self, key: &str, x: f64) -> &mut Self {
        self.put(key, Value::Number(x))
    }

    /// A text in which braces are no expressions.
    pub fn text(&mut self, key: &str, text: &str) -> &mut Self {
        self.put(key, plain(text))
    }

    pub fn vector(&mut self, key: &str, v: Vec3) -> &mut Self {
        let value = vector(v, &self.span);
        self.put(key, value)
    }

    pub fn names(&mut self, key: &str, names: [&str; 2]) -> &mut Self {
        let list = names.map(|n| Node { span: self.span.clone(), value: plain(n) });
        self.put(key, Value::Array(list.into()))
    }

    pub fn counts(&mut self, key: &str, list: &[usize]) -> &mut Self {
        let list =
            list.iter().map(|n| Node { span: self.span.clone(), value: Value::Number(*n as f64) });
        let list = list.collect();
        self.put(key, Value::Array(list))
    }

    pub fn rotation(&mut self, q: Quat) -> &mut Self {
        if q == Quat::IDENTITY {
            return self;
        }
        let mut inner = Self::new(&self.span);
        let parts = q.to_array().map(|x| Node { span: self.span.clone(), value: Value::Number(x) });
        inner.put("quaternion", Value::Array(parts.into()));
        let node = inner.done();
        self.put("rotation", node.value)
    }

    pub fn pose(&mut self, pose: &Pose) -> &mut Self {
        if pose.position != Vec3::ZERO {
            self.vector("position", pose.position);
        }
        self.rotation(pose.rotation)
    }

    pub fn matrix(&mut self, key: &str, m: Mat3) -> &mut Self {
        // Symmetric up to rounding by the rotation; exactly so afterwards.
        let m = (m + m.transpose()) * 0.5;
        let rows = [m.x_axis, m.y_axis, m.z_axis]
            .map(|r| Node { span: self.span.clone(), value: vector(r, &self.span) });
        self.put(key, Value::Array(rows.into()))
    }

    pub fn is_empty(&self) -> bool {
        self.table.entries.is_empty()
    }

    pub fn span(&self) -> Span {
        self.span.clone()
    }

    pub fn done(self) -> Node {
        Node { span: self.span, value: Value::Table(self.table) }
    }

    pub fn table(self) -> Table {
        self.table
    }
}

fn plain(text: &str) -> Value {
    Value::Text(text.replace('{', "{{").replace('}', "}}"))
}

pub(super) fn vector(v: Vec3, span: &Span) -> Value {
    Value::Array(v.to_array().map(|x| Node { span: span.clone(), value: Value::Number(x) }).into())
}

/// A small table with one number per key, such as `{ angle = 0.1 }`.
pub(super) fn numbers(span: &Span, entries: &[(&str, f64)]) -> Value {
    let mut make = Make::new(span);
    for (key, x) in entries {
        make.number(key, *x);
    }
    make.done().value
}

/// Lists of items, as in a scene.
#[derive(Default)]
pub(super) struct Items {
    pub body: Vec<Node>,
    pub joint: Vec<Node>,
    pub motor: Vec<Node>,
    pub force: Vec<Node>,
    pub constraint: Vec<Node>,
    pub controller: Vec<Node>,
    pub show: Vec<Node>,
    pub sensor: Vec<Node>,
    /// Names here of the joints of the model.
    pub joints: BTreeMap<String, String>,
    taken: BTreeSet<String>,
}

impl Items {
    /// A name that is still free: bodies, joints and motors of a model may share theirs, here they
    /// may not.
    pub fn claim(&mut self, name: &str, kind: &str) -> String {
        let mut free = name.to_owned();
        while free == "world" || free.is_empty() || self.taken.contains(&free) {
            free = format!("{free} {kind}").trim_start().to_owned();
        }
        self.taken.insert(free.clone());
        free
    }

    /// Adds them to the top level.
    pub fn into_scene(self, scene: &mut Make) {
        let lists = [
            ("body", self.body),
            ("joint", self.joint),
            ("motor", self.motor),
            ("force", self.force),
            ("show", self.show),
            ("constraint", self.constraint),
            ("controller", self.controller),
            ("sensor", self.sensor),
        ];
        for (key, list) in lists {
            if !list.is_empty() {
                scene.put(key, Value::Array(list));
            }
        }
    }

    /// Two coordinates of joints, the second a polynomial of the first: q₂ = Σ cₖ q₁ᵏ, counted
    /// here.
    pub fn coupling(
        &mut self,
        span: &Span,
        name: &str,
        joints: [&str; 2],
        words: [&str; 2],
        c: &[f64],
    ) -> Make {
        let mut make = Make::new(span);
        let name = self.claim(name, "coupling");
        let item = |value: Value| Node { span: span.clone(), value };
        // a list of powers has at least one
        let powers = if c.len() > 1 { &c[1..] } else { &[0.0][..] };
        let own = powers.iter().map(|x| item(Value::Number(*x))).collect();
        let factors = vec![item(Value::Array(own)), item(Value::Number(-1.0))];
        make.text("name", &name)
            .text("type", "coupling")
            .names("joints", joints)
            .names("coordinates", words);
        make.put("factors", Value::Array(factors))
            .number("value", -c.first().copied().unwrap_or(0.0));
        make
    }
}
