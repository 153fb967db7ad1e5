//! In place of the importers, in builds without them: robots are refused by name.

use crate::node::Table;
use crate::problem::Code;
use crate::read::Reader;
use crate::source::Source;

/// Refuses.
pub(crate) fn tree(reader: &mut Reader) -> Option<(Source, Table)> {
    let message = format!("{} the reader of robots (URDF, MJCF)", crate::LACKS);
    reader.error(Code::Syntax, &(0..0), message, "a robot");
    None
}
