//! Colliders: further surfaces of a body, each with a pose, a material and groups of its own.
//!
//! A body touches others with its own shape, if it has one, and with all its colliders. Its mass
//! properties are its own affair: a collider adds none, so that the shape that gives the mass and
//! the shapes that touch may differ (Bender 2007, sections 4.1 and 6.1). Surfaces of one body never
//! touch each other.

use crate::arena::id;
use crate::body::{BodyId, BodyKind, CollisionGroups};
use crate::bounds;
use crate::contact::Material;
use crate::error::ModelError;
use crate::item::ItemId;
use crate::math::{Quat, Vec3};
use crate::model::{BodyRecord, Model};
use crate::world::World;
use kreisel_geometry::shape::Part;
use kreisel_geometry::{Pose, Shape};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

id! {
    /// Names a collider of a [`World`](crate::World).
    ColliderId
}

/// A collider, ready to be added with [`World::add_collider`](crate::World::add_collider).
///
/// ```
/// use kreisel_dynamics::{Body, Collider, Material, Shape, Vec3, World};
///
/// let mut world = World::new();
/// let hammer = world.add_body(Body::cuboid(0.3, Vec3::new(0.3, 0.03, 0.03)).named("hammer"))?;
/// let head = Shape::Box { size: Vec3::new(0.05, 0.12, 0.05) };
/// let steel = Material { name: "steel".into(), friction: 0.2, ..Material::default() };
/// world.add_collider(Collider::new(hammer, head).at(Vec3::X * 0.15).material(steel))?;
/// assert_eq!(world.surfaces(hammer).count(), 2);
/// # Ok::<(), kreisel_dynamics::ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collider {
    /// Unique name; empty means "collider N".
    pub name: String,
    /// The body that carries it; the world itself carries walls.
    pub body: BodyId,
    /// What touches others.
    pub shape: Shape,
    /// Origin of the shape's frame in the body's frame, m.
    pub position: Vec3,
    /// Rotation from the shape's frame to the body's frame.
    pub rotation: Quat,
    /// Restitution and friction.
    pub material: Material,
    /// Which colliders and bodies it meets.
    pub groups: CollisionGroups,
    /// Whether it only reports what touches it.
    pub sensor: bool,
    /// Solid only against what comes against this direction of the body's frame.
    pub one_way: Option<Vec3>,
    /// One that is not active touches nothing.
    pub active: bool,
}

impl Collider {
    /// A collider in the frame of a body.
    pub fn new(body: BodyId, shape: Shape) -> Self {
        Self {
            name: String::new(),
            body,
            shape,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            material: Material::default(),
            groups: CollisionGroups::default(),
            sensor: false,
            one_way: None,
            active: true,
        }
    }

    /// Sets the name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the position of the shape in the body's frame.
    pub fn at(mut self, position: Vec3) -> Self {
        self.position = position;
        self
    }

    /// Sets the rotation of the shape against the body.
    pub fn rotated(mut self, rotation: Quat) -> Self {
        self.rotation = rotation;
        self
    }

    /// Sets restitution and friction.
    pub fn material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// Sets which others it meets: its own groups and those it collides with, as bits.
    pub fn groups(mut self, member: u32, with: u32) -> Self {
        self.groups = CollisionGroups { member, with };
        self
    }

    /// Makes it a sensor: it only reports what touches it.
    pub fn sensor(mut self) -> Self {
        self.sensor = true;
        self
    }

    /// Makes it solid only against what comes against this direction of the body's frame.
    pub fn one_way(mut self, up: Vec3) -> Self {
        self.one_way = Some(up);
        self
    }

    /// Where the shape is in the body's frame.
    pub fn pose(&self) -> Pose {
        Pose::new(self.position, self.rotation.normalize())
    }

    /// The shape in the body's frame.
    pub fn placed(&self) -> Shape {
        let (pose, shape) = (self.pose(), self.shape.clone());
        if pose == Pose::IDENTITY { shape } else { Shape::Compound(vec![Part { pose, shape }]) }
    }
}

/// One of the surfaces with which a body touches others: its own shape or one of its colliders.
#[derive(Clone, Copy, Debug)]
pub struct BodySurface<'a> {
    /// The collider; `None` is the body's own shape.
    pub collider: Option<ColliderId>,
    /// What touches others.
    pub shape: &'a Shape,
    /// Where it is in the body's frame.
    pub pose: Pose,
    /// Restitution and friction.
    pub material: &'a Material,
    /// What it meets.
    pub groups: CollisionGroups,
    /// Whether it only reports.
    pub sensor: bool,
    /// Solid only against what comes against this direction of the body's frame.
    pub one_way: Option<Vec3>,
}

/// A collider with its name.
#[derive(Clone, Debug)]
pub(crate) struct ColliderRecord {
    pub desc: Collider,
    pub name: Arc<str>,
}

impl<'a> BodySurface<'a> {
    /// The body's own shape, if it has one.
    fn own(body: &'a BodyRecord) -> Option<Self> {
        let desc = &body.desc;
        Some(Self {
            collider: None,
            shape: desc.shape.as_ref()?,
            pose: Pose::IDENTITY,
            material: &desc.material,
            groups: desc.groups,
            sensor: desc.sensor,
            one_way: desc.one_way,
        })
    }

    fn of(id: ColliderId, desc: &'a Collider) -> Self {
        Self {
            collider: Some(id),
            shape: &desc.shape,
            pose: desc.pose(),
            material: &desc.material,
            groups: desc.groups,
            sensor: desc.sensor,
            one_way: desc.one_way,
        }
    }
}

impl Model {
    /// All surfaces with their bodies and the bodies' slots, in the order of the slots; of one body
    /// its own shape first, then its colliders in the order of theirs.
    pub fn surfaces(&self) -> Vec<(u32, &BodyRecord, BodySurface<'_>)> {
        let own = self.bodies.iter().filter_map(|(k, _, b)| Some((k, b, BodySurface::own(b)?)));
        let mut all: Vec<_> = own.collect();
        if self.colliders.len() > 0 {
            let further = self.colliders.iter().filter(|(_, _, c)| c.desc.active);
            all.extend(further.filter_map(|(index, generation, c)| {
                let (id, body) = (ColliderId::new((index, generation)), c.desc.body);
                Some((body.index, self.body(body)?, BodySurface::of(id, &c.desc)))
            }));
            all.sort_by_key(|s| s.0);
        }
        all
    }

    /// What a collider must be to become part of this model.
    fn check_collider(&self, name: &str, desc: &Collider) -> Result<(), ModelError> {
        let body = self.body(desc.body).ok_or_else(|| ModelError::UnknownBody(name.to_owned()))?;
        bounds::POSITION.check_vector(name, "position", desc.position)?;
        Self::check_rotation(name, desc.rotation)?;
        let surface = BodySurface::of(ColliderId::new((0, 0)), desc);
        Self::check_touch(name, body.desc.kind, &surface)?;
        Self::check_event_shape(&self.settings, name, Some(&desc.shape))
    }

    /// Whether a body may become of a kind with all its surfaces.
    pub(crate) fn check_kind(&self, id: BodyId, kind: BodyKind) -> Result<(), ModelError> {
        for (slot, body, surface) in self.surfaces() {
            if slot == id.index {
                Self::check_touch(&body.name, kind, &surface)?;
            }
        }
        Ok(())
    }

    /// Removes the colliders of a body.
    pub(crate) fn remove_colliders_of(&mut self, id: BodyId) {
        let gone: Vec<(u32, u32)> = self
            .colliders
            .iter()
            .filter(|(_, _, c)| c.desc.body == id)
            .map(|(i, g, _)| (i, g))
            .collect();
        for (i, g) in gone {
            if let Some(record) = self.colliders.remove(i, g) {
                self.names.remove(&record.name);
            }
        }
    }
}

fn unknown(what: &str) -> ModelError {
    ModelError::UnknownElement(what.to_owned())
}

impl World {
    /// Adds a collider to a body: a further surface that touches others. It changes no mass.
    pub fn add_collider(&mut self, collider: Collider) -> Result<ColliderId, ModelError> {
        let name = self.model.name(&collider.name, "collider", self.model.colliders.len() + 1)?;
        self.model.check_collider(&name, &collider)?;
        let record = ColliderRecord { desc: collider, name: name.clone() };
        let id = ColliderId::new(self.model.colliders.insert(record));
        self.model.names.insert(name, ItemId::Collider(id));
        self.model.revision += 1;
        Ok(id)
    }

    /// Removes a collider.
    pub fn remove_collider(&mut self, id: ColliderId) -> Result<Collider, ModelError> {
        let record = self
            .model
            .colliders
            .remove(id.index, id.generation)
            .ok_or_else(|| unknown("remove_collider"))?;
        self.model.names.remove(&record.name);
        self.model.revision += 1;
        Ok(record.desc)
    }

    /// Replaces a collider; it keeps its name.
    pub fn set_collider(&mut self, id: ColliderId, collider: Collider) -> Result<(), ModelError> {
        let old = self.model.colliders.get(id.index, id.generation);
        let old = old.ok_or_else(|| unknown("set_collider"))?;
        let new = Collider { name: old.desc.name.clone(), ..collider };
        self.model.check_collider(&old.name, &new)?;
        if let Some(record) = self.model.colliders.get_mut(id.index, id.generation) {
            record.desc = new;
        }
        self.model.revision += 1;
        Ok(())
    }

    /// The surfaces with which a body touches others: its own shape, then its active colliders.
    pub fn surfaces(&self, body: BodyId) -> impl Iterator<Item = BodySurface<'_>> {
        let own = self.model.body(body).and_then(BodySurface::own);
        let further = self.model.colliders.iter();
        let further = further.filter(move |(_, _, c)| c.desc.active && c.desc.body == body);
        let further = further.map(|(i, g, c)| BodySurface::of(ColliderId::new((i, g)), &c.desc));
        own.into_iter().chain(further)
    }
}
