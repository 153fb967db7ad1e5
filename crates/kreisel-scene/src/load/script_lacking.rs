//! In place of `[script]`, in builds without scripts: it is refused by name.

use super::names::Built;
use crate::node::{Node, Table};
use crate::problem::Code;
use crate::read::Reader;
use crate::source::Source;

/// What the script of a file has made; there is none.
pub(super) struct Made {
    /// The text that the items' places are in.
    pub source: Source,
    pub items: Vec<(&'static str, Node)>,
}

/// Refuses.
pub(super) fn read(reader: &mut Reader, scene: &Table, _built: &mut Built) -> Vec<Made> {
    if let Some(node) = scene.get("script") {
        let message = format!("{} scripts", crate::LACKS);
        reader.error(Code::Script, &node.span, message, "a script");
    }
    Vec::new()
}
