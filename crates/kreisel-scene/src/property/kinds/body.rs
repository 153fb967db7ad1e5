//! `[[body]]`: mass, place and motion, surface, looks.
//!
//! [`BodyItem`] holds what was written until the body is made of it: mass properties may follow
//! from the shape, and the shape may pass through everything. That of a body that exists has its
//! mass properties in full, so that nothing is computed anew when it is saved.

use super::color::Color;
use super::rotation::{Quaternion, Rotation};
use super::shape::{ShapeForm, Solid};
use crate::items::Appearance;
use crate::load::massive;
use crate::property::codec::{Codec, Flag, Nested, Number, OrNone, Text, Vector, WordOf, Written};
use crate::property::table_macro::table;
use crate::property::{Choice, Fault, Form, Value};
use crate::scene::Finish;
use kreisel_dynamics::{
    Body, BodyKind, CollisionGroups, ExactState, MassProperties, Mat3, Method, Quat, Vec3, World,
};
use kreisel_geometry::{Shape, ShapeError};

/// Density of a body that has neither mass nor density, kg/m³: that of water.
pub(crate) const DEFAULT_DENSITY: f64 = 1000.0;

/// A body as scenes describe it.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyItem {
    /// The body; its mass properties and its shape follow from the fields below.
    pub(crate) body: Body,
    pub(crate) solid: Option<Solid>,
    collide: bool,
    pub(crate) mass: Option<f64>,
    pub(crate) density: Option<f64>,
    pub(crate) center: Option<Vec3>,
    pub(crate) inertia: Option<Mat3>,
    display: Option<Solid>,
    color: Option<[u8; 3]>,
    finish: Finish,
    pub(crate) now: Option<Now>,
    pub(crate) method: Option<Method>,
    /// Whether it describes a body that exists.
    made: bool,
}

/// The present state of a saved body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Now {
    pub state: ExactState,
    pub kind: Option<BodyKind>,
}

impl BodyItem {
    /// The description of a body that is to be.
    pub(crate) fn blank() -> Self {
        Self {
            body: Body::point(1.0),
            solid: None,
            collide: true,
            mass: None,
            density: None,
            center: None,
            inertia: None,
            display: None,
            color: None,
            finish: Finish::default(),
            now: None,
            method: None,
            made: false,
        }
    }

    /// The description of a body that exists.
    pub(crate) fn of(body: Body, look: Option<&Appearance>, method: Option<Method>) -> Self {
        let solid = look.and_then(|l| l.solid.clone()).or_else(|| body.shape.clone());
        let shown = look.and_then(|l| l.shown.clone()).filter(|s| solid.as_ref() != Some(s));
        Self {
            // a body without extent passes through nothing
            collide: body.shape.is_some() || solid.is_none(),
            solid: solid.map(Solid::from),
            mass: Some(body.mass.mass),
            density: None,
            center: Some(body.mass.center),
            inertia: Some(body.mass.inertia),
            display: shown.map(Solid::from),
            color: look.and_then(|l| l.color),
            finish: look.map(|l| l.finish.clone()).unwrap_or_default(),
            now: None,
            method,
            made: true,
            body,
        }
    }

    /// The body that it describes, and how it looks.
    pub(crate) fn parts(&self) -> (Body, Appearance) {
        let solid = self.solid.as_ref().and_then(Solid::shape).cloned();
        let mut body = self.body.clone();
        body.shape = solid.clone().filter(|_| self.collide);
        if let (true, Some(mass), Some(center), Some(inertia)) =
            (self.made, self.mass, self.center, self.inertia)
        {
            body.mass = MassProperties { mass, center, inertia };
        }
        let shown = self.display.as_ref().or(self.solid.as_ref()).and_then(Solid::shape).cloned();
        (body, Appearance { solid, shown, color: self.color, finish: self.finish.clone() })
    }

    /// Another mass: of a body that exists, the same one of another density.
    fn set_mass(&mut self, mass: f64) {
        if let (true, Some(old), Some(inertia)) = (self.made, self.mass, &mut self.inertia) {
            *inertia *= mass / old;
        }
        self.mass = Some(mass);
    }

    /// What it weighs per volume, if it has one.
    fn density(&self) -> Option<f64> {
        let volume = || self.solid.as_ref()?.shape()?.volume().ok().filter(|v| *v > 0.0);
        if self.made { Some(self.mass? / volume()?) } else { self.density }
    }

    fn set_density(&mut self, density: f64) -> Result<(), Fault> {
        if !self.made {
            self.density = Some(density);
            return Ok(());
        }
        let Some(old) = self.density() else {
            return Err(Fault::new("a body without a volume has no density"));
        };
        // a ratio of one leaves every bit as it is
        self.set_mass(self.mass.unwrap_or(1.0) * (density / old));
        Ok(())
    }

    /// Another shape: a body that exists keeps its mass, and takes centre and inertia of the shape.
    fn set_shape(&mut self, solid: Option<Solid>) -> Result<(), Fault> {
        let mass = self.mass.filter(|_| self.made);
        let found = match (&solid, mass) {
            (Some(Solid::Shape { shape, .. }), Some(mass)) => {
                match of_shape(shape, Some(mass), DEFAULT_DENSITY) {
                    Err(e) if self.body.kind == BodyKind::Dynamic => return Err(Fault::new(e)),
                    found => found.ok(),
                }
            }
            (Some(Solid::Point), Some(mass)) => Some(MassProperties::point(mass)),
            _ => None,
        };
        if let Some(found) = found {
            (self.center, self.inertia) = (Some(found.center), Some(found.inertia));
        }
        // what gets an extent can be touched
        self.collide |= self.made && self.solid.is_none();
        self.solid = solid;
        Ok(())
    }
}

/// Mass properties of a solid of this mass, or else of this density.
fn of_shape(shape: &Shape, mass: Option<f64>, density: f64) -> Result<MassProperties, String> {
    let (solid, _) = massive(shape)?;
    of_solid(&solid, mass, density).map_err(|e| e.to_string())
}

/// The same of a closed solid.
pub(crate) fn of_solid(
    solid: &Shape,
    mass: Option<f64>,
    density: f64,
) -> Result<MassProperties, ShapeError> {
    match mass {
        Some(mass) => {
            let found = solid.mass_properties(mass / solid.volume()?)?;
            Ok(MassProperties { mass, ..found })
        }
        None => solid.mass_properties(density),
    }
}

table! {
    /// A rigid body or a mass point.
    static BODY: BodyItem = "body", "[[body]]", Framed;
    blank BodyItem::blank();
    choices &[Choice::at_most_one(&["mass", "density"])];
    {
    /// unique name; default "body 1", "body 2", …
    name: Text = it.body.name;
    /// moved by forces, never, or by its given velocity
    kind: WordOf<BodyKind> = it.body.kind;
    /// gives the mass properties and the look; live, another one keeps the mass
    shape: ShapeForm = { get: |it| Some(it.solid.clone()), set: |it, x| it.set_shape(x)? } => .group(FORM);
    /// mass; the shape gives the inertia. Live, the inertia changes with it
    mass: Number = { get: |it| it.mass, set: |it, x| it.set_mass(x) } => .unit("kg").positive().group(FORM);
    /// instead of `mass`; default 1000
    density: Number = { get: |it| it.density(), set: |it, x| it.set_density(x)? }
        => .unit("kg/m³").positive().alias().listed().group(FORM);
    /// centre of mass in the body's frame, instead of the shape's; recorded, `NAME.center` is where
    /// it is in the world
    center: Vector = { get: |it| it.center, set: |it, x| it.center = Some(x) } => .unit("m").group(FORM);
    /// inertia tensor about the centre of mass, along the body's axes, instead of the shape's:
    /// three moments [Jx, Jy, Jz], or three rows
    inertia: Inertia = { get: |it| it.inertia, set: |it, x| it.inertia = Some(x) } => .unit("kg m²").group(FORM);
    /// origin of the body's frame
    position: Vector = it.body.position => .unit("m").point();
    /// rotation from the body's frame to the world; as three angles: the axis times the angle.
    /// Default none
    rotation: Rotation = it.body.rotation => .unit("rad");
    /// velocity of the centre of mass
    velocity: Vector = it.body.velocity => .unit("m/s").direction();
    /// in world coordinates
    angular_velocity: Vector = it.body.angular_velocity => .unit("rad/s").direction();
    /// present state of a saved body, set when all joints have been made from the poses above
    now: OrNone<Nested<Now>> = it.now;
    /// method of the whole chain that this body belongs to; default the world's
    method: OrNone<WordOf<Method>> = it.method;
    /// whether the shape touches other bodies
    collide: Flag = it.collide => .group(SURFACE);
    /// name of the material for `[[contact.pair]]`
    material: Text = it.body.material.name => .group(SURFACE);
    /// how much of the approach speed comes back
    restitution: Number = it.body.material.restitution => .within(0.0, 1.0).group(SURFACE);
    /// coefficient of sliding friction
    friction: Number = it.body.material.friction => .not_negative().group(SURFACE);
    /// coefficient of static friction; default that of sliding
    static_friction: OrNone<Number> = it.body.material.static_friction => .not_negative().group(SURFACE);
    /// resistance to rolling as a lever arm
    rolling: Number = it.body.material.rolling => .unit("m").not_negative().group(SURFACE);
    /// resistance to spinning about the normal as a lever arm
    spinning: Number = it.body.material.spinning => .unit("m").not_negative().group(SURFACE);
    /// collision groups as lists of numbers from 0 to 31; default member [0], with all
    groups: Nested<CollisionGroups> = it.body.groups;
    /// the shape only reports what touches it
    sensor: Flag = it.body.sensor => .group(SURFACE);
    /// solid only against bodies that come against this direction of its frame; default none
    one_way: OrNone<Vector> = it.body.one_way => .group(SURFACE);
    /// colour in the playback
    color: Color = it.color => .group(SURFACE);
    /// in the viewer: 1 is opaque, 0 is not seen
    opacity: Number = it.finish.opacity => .within(0.0, 1.0).group(SURFACE);
    /// in the viewer: 0 is dull, 1 a mirror
    reflection: Number = it.finish.reflection => .within(0.0, 1.0).group(SURFACE);
    /// picture file (.png, .jpg or .webp) that the viewer lays on it; default none
    texture: Text = it.finish.texture => .group(SURFACE);
    /// shown instead of `shape`, without mass
    display: ShapeForm = it.display;
    }
}

/// Headings in the panel.
const FORM: &str = "Shape and mass";
const SURFACE: &str = "Material";

table! {
    /// The state of a body as the engine holds it, to the bit; written by the program when it saves
    /// a running world.
    static NOW: Now = "now", "now", Nested;
    blank Now { state: REST, kind: None };
    {
    /// centre of mass
    center: Vector = it.state.center => .unit("m").point().required();
    /// rotation from the principal axes to the world, as a quaternion
    principal: Exact = it.state.principal => .required();
    /// velocity of the centre of mass
    velocity: Vector = it.state.velocity => .unit("m/s").direction();
    /// in world coordinates
    angular_velocity: Vector = it.state.angular_velocity => .unit("rad/s").direction();
    /// what the body has become, though joints or constraints were made while it moved
    kind: OrNone<WordOf<BodyKind>> = it.kind;
    }
}

const REST: ExactState = ExactState {
    center: Vec3::ZERO,
    principal: Quat::IDENTITY,
    velocity: Vec3::ZERO,
    angular_velocity: Vec3::ZERO,
};

/// A quaternion to the bit.
struct Exact;
impl Written for Exact {
    const FORM: Form = Form::Quaternion;
}
impl Codec<Quat> for Exact {
    fn write(q: &Quat, world: &World) -> Value {
        Quaternion::write(q, world)
    }
    fn read(value: Value, world: &World) -> Result<Quat, Fault> {
        match value.as_numbers().as_deref() {
            Some(&[x, y, z, w]) => Ok(Quat::from_xyzw(x, y, z, w)),
            _ => Quaternion::read(value, world),
        }
    }
}

/// Three moments, or three rows of a symmetric matrix.
struct Inertia;
impl Written for Inertia {
    const FORM: Form = Form::Either(&[Form::Vector, Form::List(&Form::Vector, 3, 3)]);
}
impl Codec<Mat3> for Inertia {
    fn write(inertia: &Mat3, _: &World) -> Value {
        let rows = inertia.transpose();
        let diagonal = Vec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
        if Mat3::from_diagonal(diagonal).to_cols_array().map(f64::to_bits)
            == inertia.to_cols_array().map(f64::to_bits)
        {
            return Value::numbers(diagonal.to_array());
        }
        Value::List(
            [rows.x_axis, rows.y_axis, rows.z_axis].map(|r| Value::numbers(r.to_array())).into(),
        )
    }
    fn read(value: Value, world: &World) -> Result<Mat3, Fault> {
        if value.as_numbers().is_some() {
            return Ok(Mat3::from_diagonal(Vector::read(value, world)?));
        }
        let Value::List(rows) = value else {
            return Fault::expected("three moments, or three rows", &value);
        };
        let rows: Vec<Vec3> =
            rows.into_iter().map(|r| Vector::read(r, world)).collect::<Result<_, _>>()?;
        let [x, y, z] = rows[..] else { return Err(Fault::new("expected three rows")) };
        let m = Mat3::from_cols(x, y, z).transpose();
        let difference = m - m.transpose();
        let size = m.to_cols_array().iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        if difference.to_cols_array().iter().any(|x| x.abs() > 1e-9 * size) {
            return Err(Fault::new("an inertia tensor is symmetric, this matrix is not"));
        }
        Ok(m)
    }
}
