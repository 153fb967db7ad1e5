//! Scenes in JSON: the same tree from another syntax. Comments are let through, other extensions
//! are not.

use crate::node::{Entry, Node, Table, Value};
use crate::source::Span;
use jsonc_parser::ast::{self, ObjectPropName};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// What is wrong with the syntax, and where.
pub(crate) type SyntaxError = (String, Span);

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The tree of a JSON document.
pub(crate) fn parse(text: &str) -> Result<Table, SyntaxError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS)
        .map_err(|e| (e.kind().to_string(), clip(e.range().start..e.range().end, text)))?;
    match parsed.value {
        None => Ok(Table::default()),
        Some(ast::Value::Object(object)) => table(&object, text),
        Some(other) => Err(("a scene is an object { … }".into(), clip(span(&other), text))),
    }
}

fn span(node: &impl Ranged) -> Span {
    let range = node.range();
    range.start..range.end
}

fn clip(span: Span, text: &str) -> Span {
    let end = span.end.min(text.len());
    span.start.min(end)..end
}

fn table(object: &ast::Object<'_>, text: &str) -> Result<Table, SyntaxError> {
    let mut table = Table::default();
    for property in &object.properties {
        let (key, key_span) = match &property.name {
            ObjectPropName::String(name) => (name.value.to_string(), span(name)),
            ObjectPropName::Word(name) => (name.value.to_owned(), span(name)),
        };
        if table.get(&key).is_some() {
            return Err((format!("the key \"{key}\" is given twice"), clip(key_span, text)));
        }
        table.entries.push(Entry { key, key_span, node: node(&property.value, text)? });
    }
    Ok(table)
}

fn node(value: &ast::Value<'_>, text: &str) -> Result<Node, SyntaxError> {
    let mut place = span(value);
    let value = match value {
        ast::Value::StringLit(s) => Value::Text(s.value.to_string()),
        ast::Value::NumberLit(n) => Value::Number(n.value.parse().unwrap_or(f64::NAN)),
        ast::Value::BooleanLit(b) => Value::Bool(b.value),
        ast::Value::Array(a) => {
            Value::Array(a.elements.iter().map(|e| node(e, text)).collect::<Result<Vec<_>, _>>()?)
        }
        ast::Value::Object(o) => {
            // An object is shown by its opening brace, as a TOML table is by its header.
            place.end = place.start + 1;
            Value::Table(table(o, text)?)
        }
        ast::Value::NullKeyword(_) => {
            return Err(("`null` has no meaning in a scene".into(), clip(place, text)));
        }
    };
    Ok(Node { span: clip(place, text), value })
}

#[cfg(test)]
mod tests {
    use crate::{Code, parse};

    const SCENE: &str = r#"{
        // the pendulum of the documentation
        "params": { "l": 1.0 },
        "body": [{ "name": "arm", "shape": { "box": ["l", 0.1, 0.1] }, "mass": 1, "position": ["l / 2", 0, 0] }],
        "joint": [{ "type": "hinge", "bodies": ["world", "arm"], "axis": [0, 1, 0] }]
    }"#;

    #[test]
    fn json_and_toml_make_the_same_world() {
        let toml = r#"
            params = { l = 1.0 }
            [[body]]
            name = "arm"
            shape = { box = ["l", 0.1, 0.1] }
            mass = 1
            position = ["l / 2", 0, 0]
            [[joint]]
            type = "hinge"
            bodies = ["world", "arm"]
            axis = [0, 1, 0]
        "#;
        let (a, b) = (parse("a.json", SCENE).unwrap(), parse("a.toml", toml).unwrap());
        assert_eq!(a.world.state_hash(), b.world.state_hash());
        assert_eq!(a.world.analyse(), b.world.analyse());
    }

    #[test]
    fn problems_in_json_have_their_place() {
        let broken = SCENE.replace("\"mass\"", "\"mas\"");
        let error = parse("a.json", &broken).unwrap_err();
        let problem = &error.problems[0];
        assert_eq!((problem.code, problem.line_column()), (Code::UnknownKey, (4, 72)));
        assert_eq!(problem.help.as_deref(), Some("did you mean `mass`?"));
    }

    #[test]
    fn any_json_like_text_ends_in_a_scene_or_in_problems_inside_the_text() {
        let deep = "[".repeat(100_000);
        let texts = [
            "",
            "[",
            "null",
            "{\"a\": null}",
            "{\"body\": 1}",
            "{\"a\": 1, \"a\": 2}",
            "{\"title\": \"ü",
            &deep,
        ];
        for text in texts {
            for p in parse("a.json", text).unwrap_err().problems {
                assert!(p.span.end <= text.len(), "{text}");
            }
        }
    }
}
