//! `<replicate count offset euler sep>` of MJCF: its content so many times, each copy in a frame
//! that is moved by `offset` and turned by `euler` against the one before, with names that end in
//! the number of the copy.
//!
//! The copies are made in the text, before it is read. Elements outside that name a body or joint
//! inside do not find it: MuJoCo copies them, too, here they are errors with their line.

use super::xml;
use crate::problem::Code;
use crate::read::Reader;
use crate::source::{Piece, Source, Span};
use kreisel_dynamics::{Quat, Vec3, math};
use kreisel_geometry::Pose;
use roxmltree::{Document, Node};

/// Most copies of one element.
const MOST: usize = 10_000;

/// Largest text that copies may make.
const MAX_TEXT: usize = 64 << 20;

/// The text under way.
struct Copies {
    text: String,
    pieces: Vec<Piece>,
    euler: String,
    degrees: bool,
}

/// The text with copies in the place of all `<replicate>`; itself if there are none.
pub(super) fn whole(reader: &mut Reader, source: Source) -> Option<Source> {
    if !source.text.contains("<replicate") {
        return Some(source);
    }
    let document = super::document(reader, &source.text)?;
    let setting = |name: &str| {
        let compilers = document.root_element().children().filter(|n| n.has_tag_name("compiler"));
        compilers.filter_map(|n| n.attribute(name)).next_back()
    };
    let mut out = Copies {
        text: String::new(),
        pieces: Vec::new(),
        euler: setting("eulerseq").unwrap_or("xyz").to_owned(),
        degrees: setting("angle") != Some("radian"),
    };
    let before = reader.errors();
    out.add(reader, &source, &document, document.root().range(), "");
    (reader.errors() == before)
        .then(|| Source::of_pieces(source.name.clone(), out.text, out.pieces))
}

impl Copies {
    fn copy(&mut self, source: &Source, span: Span) {
        let place = source.origin(&span);
        self.pieces.push(Piece { start: self.text.len(), source: place.source, span: place.span });
        self.text.push_str(source.excerpt(&span));
    }

    /// Text of our own, which belongs to a place of the file.
    fn write(&mut self, source: &Source, at: &Span, text: &str) {
        let place = source.origin(at);
        self.pieces.push(Piece { start: self.text.len(), source: place.source, span: place.span });
        self.text.push_str(text);
    }

    /// Adds a part of the text with `suffix` behind all names.
    fn add(
        &mut self,
        reader: &mut Reader,
        source: &Source,
        document: &Document<'_>,
        part: Span,
        suffix: &str,
    ) {
        let mut from = part.start;
        for node in document.descendants().filter(Node::is_element) {
            let range = node.range();
            if range.start < from || range.end > part.end {
                continue;
            }
            if node.has_tag_name("replicate") {
                self.copy(source, from..range.start);
                from = range.end;
                self.replicate(reader, source, document, node, suffix);
            } else if let Some(name) = node.attribute_node("name").filter(|_| !suffix.is_empty()) {
                // before the quote that ends the name
                let end = name.range_value().end;
                self.copy(source, from..end);
                self.write(source, &name.range(), suffix);
                from = end;
            }
        }
        self.copy(source, from..part.end);
    }

    fn replicate(
        &mut self,
        reader: &mut Reader,
        source: &Source,
        document: &Document<'_>,
        node: Node<'_, '_>,
        suffix: &str,
    ) {
        // how many, and how far apart
        let span = xml::tag(node);
        let count = xml::number(reader, node, "count").unwrap_or(0.0);
        if !(count >= 1.0 && count.fract() == 0.0 && count <= MOST as f64) {
            let message = format!("count of <replicate> is a whole number from 1 to {MOST}");
            reader.error(Code::WrongValue, &xml::place(node, "count"), message, "not this");
            return;
        }
        let count = count as usize;
        let offset = xml::vector(reader, node, "offset").unwrap_or_default();
        let euler = xml::vector(reader, node, "euler").unwrap_or_default();
        let sep = node.attribute("sep").unwrap_or("");
        let (Some(first), Some(last)) = (node.first_child(), node.last_child()) else { return };
        let inner = first.range().start..last.range().end;
        if self.text.len() + count * inner.len() > MAX_TEXT {
            reader.error(Code::TooLarge, &span, "copies would make too long a text", "too many");
            return;
        }

        // the copies, with as many digits as the last one needs
        let digits = (count - 1).to_string().len();
        let step = Pose::new(offset, self.rotation(euler));
        let mut pose = Pose::IDENTITY;
        for k in 0..count {
            let (p, q) = (pose.position, pose.rotation);
            let frame = format!(
                "<frame pos=\"{:?} {:?} {:?}\" quat=\"{:?} {:?} {:?} {:?}\">",
                p.x, p.y, p.z, q.w, q.x, q.y, q.z
            );
            self.write(source, &span, &frame);
            let own = format!("{sep}{k:0digits$}{suffix}");
            self.add(reader, source, document, inner.clone(), &own);
            self.write(source, &span, "</frame>");
            pose = pose.then(&step);
        }
    }

    fn rotation(&self, euler: Vec3) -> Quat {
        let mut out = Quat::IDENTITY;
        for (c, x) in self.euler.chars().zip(euler.to_array()) {
            let axis = match c.to_ascii_lowercase() {
                'x' => Vec3::X,
                'y' => Vec3::Y,
                _ => Vec3::Z,
            };
            let turn = math::rotation(axis * if self.degrees { x.to_radians() } else { x });
            out = if c.is_ascii_uppercase() { turn * out } else { out * turn };
        }
        out.normalize()
    }
}
