//! Items by kind and name, and their properties by path: what the live panel, scripts, recordings
//! and Python see.
//!
//! A path is `NAME.KEY`, with further keys for nested tables and numbers for places in lists:
//! `world.contact.law`, `spring 1.stiffness`. An item is read as a description of what it is *now*,
//! changed by its table, and put back as a whole, so that the engine checks it as it checks a new one.

use crate::problem::{alternatives, nearest};
use crate::property::kinds::{self, Ground, WorldItem};
use crate::property::{Fault, Form, Property, Range, Table, Value};
use crate::scene::{Force, Timing};
use kreisel_dynamics::{BodyId, ModelError, Shape, Spring, Vec3, World};
use std::any::Any;

/// What a run has besides its world: how time passes, and the outer forces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSettings {
    /// How time passes.
    pub timing: Timing,
    /// Outer forces over time.
    pub forces: Vec<Force>,
}

/// A kind of item: its table, and how its items are found, read and put back.
pub struct Kind {
    /// Its properties.
    pub table: &'static Table,
    names: fn(&World, &RunSettings) -> Vec<String>,
    /// The description of an item as it is now.
    now: fn(&World, &RunSettings, &str) -> Option<Box<dyn Any>>,
    /// The description to save: with all bodies at the poses that they were added with.
    start: fn(&World, &RunSettings, &str) -> Option<Box<dyn Any>>,
    put: fn(&mut World, &mut RunSettings, &str, Box<dyn Any>) -> Result<(), ModelError>,
    /// Adds a new one and tells its name.
    add: fn(&mut World, &mut RunSettings, Box<dyn Any>) -> Result<String, ModelError>,
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kind").field(&self.table.name).finish()
    }
}

impl Kind {
    /// The kind of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|k| k.table.name == name)
    }

    /// Adds a new item and tells its name.
    pub(crate) fn add(
        &self,
        world: &mut World,
        run: &mut RunSettings,
        item: Box<dyn Any>,
    ) -> Result<String, ModelError> {
        (self.add)(world, run, item)
    }
}

/// All kinds that have a table.
pub static KINDS: &[Kind] = &[
    Kind {
        table: &kinds::WORLD,
        names: |_, _| vec!["world".into()],
        now: |world, run, name| (name == "world").then(|| boxed(world_item(world, &run.timing))),
        start: |world, run, name| (name == "world").then(|| boxed(world_item(world, &run.timing))),
        put: |world, run, _, item| put_world(world, &mut run.timing, taken(item)?),
        add: |_, _, _| Err(ModelError::TheWorld("added")),
    },
    Kind {
        table: &kinds::SPRING,
        names: |world, _| world.springs().filter_map(|id| Some(world.spring_name(id)?.to_string())).collect(),
        now: |world, _, name| world.spring_now(world.spring_named(name)?).map(boxed),
        start: |world, _, name| world.spring_from_start(world.spring_named(name)?).map(boxed),
        put: |world, _, name, item| put_spring(world, name, taken(item)?),
        add: |world, _, item| {
            let id = world.add_spring(taken(item)?)?;
            Ok(world.spring_name(id).unwrap_or_default().to_string())
        },
    },
    Kind {
        table: &kinds::MOTOR,
        names: |world, _| world.motors().filter_map(|id| Some(world.motor_name(id)?.to_string())).collect(),
        now: |world, _, name| world.motor(world.motor_named(name)?).cloned().map(boxed),
        start: |world, _, name| world.motor(world.motor_named(name)?).cloned().map(boxed),
        put: |world, _, name, item| {
            let id = world.motor_named(name).ok_or_else(|| ModelError::UnknownForce(name.into()))?;
            world.set_motor(id, taken(item)?)
        },
        add: |world, _, item| {
            let id = world.add_motor(taken(item)?)?;
            Ok(world.motor_name(id).unwrap_or_default().to_string())
        },
    },
    Kind {
        table: &kinds::FORCE,
        names: |_, run| run.forces.iter().map(|f| f.name.clone()).collect(),
        now: |_, run, name| run.forces.iter().find(|f| f.name == name).cloned().map(boxed),
        start: |_, run, name| run.forces.iter().find(|f| f.name == name).cloned().map(boxed),
        put: |_, run, name, item| {
            let force = run.forces.iter_mut().find(|f| f.name == name);
            *force.ok_or_else(|| ModelError::UnknownForce(name.into()))? = taken(item)?;
            Ok(())
        },
        add: |_, run, item| {
            let force: Force = taken(item)?;
            run.forces.push(force.clone());
            Ok(force.name)
        },
    },
];

fn boxed<T: 'static>(item: T) -> Box<dyn Any> {
    Box::new(item)
}

/// The description in a box.
fn taken<T: 'static>(item: Box<dyn Any>) -> Result<T, ModelError> {
    item.downcast::<T>().map(|b| *b).map_err(|_| ModelError::UnknownBody("an item of another kind".into()))
}

/// The world as its table describes it.
pub(crate) fn world_item(world: &World, timing: &Timing) -> WorldItem {
    let floor = world.body(BodyId::WORLD);
    let ground = floor.and_then(|g| match &g.shape {
        Some(Shape::HalfSpace { offset, .. }) => Some(Ground { height: *offset, material: g.material.clone() }),
        _ => None,
    });
    WorldItem {
        gravity: world.gravity(),
        time: world.time(),
        timing: *timing,
        settings: world.settings().clone(),
        ground,
    }
}

/// Makes the world what a description says; only what differs is touched.
pub(crate) fn put_world(world: &mut World, timing: &mut Timing, item: WorldItem) -> Result<(), ModelError> {
    let old = world_item(world, timing);
    if item.gravity != old.gravity {
        world.set_gravity(item.gravity)?;
    }
    if item.time != old.time {
        world.set_time(item.time)?;
    }
    if item.settings != old.settings {
        world.set_settings(item.settings)?;
    }
    if item.ground != old.ground {
        let shape = item.ground.as_ref().map(|g| Shape::HalfSpace { normal: Vec3::Z, offset: g.height });
        world.set_ground(shape, item.ground.map(|g| g.material).unwrap_or_default())?;
    }
    *timing = item.timing;
    Ok(())
}

/// Makes a spring what a description says: its bodies and anchors are placed anew only where they
/// differ, so that what has moved keeps its frames to the bit.
fn put_spring(world: &mut World, name: &str, spring: Spring) -> Result<(), ModelError> {
    let id = world.spring_named(name).ok_or_else(|| ModelError::UnknownForce(name.into()))?;
    let old = world.spring_now(id).ok_or_else(|| ModelError::UnknownForce(name.into()))?;
    let stays = (spring.bodies, spring.anchors) == (old.bodies, old.anchors) && spring.length.is_some();
    if stays { world.set_spring(id, spring) } else { world.replace_spring(id, spring) }
}

/// Gives an item another name: the world's items by the world, forces here.
fn rename(world: &mut World, run: &mut RunSettings, old: &str, new: &str) -> Result<(), ModelError> {
    let Some(k) = run.forces.iter().position(|f| f.name == old) else { return world.rename(old, new) };
    let taken = run.forces.iter().any(|f| f.name == new) || Item::named(world, run, new).is_some();
    if new.is_empty() || (taken && new != old) || world.body_named(new).is_some() {
        return Err(ModelError::DuplicateName(new.to_owned()));
    }
    run.forces[k].name = new.to_owned();
    Ok(())
}

/// A property of an item, as a panel shows it.
#[derive(Clone)]
pub struct Row {
    /// Its path below the item: `contact.law`.
    pub key: String,
    /// What it means.
    pub doc: &'static str,
    /// Its unit; empty for none.
    pub unit: &'static str,
    /// What its value looks like.
    pub form: Form,
    /// The numbers it takes.
    pub range: Range,
    /// Its present value.
    pub value: Value,
}

/// An item of a world.
#[derive(Clone, Debug)]
pub struct Item {
    kind: &'static Kind,
    /// Its name.
    pub name: String,
}

impl Item {
    /// The item of this name, if its kind has a table.
    pub fn named(world: &World, run: &RunSettings, name: &str) -> Option<Self> {
        let kind = KINDS.iter().find(|k| (k.now)(world, run, name).is_some())?;
        Some(Self { kind, name: name.to_owned() })
    }

    /// The item that a path begins with, and the keys behind it; the longest name counts.
    pub fn of_path<'p>(world: &World, run: &RunSettings, path: &'p str) -> Option<(Self, &'p str)> {
        let dots: Vec<usize> = path.match_indices('.').map(|(k, _)| k).collect();
        dots.into_iter().rev().find_map(|k| Some((Self::named(world, run, &path[..k])?, &path[k + 1..])))
    }

    /// All items of a kind.
    pub fn all(kind: &'static Kind, world: &World, run: &RunSettings) -> Vec<Self> {
        (kind.names)(world, run).into_iter().map(|name| Self { kind, name }).collect()
    }

    /// The table of its kind.
    pub fn table(&self) -> &'static Table {
        self.kind.table
    }

    /// What is saved of it.
    pub(crate) fn saved(&self, world: &World, run: &RunSettings) -> Option<Vec<(&'static str, Value)>> {
        let item = (self.kind.start)(world, run, &self.name)?;
        Some(self.table().values(&*item, world))
    }

    /// Its properties that mean something, nested tables as dotted keys.
    pub fn rows(&self, world: &World, run: &RunSettings) -> Vec<Row> {
        let Some(item) = (self.kind.now)(world, run, &self.name) else { return Vec::new() };
        let mut out = Vec::new();
        let table = self.table();
        for p in table.properties.iter().filter(|p| !p.alias && table.applies(p, &*item, world)) {
            let (unit, value) = (p.unit.of(&*item, world, ""), (p.get)(&*item, world));
            // an alternative that was not taken has no value; setting it takes it
            let chosen = table.choices.iter().any(|c| c.keys.contains(&p.name));
            if value != Value::None || !chosen {
                rows(p, p.name, unit, value, world, &mut out);
            }
        }
        out
    }

    /// The property that a path of keys leads to.
    pub fn property(&self, path: &str) -> Option<&'static Property> {
        let mut keys = path.split('.');
        let mut p = self.table().property(keys.next()?)?;
        for key in keys {
            // a place in a list, or an axis, is of the same property
            if let Some(q) = p.form.table().or_else(|| listed(&p.form)).and_then(|t| t.property(key)) {
                p = q;
            }
        }
        Some(p)
    }

    /// The unit at a path of keys.
    pub fn unit(&self, world: &World, run: &RunSettings, path: &str) -> &'static str {
        let row = self
            .rows(world, run)
            .into_iter()
            .find(|r| path.strip_prefix(r.key.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')));
        row.map_or("", |r| r.unit)
    }

    /// The value at a path of keys.
    pub fn get(&self, world: &World, run: &RunSettings, path: &str) -> Result<Value, Fault> {
        let item = (self.kind.now)(world, run, &self.name).ok_or_else(|| self.gone())?;
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let p = self.table().property(first).ok_or_else(|| self.unknown(first))?;
        let mut steps: Vec<&str> = if rest.is_empty() { Vec::new() } else { rest.split('.').collect() };
        steps.reverse();
        descend(p, (p.get)(&*item, world), &mut steps, world).ok_or_else(|| self.unknown(path))
    }

    /// Sets the value at a path of keys; what is refused changes nothing.
    pub fn set(&self, world: &mut World, run: &mut RunSettings, path: &str, value: Value) -> Result<(), Fault> {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let p = self.table().property(first).ok_or_else(|| self.unknown(first))?;
        let mut item = (self.kind.now)(world, run, &self.name).ok_or_else(|| self.gone())?;
        if !self.table().applies(p, &*item, world) {
            let (key, words) = p.only.unwrap_or_default();
            let help = format!("it goes with {key} {}", alternatives(words.iter().copied()));
            return Err(Fault::new(format!("`{first}` means nothing for \"{}\"", self.name)).help(help));
        }

        // the name is the engine's: it must be unique
        if first == "name" {
            let Value::Text(new) = &value else { return Fault::expected("a text", &value) };
            return rename(world, run, &self.name, new).map_err(|e| Fault::new(e.to_string()));
        }

        // a part of a value: the whole, with the part replaced
        let value = if rest.is_empty() {
            value
        } else {
            let mut whole = (p.get)(&*item, world);
            place(p, &mut whole, rest, value, world).ok_or_else(|| self.unknown(path))?;
            whole
        };
        p.assign(&mut *item, value, world)?;
        self.table().forget_hidden(&mut *item, world);
        (self.table().check)(&*item, world)?;
        (self.kind.put)(world, run, &self.name, item).map_err(|e| Fault::new(e.to_string()).under(first))
    }

    fn gone(&self) -> Fault {
        Fault::new(format!("\"{}\" is gone", self.name))
    }

    fn unknown(&self, key: &str) -> Fault {
        let names = || self.table().properties.iter().map(|p| p.name);
        let help = match nearest(key, names()) {
            Some(near) if near != key => format!("did you mean \"{near}\"?"),
            _ => format!("it has {}", alternatives(names())),
        };
        Fault::new(format!("a {} has no property \"{key}\"", self.table().name)).help(help)
    }
}

/// The rows of a property: one, or those of its nested table.
fn rows(p: &'static Property, key: &str, unit: &'static str, value: Value, world: &World, out: &mut Vec<Row>) {
    if let (Some(table), Value::Table(entries)) = (p.form.table(), &value)
        && table.choices.is_empty()
    {
        let blank = (table.blank)();
        for q in table.properties.iter().filter(|q| !q.alias) {
            let given = entries.iter().find(|(k, _)| k == q.name).map(|(_, v)| v.clone());
            let value = given.unwrap_or_else(|| (q.get)(&*blank, world));
            rows(q, &format!("{key}.{}", q.name), q.unit.of(&*blank, world, unit), value, world, out);
        }
        return;
    }
    out.push(Row { key: key.to_owned(), doc: p.doc.trim(), unit, form: p.form, range: p.range, value });
}

/// Follows keys (the next one last) into a value; what a nested table does not say is its default.
fn descend(p: &Property, value: Value, steps: &mut Vec<&str>, world: &World) -> Option<Value> {
    let Some(step) = steps.pop() else { return Some(value) };
    match value {
        Value::Table(entries) => {
            let table = p.form.table().or_else(|| listed(&p.form))?;
            let q = table.property(step)?;
            let given = entries.into_iter().find(|(k, _)| k == step).map(|(_, v)| v);
            let value = given.unwrap_or_else(|| (q.get)(&*(table.blank)(), world));
            descend(q, value, steps, world)
        }
        Value::List(items) => descend(p, items.into_iter().nth(index(step)?)?, steps, world),
        _ => None,
    }
}

/// Replaces the part of a value that keys lead to.
fn place(p: &Property, value: &mut Value, path: &str, new: Value, world: &World) -> Option<()> {
    let (step, rest) = path.split_once('.').unwrap_or((path, ""));
    if *value == Value::None && p.form.table().is_some() {
        *value = Value::Table(Vec::new());
    }
    match value {
        Value::Table(entries) => {
            let table = p.form.table().or_else(|| listed(&p.form))?;
            let q = table.property(step)?;
            let k = entries.iter().position(|(k, _)| k == step).unwrap_or_else(|| {
                entries.push((step.to_owned(), (q.get)(&*(table.blank)(), world)));
                entries.len() - 1
            });
            if rest.is_empty() {
                entries[k].1 = new;
                return Some(());
            }
            place(q, &mut entries[k].1, rest, new, world)
        }
        Value::List(items) => {
            let item = items.get_mut(index(step)?)?;
            if rest.is_empty() {
                *item = new;
                return Some(());
            }
            place(p, item, rest, new, world)
        }
        _ => None,
    }
}

/// The table of the items of a list.
fn listed(form: &Form) -> Option<&'static Table> {
    match form {
        Form::List(inner, ..) => inner.table(),
        Form::Optional(inner) => listed(inner),
        Form::Either(forms) => forms.iter().find_map(listed),
        _ => None,
    }
}

/// A place in a list, counted from 0, or an axis.
fn index(step: &str) -> Option<usize> {
    ["x", "y", "z", "w"].iter().position(|c| *c == step).or_else(|| step.parse().ok())
}
