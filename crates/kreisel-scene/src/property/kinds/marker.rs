//! `[[marker]]`.

use crate::property::codec::{Ref, Text, Vector};
use crate::property::table_macro::table;
use crate::scene::Marker;
use kreisel_dynamics::{BodyId, Vec3, bounds};

table! {
    /// A named point of a body, without mass and force: in the viewer joints, springs, constraints
    /// and controllers are made between markers.
    static MARKER: Marker = "marker", "[[marker]]", Item;
    blank Marker { name: String::new(), body: BodyId::WORLD, at: Vec3::ZERO };
    {
    /// unique name; default "marker 1", …
    name: Text = it.name;
    /// the body
    body: Ref<BodyId> = it.body => .required();
    /// where, in the body's frame
    at: Vector = it.at => .unit("m").bound(bounds::POSITION);
    }
}
