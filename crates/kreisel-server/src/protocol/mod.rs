//! What server and clients say to each other. Text messages are JSON of these types, frames are binary ([`frame`]).
//!
//! The types are written to `web/src/bindings.ts` for the page; a test sees that the file is current.

mod command;
pub mod frame;
mod message;
mod property;
mod view;

pub use command::{Command, ControlSpec, MotorSpec, ScheduleSpec, ShapeSpec, SolidSpec};
pub use message::{ClientInfo, ClientMessage, Column, Control, Layers, Request, Role, ServerMessage};
pub use property::{Field, Inspection, Property, PropertyValue};
pub use view::{BodyView, GeometryView, JointView, MotorView, PartView, SceneView, SpringView};

/// Version of the protocol. Clients with another one are told to reload.
pub const VERSION: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;
    use ts_rs::{Config, TS};

    /// The text of the generated file.
    fn bindings() -> String {
        let config = Config::new().with_large_int("number");
        let mut out =
            String::from("// Written by `UPDATE_BINDINGS=1 cargo test -p kreisel-server bindings`; do not edit.\n\n");
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
            Field,
            Inspection,
            Property,
            PropertyValue,
            BodyView,
            GeometryView,
            JointView,
            MotorView,
            PartView,
            SceneView,
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
        assert!(there == text, "web/src/bindings.ts is old: UPDATE_BINDINGS=1 cargo test -p kreisel-server bindings");
    }
}
