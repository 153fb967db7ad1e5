//! Properties of the kinds that have a table: shown and set as the table says. No kind is named
//! here.

use super::make::schedule;
use super::{Document, Outcome, Session, refuse};
use crate::protocol::{Field, Property, PropertyValue as V, ScheduleSpec};
use kreisel_dynamics::Quat;
use kreisel_dynamics::math::rotation_vector;
use kreisel_geometry::Shape;
use kreisel_scene::items::{Item, Row};
use kreisel_scene::property::{Form, Value};

impl Session {
    /// Kind and properties of an object whose kind has a table.
    pub(super) fn table_properties(&self, object: &str) -> Option<(&'static str, Vec<Property>)> {
        let sim = &self.document.sim;
        let item = Item::named(&sim.world, sim.run_settings(), object)?;
        let rows = item.rows(&sim.world, sim.run_settings());
        let mut properties: Vec<Property> = rows.iter().map(property).collect();

        // what it was at the start of the scene, where that is something else
        let start = &self.document.start;
        if let Some(then) = Item::named(&start.scene.world, start.run(), object) {
            let then = then.rows(&start.scene.world, start.run());
            for p in &mut properties {
                let was = then.iter().find(|r| r.key == p.key).map(|r| property(r).value);
                let own = p.field != Field::Fixed && !item.goes_along(&p.key);
                p.original = was.filter(|was| own && *was != p.value);
            }
        }
        Some((item.table().name, properties))
    }

    /// All objects whose kind has a table: kinds with the names of their items.
    pub fn items(&self) -> Vec<(&'static str, Vec<String>)> {
        let sim = &self.document.sim;
        let names = |kind| {
            Item::all(kind, &sim.world, sim.run_settings()).into_iter().map(|i| i.name).collect()
        };
        kreisel_scene::items::KINDS.iter().map(|kind| (kind.table.name, names(kind))).collect()
    }
}

/// Sets a property of an object whose kind has a table; nothing if it has none.
pub(super) fn set(d: &mut Document, object: &str, key: &str, value: &V) -> Option<Outcome> {
    let (world, run) = d.sim.parts_mut();
    let item = Item::named(world, run, object)?;
    let Some(form) = item.property(key).map(|p| p.form) else {
        return Some(refuse(format!("a {} has no property \"{key}\" to set", item.table().name)));
    };
    let value = match of_wire(&form, value) {
        Ok(value) => value,
        Err(e) => return Some(Err(e)),
    };
    let outcome = item.set(world, run, key, value);
    Some(outcome.or_else(|fault| refuse(fault.to_string())))
}

/// A row of the table as the panel gets it.
fn property(row: &Row) -> Property {
    let nested = row.key.rsplit_once('.').map(|(group, _)| capital(&group.replace('.', ", ")));
    let group = nested.unwrap_or_else(|| row.group.to_owned());
    let (field, value) = to_wire(row);
    let unit = if is_rotation(&row.form) { "deg" } else { row.unit };
    Property {
        key: row.key.clone(),
        doc: row.doc.replace('`', ""),
        unit: unit.into(),
        group,
        field,
        value,
        original: None,
    }
}

/// "tolerance" as a heading.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// How a value is edited, and the value. What the panel has no field for is a text in TOML.
fn to_wire(row: &Row) -> (Field, V) {
    let (form, optional) = match row.form {
        Form::Optional(form) => (*form, true),
        form => (form, false),
    };
    let words = |words: Vec<String>| {
        Field::Choice(words.into_iter().chain(optional.then(|| "none".into())).collect())
    };
    match (form, &row.value) {
        (Form::Flag, Value::Flag(b)) => (Field::Toggle, V::Toggle(*b)),
        (Form::Number | Form::Unlimited | Form::Count, value) => {
            let finite = |x: f64| Some(x).filter(|x| x.is_finite());
            let number = if let Value::Number(x) = value { finite(*x) } else { None };
            let field =
                Field::Number { min: finite(row.range.min), max: finite(row.range.max), optional };
            (field, V::Number(number))
        }
        (Form::Vector, Value::List(_)) => match row.value.as_numbers().as_deref() {
            Some(&[x, y, z]) => (Field::Vector, V::Vector([x, y, z])),
            _ => (Field::Text, V::Text(row.value.toml())),
        },
        (Form::Text | Form::Reference(_), Value::Text(text)) => {
            (Field::Text, V::Text(text.clone()))
        }
        (Form::Words(all), Value::Text(word)) => {
            (words(all.iter().map(|w| w.word.to_owned()).collect()), V::Text(word.clone()))
        }
        (Form::Words(all), Value::None) => {
            (words(all.iter().map(|w| w.word.to_owned()).collect()), V::Text("none".into()))
        }
        (Form::OneOf(all), Value::Number(x)) => {
            (words(all.iter().map(u32::to_string).collect()), V::Text(x.to_string()))
        }
        (_, Value::Text(word)) => (Field::Text, V::Text(word.clone())),
        (form, Value::Table(_)) if is_rotation(&form) => {
            let turn = rotation_of(&row.value).map(|q| rotation_vector(q) * DEGREES);
            (Field::Vector, V::Vector(turn.unwrap_or_default().to_array()))
        }
        (_, Value::Solid(solid)) => match solid.shape() {
            Some(shape) if is_long(shape) => (Field::Fixed, V::Text(shape.kind().into())),
            _ => (Field::Text, V::Text(row.value.toml())),
        },
        (Form::Either(forms), Value::List(_))
            if forms.iter().any(|f| matches!(f, Form::Vector)) =>
        {
            match row.value.as_numbers().as_deref() {
                Some(&[x, y, z]) => (Field::Vector, V::Vector([x, y, z])),
                _ => (Field::Text, V::Text(row.value.toml())),
            }
        }
        (_, value) => match curve_of(&form, value) {
            Some(spec) => (Field::Curve, V::Curve(spec)),
            None if *value == Value::None => (Field::Text, V::Text("none".into())),
            None => (Field::Text, V::Text(value.toml())),
        },
    }
}

/// Degrees of a radian: rotations are shown in them.
const DEGREES: f64 = 180.0 / std::f64::consts::PI;

/// Whether a value is a rotation, which the panel shows as a vector.
fn is_rotation(form: &Form) -> bool {
    form.table().is_some_and(|t| t.name == "rotation")
}

/// The quaternion that a rotation is read as.
fn rotation_of(value: &Value) -> Option<Quat> {
    let Value::Table(entries) = value else { return None };
    let four = entries.iter().find(|(k, _)| k == "quaternion")?.1.as_numbers()?;
    if let [x, y, z, w] = four[..] { Some(Quat::from_xyzw(x, y, z, w)) } else { None }
}

/// Whether a shape is too long to be written in a panel.
fn is_long(shape: &Shape) -> bool {
    /// Most parts that are shown.
    const PARTS: usize = 8;
    match shape {
        Shape::Mesh(_) | Shape::Hull(_) | Shape::HeightField(_) => true,
        Shape::Compound(parts) => parts.len() > PARTS || parts.iter().any(|p| is_long(&p.shape)),
        _ => false,
    }
}

/// A value over time as the panel draws it.
fn curve_of(form: &Form, value: &Value) -> Option<ScheduleSpec> {
    if form.table()?.name != "schedule" {
        return None;
    }
    let Value::Table(entries) = value else {
        let Value::Number(x) = value else { return None };
        return Some(ScheduleSpec { points: vec![(0.0, *x)], interpolation: "hold".into() });
    };
    let entry = |key: &str| entries.iter().find(|(k, _)| k == key).map(|(_, v)| v);
    let Value::List(points) = entry("points")? else { return None };
    let point = |p: &Value| p.as_numbers().and_then(|p| Some((*p.first()?, *p.get(1)?)));
    let points = points.iter().map(point).collect::<Option<Vec<_>>>()?;
    let word = match entry("interpolation") {
        Some(Value::Text(word)) => word.clone(),
        _ => kreisel_dynamics::Interpolation::Linear.name().into(),
    };
    Some(ScheduleSpec { points, interpolation: word })
}

/// The value that a client has sent for a property of this form.
fn of_wire(form: &Form, value: &V) -> Outcome<Value> {
    Ok(match value {
        V::Number(None) => Value::None,
        V::Number(Some(x)) => Value::Number(*x),
        V::Vector(v) if is_rotation(form) => Value::numbers(v.map(|x| x / DEGREES)),
        V::Vector(v) => Value::numbers(*v),
        V::Toggle(b) => Value::Flag(*b),
        V::Text(text) if form.takes_text(text) => Value::Text(text.clone()),
        V::Text(text) if text == "none" => Value::None,
        V::Text(text) => Value::of_toml(text).unwrap_or_else(|| Value::Text(text.clone())),
        V::Curve(spec) => {
            schedule(spec)?;
            let points = spec.points.iter().map(|(t, y)| Value::numbers([*t, *y])).collect();
            Value::Table(vec![
                ("points".into(), Value::List(points)),
                ("interpolation".into(), Value::Text(spec.interpolation.clone())),
            ])
        }
    })
}
