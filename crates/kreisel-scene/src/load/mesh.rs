//! Meshes and hulls: from files (OBJ, STL, PLY, VRML, COLLADA, glTF) or written out in the scene.

use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::Reader;
use kreisel_dynamics::Vec3;
use kreisel_geometry::hull::Decomposition;
use kreisel_geometry::mesh::read::{Format, read as read_mesh};
use kreisel_geometry::{ConvexHull, MeshDefect, Part, Pose, Shape, TriMesh};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Work of a hull per point, in characters of evaluated text (measured: a point costs about a
/// microsecond).
const HULL_WORK: usize = 20;

/// Meshes by file and scale: a mesh that many bodies have is read and held once.
#[derive(Default)]
pub(super) struct Meshes {
    known: BTreeMap<(PathBuf, [u64; 3]), Arc<TriMesh>>,
    hulls: BTreeMap<(PathBuf, [u64; 3]), Arc<ConvexHull>>,
    /// Meshes in convex parts, by their number as well.
    parts: BTreeMap<((PathBuf, [u64; 3]), u32), Shape>,
    /// What was taken apart, by the address of its first part: it gives the mass.
    wholes: BTreeMap<usize, Arc<TriMesh>>,
}

/// Most convex parts of a mesh.
const MOST_PARTS: u32 = 256;

/// Work of taking a mesh apart, in characters of evaluated text (measured: about half a second).
const PARTS_WORK: usize = 500_000;

/// Reads `mesh`: the name of a file, or vertices and triangles.
pub(super) fn mesh(
    reader: &mut Reader,
    node: &Node,
    scale: Vec3,
    meshes: &mut Meshes,
) -> Option<Shape> {
    if let Value::Table(table) = &node.value {
        let fields = reader.fields(table, &node.span, &grammar::MESH);
        let vertices = reader.required(&fields, "vertices").and_then(|n| points(reader, n, scale));
        let triangles = reader.required(&fields, "triangles").and_then(|n| triangles(reader, n));
        return checked(reader, node, TriMesh::new(vertices?, triangles?)).map(Shape::Mesh);
    }
    file(reader, node, scale, meshes).map(|(_, mesh)| Shape::Mesh(mesh))
}

/// Reads `hull`: points, or the name of a mesh file whose vertices it encloses.
pub(super) fn hull(
    reader: &mut Reader,
    node: &Node,
    scale: Vec3,
    meshes: &mut Meshes,
) -> Option<Shape> {
    let hull = if let Value::Text(_) = &node.value {
        let (key, mesh) = file(reader, node, scale, meshes)?;
        if let Some(known) = meshes.hulls.get(&key) {
            return Some(Shape::Hull(Arc::clone(known)));
        }
        let hull = convex(reader, node, mesh.vertices())?;
        meshes.hulls.insert(key, Arc::clone(&hull));
        hull
    } else {
        let points = points(reader, node, scale)?;
        convex(reader, node, &points)?
    };
    Some(Shape::Hull(hull))
}

/// Reads `hull` with `parts`: a mesh file in convex parts.
pub(super) fn parts(
    reader: &mut Reader,
    hull: &Node,
    parts: &Node,
    scale: Vec3,
    meshes: &mut Meshes,
) -> Option<Shape> {
    let most = reader.count(parts, "the number of convex parts", MOST_PARTS)?.max(1);
    let Value::Text(_) = &hull.value else {
        let help = "name a mesh file: hull = \"bracket.obj\", parts = 8";
        reader
            .error(
                Code::WrongValue,
                &parts.span,
                "points have one hull: `parts` is for meshes",
                "not here",
            )
            .help(help);
        return None;
    };
    let (key, mesh) = file(reader, hull, scale, meshes)?;
    let key = (key, most);
    if let Some(known) = meshes.parts.get(&key) {
        return Some(known.clone());
    }
    if !reader.work(PARTS_WORK, &hull.span) {
        return None;
    }
    let hulls = match ConvexHull::decompose(&mesh, &Decomposition::into_parts(most)) {
        Ok(hulls) => hulls.into_iter().map(Arc::new).collect::<Vec<_>>(),
        Err(e) => {
            reader.error(Code::Mesh, &hull.span, e.to_string(), "cannot be taken apart");
            return None;
        }
    };
    meshes.wholes.insert(Arc::as_ptr(hulls.first()?).addr(), mesh);
    let part = |hull| Part { pose: Pose::IDENTITY, shape: Shape::Hull(hull) };
    let shape = Shape::Compound(hulls.into_iter().map(part).collect());
    meshes.parts.insert(key, shape.clone());
    Some(shape)
}

fn convex(reader: &mut Reader, node: &Node, points: &[Vec3]) -> Option<Arc<ConvexHull>> {
    if !reader.work(HULL_WORK * points.len(), &node.span) {
        return None;
    }
    match ConvexHull::new(points) {
        Ok(hull) => Some(Arc::new(hull)),
        Err(e) => {
            let help = "a hull needs at least four points that do not lie in one plane";
            reader.error(Code::Mesh, &node.span, e.to_string(), "no solid").help(help);
            None
        }
    }
}

/// A mesh file, scaled.
fn file(
    reader: &mut Reader,
    node: &Node,
    scale: Vec3,
    meshes: &mut Meshes,
) -> Option<((PathBuf, [u64; 3]), Arc<TriMesh>)> {
    let relative = reader.text(node)?;
    let ending = relative.rsplit_once('.').map_or("", |(_, e)| e);
    let Some(format) = Format::from_extension(ending) else {
        let message = format!("\"{relative}\" is not a mesh that can be read");
        let help =
            "meshes are .obj, .stl, .ply, .wrl, .dae, .glb or .gltf (with its buffers inside)";
        reader.error(Code::Mesh, &node.span, message, "unknown kind of file").help(help);
        return None;
    };
    let path = reader.file_path(&relative, &node.span)?;
    let key = (path, scale.to_array().map(f64::to_bits));
    if let Some(known) = meshes.known.get(&key) {
        return Some((key, Arc::clone(known)));
    }
    let found = reader.file_at(key.0.clone(), &relative, &node.span)?;
    let mesh = match read_mesh(&found.bytes, format) {
        Ok(mesh) if scale == Vec3::ONE => Ok(mesh),
        Ok(mesh) => mesh.scaled(scale),
        Err(e) => {
            reader.error(Code::Mesh, &node.span, format!("\"{relative}\": {e}"), "this mesh");
            return None;
        }
    };
    let mesh = checked(reader, node, mesh)?;
    meshes.known.insert(key.clone(), Arc::clone(&mesh));
    Some((key, mesh))
}

/// Turns an inside-out mesh round, with a warning; other defects of indices and numbers are errors.
fn checked(
    reader: &mut Reader,
    node: &Node,
    mesh: Result<TriMesh, MeshDefect>,
) -> Option<Arc<TriMesh>> {
    let mesh = match mesh {
        Ok(mesh) => mesh,
        Err(e) => {
            reader.error(Code::Mesh, &node.span, e.to_string(), "not a mesh");
            return None;
        }
    };
    if let Err(defect @ MeshDefect::InsideOut(_)) = mesh.volume() {
        let help = "its triangles have been turned round; do the same in the program that made it";
        reader.warn(Code::Mesh, &node.span, defect.to_string(), "inside out").help(help);
        return Some(Arc::new(mesh.flipped()));
    }
    Some(Arc::new(mesh))
}

fn list<'n>(reader: &mut Reader, node: &'n Node, wanted: &str) -> Option<&'n [Node]> {
    if let Value::Array(items) = &node.value {
        return Some(items);
    }
    reader.wrong_type(node, wanted);
    None
}

fn points(reader: &mut Reader, node: &Node, scale: Vec3) -> Option<Vec<Vec3>> {
    let items = list(reader, node, "points [[x, y, z], …]")?;
    items.iter().map(|n| Some(reader.vec3(n, Unit::Plain)? * scale)).collect()
}

fn triangles(reader: &mut Reader, node: &Node) -> Option<Vec<[u32; 3]>> {
    let items = list(reader, node, "triangles [[a, b, c], …] of numbers of vertices")?;
    let one = |reader: &mut Reader, n: &Node| {
        let corners = reader.array(n, 3, "three numbers of vertices")?;
        let [a, b, c] =
            [0, 1, 2].map(|k| reader.count(&corners[k], "the number of a vertex", u32::MAX - 1));
        Some([a?, b?, c?])
    };
    items.iter().map(|n| one(reader, n)).collect()
}

/// A shape whose convex parts, which overlap, are replaced by the meshes that they come from, if it
/// has such parts: it gives the mass.
pub(super) fn whole(shape: &Shape, meshes: &Meshes) -> Option<Shape> {
    let Shape::Compound(parts) = shape else { return None };
    if let Some(Part { shape: Shape::Hull(first), .. }) = parts.first()
        && let Some(whole) = meshes.wholes.get(&Arc::as_ptr(first).addr())
    {
        return Some(Shape::Mesh(Arc::clone(whole)));
    }
    let found: Vec<Option<Shape>> = parts.iter().map(|p| whole(&p.shape, meshes)).collect();
    found.iter().any(Option::is_some).then(|| {
        let one = |(p, w): (&Part, Option<Shape>)| Part {
            shape: w.unwrap_or_else(|| p.shape.clone()),
            ..p.clone()
        };
        Shape::Compound(parts.iter().zip(found).map(one).collect())
    })
}

/// The shape that gives the mass: open meshes have none and are replaced by their convex hulls. The
/// second value names the first defect.
pub(crate) fn massive(shape: &Shape) -> Result<(Shape, Option<MeshDefect>), String> {
    match shape {
        Shape::Mesh(mesh) => match mesh.volume() {
            Ok(_) => Ok((shape.clone(), None)),
            Err(defect) => match ConvexHull::new(mesh.vertices()) {
                Ok(hull) => Ok((Shape::Hull(Arc::new(hull)), Some(defect))),
                Err(e) => Err(format!("{defect}, and {e}")),
            },
        },
        Shape::Compound(parts) => {
            let mut out = parts.clone();
            let mut first = None;
            for part in &mut out {
                let (shape, defect) = massive(&part.shape)?;
                part.shape = shape;
                first = first.or(defect);
            }
            Ok((Shape::Compound(out), first))
        }
        _ => Ok((shape.clone(), None)),
    }
}
