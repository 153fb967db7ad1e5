//! `<keyframe>` of MJCF: coordinates, rates and controls by name.

use super::mjcf_model::Model;
use super::xml::{ignored, place, wrong_count};
use crate::problem::Code;
use crate::read::Reader;
use crate::robot::Key;
use roxmltree::Node;

/// Reads a `<key>`.
pub(super) fn read(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) {
    let name = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("key"));
    if model.robot.keys.iter().any(|k| k.name == name) {
        let message = format!("the name \"{name}\" is given to two keyframes");
        reader.error(Code::DuplicateName, &place(node, "name"), message, "second use");
        return;
    }
    let (nq, nu) = model.robot.size();
    let mut numbers = |attribute: &str, wanted: usize, what: &str| {
        let list = super::xml::numbers(reader, node, attribute).unwrap_or_default();
        if list.is_empty() || list.len() == wanted {
            return Some(list);
        }
        wrong_count(reader, node, attribute, &format!("{wanted} {what}"), list.len());
        None
    };
    let coordinates = numbers("qpos", nq, "coordinates of the model");
    let rates = numbers("qvel", nu, "rates of the model");
    let controls = numbers("ctrl", model.robot.drives.len(), "controls of the model");
    for attribute in ["mpos", "mquat"] {
        if node.has_attribute(attribute) {
            ignored(
                reader,
                node,
                attribute,
                "bodies that are moved by hand stand where the file has them",
            );
        }
    }
    if super::xml::numbers(reader, node, "act").is_some_and(|a| a.iter().any(|x| *x != 0.0)) {
        ignored(reader, node, "act", "actuators have no activation here");
    }
    if let (Some(coordinates), Some(rates), Some(controls)) = (coordinates, rates, controls) {
        model.robot.keys.push(Key { name, coordinates, rates, controls });
    }
}
