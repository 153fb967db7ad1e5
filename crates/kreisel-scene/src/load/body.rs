//! `[[body]]`: what its table does not say by itself. The mass follows from the shape, the present
//! state and the method wait until all joints are there.

use super::item::Around;
use super::mesh;
use super::names::Built;
use crate::node::Node;
use crate::problem::Code;
use crate::property::Solid;
use crate::property::kinds::{self, BodyItem, DEFAULT_DENSITY, of_solid};
use crate::read::{Fields, Reader};
use kreisel_dynamics::{BodyKind, MassProperties};
use kreisel_geometry::Shape;
use std::sync::Arc;

/// Reads a body and adds it to the world.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let name = built.claim(reader, fields, kinds::BODY.name);
    let frame = built.frame(reader, fields)?;
    let mut item = BodyItem::blank();
    let sound = reader.item(fields, &kinds::BODY, &mut item, &Around { built, frame: &frame });
    // a place is in the frame, and so is what turns it; a shape that is wrong gives no mass
    item.body.rotation = frame.rotation * item.body.rotation;
    if let Some(now) = &mut item.now {
        now.state.principal = frame.rotation * now.state.principal;
    }
    let wrong = ["shape", "kind", "mass", "density"].iter().any(|key| fields.has(key)) && !sound;
    let mass = if wrong { None } else { mass(reader, fields, &item) };
    let name = name.filter(|_| sound)?;

    // mass properties, the body, and how it looks
    item.body.mass = mass?;
    item.body.name.clone_from(&name);
    let (body, look) = item.parts();
    let id = match built.world.add_body(body) {
        Ok(id) => id,
        Err(e) => {
            reader.model_error(fields, &e);
            return None;
        }
    };
    Arc::make_mut(&mut built.run.looks).insert(id, look);
    let actual = built.world.body_name(id);
    built.built(reader, &name, actual.as_deref(), fields.place("name"));
    let place = |reader: &Reader, n: &Node| reader.place(&n.span);
    if let (Some(now), Some(n)) = (item.now, fields.get("now")) {
        built.now.push((id, now, place(reader, n)));
    }
    if let (Some(method), Some(n)) = (item.method, fields.get("method")) {
        built.methods.push((id, method, place(reader, n)));
    }
    Some(())
}

/// Sets present states and gives chains their own methods, now that all joints are there.
pub(super) fn finish(reader: &mut Reader, built: &mut Built) {
    let moved = !built.now.is_empty();
    for (body, now, place) in std::mem::take(&mut built.now) {
        let changed = now.kind.map_or(Ok(()), |kind| built.world.set_body_kind(body, kind));
        if let Err(e) = changed.and_then(|()| built.world.set_exact_state(body, now.state)) {
            let outer = reader.enter(&place.source, None);
            reader.error(Code::Model, &place.span, e.to_string(), "refused");
            reader.leave(outer);
        }
    }
    if moved {
        built.world.choose_senses();
    }
    for (joint, turns) in std::mem::take(&mut built.turns).into_iter().filter(|t| t.1 != 0) {
        // The joint was added a moment ago.
        let _ = built.world.add_turns(joint, turns);
    }
    for (body, method, place) in std::mem::take(&mut built.methods) {
        if let Err(e) = built.world.set_method(body, Some(method)) {
            let outer = reader.enter(&place.source, None);
            reader.error(Code::Model, &place.span, e.to_string(), "refused");
            reader.leave(outer);
        }
    }
}

/// Mass, centre of mass and inertia from the shape and what overrides it.
fn mass(reader: &mut Reader, fields: &Fields<'_>, item: &BodyItem) -> Option<MassProperties> {
    let (given, kind) = (item.mass, item.body.kind);
    let explicit = item.center.is_some() && item.inertia.is_some();
    let mut out = match &item.solid {
        Some(Solid::Shape { shape, whole }) => match given.filter(|_| explicit) {
            // nothing is left for the shape to say
            Some(mass) => MassProperties::point(mass),
            None => of_shape(
                reader,
                fields,
                kind,
                whole.as_ref().unwrap_or(shape),
                given,
                item.density,
            )?,
        },
        _ if kind != BodyKind::Dynamic => MassProperties::point(given.unwrap_or(1.0)),
        Some(Solid::Point) => {
            if item.density.is_some() {
                let message = "a mass point has no volume: give it a mass, not a density";
                reader.error(Code::WrongValue, fields.place("density"), message, "no volume");
                return None;
            }
            if given.is_none() {
                reader.required(fields, "mass")?;
            }
            MassProperties::point(given?)
        }
        None => {
            let Some(mass) = given.filter(|_| item.inertia.is_some()) else {
                let help = "write shape = { box = [x, y, z] }, { sphere = r }, …, or \"point\" for a mass point, or give `mass` and `inertia`";
                let message = "a dynamic body needs a shape, or a mass and an inertia";
                reader
                    .error(Code::MissingKey, fields.span, message, "`shape` is missing here")
                    .help(help);
                return None;
            };
            MassProperties::point(mass)
        }
    };
    out.center = item.center.unwrap_or(out.center);
    out.inertia = item.inertia.unwrap_or(out.inertia);
    Some(out)
}

fn of_shape(
    reader: &mut Reader,
    fields: &Fields<'_>,
    kind: BodyKind,
    shape: &Shape,
    mass: Option<f64>,
    density: Option<f64>,
) -> Option<MassProperties> {
    let moves = kind == BodyKind::Dynamic;
    let (solid, defect) = match mesh::massive(shape) {
        Ok(found) => found,
        Err(_) if !moves => return Some(MassProperties::point(mass.unwrap_or(1.0))),
        Err(message) => {
            let help = "give `mass`, `center` and `inertia`";
            reader
                .error(Code::Mesh, fields.place("shape"), message, "no mass from this mesh")
                .help(help);
            return None;
        }
    };
    if let Some(defect) = defect.filter(|_| moves) {
        let help = "mass, centre and inertia are taken from its convex hull; close the mesh, or give `mass`, `center` and `inertia`";
        reader
            .warn(
                Code::Mesh,
                fields.place("shape"),
                format!("the mesh is not a solid: {defect}"),
                "open",
            )
            .help(help);
    }
    match of_solid(&solid, mass, density.unwrap_or(DEFAULT_DENSITY)) {
        Ok(p) => Some(p),
        Err(_) if !moves => Some(MassProperties::point(mass.unwrap_or(1.0))),
        Err(e) => {
            reader.error(
                Code::WrongValue,
                fields.place("shape"),
                e.to_string(),
                "no mass from this shape",
            );
            None
        }
    }
}
