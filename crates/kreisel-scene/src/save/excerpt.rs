//! Some items of a scene as a text, and such a text as items for a scene: copy, cut and paste of
//! every kind (W-143).

use super::{item, quoted, shape};
use crate::items::{Item, Kind, RunSettings};
use crate::node::{Table as Tree, Value as NodeValue};
use crate::property::{Form, Placed, Property, Table, Value};
use crate::save::words;
use crate::scene::Scene;
use kreisel_dynamics::{BodyId, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The named items as TOML, with what links them to each other and to the world itself: joints,
/// springs, motors, constraints and so on all of whose partners are named, too. An item that hangs
/// on something else goes on hanging on it.
pub fn excerpt(scene: &Scene, names: &[String]) -> String {
    let (world, run) = (&scene.world, RunSettings::of(scene));
    let mut taken: BTreeSet<String> = names.iter().cloned().collect();
    let mut out = String::from("version = 1\n");
    for kind in super::KINDS.into_iter().filter_map(Kind::named) {
        for one in Item::all(kind, world, &run) {
            // what a procedure made it makes again
            if world.constraint_named(&one.name).is_some_and(|id| world.holder(id).is_some()) {
                continue;
            }
            let Some(mut values) = one.saved(world, &run) else { continue };
            let partners = partners(kind.table, &values);
            let inner = partners.iter().all(|p| p == "world" || taken.contains(p));
            let linked = inner && partners.iter().any(|p| p != "world");
            if !taken.contains(&one.name) && !linked {
                continue;
            }
            // beside something that stays, places are those of now
            if !inner && let Some(now) = one.present(world, &run) {
                values = now;
            }
            taken.insert(one.name.clone());
            item::write(&mut out, kind.table, &values);
        }
    }
    for show in scene.shows.iter().filter(|s| s.body != BodyId::WORLD) {
        let Some(body) = world.body_name(show.body).filter(|b| taken.contains(&**b)) else {
            continue;
        };
        let _ =
            writeln!(out, "\n[[show]]\nbody = {}\nshape = {}", words(&body), shape(&show.shape));
        if let Some([r, g, b]) = show.color {
            let _ = writeln!(out, "color = {}", quoted(&format!("#{r:02x}{g:02x}{b:02x}")));
        }
    }
    out
}

/// The text of an [`excerpt`] for a scene that may have items of the same names already: with free
/// names, and moved by `offset`. What hangs on something that is not in the text is not moved.
/// Nothing where the text holds anything but such items.
pub fn pasted(scene: &Scene, text: &str, offset: Vec3) -> Option<String> {
    let document = toml::de::DeTable::parse(text).ok()?;
    let tree = Tree::from_toml(document.get_ref());

    // the items, kind by kind, with their names
    let mut items: Vec<(&'static str, Option<&'static Table>, Vec<(String, Value)>)> = Vec::new();
    for entry in tree.entries.iter().filter(|e| e.key != "version") {
        let NodeValue::Array(list) = &entry.node.value else { return None };
        let kind = Kind::named(&entry.key).filter(|k| super::KINDS.contains(&k.table.name));
        let (name, table) = match kind {
            Some(kind) => (kind.table.name, Some(kind.table)),
            None if entry.key == "show" => ("show", None),
            None => return None,
        };
        for node in list {
            let Value::Table(values) = Value::of_node(node)? else { return None };
            items.push((name, table, values));
        }
    }

    // free names for them
    let run = RunSettings::of(scene);
    let mut used: BTreeSet<String> = run.names().map(str::to_owned).collect();
    let mut names = BTreeMap::new();
    for (_, _, values) in &items {
        if let Some((_, Value::Text(name))) = values.iter().find(|(k, _)| k == "name") {
            let free = free(name, |n| used.contains(n) || scene.world.has_name(n));
            used.insert(free.clone());
            names.insert(name.clone(), free);
        }
    }

    let mut out = String::from("version = 1\n");
    for (title, table, mut values) in items {
        let Some(table) = table else {
            rename(&Form::Reference("body"), entry(&mut values, "body")?, &names);
            lines(&mut out, &format!("[[{title}]]"), &values);
            continue;
        };
        let known = |p: &String| p == "world" || names.contains_key(p);
        let moves = partners(table, &values).iter().all(known) && offset != Vec3::ZERO;
        if moves {
            displace(table, &mut values, offset);
        }
        for (key, value) in &mut values {
            if let (true, Value::Text(name)) = (key == "name", &mut *value) {
                name.clone_from(names.get(name.as_str())?);
            } else if let Some(p) = table.property(key) {
                rename(&p.form, value, &names);
            }
        }
        lines(&mut out, table.title, &values);
    }
    Some(out)
}

fn lines(out: &mut String, title: &str, values: &[(String, Value)]) {
    let _ = writeln!(out, "\n{title}");
    for (key, value) in values {
        let _ = writeln!(out, "{key} = {}", value.toml());
    }
}

fn entry<'v>(values: &'v mut [(String, Value)], key: &str) -> Option<&'v mut Value> {
    values.iter_mut().find(|(k, _)| k == key).map(|(_, v)| v)
}

/// The name itself where it is free, else the first free one made from it: "arm 2", "arm 3", …
fn free(name: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(name) {
        return name.to_owned();
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let stem = if stem.is_empty() { name } else { stem };
    (2..).map(|k: u64| format!("{stem} {k}")).find(|n| !taken(n)).unwrap_or_default()
}

/// The names of other items that an item refers to.
fn partners<K: AsRef<str>>(table: &Table, values: &[(K, Value)]) -> Vec<String> {
    let mut out = Vec::new();
    for (key, value) in values {
        if let Some(p) = table.property(key.as_ref()) {
            references(&p.form, value, &mut out);
        }
    }
    out
}

fn references(form: &Form, value: &Value, out: &mut Vec<String>) {
    each_part(form, value, &mut |form, value| {
        if let (Form::Reference(_), Value::Text(name)) = (form, value) {
            out.push(name.clone());
        }
    });
}

/// Calls with every part of a value and its form.
fn each_part(form: &Form, value: &Value, call: &mut dyn FnMut(&Form, &Value)) {
    call(form, value);
    match (form, value) {
        (Form::List(inner, ..), Value::List(items)) => {
            items.iter().for_each(|v| each_part(inner, v, call));
        }
        (Form::Optional(inner), value) => each_part(inner, value, call),
        (Form::Either(forms), value) => {
            if let Some(form) = forms.iter().find(|f| f.fits(value)) {
                each_part(form, value, call);
            }
        }
        (Form::Table(table), Value::Table(entries)) => {
            for (key, value) in entries {
                if let Some(p) = table().property(key) {
                    each_part(&p.form, value, call);
                }
            }
        }
        _ => {}
    }
}

/// Gives references to the items of the text their new names.
fn rename(form: &Form, value: &mut Value, names: &BTreeMap<String, String>) {
    match (form, value) {
        (Form::Reference(_), Value::Text(name)) => {
            if let Some(new) = names.get(name.as_str()) {
                name.clone_from(new);
            }
        }
        (Form::List(inner, ..), Value::List(items)) => {
            items.iter_mut().for_each(|v| rename(inner, v, names));
        }
        (Form::Optional(inner), value) => rename(inner, value, names),
        (Form::Either(forms), value) => {
            if let Some(form) = forms.iter().find(|f| f.fits(value)) {
                rename(form, value, names);
            }
        }
        (Form::Table(table), Value::Table(entries)) => {
            for (key, value) in entries {
                if let Some(p) = table().property(key) {
                    rename(&p.form, value, names);
                }
            }
        }
        _ => {}
    }
}

/// Moves the points of an item; a place that was not written is the origin.
fn displace(table: &Table, values: &mut Vec<(String, Value)>, offset: Vec3) {
    let place = |p: &Property| p.placed == Placed::Point;
    if table.property("position").is_some_and(place) && entry(values, "position").is_none() {
        values.push(("position".into(), Value::numbers([0.0; 3])));
    }
    let radial = entry(values, "type").is_some_and(|v| v.word().as_deref() == Some("radial"));
    if radial && entry(values, "center").is_none() {
        values.push(("center".into(), Value::numbers([0.0; 3])));
    }
    shift_all(table, values, offset);
}

fn shift_all(table: &Table, values: &mut [(String, Value)], offset: Vec3) {
    for (key, value) in values {
        let Some(p) = table.property(key) else { continue };
        shift(p.placed == Placed::Point, value, offset);
        inner_tables(&p.form, value, offset);
    }
}

/// Points are lists of three numbers, or lists of such lists; one that moves has three formulas.
fn shift(point: bool, value: &mut Value, offset: Vec3) {
    let Value::List(items) = value else { return };
    if !point {
        return;
    }
    let scalar = |v: &Value| matches!(v, Value::Number(_) | Value::Text(_));
    if items.len() == 3 && items.iter().all(scalar) {
        for (item, by) in items.iter_mut().zip(offset.to_array()) {
            match item {
                Value::Number(x) => *x += by,
                Value::Text(formula) => *formula = format!("({formula}) + ({by:?})"),
                _ => {}
            }
        }
        return;
    }
    items.iter_mut().for_each(|v| shift(point, v, offset));
}

/// The same for what stands in nested tables: connectors, the present state.
fn inner_tables(form: &Form, value: &mut Value, offset: Vec3) {
    match (form, value) {
        (Form::Table(table), Value::Table(entries)) => shift_all(table(), entries, offset),
        (Form::List(inner, ..), Value::List(items)) => {
            items.iter_mut().for_each(|v| inner_tables(inner, v, offset));
        }
        (Form::Optional(inner), value) => inner_tables(inner, value, offset),
        (Form::Either(forms), value) => {
            if let Some(form) = forms.iter().find(|f| f.fits(value)) {
                inner_tables(form, value, offset);
            }
        }
        _ => {}
    }
}
