//! Any table of properties from the spanned tree: unknown and missing keys, units, expressions,
//! alternatives, several problems at once. No kind of item is named here.

use super::names::Built;
use super::{color, formula, shape};
use crate::expr::Unit;
use crate::items::Kind;
use crate::node::{Node, Value as Tree};
use crate::problem::{Code, nearest};
use crate::property::codec::{Codec as _, Formula};
use crate::property::kinds;
use crate::property::{Fault, Form, Placed, Property, Table, Title, Value};
use crate::read::{Fields, Reader};
use crate::source::Span;
use kreisel_dynamics::math::{rotation, rotation_vector};
use kreisel_dynamics::{Quat, Vec3};
use kreisel_geometry::Pose;
use std::any::Any;

/// Where an item stands: what its references and places refer to.
pub(super) struct Around<'a> {
    pub built: &'a Built,
    /// The frame of its points and directions.
    pub frame: &'a Pose,
}

/// The property that a value belongs to.
#[derive(Clone, Copy)]
struct Key<'a> {
    property: &'a Property,
    /// Its unit for this item.
    unit: &'static str,
    /// The variables of its formulas.
    variables: &'a [String],
}

thread_local! {
    /// Nothing that could be referred to.
    static NOTHING: Built = Built::default();
}

/// A value of the form of a property of bodies, as one reads it that refers to nothing.
pub(super) fn alone(reader: &mut Reader, node: &Node, key: &str) -> Option<Value> {
    let property = kinds::BODY.property(key)?;
    let key = Key { property, unit: property.unit.words(), variables: &[] };
    NOTHING.with(|built| {
        reader.value(node, &property.form, key, &Around { built, frame: &Pose::IDENTITY })
    })
}

/// Reads an item of a kind and adds it.
pub(super) fn add(
    reader: &mut Reader,
    fields: &Fields<'_>,
    built: &mut Built,
    kind: &'static Kind,
) -> Option<()> {
    let table = kind.table;
    let name = built.claim(reader, fields, table.name);
    let frame =
        if table.written == Title::Framed { built.frame(reader, fields)? } else { built.pose };
    let mut item = (table.blank)();
    let sound = reader.item(fields, table, &mut *item, &Around { built, frame: &frame });
    let name = name.filter(|_| sound)?;
    if let Some(p) = table.property("name") {
        // any text is a name
        let _ = (p.set)(&mut *item, Value::Text(name.clone()), &built.world);
    }
    let turns = table.property("turns").map(|p| (p.get)(&*item, &built.world));
    match kind.add(&mut built.world, &mut built.run, item) {
        Ok(actual) => {
            // turns are counted on top of the present state, which is set when all joints stand
            if let (Some(Value::Number(n)), Some(id)) = (turns, built.world.joint_named(&actual)) {
                built.turns.push((id, n as i32));
            }
            built.built(reader, &name, Some(&actual), fields.place("name"));
            Some(())
        }
        Err(e) => {
            reader.model_error(fields, &e);
            None
        }
    }
}

impl Reader {
    /// Reads the keys of a table into an item; what the table does not say stays as it is. False
    /// where something is wrong with it, which has been noted.
    pub(super) fn item(
        &mut self,
        fields: &Fields<'_>,
        table: &'static Table,
        item: &mut dyn Any,
        around: &Around<'_>,
    ) -> bool {
        let before = self.errors();
        let world = &around.built.world;
        self.judge(fields, table);

        // the values, each at its place; a unit may depend on what stands above
        let mut complete = true;
        for p in table.properties.iter().filter(|p| p.name != "name" && !p.section) {
            let Some(node) = fields.find(p.name) else {
                unwritten(p, item, around);
                continue;
            };
            let key = Key {
                property: p,
                unit: p.unit.of(item, world, ""),
                variables: &(p.variables)(item),
            };
            let Some(value) = self.value(node, &p.form, key, around) else {
                complete = false;
                continue;
            };
            if let Err(fault) = p.assign(item, value, world) {
                self.fault(locate(node, &fault.path[1..]), fault);
            }
        }

        // what concerns several keys
        if complete
            && self.errors() == before
            && let Err(fault) = (table.check)(item, world)
        {
            let node = fault.path.first().and_then(|k| fields.find(k));
            self.fault(node.map_or(fields.span, |n| locate(n, &fault.path[1..])), fault);
        }
        complete && self.errors() == before
    }

    /// Notes keys that are missing, exclude each other or mean nothing here.
    fn judge(&mut self, fields: &Fields<'_>, table: &'static Table) {
        let word = |key: &str| {
            fields
                .find(key)
                .map(|n| if let Tree::Text(word) = &n.value { word.clone() } else { String::new() })
        };
        for p in table.properties.iter().filter(|p| p.required && p.goes(word)) {
            self.required(fields, p.name);
        }
        for choice in table.choices {
            let given: Vec<&str> = choice.keys.iter().copied().filter(|k| fields.has(k)).collect();
            if choice.holds(given.len()) {
                continue;
            }
            match given[..] {
                [first, second, ..] => {
                    let (first, second) = (self.place(fields.place(first)), fields.place(second));
                    let note =
                        self.error(Code::WrongValue, second, table.one_of(choice), "second one");
                    let help = (!choice.help.is_empty()).then(|| choice.help.to_owned());
                    note.also(&first, "first one").help_if(help);
                }
                _ => {
                    self.error(
                        Code::MissingKey,
                        fields.span,
                        table.one_of(choice),
                        "none of them is here",
                    );
                }
            }
        }
        for p in table.properties.iter().filter(|p| fields.has(p.name)) {
            let Some((key, words)) = p.only else { continue };
            let known = match word(key) {
                Some(word) => table.property(key).is_some_and(|q| q.form.takes_text(&word)),
                None => words.is_empty(),
            };
            if known && !p.goes(word) {
                let with =
                    word(key).map_or("here".to_owned(), |word| format!("with {key} = \"{word}\""));
                let message = format!("`{}` means nothing {with}", p.name);
                self.error(Code::WrongValue, fields.place(p.name), message, "not here")
                    .help(p.partner());
            }
        }
    }

    pub(super) fn fault(&mut self, span: &Span, fault: Fault) {
        self.error(Code::WrongValue, span, fault.message, "not possible").help_if(fault.help);
    }

    /// The value of a node, or nothing after a problem has been noted.
    fn value(
        &mut self,
        node: &Node,
        form: &Form,
        key: Key<'_>,
        around: &Around<'_>,
    ) -> Option<Value> {
        let unit = match key.unit {
            "rad" => Unit::Angle,
            "rad/s" => Unit::Rate,
            _ => Unit::Plain,
        };
        Some(match form {
            Form::Optional(_) if matches!(&node.value, Tree::Text(t) if t == "none") => Value::None,
            Form::Optional(inner) => self.value(node, inner, key, around)?,
            Form::Either(forms) => self.value(node, which(forms, node), key, around)?,
            Form::Flag => Value::Flag(self.flag(node)?),
            Form::Number => Value::Number(self.number(node, unit)?),
            Form::Unlimited => Value::Number(self.number_or_infinite(node, unit)?),
            Form::Count | Form::OneOf(_) => Value::Number(self.plain(node)?),
            Form::Vector => {
                let v = self.vec3(node, unit)?;
                Value::numbers(placed(key.property.placed, around.frame, v).to_array())
            }
            Form::Point => {
                let pair = self.array(node, 2, "a point [t, value]")?;
                let (t, y) = (self.plain(&pair[0]), self.number(&pair[1], unit));
                Value::numbers([t?, y?])
            }
            Form::Quaternion => {
                let four = self.array(node, 4, "a quaternion [x, y, z, w]")?;
                let [x, y, z, w] = [0, 1, 2, 3].map(|k| self.plain(&four[k]));
                Value::numbers([x?, y?, z?, w?])
            }
            Form::Shape => {
                let solid = shape::read(self, node, &mut around.built.meshes.borrow_mut())?;
                Value::Solid(Box::new(solid))
            }
            Form::Numbers => {
                let Tree::Table(table) = &node.value else {
                    self.wrong_type(node, &form.describe(""));
                    return None;
                };
                let one = |e: &crate::node::Entry| {
                    Some((e.key.clone(), Value::Number(self.any_number(&e.node)?.value)))
                };
                Value::Table(table.entries.iter().map(one).collect::<Option<_>>()?)
            }
            Form::Color => {
                let [r, g, b] = color::read(self, node)?;
                Value::Text(format!("#{r:02x}{g:02x}{b:02x}"))
            }
            Form::Text => Value::Text(self.text(node)?),
            Form::Formula => {
                Formula::write(&formula::read(self, node, key.variables)?, &around.built.world)
            }
            Form::Reference(kind) => Value::Text(around.built.reference(self, node, kind)?),
            Form::Words(words) => {
                let Tree::Text(word) = &node.value else {
                    self.wrong_type(node, &form.describe(""));
                    return None;
                };
                if !words.iter().any(|w| w.word == word) {
                    let help = match nearest(word, words.iter().map(|w| w.word)) {
                        Some(near) => format!("did you mean \"{near}\"?"),
                        None => format!("use {}", form.describe("")),
                    };
                    let message = format!("`{}` cannot be \"{word}\"", key.property.name);
                    self.error(Code::WrongValue, &node.span, message, "unknown word").help(help);
                    return None;
                }
                Value::Text(word.clone())
            }
            Form::List(inner, min, max) => {
                let Tree::Array(items) = &node.value else {
                    let wanted = match inner.table() {
                        Some(table) if !table.title.contains(' ') => table.title.to_owned(),
                        _ => form.describe(key.unit),
                    };
                    self.wrong_type(node, &wanted);
                    return None;
                };
                if !(*min..=*max).contains(&items.len()) {
                    let (wanted, found) = (form.describe(key.unit), items.len());
                    let message = format!("expected {wanted}, found an array of {found}");
                    let help = format!("{}: {}", key.property.name, key.property.doc.trim());
                    self.error(Code::WrongType, &node.span, message, format!("{found} values"))
                        .help(help);
                    return None;
                }
                let values: Vec<Option<Value>> =
                    items.iter().map(|n| self.value(n, inner, key, around)).collect();
                let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
                // a point that moves by formulas moves in the frame
                if let (Form::Formula, Placed::Point, [x, y, z]) =
                    (inner, key.property.placed, &values[..])
                    && *around.frame != Pose::IDENTITY
                {
                    return formula::placed(self, node, [x, y, z], around.frame);
                }
                Value::List(values)
            }
            Form::Table(table) => self.nested(node, table(), key, around)?,
        })
    }

    /// The values of a nested table.
    fn nested(
        &mut self,
        node: &Node,
        table: &'static Table,
        key: Key<'_>,
        around: &Around<'_>,
    ) -> Option<Value> {
        let before = self.errors();
        let Tree::Table(entries) = &node.value else {
            self.wrong_type(node, &format!("a table `{}`", table.name));
            return None;
        };
        let fields = self.fields(entries, &node.span, table);
        self.judge(&fields, table);
        let (world, blank) = (&around.built.world, (table.blank)());
        let mut out = Vec::new();
        let mut complete = true;
        for p in table.properties {
            let Some(n) = fields.find(p.name) else { continue };
            let (unit, variables) = (p.unit.of(&*blank, world, key.unit), (p.variables)(&*blank));
            let own = Key { property: p, unit, variables: &variables };
            let Some(value) = self.value(n, &p.form, own, around) else {
                complete = false;
                continue;
            };
            if let Err(fault) = p.admit(&p.form, &value) {
                self.fault(locate(n, &fault.path), fault);
            }
            out.push((p.name.to_owned(), value));
        }
        (complete && self.errors() == before).then_some(Value::Table(out))
    }
}

/// A default that is a place or a direction is one of the item's frame, too.
fn unwritten(p: &Property, item: &mut dyn Any, around: &Around<'_>) {
    if p.placed == Placed::Not || p.required || *around.frame == Pose::default() {
        return;
    }
    let world = &around.built.world;
    if let Some(&[x, y, z]) = (p.get)(item, world).as_numbers().as_deref() {
        let v = placed(p.placed, around.frame, Vec3::new(x, y, z));
        // a vector for a vector
        let _ = (p.set)(item, Value::numbers(v.to_array()), world);
    }
}

/// The form among several that a node is written in.
fn which<'f>(forms: &'f [Form], node: &Node) -> &'f Form {
    let fits = |form: &&Form| match (&node.value, form) {
        (Tree::Table(_), Form::Table(_)) | (Tree::Bool(_), Form::Flag) => true,
        (Tree::Array(items), Form::List(inner, ..)) => {
            // an array of arrays is a list of vectors, one of numbers a vector
            let deep = matches!(inner, Form::Vector | Form::Point | Form::List(..));
            deep == items.iter().any(|n| matches!(n.value, Tree::Array(_)))
        }
        (Tree::Array(items), Form::Vector | Form::Point) => {
            !items.iter().any(|n| matches!(n.value, Tree::Array(_)))
        }
        (Tree::Text(word), Form::Words(words)) => words.iter().any(|w| w.word == word),
        (
            Tree::Text(_) | Tree::Number(_),
            Form::Formula | Form::Number | Form::Unlimited | Form::Count | Form::OneOf(_),
        ) => true,
        (Tree::Text(_), Form::Text | Form::Reference(_)) => true,
        _ => false,
    };
    forms.iter().find(fits).unwrap_or(&forms[0])
}

fn placed(placed: Placed, frame: &Pose, v: Vec3) -> Vec3 {
    match placed {
        Placed::Not => v,
        Placed::Point => frame.point(v),
        Placed::Direction => frame.direction(v),
        // to the bit where there is nothing to turn
        Placed::Turn if frame.rotation == Quat::IDENTITY => v,
        Placed::Turn => rotation_vector(frame.rotation * rotation(v)),
    }
}

/// The place of what a path leads to, as far as it was written out.
fn locate<'n>(node: &'n Node, path: &[String]) -> &'n Span {
    let Some((step, rest)) = path.split_first() else { return &node.span };
    let inner = match &node.value {
        Tree::Table(table) => table.get(step),
        Tree::Array(items) => step.parse::<usize>().ok().and_then(|k| items.get(k)),
        _ => None,
    };
    inner.map_or(&node.span, |n| locate(n, rest))
}
