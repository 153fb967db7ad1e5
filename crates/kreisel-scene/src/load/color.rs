//! Colours of points and of what is shown.

use crate::node::Node;
use crate::problem::Code;
use crate::property::kinds::color;
use crate::read::Reader;

/// Reads a colour.
pub(super) fn read(reader: &mut Reader, node: &Node) -> Option<[u8; 3]> {
    let word = reader.text(node)?;
    let fault = match color::of_word(&word) {
        Ok(color) => return Some(color),
        Err(fault) => fault,
    };
    reader.error(Code::WrongValue, &node.span, fault.message, "unknown colour").help_if(fault.help);
    None
}
