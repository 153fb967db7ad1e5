//! `[world]`, `[contact]` and `[lagrange]`: gravity, time, and how the world is stepped.

use super::item::Around;
use super::names::Built;
use crate::items;
use crate::property::Table;
use crate::property::kinds::{CONTACT, LAGRANGE, WORLD, WorldItem};
use crate::read::{Fields, Reader};
use kreisel_geometry::Pose;
use std::any::Any;

/// A section of the scene, its table, and what of the world it describes.
type Section = (&'static str, &'static Table, fn(&mut WorldItem) -> &mut dyn Any);

const SECTIONS: [Section; 3] = [
    ("lagrange", &LAGRANGE, |w| &mut w.settings.lagrange),
    ("world", &WORLD, |w| w),
    ("contact", &CONTACT, |w| &mut w.settings.contact),
];

/// Reads what a file says about the whole world; what it does not say stays as it is.
pub(super) fn read(reader: &mut Reader, scene: &Fields<'_>, built: &mut Built) {
    for (key, table, part) in SECTIONS {
        let Some(node) = scene.get(key) else { continue };
        let Some(entries) = reader.table(node, "a table") else { continue };
        let fields = reader.fields(entries, &node.span, table);

        // pairs of materials that an included file names stay
        let mut item = items::world_item(&built.world, &built.run.timing);
        let pairs = item.settings.contact.pairs.clone();
        let around = Around { built, frame: &Pose::default() };
        let sound = reader.item(&fields, table, part(&mut item), &around);
        if key == "contact" && fields.has("pair") {
            item.settings.contact.pairs.splice(0..0, pairs);
        }

        // the engine has the last word
        if sound && let Err(e) = items::put_world(&mut built.world, &mut built.run.timing, item) {
            reader.model_error(&fields, &e);
        }
    }
}
