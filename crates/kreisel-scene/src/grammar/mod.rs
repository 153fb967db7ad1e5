//! The keys of the scene format, once: the reader checks against them, "did you mean" draws on them, and the
//! reference page is printed from them.

mod body;
mod drive;
mod elements;
mod joint;
mod points;
mod scene;
mod shape;
mod world;

pub use body::{BODY, GROUPS, NOW, ROTATION};
pub use drive::{FORCE, MOTOR, SCHEDULE, SERVO, SPRING};
pub use elements::{CONNECTOR, CONSTRAINT, CONTROLLER, CURVE, FIELD, LAGRANGE, PROCEDURE, SWITCH};
pub use joint::{BREAKING, COORDINATES, JOINT, LIMIT};
pub use points::{MASS_POINT, PLACE, POLYGON, RAIL, ROD, THREAD};
pub use scene::{CAMERA, INSTANCE, PARAMS, POINT, RECORD, SCENE, SCRIPT, SHOW};
pub use shape::{HALF_SPACE, HEIGHT_FIELD, MESH, ROUND, SHAPE};
use std::fmt::Write as _;
pub use world::{CONTACT, GROUND, INTEGRATOR, MATERIAL_PAIR, SUBSTEPS, TOLERANCE, WORLD};

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value looks like.
    pub form: &'static str,
    /// What it means, with its default.
    pub doc: &'static str,
}

/// One kind of table.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// How it is written: `[world]`, `[[body]]`, or the key that holds it.
    pub title: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

pub(crate) const fn key(name: &'static str, form: &'static str, doc: &'static str) -> Key {
    Key { name, form, doc }
}

pub(crate) const REPEAT: Key = key(
    "repeat",
    "count, or table of counters",
    "makes the item several times: `50` counts `i` from 0 to 49; `{ i = 10, j = \"1..n\" }` nests counters, the last fastest",
);
pub(crate) const LET: Key =
    key("let", "table of expressions", "names for use in this item's expressions, evaluated for every repetition");
pub(crate) const WHEN: Key = key("when", "condition", "the item is made only where this is true (not 0)");
const FRAME: Key = key(
    "frame",
    "name of a body",
    "positions and directions of this item are given in the frame of that body as it stands at the start; default \"world\"",
);

/// All sections in the order of the reference page.
pub static SECTIONS: &[&Section] = &[
    &SCENE,
    &WORLD,
    &GROUND,
    &CONTACT,
    &MATERIAL_PAIR,
    &TOLERANCE,
    &SUBSTEPS,
    &INTEGRATOR,
    &BODY,
    &GROUPS,
    &NOW,
    &SHAPE,
    &ROUND,
    &MESH,
    &HALF_SPACE,
    &HEIGHT_FIELD,
    &ROTATION,
    &INSTANCE,
    &MASS_POINT,
    &ROD,
    &THREAD,
    &RAIL,
    &POLYGON,
    &PLACE,
    &JOINT,
    &COORDINATES,
    &LIMIT,
    &BREAKING,
    &MOTOR,
    &SERVO,
    &SCHEDULE,
    &SPRING,
    &FORCE,
    &SHOW,
    &SCRIPT,
    &LAGRANGE,
    &CURVE,
    &CONSTRAINT,
    &CONNECTOR,
    &CONTROLLER,
    &FIELD,
    &PROCEDURE,
    &SWITCH,
    &RECORD,
    &POINT,
    &CAMERA,
    &PARAMS,
];

/// The tables of keys as Markdown.
pub fn reference() -> String {
    let mut out = String::new();
    for section in SECTIONS {
        let _ = writeln!(out, "### `{}`\n\n{}\n", section.title, section.doc);
        if section.keys.is_empty() {
            continue;
        }
        out.push_str("| key | value | meaning |\n|---|---|---|\n");
        for k in section.keys {
            let _ = writeln!(out, "| `{}` | {} | {} |", k.name, k.form, k.doc);
        }
        out.push('\n');
    }
    out
}
