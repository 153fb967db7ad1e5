//! Keys of keyframes.

use super::{LET, REPEAT, Section, WHEN, key};

/// `[[key]]`.
pub static KEY: Section = Section {
    title: "[[key]]",
    doc: "A part of a keyframe: where a body is and how it moves, or the value of a motor. Parts of one name are one keyframe; `kreisel run --key NAME` starts in it.",
    keys: &[
        key("name", "text", "the keyframe"),
        key("body", "name", "the body that is placed"),
        key("position", "[x, y, z], m", "its origin; default where the scene has it"),
        key("rotation", "table `rotation`", "its rotation; default that of the scene"),
        key("velocity", "[x, y, z], m/s", "of its centre of mass; default [0, 0, 0]"),
        key("angular_velocity", "[x, y, z], rad/s", "in world coordinates; default [0, 0, 0]"),
        key("motor", "name", "a motor, instead of `body`"),
        key(
            "value",
            "number",
            "what the motor is told: effort, rate, set value, voltage, excitation or valve, SI units and rad",
        ),
        REPEAT,
        LET,
        WHEN,
    ],
};
