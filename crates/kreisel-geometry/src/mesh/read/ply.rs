//! Stanford PLY: text, and binary of both byte orders. Vertices and faces are read; colours,
//! normals and other properties are passed over.

use super::{ReadError, Soup, polygon};
use glam::DVec3;

/// Types of numbers, with their lengths in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    const fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// A property of an element: its name, and whether it is a list, with the type of its length.
struct Property {
    name: String,
    kind: Kind,
    list: Option<Kind>,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

/// How the numbers are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Coding {
    Text,
    Little,
    Big,
}

/// Numbers one after the other.
struct Numbers<'a> {
    rest: &'a [u8],
    coding: Coding,
}

impl Numbers<'_> {
    fn next(&mut self, kind: Kind) -> Result<f64, ReadError> {
        if self.coding == Coding::Text {
            let begin = self.rest.iter().position(|b| !b.is_ascii_whitespace());
            let rest = &self.rest[begin.ok_or_else(|| syntax("it ends too early"))?..];
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            self.rest = &rest[end..];
            let word = String::from_utf8_lossy(&rest[..end]);
            return word.parse().map_err(|_| syntax(format!("\"{word}\" is no number")));
        }
        let (own, rest) =
            self.rest.split_at_checked(kind.bytes()).ok_or_else(|| syntax("it ends too early"))?;
        self.rest = rest;
        let mut b = [0_u8; 8];
        b[..own.len()].copy_from_slice(own);
        if self.coding == Coding::Big {
            b[..own.len()].reverse();
        }
        let (two, four) = ([b[0], b[1]], [b[0], b[1], b[2], b[3]]);
        Ok(match kind {
            Kind::I8 => f64::from(b[0] as i8),
            Kind::U8 => f64::from(b[0]),
            Kind::I16 => f64::from(i16::from_le_bytes(two)),
            Kind::U16 => f64::from(u16::from_le_bytes(two)),
            Kind::I32 => f64::from(i32::from_le_bytes(four)),
            Kind::U32 => f64::from(u32::from_le_bytes(four)),
            Kind::F32 => f64::from(f32::from_le_bytes(four)),
            Kind::F64 => f64::from_le_bytes(b),
        })
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Soup, ReadError> {
    let (elements, coding, rest) = header(bytes)?;
    let mut numbers = Numbers { rest, coding };
    let mut soup = Soup::default();
    for element in &elements {
        for _ in 0..element.count {
            one(element, &mut numbers, &mut soup)?;
        }
    }
    Ok(soup)
}

/// One element: a vertex, a face, or something that is passed over.
fn one(element: &Element, numbers: &mut Numbers<'_>, soup: &mut Soup) -> Result<(), ReadError> {
    let mut place = [None; 3];
    let mut face: Vec<usize> = Vec::new();
    for p in &element.properties {
        let Some(length) = p.list else {
            let x = numbers.next(p.kind)?;
            if let Some(k) = ["x", "y", "z"].iter().position(|axis| *axis == p.name) {
                place[k] = Some(x);
            }
            continue;
        };
        // a length is believed as far as there are numbers
        let own = element.name == "face" && p.name.starts_with("vertex_ind");
        let count = numbers.next(length)?;
        for _ in 0..whole(count)? {
            let x = numbers.next(p.kind)?;
            if own {
                face.push(whole(x)?);
            }
        }
    }
    match element.name.as_str() {
        "vertex" => {
            let [Some(x), Some(y), Some(z)] = place else {
                return Err(syntax("its vertices have no x, y and z"));
            };
            soup.vertices.push(DVec3::new(x, y, z));
        }
        "face" if face.len() >= 3 => {
            let corner = |v: &usize| soup.vertices.get(*v).copied();
            let corners: Option<Vec<DVec3>> = face.iter().map(corner).collect();
            let corners =
                corners.ok_or_else(|| syntax("a face names a vertex that is not there"))?;
            let cut = polygon::triangles(&corners).map_err(|why| {
                syntax(format!("a face with {} corners {}", face.len(), why.reason()))
            })?;
            soup.triangles.extend(cut.into_iter().map(|t| t.map(|k| face[k] as u32)));
        }
        _ => {}
    }
    Ok(())
}

/// A number that counts something.
fn whole(x: f64) -> Result<usize, ReadError> {
    if x >= 0.0 && x < f64::from(u32::MAX) && x.fract() == 0.0 {
        Ok(x as usize)
    } else {
        Err(syntax(format!("{x} counts nothing")))
    }
}

/// Elements in their order, how they are written, and what follows the header.
fn header(bytes: &[u8]) -> Result<(Vec<Element>, Coding, &[u8]), ReadError> {
    let mut rest = bytes;
    let mut line = || {
        let end = rest.iter().position(|b| *b == b'\n')?;
        let (own, more) = rest.split_at(end);
        rest = &more[1..];
        Some(String::from_utf8_lossy(own).trim().to_owned())
    };
    if line().as_deref() != Some("ply") {
        return Err(syntax("it does not begin with \"ply\""));
    }
    let (mut elements, mut coding): (Vec<Element>, _) = (Vec::new(), None);
    loop {
        let text = line().ok_or_else(|| syntax("its header has no end"))?;
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["end_header"] => break,
            ["format", word, _] => {
                coding = Some(match word {
                    "ascii" => Coding::Text,
                    "binary_little_endian" => Coding::Little,
                    "binary_big_endian" => Coding::Big,
                    _ => return Err(syntax(format!("unknown format \"{word}\""))),
                });
            }
            ["element", name, count] => {
                let count = count.parse().map_err(|_| syntax(format!("\"{count}\" {name}")))?;
                elements.push(Element { name: name.into(), count, properties: Vec::new() });
            }
            ["property", ref about @ ..] => {
                let bad = || syntax(format!("unknown property \"{text}\""));
                let (list, kind, name) = match *about {
                    ["list", length, kind, name] => {
                        (Some(Kind::of(length).ok_or_else(bad)?), kind, name)
                    }
                    [kind, name] => (None, kind, name),
                    _ => return Err(bad()),
                };
                let kind = Kind::of(kind).ok_or_else(bad)?;
                let element = elements.last_mut().ok_or_else(bad)?;
                element.properties.push(Property { name: name.into(), kind, list });
            }
            // comments, and what other programs note
            _ => {}
        }
    }
    // an element without properties takes no bytes: its count could be anything
    elements.retain(|e| !e.properties.is_empty());
    Ok((elements, coding.ok_or_else(|| syntax("its header names no format"))?, rest))
}

fn syntax(reason: impl Into<String>) -> ReadError {
    ReadError::Syntax { format: "PLY", reason: reason.into() }
}
