//! Items by kind and name, and their properties by path: what the live panel, scripts, recordings
//! and Python see.
//!
//! A path is `NAME.KEY`, with further keys for nested tables and numbers for places in lists:
//! `world.contact.law`, `spring 1.stiffness`. An item is read as a description of what it is *now*,
//! changed by its table, and put back as a whole, so that the engine checks it as it checks a new
//! one.

mod kinds;

pub use kinds::{KINDS, Kind};
pub(crate) use kinds::{put_world, world_item};

use crate::problem::{alternatives, nearest};
use crate::property::kinds::{ROTATION, SCHEDULE};
use crate::property::{Choice, Fault, Form, Placed, Property, Range, Table, Value};
use crate::scene::{Emitter, Finish, Force, Look, Marker, Motion, Scene, Timing};
use kreisel_dynamics::{BodyId, ModelError, World};
use kreisel_geometry::Shape;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a run has besides its world: how time passes, the outer forces, and how bodies look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSettings {
    /// How time passes.
    pub timing: Timing,
    /// Outer forces over time.
    pub forces: Vec<Force>,
    /// Named points of bodies.
    pub markers: Vec<Marker>,
    /// Keyframes that lead kinematic bodies.
    pub motions: Vec<Motion>,
    /// What makes bodies.
    pub emitters: Vec<Emitter>,
    /// Solids and looks of bodies.
    pub looks: Arc<BTreeMap<BodyId, Appearance>>,
}

/// What a body has besides its mechanics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Appearance {
    /// Its solid, which collides unless it is told not to; a mass point has none.
    pub solid: Option<Shape>,
    /// What is drawn: the solid, or what is shown instead.
    pub shown: Option<Shape>,
    /// Red, green and blue from 0 to 255.
    pub color: Option<[u8; 3]>,
    /// What its surface looks like besides.
    pub finish: Finish,
}

impl RunSettings {
    /// Those of a scene.
    pub fn of(scene: &Scene) -> Self {
        let mut looks: BTreeMap<BodyId, Appearance> = BTreeMap::new();
        for Look { body, shape, color } in &scene.looks {
            let look = looks.entry(*body).or_default();
            (look.shown, look.color) = (shape.clone(), *color);
        }
        for (body, shape) in &scene.shapes {
            looks.entry(*body).or_default().solid = Some(shape.clone());
        }
        for (body, finish) in &scene.finishes {
            looks.entry(*body).or_default().finish.clone_from(finish);
        }
        Self {
            timing: scene.timing(),
            forces: scene.forces.clone(),
            markers: scene.markers.clone(),
            motions: scene.motions.clone(),
            emitters: scene.emitters.clone(),
            looks: Arc::new(looks),
        }
    }

    /// The names of what stands here and not in the world.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let forces = self.forces.iter().map(|f| f.name.as_str());
        let markers = self.markers.iter().map(|m| m.name.as_str());
        let motions = self.motions.iter().map(|m| m.name.as_str());
        forces.chain(markers).chain(motions).chain(self.emitters.iter().map(|e| e.name.as_str()))
    }

    fn names_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let forces = self.forces.iter_mut().map(|f| &mut f.name);
        let markers = self.markers.iter_mut().map(|m| &mut m.name);
        let motions = self.motions.iter_mut().map(|m| &mut m.name);
        forces.chain(markers).chain(motions).chain(self.emitters.iter_mut().map(|e| &mut e.name))
    }

    /// Removes what has this name; tells whether it was there.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.names().count();
        self.forces.retain(|x| x.name != name);
        self.markers.retain(|x| x.name != name);
        self.motions.retain(|x| x.name != name);
        self.emitters.retain(|x| x.name != name);
        self.names().count() < before
    }

    /// Removes what belonged to bodies that a world has no more.
    pub fn forget(&mut self, world: &World) {
        let there = |id: BodyId| id == BodyId::WORLD || world.body(id).is_some();
        self.forces.retain(|x| there(x.body));
        self.markers.retain(|x| there(x.body));
        self.motions.retain(|x| there(x.body));
        self.emitters.retain(|x| there(x.body));
    }

    /// The name itself if there is one, else the first free one of a kind.
    fn fresh(&self, world: &World, given: &str, kind: &str) -> String {
        if !given.is_empty() {
            return given.to_owned();
        }
        let taken = |n: &String| world.has_name(n) || self.names().any(|own| own == n);
        (1..).map(|k: u32| format!("{kind} {k}")).find(|n| !taken(n)).unwrap_or_default()
    }

    /// Gives a scene these settings, of the bodies that its world has.
    pub fn write_to(&self, scene: &mut Scene) {
        let Timing { step, duration, oversampling, real_time } = self.timing;
        (scene.step, scene.duration, scene.oversampling, scene.real_time) =
            (step, duration, oversampling, real_time);
        scene.forces.clone_from(&self.forces);
        let mut kept = self.clone();
        kept.forget(&scene.world);
        (scene.markers, scene.motions, scene.emitters) =
            (kept.markers, kept.motions, kept.emitters);
        let there: Vec<(&BodyId, &Appearance)> =
            self.looks.iter().filter(|(id, _)| scene.world.body(**id).is_some()).collect();
        scene.looks = there
            .iter()
            .map(|(id, l)| Look { body: **id, shape: l.shown.clone(), color: l.color })
            .collect();
        let usual = Finish::default();
        scene.finishes = there
            .iter()
            .filter(|(_, l)| l.finish != usual)
            .map(|(id, l)| (**id, l.finish.clone()))
            .collect();
        scene.shapes = there.iter().filter_map(|(id, l)| Some((**id, l.solid.clone()?))).collect();
    }
}

/// Gives an item another name: the world's items by the world, what stands beside it here.
fn rename(
    world: &mut World,
    run: &mut RunSettings,
    old: &str,
    new: &str,
) -> Result<(), ModelError> {
    let own = run.names().any(|n| n == old);
    let taken = run.names().any(|n| n == new)
        || own && (new.is_empty() || new == "world" || world.has_name(new));
    if taken && new != old {
        return Err(ModelError::DuplicateName(new.to_owned()));
    }
    match run.names_mut().find(|n| **n == old) {
        Some(name) => new.clone_into(name),
        None => world.rename(old, new)?,
    }
    Ok(())
}

/// A property of an item, as a panel shows it.
#[derive(Clone)]
pub struct Row {
    /// Its path below the item: `contact.law`.
    pub key: String,
    /// What it means.
    pub doc: &'static str,
    /// The heading it stands under; empty for none.
    pub group: &'static str,
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
        dots.into_iter()
            .rev()
            .find_map(|k| Some((Self::named(world, run, &path[..k])?, &path[k + 1..])))
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
    pub(crate) fn saved(
        &self,
        world: &World,
        run: &RunSettings,
    ) -> Option<Vec<(&'static str, Value)>> {
        let item = (self.kind.start)(world, run, &self.name)?;
        Some(self.with_name(&*item, world))
    }

    /// What would be saved of it if the world began as it is now.
    pub(crate) fn present(
        &self,
        world: &World,
        run: &RunSettings,
    ) -> Option<Vec<(&'static str, Value)>> {
        let item = (self.kind.now)(world, run, &self.name)?;
        Some(self.with_name(&*item, world))
    }

    /// Its values with its name, also one that the engine chose: others may refer to it.
    fn with_name(&self, item: &dyn Any, world: &World) -> Vec<(&'static str, Value)> {
        let mut values = self.table().values(item, world);
        if self.table().property("name").is_some() {
            values.retain(|(key, _)| *key != "name");
            values.insert(0, ("name", Value::Text(self.name.clone())));
        }
        values
    }

    /// Whether a property is a place or a direction that goes along with the bodies it links: that
    /// of a joint or spring is where it holds them now.
    pub fn goes_along(&self, key: &str) -> bool {
        let linked = self.table().property("bodies").is_some();
        linked && self.property(key).is_some_and(|p| p.placed != Placed::Not)
    }

    /// Makes it what it is in another state of the same world; what goes along with its bodies
    /// stays where it is.
    pub fn reset_to(
        &self,
        world: &mut World,
        run: &mut RunSettings,
        from: (&World, &RunSettings),
    ) -> Result<(), Fault> {
        for row in self.rows(from.0, from.1) {
            let now = self.rows(world, run).into_iter().find(|r| r.key == row.key);
            if !self.goes_along(&row.key) && now.is_none_or(|r| r.value != row.value) {
                self.set(world, run, &row.key, row.value)?;
            }
        }
        Ok(())
    }

    /// Its properties that mean something, nested tables as dotted keys.
    pub fn rows(&self, world: &World, run: &RunSettings) -> Vec<Row> {
        let Some(item) = (self.kind.now)(world, run, &self.name) else { return Vec::new() };
        let mut out = Vec::new();
        let table = self.table();
        for p in table
            .properties
            .iter()
            .filter(|p| (p.listed || !p.alias) && table.applies(p, &*item, world))
        {
            let (unit, value) = (p.unit.of(&*item, world, ""), self.value(p, &*item, world));
            // an alternative that was not taken has no value; setting it takes it
            let chosen = table.choices.iter().any(|c| c.keys.contains(&p.name));
            if value != Value::None || !chosen {
                rows(p, p.form, p.name, unit, value, world, &mut out);
            }
        }
        out.retain(|row| (self.kind.shown)(world, &self.name, &row.key));
        out
    }

    /// The property that a path of keys leads to.
    pub fn property(&self, path: &str) -> Option<&'static Property> {
        let mut keys = path.split('.');
        let mut p = self.table().property(keys.next()?)?;
        for key in keys {
            // a place in a list, or an axis, is of the same property
            if let Some(q) =
                p.form.table().or_else(|| listed(&p.form)).and_then(|t| t.property(key))
            {
                p = q;
            }
        }
        Some(p)
    }

    /// The unit at a path of keys.
    pub fn unit(&self, world: &World, run: &RunSettings, path: &str) -> &'static str {
        let row = self.rows(world, run).into_iter().find(|r| {
            path.strip_prefix(r.key.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        row.map_or("", |r| r.unit)
    }

    /// The value at a path of keys.
    pub fn get(&self, world: &World, run: &RunSettings, path: &str) -> Result<Value, Fault> {
        let item = (self.kind.now)(world, run, &self.name).ok_or_else(|| self.gone())?;
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let p = self.table().property(first).ok_or_else(|| self.unknown(first))?;
        let mut steps: Vec<&str> =
            if rest.is_empty() { Vec::new() } else { rest.split('.').collect() };
        steps.reverse();
        descend(p, self.value(p, &*item, world), &mut steps, world)
            .ok_or_else(|| self.unknown(path))
    }

    /// The value of a property. Its name is what it is called: one that was added without a name
    /// has one, too.
    fn value(&self, p: &Property, item: &dyn Any, world: &World) -> Value {
        if p.name == "name" { Value::Text(self.name.clone()) } else { (p.get)(item, world) }
    }

    /// Sets the value at a path of keys; what is refused changes nothing.
    pub fn set(
        &self,
        world: &mut World,
        run: &mut RunSettings,
        path: &str,
        value: Value,
    ) -> Result<(), Fault> {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let p = self.table().property(first).ok_or_else(|| self.unknown(first))?;
        let mut item = (self.kind.now)(world, run, &self.name).ok_or_else(|| self.gone())?;
        if !self.table().applies(p, &*item, world) {
            return Err(Fault::new(format!("`{first}` means nothing for \"{}\"", self.name))
                .help(p.partner()));
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
        (self.kind.put)(world, run, &self.name, item)
            .map_err(|e| Fault::new(e.to_string()).under(first))
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

/// Places of a list that are shown one by one: more would be a table, which a file holds better.
const MOST_PLACES: usize = 64;

/// What the places of a list look like.
fn place_of(form: &Form) -> Option<Form> {
    if let Form::List(inner, ..) = form { Some(**inner) } else { None }
}

/// The rows of a property: one, or those of its nested table or of the places of its list.
fn rows(
    p: &'static Property,
    form: Form,
    key: &str,
    unit: &'static str,
    value: Value,
    world: &World,
    out: &mut Vec<Row>,
) {
    let entries = match &value {
        Value::Table(entries) => Some(entries.as_slice()),
        Value::None if p.spread => Some(&[][..]),
        _ => None,
    };
    // a list is shown place by place, unless it is long
    if let (true, Some(inner), Value::List(items)) = (p.spread, place_of(&form), &value)
        && items.len() <= MOST_PLACES
    {
        let axes = items.len() == 3 && !matches!(inner, Form::Vector | Form::Table(_));
        for (k, item) in items.iter().enumerate() {
            let step = if axes { ["x", "y", "z"][k].to_owned() } else { k.to_string() };
            rows(p, inner, &format!("{key}.{step}"), unit, item.clone(), world, out);
        }
        return;
    }
    // a value over time and a rotation are shown as a whole
    if let (Some(table), Some(entries)) =
        (form.table().filter(|t| ![SCHEDULE.name, ROTATION.name].contains(&t.name)), entries)
    {
        let blank = (table.blank)();
        let given = |key: &str| entries.iter().any(|(k, _)| k == key);
        let word = |key: &str| entries.iter().find(|(k, _)| k == key).and_then(|(_, v)| v.word());
        // of alternatives only the one that was taken is listed
        let taken = |key: &str| {
            let other = |c: &Choice| c.keys.contains(&key) && c.keys.iter().any(|k| given(k));
            given(key) || !table.choices.iter().any(other)
        };
        for q in table.properties.iter().filter(|q| !q.alias && taken(q.name) && q.goes(word)) {
            let given = entries.iter().find(|(k, _)| k == q.name).map(|(_, v)| v.clone());
            let value = given.unwrap_or_else(|| (q.get)(&*blank, world));
            rows(
                q,
                q.form,
                &format!("{key}.{}", q.name),
                q.unit.of(&*blank, world, unit),
                value,
                world,
                out,
            );
        }
        return;
    }
    out.push(Row {
        key: key.to_owned(),
        doc: p.doc.trim(),
        group: p.group,
        unit,
        form,
        range: p.range,
        value,
    });
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
