//! `[[joint]]`: its type and parts, places, switches.
//!
//! The word after `type` says more than the engine's kind: a rope is a free joint with a limit, a
//! combined one takes its parts from another key. [`JointItem`] holds what was written until the
//! joint is made of it.

use super::coordinates::{Frictions, Limits};
use super::passive::{Armature, Damping, Gear, NumberOr, Passives, Rest, Stiffness, the_one};
use crate::property::codec::{
    Codec, Flag, Listed, Nested, Number, OrNone, Ref, Text, Unlimited, Vector, Written,
    unknown_word,
};
use crate::property::table_macro::table;
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::words::{Word, Words};
use kreisel_dynamics::{
    BodyId, Breaking, Coordinate, Joint, JointKind, Limit, PositionPart, RotationPart, Vec3, World,
};

/// A joint as scenes describe it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointItem {
    /// The joint; its kind follows from the two below.
    pub joint: Joint,
    kind: Type,
    parts: Option<(PositionPart, RotationPart)>,
    /// Whole turns in the counted angle.
    pub turns: i32,
    limits: Limits,
    friction: Frictions,
    passive: Passives,
    /// Whether it describes a joint that exists.
    made: bool,
}

/// What the word after `type` stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Type {
    Kind(JointKind),
    /// Takes nothing away.
    Free,
    /// Parts are given.
    Combined,
    /// A distance with an upper limit only.
    Rope,
}

impl JointItem {
    /// The description of a joint that exists.
    pub(crate) fn of(joint: Joint, turns: i32) -> Self {
        let (kind, parts) = match joint.kind {
            JointKind::Combined(p, r) => (Type::Combined, Some((p, r))),
            kind => (Type::Kind(kind), None),
        };
        let (limits, friction) = (Limits(joint.limits.clone()), Frictions(joint.friction.clone()));
        let passive = Passives::of(&joint);
        Self { joint, kind, parts, turns, limits, friction, passive, made: true }
    }

    /// The description of a joint that is to be.
    fn blank() -> Self {
        let joint = Joint::new(JointKind::Ball, BodyId::WORLD, BodyId::WORLD).axis(Vec3::Z);
        Self { made: false, ..Self::of(joint, 0) }
    }

    /// Takes another type; a joint that exists keeps the parts it has as a combined one.
    fn set_type(&mut self, kind: Type) {
        if let (Type::Combined, Type::Kind(old), true) = (kind, self.kind, self.made) {
            self.parts = Some(old.parts());
        }
        self.kind = kind;
    }

    /// The engine's kind.
    fn engine_kind(&self) -> JointKind {
        match (self.kind, self.parts) {
            (Type::Kind(kind), _) => kind,
            (Type::Combined, Some((p, r))) => JointKind::Combined(p, r),
            _ => JointKind::FREE,
        }
    }

    /// The joint that it describes.
    pub(crate) fn joint(mut self) -> Joint {
        // what does not fit has been told by `check`
        let kind = self.engine_kind();
        let _ = self.passive.resolve(kind);
        let mut joint = self.joint;
        joint.kind = kind;
        joint.passive = self.passive.list();
        // bounds that bound nothing, and loads that nothing reaches, are none
        joint.limits =
            self.limits.0.into_iter().filter(|l| l.min.is_finite() || l.max.is_finite()).collect();
        joint.friction = self.friction.0;
        joint.breaking = joint.breaking.filter(|b| b.force.is_finite() || b.torque.is_finite());
        if self.kind == Type::Rope {
            let length =
                joint.length.take().unwrap_or_else(|| joint.anchors[0].distance(joint.anchors[1]));
            joint.limits.push(Limit::new(Coordinate::Length, 0.0, length));
        }
        joint
    }

    fn bodies(&self) -> Vec<BodyId> {
        self.joint.bodies.into_iter().chain(self.joint.more.iter().map(|m| m.0)).collect()
    }

    fn places(&self) -> Vec<Vec3> {
        self.joint.anchors.into_iter().chain(self.joint.more.iter().map(|m| m.1)).collect()
    }

    /// Takes other bodies; places that are missing are read later.
    fn set_bodies(&mut self, bodies: &[BodyId]) {
        self.joint.more.resize(bodies.len().saturating_sub(2), (BodyId::WORLD, Vec3::NAN));
        if let [a, b, more @ ..] = bodies {
            self.joint.bodies = [*a, *b];
            self.joint.more.iter_mut().zip(more).for_each(|(m, b)| m.0 = *b);
        }
    }

    /// One place for both bodies, or one for each.
    fn set_places(&mut self, places: &[Vec3]) {
        self.joint.more.resize(places.len().saturating_sub(2), (BodyId::WORLD, Vec3::NAN));
        match places {
            [one] => self.joint.anchors = [*one; 2],
            [a, b, more @ ..] => {
                self.joint.anchors = [*a, *b];
                self.joint.more.iter_mut().zip(more).for_each(|(m, at)| m.1 = *at);
            }
            [] => {}
        }
    }

    /// What concerns several keys.
    fn check(&self) -> Result<(), Fault> {
        let guide = matches!(self.kind, Type::Kind(JointKind::Rail | JointKind::Polygon));
        let (bodies, complete) = (self.bodies(), self.places().iter().all(|p| p.is_finite()));
        if guide != (bodies.len() > 2) || !complete {
            let (message, help) = if guide {
                let help = "a rail has three bodies (an end, the point, the other end), a polygon four or \
                            more, and `at` has a place for each";
                (format!("{} bodies and not as many places", bodies.len()), help)
            } else {
                (
                    format!("{} bodies", bodies.len()),
                    "a joint has two bodies; a rail or a polygon has more",
                )
            };
            return Err(Fault::new(message).help(help).under("bodies"));
        }
        if self.kind == Type::Combined && self.parts.is_none() {
            let help = "write parts = [\"line\", \"axis\"]: a position part and a rotation part";
            return Err(Fault::new("a combined joint needs `parts`").help(help).under("type"));
        }
        self.passive.clone().resolve(self.engine_kind())
    }

    /// Unit of the coordinate that a plain number belongs to.
    fn rest_unit(&self) -> &'static str {
        the_one(self.engine_kind()).map_or("", Coordinate::unit)
    }
}

table! {
    /// A joint between two bodies. Coordinates count the second body against the first.
    static JOINT: JointItem = "joint", "[[joint]]", Framed;
    blank JointItem::blank();
    check |it, _| it.check();
    {
    /// unique name; default "joint 1", …
    name: Text = it.joint.name;
    /// what the joint takes away
    r#type: TypeWord = { get: |it| Some(it.kind), set: |it, x| it.set_type(x) } => .required();
    /// the two bodies; "world" is the world itself. A rail has three (an end, the point, the other
    /// end), a polygon more (a corner, the point, the other corners)
    bodies: Listed<Ref<BodyId>, 2, 10_000> = { get: |it| Some(it.bodies()), set: |it, x| it.set_bodies(&x) }
        => .required();
    /// the anchor, or one anchor per body (the joint then pulls them together); default the origin
    /// of `frame`; live, where they are now
    at: Places = { get: |it| Some(it.places()), set: |it, x| it.set_places(&x) } => .unit("m").point();
    /// hinge axis, rail, line, normal of the plane
    axis: Vector = it.joint.axis => .direction();
    /// axis on the second body, if it differs; universal and double-rotation joints need it
    axis2: OrNone<Vector> = it.joint.axis2 => .direction();
    /// of a combined joint: free, plane, line, point or distance; free, angle, axis or fixed
    parts: OrNone<Parts> = it.parts => .only("type", &["combined"]);
    /// of a distance joint or rope; default the distance of the anchors
    length: OrNone<Number> = it.joint.length => .unit("m").positive().only("type", &["distance", "rope", "combined"]);
    /// bounds by coordinate: `{ angle = ["-90 deg", "90 deg"] }` or
    /// `{ angle = { min = …, max = …, restitution = 0.5 } }`; default none
    limits: Nested<Limits> = it.limits;
    /// largest dry friction by coordinate: `{ angle = 0.1 }`; default none
    friction: Nested<Frictions> = it.friction;
    /// linear spring on the free coordinate, N m/rad or N/m: one number, or one for each coordinate
    /// (`{ angle = 20 }`); default none
    stiffness: NumberOr<Stiffness> = it.passive.stiffness;
    /// linear damping, N m s/rad or N s/m, in the same way; default none
    damping: NumberOr<Damping> = it.passive.damping;
    /// coordinate at which the spring rests; default 0
    rest: NumberOr<Rest> = it.passive.rest
        => .unit_of(|it, _| it.downcast_ref::<JointItem>().map_or("", JointItem::rest_unit), "angle or m");
    /// inertia of a rotor that turns with the coordinate, kg m², or mass that slides with it, kg;
    /// default none
    armature: NumberOr<Armature> = it.passive.armature;
    /// how far the rotor turns for a unit of the coordinate: the joint feels `gear`² times its
    /// inertia; default 1
    gear: NumberOr<Gear> = it.passive.gear;
    /// load at which the joint breaks; default none
    breaking: OrNone<Nested<Breaking>> = it.joint.breaking => .spread();
    /// joins velocities only and lets positions drift
    velocity_only: Flag = it.joint.velocity_only;
    /// whole turns in the counted angle at the start
    turns: Turns = it.turns => .within(-1e6, 1e6);
    /// a joint that is not active does nothing
    active: Flag = it.joint.active;
    /// whether the two bodies collide with each other
    collide: Flag = it.joint.collide;
    }
}

table! {
    /// The load at which a joint breaks.
    static BREAKING: Breaking = "breaking", "breaking", Nested;
    blank Breaking { force: f64::INFINITY, torque: f64::INFINITY };
    {
    /// largest reaction force; default none
    force: Unlimited = it.force => .unit("N").not_negative();
    /// largest reaction torque; default none
    torque: Unlimited = it.torque => .unit("N m").not_negative();
    }
}

/// The word after `type`.
struct TypeWord;
impl TypeWord {
    const KINDS: [(Type, &str); 17] = [
        (Type::Kind(JointKind::Ball), "the anchors coincide"),
        (Type::Kind(JointKind::Hinge), "turns about an axis"),
        (Type::Kind(JointKind::Slider), "slides along an axis"),
        (Type::Kind(JointKind::Cylindrical), "slides along and turns about an axis"),
        (
            Type::Kind(JointKind::Universal),
            "turns about an axis of each body, at a fixed angle to each other",
        ),
        (Type::Kind(JointKind::Fixed), "holds the bodies together"),
        (Type::Kind(JointKind::Line), "a point stays on a line"),
        (Type::Kind(JointKind::Plane), "a point stays in a plane"),
        (Type::Kind(JointKind::Distance), "the anchors keep their distance"),
        (Type::Kind(JointKind::Translation), "no relative rotation"),
        (Type::Kind(JointKind::Direction), "an axis keeps its direction"),
        (Type::Kind(JointKind::DoubleRotation), "two axes keep their angle"),
        (Type::Kind(JointKind::Rail), "a point stays on the line through two points"),
        (Type::Kind(JointKind::Polygon), "a point stays in the plane of several points"),
        (Type::Rope, "the anchors are at most `length` apart"),
        (Type::Free, "takes nothing away, and carries limits, friction and motors"),
        (Type::Combined, "a position part and a rotation part"),
    ];

    const WORDS: [Word; 17] = {
        let mut out = [Word { word: "", doc: "" }; 17];
        let mut k = 0;
        while k < 17 {
            let (kind, doc) = Self::KINDS[k];
            let word = match kind {
                Type::Kind(kind) => kind.name(),
                Type::Rope => "rope",
                Type::Free => "free",
                Type::Combined => "combined",
            };
            out[k] = Word { word, doc };
            k += 1;
        }
        out
    };
}
impl Written for TypeWord {
    const FORM: Form = Form::Words(&Self::WORDS);
}
impl Codec<Type> for TypeWord {
    fn write(kind: &Type, _: &World) -> Value {
        let k = Self::KINDS.iter().position(|(t, _)| t == kind);
        k.map_or(Value::None, |k| Value::Text(Self::WORDS[k].word.into()))
    }
    fn read(value: Value, _: &World) -> Result<Type, Fault> {
        let Value::Text(word) = &value else { return Fault::expected("a type of joint", &value) };
        let k = Self::WORDS.iter().position(|w| w.word == word);
        k.map(|k| Self::KINDS[k].0)
            .ok_or_else(|| unknown_word(word, Self::WORDS.iter().map(|w| w.word)))
    }
}

/// One place, or one for each body.
struct Places;
impl Written for Places {
    const FORM: Form = Form::Either(&[Form::Vector, Form::List(&Form::Vector, 2, 10_000)]);
}
impl Codec<Vec<Vec3>> for Places {
    fn write(places: &Vec<Vec3>, world: &World) -> Value {
        match places[..] {
            [a, b] if a == b => Vector::write(&a, world),
            _ => Value::List(places.iter().map(|p| Vector::write(p, world)).collect()),
        }
    }
    fn read(value: Value, world: &World) -> Result<Vec<Vec3>, Fault> {
        match value.as_numbers() {
            Some(_) => Ok(vec![Vector::read(value, world)?]),
            None => Listed::<Vector, 2, 10_000>::read(value, world),
        }
    }
}

/// A position part and a rotation part.
struct Parts;
impl Parts {
    const WORDS: &[Word] = &[
        Word { word: PositionPart::Free.name(), doc: "nothing" },
        Word {
            word: PositionPart::Plane.name(),
            doc: "position part: in the plane across the axis",
        },
        Word { word: PositionPart::Line.name(), doc: "position part: on the line along the axis" },
        Word { word: PositionPart::Point.name(), doc: "position part: the anchors coincide" },
        Word {
            word: PositionPart::Distance.name(),
            doc: "position part: the anchors keep their distance",
        },
        Word { word: RotationPart::Angle.name(), doc: "rotation part: two axes keep their angle" },
        Word { word: RotationPart::Axis.name(), doc: "rotation part: an axis keeps its direction" },
        Word { word: RotationPart::Fixed.name(), doc: "rotation part: no rotation" },
    ];
}
impl Written for Parts {
    const FORM: Form = Form::List(&Form::Words(Self::WORDS), 2, 2);
}
impl Codec<(PositionPart, RotationPart)> for Parts {
    fn write(parts: &(PositionPart, RotationPart), _: &World) -> Value {
        Value::List(vec![Value::Text(parts.0.name().into()), Value::Text(parts.1.name().into())])
    }
    fn read(value: Value, _: &World) -> Result<(PositionPart, RotationPart), Fault> {
        let wanted = "a position part and a rotation part, such as [\"line\", \"axis\"]";
        let Value::List(items) = &value else { return Fault::expected(wanted, &value) };
        let [Value::Text(p), Value::Text(r)] = &items[..] else {
            return Fault::expected(wanted, &value);
        };
        // rails and polygons are no parts of their own
        let positions = || {
            PositionPart::ALL
                .into_iter()
                .filter(|p| !matches!(p, PositionPart::Rail | PositionPart::Polygon))
        };
        let position = positions().find(|x| x.name() == p);
        let position = position
            .ok_or_else(|| unknown_word(p, positions().map(PositionPart::name)).under(0))?;
        let rotation = RotationPart::of_word(r);
        let rotation = rotation
            .ok_or_else(|| unknown_word(r, RotationPart::WORDS.iter().map(|w| w.word)).under(1))?;
        Ok((position, rotation))
    }
}

/// Whole turns of either sign.
struct Turns;
impl Written for Turns {
    const FORM: Form = Form::Count;
}
impl Codec<i32> for Turns {
    fn write(turns: &i32, _: &World) -> Value {
        Value::Number(f64::from(*turns))
    }
    fn read(value: Value, _: &World) -> Result<i32, Fault> {
        let Value::Number(x) = value else { return Fault::expected("a whole number", &value) };
        Ok(x as i32)
    }
}
