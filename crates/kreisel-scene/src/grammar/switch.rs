//! Keys of switches.

use super::{LET, REPEAT, Section, WHEN, key};

/// `[[switch]]`.
pub static SWITCH: Section = Section {
    title: "[[switch]]",
    doc: "Switches something on or off, or changes what moves a body, at a time of the run.",
    keys: &[
        key("at", "s", "when; the first step that starts then or later"),
        key("item", "name", "a joint, constraint, controller or field"),
        key("active", "true or false", "whether the item is on from then on; default true"),
        key("body", "name", "a body, instead of `item`"),
        key("kind", "\"dynamic\", \"static\" or \"kinematic\"", "what moves the body from then on"),
        REPEAT,
        LET,
        WHEN,
    ],
};
