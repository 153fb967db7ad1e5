//! Values as TOML, so that they are read back to the bit.

use kreisel_dynamics::{Quat, Vec3};

/// A number; the shortest digits that give the same bits.
pub(super) fn number(x: f64) -> String {
    format!("{x:?}")
}

pub(super) fn vector(v: Vec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

pub(super) fn quaternion(q: Quat) -> String {
    format!("[{:?}, {:?}, {:?}, {:?}]", q.x, q.y, q.z, q.w)
}

pub(super) fn rotation(q: Quat) -> String {
    format!("{{ quaternion = {} }}", quaternion(q))
}

/// A string in quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A string in which braces are no expressions.
pub(crate) fn words(text: &str) -> String {
    quoted(&text.replace('{', "{{").replace('}', "}}"))
}
