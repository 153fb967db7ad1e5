//! The kinds of items that have a table: how they are found, described, put back and added.

use super::RunSettings;
use crate::property::Table;
use crate::property::kinds::{self, BodyItem, Ground, JointItem, Now, WorldItem};
use crate::scene::{Emitter, Force, Marker, Motion, Timing};
use kreisel_dynamics::words::Words;
use kreisel_dynamics::{
    BodyId, BodyKind, Coordinate, Joint, JointId, ModelError, PositionPart, Shape, Vec3, World,
};
use std::any::Any;
use std::sync::Arc;

/// A kind of item: its table, and how its items are found, read and put back.
pub struct Kind {
    /// Its properties.
    pub table: &'static Table,
    pub(super) names: fn(&World, &RunSettings) -> Vec<String>,
    /// The description of an item as it is now.
    pub(super) now: fn(&World, &RunSettings, &str) -> Option<Box<dyn Any>>,
    /// The description to save: with all bodies at the poses that they were added with.
    pub(super) start: fn(&World, &RunSettings, &str) -> Option<Box<dyn Any>>,
    pub(super) put: fn(&mut World, &mut RunSettings, &str, Box<dyn Any>) -> Result<(), ModelError>,
    /// Adds a new one and tells its name.
    add: fn(&mut World, &mut RunSettings, Box<dyn Any>) -> Result<String, ModelError>,
    /// Whether an item lists this path of keys.
    pub(super) shown: fn(&World, &str, &str) -> bool,
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kind").field(&self.table.name).finish()
    }
}

impl Kind {
    /// The kind of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|k| k.table.name == name)
    }

    /// Adds a new item and tells its name.
    pub(crate) fn add(
        &self,
        world: &mut World,
        run: &mut RunSettings,
        item: Box<dyn Any>,
    ) -> Result<String, ModelError> {
        (self.add)(world, run, item)
    }
}

/// A kind whose items the world holds as they are described: the methods that list, name, find,
/// tell, replace and add one.
macro_rules! kind {
    ($TABLE:ident: $all:ident, $name:ident, $named:ident, $get:ident, $set:ident, $add:ident) => {
        Kind {
            table: &kinds::$TABLE,
            names: |world, _| {
                world.$all().filter_map(|id| Some(world.$name(id)?.to_string())).collect()
            },
            now: |world, _, name| world.$get(world.$named(name)?).cloned().map(boxed),
            start: |world, _, name| world.$get(world.$named(name)?).cloned().map(boxed),
            put: |world, _, name, item| {
                let id =
                    world.$named(name).ok_or_else(|| ModelError::UnknownElement(name.into()))?;
                world.$set(id, taken(item)?)
            },
            add: |world, _, item| {
                let id = world.$add(taken(item)?)?;
                Ok(world.$name(id).unwrap_or_default().to_string())
            },
            shown: |_, _, _| true,
        }
    };
}

/// A kind whose items stand beside the world: the list of them, and their type.
macro_rules! beside {
    ($TABLE:ident: $list:ident, $Type:ty) => {
        Kind {
            table: &kinds::$TABLE,
            names: |_, run| run.$list.iter().map(|x| x.name.clone()).collect(),
            now: |_, run, name| run.$list.iter().find(|x| x.name == name).cloned().map(boxed),
            start: |_, run, name| run.$list.iter().find(|x| x.name == name).cloned().map(boxed),
            put: |_, run, name, item| {
                let old = run.$list.iter_mut().find(|x| x.name == name);
                *old.ok_or_else(|| ModelError::UnknownElement(name.into()))? = taken(item)?;
                Ok(())
            },
            add: |world, run, item| {
                let mut new: $Type = taken(item)?;
                new.name = run.fresh(world, &new.name, kinds::$TABLE.name);
                run.$list.push(new.clone());
                Ok(new.name)
            },
            shown: |_, _, _| true,
        }
    };
}

/// All kinds that have a table.
pub static KINDS: &[Kind] = &[
    Kind {
        table: &kinds::WORLD,
        names: |_, _| vec!["world".into()],
        now: |world, run, name| (name == "world").then(|| boxed(world_item(world, &run.timing))),
        start: |world, run, name| (name == "world").then(|| boxed(world_item(world, &run.timing))),
        put: |world, run, _, item| put_world(world, &mut run.timing, taken(item)?),
        add: |_, _, _| Err(ModelError::TheWorld("added")),
        shown: |_, _, _| true,
    },
    Kind {
        table: &kinds::BODY,
        names: |world, _| {
            world.bodies().filter_map(|id| Some(world.body_name(id)?.to_string())).collect()
        },
        now: |world, run, name| body_now(world, run, body_named(world, name)?).map(boxed),
        start: |world, run, name| body_start(world, run, body_named(world, name)?).map(boxed),
        put: |world, run, name, item| put_body(world, run, name, &taken(item)?),
        add: |world, run, item| {
            let item: BodyItem = taken(item)?;
            let (body, look) = item.parts();
            let id = world.add_body(body)?;
            Arc::make_mut(&mut run.looks).insert(id, look);
            Ok(world.body_name(id).unwrap_or_default().to_string())
        },
        // the exact state is for files
        shown: |_, _, key| key != "now",
    },
    kind!(COLLIDER: colliders, collider_name, collider_named, collider, set_collider, add_collider),
    Kind {
        table: &kinds::JOINT,
        names: |world, _| {
            world.joints().filter_map(|id| Some(world.joint_name(id)?.to_string())).collect()
        },
        now: |world, _, name| joint_now(world, world.joint_named(name)?).map(boxed),
        start: |world, _, name| {
            let id = world.joint_named(name)?;
            Some(boxed(JointItem::of(own_length(world.joint_from_start(id)?), world.turns(id))))
        },
        put: |world, _, name, item| put_joint(world, name, taken(item)?),
        add: |world, _, item| {
            let id = world.add_joint(taken::<JointItem>(item)?.joint())?;
            Ok(world.joint_name(id).unwrap_or_default().to_string())
        },
        shown: |world, name, key| {
            // what lies on a coordinate is listed where the joint has it
            let kind = world.joint_named(name).and_then(|id| world.joint_kind(id));
            let coordinate = key.split('.').nth(1).and_then(Coordinate::of_word);
            coordinate.is_none_or(|c| kind.is_some_and(|k| k.has(c)))
        },
    },
    Kind {
        table: &kinds::SPRING,
        names: |world, _| {
            world.springs().filter_map(|id| Some(world.spring_name(id)?.to_string())).collect()
        },
        now: |world, _, name| world.spring_now(world.spring_named(name)?).map(boxed),
        start: |world, _, name| world.spring_from_start(world.spring_named(name)?).map(boxed),
        put: |world, _, name, item| {
            let unknown = || ModelError::UnknownForce(name.into());
            let id = world.spring_named(name).ok_or_else(unknown)?;
            world.springs_mut().set(id, taken(item)?)
        },
        add: |world, _, item| {
            let id = world.add_spring(taken(item)?)?;
            Ok(world.spring_name(id).unwrap_or_default().to_string())
        },
        shown: |_, _, _| true,
    },
    kind!(MOTOR: motors, motor_name, motor_named, motor, set_motor, add_motor),
    Kind {
        table: &kinds::FORCE,
        names: |_, run| run.forces.iter().map(|f| f.name.clone()).collect(),
        now: |_, run, name| run.forces.iter().find(|f| f.name == name).cloned().map(boxed),
        start: |_, run, name| run.forces.iter().find(|f| f.name == name).cloned().map(boxed),
        put: |_, run, name, item| {
            let force = run.forces.iter_mut().find(|f| f.name == name);
            *force.ok_or_else(|| ModelError::UnknownForce(name.into()))? = taken(item)?;
            Ok(())
        },
        add: |_, run, item| {
            let force: Force = taken(item)?;
            run.forces.push(force.clone());
            Ok(force.name)
        },
        shown: |_, _, _| true,
    },
    beside!(MARKER: markers, Marker),
    beside!(MOTION: motions, Motion),
    beside!(EMITTER: emitters, Emitter),
    Kind {
        now: |world, _, name| world.constraint_from_start(world.constraint_named(name)?).map(boxed),
        start: |world, _, name| {
            world.constraint_from_start(world.constraint_named(name)?).map(boxed)
        },
        put: |world, _, name, item| {
            let unknown = || ModelError::UnknownElement(name.into());
            let id = world.constraint_named(name).ok_or_else(unknown)?;
            world.constraints_mut().set(id, taken(item)?)
        },
        ..kind!(CONSTRAINT: constraints, constraint_name, constraint_named, constraint, set_constraint, add_constraint)
    },
    kind!(FIELD: fields, field_name, field_named, field, set_field, add_field),
    Kind {
        now: |world, _, name| world.controller_from_start(world.controller_named(name)?).map(boxed),
        start: |world, _, name| {
            world.controller_from_start(world.controller_named(name)?).map(boxed)
        },
        put: |world, _, name, item| {
            let unknown = || ModelError::UnknownElement(name.into());
            let id = world.controller_named(name).ok_or_else(unknown)?;
            world.controllers_mut().set(id, taken(item)?)
        },
        ..kind!(CONTROLLER: controllers, controller_name, controller_named, controller, set_controller, add_controller)
    },
    Kind {
        table: &kinds::SENSOR,
        names: |world, _| {
            world.sensors().filter_map(|id| Some(world.sensor_name(id)?.to_string())).collect()
        },
        now: |world, _, name| world.sensor(world.sensor_named(name)?).cloned().map(boxed),
        start: |world, _, name| world.sensor(world.sensor_named(name)?).cloned().map(boxed),
        put: |world, _, name, item| {
            let id =
                world.sensor_named(name).ok_or_else(|| ModelError::UnknownElement(name.into()))?;
            world.set_sensor(id, taken(item)?)
        },
        add: |world, _, item| {
            let id = world.add_sensor(taken(item)?)?;
            Ok(world.sensor_name(id).unwrap_or_default().to_string())
        },
        shown: |_, _, _| true,
    },
    kind!(CURVE: curves, curve_name, curve_named, curve, set_curve, add_curve),
    kind!(PROCEDURE: procedures, procedure_name, procedure_named, procedure, set_procedure, add_procedure),
];

fn boxed<T: 'static>(item: T) -> Box<dyn Any> {
    Box::new(item)
}

/// The description in a box.
fn taken<T: 'static>(item: Box<dyn Any>) -> Result<T, ModelError> {
    item.downcast::<T>()
        .map(|b| *b)
        .map_err(|_| ModelError::UnknownBody("an item of another kind".into()))
}

/// A body that is not the world itself.
fn body_named(world: &World, name: &str) -> Option<BodyId> {
    world.body_named(name).filter(|id| *id != BodyId::WORLD)
}

/// A body as its table describes it now.
fn body_now(world: &World, run: &RunSettings, id: BodyId) -> Option<BodyItem> {
    let body = world.body_now(id)?;
    Some(BodyItem::of(body, run.looks.get(&id), world.method_of(id)))
}

/// A body as it is saved: with the pose that it was added with, to which joints refer, and where it
/// has moved since, with its present state.
fn body_start(world: &World, run: &RunSettings, id: BodyId) -> Option<BodyItem> {
    let mut body = world.body(id)?.clone();
    let present = world.kind_when_assembled(id).unwrap_or(body.kind);
    // what connects bodies that have all stopped moving was made while this one moved, and is read
    // only then
    let became =
        present != BodyKind::Dynamic && world.has_idle_link(id) && body.mass.check().is_ok();
    body.kind = if became { BodyKind::Dynamic } else { present };
    // a body that was made static has kept what it was described with, but has no velocity
    if body.kind == BodyKind::Static {
        (body.velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
    }
    let mut item = BodyItem::of(body, run.looks.get(&id), world.method_of(id));
    let (now, then) = (world.exact_state(id), world.described_state(id));
    item.now = now
        .filter(|_| now != then || became)
        .map(|state| Now { state, kind: became.then_some(present) });
    Some(item)
}

/// Makes a body what a description says; only what differs is touched, so that what has moved keeps
/// its state to the bit.
fn put_body(
    world: &mut World,
    run: &mut RunSettings,
    name: &str,
    new: &BodyItem,
) -> Result<(), ModelError> {
    let unknown = || ModelError::UnknownBody(name.into());
    let id = body_named(world, name).ok_or_else(unknown)?;
    let old = body_now(world, run, id).ok_or_else(unknown)?;
    let (body, look) = new.parts();
    world.replace_body(id, body)?;
    if new.method != old.method {
        world.set_method(id, new.method)?;
    }
    if let Some(now) = new.now {
        now.kind.map_or(Ok(()), |kind| world.set_body_kind(id, kind))?;
        world.set_exact_state(id, now.state)?;
    }
    if run.looks.get(&id) != Some(&look) {
        Arc::make_mut(&mut run.looks).insert(id, look);
    }
    Ok(())
}

/// The world as its table describes it.
pub(crate) fn world_item(world: &World, timing: &Timing) -> WorldItem {
    let floor = world.body(BodyId::WORLD);
    let ground = floor.and_then(|g| match &g.shape {
        Some(Shape::HalfSpace { offset, .. }) => {
            Some(Ground { height: *offset, material: g.material.clone() })
        }
        _ => None,
    });
    WorldItem {
        gravity: world.gravity(),
        time: world.time(),
        timing: *timing,
        settings: world.settings().clone(),
        ground,
    }
}

/// Makes the world what a description says; only what differs is touched.
pub(crate) fn put_world(
    world: &mut World,
    timing: &mut Timing,
    item: WorldItem,
) -> Result<(), ModelError> {
    let old = world_item(world, timing);
    if item.gravity != old.gravity {
        world.set_gravity(item.gravity)?;
    }
    if item.time != old.time {
        world.set_time(item.time)?;
    }
    if item.settings != old.settings {
        world.set_settings(item.settings)?;
    }
    if item.ground != old.ground {
        let shape =
            item.ground.as_ref().map(|g| Shape::HalfSpace { normal: Vec3::Z, offset: g.height });
        world.set_ground(shape, item.ground.map(|g| g.material).unwrap_or_default())?;
    }
    *timing = item.timing;
    Ok(())
}

/// A joint as its table describes it now.
fn joint_now(world: &World, id: JointId) -> Option<JointItem> {
    let mut joint = own_length(world.joint_now(id)?);
    if joint.kind.parts().0 == PositionPart::Distance {
        joint.length = world.joint_length(id);
    }
    Some(JointItem::of(joint, world.turns(id)))
}

/// The joint without a length that means nothing for its kind.
fn own_length(mut joint: Joint) -> Joint {
    let distance = joint.kind.parts().0 == PositionPart::Distance;
    joint.length = joint.length.filter(|_| distance);
    joint
}

/// Makes a joint what a description says: it is placed anew only where its kind, bodies, anchors or
/// axes differ, so that what has moved keeps its frames to the bit.
fn put_joint(world: &mut World, name: &str, item: JointItem) -> Result<(), ModelError> {
    let unknown = || ModelError::UnknownJoint(name.into());
    let id = world.joint_named(name).ok_or_else(unknown)?;
    let old = joint_now(world, id).ok_or_else(unknown)?;
    let (turns, joint) = (item.turns - old.turns, item.joint());

    world.joints_mut().set(id, joint)?;
    if turns != 0 { world.add_turns(id, turns) } else { Ok(()) }
}
