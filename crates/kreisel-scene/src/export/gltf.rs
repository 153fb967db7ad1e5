//! A scene and its motion as glTF 2.0 (ISO/IEC 12113).
//!
//! glTF is y-up, scenes are mostly z-up: one root node turns the direction against gravity to +y;
//! under it every body is a node of its own. Each body's translation and rotation are thinned to
//! half the tolerance each.

use super::buffer::Buffer;
use super::elements::{self, Extras};
use super::motion::Motion;
use super::surface::Surface;
use super::thin::{thin_positions, thin_rotations};
use super::{PALETTE, SCENERY};
use crate::scene::Scene;
use base64::Engine;
use kreisel_dynamics::{Quat, Vec3};
use kreisel_geometry::Shape;
use serde_json::{Value, json};

/// Radius of a mass point, of the size of the scene.
const POINT: f64 = 0.02;

/// A glTF document.
pub struct Gltf {
    document: Value,
    binary: Vec<u8>,
    /// Keyframes of all bodies after thinning.
    pub keyframes: usize,
    /// Keyframes of the bodies that move, before thinning.
    pub frames: usize,
}

impl Gltf {
    /// As one binary file (`.glb`): header, JSON, bytes.
    pub fn glb(&self) -> Vec<u8> {
        let mut text = self.document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut binary = self.binary.clone();
        binary.resize(binary.len().next_multiple_of(4), 0);
        let length = 12 + 8 + text.len() + if binary.is_empty() { 0 } else { 8 + binary.len() };
        let mut out = b"glTF".to_vec();
        out.extend(2_u32.to_le_bytes());
        out.extend((length as u32).to_le_bytes());
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(b"JSON");
        out.extend(text);
        if !binary.is_empty() {
            out.extend((binary.len() as u32).to_le_bytes());
            out.extend(b"BIN\0");
            out.extend(binary);
        }
        out
    }

    /// As one text file (`.gltf`) with the bytes inside.
    pub fn text(&self) -> String {
        let mut document = self.document.clone();
        if !self.binary.is_empty() {
            let data = base64::engine::general_purpose::STANDARD.encode(&self.binary);
            document["buffers"][0]["uri"] =
                format!("data:application/octet-stream;base64,{data}").into();
        }
        document.to_string()
    }
}

/// Writes a scene and its motion; keyframes are left out as long as no point of a body is off by
/// more than `tolerance` (m).
pub fn gltf(scene: &Scene, motion: &Motion, tolerance: f64) -> Gltf {
    gltf_with(scene, motion, tolerance, Extras::default())
}

/// The same, with what is no body.
pub fn gltf_with(scene: &Scene, motion: &Motion, tolerance: f64, extras: Extras) -> Gltf {
    let mut w = Writer { extent: extent(motion), ..Writer::default() };
    let times: Vec<f32> = motion.times.iter().map(|t| *t as f32).collect();
    for (k, id) in scene.world.bodies().enumerate() {
        let (Some(positions), Some(rotations)) = (motion.positions.get(k), motion.rotations.get(k))
        else {
            break;
        };
        let look = scene.looks.iter().find(|l| l.body == id);
        let color = look.and_then(|l| l.color).unwrap_or(PALETTE[k % PALETTE.len()]);
        let (mesh, radius) = w.mesh(look.and_then(|l| l.shape.as_ref()), color);
        let positions: Vec<glam::Vec3> = positions.iter().map(|p| p.as_vec3()).collect();
        let rotations = continuous(rotations);
        let name = scene.world.body_name(id).unwrap_or_default();
        w.nodes.push(json!({
            "name": &*name, "mesh": mesh,
            "translation": positions.first().copied().unwrap_or_default().to_array(),
            "rotation": rotations.first().copied().unwrap_or_default().to_array(),
        }));
        w.top.push(k + 1);
        let half = tolerance / 2.0;
        w.animate(k, &times, &positions, &rotations, half as f32, (half / radius.max(1e-9)) as f32);
    }
    w.shows(scene);
    elements::add(&mut w, scene, motion, tolerance, extras);
    w.document(scene)
}

/// Size of the room in which the bodies move.
fn extent(motion: &Motion) -> f64 {
    let all = || motion.positions.iter().flatten();
    let low = all().fold(Vec3::INFINITY, |m, p| m.min(*p));
    let high = all().fold(Vec3::NEG_INFINITY, |m, p| m.max(*p));
    let size = (high - low).max_element();
    if size.is_finite() { size.clamp(0.1, 1e6) } else { 1.0 }
}

/// Rotations without jumps of sign, normalised after rounding.
fn continuous(rotations: &[Quat]) -> Vec<glam::Quat> {
    let mut before = glam::Quat::IDENTITY;
    let each = |r: &Quat| {
        let q = r.as_quat().normalize();
        before = if q.dot(before) < 0.0 { -q } else { q };
        before
    };
    rotations.iter().map(each).collect()
}

#[derive(Default)]
pub(super) struct Writer {
    buffer: Buffer,
    pub(super) nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<([u8; 3], Value)>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    /// Shapes that have a mesh already, by colour.
    known: Vec<(Option<Shape>, [u8; 3], f64)>,
    /// Numbers of the nodes under the root; node 0 is the root itself.
    top: Vec<usize>,
    pub(super) extent: f64,
    keyframes: usize,
    frames: usize,
}

impl Writer {
    /// The mesh of a shape in a colour, and its radius.
    fn mesh(&mut self, shape: Option<&Shape>, color: [u8; 3]) -> (usize, f64) {
        let same = |(s, c, r): &(Option<Shape>, [u8; 3], f64)| {
            s.as_ref() == shape && *c == color && !r.is_nan()
        };
        if let Some(k) = self.known.iter().position(same) {
            return (k, self.known[k].2);
        }
        let surface = shape.map_or_else(|| Surface::point(POINT * self.extent), Surface::of);
        let floats =
            |list: &[Vec3]| list.iter().map(|p| p.as_vec3().to_array()).collect::<Vec<_>>();
        // Rounded normals are made unit length again.
        let normals: Vec<[f32; 3]> = surface
            .normals
            .iter()
            .map(|n| n.as_vec3().normalize_or(glam::Vec3::Z).to_array())
            .collect();
        let position = self.buffer.floats(&floats(&surface.points), true);
        let normal = self.buffer.floats(&normals, true);
        let indices = self.buffer.indices(&surface.triangles);
        let material = self.material(color);
        self.meshes.push(json!({
            "primitives": [{
                "attributes": { "POSITION": position, "NORMAL": normal }, "indices": indices, "material": material,
            }],
        }));
        let radius = surface.radius();
        self.known.push((shape.cloned(), color, radius));
        (self.meshes.len() - 1, radius)
    }

    /// A solid at a point of a body, or of space.
    pub(super) fn carried(
        &mut self,
        body: Option<usize>,
        name: &str,
        shape: &Shape,
        color: [u8; 3],
        at: Vec3,
    ) {
        let (mesh, _) = self.mesh(Some(shape), color);
        let at = at.as_vec3().to_array();
        let node = json!({ "name": name, "mesh": mesh, "translation": at });
        self.child(body, node);
    }

    /// A solid under the root that something moves; gives its place among the nodes.
    pub(super) fn free(&mut self, name: &str, shape: &Shape, color: [u8; 3]) -> usize {
        let (mesh, _) = self.mesh(Some(shape), color);
        self.child(None, json!({ "name": name, "mesh": mesh }));
        self.nodes.len() - 1
    }

    /// A line through points.
    pub(super) fn line(&mut self, name: &str, points: &[[f32; 3]], color: [u8; 3]) {
        /// Connected lines (glTF 2.0, 3.7.2.1).
        const LINE_STRIP: u32 = 3;
        let position = self.buffer.floats(points, true);
        let material = self.material(color);
        self.meshes.push(json!({
            "primitives": [{
                "attributes": { "POSITION": position }, "material": material, "mode": LINE_STRIP,
            }],
        }));
        // no shape has this mesh
        self.known.push((None, color, f64::NAN));
        let mesh = self.meshes.len() - 1;
        self.child(None, json!({ "name": name, "mesh": mesh }));
    }

    /// A node that follows a path.
    pub(super) fn led(
        &mut self,
        node: usize,
        motion: &Motion,
        path: &[glam::Vec3],
        tolerance: f64,
    ) {
        let times: Vec<f32> = motion.times.iter().map(|t| *t as f32).collect();
        if let Some(first) = path.first() {
            self.nodes[node]["translation"] = json!(first.to_array());
        }
        let keep = thin_positions(&times, path, tolerance as f32);
        if keep.len() > 1 {
            let values: Vec<[f32; 3]> = keep.iter().map(|k| path[*k].to_array()).collect();
            self.channel(node, "translation", &times, &keep, &values);
        }
    }

    /// A node that is moved, turned and stretched.
    pub(super) fn stretched(
        &mut self,
        node: usize,
        motion: &Motion,
        path: &[glam::Vec3],
        turns: &[glam::Quat],
        scales: &[glam::Vec3],
        tolerance: f64,
    ) {
        self.led(node, motion, path, tolerance / 3.0);
        let times: Vec<f32> = motion.times.iter().map(|t| *t as f32).collect();
        let mut before = glam::Quat::IDENTITY;
        let turns: Vec<glam::Quat> = turns
            .iter()
            .map(|q| {
                before = if q.dot(before) < 0.0 { -*q } else { *q };
                before
            })
            .collect();
        let (Some(turn), Some(scale)) = (turns.first(), scales.first()) else { return };
        self.nodes[node]["rotation"] = json!(turn.to_array());
        self.nodes[node]["scale"] = json!(scale.to_array());
        let reach = scales.iter().map(|s| s.z).fold(1e-9, f32::max);
        let keep = thin_rotations(&times, &turns, tolerance as f32 / 3.0 / reach);
        if keep.len() > 1 {
            let values: Vec<[f32; 4]> = keep.iter().map(|k| turns[*k].to_array()).collect();
            self.channel(node, "rotation", &times, &keep, &values);
        }
        let keep = thin_positions(&times, scales, tolerance as f32 / 3.0);
        if keep.len() > 1 {
            let values: Vec<[f32; 3]> = keep.iter().map(|k| scales[*k].to_array()).collect();
            self.channel(node, "scale", &times, &keep, &values);
        }
    }

    /// Adds a node under a body, or under the root.
    fn child(&mut self, body: Option<usize>, child: Value) {
        let node = self.nodes.len() + 1;
        match body.and_then(|k| self.nodes.get_mut(k)) {
            Some(carrier) => match carrier.get_mut("children").and_then(Value::as_array_mut) {
                Some(children) => children.push(node.into()),
                None => carrier["children"] = json!([node]),
            },
            None => self.top.push(node),
        }
        self.nodes.push(child);
    }

    /// What is only shown: children of the body that carries them, or of the root.
    fn shows(&mut self, scene: &Scene) {
        let bodies: Vec<_> = scene.world.bodies().collect();
        for show in &scene.shown_at_start() {
            let (mesh, _) = self.mesh(Some(&show.shape), show.color.unwrap_or(SCENERY));
            let body = bodies.iter().position(|b| *b == show.body);
            self.child(body, json!({ "name": "shown", "mesh": mesh }));
        }
    }

    fn material(&mut self, color: [u8; 3]) -> usize {
        if let Some(k) = self.materials.iter().position(|m| m.0 == color) {
            return k;
        }
        let [r, g, b] = color.map(linear);
        let material = json!({
            "name": format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]),
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6,
            },
        });
        self.materials.push((color, material));
        self.materials.len() - 1
    }

    fn animate(
        &mut self,
        body: usize,
        times: &[f32],
        positions: &[glam::Vec3],
        rotations: &[glam::Quat],
        shift: f32,
        turn: f32,
    ) {
        let keep = thin_positions(times, positions, shift);
        if keep.len() > 1 {
            let values: Vec<[f32; 3]> = keep.iter().map(|k| positions[*k].to_array()).collect();
            self.channel(body, "translation", times, &keep, &values);
        }
        let keep = thin_rotations(times, rotations, turn);
        if keep.len() > 1 {
            let values: Vec<[f32; 4]> = keep.iter().map(|k| rotations[*k].to_array()).collect();
            self.channel(body, "rotation", times, &keep, &values);
        }
    }

    fn channel<const N: usize>(
        &mut self,
        body: usize,
        path: &str,
        times: &[f32],
        keep: &[usize],
        values: &[[f32; N]],
    ) {
        let keys: Vec<[f32; 1]> = keep.iter().map(|k| [times[*k]]).collect();
        let input = self.buffer.floats(&keys, false);
        let output = self.buffer.floats(values, false);
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        // Node 0 is the root.
        let target = json!({ "node": body + 1, "path": path });
        self.channels.push(json!({ "sampler": self.samplers.len() - 1, "target": target }));
        self.keyframes += keep.len();
        self.frames += times.len();
    }

    fn document(self, scene: &Scene) -> Gltf {
        let up = (-scene.world.gravity()).try_normalize().unwrap_or(Vec3::Z);
        let upright = Quat::from_rotation_arc(up, Vec3::Y).as_quat().normalize();
        let title = scene.title.clone().unwrap_or_else(|| scene.source.name.to_string());
        let mut root = json!({ "name": title, "rotation": upright.to_array() });
        if !self.top.is_empty() {
            root["children"] = self.top.clone().into();
        }
        let nodes: Vec<Value> = std::iter::once(root).chain(self.nodes).collect();
        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("kreisel ", env!("CARGO_PKG_VERSION")) },
            "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": nodes,
        });
        // Empty lists are not allowed.
        let materials: Vec<Value> = self.materials.into_iter().map(|m| m.1).collect();
        let lists = [
            ("meshes", self.meshes),
            ("materials", materials),
            ("accessors", self.buffer.accessors),
        ];
        for (name, list) in lists.into_iter().chain([("bufferViews", self.buffer.views)]) {
            if !list.is_empty() {
                document[name] = list.into();
            }
        }
        if !self.buffer.bytes.is_empty() {
            document["buffers"] = json!([{ "byteLength": self.buffer.bytes.len() }]);
        }
        if !self.channels.is_empty() {
            document["animations"] =
                json!([{ "name": "motion", "channels": self.channels, "samplers": self.samplers }]);
        }
        Gltf { document, binary: self.buffer.bytes, keyframes: self.keyframes, frames: self.frames }
    }
}

/// A colour component as glTF wants it: linear light instead of sRGB (IEC 61966-2-1).
fn linear(component: u8) -> f64 {
    let c = f64::from(component) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}
