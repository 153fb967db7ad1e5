//! `[[spring]]`.

use crate::property::codec::{
    Codec, Flag, Listed, Number, OrNone, Ref, Text, Vector, WordOf, Written,
};
use crate::property::table_macro::table;
use crate::property::{Fault, Form, Value};
use kreisel_dynamics::{BodyId, Spring, SpringMode, Vec3, World};

table! {
    /// A spring with a damper between two points.
    static SPRING: Spring = "spring", "[[spring]]", Framed;
    blank Spring::new(BodyId::WORLD, BodyId::WORLD, Vec3::ZERO, Vec3::ZERO, 0.0);
    {
    /// unique name; default "spring 1", …
    name: Text = it.name;
    /// the two bodies
    bodies: Listed<Ref<BodyId>, 2, 2> = it.bodies => .required();
    /// one anchor per body; live, where they are now
    at: Anchors = it.anchors => .unit("m").point().required();
    /// force per length
    stiffness: Number = it.stiffness => .unit("N/m").not_negative().required();
    /// force per speed along the spring
    damping: Number = it.damping => .unit("N s/m").not_negative();
    /// rest length; default the distance of the anchors
    length: OrNone<Number> = it.length => .unit("m").not_negative();
    /// force over a step: following the motion, or as it was at its start
    mode: WordOf<SpringMode> = it.mode;
    /// damp sideways motion too
    isotropic: Flag = it.isotropic;
    }
}

/// A point per body, or one for both.
pub(super) struct Anchors;
impl Written for Anchors {
    const FORM: Form = Form::Either(&[<Listed<Vector, 2, 2> as Written>::FORM, Form::Vector]);
}
impl Codec<[Vec3; 2]> for Anchors {
    fn write(anchors: &[Vec3; 2], world: &World) -> Value {
        Listed::<Vector, 2, 2>::write(anchors, world)
    }
    fn read(value: Value, world: &World) -> Result<[Vec3; 2], Fault> {
        match value.as_numbers() {
            Some(_) => Ok([Vector::read(value, world)?; 2]),
            None => Listed::<Vector, 2, 2>::read(value, world),
        }
    }
}
