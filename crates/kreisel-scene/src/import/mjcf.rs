//! MJCF: bodies, joints, geoms, actuators and equalities of a model.
//!
//! | MJCF | here |
//! |---|---|
//! | `<body>` without joints | part of the world's bodies that stand still, or a fixed joint to its parent |
//! | hinge, slide, ball, free; several on one body | hinge, slider, ball, nothing; see `mjcf_joint` |
//! | damping, stiffness, frictionloss, range | a servo, friction, limits |
//! | `<motor>`, `<position>`, `<velocity>` | effort 0, servo to 0, rate 0: what control 0 gives; scripts drive them |
//! | `<connect>`, `<weld>` | ball and fixed joint |
//! | `<default>`, `class`, `childclass`; degrees unless `<compiler angle="radian">` | taken into account |

use super::make::{Items, Make, numbers};
use super::mjcf_geom::{self, Geom};
use super::mjcf_joint;
use super::xml::{child, elements, left_out, place, required, tag};
use crate::node::Table;
use crate::problem::Code;
use crate::read::Reader;
use crate::source::Span;
use kreisel_dynamics::{Mat3, Quat, Vec3, math};
use kreisel_geometry::Pose;
use roxmltree::Node;
use std::collections::BTreeMap;

/// Deepest nesting of bodies and default classes.
const MAX_DEPTH: usize = 200;

/// Step of MuJoCo where the model gives none, s.
const USUAL_STEP: f64 = 0.002;

/// What holds for the whole model.
pub(super) struct Model<'a> {
    /// Angles in degrees.
    pub degrees: bool,
    pub euler: String,
    pub mesh_folder: String,
    /// Attributes of default classes by class, element and name; inherited ones included.
    defaults: BTreeMap<String, BTreeMap<(String, String), String>>,
    /// File and scale of meshes, by name.
    pub meshes: BTreeMap<String, (String, Option<Vec3>, Span)>,
    pub colors: BTreeMap<&'a str, String>,
    /// Poses of bodies by their names in the model.
    pub poses: BTreeMap<String, Pose>,
    pub items: Items,
    pub number: usize,
}

impl Model<'_> {
    /// An attribute of an element, or that of its class.
    pub fn attribute(&self, node: Node<'_, '_>, class: &str, name: &str) -> Option<String> {
        if let Some(own) = node.attribute(name) {
            return Some(own.to_owned());
        }
        let class = node.attribute("class").unwrap_or(class);
        let key = (node.tag_name().name().to_owned(), name.to_owned());
        self.defaults.get(class).or_else(|| self.defaults.get("main"))?.get(&key).cloned()
    }

    /// The numbers of an attribute.
    pub fn numbers(&self, reader: &mut Reader, node: Node<'_, '_>, class: &str, name: &str) -> Option<Vec<f64>> {
        let text = self.attribute(node, class, name)?;
        let list: Option<Vec<f64>> =
            text.split_whitespace().map(|w| w.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        if list.is_none() {
            let message = format!("{name} = \"{text}\" is not a list of finite numbers");
            reader.error(Code::WrongValue, &place(node, name), message, "not numbers");
        }
        list
    }

    pub fn number(&self, reader: &mut Reader, node: Node<'_, '_>, class: &str, name: &str) -> Option<f64> {
        self.numbers(reader, node, class, name)?.first().copied()
    }

    pub fn vector(&self, reader: &mut Reader, node: Node<'_, '_>, class: &str, name: &str) -> Option<Vec3> {
        let list = self.numbers(reader, node, class, name)?;
        if let [x, y, z] = list[..] {
            return Some(Vec3::new(x, y, z));
        }
        super::xml::wrong_count(reader, node, name, "three numbers", list.len());
        None
    }

    pub fn angle(&self, x: f64) -> f64 {
        if self.degrees { x.to_radians() } else { x }
    }

    /// `pos` with one of `quat`, `axisangle`, `euler`, `xyaxes`, `zaxis`.
    pub fn pose(&self, reader: &mut Reader, node: Node<'_, '_>, class: &str) -> Pose {
        let position = self.vector(reader, node, class, "pos").unwrap_or_default();
        Pose::new(position, self.rotation(reader, node, class).unwrap_or(Quat::IDENTITY))
    }

    fn rotation(&self, reader: &mut Reader, node: Node<'_, '_>, class: &str) -> Option<Quat> {
        if let Some(q) = self.numbers(reader, node, class, "quat")
            && let [w, x, y, z] = q[..]
        {
            let q = Quat::from_xyzw(x, y, z, w);
            return (q.length() > 1e-9).then(|| q.normalize());
        }
        if let Some(a) = self.numbers(reader, node, class, "axisangle")
            && let [x, y, z, angle] = a[..]
        {
            return Some(math::rotation(Vec3::new(x, y, z).normalize_or_zero() * self.angle(angle)));
        }
        if let Some(e) = self.numbers(reader, node, class, "euler")
            && e.len() == 3
        {
            let mut q = Quat::IDENTITY;
            for (c, x) in self.euler.chars().zip(e) {
                let axis = match c.to_ascii_lowercase() {
                    'x' => Vec3::X,
                    'y' => Vec3::Y,
                    _ => Vec3::Z,
                };
                let turn = math::rotation(axis * self.angle(x));
                // Capital letters turn about the fixed axes.
                q = if c.is_ascii_uppercase() { turn * q } else { q * turn };
            }
            return Some(q.normalize());
        }
        if let Some(a) = self.numbers(reader, node, class, "xyaxes")
            && a.len() == 6
        {
            let x = Vec3::new(a[0], a[1], a[2]).try_normalize()?;
            let y = Vec3::new(a[3], a[4], a[5]);
            let y = (y - x * x.dot(y)).try_normalize()?;
            return Some(Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize());
        }
        let z = self.vector(reader, node, class, "zaxis")?.try_normalize()?;
        Some(mjcf_geom::to_z(z))
    }

    /// A name for something that has none.
    pub fn fresh(&mut self, kind: &str) -> String {
        self.number += 1;
        format!("{kind} {}", self.number)
    }
}

/// The tree of a model.
pub(super) fn tree<'a>(reader: &mut Reader, root: Node<'a, '_>) -> Option<Table> {
    let before = reader.errors();
    let compiler = child(root, "compiler");
    let word = |name: &str| compiler.and_then(|c| c.attribute(name));
    let mut model = Model {
        degrees: word("angle") != Some("radian"),
        euler: word("eulerseq").unwrap_or("xyz").to_owned(),
        mesh_folder: word("meshdir").unwrap_or("").to_owned(),
        defaults: BTreeMap::from([("main".to_owned(), BTreeMap::new())]),
        meshes: BTreeMap::new(),
        colors: BTreeMap::new(),
        poses: BTreeMap::new(),
        items: Items::default(),
        number: 0,
    };
    for node in elements(root).filter(|n| n.has_tag_name("default")) {
        defaults(&mut model, node, "main", 0);
    }
    let mut scene = Make::new(&tag(root));
    scene.text("title", root.attribute("model").unwrap_or("a model"));
    world(reader, root, &mut scene);
    for node in elements(root) {
        match node.tag_name().name() {
            "compiler" | "default" | "option" | "size" | "visual" | "statistic" => {}
            "asset" => assets(reader, node, &mut model),
            "worldbody" => {
                let place = Place { name: "world", pose: Pose::IDENTITY, fixed: true, class: "main" };
                inside(reader, node, &mut model, &place, 0);
            }
            "actuator" => elements(node).for_each(|n| mjcf_joint::actuator(reader, n, &mut model)),
            "equality" => elements(node).for_each(|n| equality(reader, n, &mut model)),
            _ => left_out(reader, node),
        }
    }
    std::mem::take(&mut model.items).into_scene(&mut scene);
    (reader.errors() == before).then(|| scene.table())
}

fn world(reader: &mut Reader, root: Node<'_, '_>, scene: &mut Make) {
    let option = child(root, "option");
    let span = option.map_or_else(|| tag(root), tag);
    let mut world = Make::new(&span);
    let step = option.and_then(|o| super::xml::number(reader, o, "timestep"));
    world.number("step", step.unwrap_or(USUAL_STEP));
    if let Some(gravity) = option.and_then(|o| super::xml::vector(reader, o, "gravity")) {
        world.vector("gravity", gravity);
    }
    scene.put("world", world.done().value);
}

/// Flattens the tree of default classes: a class has its parent's values and its own.
fn defaults(model: &mut Model<'_>, node: Node<'_, '_>, parent: &str, depth: usize) {
    let class = node.attribute("class").unwrap_or(parent).to_owned();
    let mut own = model.defaults.get(parent).cloned().unwrap_or_default();
    for element in elements(node).filter(|n| !n.has_tag_name("default")) {
        for a in element.attributes() {
            own.insert((element.tag_name().name().to_owned(), a.name().to_owned()), a.value().to_owned());
        }
    }
    model.defaults.insert(class.clone(), own);
    if depth < MAX_DEPTH.min(16) {
        for inner in elements(node).filter(|n| n.has_tag_name("default")) {
            defaults(model, inner, &class, depth + 1);
        }
    }
}

fn assets<'a>(reader: &mut Reader, node: Node<'a, '_>, model: &mut Model<'a>) {
    for asset in elements(node) {
        match asset.tag_name().name() {
            "mesh" => {
                let Some(file) = asset.attribute("file") else {
                    left_out(reader, asset);
                    continue;
                };
                let stem = file.rsplit(['/', '\\']).next().and_then(|f| f.split('.').next()).unwrap_or(file);
                let name = asset.attribute("name").unwrap_or(stem).to_owned();
                let scale = model.vector(reader, asset, "main", "scale");
                let path = if model.mesh_folder.is_empty() {
                    file.to_owned()
                } else {
                    format!("{}/{file}", model.mesh_folder.trim_end_matches('/'))
                };
                model.meshes.insert(name, (path, scale, place(asset, "file")));
            }
            "material" => {
                if let (Some(name), Some(rgba)) =
                    (asset.attribute("name"), model.numbers(reader, asset, "main", "rgba"))
                    && let Some(hex) = super::urdf_shape::hex(&rgba)
                {
                    model.colors.insert(name, hex);
                }
            }
            "texture" => {}
            _ => left_out(reader, asset),
        }
    }
}

/// Where the elements of a body are read.
struct Place<'p> {
    /// Name of the body that they belong to.
    name: &'p str,
    pose: Pose,
    /// Whether it stands still.
    fixed: bool,
    class: &'p str,
}

/// Reads the bodies inside a body.
fn inside(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>, at: &Place<'_>, depth: usize) {
    if depth > MAX_DEPTH {
        reader.error(Code::TooLarge, &tag(node), format!("bodies are nested deeper than {MAX_DEPTH}"), "too deep");
        return;
    }
    for inner in elements(node) {
        match inner.tag_name().name() {
            "body" => body(reader, inner, model, at, depth),
            "geom" if depth == 0 => world_geom(reader, inner, model, at.class),
            "geom" | "joint" | "freejoint" | "inertial" => {}
            _ => left_out(reader, inner),
        }
    }
}

/// A geom of the world: a body of its own that stands still.
fn world_geom(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>, class: &str) {
    let Some(geom) = mjcf_geom::geom(reader, node, model, class) else { return };
    let given = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("geom"));
    let mut body = Make::new(&tag(node));
    let name = model.items.claim(&given, "geom");
    body.text("name", &name).text("kind", "static").put("shape", geom.item.value);
    if let Some(color) = &geom.color {
        body.text("color", color);
    }
    model.items.body.push(body.done());
}

fn body(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>, parent: &Place<'_>, depth: usize) {
    let class = node.attribute("childclass").unwrap_or(parent.class);
    let local = model.pose(reader, node, class);
    let pose = if local == Pose::IDENTITY { parent.pose } else { parent.pose.then(&local) };
    let given = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("body"));
    let name = model.items.claim(&given, "body");
    model.poses.insert(given.clone(), pose);
    model.items.bodies.insert(given, name.clone());
    let joints: Vec<Node<'_, '_>> =
        elements(node).filter(|n| matches!(n.tag_name().name(), "joint" | "freejoint")).collect();
    let fixed = parent.fixed && joints.is_empty();
    let geoms: Vec<Geom> = elements(node)
        .filter(|n| n.has_tag_name("geom"))
        .filter_map(|n| mjcf_geom::geom(reader, n, model, class))
        .collect();
    let mut make = Make::new(&place(node, "name"));
    make.text("name", &name).pose(&pose);
    if fixed {
        make.text("kind", "static");
    }
    match child(node, "inertial") {
        Some(inertial) => inertia(reader, inertial, model, class, &mut make),
        None => mjcf_geom::mass(reader, node, &geoms, fixed, &mut make),
    }
    if let Some(color) = geoms.iter().find_map(|g| g.color.clone()) {
        make.text("color", &color);
    }
    if let Some(shape) = super::urdf_shape::together(geoms.into_iter().map(|g| g.item).collect()) {
        make.put("shape", shape);
    }
    model.items.body.push(make.done());
    if !fixed {
        mjcf_joint::joints(reader, node, &joints, model, class, [parent.name, &name], &pose);
    }
    let here = Place { name: &name, pose, fixed, class };
    inside(reader, node, model, &here, depth + 1);
}

fn inertia(reader: &mut Reader, node: Node<'_, '_>, model: &Model<'_>, class: &str, make: &mut Make) {
    let pose = model.pose(reader, node, class);
    let Some(mass) = model.number(reader, node, class, "mass") else {
        required(reader, node, "mass");
        return;
    };
    let local = if let Some(d) = model.vector(reader, node, class, "diaginertia") {
        Mat3::from_diagonal(d)
    } else {
        match model.numbers(reader, node, class, "fullinertia").as_deref() {
            Some(&[xx, yy, zz, xy, xz, yz]) => {
                Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
            }
            _ => Mat3::ZERO,
        }
    };
    let r = Mat3::from_quat(pose.rotation);
    make.number("mass", mass).vector("center", pose.position).matrix("inertia", r * local * r.transpose());
}

fn equality(reader: &mut Reader, node: Node<'_, '_>, model: &mut Model<'_>) {
    let kind = match node.tag_name().name() {
        "connect" => "ball",
        "weld" => "fixed",
        _ => {
            left_out(reader, node);
            return;
        }
    };
    let Some(first) = node.attribute("body1") else {
        left_out(reader, node);
        return;
    };
    let second = node.attribute("body2").unwrap_or("world");
    let Some(pose) = model.poses.get(first).copied() else {
        let message = format!("there is no body \"{first}\"");
        reader.error(Code::UnknownName, &place(node, "body1"), message, "unknown body");
        return;
    };
    let anchor = model.vector(reader, node, "main", "anchor").unwrap_or_default();
    let given = node.attribute("name").map(str::to_owned).unwrap_or_else(|| model.fresh("equality"));
    let name = model.items.claim(&given, "joint");
    let mut make = Make::new(&tag(node));
    let of = |n: &str| model.items.bodies.get(n).cloned().unwrap_or_else(|| n.to_owned());
    let (a, b) = (of(first), of(second));
    make.text("name", &name).text("type", kind).names("bodies", [&a, &b]).vector("at", pose.point(anchor));
    if node.attribute("active") == Some("false") {
        make.put("active", crate::node::Value::Bool(false));
    }
    model.items.joint.push(make.done());
}

/// `{ min, max }` of a coordinate.
pub(super) fn limits(span: &Span, coordinate: &str, low: f64, high: f64) -> crate::node::Value {
    let mut make = Make::new(span);
    make.put(coordinate, numbers(span, &[("min", low), ("max", high)]));
    make.done().value
}
