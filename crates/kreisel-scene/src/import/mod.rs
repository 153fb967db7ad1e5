//! Robots from other programs: URDF, MJCF and SDF, turned into the tree of a scene.
//!
//! The importers make the same tree as a scene file would, with places in the XML text; from there
//! on the reader, its checks and its messages are the same. What has no counterpart is named in a
//! warning with its line and left out.

mod include;
mod make;
mod mjcf;
mod mjcf_actuator;
mod mjcf_body;
mod mjcf_contact;
mod mjcf_drive;
mod mjcf_geom;
mod mjcf_inertia;
mod mjcf_joint;
mod mjcf_key;
mod mjcf_mesh;
mod mjcf_model;
mod mjcf_muscle;
mod mjcf_sensor;
mod mjcf_spatial;
mod mjcf_tendon;
mod mjcf_terrain;
mod mjcf_thrust;
mod mjcf_weight;
mod replicate;
mod sdf;
mod sdf_shape;
mod urdf;
mod urdf_inertia;
mod urdf_shape;
mod xml;

use crate::node::Table;
use crate::problem::Code;
use crate::read::Reader;
use crate::source::Source;
use roxmltree::{Document, ParsingOptions};

/// Most elements and texts of an XML file: bounds memory before it is taken.
const MAX_NODES: u32 = 500_000;

/// The tree of the XML text that the reader is at, URDF or MJCF by its first element, and the text
/// that its places lie in.
pub(crate) fn tree(reader: &mut Reader) -> Option<(Source, Table)> {
    let source = include::whole(reader)?;
    let main = (reader.source.clone(), reader.folder.clone());
    let outer = reader.enter(&source, main.1.as_ref());
    let replicated = replicate::whole(reader, source);
    reader.leave(outer);
    let source = replicated?;
    let outer = reader.enter(&source, reader.folder.clone().as_ref());
    let before = reader.errors();
    let table = of_text(reader, &source.text);
    reader.give_counted();
    reader.leave(outer);
    let table = table.filter(|_| reader.errors() == before);
    table.map(|t| (source, t))
}

fn of_text(reader: &mut Reader, text: &str) -> Option<Table> {
    let document = document(reader, text)?;
    let root = document.root_element();
    match root.tag_name().name() {
        "robot" => urdf::tree(reader, root),
        "mujoco" => mjcf::tree(reader, root),
        "sdf" => sdf::tree(reader, root),
        other => {
            let message = format!("<{other}> is neither a robot (URDF) nor a model (MJCF, SDF)");
            let help = "URDF files begin with <robot>, MJCF files with <mujoco>, SDF with <sdf>";
            reader.error(Code::Syntax, &xml::tag(root), message, "first element").help(help);
            None
        }
    }
}

/// Parses the XML text that the reader is at.
fn document<'t>(reader: &mut Reader, text: &'t str) -> Option<Document<'t>> {
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    match Document::parse_with_options(text, options) {
        Ok(document) => Some(document),
        Err(e) => {
            let at = e.pos();
            let line: usize =
                text.split_inclusive('\n').take(at.row as usize - 1).map(str::len).sum();
            let column = text[line..].char_indices().nth(at.col as usize - 1).map_or(0, |(i, _)| i);
            let start = (line + column).min(text.len());
            let words = e.to_string();
            // The place is shown; in the words it would stand twice.
            let message = words.rsplit_once(" at ").map_or(words.as_str(), |(w, _)| w).to_owned();
            reader.error(Code::Syntax, &(start..start), message, "here");
            None
        }
    }
}
