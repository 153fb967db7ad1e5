//! What holds for a whole MJCF model: the compiler's settings, default classes, and attributes read
//! through them.

use super::make::Items;
use super::make::{Make, numbers};
use super::mjcf_body::{Carrier, Part};
use super::mjcf_contact::Contacts;
use super::mjcf_drive::{KINDS, Shortcut};
use super::mjcf_geom;
use super::mjcf_inertia::{MassMatrix, TreeJoint};
use super::mjcf_mesh::Meshes;
use super::mjcf_tendon::Tendon;
use super::mjcf_terrain::Terrain;
use super::xml::{elements, place, wrong_count};
use crate::node::{Entry, Node as Item, Value};
use crate::problem::Code;
use crate::read::Reader;
use crate::robot::{Freedom, Link, Robot};
use crate::source::Span;
use kreisel_dynamics::{Mat3, Quat, Vec3, math};
use kreisel_geometry::Pose;
use roxmltree::Node;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Deepest nesting of default classes.
const MAX_DEPTH: usize = 16;

/// `<compiler>`: how the rest of the file is meant.
pub(super) struct Compiler {
    /// Angles in degrees.
    pub degrees: bool,
    pub euler: String,
    pub mesh_folder: String,
    /// Only the names of mesh files count, not their folders.
    pub strip_path: bool,
    /// A range means that it limits.
    pub auto_limits: bool,
    /// Primitives are fitted to the bounding boxes of meshes instead of to their inertia.
    pub fit_box: bool,
    /// Masses come from geoms: always, never, or where there is no `<inertial>`.
    pub inertia_from_geom: Option<bool>,
    /// Groups of geoms that give mass.
    pub inertia_groups: [f64; 2],
    pub least_mass: f64,
    pub least_inertia: f64,
    /// Moments that no body can have are replaced by their mean.
    pub balance: bool,
    /// What all masses are scaled to.
    pub total_mass: Option<f64>,
}

/// Attributes of default classes by element and name.
type Class = BTreeMap<(String, String), String>;

/// A joint that actuators may name.
pub(super) struct Driven {
    /// Its name here.
    pub name: String,
    /// The coordinate that it moves; none if it is one of several joints of its body that have none
    /// of their own here.
    pub coordinate: Option<&'static str>,
    /// The value of the coordinate in the pose of the file, which is 0 here.
    pub reference: f64,
    /// Its bounds in the model's own count.
    pub range: Option<[f64; 2]>,
    /// The most that all its actuators give.
    pub effort: Option<f64>,
    /// Whether it has dry friction.
    pub rubs: bool,
    /// Its number among the robot's links.
    pub link: usize,
}

/// A joint whose spring and damper follow from the inertia that it feels (`springdamper`).
pub(super) struct Timed {
    /// Its number among the items, and that of its link.
    pub joint: usize,
    pub link: usize,
    pub coordinate: &'static str,
    /// Time constant, s, and damping ratio.
    pub timing: (f64, f64),
}

/// What holds for the whole model.
pub(super) struct Model<'a> {
    pub compiler: Compiler,
    /// Default classes with what they inherit.
    defaults: BTreeMap<String, Class>,
    /// Actuators of default classes with those that they inherit, in their order.
    shortcuts: BTreeMap<String, Vec<Shortcut>>,
    pub meshes: Meshes,
    pub colors: BTreeMap<&'a str, String>,
    pub contacts: Contacts,
    /// Rigid bodies, and the bodies of the model that they are made of by name.
    pub carriers: Vec<Carrier>,
    pub parts: BTreeMap<String, Part>,
    /// Joints by their names in the model.
    pub joints: BTreeMap<String, Driven>,
    /// Joints whose springs are not known yet.
    pub timed: Vec<Timed>,
    /// Sites by name: the rigid body that carries each, and its pose in the world.
    pub sites: BTreeMap<String, (Option<usize>, Pose)>,
    /// Tendons by their names in the model.
    pub tendons: BTreeMap<String, Tendon>,
    pub gravity: Vec3,
    /// Density, viscosity and velocity of the fluid around.
    pub fluid: (f64, f64, Vec3),
    pub terrains: BTreeMap<String, Terrain>,
    pub items: Items,
    /// Coordinates, actuators and keyframes as the file counts them.
    pub robot: Robot,
    /// The joints of the robot's links.
    tree: Vec<TreeJoint>,
    /// Once the bodies are known.
    inertia: OnceCell<MassMatrix>,
    /// Numbers of links by rigid body.
    links: BTreeMap<usize, usize>,
    number: usize,
}

impl Compiler {
    fn new(reader: &mut Reader, root: Node<'_, '_>) -> Self {
        // Sections may stand several times (each included file has its own); what is said later
        // counts.
        let all: Vec<Node<'_, '_>> =
            elements(root).filter(|n| n.has_tag_name("compiler")).collect();
        let word = |name: &str| all.iter().rev().find_map(|n| n.attribute(name));
        let mut numbers = |name: &str| {
            let node = all.iter().rev().find(|n| n.has_attribute(name))?;
            super::xml::numbers(reader, *node, name)
        };
        let groups = numbers("inertiagrouprange").filter(|g| g.len() == 2);
        let (least_mass, least_inertia) = (numbers("boundmass"), numbers("boundinertia"));
        let total_mass =
            numbers("settotalmass").and_then(|l| l.first().copied()).filter(|m| *m > 0.0);
        let one = |list: Option<Vec<f64>>| list.and_then(|l| l.first().copied()).unwrap_or(0.0);
        let out = Self {
            degrees: word("angle") != Some("radian"),
            euler: word("eulerseq").unwrap_or("xyz").to_owned(),
            mesh_folder: word("meshdir").or(word("assetdir")).unwrap_or("").to_owned(),
            strip_path: word("strippath") == Some("true"),
            auto_limits: word("autolimits") != Some("false"),
            fit_box: word("fitaabb") == Some("true"),
            inertia_from_geom: match word("inertiafromgeom") {
                Some("true") => Some(true),
                Some("false") => Some(false),
                _ => None,
            },
            inertia_groups: groups.map_or([0.0, 5.0], |g| [g[0], g[1]]),
            least_mass: one(least_mass),
            least_inertia: one(least_inertia),
            balance: word("balanceinertia") == Some("true"),
            total_mass,
        };
        // What else the compiler of MuJoCo would do to the physics.
        for node in all {
            for (name, usual) in [("coordinate", "local"), ("alignfree", "false")] {
                if node.attribute(name).is_some_and(|v| v != usual) {
                    super::xml::lost_attribute(
                        reader,
                        node,
                        name,
                        "the model is taken as it is written",
                    );
                }
            }
        }
        out
    }

    pub fn angle(&self, x: f64) -> f64 {
        if self.degrees { x.to_radians() } else { x }
    }
}

impl<'a> Model<'a> {
    pub fn new(reader: &mut Reader, root: Node<'a, '_>) -> Self {
        let mut model = Self {
            compiler: Compiler::new(reader, root),
            defaults: BTreeMap::from([("main".to_owned(), Class::new())]),
            shortcuts: BTreeMap::new(),
            meshes: Meshes::default(),
            colors: BTreeMap::new(),
            contacts: Contacts::default(),
            carriers: Vec::new(),
            parts: BTreeMap::new(),
            joints: BTreeMap::new(),
            timed: Vec::new(),
            sites: BTreeMap::new(),
            tendons: BTreeMap::new(),
            gravity: Vec3::new(0.0, 0.0, -9.81),
            fluid: (0.0, 0.0, Vec3::ZERO),
            terrains: BTreeMap::new(),
            items: Items::default(),
            robot: Robot::default(),
            tree: Vec::new(),
            inertia: OnceCell::new(),
            links: BTreeMap::new(),
            number: 0,
        };
        for node in elements(root).filter(|n| n.has_tag_name("default")) {
            model.class(node, "main", 0);
        }
        model
    }

    /// Flattens the tree of default classes: a class has its parent's values and its own.
    fn class(&mut self, node: Node<'_, '_>, parent: &str, depth: usize) {
        let class = node.attribute("class").unwrap_or(parent).to_owned();
        let mut own = self.defaults.get(parent).cloned().unwrap_or_default();
        let mut drives = self.shortcuts.get(parent).cloned().unwrap_or_default();
        for element in elements(node).filter(|n| !n.has_tag_name("default")) {
            if KINDS.contains(&element.tag_name().name()) {
                let given = element
                    .attributes()
                    .map(|a| (a.name().to_owned(), a.value().to_owned()))
                    .collect();
                drives.push((element.tag_name().name().to_owned(), given));
            }
            for a in element.attributes() {
                own.insert(
                    (element.tag_name().name().to_owned(), a.name().to_owned()),
                    a.value().to_owned(),
                );
            }
        }
        self.defaults.insert(class.clone(), own);
        self.shortcuts.insert(class.clone(), drives);
        if depth < MAX_DEPTH {
            for inner in elements(node).filter(|n| n.has_tag_name("default")) {
                self.class(inner, &class, depth + 1);
            }
        }
    }

    fn class_of(&self, node: Node<'_, '_>, class: &str) -> Option<&Class> {
        let class = node.attribute("class").unwrap_or(class);
        self.defaults.get(class).or_else(|| self.defaults.get("main"))
    }

    /// Actuators of a default class.
    pub fn shortcuts(&self, class: &str) -> &[Shortcut] {
        self.shortcuts.get(class).or_else(|| self.shortcuts.get("main")).map_or(&[], Vec::as_slice)
    }

    /// Whether a range limits: `limited` says so, or that there is a range.
    pub fn limits(&self, limited: Option<&str>) -> bool {
        match limited {
            Some("false") => false,
            Some("true") => true,
            _ => self.compiler.auto_limits,
        }
    }

    /// An attribute of an element, or that of its class.
    pub fn attribute(&self, node: Node<'_, '_>, class: &str, name: &str) -> Option<String> {
        if let Some(own) = node.attribute(name) {
            return Some(own.to_owned());
        }
        let key = (node.tag_name().name().to_owned(), name.to_owned());
        self.class_of(node, class)?.get(&key).cloned()
    }

    /// Names the attributes of an element, its own and those of its class, that are none of
    /// `known`: they are not read, which is a loss.
    pub fn unread(
        &self,
        reader: &mut Reader,
        node: Node<'_, '_>,
        class: &str,
        known: &[&str],
        why: &str,
    ) {
        let tag = node.tag_name().name();
        let mut names: Vec<String> = node.attributes().map(|a| a.name().to_owned()).collect();
        if let Some(class) = self.class_of(node, class) {
            names.extend(
                class.keys().filter(|(element, _)| element == tag).map(|(_, name)| name.clone()),
            );
        }
        names.sort();
        names.dedup();
        for name in
            names.iter().filter(|n| !known.contains(&n.as_str()) && *n != "name" && *n != "class")
        {
            super::xml::lost_attribute(reader, node, name, why);
        }
    }

    /// The numbers of an attribute.
    pub fn numbers(
        &self,
        reader: &mut Reader,
        node: Node<'_, '_>,
        class: &str,
        name: &str,
    ) -> Option<Vec<f64>> {
        let text = self.attribute(node, class, name)?;
        let list: Option<Vec<f64>> = text
            .split_whitespace()
            .map(|w| w.parse().ok().filter(|x: &f64| x.is_finite()))
            .collect();
        if list.is_none() {
            let message = format!("{name} = \"{text}\" is not a list of finite numbers");
            reader.error(Code::WrongValue, &place(node, name), message, "not numbers");
        }
        list
    }

    pub fn number(
        &self,
        reader: &mut Reader,
        node: Node<'_, '_>,
        class: &str,
        name: &str,
    ) -> Option<f64> {
        self.numbers(reader, node, class, name)?.first().copied()
    }

    pub fn vector(
        &self,
        reader: &mut Reader,
        node: Node<'_, '_>,
        class: &str,
        name: &str,
    ) -> Option<Vec3> {
        let list = self.numbers(reader, node, class, name)?;
        if let [x, y, z] = list[..] {
            return Some(Vec3::new(x, y, z));
        }
        wrong_count(reader, node, name, "three numbers", list.len());
        None
    }

    /// Two numbers that bound a value, if they do: `limited` says so, or the range itself.
    pub fn range(
        &self,
        reader: &mut Reader,
        node: Node<'_, '_>,
        class: &str,
        [range, limited]: [&str; 2],
    ) -> Option<[f64; 2]> {
        let list = self.numbers(reader, node, class, range)?;
        let &[low, high] = list.as_slice() else { return None };
        self.limits(self.attribute(node, class, limited).as_deref()).then_some([low, high])
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
            return Some(math::rotation(
                Vec3::new(x, y, z).normalize_or_zero() * self.compiler.angle(angle),
            ));
        }
        if let Some(e) = self.numbers(reader, node, class, "euler")
            && e.len() == 3
        {
            let mut q = Quat::IDENTITY;
            for (c, x) in self.compiler.euler.chars().zip(e) {
                let axis = match c.to_ascii_lowercase() {
                    'x' => Vec3::X,
                    'y' => Vec3::Y,
                    _ => Vec3::Z,
                };
                let turn = math::rotation(axis * self.compiler.angle(x));
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

    /// Notes how a rigid body moves against the one that carries it.
    pub fn link(
        &mut self,
        above: Option<usize>,
        pose: Pose,
        joint: Option<&str>,
        freedom: Freedom,
        tree: TreeJoint,
    ) {
        let own = tree.carrier;
        self.tree.push(tree);
        let parent = above.and_then(|a| self.links.get(&a).copied());
        // what stands still is the world's
        let pose = match above.filter(|_| parent.is_none()) {
            Some(still) => mjcf_geom::after(&self.carriers[still].pose, &pose),
            None => pose,
        };
        self.links.insert(own, self.robot.links.len());
        let body = self.carriers[own].name.clone();
        self.robot.links.push(Link {
            body,
            parent,
            pose,
            joint: joint.map(str::to_owned),
            freedom,
        });
    }

    /// Notes a site.
    pub fn site(&mut self, node: Node<'_, '_>, carrier: Option<usize>, pose: &Pose) {
        if let Some(name) = node.attribute("name") {
            self.sites.insert(name.to_owned(), (carrier, *pose));
        }
    }

    /// Springs and dampers by time constant T and damping ratio ζ, with the inertia I that a joint
    /// feels: I/(T ζ)² and 2 I/T.
    pub fn time_springs(&mut self) {
        for Timed { joint, link, coordinate, timing: (time, ratio) } in
            std::mem::take(&mut self.timed)
        {
            let inertia = self.felt(&[(link, 1.0)]);
            let values = [
                ("stiffness", inertia / (time * ratio).powi(2)),
                ("damping", 2.0 * inertia / time),
            ];
            let Some(item) = self.items.joint.get_mut(joint) else { continue };
            for (key, value) in values {
                let value = numbers(&item.span, &[(coordinate, value)]);
                if let Value::Table(table) = &mut item.value {
                    let node = Item { span: item.span.clone(), value };
                    table.entries.push(Entry {
                        key: key.to_owned(),
                        key_span: item.span.clone(),
                        node,
                    });
                }
            }
        }
    }

    /// Two bodies that do not meet.
    pub fn apart(&mut self, span: &Span, bodies: [&str; 2]) {
        let mut make = Make::new(span);
        let name = self.fresh("apart");
        let name = self.items.claim(&name, "joint");
        make.text("name", &name)
            .text("type", "free")
            .names("bodies", bodies)
            .vector("at", Vec3::ZERO);
        self.items.joint.push(make.done());
    }

    /// Inertia in the pose of the file that something feels which moves by moments with links.
    pub fn felt(&self, moments: &[(usize, f64)]) -> f64 {
        self.matrix().felt(moments)
    }

    /// The same for moments by rate.
    pub fn felt_dense(&self, moments: &[f64]) -> f64 {
        self.matrix().felt_dense(moments)
    }

    /// Accelerations that a unit of something gives which moves by moments with rates.
    pub fn answer(&self, moments: &[f64]) -> f64 {
        self.matrix().answer(moments)
    }

    /// Moments by rate, of moments by joint.
    pub fn dense_of_terms(&self, moments: &[(usize, f64)]) -> Vec<f64> {
        self.matrix().dense(moments)
    }

    /// Moments by rate of forces at points of rigid bodies, in the world.
    pub fn dense(&self, forces: &[(Option<usize>, Vec3, Vec3)]) -> Vec<f64> {
        self.matrix().of_forces(&self.carriers, &self.tree, forces)
    }

    fn matrix(&self) -> &MassMatrix {
        self.inertia.get_or_init(|| MassMatrix::new(&self.carriers, &self.tree))
    }

    /// A name for something that has none.
    pub fn fresh(&mut self, kind: &str) -> String {
        self.number += 1;
        format!("{kind} {}", self.number)
    }
}
