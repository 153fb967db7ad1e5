//! What has been built so far, and finding bodies and joints by name.

use super::mesh::Meshes;
use crate::items::RunSettings;
use crate::node::Node;
use crate::problem::{Code, nearest};
use crate::property::kinds::Now;
use crate::read::{Fields, Reader};
use crate::scene::Show;
use crate::script::Script;
use crate::source::{Place, Span};
use kreisel_dynamics::{BodyId, CurveId, JointId, Method, World};
use kreisel_geometry::Pose;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The scene under construction.
#[derive(Default)]
pub(super) struct Built {
    pub world: World,
    pub shows: Vec<Show>,
    pub run: RunSettings,
    pub scripts: Vec<Arc<Script>>,
    pub foreign: Vec<crate::scene::ForeignScript>,
    /// Meshes that have been read.
    pub meshes: RefCell<Meshes>,
    /// What the names of the items that are being read begin with: "left/" inside the instance
    /// "left".
    pub prefix: String,
    /// Where the frame of the scene that is being read lies.
    pub pose: Pose,
    /// Where every instance is defined, by prefix.
    pub instances: BTreeMap<String, Place>,
    /// Where every item is defined, by name.
    pub spans: BTreeMap<String, Place>,
    /// Names of items that could not be built: referring to them is no further error.
    pub failed: BTreeSet<String>,
    /// Names that the engine chose: they give way to the same name written by the user.
    pub automatic: BTreeSet<String>,
    /// Numbers of unnamed items, by prefix and kind.
    pub numbers: BTreeMap<String, usize>,
    /// Present states of bodies and turns of joints, set when everything has been built.
    pub now: Vec<(BodyId, Now, Place)>,
    pub turns: Vec<(JointId, i32)>,
    /// Methods asked for by bodies, set when the chains are complete.
    pub methods: Vec<(BodyId, Method, Place)>,
    pub switches: Vec<crate::scene::Switch>,
    pub keys: Vec<crate::scene::KeyPart>,
}

impl Built {
    /// Reads the name of an item and claims it; an empty name lets the engine choose.
    pub fn claim(
        &mut self,
        reader: &mut Reader,
        fields: &Fields<'_>,
        kind: &str,
    ) -> Option<String> {
        let Some(node) = fields.get("name") else { return Some(self.unnamed(kind)) };
        let name = reader.text(node)?;
        self.claim_name(reader, &name, &node.span)
    }

    /// Claims a name that stands at `span`.
    pub fn claim_name(&mut self, reader: &mut Reader, name: &str, span: &Span) -> Option<String> {
        if name.is_empty() || name == "world" {
            let message = if name.is_empty() {
                "a name must not be empty"
            } else {
                "the name \"world\" is taken"
            };
            reader.error(Code::DuplicateName, span, message, "not possible");
            return None;
        }
        let name = format!("{}{name}", self.prefix);
        let here = reader.place(span);
        self.give_way(&name);
        if let Some(first) = self.spans.get(&name) {
            let note = reader.error(
                Code::DuplicateName,
                span,
                format!("the name \"{name}\" is given twice"),
                "second use",
            );
            let note = note.help("names are unique over bodies, joints, springs and motors");
            if *first != here {
                note.also(first, "first use");
            }
            return None;
        }
        self.spans.insert(name.clone(), here);
        self.failed.insert(name.clone());
        Some(name)
    }

    /// An item without a name of its own that happens to be called `name` is called otherwise.
    fn give_way(&mut self, name: &str) {
        if !self.automatic.remove(name) {
            return;
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let taken = |n: &String| self.spans.contains_key(n) || self.failed.contains(n);
        let Some(other) = (2..).map(|k: u32| format!("{stem}{k}")).find(|n| !taken(n)) else {
            return;
        };
        if self.world.rename(name, &other).is_ok()
            && let Some(place) = self.spans.remove(name)
        {
            self.spans.insert(other.clone(), place);
            self.automatic.insert(other);
        }
    }

    /// The name of an item that has none: inside an instance the first free "left/body 1", else the
    /// engine's choice.
    fn unnamed(&mut self, kind: &str) -> String {
        if self.prefix.is_empty() {
            return String::new();
        }
        self.numbered(kind)
    }

    /// The first free name "kind 1", "kind 2", … here.
    pub fn numbered(&mut self, kind: &str) -> String {
        let count = self.numbers.entry(format!("{}{kind}", self.prefix)).or_insert(0);
        loop {
            *count += 1;
            let name = format!("{}{kind} {count}", self.prefix);
            if !self.spans.contains_key(&name) {
                return name;
            }
        }
    }

    /// An item has been built: its name may be used.
    pub fn built(&mut self, reader: &Reader, given: &str, actual: Option<&str>, span: &Span) {
        self.failed.remove(given);
        if let Some(actual) = actual {
            self.spans.entry(actual.to_owned()).or_insert_with(|| reader.place(span));
            if given.is_empty() {
                self.automatic.insert(actual.to_owned());
            }
        }
    }

    /// The body that a node names.
    pub fn body(&self, reader: &mut Reader, node: &Node) -> Option<BodyId> {
        let short = reader.text(node)?;
        let name = if short == "world" { short.clone() } else { format!("{}{short}", self.prefix) };
        if let Some(id) = self.world.body_named(&name) {
            return Some(id);
        }
        if self.failed.contains(&name) {
            return None;
        }
        let names: Vec<_> = self.world.bodies().filter_map(|b| self.world.body_name(b)).collect();
        let all = names
            .iter()
            .map(|n| &**n)
            .chain(self.failed.iter().map(String::as_str))
            .chain(["world"]);
        self.unknown(reader, node, &short, "body", all);
        None
    }

    /// The joint that a node names.
    pub fn joint(&self, reader: &mut Reader, node: &Node) -> Option<JointId> {
        let all: Vec<_> = self.world.joints().filter_map(|j| self.world.joint_name(j)).collect();
        self.one(reader, node, "joint", &all, |world, name| world.joint_named(name))
    }

    /// The curve that a node names.
    pub fn curve(&self, reader: &mut Reader, node: &Node) -> Option<CurveId> {
        let all: Vec<_> = self.world.curves().filter_map(|c| self.world.curve_name(c)).collect();
        self.one(reader, node, "curve", &all, |world, name| world.curve_named(name))
    }

    /// The item of a kind that a node names, among those that are there.
    fn one<I>(
        &self,
        reader: &mut Reader,
        node: &Node,
        kind: &str,
        all: &[Arc<str>],
        find: fn(&World, &str) -> Option<I>,
    ) -> Option<I> {
        let short = reader.text(node)?;
        let name = format!("{}{short}", self.prefix);
        let found = find(&self.world, &name);
        if found.is_none() && !self.failed.contains(&name) {
            let all = all.iter().map(|n| &**n).chain(self.failed.iter().map(String::as_str));
            self.unknown(reader, node, &short, kind, all);
        }
        found
    }

    /// The whole name of the item of a kind that a node names.
    pub fn reference(
        &self,
        reader: &mut Reader,
        node: &Node,
        kind: &'static str,
    ) -> Option<String> {
        let name = match kind {
            "body" => self.world.body_name(self.body(reader, node)?),
            "joint" => self.world.joint_name(self.joint(reader, node)?),
            "curve" => self.world.curve_name(self.curve(reader, node)?),
            _ => return self.other(reader, node, kind),
        };
        name.map(|n| n.to_string())
    }

    /// The whole name of an item of any other kind.
    fn other(&self, reader: &mut Reader, node: &Node, kind: &'static str) -> Option<String> {
        let short = reader.text(node)?;
        let name = format!("{}{short}", self.prefix);
        let names = self.world.names_of(kind);
        if names.iter().any(|n| **n == *name) {
            return Some(name);
        }
        if !self.failed.contains(&name) {
            let all = names.iter().map(|n| &**n).chain(self.failed.iter().map(String::as_str));
            self.unknown(reader, node, &short, kind, all);
        }
        None
    }

    pub fn unknown<'a>(
        &self,
        reader: &mut Reader,
        node: &Node,
        name: &str,
        what: &str,
        all: impl Iterator<Item = &'a str>,
    ) {
        let own = all.filter_map(|n| {
            if n == "world" { Some(n) } else { n.strip_prefix(self.prefix.as_str()) }
        });
        let help = match nearest(name, own) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("a {what} gets its name by `name = \"{name}\"` in [[{what}]]"),
        };
        let message = format!("there is no {what} \"{name}\"");
        reader.error(Code::UnknownName, &node.span, message, format!("unknown {what}")).help(help);
    }

    /// The frame that an item's positions and directions are given in; "world" is the frame of the
    /// scene.
    pub fn frame(&self, reader: &mut Reader, fields: &Fields<'_>) -> Option<Pose> {
        let Some(node) = fields.get("frame") else { return Some(self.pose) };
        let id = self.body(reader, node)?;
        if id == BodyId::WORLD {
            return Some(self.pose);
        }
        Some(Pose::new(self.world.position(id)?, self.world.rotation(id)?))
    }
}
