//! `[[collider]]`: further surfaces of a body.

use super::rotation::Rotation;
use super::shape::{ShapeForm, Solid};
use crate::property::Fault;
use crate::property::codec::{Flag, Nested, Number, OrNone, Ref, Text, Vector};
use crate::property::table_macro::table;
use kreisel_dynamics::{BodyId, Collider, CollisionGroups, Shape, bounds};

table! {
    /// A further surface of a body, with its own place, material and groups: it touches others and
    /// changes no mass. Surfaces of one body do not touch each other.
    static COLLIDER: Collider = "collider", "[[collider]]", Item;
    blank Collider::new(BodyId::WORLD, Shape::Sphere { radius: 0.1 });
    {
    /// unique name; default "collider 1", …
    name: Text = it.name;
    /// the body that carries it; "world" for walls
    body: Ref<BodyId> = it.body => .required();
    /// what touches others
    shape: ShapeForm = { get: |it| Some(Some(Solid::from(it.shape.clone()))), set: |it, x| it.shape = extended(x)? }
        => .required();
    /// origin of the shape in the body's frame
    position: Vector = it.position => .unit("m").bound(bounds::POSITION);
    /// rotation from the shape's frame to the body's. Default none
    rotation: Rotation = it.rotation => .unit("rad");
    /// name of the material for `[[contact.pair]]`
    material: Text = it.material.name;
    /// how much of the approach speed comes back
    restitution: Number = it.material.restitution => .within(0.0, 1.0);
    /// coefficient of sliding friction
    friction: Number = it.material.friction => .not_negative();
    /// coefficient of static friction; default that of sliding
    static_friction: OrNone<Number> = it.material.static_friction => .not_negative();
    /// resistance to rolling as a lever arm
    rolling: Number = it.material.rolling => .unit("m").not_negative();
    /// resistance to spinning about the normal as a lever arm
    spinning: Number = it.material.spinning => .unit("m").not_negative();
    /// collision groups as lists of numbers from 0 to 31; default member [0], with all
    groups: Nested<CollisionGroups> = it.groups;
    /// it only reports what touches it
    sensor: Flag = it.sensor;
    /// solid only against what comes against this direction of the body's frame; default none
    one_way: OrNone<Vector> = it.one_way;
    /// a collider that is not active touches nothing
    active: Flag = it.active;
    }
}

/// The shape of a solid with extent.
fn extended(solid: Option<Solid>) -> Result<Shape, Fault> {
    match solid {
        Some(Solid::Shape { shape, .. }) => Ok(shape),
        _ => Err(Fault::new("a collider has an extent: a point touches nothing")),
    }
}
