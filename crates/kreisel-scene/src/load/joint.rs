//! `[[joint]]`.

use super::names::Built;
use super::passive;
use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Table, Value};
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use kreisel_dynamics::{Breaking, Coordinate, Friction, Joint, JointKind, Limit, PositionPart, RotationPart, Vec3};
use kreisel_geometry::Pose;

/// What the word after `type` stands for.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    Kind(JointKind),
    /// Parts are given.
    Combined,
    /// A distance with an upper limit only.
    Rope,
}

impl Type {
    /// The kind of joint, as far as it is known without parts.
    fn joint(self) -> JointKind {
        if let Self::Kind(kind) = self { kind } else { JointKind::FREE }
    }
}

/// Reads a joint and adds it to the world.
pub(super) fn read(reader: &mut Reader, fields: &Fields<'_>, built: &mut Built) -> Option<()> {
    let name = built.claim(reader, fields, "joint");
    let kind = reader.required(fields, "type").and_then(|n| joint_type(reader, n));
    let guide = matches!(kind, Some(Type::Kind(JointKind::Rail | JointKind::Polygon)));
    let frame = built.frame(reader, fields)?;
    let places = if guide { several(reader, fields, built, &frame) } else { None };
    let bodies = match &places {
        Some(list) => Some([list[0].0, list[1].0]),
        None if guide => None,
        None => built.pair(reader, fields),
    };
    let anchors = match &places {
        Some(list) => Some([list[0].1, list[1].1]),
        None => anchors(reader, fields, &frame),
    };
    let axis = direction(reader, fields, "axis", &frame);
    let axis2 = direction(reader, fields, "axis2", &frame);
    let length = optional(fields.get("length"), |n| reader.positive(n, "the length"));
    let limits = optional(fields.get("limits"), |n| limits(reader, n));
    let friction = optional(fields.get("friction"), |n| friction(reader, n));
    let passive =
        passive::KEYS.map(|key| optional(fields.get(key), |n| passive::values(reader, n, key, kind?.joint())));
    let breaking = optional(fields.get("breaking"), |n| breaking(reader, n));
    let velocity_only = optional(fields.get("velocity_only"), |n| reader.flag(n));
    let turns = optional(fields.get("turns"), |n| reader.whole(n));
    let active = optional(fields.get("active"), |n| reader.flag(n));
    let collide = optional(fields.get("collide"), |n| reader.flag(n));
    let (kind, bodies, anchors) = (kind?, bodies?, anchors?);
    let joint_kind = match kind {
        Type::Kind(_) | Type::Rope => kind.joint(),
        Type::Combined => {
            let (position, rotation) = reader.required(fields, "parts").and_then(|n| parts(reader, n))?;
            JointKind::Combined(position, rotation)
        }
    };
    if kind != Type::Combined
        && let Some(n) = fields.get("parts")
    {
        let message = "only a combined joint takes `parts`";
        reader.error(Code::WrongValue, &n.span, message, "not here").help("write type = \"combined\"");
        return None;
    }
    let mut joint = Joint::new(joint_kind, bodies[0], bodies[1]);
    joint.name = name?;
    joint.anchors = anchors;
    joint.more = places.map_or_else(Vec::new, |list| list[2..].to_vec());
    joint.axis = axis?.unwrap_or(frame.direction(Vec3::Z));
    joint.axis2 = axis2?;
    joint.length = length?;
    joint.limits = limits?.unwrap_or_default();
    joint.friction = friction?.unwrap_or_default();
    for (key, values) in passive::KEYS.into_iter().zip(passive) {
        passive::put(&mut joint, key, values?.unwrap_or_default());
    }
    joint.breaking = breaking?;
    joint.velocity_only = velocity_only?.unwrap_or(false);
    joint.active = active?.unwrap_or(true);
    joint.collide = collide?.unwrap_or(false);
    if kind == Type::Rope {
        let length = joint.length.take().unwrap_or_else(|| anchors[0].distance(anchors[1]));
        joint.limits.push(Limit::new(Coordinate::Length, 0.0, length));
    }
    let turns = turns?.unwrap_or(0);
    let given = joint.name.clone();
    match built.world.add_joint(joint) {
        Ok(id) => {
            let actual = built.world.joint_name(id);
            built.built(reader, &given, actual.as_deref(), fields.place("name"));
            if turns != 0 {
                built.turns.push((id, turns.clamp(-1_000_000, 1_000_000) as i32));
            }
            Some(())
        }
        Err(e) => {
            reader.model_error(fields, &e);
            None
        }
    }
}

fn joint_type(reader: &mut Reader, node: &Node) -> Option<Type> {
    let mut words: Vec<(&str, Type)> = JointKind::NAMED.iter().map(|k| (k.name(), Type::Kind(*k))).collect();
    words.extend([JointKind::Rail, JointKind::Polygon].map(|k| (k.name(), Type::Kind(k))));
    words.extend([("rope", Type::Rope), ("free", Type::Kind(JointKind::FREE)), ("combined", Type::Combined)]);
    reader.choice(node, "type of joint", &words)
}

/// The bodies and anchors of a rail or polygon: its first end or corner, the point, then the
/// others.
fn several(
    reader: &mut Reader,
    fields: &Fields<'_>,
    built: &Built,
    frame: &Pose,
) -> Option<Vec<(kreisel_dynamics::BodyId, Vec3)>> {
    let (names, places) = (reader.required(fields, "bodies")?, reader.required(fields, "at")?);
    let (Value::Array(bodies), Value::Array(at)) = (&names.value, &places.value) else {
        reader.wrong_type(names, "an array of names: the first end or corner, the point, then the others");
        return None;
    };
    if bodies.len() < 3 || bodies.len() != at.len() {
        let message = format!("{} bodies and {} places", bodies.len(), at.len());
        let help = "a rail has three bodies (an end, the point, the other end), a polygon four or more, and `at` a place for each";
        reader.error(Code::WrongValue, &names.span, message, "not as many as it takes").help(help);
        return None;
    }
    let one = |(body, at): (&Node, &Node)| {
        let body = built.body(reader, body);
        let at = reader.vec3(at, Unit::Plain);
        Some((body?, frame.point(at?)))
    };
    bodies.iter().zip(at).map(one).collect()
}

fn parts(reader: &mut Reader, node: &Node) -> Option<(PositionPart, RotationPart)> {
    let items = reader.array(node, 2, "a position part and a rotation part, such as [\"line\", \"axis\"]")?;
    let position = reader.choice(
        &items[0],
        "position part",
        &[
            ("free", PositionPart::Free),
            ("plane", PositionPart::Plane),
            ("line", PositionPart::Line),
            ("point", PositionPart::Point),
            ("distance", PositionPart::Distance),
        ],
    );
    let rotation = reader.choice(
        &items[1],
        "rotation part",
        &[
            ("free", RotationPart::Free),
            ("angle", RotationPart::Angle),
            ("axis", RotationPart::Axis),
            ("fixed", RotationPart::Fixed),
        ],
    );
    Some((position?, rotation?))
}

/// One point for both bodies, or one each, in world coordinates.
pub(super) fn anchors(reader: &mut Reader, fields: &Fields<'_>, frame: &Pose) -> Option<[Vec3; 2]> {
    let Some(node) = fields.get("at") else { return Some([frame.position; 2]) };
    if let Value::Array(items) = &node.value
        && items.len() == 2
    {
        let [a, b] = [0, 1].map(|k| reader.vec3(&items[k], Unit::Plain));
        return Some([frame.point(a?), frame.point(b?)]);
    }
    Some([frame.point(reader.vec3(node, Unit::Plain)?); 2])
}

fn direction(reader: &mut Reader, fields: &Fields<'_>, key: &'static str, frame: &Pose) -> Option<Option<Vec3>> {
    optional(fields.get(key), |n| reader.vec3(n, Unit::Plain).map(|v| frame.direction(v)))
}

/// The coordinates that the keys of `limits`, `friction` and the like name, with their units.
pub(super) fn coordinates<'n>(
    reader: &mut Reader,
    table: &'n Table,
    node: &'n Node,
) -> Vec<(Coordinate, Unit, &'n Node)> {
    let fields = reader.fields(table, &node.span, &grammar::COORDINATES);
    let all = [
        ("angle", Coordinate::Angle, Unit::Angle),
        ("position", Coordinate::Position, Unit::Plain),
        ("length", Coordinate::Length, Unit::Plain),
        ("swing", Coordinate::Swing, Unit::Angle),
    ];
    all.into_iter().filter_map(|(key, c, unit)| Some((c, unit, fields.get(key)?))).collect()
}

fn limits(reader: &mut Reader, node: &Node) -> Option<Vec<Limit>> {
    let table = reader.table(node, "limits by coordinate, such as { angle = [\"-90 deg\", \"90 deg\"] }")?;
    let mut out = Vec::new();
    for (coordinate, unit, n) in coordinates(reader, table, node) {
        let mut limit = Limit::new(coordinate, f64::NEG_INFINITY, f64::INFINITY);
        if let Value::Table(table) = &n.value {
            let fields = reader.fields(table, &n.span, &grammar::LIMIT);
            let mut bound = |key, target: &mut f64| {
                if let Some(x) = optional(fields.get(key), |n| reader.number_or_infinite(n, unit))? {
                    *target = x;
                }
                Some(())
            };
            bound("min", &mut limit.min)?;
            bound("max", &mut limit.max)?;
            if let Some(e) = optional(fields.get("restitution"), |n| fraction(reader, n))? {
                limit.restitution = e;
            }
        } else {
            let items = reader.array(n, 2, "a lower and an upper bound")?;
            let [min, max] = [0, 1].map(|k| reader.number_or_infinite(&items[k], unit));
            (limit.min, limit.max) = (min?, max?);
        }
        out.push(limit);
    }
    Some(out)
}

pub(super) fn fraction(reader: &mut Reader, node: &Node) -> Option<f64> {
    let e = reader.plain(node)?;
    if (0.0..=1.0).contains(&e) {
        return Some(e);
    }
    let message = format!("the restitution must be from 0 to 1, it is {e}");
    reader.error(Code::WrongValue, &node.span, message, "not possible");
    None
}

fn friction(reader: &mut Reader, node: &Node) -> Option<Vec<Friction>> {
    let table = reader.table(node, "friction by coordinate, such as { angle = 0.1 }")?;
    let mut out = Vec::new();
    for (coordinate, _, n) in coordinates(reader, table, node) {
        out.push(Friction { coordinate, effort: reader.plain(n)? });
    }
    Some(out)
}

fn breaking(reader: &mut Reader, node: &Node) -> Option<Breaking> {
    let table = reader.table(node, "{ force = …, torque = … }")?;
    let fields = reader.fields(table, &node.span, &grammar::BREAKING);
    let force = optional(fields.get("force"), |n| reader.number_or_infinite(n, Unit::Plain))?;
    let torque = optional(fields.get("torque"), |n| reader.number_or_infinite(n, Unit::Plain))?;
    Some(Breaking { force: force.unwrap_or(f64::INFINITY), torque: torque.unwrap_or(f64::INFINITY) })
}
