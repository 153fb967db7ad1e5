//! What server and clients say to each other. Text messages are JSON of these types, frames are
//! binary ([`frame`]).
//!
//! The types are written to `web/src/bindings.ts` for the page; the test `bindings` sees that the
//! file is current.

mod command;
pub mod frame;
mod message;
mod property;
mod view;

pub use command::{
    Command, ControlSpec, EndSpec, HandMotion, MotorSpec, ScheduleSpec, ShapeSpec, SolidSpec,
};
pub use message::{
    ClientInfo, ClientMessage, Column, Control, Layers, Request, Role, ServerMessage, Trouble,
};
pub use property::{Field, Inspection, Property, PropertyValue};
pub use view::{
    AnchorView, BodyView, ColliderView, CurveView, ElementView, FieldView, GeometryView, JointView,
    MarkerView, MotorView, PartView, ProcedureView, SceneView, SensorView, ShowView, SpringView,
};

/// Version of the protocol. Clients with another one are told to reload.
pub const VERSION: u32 = 4;
