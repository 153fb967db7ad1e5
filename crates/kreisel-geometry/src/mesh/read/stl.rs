//! STL through `stl_io`.
//!
//! Many programs write binary files whose header starts with "solid", the mark of a text file. The
//! length decides: 84 bytes and 50 for each triangle is binary.

use super::{ReadError, Soup};
use glam::DVec3;
use std::io::Cursor;

const HEADER: usize = 80;

pub(super) fn read(bytes: &[u8]) -> Result<Soup, ReadError> {
    let syntax = |reason: String| ReadError::Syntax { format: "STL", reason };
    let unmarked;
    let mut cursor = Cursor::new(bytes);
    if is_binary(bytes) {
        // the header's text means nothing, without it the parser cannot take the file for text
        unmarked = [&[0; HEADER], &bytes[HEADER..]].concat();
        cursor = Cursor::new(&unmarked);
    }
    let stl = stl_io::read_stl(&mut cursor).map_err(|e| syntax(e.to_string()))?;
    let vertices =
        stl.vertices.iter().map(|v| DVec3::new(v.0[0].into(), v.0[1].into(), v.0[2].into()));
    let indices: Vec<u32> = stl.faces.iter().flat_map(|f| f.vertices).map(|v| v as u32).collect();
    let mut soup = Soup::default();
    soup.append(vertices, &indices)?;
    Ok(soup)
}

fn is_binary(bytes: &[u8]) -> bool {
    let Some(count) = bytes.get(HEADER..HEADER + 4) else { return false };
    let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize;
    bytes.len() == HEADER + 4 + 50 * count
}
