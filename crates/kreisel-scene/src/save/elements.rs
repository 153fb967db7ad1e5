//! Constraints between connectors and switches as TOML.

use super::Part;
use super::text::{number, quoted};
use crate::property::kinds::Connectors;
use crate::property::{Codec as _, Written as _};
use crate::scene::SwitchTo;
use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::{Connector, Constraint, ConstraintKind, Transmission};
use std::fmt::Write as _;

/// `key = number`, if there is one.
fn optional(out: &mut String, key: &str, x: Option<f64>) {
    if let Some(x) = x.filter(|x| x.is_finite()) {
        let _ = writeln!(out, "{key} = {}", number(x));
    }
}

/// A number where it stands alone, else an expression.
fn formula(e: &Expression) -> String {
    match e.closed().parse::<f64>() {
        Ok(x) if x.is_finite() => number(x),
        _ => quoted(e.closed()),
    }
}

impl Part<'_> {
    pub(super) fn elements(&self, out: &mut String) {
        for id in self.world.constraints() {
            let (Some(c), Some(name)) = (self.world.constraint_from_start(id), self.world.constraint_name(id)) else {
                continue;
            };
            // The name by which a procedure knows its constraint again holds three names.
            let title = match self.world.holder(id) {
                Some((procedure, bodies)) => {
                    let [a, b] = bodies.map(|b| self.world.body_name(b).unwrap_or_default());
                    let p = &self.prefix;
                    let procedure = self.world.procedure_name(procedure).unwrap_or_default();
                    self.named(&format!("{procedure}: {p}{a}, {p}{b}"))
                }
                None => self.named(&name),
            };
            let _ = writeln!(out, "\n[[constraint]]\nname = {title}\ntype = \"{}\"", c.kind.name());
            self.constraint(out, &c);
        }
        self.switches(out);
    }

    fn constraint(&self, out: &mut String, c: &Constraint) {
        if !c.kind.couples() {
            let _ = writeln!(out, "connectors = {}", self.connectors(&c.connectors));
        }
        match &c.kind {
            ConstraintKind::Coupling { joints, value } => {
                let name = |id| self.world.joint_name(id).unwrap_or_else(|| "".into());
                let names: Vec<String> = joints.iter().map(|j| self.named(&name(j.joint))).collect();
                let words: Vec<String> = joints.iter().map(|j| quoted(j.coordinate.name())).collect();
                let factors = joints.iter().map(|j| {
                    let list: Vec<String> = j.factors.iter().map(|f| number(*f)).collect();
                    format!("[{}]", list.join(", "))
                });
                let factors: Vec<String> = factors.collect();
                let _ = writeln!(out, "joints = [{}]\ncoordinates = [{}]", names.join(", "), words.join(", "));
                let _ = writeln!(out, "factors = [{}]\nvalue = {}", factors.join(", "), number(*value));
            }
            ConstraintKind::Transmission { of, phase } => self.transmission(out, of, phase),
            ConstraintKind::Cable { length, drum } => {
                optional(out, "length", *length);
                if let Some((joint, radius)) = drum {
                    let name = self.named(&self.world.joint_name(*joint).unwrap_or_else(|| "".into()));
                    let _ = writeln!(out, "drum = {name}\nradius = {}", number(*radius));
                }
            }
            ConstraintKind::Distance(length) => optional(out, "length", *length),
            ConstraintKind::PointToPath { speed, end } => {
                let _ = writeln!(out, "speed = {}\nend = \"{}\"", number(*speed), end.name());
            }
            ConstraintKind::Expression(list) | ConstraintKind::VelocityExpression(list) => {
                let list: Vec<String> = list.iter().map(formula).collect();
                let _ = writeln!(out, "formulas = [{}]", list.join(", "));
            }
            _ => {}
        }
        let locked: Vec<String> =
            c.locked.iter().enumerate().filter(|(_, l)| **l).map(|(i, _)| (i + 1).to_string()).collect();
        if !locked.is_empty() {
            let _ = writeln!(out, "locked = [{}]", locked.join(", "));
        }
        for (key, on, usual) in [
            ("one_sided", c.one_sided, matches!(c.kind, ConstraintKind::Cable { .. })),
            ("active", c.active, true),
            ("collide", c.collide, false),
            ("assemble", c.assemble, false),
        ] {
            if on != usual {
                let _ = writeln!(out, "{key} = {on}");
            }
        }
        for (key, x) in [("alpha", c.alpha), ("gamma", c.gamma), ("breaking", Some(c.breaking))] {
            optional(out, key, x);
        }
    }

    fn transmission(&self, out: &mut String, of: &Transmission, phase: &[f64]) {
        let name = |id| self.named(&self.world.joint_name(id).unwrap_or_else(|| "".into()));
        let list = |x: &[f64]| x.iter().map(|x| number(*x)).collect::<Vec<_>>().join(", ");
        let mut joints = of.joints();
        if let Transmission::Gear { carrier: Some(carrier), .. } = of {
            joints.pop();
            let _ = writeln!(out, "carrier = {}", name(*carrier));
        }
        let names: Vec<String> = joints.into_iter().map(name).collect();
        let _ = writeln!(out, "joints = [{}]", names.join(", "));
        if let Some((key, _, value)) = of.measure() {
            let _ = writeln!(out, "{key} = {}", number(value));
        }
        match of {
            Transmission::Belt { radii, .. } => {
                let _ = writeln!(out, "radii = [{}]", list(radii));
            }
            Transmission::Cam { coordinates: [a, b], profile, .. } => {
                let _ = writeln!(out, "coordinates = [\"{}\", \"{}\"]", a.name(), b.name());
                let _ = writeln!(out, "profile = {}", formula(profile));
            }
            _ => {}
        }
        let _ = writeln!(out, "phase = [{}]", list(phase));
    }

    fn connectors(&self, list: &Vec<Connector>) -> String {
        let mut value = Connectors::write(list, self.world);
        self.prefixed(&Connectors::FORM, &mut value);
        value.toml()
    }

    /// Switches that are still to come: what the others did stands in the items.
    fn switches(&self, out: &mut String) {
        let now = self.world.time();
        let begun = now != self.scene.world.time();
        for switch in &self.scene.switches {
            // The last step threw those of its start; later ones wait for the next.
            if begun && switch.at <= now - self.scene.step * (1.0 - 1e-9) {
                continue;
            }
            let _ = writeln!(out, "\n[[switch]]\nat = {}", number(switch.at));
            let _ = match &switch.to {
                SwitchTo::Active(name, on) => writeln!(out, "item = {}\nactive = {on}", self.named(name)),
                SwitchTo::Kind(body, kind) => {
                    writeln!(out, "body = {}\nkind = \"{}\"", self.body_name(*body), kind.name())
                }
            };
        }
    }
}
