//! The properties of every object, with units, limits and the words of the scene format's reference.

use super::{Outcome, Session, refuse};
use crate::protocol::{Field, Inspection, Property, PropertyValue as V};
use kreisel_dynamics::math::rotation_vector;
use kreisel_dynamics::words::Words;
use kreisel_dynamics::{BodyId, ConstraintId, ConstraintKind, Coordinate, Material, Vec3};
use kreisel_scene::grammar::{self, Section};

/// Collects properties; the reference's words by key.
pub(super) struct List {
    section: &'static Section,
    pub group: &'static str,
    pub out: Vec<Property>,
}

impl List {
    pub fn new(section: &'static Section) -> Self {
        Self { section, group: "", out: Vec::new() }
    }

    fn push(&mut self, key: &str, unit: &str, field: Field, value: V) {
        let stem = key.split('.').next().unwrap_or_default();
        let doc = self.section.keys.iter().find(|k| k.name == stem).map_or(String::new(), |k| k.doc.replace('`', ""));
        self.out.push(Property { key: key.into(), doc, unit: unit.into(), group: self.group.into(), field, value });
    }

    pub fn number(&mut self, key: &str, unit: &str, min: Option<f64>, value: f64) {
        let optional = value.is_infinite();
        self.bounded(key, unit, min, None, optional, Some(value).filter(|v| v.is_finite()));
    }

    pub fn bounded(
        &mut self,
        key: &str,
        unit: &str,
        min: Option<f64>,
        max: Option<f64>,
        optional: bool,
        value: Option<f64>,
    ) {
        self.push(key, unit, Field::Number { min, max, optional }, V::Number(value));
    }

    /// The surface: what contacts need to know.
    fn material(&mut self, m: &Material) {
        self.group = "Material";
        self.push("material", "", Field::Text, V::Text(m.name.clone()));
        self.bounded("friction", "", Some(0.0), None, false, Some(m.friction));
        self.bounded("static_friction", "", Some(0.0), None, true, m.static_friction);
        self.bounded("restitution", "", Some(0.0), Some(1.0), false, Some(m.restitution));
        self.bounded("rolling", "m", Some(0.0), None, false, Some(m.rolling));
        self.bounded("spinning", "m", Some(0.0), None, false, Some(m.spinning));
    }

    pub fn vector(&mut self, key: &str, unit: &str, value: Option<Vec3>) {
        self.push(key, unit, Field::Vector, V::Vector(value.unwrap_or_default().to_array()));
    }

    pub fn text(&mut self, key: &str, value: &str) {
        self.push(key, "", Field::Text, V::Text(value.into()));
    }

    pub fn toggle(&mut self, key: &str, value: bool) {
        self.push(key, "", Field::Toggle, V::Toggle(value));
    }

    pub fn fixed(&mut self, key: &str, unit: &str, value: V) {
        self.push(key, unit, Field::Fixed, value);
    }

    pub fn choice<E: Words>(&mut self, key: &str, value: E) {
        let words = E::WORDS.iter().map(|w| w.word.to_owned()).collect();
        self.push(key, "", Field::Choice(words), V::Text(value.word().into()));
    }
}

impl Session {
    /// What an object is at the moment, besides its properties.
    fn present(&self, kind: &str, object: &str) -> Option<Vec<Property>> {
        let world = &self.document.sim.world;
        let mut out = Vec::new();
        let mut fixed = |key: &str, unit: &str, value: V| {
            let (key, doc, unit, group) = (key.into(), String::new(), unit.into(), String::new());
            out.push(Property { key, doc, unit, group, field: Field::Fixed, value });
        };
        let number = |x: f64| V::Number(Some(x).filter(|x| x.is_finite()));
        match kind {
            "joint" => {
                let id = world.joint_named(object)?;
                for c in Coordinate::ALL {
                    if let Some(x) = world.coordinate(id, c) {
                        fixed(c.name(), c.unit(), number(x));
                    }
                    // of the spring, the damper and the rotor on it
                    if let Some(x) = world.passive_effort(id, c) {
                        fixed(&format!("{}_effort", c.name()), if c.unit() == "rad" { "N m" } else { "N" }, number(x));
                    }
                }
                let (gap, tilt) = world.joint_error(id).unwrap_or_default();
                fixed("gap", "m", number(gap));
                fixed("misalignment", "rad", number(tilt));
                let reaction = world.reaction(id).unwrap_or_default();
                fixed("reaction force", "N", V::Vector(reaction.force.to_array()));
                fixed("reaction torque", "N m", V::Vector(reaction.torque.to_array()));
            }
            "spring" => {
                let [a, b] = world.spring_anchors(world.spring_named(object)?)?;
                fixed("length now", "m", number(a.distance(b)));
            }
            "motor" => {
                let id = world.motor_named(object)?;
                let unit = if world.motor(id)?.coordinate.unit() == "rad" { "N m" } else { "N" };
                fixed("effort now", unit, number(world.motor_effort(id)?));
                fixed("power now", "W", number(world.motor_power(id)?));
            }
            "sensor" => {
                let id = world.sensor_named(object)?;
                let unit = world.sensor_channels(id)?.first().map_or("", |c| c.1);
                let value = world.sensor_value(id)?;
                let value = match value[..] {
                    [x] => number(x),
                    [x, y, z] => V::Vector([x, y, z]),
                    _ => V::Text(value.iter().map(|x| format!("{x:.4}")).collect::<Vec<_>>().join("  ")),
                };
                fixed("value", unit, value);
            }
            _ => {}
        }
        Some(out)
    }

    /// Paths of what can be plotted of an object whose kind has a table.
    fn measured(&self, kind: &str, object: &str) -> Vec<String> {
        let world = &self.document.sim.world;
        match kind {
            "world" => WORLD.map(str::to_owned).to_vec(),
            "motor" => ["effort", "rate", "power"].map(|p| format!("{object}.{p}")).to_vec(),
            "sensor" => vec![format!("{object}.value")],
            "joint" => {
                let kind = world.joint_named(object).and_then(|id| world.joint_kind(id));
                let free = Coordinate::ALL.into_iter().filter(|c| kind.is_some_and(|k| k.has(*c)));
                let mut paths: Vec<String> = free
                    .flat_map(|c| [format!("{object}.{}", c.name()), format!("{object}.{}_rate", c.name())])
                    .collect();
                paths.extend(["force", "torque", "error"].map(|p| format!("{object}.{p}")));
                paths
            }
            _ => Vec::new(),
        }
    }

    /// The properties of the object of this name.
    pub fn inspect(&self, object: &str) -> Outcome<Inspection> {
        let world = &self.document.sim.world;
        let (kind, properties, quantities) = if let Some((kind, mut properties)) = self.table_properties(object) {
            properties.extend(self.present(kind, object).unwrap_or_default());
            (kind, properties, self.measured(kind, object))
        } else if let Some(id) = world.body_named(object) {
            let paths = ["position", "velocity", "angular_velocity", "center", "rotation"];
            ("body", self.body_properties(id), paths.map(|p| format!("{object}.{p}")).to_vec())
        } else if let Some(id) = world.constraint_named(object) {
            ("constraint", self.constraint_properties(id), Vec::new())
        } else {
            return refuse(format!("there is nothing named \"{object}\""));
        };
        let (object, kind, revision) = (object.into(), kind.into(), self.revision);
        Ok(Inspection { object, kind, revision, properties, quantities })
    }

    fn constraint_properties(&self, id: ConstraintId) -> Vec<Property> {
        let world = &self.document.sim.world;
        let Some(c) = world.constraint(id) else { return Vec::new() };
        let mut l = List::new(&grammar::CONSTRAINT);
        l.text("name", &world.constraint_name(id).unwrap_or_default());
        l.fixed("type", "", V::Text(c.kind.name().into()));
        l.toggle("active", c.active);
        l.toggle("one_sided", c.one_sided);
        l.toggle("collide", c.collide);
        if let ConstraintKind::Distance(_) = c.kind {
            let length = world.constraint_from_start(id).and_then(|c| match c.kind {
                ConstraintKind::Distance(length) => length,
                _ => None,
            });
            l.bounded("length", "m", Some(1e-6), None, false, length);
        }
        if let ConstraintKind::PointToPath { speed, end } = c.kind {
            l.number("speed", "m/s", None, speed);
            l.choice("end", end);
        }
        match &c.kind {
            ConstraintKind::Cable { length, drum } => {
                l.bounded("length", "m", Some(1e-9), None, false, *length);
                if let Some((_, radius)) = drum {
                    l.number("radius", "m", None, *radius);
                }
            }
            ConstraintKind::Transmission { of, .. } => {
                if let Some((key, unit, value)) = of.measure() {
                    l.number(key, unit, None, value);
                }
            }
            _ => {}
        }
        l.bounded("alpha", "1/s", Some(0.0), None, true, c.alpha);
        l.bounded("gamma", "", Some(0.0), None, true, c.gamma);
        l.number("breaking", "N", Some(0.0), c.breaking);
        if let Some(error) = world.constraint_error(id) {
            let words: Vec<String> = error.iter().map(|e| format!("{e:.3e}")).collect();
            l.fixed("error", "", V::Text(words.join("  ")));
        }
        super::controllers::connectors(&mut l, world, &c.connectors);
        l.out
    }

    fn body_properties(&self, id: BodyId) -> Vec<Property> {
        let world = &self.document.sim.world;
        let Some(body) = world.body(id) else { return Vec::new() };
        let mut l = List::new(&grammar::BODY);
        l.text("name", &world.body_name(id).unwrap_or_default());
        if id == BodyId::WORLD {
            return l.out;
        }
        l.choice("kind", body.kind);
        l.number("mass", "kg", Some(1e-12), body.mass.mass);
        l.vector("position", "m", world.position(id));
        l.vector("rotation", "deg", world.rotation(id).map(|q| rotation_vector(q) * (180.0 / std::f64::consts::PI)));
        l.vector("velocity", "m/s", world.velocity(id));
        l.vector("angular_velocity", "rad/s", world.angular_velocity(id));
        l.material(&body.material);
        let look = self.document.looks.get(&id);
        let color = look.and_then(|l| l.color).map_or(String::new(), |[r, g, b]| format!("#{r:02x}{g:02x}{b:02x}"));
        l.text("color", &color);
        l.group = "Shape and mass";
        l.fixed("shape", "", V::Text(look.and_then(|l| l.shape.as_ref()).map_or("point", |s| s.kind()).into()));
        l.fixed("center", "m", V::Vector(body.mass.center.to_array()));
        let i = body.mass.inertia;
        l.fixed("inertia", "kg m²", V::Vector([i.x_axis.x, i.y_axis.y, i.z_axis.z]));
        l.out
    }
}

/// What can be plotted of the whole world.
const WORLD: [&str; 8] = [
    "energy",
    "ledger.residual",
    "ledger.user",
    "report.joint_error",
    "report.joint_misalignment",
    "report.contacts",
    "report.penetration",
    "report.asleep",
];
