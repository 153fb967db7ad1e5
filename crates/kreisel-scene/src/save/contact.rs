//! Materials, groups, ground and contact settings as TOML.

use super::text::{number, vector, words};
use kreisel_dynamics::impact::MicroRule;
use kreisel_dynamics::{
    Body, BodyId, CollisionGroups, Cone, ContactMode, ContactSettings, ContactTime, ImpactLaw, Iteration, Material,
    Precision, Rule, World,
};
use kreisel_geometry::Shape;
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

/// The floor of `[world]`.
pub(super) fn ground(out: &mut String, world: &World) {
    let Some(ground) = world.body(BodyId::WORLD) else { return };
    if let Some(Shape::HalfSpace { offset, .. }) = &ground.shape {
        let mut keys = vec![format!("height = {}", number(*offset))];
        keys.extend(material(&ground.material));
        let _ = writeln!(out, "ground = {{ {} }}", keys.join(", "));
    }
}

/// `[contact]`.
pub(super) fn settings(out: &mut String, s: &ContactSettings) {
    if *s == (ContactSettings { on: s.on, ..ContactSettings::default() }) {
        return;
    }
    let time = match s.time {
        ContactTime::Fast => "fast",
        ContactTime::Exact => "exact",
    };
    let law = match s.law {
        ImpactLaw::Newton => "newton",
        ImpactLaw::Poisson => "poisson",
        ImpactLaw::Stronge => "stronge",
    };
    let _ = writeln!(out, "\n[contact]\ntime = \"{time}\"\nlaw = \"{law}\"");
    if s.mode == ContactMode::Event {
        out.push_str("mode = \"event\"\n");
    }
    let micro = match s.micro {
        MicroRule::Cone => "cone",
        MicroRule::Velocity => "velocity",
        MicroRule::Never => "never",
    };
    let _ = writeln!(out, "micro = \"{micro}\"\nmax_events = {}", s.max_events);
    let _ = writeln!(out, "sleep = {}\nshock = {}", s.sleep, s.shock);
    if s.cone == Cone::Printed {
        out.push_str("cone = \"printed\"\n");
    }
    let _ = writeln!(out, "tolerance = {}\ntouch = {}", number(s.tolerance), number(s.touch));
    let _ = writeln!(out, "push_speed = {}\noverlap = {}", number(s.push_speed), number(s.overlap));
    if s.iteration == Iteration::Plain {
        out.push_str("iteration = \"plain\"\n");
    }
    if s.precision == Precision::Double {
        out.push_str("precision = \"double\"\n");
    }
    if let Some(most) = s.max_sweeps {
        let _ = writeln!(out, "max_sweeps = {most}");
    }
    let _ = writeln!(out, "velocity_sweeps = {}", s.velocity_sweeps);
    let _ = writeln!(out, "friction = \"{}\"\nrestitution = \"{}\"", rule(s.friction), rule(s.restitution));
    for pair in &s.pairs {
        let [a, b] = [0, 1].map(|k| words(&pair.between[k]));
        let _ = writeln!(out, "\n[[contact.pair]]\nbetween = [{a}, {b}]");
        let numbers =
            [("restitution", pair.restitution), ("friction", pair.friction), ("static_friction", pair.static_friction)];
        for (key, value) in numbers {
            if let Some(x) = value {
                let _ = writeln!(out, "{key} = {}", number(x));
            }
        }
    }
}

fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Product => "product",
        Rule::Sum => "sum",
        Rule::Minimum => "minimum",
        Rule::Maximum => "maximum",
        Rule::Mean => "mean",
        Rule::Geometric => "geometric",
    }
}
