//! Materials and groups of bodies.

use crate::expr::Unit;
use crate::grammar;
use crate::node::{Node, Value};
use crate::problem::Code;
use crate::read::{Fields, Reader, optional};
use kreisel_dynamics::{CollisionGroups, Material, Vec3};

/// What a body's keys say about contact.
pub(super) struct Surface {
    pub collide: bool,
    pub material: Material,
    pub groups: CollisionGroups,
    pub sensor: bool,
    pub one_way: Option<Vec3>,
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
