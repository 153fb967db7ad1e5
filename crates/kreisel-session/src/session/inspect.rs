//! The properties of every object, with units, limits and the words of the scene format's
//! reference.

use super::{Outcome, Session, refuse};
use crate::protocol::{Field, Inspection, Property, PropertyValue as V};
use kreisel_dynamics::Coordinate;
use std::sync::PoisonError;

/// Most conditions of joints whose rank is looked at: the cost grows with their cube.
const MOST_ROWS: usize = 200;

impl Session {
    /// What an object is at the moment, besides its properties.
    fn present(&self, kind: &str, object: &str) -> Option<Vec<Property>> {
        let world = &self.document.sim.world;
        let mut out = Vec::new();
        let mut fixed = |key: &str, unit: &str, value: V| {
            let (key, doc, unit, group) = (key.into(), String::new(), unit.into(), String::new());
            out.push(Property {
                key,
                doc,
                unit,
                group,
                field: Field::Fixed,
                value,
                original: None,
            });
        };
        let number = |x: f64| V::Number(Some(x).filter(|x| x.is_finite()));
        match kind {
            "world" => {
                if let Some(freedom) = self.freedom() {
                    fixed("degrees of freedom", "", number(freedom));
                }
            }
            "joint" => {
                let id = world.joint_named(object)?;
                for c in Coordinate::ALL {
                    if let Some(x) = world.coordinate(id, c) {
                        fixed(c.name(), c.unit(), number(x));
                    }
                    // of the spring, the damper and the rotor on it
                    if let Some(x) = world.passive_effort(id, c) {
                        fixed(
                            &format!("{}_effort", c.name()),
                            if c.unit() == "rad" { "N m" } else { "N" },
                            number(x),
                        );
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
            "constraint" => {
                if let Some(error) = world.constraint_error(world.constraint_named(object)?) {
                    let words: Vec<String> = error.iter().map(|e| format!("{e:.3e}")).collect();
                    fixed("error", "", V::Text(words.join("  ")));
                }
            }
            "sensor" => {
                let id = world.sensor_named(object)?;
                let unit = world.sensor_channels(id)?.first().map_or("", |c| c.1);
                let value = world.sensor_value(id)?;
                let value = match value[..] {
                    [x] => number(x),
                    [x, y, z] => V::Vector([x, y, z]),
                    _ => V::Text(
                        value.iter().map(|x| format!("{x:.4}")).collect::<Vec<_>>().join("  "),
                    ),
                };
                fixed("value", unit, value);
            }
            _ => {}
        }
        Some(out)
    }

    /// Degrees of freedom with all joints and constraints that act, where these are not too many
    /// to be looked at.
    fn freedom(&self) -> Option<f64> {
        let mut known = self.freedom.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((revision, freedom)) = *known
            && revision == self.revision
        {
            return Some(freedom);
        }
        let world = &self.document.sim.world;
        let joints = world.joints().filter_map(|id| world.joint_kind(id)).map(|k| k.rows());
        let constraints =
            world.constraints().filter_map(|id| world.constraint(id)).map(|c| c.kind.rows());
        if joints.chain(constraints).sum::<usize>() > MOST_ROWS {
            return None;
        }
        let freedom = world.analyse().freedom as f64;
        *known = Some((self.revision, freedom));
        Some(freedom)
    }

    /// Paths of what can be plotted of an object whose kind has a table.
    fn measured(&self, kind: &str, object: &str) -> Vec<String> {
        let world = &self.document.sim.world;
        match kind {
            "world" => WORLD.map(str::to_owned).to_vec(),
            "body" => ["position", "velocity", "angular_velocity", "center", "rotation"]
                .map(|p| format!("{object}.{p}"))
                .to_vec(),
            "motor" => ["effort", "rate", "power"].map(|p| format!("{object}.{p}")).to_vec(),
            "sensor" => vec![format!("{object}.value")],
            "constraint" => ["error", "force"].map(|p| format!("{object}.{p}")).to_vec(),
            "joint" => {
                let kind = world.joint_named(object).and_then(|id| world.joint_kind(id));
                let free = Coordinate::ALL.into_iter().filter(|c| kind.is_some_and(|k| k.has(*c)));
                let mut paths: Vec<String> = free
                    .flat_map(|c| {
                        [format!("{object}.{}", c.name()), format!("{object}.{}_rate", c.name())]
                    })
                    .collect();
                paths.extend(["force", "torque", "error"].map(|p| format!("{object}.{p}")));
                paths
            }
            _ => Vec::new(),
        }
    }

    /// The properties of the object of this name.
    pub fn inspect(&self, object: &str) -> Outcome<Inspection> {
        let Some((kind, mut properties)) = self.table_properties(object) else {
            return refuse(format!("there is nothing named \"{object}\""));
        };
        properties.extend(self.present(kind, object).unwrap_or_default());
        let quantities = self.measured(kind, object);
        let (object, kind, revision) = (object.into(), kind.into(), self.revision);
        Ok(Inspection { object, kind, revision, properties, quantities })
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
