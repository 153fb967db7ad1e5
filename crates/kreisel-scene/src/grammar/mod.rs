//! The keys of the scene format, once: the reader checks against them, "did you mean" draws on
//! them, and the reference page is printed from them.

mod keyframe;
mod points;
mod scene;
mod shape;
mod switch;

use crate::problem::alternatives;
use crate::property::{HowMany, Table, Title, Value, kinds};
pub use keyframe::KEY;
use kreisel_dynamics::World;
pub use points::{MASS_POINT, PLACE, POLYGON, RAIL, ROD, THREAD};
pub use scene::{CAMERA, INSTANCE, MEMORY, PARAMS, POINT, RECORD, SCENE, SCRIPT, SHOW};
pub use shape::{DISC, EXTRUDE, HALF_SPACE, HEIGHT_FIELD, MESH, REVOLVE, ROUND, SHAPE, TORUS};
use std::fmt::Write as _;
pub use switch::SWITCH;

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
pub(crate) const LET: Key = key(
    "let",
    "table of expressions",
    "names for use in this item's expressions, evaluated for every repetition",
);
pub(crate) const WHEN: Key =
    key("when", "condition", "the item is made only where this is true (not 0)");
const FRAME: Key = key(
    "frame",
    "name of a body",
    "positions and directions of this item are given in the frame of that body as it stands at the start; default \"world\"",
);

/// All sections in the order of the reference page.
pub static SECTIONS: &[Keys] = &[
    Keys::Section(&SCENE),
    Keys::Table(&kinds::WORLD),
    Keys::Table(&kinds::GROUND),
    Keys::Table(&kinds::CONTACT),
    Keys::Table(&kinds::MATERIAL_PAIR),
    Keys::Table(&kinds::TOLERANCE),
    Keys::Table(&kinds::SUBSTEPS),
    Keys::Table(&kinds::INTEGRATOR),
    Keys::Table(&kinds::BODY),
    Keys::Table(&kinds::COLLIDER),
    Keys::Table(&kinds::GROUPS),
    Keys::Table(&kinds::NOW),
    Keys::Section(&SHAPE),
    Keys::Section(&ROUND),
    Keys::Section(&DISC),
    Keys::Section(&TORUS),
    Keys::Section(&MESH),
    Keys::Section(&EXTRUDE),
    Keys::Section(&REVOLVE),
    Keys::Section(&HALF_SPACE),
    Keys::Section(&HEIGHT_FIELD),
    Keys::Table(&kinds::ROTATION),
    Keys::Section(&INSTANCE),
    Keys::Section(&MASS_POINT),
    Keys::Section(&ROD),
    Keys::Section(&THREAD),
    Keys::Section(&RAIL),
    Keys::Section(&POLYGON),
    Keys::Section(&PLACE),
    Keys::Table(&kinds::JOINT),
    Keys::Table(&kinds::LIMITS),
    Keys::Table(&kinds::LIMIT),
    Keys::Table(&kinds::FRICTION),
    Keys::Table(&kinds::STIFFNESS),
    Keys::Table(&kinds::DAMPING),
    Keys::Table(&kinds::REST),
    Keys::Table(&kinds::ARMATURE),
    Keys::Table(&kinds::GEAR),
    Keys::Table(&kinds::BREAKING),
    Keys::Table(&kinds::MOTOR),
    Keys::Table(&kinds::SERVO),
    Keys::Table(&kinds::ELECTRIC),
    Keys::Table(&kinds::FIBRE),
    Keys::Table(&kinds::HYDRAULIC),
    Keys::Table(&kinds::WRAP),
    Keys::Table(&kinds::SCHEDULE),
    Keys::Table(&kinds::SPRING),
    Keys::Table(&kinds::FORCE),
    Keys::Table(&kinds::MARKER),
    Keys::Table(&kinds::MOTION),
    Keys::Table(&kinds::EMITTER),
    Keys::Section(&KEY),
    Keys::Section(&SHOW),
    Keys::Section(&SCRIPT),
    Keys::Table(&kinds::LAGRANGE),
    Keys::Table(&kinds::CURVE),
    Keys::Table(&kinds::CONSTRAINT),
    Keys::Table(&kinds::CONNECTOR),
    Keys::Table(&kinds::CONTROLLER),
    Keys::Table(&kinds::FIELD),
    Keys::Table(&kinds::PROCEDURE),
    Keys::Table(&kinds::SENSOR),
    Keys::Section(&SWITCH),
    Keys::Section(&RECORD),
    Keys::Section(&POINT),
    Keys::Section(&CAMERA),
    Keys::Section(&MEMORY),
    Keys::Section(&PARAMS),
];

/// The keys of a table: those of a section, or the properties of a kind.
#[derive(Clone, Copy)]
pub enum Keys {
    /// Keys with words for their values.
    Section(&'static Section),
    /// A table of properties.
    Table(&'static Table),
}

impl From<&'static Section> for Keys {
    fn from(section: &'static Section) -> Self {
        Self::Section(section)
    }
}

impl From<&'static Table> for Keys {
    fn from(table: &'static Table) -> Self {
        Self::Table(table)
    }
}

impl Keys {
    /// How it is written.
    pub fn title(self) -> &'static str {
        match self {
            Self::Section(section) => section.title,
            Self::Table(table) => table.title,
        }
    }

    /// What it is for.
    pub fn doc(self) -> &'static str {
        match self {
            Self::Section(section) => section.doc,
            Self::Table(table) => table.doc.trim(),
        }
    }

    /// What scenes add to the properties of a kind: repetition and frames.
    pub(crate) fn extra(self) -> Vec<&'static Key> {
        match self {
            Self::Table(Table { written: Title::Item, .. }) => vec![&REPEAT, &LET, &WHEN],
            Self::Table(Table { written: Title::Framed, .. }) => vec![&FRAME, &REPEAT, &LET, &WHEN],
            _ => Vec::new(),
        }
    }

    /// The names of the keys.
    pub(crate) fn names(self) -> Vec<&'static str> {
        match self {
            Self::Section(section) => section.keys.iter().map(|k| k.name).collect(),
            Self::Table(table) => {
                let own = table.properties.iter().filter(|p| !p.section).map(|p| p.name);
                own.chain(self.extra().into_iter().map(|k| k.name)).collect()
            }
        }
    }

    /// Every key with what its value looks like and what it means.
    pub fn lines(self) -> Vec<(&'static str, String, String)> {
        let plain = |k: &Key| (k.name, k.form.to_owned(), k.doc.to_owned());
        let Self::Table(table) = self else {
            let Self::Section(section) = self else { return Vec::new() };
            return section.keys.iter().map(plain).collect();
        };
        let (blank, world) = ((table.blank)(), World::default());
        let own = table.properties.iter().filter(|p| !p.section).map(|p| {
            let doc = p.doc.trim();
            // what is said of the default stands in the words only where it takes words
            let default = (p.get)(&*blank, &world);
            let empty = match &default {
                Value::None | Value::Table(_) => true,
                Value::Text(text) => text.is_empty(),
                Value::List(items) => items.is_empty(),
                _ => false,
            };
            let chosen = table
                .choices
                .iter()
                .any(|c| c.rule != HowMany::AtMostOne && c.keys.contains(&p.name));
            let silent = p.required || p.alias || empty || chosen || doc.contains("default ");
            let doc =
                if silent { doc.to_owned() } else { format!("{doc}; default {}", default.toml()) };
            (p.name, p.describe(), doc)
        });
        own.chain(self.extra().into_iter().map(plain)).collect()
    }

    /// What a key means and what its value looks like, in words.
    pub(crate) fn describe(self, key: &str) -> Option<String> {
        self.lines()
            .into_iter()
            .find(|l| l.0 == key)
            .map(|(_, form, doc)| format!("{doc} ({form})"))
    }

    /// "[world] takes gravity, step or …".
    pub(crate) fn takes(self) -> String {
        format!("{} takes {}", self.title(), alternatives(self.names()))
    }
}

/// The tables of keys as Markdown.
pub fn reference() -> String {
    let mut out = String::new();
    for keys in SECTIONS {
        let _ = writeln!(out, "### `{}`\n\n{}\n", keys.title(), keys.doc());
        let lines = keys.lines();
        if lines.is_empty() {
            continue;
        }
        out.push_str("| key | value | meaning |\n|---|---|---|\n");
        for (name, form, doc) in lines {
            let _ = writeln!(out, "| `{name}` | {form} | {doc} |");
        }
        out.push('\n');
    }
    out
}
