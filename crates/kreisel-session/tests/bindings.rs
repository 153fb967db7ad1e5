//! The types of the protocol for TypeScript are those of the program.

use kreisel_session::protocol::*;
use ts_rs::{Config, TS};

/// The text of the generated file.
fn bindings() -> String {
    let config = Config::new().with_large_int("number");
    let mut out = String::from(
        "// Written by `UPDATE_BINDINGS=1 cargo test -p kreisel-session bindings`; do not edit.\n\n",
    );
    let mut add = |declaration: String| {
        out.push_str("export ");
        out.push_str(&declaration);
        out.push_str("\n\n");
    };
    macro_rules! types {
        ($($t:ty),* $(,)?) => { $( add(<$t as TS>::decl(&config)); )* };
    }
    types!(
        Command,
        ControlSpec,
        EndSpec,
        HandMotion,
        MotorSpec,
        ScheduleSpec,
        ShapeSpec,
        SolidSpec,
        ClientInfo,
        ClientMessage,
        Column,
        Control,
        Layers,
        Request,
        Role,
        ServerMessage,
        Trouble,
        Field,
        Inspection,
        Property,
        PropertyValue,
        AnchorView,
        BodyView,
        ColliderView,
        CurveView,
        ElementView,
        FieldView,
        GeometryView,
        JointView,
        MarkerView,
        MotorView,
        PartView,
        ProcedureView,
        SceneView,
        SensorView,
        ShowView,
        SpringView,
    );
    out.push_str(&format!("export const VERSION = {VERSION};\n"));
    out.push_str(&frame::typescript());
    out
}

#[test]
fn bindings_are_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/bindings.ts");
    let text = bindings();
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        there == text,
        "web/src/bindings.ts is old: UPDATE_BINDINGS=1 cargo test -p kreisel-session bindings"
    );
}
