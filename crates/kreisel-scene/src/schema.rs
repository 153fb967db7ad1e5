//! The JSON Schema of the scene format, made from the same tables as the checks and the reference
//! page.
//!
//! Kinds with a table of properties are in `schema/table.rs`. Of the others, what a value looks
//! like is read off the words for it ([`grammar::Key::form`]): `[x, y, z] m` is a vector,
//! `"a", "b" or "c"` a choice, `true or false` a flag, anything with a unit a number or an
//! expression.

mod table;

use crate::grammar::{self, Key, Keys, Section};
use crate::property::kinds;
use serde_json::{Map, Value, json};

/// Keys that hold a table of a known kind, or several of them: section, key, kind of the table,
/// whether an array.
const TABLES: &[(&str, &str, Keys, bool)] = &[
    ("a scene", "world", Keys::Table(&kinds::WORLD), false),
    ("a scene", "body", Keys::Table(&kinds::BODY), true),
    ("a scene", "collider", Keys::Table(&kinds::COLLIDER), true),
    ("a scene", "point", Keys::Section(&grammar::MASS_POINT), true),
    ("a scene", "rod", Keys::Section(&grammar::ROD), true),
    ("a scene", "thread", Keys::Section(&grammar::THREAD), true),
    ("a scene", "rail", Keys::Section(&grammar::RAIL), true),
    ("a scene", "polygon", Keys::Section(&grammar::POLYGON), true),
    ("a scene", "instance", Keys::Section(&grammar::INSTANCE), true),
    ("a scene", "joint", Keys::Table(&kinds::JOINT), true),
    ("a scene", "motor", Keys::Table(&kinds::MOTOR), true),
    ("a scene", "spring", Keys::Table(&kinds::SPRING), true),
    ("a scene", "force", Keys::Table(&kinds::FORCE), true),
    ("a scene", "marker", Keys::Table(&kinds::MARKER), true),
    ("a scene", "motion", Keys::Table(&kinds::MOTION), true),
    ("a scene", "emitter", Keys::Table(&kinds::EMITTER), true),
    ("a scene", "curve", Keys::Table(&kinds::CURVE), true),
    ("a scene", "constraint", Keys::Table(&kinds::CONSTRAINT), true),
    ("a scene", "controller", Keys::Table(&kinds::CONTROLLER), true),
    ("a scene", "field", Keys::Table(&kinds::FIELD), true),
    ("a scene", "procedure", Keys::Table(&kinds::PROCEDURE), true),
    ("a scene", "sensor", Keys::Table(&kinds::SENSOR), true),
    ("a scene", "switch", Keys::Section(&grammar::SWITCH), true),
    ("a scene", "key", Keys::Section(&grammar::KEY), true),
    ("a scene", "show", Keys::Section(&grammar::SHOW), true),
    ("a scene", "script", Keys::Section(&grammar::SCRIPT), false),
    ("a scene", "record", Keys::Section(&grammar::RECORD), false),
    ("a scene", "camera", Keys::Section(&grammar::CAMERA), false),
    ("a scene", "memory", Keys::Section(&grammar::MEMORY), false),
    ("a scene", "lagrange", Keys::Table(&kinds::LAGRANGE), false),
    ("a scene", "contact", Keys::Table(&kinds::CONTACT), false),
    ("[[instance]]", "rotation", Keys::Table(&kinds::ROTATION), false),
    ("shape", "rotation", Keys::Table(&kinds::ROTATION), false),
    ("shape", "cylinder", Keys::Section(&grammar::ROUND), false),
    ("shape", "capsule", Keys::Section(&grammar::ROUND), false),
    ("shape", "cone", Keys::Section(&grammar::ROUND), false),
    ("shape", "disc", Keys::Section(&grammar::DISC), false),
    ("shape", "torus", Keys::Section(&grammar::TORUS), false),
    ("shape", "mesh", Keys::Section(&grammar::MESH), false),
    ("shape", "extrude", Keys::Section(&grammar::EXTRUDE), false),
    ("shape", "revolve", Keys::Section(&grammar::REVOLVE), false),
    ("shape", "union", Keys::Section(&grammar::SHAPE), true),
    ("shape", "difference", Keys::Section(&grammar::SHAPE), true),
    ("shape", "intersection", Keys::Section(&grammar::SHAPE), true),
    ("shape", "half_space", Keys::Section(&grammar::HALF_SPACE), false),
    ("shape", "height_field", Keys::Section(&grammar::HEIGHT_FIELD), false),
];

/// Keys that must be there.
const REQUIRED: &[(&str, &[&str])] = &[
    ("[[rod]]", &["points"]),
    ("[[thread]]", &["points"]),
    ("[[rail]]", &["point"]),
    ("[[polygon]]", &["point", "corners"]),
    ("[[instance]]", &["scene", "name"]),
    ("[[show]]", &["shape"]),
    ("[camera]", &["eye", "target"]),
    ("[memory]", &["program", "of", "bits"]),
    ("a round shape", &["radius", "height"]),
    ("disc", &["radius", "height"]),
    ("torus", &["radius", "tube"]),
    ("mesh", &["vertices", "triangles"]),
    ("extrude", &["profile", "height"]),
    ("revolve", &["profile"]),
    ("height_field", &["spacing"]),
];

/// The schema as JSON text.
pub fn schema() -> String {
    let mut definitions = Map::new();
    for keys in grammar::SECTIONS {
        let object = match keys {
            Keys::Section(section) => object(section),
            Keys::Table(table) => table::object(table),
        };
        definitions.insert(name(*keys), object);
    }
    let mut top = object(&grammar::SCENE);
    if let Value::Object(map) = &mut top {
        map.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
        map.insert("title".into(), json!("A scene of the Kreisel multibody simulator"));
        map.insert("$defs".into(), Value::Object(definitions));
    }
    let mut text = serde_json::to_string_pretty(&top).unwrap_or_default();
    text.push('\n');
    text
}

/// The name of a section in the schema.
fn name(keys: Keys) -> String {
    if let Keys::Table(table) = keys {
        return table.name.into();
    }
    let plain: String =
        keys.title().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join("-")
}

fn reference(keys: impl Into<Keys>) -> Value {
    json!({ "$ref": format!("#/$defs/{}", name(keys.into())) })
}

fn object(section: &Section) -> Value {
    if section.keys.is_empty() {
        return json!({ "type": "object", "additionalProperties": number() });
    }
    let mut properties = Map::new();
    for key in section.keys {
        let mut value = of_key(section.title, key);
        if let Value::Object(map) = &mut value {
            map.insert("description".into(), json!(format!("{} ({})", key.doc, key.form)));
        }
        properties.insert(key.name.into(), value);
    }
    let mut out = json!({ "type": "object", "description": section.doc, "properties": properties });
    out["additionalProperties"] = json!(false);
    if let Some((_, keys)) = REQUIRED.iter().find(|(title, _)| *title == section.title) {
        out["required"] = json!(keys);
    }
    out
}

/// A solid, several parts of one, or a point.
fn shape() -> Value {
    let one = reference(&grammar::SHAPE);
    json!({ "anyOf": [{ "const": "point" }, one, { "type": "array", "items": one, "minItems": 1 }] })
}

/// A number, or a string with an expression.
fn number() -> Value {
    json!({ "type": ["number", "string"] })
}

fn array(item: &Value, length: usize) -> Value {
    json!({ "type": "array", "items": item, "minItems": length, "maxItems": length })
}

fn of_key(title: &str, key: &Key) -> Value {
    match (title, key.name) {
        (_, "repeat") => {
            return json!({ "anyOf": [number(), { "type": "object", "additionalProperties": number() }] });
        }
        (_, "let" | "set") | ("a scene", "params") => {
            return json!({ "type": "object", "additionalProperties": number() });
        }
        ("[[point]]", "name") => {
            return json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
        }
        (_, "when") => return json!({ "type": ["boolean", "number", "string"] }),
        ("[[show]]", "shape") => return shape(),
        ("[record]", "quantities") => {
            let item = json!({ "anyOf": [{ "type": "string" }, reference(&grammar::POINT)] });
            return json!({ "type": "array", "items": item });
        }
        _ => {}
    }
    if let Some((_, _, inner, many)) = TABLES.iter().find(|t| t.0 == title && t.1 == key.name) {
        let one = reference(*inner);
        if *many {
            return json!({ "type": "array", "items": one });
        }
        let mut choices = vec![one];
        choices.extend(alternatives(key.form));
        return if choices.len() == 1 { choices.remove(0) } else { json!({ "anyOf": choices }) };
    }
    if key.form.ends_with("place") || key.form.ends_with("places") {
        let one = json!({ "anyOf": [{ "type": "string" }, array(&number(), 3), reference(&grammar::PLACE)] });
        return if key.form.starts_with("array") {
            json!({ "type": "array", "items": one, "minItems": 1 })
        } else {
            one
        };
    }
    let mut choices = alternatives(key.form);
    if key.form.ends_with("over time") {
        choices.push(reference(&kinds::SCHEDULE));
    }
    match choices.len() {
        0 => number(),
        1 => choices.remove(0),
        _ => json!({ "anyOf": choices }),
    }
}

/// The values that the words of a form name, tables left out.
fn alternatives(form: &str) -> Vec<Value> {
    let vector = array(&number(), 3);
    let mut out = Vec::new();
    let mut add = |value: Value| {
        if !out.contains(&value) {
            out.push(value);
        }
    };
    let words: Vec<&str> = form.split('"').skip(1).step_by(2).collect();
    if form.contains("#rrggbb") {
        add(json!({ "type": "string" }));
    } else if !words.is_empty() {
        add(json!({ "enum": words }));
    }
    if form.starts_with("ball, hinge") {
        let kinds: Vec<&str> =
            form.split([',', ' ']).filter(|w| !w.is_empty() && *w != "or").collect();
        add(json!({ "enum": kinds }));
    }
    if form.starts_with("[[") {
        add(json!({ "type": "array", "items": { "type": "array", "items": number() } }));
    } else if form.contains("[x, y, z, w]") {
        add(array(&number(), 4));
    } else if !form.starts_with("two points")
        && (form.contains("[x, y, z]")
            || form.starts_with("[a, b, c]")
            || form.contains("[Jx, Jy, Jz]"))
    {
        add(vector.clone());
    }
    if form.contains("two such points") || form.starts_with("two points") {
        add(array(&vector, 2));
    }
    if form.contains("three rows") {
        add(array(&vector, 3));
    }
    if form.starts_with("[name, name]") || form.starts_with("[position part") {
        add(array(&json!({ "type": "string" }), 2));
    }
    if form.starts_with("[dx, dy]") {
        add(array(&number(), 2));
    }
    if form.starts_with("table") {
        add(json!({ "type": "object" }));
    }
    if form == "true or false" {
        add(json!({ "type": "boolean" }));
    }
    if form == "text" || form.starts_with("name") || form.contains("file") {
        add(json!({ "type": "string" }));
    }
    if form.contains("array of") {
        add(json!({ "type": "array" }));
    }
    if form.contains("as in `[world]`") {
        add(json!({ "enum": kreisel_dynamics::Method::ALL.map(kreisel_dynamics::Method::name) }));
    }
    let numeric =
        ["number", "count", "expression", "angle", "whole"].iter().any(|w| form.starts_with(w))
            || form.contains(" count")
            || form.ends_with("over time");
    if numeric {
        add(number());
    }
    out
}
