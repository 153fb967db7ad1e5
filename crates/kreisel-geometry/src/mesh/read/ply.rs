//! PLY (Stanford): text and binary of either byte order.
//!
//! Of the vertices x, y and z are read, of the faces the list of corners (`vertex_indices` or
//! `vertex_index`), polygons cut into triangles; everything else is stepped over. A file without
//! faces has no surface.

use super::{ReadError, Soup, polygon};
use glam::DVec3;

/// How a number is written.
#[derive(Clone, Copy)]
enum Kind {
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

/// A property: one number, or a list with the kind of its length.
struct Property {
    name: String,
    kind: Kind,
    length: Option<Kind>,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Text,
    Little,
    Big,
}

fn syntax(reason: impl Into<String>) -> ReadError {
    ReadError::Syntax { format: "PLY", reason: reason.into() }
}

impl Kind {
    fn of(word: &str) -> Result<Self, ReadError> {
        Ok(match word {
            "char" | "int8" => Self::Signed(1),
            "uchar" | "uint8" => Self::Unsigned(1),
            "short" | "int16" => Self::Signed(2),
            "ushort" | "uint16" => Self::Unsigned(2),
            "int" | "int32" => Self::Signed(4),
            "uint" | "uint32" => Self::Unsigned(4),
            "float" | "float32" => Self::Float(4),
            "double" | "float64" => Self::Float(8),
            other => return Err(syntax(format!("`{other}` is no type of number"))),
        })
    }

    const fn size(self) -> usize {
        match self {
            Self::Signed(n) | Self::Unsigned(n) | Self::Float(n) => n,
        }
    }

    /// The number that bytes hold, the lowest first.
    fn value(self, bytes: &[u8]) -> f64 {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        let whole = u64::from_le_bytes(all);
        match self {
            Self::Unsigned(_) => whole as f64,
            Self::Signed(n) => {
                let shift = 64 - 8 * n as u32;
                ((whole << shift) as i64 >> shift) as f64
            }
            Self::Float(4) => f64::from(f32::from_bits(whole as u32)),
            Self::Float(_) => f64::from_bits(whole),
        }
    }
}

/// The numbers of a file, one after the other.
struct Numbers<'b> {
    form: Form,
    rest: &'b [u8],
}

impl Numbers<'_> {
    fn next(&mut self, kind: Kind) -> Result<f64, ReadError> {
        let short = || syntax("it ends too early");
        if self.form == Form::Text {
            let start =
                self.rest.iter().position(|b| !b.is_ascii_whitespace()).ok_or_else(short)?;
            let end = self.rest[start..].iter().position(u8::is_ascii_whitespace);
            let end = end.map_or(self.rest.len(), |n| start + n);
            let word = std::str::from_utf8(&self.rest[start..end]).unwrap_or("?");
            self.rest = &self.rest[end..];
            return word.parse().map_err(|_| syntax(format!("`{word}` is not a number")));
        }
        let (own, rest) = self.rest.split_at_checked(kind.size()).ok_or_else(short)?;
        self.rest = rest;
        let mut bytes = own.to_vec();
        if self.form == Form::Big {
            bytes.reverse();
        }
        Ok(kind.value(&bytes))
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Soup, ReadError> {
    let (elements, mut numbers) = header(bytes)?;
    let mut soup = Soup::default();
    for element in elements {
        for _ in 0..element.count {
            let (mut place, mut corners) = ([f64::NAN; 3], Vec::new());
            for property in &element.properties {
                let is_face = element.name == "face"
                    && matches!(property.name.as_str(), "vertex_indices" | "vertex_index");
                let count = match property.length {
                    Some(kind) => numbers.next(kind)?,
                    None => 1.0,
                };
                if !(count >= 0.0 && count <= numbers.rest.len() as f64) {
                    return Err(syntax("a list is longer than the file"));
                }
                for _ in 0..count as usize {
                    let x = numbers.next(property.kind)?;
                    let axis = ["x", "y", "z"].iter().position(|a| *a == property.name);
                    match axis {
                        Some(k) if element.name == "vertex" => place[k] = x,
                        _ if is_face => corners.push(x),
                        _ => {}
                    }
                }
            }
            match element.name.as_str() {
                "vertex" => soup.vertices.push(DVec3::from_array(place)),
                "face" => add_face(&mut soup, &corners)?,
                _ => {}
            }
        }
    }
    Ok(soup)
}

fn add_face(soup: &mut Soup, corners: &[f64]) -> Result<(), ReadError> {
    let mut indices = Vec::new();
    for c in corners {
        if !(*c >= 0.0 && *c < soup.vertices.len() as f64) {
            return Err(syntax(format!("a face has the corner {c} of {}", soup.vertices.len())));
        }
        indices.push(*c as u32);
    }
    if indices.len() < 3 {
        return Ok(());
    }
    let places: Vec<DVec3> = indices.iter().map(|i| soup.vertices[*i as usize]).collect();
    let cut = polygon::triangles(&places).map_err(|e| syntax(format!("a face {}", e.reason())))?;
    soup.triangles.extend(cut.into_iter().map(|t| t.map(|k| indices[k])));
    Ok(())
}

/// What a file holds, and the numbers after the header.
fn header(bytes: &[u8]) -> Result<(Vec<Element>, Numbers<'_>), ReadError> {
    let (mut elements, mut form, mut rest): (Vec<Element>, _, _) = (Vec::new(), None, bytes);
    let mut first = true;
    loop {
        let end = rest.iter().position(|b| *b == b'\n');
        let end = end.ok_or_else(|| syntax("its header has no end"))?;
        let line =
            std::str::from_utf8(&rest[..end]).map_err(|_| syntax("its header is no text"))?;
        rest = &rest[end + 1..];
        let words: Vec<&str> = line.split_whitespace().collect();
        match (first, words.as_slice()) {
            (true, ["ply"]) => first = false,
            (true, _) => return Err(syntax("it does not begin with `ply`")),
            (_, ["format", "ascii", _]) => form = Some(Form::Text),
            (_, ["format", "binary_little_endian", _]) => form = Some(Form::Little),
            (_, ["format", "binary_big_endian", _]) => form = Some(Form::Big),
            (_, ["element", name, count]) => {
                let count = count.parse().map_err(|_| syntax(format!("`{count}` is no number")))?;
                elements.push(Element { name: (*name).to_owned(), count, properties: Vec::new() });
            }
            (_, ["property", words @ ..]) => {
                let (name, kind, length) = match words {
                    ["list", length, kind, name] => (name, kind, Some(Kind::of(length)?)),
                    [kind, name] => (name, kind, None),
                    _ => return Err(syntax(format!("`{line}` is no property"))),
                };
                let own = Property { name: (*name).to_owned(), kind: Kind::of(kind)?, length };
                let element = elements.last_mut();
                element.ok_or_else(|| syntax("a property of no element"))?.properties.push(own);
            }
            (_, ["end_header"]) => break,
            (_, [] | ["comment" | "obj_info", ..]) => {}
            _ => return Err(syntax(format!("`{line}` is no line of a header"))),
        }
    }
    let form = form.ok_or_else(|| syntax("it does not say its format"))?;
    Ok((elements, Numbers { form, rest }))
}

#[cfg(test)]
mod tests {
    use super::super::{Format, read};

    const HEADER: &str = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        property uchar red\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n";

    /// A square of four corners in one polygon, then one triangle: the same mesh in all formats.
    #[test]
    fn text_and_both_orders_of_bytes_hold_the_same_mesh() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.5]];
        let faces: [&[i32]; 2] = [&[0, 1, 2], &[0, 2, 3]];
        let mut text = format!("ply\nformat ascii 1.0\ncomment a b\n{HEADER}").into_bytes();
        let mut little = format!("ply\nformat binary_little_endian 1.0\n{HEADER}").into_bytes();
        let mut big = format!("ply\nformat binary_big_endian 1.0\n{HEADER}").into_bytes();
        for c in corners {
            text.extend(format!("{} {} {} 7\n", c[0], c[1], c[2]).bytes());
            for x in c {
                little.extend((x as f32).to_le_bytes());
                big.extend((x as f32).to_be_bytes());
            }
            little.push(7);
            big.push(7);
        }
        for f in faces {
            text.extend(format!("3 {} {} {}\n", f[0], f[1], f[2]).bytes());
            little.push(3);
            big.push(3);
            for k in f {
                little.extend(k.to_le_bytes());
                big.extend(k.to_be_bytes());
            }
        }
        let meshes = [text, little, big].map(|b| read(&b, Format::Ply).unwrap());
        assert_eq!(meshes[0].triangles().len(), 2);
        assert_eq!(meshes[0].vertices()[3].z, 0.5);
        assert!(meshes.iter().all(|m| m == &meshes[0]));
    }

    #[test]
    fn what_is_no_ply_is_named() {
        for (bytes, reason) in [
            ("plx\n", "begin"),
            ("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n", "early"),
            ("ply\nformat ascii 1.0\nelement vertex x\nend_header\n", "no number"),
            ("ply\nend_header\n", "format"),
            ("ply\nformat ascii 1.0\n", "no end"),
        ] {
            let error = read(bytes.as_bytes(), Format::Ply).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
