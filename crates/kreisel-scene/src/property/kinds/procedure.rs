//! `[[procedure]]`.

use crate::property::codec::{Codec, Flag, Listed, Number, Ref, Text, Written};
use crate::property::table_macro::table;
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::{BodyId, DistanceProcedure, World};

table! {
    /// Holds bodies at `factor` times `threshold` while their gap is below the threshold: above 1
    /// repels, below 1 captures.
    static PROCEDURE: DistanceProcedure = "procedure", "[[procedure]]", Item;
    blank DistanceProcedure { name: String::new(), bodies: Vec::new(), threshold: 1.0, factor: 2.0, active: true };
    check |it, _| {
        let complete = it.bodies.iter().all(|b| b.1.is_finite());
        if complete { Ok(()) } else { Err(Fault::new("expected one radius, or one per body").under("radius")) }
    };
    {
    /// unique name; default "procedure 1", …
    name: Text = it.name;
    /// the bodies
    bodies: Listed<Ref<BodyId>, 0, 100_000> = {
        get: |it| Some(it.bodies.iter().map(|b| b.0).collect::<Vec<_>>()),
        set: |it, x| set_bodies(it, x)
    } => .required();
    /// of their bounding spheres; one for all, or one per body
    radius: Radii = {
        get: |it| Some(it.bodies.iter().map(|b| b.1).collect::<Vec<_>>()),
        set: |it, x| set_radii(it, &x)
    } => .unit("m").not_negative();
    /// gap at which it acts
    threshold: Number = it.threshold => .unit("m").positive().required();
    /// gap that is held, in thresholds
    factor: Number = it.factor => .positive();
    /// a procedure that is not active does nothing
    active: Flag = it.active;
    }
}

/// Other bodies; radii stay at their places.
fn set_bodies(it: &mut DistanceProcedure, bodies: Vec<BodyId>) {
    let radius = |k: usize| it.bodies.get(k).map_or(0.0, |b| b.1);
    it.bodies = bodies.into_iter().enumerate().map(|(k, body)| (body, radius(k))).collect();
}

/// One radius for all, or one for each; what is missing is no number, which the check finds.
fn set_radii(it: &mut DistanceProcedure, radii: &[f64]) {
    let fits = radii.len() == it.bodies.len();
    for (k, body) in it.bodies.iter_mut().enumerate() {
        body.1 = match radii {
            [one] => *one,
            all if fits => all[k],
            _ => f64::NAN,
        };
    }
}

/// One number, or several.
struct Radii;
impl Written for Radii {
    const FORM: Form = Form::Either(&[Form::Number, Form::List(&Form::Number, 0, 100_000)]);
}
impl Codec<Vec<f64>> for Radii {
    fn write(radii: &Vec<f64>, _: &World) -> Value {
        match radii[..] {
            // without bodies it is what it would be for the first
            [] => Value::Number(0.0),
            [first, ..] if radii.iter().all(|r| *r == first) => Value::Number(first),
            _ => Value::numbers(radii.iter().copied()),
        }
    }
    fn read(value: Value, _: &World) -> Result<Vec<f64>, Fault> {
        match value {
            Value::Number(x) => Ok(vec![x]),
            other => {
                other.as_numbers().ok_or_else(|| Fault::new("expected one radius, or one per body"))
            }
        }
    }
}
