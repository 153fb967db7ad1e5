//! Materials and groups of bodies as TOML.

use super::text::{number, vector, words};
use kreisel_dynamics::{Body, CollisionGroups, Material};
use std::fmt::Write as _;

/// What a body's surface does, where it differs from the usual.
pub(super) fn surface(out: &mut String, body: &Body, solid: bool) {
    if solid && body.shape.is_none() {
        out.push_str("collide = false\n");
    }
    for line in material(&body.material) {
        let _ = writeln!(out, "{line}");
    }
    if body.groups != CollisionGroups::default() {
        let list = |bits: u32| (0..32).filter(|k| bits >> k & 1 == 1).map(|k| k.to_string()).collect::<Vec<_>>();
        let (member, with) = (list(body.groups.member).join(", "), list(body.groups.with).join(", "));
        let _ = writeln!(out, "groups = {{ member = [{member}], with = [{with}] }}");
    }
    if body.sensor {
        out.push_str("sensor = true\n");
    }
    if let Some(up) = body.one_way {
        let _ = writeln!(out, "one_way = {}", vector(up));
    }
}

/// `key = value` of a material, where it differs from the usual one.
fn material(m: &Material) -> Vec<String> {
    let usual = Material::default();
    let mut out = Vec::new();
    if !m.name.is_empty() {
        out.push(format!("material = {}", words(&m.name)));
    }
    let numbers = [
        ("restitution", m.restitution, usual.restitution),
        ("friction", m.friction, usual.friction),
        ("rolling", m.rolling, usual.rolling),
        ("spinning", m.spinning, usual.spinning),
    ];
    out.extend(numbers.iter().filter(|n| n.1 != n.2).map(|(key, x, _)| format!("{key} = {}", number(*x))));
    out.extend(m.static_friction.map(|x| format!("static_friction = {}", number(x))));
    out
}
