//! What a joint has on its free coordinates: limits and dry friction.

use crate::property::codec::{Codec, Nested, Number, OrNone, Unlimited, Written};
use crate::property::table_macro::table;
use crate::property::{Described, Fault, Form, Value};
use kreisel_dynamics::{Coordinate, Friction, Limit, World};

/// Limits by coordinate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits(pub(crate) Vec<Limit>);

impl Limits {
    /// The bounds of a coordinate; of several that hold together, the narrowest.
    fn get(&self, coordinate: Coordinate) -> Option<Limit> {
        let own = self.0.iter().filter(|l| l.coordinate == coordinate).copied();
        own.reduce(|a, b| Limit { min: a.min.max(b.min), max: a.max.min(b.max), ..a })
    }

    fn set(&mut self, coordinate: Coordinate, limit: Option<Limit>) {
        self.0.retain(|l| l.coordinate != coordinate);
        self.0.extend(limit.map(|l| Limit { coordinate, ..l }));
    }
}

table! {
    /// Bounds by coordinate.
    static LIMITS: Limits = "limits", "limits", Nested;
    blank Limits::default();
    {
    /// about the axis, counted over many turns; the twist of a ball joint
    angle: OrNone<LimitForm> = {
        get: |it| Some(it.get(Coordinate::Angle)),
        set: |it, l| it.set(Coordinate::Angle, l)
    } => .unit("rad").spread();
    /// along the axis
    position: OrNone<LimitForm> = {
        get: |it| Some(it.get(Coordinate::Position)),
        set: |it, l| it.set(Coordinate::Position, l)
    } => .unit("m").spread();
    /// distance of the anchors
    length: OrNone<LimitForm> = {
        get: |it| Some(it.get(Coordinate::Length)),
        set: |it, l| it.set(Coordinate::Length, l)
    } => .unit("m").spread();
    /// between the axes of the two bodies
    swing: OrNone<LimitForm> = {
        get: |it| Some(it.get(Coordinate::Swing)),
        set: |it, l| it.set(Coordinate::Swing, l)
    } => .unit("rad").spread();
    }
}

table! {
    /// Bounds of one coordinate.
    static LIMIT: Limit = "limit", "a limit", Nested;
    blank Limit::new(Coordinate::Angle, f64::NEG_INFINITY, f64::INFINITY);
    {
    /// lower bound; default none
    min: UnlimitedBelow = it.min => .outer_unit();
    /// upper bound; default none
    max: Unlimited = it.max => .outer_unit();
    /// how much of the speed comes back
    restitution: Number = it.restitution => .within(0.0, 1.0);
    }
}

/// `[min, max]`, or a table.
struct LimitForm;
impl Written for LimitForm {
    const FORM: Form =
        Form::Either(&[Form::List(&Form::Unlimited, 2, 2), Form::Table(Limit::table)]);
}
impl Codec<Limit> for LimitForm {
    fn write(limit: &Limit, world: &World) -> Value {
        Nested::write(limit, world)
    }
    fn read(value: Value, world: &World) -> Result<Limit, Fault> {
        match value.as_numbers().as_deref() {
            Some(&[min, max]) => Ok(Limit::new(Coordinate::Angle, min, max)),
            Some(_) => Fault::expected("[min, max]", &value),
            None => Nested::read(value, world),
        }
    }
}

/// A number whose minus infinity is written as nothing.
struct UnlimitedBelow;
impl Written for UnlimitedBelow {
    const FORM: Form = <Unlimited as Written>::FORM;
}
impl Codec<f64> for UnlimitedBelow {
    fn write(x: &f64, _: &World) -> Value {
        if *x == f64::NEG_INFINITY { Value::None } else { Value::Number(*x) }
    }
    fn read(value: Value, _: &World) -> Result<f64, Fault> {
        match value {
            Value::None => Ok(f64::NEG_INFINITY),
            Value::Number(x) => Ok(x),
            other => Fault::expected("a number", &other),
        }
    }
}

/// Dry friction by coordinate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frictions(pub(crate) Vec<Friction>);

impl Frictions {
    fn get(&self, coordinate: Coordinate) -> f64 {
        self.0.iter().filter(|f| f.coordinate == coordinate).fold(0.0, |sum, f| sum + f.effort)
    }

    fn set(&mut self, coordinate: Coordinate, effort: f64) {
        self.0.retain(|f| f.coordinate != coordinate);
        if effort != 0.0 {
            self.0.push(Friction { coordinate, effort });
        }
    }
}

table! {
    /// Largest dry friction by coordinate.
    static FRICTION: Frictions = "friction", "friction", Nested;
    blank Frictions::default();
    {
    /// about the axis
    angle: Number = {
        get: |it| Some(it.get(Coordinate::Angle)),
        set: |it, x| it.set(Coordinate::Angle, x)
    } => .unit("N m").not_negative();
    /// along the axis
    position: Number = {
        get: |it| Some(it.get(Coordinate::Position)),
        set: |it, x| it.set(Coordinate::Position, x)
    } => .unit("N").not_negative();
    /// along the line through the anchors
    length: Number = {
        get: |it| Some(it.get(Coordinate::Length)),
        set: |it, x| it.set(Coordinate::Length, x)
    } => .unit("N").not_negative();
    /// between the axes of the two bodies
    swing: Number = {
        get: |it| Some(it.get(Coordinate::Swing)),
        set: |it, x| it.set(Coordinate::Swing, x)
    } => .unit("N m").not_negative();
    }
}
