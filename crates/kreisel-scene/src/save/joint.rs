//! Joints and springs as TOML.

use super::Part;
use super::text::{number, vector};
use kreisel_dynamics::{Joint, JointKind, Passive, PositionPart, RotationPart, SpringMode};
use std::fmt::Write as _;

impl Part<'_> {
    pub(super) fn joints(&self, out: &mut String) {
        for id in self.world.joints() {
            let (Some(joint), Some(name)) = (self.world.joint_from_start(id), self.world.joint_name(id)) else {
                continue;
            };
            let _ = writeln!(out, "\n[[joint]]\nname = {}", self.named(&name));
            match joint.kind {
                JointKind::Combined(p, r) => {
                    let _ = writeln!(
                        out,
                        "type = \"combined\"\nparts = [\"{}\", \"{}\"]",
                        position_word(p),
                        rotation_word(r)
                    );
                }
                kind => {
                    let _ = writeln!(out, "type = \"{}\"", kind.name());
                }
            }
            let bodies: Vec<String> = joint.all_bodies().map(|b| self.body_name(b)).collect();
            let _ = writeln!(out, "bodies = [{}]", bodies.join(", "));
            let places = joint.anchors.into_iter().chain(joint.more.iter().map(|m| m.1));
            let places: Vec<String> = places.map(vector).collect();
            let _ = writeln!(out, "at = [{}]\naxis = {}", places.join(", "), vector(joint.axis));
            if let Some(axis) = joint.axis2 {
                let _ = writeln!(out, "axis2 = {}", vector(axis));
            }
            // Only distances have one; what else was put there means nothing.
            if let Some(length) = joint.length.filter(|l| *l > 0.0) {
                let _ = writeln!(out, "length = {}", number(length));
            }
            extras(out, &joint);
            let turns = self.world.turns(id);
            if turns != 0 {
                let _ = writeln!(out, "turns = {turns}");
            }
        }
    }

    pub(super) fn springs(&self, out: &mut String) {
        for id in self.world.springs() {
            let (Some(spring), Some(name)) = (self.world.spring_from_start(id), self.world.spring_name(id)) else {
                continue;
            };
            let [a, b] = spring.bodies.map(|b| self.body_name(b));
            let [from, to] = spring.anchors.map(vector);
            let _ = writeln!(out, "\n[[spring]]\nname = {}\nbodies = [{a}, {b}]", self.named(&name));
            let _ = writeln!(out, "at = [{from}, {to}]\nstiffness = {}", number(spring.stiffness));
            let _ = writeln!(out, "damping = {}", number(spring.damping));
            if let Some(length) = spring.length {
                let _ = writeln!(out, "length = {}", number(length));
            }
            if spring.mode == SpringMode::Constant {
                out.push_str("mode = \"constant\"\n");
            }
            if spring.isotropic {
                out.push_str("isotropic = true\n");
            }
        }
    }
}

/// Limits, friction, breaking load and switches of a joint.
fn extras(out: &mut String, joint: &Joint) {
    let mut limits = Vec::new();
    for limit in &joint.limits {
        let mut bounds = Vec::new();
        for (key, x) in [("min", limit.min), ("max", limit.max)] {
            if x.is_finite() {
                bounds.push(format!("{key} = {}", number(x)));
            }
        }
        bounds.push(format!("restitution = {}", number(limit.restitution)));
        limits.push(format!("{} = {{ {} }}", limit.coordinate.name(), bounds.join(", ")));
    }
    if !limits.is_empty() {
        let _ = writeln!(out, "limits = {{ {} }}", limits.join(", "));
    }
    if !joint.friction.is_empty() {
        let list: Vec<String> =
            joint.friction.iter().map(|f| format!("{} = {}", f.coordinate.name(), number(f.effort))).collect();
        let _ = writeln!(out, "friction = {{ {} }}", list.join(", "));
    }
    let keys: [(&str, f64, fn(&Passive) -> f64); 5] = [
        ("stiffness", 0.0, |p| p.stiffness),
        ("damping", 0.0, |p| p.damping),
        ("rest", 0.0, |p| p.rest),
        ("armature", 0.0, |p| p.armature),
        ("gear", 1.0, |p| p.gear),
    ];
    for (key, default, value) in keys {
        let differs = joint.passive.iter().filter(|p| value(p) != default);
        let list: Vec<String> = differs.map(|p| format!("{} = {}", p.coordinate.name(), number(value(p)))).collect();
        if !list.is_empty() {
            let _ = writeln!(out, "{key} = {{ {} }}", list.join(", "));
        }
    }
    if let Some(b) = joint.breaking {
        let list: Vec<String> = [("force", b.force), ("torque", b.torque)]
            .iter()
            .filter(|(_, x)| x.is_finite())
            .map(|(key, x)| format!("{key} = {}", number(*x)))
            .collect();
        let _ = writeln!(out, "breaking = {{ {} }}", list.join(", "));
    }
    if joint.velocity_only {
        out.push_str("velocity_only = true\n");
    }
    if joint.collide {
        out.push_str("collide = true\n");
    }
    if !joint.active {
        out.push_str("active = false\n");
    }
}

fn position_word(part: PositionPart) -> &'static str {
    match part {
        PositionPart::Free => "free",
        PositionPart::Plane => "plane",
        PositionPart::Line => "line",
        PositionPart::Point => "point",
        PositionPart::Distance => "distance",
        PositionPart::Rail => "rail",
        PositionPart::Polygon => "polygon",
    }
}

fn rotation_word(part: RotationPart) -> &'static str {
    match part {
        RotationPart::Free => "free",
        RotationPart::Angle => "angle",
        RotationPart::Axis => "axis",
        RotationPart::Fixed => "fixed",
    }
}
