//! Shapes that a command line names: mesh files, and bodies of scenes as `SCENE#body`.

use crate::exit::Failure;
use kreisel_dynamics::{BodyId, Quat, Vec3, World};
use kreisel_geometry::mesh::read::{Format, read};
use kreisel_geometry::{Pose, Shape};
use kreisel_scene::{Scene, Simulation};
use std::path::Path;
use std::sync::Arc;

/// A shape and where it is.
pub struct Placed {
    /// How the user named it.
    pub name: String,
    pub shape: Shape,
    pub pose: Pose,
}

/// Largest mesh file that is read: ten million triangles of binary STL take half a gigabyte.
const MAX_BYTES: u64 = 4 << 30;

/// Reads a mesh file, or runs a scene to a time and takes a body.
pub fn find(name: &str, time: f64, allow_outside: bool) -> Result<Placed, Failure> {
    let placed = match name.rsplit_once('#') {
        Some((scene, body)) if !Path::new(name).exists() => {
            of_scene(Path::new(scene), body, time, allow_outside)?
        }
        _ => (of_file(Path::new(name), allow_outside)?, Pose::IDENTITY),
    };
    Ok(Placed { name: name.to_owned(), shape: placed.0, pose: placed.1 })
}

fn of_file(path: &Path, allow_outside: bool) -> Result<Shape, Failure> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let Some(format) = Format::from_extension(extension) else {
        if ["toml", "xml", "urdf"].contains(&extension) && path.exists() {
            return unnamed_body(path, allow_outside);
        }
        return Err(Failure::usage(format!(
            "{} is no mesh file: name a .obj, .stl, .ply, .gltf, .glb, .dae or .wrl file, or a body of a scene as SCENE#body",
            path.display()
        )));
    };
    let size = std::fs::metadata(path).map_err(|e| Failure::file(path, e))?.len();
    if size > MAX_BYTES {
        return Err(Failure::file(
            path,
            format!("the file has {size} bytes; at most {MAX_BYTES} are read"),
        ));
    }
    let bytes = std::fs::read(path).map_err(|e| Failure::file(path, e))?;
    let mesh = read(&bytes, format).map_err(|e| Failure::file(path, e))?;
    Ok(Shape::Mesh(Arc::new(mesh)))
}

/// A scene was named without a body: which bodies there are.
fn unnamed_body(path: &Path, allow_outside: bool) -> Result<Shape, Failure> {
    let scene = crate::scene_file::load_plain(path, allow_outside)?;
    let names: Vec<String> = bodies(&scene).into_iter().map(|(_, name, _)| name).collect();
    let (path, first) = (path.display(), names.first().map_or("NAME", String::as_str));
    Err(Failure::usage(format!(
        "{path} is a scene: name one of its bodies as {path}#{first}; there are {}",
        names.join(", ")
    )))
}

fn of_scene(
    path: &Path,
    body: &str,
    time: f64,
    allow_outside: bool,
) -> Result<(Shape, Pose), Failure> {
    let scene = crate::scene_file::load_plain(path, allow_outside)?;
    let all = bodies(&scene);
    let found =
        all.iter().find(|(_, name, _)| name == body).map(|(id, _, shape)| (*id, shape.clone()));
    let Some((id, shape)) = found else {
        if scene.world.body_named(body).is_some() {
            let path = path.display();
            return Err(Failure::usage(format!(
                "the body \"{body}\" of {path} is a mass point without a shape"
            )));
        }
        let names: Vec<&str> = all.iter().map(|(_, name, _)| name.as_str()).collect();
        let (path, names) = (path.display(), names.join(", "));
        return Err(Failure::usage(format!("{path} has no body \"{body}\"; there are {names}")));
    };
    let mut simulation = Simulation::new(&scene);
    for _ in 0..simulation.steps_until(time) {
        simulation.fit_step(time);
        simulation.step();
    }
    Ok((shape, pose(&simulation.world, id)))
}

/// The bodies of a scene that have a shape; the ground is the last of them.
pub fn bodies(scene: &Scene) -> Vec<(BodyId, String, Shape)> {
    let shape =
        |id: BodyId| scene.looks.iter().find(|l| l.body == id).and_then(|l| l.shape.clone());
    let all = scene.world.bodies().filter_map(|id| {
        let name = scene.world.body_name(id)?.to_string();
        Some((id, name, shape(id)?))
    });
    let ground = scene.world.body(BodyId::WORLD).and_then(|b| b.shape.clone());
    all.chain(ground.map(|shape| (BodyId::WORLD, "ground".into(), shape))).collect()
}

/// Where a body's frame is.
pub fn pose(world: &World, id: BodyId) -> Pose {
    Pose::new(world.position(id).unwrap_or_default(), world.rotation(id).unwrap_or(Quat::IDENTITY))
}

/// Three numbers separated by commas.
pub fn vector(text: &str) -> Result<Vec3, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|t| t.trim().parse::<f64>()).collect();
    match numbers.as_deref() {
        Ok([x, y, z]) if [x, y, z].iter().all(|v| v.is_finite()) => Ok(Vec3::new(*x, *y, *z)),
        _ => Err("write three numbers: 0.1,0,2.5".into()),
    }
}
