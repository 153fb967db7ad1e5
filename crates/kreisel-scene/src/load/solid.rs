//! Solids made from others: profiles that are drawn out or turned, and unions, differences and
//! intersections (L-95). All become meshes.

use super::mesh::Meshes;
use super::shape::part;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::Vec3;
use kreisel_geometry::mesh::{generate, sweep};
use kreisel_geometry::{Shape, TriMesh};
use std::sync::Arc;

/// Sides of round solids that are combined with others, and of profiles that are turned.
const SIDES: u32 = 64;
/// Times that the triangles of an icosahedron are split for a ball: 5120 triangles.
const LEVELS: u32 = 4;
/// Most sides of a profile that is turned.
const MOST_SIDES: u32 = 10_000;
/// Work of combining, per triangle, in characters of evaluated text (measured: a microsecond).
const WORK: usize = 20;

/// Reads `extrude`.
pub(super) fn extrude(reader: &mut Reader, node: &Node) -> Option<Shape> {
    let table = reader.table(node, "{ profile = [[x, y], …], height = m }")?;
    let fields = reader.fields(table, &node.span, &grammar::EXTRUDE);
    let profile = reader.required(&fields, "profile").and_then(|n| profile(reader, n));
    let height = reader.required(&fields, "height").and_then(|n| reader.plain(n));
    swept(reader, node, sweep::extrude(&profile?, height?))
}

/// Reads `revolve`.
pub(super) fn revolve(reader: &mut Reader, node: &Node) -> Option<Shape> {
    let table = reader.table(node, "{ profile = [[r, z], …] }")?;
    let fields = reader.fields(table, &node.span, &grammar::REVOLVE);
    let profile = reader.required(&fields, "profile").and_then(|n| profile(reader, n));
    let sides = match fields.get("sides") {
        Some(n) => reader.count(n, "the number of sides", MOST_SIDES)?,
        None => SIDES,
    };
    swept(reader, node, sweep::revolve(&profile?, sides))
}

fn swept(
    reader: &mut Reader,
    node: &Node,
    mesh: Result<TriMesh, sweep::SweepError>,
) -> Option<Shape> {
    match mesh {
        Ok(mesh) => Some(Shape::Mesh(Arc::new(mesh))),
        Err(e) => {
            reader.error(Code::WrongValue, &node.span, e.to_string(), "no such solid");
            None
        }
    }
}

/// Corners in a plane.
fn profile(reader: &mut Reader, node: &Node) -> Option<Vec<glam::DVec2>> {
    let Value::Array(items) = &node.value else {
        reader.wrong_type(node, "corners [[x, y], …]");
        return None;
    };
    let one = |reader: &mut Reader, n: &Node| {
        let pair = reader.array(n, 2, "a corner [x, y]")?;
        let (x, y) = (reader.plain(&pair[0]), reader.plain(&pair[1]));
        Some(glam::DVec2::new(x?, y?))
    };
    items.iter().map(|n| one(reader, n)).collect()
}

/// Reads `union`, `difference` or `intersection`.
pub(super) fn combined(
    reader: &mut Reader,
    word: &str,
    node: &Node,
    meshes: &mut Meshes,
) -> Option<Shape> {
    let Value::Array(items) = &node.value else {
        reader.wrong_type(node, "an array of shapes");
        return None;
    };
    if items.len() < 2 {
        let message = format!("a {word} is made of two shapes or more");
        reader.error(Code::WrongValue, &node.span, message, "too few");
        return None;
    }
    let one = |reader: &mut Reader, n: &Node, meshes: &mut Meshes| {
        let part = part(reader, n, meshes)?;
        let Some(mesh) = polyhedron(&part.shape) else {
            let message = format!("a {} cannot be combined with other solids", part.shape.kind());
            reader.error(Code::WrongValue, &n.span, message, "not a closed solid");
            return None;
        };
        Some(mesh.moved(&part.pose))
    };
    let solids: Option<Vec<TriMesh>> = items.iter().map(|n| one(reader, n, meshes)).collect();
    let solids = solids?;
    let triangles: usize = solids.iter().map(|m| m.triangles().len()).sum();
    if !reader.work(WORK * triangles, &node.span) {
        return None;
    }
    done(reader, node, word, &solids)
}

#[cfg(feature = "booleans")]
fn done(reader: &mut Reader, node: &Node, word: &str, solids: &[TriMesh]) -> Option<Shape> {
    use kreisel_geometry::mesh::boolean::{Operation, combine};
    let operation = match word {
        "union" => Operation::Union,
        "difference" => Operation::Difference,
        _ => Operation::Intersection,
    };
    match combine(operation, solids) {
        Ok(mesh) => Some(Shape::Mesh(Arc::new(mesh))),
        Err(e) => {
            reader.error(Code::Mesh, &node.span, e.to_string(), "no solid");
            None
        }
    }
}

#[cfg(not(feature = "booleans"))]
fn done(reader: &mut Reader, node: &Node, word: &str, _: &[TriMesh]) -> Option<Shape> {
    let help = "load the scene in the program and save it there: the solid is then a mesh";
    let message = format!("this build does not make a {word} of solids");
    reader.error(Code::Mesh, &node.span, message, "not here").help(help);
    None
}

/// A closed solid as a mesh. Round ones are polyhedra with their corners on the surface.
fn polyhedron(shape: &Shape) -> Option<TriMesh> {
    let ball = |radii: Vec3| generate::icosphere(1.0, LEVELS).scaled(radii).ok();
    match shape {
        Shape::Box { size } => Some(generate::cuboid(*size)),
        Shape::Sphere { radius } => ball(Vec3::splat(*radius)),
        Shape::Ellipsoid { radii } => ball(*radii),
        Shape::Cylinder { radius, height } => Some(generate::cylinder(*radius, *height, SIDES)),
        Shape::Cone { radius, height } => Some(generate::cone(*radius, *height, SIDES)),
        Shape::Disc { radius, height, rim } => {
            Some(generate::disc(*radius, *height, *rim, SIDES, SIDES / 8))
        }
        Shape::Torus { radius, tube } => Some(generate::torus(*radius, *tube, SIDES, SIDES / 2)),
        Shape::Capsule { radius, height } => {
            let arc = |k: u32, side: f64| {
                let (s, c) = libm::sincos(0.5 * std::f64::consts::PI * f64::from(k) / 16.0);
                let r = if k == 16 { 0.0 } else { radius * c };
                glam::DVec2::new(r, side * (0.5 * height + radius * s))
            };
            let lower = (0..=16).rev().map(|k| arc(k, -1.0));
            let profile: Vec<_> = lower.chain((0..=16).map(|k| arc(k, 1.0))).collect();
            sweep::revolve(&profile, SIDES).ok()
        }
        Shape::Hull(hull) => Some(hull.to_mesh()),
        Shape::Mesh(mesh) => Some(TriMesh::clone(mesh)),
        // one part that is only placed elsewhere
        Shape::Compound(parts) => match &parts[..] {
            [one] => Some(polyhedron(&one.shape)?.moved(&one.pose)),
            _ => None,
        },
        Shape::HalfSpace { .. } | Shape::HeightField(_) => None,
    }
}
