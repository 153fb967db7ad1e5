//! Meshes of MJCF: where they are, their solids where masses need them, and primitives fitted to
//! them.
//!
//! As in MuJoCo a mesh that collides does so as its convex hull.

use super::make::{Make, vector};
use super::mjcf_model::Model;
use super::mjcf_weight::{self, Way};
use super::xml::{left_out, lost, lost_because, place, tag};
use crate::node::{Node as Item, Value};
use crate::problem::Code;
use crate::read::Reader;
use crate::source::Span;
use kreisel_dynamics::{MassProperties, Mat3, Quat, Vec3};
use kreisel_geometry::mesh::read::{Format, read as read_mesh};
use kreisel_geometry::{ConvexHull, Pose};
use roxmltree::Node;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most points of a mesh that is written into the model.
const MAX_POINTS: usize = 100_000;

/// A mesh of the model.
#[derive(Clone)]
pub(super) struct Mesh {
    data: Data,
    scale: Option<Vec3>,
    /// Pose of the file's frame in that of the geom.
    pub frame: Pose,
    span: Span,
    /// How it has mass.
    way: Way,
    /// Its mass at a density of 1 and its vertices, once it has been read; none if that failed.
    solid: Option<Option<Solid>>,
}

/// Mass properties of a mesh at a density of 1, and its vertices.
#[derive(Clone)]
pub(super) struct Solid {
    pub mass: MassProperties,
    vertices: Arc<Vec<Vec3>>,
}

#[derive(Clone)]
enum Data {
    /// A path from the model's folder.
    File(String),
    /// The corners of a hull.
    Points(Vec<Vec3>),
}

/// Meshes by their names in the model.
#[derive(Default)]
pub(super) struct Meshes(BTreeMap<String, Mesh>);

/// Reads `<asset>`.
pub(super) fn assets<'a>(reader: &mut Reader, node: Node<'a, '_>, model: &mut Model<'a>) {
    for asset in super::xml::elements(node) {
        match asset.tag_name().name() {
            "mesh" => mesh(reader, asset, model),
            "material" => {
                if let (Some(name), Some(rgba)) =
                    (asset.attribute("name"), model.numbers(reader, asset, "main", "rgba"))
                    && let Some(hex) = super::urdf_shape::hex(&rgba)
                {
                    model.colors.insert(name, hex);
                }
            }
            // Only looks.
            "texture" | "skin" => {}
            "hfield" => super::mjcf_terrain::read(reader, asset, model),
            "model" => lost_because(reader, asset, "models inside models are not attached"),
            _ => lost(reader, asset),
        }
    }
}

fn mesh(reader: &mut Reader, asset: Node<'_, '_>, model: &mut Model<'_>) {
    // The file, or corners that are written out.
    let file = model.attribute(asset, "main", "file");
    let points = model.numbers(reader, asset, "main", "vertex");
    let (data, stem) = match (file, points) {
        (Some(file), _) => {
            let name = file.rsplit(['/', '\\']).next().unwrap_or(&file).to_owned();
            let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem).to_owned();
            let file = if model.compiler.strip_path { name } else { file.replace('\\', "/") };
            let folder = model.compiler.mesh_folder.trim_end_matches('/');
            (Data::File(if folder.is_empty() { file } else { format!("{folder}/{file}") }), stem)
        }
        (None, Some(x)) if x.len() % 3 == 0 && x.len() <= 3 * MAX_POINTS => {
            (Data::Points(x.chunks_exact(3).map(Vec3::from_slice).collect()), String::new())
        }
        _ => {
            left_out(reader, asset);
            return;
        }
    };
    // MuJoCo takes the reference pose away from the vertices.
    let position = model.vector(reader, asset, "main", "refpos").unwrap_or_default();
    let turn = match model.numbers(reader, asset, "main", "refquat").as_deref() {
        Some(&[w, x, y, z]) => Quat::from_xyzw(x, y, z, w).normalize(),
        _ => Quat::IDENTITY,
    };
    let reference = Pose::new(position, turn);
    let frame = if reference == Pose::IDENTITY { reference } else { reference.inverse() };
    let way = Way::of(model.attribute(asset, "main", "inertia").as_deref());
    let scale = model.vector(reader, asset, "main", "scale").filter(|s| *s != Vec3::ONE);
    let name = asset.attribute("name").map_or(stem, str::to_owned);
    model
        .meshes
        .0
        .insert(name, Mesh { data, scale, frame, span: place(asset, "file"), way, solid: None });
}

impl Meshes {
    /// The mesh that a geom names, if it is there and its file is: an unknown name is an error, a
    /// missing file a warning.
    pub fn find(&self, reader: &mut Reader, geom: Node<'_, '_>, name: &str) -> Option<&Mesh> {
        let Some(mesh) = self.0.get(name) else {
            let near = crate::problem::nearest(name, self.0.keys().map(String::as_str));
            let help = near.map(|n| format!("did you mean \"{n}\"?"));
            let message = format!("there is no mesh \"{name}\"");
            reader.error(Code::UnknownName, &place(geom, "mesh"), message, "unknown").help_if(help);
            return None;
        };
        let Data::File(file) = &mesh.data else { return Some(mesh) };
        let ending = file.rsplit_once('.').map_or("", |(_, e)| e);
        let message = if Format::from_extension(ending).is_none() {
            format!("the mesh \"{file}\" is of a kind that is not read: its geom is left out")
        } else if !reader.is_file(file) {
            format!("the mesh \"{file}\" is not there: its geom is left out")
        } else {
            return Some(mesh);
        };
        let help = "meshes are read from .obj, .stl, .gltf, .glb, .ply and .dae";
        reader.count_warning(Code::File, "mesh file", &tag(geom), message, "left out", Some(help));
        None
    }

    /// What gives the mass of a mesh.
    pub fn solid(&mut self, reader: &mut Reader, name: &str) -> Option<Solid> {
        let mesh = self.0.get(name)?.clone();
        if let Some(known) = mesh.solid {
            return known;
        }
        let solid = mesh.read(reader);
        if let Some(mesh) = self.0.get_mut(name) {
            mesh.solid = Some(solid.clone());
        }
        solid
    }
}

impl Mesh {
    /// What collides: the hull.
    pub fn hull(&self, make: &mut Make) {
        match &self.data {
            Data::File(file) => make.text("hull", file),
            Data::Points(points) => {
                let span = self.span.clone();
                let list = points
                    .iter()
                    .map(|p| Item { span: span.clone(), value: vector(*p, &span) })
                    .collect();
                make.put("hull", Value::Array(list))
            }
        };
        if let Some(scale) = self.scale {
            make.vector("scale", scale);
        }
    }

    /// What is seen.
    pub fn look(&self, make: &mut Make) {
        match &self.data {
            Data::File(file) => {
                make.text("mesh", file);
                if let Some(scale) = self.scale {
                    make.vector("scale", scale);
                }
            }
            Data::Points(_) => self.hull(make),
        }
    }

    fn read(&self, reader: &mut Reader) -> Option<Solid> {
        let surface = match &self.data {
            Data::Points(points) => match ConvexHull::new(points) {
                Ok(hull) => hull.to_mesh(),
                Err(e) => {
                    reader.error(Code::Mesh, &self.span, e.to_string(), "no solid");
                    return None;
                }
            },
            Data::File(file) => {
                let format = Format::from_extension(file.rsplit_once('.').map_or("", |(_, e)| e))?;
                let found = reader.file(file, &self.span)?;
                match read_mesh(&found.bytes, format) {
                    Ok(surface) => surface,
                    Err(e) => {
                        reader.error(
                            Code::Mesh,
                            &self.span,
                            format!("\"{file}\": {e}"),
                            "this mesh",
                        );
                        return None;
                    }
                }
            }
        };
        let surface = self.scale.map_or(Ok(surface.clone()), |s| surface.scaled(s)).ok()?;
        let mass = mjcf_weight::of(&surface, self.way);
        if mass.is_none() {
            reader.error(
                Code::Mesh,
                &self.span,
                "a mesh that gives mass has no extent",
                "this mesh",
            );
        }
        Some(Solid { mass: mass?, vertices: Arc::new(surface.vertices().to_vec()) })
    }
}

/// A primitive for a mesh: `size` as in MJCF, and where it lies in the frame of the mesh.
///
/// MuJoCo takes the box of equal inertia, its z axis along the smallest moment, or (`fitaabb`) the
/// bounding box along the same axes.
pub(super) fn fitted(solid: &Solid, kind: &str, by_box: bool) -> (Vec<f64>, Pose) {
    // The frame: principal axes at the centre of mass, the largest moment first.
    let mass = &solid.mass;
    let (moments, turn) = mass.principal();
    let axes = Mat3::from_quat(turn);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| moments[b].total_cmp(&moments[a]));
    let [x, y] = [order[0], order[1]].map(|k| axes.col(k));
    let frame =
        Pose::new(mass.center, Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize());
    let [a, b, c] = order.map(|k| moments[k]);
    if !by_box {
        let half = |j: f64, k: f64, i: f64| 0.5 * (6.0 * (j + k - i).max(0.0) / mass.mass).sqrt();
        let s = [half(b, c, a), half(a, c, b), half(a, b, c)];
        let size = match kind {
            "sphere" => vec![(s[0] + s[1] + s[2]) / 3.0],
            "capsule" => {
                let radius = 0.5 * (s[0] + s[1]);
                vec![radius, (s[2] - 0.5 * radius).max(0.0)]
            }
            "cylinder" => vec![0.5 * (s[0] + s[1]), s[2]],
            _ => s.to_vec(),
        };
        return (size, frame);
    }
    // The box around the vertices, in that frame.
    let local: Vec<Vec3> = solid.vertices.iter().map(|v| frame.inverse_point(*v)).collect();
    let low = local.iter().fold(Vec3::INFINITY, |m, v| m.min(*v));
    let high = local.iter().fold(Vec3::NEG_INFINITY, |m, v| m.max(*v));
    let center = 0.5 * (low + high);
    let around: Vec<Vec3> = local.iter().map(|v| *v - center).collect();
    let most = |of: &dyn Fn(&Vec3) -> f64| around.iter().map(of).fold(0.0, f64::max);
    let radius = most(&|v| v.x.hypot(v.y));
    let size = match kind {
        "sphere" => vec![most(&|v| v.length())],
        "cylinder" => vec![radius, most(&|v| v.z.abs())],
        // The caps are curved: a vertex near the axis reaches further into them.
        "capsule" => vec![
            radius,
            most(&|v| v.z.abs() - (radius * radius - v.x * v.x - v.y * v.y).max(0.0).sqrt()),
        ],
        _ => (0.5 * (high - low)).to_array().to_vec(),
    };
    (size, Pose::new(frame.point(center), frame.rotation))
}
