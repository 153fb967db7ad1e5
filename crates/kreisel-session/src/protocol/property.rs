//! Properties of objects as the page's panel shows them. The server owns the list: the page draws
//! what it is told.

use super::ScheduleSpec;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A value of a property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PropertyValue {
    /// A number; none is "unlimited" where the field allows it.
    Number(Option<f64>),
    /// A vector.
    Vector([f64; 3]),
    /// A text or one of several words.
    Text(String),
    /// Yes or no.
    Toggle(bool),
    /// A value over time.
    Curve(ScheduleSpec),
}

/// How a property is edited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum Field {
    /// A number within bounds.
    Number {
        /// Least value.
        min: Option<f64>,
        /// Largest value.
        max: Option<f64>,
        /// Whether it may be left empty: no limit.
        optional: bool,
    },
    /// Three numbers.
    Vector,
    /// Free text.
    Text,
    /// One of these words.
    Choice(Vec<String>),
    /// A switch.
    Toggle,
    /// A curve over time.
    Curve,
    /// Shown, not edited.
    Fixed,
}

/// One property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Property {
    /// Its key, for [`super::Command::Set`]; the keys of the scene format where there is one.
    pub key: String,
    /// What it means, from the reference of the scene format.
    pub doc: String,
    /// Unit; empty for none.
    pub unit: String,
    /// Heading that it stands under; empty for the first ones.
    pub group: String,
    /// How it is edited.
    pub field: Field,
    /// Its present value.
    pub value: PropertyValue,
    /// What it was at the start of the scene, if that is something else.
    pub original: Option<PropertyValue>,
}

/// All properties of an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Inspection {
    /// The object's name.
    pub object: String,
    /// "world", "body", "joint", "spring" or "motor".
    pub kind: String,
    /// Revision of the scene description that it belongs to: the description may be told later.
    pub revision: u32,
    /// Its properties.
    pub properties: Vec<Property>,
    /// Paths of what can be plotted of it.
    pub quantities: Vec<String>,
}
