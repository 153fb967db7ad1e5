//! Reading attributes of XML elements, with every problem at its place.

use crate::problem::Code;
use crate::read::Reader;
use crate::source::Span;
use kreisel_dynamics::Vec3;
use roxmltree::Node;

/// The place of an element's name.
pub(super) fn tag(node: Node<'_, '_>) -> Span {
    let start = node.range().start;
    start..(start + 1 + node.tag_name().name().len()).min(node.range().end)
}

/// The place of an attribute, or of the element.
pub(super) fn place(node: Node<'_, '_>, name: &str) -> Span {
    node.attribute_node(name).map_or_else(|| tag(node), |a| a.range())
}

/// The first child element of a name.
pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|n| n.is_element() && n.tag_name().name() == name)
}

/// All child elements.
pub(super) fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// The numbers of an attribute; `None` if it is absent, an error noted if it holds anything else.
pub(super) fn numbers(reader: &mut Reader, node: Node<'_, '_>, name: &str) -> Option<Vec<f64>> {
    let text = node.attribute(name)?;
    let mut out = Vec::new();
    for word in text.split_whitespace() {
        match word.parse::<f64>() {
            Ok(x) if x.is_finite() => out.push(x),
            _ => {
                let message = format!("`{word}` in {name} is not a finite number");
                reader.error(Code::WrongValue, &place(node, name), message, "not a number");
                return None;
            }
        }
    }
    Some(out)
}

/// One number.
pub(super) fn number(reader: &mut Reader, node: Node<'_, '_>, name: &str) -> Option<f64> {
    let list = numbers(reader, node, name)?;
    if let [x] = list[..] {
        return Some(x);
    }
    wrong_count(reader, node, name, "one number", list.len());
    None
}

/// Three numbers.
pub(super) fn vector(reader: &mut Reader, node: Node<'_, '_>, name: &str) -> Option<Vec3> {
    let list = numbers(reader, node, name)?;
    if let [x, y, z] = list[..] {
        return Some(Vec3::new(x, y, z));
    }
    wrong_count(reader, node, name, "three numbers", list.len());
    None
}

pub(super) fn wrong_count(
    reader: &mut Reader,
    node: Node<'_, '_>,
    name: &str,
    wanted: &str,
    found: usize,
) {
    let message =
        format!("{name} of <{}> takes {wanted}, here are {found}", node.tag_name().name());
    reader.error(Code::WrongValue, &place(node, name), message, "wrong number of values");
}

/// An attribute that must be there.
pub(super) fn required<'a>(reader: &mut Reader, node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let found = node.attribute(name);
    if found.is_none() {
        let message = format!("<{}> needs the attribute {name}", node.tag_name().name());
        reader.error(Code::MissingKey, &tag(node), message, "missing here");
    }
    found
}

/// Names an element that is not read; elements of one kind are counted.
pub(super) fn left_out(reader: &mut Reader, node: Node<'_, '_>) {
    let message = format!("<{}> is not read", node.tag_name().name());
    reader.count_warning(
        Code::Unsupported,
        &message.clone(),
        &tag(node),
        message,
        "left out",
        None,
    );
}

/// Names an element that is not read, and why.
pub(super) fn left_out_because(reader: &mut Reader, node: Node<'_, '_>, why: &str) {
    let message = format!("<{}> is not read: {why}", node.tag_name().name());
    reader.count_warning(
        Code::Unsupported,
        &message.clone(),
        &tag(node),
        message,
        "left out",
        None,
    );
}

/// Names an attribute that is not read; those of one kind are counted.
pub(super) fn ignored(reader: &mut Reader, node: Node<'_, '_>, name: &str, why: &str) {
    let message = format!("{name} of <{}> is not read: {why}", node.tag_name().name());
    reader.count_warning(
        Code::Unsupported,
        &message.clone(),
        &place(node, name),
        message,
        "left out",
        None,
    );
}

/// Names an element whose absence changes the motion: an error, unless the user takes that.
pub(super) fn lost(reader: &mut Reader, node: Node<'_, '_>) {
    let message = format!("<{}> is not read", node.tag_name().name());
    reader.count_loss(&tag(node), message);
}

/// Names an element whose absence changes the motion, and why it is not read.
pub(super) fn lost_because(reader: &mut Reader, node: Node<'_, '_>, why: &str) {
    let message = format!("<{}> is not read: {why}", node.tag_name().name());
    reader.count_loss(&tag(node), message);
}

/// Names an attribute whose absence changes the motion.
pub(super) fn lost_attribute(reader: &mut Reader, node: Node<'_, '_>, name: &str, why: &str) {
    let message = format!("{name} of <{}> is not read: {why}", node.tag_name().name());
    reader.count_loss(&place(node, name), message);
}
