//! From text to a world: parses, reads every item in the order of the text, and builds as it reads.

mod body;
mod build;
mod color;
mod document;
mod extend;
mod formula;
mod height_field;
mod impacts;
mod instance;
mod item;
mod keyframe;
mod mesh;
mod model_error;
mod names;
mod options;
mod overlap;
mod places;
mod points;
mod rail;
mod record;
mod rotation;
mod sampling;
#[cfg(feature = "scripts")]
mod script;
#[cfg(not(feature = "scripts"))]
#[path = "script_lacking.rs"]
mod script;
mod shape;
mod show;
mod solid;
mod suspicion;
mod switch;
mod world;

pub(crate) use document::tree;
pub use extend::extend;
pub(crate) use mesh::massive;
pub use options::{Options, home, load, load_as, load_with, parse, parse_as, parse_with};
pub(crate) use shape::shape_of;
