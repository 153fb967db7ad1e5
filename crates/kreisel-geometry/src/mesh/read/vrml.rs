//! VRML 2 (ISO/IEC 14772, "VRML97"): the geometry of a file, after its transforms, as one mesh
//! (W-151): `IndexedFaceSet`, `Box`, `Sphere`, `Cylinder` and `Cone` in groups of every kind, with
//! `DEF` and `USE`. Other geometries are refused by name. Looks, lights, sounds, sensors, routes
//! and scripts are passed over; prototypes and files that are fetched from elsewhere are refused by
//! name.

use super::{ReadError, Soup, polygon};
use crate::Pose;
use crate::mesh::generate;
use glam::{DAffine3, DQuat, DVec3};
use std::collections::BTreeMap;

/// Deepest nesting of nodes.
const DEEPEST: usize = 100;
/// Most nodes, those that are used again counted again.
const MOST_NODES: usize = 1_000_000;
/// Most triangles: a file that uses a group twice in a group that is used twice grows without end.
const MOST_TRIANGLES: usize = 20_000_000;
/// Sides of round solids.
const SIDES: u32 = 32;

/// A word, a number, or a bracket; the line where it stands.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text,
    Mark(char),
}

/// A node: its type and its fields.
#[derive(Clone, Debug, Default)]
struct Node {
    kind: String,
    fields: Vec<(String, Value)>,
}

/// The value of a field.
#[derive(Clone, Debug)]
enum Value {
    Words(Vec<String>),
    Nodes(Vec<std::rc::Rc<Node>>),
}

pub(super) fn read(bytes: &[u8]) -> Result<Soup, ReadError> {
    let text = String::from_utf8_lossy(bytes);
    if !text.starts_with("#VRML V2.0") {
        let found = text.lines().next().unwrap_or_default().chars().take(40).collect::<String>();
        return Err(syntax(1, format!("it begins with \"{found}\", not with \"#VRML V2.0 utf8\"")));
    }
    let mut parser = Parser { tokens: tokens(&text), at: 0, named: BTreeMap::new(), count: 0 };
    let mut soup = Soup::default();
    while let Some(node) = parser.statement(0)? {
        add(&node, &DAffine3::IDENTITY, &mut soup)?;
    }
    if parser.at < parser.tokens.len() {
        return Err(syntax(parser.line(), "a bracket that closes nothing"));
    }
    Ok(soup)
}

/// The tokens with their lines; commas are blanks, texts are only marked.
fn tokens(text: &str) -> Vec<(usize, Token)> {
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    let mut line = 1;
    while let Some(c) = chars.next() {
        match c {
            '\n' => line += 1,
            '#' => while chars.next_if(|c| *c != '\n').is_some() {},
            '"' => {
                let begin = line;
                let mut escaped = false;
                for c in chars.by_ref() {
                    line += usize::from(c == '\n');
                    if c == '"' && !escaped {
                        break;
                    }
                    escaped = c == '\\' && !escaped;
                }
                out.push((begin, Token::Text));
            }
            '{' | '}' | '[' | ']' => out.push((line, Token::Mark(c))),
            c if c.is_whitespace() || c == ',' => {}
            c => {
                let mut word = String::from(c);
                let more = |c: &char| !c.is_whitespace() && !",{}[]\"#".contains(*c);
                while let Some(c) = chars.next_if(more) {
                    word.push(c);
                }
                out.push((line, Token::Word(word)));
            }
        }
    }
    out
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    named: BTreeMap<String, std::rc::Rc<Node>>,
    count: usize,
}

impl Parser {
    fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.0)
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|t| &t.1)
    }

    fn word(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.peek().cloned() else { return None };
        self.at += 1;
        Some(word)
    }

    fn mark(&mut self, c: char) -> Result<(), ReadError> {
        if self.peek() == Some(&Token::Mark(c)) {
            self.at += 1;
            return Ok(());
        }
        Err(syntax(self.line(), format!("expected \"{c}\"")))
    }

    /// The next node of a list; none at its end.
    fn statement(&mut self, depth: usize) -> Result<Option<std::rc::Rc<Node>>, ReadError> {
        loop {
            let line = self.line();
            let Some(word) = self.word() else { return Ok(None) };
            match word.as_str() {
                // ROUTE a.b TO c.d
                "ROUTE" => self.at += 3,
                "PROTO" | "EXTERNPROTO" => {
                    let what = format!("line {line}: VRML prototypes ({word}) are not read");
                    return Err(ReadError::Unsupported(what));
                }
                "NULL" => {}
                _ => return self.node(word, line, depth).map(Some),
            }
        }
    }

    /// A node whose first word has been read.
    fn node(
        &mut self,
        first: String,
        line: usize,
        depth: usize,
    ) -> Result<std::rc::Rc<Node>, ReadError> {
        self.count += 1;
        if depth > DEEPEST || self.count > MOST_NODES {
            return Err(syntax(line, "too many nodes, or nodes within nodes"));
        }
        let need = |word: Option<String>| word.ok_or_else(|| syntax(line, "expected a name"));
        if first == "USE" {
            let name = need(self.word())?;
            let known = self.named.get(&name).cloned();
            return known.ok_or_else(|| syntax(line, format!("\"{name}\" is not defined above")));
        }
        let (name, kind) = if first == "DEF" {
            let name = need(self.word())?;
            (Some(name), need(self.word())?)
        } else {
            (None, first)
        };
        if kind == "Script" {
            self.skip()?;
            return Ok(std::rc::Rc::default());
        }
        if kind == "Inline" {
            let what = format!("line {line}: VRML files in other places (Inline) are not read");
            return Err(ReadError::Unsupported(what));
        }
        self.mark('{')?;
        let mut node = Node { kind, fields: Vec::new() };
        while self.peek() != Some(&Token::Mark('}')) {
            let line = self.line();
            let field = self.word().ok_or_else(|| syntax(line, "expected a field"))?;
            if field == "ROUTE" {
                self.at += 3;
                continue;
            }
            let value = self.value(depth)?;
            node.fields.push((field, value));
        }
        self.mark('}')?;
        let node = std::rc::Rc::new(node);
        if let Some(name) = name {
            self.named.insert(name, std::rc::Rc::clone(&node));
        }
        Ok(node)
    }

    /// Passes over what stands in brackets.
    fn skip(&mut self) -> Result<(), ReadError> {
        self.mark('{')?;
        let mut depth = 1;
        while depth > 0 {
            match self.peek() {
                Some(Token::Mark('{')) => depth += 1,
                Some(Token::Mark('}')) => depth -= 1,
                Some(_) => {}
                None => return Err(syntax(self.line(), "expected \"}\"")),
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Words up to the next field, one node, or what stands in square brackets.
    fn value(&mut self, depth: usize) -> Result<Value, ReadError> {
        let is_node = |word: &str| {
            matches!(word, "DEF" | "USE") || word.starts_with(|c: char| c.is_ascii_uppercase())
        };
        let constant = |word: &str| matches!(word, "TRUE" | "FALSE" | "NULL");
        if self.peek() == Some(&Token::Mark('[')) {
            self.at += 1;
            let (mut words, mut nodes) = (Vec::new(), Vec::new());
            loop {
                let line = self.line();
                match self.peek().cloned() {
                    Some(Token::Mark(']')) => break,
                    Some(Token::Text) => self.at += 1,
                    Some(Token::Word(word)) if is_node(&word) && !constant(&word) => {
                        self.at += 1;
                        nodes.push(self.node(word, line, depth + 1)?);
                    }
                    Some(Token::Word(word)) => {
                        self.at += 1;
                        words.push(word);
                    }
                    _ => return Err(syntax(line, "expected \"]\"")),
                }
            }
            self.at += 1;
            return Ok(if nodes.is_empty() { Value::Words(words) } else { Value::Nodes(nodes) });
        }
        let line = self.line();
        match self.peek().cloned() {
            Some(Token::Word(word)) if is_node(&word) && !constant(&word) => {
                self.at += 1;
                Ok(Value::Nodes(vec![self.node(word, line, depth + 1)?]))
            }
            Some(Token::Word(_) | Token::Text) => {
                // numbers and constants, until a field begins
                let mut words = Vec::new();
                let number =
                    |w: &str| w.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
                loop {
                    match self.peek().cloned() {
                        Some(Token::Text) => self.at += 1,
                        Some(Token::Word(w)) if number(&w) || constant(&w) => {
                            self.at += 1;
                            words.push(w);
                        }
                        _ => break,
                    }
                }
                Ok(Value::Words(words))
            }
            _ => Err(syntax(line, "expected a value")),
        }
    }
}

impl Node {
    fn words(&self, field: &str) -> Option<&[String]> {
        self.fields.iter().find(|(k, _)| k == field).and_then(|(_, v)| match v {
            Value::Words(words) => Some(words.as_slice()),
            Value::Nodes(_) => None,
        })
    }

    fn nodes(&self, field: &str) -> &[std::rc::Rc<Node>] {
        self.fields.iter().find(|(k, _)| k == field).map_or(&[], |(_, v)| match v {
            Value::Nodes(nodes) => nodes,
            Value::Words(_) => &[],
        })
    }

    fn numbers(&self, field: &str) -> Result<Option<Vec<f64>>, ReadError> {
        let Some(words) = self.words(field) else { return Ok(None) };
        let number = |w: &String| {
            w.parse::<f64>().map_err(|_| ReadError::Syntax {
                format: "VRML",
                reason: format!("{field}: \"{w}\" is no number"),
            })
        };
        words.iter().map(number).collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// Numbers of a field, as many as there must be.
    fn some<const N: usize>(&self, field: &str, usual: [f64; N]) -> Result<[f64; N], ReadError> {
        let Some(found) = self.numbers(field)? else { return Ok(usual) };
        found.try_into().map_err(|list: Vec<f64>| ReadError::Syntax {
            format: "VRML",
            reason: format!("{field} of {} has {N} numbers, not {}", self.kind, list.len()),
        })
    }

    fn flag(&self, field: &str, usual: bool) -> bool {
        self.words(field).and_then(|w| w.first()).map_or(usual, |w| w == "TRUE")
    }
}

/// Adds what a node and those in it look like.
fn add(node: &Node, place: &DAffine3, soup: &mut Soup) -> Result<(), ReadError> {
    match node.kind.as_str() {
        "Transform" => {
            let place = *place * transform(node)?;
            node.nodes("children").iter().try_for_each(|n| add(n, &place, soup))
        }
        "Shape" => node.nodes("geometry").iter().try_for_each(|n| solid(n, place, soup)),
        "Switch" => {
            let [k] = node.some("whichChoice", [-1.0])?;
            match node.nodes("choice").get(k as usize).filter(|_| k >= 0.0) {
                Some(chosen) => add(chosen, place, soup),
                None => Ok(()),
            }
        }
        // the finest level
        "LOD" => node.nodes("level").first().map_or(Ok(()), |n| add(n, place, soup)),
        "Group" | "Anchor" | "Collision" | "Billboard" => {
            node.nodes("children").iter().try_for_each(|n| add(n, place, soup))
        }
        _ => Ok(()),
    }
}

/// T · C · R · SR · S · SR⁻¹ · C⁻¹ (ISO/IEC 14772-1, 6.52).
fn transform(node: &Node) -> Result<DAffine3, ReadError> {
    let turn = |r: [f64; 4]| {
        let axis = DVec3::new(r[0], r[1], r[2]).normalize_or(DVec3::Z);
        DAffine3::from_quat(DQuat::from_axis_angle(axis, r[3]))
    };
    let shift = |v: [f64; 3]| DAffine3::from_translation(DVec3::from_array(v));
    let center = node.some("center", [0.0; 3])?;
    let scaling = turn(node.some("scaleOrientation", [0.0, 0.0, 1.0, 0.0])?);
    let scale = DAffine3::from_scale(DVec3::from_array(node.some("scale", [1.0; 3])?));
    Ok(shift(node.some("translation", [0.0; 3])?)
        * shift(center)
        * turn(node.some("rotation", [0.0, 0.0, 1.0, 0.0])?)
        * scaling
        * scale
        * scaling.inverse()
        * shift(center.map(|x| -x)))
}

/// Adds a geometry. Axes of solids are along y.
fn solid(node: &Node, place: &DAffine3, soup: &mut Soup) -> Result<(), ReadError> {
    let upright = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(-0.5 * std::f64::consts::PI));
    let mesh = match node.kind.as_str() {
        "IndexedFaceSet" => return faces(node, place, soup),
        "Box" => generate::cuboid(DVec3::from_array(node.some("size", [2.0; 3])?)),
        "Sphere" => generate::icosphere(node.some("radius", [1.0])?[0], 4),
        "Cylinder" => {
            let ([radius], [height]) = (node.some("radius", [1.0])?, node.some("height", [2.0])?);
            generate::cylinder(radius, height, SIDES).moved(&upright)
        }
        "Cone" => {
            let ([radius], [height]) =
                (node.some("bottomRadius", [1.0])?, node.some("height", [2.0])?);
            generate::cone(radius, height, SIDES).moved(&upright)
        }
        // points and lines have no surface
        "PointSet" | "IndexedLineSet" => return Ok(()),
        other => {
            return Err(ReadError::Unsupported(format!("VRML geometry \"{other}\" is not read")));
        }
    };
    let corners: Vec<DVec3> = mesh.vertices().to_vec();
    append(soup, place, corners, mesh.triangles().iter().flatten().copied().collect())
}

/// Faces of any number of corners, each ended by −1.
fn faces(node: &Node, place: &DAffine3, soup: &mut Soup) -> Result<(), ReadError> {
    let bad = |reason: String| ReadError::Syntax { format: "VRML", reason };
    let Some(coordinates) = node.nodes("coord").first() else { return Ok(()) };
    let numbers = coordinates.numbers("point")?.unwrap_or_default();
    let vertices: Vec<DVec3> = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
    let turned = !node.flag("ccw", true);
    let mut indices = Vec::new();
    let list = node.numbers("coordIndex")?.unwrap_or_default();
    for face in list.split(|x| *x < 0.0).filter(|f| f.len() >= 3) {
        let corner = |x: &f64| vertices.get(*x as usize).copied().filter(|_| x.fract() == 0.0);
        let corners: Option<Vec<DVec3>> = face.iter().map(corner).collect();
        let corners = corners.ok_or_else(|| {
            bad(format!("coordIndex names a point beyond the {} that are there", vertices.len()))
        })?;
        let cut = polygon::triangles(&corners)
            .map_err(|why| bad(format!("a face with {} corners {}", face.len(), why.reason())))?;
        for [a, b, c] in cut {
            let t = if turned { [a, c, b] } else { [a, b, c] };
            indices.extend(t.map(|k| face[k] as u32));
        }
    }
    append(soup, place, vertices, indices)
}

fn append(
    soup: &mut Soup,
    place: &DAffine3,
    vertices: Vec<DVec3>,
    mut indices: Vec<u32>,
) -> Result<(), ReadError> {
    if soup.triangles.len() + indices.len() / 3 > MOST_TRIANGLES {
        return Err(ReadError::Unsupported(format!(
            "more than {MOST_TRIANGLES} triangles, because groups are used again and again"
        )));
    }
    // a mirror turns the surface inside out
    if place.matrix3.determinant() < 0.0 {
        indices.chunks_exact_mut(3).for_each(|t| t.swap(1, 2));
    }
    soup.append(vertices.into_iter().map(|v| place.transform_point3(v)), &indices)
}

fn syntax(line: usize, reason: impl std::fmt::Display) -> ReadError {
    ReadError::Syntax { format: "VRML", reason: format!("line {line}: {reason}") }
}
