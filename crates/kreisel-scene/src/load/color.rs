//! Colours: `"#rrggbb"` or a name.

use crate::node::Node;
use crate::problem::{Code, alternatives, nearest};
use crate::read::Reader;

const NAMES: &[(&str, [u8; 3])] = &[
    ("red", [0xd6, 0x45, 0x45]),
    ("orange", [0xe8, 0x8b, 0x3a]),
    ("yellow", [0xe6, 0xc3, 0x3c]),
    ("green", [0x4f, 0xa3, 0x5f]),
    ("teal", [0x3a, 0x9d, 0x9d]),
    ("blue", [0x3d, 0x7f, 0xc4]),
    ("purple", [0x83, 0x5f, 0xb8]),
    ("pink", [0xd6, 0x7a, 0xa8]),
    ("brown", [0x8c, 0x64, 0x46]),
    ("white", [0xf2, 0xf2, 0xf0]),
    ("gray", [0x8a, 0x8f, 0x98]),
    ("black", [0x2b, 0x2e, 0x33]),
];

/// Reads a colour.
pub(super) fn read(reader: &mut Reader, node: &Node) -> Option<[u8; 3]> {
    let word = reader.text(node)?;
    if let Some(&(_, color)) = NAMES.iter().find(|c| c.0 == word) {
        return Some(color);
    }
    if let Some(color) = hex(&word) {
        return Some(color);
    }
    let help = match nearest(&word, NAMES.iter().map(|c| c.0)) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("write \"#rrggbb\" or {}", alternatives(NAMES.iter().map(|c| c.0))),
    };
    reader.error(Code::WrongValue, &node.span, format!("\"{word}\" is not a colour"), "unknown colour").help(help);
    None
}

fn hex(word: &str) -> Option<[u8; 3]> {
    let digits = word.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let part = |k: usize| u8::from_str_radix(digits.get(k..k + 2)?, 16).ok();
    Some([part(0)?, part(2)?, part(4)?])
}
