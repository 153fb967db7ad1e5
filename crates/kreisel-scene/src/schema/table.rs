//! The schema of a table of properties.

use super::{array, number};
use crate::grammar::Keys;
use crate::property::{Form, HowMany, Property, Table, Value as Default};
use kreisel_dynamics::World;
use serde_json::{Map, Value, json};

/// The schema of a table.
pub(super) fn object(table: &'static Table) -> Value {
    let (blank, world) = ((table.blank)(), World::default());
    let mut properties = Map::new();
    for p in table.properties.iter().filter(|p| !p.section) {
        let mut value = of_form(&p.form, p);
        value["description"] = json!(Keys::Table(table).describe(p.name).unwrap_or_default());
        let default = (p.get)(&*blank, &world);
        if !p.required && !p.alias && default != Default::None {
            value["default"] = plain(&default);
        }
        properties.insert(p.name.into(), value);
    }
    for key in Keys::Table(table).extra() {
        let mut value = super::of_key("", key);
        value["description"] = json!(format!("{} ({})", key.doc, key.form));
        properties.insert(key.name.into(), value);
    }
    let mut out =
        json!({ "type": "object", "description": table.doc.trim(), "properties": properties });
    out["additionalProperties"] = json!(false);

    // keys that must be there, and such that exclude each other
    let required: Vec<&str> = table
        .properties
        .iter()
        .filter(|p| p.required && p.only.is_none())
        .map(|p| p.name)
        .collect();
    if !required.is_empty() {
        out["required"] = json!(required);
    }
    let choices: Vec<Value> = table
        .choices
        .iter()
        .map(|c| {
            let keys: Vec<Value> = c.keys.iter().map(|k| json!({ "required": [k] })).collect();
            match c.rule {
                HowMany::ExactlyOne => json!({ "oneOf": keys }),
                HowMany::AtLeastOne => json!({ "anyOf": keys }),
                HowMany::AtMostOne => {
                    json!({ "anyOf": [{ "oneOf": keys }, { "not": { "anyOf": keys } }] })
                }
            }
        })
        .collect();
    if !choices.is_empty() {
        out["allOf"] = json!(choices);
    }
    out
}

fn of_form(form: &Form, p: &Property) -> Value {
    match form {
        Form::Flag => json!({ "type": "boolean" }),
        Form::Number | Form::Unlimited | Form::Count => {
            // bounds hold for numbers; what an expression gives is checked when it is read
            let mut out = number();
            let (low, high) = if p.range.open {
                ("exclusiveMinimum", "exclusiveMaximum")
            } else {
                ("minimum", "maximum")
            };
            if p.range.min.is_finite() {
                out[low] = json!(p.range.min);
            }
            if p.range.max.is_finite() {
                out[high] = json!(p.range.max);
            }
            out
        }
        Form::OneOf(numbers) => json!({ "anyOf": [{ "enum": numbers }, { "type": "string" }] }),
        Form::Formula => number(),
        Form::Vector => array(&number(), 3),
        Form::Quaternion => array(&number(), 4),
        Form::Point => array(&number(), 2),
        Form::Shape => super::shape(),
        Form::Numbers => json!({ "type": "object", "additionalProperties": number() }),
        Form::Text | Form::Reference(_) | Form::Color => json!({ "type": "string" }),
        Form::Words(words) => json!({ "enum": words.iter().map(|w| w.word).collect::<Vec<_>>() }),
        Form::List(inner, min, max) => {
            json!({ "type": "array", "items": of_form(inner, p), "minItems": min, "maxItems": max })
        }
        Form::Table(table) => super::reference(Keys::Table(table())),
        Form::Either(forms) => {
            json!({ "anyOf": forms.iter().map(|f| of_form(f, p)).collect::<Vec<_>>() })
        }
        Form::Optional(inner) => json!({ "anyOf": [of_form(inner, p), { "const": "none" }] }),
    }
}

fn plain(value: &Default) -> Value {
    match value {
        Default::None => Value::Null,
        Default::Flag(b) => json!(b),
        // whole numbers without a point, as one writes them
        Default::Number(x) if x.fract() == 0.0 && x.abs() < 1e15 => json!(*x as i64),
        Default::Number(x) => json!(x),
        Default::Text(t) => json!(t),
        Default::Solid(_) => Value::Null,
        Default::List(items) => items.iter().map(plain).collect(),
        Default::Table(entries) => {
            Value::Object(entries.iter().map(|(k, v)| (k.clone(), plain(v))).collect())
        }
    }
}
