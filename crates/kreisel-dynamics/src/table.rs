//! Typed tables: the items of a kind with the same verbs for all kinds.
//!
//! `world.joints()` is a view of the joints: it is iterated over for their ids, and finds one by
//! name (`named`) or by id (`get`). `world.joints_mut()` adds, replaces, edits and removes. The
//! short forms `world.joint(id)`, `world.joint_named("knee")` and `world.joint_name(id)` mean
//! the same. What one kind has, all have: they are written down once, in `kinds!`.

use crate::body::{Body, BodyId};
use crate::collider::{Collider, ColliderId};
use crate::connector::{Constraint, ConstraintId, Curve, CurveId};
use crate::error::ModelError;
use crate::force::{Controller, ControllerId, Field, FieldId, Motor, MotorId, Spring, SpringId};
use crate::item::ItemId;
use crate::joint::{Joint, JointId};
use crate::procedure::{DistanceProcedure, ProcedureId};
use crate::sensor::{Sensor, SensorId};
use crate::world::World;
use std::marker::PhantomData;
use std::sync::Arc;

/// A kind of item: what its table can do. The kinds are those of [`World::KINDS`].
pub trait ItemKind: Copy + sealed::Sealed {
    /// Names an item.
    type Id: Copy + PartialEq + 'static;
    /// Describes an item.
    type Description: Clone + 'static;
    /// The word for it, as in scenes.
    const WORD: &'static str;

    #[doc(hidden)]
    fn slots(world: &World) -> usize;
    #[doc(hidden)]
    fn at(world: &World, slot: usize) -> Option<Self::Id>;
    #[doc(hidden)]
    fn get(world: &World, id: Self::Id) -> Option<&Self::Description>;
    #[doc(hidden)]
    fn now(world: &World, id: Self::Id) -> Option<Self::Description>;
    #[doc(hidden)]
    fn name(world: &World, id: Self::Id) -> Option<Arc<str>>;
    #[doc(hidden)]
    fn named(world: &World, name: &str) -> Option<Self::Id>;
    #[doc(hidden)]
    fn add(world: &mut World, item: Self::Description) -> Result<Self::Id, ModelError>;
    #[doc(hidden)]
    fn set(world: &mut World, id: Self::Id, item: Self::Description) -> Result<(), ModelError>;
    #[doc(hidden)]
    fn remove(world: &mut World, id: Self::Id) -> Result<Self::Description, ModelError>;
    #[doc(hidden)]
    fn unknown() -> ModelError;
}

mod sealed {
    pub trait Sealed {}
}

/// The items of a kind. Iterating gives their ids, in the order of their slots.
///
/// ```
/// use kreisel_dynamics::{Body, World};
/// let mut world = World::new();
/// let ball = world.bodies_mut().add(Body::sphere(2.0, 0.1).named("ball"))?;
/// assert_eq!(world.bodies().named("ball"), Some(ball));
/// assert_eq!(world.bodies().get(ball).map(|b| b.mass.mass), Some(2.0));
/// for (id, body) in world.bodies().iter() {
///     println!("{} weighs {} kg", body.name, body.mass.mass);
///     assert_eq!(id, ball);
/// }
/// # Ok::<(), kreisel_dynamics::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Items<'w, K> {
    world: &'w World,
    next: usize,
    kind: PhantomData<K>,
}

impl<'w, K: ItemKind> Items<'w, K> {
    fn new(world: &'w World, first: usize) -> Self {
        Self { world, next: first, kind: PhantomData }
    }

    /// The item as it was described.
    pub fn get(&self, id: K::Id) -> Option<&'w K::Description> {
        K::get(self.world, id)
    }

    /// The item as one would describe it now: a body where it is and as it moves, a joint or spring
    /// with its anchors where they are.
    pub fn now(&self, id: K::Id) -> Option<K::Description> {
        K::now(self.world, id)
    }

    /// The item with this name.
    pub fn named(&self, name: &str) -> Option<K::Id> {
        K::named(self.world, name)
    }

    /// The name of an item.
    pub fn name(&self, id: K::Id) -> Option<Arc<str>> {
        K::name(self.world, id)
    }

    /// Whether there is an item with this id.
    pub fn contains(&self, id: K::Id) -> bool {
        self.get(id).is_some()
    }

    /// Ids and descriptions, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = (K::Id, &'w K::Description)> + use<'w, K> {
        let world = self.world;
        let ids = Self { ..*self };
        ids.filter_map(move |id| Some((id, K::get(world, id)?)))
    }
}

impl<K: ItemKind> Iterator for Items<'_, K> {
    type Item = K::Id;

    fn next(&mut self) -> Option<K::Id> {
        while self.next < K::slots(self.world) {
            self.next += 1;
            if let Some(id) = K::at(self.world, self.next - 1) {
                return Some(id);
            }
        }
        None
    }
}

/// The items of a kind, to be changed. Every change is checked as a whole and either happens or is
/// refused.
///
/// ```
/// use kreisel_dynamics::{Body, World, Vec3};
/// let mut world = World::new();
/// let ball = world.bodies_mut().add(Body::sphere(2.0, 0.1))?;
/// world.bodies_mut().edit(ball, |b| b.velocity = Vec3::X)?;
/// assert_eq!(world.velocity(ball), Some(Vec3::X));
/// assert!(world.bodies_mut().edit(ball, |b| b.mass.mass = -1.0).is_err());
/// world.bodies_mut().remove(ball)?;
/// assert_eq!(world.bodies().count(), 0);
/// # Ok::<(), kreisel_dynamics::ModelError>(())
/// ```
#[derive(Debug)]
pub struct ItemsMut<'w, K> {
    world: &'w mut World,
    kind: PhantomData<K>,
}

impl<K: ItemKind> ItemsMut<'_, K> {
    /// Adds an item.
    pub fn add(&mut self, item: K::Description) -> Result<K::Id, ModelError> {
        K::add(self.world, item)
    }

    /// Makes an item what a description of it as it is now says. It keeps its id and its name, and
    /// all that refers to it stays.
    pub fn set(&mut self, id: K::Id, item: K::Description) -> Result<(), ModelError> {
        K::set(self.world, id, item)
    }

    /// Changes an item in place: `change` is given the description of what it is now.
    pub fn edit(
        &mut self,
        id: K::Id,
        change: impl FnOnce(&mut K::Description),
    ) -> Result<(), ModelError> {
        let mut item = K::now(self.world, id).ok_or_else(K::unknown)?;
        change(&mut item);
        K::set(self.world, id, item)
    }

    /// Removes an item with everything that hangs on it.
    pub fn remove(&mut self, id: K::Id) -> Result<K::Description, ModelError> {
        K::remove(self.world, id)
    }
}

/// Declares the kinds: type, word, id and description; the arena and its first slot; the methods of
/// the world that view, change, get, name and find; those that describe as it is now, add, replace
/// and remove; the error of an id that is none.
macro_rules! kinds {
    ($($Kind:ident ($Variant:ident): $word:literal, $Id:ident, $Desc:ident, $arena:ident from $first:literal,
       $all:ident, $all_mut:ident, $get:ident, $name:ident, $named:ident,
       $now:expr, $add:ident, $set:ident, $remove:ident, $Unknown:ident;)*) => {
        $(
            #[doc = concat!("The kind \"", $word, "\".")]
            #[derive(Clone, Copy, Debug)]
            pub enum $Kind {}

            impl sealed::Sealed for $Kind {}

            impl ItemKind for $Kind {
                type Id = $Id;
                type Description = $Desc;
                const WORD: &'static str = $word;

                fn slots(world: &World) -> usize {
                    world.model.$arena.slots()
                }
                fn at(world: &World, slot: usize) -> Option<$Id> {
                    world.model.$arena.id_at(slot).map($Id::new)
                }
                fn get(world: &World, id: $Id) -> Option<&$Desc> {
                    world.$get(id)
                }
                fn now(world: &World, id: $Id) -> Option<$Desc> {
                    let now: fn(&World, $Id) -> Option<$Desc> = $now;
                    now(world, id)
                }
                fn name(world: &World, id: $Id) -> Option<Arc<str>> {
                    world.$name(id)
                }
                fn named(world: &World, name: &str) -> Option<$Id> {
                    world.$named(name)
                }
                fn add(world: &mut World, item: $Desc) -> Result<$Id, ModelError> {
                    world.$add(item)
                }
                fn set(world: &mut World, id: $Id, item: $Desc) -> Result<(), ModelError> {
                    world.$set(id, item)
                }
                fn remove(world: &mut World, id: $Id) -> Result<$Desc, ModelError> {
                    world.$remove(id)
                }
                fn unknown() -> ModelError {
                    ModelError::$Unknown($word.into())
                }
            }

            impl World {
                #[doc = concat!("All items of the kind \"", $word, "\": iterate over their ids, or find one by id or name.")]
                pub fn $all(&self) -> Items<'_, $Kind> {
                    Items::new(self, $first)
                }

                #[doc = concat!("The same table to add, replace, edit and remove.")]
                pub fn $all_mut(&mut self) -> ItemsMut<'_, $Kind> {
                    ItemsMut { world: self, kind: PhantomData }
                }

                #[doc = concat!("The ", $word, " as it was described: what was left out is filled in, what has moved since is not.")]
                pub fn $get(&self, id: $Id) -> Option<&$Desc> {
                    self.model.$arena.get(id.index, id.generation).map(|r| &r.desc)
                }

                #[doc = concat!("Name of a ", $word, ".")]
                pub fn $name(&self, id: $Id) -> Option<Arc<str>> {
                    self.model.$arena.get(id.index, id.generation).map(|r| r.name.clone())
                }

                #[doc = concat!("The ", $word, " with this name.")]
                pub fn $named(&self, name: &str) -> Option<$Id> {
                    match self.model.names.get(name) {
                        Some(&ItemId::$Variant(id)) => Some(id),
                        _ => None,
                    }
                }
            }
        )*

        impl World {
            /// The words of the kinds of items, in the order in which names are looked up.
            pub const KINDS: [&'static str; [$($word),*].len()] = [$($word),*];

            /// Names of all items of a kind, in the order in which they were made; empty for a word
            /// that is none of [`World::KINDS`].
            pub fn names_of(&self, kind: &str) -> Vec<Arc<str>> {
                match kind {
                    $($word => self.$all().filter_map(|id| self.$name(id)).collect(),)*
                    _ => Vec::new(),
                }
            }

            /// Removes the item of a name with everything that hangs on it; false if there is none.
            pub fn remove_named(&mut self, name: &str) -> Result<bool, ModelError> {
                match self.model.names.get(name) {
                    None => return Ok(false),
                    $(Some(&ItemId::$Variant(id)) => drop(self.$remove(id)?),)*
                }
                Ok(true)
            }
        }
    };
}

kinds! {
    Bodies (Body): "body", BodyId, Body, bodies from 1, bodies, bodies_mut,
        body, body_name, body_named,
        |w, id| w.body_now(id), add_body, replace_body, remove_body, UnknownBody;
    Joints (Joint): "joint", JointId, Joint, joints from 0, joints, joints_mut,
        joint, joint_name, joint_named,
        |w, id| w.joint_now(id), add_joint, put_joint, remove_joint, UnknownJoint;
    Springs (Spring): "spring", SpringId, Spring, springs from 0, springs, springs_mut,
        spring, spring_name, spring_named,
        |w, id| w.spring_now(id), add_spring, put_spring, remove_spring, UnknownForce;
    Motors (Motor): "motor", MotorId, Motor, motors from 0, motors, motors_mut,
        motor, motor_name, motor_named,
        |w, id| w.motor(id).cloned(), add_motor, set_motor, remove_motor, UnknownForce;
    Constraints (Constraint): "constraint", ConstraintId, Constraint, constraints from 0,
        constraints, constraints_mut, constraint, constraint_name, constraint_named,
        |w, id| w.constraint_from_start(id), add_constraint, put_constraint, remove_constraint,
        UnknownElement;
    Controllers (Controller): "controller", ControllerId, Controller, controllers from 0,
        controllers, controllers_mut, controller, controller_name, controller_named,
        |w, id| w.controller_from_start(id), add_controller, put_controller, remove_controller,
        UnknownElement;
    Fields (Field): "field", FieldId, Field, fields from 0, fields, fields_mut,
        field, field_name, field_named,
        |w, id| w.field(id).cloned(), add_field, set_field, remove_field, UnknownElement;
    Curves (Curve): "curve", CurveId, Curve, curves from 0, curves, curves_mut,
        curve, curve_name, curve_named,
        |w, id| w.curve(id).cloned(), add_curve, set_curve, remove_curve, UnknownElement;
    Procedures (Procedure): "procedure", ProcedureId, DistanceProcedure, procedures from 0,
        procedures, procedures_mut, procedure, procedure_name, procedure_named,
        |w, id| w.procedure(id).cloned(), add_procedure, set_procedure, remove_procedure,
        UnknownElement;
    Sensors (Sensor): "sensor", SensorId, Sensor, sensors from 0, sensors, sensors_mut,
        sensor, sensor_name, sensor_named,
        |w, id| w.sensor(id).cloned(), add_sensor, set_sensor, remove_sensor, UnknownElement;
    Colliders (Collider): "collider", ColliderId, Collider, colliders from 0,
        colliders, colliders_mut, collider, collider_name, collider_named,
        |w, id| w.collider(id).cloned(), add_collider, set_collider, remove_collider,
        UnknownElement;
}
