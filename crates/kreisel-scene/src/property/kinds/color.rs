//! Colours: `"#rrggbb"` or a name.

use crate::problem::{alternatives, nearest};
use crate::property::codec::{Codec, Written};
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::World;

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

/// Red, green and blue; "none" or nothing is no colour of its own.
pub(crate) struct Color;
impl Written for Color {
    const FORM: Form = Form::Color;
}
impl Codec<Option<[u8; 3]>> for Color {
    fn write(color: &Option<[u8; 3]>, _: &World) -> Value {
        color.map_or(Value::None, |[r, g, b]| Value::Text(format!("#{r:02x}{g:02x}{b:02x}")))
    }
    fn read(value: Value, _: &World) -> Result<Option<[u8; 3]>, Fault> {
        match &value {
            Value::None => Ok(None),
            Value::Text(word) if word.is_empty() || word == "none" => Ok(None),
            Value::Text(word) => of_word(word).map(Some),
            other => Fault::expected("a colour", other),
        }
    }
}

/// The colour of a word.
pub(crate) fn of_word(word: &str) -> Result<[u8; 3], Fault> {
    let named = NAMES.iter().find(|c| c.0 == word).map(|c| c.1);
    named.or_else(|| hex(word)).ok_or_else(|| {
        let help = match nearest(word, NAMES.iter().map(|c| c.0)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("write \"#rrggbb\" or {}", alternatives(NAMES.iter().map(|c| c.0))),
        };
        Fault::new(format!("\"{word}\" is not a colour")).help(help)
    })
}

fn hex(word: &str) -> Option<[u8; 3]> {
    let digits = word
        .strip_prefix('#')
        .filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let part = |k: usize| u8::from_str_radix(digits.get(k..k + 2)?, 16).ok();
    Some([part(0)?, part(2)?, part(4)?])
}
