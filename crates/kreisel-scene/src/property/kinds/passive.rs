//! Springs, dampers and rotors on the free coordinates of a joint: one number, or one for each
//! coordinate.

use crate::property::codec::{Codec, Nested, Number, Written};
use crate::property::table_macro::table;
use crate::property::{Described, Fault, Form, Value};
use kreisel_dynamics::{Coordinate, Joint, JointKind, Passive, World};
use std::marker::PhantomData;

/// The coordinates that springs, dampers and rotors can act on.
const COORDINATES: [Coordinate; 3] = [Coordinate::Angle, Coordinate::Position, Coordinate::Length];

/// Numbers of one key, by coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByCoordinate {
    /// One number for the only coordinate that there is.
    one: Option<f64>,
    each: [f64; 3],
}

impl ByCoordinate {
    const fn of(x: f64) -> Self {
        Self { one: None, each: [x; 3] }
    }

    fn place(coordinate: Coordinate) -> usize {
        COORDINATES.iter().position(|c| *c == coordinate).unwrap_or(0)
    }

    fn get(&self, coordinate: Coordinate) -> f64 {
        self.each[Self::place(coordinate)]
    }

    fn set(&mut self, coordinate: Coordinate, x: f64) {
        self.each[Self::place(coordinate)] = x;
    }

    /// Gives the one number to the coordinate that it belongs to.
    fn resolve(&mut self, key: &'static str, kind: JointKind) -> Result<(), Fault> {
        let Some(x) = self.one else { return Ok(()) };
        let coordinate = the_one(kind).ok_or_else(|| {
            let what = if kind.has(Coordinate::Angle) { "several coordinates" } else { "no angle and no position" };
            let help = format!("write {key} = {{ angle = … }}, with angle, position or length as far as they are free");
            Fault::new(format!("a joint with {what} takes `{key}` by coordinate")).help(help).under(key)
        })?;
        self.one = None;
        self.set(coordinate, x);
        Ok(())
    }
}

/// The coordinate that a plain number belongs to.
pub(super) fn the_one(kind: JointKind) -> Option<Coordinate> {
    match (kind.has(Coordinate::Angle), kind.has(Coordinate::Position)) {
        (true, false) => Some(Coordinate::Angle),
        (false, true) => Some(Coordinate::Position),
        _ => None,
    }
}

macro_rules! by_coordinate {
    ($(#[doc = $doc:literal])* $T:ident, $TABLE:ident, $key:literal, $blank:expr, [$angle:literal, $way:literal], $range:ident) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $T(pub(super) ByCoordinate);

        impl From<f64> for $T {
            fn from(x: f64) -> Self {
                Self(ByCoordinate { one: Some(x), ..ByCoordinate::of($blank) })
            }
        }

        table! {
            $(#[doc = $doc])*
            static $TABLE: $T = $key, $key, Nested;
            blank $T(ByCoordinate::of($blank));
            {
            /// about the axis
            angle: Number = {
                get: |it| Some(it.0.get(Coordinate::Angle)),
                set: |it, x| it.0.set(Coordinate::Angle, x)
            } => .unit($angle).$range();
            /// along the axis
            position: Number = {
                get: |it| Some(it.0.get(Coordinate::Position)),
                set: |it, x| it.0.set(Coordinate::Position, x)
            } => .unit($way).$range();
            /// along the line through the anchors
            length: Number = {
                get: |it| Some(it.0.get(Coordinate::Length)),
                set: |it, x| it.0.set(Coordinate::Length, x)
            } => .unit($way).$range();
            }
        }
    };
}

by_coordinate! {
    /// Linear stiffness by coordinate.
    Stiffness, STIFFNESS, "stiffness", 0.0, ["N m/rad", "N/m"], not_negative
}
by_coordinate! {
    /// Linear damping by coordinate.
    Damping, DAMPING, "damping", 0.0, ["N m s/rad", "N s/m"], not_negative
}
by_coordinate! {
    /// Where springs rest, by coordinate.
    Rest, REST, "rest", 0.0, ["rad", "m"], unbounded
}
by_coordinate! {
    /// Rotors' inertia or mass, by coordinate.
    Armature, ARMATURE, "armature", 0.0, ["kg m²", "kg"], not_negative
}
by_coordinate! {
    /// How far rotors turn for a unit of the coordinate.
    Gear, GEAR, "gear", 1.0, ["", ""], unbounded
}

/// A number, or a table by coordinate.
pub(super) struct NumberOr<T>(PhantomData<T>);
impl<T: Described> Written for NumberOr<T> {
    const FORM: Form = Form::Either(&[Form::Number, Form::Table(T::table)]);
}
impl<T: Described + From<f64>> Codec<T> for NumberOr<T> {
    fn write(field: &T, world: &World) -> Value {
        Nested::write(field, world)
    }
    fn read(value: Value, world: &World) -> Result<T, Fault> {
        if let Value::Number(x) = value { Ok(x.into()) } else { Nested::read(value, world) }
    }
}

/// All of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Passives {
    pub stiffness: Stiffness,
    pub damping: Damping,
    pub rest: Rest,
    pub armature: Armature,
    pub gear: Gear,
}

impl Passives {
    /// Those of a joint.
    pub fn of(joint: &Joint) -> Self {
        let mut out = Self {
            stiffness: Stiffness::blank(),
            damping: Damping::blank(),
            rest: Rest::blank(),
            armature: Armature::blank(),
            gear: Gear::blank(),
        };
        for p in &joint.passive {
            out.stiffness.0.set(p.coordinate, p.stiffness);
            out.damping.0.set(p.coordinate, p.damping);
            out.rest.0.set(p.coordinate, p.rest);
            out.armature.0.set(p.coordinate, p.armature);
            out.gear.0.set(p.coordinate, p.gear);
        }
        out
    }

    /// Gives plain numbers to the coordinates that they belong to.
    pub fn resolve(&mut self, kind: JointKind) -> Result<(), Fault> {
        self.stiffness.0.resolve("stiffness", kind)?;
        self.damping.0.resolve("damping", kind)?;
        self.rest.0.resolve("rest", kind)?;
        self.armature.0.resolve("armature", kind)?;
        self.gear.0.resolve("gear", kind)
    }

    /// What the joint gets: coordinates on which something acts.
    pub fn list(&self) -> Vec<Passive> {
        let of = |coordinate| Passive {
            coordinate,
            stiffness: self.stiffness.0.get(coordinate),
            damping: self.damping.0.get(coordinate),
            rest: self.rest.0.get(coordinate),
            armature: self.armature.0.get(coordinate),
            gear: self.gear.0.get(coordinate),
        };
        COORDINATES.map(of).into_iter().filter(|p| *p != Passive::new(p.coordinate)).collect()
    }
}
