//! The engine as a page uses it, natively: the same code that the module runs.

use kreisel_session::journal::replay;
use kreisel_session::protocol::frame;
use kreisel_wasm::{Engine, Files};

/// An arm on a hinge.
const ARM: &str = include_str!("../../../scenes/pendulum.toml");

fn files(name: &str, text: &str) -> Files {
    let mut files = Files::new();
    assert!(files.insert(name, text.into()).is_ok(), "{name} lies within the folder");
    files
}

fn engine(live: bool) -> Engine {
    Engine::open("arm.toml", &files("arm.toml", ARM), live).expect("a good scene")
}

fn send(engine: &mut Engine, message: &str) -> String {
    engine.take(serde_json::from_str(message).expect("a message"));
    engine.messages().join("\n")
}

#[test]
fn a_page_is_greeted_as_the_only_client_and_may_do_everything() {
    let mut engine = engine(true);
    let said = send(
        &mut engine,
        &format!(
            "{{\"type\":\"hello\",\"version\":{},\"token\":null,\"name\":\"Ada\"}}",
            kreisel_session::protocol::VERSION
        ),
    );
    assert!(
        said.contains("\"welcome\"") && said.contains("\"Ada\"") && said.contains("\"host\""),
        "{said}"
    );
    engine.turn(0.0);
    let frame = engine.frame().expect("a first frame");
    assert_eq!(frame[..4], [b'K', b'R', b'F', frame::LAYOUT]);
    assert!(engine.messages().iter().any(|m| m.contains("\"scene\"") && m.contains("pivot")));
    assert!(engine.frame().is_none(), "a frame is taken once");
}

/// Commands through `apply` stand in the journal, and its replay ends in the same state.
#[test]
fn commands_are_applied_undone_refused_and_journalled() {
    let mut engine = engine(false);
    let start = engine.hash();
    engine.step(10);
    let push = r#"{ "do": "push", "body": "arm", "impulse": [0, 0, 1], "point": [1, 0, 0] }"#;
    engine.edit(&serde_json::from_str(push).unwrap()).unwrap();
    let remove = r#"{ "do": "remove", "objects": ["arm"] }"#;
    engine.edit(&serde_json::from_str(remove).unwrap()).unwrap();
    assert!(!engine.describe().contains("\"arm\""));
    engine.edit(&serde_json::from_str(r#"{ "do": "undo" }"#).unwrap()).unwrap();
    assert!(engine.describe().contains("\"arm\""));
    let nobody = r#"{ "do": "push", "body": "leg", "impulse": [0, 0, 1], "point": [1, 0, 0] }"#;
    let refused = engine.edit(&serde_json::from_str(nobody).unwrap()).unwrap_err();
    assert!(refused.contains("leg"), "{refused}");
    engine.step(10);
    assert!(engine.steps() == 20.0 && engine.hash() != start);
    let done = replay(&engine.journal(), &Default::default(), |_| true).expect("a whole journal");
    assert!(done.checked && done.session.hash() == engine.hash());
}

#[test]
fn a_wrong_scene_is_refused_with_file_line_and_help() {
    let text = "[[body]]\nname = \"a\"\nshape = { ball = 1 }\n";
    let Err(said) = Engine::open("bad.toml", &files("bad.toml", text), false) else {
        panic!("it was read")
    };
    assert!(said.starts_with("bad.toml:3:"), "{said}");
    let Err(said) = Engine::open("other.toml", &files("bad.toml", text), false) else {
        panic!("it was read")
    };
    assert!(said.contains("other.toml"), "{said}");
}
