//! `[[instance]]`: a scene inside a scene, with its own placement, parameters and names.

use super::build;
use super::document::Library;
use super::names::Built;
use super::rotation;
use crate::expr::{Number, Unit};
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use kreisel_dynamics::Quat;
use kreisel_geometry::Pose;

/// Reads an instance and builds all that is in it.
pub(super) fn read(
    reader: &mut Reader,
    fields: &Fields<'_>,
    built: &mut Built,
    library: &mut Library,
) -> Option<()> {
    let file = reader.required(fields, "scene");
    let name = reader.required(fields, "name").and_then(|n| reader.text(n));
    let frame = built.frame(reader, fields);
    let position = optional(fields.get("position"), |n| reader.vec3(n, Unit::Plain));
    let turn = optional(fields.get("rotation"), |n| rotation::read(reader, n));
    let set = optional(fields.get("set"), |n| {
        let table = reader.table(n, "parameters with their values, such as { n = 3 }")?;
        let values: Vec<Option<(String, Number)>> = table
            .entries
            .iter()
            .map(|e| Some((e.key.clone(), reader.any_number(&e.node)?)))
            .collect();
        values.into_iter().collect::<Option<Vec<_>>>()
    });
    let file = file?;
    let relative = reader.text(file)?;
    let (name, frame, position, turn, set) = (name?, frame?, position?, turn?, set?);
    if name.is_empty() || name.contains('/') {
        let message = "the name of an instance is a word without `/`: its bodies are then called \"name/body\"";
        reader.error(Code::WrongValue, fields.place("name"), message, "not such a name");
        return None;
    }
    let prefix = format!("{}{name}/", built.prefix);
    if let Some(first) = built.instances.get(&prefix).cloned() {
        let message = format!("the name \"{name}\" is given to two instances");
        let here = reader.place(fields.place("name"));
        let note = reader.error(Code::DuplicateName, &here.span, message, "second use");
        if first != here {
            note.also(&first, "first use");
        }
        return None;
    }
    built.instances.insert(prefix.clone(), reader.place(fields.place("name")));
    let document = library.open(reader, &relative, &file.span)?;
    let local = Pose::new(position.unwrap_or_default(), turn.unwrap_or(Quat::IDENTITY));
    // Composition with the identity is left out: its rounding would turn bodies by a last digit.
    let pose = if local == Pose::IDENTITY { frame } else { frame.then(&local) };
    let before = reader.problems.len();
    let outer_prefix = std::mem::replace(&mut built.prefix, prefix);
    let outer_pose = std::mem::replace(&mut built.pose, pose);
    let outer_scope = std::mem::take(&mut reader.scope);
    let mut files = Vec::new();
    document.order(&mut files);
    let given = set.unwrap_or_default();
    build::params(reader, &files, &given, fields.place("set"));
    library.within(document.path.as_ref(), |library| build::items(reader, &files, built, library));
    reader.scope = outer_scope;
    built.prefix = outer_prefix;
    built.pose = outer_pose;
    reader.remark(before, &format!("in the instance \"{name}\""));
    Some(())
}
