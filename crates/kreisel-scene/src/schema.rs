//! The JSON Schema of the scene format, made from the same table of keys as the checks and the reference page.
//!
//! What a value looks like is read off the words that the table has for it ([`grammar::Key::form`]): `[x, y, z] m` is a
//! vector, `"a", "b" or "c"` a choice, `true or false` a flag, anything with a unit a number or an expression.

use crate::grammar::{self, Key, Section};
use serde_json::{Map, Value, json};

/// Keys that hold a table of a known kind, or several of them: section, key, kind of the table, whether an array.
const TABLES: &[(&str, &str, &Section, bool)] = &[
    ("a scene", "world", &grammar::WORLD, false),
    ("a scene", "body", &grammar::BODY, true),
    ("a scene", "point", &grammar::MASS_POINT, true),
    ("a scene", "rod", &grammar::ROD, true),
    ("a scene", "thread", &grammar::THREAD, true),
    ("a scene", "rail", &grammar::RAIL, true),
    ("a scene", "polygon", &grammar::POLYGON, true),
    ("a scene", "instance", &grammar::INSTANCE, true),
    ("a scene", "joint", &grammar::JOINT, true),
    ("a scene", "motor", &grammar::MOTOR, true),
    ("a scene", "spring", &grammar::SPRING, true),
    ("a scene", "force", &grammar::FORCE, true),
    ("a scene", "show", &grammar::SHOW, true),
    ("a scene", "script", &grammar::SCRIPT, false),
    ("a scene", "record", &grammar::RECORD, false),
    ("a scene", "camera", &grammar::CAMERA, false),
    ("a scene", "contact", &grammar::CONTACT, false),
    ("[contact]", "pair", &grammar::MATERIAL_PAIR, true),
    ("[world]", "ground", &grammar::GROUND, false),
    ("[[body]]", "groups", &grammar::GROUPS, false),
    ("[world]", "tolerance", &grammar::TOLERANCE, false),
    ("[world]", "substeps", &grammar::SUBSTEPS, false),
    ("[world]", "rotation", &grammar::INTEGRATOR, false),
    ("[[body]]", "now", &grammar::NOW, false),
    ("[[body]]", "rotation", &grammar::ROTATION, false),
    ("[[instance]]", "rotation", &grammar::ROTATION, false),
    ("shape", "rotation", &grammar::ROTATION, false),
    ("shape", "cylinder", &grammar::ROUND, false),
    ("shape", "capsule", &grammar::ROUND, false),
    ("shape", "cone", &grammar::ROUND, false),
    ("shape", "mesh", &grammar::MESH, false),
    ("shape", "half_space", &grammar::HALF_SPACE, false),
    ("shape", "height_field", &grammar::HEIGHT_FIELD, false),
    ("[[joint]]", "breaking", &grammar::BREAKING, false),
    ("[[motor]]", "servo", &grammar::SERVO, false),
];

/// Keys that must be there.
const REQUIRED: &[(&str, &[&str])] = &[
    ("[[joint]]", &["type", "bodies"]),
    ("[[rod]]", &["points"]),
    ("[[thread]]", &["points"]),
    ("[[rail]]", &["point"]),
    ("[[polygon]]", &["point", "corners"]),
    ("[[motor]]", &["joint"]),
    ("[[spring]]", &["bodies", "at", "stiffness"]),
    ("[[force]]", &["body"]),
    ("[[instance]]", &["scene", "name"]),
    ("[[show]]", &["shape"]),
    ("[camera]", &["eye", "target"]),
    ("a value over time", &["points"]),
    ("servo", &["gain"]),
    ("a round shape", &["radius", "height"]),
    ("mesh", &["vertices", "triangles"]),
    ("height_field", &["spacing"]),
];

/// The schema as JSON text.
pub fn schema() -> String {
    let mut definitions = Map::new();
    for section in grammar::SECTIONS {
        definitions.insert(name(section), object(section));
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

/// The name of a section in the schema. Two sections are titled "rotation".
fn name(section: &Section) -> String {
    if std::ptr::eq(section, &grammar::INTEGRATOR) {
        return "integrator".into();
    }
    let plain: String = section.title.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join("-")
}

fn reference(section: &Section) -> Value {
    json!({ "$ref": format!("#/$defs/{}", name(section)) })
}

fn object(section: &Section) -> Value {
    if section.keys.is_empty() {
        return json!({ "type": "object", "additionalProperties": number() });
    }
    let mut properties = Map::new();
    for key in section.keys {
        let mut value = of_key(section, key);
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

/// A number, or a string with an expression.
fn number() -> Value {
    json!({ "type": ["number", "string"] })
}

fn array(item: &Value, length: usize) -> Value {
    json!({ "type": "array", "items": item, "minItems": length, "maxItems": length })
}

fn of_key(section: &Section, key: &Key) -> Value {
    match (section.title, key.name) {
        (_, "repeat") => return json!({ "anyOf": [number(), { "type": "object", "additionalProperties": number() }] }),
        (_, "let" | "set") | ("a scene", "params") => {
            return json!({ "type": "object", "additionalProperties": number() });
        }
        ("[contact]", "friction" | "restitution") => return json!({ "type": "string" }),
        ("[[point]]", "name") => {
            return json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
        }
        (_, "when") => return json!({ "type": ["boolean", "number", "string"] }),
        ("[[body]]" | "[[show]]", "shape" | "display") => {
            let one = reference(&grammar::SHAPE);
            return json!({ "anyOf": [{ "const": "point" }, one, { "type": "array", "items": one, "minItems": 1 }] });
        }
        ("[[joint]]", "bodies") => return json!({ "type": "array", "items": { "type": "string" }, "minItems": 2 }),
        ("[[joint]]", "at") => {
            let vector = array(&number(), 3);
            return json!({ "anyOf": [vector, { "type": "array", "items": vector, "minItems": 2 }] });
        }
        ("[[joint]]", "stiffness" | "damping" | "rest" | "armature" | "gear") => {
            let all: Map<String, Value> =
                grammar::COORDINATES.keys.iter().map(|k| (k.name.to_owned(), number())).collect();
            let table = json!({ "type": "object", "properties": all, "additionalProperties": false });
            return json!({ "anyOf": [number(), table] });
        }
        ("[[joint]]", "limits" | "friction") => {
            let names: Vec<&str> = grammar::COORDINATES.keys.iter().map(|k| k.name).collect();
            let value = if key.name == "friction" {
                number()
            } else {
                json!({ "anyOf": [array(&number(), 2), reference(&grammar::LIMIT)] })
            };
            let all: Map<String, Value> = names.iter().map(|n| ((*n).to_owned(), value.clone())).collect();
            return json!({ "type": "object", "properties": all, "additionalProperties": false });
        }
        ("[record]", "quantities") => {
            let item = json!({ "anyOf": [{ "type": "string" }, reference(&grammar::POINT)] });
            return json!({ "type": "array", "items": item });
        }
        _ => {}
    }
    if let Some((_, _, inner, many)) = TABLES.iter().find(|t| t.0 == section.title && t.1 == key.name) {
        let one = reference(inner);
        if *many {
            return json!({ "type": "array", "items": one });
        }
        let mut choices = vec![one];
        choices.extend(alternatives(key.form));
        if key.form.starts_with("m, or") {
            choices.push(number());
        }
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
        choices.push(reference(&grammar::SCHEDULE));
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
        let kinds: Vec<&str> = form.split([',', ' ']).filter(|w| !w.is_empty() && *w != "or").collect();
        add(json!({ "enum": kinds }));
    }
    if form.starts_with("[[") {
        add(json!({ "type": "array", "items": { "type": "array", "items": number() } }));
    } else if form.contains("[x, y, z, w]") {
        add(array(&number(), 4));
    } else if !form.starts_with("two points")
        && (form.contains("[x, y, z]") || form.starts_with("[a, b, c]") || form.contains("[Jx, Jy, Jz]"))
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
        add(json!({ "enum": ["direct", "iterative", "cut", "lagrange"] }));
    }
    let numeric = ["number", "count", "expression", "angle", "whole"].iter().any(|w| form.starts_with(w))
        || form.contains(" count")
        || form.ends_with("over time");
    if numeric {
        add(number());
    }
    out
}
