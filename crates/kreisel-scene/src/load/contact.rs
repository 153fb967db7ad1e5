//! `[contact]`, materials, groups and the ground.

use super::names::Built;
use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use kreisel_dynamics::impact::MicroRule;
use kreisel_dynamics::{
    CollisionGroups, Cone, ContactMode, ContactSettings, ContactTime, ImpactLaw, Iteration, Material, PairMaterial,
    Precision, Rule, Vec3,
};
use kreisel_geometry::Shape;

const TIMES: &[(&str, ContactTime)] = &[("fast", ContactTime::Fast), ("exact", ContactTime::Exact)];

const MODES: &[(&str, ContactMode)] = &[("step", ContactMode::Step), ("event", ContactMode::Event)];

const MICRO: &[(&str, MicroRule)] =
    &[("cone", MicroRule::Cone), ("velocity", MicroRule::Velocity), ("never", MicroRule::Never)];

const LAWS: &[(&str, ImpactLaw)] =
    &[("newton", ImpactLaw::Newton), ("poisson", ImpactLaw::Poisson), ("stronge", ImpactLaw::Stronge)];

const CONES: &[(&str, Cone)] = &[("accumulated", Cone::Accumulated), ("printed", Cone::Printed)];

const ITERATIONS: &[(&str, Iteration)] = &[("extrapolated", Iteration::Extrapolated), ("plain", Iteration::Plain)];

const PRECISIONS: &[(&str, Precision)] = &[("auto", Precision::Auto), ("double", Precision::Double)];

const RULES: &[(&str, Rule)] = &[
    ("product", Rule::Product),
    ("sum", Rule::Sum),
    ("minimum", Rule::Minimum),
    ("maximum", Rule::Maximum),
    ("mean", Rule::Mean),
    ("geometric", Rule::Geometric),
];

/// What a body's keys say about contact.
pub(super) struct Surface {
    pub collide: bool,
    pub material: Material,
    pub groups: CollisionGroups,
    pub sensor: bool,
    pub one_way: Option<Vec3>,
}

/// Reads `[contact]` into the world's settings.
pub(super) fn read(reader: &mut Reader, scene: &Fields<'_>, built: &mut Built) {
    let Some(node) = scene.get("contact") else { return };
    let Some(table) = reader.table(node, "a table") else { return };
    let fields = reader.fields(table, &node.span, &grammar::CONTACT);
    let mut settings = built.world.settings().clone();
    if set(reader, &fields, &mut settings.contact).is_some()
        && let Err(e) = built.world.set_settings(settings)
    {
        reader.model_error(&fields, &e);
    }
}

fn set(reader: &mut Reader, fields: &Fields<'_>, s: &mut ContactSettings) -> Option<()> {
    if let Some(n) = fields.get("time") {
        s.time = reader.choice(n, "time of contact", TIMES)?;
    }
    if let Some(n) = fields.get("mode") {
        s.mode = reader.choice(n, "mode of contact", MODES)?;
    }
    if let Some(n) = fields.get("micro") {
        s.micro = reader.choice(n, "rule of micro-collisions", MICRO)?;
    }
    if let Some(n) = fields.get("max_events") {
        s.max_events = reader.count(n, "the number of events", 1_000_000_000)?;
    }
    if let Some(n) = fields.get("law") {
        s.law = reader.choice(n, "law of impact", LAWS)?;
    }
    if let Some(n) = fields.get("sleep") {
        s.sleep = reader.flag(n)?;
    }
    if let Some(n) = fields.get("shock") {
        s.shock = reader.count(n, "the number of sweeps", 1_000_000)?;
    }
    if let Some(n) = fields.get("cone") {
        s.cone = reader.choice(n, "cone of friction", CONES)?;
    }
    if let Some(n) = fields.get("iteration") {
        s.iteration = reader.choice(n, "iteration", ITERATIONS)?;
    }
    if let Some(n) = fields.get("precision") {
        s.precision = reader.choice(n, "precision", PRECISIONS)?;
    }
    if let Some(n) = fields.get("friction") {
        s.friction = reader.choice(n, "rule", RULES)?;
    }
    if let Some(n) = fields.get("restitution") {
        s.restitution = reader.choice(n, "rule", RULES)?;
    }
    for (key, target) in [
        ("tolerance", &mut s.tolerance),
        ("touch", &mut s.touch),
        ("push_speed", &mut s.push_speed),
        ("overlap", &mut s.overlap),
    ] {
        if let Some(n) = fields.get(key) {
            *target = reader.positive(n, key)?;
        }
    }
    if let Some(n) = fields.get("max_sweeps") {
        s.max_sweeps = Some(reader.count(n, "the number of sweeps", 1_000_000)?);
    }
    if let Some(n) = fields.get("velocity_sweeps") {
        s.velocity_sweeps = reader.count(n, "the number of sweeps", 1_000_000)?;
    }
    if let Some(n) = fields.get("pair") {
        let Value::Array(items) = &n.value else {
            let message = format!("expected [[contact.pair]], found {}", n.kind());
            reader.error(Code::WrongType, &n.span, message, "one bracket too few");
            return None;
        };
        for item in items {
            s.pairs.push(pair(reader, item)?);
        }
    }
    Some(())
}

fn pair(reader: &mut Reader, node: &Node) -> Option<PairMaterial> {
    let table = reader.table(node, "a table")?;
    let fields = reader.fields(table, &node.span, &grammar::MATERIAL_PAIR);
    let between = reader.required(&fields, "between")?;
    let items = reader.array(between, 2, "an array of two names of materials")?;
    let [a, b] = [0, 1].map(|k| reader.text(&items[k]));
    let number = |reader: &mut Reader, key| optional(fields.get(key), |n| reader.plain(n));
    Some(PairMaterial {
        between: [a?, b?],
        restitution: number(reader, "restitution")?,
        friction: number(reader, "friction")?,
        static_friction: number(reader, "static_friction")?,
    })
}

/// Reads a material from the keys of a body or the ground.
fn material(reader: &mut Reader, fields: &Fields<'_>) -> Option<Material> {
    let mut m = Material::default();
    if let Some(n) = fields.get("material") {
        m.name = reader.text(n)?;
    }
    for (key, target) in [
        ("restitution", &mut m.restitution),
        ("friction", &mut m.friction),
        ("rolling", &mut m.rolling),
        ("spinning", &mut m.spinning),
    ] {
        if let Some(n) = fields.get(key) {
            *target = reader.plain(n)?;
        }
    }
    m.static_friction = optional(fields.get("static_friction"), |n| reader.plain(n))?;
    Some(m)
}

/// Reads what a body's keys say about contact.
pub(super) fn surface(reader: &mut Reader, fields: &Fields<'_>) -> Option<Surface> {
    let flag = |reader: &mut Reader, key| optional(fields.get(key), |n| reader.flag(n));
    Some(Surface {
        collide: flag(reader, "collide")?.unwrap_or(true),
        material: material(reader, fields)?,
        groups: match fields.get("groups") {
            Some(n) => groups(reader, n)?,
            None => CollisionGroups::default(),
        },
        sensor: flag(reader, "sensor")?.unwrap_or(false),
        one_way: optional(fields.get("one_way"), |n| reader.vec3(n, Unit::Plain))?,
    })
}

fn groups(reader: &mut Reader, node: &Node) -> Option<CollisionGroups> {
    let table = reader.table(node, "{ member = [0], with = [0, 1] }")?;
    let fields = reader.fields(table, &node.span, &grammar::GROUPS);
    let bits = |reader: &mut Reader, key, default: u32| {
        let Some(n) = fields.get(key) else { return Some(default) };
        let Value::Array(items) = &n.value else {
            let message = format!("expected numbers of groups such as [0, 3], found {}", n.kind());
            reader.error(Code::WrongType, &n.span, message, "not an array");
            return None;
        };
        items.iter().try_fold(0, |bits, item| Some(bits | 1 << reader.count(item, "the number of a group", 31)?))
    };
    let all = CollisionGroups::default();
    let (member, with) = (bits(reader, "member", all.member), bits(reader, "with", all.with));
    Some(CollisionGroups { member: member?, with: with? })
}

/// Reads `ground` of `[world]`: a height, or a table with a material.
pub(super) fn ground(reader: &mut Reader, node: &Node, built: &mut Built) -> Option<()> {
    let (height, material) = if let Value::Table(table) = &node.value {
        let fields = reader.fields(table, &node.span, &grammar::GROUND);
        let height = optional(fields.get("height"), |n| reader.plain(n))?;
        (height.unwrap_or(0.0), material(reader, &fields)?)
    } else {
        (reader.plain(node)?, Material::default())
    };
    let shape = Shape::HalfSpace { normal: Vec3::Z, offset: height };
    if let Err(e) = built.world.set_ground(Some(shape), material) {
        reader.error(Code::Model, &node.span, e.to_string(), "refused");
    }
    Some(())
}
