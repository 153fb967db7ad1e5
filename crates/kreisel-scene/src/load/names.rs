//! What has been built so far, and finding bodies and joints by name.

use crate::node::Node;
use crate::problem::{Code, nearest};
use crate::read::{Fields, Reader};
use crate::scene::{Force, Look};
use crate::source::Span;
use kreisel_dynamics::{BodyId, JointId, Method, World};
use kreisel_geometry::Pose;
use std::collections::{BTreeMap, BTreeSet};

/// The scene under construction.
#[derive(Default)]
pub(super) struct Built {
    pub world: World,
    pub looks: Vec<Look>,
    pub forces: Vec<Force>,
    /// Where every item is defined, by name.
    pub spans: BTreeMap<String, Span>,
    /// Names of items that could not be built: referring to them is no further error.
    pub failed: BTreeSet<String>,
    /// Methods asked for by bodies, set when the chains are complete.
    pub methods: Vec<(BodyId, Method, Span)>,
    pub switches: Vec<crate::scene::Switch>,
}

impl Built {
    /// Reads the name of an item and claims it; an empty name lets the engine choose.
    pub fn claim(&mut self, reader: &mut Reader, fields: &Fields<'_>) -> Option<String> {
        let Some(node) = fields.get("name") else { return Some(String::new()) };
        let name = reader.text(node)?;
        if name.is_empty() || name == "world" {
            let message = if name.is_empty() { "a name must not be empty" } else { "the name \"world\" is taken" };
            reader.error(Code::DuplicateName, &node.span, message, "not possible");
            return None;
        }
        if let Some(first) = self.spans.get(&name) {
            let note = reader.error(
                Code::DuplicateName,
                &node.span,
                format!("the name \"{name}\" is given twice"),
                "second use",
            );
            let note = note.help("names are unique over bodies, joints, springs and motors");
            if *first != node.span {
                note.also(first, "first use");
            }
            return None;
        }
        self.spans.insert(name.clone(), node.span.clone());
        self.failed.insert(name.clone());
        Some(name)
    }

    /// An item has been built: its name may be used.
    pub fn built(&mut self, given: &str, actual: Option<&str>, span: &Span) {
        self.failed.remove(given);
        if let Some(actual) = actual {
            self.spans.entry(actual.to_owned()).or_insert_with(|| span.clone());
        }
    }

    /// The body that a node names.
    pub fn body(&self, reader: &mut Reader, node: &Node) -> Option<BodyId> {
        let name = reader.text(node)?;
        if let Some(id) = self.world.body_named(&name) {
            return Some(id);
        }
        if self.failed.contains(&name) {
            return None;
        }
        let names: Vec<_> = self.world.bodies().filter_map(|b| self.world.body_name(b)).collect();
        let all = names.iter().map(|n| &**n).chain(self.failed.iter().map(String::as_str)).chain(["world"]);
        self.unknown(reader, node, &name, "body", all);
        None
    }

    /// The joint that a node names.
    pub fn joint(&self, reader: &mut Reader, node: &Node) -> Option<JointId> {
        let name = reader.text(node)?;
        if let Some(id) = self.world.joint_named(&name) {
            return Some(id);
        }
        if self.failed.contains(&name) {
            return None;
        }
        let names: Vec<_> = self.world.joints().filter_map(|j| self.world.joint_name(j)).collect();
        let all = names.iter().map(|n| &**n).chain(self.failed.iter().map(String::as_str));
        self.unknown(reader, node, &name, "joint", all);
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
        let help = match nearest(name, all) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("a {what} gets its name by `name = \"{name}\"` in [[{what}]]"),
        };
        let message = format!("there is no {what} \"{name}\"");
        reader.error(Code::UnknownName, &node.span, message, format!("unknown {what}")).help(help);
    }

    /// The two bodies of a joint or spring.
    pub fn pair(&self, reader: &mut Reader, fields: &Fields<'_>) -> Option<[BodyId; 2]> {
        let node = reader.required(fields, "bodies")?;
        let items = reader.array(node, 2, "an array of two names of bodies")?;
        let [a, b] = [0, 1].map(|k| self.body(reader, &items[k]));
        Some([a?, b?])
    }

    /// The frame that an item's positions and directions are given in.
    pub fn frame(&self, reader: &mut Reader, fields: &Fields<'_>) -> Option<Pose> {
        let Some(node) = fields.get("frame") else { return Some(Pose::IDENTITY) };
        let id = self.body(reader, node)?;
        Some(Pose::new(self.world.position(id)?, self.world.rotation(id)?))
    }
}
