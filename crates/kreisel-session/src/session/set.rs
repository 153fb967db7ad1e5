//! Setting a property by its key.

use super::make::name;
use super::{Document, Look, Outcome, refuse, vector};
use crate::protocol::PropertyValue as V;
use kreisel_dynamics::bounds;
use kreisel_dynamics::formula::Expression;
use kreisel_dynamics::math::rotation;
use kreisel_dynamics::words::Words;
use kreisel_dynamics::{BodyId, ConstraintId, ConstraintKind, MassProperties, Material, Vec3, World};

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

    pub fn word<E: Words>(&self) -> Outcome<E> {
        match E::of_word(self.text()?) {
            Some(e) => Ok(e),
            None => self.wrong(&E::WORDS.iter().map(|w| w.word).collect::<Vec<_>>().join(", ")),
        }
    }

    pub fn unknown(&self, what: &str) -> Outcome {
        refuse(format!("a {what} has no property \"{}\" to set", self.key))
    }
}

pub(super) fn set(d: &mut Document, object: &str, key: &str, value: &V) -> Outcome {
    let v = Value { key, value };
    let w = &mut d.sim.world;
    if key == "name" && super::copy::taken(w, object) {
        let new = name(v.text()?)?;
        return Ok(w.rename(object, &new)?);
    }
    // a step that shows motion is narrower than what a scene may have
    let step = bounds::LIVE_STEP;
    let wrong = refuse(format!("step must be {}", step.must));
    if let (("world", "step"), V::Number(Some(x))) = ((object, key), value)
        && !step.holds(*x)
    {
        return wrong;
    }
    if let Some(outcome) = super::tables::set(d, object, key, value) {
        return if step.holds(d.sim.step_size()) { outcome } else { wrong };
    }
    let w = &mut d.sim.world;
    if let Some(id) = w.body_named(object) {
        body(d, id, &v)
    } else if let Some(id) = w.constraint_named(object) {
        constraint(w, id, &v)
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
        "length" if matches!(c.kind, ConstraintKind::Cable { .. }) => {
            let ConstraintKind::Cable { length, .. } = &mut c.kind else { return v.unknown("constraint") };
            *length = Some(v.within(1e-9, 1e12)?);
        }
        "radius" if matches!(c.kind, ConstraintKind::Cable { drum: Some(_), .. }) => {
            let ConstraintKind::Cable { length, drum: Some((_, radius)) } = &mut c.kind else {
                return v.unknown("constraint");
            };
            // another drum: the cable stays as long as it is
            (*radius, *length) = (v.number()?, None);
        }
        key if matches!(&c.kind, ConstraintKind::Transmission { of, .. } if of.measure().is_some_and(|m| m.0 == key)) =>
        {
            let ConstraintKind::Transmission { of, phase } = &mut c.kind else { return v.unknown("constraint") };
            // another ratio from where the wheels stand now
            of.set_measure(v.number()?);
            phase.clear();
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
            *end = v.word()?;
        }
        _ => {
            if !super::controllers::set_connector(&mut c.connectors, v)? {
                return v.unknown("constraint");
            }
        }
    }
    Ok(w.set_constraint(id, c)?)
}

fn body(d: &mut Document, id: BodyId, v: &Value<'_>) -> Outcome {
    let world = &mut d.sim.world;
    let Some(desc) = world.body(id).cloned() else { return refuse("the body is gone") };
    let (position, turn) = (world.position(id).unwrap_or_default(), world.rotation(id).unwrap_or_default());
    let (velocity, spin) = (world.velocity(id).unwrap_or_default(), world.angular_velocity(id).unwrap_or_default());
    match v.key {
        "kind" => world.set_body(id, desc.mass, v.word()?)?,
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
            world.set_material(id, material(v, desc.material)?)?;
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
fn material(v: &Value<'_>, mut m: Material) -> Outcome<Material> {
    // A coefficient or a lever beyond this is a typing error.
    const MOST: f64 = 1e6;
    match v.key {
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
        _ => return v.unknown("material").map(|()| m),
    }
    Ok(m)
}

fn color(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii())?;
    let n = u32::from_str_radix(digits, 16).ok()?;
    Some([(n >> 16) as u8, (n >> 8) as u8, n as u8])
}
