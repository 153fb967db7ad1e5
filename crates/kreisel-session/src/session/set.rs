//! Setting a property by its key.

use super::inspect::{ENDS, INTEGRATORS, METHODS, ORDERS, SOLVERS, STABILISERS, STEPPINGS};
use super::make::{COORDINATES, kind, name, schedule};
use super::{Document, Look, Outcome, refuse, vector};
use crate::protocol::PropertyValue as V;
use kreisel_dynamics::bounds::{self, Bound};
use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::math::rotation;
use kreisel_dynamics::{
    BodyId, Breaking, ConstraintId, ConstraintKind, Control, Coordinate, CurveId, FieldId, FieldKind, Friction,
    JointId, Limit, MassProperties, Material, MotorId, PositionPart, ProcedureId, SpringId, Substeps, Tolerance, Vec3,
    World,
};

/// Longest formula that can be typed, in bytes.
const LONGEST_FORMULA: usize = 1000;

/// A property's new value, unwrapped with a message that says what was expected.
pub(super) struct Value<'a> {
    pub key: &'a str,
    pub value: &'a V,
}

impl Value<'_> {
    pub fn wrong<T>(&self, expected: &str) -> Outcome<T> {
        refuse(format!("{} must be {expected}", self.key))
    }

    /// A number, or none for "no limit".
    pub fn optional(&self) -> Outcome<Option<f64>> {
        match self.value {
            V::Number(Some(x)) if x.is_finite() => Ok(Some(*x)),
            V::Number(None) => Ok(None),
            _ => self.wrong("a number"),
        }
    }

    pub fn number(&self) -> Outcome<f64> {
        match self.optional()? {
            Some(x) => Ok(x),
            None => self.wrong("a number"),
        }
    }

    pub fn within(&self, low: f64, high: f64) -> Outcome<f64> {
        let x = self.number()?;
        if (low..=high).contains(&x) { Ok(x) } else { self.wrong(&format!("from {low} to {high}")) }
    }

    /// A number that the library takes, too; the refusal says the range in the same words.
    pub fn bounded(&self, bound: Bound) -> Outcome<f64> {
        let x = self.number()?;
        if bound.holds(x) { Ok(x) } else { self.wrong(bound.must) }
    }

    pub fn vector(&self) -> Outcome<Vec3> {
        match self.value {
            V::Vector(v) => vector(self.key, *v),
            _ => self.wrong("a vector"),
        }
    }

    pub fn text(&self) -> Outcome<&str> {
        match self.value {
            V::Text(t) => Ok(t),
            _ => self.wrong("a text"),
        }
    }

    /// A formula in t, the time in s.
    pub fn formula(&self) -> Outcome<Expression> {
        let text = self.text()?;
        if text.len() > LONGEST_FORMULA {
            return self.wrong(&format!("a formula of at most {LONGEST_FORMULA} characters"));
        }
        Expression::new(text, &["t"], &[]).or_else(|e| self.wrong(&format!("a formula in t ({})", e.message)))
    }

    pub fn toggle(&self) -> Outcome<bool> {
        match self.value {
            V::Toggle(t) => Ok(*t),
            _ => self.wrong("true or false"),
        }
    }

    pub fn word<T: Copy>(&self, table: &[(&str, T)]) -> Outcome<T> {
        let text = self.text()?;
        match table.iter().find(|e| e.0 == text) {
            Some(e) => Ok(e.1),
            None => self.wrong(&table.iter().map(|e| e.0).collect::<Vec<_>>().join(", ")),
        }
    }

    pub fn unknown(&self, what: &str) -> Outcome {
        refuse(format!("a {what} has no property \"{}\" to set", self.key))
    }
}

pub(super) fn set(d: &mut Document, object: &str, key: &str, value: &V) -> Outcome {
    let v = Value { key, value };
    if object == "world" {
        return world(d, &v);
    }
    let w = &mut d.sim.world;
    if key == "name" && super::copy::taken(w, object) {
        let new = name(v.text()?)?;
        return Ok(w.rename(object, &new)?);
    }
    if let Some(id) = w.body_named(object) {
        body(d, id, &v)
    } else if let Some(id) = w.joint_named(object) {
        joint(d, id, &v)
    } else if let Some(id) = w.spring_named(object) {
        spring(d, id, &v)
    } else if let Some(id) = w.motor_named(object) {
        motor(d, id, &v)
    } else if let Some(id) = w.constraint_named(object) {
        constraint(w, id, &v)
    } else if let Some(id) = w.field_named(object) {
        field(w, id, &v)
    } else if let Some(id) = w.controller_named(object) {
        super::controllers::set(w, id, &v)
    } else if let Some(id) = w.curve_named(object) {
        curve(w, id, &v)
    } else if let Some(id) = w.procedure_named(object) {
        procedure(w, id, &v)
    } else {
        refuse(format!("there is nothing named \"{object}\""))
    }
}

fn constraint(w: &mut World, id: ConstraintId, v: &Value<'_>) -> Outcome {
    if v.key == "active" {
        return Ok(w.set_constraint_active(id, v.toggle()?)?);
    }
    let Some(mut c) = w.constraint_from_start(id) else { return refuse("that constraint is gone") };
    match v.key {
        "one_sided" => c.one_sided = v.toggle()?,
        "collide" => c.collide = v.toggle()?,
        "length" if matches!(c.kind, ConstraintKind::Distance(_)) => {
            c.kind = ConstraintKind::Distance(Some(v.within(1e-9, 1e12)?));
        }
        "alpha" => c.alpha = v.optional()?,
        "gamma" => c.gamma = v.optional()?,
        "breaking" => c.breaking = v.optional()?.unwrap_or(f64::INFINITY),
        "speed" if matches!(c.kind, ConstraintKind::PointToPath { .. }) => {
            let ConstraintKind::PointToPath { speed, .. } = &mut c.kind else { return v.unknown("constraint") };
            *speed = v.number()?;
        }
        "end" if matches!(c.kind, ConstraintKind::PointToPath { .. }) => {
            let ConstraintKind::PointToPath { end, .. } = &mut c.kind else { return v.unknown("constraint") };
            *end = v.word(&ENDS)?;
        }
        _ => {
            if !super::controllers::set_connector(&mut c.connectors, v)? {
                return v.unknown("constraint");
            }
        }
    }
    Ok(w.set_constraint(id, c)?)
}

fn curve(w: &mut World, id: CurveId, v: &Value<'_>) -> Outcome {
    let place = v.key.strip_prefix("point ").and_then(|n| n.parse::<usize>().ok()).and_then(|n| n.checked_sub(1));
    let Some(mut points) = w.curve(id).map(|c| c.points.clone()) else { return refuse("that curve is gone") };
    let Some(point) = place.and_then(|k| points.get_mut(k)) else { return v.unknown("curve") };
    *point = v.vector()?;
    Ok(w.set_curve_points(id, points)?)
}

fn procedure(w: &mut World, id: ProcedureId, v: &Value<'_>) -> Outcome {
    let Some(mut p) = w.procedure(id).cloned() else { return refuse("that procedure is gone") };
    match v.key {
        "active" => p.active = v.toggle()?,
        "threshold" => p.threshold = v.number()?,
        "factor" => p.factor = v.number()?,
        _ => return v.unknown("procedure"),
    }
    Ok(w.set_procedure(id, p)?)
}

fn field(w: &mut World, id: FieldId, v: &Value<'_>) -> Outcome {
    let Some(mut f) = w.field(id).cloned() else { return refuse("that field is gone") };
    match (v.key, &mut f.kind) {
        ("active", _) => f.active = v.toggle()?,
        ("gravity", FieldKind::Gravity(g)) => *g = v.vector()?,
        ("strength", FieldKind::Friction(k) | FieldKind::Radial { strength: k, .. }) => *k = v.number()?,
        ("center", FieldKind::Radial { center, .. }) => *center = v.vector()?,
        _ => return v.unknown("field"),
    }
    Ok(w.set_field(id, f)?)
}

fn world(d: &mut Document, v: &Value<'_>) -> Outcome {
    if let Some(key) = v.key.strip_prefix("ground.") {
        let Some(ground) = d.sim.world.body(BodyId::WORLD).filter(|g| g.shape.is_some()) else {
            return refuse("this world has no ground");
        };
        let changed = material(v, key, ground.material.clone())?;
        return Ok(d.sim.world.set_material(BodyId::WORLD, changed)?);
    }
    let mut settings = d.sim.world.settings().clone();
    match v.key {
        "step" => {
            d.sim.set_step_size(v.bounded(bounds::LIVE_STEP)?);
            return Ok(());
        }
        "real_time" => {
            d.sim.set_real_time(v.toggle()?);
            return Ok(());
        }
        "gravity" => return Ok(d.sim.world.set_gravity(v.vector()?)?),
        "method" => settings.method = v.word(&METHODS)?,
        "stepping" => settings.stepping = v.word(&STEPPINGS)?,
        "order" => settings.order = v.word(&ORDERS)?,
        "tolerance" => settings.tolerance = Tolerance::uniform(v.bounded(bounds::TOLERANCE)?),
        "substeps" => {
            settings.substeps = match v.optional()? {
                Some(n) if (1.0..=1000.0).contains(&n) => Substeps::Fixed(n as u32),
                Some(_) => return v.wrong("from 1 to 1000"),
                None => kreisel_dynamics::Settings::default().substeps,
            }
        }
        "max_rounds" => {
            settings.max_rounds = match v.optional()? {
                Some(n) if (1.0..=1e6).contains(&n) => Some(n as u32),
                Some(_) => return v.wrong("from 1 to a million"),
                None => None,
            }
        }
        "time_budget" => {
            // Without a number it is the session's own again.
            settings.time_budget = match v.optional()? {
                Some(_) => Some(std::time::Duration::from_secs_f64(v.within(1e-3, 1e6)?)),
                None => None,
            }
        }
        "velocity_correction" => settings.velocity_correction = v.toggle()?,
        "impulse_limit" => settings.impulse_limit = v.optional()?,
        "stabiliser" => settings.lagrange.stabiliser = v.word(&STABILISERS)?,
        "integrator" => settings.lagrange.integrator = v.word(&INTEGRATORS)?,
        "solver" => settings.lagrange.solver = v.word(&SOLVERS)?,
        "alpha" => settings.lagrange.alpha = v.within(0.0, 1e4)?,
        "gamma" => settings.lagrange.gamma = v.within(0.0, 100.0)?,
        "threads" => settings.threads = v.within(0.0, 64.0)? as usize,
        _ => return v.unknown("world"),
    }
    Ok(d.sim.world.set_settings(settings)?)
}

fn body(d: &mut Document, id: BodyId, v: &Value<'_>) -> Outcome {
    let world = &mut d.sim.world;
    let Some(desc) = world.body(id).cloned() else { return refuse("the body is gone") };
    let (position, turn) = (world.position(id).unwrap_or_default(), world.rotation(id).unwrap_or_default());
    let (velocity, spin) = (world.velocity(id).unwrap_or_default(), world.angular_velocity(id).unwrap_or_default());
    match v.key {
        "kind" => world.set_body(id, desc.mass, kind(v.text()?)?)?,
        "mass" => {
            let mass = v.number()?;
            if !(mass > 0.0) {
                return v.wrong("positive");
            }
            // The same body of another density.
            let inertia = desc.mass.inertia * (mass / desc.mass.mass);
            world.set_body(id, MassProperties { mass, inertia, ..desc.mass }, desc.kind)?;
        }
        "position" => world.set_pose(id, v.vector()?, turn)?,
        "rotation" => {
            let angle = v.vector()? * (std::f64::consts::PI / 180.0);
            if angle.length() > 1e3 {
                return v.wrong("a rotation of few turns");
            }
            world.set_pose(id, position, rotation(angle))?;
        }
        "material" | "friction" | "static_friction" | "restitution" | "rolling" | "spinning" => {
            world.set_material(id, material(v, v.key, desc.material)?)?;
        }
        "velocity" => world.set_velocity(id, v.vector()?, spin)?,
        "angular_velocity" => world.set_velocity(id, velocity, v.vector()?)?,
        "color" => {
            let color = match v.text()? {
                "" => None,
                text => Some(color(text).map_or_else(|| v.wrong("a colour such as #3478c0"), Ok)?),
            };
            d.looks.entry(id).or_insert(Look { shape: None, color: None }).color = color;
        }
        _ => return v.unknown("body"),
    }
    Ok(())
}

/// A material with one of its properties changed.
fn material(v: &Value<'_>, key: &str, mut m: Material) -> Outcome<Material> {
    // A coefficient or a lever beyond this is a typing error.
    const MOST: f64 = 1e6;
    match key {
        "material" => m.name = name(v.text()?)?,
        "friction" => m.friction = v.within(0.0, MOST)?,
        "static_friction" => {
            m.static_friction = v.optional()?;
            if m.static_friction.is_some() {
                v.within(0.0, MOST)?;
            }
        }
        "restitution" => m.restitution = v.within(0.0, 1.0)?,
        "rolling" => m.rolling = v.within(0.0, MOST)?,
        "spinning" => m.spinning = v.within(0.0, MOST)?,
        _ => return refuse(format!("a material has no property \"{key}\" to set")),
    }
    Ok(m)
}

fn color(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii())?;
    let n = u32::from_str_radix(digits, 16).ok()?;
    Some([(n >> 16) as u8, (n >> 8) as u8, n as u8])
}

fn coordinate(word: &str) -> Outcome<Coordinate> {
    match COORDINATES.into_iter().find(|c| c.name() == word) {
        Some(c) => Ok(c),
        None => refuse(format!("there is no coordinate \"{word}\"")),
    }
}

fn joint(d: &mut Document, id: JointId, v: &Value<'_>) -> Outcome {
    let Some(mut desc) = d.sim.world.joint(id).cloned() else { return refuse("the joint is gone") };
    let parts: Vec<&str> = v.key.split('.').collect();
    match parts[..] {
        ["active"] => desc.active = v.toggle()?,
        ["velocity_only"] => desc.velocity_only = v.toggle()?,
        ["collide"] => desc.collide = v.toggle()?,
        ["length"] if desc.kind.parts().0 == PositionPart::Distance => desc.length = Some(v.within(1e-9, 1e12)?),
        ["limits", word, what] => {
            let c = coordinate(word)?;
            let k = desc.limits.iter().position(|l| l.coordinate == c).unwrap_or_else(|| {
                desc.limits.push(Limit::new(c, f64::NEG_INFINITY, f64::INFINITY));
                desc.limits.len() - 1
            });
            let limit = &mut desc.limits[k];
            match what {
                "min" => limit.min = v.optional()?.unwrap_or(f64::NEG_INFINITY),
                "max" => limit.max = v.optional()?.unwrap_or(f64::INFINITY),
                "restitution" => limit.restitution = v.within(0.0, 1.0)?,
                _ => return v.unknown("limit"),
            }
            if limit.min.is_infinite() && limit.max.is_infinite() {
                desc.limits.remove(k);
            }
        }
        ["friction", word] => {
            let (c, effort) = (coordinate(word)?, v.number()?);
            desc.friction.retain(|f| f.coordinate != c);
            if effort > 0.0 {
                desc.friction.push(Friction { coordinate: c, effort });
            }
        }
        [what @ ("stiffness" | "damping" | "rest" | "armature" | "gear"), word] => {
            let (c, value) = (coordinate(word)?, v.number()?);
            let p = desc.passive_mut(c);
            match what {
                "stiffness" => p.stiffness = value,
                "damping" => p.damping = value,
                "rest" => p.rest = value,
                "armature" => p.armature = value,
                _ => p.gear = value,
            }
        }
        ["breaking", what] => {
            let mut b = desc.breaking.unwrap_or(Breaking { force: f64::INFINITY, torque: f64::INFINITY });
            let load = v.optional()?.unwrap_or(f64::INFINITY);
            match what {
                "force" => b.force = load,
                "torque" => b.torque = load,
                _ => return v.unknown("breaking load"),
            }
            desc.breaking = (b.force.is_finite() || b.torque.is_finite()).then_some(b);
        }
        _ => return v.unknown("joint"),
    }
    Ok(d.sim.world.set_joint(id, desc)?)
}

fn spring(d: &mut Document, id: SpringId, v: &Value<'_>) -> Outcome {
    let Some(mut desc) = d.sim.world.spring(id).cloned() else { return refuse("the spring is gone") };
    match v.key {
        "stiffness" => desc.stiffness = v.number()?,
        "damping" => desc.damping = v.number()?,
        "length" => desc.length = Some(v.number()?),
        "isotropic" => desc.isotropic = v.toggle()?,
        _ => return v.unknown("spring"),
    }
    Ok(d.sim.world.set_spring(id, desc)?)
}

fn motor(d: &mut Document, id: MotorId, v: &Value<'_>) -> Outcome {
    let Some(mut desc) = d.sim.world.motor(id).cloned() else { return refuse("the motor is gone") };
    match (v.key, &mut desc.control) {
        ("max_effort", _) => desc.max_effort = v.optional()?.unwrap_or(f64::INFINITY),
        ("curve", Control::Effort(s) | Control::Velocity(s) | Control::Servo { set: s, .. }) => match v.value {
            V::Curve(spec) => *s = schedule(spec)?,
            _ => return v.wrong("a curve"),
        },
        ("gain", Control::Servo { pid, .. }) => pid.gain = v.number()?,
        ("derivative_time", Control::Servo { pid, .. }) => pid.derivative_time = v.number()?,
        ("integral_time", Control::Servo { pid, .. }) => {
            pid.integral_time = v.optional()?.unwrap_or(f64::INFINITY);
        }
        _ => return v.unknown("motor"),
    }
    Ok(d.sim.world.set_motor(id, desc)?)
}
