//! `[[body]]`.

use super::mesh::Meshes;
use super::names::{Built, Now};
use super::shape::{self, Solid};
use super::{color, contact, mesh, rotation};
use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use crate::scene::Look;
use kreisel_dynamics::{Body, BodyKind, ExactState, MassProperties, Mat3, Quat, Vec3};
use kreisel_geometry::{MeshDefect, Pose, Shape};

/// Density of a body that has neither mass nor density, kg/m³: that of water.
const DEFAULT_DENSITY: f64 = 1000.0;

/// Reads a body and adds it to the world.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let name = built.claim(reader, fields, "body");
    let frame = built.frame(reader, fields);
    let kind = match fields.get("kind") {
        Some(n) => reader.word(n, "kind of body"),
        None => Some(BodyKind::Dynamic),
    };
    let solid = optional(fields.get("shape"), |n| shape::read(reader, n, &mut built.meshes));
    let mass = match (kind, &solid) {
        (Some(kind), Some(solid)) => mass(reader, fields, kind, solid.as_ref(), &built.meshes),
        _ => None,
    };
    let vector = |reader: &mut Reader, key, unit| match fields.get(key) {
        Some(n) => reader.vec3(n, unit),
        None => Some(Vec3::ZERO),
    };
    let position = vector(reader, "position", Unit::Plain);
    let velocity = vector(reader, "velocity", Unit::Plain);
    let angular_velocity = vector(reader, "angular_velocity", Unit::Rate);
    let turn = match fields.get("rotation") {
        Some(n) => rotation::read(reader, n),
        None => Some(Quat::IDENTITY),
    };
    let now = optional(fields.get("now"), |n| Some((now(reader, n, &built.pose)?, reader.place(&n.span))));
    let color = optional(fields.get("color"), |n| color::read(reader, n));
    let display = optional(fields.get("display"), |n| shape::read(reader, n, &mut built.meshes));
    let method = optional(fields.get("method"), |n| Some((reader.word(n, "method")?, reader.place(&n.span))));
    let surface = contact::surface(reader, fields);
    let (name, frame, solid, color, display, method) = (name?, frame?, solid?, color?, display?, method?);
    let surface = surface?;
    let shape = match &solid {
        Some(Solid::Shape(shape)) if surface.collide => Some(shape.clone()),
        _ => None,
    };
    let body = Body {
        name: name.clone(),
        kind: kind?,
        mass: mass?,
        position: frame.point(position?),
        rotation: frame.rotation * turn?,
        velocity: frame.direction(velocity?),
        angular_velocity: frame.direction(angular_velocity?),
        shape,
        material: surface.material,
        groups: surface.groups,
        sensor: surface.sensor,
        one_way: surface.one_way,
    };
    let id = match built.world.add_body(body) {
        Ok(id) => id,
        Err(e) => {
            reader.model_error(fields, &e);
            return None;
        }
    };
    let actual = built.world.body_name(id);
    built.built(reader, &name, actual.as_deref(), fields.place("name"));
    if let Some(Solid::Shape(shape)) = &solid {
        built.shapes.push((id, shape.clone()));
    }
    let shown = display.or(solid).and_then(|s| match s {
        Solid::Shape(shape) => Some(shape),
        Solid::Point => None,
    });
    built.looks.push(Look { body: id, shape: shown, color });
    if let Some((state, place)) = now? {
        built.now.push((id, state, place));
    }
    if let Some((method, place)) = method {
        built.methods.push((id, method, place));
    }
    Some(())
}

/// The state of a saved body.
fn now(reader: &mut Reader, node: &Node, pose: &Pose) -> Option<Now> {
    let table = reader.table(node, "a table")?;
    let fields = reader.fields(table, &node.span, &grammar::NOW);
    let center = reader.required(&fields, "center").and_then(|n| reader.vec3(n, Unit::Plain));
    let principal = reader.required(&fields, "principal").and_then(|n| {
        let items = reader.array(n, 4, "a quaternion [x, y, z, w]")?;
        let [x, y, z, w] = [0, 1, 2, 3].map(|k| reader.plain(&items[k]));
        Some(Quat::from_xyzw(x?, y?, z?, w?))
    });
    let mut rate = |key, unit| match fields.get(key) {
        Some(n) => reader.vec3(n, unit),
        None => Some(Vec3::ZERO),
    };
    let (velocity, spin) = (rate("velocity", Unit::Plain), rate("angular_velocity", Unit::Rate));
    let kind = optional(fields.get("kind"), |n| reader.word(n, "kind of body"));
    let state = ExactState {
        center: pose.point(center?),
        principal: pose.rotation * principal?,
        velocity: pose.direction(velocity?),
        angular_velocity: pose.direction(spin?),
    };
    Some(Now { state, kind: kind? })
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
fn mass(
    reader: &mut Reader,
    fields: &Fields<'_>,
    kind: BodyKind,
    solid: Option<&Solid>,
    meshes: &Meshes,
) -> Option<MassProperties> {
    let given = optional(fields.get("mass"), |n| reader.positive(n, "the mass"));
    let density = optional(fields.get("density"), |n| reader.positive(n, "the density"));
    let (given, density) = (given?, density?);
    if given.is_some() && density.is_some() {
        let message = "a body has a mass or a density, not both";
        let first = reader.place(fields.place("mass"));
        reader.error(Code::WrongValue, fields.place("density"), message, "second one").also(&first, "first one");
        return None;
    }
    let explicit = [fields.get("center"), fields.get("inertia")].iter().all(Option::is_some);
    let mut out = match solid {
        Some(Solid::Shape(shape)) => match given.filter(|_| explicit) {
            // Nothing is left for the shape to say.
            Some(mass) => MassProperties::point(mass),
            None => {
                let massive = mesh::massive(shape, meshes);
                of_shape(reader, fields, kind, massive, given, density.unwrap_or(DEFAULT_DENSITY))?
            }
        },
        _ if kind != BodyKind::Dynamic => MassProperties::point(given.unwrap_or(1.0)),
        Some(Solid::Point) => {
            if density.is_some() {
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
            let Some(mass) = given.filter(|_| fields.get("inertia").is_some()) else {
                let help = "write shape = { box = [x, y, z] }, { sphere = r }, …, or \"point\" for a mass point, or give `mass` and `inertia`";
                let message = "a dynamic body needs a shape, or a mass and an inertia";
                reader.error(Code::MissingKey, fields.span, message, "`shape` is missing here").help(help);
                return None;
            };
            MassProperties::point(mass)
        }
    };
    if let Some(n) = fields.get("center") {
        out.center = reader.vec3(n, Unit::Plain)?;
    }
    if let Some(n) = fields.get("inertia") {
        out.inertia = inertia(reader, n)?;
    }
    Some(out)
}

fn of_shape(
    reader: &mut Reader,
    fields: &Fields<'_>,
    kind: BodyKind,
    massive: Result<(Shape, Option<MeshDefect>), String>,
    mass: Option<f64>,
    density: f64,
) -> Option<MassProperties> {
    let moves = kind == BodyKind::Dynamic;
    let (solid, defect) = match massive {
        Ok(found) => found,
        Err(_) if !moves => return Some(MassProperties::point(mass.unwrap_or(1.0))),
        Err(message) => {
            let help = "give `mass`, `center` and `inertia`";
            reader.error(Code::Mesh, fields.place("shape"), message, "no mass from this mesh").help(help);
            return None;
        }
    };
    if let Some(defect) = defect.filter(|_| moves) {
        let help = "mass, centre and inertia are taken from its convex hull; close the mesh, or give `mass`, `center` and `inertia`";
        reader.warn(Code::Mesh, fields.place("shape"), format!("the mesh is not a solid: {defect}"), "open").help(help);
    }
    let properties = match mass {
        Some(mass) => {
            solid.volume().and_then(|volume| solid.mass_properties(mass / volume)).map(|p| MassProperties { mass, ..p })
        }
        None => solid.mass_properties(density),
    };
    match properties {
        Ok(p) => Some(p),
        Err(_) if !moves => Some(MassProperties::point(mass.unwrap_or(1.0))),
        Err(e) => {
            reader.error(Code::WrongValue, fields.place("shape"), e.to_string(), "no mass from this shape");
            None
        }
    }
}

/// Three moments, or three rows of a symmetric matrix.
fn inertia(reader: &mut Reader, node: &Node) -> Option<Mat3> {
    let rows =
        matches!(&node.value, Value::Array(items) if matches!(items.first().map(|n| &n.value), Some(Value::Array(_))));
    if !rows {
        return Some(Mat3::from_diagonal(reader.vec3(node, Unit::Plain)?));
    }
    let m = reader.matrix(node)?;
    let difference = m - m.transpose();
    let size = m.to_cols_array().iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    if difference.to_cols_array().iter().any(|x| x.abs() > 1e-9 * size) {
        let message = "an inertia tensor is symmetric, this matrix is not";
        reader.error(Code::WrongValue, &node.span, message, "not symmetric");
        return None;
    }
    Some(m)
}
